//! The module of a Go file: its folder below `go.mod`; and what its packages are called.

use cruxe_model::RepoPath;

use crate::manifest::Kind;
use crate::place::{Places, join, strip_folder};

pub(super) fn module(places: &Places, path: &RepoPath) -> String {
    let (root, prefix) = places.package(Kind::Go, path);
    let inside = strip_folder(path.parent(), root);
    join(prefix, &inside.split('/').filter(|part| !part.is_empty()).collect::<Vec<_>>(), "/")
}

/// `chi` of `github.com/go-chi/chi/v5`.
pub(super) fn package_name(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or_default();
    let version = last.strip_prefix('v').is_some_and(|digits| digits.parse::<u32>().is_ok());
    let name = if version { parts.next().unwrap_or(last) } else { last };
    // `gopkg.in/yaml.v3`
    name.split_once(".v").map_or(name, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::package_name;
    use crate::languages::fixture_tests::module_at;

    #[test]
    fn go_modules_use_the_folder_below_go_mod() {
        let module =
            module_at(&[("go.mod", "module github.com/go-chi/chi/v5\n"), ("tools/go.mod", "// x\nmodule a.b/lint\n")]);
        assert_eq!(module("middleware/logger.go"), "middleware");
        assert_eq!(module("mux.go"), "");
        assert_eq!(module("tools/cmd/x.go"), "lint/cmd");
    }

    #[test]
    fn go_packages_are_called_by_their_last_word() {
        assert_eq!(package_name("fmt"), "fmt");
        assert_eq!(package_name("net/http"), "http");
        assert_eq!(package_name("github.com/go-chi/chi/v5"), "chi");
        assert_eq!(package_name("gopkg.in/yaml.v3"), "yaml");
        assert_eq!(package_name("example.com/views"), "views");
    }
}
