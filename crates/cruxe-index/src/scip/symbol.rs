//! Keys of SCIP symbols.

use cruxe_model::RepoPath;

/// The key of a symbol that other files can name; `None` for a local one.
///
/// The version of its package is left out: it is a commit for some tools and grows with every release for others, while
/// files that did not change keep what an earlier import said.
pub fn global_key(symbol: &str) -> Option<u64> {
    if symbol.is_empty() || symbol.starts_with("local ") {
        return None;
    }
    let [scheme, manager, package, _version, descriptors] = parts(symbol)?;
    Some(hash(&[scheme, manager, package, descriptors]))
}

/// The key of a symbol that its file alone can name; `None` for any other.
pub fn local_key(symbol: &str, path: &RepoPath) -> Option<u64> {
    symbol.starts_with("local ").then(|| hash(&["local", path.as_str(), symbol]))
}

/// How tools call constructors: of TypeScript, of the JVM, of .NET.
const CONSTRUCTORS: [&str; 3] = ["<constructor>", "<init>", ".ctor"];

/// The key of the type whose constructor a symbol is; `None` for any other symbol.
pub fn constructed(symbol: &str) -> Option<u64> {
    let (outer, last) = symbol.strip_suffix(").")?.rsplit_once('#')?;
    let method = last.rsplit_once('(')?.0.trim_matches('`');
    CONSTRUCTORS.contains(&method).then(|| global_key(&format!("{outer}#"))).flatten()
}

/// `scheme manager package version descriptors`: a single blank ends a part, two are a blank inside it.
fn parts(symbol: &str) -> Option<[&str; 5]> {
    let mut parts = [""; 5];
    let mut rest = symbol;
    for part in &mut parts[..4] {
        let mut from = 0;
        let end = loop {
            let at = from + rest.get(from..)?.find(' ')?;
            match rest[at..].starts_with("  ") {
                true => from = at + 2,
                false => break at,
            }
        };
        *part = &rest[..end];
        rest = &rest[end + 1..];
    }
    parts[4] = rest;
    Some(parts)
}

fn hash(parts: &[&str]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part.as_bytes()).update(&[0]);
    }
    let mut first = [0; 8];
    hasher.finalize_xof().fill(&mut first);
    u64::from_le_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_packages_do_not_count_and_everything_else_does() {
        let key = |text: &str| global_key(text).unwrap();
        let one = key("scip-typescript npm shop 1.0.0 src/`cart.ts`/total().");
        assert_eq!(one, key("scip-typescript npm shop 2.0.0-rc.1 src/`cart.ts`/total()."));
        assert_ne!(one, key("scip-typescript npm other 1.0.0 src/`cart.ts`/total()."));
        assert_ne!(one, key("scip-typescript npm shop 1.0.0 src/`cart.ts`/sum()."));
        assert_ne!(one, key("scip-java npm shop 1.0.0 src/`cart.ts`/total()."));
        assert_eq!(parts("s  x . . . a b"), Some(["s  x", ".", ".", ".", "a b"]));
    }

    #[test]
    fn constructors_stand_for_their_types() {
        let class = global_key("s npm shop 1.0.0 src/`cart.ts`/Cart#");
        assert!(class.is_some());
        assert_eq!(constructed("s npm shop 1.0.0 src/`cart.ts`/Cart#`<constructor>`()."), class);
        assert_eq!(constructed("s npm shop 1.0.0 src/`cart.ts`/Cart#`<init>`(+1)."), class);
        for other in ["Cart#total().", "Cart#", "`<constructor>`().", "Cart#`<constructor>`().(tax)", "Cart#size."] {
            assert_eq!(constructed(&format!("s npm shop 1.0.0 src/`cart.ts`/{other}")), None, "{other}");
        }
    }

    #[test]
    fn locals_belong_to_their_file_and_nonsense_to_nobody() {
        let (a, b) = (RepoPath::parse("a.ts").unwrap(), RepoPath::parse("b.ts").unwrap());
        assert_eq!(global_key("local 3"), None);
        assert_ne!(local_key("local 3", &a), local_key("local 3", &b));
        assert_ne!(local_key("local 3", &a), local_key("local 4", &a));
        assert_eq!(local_key("s . p 1 x.", &a), None);
        for nonsense in ["", "word", "one two three", "a  b  c", "ä  "] {
            assert_eq!(global_key(nonsense), None, "{nonsense:?}");
        }
    }
}
