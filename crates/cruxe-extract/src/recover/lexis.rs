//! Just enough of a language's tokens to find the braces that count: those outside of strings and comments.

/// How a language writes strings, comments and the ends of declarations.
#[derive(Clone, Copy)]
pub struct Lexis {
    /// What begins a comment.
    pub comments: Comments,
    /// `/* /* */ */` is one comment.
    pub nested_comments: bool,
    /// `#` at the start of a line begins a directive of a preprocessor.
    pub directives: bool,
    /// `'` quotes a character, or a string where `strings` says so.
    pub quotes: Quotes,
    /// `"""` quotes text with line feeds.
    pub triple: bool,
    /// `${` in a string holds code.
    pub templates: bool,
    /// A string may go on over several lines.
    pub long_strings: bool,
    /// A backtick quotes text with line feeds.
    pub backticks: bool,
    /// `<<WORD` quotes the lines up to one with that word.
    pub heredocs: bool,
    /// A declaration ends with its line.
    pub lines: bool,
    /// There are no braces: a declaration goes as far as what is indented more.
    pub layout: bool,
    /// There are braces, whether or not they match.
    pub braced: bool,
    /// What begins with `@` or `#[` stands before what it is about.
    pub annotations: bool,
    /// The body of a declaration cannot be taken apart: it is one expression.
    pub undivided: bool,
    /// Has to stand before a piece of code, or the grammar takes it for something else.
    pub opening: &'static str,
    /// Words before the braces of what holds declarations.
    pub types: &'static [&'static str],
    /// Stands around a declaration of a type whose own head the grammar does not understand.
    pub in_type: (&'static str, &'static str),
    /// Stands around a statement of a function whose own head the grammar does not understand.
    pub in_function: (&'static str, &'static str),
    /// Finds what can be taken out of a piece of code without loss, such as attribute-like macros.
    pub removable: fn(&str) -> Vec<std::ops::Range<usize>>,
    /// Finds those of them that can be nothing else; they are taken out of every file before it is parsed.
    pub attributes: fn(&str) -> Vec<std::ops::Range<usize>>,
    /// Finds those of them that are nothing else by their looks; they are taken out around errors.
    pub doubtful: fn(&str) -> Vec<std::ops::Range<usize>>,
}

/// What begins a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comments {
    /// `//` and `/*`.
    Slashes,
    /// They, and `#`.
    SlashesAndHash,
    /// `#`.
    Hash,
    /// `--` and `--[[`.
    Lua,
    /// `--` and `{-`.
    Haskell,
}

/// What `'` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quotes {
    /// A character, on one line and short.
    Character,
    /// A string.
    Text,
}

/// What most languages with braces have in common, for `..BRACES`.
pub const BRACES: Lexis = Lexis {
    comments: Comments::Slashes,
    nested_comments: false,
    directives: false,
    quotes: Quotes::Character,
    triple: false,
    templates: false,
    long_strings: false,
    backticks: false,
    heredocs: false,
    lines: false,
    layout: false,
    braced: true,
    annotations: true,
    undivided: false,
    opening: "",
    types: &["class", "interface", "enum", "record"],
    in_type: ("class X {", "}"),
    in_function: ("class X { void f() {", "} }"),
    removable: |_| Vec::new(),
    attributes: |_| Vec::new(),
    doubtful: |_| Vec::new(),
};

/// What most languages without braces have in common, for `..LAYOUT`.
pub const LAYOUT: Lexis = Lexis {
    comments: Comments::Hash,
    quotes: Quotes::Text,
    layout: true,
    braced: false,
    annotations: false,
    types: &["class", "module"],
    ..BRACES
};

/// Where the line of a preprocessor's directive ends, with all that a `\` at its end joins to it.
pub(crate) fn directive_end(text: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(end) = memchr::memchr(b'\n', &text[at..]).map(|end| at + end) {
        let line = &text[at..end];
        if !line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"\\") {
            return end;
        }
        at = end + 1;
    }
    text.len()
}

/// How deep code inside of strings inside of code is followed.
const MAX_TEMPLATES: u32 = 4;

impl Lexis {
    /// Where the comment or string that begins at an offset ends; the offset itself when none does.
    #[inline]
    pub(crate) fn skip(&self, bytes: &[u8], at: usize) -> usize {
        // Whoever asks does so for every byte, and most begin neither.
        match bytes.get(at) {
            Some(b'/' | b'#' | b'-' | b'{' | b'`' | b'\'' | b'"') => self.skip_at(bytes, at, 0),
            _ => at,
        }
    }

