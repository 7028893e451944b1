//! Languages that are read without a grammar: by their words, their brackets and their layout.
//!
//! A grammar for each of them would take as much room as the program has, and most of what people ask about them is where
//! something is declared and who names it. So a [`Dialect`] says which words begin a declaration and how it ends, and one
//! reader ([`reader`]) notes declarations, what they build on, imports, parameters, calls and every other name. What a name
//! means is found by scope, by imports and by names that are unique, as for every broad language.
//!
//! Every word that is no keyword is a fact: nothing is left for [`crate::loose`].

pub mod literals;
mod parameters;
pub mod reader;
pub mod tokens;
mod uses;

use cruxe_model::SymbolKind;
use cruxe_model::facts::Relation;

use self::tokens::{Signs, Tokens};
use crate::naming::{ALL_RELATIONS, Relations, Told};

/// What is known of a language that is read by its layout.
pub struct Dialect {
    /// Its comments, strings and words.
    pub signs: Signs,
    /// How declarations end.
    pub blocks: Blocks,
    /// A declaration ends with its line, unless a bracket or a sign at its end says otherwise.
    pub lines: bool,
    /// Words that may stand before the word of a declaration.
    pub modifiers: &'static [&'static str],
    /// What begins a declaration.
    pub starts: &'static [Start],
    /// Words between the word of a declaration and its name.
    pub fillers: &'static [&'static str],
    /// Functions and variables are told by what stands around their name: `int size(…) {`, `String name;`.
    pub typed: bool,
    /// Declarations are looked for inside of functions too.
    pub nested: bool,
    /// Words before what a type builds on.
    pub heritage: &'static [(&'static str, Relation)],
    /// Words before the name of the package that the rest of the file is in.
    pub packages: &'static [&'static str],
    /// Those of them whose name is a symbol.
    pub modules: &'static [&'static str],
    /// Words that import.
    pub imports: &'static [Importing],
    /// Words of the language: no names.
    pub keywords: &'static [&'static str],
    /// Words before the name of a local.
    pub locals: &'static [&'static str],
    /// The first assignment in a function makes a local.
    pub assigns: &'static [&'static str],
    /// Tells a variable by its looks: inside of a function its first mention makes a local.
    pub variables: fn(&str) -> bool,
    /// What stands before a member.
    pub members: &'static [&'static str],
    /// What is called.
    pub calls: Calls,
    /// Words are the same in capitals.
    pub ignores_case: bool,
    /// Names with a capital are types where they are not called.
    pub capitals: bool,
    /// `name:` in brackets is the name of an argument.
    pub keys: bool,
    /// Finds a declaration that no word begins.
    pub hook: fn(&Tokens, usize) -> Option<Found>,
}

/// What most dialects have, for `..DIALECT`.
pub const DIALECT: Dialect = Dialect {
    signs: tokens::C_SIGNS,
    blocks: Blocks::Braces,
    lines: false,
    modifiers: &[],
    starts: &[],
    fillers: &[],
    typed: false,
    nested: false,
    heritage: &[],
    packages: &[],
    modules: &[],
    imports: &[],
    keywords: &[],
    locals: &[],
    assigns: &[],
    variables: |_| false,
    members: &["."],
    calls: Calls::Parens,
    ignores_case: false,
    capitals: false,
    keys: false,
    hook: |_, _| None,
};

/// How declarations end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// With the brace that closes their body, else with `;`.
    Braces,
    /// With `end`; these words want one.
    Ends(&'static [&'static str]),
    /// Before the next line that is not indented more.
    Indent,
    /// With the bracket that closes the one before them.
    Lists,
    /// With `.` before a blank.
    Dots,
    /// With `;`, past `begin … end`.
    Statements,
}

/// A word that begins a declaration.
pub struct Start {
    /// The word.
    pub word: &'static str,
    /// What it declares.
    pub kind: SymbolKind,
    /// What is inside.
    pub holds: Holds,
}

/// What is inside of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Members, of which those that no word begins are fields, told by their last name: `int size;`.
    Members,
    /// The same, told by their first name: `size: int`.
    FirstNames,
    /// Cases, between commas or on lines of their own.
    Cases,
    /// Declarations, and no fields.
    Declarations,
    /// Code.
    Code,
    /// Nothing that is declared.
    Nothing,
}

/// A word that imports.
pub struct Importing {
    /// The word.
    pub word: &'static str,
    /// What follows it.
    pub form: Form,
    /// Everything in there is seen by its plain name.
    pub glob: bool,
}

/// What follows a word that imports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A quoted path of a file.
    Quoted,
    /// A path of names.
    Path,
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// A name with `(` behind it.
    Parens,
    /// The first name behind `(`.
    Lists,
    /// A name with an argument behind it, as in `f x`, and what `|>` leads to.
    Words,
    /// The first name of a command, and a name with `(` behind it.
    Commands,
    /// A name with `(` behind it, and what is sent: `[cart total]`.
    Messages,
}

/// A declaration that a [`Dialect::hook`] found.
pub struct Found {
    /// What it declares.
    pub kind: SymbolKind,
    /// The token of its name.
    pub name: usize,
    /// Its last token; `None` where the rule of [`Blocks`] holds.
    pub last: Option<usize>,
    /// What is inside.
    pub holds: Holds,
    /// Stands before the name in its qualified form: a word, and the token of another.
    pub qualifier: (&'static str, Option<usize>),
    /// A part of the name's token only, in bytes from its beginning and its end: quotes, a dollar.
    pub trim: (u32, u32),
}

/// A declaration by a word.
pub const fn start(word: &'static str, kind: SymbolKind, holds: Holds) -> Start {
    Start { word, kind, holds }
}

/// The import of a file.
pub const fn file(word: &'static str) -> Importing {
    Importing { word, form: Form::Quoted, glob: true }
}

/// The import of a path of names.
pub const fn path(word: &'static str, glob: bool) -> Importing {
    Importing { word, form: Form::Path, glob }
}

/// A declaration whose name is a word.
pub const fn found(kind: SymbolKind, name: usize, holds: Holds) -> Found {
    Found { kind, name, last: None, holds, qualifier: ("", None), trim: (0, 0) }
}

/// The relations of a language without classes.
pub const PLAIN_RELATIONS: Relations =
    Relations { heritage: Told::Never, decorators: Told::Never, constructions: Told::Never, ..ALL_RELATIONS };
