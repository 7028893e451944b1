//! A type as comments write it: TypeScript's types, and the forms of Closure's that people still use.

use cruxe_model::facts::{MAYBE, NameId, TypeId};

use super::super::expr::REST;
use super::super::{Ecma, MAX_STEPS};
use super::is_name_letter;
use crate::walk::Cx;

/// Types that are there without being declared. Any other name that is not in sight says nothing: comments are not checked.
const KNOWN: &[&str] = &[
    "Array",
    "ArrayBuffer",
    "AsyncIterable",
    "AsyncIterator",
    "BigInt",
    "Boolean",
    "Buffer",
    "Date",
    "Error",
    "Function",
    "Iterable",
    "IterableIterator",
    "Iterator",
    "Map",
    "Number",
    "Object",
    "Partial",
    "Pick",
    "Omit",
    "Promise",
    "PromiseLike",
    "ReadonlyArray",
    "ReadonlyMap",
    "ReadonlySet",
    "Readonly",
    "Record",
    "RegExp",
    "Required",
    "Set",
    "String",
    "Symbol",
    "Uint8Array",
    "URL",
    "WeakMap",
    "WeakRef",
    "WeakSet",
    "any",
    "bigint",
    "boolean",
    "never",
    "null",
    "number",
    "object",
    "string",
    "symbol",
    "this",
    "undefined",
    "unknown",
    "void",
];

pub(super) struct Reader<'r, 's> {
    ecma: &'r Ecma,
    text: &'s str,
    at: usize,
    /// Offset of the text in the file.
    start: u32,
}

impl<'r, 's> Reader<'r, 's> {
    pub(super) fn new(ecma: &'r Ecma, text: &'s str, start: u32) -> Self {
        Reader { ecma, text, at: 0, start }
    }

    /// The whole text as a type; `None` where it is none.
    pub(super) fn whole(mut self, cx: &mut Cx<'_, 's, '_>) -> Option<TypeId> {
        let ty = self.union(cx, 0)?;
        self.eat("="); // `{T=}`: an argument that may be left out
        self.blank();
        (self.at == self.text.len()).then_some(ty)
    }