    /// Where the comment that begins at an offset ends; the offset itself when none does.
    pub(crate) fn comment_at(&self, bytes: &[u8], at: usize) -> usize {
        use Comments::{Hash, Haskell, Lua, Slashes, SlashesAndHash};
        let rest = &bytes[at..];
        let block = |end: &[u8]| memchr::memmem::find(rest, end).map_or(rest.len(), |at| at + end.len());
        let length = match (self.comments, rest) {
            (Slashes | SlashesAndHash, [b'/', b'/', ..]) => line(rest),
            (Slashes | SlashesAndHash, [b'/', b'*', ..]) => self.comment(rest),
            (SlashesAndHash, [b'#', next, ..]) if *next != b'[' => line(rest),
            (Hash, [b'#', ..]) => line(rest),
            (Lua, [b'-', b'-', b'[', b'[', ..]) => block(b"]]"),
            (Haskell, [b'{', b'-', ..]) => block(b"-}"),
            (Lua | Haskell, [b'-', b'-', ..]) => line(rest),
            _ => 0,
        };
        (at + length).min(bytes.len())
    }

    fn skip_at(&self, bytes: &[u8], at: usize, level: u32) -> usize {
        let rest = &bytes[at..];
        let comment = self.comment_at(bytes, at);
        if comment > at {
            return comment;
        }
        let length = match rest {
            [b'`', ..] if self.backticks => memchr::memchr(b'`', &rest[1..]).map_or(rest.len(), |end| end + 2),
            [b'\'', b'\'', b'\'', ..] if self.triple && self.quotes == Quotes::Text => {
                memchr::memmem::find(&rest[3..], b"'''").map_or(rest.len(), |end| end + 6)
            }
            [b'"', ..] if self.quotes == Quotes::Character && is_verbatim(bytes, at) => verbatim(rest),
            [b'"', b'"', b'"', ..] if self.triple => {
                let quotes = rest.iter().take_while(|byte| **byte == b'"').count().min(8);
                let end = memchr::memmem::find(&rest[quotes..], &rest[..quotes]);
                end.map_or(rest.len(), |end| end + 2 * quotes)
            }
            [b'"', ..] if self.directives && at > 0 && bytes[at - 1] == b'R' => raw(rest),
            [b'"', ..] => self.string(rest, level),
            [b'\'', ..] if self.quotes == Quotes::Text => self.string(rest, level),
            [b'\'', ..] if at > 0 && bytes[at - 1].is_ascii_alphanumeric() => 0, // `1'000`
            [b'\'', ..] => character(rest),
            _ => 0,
        };
        (at + length).min(bytes.len())
    }

    fn comment(&self, rest: &[u8]) -> usize {
        if !self.nested_comments {
            return memchr::memmem::find(&rest[2..], b"*/").map_or(rest.len(), |end| end + 4);
        }
        let (mut depth, mut at) = (0, 0);
        while at < rest.len() {
            match &rest[at..] {
                [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
                [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
                _ => at += 1,
            }
            if depth == 0 {
                return at;
            }
        }
        rest.len()
    }

    /// A string on one line; one that is not closed ends with its line.
    fn string(&self, rest: &[u8], level: u32) -> usize {
        let quote = rest[0];
        let mut at = 1;
        while at < rest.len() {
            match rest[at] {
                b'\\' => at += 2,
                b'\n' if !self.long_strings => return at,
                b'$' if self.templates && level < MAX_TEMPLATES && rest.get(at + 1) == Some(&b'{') => {
                    at = self.template(rest, at + 2, level);
                }
                byte if byte == quote => return at + 1,
                _ => at += 1,
            }
        }
        rest.len()
    }

    fn template(&self, rest: &[u8], mut at: usize, level: u32) -> usize {
        let mut depth = 1;
        while at < rest.len() && depth > 0 && rest[at] != b'\n' {
            let next = self.skip_at(rest, at, level + 1);
            if next > at {
                at = next;
                continue;
            }
            match rest[at] {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
            at += 1;
        }
        at
    }
}

fn line(rest: &[u8]) -> usize {
    memchr::memchr(b'\n', rest).unwrap_or(rest.len())
}

/// `'x'`, `'\n'`, `'\u1234'`; anything else is a quote that means something else.
fn character(rest: &[u8]) -> usize {
    let end = if rest.get(1) == Some(&b'\\') { 3 } else { 2 };
    let found = rest.iter().take(14).skip(end).position(|byte| *byte == b'\'').map(|at| end + at + 1);
    found.filter(|end| !rest[..*end].contains(&b'\n')).unwrap_or(1)
}

/// `R"x(…)x"`.
fn raw(rest: &[u8]) -> usize {
    let Some(open) = rest.iter().take(20).position(|byte| *byte == b'(') else { return 1 };
    let end = [b")", &rest[1..open], b"\""].concat();
    memchr::memmem::find(rest, &end).map_or(rest.len(), |at| at + end.len())
}

/// `@"…"`, `$@"…"`: a quote inside is written twice.
fn is_verbatim(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[at.saturating_sub(2)..at];
    before.ends_with(b"@") || before.ends_with(b"@$")
}

fn verbatim(rest: &[u8]) -> usize {
    let mut at = 1;
    while let Some(next) = memchr::memchr(b'"', &rest[at.min(rest.len())..]) {
        at += next + 1;
        if rest.get(at) != Some(&b'"') {
            return at;
        }
        at += 1;
    }
    rest.len()
}
