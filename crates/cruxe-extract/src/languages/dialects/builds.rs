//! Files of builds: CMake, Dockerfile, Make.

use cruxe_model::SymbolKind::{Fn, Macro, Module, Variable};
use cruxe_model::facts::{Role, Span};

use super::super::layout::reader::read;
use super::super::layout::tokens::{C_SIGNS, Signs, Tokens, long, wide};
use super::super::layout::{Calls, DIALECT, Dialect, Found, Holds, PLAIN_RELATIONS, found};
use crate::build::{Builder, Decl};
use crate::language::{FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{NAMING, Naming};

/// CMake.
pub static CMAKE: LanguageDef = LanguageDef {
    id: "cmake",
    name: "cmake",
    extensions: &["cmake"],
    file_names: &["CMakeLists.txt"],
    front_end: FrontEnd::Plain(|build| read(build, &CMAKE_DIALECT)),
    naming: Naming { relations: PLAIN_RELATIONS, ..NAMING },
    ..LANGUAGE
};

static CMAKE_DIALECT: Dialect = Dialect {
    signs: Signs {
        line_comments: &["#"],
        block_comments: &[("#[[", "]]", false)],
        quotes: &[long("[[", "]]"), wide("\"").with(&["${"])],
        goes_on: "-.",
        long_signs: &["${"],
        ..C_SIGNS
    },
    lines: true,
    keywords: &[
        "add_custom_command",
        "add_custom_target",
        "add_executable",
        "add_library",
        "add_subdirectory",
        "add_test",
        "cmake_minimum_required",
        "enable_testing",
        "file",
        "find_package",
        "function",
        "include",
        "install",
        "list",
        "macro",
        "message",
        "option",
        "project",
        "return",
        "set",
        "set_target_properties",
        "string",
        "target_compile_definitions",
        "target_compile_options",
        "target_include_directories",
        "target_link_libraries",
        "AND",
        "APPEND",
        "ARGS",
        "CACHE",
        "COMMAND",
        "COMPONENTS",
        "DEFINED",
        "DEPENDS",
        "DESTINATION",
        "EQUAL",
        "FATAL_ERROR",
        "FILES",
        "FORCE",
        "GLOB",
        "IN",
        "INTERFACE",
        "ITEMS",
        "LISTS",
        "MATCHES",
        "NOT",
        "OFF",
        "ON",
        "OR",
        "PRIVATE",
        "PROPERTIES",
        "PUBLIC",
        "REQUIRED",
        "SHARED",
        "STATIC",
        "STATUS",
        "STREQUAL",
        "STRING",
        "TARGET",
        "TARGETS",
        "VERSION",
        "else",
        "elseif",
        "endforeach",
        "endfunction",
        "endif",
        "endmacro",
        "endwhile",
        "foreach",
        "if",
        "while",
    ],
    members: &[],
    calls: Calls::Parens,
    hook: cmake,
    ..DIALECT
};

/// `function(name …)`, `macro(name …)`, `set(NAME …)`, `option(NAME …)`, `add_library(name …)`, `add_executable(name …)`.
fn cmake(tokens: &Tokens, at: usize) -> Option<Found> {
    if !tokens.is_first(at) || !tokens.is(at + 1, "(") || !tokens.is_word(at + 2) {
        return None;
    }
    let whole = Some(tokens.behind(at + 1) - 1);
    let (kind, holds, end) = match tokens.word(at).to_ascii_lowercase().as_str() {
        "function" => (Fn, Holds::Code, "endfunction"),
        "macro" => (Macro, Holds::Code, "endmacro"),
        "set" | "option" => (Variable, Holds::Nothing, ""),
        "add_library" | "add_executable" | "add_custom_target" | "project" => (Module, Holds::Nothing, ""),
        _ => return None,
    };
    let ends = |found: &usize| tokens.word(*found).eq_ignore_ascii_case(end);
    let last = if end.is_empty() { whole } else { (at..tokens.list.len()).find(ends).or(whole) };
    Some(Found { last, ..found(kind, at + 2, holds) })
}

/// Dockerfiles: stages, arguments and variables, and who names them.
pub static DOCKERFILE: LanguageDef = LanguageDef {
    id: "dockerfile",
    name: "dockerfile",
    extensions: &["dockerfile"],
    file_names: &["Dockerfile", "Containerfile"],
    front_end: FrontEnd::Plain(dockerfile),
    naming: Naming { relations: PLAIN_RELATIONS, ..NAMING },
    ..LANGUAGE
};

fn dockerfile(build: &mut Builder) {
    let text = build.text;
    for line in lines(text) {
        if build.out_of_time() {
            return build.expire();
        }
        let content = &text[line.clone()];
        let mut words = content.split_whitespace();
        let first = words.next().unwrap_or_default().to_ascii_uppercase();
        match first.as_str() {
            "FROM" => {
                let mut stages = content.split_whitespace().skip_while(|word| !word.eq_ignore_ascii_case("as")).skip(1);
                if let Some(name) = stages.next() {
                    let end = next_stage(text, line.end);
                    declare(build, Module, at(text, name), Span { start: line.start as u32, end: end as u32 });
                }
                if let Some(image) =
                    content.split_whitespace().skip(1).find(|word| !word.starts_with("--") && is_name(word))
                {
                    name_use(build, image);
                }
            }
            "ARG" | "ENV" => {
                for word in words {
                    let name = word.split('=').next().unwrap_or_default();
                    if is_name(name) {
                        declare(
                            build,
                            Variable,
                            at(text, name),
                            Span { start: line.start as u32, end: line.end as u32 },
                        );
                    }
                    if first == "ARG" || !word.contains('=') {
                        break;
                    }
                }
            }
            "COPY" => {
                if let Some(from) = content.split_whitespace().find_map(|word| word.strip_prefix("--from=")) {
                    name_use(build, from);
                }
            }
            _ => {}
        }
        dollars(build, line.start, content);
    }
}

/// Where a stage ends: before the next, without blank lines.
fn next_stage(text: &str, from: usize) -> usize {
    let begins = |line: &std::ops::Range<usize>| {
        line.start > from && text[line.clone()].get(..5).is_some_and(|word| word.eq_ignore_ascii_case("FROM "))
    };
    let end = lines(text).find(begins).map_or(text.len(), |line| line.start);
    text[..end].trim_end().len().max(from)
}

/// Make: targets, variables, and who names them.
pub static MAKE: LanguageDef = LanguageDef {
    id: "make",
    name: "make",
    extensions: &["mk", "mak"],
    file_names: &["Makefile", "makefile", "GNUmakefile"],
    front_end: FrontEnd::Plain(make),
    naming: Naming { relations: PLAIN_RELATIONS, ..NAMING },
    ..LANGUAGE
};

fn make(build: &mut Builder) {
    let text = build.text;
    let all: Vec<std::ops::Range<usize>> = lines(text).collect();
    for (at_line, line) in all.iter().enumerate() {
        if build.out_of_time() {
            return build.expire();
        }
        let content = &text[line.clone()];
        // Below a condition a line may be indented like a recipe and still set something; in a recipe `A := b` and `A ?= b`
        // mean nothing.
        let conditional = content.starts_with('\t')
            && assignment(content).is_some_and(|name| {
                is_name(name.trim())
                    && [":=", "?=", "+="].iter().any(|sign| content.contains(sign))
                    && content.trim_start().find('=').is_some_and(|equal| equal <= name.trim().len() + 3)
            });
        let recipe = content.starts_with('\t') && !conditional;
        if !recipe && !content.trim_start().starts_with('#') {
            if let Some(name) = content.trim_start().strip_prefix("define ").map(str::trim).filter(|name| is_name(name))
            {
                declare(build, Variable, at(text, name), Span { start: line.start as u32, end: line.end as u32 });
            } else if let Some(names) = assignment(content) {
                let names = names.trim();
                let names = names.strip_prefix("export ").or(names.strip_prefix("override ")).unwrap_or(names).trim();
                if is_name(names) {
                    declare(build, Variable, at(text, names), Span { start: line.start as u32, end: line.end as u32 });
                }
            } else if let Some((targets, needed)) = content.split_once(':').filter(|_| !content.starts_with(' ')) {
                let end = all[at_line + 1..]
                    .iter()
                    .take_while(|next| {
                        text[(*next).clone()].starts_with('\t') || text[(*next).clone()].trim().is_empty()
                    })
                    .filter(|next| !text[(*next).clone()].trim().is_empty())
                    .last()
                    .map_or(line.end, |next| next.end);
                for target in targets.split_whitespace().filter(|target| is_target(target)) {
                    declare(build, Fn, at(text, target), Span { start: line.start as u32, end: end as u32 });
                }
                let needed = needed.trim_start_matches(':').split('#').next().unwrap_or_default();
                for name in needed.split_whitespace().filter(|name| is_target(name)) {
                    name_use(build, name);
                }
            }
        }
        dollars(build, line.start, content);
    }
}

/// The name of `NAME := value`.
fn assignment(content: &str) -> Option<&str> {
    let equal = content.find('=')?;
    let before = content[..equal].trim_end_matches([':', '?', '+', '!']);
    let colon = before.contains(':');
    (!colon && is_name(before.trim().rsplit(' ').next().unwrap_or_default())).then_some(before)
}

fn is_target(word: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    // `.PHONY` and `.c.o` are words of the language.
    let own = |name: &str| !name.contains('.') && name.contains(['-', '_']) && name.contains(char::is_lowercase);
    !word.is_empty() && word.chars().all(plain) && word.strip_prefix('.').is_none_or(own)
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// The lines of a text, without their ends; a `\` at the end joins nothing.
fn lines(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let from = start;
        start += line.len();
        from..from + line.trim_end_matches(['\n', '\r']).len()
    })
}

