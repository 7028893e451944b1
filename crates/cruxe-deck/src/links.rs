//! Links between files of the workspace: where they stand, and what they mean.

use std::borrow::Cow;
use std::ops::Range;
use std::path::PathBuf;

use cruxe_files::{FileError, Root};
use cruxe_model::facts::{FileFacts, Role};
use cruxe_model::{PathError, RepoPath};
use percent_encoding::percent_decode_str;

use crate::refs::Reference;

/// A link in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The destination as it is written.
    pub written: String,
    /// Where the destination stands, in bytes.
    pub span: Range<usize>,
}

/// What a link leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A file or folder of the workspace, or a place in one.
    Inside(Reference),
    /// A path that leaves the workspace.
    Outside,
    /// The web, a mailbox, a template's variable: nothing that can be looked up here.
    Elsewhere,
}

/// Returns the links of a document. What only looks like one inside of code is none.
pub fn of_facts(facts: &FileFacts) -> Vec<Link> {
    let links = facts.occurrences.iter().filter(|occurrence| occurrence.role == Role::Link);
    links
        .map(|link| {
            let (written, start) = (facts.name(link.name).to_owned(), link.start as usize);
            Link { span: start..start + written.len(), written }
        })
        .collect()
}

/// Returns what a destination that is written in a file means.
pub fn resolve(from: &RepoPath, written: &str) -> Destination {
    let text = decode(&unescape(written.trim()));
    if has_scheme(&text) || text.starts_with("//") || text.contains("{{") || text.contains("${") {
        return Destination::Elsewhere;
    }
    let (path, fragment) = match text.split_once('#') {
        Some((path, fragment)) => (path, Some(fragment).filter(|fragment| !fragment.is_empty())),
        None => (text.as_str(), None),
    };
    let path = path.split('?').next().unwrap_or_default();
    let fragment = fragment.map(str::to_owned);
    if path.is_empty() {
        return Destination::Inside(Reference { path: from.clone(), fragment });
    }
    let whole = match path.strip_prefix('/') {
        Some(from_root) => from_root.to_owned(),
        None => format!("{}/{path}", from.parent()).trim_start_matches('/').to_owned(),
    };
    match RepoPath::parse(&whole) {
        Ok(path) => Destination::Inside(Reference { path, fragment }),
        // The root itself.
        Err(PathError::Empty) => Destination::Elsewhere,
        Err(_) => Destination::Outside,
    }
}

/// Returns the lines that a fragment such as `L10` or `L10-L20` names.
pub fn lines_of_fragment(fragment: &str) -> Option<(u32, u32)> {
    let number = |text: &str| text.strip_prefix(['L', 'l'])?.split(['C', 'c']).next()?.parse::<u32>().ok();
    let (from, to) = match fragment.split_once('-') {
        Some((from, to)) => (number(from)?, number(to).or_else(|| to.parse().ok())?),
        None => (number(fragment)?, number(fragment)?),
    };
    (1 <= from && from <= to).then_some((from, to))
}

/// Reads a file of the workspace, at most `most` bytes. Links are followed as long as they stay in the workspace.
pub fn read_inside(files: &Root, path: &RepoPath, most: u64) -> Result<Vec<u8>, FileError> {
    files.read(resolve_inside(files, path)?, most)
}

/// Returns where a path leads, over links of the workspace that stay in it. What git keeps for itself is no document: its
/// configuration may hold passwords.
pub fn resolve_inside(files: &Root, path: &RepoPath) -> Result<PathBuf, FileError> {
    let place = files.resolve(path.as_str())?;
    let is_document = |place: &PathBuf| {
        let place = place.to_str().and_then(|place| RepoPath::from_walk(place).ok());
        place.is_some_and(|place| !place.is_in_git_dir())
    };
    if is_document(&place) { Ok(place) } else { Err(FileError::Outside { path: path.as_str().into() }) }
}

fn has_scheme(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else { return false };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c))
}

/// Takes away the backslashes that markdown needs before punctuation.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek().is_some_and(char::is_ascii_punctuation) => plain.extend(letters.next()),
            letter => plain.push(letter),
        }
    }
    plain
}

