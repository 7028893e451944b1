//! Python.

use crate::support::check;

#[test]
fn shadowed_name_is_not_a_reference() {
    check(
        "load",
        &[(
            "app.py",
            "def load():
    pass
def a():
    return load()  # <-
def b(load):
    return load()
def c():
    load = 1
    return load
class D:
    load = 1
    def m(self):
        return load()  # <-
\"load() in a string\"
",
        )],
    );
}

#[test]
fn relative_absolute_and_re_exported_imports_lead_to_the_definition() {
    check(
        "pkg/core/base.py Model",
        &[
            ("pkg/__init__.py", "from .core import Model  # <-\n__all__ = [\"Model\"]  # <-\n"),
            ("pkg/core/__init__.py", "from .base import *\n"),
            ("pkg/core/base.py", "class Model:\n    pass\n"),
            ("pkg/views.py", "from .core.base import Model as Base  # <-\nclass View(Base):  # <-\n    pass\n"),
            ("pkg/other.py", "class Model:\n    pass\nModel()\n"),
            (
                "main.py",
                "import pkg\nfrom pkg import Model  # <-\nModel()  # <-\npkg.Model()  # <-\npkg.core.base.Model()  # <-\n",
            ),
            ("alone.py", "from elsewhere import Model\nModel()\n"),
        ],
    );
}

#[test]
fn methods_are_found_on_self_fields_and_results() {
    check(
        "Store.get",
        &[(
            "store.py",
            "class Store:
    def get(self, key):
        return self.get(key)  # <-
    def other(self):
        return super().get(1)
class Cache(Store):
    def find(self):
        return self.get(1)  # <-
class Unrelated:
    def get(self, key):
        return key
def make() -> Store:
    return Store()
def made():
    return Store()
class App:
    def __init__(self, store: Store):
        self.store = store
        self.cache = Cache()
        self.made = make()
        self.plain = {}
    def run(self):
        self.store.get(1)  # <-
        self.cache.get(1)  # <-
        self.made.get(1)  # <-
        self.plain.get(1)
        make().get(1)  # <-
        made().get(1)  # <-
        Unrelated().get(1)
        {}.get(1)
        with make() as s:
            s.get(2)  # <-
        for x in [1]:
            x.get(3)
",
        )],
    );
}

#[test]
fn overridden_methods_belong_to_the_class_that_defines_them() {
    check(
        "Base.run",
        &[(
            "a.py",
            "class Base:
    def run(self): pass
class Child(Base):
    def run(self):
        super().run()  # <-
class Grand(Child): pass
def f(base: Base, child: Child, grand: Grand):
    base.run()  # <-
    child.run()
    grand.run()
",
        )],
    );
}

#[test]
fn decorators_callbacks_and_annotations_are_uses() {
    check(
        "cached",
        &[(
            "a.py",
            "def cached(f):
    return f
@cached  # <-
def a(): pass
b = cached  # <-
map(cached, [])  # <-
def c(x: \"cached\"): pass  # <-
class K:
    @cached  # <-
    def cached(self): pass
    def m(self):
        self.cached()
",
        )],
    );
}

#[test]
fn union_and_optional_types_offer_the_members_of_their_parts() {
    check(
        "Text.copy",
        &[(
            "a.py",
            "from typing import Optional, Union
class Text:
    def copy(self): pass
def a(x: Optional[Text]):
    x.copy()  # <-
def b(x: Union[str, \"Text\"]):
    x.copy()  # <-
def c(x: Text | None):
    x.copy()  # <-
def d(x: dict):
    x.copy()
def e(x):
    x.copy()
",
        )],
    );
}

#[test]
fn an_unknown_receiver_is_only_a_guess() {
    check(
        "Renderer.render_markup",
        &[(
            "a.py",
            "class Renderer:
    def render_markup(self): pass
def a(anything):
    anything.render_markup()  # <?
",
        )],
    );
}

#[test]
fn settings_behind_a_hook_are_guessed_where_one_constant_has_the_name() {
    check(
        "conf/defaults.py COOKIE_AGE",
        &[
            ("conf/defaults.py", "COOKIE_AGE = 1\nSHARED = 2\n"),
            (
                "conf/__init__.py",
                "class Lazy:\n    def __getattr__(self, name):\n        return 1\n\nsettings = Lazy()\n",
            ),
            (
                "app.py",
                "from conf import settings\n\nage = settings.COOKIE_AGE  # <?\n\n\nclass Plain:\n    pass\n\nPlain().COOKIE_AGE\n",
            ),
        ],
    );
}

#[test]
fn a_dotted_path_in_a_string_is_a_guess_where_it_leads_somewhere() {
    check(
        "app/middleware.py Auth",
        &[
            ("app/__init__.py", ""),
            ("app/middleware.py", "class Auth:\n    def run(self):\n        pass\n"),
            (
                "settings.py",
                "MIDDLEWARE = [\n    'app.middleware.Auth',  # <?\n    'other.middleware.Auth',\n    'Auth',\n]\n",
            ),
        ],
    );
}

#[test]
fn a_package_that_imports_its_own_module_hands_it_on() {
    let files = [
        ("src/flask/__init__.py", "from . import json as json\n"),
        ("src/flask/json/__init__.py", "def dumps():\n    pass\n"),
        ("tests/test_json.py", "import flask\n\nflask.json.dumps() # <-\nflask.json.loads()\n"),
    ];
    check("dumps", &files);
}
