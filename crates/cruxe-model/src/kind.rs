//! Kinds of symbols, as the contracts name them.

use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($variant:ident $text:literal $doc:literal),* $(,)?) => {
        /// What a symbol is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[repr(u8)]
        pub enum SymbolKind { $(#[doc = $doc] $variant),* }

        impl SymbolKind {
            /// Every kind, in the order of their codes.
            pub const ALL: &'static [SymbolKind] = &[$(SymbolKind::$variant),*];

            /// The word that answers use.
            pub fn as_str(self) -> &'static str {
                match self { $(SymbolKind::$variant => $text),* }
            }
        }
    };
}

kinds! {
    Fn "fn" "A free function, or a function of a Rust `impl` or `trait`.",
    Method "method" "A function of a class or a Go receiver.",
    Struct "struct" "A structure.",
    Enum "enum" "An enumeration.",
    Union "union" "A C-like union.",
    Trait "trait" "A trait, type class or mixin.",
    Impl "impl" "A Rust `impl` block, a Swift or Kotlin extension, a Haskell instance.",
    Class "class" "A class.",
    Interface "interface" "An interface or protocol.",
    Module "module" "A module, namespace or package.",
    Const "const" "A constant.",
    Static "static" "A Rust `static`.",
    Variable "variable" "A variable that outlives a call: module, package or file scope.",
    Type "type" "A type alias.",
    Macro "macro" "A macro.",
    Field "field" "A field of a structure or class.",
    Variant "variant" "A case of an enumeration.",
    Property "property" "An accessor or declared property.",
    Use "use" "An import.",
    Heading "heading" "A heading of a document.",
}

impl SymbolKind {
    /// The kind that a stored code stands for.
    pub fn from_code(code: u8) -> Option<SymbolKind> {
        SymbolKind::ALL.get(usize::from(code)).copied()
    }

    /// The code that is stored.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The kinds that a `kind` filter of a query admits; `None` for a word that names no kind.
    ///
    /// A filter of `fn` or `method` finds both: the difference is the language's, not the reader's.
    pub fn filter(word: &str) -> Option<Vec<SymbolKind>> {
        use SymbolKind::*;
        Some(match word.to_ascii_lowercase().as_str() {
            "fn" | "function" | "func" | "def" | "method" | "constructor" => vec![Fn, Method],
            "mod" | "namespace" | "package" => vec![Module],
            "constant" => vec![Const],
            "var" | "let" => vec![Variable],
            "import" => vec![Use],
            "protocol" => vec![Interface],
            "typedef" | "alias" => vec![Type],
            "attribute" | "member" => vec![Field],
            word => vec![SymbolKind::ALL.iter().copied().find(|kind| kind.as_str() == word)?],
        })
    }

    /// Whether symbols of this kind hold other definitions.
    pub fn is_container(self) -> bool {
        use SymbolKind::*;
        matches!(self, Struct | Enum | Union | Trait | Impl | Class | Interface | Module | Heading)
    }

    /// Whether a symbol of this kind can be called like a function.
    pub fn is_callable(self) -> bool {
        matches!(self, SymbolKind::Fn | SymbolKind::Method | SymbolKind::Macro)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_round_trip() {
        for kind in SymbolKind::ALL {
            assert_eq!(SymbolKind::from_code(kind.code()), Some(*kind));
        }
        assert_eq!(SymbolKind::from_code(200), None);
    }

    #[test]
    fn filters_accept_the_words_people_use() {
        assert_eq!(SymbolKind::filter("function"), Some(vec![SymbolKind::Fn, SymbolKind::Method]));
        assert_eq!(SymbolKind::filter("Struct"), Some(vec![SymbolKind::Struct]));
        assert_eq!(SymbolKind::filter("gizmo"), None);
    }
}
