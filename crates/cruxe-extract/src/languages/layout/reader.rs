//! One pass over the tokens of a file: declarations are opened where they begin and closed where they end; every other word
//! is a use.

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Access, BindingKind, Role, ScopeId, ScopeKind, Span};

use super::tokens::{Kind, Token, Tokens};
use super::{Blocks, Calls, Dialect, Found, Holds};
use crate::build::{Builder, Decl};

/// Tokens between two looks at the clock.
const CLOCK: usize = 4096;
/// More open declarations than this are not nested.
const MAX_DEPTH: usize = 64;
/// A head of more tokens is none.
const MAX_HEAD: usize = 200;

/// Notes everything that a file says.
pub fn read(build: &mut Builder, dialect: &'static Dialect) {
    let tokens = Tokens::new(build.text, &dialect.signs);
    let ends = dialect.blocks.word_ends(&tokens, dialect);
    let mut reader = Reader { tokens, dialect, open: Vec::new(), ends, taken: Vec::new() };
    for at in 0..reader.tokens.list.len() {
        if at % CLOCK == 0 && build.out_of_time() {
            build.expire();
            break;
        }
        reader.close(build, at);
        if dialect.calls == Calls::Lists && reader.tokens.is(at, "[") {
            reader.listed_import(build, at);
        }
        if reader.begins(at) && reader.may_declare() {
            if reader.package(build, at) || reader.import(build, at) {
                continue;
            }
            reader.declare(build, at);
        }
        reader.use_of(build, at);
        reader.uses_inside(build, at);
    }
    reader.close(build, usize::MAX);
}

/// A declaration that is being read.
pub(super) struct Open {
    /// Its last token.
    last: usize,
    /// What is inside.
    pub holds: Holds,
}

pub(super) struct Reader<'s> {
    pub tokens: Tokens<'s>,
    pub dialect: &'static Dialect,
    pub open: Vec<Open>,
    /// For languages with `end`: the token of the `end` for each token that wants one.
    ends: Vec<(u32, u32)>,
    /// Tokens that are facts already, in order but for a few.
    pub taken: Vec<usize>,
}

/// A declaration that was found.
pub(super) struct Head {
    first: usize,
    pub name: usize,
    kind: SymbolKind,
    holds: Holds,
    pub last: usize,
    trim: (u32, u32),
    qualifier: (&'static str, Option<usize>),
    pub words: std::ops::Range<usize>,
}

impl<'s> Reader<'s> {
    fn close(&mut self, build: &mut Builder, at: usize) {
        while self.open.pop_if(|open| open.last < at).is_some() {
            build.close(1, 1);
        }
    }

    pub fn word(&self, at: usize) -> &'s str {
        self.tokens.word(at)
    }

    /// Whether a word is one of a list.
    pub fn is_one(&self, at: usize, list: &[&str]) -> bool {
        let word = self.word(at);
        match self.dialect.ignores_case {
            true => list.iter().any(|other| other.eq_ignore_ascii_case(word)),
            false => list.contains(&word),
        }
    }

    pub fn take(&mut self, at: usize) {
        self.taken.push(at);
    }

    pub fn is_taken(&self, at: usize) -> bool {
        self.taken.iter().rev().take(MAX_HEAD).any(|taken| *taken == at)
    }

