//! A set of tools, and one client's connection to it through MCP.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cruxe_deck::document::distance;
use cruxe_model::Work;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult, ContentBlock,
    CustomRequest, CustomResult, ErrorCode as RpcCode, ErrorData, GetPromptRequestParams, GetPromptResponse,
    Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig, SubscribeRequestParams,
    SubscriptionFilter, Tool as ListedTool, ToolAnnotations, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::watch;

use crate::arguments::{MAX_LETTERS, conform};
pub use crate::call_error::CallError;
use crate::catalog::Catalog;
use crate::contract::ToolError;
use crate::metrics::Metrics;
use crate::pages::page;
use crate::places::{Cost, Places};
use crate::progress::{CancelOnDrop, Note, heard};
use crate::resources::link_of_first;
use crate::schema::Object;
use crate::session::Session;
use crate::stdio;
use crate::subscriptions::{self, MAX_FOLLOWED, Watch};
use crate::tool::{Answer, Call, Tool, ToolSpec};
use crate::toolsets::{Toolset, Toolsets};

/// How long a question looks before it answers with what it has found and says that this is not all.
const QUESTION_TIME: Duration = Duration::from_secs(20);

/// Everything that is served, over any transport and to any number of clients.
pub struct Server {
    name: String,
    version: String,
    instructions: String,
    tools: Vec<Arc<Served>>,
    metrics: Metrics,
    /// Tools of toolsets that are not served, so that a client that calls one is told why.
    withheld: Vec<(&'static str, Toolset)>,
    catalog: Option<Arc<Catalog>>,
    places: Arc<Places>,
}

/// A tool and what it says of itself.
struct Served {
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
            places: Arc::new(Places::new()),
        }
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

    /// Begins a client's connection.
    pub fn connect(self: &Arc<Self>) -> Connection {
        self.connect_with(Session::new())
    }

    /// Begins a client's connection with a session of the caller's making.
    pub fn connect_with(self: &Arc<Self>, session: Session) -> Connection {
        let session = Arc::new(session);
        Connection { server: Arc::clone(self), session, written: false, open: watch::Sender::default() }
    }

