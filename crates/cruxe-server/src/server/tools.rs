//! A set of tools under a name, and calling one of them.
//!
//! Deliberately absent: MCP's session and its requests other than calls ([`connection`](super::connection)), and what the
//! single tools do ([`tools`](crate::tools)).

use std::sync::Arc;
use std::time::{Duration, Instant};

use cruxe_model::Work;
use cruxe_model::config::AnswerForm;
use rmcp::model::{Tool as ListedTool, ToolAnnotations};
use serde_json::Value;

use super::connection::Connection;
use super::errors::{CallError, describe_failure};
use crate::admission::{Admission, Cost};
use crate::arguments::{conform, unknown};
use crate::catalog::Catalog;
use crate::contract::{ErrorCode, ToolError};
use crate::metrics::Metrics;
use crate::progress::CancelOnDrop;
use crate::schema::Object;
use crate::session::Session;
use crate::tool::{Call, Tool, ToolAnswer, ToolSpec};
use crate::toolsets::{Toolset, Toolsets};

/// How long a question looks before it answers with what it has found and says that this is not all.
pub(super) const QUESTION_TIME: Duration = Duration::from_secs(20);

/// Parameters that work everywhere and are not listed where a model pays for the list: they are about JSON, or what a
/// model hardly ever needs. The instructions name the first.
const UNLISTED: [&str; 14] = [
    "workspace",
    "compact",
    "confidence_threshold",
    "detail_level",
    "filters",
    "freshness_policy",
    "include_cosmetic",
    "mode",
    "path_filter",
    "pattern_type",
    "ranking_explain_level",
    "semantic",
    "semantic_ratio",
    "symbol_id",
];

/// Says that a caller may look at what there is and change nothing.
fn only_reads(tool: &str) -> ToolError {
    let message = format!("`{tool}` changes something, and this token only reads");
    ToolError::new(ErrorCode::WorkspaceNotAllowed, message).suggest("Ask who runs the server.")
}

/// A parameter of an input schema.
fn parameter_of<'s>(schema: &'s mut Object, name: &str) -> Option<&'s mut Value> {
    schema.get_mut("properties")?.get_mut(name)
}

/// Everything that is served, over any transport and to any number of clients.
pub struct Server {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) instructions: String,
    pub(super) tools: Vec<Arc<Served>>,
    metrics: Metrics,
    /// Tools of toolsets that are not served, so that a client that calls one is told why.
    withheld: Vec<(&'static str, Toolset)>,
    pub(super) catalog: Option<Arc<Catalog>>,
    pub(super) admission: Arc<Admission>,
    /// What calls through MCP are answered with.
    pub(super) form: AnswerForm,
    observer: Option<Observer>,
}

/// Hears of every call that ended.
pub type Observer = Box<dyn Fn(&Ended) + Send + Sync>;

/// A call that ended.
pub struct Ended {
    /// Who called, where callers are told apart.
    pub holder: Option<String>,
    /// The tool.
    pub tool: &'static str,
    /// The parameter `workspace`.
    pub workspace: Option<String>,
    /// The parameter `ref`.
    pub ref_name: Option<String>,
    /// `ok`, or the code of the error.
    pub outcome: &'static str,
    /// How long it took, waiting for its turn included.
    pub took: Duration,
}

/// A tool and what it says of itself.
pub(super) struct Served {
    spec: ToolSpec,
    tool: Arc<dyn Tool>,
}

impl Server {
    /// Serves `tools` under a name. The instructions tell a model what the tools are for.
    pub fn new(name: &str, version: &str, instructions: &str, tools: Vec<Arc<dyn Tool>>) -> Server {
        let tools = tools.into_iter().map(|tool| Arc::new(Served { spec: tool.spec(), tool })).collect();
        Server {
            name: name.to_owned(),
            version: version.to_owned(),
            instructions: instructions.to_owned(),
            tools,
            metrics: Metrics::default(),
            withheld: Vec::new(),
            catalog: None,
            admission: Arc::new(Admission::new()),
            form: AnswerForm::Json,
            observer: None,
        }
    }

    /// Tells somebody of every call that ended.
    pub fn with_observer(self, observer: Observer) -> Server {
        Server { observer: Some(observer), ..self }
    }

