//! Facts as text that a person can check against the source: what the fixture tests compare.

use std::fmt::Write;

use cruxe_model::facts::*;
use cruxe_model::nesting::Nesting;

/// Everything that a language's rules found, a line each.
pub fn dump(facts: &FileFacts) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "language {} module {:?}", facts.language, facts.module);
    for problem in &facts.problems {
        let _ = writeln!(out, "problem {problem:?}");
    }
    out.push_str("\nsymbols\n");
    for symbol in &facts.symbols {
        symbol_line(&mut out, facts, symbol);
    }
    out.push_str("\nimports\n");
    for import in &facts.imports {
        let name = import.name.map(|id| facts.name(id));
        let alias = import.alias.map(|id| facts.name(id));
        let marks = [(import.glob, " glob"), (import.reexport, " reexport")];
        let marks: String = marks.iter().filter(|(set, _)| *set).map(|(_, word)| *word).collect();
        let (line, module) = (facts.line_of(import.start), facts.name(import.module));
        let _ = writeln!(out, "  {line}: {module:?} name {name:?} alias {alias:?}{marks}");
    }
    out.push_str("\nbindings\n");
    for binding in &facts.bindings {
        let ty = binding.ty.map(|ty| format!(": {}", type_text(facts, ty))).unwrap_or_default();
        let value = binding.value.map(|value| format!(" = {}", expr_text(facts, value))).unwrap_or_default();
        let (line, name) = (facts.line_of(binding.start), facts.name(binding.name));
        let _ = writeln!(out, "  {line}: {:?} {name}{ty}{value}", binding.kind);
    }
    out.push_str("\nheritage\n");
    for heritage in &facts.heritage {
        let symbol = &facts.symbols[heritage.symbol.0 as usize];
        let _ = writeln!(out, "  {} {:?} {}", symbol.qualified_name, heritage.relation, type_text(facts, heritage.ty));
    }
    out.push_str("\noccurrences\n");
    let nesting = Nesting::of(facts);
    for occurrence in &facts.occurrences {
        let receiver = occurrence.receiver.map(|id| format!(" of {}", expr_text(facts, id))).unwrap_or_default();
        let inside =
            nesting.enclosing_symbol(facts, occurrence.start).map(|at| facts.symbols[at.0 as usize].name.as_str());
        let (line, name) = (facts.line_of(occurrence.start), facts.name(occurrence.name));
        let _ = writeln!(out, "  {line}: {:?} {name}{receiver} in {}", occurrence.role, inside.unwrap_or("-"));
    }
    out
}

fn symbol_line(out: &mut String, facts: &FileFacts, symbol: &Symbol) {
    let mut depth = 1;
    let mut parent = symbol.parent;
    while let Some(at) = parent {
        depth += 1;
        parent = facts.symbols[at.0 as usize].parent;
    }
    let ((start, end), (full, _)) = (facts.lines_of(symbol.span), facts.lines_of(symbol.full_span));
    let _ = write!(out, "{}{start}-{end}", "  ".repeat(depth));
    if full != start {
        let _ = write!(out, " (from {full})");
    }
    let _ = write!(out, " {} {} = {}", symbol.kind.as_str(), symbol.name, symbol.qualified_name);
    if symbol.ordinal > 0 {
        let _ = write!(out, " #{}", symbol.ordinal);
    }
    if !symbol.visibility.is_empty() || symbol.access != Access::Unknown {
        let _ = write!(out, " [{} {:?}]", symbol.visibility, symbol.access);
    }
    let flags = symbol.flags;
    for (set, word) in [
        (flags.test, "test"),
        (flags.declaration, "declaration"),
        (flags.associated, "associated"),
        (flags.local, "local"),
    ] {
        if set {
            let _ = write!(out, " {word}");
        }
    }
    if !symbol.signature.is_empty() {
        let _ = write!(out, " | {}", symbol.signature);
    }
    if let Some(ty) = symbol.ty {
        let _ = write!(out, " | type {}", type_text(facts, ty));
    }
    if let Some(value) = symbol.value {
        let _ = write!(out, " | value {}", expr_text(facts, value));
    }
    if symbol.doc_span.start < symbol.doc_span.end {
        let (first, last) = facts.lines_of(symbol.doc_span);
        let _ = write!(out, " | doc {first}-{last}");
    }
    out.push('\n');
}

fn type_text(facts: &FileFacts, id: TypeId) -> String {
    let ty = &facts.types[id.0 as usize];
    let path: Vec<&str> = ty.path.iter().map(|name| facts.name(*name)).collect();
    let args: Vec<String> = ty.args.iter().map(|arg| type_text(facts, *arg)).collect();
    if args.is_empty() { path.join("::") } else { format!("{}<{}>", path.join("::"), args.join(", ")) }
}

fn expr_text(facts: &FileFacts, id: ExprId) -> String {
    match &facts.exprs[id.0 as usize] {
        Expr::Name(name) => facts.name(*name).to_owned(),
        Expr::SelfValue => "self".into(),
        Expr::Super => "super".into(),
        Expr::Member(base, name) => format!("{}.{}", expr_text(facts, *base), facts.name(*name)),
        Expr::Call(callee) => format!("{}()", expr_text(facts, *callee)),
        Expr::Typed(ty) => format!("<{}>", type_text(facts, *ty)),
        Expr::Index(base) => format!("{}[]", expr_text(facts, *base)),
        Expr::Unwrap(base) => format!("{}?", expr_text(facts, *base)),
        Expr::Argument(base, at) => format!("{}({at})", expr_text(facts, *base)),
        Expr::Part(base, at) => format!("{}.{at}", expr_text(facts, *base)),
        Expr::Either(one, other) => format!("({} | {})", expr_text(facts, *one), expr_text(facts, *other)),
        Expr::Literal(name) => format!("'{}'", facts.name(*name)),
        Expr::Unknown => "?".into(),
    }
}
