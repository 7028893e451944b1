//! What tests say about names: `x` is a `Foo` in the block of `if (x is Foo)`, and behind `if (x !is Foo) return`.
//!
//! Only names that the function introduced before are told more about.

use cruxe_model::facts::{Binding, BindingKind, ScopeId};

use super::{Broad, MAX_STEPS, Syntax};
use crate::walk::Cx;

/// That a name is of a type.
pub struct Test<'t> {
    /// The name.
    pub name: Syntax<'t>,
    /// The type.
    pub ty: Syntax<'t>,
}

/// What a part of a condition says.
pub enum Says<'t> {
    /// Something about a name.
    Test(Test<'t>),
    /// What all of these say.
    All(Vec<Syntax<'t>>),
    /// Nothing.
    Nothing,
}

/// The tests that all hold where a condition does.
pub fn tests<'t>(condition: Syntax<'t>, says: impl Fn(&Syntax<'t>) -> Says<'t>) -> Vec<Test<'t>> {
    let (mut found, mut open) = (Vec::new(), vec![condition]);
    for _ in 0..MAX_STEPS {
        match open.pop().map(|node| says(&node)) {
            Some(Says::Test(test)) => found.push(test),
            Some(Says::All(parts)) => open.extend(parts),
            Some(Says::Nothing) => {}
            None => break,
        }
    }
    found
}

impl Broad {
    /// Notes in a scope what tests say.
    pub fn narrow(&self, cx: &mut Cx, tests: &[Test], scope: ScopeId) {
        for test in tests {
            let Some(old) = cx.bound(cx.text_of(&test.name)) else { continue };
            let Some(ty) = self.type_ref(cx, &test.ty) else { continue };
            let start = test.name.start_byte() as u32;
            cx.rebind(Binding { start, scope, kind: BindingKind::Local, ty: Some(ty), value: None, ..old });
        }
    }
}
