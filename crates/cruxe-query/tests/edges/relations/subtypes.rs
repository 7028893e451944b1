//! Types below a type, and above it.

use cruxe_query::relations::Note;
use cruxe_query::relations::Relation::{Subtypes, Supertypes};

use super::{Tree, ask, row, rows};

#[test]
fn python_subclasses_are_found_to_the_end_and_production_comes_first() {
    let files = [
        ("base.py", "class Field:\n    pass\n\nclass Other:\n    field: Field = Field()\n"),
        (
            "fields.py",
            "from base import Field as F\nfrom base import Other\n\nclass Char(F):\n    pass\n\nclass Email(Char, Other):\n    pass\n\ndef make(field: F):\n    return F()\n",
        ),
        ("tests/test_fields.py", "from base import Field\n\nclass Mock(Field):\n    pass\n"),
    ];
    assert_eq!(
        rows("Field", Subtypes, &files),
        ["fields.py:4 fields.Char", "fields.py:7 fields.Email 2", "tests/test_fields.py:3 test_fields.Mock"]
            .map(|row| row.replace("test_fields.Mock", "tests.test_fields.Mock"))
    );
    let direct = ask(&Tree::new(&files), "Field", Subtypes, true).unwrap();
    let direct: Vec<String> = direct.references.iter().map(|reference| row(reference, false)).collect();
    assert_eq!(direct, ["4 fields.Char", "3 tests.test_fields.Mock"]);
    assert_eq!(
        rows("Email", Supertypes, &files),
        ["base.py:4 base.Other", "fields.py:4 fields.Char", "base.py:1 base.Field 2"]
    );
}

#[test]
fn a_class_from_outside_has_subclasses_too() {
    let files =
        [("a.py", "from unittest import TestCase\n\nclass Base(TestCase):\n    pass\n\nclass Deep(Base):\n    pass\n")];
    assert_eq!(rows("TestCase", Subtypes, &files), ["3 a.Base", "6 a.Deep 2"]);
    let above = ask(&Tree::new(&files), "Deep", Supertypes, false).unwrap();
    assert_eq!(above.references.iter().map(|one| row(one, false)).collect::<Vec<_>>(), ["3 a.Base"]);
    assert_eq!(above.notes, [Note::Beyond(vec!["TestCase".to_owned()])]);
    assert_eq!(above.mentions, None);
}

#[test]
fn rust_types_implement_traits_and_traits_build_on_traits() {
    let files = [(
        "src/lib.rs",
        "pub trait Shape { fn area(&self) -> f64; }
pub trait Solid: Shape {}
pub struct Round;
impl Shape for Round { fn area(&self) -> f64 { 1.0 } }
impl Round { fn area2(&self) {} }
impl<T: Shape> Shape for Vec<T> { fn area(&self) -> f64 { 2.0 } }
impl Solid for Round {}
struct Cube(Round);
impl Solid for Cube {}
fn use_it(shape: &dyn Shape) {}
",
    )];
    assert_eq!(rows("Shape", Subtypes, &files), ["2 Solid", "4 Round", "6 Vec", "9 Cube 2"]);
    assert_eq!(rows("Cube", Supertypes, &files), ["2 Solid", "1 Shape 2"]);
}

#[test]
fn a_derived_trait_is_implemented() {
    let files = [(
        "src/lib.rs",
        "pub trait Shape {}\n#[derive(Clone, Shape)]\npub struct Round {\n    pub x: u8,\n}\n#[derive(Clone)]\nstruct Flat;\n",
    )];
    assert_eq!(rows("Shape", Subtypes, &files), ["2 Round"]);
}

#[test]
fn typescript_classes_extend_and_implement_what_they_name() {
    let files = [
        (
            "src/a.ts",
            "export interface Store { get(): string }\nexport class Base implements Store { get() { return '' } }\n",
        ),
        (
            "src/b.ts",
            "import { Base, type Store } from './a'
export class Sub extends Base {}
interface Wide extends Store { more: number }
export class Deep extends Sub implements Wide { more = 1 }
const shaped = { get() { return '' } }
function take(store: Store) { return new Base() }
",
        ),
    ];
    assert_eq!(
        rows("Store", Subtypes, &files),
        ["src/a.ts:2 a.Base", "src/b.ts:3 b.Wide", "src/b.ts:2 b.Sub 2", "src/b.ts:4 b.Deep 2"]
    );
    let none = ask(&Tree::new(&[("a.ts", "interface Lonely { a: 1 }\n")]), "Lonely", Subtypes, false).unwrap();
    assert_eq!((none.total, none.notes), (0, vec![Note::DeclaredOnly]));
}

#[test]
fn java_classes_without_a_name_are_sub_types() {
    let files = [(
        "app/Shapes.java",
        "package app;
interface Shape { double area(); }
class Round implements Shape { public double area() { return 1; } }
class Big extends Round { }
class Use {
    Shape field = new Shape() { public double area() { return 2; } };
    Object other = new Round();
    Object make(int x) {
        return new Round() { };
    }
}
",
    )];
    assert_eq!(
        rows("Shape", Subtypes, &files),
        ["3 app.Round", "6 app.Use.field unnamed", "4 app.Big 2", "9 app.Use.make 2 unnamed"]
    );
}

