//! Languages that declare what others use: SQL, Protobuf, GraphQL, HCL.

use cruxe_model::SymbolKind::{Const, Enum, Field, Fn, Interface, Method, Module, Struct, Trait, Type, Variable};
use cruxe_model::facts::Relation::{Extends, Implements};

use super::super::layout::literals::heredoc;
use super::super::layout::reader::read;
use super::super::layout::tokens::{C_SIGNS, Kind, Signs, Tokens, long, quote};
use super::super::layout::{Blocks, DIALECT, Dialect, Found, Holds, PLAIN_RELATIONS, file, found, path, start};
use crate::language::{FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{NAMING, Naming};

/// SQL, in the dialects that are common.
pub static SQL: LanguageDef = LanguageDef {
    id: "sql",
    name: "sql",
    extensions: &["sql", "psql", "pgsql", "plsql", "ddl"],
    front_end: FrontEnd::Plain(|build| read(build, &SQL_DIALECT)),
    naming: Naming { relations: PLAIN_RELATIONS, ..NAMING },
    ..LANGUAGE
};

/// `@extschema@`, which an extension of PostgreSQL has for its schema.
fn script_macro(tokens: &Tokens, at: usize) -> Option<(Kind, usize)> {
    let inner = tokens.text.get(at..)?.strip_prefix('@')?;
    let name = inner.find(|c: char| !c.is_alphanumeric() && c != '_').filter(|end| *end > 0)?;
    inner.get(name..)?.starts_with('@').then_some((Kind::Word, name + 2))
}

static SQL_DIALECT: Dialect = Dialect {
    signs: Signs {
        line_comments: &["--"],
        quotes: &[long("'", "'")],
        literal: script_macro,
        long_signs: &["$$", "::", "<=", ">=", "<>", "!=", ":=", "||"],
        goes_on: "$",
        begins: "@#",
        ..C_SIGNS
    },
    blocks: Blocks::Statements,
    modifiers: &[
        "create",
        "or",
        "replace",
        "temp",
        "temporary",
        "unlogged",
        "materialized",
        "unique",
        "recursive",
        "external",
        "foreign",
        "global",
        "local",
        "virtual",
        "aggregate",
        "constraint",
        "definer",
        "editionable",
        "force",
        "clustered",
        "nonclustered",
    ],
    starts: &[
        start("table", Struct, Holds::Nothing),
        start("view", Struct, Holds::Nothing),
        start("function", Fn, Holds::Nothing),
        start("procedure", Fn, Holds::Nothing),
        start("proc", Fn, Holds::Nothing),
        start("trigger", Fn, Holds::Nothing),
        start("type", Type, Holds::Nothing),
        start("domain", Type, Holds::Nothing),
        start("schema", Module, Holds::Nothing),
        start("sequence", Variable, Holds::Nothing),
        start("index", Const, Holds::Nothing),
    ],
    fillers: &["if", "not", "exists", "concurrently", "only", "\"", "`", "["],
    keywords: &[
        "add",
        "all",
        "alter",
        "and",
        "any",
        "as",
        "asc",
        "auto_increment",
        "autoincrement",
        "begin",
        "between",
        "bigint",
        "bigserial",
        "blob",
        "boolean",
        "by",
        "bytea",
        "cascade",
        "case",
        "cast",
        "char",
        "check",
        "coalesce",
        "collate",
        "column",
        "commit",
        "constraint",
        "count",
        "create",
        "cross",
        "current_timestamp",
        "cursor",
        "database",
        "date",
        "datetime",
        "decimal",
        "declare",
        "default",
        "delete",
        "desc",
        "distinct",
        "do",
        "double",
        "drop",
        "else",
        "elsif",
        "end",
        "engine",
        "escape",
        "exception",
        "execute",
        "exists",
        "explain",
        "false",
        "float",
        "for",
        "foreign",
        "from",
        "full",
        "function",
        "grant",
        "group",
        "having",
        "if",
        "immutable",
        "in",
        "index",
        "inner",
        "insert",
        "int",
        "integer",
        "intersect",
        "interval",
        "into",
        "is",
        "join",
        "json",
        "jsonb",
        "key",
        "language",
        "last",
        "lateral",
        "left",
        "like",
        "limit",
        "loop",
        "max",
        "min",
        "natural",
        "not",
        "now",
        "null",
        "nulls",
        "numeric",
        "nvarchar",
        "of",
        "offset",
        "on",
        "only",
        "or",
        "order",
        "outer",
        "over",
        "partition",
        "plpgsql",
        "precision",
        "primary",
        "procedure",
        "raise",
        "real",
        "references",
        "replace",
        "return",
        "returning",
        "returns",
        "right",
        "rollback",
        "row",
        "rows",
        "schema",
        "select",
        "sequence",
        "serial",
        "set",
        "smallint",
        "sql",
        "stable",
        "sum",
        "table",
        "text",
        "then",
        "time",
        "timestamp",
        "timestamptz",
        "to",
        "trigger",
        "true",
        "truncate",
        "union",
        "unique",
        "unsigned",
        "update",
        "using",
        "uuid",
        "values",
        "varchar",
        "varying",
        "view",
        "void",
        "volatile",
        "when",
        "where",
        "while",
        "window",
        "with",
        "zone",
    ],
    ignores_case: true,
    ..DIALECT
};

/// Protocol buffers.
pub static PROTOBUF: LanguageDef = LanguageDef {
    id: "protobuf",
    name: "protobuf",
    extensions: &["proto"],
    front_end: FrontEnd::Plain(|build| read(build, &PROTOBUF_DIALECT)),
    naming: Naming { relations: PLAIN_RELATIONS, files: |path| vec![path.to_owned()], files_anywhere: true, ..NAMING },
    ..LANGUAGE
};

static PROTOBUF_DIALECT: Dialect = Dialect {
    starts: &[
        start("message", Struct, Holds::Members),
        start("enum", Enum, Holds::Cases),
        start("service", Interface, Holds::Declarations),
        start("rpc", Method, Holds::Nothing),
        start("oneof", Type, Holds::Members),
        start("extend", Struct, Holds::Members),
    ],
    typed: true,
    packages: &["package"],
    imports: &[file("import")],
    hook: protobuf,
    keywords: &[
        "bool",
        "bytes",
        "double",
        "enum",
        "extend",
        "extensions",
        "false",
        "fixed32",
        "fixed64",
        "float",
        "import",
        "int32",
        "int64",
        "map",
        "message",
        "oneof",
        "option",
        "optional",
        "package",
        "public",
        "repeated",
        "required",
        "reserved",
        "returns",
        "rpc",
        "service",
        "sfixed32",
        "sfixed64",
        "sint32",
        "sint64",
        "stream",
        "string",
        "syntax",
        "to",
        "true",
        "uint32",
        "uint64",
        "weak",
    ],
    capitals: true,
    ..DIALECT
};

/// `string message = 2;`: a number makes a field, whatever its name is; an `option` is none.
fn protobuf(tokens: &Tokens, at: usize) -> Option<Found> {
    if !tokens.is_word(at) || matches!(tokens.word(at), "option" | "reserved" | "syntax" | "edition") {
        return None;
    }
    let end = (at..tokens.list.len().min(at + 24)).find(|at| tokens.is(*at, "=") || tokens.is(*at, ";"))?;
    let name = end.checked_sub(1).filter(|name| *name > at && tokens.is_word(*name))?;
    let numbered = tokens.get(end + 1).is_some_and(|token| token.kind == Kind::Number);
    numbered.then(|| found(Field, name, Holds::Nothing))
}

/// GraphQL, schemas and queries.
pub static GRAPHQL: LanguageDef = LanguageDef {
    id: "graphql",
    name: "graphql",
    extensions: &["graphql", "gql", "graphqls"],
    front_end: FrontEnd::Plain(|build| read(build, &GRAPHQL_DIALECT)),
    ..LANGUAGE
};

static GRAPHQL_DIALECT: Dialect = Dialect {
    signs: Signs {
        line_comments: &["#"],
        block_comments: &[],
        quotes: &[long("\"\"\"", "\"\"\""), quote("\"")],
        begins: "$",
        ..C_SIGNS
    },
    lines: true,
    modifiers: &["extend"],
    starts: &[
        start("type", Struct, Holds::FirstNames),
        start("input", Struct, Holds::FirstNames),
        start("interface", Interface, Holds::FirstNames),
        start("enum", Enum, Holds::Cases),
        start("union", Type, Holds::Nothing),
        start("scalar", Type, Holds::Nothing),
        start("directive", Fn, Holds::Nothing),
        start("query", Fn, Holds::Nothing),
        start("mutation", Fn, Holds::Nothing),
        start("subscription", Fn, Holds::Nothing),
        start("fragment", Trait, Holds::Nothing),
    ],
    fillers: &["@"],
    heritage: &[("implements", Implements), ("on", Extends)],
    keywords: &[
        "Boolean",
        "Float",
        "ID",
        "Int",
        "String",
        "directive",
        "enum",
        "extend",
        "false",
        "fragment",
        "implements",
        "input",
        "interface",
        "mutation",
        "null",
        "on",
        "query",
        "repeatable",
        "scalar",
        "schema",
        "subscription",
        "true",
        "type",
        "union",
    ],
    members: &[],
    capitals: true,
    ..DIALECT
};

/// HCL, of Terraform and its kin.
pub static HCL: LanguageDef = LanguageDef {
    id: "hcl",
    name: "hcl",
    extensions: &["tf", "hcl", "tfvars", "nomad"],
    front_end: FrontEnd::Plain(|build| read(build, &HCL_DIALECT)),
    naming: Naming { relations: PLAIN_RELATIONS, ..NAMING },
    ..LANGUAGE
};

static HCL_DIALECT: Dialect = Dialect {
    signs: Signs {
        line_comments: &["#", "//"],
        quotes: &[quote("\"").with(&["${"])],
        goes_on: "-",
        literal: heredoc,
        ..C_SIGNS
    },
    lines: true,
    imports: &[path("import", false)],
    keywords: &[
        "any",
        "bool",
        "list",
        "locals",
        "number",
        "object",
        "output",
        "provider",
        "resource",
        "string",
        "terraform",
        "variable",
        "false",
        "for",
        "if",
        "in",
        "null",
        "true",
        "else",
        "endif",
        "endfor",
        "var",
        "data",
        "module",
        "each",
        "self",
        "path",
    ],
    hook: hcl,
    ..DIALECT
};

/// `resource "aws_instance" "web" {` declares `web`, `variable "region" {` declares `region`; so does a line of `locals`.
fn hcl(tokens: &Tokens, at: usize) -> Option<Found> {
    if !tokens.is_word(at) || !tokens.is_first(at) {
        return None;
    }
    let text = |at: usize| tokens.get(at).is_some_and(|token| token.kind == Kind::Text && token.end - token.start > 2);
    let quoted = |name: usize, kind, qualifier| Found { trim: (1, 1), qualifier, ..found(kind, name, Holds::Nothing) };
    let outer = tokens.get(at).is_some_and(|token| token.column == 0);
    match tokens.word(at) {
        "resource" if text(at + 1) && text(at + 2) => Some(quoted(at + 2, Struct, ("", Some(at + 1)))),
        "data" if text(at + 1) && text(at + 2) => Some(quoted(at + 2, Struct, ("data", Some(at + 1)))),
        "variable" if text(at + 1) => Some(quoted(at + 1, Variable, ("var", None))),
        "output" if text(at + 1) => Some(quoted(at + 1, Variable, ("output", None))),
        "module" if text(at + 1) => Some(quoted(at + 1, Module, ("module", None))),
        "provider" | "job" | "group" | "task" | "source" if text(at + 1) => Some(quoted(at + 1, Module, ("", None))),
        // `local.x` names what `locals` declares.
        "locals" if tokens.is(at + 1, "{") => Some(Found { trim: (0, 1), ..found(Module, at, Holds::FirstNames) }),
        _ if outer && tokens.is(at + 1, "=") => Some(found(Variable, at, Holds::Nothing)),
        _ => None,
    }
}
