//! What a test said about a path: `a.b` is a `Foo` behind `assert isinstance(a.b, Foo)`.

use std::sync::Arc;

use cruxe_model::facts::{Expr, ExprId, ScopeId, ScopeKind};

use super::Resolver;
use super::file::{Decl, File};
use super::types::Ty;

/// Longer paths are not told more about.
const MAX_PARTS: usize = 8;

impl Resolver<'_> {
    /// The type that a test in the same function says a path has at an offset; `None` where nothing is said.
    pub(super) fn tested_path(&self, file: &Arc<File>, id: ExprId, offset: u32) -> Option<Ty> {
        if !file.tests_paths {
            return None;
        }
        let path = written(file, id)?;
        let root = path.split('.').next().unwrap_or_default();
        let mut scope = Some(file.scope_at(offset));
        while let Some(at) = scope {
            // What the path begins with was set anew behind the test.
            if let Some(said) = last_before(file, at, &path, offset) {
                let renewed = last_before(file, at, root, offset)
                    .is_some_and(|other| file.binding(other).start > file.binding(said).start);
                let binding = Some(file.binding(said)).filter(|_| !renewed)?;
                let said = match (binding.ty, binding.value) {
                    (Some(ty), _) => self.type_of(file, ty, binding.start),
                    (None, Some(value)) => self.expr_type(file, value, binding.start),
                    (None, None) => Ty::Unknown,
                };
                return Some(said).filter(|ty| *ty != Ty::Unknown);
            }
            if file.facts.scopes[at.0 as usize].kind == ScopeKind::Function {
                return None;
            }
            scope = file.nesting.scope_parent(at);
        }
        None
    }
}

/// The last binding of a name in a scope before an offset. Bindings are in the order of the text.
fn last_before(file: &File, scope: ScopeId, name: &str, offset: u32) -> Option<u32> {
    let bound = file.declared(scope, name).filter_map(|decl| match decl {
        Decl::Binding(at) if file.binding(at).start <= offset => Some(at),
        _ => None,
    });
    bound.max_by_key(|at| file.binding(*at).start)
}

/// A path as it is written.
fn written(file: &File, id: ExprId) -> Option<String> {
    let (mut parts, mut at) = (Vec::new(), id);
    for _ in 0..MAX_PARTS {
        match file.facts.exprs.get(at.0 as usize)? {
            Expr::Member(base, name) => {
                parts.push(file.facts.name(*name));
                at = *base;
            }
            Expr::Name(name) => {
                parts.push(file.facts.name(*name));
                parts.reverse();
                return Some(parts.join("."));
            }
            Expr::SelfValue => {
                parts.push("self");
                parts.reverse();
                return Some(parts.join("."));
            }
            _ => return None,
        }
    }
    None
}
