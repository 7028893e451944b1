//! Languages of functions: Clojure, Erlang, F#, Nix, OCaml.

use super::super::layout::literals::{backslash_char, dollar_char, quoted_char};
use super::super::layout::reader::read;
use super::super::layout::tokens::{C_SIGNS, Kind, Signs, Tokens, long, wide};
use super::super::layout::{Blocks, Calls, DIALECT, Dialect, Found, Holds, PLAIN_RELATIONS, file, found, path, start};
use crate::language::{FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{NAMING, Naming};
use cruxe_model::RepoPath;
use cruxe_model::SymbolKind::{Class, Const, Fn, Interface, Macro, Method, Module, Struct, Type, Variable};

/// ``adds prices`` is a name in F#.
fn fsharp_literal(tokens: &Tokens, at: usize) -> Option<(Kind, usize)> {
    let Some(inner) = tokens.text.get(at..)?.strip_prefix("``") else { return quoted_char(tokens, at) };
    let end = inner.find(['`', '\n']).filter(|end| *end > 0)?;
    inner.get(end..)?.starts_with("``").then_some((Kind::Word, end + 4))
}

/// F#.
pub static FSHARP: LanguageDef = LanguageDef {
    id: "fsharp",
    name: "fsharp",
    extensions: &["fs", "fsx", "fsi"],
    front_end: FrontEnd::Plain(|build| read(build, &FSHARP_DIALECT)),
    ..LANGUAGE
};

static FSHARP_DIALECT: Dialect = Dialect {
    signs: Signs {
        block_comments: &[("(*", "*)", true)],
        quotes: &[long("\"\"\"", "\"\"\""), long("@\"", "\""), wide("\"")],
        goes_on: "'",
        ends: "'",
        literal: fsharp_literal,
        ..C_SIGNS
    },
    blocks: Blocks::Indent,
    lines: true,
    modifiers: &["static", "abstract", "override", "default", "private", "internal", "public", "inline", "let", "and"],
    starts: &[
        start("module", Module, Holds::Declarations),
        start("namespace", Module, Holds::Declarations),
        start("type", Class, Holds::FirstNames),
        start("exception", Type, Holds::Nothing),
    ],
    fillers: &["rec", "private", "internal", "public", "inline", "mutable"],
    packages: &["module", "namespace"],
    modules: &["module"],
    imports: &[path("open", true)],
    keywords: ML_KEYWORDS,
    locals: &["let", "mutable", "rec", "for", "fun", "use", "let!", "as"],
    calls: Calls::Words,
    capitals: true,
    hook: ml,
    ..DIALECT
};

const ML_KEYWORDS: &[&str] = &[
    "abstract",
    "and",
    "as",
    "assert",
    "base",
    "begin",
    "bool",
    "class",
    "constraint",
    "default",
    "delegate",
    "do",
    "done",
    "downcast",
    "downto",
    "elif",
    "else",
    "end",
    "exception",
    "extern",
    "external",
    "false",
    "finally",
    "fixed",
    "float",
    "for",
    "fun",
    "function",
    "functor",
    "global",
    "if",
    "in",
    "include",
    "inherit",
    "initializer",
    "inline",
    "int",
    "interface",
    "internal",
    "lazy",
    "let",
    "list",
    "match",
    "member",
    "method",
    "module",
    "mutable",
    "namespace",
    "new",
    "nonrec",
    "not",
    "null",
    "object",
    "of",
    "open",
    "option",
    "or",
    "override",
    "private",
    "public",
    "raise",
    "rec",
    "ref",
    "return",
    "select",
    "sig",
    "static",
    "string",
    "struct",
    "then",
    "to",
    "true",
    "try",
    "type",
    "unit",
    "upcast",
    "use",
    "val",
    "virtual",
    "void",
    "when",
    "while",
    "with",
    "yield",
];

/// `let f x = …` is a function, `let x = …` a value; `member this.Run x = …` a method; `| Case of …` a case.
fn ml(tokens: &Tokens, at: usize) -> Option<Found> {
    let quoted = |found: &Found| tokens.word(found.name).starts_with("``");
    ml_declaration(tokens, at).map(|found| if quoted(&found) { Found { trim: (2, 2), ..found } } else { found })
}

fn ml_declaration(tokens: &Tokens, at: usize) -> Option<Found> {
    let mut name = at + 1;
    match tokens.word(at) {
        // `type 'a t = …`, `type ('a, 'b) t`
        "type" if tokens.is_first(at) => {
            name += usize::from(tokens.word(name) == "nonrec");
            let behind = behind_type_parameters(tokens, name);
            (behind > name && tokens.is_word(behind)).then(|| found(Type, behind, Holds::FirstNames))
        }
        "val" | "external" if tokens.is_first(at) && tokens.is_word(name) && tokens.is(name + 1, ":") => {
            let kind = if has_arrow(tokens, at, name) { Fn } else { Const };
            Some(found(kind, name, Holds::Nothing))
        }
        "let" | "and" | "val" | "external" if tokens.is_first(at) => {
            while matches!(tokens.word(name), "rec" | "inline" | "mutable" | "private" | "internal" | "nonrec") {
                name += 1;
            }
            let top = tokens.get(at).is_some_and(|token| token.column <= 4);
            let function = !tokens.is(name + 1, "=") && !tokens.is(name + 1, ":")
                || tokens.word(name + 2) == "fun"
                || tokens.word(name + 2) == "function";
            let kind = if function { Fn } else { Const };
            (tokens.is_word(name) && top && tokens.word(name) != "open").then(|| found(kind, name, Holds::Code))
        }
        "static" | "abstract" | "member" | "override" | "default" | "method" if tokens.is_first(at) => {
            while matches!(tokens.word(name), "member" | "method" | "inline") {
                name += 1;
            }
            while matches!(tokens.word(name), "val" | "private" | "inline" | "virtual") {
                name += 1;
            }
            if tokens.is(name + 1, ".") {
                name += 2;
            }
            tokens.is_word(name).then(|| found(Method, name, Holds::Code))
        }
        "|" if tokens.is_first(at) && tokens.word(name).starts_with(char::is_uppercase) => {
            let case = tokens.word(name + 1) == "of" || tokens.is_first(name + 1);
            case.then(|| Found { last: Some(name), ..found(cruxe_model::SymbolKind::Variant, name, Holds::Nothing) })
        }
        _ => None,
    }
}

/// The token behind `'a`, `+'a` and `(_, 'b)`.
fn behind_type_parameters(tokens: &Tokens, at: usize) -> usize {
    let sign = usize::from(["+", "-", "!"].iter().any(|sign| tokens.is(at, sign)));
    let mark = at + sign;
    match () {
        () if tokens.is(at, "(") && !tokens.is_first(at) => tokens.behind(at),
        () if tokens.is(mark, "'") && tokens.is_word(mark + 1) => mark + 2,
        () if tokens.word(mark) == "_" && tokens.is_word(mark + 1) => mark + 1,
        () => at,
    }
}

/// Whether the type of a value is that of a function.
fn has_arrow(tokens: &Tokens, first: usize, name: usize) -> bool {
    let column = tokens.get(first).map_or(0, |token| token.column);
    let mut at = name + 2;
    while tokens.get(at).is_some_and(|token| !token.first || token.column > column) {
        if tokens.is(at, "->") {
            return true;
        }
        at = tokens.behind(at);
    }
    false
}

/// OCaml. A file is a module.
pub static OCAML: LanguageDef = LanguageDef {
    id: "ocaml",
    name: "ocaml",
    extensions: &["ml", "mli", "mll", "mly"],
    front_end: FrontEnd::Plain(|build| read(build, &OCAML_DIALECT)),
    module: |_, path| capitalised(path),
    ..LANGUAGE
};

fn capitalised(path: &RepoPath) -> String {
    let mut letters = path.stem().chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

static OCAML_DIALECT: Dialect = Dialect {
    signs: Signs {
        line_comments: &[],
        block_comments: &[("(*", "*)", true)],
        quotes: &[long("{|", "|}"), wide("\"")],
        goes_on: "'",
        ends: "'",
        literal: quoted_char,
        ..C_SIGNS
    },
    blocks: Blocks::Indent,
    lines: true,
    modifiers: &["and"],
    starts: &[
        start("module", Module, Holds::Declarations),
        start("type", Type, Holds::FirstNames),
        start("exception", Type, Holds::Nothing),
        start("class", Class, Holds::Declarations),
    ],
    fillers: &["rec", "type", "nonrec", "virtual"],
    imports: &[path("open", true), path("include", true)],
    keywords: ML_KEYWORDS,
    locals: &["let", "rec", "fun", "function", "for", "as"],
    calls: Calls::Words,
    hook: ml,
    ..DIALECT
};

/// Erlang. A file is the module that it says it is.
pub static ERLANG: LanguageDef = LanguageDef {
    id: "erlang",
    name: "erlang",
    extensions: &["erl", "hrl", "escript"],
    separator: ":",
    interpreters: &["escript"],
    front_end: FrontEnd::Plain(|build| read(build, &ERLANG_DIALECT)),
    module: |_, path| if path.as_str().ends_with(".erl") { path.stem().to_owned() } else { String::new() },
    is_test_path: |path| path.ends_with("_SUITE.erl") || path.ends_with("_tests.erl"),
    is_test_name: |name| name.ends_with("_SUITE.erl") || name.ends_with("_tests.erl"),
    naming: Naming { files: |path| vec![path.to_owned()], files_anywhere: true, relations: PLAIN_RELATIONS, ..NAMING },
    ..LANGUAGE
};

static ERLANG_DIALECT: Dialect = Dialect {
    signs: Signs {
        line_comments: &["%"],
        block_comments: &[],
        quotes: &[wide("\"")],
        goes_on: "@",
        literal: dollar_char,
        ..C_SIGNS
    },
    blocks: Blocks::Dots,
    packages: &["module"],
    modules: &["module"],
    keywords: &[
        "behaviour",
        "behavior",
        "callback",
        "compile",
        "define",
        "export",
        "export_type",
        "ifdef",
        "endif",
        "import",
        "include",
        "include_lib",
        "module",
        "opaque",
        "record",
        "spec",
        "type",
        "after",
        "and",
        "andalso",
        "band",
        "begin",
        "bnot",
        "bor",
        "bsl",
        "bsr",
        "bxor",
        "case",
        "catch",
        "cond",
        "div",
        "else",
        "end",
        "false",
        "fun",
        "if",
        "let",
        "maybe",
        "not",
        "of",
        "ok",
        "or",
        "orelse",
        "receive",
        "rem",
        "true",
        "try",
        "undefined",
        "when",
        "xor",
    ],
    variables: |word| word.starts_with(|c: char| c.is_uppercase() || c == '_'),
    members: &[":"],
    hook: erlang,
    ..DIALECT
};

fn erlang(tokens: &Tokens, at: usize) -> Option<Found> {
    if tokens.is(at, "-") {
        let kind = match tokens.word(at + 1) {
            "record" => Struct,
            "define" => Macro,
            "type" | "opaque" => Type,
            "callback" => Method,
            _ => return None,
        };
        let name = if tokens.is(at + 2, "(") { at + 3 } else { at + 2 };
        return tokens.is_word(name).then(|| found(kind, name, Holds::Nothing));
    }
    let column = tokens.get(at).is_some_and(|token| token.column == 0);
    let lower = tokens.word(at).starts_with(|c: char| c.is_lowercase());
    (column && lower && tokens.is(at + 1, "(")).then(|| found(Fn, at, Holds::Code))
}

/// Clojure, with ClojureScript.
pub static CLOJURE: LanguageDef = LanguageDef {
    id: "clojure",
    name: "clojure",
    extensions: &["clj", "cljs", "cljc", "edn", "bb"],
    interpreters: &["bb", "clojure"],
    separator: "/",
    front_end: FrontEnd::Plain(|build| read(build, &CLOJURE_DIALECT)),
    is_test_path: |path| path.contains("_test.clj"),
    is_test_name: |name| name.contains("_test.clj"),
    ..LANGUAGE
};

static CLOJURE_DIALECT: Dialect = Dialect {
    signs: Signs {
        line_comments: &[";"],
        block_comments: &[],
        quotes: &[wide("\"")],
        literal: backslash_char,
        begins: "*+-<>=!?&",
        goes_on: "-*+!?<>=&'.",
        ends: "-*+!?<>=&'",
        long_signs: &["#_", "#{", "~@"],
        ..C_SIGNS
    },
    blocks: Blocks::Lists,
    nested: false,
    starts: &[
        start("def", Variable, Holds::Nothing),
        start("defonce", Variable, Holds::Nothing),
        start("defn", Fn, Holds::Code),
        start("defn-", Fn, Holds::Code),
        start("defmacro", Macro, Holds::Code),
        start("defmulti", Fn, Holds::Nothing),
        start("defprotocol", Interface, Holds::Nothing),
        start("defrecord", Class, Holds::Nothing),
        start("deftype", Class, Holds::Nothing),
        start("deftest", Fn, Holds::Code),
        start("defschema", Type, Holds::Nothing),
        start("s/def", Type, Holds::Nothing),
    ],
    packages: &["ns"],
    modules: &["ns"],
    keywords: &[
        "catch",
        "cond",
        "def",
        "defmacro",
        "defmulti",
        "defmethod",
        "defn",
        "defn-",
        "defonce",
        "defprotocol",
        "defrecord",
        "deftest",
        "deftype",
        "do",
        "doseq",
        "dotimes",
        "extend",
        "false",
        "finally",
        "fn",
        "for",
        "if",
        "if-let",
        "if-not",
        "let",
        "letfn",
        "loop",
        "nil",
        "ns",
        "quote",
        "recur",
        "reify",
        "throw",
        "true",
        "try",
        "when",
        "when-let",
        "when-not",
        "->",
        "->>",
        "=",
        "<",
        ">",
        "+",
        "-",
        "*",
        "&",
    ],
    members: &["/"],
    calls: Calls::Lists,
    ..DIALECT
};

/// Nix.
pub static NIX: LanguageDef = LanguageDef {
    id: "nix",
    name: "nix",
    extensions: &["nix"],
    front_end: FrontEnd::Plain(|build| read(build, &NIX_DIALECT)),
    naming: Naming { relations: PLAIN_RELATIONS, ..NAMING },
    ..LANGUAGE
};

static NIX_DIALECT: Dialect = Dialect {
    signs: Signs {
        line_comments: &["#"],
        quotes: &[long("''", "''").with(&["${"]), wide("\"").with(&["${"])],
        goes_on: "-'",
        ends: "'",
        ..C_SIGNS
    },
    nested: true,
    imports: &[file("#include")],
    keywords: &[
        "assert", "builtins", "else", "false", "if", "import", "in", "inherit", "let", "null", "or", "rec", "then",
        "true", "with",
    ],
    calls: Calls::Words,
    hook: nix,
    ..DIALECT
};

/// `name = x: …;` is a function, `name = …;` a value; what lies deep is neither.
fn nix(tokens: &Tokens, at: usize) -> Option<Found> {
    let mut name = at;
    while tokens.is_word(name) && tokens.is(name + 1, ".") && tokens.is_word(name + 2) {
        name += 2;
    }
    let near = tokens.get(at).filter(|token| token.kind == Kind::Word && token.column <= 4);
    let function = tokens.is_word(name + 2) && tokens.is(name + 3, ":")
        || tokens.is(name + 2, "{") && tokens.is(tokens.behind(name + 2), ":");
    let kind = if function { Fn } else { Variable };
    (near.is_some() && tokens.is(name + 1, "=") && tokens.is_first(at)).then(|| found(kind, name, Holds::Nothing))
}
