//! C: declarators, tags, typedefs, macros. C++ builds on this table.

mod attributes;
mod comments;
mod initializer;
mod macros;
mod removable;
mod wrapped;

use std::sync::LazyLock;

use cruxe_model::SymbolKind::{Const, Enum, Field, Fn, Macro, Struct, Type, Union, Variable, Variant};
use cruxe_model::facts::BindingKind::Param;
use cruxe_model::facts::Role::{Call, Decorator, Key, Make, Write};
use cruxe_model::facts::{Access, ScopeKind, Span};
use memchr::memmem::Finder;

use super::broad::{
    self, As, At, Broad, Find, Imported, NODE, Shape, Site, Syntax, TABLE, Table, TypeShape, attribute, call, comment,
    def, function, hook, inner, literal, member, modifiers, name, places, primitive, roles, scope, type_def, type_name,
};
use super::cpp::CPP;
use super::dialects::OBJECTIVE_C;
use crate::build::Decl;
use crate::language::{FrontEnd, LANGUAGE, LanguageDef, TEXT};
use crate::naming::{ALL_RELATIONS, NAMING, Naming, Relations, Told};
use crate::recover::{BRACES, Lexis};
use crate::walk::{Cx, Walk, span};

/// The C language.
pub static C: LanguageDef = LanguageDef {
    id: "c",
    name: "c",
    extensions: &["c", "h", "def"],
    otherwise: |extension, head| match extension {
        "h" if is_objective_c_header(head) => Some(&OBJECTIVE_C),
        "h" | "def" if is_cpp_header(head) => Some(&CPP),
        // A list for a linker.
        "def" if !is_included(head) => Some(&TEXT),
        _ => None,
    },
    front_end: FrontEnd::Grammar {
        grammar: || tree_sitter_c::LANGUAGE.into(),
        rules: |grammar| broad::rules(grammar, &C_TABLE),
    },
    naming: Naming {
        imported: |_| "",
        free_members: &[Variant],
        parts: &["extern"],
        indexes_itself: true,
        includes: true,
        elements: &[],
        relations: Relations { heritage: Told::Never, decorators: Told::Never, ..ALL_RELATIONS },
        ..NAMING
    },
    ..LANGUAGE
};

