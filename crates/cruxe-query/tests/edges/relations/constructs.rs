//! Where values of a type are made.

use cruxe_query::relations::Relation::Constructs;

use super::{Tree, ask, row, rows};

#[test]
fn python_also_through_subclasses_that_have_the_constructor() {
    let files = [
        (
            "base.py",
            "class Base:
    def __init__(self, size):
        self.size = size

    @classmethod
    def make(cls):
        return cls(1)

class Heir(Base):
    pass

class Deep(Heir):
    pass

class Own(Base):
    def __init__(self):
        super().__init__(2)
",
        ),
        (
            "use.py",
            "from base import Base, Deep, Heir, Own
Base(3)
Heir(size=4)
Deep(5)
Own()
kinds = [Base, Heir]
def f(x: Base) -> Heir: ...
",
        ),
    ];
    assert_eq!(
        rows("Base", Constructs, &files),
        [
            "base.py:7 base.Base.make",
            "use.py:2 use",
            "use.py:3 use through base.Heir",
            "use.py:4 use through base.Deep"
        ]
    );
    assert_eq!(rows("Base.__init__", Constructs, &files), rows("Base", Constructs, &files));
    let direct = ask(&Tree::new(&files), "Base", Constructs, true).unwrap();
    let direct: Vec<String> = direct.references.iter().map(|one| row(one, false)).collect();
    assert_eq!(direct, ["7 base.Base.make", "2 use"]);
}

#[test]
fn rust_literals_calls_and_names() {
    let files = [(
        "src/lib.rs",
        "pub struct Point { pub x: u8, y: u8 }
pub struct Pair(u8, u8);
pub struct Unit;
pub enum Shape { Round { x: u8 }, Flat(u8), None }
impl Point {
    pub fn new() -> Self { Self { x: 1, y: 2 } }
    fn read(&self) -> u8 { let Point { x, .. } = self; *x }
}
fn make() -> Point {
    let point: Point = Point { x: 1, ..Point::new() };
    let pairs = [1].map(|x| Pair(x, 2));
    let unit = Unit;
    let shape = Shape::Round { x: 1 };
    if let Shape::Round { x } = shape {}
    let flat = Shape::Flat(1);
    if let Shape::Flat(x) = flat {}
    point
}
",
    )];
    assert_eq!(rows("Point", Constructs, &files), ["6 Point::new", "10 make"]);
    assert_eq!(rows("Pair", Constructs, &files), ["11 make"]);
    assert_eq!(rows("Unit", Constructs, &files), ["12 make"]);
    assert_eq!(rows("Shape::Round", Constructs, &files), ["13 make"]);
    assert_eq!(rows("Shape::Flat", Constructs, &files), ["15 make"]);
}

#[test]
fn typescript_and_java_also_through_sub_classes() {
    let typescript = [(
        "a.ts",
        "export class Base { constructor(public size: number) {} }
class Heir extends Base {}
class Own extends Base { constructor() { super(1) } }
const a = new Base(1)
const b: Base = new Heir(2)
const c = new Own()
function is(x: unknown): x is Base { return x instanceof Base }
",
    )];
    assert_eq!(rows("Base", Constructs, &typescript), ["4 a.a", "5 a.b through a.Heir"]);
    let java = [(
        "A.java",
        "class Base { Base() { } }
class Heir extends Base { }
class Own extends Base { Own(int x) { super(); } }
class Use {
    Object a = new Base();
    Object b = new Heir();
    Object c = new Own(1);
    Object d = new Base() { };
    java.util.function.Supplier<Base> e = Base::new;
    Base f = (Base) a;
}
",
    )];
    assert_eq!(rows("Base", Constructs, &java), ["5 Use.a", "6 Use.b through Heir", "8 Use.d", "9 Use.e"]);
}

