//! A markdown document: its headings, and the part of it that belongs to one.

use std::ops::Range;

use cruxe_extract::{Extractor, Input};
use cruxe_model::facts::FileFacts;
use cruxe_model::{RepoPath, SymbolKind};

/// A heading and the section below it, which reaches to the next heading of the same or a higher level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Its text without markup.
    pub name: String,
    /// What a link to it says: the text in lower case with `-` for blanks, and a number where that is not the first.
    pub slug: String,
    /// First and last line of the section, from 1.
    pub lines: (u32, u32),
    /// Where the section stands, in bytes.
    pub span: Range<usize>,
}

/// The headings of a document, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The headings.
    pub headings: Vec<Heading>,
}

impl Outline {
    /// Reads the headings of a markdown text. What stands in code or HTML is none.
    pub fn of(path: &RepoPath, text: &str) -> Outline {
        let language = cruxe_extract::registry::detect(path, text.as_bytes());
        let input = Input { path, module: "", language, bytes: text.as_bytes() };
        Outline::of_facts(&Extractor::default().extract(&input))
    }

    /// The same from facts that were extracted already.
    pub fn of_facts(facts: &FileFacts) -> Outline {
        let mut headings: Vec<Heading> = Vec::new();
        for symbol in facts.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Heading) {
            let plain = slug(&symbol.name);
            let mut own = plain.clone();
            let mut number = 0;
            while headings.iter().any(|other| other.slug == own) {
                number += 1;
                own = format!("{plain}-{number}");
            }
            headings.push(Heading {
                name: symbol.name.clone(),
                slug: own,
                lines: facts.lines_of(symbol.span),
                span: symbol.span.start as usize..symbol.span.end as usize,
            });
        }
        Outline { headings }
    }

    /// Finds a heading by its text, in whatever case, or by its slug; of several the first. A leading `#` does not count.
    pub fn find(&self, anchor: &str) -> Option<&Heading> {
        let wanted = anchor.trim();
        let bare = wanted.trim_start_matches('#').trim();
        let fold = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let first = |fits: &dyn Fn(&Heading) -> bool| self.headings.iter().find(|heading| fits(heading));
        first(&|heading| heading.name == wanted)
            .or_else(|| first(&|heading| heading.name == bare))
            .or_else(|| first(&|heading| fold(&heading.name) == fold(bare)))
            .or_else(|| first(&|heading| heading.slug == bare.to_lowercase()))
            .or_else(|| first(&|heading| !bare.is_empty() && heading.slug == slug(bare)))
    }

    /// Returns the heading that is most like an anchor, if one is.
    pub fn nearest(&self, anchor: &str) -> Option<&Heading> {
        let names = self.headings.iter().map(|heading| heading.name.as_str());
        let at = nearest(anchor.trim_start_matches('#').trim(), names)?;
        self.headings.get(at)
    }
}

/// Returns what GitHub makes of a heading's text in a link: lower case, blanks as `-`, without punctuation.
pub fn slug(name: &str) -> String {
    let kept = name.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>().to_lowercase()
}

/// Returns which candidate is most like a text, if one is like it at all: within a third of its letters.
pub fn nearest<'a>(wanted: &str, candidates: impl Iterator<Item = &'a str>) -> Option<usize> {
    let wanted = wanted.to_lowercase();
    let letters = wanted.chars().count();
    let mut best: Option<(usize, usize)> = None;
    for (at, candidate) in candidates.enumerate() {
        let most = best.map_or(letters / 3 + 1, |(distance, _)| distance);
        let lower = candidate.to_lowercase();
        if lower.chars().count().abs_diff(letters) > most {
            continue;
        }
        let distance = strsim::levenshtein(&wanted, &lower);
        if distance <= letters / 3 + 1 && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, at));
        }
    }
    best.map(|(_, at)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(text: &str) -> Outline {
        Outline::of(&RepoPath::parse("docs/x.md").unwrap(), text)
    }

    fn lines(text: &str, anchor: &str) -> Option<(u32, u32)> {
        outline(text).find(anchor).map(|heading| heading.lines)
    }

    #[test]
    fn a_section_reaches_to_the_next_heading_of_the_same_or_a_higher_level() {
        let text = "# Top\n## One\na\n### Deep\nb\n## Two\nc\n# End\n";
        assert_eq!(lines(text, "One"), Some((2, 5)));
        assert_eq!(lines(text, "Deep"), Some((4, 5)));
        assert_eq!(lines(text, "Top"), Some((1, 7)));
        assert_eq!(lines(text, "End"), Some((8, 8)));
        assert_eq!(lines(text, "Three"), None);
    }

    #[test]
    fn code_has_no_headings_and_does_not_end_a_section() {
        let text = "## A\n```sh\n# comment\n```\n~~~\n## no\n~~~\n    # neither\n## B\n";
        assert_eq!(lines(text, "A"), Some((1, 8)));
        assert_eq!(lines(text, "comment"), None);
        assert_eq!(lines(text, "no"), None);
    }

    #[test]
    fn headings_are_found_by_text_case_slug_and_number() {
        let text =
            "# Use `code` and *stress* of [links](x.md)!\n## Usage\n1\n## Usage\n2\n## usage-1\n3\n\nSetext\n---\n";
        for anchor in
            ["Use code and stress of links!", "use CODE and stress of links!", "#use-code-and-stress-of-links"]
        {
            assert_eq!(lines(text, anchor).map(|lines| lines.0), Some(1), "{anchor}");
        }
        assert_eq!(lines(text, "Usage"), Some((2, 3)));
        assert_eq!(lines(text, "## Usage"), Some((2, 3)));
        assert_eq!(lines(text, "usage-1"), Some((6, 8)), "the text itself wins over a number");
        assert_eq!(lines(text, "setext").map(|lines| lines.0), Some(9));
        let twice = outline("# A\n# A\n");
        assert_eq!(twice.find("a-1").map(|heading| heading.lines), Some((2, 2)));
        assert_eq!(lines(text, ""), None);
        assert_eq!(lines(text, "#"), None);
    }

    #[test]
    fn crlf_bom_and_unicode_do_not_move_lines() {
        assert_eq!(lines("# Top\r\n## One\r\ntext\r\n## Two\r\nmore\r\n", "One"), Some((2, 3)));
        assert_eq!(lines("\u{feff}# Überschrift\nÄpfel\n", "überschrift"), Some((1, 2)));
        assert_eq!(lines("---\ntitle: T\n---\n# A\n", "title"), None);
    }

    #[test]
    fn a_slip_has_a_suggestion_and_nonsense_has_none() {
        let outline = outline("# Login Flow\n# Errors\n");
        assert_eq!(outline.nearest("Lgin Flow").map(|heading| heading.name.as_str()), Some("Login Flow"));
        assert_eq!(outline.nearest("Completely different"), None);
        assert_eq!(nearest("docs/autth.md", ["docs/api.md", "docs/auth.md"].into_iter()), Some(1));
    }
}