pub(super) static C_TABLE: Table = Table {
    nodes: &[
        (&["identifier", "field_identifier"], name()),
        (&["type_identifier"], type_name()),
        (&["comment"], comment(&[""])),
        (&["primitive_type", "sized_type_specifier"], primitive()),
        (&["storage_class_specifier", "type_qualifier"], modifiers()),
        (&["attribute_specifier", "ms_declspec_modifier"], attribute().hook(|_, _| Some(Walk::Skip))),
        (&["attribute_declaration"], attribute()),
        (&["attribute"], roles(&[(At::Field("name"), As::Role(Decorator))])),
        (&["preproc_include"], hook(include)),
        (&["preproc_def"], def(Macro).body(Find::By(long_value))),
        (&["preproc_function_def"], def(Macro).body(Find::Field("value")).open(ScopeKind::Function)),
        (&["preproc_params"], roles(&[(At::Any, As::Bind(Param))])),
        (&["preproc_arg"], hook(macros::body)),
        (&["translation_unit"], hook(macros::note_uses)),
        // Types.
        (&["struct_specifier"], type_def(Struct).needs_body().hook(typedef_body).ty(TAGGED).roles(TAG)),
        (&["union_specifier"], type_def(Union).needs_body().hook(typedef_body).ty(TAGGED).roles(TAG)),
        (&["enum_specifier"], type_def(Enum).needs_body().hook(typedef_body).ty(TAGGED)),
        (&["enumerator"], def(Variant).body(Find::Nothing)),
        (&["field_declaration"], DECLARATION.roles(&[(At::Field("declarator"), As::Declare(Field, Field))])),
        (&["type_definition"], DECLARATION.wraps().roles(&[(At::Field("declarator"), As::Declare(Type, Type))])),
        // Functions and variables.
        (&["function_definition"], function().named(Find::Declarator("declarator")).of_type(Find::Field("type"))),
        (
            &["declaration"],
            DECLARATION.roles(&[
                (At::Field("declarator"), As::Declare(Variable, Field)),
                (At::Field("type"), As::Ask(initializer::declared)),
            ]),
        ),
        (&["init_declarator"], roles(DECLARATOR).of_value(Find::Field("value"))),
        (&["pointer_declarator", "array_declarator", "function_declarator"], roles(DECLARATOR)),
        (&["parenthesized_declarator", "attributed_declarator"], roles(&[(At::Any, As::Inherit)])),
        (&["parameter_list"], hook(parameters).roles(&[(At::Any, As::Bind(Param))])),
        (&["parameter_declaration"], DECLARATION.roles(&[(At::Field("declarator"), As::Bind(Param))])),
        (
            &["compound_statement", "for_statement", "if_statement", "while_statement", "switch_statement"],
            scope(ScopeKind::Block),
        ),
        // Expressions.
        (&["call_expression"], call(Find::Field("function")).roles(&[(At::Field("function"), As::Role(Call))])),
        (&["field_expression"], member("argument", "field").roles(&[(At::Field("field"), As::Inherit)])),
        (
            &["subscript_expression"],
            NODE.expr(Shape::Index(Find::Field("argument")))
                .roles(&[(At::Field("argument"), As::Ask(places::element))]),
        ),
        (&["pointer_expression"], inner(Find::Field("argument"))),
        (&["parenthesized_expression"], inner(Find::Nth(0)).roles(&[(At::Any, As::Inherit)])),
        (&["cast_expression"], NODE.expr(Shape::Typed(Find::Field("type")))),
        (
            &["compound_literal_expression"],
            NODE.expr(Shape::Typed(Find::Field("type"))).roles(&[(At::Field("type"), As::Role(Make))]),
        ),
        (&["type_descriptor"], inner(Find::Field("type")).roles(&[(At::Field("type"), As::Inherit)])),
        (&["assignment_expression"], roles(&[(At::Field("left"), As::Role(Write))])),
        (&["update_expression"], roles(&[(At::Field("argument"), As::Role(Write))])),
        (&["field_designator"], roles(&[(At::Any, As::Role(Key))])),
        (&["initializer_pair"], roles(&[(At::Field("designator"), As::Role(Key))])),
        (
            &["macro_type_specifier"],
            roles(&[(At::Field("name"), As::Role(Call))]).ty(TypeShape::Inner(Find::Field("type"))),
        ),
        (&["gnu_asm_goto_list"], roles(&[(At::Any, As::Nothing)])),
        (&["gnu_asm_input_operand", "gnu_asm_output_operand"], roles(&[(At::Field("symbol"), As::Nothing)])),
        (&["string_literal", "concatenated_string"], literal("str")),
        (&["number_literal"], literal("int")),
        (&["true", "false"], literal("bool")),
    ],
    self_words: &[],
    super_words: &[],
    access: &[("static", Access::Private)],
    recover: &[("struct", Struct), ("enum", Enum), ("union", Union)],
    prepare: macros::blank,
    key_of: initializer::key_of,
    dialect: |text| is_cpp_header(text.as_bytes()).then_some(&CPP),
    lexis: Some(&LEXIS),
    refine,
    ..TABLE
};

/// How C and C++ are read where their grammars fail.
pub(super) static LEXIS: Lexis = Lexis {
    directives: true,
    types: &["class", "struct", "union", "namespace"],
    in_type: ("struct X {", "};"),
    in_function: ("void f() {", "}"),
    removable: removable::removable,
    attributes: attributes::attributes,
    doubtful: removable::doubtful,
    ..BRACES
};

