//! One client's connection through MCP: what rmcp asks of a server, answered from the tools and the catalog.
//!
//! Deliberately absent: how messages come and go ([`stdio`](crate::stdio), [`http`](crate::http)), and how a tool is called
//! ([`tools`](super::tools)).

use std::sync::Arc;
use std::time::Instant;

use axum::http::request::Parts;
use cruxe_model::Work;
use cruxe_model::config::AnswerForm;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult, ContentBlock,
    CustomRequest, CustomResult, ErrorCode as RpcCode, ErrorData, Extensions, GetPromptRequestParams,
    GetPromptResponse, Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerCapabilities,
    ServerConfig, SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::watch;

use super::errors::{CallError, describe_failure};
use super::tools::{Ended, QUESTION_TIME, Served, Server};
use crate::admission::Cost;
use crate::arguments::MAX_LETTERS;
use crate::catalog::Catalog;
use crate::pages::page;
use crate::progress::{CancelOnDrop, ProgressReport, reporting};
use crate::resources::link_of_first;
use crate::rpc;
use crate::schema::Object;
use crate::scope::Scope;
use crate::session::Session;
use crate::subscriptions::{self, MAX_FOLLOWED, Subscriber};
use crate::tool::{Call, JsonAnswer, ToolAnswer};
use crate::toolsets::Toolset;
use crate::uri::{Addresses, WORKSPACE};

