//! What is wrong, where, and what to do about it, as people read it on a terminal.
//!
//! Lines are never broken, so that what is in them can be searched for and clicked.

use std::fmt::Write;
use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use crate::output::Paint;

/// Columns from one tab stop to the next.
const TAB: usize = 4;

/// A report on one problem.
pub(crate) struct Report<'a> {
    /// A word or number to look it up by.
    pub code: String,
    /// Whether one could leave it as it is.
    pub warning: bool,
    pub message: String,
    /// What to do about it.
    pub help: Option<&'a str>,
    pub place: Option<MarkedText<'a>>,
}

/// A place in a text, to be shown with the lines around it.
pub(crate) struct MarkedText<'a> {
    pub path: &'a str,
    pub text: &'a str,
    /// In bytes; what is beyond the first line is not marked.
    pub span: Range<usize>,
    pub label: &'a str,
}

impl Report<'_> {
    /// Returns the report as lines of text, each with its end.
    pub fn render(&self, paint: Paint) -> String {
        let (colour, sign) = if self.warning { ("33", "⚠") } else { ("31", "×") };
        let mut out = format!("{}\n\n", paint.with(colour, &self.code));
        for (at, line) in self.message.lines().enumerate() {
            out += &format!("  {} {line}\n", paint.with(colour, if at == 0 { sign } else { "│" }));
        }
        if let Some(place) = &self.place {
            place.draw(paint, &mut out);
        }
        for (at, line) in self.help.unwrap_or_default().lines().enumerate() {
            let before = if at == 0 { paint.with("36", "  help: ") } else { " ".repeat("  help: ".len()) };
            out += &format!("{before}{line}\n");
        }
        out
    }
}

impl MarkedText<'_> {
    fn draw(&self, paint: Paint, out: &mut String) {
        let start = self.text.floor_char_boundary(self.span.start.min(self.text.len()));
        let end = self.text.ceil_char_boundary(self.span.end.clamp(start, self.text.len()));
        let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let number = self.text[..line_start].matches('\n').count() + 1;
        let line = first_line(&self.text[line_start..]);
        let (before, rest) = line.split_at((start - line_start).min(line.len()));
        let marked = &rest[..(end - start).min(rest.len())];
        let above = self.text[..line_start].strip_suffix('\n').map(|text| text.rsplit('\n').next().unwrap_or(text));
        let below = self.text[line_start..].split_once('\n').map(|(_, text)| text).filter(|text| !text.is_empty());
        let digits = (number + usize::from(below.is_some())).to_string().len();
        let blank = " ".repeat(digits);
        let show = |number: usize, text: &str| {
            format!(" {} │ {}\n", paint.faint(&format!("{number:>digits$}")), drawn(text, 0).0)
        };

        let place = paint.with("36;1;4", &format!("{}:{number}:{}", self.path, start - line_start + 1));
        *out += &format!(" {blank} ╭─[{place}]\n");
        *out += &above.map(|text| show(number - 1, text.strip_suffix('\r').unwrap_or(text))).unwrap_or_default();
        *out += &show(number, line);
        let column = drawn(before, 0).1;
        let width = drawn(marked, column).1 - column;
        let (indent, to_the_middle) = (" ".repeat(column), " ".repeat(column + width / 2));
        let under = match width {
            0 => "▲".to_owned(),
            width => format!("{}┬{}", "─".repeat(width / 2), "─".repeat(width - width / 2 - 1)),
        };
        *out += &format!(" {blank} · {indent}{}\n", paint.with("35;1", &under));
        let several = self.label.lines().count() > 1;
        for (at, line) in self.label.lines().enumerate() {
            let line = match (several, at) {
                (false, _) => format!("╰── {line}"),
                (true, 0) => format!("╰─┤ {line}"),
                (true, _) => format!("  │ {line}"),
            };
            *out += &format!(" {blank} · {to_the_middle}{}\n", paint.with("35;1", &line));
        }
        *out += &below.map(|text| show(number + 1, first_line(text))).unwrap_or_default();
        let _ = writeln!(out, " {blank} ╰────");
    }
}

