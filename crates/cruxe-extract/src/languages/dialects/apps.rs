//! Languages with classes and braces: Dart, Groovy, Objective-C, PowerShell, Solidity.

use cruxe_model::SymbolKind::{
    Class, Enum, Field, Fn, Impl, Interface, Macro, Method, Module, Property, Struct, Trait, Type, Variable,
};
use cruxe_model::facts::Relation::{Extends, Implements};

use super::super::common::{ends_with_word, has_any};
use super::super::layout::reader::read;
use super::super::layout::tokens::{C_SIGNS, Kind, Quote, Signs, Tokens, long, quote, wide};
use super::super::layout::{Calls, DIALECT, Dialect, Found, Holds, file, found, path, start};
use crate::language::{FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{NAMING, Naming};

/// Dart, of Flutter.
pub static DART: LanguageDef = LanguageDef {
    id: "dart",
    name: "dart",
    extensions: &["dart"],
    interpreters: &["dart"],
    front_end: FrontEnd::Plain(|build| read(build, &DART_DIALECT)),
    is_test_path: |path| path.ends_with("_test.dart"),
    is_test_name: |name| name.ends_with("_test.dart"),
    naming: Naming { files: |path| vec![inside_package(path).to_owned()], files_anywhere: true, ..NAMING },
    ..LANGUAGE
};

/// `lib/x.dart` of `package:shop/x.dart`.
fn inside_package(path: &str) -> &str {
    match path.strip_prefix("package:") {
        Some(path) => path.split_once('/').map_or(path, |(_, rest)| rest),
        None => path,
    }
}

static DART_DIALECT: Dialect = Dialect {
    signs: Signs {
        quotes: &[
            long("'''", "'''").with(&["${", "$"]),
            long("\"\"\"", "\"\"\"").with(&["${", "$"]),
            quote("\"").with(&["${", "$"]),
            quote("'").with(&["${", "$"]),
        ],
        block_comments: &[("/*", "*/", true)],
        begins: "$",
        goes_on: "$",
        ..C_SIGNS
    },
    modifiers: &[
        "abstract",
        "base",
        "final",
        "sealed",
        "interface",
        "mixin",
        "external",
        "static",
        "const",
        "late",
        "covariant",
        "factory",
    ],
    starts: &[
        start("class", Class, Holds::Members),
        start("mixin", Trait, Holds::Members),
        start("enum", Enum, Holds::Cases),
        start("extension", Impl, Holds::Members),
        start("typedef", Type, Holds::Nothing),
    ],
    typed: true,
    heritage: &[("extends", Extends), ("with", Extends), ("implements", Implements), ("on", Extends)],
    imports: &[file("import"), file("export"), file("part")],
    keywords: &[
        "abstract",
        "as",
        "assert",
        "async",
        "await",
        "base",
        "break",
        "case",
        "catch",
        "class",
        "const",
        "continue",
        "covariant",
        "default",
        "deferred",
        "do",
        "dynamic",
        "else",
        "enum",
        "export",
        "extends",
        "extension",
        "external",
        "factory",
        "false",
        "final",
        "finally",
        "for",
        "get",
        "hide",
        "if",
        "implements",
        "import",
        "in",
        "is",
        "late",
        "library",
        "mixin",
        "new",
        "null",
        "on",
        "operator",
        "part",
        "required",
        "rethrow",
        "return",
        "sealed",
        "set",
        "show",
        "static",
        "super",
        "switch",
        "sync",
        "this",
        "throw",
        "true",
        "try",
        "typedef",
        "var",
        "void",
        "when",
        "while",
        "with",
        "yield",
    ],
    locals: &["var", "final", "const"],
    members: &[".", "?.", ".."],
    fillers: &["type"],
    capitals: true,
    keys: true,
    ..DIALECT
};

/// Groovy, and the build files of Gradle.
pub static GROOVY: LanguageDef = LanguageDef {
    id: "groovy",
    name: "groovy",
    extensions: &["groovy", "gradle", "gvy"],
    file_names: &["Jenkinsfile"],
    interpreters: &["groovy"],
    front_end: FrontEnd::Plain(|build| read(build, &GROOVY_DIALECT)),
    is_test_path: |path| {
        has_any(path, &["/test/"]) || ends_with_word(path.rsplit('/').next().unwrap_or(path), &["Test", "Spec"])
    },
    is_test_name: |name| name.ends_with(".groovy") && ends_with_word(name, &["Test", "Spec"]),
    ..LANGUAGE
};

static GROOVY_DIALECT: Dialect = Dialect {
    signs: Signs {
        quotes: &[
            long("'''", "'''"),
            long("\"\"\"", "\"\"\"").with(&["${", "$"]),
            quote("\"").with(&["${", "$"]),
            quote("'"),
        ],
        ..C_SIGNS
    },
    lines: true,
    modifiers: &["public", "private", "protected", "static", "final", "abstract", "synchronized"],
    starts: &[
        start("class", Class, Holds::Members),
        start("interface", Interface, Holds::Members),
        start("trait", Trait, Holds::Members),
        start("enum", Enum, Holds::Cases),
    ],
    typed: true,
    heritage: &[("extends", Extends), ("implements", Implements)],
    packages: &["package"],
    imports: &[path("import", false)],
    fillers: &["static"],
    keywords: &[
        "abstract",
        "as",
        "assert",
        "boolean",
        "break",
        "byte",
        "case",
        "catch",
        "char",
        "class",
        "continue",
        "def",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extends",
        "false",
        "final",
        "finally",
        "float",
        "for",
        "if",
        "implements",
        "import",
        "in",
        "instanceof",
        "int",
        "interface",
        "long",
        "new",
        "null",
        "package",
        "private",
        "protected",
        "public",
        "return",
        "short",
        "static",
        "super",
        "switch",
        "this",
        "throw",
        "throws",
        "trait",
        "true",
        "try",
        "void",
        "while",
    ],
    locals: &["def", "final", "int", "long", "boolean", "double"],
    members: &[".", "?."],
    capitals: true,
    keys: true,
    hook: groovy,
    ..DIALECT
};

/// `def "adds prices"() {`: the names of tests are sentences.
fn groovy(tokens: &Tokens, at: usize) -> Option<Found> {
    let declares = tokens.is_word(at) && !matches!(tokens.word(at), "return" | "throw" | "assert" | "new");
    let named = declares && tokens.get(at + 1).is_some_and(|token| token.kind == Kind::Text && !token.first);
    let opens = tokens.is(at + 2, "(") && tokens.is(tokens.behind(at + 2), "{");
    (named && opens).then(|| Found { trim: (1, 1), ..found(Fn, at + 1, Holds::Code) })
}

/// Solidity.
pub static SOLIDITY: LanguageDef = LanguageDef {
    id: "solidity",
    name: "solidity",
    extensions: &["sol"],
    front_end: FrontEnd::Plain(|build| read(build, &SOLIDITY_DIALECT)),
    is_test_path: |path| path.ends_with(".t.sol") || path.contains("/test/"),
    is_test_name: |name| name.ends_with(".t.sol"),
    naming: Naming { files: |path| vec![path.to_owned()], files_anywhere: true, ..NAMING },
    ..LANGUAGE
};

static SOLIDITY_DIALECT: Dialect = Dialect {
    modifiers: &["abstract"],
    starts: &[
        start("contract", Class, Holds::Members),
        start("interface", Interface, Holds::Members),
        start("library", Module, Holds::Members),
        start("function", Fn, Holds::Code),
        start("modifier", Method, Holds::Code),
        start("event", Type, Holds::Nothing),
        start("error", Type, Holds::Nothing),
        start("struct", Struct, Holds::Members),
        start("enum", Enum, Holds::Cases),
        start("type", Type, Holds::Nothing),
    ],
    typed: true,
    heritage: &[("is", Extends)],
    imports: &[file("import")],
    keywords: &[
        "abstract",
        "address",
        "anonymous",
        "as",
        "assembly",
        "bool",
        "break",
        "bytes",
        "bytes32",
        "calldata",
        "constant",
        "constructor",
        "continue",
        "contract",
        "delete",
        "do",
        "else",
        "emit",
        "enum",
        "error",
        "event",
        "external",
        "fallback",
        "false",
        "for",
        "from",
        "function",
        "if",
        "immutable",
        "import",
        "indexed",
        "int",
        "int256",
        "interface",
        "internal",
        "is",
        "library",
        "mapping",
        "memory",
        "modifier",
        "new",
        "override",
        "payable",
        "pragma",
        "private",
        "public",
        "pure",
        "receive",
        "return",
        "returns",
        "revert",
        "solidity",
        "storage",
        "string",
        "struct",
        "super",
        "this",
        "true",
        "try",
        "catch",
        "type",
        "uint",
        "uint8",
        "uint256",
        "unchecked",
        "using",
        "view",
        "virtual",
        "while",
    ],
    locals: &[
        "uint", "uint256", "uint8", "int", "int256", "address", "bool", "string", "bytes", "bytes32", "memory",
        "storage", "calldata", "payable",
    ],
    capitals: true,
    hook: solidity,
    ..DIALECT
};

/// `constructor(…) {`, and `mapping(…) name;`.
fn solidity(tokens: &Tokens, at: usize) -> Option<Found> {
    match tokens.word(at) {
        "constructor" | "receive" | "fallback" if tokens.is(at + 1, "(") => Some(found(Method, at, Holds::Code)),
        "mapping" if tokens.is(at + 1, "(") => {
            let end = (at..tokens.list.len().min(at + 60)).find(|at| tokens.is(*at, ";") || tokens.is(*at, "="))?;
            tokens.is_word(end - 1).then(|| found(Field, end - 1, Holds::Nothing))
        }
        _ => None,
    }
}

/// Objective-C. Its headers are C's, unless they begin a class.
pub static OBJECTIVE_C: LanguageDef = LanguageDef {
    id: "objc",
    name: "objective-c",
    extensions: &["m", "mm"],
    front_end: FrontEnd::Plain(|build| read(build, &OBJECTIVE_C_DIALECT)),
    is_test_name: |name| name.ends_with(".m") && ends_with_word(name, &["Tests", "Test"]),
    ..LANGUAGE
};

static OBJECTIVE_C_DIALECT: Dialect = Dialect {
    signs: Signs { begins: "@#", ..C_SIGNS },
    lines: true,
    modifiers: &["static", "inline", "extern", "const"],
    starts: &[
        start("@protocol", Interface, Holds::Declarations),
        start("struct", Struct, Holds::Members),
        start("enum", Enum, Holds::Cases),
        start("#define", Macro, Holds::Nothing),
    ],
    typed: true,
    heritage: &[(":", Extends)],
    imports: &[file("#import"), file("#include")],
    keywords: &[
        "@autoreleasepool",
        "@catch",
        "@class",
        "@end",
        "@finally",
        "@implementation",
        "@import",
        "@interface",
        "@optional",
        "@private",
        "@property",
        "@protocol",
        "@protected",
        "@public",
        "@required",
        "@selector",
        "@synchronized",
        "@synthesize",
        "@throw",
        "@try",
        "@dynamic",
        "#define",
        "#else",
        "#endif",
        "#if",
        "#ifdef",
        "#ifndef",
        "#import",
        "#include",
        "#pragma",
        "BOOL",
        "NO",
        "YES",
        "break",
        "case",
        "char",
        "const",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extern",
        "float",
        "for",
        "goto",
        "id",
        "if",
        "in",
        "int",
        "long",
        "nil",
        "nonatomic",
        "readonly",
        "return",
        "self",
        "short",
        "static",
        "struct",
        "super",
        "switch",
        "typedef",
        "unsigned",
        "void",
        "while",
        "strong",
        "weak",
        "copy",
        "assign",
        "nullable",
        "instancetype",
    ],
    locals: &["int", "BOOL", "id"],
    members: &[".", "->"],
    calls: Calls::Messages,
    capitals: true,
    hook: objective_c,
    ..DIALECT
};

/// `@interface Name`, `@implementation Name`, `- (void)send:(id)x` and `@property`.
fn objective_c(tokens: &Tokens, at: usize) -> Option<Found> {
    let end_of = |from: usize| (from..tokens.list.len()).find(|at| tokens.word(*at) == "@end");
    match tokens.word(at) {
        word @ ("@interface" | "@implementation") => {
            let kind = if word == "@interface" { Class } else { Impl };
            let last = end_of(at);
            Some(Found { last, ..found(kind, at + 1, Holds::Declarations) })
        }
        "-" | "+" if tokens.is_first(at) && tokens.is(at + 1, "(") => {
            let name = tokens.behind(at + 1);
            // Its selector may take several lines.
            let body = (name..tokens.list.len()).find(|at| tokens.is(*at, "{") || tokens.is(*at, ";"));
            let last = body.map(|body| tokens.behind(body) - 1);
            tokens.is_word(name).then(|| Found { last, ..found(Method, name, Holds::Code) })
        }
        "@property" => {
            let end = (at..tokens.list.len().min(at + 80)).find(|at| tokens.is(*at, ";"))?;
            let name = declared_last(tokens, at, end)?;
            Some(Found { last: Some(end), ..found(Property, name, Holds::Nothing) })
        }
        // `typedef NS_ENUM(NSInteger, Size) { … };`
        "typedef" if tokens.word(at + 1).ends_with("_ENUM") || tokens.word(at + 1).ends_with("_OPTIONS") => {
            let open = tokens.behind(at + 2);
            let name = open.checked_sub(2).filter(|name| tokens.is_word(*name))?;
            let last = Some(tokens.behind(open) - 1);
            tokens.is(open, "{").then(|| Found { last, ..found(Enum, name, Holds::Cases) })
        }
        "typedef" => {
            let mut end = at + 1;
            while end < tokens.list.len() && !tokens.is(end, ";") {
                end = tokens.behind(end);
            }
            let name = declared_last(tokens, at, end)?;
            Some(Found { last: Some(end), ..found(Type, name, Holds::Nothing) })
        }
        _ => None,
    }
}

/// The name that a declaration ends with: `NSString *name`, `void (^done)(NSData *)`, `int size NS_AVAILABLE(10)`.
fn declared_last(tokens: &Tokens, first: usize, end: usize) -> Option<usize> {
    let block = (first..end).find(|at| tokens.is(*at, "(") && (tokens.is(at + 1, "^") || tokens.is(at + 1, "*")));
    if let Some(name) = block.map(|open| tokens.behind(open) - 2).filter(|name| tokens.is_word(*name)) {
        return Some(name);
    }
    let is_mark =
        |word: &str| word.contains('_') && word.chars().all(|c| c.is_uppercase() || c.is_ascii_digit() || c == '_');
    let mut name = end.checked_sub(1)?;
    loop {
        if tokens.is(name, ")") {
            name = tokens.partner.get(name).map(|open| *open as usize)?.checked_sub(1)?;
        } else if is_mark(tokens.word(name)) && tokens.is_word(name - 1) {
            name -= 1;
        } else {
            return Some(name).filter(|name| *name > first && tokens.is_word(*name));
        }
    }
}

/// PowerShell.
pub static POWERSHELL: LanguageDef = LanguageDef {
    id: "powershell",
    name: "powershell",
    extensions: &["ps1", "psm1", "psd1"],
    interpreters: &["pwsh"],
    front_end: FrontEnd::Plain(|build| read(build, &POWERSHELL_DIALECT)),
    is_test_path: |path| path.ends_with(".Tests.ps1"),
    is_test_name: |name| name.ends_with(".Tests.ps1"),
    ..LANGUAGE
};

static POWERSHELL_DIALECT: Dialect = Dialect {
    signs: Signs {
        line_comments: &["#"],
        block_comments: &[("<#", "#>", false)],
        quotes: &[
            long("@\"", "\"@").with(&["$(", "$"]),
            long("@'", "'@"),
            Quote { escape: b'`', ..wide("\"").with(&["$(", "$"]) },
            long("'", "'"),
        ],
        begins: "$",
        goes_on: "-:",
        ..C_SIGNS
    },
    lines: true,
    starts: &[
        start("function", Fn, Holds::Code),
        start("filter", Fn, Holds::Code),
        start("workflow", Fn, Holds::Code),
        start("class", Class, Holds::Members),
        start("enum", Enum, Holds::Cases),
    ],
    nested: true,
    heritage: &[(":", Extends)],
    keywords: &[
        "begin",
        "break",
        "catch",
        "class",
        "continue",
        "data",
        "do",
        "dynamicparam",
        "else",
        "elseif",
        "end",
        "enum",
        "exit",
        "filter",
        "finally",
        "for",
        "foreach",
        "function",
        "if",
        "in",
        "param",
        "process",
        "return",
        "static",
        "switch",
        "throw",
        "trap",
        "try",
        "until",
        "using",
        "while",
        "$true",
        "$false",
        "$null",
        "$_",
        "$PSItem",
        "$args",
        "$input",
    ],
    assigns: &["="],
    members: &[".", "::"],
    variables: |word| word.starts_with('$'),
    calls: Calls::Commands,
    ignores_case: true,
    hook: powershell,
    ..DIALECT
};

/// Members of a class: `[string]$Name`, `[void] Run([int]$x) {`, `Name() {`.
fn powershell(tokens: &Tokens, at: usize) -> Option<Found> {
    let column = tokens.get(at).is_some_and(|token| token.column == 0);
    let nowhere = tokens.word(at).eq_ignore_ascii_case("$null");
    if column && !nowhere && tokens.is(at + 1, "=") && tokens.word(at).starts_with('$') {
        return Some(found(Variable, at, Holds::Nothing));
    }
    let typed = tokens.is(at, "[") && tokens.is_first(at);
    let name = if typed { tokens.behind(at) } else { return None };
    let is_variable =
        tokens.get(name).is_some_and(|token| token.kind == Kind::Word) && tokens.word(name).starts_with('$');
    if is_variable && tokens.get(at).is_some_and(|token| token.column > 0) && tokens.is_first(name + 1) {
        return Some(Found { trim: (1, 0), ..found(Field, name, Holds::Nothing) });
    }
    let called = tokens.is_word(name) && tokens.is(name + 1, "(") && tokens.is(tokens.behind(name + 1), "{");
    called.then(|| found(Method, name, Holds::Code))
}