/// One client's connection; rmcp drives it over whichever transport.
#[derive(Clone)]
pub struct Connection {
    /// What is served.
    pub server: Arc<Server>,
    /// What is remembered of this client.
    pub session: Arc<Session>,
    /// Whether the transport writes the results of calls itself, see [`Connection::with_carried_answers`].
    carries: bool,
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
        let mut capabilities = capabilities;
        if let Some(tools) = capabilities.tools.as_mut().filter(|_| self.server.follows_deck()) {
            tools.list_changed = Some(true);
        }
        let info = ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(&self.server.name, &self.server.version));
        if self.server.instructions.is_empty() { info } else { info.with_instructions(&self.server.instructions) }
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.hold_to_scope(&context.extensions)?;
        self.session.begin();
        self.expect_roots(&request.capabilities);
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if self.hold_to_scope(&context.extensions).is_err() {
            return;
        }
        if let (Some(catalog), Some(permit)) = (&self.server.catalog, self.session.notifier()) {
            let subscriber = Subscriber {
                catalog: Arc::clone(catalog),
                session: Arc::clone(&self.session),
                admission: Arc::clone(&self.server.admission),
                follows_deck: self.server.follows_deck(),
            };
            let notifying = subscriptions::notify_session(subscriber, context.peer.clone(), self.open.subscribe());
            tokio::spawn(async move {
                let _permit = permit;
                notifying.await;
            });
        }
        self.ask_for_roots(&context.peer).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        if self.hold_to_scope(&context.extensions).is_err() {
            return;
        }
        self.ask_for_roots(&context.peer).await;
    }

    /// rmcp takes what it cannot read for a method that it does not know.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let params = request.params.and_then(|params| params.as_object().cloned());
        Err(rpc::explain(&request.method, params))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.hold_to_scope(&context.extensions)?;
        let tools: Vec<(usize, &Arc<Served>)> = self.server.listed(&self.session).enumerate().collect();
        let page = page("tools/list", tools, |(at, _)| format!("{at:04}"), cursor_of(&request))?;
        let mut result = ListToolsResult::with_all_items(
            page.entries.iter().map(|(_, served)| served.listed(self.server.form)).collect(),
        );
        result.next_cursor = page.next;
        Ok(result)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.hold_to_scope(&context.extensions)?;
        let list = move |catalog: &Catalog, session: &Session, cancel: &Work| {
            catalog.list_resources(session, cursor_of(&request), cancel)
        };
        let page = self.consult(About::of("resources/list"), &context, list).await?;
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
        self.hold_to_scope(&context.extensions)?;
        short([request.uri.as_str()])?;
        let about = self.about_address("resources/read", &request.uri);
        let read = move |catalog: &Catalog, session: &Session, cancel: &Work| {
            catalog.read_resource(session, &request.uri, cancel)
        };
        Ok(ReadResourceResult::new(vec![self.consult(about, &context, read).await?]).into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.hold_to_scope(&context.extensions)?;
        short([request.uri.as_str()])?;
        let about = self.about_address("resources/subscribe", &request.uri);
        let follow = move |catalog: &Catalog, session: &Session, _: &Work| catalog.follow(session, &request.uri);
        self.consult(about, &context, follow).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.hold_to_scope(&context.extensions)?;
        self.catalog()?;
        self.session.followed().remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let catalog = self.server.catalog.as_ref()?;
        let mut accepted = SubscriptionFilter::new();
        accepted.resources_list_changed = requested.resources_list_changed;
        accepted.tools_list_changed = requested.tools_list_changed.filter(|_| self.server.follows_deck());
        let readable = |uri: &&String| catalog.address(uri).is_ok();
        accepted.resource_subscriptions = requested
            .resource_subscriptions
            .as_ref()
            .map(|uris| uris.iter().filter(readable).take(MAX_FOLLOWED).cloned().collect());
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.hold_to_scope(&context.request_context().extensions)?;
        let (catalog, session) = (Arc::clone(self.catalog()?), Arc::clone(&self.session));
        let Ok(_permit) = self.session.listeners().try_acquire() else {
            return Err(ErrorData::invalid_request(
                "There are as many subscriptions as a client may have. End one first.",
                None,
            ));
        };
        let (admission, follows_deck) = (Arc::clone(&self.server.admission), self.server.follows_deck());
        let subscriber = Subscriber { catalog, session, admission, follows_deck };
        subscriptions::notify_listener(subscriber, &context).await;
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
        self.hold_to_scope(&context.extensions)?;
        short(request.arguments.iter().flatten().filter_map(|(_, value)| value.as_str()))?;
        let said = |name: &str| request.arguments.as_ref()?.get(name)?.as_str().map(str::to_owned);
        let about = About { method: "prompts/get", workspace: said(WORKSPACE), ref_name: said("ref") };
        let write =
            move |catalog: &Catalog, session: &Session, cancel: &Work| catalog.get_prompt(session, request, cancel);
        Ok(self.consult(about, &context, write).await?.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.hold_to_scope(&context.extensions)?;
        let known = request.context.iter().flat_map(|context| context.arguments.iter().flatten());
        short(known.map(|(_, value)| value.as_str()).chain([request.argument.value.as_str()]))?;
        let said = |name: &str| request.context.as_ref()?.arguments.as_ref()?.get(name).cloned();
        let about = About { method: "completion/complete", workspace: said(WORKSPACE), ref_name: said("ref") };
        let complete =
            move |catalog: &Catalog, session: &Session, cancel: &Work| catalog.complete(session, &request, cancel);
        Ok(CompleteResult::new(self.consult(about, &context, complete).await?))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.hold_to_scope(&context.extensions)?;
        self.session.roots_settled().await;
        let arguments = request.arguments.unwrap_or_default();
        let linked = self.links(&arguments);
        let call = Call::new(arguments, Arc::clone(&self.session)).in_form(self.server.form);
        let outcome = tokio::select! {
            outcome = forward_progress(&context, call.work.clone(), |work| self.server.call(&request.name, call.with_work(work))) => outcome,
            // rmcp sends no answer to a cancelled request, whatever is returned.
            () = context.ct.cancelled() => return Err(ErrorData::internal_error("cancelled", None)),
        };
        match outcome {
            Ok(ToolAnswer::Text(text)) => {
                Ok(CallToolResult::success(vec![ContentBlock::text(text.to_string())]).into())
            }
            Ok(ToolAnswer::Json(answer)) => Ok(self.to_result(answer, linked)?.into()),
            // A model sees the text of a result; whether it sees that of a protocol error is its client's choice.
            Err(CallError::Tool(error) | CallError::Numeric(error)) if self.server.form == AnswerForm::Text => {
                Ok(CallToolResult::error(vec![ContentBlock::text(error.text().to_string())]).into())
            }
            Err(CallError::Tool(error)) => Ok(CallToolResult::structured_error(error.to_json()).into()),
            Err(other @ (CallError::UnknownTool(_) | CallError::Numeric(_))) => Err(other.to_rpc()),
        }
    }
}

impl Connection {
    /// The connection of a client that has just come.
    pub(super) fn new(server: Arc<Server>, session: Session) -> Connection {
        Connection { server, session: Arc::new(session), carries: false, open: watch::Sender::default() }
    }

    /// The same for a transport that writes messages with [`rpc::write`]: answers pass rmcp as the text that they are.
    pub(crate) fn with_carried_answers(self) -> Connection {
        Connection { carries: true, ..self }
    }

