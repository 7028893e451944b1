//! Files that hold code of another language: components of Vue, Svelte and Astro with their script and the expressions of
//! their template, notebooks with their cells.
//!
//! The parser is given a text of the same length in which all the rest is blank ([`script`], [`notebook`]), so every fact
//! stands where it stands in the file, and everything that is known of the inner language holds.

mod notebook;
mod script;
mod template;

use std::borrow::Cow;

use cruxe_model::SymbolKind;
use cruxe_model::facts::{Access, Import, ScopeId, Span};
use tree_sitter::Language;

use self::template::Markup;
use super::{ecma, python};
use crate::build::Decl;
use crate::language::{FrontEnd, LanguageDef};
use crate::recover::Lexis;
use crate::walk::{Cx, Rules, Trivia, Walk};

/// Vue's single-file components.
pub static VUE: LanguageDef = LanguageDef {
    id: "vue",
    name: "vue",
    extensions: &["vue"],
    opening: "<script>",
    front_end: FrontEnd::Grammar { grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), rules: vue },
    family: Some(&ecma::JAVASCRIPT),
    ..ecma::ECMA
};

/// Svelte's components.
pub static SVELTE: LanguageDef = LanguageDef {
    id: "svelte",
    name: "svelte",
    extensions: &["svelte"],
    opening: "<script>",
    front_end: FrontEnd::Grammar { grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), rules: svelte },
    family: Some(&ecma::JAVASCRIPT),
    ..ecma::ECMA
};

/// Astro's pages and components.
pub static ASTRO: LanguageDef = LanguageDef {
    id: "astro",
    name: "astro",
    extensions: &["astro"],
    opening: "---\n",
    front_end: FrontEnd::Grammar { grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), rules: astro },
    family: Some(&ecma::JAVASCRIPT),
    ..ecma::ECMA
};

/// Jupyter's notebooks, those with Python.
pub static NOTEBOOK: LanguageDef = LanguageDef {
    id: "notebook",
    extensions: &["ipynb"],
    file_names: &[],
    interpreters: &[],
    opening: "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\n",
    front_end: FrontEnd::Grammar { grammar: || tree_sitter_python::LANGUAGE.into(), rules: notebook },
    role_names: &[],
    ..python::SCRIPTS
};

fn vue(grammar: &Language) -> Box<dyn Rules> {
    component(ecma::rules(grammar), Markup::Vue)
}

fn svelte(grammar: &Language) -> Box<dyn Rules> {
    component(ecma::rules(grammar), Markup::Svelte)
}

fn astro(grammar: &Language) -> Box<dyn Rules> {
    component(ecma::rules(grammar), Markup::Astro)
}

fn component(inner: Box<dyn Rules>, markup: Markup) -> Box<dyn Rules> {
    Box::new(Embedded { inner, shown: Shown::Component(markup) })
}

fn notebook(grammar: &Language) -> Box<dyn Rules> {
    Box::new(Embedded { inner: python::rules(grammar), shown: Shown::Cells })
}

/// What the parser is shown.
enum Shown {
    /// Scripts and the expressions of a template.
    Component(Markup),
    /// The cells of a notebook.
    Cells,
}

/// The rules of a language over a file that holds more than it.
struct Embedded {
    inner: Box<dyn Rules>,
    shown: Shown,
}

impl Rules for Embedded {
    fn enter(&self, cx: &mut Cx) -> Walk {
        if let (Shown::Component(_), None) = (&self.shown, cx.parent()) {
            declare_component(cx);
        }
        self.inner.enter(cx)
    }

    fn prepare<'s>(&self, text: &'s str) -> Cow<'s, str> {
        Cow::Owned(match self.shown {
            Shown::Component(markup) => script::shown(text, markup),
            Shown::Cells => notebook::shown(text),
        })
    }

    fn hides_text(&self) -> bool {
        true
    }

    fn trivia(&self, kind: u16, text: &str) -> Trivia {
        self.inner.trivia(kind, text)
    }

    fn mend(&self, text: &str) -> Option<String> {
        self.inner.mend(text)
    }

    fn lexis(&self) -> Option<&'static Lexis> {
        self.inner.lexis()
    }
}

/// The component that a file is: others import it as `default`, and call it by the file's name.
fn declare_component(cx: &mut Cx) {
    let name = component_name(cx.path());
    if name.is_empty() {
        return;
    }
    let mut decl = Decl::new(SymbolKind::Class, name.clone(), Span::default(), Span::default());
    decl.access = Access::Public;
    cx.declare(decl);
    let (module, own, default) =
        (cx.owned_name(String::new()), cx.owned_name(name), cx.owned_name("default".to_owned()));
    let import = Import {
        module,
        name: Some(own),
        alias: Some(default),
        glob: false,
        reexport: true,
        start: 0,
        scope: ScopeId(0),
    };
    cx.import(import);
}

/// `UserCard` of `UserCard.vue`, `user-card.vue` and `UserCard/index.vue`.
fn component_name(path: &str) -> String {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.split('.').next().unwrap_or_default();
    let stem = if stem == "index" { folders.rsplit('/').next().unwrap_or_default() } else { stem };
    let mut name = String::new();
    for word in stem.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()) {
        let mut letters = word.chars();
        name.extend(letters.next().map(|first| first.to_uppercase().collect::<String>()));
        name.push_str(letters.as_str());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::component_name;

    #[test]
    fn a_component_is_called_after_its_file() {
        assert_eq!(component_name("src/UserCard.vue"), "UserCard");
        assert_eq!(component_name("src/user-card.vue"), "UserCard");
        assert_eq!(component_name("src/Button/index.vue"), "Button");
        assert_eq!(component_name("src/[slug].astro"), "Slug");
        assert_eq!(component_name("+page.svelte"), "Page");
        assert_eq!(component_name("index.vue"), "");
    }
}