    /// Answers calls through MCP in another form.
    pub fn with_form(self, form: AnswerForm) -> Server {
        Server { form, ..self }
    }

    /// The figures of all calls so far.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Serves only the tools of some toolsets.
    pub fn with_toolsets(mut self, sets: &Toolsets) -> Server {
        let is_served = |served: &Arc<Served>| sets.contains(served.spec.toolset);
        let others = self.tools.iter().filter(|served| !is_served(served));
        self.withheld = others.map(|served| (served.spec.name, served.spec.toolset)).collect();
        self.tools.retain(is_served);
        self
    }

    /// Adds resources, prompts and completions.
    pub fn with_catalog(self, catalog: Catalog) -> Server {
        Server { catalog: Some(Arc::new(catalog)), ..self }
    }

    /// Whether the tools for tasks are listed only while the workspace has a deck.
    pub(super) fn follows_deck(&self) -> bool {
        self.form == AnswerForm::Text && self.catalog.as_ref().is_some_and(|catalog| catalog.serves(Toolset::Tasks))
    }

    /// The tools that are listed now. A tool that is not can be called all the same.
    pub(super) fn listed(&self, session: &Session) -> impl Iterator<Item = &Arc<Served>> {
        let has_deck = || self.catalog.as_ref().is_some_and(|catalog| catalog.deck(session).exists());
        let hides_tasks = self.follows_deck() && !has_deck();
        self.tools.iter().filter(move |served| !(hides_tasks && served.toolset() == Toolset::Tasks))
    }

    /// Begins a client's connection.
    pub fn connect(self: &Arc<Self>) -> Connection {
        self.connect_with(Session::new())
    }

    /// Begins a client's connection with a session of the caller's making.
    pub fn connect_with(self: &Arc<Self>, session: Session) -> Connection {
        Connection::new(Arc::clone(self), session)
    }

    /// Whether there is a tool of this name.
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Returns the names of the tools that are most like `name`.
    pub fn nearest(&self, name: &str) -> Vec<&'static str> {
        let mut names: Vec<&'static str> = self.tools.iter().map(|served| served.spec.name).collect();
        names.sort_by_key(|known| strsim::levenshtein(name, known));
        names.truncate(3);
        names
    }

    /// Calls a tool on a thread of its own and waits for its answer.
    ///
    /// Dropping the future sets the call's [`Work`](crate::Work) and waits for nothing. A panic of the tool
    /// becomes `internal_error`.
    pub async fn call(&self, name: &str, call: Call) -> Result<ToolAnswer, CallError> {
        let served = self.find(name).ok_or_else(|| self.unknown(name))?;
        let running = self.metrics.begin(served.spec.name);
        let (begun, ended) = (Instant::now(), self.observer.as_ref().map(|_| Ended::of(served.spec.name, &call)));
        let slot = self.admission.admit(&call.session, served.spec.cost()).await;
        let guard = CancelOnDrop::new(call.work.clone());
        let numeric = served.spec.numeric_errors;
        let work = move || {
            let _slot = slot;
            served.call_in_time(call)
        };
        let outcome = tokio::task::spawn_blocking(work).await;
        guard.disarm();
        let outcome = outcome.unwrap_or_else(|failure| Err(describe_failure(name, failure)));
        let word = outcome.as_ref().map_or_else(|error| error.code.as_str(), |_| "ok");
        running.end(word);
        if let (Some(observer), Some(ended)) = (&self.observer, ended) {
            observer(&Ended { outcome: word, took: begun.elapsed(), ..ended });
        }
        outcome.map_err(|error| CallError::of(error, numeric))
    }

    /// Tells whoever hears of calls of something else that was asked.
    pub fn note(&self, ended: &Ended) {
        self.observer.iter().for_each(|observer| observer(ended));
    }

    /// Does work that is no tool's, in turn with the calls of all clients and for no longer than a question may take; `None`
    /// when it does not come to its end. Dropping the future cancels it.
    pub async fn in_turn<T: Send + 'static>(&self, work: impl FnOnce(&Work) -> T + Send + 'static) -> Option<T> {
        let slot = self.admission.admit(&Session::fleeting(), Cost::Any).await;
        let started = Work::default().until(Instant::now() + QUESTION_TIME);
        let guard = CancelOnDrop::new(started.clone());
        let run = move || {
            let _slot = slot;
            work(&started)
        };
        let outcome = tokio::task::spawn_blocking(run).await;
        guard.disarm();
        outcome.ok()
    }

    /// Calls a tool on this thread.
    pub fn call_here(&self, name: &str, call: Call) -> Result<ToolAnswer, CallError> {
        let served = self.find(name).ok_or_else(|| self.unknown(name))?;
        served.call(call).map_err(|error| CallError::of(error, served.spec.numeric_errors))
    }

    fn find(&self, name: &str) -> Option<Arc<Served>> {
        self.tools.iter().find(|served| served.spec.name == name).cloned()
    }

    fn unknown(&self, name: &str) -> CallError {
        if let Some((name, set)) = self.withheld.iter().find(|(withheld, _)| *withheld == name) {
            let problem = format!("`{name}` is in the toolset `{set}`, which this server does not serve (--toolsets).");
            return CallError::UnknownTool(problem);
        }
        let shown: String = name.chars().take(80).collect();
        CallError::UnknownTool(format!("Unknown tool `{shown}`. Nearest: {}.", self.nearest(name).join(", ")))
    }
}

