//! What each piece of a text is to a reader who looks at it in colours: comment, string, keyword, type, call.
//!
//! By the kinds of the tree's leaves, which grammars name alike, and by the facts: what is defined, called or a type is known
//! from them, and no grammar has to ship queries for it. One byte of class per byte of text while it is worked out, so that what is
//! inside wins over what is around it without recursion.

use std::time::{Duration, Instant};

use cruxe_model::SymbolKind;
use cruxe_model::facts::{FileFacts, Role, Span};
use tree_sitter::Node;

use crate::language::LanguageDef;
use crate::{Extractor, Input, as_text};

/// What a piece of text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Class {
    /// Nothing to set off.
    #[default]
    Plain,
    /// A comment.
    Comment,
    /// A string, character or regular expression.
    String,
    /// A number, or a word for a value: `true`, `nil`.
    Literal,
    /// A word of the language.
    Keyword,
    /// The name of a type.
    Type,
    /// The name of something that is called.
    Call,
    /// The name of a definition, where it is defined.
    Definition,
    /// A decorator, attribute or annotation.
    Decorator,
    /// A heading of a document.
    Heading,
}

/// Pieces that are not plain, in order and without overlaps.
pub type Pieces = Vec<(Span, Class)>;

/// A text with what is known of its pieces.
pub struct Highlighted {
    /// The pieces.
    pub pieces: Pieces,
    /// Where identifiers begin that can be asked about, in order.
    pub names: Vec<u32>,
    /// The facts that this comes from.
    pub facts: FileFacts,
}

impl Extractor {
    /// Classifies the text of a file.
    pub fn highlight(&mut self, input: &Input) -> Highlighted {
        let (text, _) = as_text(input.bytes);
        let facts = self.extract(input);
        let mut paint = vec![Class::Plain; text.len()];
        if input.bytes.len() as u64 <= self.limits.max_bytes
            && let Some(def) = input.language
            && let Some(parsed) = self.tree(def, &text, Instant::now() + self.limits.max_time)
        {
            paint_tree(parsed.tree.root_node(), &text, &mut paint);
        }
        let names = paint_facts(&facts, &text, &mut paint);
        Highlighted { pieces: pieces(&paint), names, facts }
    }
}

impl Extractor {
    /// Classifies a piece of a file by its tree alone: a few lines cost a fraction of a millisecond.
    pub fn highlight_piece(&mut self, def: &'static LanguageDef, piece: &str) -> Pieces {
        let whole = format!("{}{piece}", def.opening);
        let Some(parsed) = self.tree(def, &whole, Instant::now() + PIECE_TIME) else { return Pieces::new() };
        let mut paint = vec![Class::Plain; whole.len()];
        paint_tree(parsed.tree.root_node(), &whole, &mut paint);
        pieces(paint.get(def.opening.len()..).unwrap_or_default())
    }
}

/// What the colours of a piece may cost.
const PIECE_TIME: Duration = Duration::from_millis(20);

