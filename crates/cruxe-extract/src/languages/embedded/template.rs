//! The template of a component: which of it is code. Every expression becomes a statement (`;x;`, `;(x);`), every component a
//! call of it (`;Card();`), in the room that the markup around them leaves.

use std::ops::Range;

use super::script::Shown;

/// Whose template it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Markup {
    /// `{{ x }}`, `:a="x"`, `@a="x"`, `v-a="x"`.
    Vue,
    /// `{x}`, `{#if x}`, `a={x}`.
    Svelte,
    /// `{x}`, with markup inside of expressions.
    Astro,
}

/// Longer expressions are text that looks like one.
const MAX_EXPRESSION: usize = 4096;

/// Shows the code of a piece of template.
pub(super) fn template(text: &str, range: Range<usize>, markup: Markup, out: &mut Shown) {
    let bytes = text.as_bytes();
    let mut components = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let rest = &bytes[at..range.end];
        if rest.starts_with(b"<!--") {
            at += memchr::memmem::find(rest, b"-->").map_or(rest.len(), |end| end + 3);
        } else if rest[0] == b'<' && rest.get(1).is_some_and(|byte| byte.is_ascii_alphabetic()) {
            at = tag(text, at..range.end, markup, out, &mut components);
        } else if rest.starts_with(b"{{") && markup == Markup::Vue {
            let end = memchr::memmem::find(rest, b"}}").unwrap_or(rest.len());
            expression(text, at + 2..at + end, (b'(', b')'), out);
            at += (end + 2).min(rest.len());
        } else if rest[0] == b'{' && markup != Markup::Vue {
            at = braces(text, at..range.end, markup, out, &mut components);
        } else {
            at += 1;
        }
    }
    for name in components {
        called(name, out);
    }
}

/// The name of a component as a call of it, where there is room; a statement otherwise.
fn called(name: Range<usize>, out: &mut Shown) {
    if out.is_blank(name.end) && out.is_blank(name.end + 1) {
        out.sign(name.end, b'(');
        out.sign(name.end + 1, b')');
        out.sign(name.end + 2, b';');
    } else {
        out.sign(name.end, b';');
    }
}

/// Shows what a tag holds, and returns where it ends.
fn tag(text: &str, range: Range<usize>, markup: Markup, out: &mut Shown, components: &mut Vec<Range<usize>>) -> usize {
    let bytes = &text.as_bytes()[..range.end];
    let mut at = range.start + 1;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b':');
    at += bytes[at..].iter().take_while(|byte| is_name(byte)).count();
    let name = range.start + 1..at;
    let plain = bytes[name.clone()].iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    if bytes[name.start].is_ascii_uppercase() && plain && bytes[at - 1] != b'.' && out.sign(range.start, b';') {
        out.keep(name.clone());
        components.push(name);
    }
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'>' => return at + 1,
            b'{' if markup != Markup::Vue => at = braces(text, at..range.end, markup, out, components),
            b'"' | b'\'' => {
                let end = memchr::memchr(*byte, &bytes[at + 1..]).map_or(bytes.len(), |end| at + 1 + end);
                match markup {
                    Markup::Vue => attribute(text, at + 1..end, out),
                    Markup::Svelte => inside_quotes(text, at + 1..end, out),
                    Markup::Astro => {}
                }
                at = (end + 1).min(bytes.len());
            }
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Expressions inside of a quoted value: `class="a {b}"`.
fn inside_quotes(text: &str, range: Range<usize>, out: &mut Shown) {
    let mut at = range.start;
    while let Some(open) = memchr::memchr(b'{', &text.as_bytes()[at..range.end]) {
        at = braces(text, at + open..range.end, Markup::Svelte, out, &mut Vec::new());
    }
}

