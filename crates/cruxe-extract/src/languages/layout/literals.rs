//! What looks like the beginning of a comment or a string and is none, for [`super::tokens::Signs::literal`].

use super::tokens::{Kind, Tokens};

/// More characters than a name of a character has: `'\\u{10ffff}'`.
const MAX_CHAR: usize = 12;

type Literal = Option<(Kind, usize)>;

/// `'"'` and `'\\''`; the prime of `x'`, `'a list` and `it's` is none.
pub fn quoted_char(tokens: &Tokens, at: usize) -> Literal {
    let rest = tokens.text.get(at..)?;
    let inner = rest.strip_prefix('\'')?;
    let follows =
        tokens.text.get(..at)?.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | ')' | ']'));
    if follows {
        return None;
    }
    let end = match inner.strip_prefix('\\') {
        Some(escaped) => {
            let first = escaped.chars().next()?.len_utf8();
            1 + first + escaped.get(first..)?.find('\'').filter(|end| *end <= MAX_CHAR)?
        }
        None => inner.chars().next().filter(|c| !matches!(c, '\'' | '\n')).map(char::len_utf8)?,
    };
    inner.get(end..)?.starts_with('\'').then_some((Kind::Text, end + 2))
}

/// `\\(`, `\\newline` of Clojure.
pub fn backslash_char(tokens: &Tokens, at: usize) -> Literal {
    let inner = tokens.text.get(at..)?.strip_prefix('\\')?;
    let first = inner.chars().next().filter(|c| !c.is_whitespace())?;
    let word = inner.find(|c: char| !c.is_alphanumeric()).unwrap_or(inner.len());
    Some((Kind::Text, 1 + word.max(first.len_utf8())))
}

/// `$"` and `$\\n` of Erlang.
pub fn dollar_char(tokens: &Tokens, at: usize) -> Literal {
    let inner = tokens.text.get(at..)?.strip_prefix('$')?;
    let escape = usize::from(inner.starts_with('\\'));
    let first = inner.get(escape..)?.chars().next()?;
    Some((Kind::Text, 1 + escape + first.len_utf8()))
}

/// The text of `<<EOT`, from the end of its line up to the line that is `EOT`.
pub fn heredoc(tokens: &Tokens, at: usize) -> Literal {
    let text = tokens.text;
    if !text.get(at..)?.starts_with('\n') {
        return None;
    }
    let line = text.get(..at)?.rfind('\n').map_or(0, |newline| newline + 1);
    let on_line = tokens.list.iter().rev().take_while(|token| token.start as usize >= line).count();
    let from = tokens.list.len() - on_line;
    let close = |at: usize| tokens.get(at + 1).is_some_and(|next| !next.apart);
    let mark = (from..tokens.list.len()).find_map(|at| {
        let opens = tokens.is(at, "<") && close(at) && (tokens.is(at + 1, "<") || tokens.is(at + 1, "<-"));
        let name = if tokens.is(at + 2, "~") { at + 3 } else { at + 2 };
        let word = tokens.word(name);
        let tag = word.trim_matches(['"', '\'']);
        let named = tag.starts_with(|c: char| c.is_uppercase() || c == '_') || tag.len() + 2 == word.len();
        (opens && close(name - 1) && named && !tag.is_empty()).then_some(tag)
    })?;
    let mut end = at + 1;
    for line in text.get(end..)?.split_inclusive('\n') {
        if line.trim() == mark {
            return Some((Kind::Text, end - at)).filter(|(_, length)| *length > 1);
        }
        end += line.len();
    }
    None
}

/// Perl: patterns, quotes with a mark of one's own, texts below a line, variables that are a sign, what stands behind
/// `__END__`.
pub fn perl(tokens: &Tokens, at: usize) -> Literal {
    let text = tokens.text;
    let rest = text.get(at..)?;
    let first = rest.chars().next()?;
    let ends = |behind: &str| !behind.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    match first {
        '\n' => heredoc(tokens, at),
        '_' if ["__END__", "__DATA__"].iter().any(|word| rest.strip_prefix(word).is_some_and(ends)) => {
            let begins = at == 0 || text.get(..at)?.ends_with('\n');
            begins.then_some((Kind::Text, rest.len()))
        }
        // `$#list`, `$#{…}`, `$"`, `$'`, `$/`.
        '$' if !text.get(..at)?.ends_with('$') && rest[1..].starts_with(['#', '"', '\'', '/', '`', ';', ',', '\\']) => {
            Some((Kind::Sign, 2))
        }
        // `$x // 1` is a default.
        '/' if rest.starts_with("//") => Some((Kind::Sign, 2)),
        '/' if may_be_pattern(tokens) && !delimited(rest, '/').is_some_and(|end| rest[..end].contains('\n')) => {
            delimited(rest, '/').map(|end| (Kind::Text, with_flags(rest, end)))
        }
        'm' | 'q' | 's' | 't' | 'y' => quote_like(tokens, at),
        _ => None,
    }
}

