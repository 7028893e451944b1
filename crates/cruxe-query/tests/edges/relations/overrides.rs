//! Members that take the place of members of the types above.

use cruxe_query::relations::Note;
use cruxe_query::relations::Relation::{Overridden, Overrides};

use super::{Tree, ask, rows};

#[test]
fn python_methods_and_attributes() {
    let files = [
        (
            "base.py",
            "class Field:\n    widget = None\n\n    def kind(self):\n        return 'Field'\n\n    def name(self):\n        return self.kind()\n",
        ),
        (
            "fields.py",
            "from base import Field

class Char(Field):
    widget = 'text'

    def kind(self):
        return 'Char'

class Email(Char):
    def kind(self):
        return super().kind()

class Plain(Char):
    pass

class Stranger:
    def kind(self):
        return 'no field'
",
        ),
    ];
    assert_eq!(
        rows("Field.kind", Overrides, &files),
        ["fields.py:6 fields.Char.kind", "fields.py:10 fields.Email.kind 2"]
    );
    assert_eq!(rows("Char.kind", Overrides, &files), ["fields.py:10 fields.Email.kind"]);
    assert_eq!(rows("Field.widget", Overrides, &files), ["fields.py:4 fields.Char.widget"]);
    assert_eq!(rows("Email.kind", Overridden, &files), ["fields.py:6 fields.Char.kind", "base.py:4 base.Field.kind 2"]);
    assert_eq!(rows("Field.name", Overrides, &files), [""; 0]);
}

#[test]
fn rust_functions_of_a_trait_are_implemented_where_an_impl_says_so() {
    let files = [(
        "src/lib.rs",
        "pub trait Shape { fn area(&self) -> f64; fn name(&self) -> String { String::new() } }
pub struct Round;
impl Round { pub fn name(&self) -> u8 { 1 } }
impl Shape for Round { fn area(&self) -> f64 { 1.0 } }
impl Shape for Vec<u8> {
    fn area(&self) -> f64 { 2.0 }
    fn name(&self) -> String { String::new() }
}
pub trait Area { fn area(&self); }
impl Area for Round { fn area(&self) {} }
",
    )];
    assert_eq!(rows("Shape::area", Overrides, &files), ["4 Round::area", "6 Vec::area"]);
    assert_eq!(rows("Shape::name", Overrides, &files), ["7 Vec::name"]);
    assert_eq!(rows("Vec::area", Overridden, &files), ["1 Shape::area"]);
    assert_eq!(rows("Round::name", Overridden, &files), [""; 0]);
}

#[test]
fn what_an_impl_of_a_foreign_trait_implements_is_said_to_be_outside() {
    let files = [("src/lib.rs", "pub struct Round;\nimpl std::fmt::Display for Round {\n    fn fmt(&self) {}\n}\n")];
    let found = ask(&Tree::new(&files), "Round::fmt", Overridden, false).unwrap();
    assert_eq!((found.total, found.notes), (0, vec![Note::Beyond(vec!["std::fmt::Display".to_owned()])]));
}

#[test]
fn java_overloads_override_what_takes_as_much() {
    let files = [(
        "app/Shapes.java",
        "package app;
abstract class Shape {
    abstract int area(int scale);
    int area(int scale, int more) { return 1; }
}
class Round extends Shape {
    int area(int scale) { return 2; }
    int area() { return 3; }
}
class Big extends Round {
    @Override
    int area(int scale, int more) { return 4; }
}
class Use {
    Shape make() {
        return new Shape() {
            int area(int scale) { return 5; }
        };
    }
}
",
    )];
    assert_eq!(
        rows("Shape.area", Overrides, &files),
        ["7 app.Round.area", "17 app.Use.make.area", "12 app.Big.area 2"]
    );
    assert_eq!(rows("Big.area", Overridden, &files), ["4 app.Shape.area 2"]);
}