    /// Whether there is a tool of this name.
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Returns the names of the tools that are most like `name`.
    pub fn nearest(&self, name: &str) -> Vec<&'static str> {
        let mut names: Vec<&'static str> = self.tools.iter().map(|served| served.spec.name).collect();
        names.sort_by_key(|known| distance(name, known));
        names.truncate(3);
        names
    }

    /// Calls a tool on a thread of its own and waits for its answer.
    ///
    /// Dropping the future sets the call's [`Work`](crate::Work) and waits for nothing. A panic of the tool
    /// becomes `internal_error`.
    pub async fn call(&self, name: &str, call: Call) -> Result<Answer, CallError> {
        let served = self.find(name).ok_or_else(|| self.unknown(name))?;
        let running = self.metrics.begin(served.spec.name);
        let place = self.places.take(&call.session, served.spec.cost()).await;
        let guard = CancelOnDrop::new(call.work.clone());
        let numeric = served.spec.numeric_errors;
        let work = move || {
            let _place = place;
            served.call_in_time(call)
        };
        let outcome = tokio::task::spawn_blocking(work).await;
        guard.disarm();
        let outcome = outcome.unwrap_or_else(|failure| Err(describe_failure(name, failure)));
        running.end(outcome.as_ref().map_or_else(|error| error.code.as_str(), |_| "ok"));
        outcome.map_err(|error| CallError::of(error, numeric))
    }

    /// Calls a tool on this thread.
    pub fn call_here(&self, name: &str, call: Call) -> Result<Answer, CallError> {
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

impl Served {
    /// Calls a tool that others wait for, too: a question that takes too long answers with what it has found.
    fn call_in_time(&self, mut call: Call) -> Result<Answer, ToolError> {
        if self.spec.read_only {
            call.work = call.work.until(Instant::now() + QUESTION_TIME);
        }
        self.call(call)
    }

    fn call(&self, mut call: Call) -> Result<Answer, ToolError> {
        conform(&mut call.arguments, &self.spec.input_schema)?;
        self.tool.call(&call).map_err(|error| call.date(error))
    }

    fn listed(&self) -> ListedTool {
        let spec = &self.spec;
        let annotations = ToolAnnotations::new().read_only(spec.read_only).open_world(false);
        // Of a tool that only reads, the others say nothing.
        let annotations = match spec.read_only {
            true => annotations,
            false => annotations.destructive(spec.destructive).idempotent(spec.idempotent),
        };
        ListedTool::new(spec.name, spec.description.clone(), Arc::new(spec.input_schema.clone()))
            .with_title(spec.title)
            .with_raw_output_schema(Arc::new(spec.output_schema.clone()))
            .with_annotations(annotations)
    }
}

/// One client's connection; rmcp drives it over whichever transport.
#[derive(Clone)]
pub struct Connection {
    /// What is served.
    pub server: Arc<Server>,
    /// What is remembered of this client.
    pub session: Arc<Session>,
    /// Whether the transport takes structured content as JSON that is written already, see [`Connection::written`].
    written: bool,
    /// Dropped with the connection, which tells whoever waits for news on its behalf.
    open: watch::Sender<()>,
}

impl ServerHandler for Connection {
    fn get_info(&self) -> ServerConfig {
        let capabilities = match self.server.catalog {
            None => ServerCapabilities::builder().enable_tools().build(),
            Some(_) => ServerCapabilities::builder()
                .enable_tools()
                .enable_prompts()
                .enable_resources()
                .enable_resources_list_changed()
                .enable_resources_subscribe()
                .enable_completions()
                .build(),
        };
        let info = ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(&self.server.name, &self.server.version));
        if self.server.instructions.is_empty() { info } else { info.with_instructions(&self.server.instructions) }
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.session.begin();
        self.expect_roots(&request.capabilities);
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if let (Some(catalog), Some(place)) = (&self.server.catalog, self.session.teller()) {
            let watch = Watch {
                catalog: Arc::clone(catalog),
                session: Arc::clone(&self.session),
                places: Arc::clone(&self.server.places),
            };
            let telling = subscriptions::tell_session(watch, context.peer.clone(), self.open.subscribe());
            tokio::spawn(async move {
                let _place = place;
                telling.await;
            });
        }
        self.ask_for_roots(&context.peer).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.ask_for_roots(&context.peer).await;
    }

    /// rmcp takes what it cannot read for a method that it does not know.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let params = request.params.and_then(|params| params.as_object().cloned());
        Err(stdio::explain(&request.method, params))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools: Vec<(usize, &Arc<Served>)> = self.server.tools.iter().enumerate().collect();
        let page = page("tools/list", tools, |(at, _)| format!("{at:04}"), cursor_of(&request))?;
        let mut result =
            ListToolsResult::with_all_items(page.entries.iter().map(|(_, served)| served.listed()).collect());
        result.next_cursor = page.next;
        Ok(result)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let list = move |catalog: &Catalog, session: &Session, cancel: &Work| {
            catalog.list_resources(session, cursor_of(&request), cancel)
        };
        let page = self.consult(&context, list).await?;
        let mut result = ListResourcesResult::with_all_items(page.entries);
        result.next_cursor = page.next;
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let page = self.catalog()?.resource_templates(cursor_of(&request))?;
        let mut result = ListResourceTemplatesResult::with_all_items(page.entries);
        result.next_cursor = page.next;
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        short([request.uri.as_str()])?;
        let read = move |catalog: &Catalog, session: &Session, cancel: &Work| {
            catalog.read_resource(session, &request.uri, cancel)
        };
        Ok(ReadResourceResult::new(vec![self.consult(&context, read).await?]).into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        short([request.uri.as_str()])?;
        let follow = move |catalog: &Catalog, session: &Session, _: &Work| catalog.follow(session, &request.uri);
        self.consult(&context, follow).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.catalog()?;
        self.session.followed().remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let catalog = self.server.catalog.as_ref()?;
        let mut accepted = SubscriptionFilter::new();
        accepted.resources_list_changed = requested.resources_list_changed;
        let readable = |uri: &&String| catalog.address(uri).is_ok();
        accepted.resource_subscriptions = requested
            .resource_subscriptions
            .as_ref()
            .map(|uris| uris.iter().filter(readable).take(MAX_FOLLOWED).cloned().collect());
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let (catalog, session) = (Arc::clone(self.catalog()?), Arc::clone(&self.session));
        let Ok(_place) = self.session.listeners().try_acquire() else {
            return Err(ErrorData::invalid_request(
                "There are as many subscriptions as a client may have. End one first.",
                None,
            ));
        };
        let watch = Watch { catalog, session, places: Arc::clone(&self.server.places) };
        subscriptions::tell_listener(watch, &context).await;
        Ok(())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let page = self.catalog()?.list_prompts(cursor_of(&request))?;
        let mut result = ListPromptsResult::with_all_items(page.entries);
        result.next_cursor = page.next;
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        short(request.arguments.iter().flatten().filter_map(|(_, value)| value.as_str()))?;
        let write =
            move |catalog: &Catalog, session: &Session, cancel: &Work| catalog.get_prompt(session, request, cancel);
        Ok(self.consult(&context, write).await?.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let known = request.context.iter().flat_map(|context| context.arguments.iter().flatten());
        short(known.map(|(_, value)| value.as_str()).chain([request.argument.value.as_str()]))?;
        let complete =
            move |catalog: &Catalog, session: &Session, cancel: &Work| catalog.complete(session, &request, cancel);
        Ok(CompleteResult::new(self.consult(&context, complete).await?))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.session.roots_settled().await;
        let arguments = request.arguments.unwrap_or_default();
        let linked = self.links(&arguments);
        let call = Call::new(arguments, Arc::clone(&self.session));
        let outcome = tokio::select! {
            outcome = hear(&context, call.work.clone(), |work| self.server.call(&request.name, call.with_work(work))) => outcome,
            // rmcp sends no answer to a cancelled request, whatever is returned.
            () = context.ct.cancelled() => return Err(ErrorData::internal_error("cancelled", None)),
        };
        match outcome {
            Ok(answer) => Ok(self.to_result(answer, linked)?.into()),
            Err(CallError::Tool(error)) => Ok(CallToolResult::structured_error(error.to_json()).into()),
            Err(other @ (CallError::UnknownTool(_) | CallError::Numeric(_))) => Err(other.to_rpc()),
        }
    }
}

impl Connection {
    /// Lets answers pass rmcp as they are written: structured content as a string that holds its JSON, the text as it stands in
    /// a JSON string, for a transport that puts both in their places. Of a long answer rmcp's tree of values would cost more
    /// than everything else.
    pub(crate) fn written(self) -> Connection {
        Connection { written: true, ..self }
    }

    fn to_result(&self, answer: Answer, linked: bool) -> Result<CallToolResult, ErrorData> {
        let read = |answer: &Answer| {
            serde_json::from_str::<Value>(answer.json())
                .map_err(|problem| ErrorData::internal_error(problem.to_string(), None))
        };
        let link = if linked { link_of_first(&read(&answer)?) } else { None };
        let (text, structured) = if self.written {
            let (text, json) = answer.into_written();
            (text, Value::from(json))
        } else {
            (answer.text().to_owned(), read(&answer)?)
        };
        let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
        result.content.extend(link.map(ContentBlock::resource_link));
        result.structured_content = Some(structured);
        Ok(result)
    }

    fn catalog(&self) -> Result<&Arc<Catalog>, ErrorData> {
        let none = || ErrorData::new(RpcCode::METHOD_NOT_FOUND, "This server has tools only.", None);
        self.server.catalog.as_ref().ok_or_else(none)
    }

    /// Asks the catalog on a thread of its own; a client that cancels its request stops it.
    async fn consult<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        ask: impl FnOnce(&Catalog, &Session, &Work) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let (catalog, session) = (Arc::clone(self.catalog()?), Arc::clone(&self.session));
        let work = Work::default();
        let guard = CancelOnDrop::new(work.clone());
        let asked = async {
            let place = self.server.places.take(&self.session, Cost::Any).await;
            let begin = move |work: Work| {
                tokio::task::spawn_blocking(move || {
                    let _place = place;
                    ask(&catalog, &session, &work)
                })
            };
            hear(context, work.until(Instant::now() + QUESTION_TIME), begin).await
        };
        tokio::select! {
            outcome = asked => {
                guard.disarm();
                outcome.unwrap_or_else(|failure| {
                    let error = describe_failure("the request", failure);
                    Err(ErrorData::internal_error(error.message, Some(error.data)))
                })
            }
            () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
        }
    }

    /// Whether the answer to a call links to a resource. That costs some fifty tokens, so only answers with
    /// `detail_level: context`, which are long anyway, have a link, and one: to the best result.
    fn links(&self, arguments: &Object) -> bool {
        let served = self.server.catalog.as_ref().is_some_and(|catalog| catalog.serves(Toolset::Code));
        let wanted = arguments.get("detail_level").and_then(Value::as_str) == Some("context");
        served && wanted && !arguments.contains_key("workspace")
    }
}

