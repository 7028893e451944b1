//! A piece of a scene.

use std::fmt::Write;

use crate::fence;

/// Where in a scene a part stands; the first matter most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Active,
    Dependencies,
    Documents,
    Code,
    Next,
    Changes,
}

impl Section {
    pub fn heading(self) -> &'static str {
        match self {
            Section::Active => "## Active cards",
            Section::Dependencies => "## Dependencies",
            Section::Documents => "## Documents",
            Section::Code => "## Code",
            Section::Next => "## To do next",
            Section::Changes => "## Recent changes",
        }
    }
}

/// A piece of a scene: a heading with what is known about it, and a text.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub section: Section,
    /// What a reader calls it when it is left out.
    pub name: String,
    /// The heading and the lines below it.
    pub head: String,
    pub body: String,
    /// The body stands between fences of this language; as it is where there is none.
    pub language: Option<String>,
}

impl Part {
    /// The part as it stands in the scene.
    pub fn text(&self) -> String {
        let mut text = self.head.clone();
        if self.body.is_empty() {
            return text;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        let body = self.body.trim_end_matches(['\n', '\r']);
        match &self.language {
            Some(language) => {
                text.push_str(&fence::block(language, body));
            }
            None => {
                let _ = writeln!(text, "{body}");
            }
        }
        text
    }

    /// The part with as much of the beginning of its body as `fits` allows; `None` when that is not worth showing.
    pub fn shorten(&self, fits: impl Fn(&Part) -> bool) -> Option<Part> {
        let cut_at = |length: usize| {
            let end = self.body.floor_char_boundary(length);
            let words = self.body[..end].rfind(char::is_whitespace).unwrap_or(0);
            let body = match self.body[..words].trim_end() {
                "" => String::new(),
                start => format!("{start}\n…"),
            };
            Part { body, ..self.clone() }
        };
        let (mut fitting, mut too_long) = (0, self.body.len());
        while too_long - fitting > 1 {
            let middle = fitting.midpoint(too_long);
            if fits(&cut_at(middle)) { fitting = middle } else { too_long = middle }
        }
        let part = cut_at(fitting);
        // A card says something by its heading alone; of a document without text there is only the name.
        let says_something = !part.body.is_empty() || matches!(self.section, Section::Active | Section::Dependencies);
        (says_something && fits(&part)).then_some(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(body: &str, language: Option<&str>) -> Part {
        Part {
            section: Section::Documents,
            name: "docs/a.md".to_owned(),
            head: "### docs/a.md\n".to_owned(),
            body: body.to_owned(),
            language: language.map(str::to_owned),
        }
    }

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        assert_eq!(part("a\n\n", Some("markdown")).text(), "### docs/a.md\n\n```markdown\na\n```\n");
        assert_eq!(part("````\nx\n````", Some("")).text(), "### docs/a.md\n\n`````\n````\nx\n````\n`````\n");
        assert_eq!(part("- x", None).text(), "### docs/a.md\n\n- x\n");
        assert_eq!(part("", Some("rust")).text(), "### docs/a.md\n");
    }

    #[test]
    fn a_part_is_cut_between_words_and_stays_fenced() {
        let long = part("one two three four five", Some("markdown"));
        let cut = long.shorten(|part| part.body.len() <= 16).unwrap();
        assert_eq!(cut.body, "one two\n…");
        assert!(cut.text().ends_with("one two\n…\n```\n"));
        assert!(long.shorten(|part| part.body.len() <= 3).is_none());
        let card = Part { section: Section::Active, ..long };
        assert_eq!(card.shorten(|part| part.body.len() <= 3).unwrap().text(), "### docs/a.md\n");
        assert!(card.shorten(|_| false).is_none());
    }
}
