//! A class with a declared constructor: whoever asks about the class gets its type uses and constructions, whoever asks
//! about the constructor the constructions alone.

use crate::support::check;

/// Lines that end in `T` name the type, lines that end in `C` construct a value.
fn check_both(class: &str, constructors: &[&str], files: &[(&str, &str)]) {
    let marked = |marks: &[&str]| -> Vec<(String, String)> {
        let mark = |line: &str| match marks.iter().any(|mark| line.ends_with(mark)) {
            true => format!("{line} <-\n"),
            false => format!("{line}\n"),
        };
        files.iter().map(|(path, text)| (path.to_string(), text.lines().map(mark).collect())).collect()
    };
    let check = |symbol: &str, files: Vec<(String, String)>| {
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        check(symbol, &files);
    };
    check(class, marked(&["// T", "// C", "# T", "# C"]));
    for constructor in constructors {
        check(constructor, marked(&["// C", "# C"]));
    }
}

#[test]
fn java() {
    let files = [
        (
            "app/Base.java",
            "package app;
public class Base {
    public Base(int size) { }
    static Base of() { // T
        return new Base(1); // C
    }
}
",
        ),
        (
            "app/Sub.java",
            "package app;
public class Sub extends Base { // T
    Base other; // T
    Sub() { super(1); }
    Object make() {
        return new Base(2); // C
    }
    Sub again() { return new Sub(); }
}
",
        ),
        (
            "use/Use.java",
            "package use;
import app.Base; // T
class Use {
    Object go(int x) {
        return new Base(x); // C
    }
}
",
        ),
    ];
    check_both("app.Base", &["Base.Base"], &files);
}

#[test]
fn csharp() {
    let files = [
        ("Base.cs", "namespace App;\npublic class Base {\n    public Base(int size) { }\n}\n"),
        (
            "Sub.cs",
            "namespace App;
public class Sub : Base { // T
    Base other; // T
    public Sub() : base(1) { }
    object Make() {
        return new Base(2); // C
    }
}
",
        ),
    ];
    check_both("App.Base", &["Base.Base"], &files);
}

#[test]
fn cpp() {
    let files = [
        ("base.hpp", "class Base {\npublic:\n    Base(int size);\n};\n"),
        ("base.cpp", "#include \"base.hpp\"\nBase::Base(int size) {} // T\n"),
        (
            "sub.cpp",
            "#include \"base.hpp\"
class Sub : public Base { // T
    Base* other; // T
    void* make() {
        return new Base(2); // C
    }
};
",
        ),
    ];
    check_both("base.hpp Base", &["base.cpp Base::Base", "base.hpp Base::Base"], &files);
}

#[test]
fn kotlin() {
    let files = [
        ("app/Base.kt", "package app\nopen class Base {\n    constructor(size: Int) { }\n    fun size() = 1\n}\n"),
        (
            "app/Use.kt",
            "package app
fun go(base: Base) { // T
    val made = Base(2) // C
    val other = Other()
}
class Other {
    constructor() { }
}
",
        ),
    ];
    check_both("app.Base", &["Base.constructor"], &files);
}

#[test]
fn php() {
    let files = [
        ("src/Base.php", "<?php\nnamespace App;\nclass Base {\n    public function __construct(int $size) { }\n}\n"),
        (
            "src/Sub.php",
            "<?php
namespace App;
class Sub extends Base { // T
    function make(Base $other) { // T
        new Other();
        return new Base(2); // C
    }
}
class Other {
    function __construct() { }
}
",
        ),
    ];
    check_both("App\\Base", &["Base::__construct"], &files);
}

#[test]
fn python() {
    let files = [
        ("base.py", "class Base:\n    def __init__(self, size):\n        pass\n"),
        (
            "use.py",
            "from base import Base # T
from base import Base as Other # T
class Sub(Base): # T
    def make(self, other: Base): # T
        Sub()
        return Base(2) # C
made = Other(1) # C
",
        ),
    ];
    check_both("base.Base", &["Base.__init__"], &files);
    check(
        "Base.__init__",
        &[
            ("a.py", "class Base:\n    def __init__(self):\n        pass\n"),
            (
                "b.py",
                "from a import Base
class Sub(Base):
    def __init__(self):
        super().__init__() # <-
        Base.__init__(self) # <-
",
            ),
        ],
    );
}
