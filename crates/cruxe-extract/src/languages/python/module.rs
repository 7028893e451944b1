//! The module of a Python file: its place below the topmost of the packages around it.

use cruxe_model::RepoPath;

use crate::place::Places;

pub(super) fn module(places: &Places, path: &RepoPath) -> String {
    let mut parts: Vec<&str> = path.as_str().split('/').collect();
    let stem = path.stem();
    parts.pop();
    // The topmost folder of the unbroken chain of packages that ends at this file.
    let mut first = parts.len();
    while first > 0 && places.is_python_package(&parts[..first].join("/")) {
        first -= 1;
    }
    let in_package = first < parts.len();
    if in_package {
        parts.drain(..first);
    } else if parts.first() == Some(&"src") {
        parts.remove(0);
    }
    if stem != "__init__" {
        parts.push(stem);
    }
    parts.join(".")
}

#[cfg(test)]
mod tests {
    use crate::languages::fixture_tests::module_at;

    #[test]
    fn python_packages_begin_where_the_chain_of_init_files_does() {
        let module = module_at(&[("src/flask/__init__.py", ""), ("src/flask/json/__init__.py", "")]);
        assert_eq!(module("src/flask/json/tag.py"), "flask.json.tag");
        assert_eq!(module("src/flask/__init__.py"), "flask");
        assert_eq!(module("tests/test_app.py"), "tests.test_app");
        assert_eq!(module("setup.py"), "setup");
    }
}
