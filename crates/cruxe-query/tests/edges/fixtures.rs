//! Fixtures of pytest: parameters that are filled by their names.

use crate::support::check;

const CONFTEST: &str = "import pytest
from app import Runner
@pytest.fixture
def runner():
    return Runner()
";
const APP: &str = "class Runner:
    def invoke(self): pass
class Other:
    def invoke(self): pass
";

#[test]
fn a_test_that_asks_for_a_fixture_uses_it() {
    check(
        "tests/conftest.py runner",
        &[
            ("tests/conftest.py", CONFTEST),
            ("app.py", APP),
            (
                "tests/test_a.py",
                "import pytest
def test_one(runner):  # <-
    runner.invoke()
def test_with_default(runner=None): pass
def helper(runner): pass
class TestAll:
    def test_two(self, tmp_path, runner): pass  # <-
    @staticmethod
    def test_three(runner): pass  # <-
    def helper(self, runner): pass
class Plain:
    def test_no(self, runner): pass
@pytest.mark.parametrize('runner', [1, 2])
def test_given(runner): pass
@pytest.mark.parametrize('x, runner', [(1, 2)])
def test_given_too(x, runner): pass
@pytest.mark.parametrize(('x', 'runner'), [(1, 2)], indirect=['runner'])
def test_through(x, runner): pass  # <-
@pytest.mark.parametrize('runner', [1], indirect=True)
def test_all_through(runner): pass  # <-
@pytest.mark.parametrize('runner', [1])
class TestGiven:
    def test_one(self, runner): pass
@pytest.mark.usefixtures('runner')  # <-
def test_unnamed(): pass
def test_by_name(request):
    request.getfixturevalue('runner')  # <-
@mock.patch('app.runner')
def test_patched(runner): pass
def test_outer():
    def test_inner(runner): pass
",
            ),
            ("tests/deep/down/test_b.py", "def test_far(*, runner): pass  # <-\n"),
            ("other/test_c.py", "def test_elsewhere(runner): pass\n"),
            ("lib/checks.py", "def test_connection(runner): pass\n"),
        ],
    );
}

#[test]
fn the_nearest_fixture_of_a_name_is_meant_and_one_that_overrides_asks_for_the_next() {
    let files = |first: &str, second: &str, third: &str, fourth: &str| {
        [
            ("conftest.py", "from pytest import fixture\n@fixture\ndef db(): pass\n".to_owned()),
            (
                "tests/conftest.py",
                format!("import pytest\n@pytest.fixture(scope='session')\ndef db(db): pass{first}\n"),
            ),
            (
                "tests/test_a.py",
                format!(
                    "import pytest\nclass TestOwn:\n    @pytest.fixture\n    def db(self, db): pass{second}\n    def test_x(self, db): pass{third}\ndef test_y(db): pass{second}\n"
                ),
            ),
            ("test_b.py", format!("def test_z(db): pass{first}\n")),
            ("sub/test_c.py", format!("from fixtures import db{fourth}\ndef test_z(db): pass{fourth}\n")),
            ("fixtures.py", "import pytest\n@pytest.fixture\ndef db(): pass\n".to_owned()),
        ]
    };
    let (mark, none) = ("  # <-", "");
    let run = |target: &str, files: [(&str, String); 6]| {
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        check(target, &files);
    };
    run("conftest.py db", files(mark, none, none, none));
    run("tests/conftest.py db", files(none, mark, none, none));
    run("TestOwn.db", files(none, none, mark, none));
    run("fixtures.py db", files(none, none, none, mark));
}

#[test]
fn a_parameter_is_what_its_fixture_returns_or_yields() {
    check(
        "Runner.invoke",
        &[
            ("app.py", APP),
            (
                "conftest.py",
                "import pytest, pytest_asyncio
from contextlib import contextmanager
from typing import Iterator, Generator
from app import Runner, Other
@pytest.fixture
def returned():
    return Runner()
@pytest.fixture()
def yielded():
    runner = Runner()
    yield runner
    runner.invoke()  # <-
@pytest.fixture
def declared() -> Iterator[Runner]:
    yield make()
@pytest_asyncio.fixture
async def generated() -> Generator[Runner, None, None]:
    yield make()
@pytest.fixture
def through(returned):
    return returned
@pytest.fixture(name='renamed')
def fixture_with_another_name():
    return Runner()
@pytest.fixture
def factory():
    def make():
        return Runner()
    return make
@pytest.fixture
def other():
    return Other()
def plain():
    return Runner()
@contextmanager
def managed():
    yield Runner()
def generator():
    yield Runner()
",
            ),
            (
                "test_a.py",
                "import conftest
def test_all(returned, yielded, declared, generated, through, renamed, factory, other, plain, fixture_with_another_name):
    returned.invoke()  # <-
    yielded.invoke()  # <-
    declared.invoke()  # <-
    generated.invoke()  # <-
    through.invoke()  # <-
    renamed.invoke()  # <-
    factory().invoke()  # <-
    other.invoke()
    plain.invoke()
    fixture_with_another_name.invoke()
    with conftest.managed() as managed:
        managed.invoke()  # <-
    generator().invoke()
def helper(returned):
    returned.invoke()
class TestAll:
    def test_one(self, returned: int):
        returned.invoke()
    def test_two(self, returned):
        returned.invoke()  # <-
",
            ),
        ],
    );
}

#[test]
fn a_fixture_is_found_under_the_name_that_it_is_given() {
    check(
        "make_client",
        &[
            (
                "tests/fixtures/web.py",
                "import pytest\n@pytest.fixture(scope='module', name='client')  # <-\ndef make_client(): pass\n",
            ),
            ("tests/fixtures/__init__.py", ""),
            ("tests/__init__.py", ""),
            ("tests/conftest.py", "from tests.fixtures.web import *\n"),
            (
                "tests/test_a.py",
                "def test_a(client): pass  # <-\ndef test_b(make_client): pass\nclass TestA:\n    def client(self): pass\n",
            ),
            ("tests/test_b.py", "import pytest\n@pytest.fixture\ndef client(): pass\ndef test_a(client): pass\n"),
        ],
    );
}

#[test]
fn modules_of_pytest_plugins_are_known_and_other_plugins_are_a_guess() {
    let plugin = "import pytest\n@pytest.fixture\ndef live_server(): pass\n";
    check(
        "live_server",
        &[
            ("app/__init__.py", ""),
            ("app/testing.py", plugin),
            ("conftest.py", "pytest_plugins = ['app.testing', 'pytester']\n"),
            ("tests/test_a.py", "def test_a(live_server): pass  # <-\n"),
        ],
    );
    check("live_server", &[("app/testing.py", plugin), ("tests/test_a.py", "def test_a(live_server): pass  # <?\n")]);
    check(
        "app/testing.py live_server",
        &[("app/testing.py", plugin), ("app/more.py", plugin), ("tests/test_a.py", "def test_a(live_server): pass\n")],
    );
    // What another folder's tests have is not in reach.
    check(
        "live_server",
        &[("one/conftest.py", plugin), ("one/test_b.py", plugin), ("two/test_a.py", "def test_a(live_server): pass\n")],
    );
}
