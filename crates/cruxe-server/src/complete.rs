//! Completions for the arguments of prompts and of resource templates.

use cruxe_model::Work;
use cruxe_query::complete::{self, Completions};
use rmcp::model::{CompleteRequestParams, CompletionInfo, ErrorData, Reference};

use crate::cards;
use crate::catalog::{Catalog, Place, refusal};
use crate::contract::ToolError;
use crate::prompts;
use crate::session::Session;
use crate::uri::{Kind, WORKSPACE};

/// What an argument is, so that its value can be completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Completes {
    Workspace,
    Symbol,
    Ref,
    Path,
    Task,
}

impl Catalog {
    /// The values that an argument may have, given what has been typed of it.
    pub(crate) fn complete(
        &self,
        session: &Session,
        request: &CompleteRequestParams,
        work: &Work,
    ) -> Result<CompletionInfo, ErrorData> {
        let what = self.completed(&request.r#ref, &request.argument.name)?;
        let arguments = request.context.as_ref().and_then(|context| context.arguments.as_ref());
        let known = |name: &str| {
            arguments.and_then(|known| known.get(name)).map(String::as_str).filter(|value| !value.is_empty())
        };
        let (repo, ref_name) = (known(WORKSPACE), known("ref"));
        let found = self.values(session, what, &request.argument.value, repo, ref_name, work).map_err(refusal)?;
        let (total, more) = (found.total as u32, found.total > found.values.len());
        CompletionInfo::with_pagination(found.values, Some(total), more)
            .map_err(|problem| ErrorData::internal_error(problem, None))
    }

    /// What the argument of a prompt or a template is.
    fn completed(&self, of: &Reference, argument: &str) -> Result<Completes, ErrorData> {
        let unknown = |problem: String| ErrorData::invalid_params(problem, None);
        match of {
            Reference::Prompt(prompt) => {
                let spec = prompts::find(self, &prompt.name).map_err(unknown)?;
                let found = prompts::arguments(self, spec).find(|known| known.name == argument);
                found.map(|known| known.completes).ok_or_else(|| {
                    let names: Vec<&str> = prompts::arguments(self, spec).map(|known| known.name).collect();
                    unknown(format!("`{}` has no argument `{argument}`; it has: {}", spec.name, names.join(", ")))
                })
            }
            Reference::Resource(template) => {
                let form = |kind: Kind| self.addresses().template(kind);
                let kind = self.kinds().find(|kind| form(*kind) == template.uri);
                match (kind, argument) {
                    (Some(_), WORKSPACE) if self.shelf().is_some() => Ok(Completes::Workspace),
                    (Some(Kind::Symbol), "symbol") => Ok(Completes::Symbol),
                    (Some(Kind::File | Kind::Doc), "path") => Ok(Completes::Path),
                    (Some(Kind::Symbol | Kind::File | Kind::Doc | Kind::Repo), "ref") => Ok(Completes::Ref),
                    (Some(Kind::Card), "id") => Ok(Completes::Task),
                    (Some(kind), _) => Err(unknown(format!("{} has no `{argument}`", form(kind)))),
                    (None, _) => Err(unknown(format!(
                        "`{}` is none of the templates that resources/templates/list names",
                        template.uri
                    ))),
                }
            }
            _ => Err(unknown("only prompts and resource templates can be completed".to_owned())),
        }
    }

    fn values(
        &self,
        session: &Session,
        what: Completes,
        typed: &str,
        repo: Option<&str>,
        ref_name: Option<&str>,
        work: &Work,
    ) -> Result<Completions, ToolError> {
        let most = CompletionInfo::MAX_VALUES;
        let place = || self.place(session, repo);
        Ok(match what {
            Completes::Workspace => Completions::of(complete::matching(self.repositories(session), typed), most),
            Completes::Symbol => complete::symbols(&place()?.view(ref_name, work)?, typed, most)?,
            Completes::Path => complete::paths(&place()?.view(ref_name, work)?, typed, most)?,
            Completes::Ref => Completions::of(complete::matching(refs(&place()?, session)?, typed), most),
            Completes::Task => {
                let cards = cards::list(self.deck(session))?;
                let named = typed.to_lowercase();
                let fits =
                    |card: &cards::CardEntry| card.id.starts_with(typed) || card.title.to_lowercase().contains(&named);
                Completions::of(cards.into_iter().filter(fits).map(|card| card.id).collect(), most)
            }
        })
    }
}

/// Branches that git has and refs that are indexed.
fn refs(place: &Place, session: &Session) -> Result<Vec<String>, ToolError> {
    let workspace = &place.workspace;
    let mut refs = match &workspace.project.repo {
        Some(repo) => repo.branches().map_err(cruxe_index::IndexError::from)?,
        None => Vec::new(),
    };
    if let Ok(snapshot) = workspace.snapshot() {
        let indexed = snapshot.refs().map_err(cruxe_index::IndexError::from)?;
        refs.extend(indexed.into_iter().map(|state| state.name));
    }
    let scope = session.scope();
    refs.retain(|name| scope.is_all() || scope.allows_ref(&workspace.project.root, name));
    Ok(refs)
}