const DECLARATION: broad::Node = NODE.of_type(Find::Field("type"));
const DECLARATOR: &[(At, As)] = &[(At::Field("declarator"), As::Inherit)];
const TAG: &[(At, As)] = &[(At::Field("name"), As::Ask(initializer::tag))];
/// `struct x` as a type is `x`.
const TAGGED: TypeShape = TypeShape::Inner(Find::Field("name"));

/// The value of a macro that does not fit in its signature.
fn long_value<'t>(node: &Syntax<'t>) -> Option<Syntax<'t>> {
    let value = node.child_by_field_name("value")?;
    let rows = value.end_position().row - value.start_position().row;
    (rows > 0 || value.end_byte() - value.start_byte() > 100).then_some(value)
}

fn refine<'s, 't>(cx: &mut Cx<'_, 's, 't>, site: &mut Site<'s, 't>, decl: &mut Decl<'s>) -> bool {
    if !refine_declaration(cx, site, decl) {
        return false;
    }
    decl.flags.associated = false; // `static` is about visibility here
    let header = cx.path_ends_with(".h");
    if decl.access == Access::Unknown {
        // Functions and variables have linkage beyond their file; types and macros are seen where they are included.
        let linked = header || matches!(decl.kind, Fn | Variable | Const);
        decl.access = if linked { Access::Public } else { Access::Private };
    }
    true
}

/// What the shape of a C or C++ declaration says: prototypes, constants, typedefs of unnamed types.
pub(super) fn refine_declaration(cx: &Cx, site: &Site, decl: &mut Decl) -> bool {
    decl.span.start = macros::start_with_macro(cx.text, decl.span.start);
    decl.full_span.start = decl.full_span.start.min(decl.span.start);
    match site.node.kind() {
        // `TEST(name) { … }`: a macro that makes a function.
        "function_definition"
            if site
                .node
                .child_by_field_name("declarator")
                .is_some_and(|at| at.kind() == "parenthesized_declarator") =>
        {
            let word = site.node.child_by_field_name("type").map_or("", |ty| cx.text_of(&ty));
            decl.flags.test |= word.starts_with("TEST");
            decl.ty = None;
        }
        "declaration" if prototype(site) => {
            decl.kind = Fn;
            decl.flags.declaration = true;
        }
        "declaration" if site.has("constexpr") || (site.has("const") && !through_pointer(site)) => decl.kind = Const,
        "preproc_function_def" => {
            let parameters = site.node.child_by_field_name("parameters");
            decl.signature_end = parameters.map(|list| list.end_byte() as u32);
        }
        // `typedef struct { … } Name` gave its name to the structure.
        "type_definition" if names_its_body(&site.node, &site.name) => return false,
        // `typedef struct Name Name` only lets the structure be named without its word.
        "type_definition" if repeats_a_tag(cx, site) => decl.flags.declaration = true,
        _ => {}
    }
    true
}

fn repeats_a_tag(cx: &Cx, site: &Site) -> bool {
    let tag = site.node.child_by_field_name("type").filter(|ty| ty.child_by_field_name("body").is_none());
    let tag = tag.and_then(|ty| ty.child_by_field_name("name"));
    tag.is_some_and(|tag| tag.kind() == "type_identifier" && cx.text_of(&tag) == cx.text_of(&site.name))
        && !through_pointer(site)
}

/// Whether the name is that of a function: the innermost declarator around it is a function's.
pub(super) fn prototype(site: &Site) -> bool {
    site.declarator.is_some_and(|declarator| declarator.kind() == "function_declarator")
}

fn through_pointer(site: &Site) -> bool {
    site.declarator.is_some_and(|declarator| declarator.kind() == "pointer_declarator")
        || site.node.child_by_field_name("declarator").is_some_and(|declarator| {
            let inside = declarator.child_by_field_name("declarator");
            [Some(declarator), inside].iter().flatten().any(|at| at.kind() == "pointer_declarator")
        })
}