impl Ended {
    fn of(tool: &'static str, call: &Call) -> Ended {
        let text = |name: &str| call.arguments.get(name).and_then(Value::as_str).map(str::to_owned);
        Ended {
            holder: call.session.scope().holder().map(str::to_owned),
            tool,
            workspace: text("workspace"),
            ref_name: text("ref"),
            outcome: "",
            took: Duration::ZERO,
        }
    }
}

impl Served {
    /// Calls a tool that others wait for, too: a question that takes too long answers with what it has found.
    fn call_in_time(&self, mut call: Call) -> Result<ToolAnswer, ToolError> {
        if self.spec.read_only {
            call.work = call.work.until(Instant::now() + QUESTION_TIME);
        }
        self.call(call)
    }

    fn call(&self, mut call: Call) -> Result<ToolAnswer, ToolError> {
        self.spec.complete(&mut call.arguments);
        conform(&mut call.arguments, &self.spec.input_schema)?;
        let strange = unknown(&call.arguments, &self.spec.input_schema);
        if !self.spec.read_only && !call.session.scope().may_write() {
            return Err(only_reads(self.spec.name));
        }
        let answer = self.tool.call(&call).map_err(|error| call.date(error))?;
        Ok(answer.with_warnings(strange))
    }

    /// What it is served with.
    pub(super) fn toolset(&self) -> Toolset {
        self.spec.toolset
    }

    /// What `tools/list` says of it. A model reads all of it in every conversation, so where it is to be short, what a
    /// program alone would want is left out.
    pub(super) fn listed(&self, form: AnswerForm) -> ListedTool {
        let spec = &self.spec;
        let mut schema = spec.input_schema.clone();
        if form == AnswerForm::Text {
            if let Some(Value::Object(parameters)) = schema.get_mut("properties") {
                parameters.retain(|name, _| !UNLISTED.contains(&name.as_str()));
            }
            let tool = ListedTool::new(spec.name, spec.description.clone(), Arc::new(schema));
            return tool.with_annotations(ToolAnnotations::new().read_only(spec.read_only));
        }
        if let Some((parameter, beyond)) = spec.beyond
            && let Some(Value::Array(values)) =
                parameter_of(&mut schema, parameter).and_then(|part| part.get_mut("enum"))
        {
            values.retain(|value| !value.as_str().is_some_and(|value| beyond.contains(&value)));
        }
        let tool = ListedTool::new(spec.name, spec.description.clone(), Arc::new(schema));
        let annotations = ToolAnnotations::new().read_only(spec.read_only).open_world(false);
        // Of a tool that only reads, the others say nothing.
        let annotations = match spec.read_only {
            true => annotations,
            false => annotations.destructive(spec.destructive).idempotent(spec.idempotent),
        };
        tool.with_title(spec.title)
            .with_raw_output_schema(Arc::new(spec.output_schema.clone()))
            .with_annotations(annotations)
    }
}
