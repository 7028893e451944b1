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

#[test]
fn a_test_of_the_type_says_what_a_name_is_where_it_holds() {
    check(
        "Url.host",
        &[(
            "a.py",
            "class Url:
    def host(self): pass
class Path:
    def host(self): pass
def a(x):
    if isinstance(x, Url):
        x.host()  # <-
    elif isinstance(x, Path):
        x.host()
    x.host()
def b(x, y):
    if not isinstance(x, Url):
        x.host()
        return
    x.host()  # <-
def c(x):
    assert isinstance(x, Url)
    x.host()  # <-
def d(x):
    return isinstance(x, Url) and x.host()  # <-
def e(x):
    return x.host() if isinstance(x, (Url, str)) else x  # <-
def f(x):
    if isinstance(x, str):
        x = Url()
        x.host()  # <-
def g(x: Url):
    if isinstance(x, str):
        x.host()
    x.host()  # <-
",
        )],
    );
}

#[test]
fn a_method_that_gives_what_it_is_called_on_keeps_the_class() {
    check(
        "Client.get",
        &[(
            "a.py",
            "import typing
T = typing.TypeVar(\"T\", bound=\"Base\")
class Base:
    def __enter__(self: T) -> T:
        return self
    def __aenter__(self: T) -> T:
        return self
    @classmethod
    def made(cls: typing.Type[T]) -> T:
        return cls()
    def get(self): pass
class Client(Base):
    def get(self): pass
def f(value: T):
    value.get()
with Client() as client:
    client.get()  # <-
async def g():
    async with Client() as other:
        other.get()  # <-
with Base() as base:
    base.get()
Client.made().get()  # <-
",
        )],
    );
}

#[test]
fn a_name_that_is_set_anew_from_itself_is_what_it_was_before() {
    check(
        "Query.add",
        &[(
            "a.py",
            "class Query:
    def add(self) -> \"Query\": pass
    def text(self) -> \"Text\": pass
class Text:
    def add(self): pass
def f():
    q = Query()
    q = q.add()  # <-
    q = q.add().text()  # <-
    q.add()
",
        )],
    );
}

#[test]
fn a_field_that_is_none_at_first_is_what_it_is_set_to() {
    check(
        "Engine.start",
        &[(
            "a.py",
            "class Engine:
    def start(self): pass
class Other:
    def start(self): pass
class App:
    other = None
    def __init__(self):
        self.engine = None
        self.plain = None
    def open(self):
        self.engine = Engine()
        self.other = Other()
    def run(self):
        self.engine.start()  # <-
        self.other.start()
        self.plain.start()
",
        )],
    );
}

#[test]
fn named_arguments_of_a_class_without_a_constructor_are_its_fields() {
    check(
        "Point.x",
        &[(
            "a.py",
            "from dataclasses import dataclass
@dataclass
class Point:
    x: int
class Circle:
    x: int
    def __init__(self, x): pass
def f(x): pass
Point(x=1)  # <-
Circle(x=1)
f(x=1)
unknown(x=1)
",
        )],
    );
}

#[test]
fn a_class_attribute_with_the_name_of_a_class_means_that_class() {
    check(
        "a.py Failed",
        &[("a.py", "class Failed(Exception): pass\nclass Session:\n    Failed = Failed  # <-\nSession.Failed\n")],
    );
}

#[test]
fn a_package_that_imports_its_own_module_by_its_whole_name_finds_it() {
    let files = [
        (
            "app/__init__.py",
            "from app import util\nfrom app import missing\n\ndef f():\n    util.run() # <-\n    missing.run()\n",
        ),
        ("app/util.py", "def run():\n    pass\n"),
        ("test_app.py", "from app import util\n\nutil.run() # <-\n"),
    ];
    check("run", &files);
}

#[test]
fn names_of_everyday_methods_are_not_guessed() {
    check(
        "Report.info",
        &[(
            "a.py",
            "import logging\nlogger = logging.getLogger(\"x\")\nclass Report:\n    def info(self): pass\nlogger.info()\nReport().info()  # <-\n",
        )],
    );
}

#[test]
fn words_for_types_mean_the_same_behind_the_name_of_their_module() {
    check(
        "Base.run",
        &[(
            "a.py",
            "import typing as t
import typing_extensions as te
class Base:
    @classmethod
    def make(cls) -> te.Self: ...
    @classmethod
    def quoted(cls) -> 'te.Self': ...
    def run(self): pass
class Other:
    def run(self): pass
class Child(Base): pass
def f(one: t.Optional[Base], kind: t.Type[Base], either: 'type[Base | Other]', other: t.Type[Other], t2: x.Self):
    Base.make().run()  # <-
    Child.make().run()  # <-
    Child.quoted().run()  # <-
    one.run()  # <-
    kind().run()  # <-
    either().run()  # <-
    other().run()
    t2.run()
",
        )],
    );
}

#[test]
fn the_head_of_a_method_sees_the_names_of_its_class_and_the_body_does_not() {
    check(
        "Delta.SECONDS",
        &[(
            "a.py",
            "SECONDS = 1
class Delta:
    SECONDS = 2
    def plain(self, unit=SECONDS): pass  # <-
    def declared(self, unit: int = SECONDS) -> SECONDS: pass  # <-
    def body(self):
        return SECONDS
    def inner(self):
        def deeper(unit=SECONDS): pass
        return lambda unit=SECONDS: unit
    def __init__(self, x=lambda: SECONDS): pass
def free(unit=SECONDS): pass
class Late:
    def early(self, unit=SECONDS): pass
    SECONDS = 3
",
        )],
    );
}

#[test]
fn comments_declare_types_and_generators_give_what_they_yield() {
    check(
        "Field.load",
        &[(
            "a.py",
            "class Field:
    def load(self): pass
class Other:
    def load(self): pass
class Schema:
    opts = None  # type: Field
    def __init__(self):
        self.fields = {}  # type: dict[str, Field]
        self.ignored = make()  # type: ignore
        self.told = make()  # a comment
    def run(self):
        self.opts.load()  # <-
        self.fields['x'].load()  # <-
        self.ignored.load()
        self.told.load()
def generated():
    yield Field()
def delegated():
    yield from generated()
def f():
    for one in generated():
        one.load()  # <-
    for one in delegated():
        one.load()
",
        )],
    );
    check(
        "Field",
        &[(
            "a.py",
            "class Field: pass
x = {}  # type: dict[str, Field]  # <-
y = {}  # Field
",
        )],
    );
}

#[test]
fn what_only_tests_define_is_no_guess_for_other_code() {
    let double = "class Fake:\n    def get_peer_name(self): pass\ndef test_it(sock):\n    sock.get_peer_name()  # <?\n";
    check(
        "Fake.get_peer_name",
        &[("tests/test_net.py", double), ("net.py", "def f(sock):\n    sock.get_peer_name()\n")],
    );
    check(
        "Real.get_peer_name",
        &[
            (
                "tests/test_net.py",
                "class Fake:\n    def get_peer_name(self): pass\ndef test_it(sock):\n    sock.get_peer_name()\n",
            ),
            (
                "net.py",
                "class Real:\n    def get_peer_name(self): pass\ndef f(sock):\n    sock.get_peer_name()  # <?\n",
            ),
        ],
    );
}

#[test]
fn an_assignment_to_a_property_of_a_base_class_defines_nothing() {
    check(
        "Base.range",
        &[(
            "a.py",
            "class Base:
    @property
    def range(self) -> Range: ...
    @range.setter  # <-
    def range(self, value): ...
    plain = 1
class Child(Base):
    def fill(self):
        self.range = 'x'  # <-
        self.plain = 'x'
class Apart:
    def fill(self):
        self.range = 'x'
def f(child: Child, apart: Apart):
    child.range  # <-
    child.plain
    apart.range
",
        )],
    );
    check(
        "Range.unset",
        &[(
            "a.py",
            "class Range:
    def unset(self): pass
class Base:
    @property
    def range(self) -> Range: ...
class Child(Base):
    def fill(self):
        self.range = 'x'
def f(child: Child):
    child.range.unset()  # <-
",
        )],
    );
}

#[test]
fn an_attribute_that_a_base_class_declares_is_the_same_in_its_sub_classes() {
    check(
        "Payload.consumed",
        &[(
            "a.py",
            "class Payload:
    consumed: bool = False
    plain = 1
    def open(self):
        return self.consumed  # <-
class File(Payload):
    def read(self):
        self.consumed = True  # <-
        self.plain = 2
        return self.consumed  # <-
class Own(Payload):
    consumed: bool = True
    def read(self):
        self.consumed = False
class Apart:
    def read(self):
        self.consumed = True
def f(file: File, own: Own, apart: Apart):
    file.consumed = False  # <-
    own.consumed = False
    apart.consumed
    return file.plain
",
        )],
    );
}

#[test]
fn a_test_of_the_type_of_an_attribute_says_what_it_is_where_it_holds() {
    check(
        "Dummy.lock",
        &[(
            "a.py",
            "class Locker:
    def lock(self): pass
class Dummy(Locker):
    def lock(self): pass
class App:
    def __init__(self, locker: Locker):
        self.locker = locker
    def run(self):
        self.locker.lock()
        if isinstance(self.locker, Dummy):
            self.locker.lock()  # <-
        self.locker.lock()
    def refuse(self):
        if not isinstance(self.locker, Dummy):
            self.locker.lock()
            return
        self.locker.lock()  # <-
        self.locker = Locker()
        self.locker.lock()
def f(app: App, other: App):
    app.locker.lock()
    assert isinstance(app.locker, Dummy)
    app.locker.lock()  # <-
    other.locker.lock()
    app = other
    app.locker.lock()
def g(app: App):
    app.locker.lock()
    isinstance(app.locker, Dummy) and app.locker.lock()  # <-
    assert isinstance(app.locker, Dummy)
    def later():
        app.locker.lock()
    return app.locker.lock() if isinstance(app.other, Dummy) else None  # <-
",
        )],
    );
}

#[test]
fn a_field_may_be_of_a_class_that_its_own_class_has() {
    check(
        "Worker.Blueprint.start",
        &[(
            "worker.py",
            "\
class Base:
    def start(self): pass
class Other:
    def start(self): pass
class Worker:
    blueprint = None
    class Blueprint(Base):
        def start(self): pass
    Other = Other
    def __init__(self):
        self.blueprint = self.Blueprint()
        self.other = self.Other()
    def run(self):
        blueprint = self.blueprint
        blueprint.start()  # <-
        self.blueprint.start()  # <-
        self.other.start()
",
        )],
    );
}
