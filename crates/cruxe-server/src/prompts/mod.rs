//! Prompts that are useful as they are: each comes with what the index knows, within a number of tokens.

mod draft;
mod explain_symbol;
mod plan_task;
pub(crate) mod portrait;
mod review_branch;

use std::collections::BTreeMap;

use cruxe_deck::fence::inline;
use cruxe_model::Work;
use rmcp::model::{ErrorData, GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

use crate::catalog::{Catalog, Place, refusal};
use crate::complete::Completes;
use crate::contract::ToolError;
use crate::pages::{Page, page};
use crate::session::Session;
use crate::toolsets::Toolset;
use crate::uri::WORKSPACE;

/// A prompt: what it says of itself and a function that writes it.
pub(crate) struct PromptSpec {
    pub name: &'static str,
    title: &'static str,
    description: &'static str,
    toolset: Toolset,
    arguments: &'static [Argument],
    write: fn(&Asked) -> Result<String, ToolError>,
}

/// An argument of a prompt.
pub(crate) struct Argument {
    pub name: &'static str,
    description: &'static str,
    required: bool,
    pub completes: Completes,
}

/// The argument that every prompt of a server of many repositories has beside its own.
static REPOSITORY: Argument = Argument {
    name: WORKSPACE,
    description: "The repository, such as org/app; may be left out where there is one",
    required: false,
    completes: Completes::Workspace,
};

/// The arguments of a prompt.
pub(crate) fn arguments(catalog: &Catalog, spec: &'static PromptSpec) -> impl Iterator<Item = &'static Argument> {
    let of_many = catalog.shelf().map(|_| &REPOSITORY);
    of_many.into_iter().chain(spec.arguments)
}

/// Every prompt, by name.
static PROMPTS: [PromptSpec; 3] = [explain_symbol::PROMPT, plan_task::PROMPT, review_branch::PROMPT];

/// One request for a prompt.
pub(crate) struct Asked<'a> {
    pub catalog: &'a Catalog,
    pub session: &'a Session,
    pub work: &'a Work,
    arguments: BTreeMap<String, String>,
}

impl Asked<'_> {
    /// An argument that says something.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.arguments.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// A required argument.
    pub fn required(&self, name: &str) -> Result<&str, ToolError> {
        self.get(name).ok_or_else(|| {
            ToolError::invalid_input(format!("the argument `{name}` is missing"))
                .with("parameter", name)
                .suggest("completion/complete lists values for it.")
        })
    }

    /// The repository that the prompt is about.
    pub fn place(&self) -> Result<Place<'_>, ToolError> {
        self.catalog.place(self.session, self.get(WORKSPACE))
    }

    /// What whoever looks further has to say to the tools.
    pub fn guide(&self, place: &Place) -> String {
        match &place.workspace.project.replica {
            Some(name) => format!("Repository {}: give it to every tool as `{WORKSPACE}`.\n\n", inline(name)),
            None => String::new(),
        }
    }
}

/// The prompt of a name, if it is served.
pub(crate) fn find(catalog: &Catalog, name: &str) -> Result<&'static PromptSpec, String> {
    let served = || PROMPTS.iter().filter(|spec| catalog.serves(spec.toolset));
    served().find(|spec| spec.name == name).ok_or_else(|| {
        let shown: String = name.chars().take(80).collect();
        let names: Vec<&str> = served().map(|spec| spec.name).collect();
        format!("Unknown prompt `{shown}`. There are: {}.", names.join(", "))
    })
}

impl Catalog {
    /// The prompts of the toolsets that are served.
    pub(crate) fn list_prompts(&self, cursor: Option<&str>) -> Result<Page<Prompt>, ErrorData> {
        let served: Vec<&'static PromptSpec> = PROMPTS.iter().filter(|spec| self.serves(spec.toolset)).collect();
        let page = page("prompts/list", served, |spec| spec.name.to_owned(), cursor)?;
        let listed = |spec: &'static PromptSpec| listed(spec, arguments(self, spec));
        Ok(Page { entries: page.entries.into_iter().map(listed).collect(), next: page.next })
    }

    /// A prompt with what the index knows.
    pub(crate) fn get_prompt(
        &self,
        session: &Session,
        request: GetPromptRequestParams,
        work: &Work,
    ) -> Result<GetPromptResult, ErrorData> {
        let unknown = |problem: String| ErrorData::invalid_params(problem, None);
        let spec = find(self, &request.name).map_err(unknown)?;
        let known: Vec<&str> = arguments(self, spec).map(|known| known.name).collect();
        let mut arguments = BTreeMap::new();
        for (name, value) in request.arguments.unwrap_or_default() {
            if !known.contains(&name.as_str()) {
                return Err(unknown(format!(
                    "`{}` has no argument `{name}`; it has: {}.",
                    spec.name,
                    known.join(", ")
                )));
            }
            match value {
                Value::String(value) => drop(arguments.insert(name, value)),
                Value::Null => {}
                _ => return Err(unknown(format!("The argument `{name}` must be a string."))),
            }
        }
        let text = (spec.write)(&Asked { catalog: self, session, work, arguments }).map_err(refusal)?;
        let mut result = GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]);
        result.description = Some(spec.description.to_owned());
        Ok(result)
    }
}

fn listed(spec: &PromptSpec, arguments: impl Iterator<Item = &'static Argument>) -> Prompt {
    let argument = |argument: &Argument| {
        PromptArgument::new(argument.name).with_description(argument.description).with_required(argument.required)
    };
    Prompt::new(spec.name, Some(spec.description), Some(arguments.map(argument).collect())).with_title(spec.title)
}