fn names_its_body(definition: &Syntax, name: &Syntax) -> bool {
    let unnamed = |ty: Syntax| ty.child_by_field_name("name").is_none() && ty.child_by_field_name("body").is_some();
    definition.child_by_field_name("type").is_some_and(unnamed)
        && definition.child_by_field_name("declarator").is_some_and(|first| first.id() == name.id())
}

/// `typedef struct { … } Name;` defines the structure `Name`.
fn typedef_body(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    let Some(parent) = cx.parent().filter(|parent| parent.kind() == "type_definition") else {
        return unnamed_body(cx);
    };
    let name = parent.child_by_field_name("declarator")?;
    let def = rules.rule(node.kind_id()).def?;
    if names_its_body(&parent, &name) && rules.define_as(cx, &def, name) {
        cx.open_scope(ScopeKind::Type);
        return Some(Walk::Into);
    }
    None
}

/// The members of an unnamed structure are fields, wherever it stands.
fn unnamed_body(cx: &mut Cx) -> Option<Walk> {
    let node = cx.node();
    if node.child_by_field_name("name").is_none() && node.child_by_field_name("body").is_some() {
        cx.open_scope(ScopeKind::Type);
    }
    None
}

/// Parameters of a prototype or a function pointer have a scope of their own; those of a definition have its.
fn parameters(_: &Broad, cx: &mut Cx) -> Option<Walk> {
    let around =
        (1..12).filter_map(|level| cx.ancestor(level)).find(|frame| !frame.node.kind().ends_with("_declarator"));
    if !around.is_some_and(|frame| matches!(frame.node.kind(), "function_definition" | "lambda_expression")) {
        cx.open_scope(ScopeKind::Function);
    }
    None
}

fn include(rules: &Broad, cx: &mut Cx) -> Option<Walk> {
    let path = cx.node().child_by_field_name("path")?;
    if !matches!(path.kind(), "string_literal" | "system_lib_string") {
        return None; // a macro that expands to the path
    }
    let quoted = span(&path);
    let inside = Span { start: quoted.start + 1, end: quoted.end.saturating_sub(1).max(quoted.start + 1) };
    let text = cx.slice(inside);
    let last = text.rsplit('/').next().unwrap_or(text);
    let at = Span { start: inside.end - last.len() as u32, end: inside.end };
    rules.import(
        cx,
        Imported { path: text.into(), module: text.into(), name: None, alias: None, glob: false, reexport: false, at },
    );
    Some(Walk::Skip)
}

/// Whether a file that is included as text (`ops.def`, `table.inc`) is made of C: calls of macros, directives, comments.
pub(super) fn is_included(head: &[u8]) -> bool {
    let lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let is_c = |line: &[u8]| {
        [&b"#include"[..], b"#define", b"#if", b"#undef", b"/*", b"//"].iter().any(|start| line.starts_with(start))
            || line.ends_with(b";")
            || line.ends_with(b"{")
            || line.ends_with(b")") && line.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
    };
    lines.filter(|line| !line.is_empty()).take(40).any(is_c)
}

/// The lines that are no comment, without blanks around them.
fn lines_of_code(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut in_comment = false;
    text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(move |line| {
        let begins = line.starts_with(b"/*");
        let comment = in_comment || begins;
        if comment {
            in_comment = find_pair(&line[if begins && !in_comment { 2 } else { 0 }..], *b"*/").is_none();
        }
        !comment
    })
}

/// Whether a text has such a line, outside of comments, directives and what it keeps for those who define a macro.
fn has_line(text: &[u8], kept_for: &Finder, is_it: fn(&[u8]) -> bool) -> bool {
    // How deep in conditions this is since one that asks for the macro.
    let mut guarded = 0usize;
    lines_of_code(text).any(|line| {
        let Some(directive) = line.strip_prefix(b"#").map(<[u8]>::trim_ascii_start) else {
            return guarded == 0 && is_it(line);
        };
        if guarded > 0 && directive.starts_with(b"if") {
            guarded += 1;
        } else if directive.starts_with(b"endif") {
            guarded = guarded.saturating_sub(1);
        } else if guarded == 1 && directive.starts_with(b"el") {
            guarded = 0;
        } else if directive.starts_with(b"if") && kept_for.find(directive).is_some() {
            guarded = 1;
        }
        false
    })
}

