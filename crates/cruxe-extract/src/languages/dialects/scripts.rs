//! Scripts: Julia, Perl, R.

use cruxe_model::SymbolKind::{Class, Const, Fn, Macro, Method, Module, Struct, Type, Variable};
use cruxe_model::facts::Relation::Extends;

use super::super::layout::literals::{self, quoted_char};
use super::super::layout::reader::read;
use super::super::layout::tokens::{C_SIGNS, Kind, Signs, Tokens, long, quote, wide};
use super::super::layout::{Blocks, DIALECT, Dialect, Found, Holds, PLAIN_RELATIONS, file, found, path, start};
use crate::language::{FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{NAMING, Naming};

/// Julia.
pub static JULIA: LanguageDef = LanguageDef {
    id: "julia",
    name: "julia",
    extensions: &["jl"],
    interpreters: &["julia"],
    front_end: FrontEnd::Plain(|build| read(build, &JULIA_DIALECT)),
    is_test_path: |path| path.starts_with("test/") || path.contains("/test/"),
    naming: Naming { files: |path| vec![path.to_owned()], ..NAMING },
    ..LANGUAGE
};

static JULIA_DIALECT: Dialect = Dialect {
    signs: Signs {
        line_comments: &["#"],
        block_comments: &[("#=", "=#", true)],
        quotes: &[long("\"\"\"", "\"\"\"").with(&["$(", "$"]), wide("\"").with(&["$(", "$"])],
        literal: quoted_char,
        begins: "@",
        goes_on: "!",
        ends: "!",
        ..C_SIGNS
    },
    blocks: Blocks::Ends(&[
        "function",
        "macro",
        "module",
        "baremodule",
        "struct",
        "begin",
        "let",
        "if",
        "for",
        "while",
        "try",
        "do",
        "quote",
        "type",
    ]),
    lines: true,
    modifiers: &["mutable", "abstract", "primitive", "@inline", "@noinline", "@generated", "export"],
    starts: &[
        start("module", Module, Holds::Declarations),
        start("baremodule", Module, Holds::Declarations),
        start("function", Fn, Holds::Code),
        start("macro", Macro, Holds::Code),
        start("struct", Struct, Holds::FirstNames),
        start("type", Type, Holds::Nothing),
        start("const", Const, Holds::Nothing),
    ],
    heritage: &[("<:", Extends)],
    imports: &[path("using", true), path("import", false), file("include")],
    keywords: &[
        "abstract",
        "baremodule",
        "begin",
        "break",
        "catch",
        "const",
        "continue",
        "do",
        "else",
        "elseif",
        "end",
        "export",
        "false",
        "finally",
        "for",
        "function",
        "global",
        "if",
        "import",
        "in",
        "isa",
        "let",
        "local",
        "macro",
        "module",
        "mutable",
        "nothing",
        "primitive",
        "quote",
        "return",
        "struct",
        "true",
        "try",
        "type",
        "using",
        "where",
        "while",
    ],
    locals: &["local", "for"],
    assigns: &["="],
    capitals: true,
    hook: julia,
    ..DIALECT
};

/// `area(x) = …` on a line is a function; so are `Base.show(x) = …` and `@inline area(x) = …`.
fn julia(tokens: &Tokens, at: usize) -> Option<Found> {
    let path_end = |mut at: usize| {
        while tokens.is(at + 1, ".") && tokens.is_word(at + 2) {
            at += 2;
        }
        at
    };
    if tokens.get(at).is_none_or(|token| token.column > 0 || token.kind != Kind::Word) {
        return None;
    }
    let mut name = path_end(at);
    if tokens.word(name).starts_with('@') {
        name = path_end(name + 1);
        if tokens.word(name) == "function" {
            let name = path_end(name + 1);
            return tokens.is_word(name).then(|| found(Fn, name, Holds::Code));
        }
        // What a macro is given may begin a line of its own.
        name += usize::from(tokens.is_first(name)) * tokens.list.len();
    }
    let parameters = if tokens.is(name + 1, "{") { tokens.behind(name + 1) } else { name + 1 };
    if !tokens.is_word(name) || !tokens.is(parameters, "(") {
        return None;
    }
    // A result type and `where {T}` may stand before the `=`.
    let mut equal = tokens.behind(parameters);
    while !tokens.is_first(equal) && !tokens.is(equal, "=") {
        equal = tokens.behind(equal);
    }
    (!tokens.is_first(equal) && tokens.is(equal, "=")).then(|| found(Fn, name, Holds::Code))
}

/// Perl.
pub static PERL: LanguageDef = LanguageDef {
    id: "perl",
    name: "perl",
    extensions: &["pl", "pm", "t", "psgi"],
    interpreters: &["perl"],
    separator: "::",
    front_end: FrontEnd::Plain(|build| read(build, &PERL_DIALECT)),
    is_test_path: |path| path.ends_with(".t"),
    is_test_name: |name| name.ends_with(".t"),
    naming: Naming { files: |path| vec![format!("{}.pm", path.replace("::", "/"))], ..NAMING },
    ..LANGUAGE
};

static PERL_DIALECT: Dialect = Dialect {
    signs: Signs {
        line_comments: &["#"],
        block_comments: &[],
        line_start_comments: &["="],
        quotes: &[wide("\"").with(&["$"]), wide("'")],
        literal: literals::perl,
        begins: "$@%&",
        ..C_SIGNS
    },
    starts: &[
        start("sub", Fn, Holds::Code),
        start("method", Method, Holds::Code),
        start("class", Class, Holds::Declarations),
        // `package Shop::Cart { … }`
        start("package", Module, Holds::Declarations),
    ],
    packages: &["package"],
    modules: &["package"],
    imports: &[path("use", true), path("require", false)],
    keywords: &[
        "and",
        "cmp",
        "defined",
        "delete",
        "die",
        "do",
        "else",
        "elsif",
        "eq",
        "eval",
        "exists",
        "for",
        "foreach",
        "ge",
        "gt",
        "if",
        "keys",
        "last",
        "le",
        "local",
        "lt",
        "method",
        "my",
        "ne",
        "next",
        "no",
        "not",
        "or",
        "our",
        "package",
        "print",
        "push",
        "qw",
        "ref",
        "require",
        "return",
        "scalar",
        "shift",
        "strict",
        "sub",
        "undef",
        "unless",
        "until",
        "use",
        "values",
        "wantarray",
        "warnings",
        "while",
        "$_",
        "@_",
        "$self",
        "$class",
    ],
    locals: &["my", "local"],
    variables: |word| word.starts_with(['$', '@', '%']),
    members: &["->", "::"],
    hook: perl,
    ..DIALECT
};

/// `our $VERSION = …` and `use constant NAME => …`.
fn perl(tokens: &Tokens, at: usize) -> Option<Found> {
    match tokens.word(at) {
        "our" if tokens.is_word(at + 1) => {
            Some(found(Variable, at + 1, Holds::Nothing)).filter(|_| tokens.word(at + 1).starts_with(['$', '@', '%']))
        }
        "use" if tokens.word(at + 1) == "constant" && tokens.is_word(at + 2) => {
            Some(found(Const, at + 2, Holds::Nothing))
        }
        _ => None,
    }
}

/// R.
pub static R: LanguageDef = LanguageDef {
    id: "r",
    name: "r",
    extensions: &["r", "rmd", "rprofile"],
    interpreters: &["Rscript"],
    front_end: FrontEnd::Plain(|build| read(build, &R_DIALECT)),
    is_test_path: |path| path.contains("tests/testthat/"),
    naming: Naming { relations: PLAIN_RELATIONS, ..NAMING },
    ..LANGUAGE
};

static R_DIALECT: Dialect = Dialect {
    signs: Signs {
        line_comments: &["#"],
        block_comments: &[],
        quotes: &[wide("\""), wide("'"), quote("`")],
        begins: ".",
        goes_on: ".",
        ends: ".",
        long_signs: &["<-", "->", "==", "!=", "<=", ">=", ":::", "::", "|>", "%>%"],
        ..C_SIGNS
    },
    lines: true,
    nested: true,
    imports: &[],
    keywords: &[
        "FALSE", "Inf", "NA", "NULL", "NaN", "TRUE", "break", "else", "for", "function", "if", "in", "next", "repeat",
        "return", "while", "T", "F",
    ],
    assigns: &["<-", "="],
    members: &["$", "::", ":::", "@"],
    keys: false,
    hook: r,
    ..DIALECT
};

/// `name <- function(…)` is a function, and `NAME <- …` at the beginning of a line a variable; so is a name in backquotes.
/// `setClass("Cart", …)` and `setGeneric("total", …)` name what they declare.
fn r(tokens: &Tokens, at: usize) -> Option<Found> {
    let column = tokens.get(at).is_some_and(|token| token.column == 0);
    let told = tokens.get(at + 2).is_some_and(|token| token.kind == Kind::Text && token.end - token.start > 2);
    let kind = match tokens.word(at) {
        "setClass" | "setRefClass" | "setClassUnion" => Some(Class),
        "setGeneric" => Some(Fn),
        "setMethod" => Some(Method),
        _ => None,
    };
    if let Some(kind) = kind.filter(|_| column && told && tokens.is(at + 1, "(")) {
        let last = Some(tokens.behind(at + 1) - 1);
        return Some(Found { last, trim: (1, 1), ..found(kind, at + 2, Holds::Code) });
    }
    let quoted = tokens.get(at).is_some_and(|token| token.kind == Kind::Text) && tokens.word(at).starts_with('`');
    let set = tokens.is(at + 1, "<-") || tokens.is(at + 1, "=");
    if !(tokens.is_word(at) || quoted) || !set || !tokens.is_first(at) {
        return None;
    }
    let trim = if quoted { (1, 1) } else { (0, 0) };
    match tokens.word(at + 2) {
        "function" => Some(Found { last: function_end(tokens, at + 2), trim, ..found(Fn, at, Holds::Code) }),
        "setRefClass" | "R6Class" | "setClass" | "new_class" if column => {
            Some(Found { trim, ..found(Class, at, Holds::Nothing) })
        }
        _ if column => Some(Found { trim, ..found(Variable, at, Holds::Nothing) }),
        _ => None,
    }
}

/// The last token of `function(…) { … }`; `None` where its body has no braces.
fn function_end(tokens: &Tokens, at: usize) -> Option<usize> {
    let body = tokens.behind(at + 1);
    tokens.is(body, "{").then(|| tokens.behind(body) - 1)
}