/// The value of an attribute of Vue that is code: those with `:`, `@`, `v-` before their name.
fn attribute(text: &str, value: Range<usize>, out: &mut Shown) {
    let before = text[..value.start - 1].trim_end_matches('=');
    let start = before.rfind(|c: char| c.is_whitespace() || c == '"' || c == '\'').map_or(0, |at| at + 1);
    let name = before.get(start..).unwrap_or_default();
    let runs = name.starts_with('@') || name.starts_with("v-on:");
    let code = &text[value.clone()];
    if name.starts_with("v-for") {
        let list = [" in ", " of "].iter().find_map(|word| code.find(word).map(|at| at + word.len()));
        return expression(text, value.start + list.unwrap_or(0)..value.end, (b';', b';'), out);
    }
    if name.starts_with("v-slot") || name.starts_with('#') {
        return; // it names what it is given
    }
    if runs || name.starts_with(':') || name.starts_with("v-") {
        // The `=` before the quote ends what stands before it.
        out.sign(value.start - 2, b';');
        expression(text, value, if runs { (b';', b';') } else { (b'(', b')') }, out);
    }
}

/// Shows an expression with signs before and behind it, where its brackets match.
fn expression(text: &str, range: Range<usize>, (before, behind): (u8, u8), out: &mut Shown) {
    let code = text.get(range.clone()).unwrap_or_default();
    if code.trim().is_empty() || code.len() > MAX_EXPRESSION || !is_balanced(code.as_bytes()) || !is_code(code) {
        return;
    }
    let Some(open) = range.start.checked_sub(1) else { return };
    if before == b'(' {
        open.checked_sub(1).map(|at| out.sign(at, b';'));
    }
    if out.sign(open, before) && out.is_blank(range.end) {
        out.keep(range.clone());
        out.sign(range.end, behind);
    }
}

/// Whether a text begins and ends as an expression can: a parser that stumbles over one gives up on others too.
fn is_code(code: &str) -> bool {
    let code = code.trim();
    let begins =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '(' | '[' | '{' | '!' | '\'' | '"' | '`' | '-' | '+');
    let ends = |c: char| {
        c.is_alphanumeric() || matches!(c, '_' | '$' | ')' | ']' | '}' | '\'' | '"' | '`' | '+' | '-' | ';' | '!')
    };
    code.starts_with(begins) && code.ends_with(ends)
}

/// Whether brackets and quotes match.
fn is_balanced(code: &[u8]) -> bool {
    let (mut open, mut at) = (Vec::new(), 0);
    while let Some(byte) = code.get(at) {
        match byte {
            b'(' => open.push(b')'),
            b'[' => open.push(b']'),
            b'{' => open.push(b'}'),
            b')' | b']' | b'}' if open.pop() != Some(*byte) => return false,
            b'"' | b'\'' | b'`' => match quoted(code, at) {
                Some(end) => at = end - 1,
                None => return false,
            },
            _ => {}
        }
        at += 1;
    }
    open.is_empty()
}

