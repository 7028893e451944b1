//! Names in texts that are not indexed. An answer of "none" is only true if none of them has the name.

use cruxe_index::View;
use cruxe_model::SkipReason;
use memchr::memmem::Finder;

use crate::error::{MissingSymbol, QueryError};
use crate::left_words::WORDS;
use crate::name;

/// A name in texts that are not indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The name.
    pub name: String,
    /// The first text, by path, that has it: path, line, and why it is not indexed.
    pub first: Option<(String, u32, SkipReason)>,
    /// How many other texts have it.
    pub more: usize,
    /// How many texts were not looked into.
    pub unseen: usize,
}

/// How hard to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// An answer without this is worth something: only where it costs next to nothing.
    Little,
    /// The answer is "none".
    Thorough,
}

impl Effort {
    /// What an answer is worth it, given whether it is "none".
    pub fn for_answer(is_none: bool) -> Effort {
        if is_none { Effort::Thorough } else { Effort::Little }
    }
}

/// Where a look is cheap, there are no more texts than that.
const FEW: usize = 32;

/// The texts of a ref that are not indexed and have a name; `None` where there are none, or none were looked for.
pub(crate) fn unread(view: &View, name: &str, effort: Effort) -> Result<Option<Unread>, QueryError> {
    let count = view.count_left_out();
    let cheap = count <= FEW && view.is_work_tree();
    if count == 0 || name.is_empty() || effort == Effort::Little && !cheap {
        return Ok(None);
    }
    let Some(published) = &view.published else { return Ok(None) };
    let words = published.kept(&WORDS).get(view)?;
    let having = words.having(name);
    let mut found = Unread { name: name.to_owned(), first: None, more: 0, unseen: words.unseen };
    if !having.is_empty() {
        let (word, texts) = (Finder::new(name), view.left_out());
        for (path, why, is_sure) in having {
            view.work.check()?;
            // One is shown, the others are counted.
            if is_sure && found.first.is_some() {
                found.more += 1;
                continue;
            }
            let Some(line) = texts.read(path).and_then(|text| line_of(&word, &text)) else { continue };
            match found.first {
                None => found.first = Some((path.as_str().to_owned(), line, why)),
                Some(_) => found.more += 1,
            }
        }
    }
    Ok((found.first.is_some() || found.unseen > 0).then_some(found))
}

/// The error of a name that the index has nowhere, once the texts beside the index were looked into.
pub(crate) fn missing(view: &View, missing: MissingSymbol) -> QueryError {
    match unread(view, &name::parse(&missing.name).plain, Effort::Thorough) {
        Ok(unread) => QueryError::NoSuchSymbol(MissingSymbol { unread, ..missing }),
        Err(problem) => problem,
    }
}

/// The first line on which a text has a word.
fn line_of(word: &Finder, text: &[u8]) -> Option<u32> {
    word_in(word, text).map(|at| line_at(text, at))
}

/// Where a text first has a word that is not a part of another.
pub(crate) fn word_in(word: &Finder, text: &[u8]) -> Option<usize> {
    let length = word.needle().len();
    word.find_iter(text).find(|at| {
        let before = at.checked_sub(1).and_then(|at| text.get(at));
        !before.is_some_and(|byte| is_part_of_word(*byte))
            && !text.get(at + length).is_some_and(|byte| is_part_of_word(*byte))
    })
}

/// Whether a byte belongs to a word, as everything does that is not ASCII.
pub(crate) fn is_part_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// The number of the line that an offset is on.
pub(crate) fn line_at(text: &[u8], at: usize) -> u32 {
    memchr::memchr_iter(b'\n', &text[..at]).count() as u32 + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Indexed;

    const FILES: &[(&str, &str)] = &[
        ("src/Page.cs", "class Page {\n    void OnLoad() {}\n    void Unused() {}\n}\n"),
        ("src/Page.g.cs", "partial class Page {\n    void Init() {\n        Loaded += OnLoad;\n    }\n}\n"),
        ("src/View.Designer.cs", "partial class View { void Init() { OnLoad(); NotUnusedAtAll(); } }\n"),
    ];

    #[test]
    fn a_name_in_a_generated_file_is_told_with_its_first_line() {
        let tree = Indexed::new(FILES);
        let found = |name| unread(&tree.view(), name, Effort::Thorough).unwrap();
        let first = Some(("src/Page.g.cs".to_owned(), 3, SkipReason::Generated));
        assert_eq!(found("OnLoad"), Some(Unread { name: "OnLoad".to_owned(), first, more: 1, unseen: 0 }));
        assert_eq!(found("Unused"), None, "a part of a word is another word");
        assert_eq!(found(""), None);
    }

    #[test]
    fn a_text_that_changes_between_two_questions_is_read_again() {
        let tree = Indexed::new(FILES);
        let places = |name: &str| {
            let found = unread(&tree.view(), name, Effort::Thorough).unwrap();
            found.map(|found| (found.first.map(|(path, line, _)| (path, line)), found.more))
        };
        let at = |path: &str| tree.view().project.root.join(path);
        assert_eq!((places("OnLoad").map(|found| found.1), places("Unused")), (Some(1), None));
        std::fs::write(at("src/Page.g.cs"), "partial class Page {\n    void Init() { Unused(); }\n}\n").unwrap();
        assert_eq!(places("Unused"), Some((Some(("src/Page.g.cs".to_owned(), 2)), 0)));
        assert_eq!(places("OnLoad"), Some((Some(("src/View.Designer.cs".to_owned(), 1)), 0)));
        std::fs::remove_file(at("src/View.Designer.cs")).unwrap();
        assert_eq!(places("OnLoad"), None);
        assert_eq!(places("+="), None, "a name without a word is looked for in every text");
        std::fs::write(at("src/Page.g.cs"), "x += OnLoad\n").unwrap();
        assert_eq!(places("+=").map(|found| found.1), Some(0));
    }

    #[test]
    fn words_end_where_letters_end() {
        let at = |name: &str, text: &str| line_of(&Finder::new(name), text.as_bytes());
        assert_eq!(at("x", "xy\nx_\n_x\n(x)"), Some(4));
        assert_eq!(at("gr\u{f6}\u{df}e", "gr\u{f6}\u{df}en\ngr\u{f6}\u{df}e"), Some(2));
        assert_eq!(at("x", "xx"), None);
    }
}
