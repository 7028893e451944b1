//! Makes a scene fit its limit: the least important parts go first, and the scene says which.

use std::fmt::Write;

use cruxe_tokens::count as tokens;

use super::Pruned;
use super::part::{Part, Section};

/// What a scene that had to be made smaller may spend on saying so.
const NOTE_SHARE: usize = 6;

/// A composed text.
pub(super) struct Fitted {
    pub text: String,
    pub tokens: usize,
    pub pruned: Vec<Pruned>,
}

/// Puts as much as fits into the limit, in the order of the parts. The size of the least possible scene where not even
/// that fits.
pub(super) fn fit(head: &str, parts: Vec<Part>, limit: usize) -> Result<Fitted, usize> {
    let whole = assemble(head, &parts, "");
    let size = tokens(&whole);
    if size <= limit {
        return Ok(Fitted { text: whole, tokens: size, pruned: Vec::new() });
    }
    let (mut kept, mut pruned) = choose(head, parts, limit);
    loop {
        // Tokens do not respect the seams between parts, so only the whole text's count is exact.
        for note in [note(limit, &pruned), short_note(limit, &pruned)] {
            let text = assemble(head, &kept, &note);
            let size = tokens(&text);
            if size <= limit {
                return Ok(Fitted { text, tokens: size, pruned });
            }
        }
        match kept.pop() {
            Some(part) => pruned.push(Pruned { what: part.name, cut: false }),
            None => return Err(tokens(&assemble(head, &[], &short_note(limit, &pruned)))),
        }
    }
}

fn choose(head: &str, parts: Vec<Part>, limit: usize) -> (Vec<Part>, Vec<Pruned>) {
    let mut left = limit.saturating_sub(tokens(head) + limit / NOTE_SHARE);
    let (mut kept, mut pruned): (Vec<Part>, Vec<Pruned>) = Default::default();
    let mut is_full = false;
    for part in parts {
        // Nothing is shown while something more important is not.
        if is_full {
            pruned.push(Pruned { what: part.name, cut: false });
            continue;
        }
        let opened = kept.iter().any(|known: &Part| known.section == part.section);
        let heading = if opened { 0 } else { tokens(part.section.heading()) + 2 };
        // The seams cost a token or two.
        let cost = |part: &Part| tokens(&part.text()) + heading + 2;
        let whole = cost(&part);
        if whole <= left {
            left -= whole;
            kept.push(part);
            continue;
        }
        // The beginning of something long is better than nothing, but must not crowd out everything behind it.
        let shorter = part.shorten(|part| cost(part) <= left / 2).or_else(|| part.shorten(|part| cost(part) <= left));
        pruned.push(Pruned { what: part.name, cut: shorter.is_some() });
        match shorter {
            Some(shorter) => {
                left -= cost(&shorter);
                kept.push(shorter);
            }
            None => is_full = true,
        }
    }
    (kept, pruned)
}

fn assemble(head: &str, parts: &[Part], note: &str) -> String {
    let mut text = head.to_owned();
    let mut section: Option<Section> = None;
    for part in parts {
        if section != Some(part.section) {
            let _ = write!(text, "\n{}\n", part.section.heading());
            section = Some(part.section);
        }
        let _ = write!(text, "\n{}", part.text());
    }
    text.push_str(note);
    text
}

fn note(limit: usize, pruned: &[Pruned]) -> String {
    let names = |cut: bool| -> Vec<&str> {
        pruned.iter().filter(|part| part.cut == cut).map(|part| part.what.as_str()).collect()
    };
    let mut text = format!("\n## Pruned\n\nTo keep to {limit} tokens:\n");
    for (cut, word) in [(true, "cut short"), (false, "left out")] {
        let names = names(cut);
        if !names.is_empty() {
            let _ = writeln!(text, "- {word}: {}", names.join(", "));
        }
    }
    text
}

/// Where the names themselves would take too much room.
fn short_note(limit: usize, pruned: &[Pruned]) -> String {
    let cut = pruned.iter().filter(|part| part.cut).count();
    format!("\nPruned to {limit} tokens: {} left out, {cut} cut.\n", pruned.len() - cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(section: Section, name: &str, head: &str, body: &str) -> Part {
        let head = if head.is_empty() { String::new() } else { format!("### {head}\n") };
        Part { section, name: name.to_owned(), head, body: body.to_owned(), language: None }
    }

    fn parts() -> Vec<Part> {
        let long: String = (0..200).map(|line| format!("line {line} of a long card\n")).collect();
        vec![
            part(Section::Active, "card aaa111", "aaa111 First", "short"),
            part(Section::Active, "card bbb222", "bbb222 Second", &long),
            part(Section::Documents, "docs/a.md", "docs/a.md", "A document."),
            part(Section::Changes, "recent changes", "", "- abc Fix"),
        ]
    }

    #[test]
    fn what_fits_is_kept_whole_and_nothing_is_said() {
        let fitted = fit("# Scene\n", parts(), 5000).unwrap();
        assert_eq!(fitted.pruned, []);
        assert_eq!(fitted.tokens, tokens(&fitted.text));
        assert!(fitted.text.starts_with("# Scene\n\n## Active cards\n\n### aaa111 First\n"), "{}", fitted.text);
        assert!(fitted.text.ends_with("## Recent changes\n\n- abc Fix\n"));
        assert_eq!(fitted.text.matches("## Active cards").count(), 1);
    }

    #[test]
    fn no_limit_is_ever_exceeded_and_what_is_missing_is_said() {
        let whole = fit("# Scene\n", parts(), 5000).unwrap().tokens;
        for limit in 25..whole + 3 {
            let fitted = fit("# Scene\n", parts(), limit).unwrap();
            assert!(fitted.tokens <= limit && fitted.tokens == tokens(&fitted.text), "{limit}");
            assert_eq!(fitted.pruned.is_empty(), limit >= whole, "{limit}");
            assert_eq!(fitted.text.contains("Pruned"), limit < whole, "{limit}");
        }
    }

    #[test]
    fn a_long_card_is_cut_and_leaves_room_for_what_follows() {
        let fitted = fit("# Scene\n", parts(), 300).unwrap();
        assert_eq!(fitted.pruned, [Pruned { what: "card bbb222".into(), cut: true }]);
        assert!(fitted.text.contains("line 3 of a long card\n"));
        assert!(fitted.text.contains("- cut short: card bbb222\n"));
        assert!(fitted.text.contains("A document."));
    }

    #[test]
    fn the_most_important_part_goes_last() {
        let shown = |limit| fit("# Scene\n", parts(), limit).map(|fitted| fitted.text).unwrap_or_default();
        let first = (3..200).map(shown).find(|text| text.contains("### ")).unwrap();
        assert!(first.contains("### aaa111 First"), "{first}");
        assert!(
            !first.contains("### bbb222") && !first.contains("docs/a.md\n") && !first.contains("abc Fix"),
            "{first}"
        );
    }

    #[test]
    fn a_limit_that_holds_nothing_is_an_error_with_the_least_size() {
        let least = fit("# Scene\n", parts(), 3).err().unwrap();
        assert!(least > 3);
        assert!(fit("# Scene\n", parts(), least).unwrap().tokens <= least);
    }
}
