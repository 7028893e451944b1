//! Types that comments give to JavaScript: `@param {T} name`, `@returns {T}`, `@type {T}`, `/** @type {T} */ (value)`.
//!
//! What `@typedef`, `@callback` and `@import` name is declared or imported as TypeScript does it. Only the comment right before
//! something is about it; a type that cannot be read says nothing. The names in comments are no uses. [`types`] reads a type.

mod types;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Access, ScopeId, Span, TypeId};
use tree_sitter::Node;

use self::types::Reader;
use super::{Ecma, K};
use crate::build::Decl;
use crate::walk::{Cx, span};

/// No comment that is read is longer.
const MAX_COMMENT: usize = 16 << 10;
/// Comments for tools between something and what documents it, at most.
const MAX_BETWEEN: usize = 4;

/// A tag of a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tag<'s> {
    word: &'s str,
    /// Where its word ends.
    start: u32,
    /// What stands in its braces, and where.
    ty: Option<(&'s str, u32)>,
    /// The rest of its line, and where it begins.
    rest: (&'s str, u32),
}

impl<'s> Tag<'s> {
    /// The name that it is about, without the marks of an optional one: `x` of `[x=1]`.
    fn name(&self) -> (&'s str, u32) {
        let (text, start) = self.rest;
        let text = text.strip_prefix('[').map_or(text, str::trim_start);
        let start = start + (self.rest.0.len() - text.len()) as u32;
        let end = text.find(|c: char| c != '.' && !is_name_letter(c)).unwrap_or(text.len());
        (&text[..end], start)
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_name_letter)
}

fn is_name_letter(letter: char) -> bool {
    letter == '_' || letter == '$' || letter.is_alphanumeric()
}

impl Ecma {
    /// The type that a comment before an offset gives: `/** @type {T} */`.
    pub(super) fn doc_type(&self, cx: &mut Cx, offset: u32) -> Option<TypeId> {
        let doc = self.doc_before(cx, offset)?;
        let tag = tags(cx, doc).find(|tag| tag.word == "type")?;
        self.written(cx, tag.ty?)
    }

    /// The type that a comment gives to what stands in parentheses: `/** @type {T} */ (value)`.
    pub(super) fn doc_cast(&self, cx: &mut Cx, node: &Node) -> Option<TypeId> {
        if !self.untyped || self.kind(node) != K::Paren {
            return None;
        }
        self.doc_type(cx, node.start_byte() as u32)
    }

    /// The type that a comment before a variable or field gives it. Of several variables of a statement it is about the first.
    pub(super) fn doc_declared(&self, cx: &mut Cx, node: &Node) -> Option<TypeId> {
        if !self.untyped || !matches!(self.kind(node), K::Declarator | K::Field) {
            return None;
        }
        let before = cx.slice(Span { start: 0, end: node.start_byte() as u32 }).trim_end();
        let word = ["const", "let", "var"].into_iter().find_map(|word| before.strip_suffix(word));
        let before = word.map_or(before, str::trim_end);
        let before = before.strip_suffix("export").filter(|_| word.is_some()).unwrap_or(before);
        self.doc_type(cx, before.len() as u32)
    }

    /// What a comment says that a function returns.
    pub(super) fn doc_result(&self, cx: &mut Cx, function: &Node) -> Option<TypeId> {
        let doc = self.doc_of(cx, function)?;
        let tag = tags(cx, doc).find(|tag| matches!(tag.word, "returns" | "return"))?;
        self.written(cx, tag.ty?)
    }

    /// What a comment says of the parameter at the current node, which the `level`-th ancestor introduces: by its name, of a
    /// pattern by its place.
    pub(super) fn doc_parameter(&self, cx: &mut Cx, level: usize, in_pattern: bool) -> Option<TypeId> {
        let functions = [K::Arrow, K::Function, K::FunctionExpr, K::Method];
        let at =
            (level..level + 3).find(|level| functions.contains(&self.outer(cx, *level))).filter(|_| self.untyped)?;
        let function = cx.ancestor(at)?.node;
        let own = span(&cx.node());
        // `(/** T */ x)` is rare, `(/** @type {T} */ x)` is not.
        if let Some(ty) = self.doc_type(cx, own.start).filter(|_| !in_pattern) {
            return Some(ty);
        }
        let doc = self.doc_of(cx, &function)?;
        let name = cx.slice(own);
        let mut params =
            tags(cx, doc).filter(|tag| matches!(tag.word, "param" | "arg" | "argument") && !tag.name().0.contains('.'));
        let tag = match in_pattern {
            false => params.find(|tag| tag.name().0 == name)?,
            true => {
                let list = cx.ancestor(level).filter(|frame| self.kinds.get(frame.kind) == K::Params)?;
                let place = self.position(&list.node, &cx.ancestor(level - 1)?.node)?;
                params.nth(place as usize)?
            }
        };
        self.written(cx, tag.ty?)
    }

    /// The comment that a function has, or the statement, pair or field that it is the value of.
    fn doc_of(&self, cx: &Cx, function: &Node) -> Option<Span> {
        if !self.untyped {
            return None;
        }
        let own = function.start_byte();
        let (start, end) = (own as u32, function.end_byte());
        if let Some(doc) = self.doc_before(cx, start) {
            return Some(doc);
        }
        let holds = |level: &usize| {
            cx.ancestor(*level).is_some_and(|frame| frame.node.start_byte() <= own && frame.node.end_byte() >= end)
        };
        let first = (0..).take_while(|level| cx.ancestor(*level).is_some()).find(holds)?;
        for level in first.. {
            let frame = cx.ancestor(level)?;
            let at = frame.node.start_byte() as u32;
            if at != start
                && let Some(doc) = self.doc_before(cx, at)
            {
                return Some(doc);
            }
            let outer = cx.ancestor(level + 1)?;
            let is_first = || self.first(&outer.node).is_some_and(|first| first.id() == frame.node.id());
            match self.kinds.get(outer.kind) {
                K::Variables if !is_first() => return None,
                K::Declarator | K::Variables | K::Export | K::Assign | K::Paren | K::Pair | K::Field => {}
                K::Statement => {}
                _ => return None,
            }
            // What else stands in a pair, a field or a statement is another matter.
            if matches!(self.kinds.get(frame.kind), K::Pair | K::Field | K::Statement | K::Export | K::Method) {
                return None;
            }
        }
        None
    }

    /// The comment that ends before an offset, comments for tools aside.
    fn doc_before(&self, cx: &Cx, offset: u32) -> Option<Span> {
        if !self.untyped {
            return None;
        }
        let mut end = offset as usize;
        for round in 0..MAX_BETWEEN {
            let head = cx.text.get(..end)?.trim_end();
            if head.ends_with("*/") {
                let start = opening(head)?;
                if head[start..].starts_with("/**") {
                    return Some(Span { start: start as u32, end: head.len() as u32 });
                }
                end = start;
                continue;
            }
            // A comment until the end of its line has that end behind it. Most of what is asked about stands behind code.
            if round == 0 && !cx.text[head.len()..end].contains('\n') {
                return None;
            }
            let line = memchr::memrchr(b'\n', head.as_bytes()).map_or(0, |at| at + 1);
            if !head[line..].trim_start().starts_with("//") {
                return None;
            }
            end = line;
        }
        None
    }

    /// Declares and imports what the comment at the current node names, outside of functions and classes.
    pub(super) fn doc_comment(&self, cx: &mut Cx) {
        let doc = span(&cx.node());
        let text = cx.slice(doc);
        let names_types = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
        if !text.starts_with("/**") || text.len() > MAX_COMMENT || cx.current_symbol().is_some() || cx.in_function() {
            return;
        }
        if !["@typedef", "@callback", "@import"].into_iter().any(names_types) {
            return;
        }
        let all: Vec<Tag> = tags(cx, doc).collect();
        for (at, tag) in all.iter().enumerate() {
            let is_own = |tag: &&Tag| !matches!(tag.word, "typedef" | "callback" | "import");
            let own = || all[at + 1..].iter().take_while(is_own);
            match tag.word {
                "import" => {
                    let at = tag.start - doc.start;
                    self.doc_import(cx, &text[at as usize..], tag.start);
                }
                "typedef" => {
                    let (name, start) = tag.name();
                    if let Some((text, _)) = tag.ty
                        && let Some((module, member)) = imported(text)
                    {
                        self.import_of_type(cx, module, member, name, start);
                        continue;
                    }
                    let properties: Vec<Tag> =
                        own().filter(|tag| matches!(tag.word, "property" | "prop")).copied().collect();
                    let ty = match properties.is_empty() {
                        true => tag.ty.and_then(|ty| self.written(cx, ty)),
                        false => self.properties(cx, &properties),
                    };
                    self.named_type(cx, name, start, ty, doc);
                }
                "callback" => {
                    let result = own().find(|tag| matches!(tag.word, "returns" | "return")).and_then(|tag| tag.ty);
                    let params: Vec<Tag> = own().filter(|tag| matches!(tag.word, "param" | "arg")).copied().collect();
                    let result = result.and_then(|ty| self.written(cx, ty));
                    let mut args = Vec::from_iter(result.or_else(|| self.word(cx, "void", Vec::new())));
                    for param in params.iter().filter(|param| !param.name().0.contains('.')) {
                        let ty = param.ty.and_then(|ty| self.written(cx, ty));
                        args.extend(ty.or_else(|| self.word(cx, "any", Vec::new())));
                    }
                    let ty = self.word(cx, "fn", args);
                    let (name, start) = tag.name();
                    self.named_type(cx, name, start, ty, doc);
                }
                _ => {}
            }
        }
    }

    /// `@import A, { B, C as D } from './x'`, `@import * as e from './x'`, over as many lines as it takes.
    fn doc_import(&self, cx: &mut Cx, text: &str, start: u32) {
        let Some((names, module)) = text.split_once(" from ") else { return };
        let module = module.trim_start_matches([' ', '\t', '\r', '\n', '*']);
        let quote = module.chars().next().filter(|quote| matches!(quote, '\'' | '"'));
        let Some(module) = quote.and_then(|quote| module[1..].split(quote).next()) else { return };
        let offset = |part: &str| start + (part.as_ptr() as usize - text.as_ptr() as usize) as u32;
        let blank = [' ', '\t', '\r', '\n', '*', ','];
        let (plain, list) = names.split_once('{').unwrap_or((names, ""));
        if let Some((_, alias)) = plain.split_once("* as ") {
            let alias = alias.trim_matches(blank);
            self.import_named(cx, module, None, alias, offset(alias));
        } else {
            let alias = plain.trim_matches(blank);
            if is_name(alias) {
                self.import_named(cx, module, Some("default"), alias, offset(alias));
            }
        }
        for part in list.split(['}', ',']).map(|part| part.trim_matches(blank)) {
            let part = part.strip_prefix("type ").map_or(part, str::trim_start);
            let (name, alias) = part.split_once(" as ").unwrap_or((part, part));
            let (name, alias) = (name.trim(), alias.trim());
            if is_name(name) && is_name(alias) {
                self.import_named(cx, module, Some(name), alias, offset(alias));
            }
        }
    }

    /// `@typedef {import('./x').A} B`: seen here as `B`, and offered to others. Without a member it is what the module exports as
    /// a whole.
    fn import_of_type(&self, cx: &mut Cx, module: &str, member: &str, alias: &str, start: u32) {
        if alias.is_empty() {
            return;
        }
        let member = if member.is_empty() { "default" } else { member };
        self.import_named(cx, module, Some(member), alias, start);
        self.hand_on(cx, module, member, alias, start);
    }

    /// A type that a comment names.
    fn named_type(&self, cx: &mut Cx, name: &str, start: u32, ty: Option<TypeId>, doc: Span) {
        if !is_name(name) || self.has_class(cx, name) {
            return;
        }
        let at = Span { start, end: start + name.len() as u32 };
        let line = cx.line_around(start);
        let text = cx.slice(line);
        let first = line.start + (text.len() - text.trim_start_matches([' ', '\t', '*', '/']).len()) as u32;
        let end = doc.end.min(line.end).max(at.end);
        let mut decl = Decl::new(SymbolKind::Type, name, at, Span { start: first.min(at.start), end });
        decl.signature_end = Some(at.end);
        decl.ty = ty;
        decl.visibility = "export";
        decl.access = Access::Public;
        decl.flags.test = cx.is_test_file();
        cx.declare(decl);
    }

    /// Whether the file has a class of a name, which a comment may write out once more.
    fn has_class(&self, cx: &Cx, name: &str) -> bool {
        let text = cx.slice(Span { start: 0, end: cx.limit() });
        let mut found = memchr::memmem::find_iter(text.as_bytes(), b"class ").map(|at| &text[at + 6..]);
        found.any(|rest| rest.strip_prefix(name).is_some_and(|rest| !rest.starts_with(is_name_letter)))
    }

    /// The object type that `@property` tags write out.
    fn properties(&self, cx: &mut Cx, tags: &[Tag]) -> Option<TypeId> {
        let (mut path, mut args) = (Vec::new(), Vec::new());
        for tag in tags.iter().filter(|tag| !tag.name().0.contains('.')) {
            if let Some(ty) = tag.ty.and_then(|ty| self.written(cx, ty)) {
                path.push(cx.owned_name(tag.name().0.to_owned()));
                args.push(ty);
            }
        }
        path.push(cx.owned_name("{}".to_owned()));
        Some(cx.ty(path, args))
    }

    /// A type as a comment writes it.
    fn written(&self, cx: &mut Cx, (text, start): (&str, u32)) -> Option<TypeId> {
        // Sliced anew, so that names live as long as the file's text.
        let text = cx.slice(Span { start, end: start + text.len() as u32 });
        Reader::new(self, text, start).whole(cx)
    }

    /// Notes that a type stands for a module: `import('./x')`. Gives the name that it has in this file.
    fn doc_module(&self, cx: &mut Cx, module: &str, start: u32) -> String {
        let name = format!("import({module})");
        if cx.imported_as(&name).is_none() {
            self.import_named(cx, module, None, &name, start);
        }
        name
    }

    fn import_named(&self, cx: &mut Cx, module: &str, name: Option<&str>, alias: &str, start: u32) {
        if !module.is_empty() {
            self.note_import(cx, ScopeId(0), (module, name, alias), false, start);
        }
    }

    fn hand_on(&self, cx: &mut Cx, module: &str, name: &str, alias: &str, start: u32) {
        if !module.is_empty() {
            self.note_import(cx, ScopeId(0), (module, Some(name), alias), true, start);
        }
    }
}

/// The module and the member of `import('./x').A`, where that is all; the member is empty for the module as a whole.
fn imported(text: &str) -> Option<(&str, &str)> {
    let rest = text.trim().strip_prefix("import")?.trim_start().strip_prefix('(')?.trim_start();
    let quote = rest.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
    let (module, rest) = rest[1..].split_once(quote)?;
    let rest = rest.trim_start().strip_prefix(')')?;
    let member = if rest.is_empty() { "" } else { rest.strip_prefix('.')? };
    (member.chars().all(is_name_letter) && (rest.is_empty() || !member.is_empty())).then_some((module, member))
}

/// Where the comment begins that a text ends with.
fn opening(head: &str) -> Option<usize> {
    let from = head.len().saturating_sub(MAX_COMMENT);
    let mut end = head.len() - 2;
    loop {
        let at = from + memchr::memmem::rfind(&head.as_bytes()[from.min(end)..end], b"/*")?;
        // `src/**/x.js` inside of a comment is none: a comment of several lines begins its line.
        let line = memchr::memrchr(b'\n', &head.as_bytes()[..at]).map_or(0, |line| line + 1);
        if !head[at..].contains('\n') || head[line..at].trim().is_empty() {
            return Some(at);
        }
        end = at;
    }
}

/// The tags that begin a line of a comment.
fn tags<'s>(cx: &Cx<'_, 's, '_>, doc: Span) -> impl Iterator<Item = Tag<'s>> + use<'s> {
    let text = cx.slice(doc);
    let text = text.strip_suffix("*/").unwrap_or(text);
    memchr::memchr_iter(b'@', text.as_bytes()).filter_map(move |at| tag(text, at, doc.start))
}

