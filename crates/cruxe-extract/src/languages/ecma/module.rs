//! The module of a TypeScript or JavaScript file: its path, behind the name of its package.

use cruxe_model::RepoPath;

use crate::manifest::Kind;
use crate::place::{Places, folders, join};

pub(super) fn module(places: &Places, path: &RepoPath) -> String {
    let (root, prefix) = places.package(Kind::Npm, path);
    let mut parts = folders(path, root);
    let stem = path.stem();
    let stem = stem.strip_suffix(".d").unwrap_or(stem);
    if stem != "index" || (parts.is_empty() && prefix.is_empty()) {
        parts.push(stem);
    }
    join(prefix, &parts, "/")
}

#[cfg(test)]
mod tests {
    use crate::languages::fixture_tests::module_at;

    #[test]
    fn npm_packages_below_the_root_add_their_name() {
        let module = module_at(&[
            ("package.json", "{\"name\": \"root\"}"),
            ("packages/zod/package.json", "{ \"name\" : \"zod\" }"),
        ]);
        assert_eq!(module("src/auth/token.ts"), "auth/token");
        assert_eq!(module("packages/zod/src/index.ts"), "zod");
        assert_eq!(module("packages/zod/src/v4/core.d.ts"), "zod/v4/core");
        assert_eq!(module("index.js"), "index");
    }
}