/// Paints every node that its kind tells, what is inside over what is around it.
fn paint_tree(root: Node, text: &str, paint: &mut [Class]) {
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        let range = node.byte_range();
        let class = class_of(&node, text);
        if let (Some(class), Some(place)) = (class, paint.get_mut(range)) {
            place.fill(class);
        }
        // A comment has no parts worth telling apart.
        if class != Some(Class::Comment) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// What a node is by its kind; `None` leaves it as what is around it.
fn class_of(node: &Node, text: &str) -> Option<Class> {
    let kind = node.kind();
    if !node.is_named() {
        let word = text.get(node.byte_range())?;
        let is_word = word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        return is_word.then_some(Class::Keyword);
    }
    let has = |part: &str| kind.contains(part);
    if has("comment") {
        return Some(Class::Comment);
    }
    // Code inside of a string is code.
    if has("interpolation") || has("substitution") || has("format_expression") {
        return Some(Class::Plain);
    }
    let of_text = has("string") || has("char_literal") || has("character") || has("heredoc") || has("regex");
    if of_text && !has("identifier") && !has("type") {
        return Some(Class::String);
    }
    if node.child_count() > 0 {
        return None;
    }
    match kind {
        "true" | "false" | "null" | "none" | "None" | "nil" | "undefined" => Some(Class::Literal),
        "self" | "this" | "super" | "crate" => Some(Class::Keyword),
        "type_identifier" | "primitive_type" | "predefined_type" | "builtin_type" => Some(Class::Type),
        _ if has("integer") || has("float") || has("number") || has("numeric") || has("boolean") => {
            Some(Class::Literal)
        }
        _ => None,
    }
}

/// Paints what the facts say of names, and returns where names begin.
fn paint_facts(facts: &FileFacts, text: &str, paint: &mut [Class]) -> Vec<u32> {
    let mut names = Vec::with_capacity(facts.occurrences.len() + facts.symbols.len());
    let mut set = |start: u32, length: usize, class: Class| {
        let (start, end) = (start as usize, start as usize + length);
        if let Some(place) = paint.get_mut(start..end) {
            place.fill(class);
        }
    };
    for occurrence in &facts.occurrences {
        if matches!(occurrence.role, Role::Link | Role::Path) {
            continue;
        }
        let name = facts.name(occurrence.name);
        let (start, end) = (occurrence.start as usize, occurrence.start as usize + name.len());
        if text.get(start..end) != Some(name) {
            continue;
        }
        names.push(occurrence.start);
        match occurrence.role {
            role if role.is_call() => set(occurrence.start, name.len(), Class::Call),
            role if role.is_type() => set(occurrence.start, name.len(), Class::Type),
            Role::Decorator => set(occurrence.start, name.len(), Class::Decorator),
            _ => {}
        }
    }
    for symbol in &facts.symbols {
        let length = symbol.name_span.end.saturating_sub(symbol.name_span.start) as usize;
        if length == 0 || matches!(symbol.kind, SymbolKind::Use | SymbolKind::Impl) {
            continue;
        }
        names.push(symbol.name_span.start);
        let heading = symbol.kind == SymbolKind::Heading;
        set(symbol.name_span.start, length, if heading { Class::Heading } else { Class::Definition });
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// Runs of one class.
fn pieces(paint: &[Class]) -> Pieces {
    let mut pieces = Pieces::new();
    let mut start = 0;
    for run in paint.chunk_by(|one, next| one == next) {
        let end = start + run.len();
        if run[0] != Class::Plain {
            pieces.push((Span { start: start as u32, end: end as u32 }, run[0]));
        }
        start = end;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use cruxe_model::RepoPath;

    use super::*;
    use crate::registry;

    /// The pieces of a file as text with their classes.
    fn shown(path: &str, text: &str) -> Vec<(String, Class)> {
        let path = RepoPath::parse(path).unwrap();
        let language = registry::detect(&path, text.as_bytes());
        let input = Input { path: &path, module: "", language, bytes: text.as_bytes() };
        let found = Extractor::default().highlight(&input);
        let piece = |(span, class): (Span, Class)| (text[span.start as usize..span.end as usize].to_owned(), class);
        found.pieces.into_iter().map(piece).collect()
    }

    fn expected(pieces: &[(&str, Class)]) -> Vec<(String, Class)> {
        pieces.iter().map(|(text, class)| ((*text).to_owned(), *class)).collect()
    }

    #[test]
    fn python_is_told_apart_by_tree_and_facts() {
        use Class::*;
        let found = shown("a.py", "class A(B):\n    # why\n    def go(self, n=1):\n        return run(f\"x{n}\")\n");
        let wanted = [
            ("class", Keyword),
            ("A", Definition),
            ("B", Type),
            ("# why", Comment),
            ("def", Keyword),
            ("go", Definition),
            ("1", Literal),
            ("return", Keyword),
            ("run", Call),
            ("f\"x", String),
            ("\"", String),
        ];
        assert_eq!(found, expected(&wanted));
    }

    #[test]
    fn rust_is_told_apart_by_tree_and_facts() {
        use Class::*;
        let found = shown("a.rs", "fn go(x: Vec<u8>) -> bool { make(\"y\") }\n");
        let wanted = [
            ("fn", Keyword),
            ("go", Definition),
            ("Vec", Type),
            ("u8", Type),
            ("bool", Type),
            ("make", Call),
            ("\"y\"", String),
        ];
        assert_eq!(found, expected(&wanted));
    }

    #[test]
    fn a_piece_is_told_apart_without_its_file() {
        let spans = Extractor::default().highlight_piece(registry::named("php"), "return \"x\"; // y");
        let text = "return \"x\"; // y";
        let found: Vec<(&str, Class)> =
            spans.iter().map(|(span, class)| (&text[span.start as usize..span.end as usize], *class)).collect();
        assert_eq!(found, [("return", Class::Keyword), ("\"x\"", Class::String), ("// y", Class::Comment)]);
        assert_eq!(Extractor::default().highlight_piece(registry::named("markdown"), "# x"), []);
    }

    #[test]
    fn plain_text_and_broken_code_have_no_more_than_they_say() {
        assert_eq!(shown("a.txt", "def x\n"), []);
        assert!(shown("a.py", "def (((").iter().all(|(text, _)| text == "def"));
    }
}
