//! Words, signs and texts of a file, by a table of what begins and ends comments and strings.

use cruxe_model::facts::Span;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name or a keyword.
    Word,
    /// A sign, or several that belong together.
    Sign,
    /// A string with its quotes.
    Text,
    /// A number.
    Number,
}

/// A piece of a file that is no comment.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it begins.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// Nothing but blanks stands before it on its line.
    pub first: bool,
    /// How far it is from the beginning of its line, in bytes.
    pub column: u32,
    /// A blank stands before it.
    pub apart: bool,
}

/// A string.
#[derive(Clone, Copy, Debug)]
pub struct Quote {
    /// What begins it.
    pub open: &'static str,
    /// What ends it.
    pub close: &'static str,
    /// What takes the sign behind it in; 0 for nothing.
    pub escape: u8,
    /// It may go on over lines.
    pub lines: bool,
    /// What code begins with inside of it: `${` and `$(` up to their partner, `$` before a name.
    pub inner: &'static [&'static str],
}

impl Quote {
    /// The same with code inside.
    pub const fn with(self, inner: &'static [&'static str]) -> Quote {
        Quote { inner, ..self }
    }
}

/// Longer code is none inside of a string.
const MAX_INNER: usize = 2000;

/// A string on one line, in which `\` escapes.
pub const fn quote(mark: &'static str) -> Quote {
    Quote { open: mark, close: mark, escape: b'\\', lines: false, inner: &[] }
}

/// A string over lines, in which `\` escapes.
pub const fn wide(mark: &'static str) -> Quote {
    Quote { open: mark, close: mark, escape: b'\\', lines: true, inner: &[] }
}

/// A string over lines.
pub const fn long(open: &'static str, close: &'static str) -> Quote {
    Quote { open, close, escape: 0, lines: true, inner: &[] }
}

/// How a language is taken apart.
pub struct Signs {
    /// What begins a comment that ends with its line.
    pub line_comments: &'static [&'static str],
    /// What begins and ends a comment; the bool says that they nest.
    pub block_comments: &'static [(&'static str, &'static str, bool)],
    /// Strings, the longer openings first.
    pub quotes: &'static [Quote],
    /// What a word may begin with, beside letters and `_`.
    pub begins: &'static str,
    /// What a word may go on with, beside letters, digits and `_`; not as its last sign unless it is in `ends`.
    pub goes_on: &'static str,
    /// What a word may end with.
    pub ends: &'static str,
    /// Signs of several characters.
    pub long_signs: &'static [&'static str],
    /// A comment of the language's own begins a line only.
    pub line_start_comments: &'static [&'static str],
    /// Reads what looks like the beginning of a comment, a string or a word and is none, at an offset: `'"'`, `$#list`.
    pub literal: fn(&Tokens, usize) -> Option<(Kind, usize)>,
}

/// What most languages with braces have.
pub const C_SIGNS: Signs = Signs {
    line_comments: &["//"],
    block_comments: &[("/*", "*/", false)],
    quotes: &[quote("\""), quote("'")],
    begins: "",
    goes_on: "",
    ends: "",
    long_signs: &["=>", "->", "::", "==", "!=", "<=", ">=", "&&", "||", "?.", "..", ":=", "+=", "-=", "<-", "|>"],
    line_start_comments: &[],
    literal: |_, _| None,
};

/// The tokens of a text, with its comments and the partners of its brackets.
pub struct Tokens<'s> {
    /// The text.
    pub text: &'s str,
    /// The tokens.
    pub list: Vec<Token>,
    /// Comments: where they are, and whether each has its lines for itself.
    pub comments: Vec<(Span, bool)>,
    /// The index of the closing token for an opening one, and the other way round; of itself where there is none.
    pub partner: Vec<u32>,
}

