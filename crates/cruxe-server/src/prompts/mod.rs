//! Prompts that are useful as they are: each comes with what the index knows, within a number of tokens.

mod draft;
mod explain_symbol;
mod plan_task;
pub(crate) mod portrait;
mod review_branch;

use std::collections::BTreeMap;

use cruxe_model::Work;
use rmcp::model::{ErrorData, GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

use crate::catalog::{Catalog, refusal};
use crate::complete::Completes;
use crate::contract::ToolError;
use crate::pages::{Page, page};
use crate::session::Session;
use crate::toolsets::Toolset;

/// A prompt: what it says of itself and a function that writes it.
pub(crate) struct PromptSpec {
    pub name: &'static str,
    title: &'static str,
    description: &'static str,
    toolset: Toolset,
    pub arguments: &'static [Argument],
    write: fn(&Asked) -> Result<String, ToolError>,
}

/// An argument of a prompt.
pub(crate) struct Argument {
    pub name: &'static str,
    description: &'static str,
    required: bool,
    pub completes: Completes,
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
        let served: Vec<&PromptSpec> = PROMPTS.iter().filter(|spec| self.serves(spec.toolset)).collect();
        let page = page("prompts/list", served, |spec| spec.name.to_owned(), cursor)?;
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
        let mut arguments = BTreeMap::new();
        for (name, value) in request.arguments.unwrap_or_default() {
            if !spec.arguments.iter().any(|known| known.name == name) {
                let names: Vec<&str> = spec.arguments.iter().map(|known| known.name).collect();
                return Err(unknown(format!(
                    "`{}` has no argument `{name}`; it has: {}.",
                    spec.name,
                    names.join(", ")
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

fn listed(spec: &PromptSpec) -> Prompt {
    let argument = |argument: &Argument| {
        PromptArgument::new(argument.name).with_description(argument.description).with_required(argument.required)
    };
    let arguments = spec.arguments.iter().map(argument).collect();
    Prompt::new(spec.name, Some(spec.description), Some(arguments)).with_title(spec.title)
}