/// Waits for work and passes on what it reports, all of it before its outcome, to a client that asked for it.
async fn hear<W: Future>(context: &RequestContext<RoleServer>, work: Work, begin: impl FnOnce(Work) -> W) -> W::Output {
    let Some(token) = context.meta.get_progress_token() else { return begin(work).await };
    let (work, mut notes) = heard(work);
    let send = async |note: Note| {
        let mut params = ProgressNotificationParam::new(token.clone(), note.done as f64).with_message("files");
        params.total = Some(note.total as f64);
        if let Err(problem) = context.peer.notify_progress(params).await {
            tracing::debug!(%problem, "progress was not sent");
        }
    };
    let mut running = std::pin::pin!(begin(work));
    let outcome = loop {
        tokio::select! {
            Some(note) = notes.recv() => send(note).await,
            outcome = &mut running => break outcome,
        }
    };
    while let Ok(note) = notes.try_recv() {
        send(note).await;
    }
    outcome
}

/// Refuses texts that nobody means: names, paths and addresses are short.
fn short<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<(), ErrorData> {
    let refused =
        || ErrorData::invalid_params(format!("A name, path or address has at most {MAX_LETTERS} bytes."), None);
    if texts.into_iter().any(|text| text.len() > MAX_LETTERS) { Err(refused()) } else { Ok(()) }
}

fn cursor_of(request: &Option<PaginatedRequestParams>) -> Option<&str> {
    request.as_ref().and_then(|request| request.cursor.as_deref())
}

fn describe_failure(name: &str, failure: tokio::task::JoinError) -> ToolError {
    let Ok(panic) = failure.try_into_panic() else {
        return ToolError::internal(format!("{name} was stopped because the server ends."));
    };
    tracing::error!(tool = name, panic = panic_text(panic.as_ref()), "a tool panicked");
    ToolError::internal(format!("{name} failed unexpectedly: {}", panic_text(panic.as_ref())))
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no reason given")
}
