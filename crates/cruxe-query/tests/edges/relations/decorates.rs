//! What carries a decorator, attribute or annotation.

use cruxe_query::relations::Relation::Decorates;

use super::rows;

#[test]
fn python_functions_and_classes() {
    let files = [
        ("deco.py", "def cached(size):\n    return lambda f: f\n"),
        (
            "use.py",
            "from deco import cached as keep
import deco

@keep(1)
def load():
    return 1

class Box:
    @staticmethod
    @deco.cached(2)
    def size(): pass

@other
@keep(3)
class Deep: pass

plain = keep(4)
",
        ),
    ];
    assert_eq!(
        rows("cached", Decorates, &files),
        ["use.py:5 use.load", "use.py:11 use.Box.size", "use.py:15 use.Deep"]
    );
}

#[test]
fn a_decorator_from_outside() {
    let files = [("a.py", "from functools import lru_cache\n\n@lru_cache\ndef f(): pass\n\ng = lru_cache(f)\n")];
    assert_eq!(rows("lru_cache", Decorates, &files), ["4 a.f"]);
}

#[test]
fn typescript_java_kotlin_and_csharp() {
    let typescript = [(
        "a.ts",
        "export function Entity(name: string) { return (x: any) => x }
@Entity('user')
export class User {
  @Entity('field')
  name = ''
}
Entity('plain')
",
    )];
    assert_eq!(rows("Entity", Decorates, &typescript), ["3 a.User", "5 a.User.name"]);
    let java = [(
        "A.java",
        "@interface Slow { int value() default 1; }
class Use {
    @Slow(2)
    @Deprecated
    void run() { }
    @Slow int field;
    Slow other;
}
",
    )];
    assert_eq!(rows("Slow", Decorates, &java), ["5 Use.run", "6 Use.field"]);
    let kotlin = [(
        "a.kt",
        "annotation class Slow\n@Slow\nfun run() {}\nclass Box {\n    @Slow val x = 1\n    val y: Slow? = null\n}\n",
    )];
    assert_eq!(rows("Slow", Decorates, &kotlin), ["3 run", "5 Box.x"]);
    let csharp = [(
        "A.cs",
        "namespace App;
public class SlowAttribute : System.Attribute { } public class Slow { }
public class Use {
    [Slow]
    public void Run() { }
    [SlowAttribute] public int X;
    SlowAttribute other;
}
",
    )];
    assert_eq!(rows("SlowAttribute", Decorates, &csharp), ["5 App.Use.Run", "6 App.Use.X"]);
}

#[test]
fn rust_attributes_and_derives() {
    let files = [(
        "src/lib.rs",
        "#[macro_export]
macro_rules! traced { () => {} }
#[crate::traced]
fn run() {}
mod inner {
    #[derive(Clone, crate::traced)]
    #[doc = \"x\"]
    struct Deep { x: u8 }
}
fn other() { traced!(); }
",
    )];
    assert_eq!(rows("traced", Decorates, &files), ["4 run", "8 inner::Deep"]);
}
