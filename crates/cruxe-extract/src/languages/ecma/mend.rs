//! Valid TypeScript that the grammars stumble over, written in a way that they understand.
//!
//! One construct that a grammar does not know can cost every symbol of a file. A file that does not parse is tried
//! once more with such constructs replaced; every replacement has the length of what it replaces, so that all
//! positions stay true, and names are read from the original text.

use memchr::memmem;

/// How far a bracket or a word is looked for.
const MAX_REACH: usize = 4096;

/// The text with every known stumbling block replaced; `None` when there is none.
pub(super) fn mend(text: &str) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    end_members(&mut bytes);
    drop_variance(&mut bytes);
    drop_words(&mut bytes);
    name_import_types(&mut bytes);
    if bytes == text.as_bytes() { None } else { String::from_utf8(bytes).ok() }
}

/// `get(): T⏎ <K>(key: K): V`: without a semicolon the grammars take the next member for type arguments, and `in2` at
/// the start of a line for the operator `in`.
fn end_members(bytes: &mut [u8]) {
    let mut last = b'{'; // the last byte of the code above
    let mut start = 0;
    while start < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at);
        let line = bytes[start..end].trim_ascii();
        let first = start + bytes[start..end].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if !line.is_empty() && !line.starts_with(b"//") && !line.starts_with(b"/*") && !line.starts_with(b"*") {
            let ended =
                last.is_ascii_alphanumeric() || matches!(last, b'_' | b'$' | b')' | b']' | b'>' | b'}' | b'\'' | b'"');
            let code = memmem::find(line, b" //").map_or(line, |at| line[..at].trim_ascii_end());
            last = if code.ends_with(b"=>") { b'=' } else { code.last().copied().unwrap_or(last) };
            if ended && first > 0 && begins_member(bytes, first) {
                bytes[first - 1] = b';';
            }
        }
        start = end + 1;
    }
}

/// Whether `<K>(` or a property whose name begins like the operator `in` stands at an offset.
fn begins_member(bytes: &[u8], at: usize) -> bool {
    let rest = &bytes[at..bytes.len().min(at + MAX_REACH)];
    if let [b'i', b'n', next, ..] = rest {
        return next.is_ascii_digit() || matches!(next, b'_' | b'$' | b'?' | b':');
    }
    if rest.first() != Some(&b'<') {
        return false;
    }
    let mut depth = 0usize;
    for (offset, byte) in rest.iter().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' if rest[offset - 1] != b'=' => depth -= 1,
            b';' => return false,
            _ => {}
        }
        if depth == 0 {
            return rest[offset + 1..].trim_ascii_start().first() == Some(&b'(');
        }
    }
    false
}

/// `interface Box<in out T>`: the words say nothing about names.
fn drop_variance(bytes: &mut [u8]) {
    for word in [&b"in"[..], b"out"] {
        for at in words(bytes, word) {
            let before = last_code(&bytes[at.saturating_sub(MAX_REACH)..at]);
            let after = &bytes[at + word.len()..];
            let next: &[u8] = after.trim_ascii_start();
            let next = &next[..next.iter().take_while(|byte| is_word(**byte)).count()];
            let named = next.first().is_some_and(|byte| !byte.is_ascii_digit());
            if matches!(before, Some(b'<' | b',')) && named && !matches!(next, b"as" | b"extends" | b"from" | b"of") {
                bytes[at..at + word.len()].fill(b' ');
            }
        }
    }
}