impl<'s> Tokens<'s> {
    /// Takes a text apart.
    pub fn new(text: &'s str, signs: &Signs) -> Tokens<'s> {
        let mut tokens = Tokens { text, list: Vec::new(), comments: Vec::new(), partner: Vec::new() };
        tokens.read(signs, 0..text.len());
        tokens.pair();
        tokens
    }

    /// Takes a piece of a text apart: the code inside of a string.
    pub fn of_piece(text: &'s str, signs: &Signs, piece: std::ops::Range<usize>) -> Tokens<'s> {
        let mut tokens = Tokens { text, list: Vec::new(), comments: Vec::new(), partner: Vec::new() };
        tokens.read(signs, piece);
        tokens.pair();
        tokens.list.iter_mut().enumerate().for_each(|(at, token)| token.first = at == 0);
        tokens
    }

    /// The pieces of code inside of a string.
    pub fn code_inside(&self, at: usize, signs: &Signs) -> Vec<std::ops::Range<usize>> {
        let mut found = Vec::new();
        let Some(token) = self.list.get(at).filter(|token| token.kind == Kind::Text) else { return found };
        let (start, whole) = (token.start as usize, self.word(at));
        let begins = |quote: &&Quote| whole.starts_with(quote.open);
        // A text below its line is one of the first kind.
        let below = signs.quotes.first().filter(|_| whole.starts_with('\n'));
        let Some(quote) = signs.quotes.iter().find(begins).or(below).filter(|quote| !quote.inner.is_empty()) else {
            return found;
        };
        let mut next = quote.open.len();
        while let Some(dollar) = whole.get(next..).and_then(|rest| rest.find('$')).map(|found| next + found) {
            next = dollar + 1;
            let before = whole.get(quote.open.len()..dollar).unwrap_or_default();
            // `\$`, `$$` and, in a string of two quotes, `''$` are a dollar.
            if before.ends_with(['\\', '$']) || (quote.open == "''" && before.ends_with("''")) {
                continue;
            }
            let rest = whole.get(dollar..).unwrap_or_default();
            let length = match quote.inner.iter().find(|mark| rest.starts_with(**mark)) {
                Some(mark) if mark.len() > 1 => bracket_end(rest.as_bytes(), mark.len()).map(|end| (mark.len(), end)),
                Some(_) => Some(name_end(rest)).filter(|end| *end > 1).map(|end| (1, end)),
                None => None,
            };
            if let Some((from, end)) = length {
                // In Perl and PowerShell the dollar is a part of the name; where a name may go on with one, it is not.
                let part = signs.begins.contains('$') && !signs.goes_on.contains('$');
                let from = if from == 1 && part { 0 } else { from };
                found.push(start + dollar + from..start + dollar + end);
                next = dollar + end;
            }
        }
        found
    }

    /// The text of a token; empty behind the last.
    pub fn word(&self, at: usize) -> &'s str {
        self.list
            .get(at)
            .map_or("", |token| self.text.get(token.start as usize..token.end as usize).unwrap_or_default())
    }

    /// The token at an index.
    pub fn get(&self, at: usize) -> Option<&Token> {
        self.list.get(at)
    }

    /// Whether a token is a word.
    pub fn is_word(&self, at: usize) -> bool {
        self.list.get(at).is_some_and(|token| token.kind == Kind::Word)
    }

    /// Whether a token is this sign.
    pub fn is(&self, at: usize, sign: &str) -> bool {
        self.word(at) == sign && self.list.get(at).is_some_and(|token| token.kind == Kind::Sign)
    }

    /// Whether a token begins a line.
    pub fn is_first(&self, at: usize) -> bool {
        self.list.get(at).is_none_or(|token| token.first)
    }

    /// The token behind a bracket and what it holds; behind the token itself where it is none.
    pub fn behind(&self, at: usize) -> usize {
        self.partner.get(at).map_or(at, |partner| *partner as usize).max(at) + 1
    }

    /// The first token at or behind an offset.
    pub fn at_offset(&self, offset: u32) -> usize {
        self.list.partition_point(|token| token.start < offset)
    }

    fn read(&mut self, signs: &Signs, piece: std::ops::Range<usize>) {
        let bytes = self.text.as_bytes().get(..piece.end).unwrap_or_default();
        let (mut at, mut line, mut first, mut apart) = (piece.start, piece.start, true, true);
        if at == 0 && self.text.starts_with("#!") {
            at = line_end(bytes, 0);
        }
        while at < bytes.len() {
            let rest = &bytes[at..];
            let byte = rest[0];
            if let Some((kind, length)) = (signs.literal)(self, at).filter(|(_, length)| *length > 0) {
                let end = (at + length).min(bytes.len());
                let (start, column) = (at as u32, (at - line) as u32);
                self.list.push(Token { kind, start, end: end as u32, first, column, apart });
                line = last_line(&bytes[at..end], at).unwrap_or(line);
                (first, apart, at) = (false, false, end);
                continue;
            }
            if byte == b'\n' {
                (line, first, apart, at) = (at + 1, true, true, at + 1);
                continue;
            }
            if byte.is_ascii_whitespace() || rest.starts_with("\u{feff}".as_bytes()) {
                at += if byte.is_ascii_whitespace() { 1 } else { 3 };
                apart = true;
                continue;
            }
            if let Some(end) = comment_end(rest, signs, first) {
                self.comments.push((Span { start: at as u32, end: (at + end) as u32 }, first));
                apart = true;
                at += end;
                line = last_line(&bytes[at - end..at], at - end).unwrap_or(line);
                continue;
            }
            let quoted = signs.quotes.iter().find_map(|quote| text_length(rest, quote));
            let (kind, length) = match quoted {
                Some(length) => (Kind::Text, length),
                None => self.plain(at, signs),
            };
            self.list.push(Token {
                kind,
                start: at as u32,
                end: (at + length) as u32,
                first,
                column: (at - line) as u32,
                apart,
            });
            (first, apart, at) = (false, false, at + length);
            if kind == Kind::Text {
                line = last_line(&bytes[at - length..at], at - length).unwrap_or(line);
            }
        }
    }

    fn plain(&self, at: usize, signs: &Signs) -> (Kind, usize) {
        let rest = &self.text[at..];
        let Some(c) = rest.chars().next() else { return (Kind::Sign, 1) };
        if c == '_' || c.is_alphabetic() || (signs.begins.contains(c) && begins_word(&rest[c.len_utf8()..])) {
            return (Kind::Word, word_length(rest, signs));
        }
        if c.is_ascii_digit() {
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
            let length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
            return (Kind::Number, rest[..length].trim_end_matches('.').len().max(1));
        }
        let long = signs.long_signs.iter().find(|sign| rest.starts_with(**sign));
        (Kind::Sign, long.map_or(c.len_utf8(), |sign| sign.len()))
    }

    fn pair(&mut self) {
        self.partner = (0..self.list.len() as u32).collect();
        let mut open: Vec<(u8, usize)> = Vec::new();
        for at in 0..self.list.len() {
            if self.list[at].kind != Kind::Sign {
                continue;
            }
            match self.word(at) {
                "(" => open.push((b')', at)),
                "[" => open.push((b']', at)),
                "{" => open.push((b'}', at)),
                close @ (")" | "]" | "}") => {
                    let close = close.as_bytes()[0];
                    // A brace closes what was left open inside; another bracket closes its like alone.
                    let found = open.iter().rposition(|(wanted, _)| *wanted == close);
                    let found = found.filter(|found| close == b'}' || open.len() - found <= 2);
                    if let Some(found) = found {
                        let (_, opening) = open[found];
                        open.truncate(found);
                        self.partner[opening] = at as u32;
                        self.partner[at] = opening as u32;
                    }
                }
                _ => {}
            }
        }
        // What is never closed goes to the end.
        let last = self.list.len().saturating_sub(1) as u32;
        for (close, at) in open {
            if close == b'}' {
                self.partner[at] = last;
            }
        }
    }

    /// The comments directly before an offset, each with its lines for itself: where they begin and end.
    pub fn comments_before(&self, offset: u32) -> Option<Span> {
        let mut next = self.comments.partition_point(|(span, _)| span.end <= offset);
        let mut found: Option<Span> = None;
        let mut until = offset;
        while let Some((span, _)) = next.checked_sub(1).and_then(|at| self.comments.get(at)).filter(|(_, alone)| *alone)
        {
            let between = self.text.get(span.end as usize..until as usize).unwrap_or("x");
            let lines = between.bytes().filter(|byte| *byte == b'\n').count();
            if lines > 1 || !between.trim().is_empty() {
                break;
            }
            found = Some(Span { start: span.start, end: found.map_or(span.end, |found| found.end) });
            until = span.start;
            next -= 1;
        }
        found
    }
}

fn begins_word(rest: &str) -> bool {
    rest.starts_with(|c: char| c == '_' || c.is_alphabetic())
}

fn word_length(rest: &str, signs: &Signs) -> usize {
    let first = rest.chars().next().map_or(0, char::len_utf8);
    let is_part = |c: char| c == '_' || c.is_alphanumeric() || signs.goes_on.contains(c) || signs.ends.contains(c);
    let length = first + rest[first..].find(|c: char| !is_part(c)).unwrap_or(rest.len() - first);
    let ends = |c: char| signs.goes_on.contains(c) && !signs.ends.contains(c);
    rest[..length].trim_end_matches(ends).len().max(first)
}

fn is_nix_escape(rest: &[u8]) -> bool {
    rest.starts_with(b"''") && matches!(rest.get(2), Some(b'\'' | b'$' | b'\\'))
}

/// The length of a name with the `$` before it.
fn name_end(rest: &str) -> usize {
    let name = rest.get(1..).unwrap_or_default();
    let part = |c: char| c == '_' || c.is_alphanumeric();
    if !begins_word(name) { 1 } else { 1 + name.find(|c| !part(c)).unwrap_or(name.len()) }
}

/// Where the bracket closes that a text begins with, in a mark of a length.
fn bracket_end(bytes: &[u8], mark: usize) -> Option<usize> {
    let (open, close) = match bytes.get(mark - 1)? {
        b'(' => (b'(', b')'),
        _ => (b'{', b'}'),
    };
    let mut depth = 1;
    for (at, byte) in bytes.iter().enumerate().take(MAX_INNER).skip(mark) {
        depth += i32::from(*byte == open) - i32::from(*byte == close);
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Where the last line begins that begins inside of a piece.
fn last_line(piece: &[u8], start: usize) -> Option<usize> {
    memchr::memrchr(b'\n', piece).map(|newline| start + newline + 1)
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end)
}

fn comment_end(rest: &[u8], signs: &Signs, first: bool) -> Option<usize> {
    for (open, close, nested) in signs.block_comments {
        if rest.starts_with(open.as_bytes()) {
            return Some(block_end(rest, open.as_bytes(), close.as_bytes(), *nested));
        }
    }
    let begins = |mark: &&str| rest.starts_with(mark.as_bytes());
    // Perl's documents: from a line that begins with `=` and a word to `=cut`.
    if first
        && signs.line_start_comments.contains(&"=")
        && rest.len() > 1
        && rest[0] == b'='
        && rest[1].is_ascii_alphabetic()
    {
        let end = memchr::memmem::find(rest, b"\n=cut").map_or(rest.len(), |end| line_end(rest, end + 1));
        return Some(end);
    }
    let line = signs.line_comments.iter().any(begins);
    (line || first && signs.line_start_comments.iter().any(begins)).then(|| line_end(rest, 0))
}

fn block_end(rest: &[u8], open: &[u8], close: &[u8], nested: bool) -> usize {
    let (mut depth, mut at) = (1, open.len());
    while at < rest.len() {
        if rest[at..].starts_with(close) {
            depth -= 1;
            at += close.len();
            if depth == 0 {
                return at;
            }
        } else if nested && rest[at..].starts_with(open) {
            depth += 1;
            at += open.len();
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// The length of a string with its quotes; one that does not end on its line, where it should, is none.
fn text_length(rest: &[u8], quote: &Quote) -> Option<usize> {
    if !rest.starts_with(quote.open.as_bytes()) {
        return None;
    }
    let mut at = quote.open.len();
    while at < rest.len() {
        match rest[at] {
            byte if byte == quote.escape && quote.escape != 0 => at += 1,
            b'\n' if !quote.lines => return None,
            // `${lookup(x, "a")}`: a string in the code of a string ends nothing.
            b'$' if quote.inner.iter().any(|mark| mark.len() > 1 && rest[at..].starts_with(mark.as_bytes())) => {
                let end = if quote.lines { rest.len() } else { line_end(rest, at) };
                at += bracket_end(&rest[at..end], 2).unwrap_or(0);
            }
            // `'''` and `''$` of Nix are two quotes and a dollar.
            b'\'' if quote.open == "''" && is_nix_escape(&rest[at..]) => at += 2,
            _ if rest[at..].starts_with(quote.close.as_bytes()) => return Some(at + quote.close.len()),
            _ => {}
        }
        at += 1;
    }
    quote.lines.then_some(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let tokens = Tokens::new(text, &C_SIGNS);
        (0..tokens.list.len()).map(|at| tokens.word(at)).collect()
    }

    #[test]
    fn comments_and_strings_are_one_piece_each() {
        assert_eq!(words("a /* b */ 'c d' // e\n== f"), ["a", "'c d'", "==", "f"]);
        assert_eq!(words("it's"), ["it", "'", "s"], "a quote that does not end is a sign");
        assert_eq!(words("é=1.5;"), ["é", "=", "1.5", ";"]);
    }

    #[test]
    fn brackets_find_each_other_past_one_that_is_open() {
        let tokens = Tokens::new("{ ( [ ] } x", &C_SIGNS);
        assert_eq!(tokens.partner, [4, 1, 3, 2, 0, 5]);
        assert_eq!(tokens.behind(0), 5);
    }
}