static FOR_CPP: LazyLock<Finder> = LazyLock::new(|| Finder::new("__cplusplus"));
static FOR_OBJECTIVE_C: LazyLock<Finder> = LazyLock::new(|| Finder::new("__OBJC__"));

/// Whether a header is Objective-C: it has a line that begins an interface or a protocol, or names one, and none of C++, whose
/// grammar sees more of a header that is both. In comments `@class` and `@interface` are words of Doxygen.
fn is_objective_c_header(text: &[u8]) -> bool {
    const WORDS: [&[u8]; 5] = [b"@interface ", b"@protocol ", b"@class ", b"@import ", b"NS_ASSUME_NONNULL_BEGIN"];
    memchr::memchr(b'@', text).is_some()
        && has_line(text, &FOR_OBJECTIVE_C, |line| WORDS.iter().any(|word| line.starts_with(word)))
        && !is_cpp_header(text)
}

/// The language of what is included and is called neither one's header.
pub(super) fn included(text: &[u8]) -> &'static LanguageDef {
    if is_cpp_header(text) { &CPP } else { &C }
}

/// Whether a header is C++: it has a line that only C++ has, outside of comments and of what a C header keeps for C++.
/// A long comment may come first, so all of it is looked at.
fn is_cpp_header(text: &[u8]) -> bool {
    has_line(text, &FOR_CPP, is_cpp_line)
}

/// Where two bytes stand behind each other first. A searcher for longer pieces takes longer to make than a line to read.
fn find_pair(text: &[u8], pair: [u8; 2]) -> Option<usize> {
    memchr::memchr_iter(pair[0], text).find(|at| text.get(at + 1) == Some(&pair[1]))
}

fn is_cpp_line(line: &[u8]) -> bool {
    let word = |word: &[u8]| line.strip_prefix(word).map(<[u8]>::trim_ascii_start);
    if let Some(rest) = word(b"class ").or_else(|| word(b"namespace ")) {
        let name = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let rest = rest[name..].trim_ascii();
        // Prose in a comment goes on with more words.
        return rest.is_empty() || b"{:;".contains(&rest[0]);
    }
    word(b"template").is_some_and(|rest| rest.starts_with(b"<"))
        || defines_member(line)
        || [&b"public:"[..], b"private:", b"protected:"].contains(&line)
        || declares_like_cpp(line)
}

static OPERATOR: LazyLock<Finder> = LazyLock::new(|| Finder::new("operator"));
static CONST: LazyLock<Finder> = LazyLock::new(|| Finder::new("const "));

/// Whether a line declares something in a way that only C++ has: a reference as a parameter, an operator, a virtual function, a
/// type of the standard library.
fn declares_like_cpp(line: &[u8]) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let code = &line[..find_pair(line, *b"//").unwrap_or(line.len())];
    let code = code.trim_ascii_end();
    // Prose ends otherwise.
    if code.starts_with(b"*") || code.last().is_none_or(|last| !b";{},)".contains(last)) {
        return false;
    }
    let starts = |words: &[&[u8]]| words.iter().any(|word| code.starts_with(word));
    if starts(&[b"enum class ", b"using ", b"std::", b"const std::", b"static std::", b"inline std::"]) {
        return true;
    }
    if !code.contains(&b'(') {
        return false;
    }
    let virtual_member = starts(&[b"virtual ", b"explicit "]);
    let operator = OPERATOR.find_iter(code).any(|at| {
        let behind = code[at + 8..].trim_ascii_start();
        let apart = at == 0 || !is_word(code[at - 1]);
        apart && behind.first().is_some_and(|byte| b"=+-*/%<>![(&|^~".contains(byte)) && behind[1..].contains(&b'(')
    });
    // `(const Vec& other`, `, Vec &out)`; `a & b` and `&x` are of both languages.
    let reference = CONST.find_iter(code).any(|at| {
        let apart = at > 0 && matches!(code[..at].trim_ascii_end().last(), Some(b'(' | b','));
        let rest = code[at + 6..].trim_ascii_start();
        let ty = rest.iter().take_while(|byte| is_word(**byte) || **byte == b':').count();
        apart && ty > 0 && rest[ty..].trim_ascii_start().first() == Some(&b'&')
    });
    virtual_member || operator || reference
}

