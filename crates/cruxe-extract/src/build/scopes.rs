//! Which scopes are open while a file is read.

use cruxe_model::facts::{ScopeId, ScopeKind};

use super::Builder;

impl Builder<'_> {
    /// The innermost open scope.
    pub fn current_scope(&self) -> ScopeId {
        self.scopes.last().copied().unwrap_or(ScopeId(0))
    }

    /// The innermost open scope that is not a block: where `var` or a Python name lives.
    pub fn function_scope(&self) -> ScopeId {
        self.scope_but(&[ScopeKind::Block])
    }

    /// The same without functions: where the variables of an instance live.
    pub fn type_scope(&self) -> ScopeId {
        self.scope_but(&[ScopeKind::Block, ScopeKind::Function])
    }

    fn scope_but(&self, kinds: &[ScopeKind]) -> ScopeId {
        let other = |scope: &&ScopeId| !kinds.contains(&self.facts.scopes[scope.0 as usize].kind);
        self.scopes.iter().rev().find(other).copied().unwrap_or(ScopeId(0))
    }

    /// Whether a function is open, also one without a name (a callback), which is no symbol.
    pub fn in_function(&self) -> bool {
        self.scopes.iter().any(|scope| self.facts.scopes[scope.0 as usize].kind == ScopeKind::Function)
    }

    /// What opened the scope.
    pub fn scope_kind(&self, scope: ScopeId) -> ScopeKind {
        self.facts.scopes[scope.0 as usize].kind
    }
}
