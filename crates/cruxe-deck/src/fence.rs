//! Texts of others inside of texts of ours, so that none ends where ours should go on.
//!
//! A prompt or a scene is read by a model, which takes what stands outside of fences for our words.

/// A block between fences that nothing in the text closes.
pub fn block(language: &str, text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n")
}

/// A text as code within a line.
pub fn inline(text: &str) -> String {
    let text = one_line(text);
    let fence = "`".repeat(longest_run(&text) + 1);
    // As markdown has it, a space next to a fence is no part of the text where both ends have one.
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// A text without line ends and other characters that are not seen: whoever wrote it could begin a line of ours.
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c }).collect()
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_closes_its_fence() {
        assert_eq!(block("md", "x"), "```md\nx\n```\n");
        assert_eq!(block("", "```\nx\n`````\n"), "``````\n```\nx\n`````\n``````\n");
        assert_eq!(block("", ""), "```\n```\n");
        assert_eq!(inline("x"), "`x`");
        assert_eq!(inline("a`b``c"), "```a`b``c```");
        assert_eq!(inline("`x\ny"), "`` `x y ``");
        assert_eq!(one_line("a\r\n# b\u{2028}c\td"), "a  # b c d");
    }
}