/// Reads `%20` and the like; what is no such thing stays.
fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8().map_or_else(|_| text.to_owned(), Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use std::{fs, io};

    use super::*;

    fn inside(from: &str, written: &str) -> Option<(String, Option<String>)> {
        match resolve(&RepoPath::parse(from).unwrap(), written) {
            Destination::Inside(reference) => Some((reference.path.to_string(), reference.fragment)),
            _ => None,
        }
    }

    #[test]
    fn paths_are_relative_to_the_file_or_to_the_root() {
        let plain = |path: &str| Some((path.to_owned(), None));
        assert_eq!(inside("docs/a.md", "b.md"), plain("docs/b.md"));
        assert_eq!(inside("docs/a.md", "../src/x.rs?plain=1"), plain("src/x.rs"));
        assert_eq!(inside("docs/a.md", "/README.md"), plain("README.md"));
        assert_eq!(inside("README.md", "./docs/with%20blank.md"), plain("docs/with blank.md"));
        assert_eq!(inside("README.md", r"a\_b\(c\).md"), plain("a_b(c).md"));
        assert_eq!(inside("a.md", "docs/"), plain("docs"));
        assert_eq!(inside("docs/a.md", "b.md#Log%20in"), Some(("docs/b.md".into(), Some("Log in".into()))));
        assert_eq!(inside("docs/a.md", "#top"), Some(("docs/a.md".into(), Some("top".into()))));
        assert_eq!(inside("docs/a.md", "100%.md"), plain("docs/100%.md"));
    }

    #[test]
    fn the_web_and_variables_are_elsewhere_and_nothing_leaves_the_workspace() {
        let from = RepoPath::parse("docs/a.md").unwrap();
        for text in ["https://a.b/c.md", "mailto:a@b.c", "//cdn/x", "{{ site.url }}/x", "${HOME}/x", "..", "vscode:x"] {
            assert_eq!(resolve(&from, text), Destination::Elsewhere, "{text}");
        }
        assert_eq!(resolve(&from, "../../secret.md"), Destination::Outside);
        assert_eq!(resolve(&from, "../../../etc/passwd"), Destination::Outside);
    }

    #[test]
    fn fragments_may_name_lines() {
        assert_eq!(lines_of_fragment("L10"), Some((10, 10)));
        assert_eq!(lines_of_fragment("L10-L20"), Some((10, 20)));
        assert_eq!(lines_of_fragment("L10C3-L20C1"), Some((10, 20)));
        for none in ["Login", "L", "L0", "L20-L10", "10"] {
            assert_eq!(lines_of_fragment(none), None, "{none}");
        }
    }

    #[test]
    fn reading_stays_inside_and_within_bounds() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        fs::create_dir_all(root.join("docs")).unwrap();
        fs::write(root.join("a.md"), "12345").unwrap();
        fs::write(folder.path().join("secret"), "x").unwrap();
        fs::create_dir_all(root.join("sub/.GIT")).unwrap();
        fs::write(root.join("sub/.GIT/config"), "x").unwrap();
        let files = Root::open(&root).unwrap();
        let read = |path: &str, most| read_inside(&files, &RepoPath::parse(path).unwrap(), most).map_err(|e| e.kind());
        assert_eq!(read("a.md", 5), Ok(b"12345".to_vec()));
        assert_eq!(read("a.md", 4), Err(io::ErrorKind::FileTooLarge));
        assert_eq!(read("docs", 5), Err(io::ErrorKind::InvalidInput));
        assert_eq!(read("none.md", 5), Err(io::ErrorKind::NotFound));
        assert_eq!(read("sub/.GIT/config", 5), Err(io::ErrorKind::InvalidInput));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../secret", root.join("out.md")).unwrap();
            assert_eq!(read("out.md", 5), Err(io::ErrorKind::InvalidInput));
            std::os::unix::fs::symlink("sub/.GIT/config", root.join("git.md")).unwrap();
            assert_eq!(read("git.md", 5), Err(io::ErrorKind::InvalidInput));
        }
    }
}