/// Whether a line defines a member of a class outside of it: `int Foo::bar(…) {`, not `a::b` in prose.
fn defines_member(line: &[u8]) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if !line.ends_with(b"{") || line.starts_with(b"//") {
        return false;
    }
    let Some(at) = memchr::memmem::rfind(line, b"::") else { return false };
    let (before, behind) = (&line[..at], &line[at + 2..]);
    let name = behind.iter().take_while(|byte| is_word(**byte) || **byte == b'~').count();
    let head = before.iter().all(|byte| is_word(*byte) || b" *&<>,:".contains(byte));
    let called = name > 0 && behind.get(name) == Some(&b'(');
    called && head && before.last().is_some_and(|byte| is_word(*byte) || *byte == b'>')
}

#[cfg(test)]
mod tests {
    use cruxe_model::SymbolKind;
    use cruxe_model::facts::{Access, Role};

    use super::is_cpp_header;
    use crate::languages::fixture_tests::extract;

    #[test]
    fn a_macros_member_has_a_receiver_and_undef_names_its_macro() {
        let facts = extract("a.c", "#define LOG(x) x.stream() + y->more + plain ... rest\n#undef LOG\n#undef\n");
        let uses: Vec<_> = facts.occurrences.iter().map(|at| (facts.name(at.name), at.receiver.is_some())).collect();
        let plain = ["x", "y", "plain", "rest", "LOG"];
        for (name, receiver) in &uses {
            assert_eq!(*receiver, !plain.contains(name), "{name}");
        }
        assert!(uses.contains(&("stream", true)) && uses.contains(&("more", true)) && uses.contains(&("LOG", false)));
    }

    #[test]
    fn a_header_is_objective_c_by_its_interfaces_and_not_by_what_it_keeps_for_objective_c() {
        for text in ["@interface Cart : NSObject\n@end\n", "/* @file */\n@class Cart;\n@protocol Shop <NSObject>\n"] {
            assert_eq!(extract("a/b.h", text).language, "objective-c", "{text}");
        }
        let kept = "#ifdef __OBJC__\n@class NSView;\n#else\ntypedef void NSView;\n#endif\nvoid draw(NSView *view);\n";
        assert_eq!(extract("a/b.h", kept).language, "c");
        assert_eq!(extract("a/b.h", "/**\n@class Cart of a shop\n*/\nint f(void);\n").language, "c");
        assert_eq!(extract("a/b.h", "@class NSView;\nclass View {\npublic:\n  NSView *view;\n};\n").language, "cpp");
    }