#[test]
fn typescript_csharp_and_kotlin_members() {
    let typescript = [(
        "a.ts",
        "interface Store { get(): string }
class Base implements Store {
  size = 1
  get() { return '' }
}
class Sub extends Base {
  size = 2
  get() { return 'sub' }
}
class Other { get() { return '' } }
",
    )];
    assert_eq!(rows("Store.get", Overrides, &typescript), ["4 a.Base.get", "8 a.Sub.get 2"]);
    assert_eq!(rows("Sub.get", Overridden, &typescript), ["4 a.Base.get", "1 a.Store.get 2"]);
    assert_eq!(rows("Base.size", Overrides, &typescript), ["7 a.Sub.size"]);
    let csharp = [(
        "A.cs",
        "namespace App;
public class Base { public virtual int Area(int x) => 1; public virtual int Size { get; set; } }
public class Sub : Base {
    public override int Area(int x) => 2;
    public int Area() => 3;
    public override int Size { get; set; }
}
public class Other { public int Area(int x) => 4; }
",
    )];
    assert_eq!(rows("Base.Area", Overrides, &csharp), ["4 App.Sub.Area"]);
    assert_eq!(rows("Base.Size", Overrides, &csharp), ["6 App.Sub.Size"]);
    let kotlin = [(
        "a.kt",
        "interface Shape {
    fun area(x: Int): Int
}
open class Round : Shape {
    override fun area(x: Int) = 1
}
class Big : Round() {
    override fun area(x: Int) = 2
}
val flat = object : Shape {
    override fun area(x: Int) = 3
}
class Other {
    fun area(x: Int) = 4
}
",
    )];
    assert_eq!(rows("Shape.area", Overrides, &kotlin), ["5 Round.area", "11 area", "8 Big.area 2"]);
}

#[test]
fn cpp_definitions_stand_for_their_declarations() {
    let files = [
        (
            "shape.hpp",
            "class Shape { public: virtual int area(int x) const; };\nclass Round : public Shape { public: int area(int x) const override; int area(); };\n",
        ),
        (
            "round.cpp",
            "#include \"shape.hpp\"\nint Shape::area(int x) const { return 0; }\nint Round::area(int x) const { return 1; }\n",
        ),
    ];
    assert_eq!(rows("Shape::area", Overrides, &files), ["round.cpp:3 Round::area"]);
    assert_eq!(rows("Round::area", Overridden, &files), ["round.cpp:2 Shape::area"]);
}

#[test]
fn go_methods_implement_those_of_interfaces() {
    let files = [
        ("go.mod", "module example.com/app\n"),
        (
            "a.go",
            "package app

type Shape interface{ Area(x int) int }
type Round struct{}

func (r Round) Area(x int) int { return 1 }

type Flat struct{}

func (f Flat) Area() int { return 2 }
",
        ),
    ];
    assert_eq!(rows("Shape.Area", Overrides, &files), ["a.go:6 app.Round.Area?"]);
    assert_eq!(rows("Round.Area", Overridden, &files), ["a.go:3 app.Shape.Area?"]);
}

#[test]
fn methods_of_a_class_from_outside_are_overridden_too() {
    let files = [(
        "a.py",
        "from unittest import TestCase

class Base(TestCase):
    def setUp(self): ...

class Deep(Base):
    def setUp(self): ...

class Other:
    def setUp(self): ...
",
    )];
    assert_eq!(rows("unittest.TestCase.setUp", Overrides, &files), ["4 a.Base.setUp", "7 a.Deep.setUp 2"]);
}

#[test]
fn a_class_inside_its_super_class_overrides() {
    let files = [(
        "A.java",
        "class Outer {\n    Outer() { }\n    int size() { return 1; }\n    class Inner extends Outer {\n        int size() { return 2; }\n    }\n}\n",
    )];
    assert_eq!(rows("Outer.size", Overrides, &files), ["5 Outer.Inner.size"]);
}