/// The offset behind a quoted text.
fn quoted(code: &[u8], open: usize) -> Option<usize> {
    let mut at = open + 1;
    loop {
        match code.get(at)? {
            b'\\' => at += 1,
            byte if *byte == code[open] => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
}

/// The `}` that belongs to a `{`.
fn closing(bytes: &[u8], open: usize) -> Option<usize> {
    let (mut depth, mut at) = (0u32, open);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some(at),
            b'}' => depth -= 1,
            b'"' | b'\'' | b'`' => at = quoted(bytes, at).map_or(at, |end| end - 1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Shows what braces of Svelte or Astro hold, and returns where they end.
fn braces(
    text: &str,
    range: Range<usize>,
    markup: Markup,
    out: &mut Shown,
    components: &mut Vec<Range<usize>>,
) -> usize {
    let open = range.start;
    let Some(end) = closing(&text.as_bytes()[..range.end], open) else { return open + 1 };
    let code = &text[open + 1..end];
    if let Some(from) = markup_inside(code).filter(|_| markup == Markup::Astro) {
        // What stands before the markup ends with a word that wants more: only the value before it is shown.
        let head = code[..from].trim_end_matches(|c: char| c.is_whitespace() || "(&?|:=>".contains(c));
        let simple = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '!');
        let length = head.find(|c: char| !simple(c)).unwrap_or(head.len());
        expression(text, open + 1..open + 1 + length, (b';', b';'), out);
        template(text, open + 1 + from..end, markup, out);
        return end + 1;
    }
    let (skip, length) = if markup == Markup::Svelte { block(code) } else { (spread(code), code.len()) };
    if skip < length && !code[skip..length].trim_start().starts_with('{') {
        expression(text, open + 1 + skip..open + 1 + length, (b';', b';'), out);
    }
    let _ = components;
    end + 1
}

/// Where markup begins inside of an expression: `cond && <li>…`.
fn markup_inside(code: &str) -> Option<usize> {
    let bytes = code.as_bytes();
    memchr::memchr_iter(b'<', bytes).find(|at| {
        let before = code[..*at].trim_end();
        let opens = bytes.get(at + 1).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'>');
        opens
            && (before.is_empty()
                || before.ends_with(['(', '&', '?', ':', '>', '|', '{'])
                || before.ends_with("return"))
    })
}

fn spread(code: &str) -> usize {
    if code.starts_with("...") { 3 } else { 0 }
}

/// Which part of `{#if x}`, `{:else if x}`, `{#each xs as x}`, `{@html x}` is an expression; of `{/if}` none.
fn block(code: &str) -> (usize, usize) {
    let none = (0, 0);
    let after = |word: &str| (word.len(), code.len());
    match code.as_bytes().first() {
        Some(b'#') if code.starts_with("#each ") => (6, code.find(" as ").unwrap_or(code.len())),
        Some(b'#') if code.starts_with("#await ") => (7, code.find(" then ").unwrap_or(code.len())),
        Some(b'#') if code.starts_with("#if ") => after("#if "),
        Some(b'#') if code.starts_with("#key ") => after("#key "),
        Some(b':') if code.starts_with(":else if ") => after(":else if "),
        Some(b'@') if code.starts_with("@html ") => after("@html "),
        Some(b'@') if code.starts_with("@render ") => after("@render "),
        Some(b'#' | b':' | b'@' | b'/') => none,
        _ => (spread(code), code.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::script::shown;
    use super::Markup;

    /// What is shown, without the blanks.
    fn code(text: &str, markup: Markup) -> String {
        let shown = shown(text, markup);
        assert_eq!(shown.len(), text.len());
        for (at, c) in shown.char_indices().filter(|(_, c)| c.is_alphanumeric()) {
            assert!(text[at..].starts_with(c), "{c} at {at}");
        }
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn vue_shows_expressions_components_and_handlers() {
        let text = "<template>\n  <UserCard :user=\"user\" class=\"big\" @save=\"store(user); close()\"/>\n  <p v-if=\"ok\">{{ name.trim() }} and text</p>\n  <li v-for=\"item in items\">{{ item }}</li>\n</template>\n";
        assert_eq!(
            code(text, Markup::Vue),
            ";UserCard(); ;(user) ;;store(user); close(); ;(ok) ;( name.trim() ) ;items; ;( item )"
        );
    }

    #[test]
    fn svelte_shows_what_braces_hold() {
        let text = "<Card on:click={save} class=\"a {b}\" {...rest}>{#each items as item}{item.name}{/each}{#if a && b}x{:else}y{/if}</Card>";
        assert_eq!(code(text, Markup::Svelte), ";Card(); ;save; ;b; ;rest; ;items; ;item.name; ;a && b;");
    }

    #[test]
    fn astro_shows_front_matter_and_expressions() {
        let text = "---\nimport Card from './Card.astro';\nconst title = 'x';\n---\n<Card title={title} />\n{items.map((item) => <li>{item.name}</li>)}\n";
        let shown = code(text, Markup::Astro);
        assert!(shown.starts_with("import Card from './Card.astro'; const title = 'x'; ;Card();"), "{shown}");
        assert!(shown.contains(";title;") && shown.contains(";item.name;") && shown.contains(";items.map;"), "{shown}");
    }

    #[test]
    fn only_scripts_that_hold_code_are_shown() {
        let text = "<script type=\"application/json\">{\"a\": 1}</script><!-- <script>no()</script> --><style>p { a: b }</style><script setup lang=\"ts\">const a = 1;</script>";
        assert_eq!(code(text, Markup::Vue), "const a = 1;");
        assert_eq!(code("<script>const a = 1;", Markup::Vue), "const a = 1;", "the end may be missing");
    }
}