#[test]
fn go_literals_and_new() {
    let files = [
        ("go.mod", "module example.com/app\n"),
        (
            "a.go",
            "package app

type Point struct{ X, Y int }

func make2(p *Point) []Point {
	a := Point{X: 1}
	b := &Point{1, 2}
	c := new(Point)
	d := []Point{{X: 3}, {X: 4}}
	e := map[string]*Point{\"a\": {X: 5}}
	var f []Point
	g := []Point{}
	return nil
}
",
        ),
    ];
    let lines: Vec<String> = rows("Point", Constructs, &files)
        .iter()
        .map(|row| row.replace("a.go:", "").replace(" app.make2", ""))
        .collect();
    assert_eq!(lines, ["6", "7", "8", "9", "10"]);
}

#[test]
fn cpp_declarations_make_values() {
    let files = [(
        "a.cpp",
        "class Base { public: Base(); Base(int); };
class Heir : public Base {};
Base make(const Base &in, Base *out) {
  Base a;
  Base b(1);
  Base c{2};
  Base *d = new Base(3);
  Base &e = a;
  auto f = std::make_unique<Base>(4);
  Base g = make(a, d);
  Heir h;
  return Base(5);
}
extern Base elsewhere;
",
    )];
    let lines: Vec<String> = rows("Base", Constructs, &files);
    assert_eq!(lines, ["4 make", "5 make", "6 make", "7 make", "9 make", "11 make through Heir", "12 make"]);
}

#[test]
fn c_csharp_kotlin_php_ruby_swift_and_scala() {
    let c = [(
        "a.c",
        "struct point { int x; };
int f(struct point *in) {
  struct point a;
  struct point b = { .x = 1 };
  struct point *c = in;
  g((struct point){ .x = 2 });
  return sizeof(struct point);
}
",
    )];
    assert_eq!(rows("point", Constructs, &c), ["3 f", "4 f", "6 f"]);
    let csharp = [(
        "A.cs",
        "class Base { public Base() { } }
class Heir : Base { }
class Own : Base { public Own(int x) : base() { } }
class Use { object a = new Base(); object b = new Heir { }; object c = new Own(1); Base d; }
",
    )];
    assert_eq!(rows("Base", Constructs, &csharp), ["4 Use.a", "4 Use.b through Heir"]);
    let kotlin = [(
        "a.kt",
        "open class Base\nclass Heir : Base()\nclass Own(val x: Int) : Base()\nval a = Base()\nval b = Heir()\nval c = Own(1)\nval d = object : Base() {}\nval e: Base = a\n",
    )];
    assert_eq!(rows("Base", Constructs, &kotlin), ["4 a", "5 b through Heir", "7 d"]);
    let php = [(
        "a.php",
        "<?php\nclass Base {\n    function __construct() { }\n    static function make() { return new static(); }\n}\nclass Heir extends Base { }\n$a = new Base();\n$b = new Heir();\n$c = Base::class;\n",
    )];
    assert_eq!(rows("Base", Constructs, &php), ["4 Base\\make", "7 a", "8 b through Heir"]);
    let ruby = [(
        "a.rb",
        "class Base\n  def initialize(x)\n  end\nend\nclass Heir < Base\nend\nA = Base.new(1)\nB = Heir.new(2)\nC = Base\nD = Base.name\n",
    )];
    assert_eq!(rows("Base", Constructs, &ruby), ["7 A", "8 B through Heir"]);
    let swift = [(
        "a.swift",
        "class Base {\n    init(x: Int) {}\n}\nclass Heir: Base {}\nlet a = Base(x: 1)\nlet b = Heir(x: 2)\nlet c: Base? = nil\n",
    )];
    assert_eq!(rows("Base", Constructs, &swift), ["5 a", "6 b through Heir"]);
    let scala = [(
        "a.scala",
        "class Base\nclass Heir extends Base\nval a = new Base\nval b = new Heir\nval c = new Base { def x = 1 }\ndef d(x: Base) = x\n",
    )];
    assert_eq!(rows("Base", Constructs, &scala), ["3 a", "4 b through Heir", "5 c"]);
}
