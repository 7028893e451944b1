//! The module of a Rust file: its place below `src`, behind the name of its crate.

use cruxe_model::RepoPath;

use crate::manifest::Kind;
use crate::place::{Places, join, strip_folder};

pub(super) fn module(places: &Places, path: &RepoPath) -> String {
    let (root, prefix) = places.package(Kind::Cargo, path);
    let inside = strip_folder(path.as_str(), root);
    let inside = inside.strip_suffix(".rs").unwrap_or(inside);
    let mut parts: Vec<&str> = inside.split('/').filter(|part| !part.is_empty()).collect();
    // Without a manifest (`crates/core/main.rs` of a custom layout) the folders speak for themselves.
    if let Some(at) = parts.iter().position(|part| *part == "src") {
        parts.remove(at);
    }
    if matches!(parts.last(), Some(&("mod" | "lib" | "main"))) {
        parts.pop();
    }
    join(prefix, &parts, "::")
}

#[cfg(test)]
mod tests {
    use crate::languages::fixture_tests::module_at;

    #[test]
    fn a_crate_at_the_root_adds_no_prefix_and_others_do() {
        let module = module_at(&[
            ("Cargo.toml", "[package]\nname = \"authsvc\"\n[dependencies]"),
            ("crates/tokio-util/Cargo.toml", "[package]\nedition = \"2021\"\nname = \"tokio-util\"\n"),
        ]);
        assert_eq!(module("src/auth/jwt.rs"), "auth::jwt");
        assert_eq!(module("src/lib.rs"), "");
        assert_eq!(module("src/auth/mod.rs"), "auth");
        assert_eq!(module("tests/auth_test.rs"), "tests::auth_test");
        assert_eq!(module("crates/tokio-util/src/codec/mod.rs"), "tokio_util::codec");
        assert_eq!(module("crates/tokio-util/src/lib.rs"), "tokio_util");
    }

    #[test]
    fn a_workspace_manifest_without_a_package_is_no_crate() {
        let module = module_at(&[("Cargo.toml", "[workspace]\nmembers = []\n")]);
        assert_eq!(module("tools/src/x.rs"), "tools::x");
    }
}
