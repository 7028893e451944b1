//! Task cards as resources: Markdown files below `.cuedeck/cards/`, as they lie there.

use std::fs;
use std::path::Path;

use cruxe_model::{ErrorCode, ToolError};

/// Where cards are, relative to the workspace.
pub(crate) const FOLDER: &str = ".cuedeck/cards/";

/// A card in a list.
pub(crate) struct CardEntry {
    pub id: String,
    /// From its front matter, else its id.
    pub title: String,
}

/// The cards of a workspace by id; none where there is no deck.
pub(crate) fn list(root: &Path) -> Vec<CardEntry> {
    let files = fs::read_dir(root.join(FOLDER)).into_iter().flatten().flatten();
    let mut cards: Vec<CardEntry> = files
        .filter_map(|file| {
            let name = file.file_name().into_string().ok()?;
            let id = name.strip_suffix(".md").filter(|id| is_id(id))?.to_owned();
            // A link could lead out of the workspace, and a pipe would never end.
            file.file_type().ok().filter(fs::FileType::is_file)?;
            let text = fs::read_to_string(file.path()).unwrap_or_default();
            let title = title(&text).unwrap_or(&id).to_owned();
            Some(CardEntry { id, title })
        })
        .collect();
    cards.sort_by(|a, b| a.id.cmp(&b.id));
    cards
}

/// The text of a card; `None` when there is none of that id.
pub(crate) fn read(root: &Path, id: &str) -> Result<Option<String>, ToolError> {
    if !is_id(id) {
        return Ok(None);
    }
    // A link could lead out of the workspace.
    let path = root.join(FOLDER).join(format!("{id}.md"));
    let Some(path) = path.canonicalize().ok().filter(|path| path.starts_with(root) && path.is_file()) else {
        return Ok(None);
    };
    match fs::read(&path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(problem) => Err(ToolError::internal(format!("{FOLDER}{id}.md: {problem}"))),
    }
}

/// The error of a card that is not there.
pub(crate) fn missing(root: &Path, id: &str) -> ToolError {
    let near: Vec<String> = list(root).into_iter().map(|card| card.id).take(5).collect();
    let error = ToolError::new(ErrorCode::FileNotFound, format!("there is no card `{id}`"));
    match near.is_empty() {
        true => error.suggest("There are no cards yet: `cue card new TITLE` makes one."),
        false => error.suggest("list_tasks names the cards there are.").with("near", near),
    }
}

/// The title in the front matter of a card.
pub(crate) fn title(text: &str) -> Option<&str> {
    let head = text.strip_prefix("---")?.split("\n---").next()?;
    let line = head.lines().find_map(|line| line.strip_prefix("title:"))?;
    Some(line.trim().trim_matches(['"', '\''])).filter(|title| !title.is_empty())
}

/// Ids are names of files: what could name another folder is none.
fn is_id(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_is_that_of_the_front_matter() {
        assert_eq!(title("---\nid: a\ntitle: \"Fix it\"\n---\n# Other"), Some("Fix it"));
        assert_eq!(title("---\nid: a\n---\ntitle: no"), None);
        assert_eq!(title("title: no"), None);
    }

    #[test]
    fn an_id_cannot_leave_the_folder() {
        for bad in ["", "../x", "a/b", "a.b", "a\\b", "ü"] {
            assert!(!is_id(bad), "{bad}");
        }
        assert!(is_id("abc123"));
    }
}
