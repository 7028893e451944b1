//! How a question is put to a workspace: the ref that is meant, as current as was asked for.

use std::sync::Arc;

use cruxe_extract::language::TEXT;
use cruxe_extract::languages::LANGUAGES;
use cruxe_index::{Layers, View, Workspace};
use cruxe_model::SymbolKind;
use cruxe_model::config::FreshnessPolicy;
use cruxe_query::filter::{Filter, Tests};
use cruxe_query::grep::Pattern;
use cruxe_query::search;

use crate::app::App;
use crate::arguments::nearest;
use crate::contract::ToolError;
use crate::scope::Scope;
use crate::tool::Call;

/// A ref of a workspace, ready to be asked about.
pub struct Asked<'w> {
    /// The workspace.
    pub workspace: &'w Arc<Workspace>,
    /// The ref as it is published.
    pub view: View<'w>,
    /// What the caller may see.
    pub scope: Scope,
}

impl App {
    /// Puts a question about the ref that a call names, else the session's, else what is checked out. Where the call
    /// names no policy, the workspace's counts. The call's errors say how current the ref was.
    pub fn ask<T>(
        &self,
        call: &Call,
        ref_name: Option<String>,
        policy: Option<FreshnessPolicy>,
        answer: impl FnOnce(&Asked) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        let _asking = self.quiet.asking();
        let workspace = self.workspace(call)?;
        let ref_name = App::ref_name(&workspace, call, ref_name)?;
        let policy = policy.unwrap_or(workspace.project.config.query.freshness_policy);
        let view = workspace.view(ref_name.as_deref(), policy)?.with_work(&call.work);
        call.note_freshness(&view.standing);
        answer(&Asked { workspace: &workspace, view, scope: call.session.scope() })
    }
}

impl Asked<'_> {
    /// Which files are the ref's own.
    pub fn layers(&self) -> Layers {
        self.scope.layers(self.workspace, &self.view)
    }
}

/// Which files of a view are its ref's own.
pub fn layers(workspace: &Workspace, view: &View) -> Layers {
    view.published.as_ref().map_or(Layers::None, |published| workspace.layers(&published.state))
}

/// Names of languages that are neither ours nor file extensions.
const OTHER_NAMES: [(&str, &str); 5] =
    [("c++", "cpp"), ("c#", "csharp"), ("golang", "go"), ("shell", "bash"), ("plaintext", TEXT.name)];

/// The language that a question names: as we call it, by a file extension, or by another name that people use.
pub fn language(given: Option<&str>) -> Result<Option<String>, ToolError> {
    let Some(word) = given.map(str::trim).filter(|word| !word.is_empty()) else { return Ok(None) };
    let lower = word.to_lowercase();
    let bare = lower.trim_start_matches('.');
    let ours = || LANGUAGES.iter().copied().chain([&TEXT]);
    let known = ours()
        .find(|def| def.name == lower)
        .or_else(|| ours().find(|def| def.id == lower || def.extensions.contains(&bare)))
        .map(|def| def.name)
        .or_else(|| OTHER_NAMES.iter().find(|(name, _)| *name == lower).map(|(_, ours)| *ours));
    if let Some(name) = known {
        return Ok(Some(name.to_owned()));
    }
    let mut names: Vec<&str> = ours().map(|def| def.name).collect();
    names.dedup();
    let nearest = nearest(&lower, names.iter().copied());
    let advice = nearest.map(|name| format!(" Did you mean `{name}`?")).unwrap_or_default();
    let shown: String = word.chars().take(60).collect();
    let message = format!("language: `{shown}` is not known.{advice} Known are: {}.", names.join(", "));
    Err(ToolError::invalid_input(message).with("parameter", "language").with("allowed", names))
}

/// What a question is about, as its parameters `paths`, `tests` and `kind` say.
pub fn filter(paths: &[String], tests: Tests, kind: Option<&str>) -> Result<Filter, ToolError> {
    let kinds = match kind {
        None => Vec::new(),
        Some(word) => SymbolKind::filter(word).ok_or_else(|| {
            let known: Vec<&str> = SymbolKind::ALL.iter().map(|kind| kind.as_str()).collect();
            ToolError::invalid_input(format!("kind: `{word}` is none")).with("parameter", "kind").with("allowed", known)
        })?,
    };
    Filter::new(paths, tests, kinds).map_err(|bad| {
        ToolError::invalid_input(format!("paths: {bad}"))
            .with("parameter", "paths")
            .suggest("Give globs as in .gitignore: `*.py`, `src/**/*.rs`, `src/auth`, `!tests`.")
    })
}

/// A pattern, compiled.
pub fn pattern(text: &str, literal: bool, case_sensitive: bool) -> Result<Pattern, ToolError> {
    let refused = |message: String| ToolError::invalid_input(message).with("parameter", "pattern");
    if text.is_empty() {
        return Err(refused("pattern: must not be empty".to_owned()));
    }
    Pattern::new(text, literal, case_sensitive).map_err(|bad| {
        let error = refused(format!("pattern: {bad}"));
        let error = if let Some(at) = bad.at { error.with("position", at) } else { error };
        error.suggest("Correct the regular expression, or pass pattern_type literal for text that stands for itself.")
    })
}

/// A search as the workspace's configuration wants it, and why its transformer cannot be used, where it cannot.
pub fn search_question(
    workspace: &Workspace,
    query: &str,
    language: Option<String>,
    limit: usize,
) -> (search::Question, Option<String>) {
    let semantic = &workspace.project.config.semantic;
    let (transformer, problem) = match workspace.transformer() {
        Ok(transformer) => (transformer, None),
        Err(problem) => (None, Some(problem)),
    };
    let semantic_ratio = if semantic.enabled { semantic.ratio } else { Some(0.0) };
    let question = search::Question { language, semantic_ratio, transformer, ..search::Question::new(query, limit) };
    (question, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_known_by_name_extension_and_habit() {
        for (given, expected) in [
            ("python", "python"),
            ("Python", "python"),
            ("py", "python"),
            (".rs", "rust"),
            ("tsx", "typescript"),
            ("c", "c"),
            ("C++", "cpp"),
            ("golang", "go"),
            ("text", "text"),
        ] {
            assert_eq!(language(Some(given)), Ok(Some(expected.to_owned())), "{given}");
        }
        assert_eq!((language(None), language(Some(" "))), (Ok(None), Ok(None)));
    }

    #[test]
    fn a_language_that_nobody_knows_is_an_error_with_the_list_and_the_nearest() {
        let error = language(Some("pythn")).unwrap_err();
        let begins = "language: `pythn` is not known. Did you mean `python`? Known are: bash, c, cpp, ";
        assert!(error.message.starts_with(begins), "{}", error.message);
        assert_eq!(error.data["parameter"], "language");
        assert!(error.data["allowed"].as_array().is_some_and(|names| names.contains(&"typescript".into())));
        assert!(!language(Some("fortran77")).unwrap_err().message.contains("Did you mean"));
    }
}