/// `m{…}`, `qr/…/`, `q(…)`, `qq{…}`, `s/…/…/g`, `tr/…/…/`. The words of `qw(…)` stay words.
fn quote_like(tokens: &Tokens, at: usize) -> Literal {
    let rest = tokens.text.get(at..)?;
    let before = tokens.text.get(..at)?;
    // `->s`, `$s`, `sub y`, `{s}` are names.
    if before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@' | '%' | '&' | '>' | ':')) {
        return None;
    }
    let last = tokens.list.len().wrapping_sub(1);
    if tokens.word(last) == "sub" || tokens.is(last, "->") {
        return None;
    }
    let word = ["qq", "qr", "tr", "m", "q", "s", "y"].into_iter().find(|word| rest.starts_with(word))?;
    let behind = rest.get(word.len()..)?;
    let mark = behind.chars().next().filter(|c| "/{([<!|#~@^".contains(*c))?;
    let mut end = delimited(behind, mark)?;
    if matches!(word, "s" | "tr" | "y") {
        let second = behind.get(end..)?;
        end += match mark {
            '{' | '(' | '[' | '<' => {
                let blanks = second.len() - second.trim_start().len();
                let second = second.trim_start();
                let mark = second.chars().next().filter(|c| "/{([<!|#~@^".contains(*c))?;
                blanks + delimited(second, mark)?
            }
            // One mark ends the first part and begins the second.
            mark => delimited(behind.get(end - mark.len_utf8()..)?, mark)? - mark.len_utf8(),
        };
    }
    Some((Kind::Text, word.len() + with_flags(behind, end)))
}

/// Where a text ends that begins with a mark, behind the mark's partner.
fn delimited(text: &str, open: char) -> Option<usize> {
    let close = match open {
        '{' => '}',
        '(' => ')',
        '[' => ']',
        '<' => '>',
        other => other,
    };
    let (mut depth, mut escaped) = (1, false);
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == close => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + c.len_utf8());
                }
            }
            c if c == open => depth += 1,
            _ => {}
        }
    }
    None
}

/// The length with the letters behind a pattern.
fn with_flags(text: &str, end: usize) -> usize {
    let rest = text.get(end..).unwrap_or_default();
    end + rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len())
}

/// Whether a `/` cannot divide, by what stands before it.
fn may_be_pattern(tokens: &Tokens) -> bool {
    let Some(last) = tokens.list.len().checked_sub(1) else { return true };
    let sign = tokens.list.get(last).is_some_and(|token| token.kind == Kind::Sign);
    match tokens.word(last) {
        ")" | "]" | "}" => false,
        "and" | "grep" | "if" | "map" | "not" | "or" | "return" | "split" | "unless" | "when" | "x" => true,
        _ => sign,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::{C_SIGNS, Signs, Tokens, quote};
    use super::*;

    fn words(text: &str, literal: fn(&Tokens, usize) -> Literal) -> Vec<&str> {
        const SIGNS: Signs =
            Signs { quotes: &[quote("\"")], line_comments: &["#"], block_comments: &[], begins: "$@", ..C_SIGNS };
        let signs = Signs { literal, ..SIGNS };
        let tokens = Tokens::new(text, &signs);
        (0..tokens.list.len()).map(|at| tokens.word(at)).collect()
    }

    #[test]
    fn a_quoted_quote_begins_no_string() {
        assert_eq!(words("f '\"' '\\'' x' '('", quoted_char), ["f", "'\"'", "'\\''", "x", "'", "'('"]);
        assert_eq!(words("\\( \\newline (a)", backslash_char), ["\\(", "\\newline", "(", "a", ")"]);
        assert_eq!(words("$\" $\\n x", dollar_char), ["$\"", "$\\n", "x"]);
    }

    #[test]
    fn patterns_of_perl_are_one_piece_each_and_divisions_are_none() {
        assert_eq!(words("$x =~ s!([\"/])!$y!gs;", perl), ["$x", "=", "~", "s!([\"/])!$y!gs", ";"]);
        assert_eq!(words("split /#/, $a / $b / 2", perl), ["split", "/#/", ",", "$a", "/", "$b", "/", "2"]);
        assert_eq!(words("$a // '/' if $b", perl).len(), 7, "a default is no pattern");
        assert_eq!(words("$#{$x} + $h{s} # y", perl), ["$#", "{", "$x", "}", "+", "$h", "{", "s", "}"]);
        assert_eq!(words("s {", perl), ["s", "{"]);
        assert_eq!(words("tr{a}{b} qw(a b) y => 1", perl), ["tr{a}{b}", "qw", "(", "a", "b", ")", "y", "=>", "1"]);
    }

    #[test]
    fn a_text_below_its_line_is_one_piece() {
        assert_eq!(
            words("f(<<EOT, 1);\nsub no {\nEOT\nx", perl),
            ["f", "(", "<", "<", "EOT", ",", "1", ")", ";", "\nsub no {\n", "EOT", "x"]
        );
        assert_eq!(words("1 << X\ny\nX", heredoc), ["1", "<", "<", "X", "y", "X"]);
        assert_eq!(words("a\n__END__\nsub no", perl), ["a", "__END__\nsub no"]);
    }
}