/// `export type * from`, `import x from 'y' assert { … }`, `import source x from`.
fn drop_words(bytes: &mut [u8]) {
    for at in words(bytes, b"type") {
        let before = bytes[..at].trim_ascii_end();
        if before.ends_with(b"export") && bytes[at + 4..].trim_ascii_start().first() == Some(&b'*') {
            bytes[at..at + 4].fill(b' ');
        }
    }
    for at in words(bytes, b"assert") {
        let quoted = matches!(last_code(&bytes[at.saturating_sub(8)..at]), Some(b'\'' | b'"'));
        if quoted && bytes[at + 6..].trim_ascii_start().first() == Some(&b'{') {
            bytes[at..at + 6].copy_from_slice(b"with  ");
        }
    }
    for word in [&b"source"[..], b"defer"] {
        for at in words(bytes, word) {
            let next = bytes[at + word.len()..].trim_ascii_start();
            let named = next.first().is_some_and(|byte| is_word(*byte) || *byte == b'*') && !next.starts_with(b"from");
            if bytes[..at].ends_with(b"import ") && named {
                bytes[at..at + word.len()].fill(b' ');
            }
        }
    }
}

/// `import('x').T` as a type is given the shape of a name, which [`super::names`] knows by its text.
fn name_import_types(bytes: &mut [u8]) {
    for at in words(bytes, b"import") {
        let rest = &bytes[at..bytes.len().min(at + MAX_REACH)];
        let Some(close) = memchr::memchr(b')', rest) else { continue };
        let quoted = matches!(rest.get(6..8), Some(b"('" | b"(\"")) && matches!(rest[close - 1], b'\'' | b'"');
        let before = bytes[..at].trim_ascii_end();
        let line = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        let alias = before.ends_with(b"=") && memmem::find(&before[line..], b"type ").is_some();
        // `(import('x').T)[]` is a type, `(import('x').then(…))` a value.
        let member = rest[close + 1..].strip_prefix(b".").and_then(<[u8]>::first);
        let named = member.is_some_and(u8::is_ascii_uppercase);
        let in_type = alias
            || before.ends_with(b"typeof")
            || matches!(before.last(), Some(b':' | b'<' | b'|' | b'&' | b','))
            || (named && (before.ends_with(b"(") || before.ends_with(b"=>")));
        if quoted && in_type && !rest[..close].contains(&b'\n') {
            bytes[at + 6..=at + close].fill(b'_');
        }
    }
}

/// Where a word stands alone.
fn words(bytes: &[u8], word: &[u8]) -> Vec<usize> {
    memmem::find_iter(bytes, word)
        .filter(|at| {
            let before = at.checked_sub(1).map(|at| bytes[at]);
            let after = bytes.get(at + word.len()).copied();
            !before.is_some_and(|byte| is_word(byte) || byte == b'.') && !after.is_some_and(is_word)
        })
        .collect()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// The last byte that is neither white space nor part of a comment.
fn last_code(bytes: &[u8]) -> Option<u8> {
    let mut code = bytes.trim_ascii_end();
    for _ in 0..8 {
        let line = memchr::memrchr(b'\n', code).map_or(0, |at| at + 1);
        let end = match code.strip_suffix(b"*/") {
            Some(inner) => memmem::rfind(inner, b"/*")?,
            None => match memmem::find(&code[line..], b"//") {
                Some(at) => line + at,
                None => break,
            },
        };
        code = code[..end].trim_ascii_end();
    }
    code.last().copied()
}

#[cfg(test)]
mod tests {
    use super::mend;

    #[test]
    fn every_replacement_has_the_length_of_what_it_replaces() {
        let text =
            "interface A<in out T> {\n  a(): T\n  <K>(k: K): T\n  in2?: import('ü').B<C>\n}\nexport type * from 'x'";
        let mended = mend(text).unwrap();
        assert_eq!(mended.len(), text.len());
        assert_eq!(
            mended,
            "interface A<       T> {\n  a(): T\n ;<K>(k: K): T\n ;in2?: import______.B<C>\n}\nexport      * from 'x'"
        );
    }

    #[test]
    fn text_without_stumbling_blocks_is_left_alone() {
        assert_eq!(
            mend("import { a, out as b } from 'x';\nconst c =\n  <T>(x: T) => x;\nfor (const k in o) f(k, out);"),
            None
        );
    }
}