fn tag(text: &str, at: usize, offset: u32) -> Option<Tag<'_>> {
    let line = text[..at].rfind('\n').map_or(0, |line| line + 1);
    if !text[line..at].chars().all(|c| matches!(c, ' ' | '\t' | '*' | '/')) {
        return None;
    }
    let rest = &text[at + 1..];
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let (word, mut rest) = rest.split_at(end);
    rest = rest.trim_start_matches([' ', '\t']);
    let mut ty = None;
    if rest.starts_with('{') {
        let close = closing(rest)?;
        ty = Some((&rest[1..close], offset + (text.len() - rest.len() + 1) as u32));
        rest = rest[close + 1..].trim_start_matches([' ', '\t']);
        // The name may stand on the next line.
        if rest.starts_with(['\n', '\r']) && word == "typedef" {
            rest = rest.trim_start_matches([' ', '\t', '*', '\r', '\n']);
        }
    }
    let start = offset + (text.len() - rest.len()) as u32;
    let rest = rest.lines().next().unwrap_or_default();
    Some(Tag { word, start: offset + (at + 1 + end) as u32, ty, rest: (rest, start) })
}

/// Where the brace closes that a text begins with.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some(at),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{imported, opening, tag};

    #[test]
    fn a_tag_has_a_type_and_a_name() {
        let text = "/**\n * @param {Map<string, { a: A }>} [size=1] how many";
        let found = tag(text, text.find('@').unwrap(), 100).unwrap();
        assert_eq!(found.word, "param");
        assert_eq!(found.ty, Some(("Map<string, { a: A }>", 115)));
        assert_eq!(found.name(), ("size", 139));
        assert_eq!(tag("/** see user@param */", 12, 0), None, "only what begins a line is a tag");
    }

    #[test]
    fn a_typedef_of_an_import_is_one() {
        assert_eq!(imported("import(\"./Compiler\")"), Some(("./Compiler", "")));
        assert_eq!(imported("import('../a').B"), Some(("../a", "B")));
        assert_eq!(imported("import('../a').B<C>"), None);
        assert_eq!(imported("{ a: import('x') }"), None);
    }

    #[test]
    fn a_comment_begins_its_line_or_ends_on_it() {
        assert_eq!(opening("a(/** @type {T} */"), Some(2));
        assert_eq!(opening("x;\n/**\n * src/**/y\n */"), Some(3));
        assert_eq!(opening("a */"), None);
    }
}