#[test]
fn kotlin_objects_and_classes() {
    let files = [(
        "app/Shapes.kt",
        "package app
interface Shape {
    fun area(): Int
}
open class Round(val x: Int) : Shape {
    override fun area() = 1
}
class Big : Round(1)
val flat = object : Shape {
    override fun area() = 2
}
fun make(): Shape { return Round(1) }
",
    )];
    assert_eq!(rows("Shape", Subtypes, &files), ["5 app.Round", "9 app.flat unnamed", "8 app.Big 2"]);
}

#[test]
fn csharp_parts_of_a_class_are_one() {
    let files = [
        ("A.cs", "namespace App;\npublic interface IShape { }\npublic class Base { }\n"),
        ("B.cs", "namespace App;\npublic partial class Round : Base { }\n"),
        ("C.cs", "namespace App;\npublic partial class Round : IShape { }\npublic class Big : Round { Base other; }\n"),
    ];
    assert_eq!(rows("IShape", Subtypes, &files), ["C.cs:2 App.Round", "C.cs:3 App.Big 2"]);
    assert_eq!(rows("Base", Subtypes, &files), ["B.cs:2 App.Round", "C.cs:3 App.Big 2"]);
    assert_eq!(rows("Big", Supertypes, &files), ["C.cs:2 App.Round", "A.cs:2 App.IShape 2", "A.cs:3 App.Base 2"]);
}

#[test]
fn cpp_classes_have_bases() {
    let files = [
        (
            "shape.hpp",
            "namespace a {\nclass Shape { public: virtual int area(); };\ntemplate <class T> class Box : public Shape {};\n}\n",
        ),
        (
            "round.cpp",
            "#include \"shape.hpp\"\nstruct Round : public a::Shape { int x; };\nclass Big : private Round {};\na::Shape *make() { return new Round(); }\n",
        ),
    ];
    assert_eq!(rows("Shape", Subtypes, &files), ["round.cpp:2 Round", "shape.hpp:3 a::Box", "round.cpp:3 Big 2"]);
}

#[test]
fn go_types_fit_interfaces_by_their_methods() {
    let files = [
        ("go.mod", "module example.com/app\n"),
        (
            "store/store.go",
            "package store

type Store interface {
	Get(key string) (string, error)
	Put(key, value string) error
}
type Memory struct{ data map[string]string }

func (m *Memory) Get(key string) (string, error) { return \"\", nil }
func (m *Memory) Put(key string, value string) error { return nil }

type Half struct{}

func (h Half) Get(key string) (string, error) { return \"\", nil }

type Other struct{}

func (o Other) Get(a, b string) {}
func (o Other) Put(a, b string) {}

type Cached struct {
	*Memory
	half Half
}
type Any interface{}
",
        ),
    ];
    let store = |rows: Vec<String>| -> Vec<String> {
        rows.into_iter().map(|row| row.replace("store/store.go:", "").replace("example.com/app/", "")).collect()
    };
    assert_eq!(store(rows("Store", Subtypes, &files)), ["7 store.Memory?", "22 store.Cached 2"]);
    assert_eq!(store(rows("Memory", Subtypes, &files)), ["22 store.Cached"]);
    assert_eq!(store(rows("Memory", Supertypes, &files)), ["3 store.Store?"]);
    let all = ask(&Tree::new(&files), "Any", Subtypes, false).unwrap();
    assert_eq!((all.total, all.notes), (0, vec![Note::FitsAll]));
}

#[test]
fn swift_ruby_php_and_scala() {
    let swift = [(
        "a.swift",
        "protocol Shape { func area() -> Int }\nclass Round: Shape { func area() -> Int { 1 } }\nstruct Flat {}\nextension Flat: Shape { func area() -> Int { 2 } }\nclass Big: Round {}\n",
    )];
    assert_eq!(rows("Shape", Subtypes, &swift), ["2 Round", "4 Flat", "5 Big 2"]);
    let ruby = [("a.rb", "module Shape\nend\nclass Base\n  include Shape\nend\nclass Round < Base\nend\nBase.new\n")];
    assert_eq!(rows("Shape", Subtypes, &ruby), ["4 Base", "6 Round 2"]);
    let php = [(
        "a.php",
        "<?php\ninterface Shape {}\ntrait Sized {}\nclass Base implements Shape { use Sized; }\nclass Round extends Base {}\n$x = new Base();\n",
    )];
    assert_eq!(rows("Shape", Subtypes, &php), ["4 Base", "5 Round 2"]);
    assert_eq!(rows("Sized", Subtypes, &php), ["4 Base", "5 Round 2"]);
    let scala = [(
        "a.scala",
        "trait Shape { def area: Int }\nclass Base extends Shape { def area = 1 }\nobject Round extends Base with Shape\nval x = new Base\nval y = new Shape { def area = 2 }\n",
    )];
    assert_eq!(rows("Shape", Subtypes, &scala), ["2 Base", "3 Round", "5 y unnamed"]);
}
