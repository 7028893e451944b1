//! Paths inside a workspace.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A path relative to the workspace root, `/`-separated, that cannot leave the workspace.
///
/// Every path that reaches a store or an answer is one of these, so "outside the workspace" is not a case that later
/// code has to think about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RepoPath(String);

/// Why a text is not a path inside the workspace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// The path has no component.
    #[error("the path is empty")]
    Empty,
    /// The path starts at a root or a drive.
    #[error("`{0}` is absolute; give a path relative to the workspace root")]
    Absolute(String),
    /// The path climbs out with `..`.
    #[error("`{0}` leaves the workspace")]
    Escapes(String),
    /// The path leads to what git keeps for itself.
    #[error("`{0}` is in a git directory")]
    GitDir(String),
    /// The path contains a NUL byte.
    #[error("the path contains a NUL character")]
    Nul,
}

impl RepoPath {
    /// Parses what a user or an agent wrote: `./` and doubled slashes are tidied, backslashes are separators on
    /// Windows-style input, `..` is resolved and may not climb above the root.
    pub fn parse(text: &str) -> Result<RepoPath, PathError> {
        if text.contains('\0') {
            return Err(PathError::Nul);
        }
        let bytes = text.as_bytes();
        let drive = bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
        if text.starts_with('/') || text.starts_with('\\') || drive {
            return Err(PathError::Absolute(text.to_owned()));
        }
        // A lone backslash is a legal character of a Unix file name; `a\b` without any `/` is what Windows users type.
        let windows = text.contains('\\') && !text.contains('/');
        let mut parts: Vec<&str> = Vec::new();
        for part in text.split(|c| c == '/' || (windows && c == '\\')) {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop().ok_or_else(|| PathError::Escapes(text.to_owned()))?;
                }
                part => parts.push(part),
            }
        }
        if parts.is_empty() { Err(PathError::Empty) } else { Ok(RepoPath(parts.join("/"))) }
    }

    /// Takes a path that a walk of the workspace or a git tree produced: already relative and `/`-separated.
    /// Anything else is refused exactly as in [`RepoPath::parse`].
    pub fn from_walk(text: &str) -> Result<RepoPath, PathError> {
        let clean = !text.is_empty()
            && !text.starts_with('/')
            && !text.contains('\0')
            && text.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
        if clean { Ok(RepoPath(text.to_owned())) } else { RepoPath::parse(text) }
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last component.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The file name without its last extension (`lib` of `src/lib.rs`, `.bashrc` of `.bashrc`).
    pub fn stem(&self) -> &str {
        let name = self.file_name();
        match name.rfind('.') {
            Some(0) | None => name,
            Some(dot) => &name[..dot],
        }
    }

    /// The last extension, lower case.
    pub fn extension(&self) -> Option<String> {
        let name = self.file_name();
        match name.rfind('.') {
            Some(0) | None => None,
            Some(dot) => Some(name[dot + 1..].to_ascii_lowercase()),
        }
    }

    /// Whether it leads into a folder that git keeps for itself, or that some file system takes for it. The
    /// configuration in there may hold passwords.
    pub fn is_in_git_dir(&self) -> bool {
        self.0.split(['/', '\\']).any(is_git_dir)
    }

    /// The folder, empty for a file at the root.
    pub fn parent(&self) -> &str {
        self.0.rfind('/').map_or("", |slash| &self.0[..slash])
    }
}

/// `.git` in whatever case, with characters that HFS+ leaves out, or as NTFS writes it: with dots, spaces or a stream
/// behind it, or by its short name.
fn is_git_dir(name: &str) -> bool {
    let seen = |c: &char| !matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let name: String = name.split(':').next().unwrap_or_default().chars().filter(seen).collect();
    let name = name.trim_end_matches(['.', ' ']);
    name.eq_ignore_ascii_case(".git") || name.eq_ignore_ascii_case("git~1")
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl TryFrom<String> for RepoPath {
    type Error = PathError;
    fn try_from(text: String) -> Result<RepoPath, PathError> {
        RepoPath::from_walk(&text)
    }
}

impl From<RepoPath> for String {
    fn from(path: RepoPath) -> String {
        path.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<String, PathError> {
        RepoPath::parse(text).map(String::from)
    }

    #[test]
    fn relative_paths_are_tidied() {
        assert_eq!(parse("./src//auth/../lib.rs"), Ok("src/lib.rs".into()));
        assert_eq!(parse("src\\auth\\jwt.rs"), Ok("src/auth/jwt.rs".into()));
        assert_eq!(parse("odd/back\\slash.py"), Ok("odd/back\\slash.py".into()));
    }

    #[test]
    fn nothing_leaves_the_workspace() {
        assert_eq!(parse("../x"), Err(PathError::Escapes("../x".into())));
        assert_eq!(parse("a/../../x"), Err(PathError::Escapes("a/../../x".into())));
        assert_eq!(parse("/etc/passwd"), Err(PathError::Absolute("/etc/passwd".into())));
        assert_eq!(parse("C:\\x"), Err(PathError::Absolute("C:\\x".into())));
        assert_eq!(parse("\\\\host\\share"), Err(PathError::Absolute("\\\\host\\share".into())));
        assert_eq!(parse("a\0b"), Err(PathError::Nul));
        assert_eq!(parse("."), Err(PathError::Empty));
    }

    #[test]
    fn every_spelling_of_a_git_directory_is_known() {
        let inside = |text: &str| RepoPath::parse(text).unwrap().is_in_git_dir();
        let forms = [
            ".git",
            ".git/config",
            "sub/.git",
            "a/../.git/config",
            ".GIT/config",
            "git~1/config",
            ".git./config",
            ".git /config",
            ".git::$INDEX_ALLOCATION/config",
            ".g\u{200c}it/config",
            "sub\\.git\\config",
            "odd/sub\\.Git\\config",
        ];
        for form in forms {
            assert!(inside(form), "{form}");
        }
        for form in [".gitignore", ".github/workflows/ci.yml", "src/git.rs", "a.git/config", "git~10"] {
            assert!(!inside(form), "{form}");
        }
    }

    #[test]
    fn parts_of_a_path() {
        let path = RepoPath::parse("src/auth/jwt.test.RS").unwrap();
        assert_eq!((path.file_name(), path.stem(), path.parent()), ("jwt.test.RS", "jwt.test", "src/auth"));
        assert_eq!(path.extension().as_deref(), Some("rs"));
        assert_eq!(RepoPath::parse(".bashrc").unwrap().extension(), None);
    }
}