/// Where a piece of a text stands in it.
fn at(text: &str, piece: &str) -> Span {
    let start = (piece.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    Span { start: start as u32, end: (start + piece.len()) as u32 }
}

fn declare(build: &mut Builder, kind: cruxe_model::SymbolKind, name: Span, span: Span) {
    let text = build.slice(name);
    let mut decl = Decl::new(kind, text, name, span);
    decl.signature_end = Some(build.line_around(name.start).end.min(span.end).max(name.end));
    build.declare(decl);
}

fn name_use<'s>(build: &mut Builder<'s>, name: &'s str) {
    let place = at(build.text, name);
    build.occurrence_at(name, place.start, Role::Value, None);
}

/// `$(NAME)`, `${NAME}` and `$NAME` of a line.
fn dollars(build: &mut Builder, start: usize, content: &str) {
    let text = build.text;
    for (dollar, _) in content.match_indices('$') {
        let rest = &content[dollar + 1..];
        let inner = rest.trim_start_matches(['(', '{']);
        let opened = rest.len() - inner.len();
        let length = inner.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(inner.len());
        // `$(call name,…)` calls a variable.
        let (skip, length) = match inner.strip_prefix("call ") {
            Some(called) => (5, called.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(called.len())),
            None => (0, length),
        };
        let from = start + dollar + 1 + opened + skip;
        let name = text.get(from..from + length).unwrap_or_default();
        if is_name(name) && opened <= 1 {
            build.occurrence_at(name, from as u32, if skip > 0 { Role::Call } else { Role::Value }, None);
        }
    }
}