    fn rest(&self) -> &'s str {
        &self.text[self.at..]
    }

    /// Skips blanks, and the star that begins a line of a comment.
    fn blank(&mut self) {
        loop {
            let rest = self.rest();
            let inner = rest.trim_start_matches([' ', '\t']);
            self.at += rest.len() - inner.len();
            if !inner.starts_with(['\n', '\r']) {
                return;
            }
            let inner = inner.trim_start();
            let inner = inner.strip_prefix('*').unwrap_or(inner);
            self.at = self.text.len() - inner.len();
        }
    }

    fn eat(&mut self, token: &str) -> bool {
        self.blank();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
            self.blank();
        }
        found
    }

    /// Eats a word that is followed by something else than a letter.
    fn eat_word(&mut self, word: &str) -> bool {
        self.blank();
        let found = self.rest().strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_name_letter));
        found && self.eat(word)
    }

    fn word(&self, cx: &mut Cx<'_, 's, '_>, word: &'static str, args: Vec<TypeId>) -> Option<TypeId> {
        self.ecma.word(cx, word, args)
    }

    fn union(&mut self, cx: &mut Cx<'_, 's, '_>, depth: usize) -> Option<TypeId> {
        if depth > MAX_STEPS {
            return None;
        }
        self.eat("|");
        let mut parts = vec![self.intersection(cx, depth)?];
        while self.eat("|") {
            parts.push(self.intersection(cx, depth)?);
        }
        match parts[..] {
            [only] => Some(only),
            _ => self.word(cx, "|", parts),
        }
    }

    fn intersection(&mut self, cx: &mut Cx<'_, 's, '_>, depth: usize) -> Option<TypeId> {
        let mut parts = vec![self.postfix(cx, depth)?];
        while self.eat("&") {
            parts.push(self.postfix(cx, depth)?);
        }
        match parts[..] {
            [only] => Some(only),
            _ => self.word(cx, "&", parts),
        }
    }

    /// A type with what may stand before and behind it: `?T`, `T[]`, `T['key']`.
    fn postfix(&mut self, cx: &mut Cx<'_, 's, '_>, depth: usize) -> Option<TypeId> {
        if self.eat("...") {
            let ty = self.postfix(cx, depth + 1)?;
            return self.word(cx, REST, vec![ty]);
        }
        while self.eat("!") || self.eat("?") || self.eat_word("readonly") || self.eat_word("typeof") {}
        if self.eat_word("keyof") {
            self.postfix(cx, depth + 1)?;
            return self.word(cx, "string", Vec::new());
        }
        let mut ty = match self.at == self.text.len() || self.rest().starts_with(['|', ',', ')', '>', '}']) {
            true => self.word(cx, "any", Vec::new())?, // a lone `?`
            false => self.primary(cx, depth)?,
        };
        loop {
            if self.eat("[]") {
                ty = self.word(cx, "[]", vec![ty])?;
            } else if self.rest().starts_with('[') {
                self.eat("[");
                let key = self.quoted();
                if key.is_none() {
                    self.union(cx, depth + 1)?;
                }
                if !self.eat("]") {
                    return None;
                }
                let path = [key?, "."].map(|name| cx.name(name));
                ty = cx.ty(path.to_vec(), vec![ty]);
            } else if !(self.eat("!") || self.rest().starts_with('?') && self.eat("?")) {
                return Some(ty);
            }
        }
    }

    fn primary(&mut self, cx: &mut Cx<'_, 's, '_>, depth: usize) -> Option<TypeId> {
        if depth > MAX_STEPS {
            return None;
        }
        self.blank();
        match self.rest().chars().next()? {
            '(' => self.parenthesised(cx, depth),
            '{' => self.object(cx, depth),
            '[' => {
                self.eat("[");
                let args = self.list(cx, "]", depth)?;
                self.word(cx, "[]", args)
            }
            '\'' | '"' | '`' => {
                self.quoted()?;
                self.word(cx, "string", Vec::new())
            }
            '-' | '0'..='9' => {
                let rest = self.rest();
                self.at += rest.find(|c: char| !matches!(c, '-' | '.') && !c.is_alphanumeric()).unwrap_or(rest.len());
                self.word(cx, "number", Vec::new())
            }
            '*' => {
                self.eat("*");
                self.word(cx, "any", Vec::new())
            }
            _ if self.eat_word("true") || self.eat_word("false") => self.word(cx, "boolean", Vec::new()),
            _ if self.rest().starts_with("function(") => {
                self.eat("function(");
                let mut args = self.list(cx, ")", depth)?;
                let result = if self.eat(":") { self.postfix(cx, depth + 1) } else { None };
                let result = result.or_else(|| self.word(cx, "void", Vec::new()))?;
                args.insert(0, result);
                self.word(cx, "fn", args)
            }
            _ => self.named(cx, depth),
        }
    }

    /// What stands in quotes here.
    fn quoted(&mut self) -> Option<&'s str> {
        let rest = self.rest();
        let quote = rest.chars().next().filter(|quote| matches!(quote, '\'' | '"' | '`'))?;
        let end = rest[1..].find(quote)?;
        self.at += end + 2;
        self.blank();
        Some(&rest[1..=end])
    }

    /// Types up to a closing token; names before a colon are labels.
    fn list(&mut self, cx: &mut Cx<'_, 's, '_>, close: &str, depth: usize) -> Option<Vec<TypeId>> {
        let mut args = Vec::new();
        while !self.eat(close) {
            let rest = self.eat("...");
            self.label();
            let ty = self.union(cx, depth + 1)?;
            self.eat("=");
            args.push(if rest { self.word(cx, REST, vec![ty])? } else { ty });
            if !self.eat(",") {
                return self.eat(close).then_some(args);
            }
        }
        Some(args)
    }

    /// Eats `name:` and `name?:`.
    fn label(&mut self) -> Option<&'s str> {
        self.blank();
        let rest = self.rest();
        let end = rest.find(|c: char| !is_name_letter(c)).filter(|end| *end > 0)?;
        let behind = rest[end..].trim_start();
        let behind = behind.strip_prefix('?').unwrap_or(behind).trim_start();
        let behind = behind.strip_prefix(':')?;
        self.at = self.text.len() - behind.len();
        Some(&rest[..end])
    }

    /// `(T)`, or `(a: A, b?: B) => R`.
    fn parenthesised(&mut self, cx: &mut Cx<'_, 's, '_>, depth: usize) -> Option<TypeId> {
        let close = self.at + matching(self.rest())?;
        let is_function = self.text[close + 1..].trim_start_matches([' ', '\t', '\n', '\r', '*']).starts_with("=>");
        self.eat("(");
        if !is_function {
            let ty = self.union(cx, depth + 1)?;
            return self.eat(")").then_some(ty);
        }
        let mut args = Vec::new();
        while !self.eat(")") {
            let rest = self.eat("...");
            let labelled = self.label();
            let ty = match labelled {
                Some("this") => {
                    self.union(cx, depth + 1)?;
                    self.eat(",");
                    continue; // what a function is called on is not passed to it
                }
                Some(_) => self.union(cx, depth + 1)?,
                None => {
                    self.name()?;
                    self.eat("?");
                    self.word(cx, "any", Vec::new())?
                }
            };
            args.push(if rest { self.word(cx, REST, vec![ty])? } else { ty });
            if !self.eat(",") && !self.rest().starts_with(')') {
                return None;
            }
        }
        if !self.eat("=>") {
            return None;
        }
        let result = self.union(cx, depth + 1)?;
        args.insert(0, result);
        self.word(cx, "fn", args)
    }

    /// `{ a: A, b?: B }`: the names of its members before the `{}`, their types as its arguments.
    fn object(&mut self, cx: &mut Cx<'_, 's, '_>, depth: usize) -> Option<TypeId> {
        self.eat("{");
        let (mut path, mut args) = (Vec::new(), Vec::new());
        let mut values = None;
        while !self.eat("}") {
            if self.eat("[") {
                // `[key: string]: T`
                self.label()?;
                self.union(cx, depth + 1)?;
                if !(self.eat("]") && {
                    self.eat("?");
                    self.eat(":")
                }) {
                    return None;
                }
                values = Some(self.union(cx, depth + 1)?);
            } else {
                self.eat_word("readonly");
                let quoted = self.quoted();
                let name = match quoted {
                    Some(name) => {
                        self.eat("?");
                        self.eat(":").then_some(name)?
                    }
                    None => self.label()?,
                };
                path.push(cx.name(name));
                args.push(self.union(cx, depth + 1)?);
            }
            if !(self.eat(",") || self.eat(";") || self.rest().starts_with('}')) {
                return None;
            }
        }
        if let Some(values) = values.filter(|_| path.is_empty()) {
            let key = self.word(cx, "string", Vec::new())?;
            return self.word(cx, "Record", vec![key, values]);
        }
        path.push(cx.name("{}"));
        Some(cx.ty(path, args))
    }

    fn name(&mut self) -> Option<&'s str> {
        self.blank();
        let rest = self.rest();
        let end = rest.find(|c: char| !is_name_letter(c)).unwrap_or(rest.len());
        self.at += end;
        (end > 0 && !rest.starts_with(|c: char| c.is_ascii_digit())).then_some(&rest[..end])
    }

    /// `T`, `ns.T`, `T<A>`, `Array.<A>`, `import('./x').T`; of a test (`x is T`) the word `is` with the type.
    fn named(&mut self, cx: &mut Cx<'_, 's, '_>, depth: usize) -> Option<TypeId> {
        let offset = self.start + self.at as u32;
        let mut path: Vec<NameId> = Vec::new();
        let first = self.name()?;
        let mut known = KNOWN.contains(&first);
        if first == "import" && self.eat("(") {
            let module = self.quoted()?;
            if !self.eat(")") {
                return None;
            }
            let name = self.ecma.doc_module(cx, module, offset);
            path.push(cx.owned_name(name));
        } else {
            path.push(cx.name(first));
        }
        while self.rest().starts_with('.') && !self.rest().starts_with(".<") && !self.rest().starts_with("...") {
            self.at += 1;
            let name = self.name()?;
            path.push(cx.name(name));
            known = false;
        }
        if self.eat_word("is") {
            let ty = self.union(cx, depth + 1)?;
            return self.word(cx, "is", vec![ty]);
        }
        if self.rest().starts_with(".<") {
            self.at += 1;
        }
        let args = if self.rest().starts_with('<') && self.eat("<") { self.list(cx, ">", depth)? } else { Vec::new() };
        if !known {
            path.push(cx.name(MAYBE));
        }
        Some(cx.ty(path, args))
    }
}

/// Where the parenthesis closes that a text begins with.
fn matching(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 1 => return Some(at),
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}