    /// Whether a statement begins at a token.
    fn begins(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return true };
        let breaks = |sign: &str| self.tokens.is(before, sign);
        match self.dialect.blocks {
            Blocks::Dots => self.is_dot(before),
            Blocks::Lists => breaks("("),
            Blocks::Statements => breaks(";") || self.tokens.is_first(at),
            Blocks::Braces if !self.dialect.lines => {
                let opened = self.tokens.is_first(at) && self.is_one(before, &["let", "in"]);
                breaks(";") || breaks("{") || breaks("}") || opened || self.in_cases(before)
            }
            _ => self.tokens.is_first(at) || breaks(";") || breaks("{") || breaks("}") || self.in_cases(before),
        }
    }

    fn in_cases(&self, before: usize) -> bool {
        self.tokens.is(before, ",") && self.open.last().is_some_and(|open| open.holds == Holds::Cases)
    }

    /// Whether declarations may stand here.
    fn may_declare(&self) -> bool {
        self.dialect.nested || self.open.last().is_none_or(|open| !matches!(open.holds, Holds::Code | Holds::Nothing))
    }

    /// Whether a token ends a statement of a language in which a dot does.
    fn is_dot(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        let next = self.tokens.text.as_bytes().get(token.end as usize);
        self.tokens.is(at, ".") && next.is_none_or(u8::is_ascii_whitespace)
    }

    fn declare(&mut self, build: &mut Builder<'s>, at: usize) {
        if self.open.len() >= MAX_DEPTH {
            return;
        }
        let head = self.by_word(at).or_else(|| self.by_hook(at)).or_else(|| self.by_shape(at));
        // Brackets that do not match may lead out of what is open.
        if let Some(head) = head.filter(|head| self.open.last().is_none_or(|open| head.name <= open.last)) {
            self.note(build, &head);
        }
    }

    /// A declaration that a word begins.
    fn by_word(&self, first: usize) -> Option<Head> {
        let begun = self.behind_annotations(first);
        for at in begun..begun + MAX_HEAD {
            // `TYPE x` without `CREATE` is a column.
            let alone = at == begun && self.dialect.blocks == Blocks::Statements;
            if let Some(start) = self.dialect.starts.iter().find(|start| !alone && self.is_one(at, &[start.word])) {
                let mut name = at + 1;
                while self.is_one(name, self.dialect.fillers)
                    && (self.tokens.is_word(name + 1) || self.is_one(name + 1, self.dialect.fillers))
                {
                    name += 1;
                }
                let name = self.last_of_path(name);
                // `sub delete {` of Perl: what a body follows is a name, whatever the language calls so.
                let keyword = self.is_one(name, self.dialect.keywords)
                    && !(start.holds == Holds::Code && self.dialect.signs.begins.contains('$') && self.opens(name + 1));
                let named = self.tokens.is_word(name) && !keyword;
                let kind = self.as_member(start.kind);
                if named || !self.is_one(at, self.dialect.modifiers) {
                    return named.then(|| self.head(first, name, kind, start.holds, None));
                }
            }
            if !self.is_one(at, self.dialect.modifiers) {
                return None;
            }
        }
        None
    }

    fn opens(&self, at: usize) -> bool {
        self.tokens.is(at, "{") || self.tokens.is(at, "(")
    }

    /// A function inside of a type is a method.
    fn as_member(&self, kind: SymbolKind) -> SymbolKind {
        let inside = self.open.last().map(|open| open.holds);
        match kind {
            SymbolKind::Fn if matches!(inside, Some(Holds::Members | Holds::FirstNames)) => SymbolKind::Method,
            kind => kind,
        }
    }

    /// The token behind `@Name(…)` and `[Name(…)]`.
    fn behind_annotations(&self, mut at: usize) -> usize {
        loop {
            if self.tokens.is(at, "@") && self.tokens.is_word(at + 1) {
                at = self.last_of_path(at + 1) + 1;
                if self.tokens.is(at, "(") {
                    at = self.tokens.behind(at);
                }
            } else if self.tokens.is(at, "[") && self.dialect.typed {
                at = self.tokens.behind(at);
            } else {
                return at;
            }
        }
    }

    /// The last name of a path; names may stand in quotes.
    pub fn last_of_path(&self, mut at: usize) -> usize {
        let is_quote = |at: usize| ["\"", "`", "]", "["].iter().any(|sign| self.tokens.is(at, sign));
        let quote = |at: usize| usize::from(self.dialect.ignores_case && is_quote(at));
        while self.tokens.is_word(at) {
            // `"shop"."items"`, `shop."items"`
            let joint = at + 1 + quote(at + 1) * usize::from(at > 0 && is_quote(at - 1));
            let next = joint + 1 + quote(joint + 1);
            if !self.is_one(joint, self.dialect.members) || !self.tokens.is_word(next) {
                break;
            }
            at = next;
        }
        at
    }

    /// Takes the name of the package that the rest of the file is in.
    fn package(&mut self, build: &mut Builder<'s>, at: usize) -> bool {
        // `-module(cart).`
        let word = at + usize::from(self.tokens.is(at, "-"));
        let first = word + 1 + usize::from(word > at && self.tokens.is(word + 1, "("));
        let last = self.last_of_path(first);
        let found = self.open.is_empty()
            && self.is_one(word, self.dialect.packages)
            && self.tokens.is_word(first)
            && !self.is_one(first, self.dialect.fillers)
            && (!self.tokens.is(last + 1, "=") && !self.tokens.is(last + 1, "{"));
        if found {
            let names: Vec<usize> = (first..=last).filter(|at| self.tokens.is_word(*at)).collect();
            let parts: Vec<&str> = names.iter().map(|at| self.word(*at)).collect();
            let symbol = self.is_one(word, self.dialect.modules);
            let outer = parts.split_last().map_or(&[][..], |(_, outer)| outer);
            if let (true, Some(start), Some(name)) = (symbol, self.tokens.get(at), self.tokens.get(last)) {
                build.set_module(outer.join(build.separator()));
                let name_span = Span { start: name.start, end: name.end };
                let bracket = self.tokens.get(last + 1).filter(|_| self.tokens.is(last + 1, ")"));
                let span = Span { start: start.start, end: bracket.map_or(name.end, |bracket| bracket.end) };
                let mut decl = Decl::new(SymbolKind::Module, self.word(last), name_span, span);
                decl.signature_end = Some(span.end);
                if let Some(doc) = self.tokens.comments_before(start.start) {
                    (decl.full_span.start, decl.doc_span) = (doc.start, doc);
                }
                build.declare(decl);
            }
            build.set_module(parts.join(build.separator()));
            for part in names.into_iter().filter(|part| !symbol || *part != last) {
                let start = self.tokens.get(part).map_or(0, |token| token.start);
                build.occurrence_at(self.word(part), start, Role::Mention, None);
            }
            (at..=last).for_each(|at| self.take(at));
        }
        found
    }

    fn by_hook(&self, first: usize) -> Option<Head> {
        let at = self.behind_annotations(first);
        let Found { kind, name, last, holds, trim, qualifier } = (self.dialect.hook)(&self.tokens, at)?;
        let kind = self.as_member(kind);
        let in_type = self.open.last().is_some_and(|open| matches!(open.holds, Holds::Members | Holds::FirstNames));
        if kind == SymbolKind::Field && !in_type {
            return None;
        }
        Some(Head { trim, qualifier, ..self.head(first, name, kind, holds, last) })
    }

    /// A declaration by its shape: `int size(…) {`, `String name;`, `size: int`, a case.
    fn by_shape(&self, first: usize) -> Option<Head> {
        let holds = self.open.last().map(|open| open.holds);
        let start = self.behind_annotations(first);
        match holds {
            Some(Holds::Cases) => {
                // `typedef NS_ENUM(NSInteger, Size) {`: the name itself stands behind a comma.
                let plain =
                    self.tokens.is_word(start) && !self.is_one(start, self.dialect.keywords) && !self.is_taken(start);
                return plain
                    .then(|| self.head(first, start, SymbolKind::Variant, Holds::Nothing, Some(self.case_end(start))));
            }
            Some(Holds::FirstNames) => {
                let mut at = start;
                while self.is_one(at, self.dialect.modifiers) {
                    at += 1;
                }
                // `type: Kind` of GraphQL: a word that begins a declaration, and none is behind it.
                let begins = self.dialect.starts.iter().any(|start| self.is_one(at, &[start.word]));
                let free = begins && (self.tokens.is(at + 1, ":") || self.tokens.is(at + 1, "("));
                let named = self.tokens.is_word(at) && (free || !self.is_one(at, self.dialect.keywords));
                let followed = ["(", ":", "::", "=", "?"].iter().any(|sign| self.tokens.is(at + 1, sign));
                let alone = self.tokens.is_first(at) && self.tokens.is_first(at + 1);
                return (named && (followed || alone))
                    .then(|| self.head(first, at, SymbolKind::Field, Holds::Nothing, None));
            }
            _ if !self.dialect.typed || self.word(start).starts_with(['#', '@']) => return None,
            _ => {}
        }
        // What these words begin declares nothing: `return x;`, `using Math for uint;`, `option x = 1;`.
        let says = ["assert", "await", "delete", "emit", "new", "option", "return", "throw", "using", "yield"];
        if self.is_one(start, &says) && self.is_one(start, self.dialect.keywords) {
            return None;
        }
        let mut at = start;
        let mut words = 0;
        while at < start + MAX_HEAD && at < self.tokens.list.len() {
            if self.tokens.is(at, "(") {
                return self.function(first, at, words);
            }
            let ends = [";", "=", "=>", "{"].iter().any(|sign| self.tokens.is(at, sign));
            if ends || (self.dialect.lines && at > start && self.tokens.is_first(at)) {
                return self.variable(first, at, words);
            }
            if self.tokens.is_word(at) {
                words += 1;
            } else if !["<", ">", ",", "?", "[", "]", ".", "*", "&", "::"].iter().any(|sign| self.tokens.is(at, sign)) {
                return None;
            }
            at += 1;
        }
        None
    }

    fn case_end(&self, at: usize) -> usize {
        let mut end = at;
        while let Some(token) = self.tokens.get(end + 1) {
            let stops = [",", "}", ";", "|"].iter().any(|sign| self.tokens.is(end + 1, sign));
            if stops || (self.dialect.lines && token.first) || end > at + MAX_HEAD {
                break;
            }
            end = self.tokens.behind(end + 1) - 1;
        }
        end
    }

    fn function(&self, first: usize, open: usize, words: usize) -> Option<Head> {
        let name = self.before_generics(open).checked_sub(1).filter(|name| *name >= first)?;
        // `get` and `set` are words of the language before a name, and names before a bracket.
        let keyword = self.is_one(name, self.dialect.keywords) && !self.is_one(name, &["get", "set"]);
        if !self.tokens.is_word(name) || keyword {
            return None;
        }
        let body = self.tokens.behind(open);
        let opens =
            (body..body + 4).any(|at| self.tokens.is(at, "{") || self.tokens.is(at, "=>") || self.tokens.is(at, ":"));
        let member = self.open.last().is_some_and(|open| open.holds == Holds::Members);
        // At the top of a file `f(x);` is a call; inside of a class it is a constructor.
        let declared = opens || (words > 1 && self.tokens.is(body, ";")) || (member && self.tokens.is(body, ";"));
        let declared = declared || (self.dialect.lines && words > 1);
        let kind = if member { SymbolKind::Method } else { SymbolKind::Fn };
        declared.then(|| self.head(first, name, kind, Holds::Code, None))
    }

    /// The token of the `<` that a `>` before a token closes; the token itself where there is none.
    fn before_generics(&self, at: usize) -> usize {
        let mut depth = 0usize;
        for before in (at.saturating_sub(MAX_HEAD)..at).rev() {
            match self.word(before) {
                ">" => depth += 1,
                "<" if depth == 1 => return before,
                "<" => depth = depth.saturating_sub(1),
                _ if depth == 0 => return at,
                _ => {}
            }
        }
        at
    }

    fn variable(&self, first: usize, end: usize, words: usize) -> Option<Head> {
        let name = end.checked_sub(1).filter(|name| *name > first)?;
        if words < 2 || !self.tokens.is_word(name) || self.is_one(name, self.dialect.keywords) {
            return None;
        }
        // `person.age` on a line of its own is a use, and so is `x instanceof Cart`.
        let before = name - 1;
        if self.dialect.lines && (self.tokens.is(before, ".") || self.is_one(before, &["instanceof", "in", "as", "is"]))
        {
            return None;
        }
        let getter = self.tokens.word(name - 1) == "get";
        if self.tokens.is(end, "{") && !getter {
            return None;
        }
        let member = self.open.last().is_some_and(|open| open.holds == Holds::Members);
        let kind = match member {
            _ if getter || self.tokens.is(end, "=>") => SymbolKind::Property,
            true => SymbolKind::Field,
            false => SymbolKind::Variable,
        };
        let holds = if getter { Holds::Code } else { Holds::Nothing };
        Some(self.head(first, name, kind, holds, None))
    }

    fn head(&self, first: usize, name: usize, kind: SymbolKind, holds: Holds, last: Option<usize>) -> Head {
        let first = match self.dialect.blocks {
            Blocks::Lists => first.saturating_sub(1),
            _ => first,
        };
        let (last, words) = match last {
            Some(last) => (last, name..last),
            None => self.extent(first, name),
        };
        let last = last.clamp(name, self.tokens.list.len().saturating_sub(1));
        let outer = self.open.last().map_or(usize::MAX, |open| open.last);
        Head { first, name, kind, holds, last: last.min(outer), trim: (0, 0), qualifier: ("", None), words }
    }

    /// The last token of a declaration, and the tokens of its head behind the name.
    fn extent(&self, first: usize, name: usize) -> (usize, std::ops::Range<usize>) {
        let tokens = &self.tokens;
        match self.dialect.blocks {
            Blocks::Lists => (tokens.behind(first) - 1, name..name),
            Blocks::Indent => {
                let last = self.indent_end(first);
                (last, name..(name + 40).min(last + 1))
            }
            Blocks::Ends(_) => {
                let begin = (first..=name).find_map(|at| self.end_of(at));
                let line = || {
                    let mut at = name + 1;
                    while at < tokens.list.len() && !tokens.is_first(at) {
                        at = tokens.behind(at);
                    }
                    at - 1
                };
                let last = begin.unwrap_or_else(line);
                (last, name..(name + 40).min(last + 1))
            }
            Blocks::Dots => {
                let mut at = name;
                while at + 1 < tokens.list.len() && !self.is_dot(at) {
                    at += 1;
                }
                (at, name..name)
            }
            Blocks::Statements => (self.statement_end(name), name..name),
            Blocks::Braces => self.brace_end(name),
        }
    }

    fn end_of(&self, at: usize) -> Option<usize> {
        let found = self.ends.binary_search_by_key(&(at as u32), |(start, _)| *start).ok()?;
        self.ends.get(found).map(|(_, end)| *end as usize)
    }

    fn indent_end(&self, first: usize) -> usize {
        let column = self.tokens.get(first).map_or(0, |token| token.column);
        let outside = |token: &Token| token.first && token.column <= column;
        let rest = self.tokens.list.get(first + 1..).unwrap_or_default();
        let Some(next) = rest.iter().position(outside) else { return self.tokens.list.len().saturating_sub(1) };
        // What closes a bracket or a block belongs to what it closes.
        let closes = matches!(self.word(first + 1 + next), "}" | "]" | ")" | "end" | ";;");
        first + next + usize::from(closes && rest[next].column == column)
    }

    fn statement_end(&self, name: usize) -> usize {
        let mut depth = 0u32;
        let mut dollars = false;
        let mut at = name;
        while at + 1 < self.tokens.list.len() {
            match self.word(at) {
                "$$" => dollars = !dollars,
                _ if dollars => {}
                word if word.eq_ignore_ascii_case("begin") && !self.tokens.is(at + 1, ";") => depth += 1,
                word if word.eq_ignore_ascii_case("case") => depth += 1,
                word if word.eq_ignore_ascii_case("end") => depth = depth.saturating_sub(1),
                ";" if depth == 0 => return at,
                _ => {}
            }
            at += 1;
        }
        at
    }

    fn brace_end(&self, name: usize) -> (usize, std::ops::Range<usize>) {
        let tokens = &self.tokens;
        let mut at = name + 1;
        let mut value = false;
        while let Some(token) = tokens.get(at) {
            let word = self.word(at);
            if token.kind == Kind::Sign {
                match word {
                    "{" if !value => return (tokens.behind(at) - 1, name..at),
                    ";" => return (at, name..at),
                    "}" | ")" | "]" => return (at - 1, name..at),
                    "," if self.open.last().is_some_and(|open| open.holds == Holds::Cases) => {
                        return (at - 1, name..at);
                    }
                    "=" | "=>" | "<-" => value = true,
                    _ => {}
                }
            }
            if self.dialect.lines && token.first && !self.goes_on(at) {
                return (at - 1, name..at);
            }
            at = tokens.behind(at);
        }
        (tokens.list.len().saturating_sub(1), name..at)
    }

    /// Whether a line goes on what the line before began.
    fn goes_on(&self, at: usize) -> bool {
        let sign = |at: usize| self.tokens.get(at).is_some_and(|token| token.kind == Kind::Sign);
        let before = at.saturating_sub(1);
        let closed = [")", "]", "}", ";", "!", "?", "*"].iter().any(|close| self.tokens.is(before, close));
        (sign(before) && !closed) || self.tokens.is(at, "{") || self.tokens.is(at, ".") || self.tokens.is(at, "|>")
    }

    fn note(&mut self, build: &mut Builder<'s>, head: &Head) {
        let (Some(first), Some(name), Some(last)) =
            (self.tokens.get(head.first), self.tokens.get(head.name), self.tokens.get(head.last))
        else {
            return;
        };
        let name_span = Span { start: name.start + head.trim.0, end: name.end.saturating_sub(head.trim.1) };
        let text = build.slice(name_span);
        let span = Span { start: first.start, end: last.end.max(name.end) };
        if text.is_empty() || name_span.end < name_span.start {
            return;
        }
        let doc = self.tokens.comments_before(span.start);
        let mut decl = Decl::new(head.kind, text, name_span, span);
        let qualifier = self.qualifier(head.qualifier);
        decl.qualifier = (!qualifier.is_empty()).then_some(qualifier.as_str());
        if let Some(doc) = doc.filter(|doc| self.is_inside(doc.start)) {
            decl.full_span.start = doc.start;
            decl.doc_span = doc;
        }
        let line_end = build.line_around(name_span.start).end;
        let body = self.tokens.get(head.words.end).filter(|_| head.words.end > head.name + 1);
        let body = body.map_or(line_end, |token| token.start);
        decl.signature_end = Some(body.min(span.end).min(line_end).max(name_span.end));
        decl.access = self.access(head, text);
        // `- (void)send;` of an interface: the implementation defines it.
        decl.flags.declaration =
            self.dialect.calls == Calls::Messages && head.holds == Holds::Code && self.tokens.is(head.last, ";");
        let symbol = build.declare(decl);
        self.take(head.name);
        build.push_symbol(symbol);
        let kind = match head.holds {
            _ if head.kind == SymbolKind::Module => ScopeKind::Module,
            Holds::Members | Holds::FirstNames | Holds::Cases => ScopeKind::Type,
            Holds::Code => ScopeKind::Function,
            Holds::Declarations | Holds::Nothing => ScopeKind::Block,
        };
        build.push_scope(kind, span);
        let scope = build.current_scope();
        self.open.push(Open { last: head.last, holds: head.holds });
        if head.kind.is_container() {
            self.heritage(build, symbol, head.words.clone());
        }
        if head.holds == Holds::Code {
            self.parameters(build, head, scope);
        }
    }

    fn qualifier(&self, (fixed, token): (&'static str, Option<usize>)) -> String {
        let named = token.map_or("", |at| self.word(at).trim_matches('"'));
        [fixed, named].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".")
    }

    /// Whether an offset is inside of what is open.
    fn is_inside(&self, offset: u32) -> bool {
        self.open.last().and_then(|open| self.tokens.get(open.last)).is_none_or(|last| offset < last.end)
    }

    fn access(&self, head: &Head, name: &str) -> Access {
        let mut words = (head.first..head.name).map(|at| self.word(at));
        match words.find(|word| matches!(*word, "private" | "internal" | "protected" | "public" | "external")) {
            Some("private") => Access::Private,
            Some("protected") => Access::Protected,
            Some("internal") => Access::Crate,
            Some(_) => Access::Public,
            None if name.starts_with('_') => Access::Private,
            None => Access::Unknown,
        }
    }

    pub fn bind(&mut self, build: &mut Builder<'s>, at: usize, scope: ScopeId, kind: BindingKind) {
        if let Some(token) = self.tokens.get(at) {
            let start = token.start;
            build.bind_at(self.tokens.word(at), start, scope, kind);
            self.take(at);
        }
    }

    /// Notes a use of a name, unless the token is something else already.
    pub fn occurrence(&mut self, build: &mut Builder<'s>, at: usize, role: Role) {
        let Some(token) = self.tokens.get(at).copied() else { return };
        let receiver = self.receiver(build, at);
        build.occurrence_at(self.tokens.word(at), token.start, role, receiver);
        self.take(at);
    }
}

impl Blocks {
    /// Where the blocks end that a word begins.
    fn word_ends(self, tokens: &Tokens, dialect: &Dialect) -> Vec<(u32, u32)> {
        let Blocks::Ends(openers) = self else { return Vec::new() };
        let (mut open, mut found, mut at): (Vec<u32>, Vec<(u32, u32)>, usize) = (Vec::new(), Vec::new(), 0);
        while at < tokens.list.len() {
            let word = tokens.word(at);
            if tokens.is(at, "(") || tokens.is(at, "[") {
                at = tokens.behind(at);
                continue;
            }
            let member = at > 0 && dialect.members.contains(&tokens.word(at - 1));
            if tokens.is_word(at) && !member {
                if openers.contains(&word) {
                    open.push(at as u32);
                } else if word == "end"
                    && let Some(start) = open.pop()
                {
                    found.push((start, at as u32));
                }
            }
            at += 1;
        }
        found.sort_unstable();
        found
    }
}
