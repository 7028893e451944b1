//! A folder, indexed, and a question about it.

use cruxe_index::{Layers, View};
use cruxe_query::references::{self, Confidence, EdgeType, Question, Subject};
use cruxe_query::target::{Target, Wanted};

use crate::testing::Indexed;

/// A tree of files with its index.
pub struct Tree(Indexed);

impl Tree {
    pub fn new(files: &[(&str, &str)]) -> Tree {
        Tree(Indexed::new(files))
    }

    pub fn view(&self) -> View<'_> {
        self.0.view()
    }

    /// The definition that a name means.
    pub fn target(&self, wanted: Wanted) -> Target {
        let question = Question { wanted, limit: 1, ..Question::default() };
        let answer = references::find(&self.view(), &Layers::None, &question);
        match answer.unwrap_or_else(|problem| panic!("{problem}")).subject {
            Subject::Defined(target) => *target,
            Subject::External(external) => panic!("{} is not defined", external.name),
        }
    }

    /// The symbol that a name means, by its place and whole name; `None` for a name that nothing has.
    pub fn symbol(&self, wanted: Wanted) -> Option<(String, u32, String)> {
        let question = Question { wanted, limit: 1, ..Question::default() };
        let answer = references::find(&self.view(), &Layers::None, &question);
        match answer.ok()?.subject {
            Subject::Defined(target) => {
                let symbol = target.symbol;
                Some((symbol.path.to_string(), symbol.line_start, symbol.qualified_name))
            }
            Subject::External(_) => None,
        }
    }

    /// The uses of a symbol, `path:line`, guesses with a `?`.
    pub fn uses(&self, wanted: Wanted, edge: Option<EdgeType>) -> Vec<String> {
        let question = Question { wanted, edge, limit: 1000, ..Default::default() };
        let answer =
            references::find(&self.view(), &Layers::None, &question).unwrap_or_else(|problem| panic!("{problem}"));
        let shown = answer.references.iter().map(|reference| {
            let guess = if reference.confidence == Confidence::Heuristic { "?" } else { "" };
            format!("{}:{}{guess}", reference.path, reference.line)
        });
        let mut uses: Vec<String> = shown.collect();
        uses.sort();
        uses.dedup();
        uses
    }
}

/// Checks that exactly the marked lines use a symbol. `symbol` may name the file too: `a.py Foo.bar`.
pub fn check(symbol: &str, files: &[(&str, &str)]) {
    let (path, name) = match symbol.split_once(' ') {
        Some((path, name)) => (Some(path.to_owned()), name),
        None => (None, symbol),
    };
    let wanted = Wanted { name: name.to_owned(), path, line: None };
    assert_eq!(Tree::new(files).uses(wanted, None), marked(files), "uses of {symbol}");
}

fn marked(files: &[(&str, &str)]) -> Vec<String> {
    let mut lines = Vec::new();
    for (path, text) in files {
        for (at, line) in text.lines().enumerate() {
            if line.contains("<-") {
                lines.push(format!("{path}:{}", at + 1));
            } else if line.contains("<?") && !line.starts_with("<?php") {
                lines.push(format!("{path}:{}?", at + 1));
            }
        }
    }
    lines.sort();
    lines
}
