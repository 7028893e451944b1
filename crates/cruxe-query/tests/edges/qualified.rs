//! A qualified name means what it says: not a namesake of another owner, but what its type has from another type.

use cruxe_index::Layers;
use cruxe_query::QueryError;
use cruxe_query::locate::{self, Matched};
use cruxe_query::references::{self, Question};
use cruxe_query::target::Wanted;

use crate::support::Tree;

const BASE: &str = "class Base:\n    def route(self): pass\n    def close(self): pass\n";
const APP: &str = "from .base import Base\nclass Flask(Base):\n    def make(self): pass\n    def close(self): pass\n";
const HELPERS: &str = "def make(): pass\n";
const USER: &str = "from flask.app import Flask\nFlask().route()\nFlask().close()\n";
const FLASK: &[(&str, &str)] = &[
    ("flask/__init__.py", ""),
    ("flask/base.py", BASE),
    ("flask/app.py", APP),
    ("flask/helpers.py", HELPERS),
    ("README.md", "# route\n\n# make\n"),
    ("user.py", USER),
];

fn wanted(name: &str) -> Wanted {
    Wanted { name: name.to_owned(), ..Wanted::default() }
}

/// What the name stands for: how it was matched, and the qualified names.
fn located(tree: &Tree, name: &str) -> (Option<Matched>, Vec<String>) {
    let found = locate::locate(&tree.view(), &locate::Question::new(name, 10)).unwrap();
    (found.matched, found.found.iter().map(|found| found.symbol().qualified_name.clone()).collect())
}

/// What a question about uses says is near, of a name that nothing has.
fn near(tree: &Tree, name: &str) -> (Option<bool>, Vec<String>) {
    let question = Question { wanted: wanted(name), limit: 10, ..Question::default() };
    match references::find(&tree.view(), &Layers::None, &question) {
        Err(QueryError::NoSuchSymbol(missing)) => {
            (missing.mentioned, missing.nearest.into_iter().map(|near| near.name).collect())
        }
        Err(problem) => panic!("{problem}"),
        Ok(_) => panic!("{name} is found"),
    }
}

#[test]
fn a_class_is_no_module_of_its_name() {
    let tree = Tree::new(FLASK);
    assert_eq!(tree.target(wanted("Flask.make")).symbol.qualified_name, "flask.app.Flask.make");
    assert_eq!(tree.target(wanted("flask.make")).symbol.qualified_name, "flask.helpers.make");
    // The class is gone: what is left belongs to the module.
    let without: Vec<_> = FLASK.iter().copied().filter(|(path, _)| *path != "flask/app.py").collect();
    let tree = Tree::new(&without);
    assert_eq!(near(&tree, "Flask.make"), (None, vec!["flask.helpers.make".to_owned()]));
    assert_eq!(located(&tree, "Flask.make"), (Some(Matched::Nearly), vec!["flask.helpers.make".to_owned()]));
}

#[test]
fn a_type_has_what_it_inherits() {
    let tree = Tree::new(FLASK);
    let target = tree.target(wanted("Flask.route"));
    assert_eq!(target.symbol.qualified_name, "flask.base.Base.route");
    assert_eq!(target.inherited_as.as_deref(), Some("Flask.route"));
    assert_eq!(tree.uses(wanted("Flask.route"), None), ["user.py:2"]);
    assert_eq!(tree.target(wanted("flask.app.Flask.route")).symbol.qualified_name, "flask.base.Base.route");
    assert_eq!(located(&tree, "Flask.route"), (Some(Matched::Inherited), vec!["flask.base.Base.route".to_owned()]));
    // Its own comes first, and the other way round nothing is inherited.
    let own = tree.target(wanted("Flask.close"));
    assert_eq!((own.symbol.qualified_name.as_str(), own.inherited_as), ("flask.app.Flask.close", None));
    assert_eq!(near(&tree, "Base.make").1, ["flask.app.Flask.make", "flask.helpers.make"]);
    assert_eq!(near(&tree, "other.Flask.route").1, ["flask.base.Base.route"]);
}

#[test]
fn a_path_leaves_out_modules_and_no_type() {
    let files = [
        ("apps/__init__.py", ""),
        ("apps/config.py", "class AppConfig:\n    def get_model(self): pass\ndef ready(): pass\n"),
    ];
    let tree = Tree::new(&files);
    assert_eq!(tree.target(wanted("apps.ready")).symbol.qualified_name, "apps.config.ready");
    assert_eq!(tree.target(wanted("apps.AppConfig.get_model")).symbol.name, "get_model");
    for name in ["apps.get_model", "Apps.get_model", "Registry.get_model"] {
        assert_eq!(near(&tree, name), (None, vec!["apps.config.AppConfig.get_model".to_owned()]), "{name}");
    }
    assert_eq!(near(&tree, "Registry.get_nothing"), (Some(false), vec![]));
    assert_eq!(located(&tree, "Registry.get_model"), (None, vec![]));
    assert_eq!(located(&tree, "appconfig.get_model").0, Some(Matched::Nearly));
}

#[test]
fn what_a_language_lets_one_leave_out_may_be_left_out() {
    let tree = Tree::new(&[
        ("color.hpp", "namespace ui { enum Color { RED, GREEN }; }\nint a() { return ui::RED; }\n"),
        (
            "Shop.kt",
            "package shop\nclass Cart {\n    companion object {\n        fun create(): Cart = Cart()\n    }\n}\n",
        ),
        ("Till.java", "package till;\npublic class Till { public Till() {} }\n"),
        ("lib.rs", "pub mod net { pub mod tcp { pub struct Stream; impl Stream { pub fn open() {} } } }\n"),
    ]);
    for (name, kind) in
        [("ui::RED", "variant"), ("Cart.create", "method"), ("till.Till", "class"), ("net::Stream::open", "fn")]
    {
        assert_eq!(tree.target(wanted(name)).symbol.kind.as_str(), kind, "{name}");
        assert_eq!(located(&tree, name).0, Some(Matched::Exact), "{name}");
    }
    assert_eq!(located(&tree, "net::open").0, Some(Matched::Nearly));
}