    #[test]
    fn a_header_is_cpp_when_a_line_of_it_can_be_nothing_else() {
        for text in ["class Foo {\n", "  namespace a {\n", "template <class T>\n", "  public:\n", "class Foo;\n"] {
            assert!(is_cpp_header(text.as_bytes()), "{text}");
        }
        for text in ["INLINE void a::Foo::bar(int x) {\n", "Foo<T>::~Foo() {\n"] {
            assert!(is_cpp_header(text.as_bytes()), "{text}");
        }
        for text in [
            "struct Vec {\n  Vec operator+(const Vec& other) const;\n};\n",
            "bool operator <(Vec a, Vec b);\n",
            "int operator()(int a) const { return a; }\n",
            "void scale(Vec *v, const ns::Vec &by);\n",
            "virtual ~Shape() {}\n",
            "explicit Shape(int x);\n",
            "std::string name;\n",
            "enum class Color { Red };\n",
            "using Name = int;\n",
        ] {
            assert!(is_cpp_header(text.as_bytes()), "{text}");
        }
        for text in [
            "// see a::b() {\n",
            "x = \"a::b() {\n",
            "/* the\nclass of all devices is\n*/",
            "/* the\nclass devices\n*/ int x;\n",
            "int class_of(int x);\n",
            "struct a { int b; };\n",
            "/*\n * virtual functions (of C++) are not used,\n * nor operator+(a);\n */\n",
            "int f(const int *a, const char b); // as f(const Vec& a);\n",
            "int g(int operator_kind, int x) { return operator_kind & x; }\n",
            "#define BOTH(a, b) (a && b)\nint h(const struct s *a, int b, const int c);\n",
            "",
            "int f(void);\n#ifdef __cplusplus\n#if 1\nclass A {\n#endif\ntemplate<class T>\n#else\nint x;\n#endif\n",
        ] {
            assert!(!is_cpp_header(text.as_bytes()), "{text}");
        }
        assert!(is_cpp_header(b"#ifdef __cplusplus\nextern \"C\" {\n#endif\nclass A {\n"));
        assert!(is_cpp_header(b"#ifdef __cplusplus\nclass A {\n#else\nclass B {\n#endif\n"));
        let long = format!("/* {} */\n// more\nnamespace a {{ struct B {{}}; }}\n", "words\n".repeat(4000));
        assert_eq!(extract("a/b.h", &long).language, "cpp");
        assert_eq!(extract("a/b.h", "namespace a { struct B {}; }").language, "cpp");
        assert_eq!(extract("a/b.h", "struct B { int x; };").language, "c");
    }

    #[test]
    fn export_macros_hide_neither_the_type_nor_the_name() {
        let facts = extract("uv.h", "UV_EXTERN const char* uv_strerror(int code);\n");
        let symbol = &facts.symbols[0];
        assert_eq!((symbol.name.as_str(), symbol.kind), ("uv_strerror", SymbolKind::Fn));
        assert_eq!(symbol.signature, "UV_EXTERN const char* uv_strerror(int code)");
        assert!(symbol.flags.declaration);
        assert!(facts.problems.is_empty());
    }

    #[test]
    fn a_test_macro_gives_its_function_the_name_inside() {
        let facts = extract("t.c", "TEST_IMPL(fs_read) {\n  run();\n}\n");
        assert_eq!(facts.symbols[0].name, "fs_read");
        assert!(facts.symbols[0].flags.test);
    }

    #[test]
    fn a_tag_without_a_body_is_a_use_and_not_a_definition() {
        let facts = extract("a.c", "struct a;\nstruct a *f(struct a *x);\n");
        assert!(facts.symbols.iter().all(|symbol| symbol.kind == SymbolKind::Fn));
        assert_eq!(facts.occurrences.iter().filter(|at| at.role == Role::Type).count(), 3);
    }

    #[test]
    fn static_means_private_to_the_file() {
        let facts = extract("a.c", "static int f(void) { return 0; }\nint g(void) { return f(); }\n");
        let access: Vec<_> = facts.symbols.iter().map(|symbol| symbol.access).collect();
        assert_eq!(access, [Access::Private, Access::Public]);
    }

    #[test]
    fn members_of_an_unnamed_structure_in_a_function_are_fields() {
        let facts = extract("a.c", "void f(void) { struct { int base, len; } best; best.len = 1; }");
        let fields: Vec<_> =
            facts.symbols.iter().filter(|at| at.kind == SymbolKind::Field).map(|at| &at.name).collect();
        assert_eq!(fields, ["base", "len"]);
        assert_eq!(facts.bindings.len(), 1);
    }
}
