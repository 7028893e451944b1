//! Python: values that may be one of several, and what code says of a value without an annotation beside it.

use crate::support::check;

const SHAPES: (&str, &str) = (
    "shapes.py",
    "class Circle:
    def draw(self):
        pass
class Square:
    def draw(self):
        pass
class Other:
    def draw(self):
        pass
",
);

#[test]
fn what_two_branches_assign_is_either_behind_them_and_one_inside() {
    check(
        "Circle.draw",
        &[
            SHAPES,
            (
                "app.py",
                "from shapes import Circle, Square, Other
def f(flag):
    if flag:
        shape = Circle()
        shape.draw()  # <-
    elif flag is None:
        shape = Square()
        shape.draw()
    else:
        shape = Other()
        shape.draw()
    shape.draw()  # <-
    shape = Square()
    shape.draw()
def g(path):
    try:
        shape = Circle()
    except OSError:
        shape = None
    shape.draw()  # <-
def h(flag):
    shape = Circle()
    if flag:
        shape = Square()
    for _ in range(2):
        shape = Square()
    else:
        shape = Other()
    shape.draw()
",
            ),
        ],
    );
}

#[test]
fn every_return_says_what_a_function_gives() {
    check(
        "Circle.draw",
        &[
            SHAPES,
            (
                "app.py",
                "from shapes import Circle, Square, Other
def make(kind):
    if kind == 'square':
        return Square()
    if kind == 'circle':
        return Circle()
    return None
def other(kind):
    if kind:
        return Square()
    return Other()
make('circle').draw()  # <-
other('circle').draw()
",
            ),
        ],
    );
}

#[test]
fn an_alternative_is_one_of_both() {
    check(
        "Circle.draw",
        &[
            SHAPES,
            (
                "app.py",
                "from shapes import Circle, Square, Other
def f(a: Circle, b: Square, c: Other):
    (a or b).draw()  # <-
    (b or c).draw()
    (a if b else c).draw()  # <-
    x = b or a
    x.draw()  # <-
    y = a and b
    y.draw()
",
            ),
        ],
    );
}

#[test]
fn a_loop_over_a_display_goes_through_its_values() {
    check(
        "Circle.draw",
        &[
            SHAPES,
            (
                "app.py",
                "from shapes import Circle, Square, Other
def f():
    one, two = Circle(), Square()
    for shape in (two, one):
        shape.draw()  # <-
    for kind in [Circle, Other]:
        kind().draw()  # <-
    for shape in (two, Other()):
        shape.draw()
    return [shape.draw() for shape in (one, two)]  # <-
",
            ),
        ],
    );
}

#[test]
fn the_class_of_a_value_makes_its_like() {
    check(
        "Circle.draw",
        &[(
            "shapes.py",
            "class Circle:
    def draw(self):
        pass
    def again(self):
        type(self)().draw()  # <-
        self.__class__().draw()  # <-
        type('Other', (), {})().draw()
class Square:
    def draw(self):
        type(self)().draw()
",
        )],
    );
}

#[test]
fn a_method_may_say_what_it_is_called_on() {
    check(
        "Linter.order",
        &[(
            "lint.py",
            "class Reports:
    def make(self: 'Linter'):
        self.order()  # <-
        def inner():
            return self.order()  # <-
    def made(self):
        self.order()
    def order(self):
        pass
class Linter(Reports):
    def order(self):
        pass
",
        )],
    );
}

#[test]
fn what_a_test_catches_is_the_exception() {
    check(
        "Missing.names",
        &[(
            "test_missing.py",
            "import pytest
class Missing(Exception):
    def __init__(self, names):
        self.names = names
class Broken(Exception):
    def __init__(self, names):
        self.names = names
def test_one():
    with pytest.raises(Missing) as info:
        pass
    assert info.value.names  # <-
    with pytest.raises(Broken) as info:
        pass
    assert info.value.names
class TestTwo:
    def test(self):
        with self.assertRaises(Missing) as caught:
            pass
        assert caught.exception.names  # <-
        assert caught.other.names
",
        )],
    );
}

#[test]
fn a_module_that_is_imported_late_into_a_global_is_known() {
    check(
        "settings.py current",
        &[
            ("settings.py", "current = None\n"),
            (
                "plugin.py",
                "config = None
other = None
def begin():
    global config
    import settings as config
def run():
    return config.current  # <-
def late():
    import settings as other
def elsewhere():
    return other.current
",
            ),
        ],
    );
}