    /// Holds a request over HTTP to what its sender may see. A session belongs to who began it.
    fn hold_to_scope(&self, extensions: &Extensions) -> Result<(), ErrorData> {
        let scope = extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Scope>());
        match scope {
            Some(scope) if !self.session.admit_scope(scope) => {
                Err(ErrorData::invalid_request("The session belongs to another token. Begin a new one.", None))
            }
            _ => Ok(()),
        }
    }

    fn to_result(&self, answer: JsonAnswer, linked: Option<Linked>) -> Result<CallToolResult, ErrorData> {
        let read = |answer: &JsonAnswer| {
            serde_json::from_str::<Value>(answer.json())
                .map_err(|problem| ErrorData::internal_error(problem.to_string(), None))
        };
        let link = match linked {
            Some(linked) => link_of_first(&read(&answer)?, linked.repo.as_deref()),
            None => None,
        };
        if self.carries {
            return Ok(rpc::carry(answer, link));
        }
        let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text())]);
        result.content.extend(link.map(ContentBlock::resource_link));
        result.structured_content = Some(read(&answer)?);
        Ok(result)
    }

    fn catalog(&self) -> Result<&Arc<Catalog>, ErrorData> {
        let none = || ErrorData::new(RpcCode::METHOD_NOT_FOUND, "This server has tools only.", None);
        self.server.catalog.as_ref().ok_or_else(none)
    }

    /// What a request with an address is about.
    fn about_address(&self, method: &'static str, uri: &str) -> About {
        let address = self.server.catalog.as_ref().and_then(|catalog| catalog.address(uri).ok());
        let (workspace, ref_name) = address.map(|address| (address.repo, address.ref_name)).unwrap_or_default();
        About { method, workspace, ref_name }
    }

    /// Asks the catalog on a thread of its own; a client that cancels its request stops it. Whoever hears of calls hears of it.
    async fn consult<T: Send + 'static>(
        &self,
        about: About,
        context: &RequestContext<RoleServer>,
        ask: impl FnOnce(&Catalog, &Session, &Work) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let begun = Instant::now();
        let outcome = self.consult_unheard(context, ask).await;
        let word = match &outcome {
            Ok(_) => "ok",
            Err(error) if error.code == RpcCode::INTERNAL_ERROR => "internal_error",
            Err(error) if error.code == RpcCode::RESOURCE_NOT_FOUND => "not_found",
            Err(_) => "invalid_input",
        };
        self.server.note(&Ended {
            holder: self.session.scope().holder().map(str::to_owned),
            tool: about.method,
            workspace: about.workspace,
            ref_name: about.ref_name,
            outcome: word,
            took: begun.elapsed(),
        });
        outcome
    }

    async fn consult_unheard<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        ask: impl FnOnce(&Catalog, &Session, &Work) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let (catalog, session) = (Arc::clone(self.catalog()?), Arc::clone(&self.session));
        let work = Work::default();
        let guard = CancelOnDrop::new(work.clone());
        let asked = async {
            let slot = self.server.admission.admit(&self.session, Cost::Any).await;
            let begin = move |work: Work| {
                tokio::task::spawn_blocking(move || {
                    let _slot = slot;
                    ask(&catalog, &session, &work)
                })
            };
            forward_progress(context, work.until(Instant::now() + QUESTION_TIME), begin).await
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

    /// What the answer to a call links to, if it does. That costs some fifty tokens, so only answers with `detail_level: context`,
    /// which are long anyway, have a link, and one: to the best result.
    fn links(&self, arguments: &Object) -> Option<Linked> {
        let catalog = self.server.catalog.as_ref().filter(|catalog| catalog.serves(Toolset::Code))?;
        arguments.get("detail_level").and_then(Value::as_str).filter(|level| *level == "context")?;
        match (catalog.addresses(), arguments.get(WORKSPACE)) {
            (Addresses::OfOne, None) => Some(Linked { repo: None }),
            // Results of several say each whose they are.
            (Addresses::OfMany, Some(Value::String(name))) if name != "*" => Some(Linked { repo: Some(name.clone()) }),
            _ => None,
        }
    }
}

/// A link to the best result of an answer.
struct Linked {
    /// The repository of many that the answer is about.
    repo: Option<String>,
}

/// What a request that is no call of a tool is about.
struct About {
    method: &'static str,
    workspace: Option<String>,
    ref_name: Option<String>,
}

impl About {
    fn of(method: &'static str) -> About {
        About { method, workspace: None, ref_name: None }
    }
}

/// Waits for work and passes on what it reports, all of it before its outcome, to a client that asked for it.
async fn forward_progress<W: Future>(
    context: &RequestContext<RoleServer>,
    work: Work,
    begin: impl FnOnce(Work) -> W,
) -> W::Output {
    let Some(token) = context.meta.get_progress_token() else { return begin(work).await };
    let (work, mut reports) = reporting(work);
    let send = async |report: ProgressReport| {
        let mut params = ProgressNotificationParam::new(token.clone(), report.done as f64).with_message("files");
        params.total = Some(report.total as f64);
        if let Err(problem) = context.peer.notify_progress(params).await {
            tracing::debug!(%problem, "progress was not sent");
        }
    };
    let mut running = std::pin::pin!(begin(work));
    let outcome = loop {
        tokio::select! {
            Some(report) = reports.recv() => send(report).await,
            outcome = &mut running => break outcome,
        }
    };
    while let Ok(report) = reports.try_recv() {
        send(report).await;
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