/// The text up to the end of its first line.
fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// A text with its tabs as blanks, and the column that it reaches if it begins at this one.
fn drawn(text: &str, mut column: usize) -> (String, usize) {
    let mut out = String::new();
    for letter in text.chars() {
        if letter == '\t' {
            let width = TAB - column % TAB;
            out += &" ".repeat(width);
            column += width;
        } else {
            out.push(letter);
            // What a terminal obeys is shown as one sign.
            column += letter.width().unwrap_or(1);
        }
    }
    (out, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "title: a\nstatus: todo\n\tpriority: [x, y]\n日本: wide here\nlast";

    fn at(text: &str, span: Range<usize>, label: &str) -> String {
        let place = MarkedText { path: "a/b.md", text, span, label };
        let report = Report { code: "c".into(), warning: false, message: "m".into(), help: None, place: Some(place) };
        let rendered = report.render(Paint::OFF);
        rendered.strip_prefix("c\n\n  × m\n").unwrap().to_owned()
    }

    #[test]
    fn a_report_has_a_code_a_message_and_help() {
        let report = |warning, message: &str, help| Report {
            code: "1004".to_owned(),
            warning,
            message: message.to_owned(),
            help,
            place: None,
        };
        assert_eq!(report(false, "plain", None).render(Paint::OFF), "1004\n\n  × plain\n");
        assert_eq!(
            report(true, "two\nlines", Some("do this\nand that")).render(Paint::OFF),
            "1004\n\n  ⚠ two\n  │ lines\n  help: do this\n        and that\n"
        );
    }

    #[test]
    fn a_place_is_marked_between_the_lines_around_it() {
        assert_eq!(
            at(TEXT, 9..15, "here"),
            "   ╭─[a/b.md:2:1]\n 1 │ title: a\n 2 │ status: todo\n   · ───┬──\n   ·    ╰── here\n 3 │     priority: [x, y]\n   ╰────\n"
        );
        assert_eq!(
            at(TEXT, 0..5, "two\nlines"),
            "   ╭─[a/b.md:1:1]\n 1 │ title: a\n   · ──┬──\n   ·   ╰─┤ two\n   ·     │ lines\n 2 │ status: todo\n   ╰────\n"
        );
        let tens = "x\n".repeat(10);
        assert_eq!(
            at(&tens, 16..17, "here"),
            "    ╭─[a/b.md:9:1]\n  8 │ x\n  9 │ x\n    · ┬\n    · ╰── here\n 10 │ x\n    ╰────\n"
        );
    }

    #[test]
    fn marks_stand_under_what_they_mean_behind_tabs_and_wide_letters() {
        let marks =
            |span| at(TEXT, span, "here").lines().filter(|line| line.contains('·')).map(str::to_owned).collect();
        let expected: [(Range<usize>, [&str; 2]); 5] = [
            (23..31, ["   ·     ────┬───", "   ·         ╰── here"]),
            (22..31, ["   · ──────┬─────", "   ·       ╰── here"]),
            (40..43, ["   · ─┬", "   ·  ╰── here"]),
            (48..52, ["   ·       ──┬─", "   ·         ╰── here"]),
            (9..9, ["   · ▲", "   · ╰── here"]),
        ];
        for (span, lines) in expected {
            let drawn: Vec<String> = marks(span.clone());
            assert_eq!(drawn, lines, "{span:?}");
        }
    }

    #[test]
    fn ends_of_lines_and_texts_are_places_too() {
        let last = "   ╭─[a/b.md:5:5]\n 4 │ 日本: wide here\n 5 │ last\n   ·     ▲\n   ·     ╰── here\n   ╰────\n";
        assert_eq!(at(TEXT, TEXT.len()..TEXT.len() + 9, "here"), last);
        assert_eq!(at("", 0..0, "here"), "   ╭─[a/b.md:1:1]\n 1 │ \n   · ▲\n   · ╰── here\n   ╰────\n");
        let crlf = "   ╭─[a/b.md:2:4]\n 1 │ a: b\n 2 │ c: d\n   ·    ┬\n   ·    ╰── here\n 3 │ e: f\n   ╰────\n";
        assert_eq!(at("a: b\r\nc: d\r\ne: f\r\n", 9..15, "here"), crlf);
        // In the middle of a letter.
        assert!(at("日", 1..2, "here").contains("· ─┬\n"));
    }
}