#[test]
fn values_of_builtin_types_and_of_what_is_missing_are_not_guessed() {
    check(
        "Term.difference",
        &[
            ("app/__init__.py", ""),
            (
                "app/terms.py",
                "class Term:
    def difference(self, other):
        pass
def own(term):
    term.difference(1)  # <?
",
            ),
            (
                "app/use.py",
                "from app.core.versions import parse
def f(names, removed):
    set(names).difference(removed)
    frozenset(names).difference(removed)
    found = parse('1')
    found.difference(removed)
",
            ),
        ],
    );
}

#[test]
fn a_class_may_hold_another_under_its_own_name() {
    check(
        "parsers.py Parser.parse",
        &[
            ("parsers.py", "class Parser:\n    def parse(self):\n        pass\n"),
            (
                "tool.py",
                "from parsers import Parser
class Tool:
    Parser = Parser
    def run(self):
        self.Parser().parse()  # <-
class Other:
    class Parser:
        def parse(self):
            pass
    def run(self):
        self.Parser().parse()
",
            ),
        ],
    );
}

#[test]
fn a_class_may_build_on_what_a_function_is_given() {
    check(
        "Base.fail",
        &[(
            "made.py",
            "class Base:
    def fail(self):
        pass
class Far:
    def fail(self):
        pass
def make(base: type[Base] = Base):
    class Made(base):
        def run(self):
            super().fail()  # <-
    return Made
def other(base: type[Far]):
    class Made(base):
        def run(self):
            super().fail()
    return Made
",
        )],
    );
}

#[test]
fn of_two_star_imports_the_last_one_stays() {
    check(
        "pkg/late.py run",
        &[
            ("pkg/__init__.py", "from pkg.early import *\nfrom pkg.late import *\nfrom pkg.last import *\n"),
            ("pkg/early.py", "def run():\n    pass\n"),
            ("pkg/late.py", "def run():\n    pass\n"),
            ("pkg/last.py", "from pkg.early import run\n__all__ = ['other']\ndef other():\n    run()\n"),
            ("main.py", "import pkg\nfrom pkg import run  # <-\npkg.run()  # <-\nrun()  # <-\n"),
            ("other.py", "from pkg.early import run\nrun()\n"),
        ],
    );
}

#[test]
fn what_indexing_gives_is_not_what_a_loop_goes_through() {
    check(
        "View.copy",
        &[(
            "views.py",
            "class View:
    def __init__(self, data):
        self.data = data
    def copy(self):
        pass
class Key:
    def copy(self):
        pass
class Views:
    def __getitem__(self, name):
        return View(self.data[name])
    def __iter__(self):
        yield Key()
    def copy(self):
        return {name: self[name].copy() for name in self.data}  # <-
def f(views: Views):
    views['a'].copy()  # <-
    for key in views:
        key.copy()
",
        )],
    );
}

#[test]
fn a_field_that_is_nothing_at_first_is_what_a_function_makes() {
    check(
        "Field.read",
        &[(
            "fields.py",
            "class Field:
    def read(self):
        pass
class Other:
    def read(self):
        pass
def make(what):
    return Field()
class Map:
    def __init__(self, what, build=None):
        self.field = None
        self.other = None
        if what:
            self.field = make(what)
            self.other = build(what)
    def run(self):
        self.field.read()  # <-
        self.other.read()
",
        )],
    );
}

#[test]
fn a_method_that_an_object_replaces_is_still_that_of_its_base() {
    check(
        "Pool.on_apply",
        &[(
            "pools.py",
            "class Pool:
    def on_apply(self):
        pass
class Solo(Pool):
    def __init__(self, apply):
        self.on_apply = apply  # <-
class Far:
    def __init__(self, apply):
        self.on_apply = apply
def f(solo: Solo, far: Far):
    solo.on_apply()  # <-
    far.on_apply()
",
        )],
    );
}

#[test]
fn a_function_may_say_what_its_argument_is() {
    check(
        "Collection.reset",
        &[(
            "impls.py",
            "from typing import Any, TypeGuard
class Impl:
    def reset(self):
        pass
class Collection(Impl):
    def reset(self):
        pass
class Far:
    def reset(self):
        pass
def is_collection(impl: Impl) -> TypeGuard[Collection]:
    return True
def is_other(impl: Any) -> bool:
    return True
class State:
    def __init__(self, held: Any):
        self.held = held
    def run(self, impl: Impl, far: Far):
        if impl and is_collection(impl):
            impl.reset()  # <-
        impl.reset()
        if is_other(far):
            far.reset()
        if is_collection(self.held):
            self.held.reset()  # <-
        return impl.reset() if is_collection(impl) else None  # <-
",
        )],
    );
}
