//! The fixtures of MCP's conformance suite on our HTTP stack; `scripts/check-protocol.sh` runs the suite against it.
//!
//! What the suite checks is the transport, which is the shipped one; the fixtures are the tools, prompts and resources
//! that it asks for by name, written as the JSON that it expects.
#![allow(clippy::print_stdout, reason = "the script reads the address")]
#![expect(deprecated, reason = "earlier revisions have logging and subscriptions, and the suite asks for them")]

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use cruxe_model::config::HttpConfig;
use cruxe_server::Server;
use cruxe_server::http::{AccessPolicy, Backend, HttpOptions, listen, serve_http};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, CompleteRequestParams, CompleteResult,
    ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult, InputRequiredResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerConfig, ServerNotification,
    ServerRequest, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A red dot.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
/// No sound.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
/// A state that a client cannot make up.
const STATE: &str = "cruxe-conformance-2f6c1d";

type Context = RequestContext<RoleServer>;

struct Fixtures;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bind = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let access = AccessPolicy::new(bind, None, &[], &[])?;
    let listener = listen(bind, 0, &access).await?;
    println!("listening on http://{}/mcp", listener.local_addr()?);
    let server = Arc::new(Server::new("fixtures", "1", "", Vec::new()));
    let backend = Backend { server, connect: Box::new(|| Fixtures), app: None };
    let options = HttpOptions { access: Arc::new(access), tls: None, limits: HttpConfig::default(), pages: None };
    serve_http(listener, backend, options, std::future::pending()).await;
    Ok(())
}

/// Makes one of rmcp's types of JSON.
fn made<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(|problem| ErrorData::internal_error(problem.to_string(), None))
}

/// Makes a result that is all there is; the newest revision wants that said.
fn whole<T: DeserializeOwned>(mut value: Value) -> Result<T, ErrorData> {
    value["resultType"] = json!("complete");
    made(value)
}

fn text(text: impl Into<String>) -> Value {
    json!({"content": [{"type": "text", "text": text.into()}]})
}

fn elicit(message: &str, name: &str, kind: &str) -> Value {
    let schema = json!({"type": "object", "properties": {name: {"type": kind}}, "required": [name]});
    json!({"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}})
}

fn sample(prompt: &str) -> Value {
    let message = json!({"role": "user", "content": {"type": "text", "text": prompt}});
    json!({"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 100}})
}

/// Sends a request to the client in the middle of one of its own, as the earlier revisions have it.
async fn ask(context: &Context, request: Value) -> Result<Value, ErrorData> {
    let request: ServerRequest = made(request)?;
    let answer = context.peer.send_request(request).await;
    let answer = answer.map_err(|problem| ErrorData::internal_error(problem.to_string(), None))?;
    serde_json::to_value(answer).map_err(|problem| ErrorData::internal_error(problem.to_string(), None))
}

async fn notify(context: &Context, notification: Value) -> Result<(), ErrorData> {
    let notification: ServerNotification = made(notification)?;
    let sent = context.peer.send_notification(notification).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    sent.map_err(|problem| ErrorData::internal_error(problem.to_string(), None))
}

/// The question of a round of a tool that needs input, or its result.
enum Round {
    Ask(Value),
    Done(String),
}

/// The tools that answer a call with questions, in the newest revision.
fn round(request: &CallToolRequestParams, context: &Context) -> Option<Result<Round, ErrorData>> {
    let given = request.input_responses.clone().unwrap_or_default();
    let has = |key: &str| given.get(key).filter(|value| value.is_object());
    let state = request.request_state.as_deref();
    let named = |key: &str| has(key).and_then(|value| value["content"]["name"].as_str());
    let ask = |requests: Value, state: Option<&str>| {
        let mut asked = json!({"resultType": "input_required", "inputRequests": requests});
        if let Some(state) = state {
            asked["requestState"] = json!(state);
        }
        Ok(Round::Ask(asked))
    };
    let done = |text: String| Ok(Round::Done(text));
    let name = elicit("What is your name?", "name", "string");
    let confirm = || json!({"confirm": elicit("Please confirm", "ok", "boolean")});
    Some(match request.name.strip_prefix("test_input_required_result_")? {
        "elicitation" => match named("user_name") {
            Some(name) => done(format!("Hello, {name}!")),
            None => ask(json!({"user_name": name}), None),
        },
        "sampling" => match has("capital_question") {
            Some(answer) => done(answer["content"]["text"].as_str().unwrap_or_default().to_owned()),
            None => ask(json!({"capital_question": sample("What is the capital of France?")}), None),
        },
        "list_roots" => match has("client_roots") {
            Some(answer) => done(answer["roots"].to_string()),
            None => ask(json!({"client_roots": {"method": "roots/list", "params": {}}}), None),
        },
        "request_state" | "tampered_state" => match state {
            Some(STATE) if has("confirm").is_some() => done("state-ok".to_owned()),
            Some(STATE) | None => ask(confirm(), Some(STATE)),
            Some(_) => Err(ErrorData::invalid_params("requestState was changed on its way.", None)),
        },
        "multiple_inputs" if ["user_name", "greeting", "client_roots"].iter().all(|key| has(key).is_some()) => {
            done("Everything is there.".to_owned())
        }
        "multiple_inputs" => {
            let roots = json!({"method": "roots/list", "params": {}});
            ask(
                json!({"user_name": name, "greeting": sample("Generate a greeting"), "client_roots": roots}),
                Some(STATE),
            )
        }
        "multi_round" => match (has("step1"), has("step2"), state) {
            (_, Some(_), Some("round-2")) => done("Three rounds.".to_owned()),
            (Some(_), _, Some("round-1")) => ask(
                json!({"step2": elicit("Step 2: What is your favorite color?", "color", "string")}),
                Some("round-2"),
            ),
            _ => ask(json!({"step1": elicit("Step 1: What is your name?", "name", "string")}), Some("round-1")),
        },
        "capabilities" => {
            let can = context.client_capabilities().unwrap_or_default();
            let mut requests = json!({});
            if can.elicitation.is_some() {
                requests["user_name"] = name;
            }
            if can.sampling.is_some() {
                requests["greeting"] = sample("Generate a greeting");
            }
            ask(requests, None)
        }
        _ => return None,
    })
}

const ELICITATION_DEFAULTS: &str = r#"{"method": "elicitation/create", "params": {"message": "Defaults",
    "requestedSchema": {"type": "object", "properties": {
        "name": {"type": "string", "default": "John Doe"}, "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5}, "verified": {"type": "boolean", "default": true},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"}}}}}"#;

const ELICITATION_ENUMS: &str = r#"{"method": "elicitation/create", "params": {"message": "Enums",
    "requestedSchema": {"type": "object", "properties": {
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"},
            {"const": "value2", "title": "Second Option"}, {"const": "value3", "title": "Third Option"}]},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
        "titledMulti": {"type": "array", "items": {"anyOf": [{"const": "value1", "title": "First Choice"},
            {"const": "value2", "title": "Second Choice"}, {"const": "value3", "title": "Third Choice"}]}}}}}}"#;

/// The result of a tool that answers at once or asks the client on the way.
async fn call(request: &CallToolRequestParams, context: &Context) -> Result<Value, ErrorData> {
    let argument = |name: &str| request.arguments.as_ref().and_then(|all| all.get(name)).cloned().unwrap_or_default();
    let image = json!({"type": "image", "data": PNG, "mimeType": "image/png"});
    let resource = |uri: &str, kind: &str, text: &str| json!({"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": text}});
    let elicited = async |request: &str, words: &str| {
        let answer = ask(context, serde_json::from_str(request).unwrap_or_default()).await?;
        Ok(text(format!("{words}: action={}, content={}", answer["action"], answer["content"])))
    };
    Ok(match &*request.name {
        "test_simple_text" => text("This is a simple text response for testing."),
        "test_image_content" => json!({"content": [image]}),
        "test_audio_content" => json!({"content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]}),
        "test_embedded_resource" => {
            json!({"content": [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")]})
        }
        "test_multiple_content_types" => {
            let mixed = resource("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#);
            json!({"content": [{"type": "text", "text": "Multiple content types test:"}, image, mixed]})
        }
        "test_error_handling" => {
            let mut result = text("This tool intentionally returns an error for testing");
            result["isError"] = json!(true);
            result
        }
        "test_tool_with_logging" => {
            for word in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                let params = json!({"level": "info", "data": word});
                notify(context, json!({"method": "notifications/message", "params": params})).await?;
            }
            text("Logged.")
        }
        "test_tool_with_progress" => {
            if let Some(token) = context.meta.get_progress_token() {
                for progress in [0, 50, 100] {
                    let params = json!({"progressToken": token, "progress": progress, "total": 100});
                    notify(context, json!({"method": "notifications/progress", "params": params})).await?;
                }
            }
            text("Done.")
        }
        "test_sampling" => {
            let answer = ask(context, sample(argument("prompt").as_str().unwrap_or_default())).await?;
            text(format!("LLM response: {}", answer["content"]["text"].as_str().unwrap_or_default()))
        }
        "test_elicitation" => {
            let mut question = elicit(argument("message").as_str().unwrap_or_default(), "username", "string");
            let schema = &mut question["params"]["requestedSchema"];
            schema["properties"]["email"] = json!({"type": "string"});
            schema["required"] = json!(["username", "email"]);
            elicited(&question.to_string(), "User response").await?
        }
        "test_elicitation_sep1034_defaults" => elicited(ELICITATION_DEFAULTS, "Elicitation completed").await?,
        "test_elicitation_sep1330_enums" => elicited(ELICITATION_ENUMS, "Elicitation completed").await?,
        "test_missing_capability" => {
            let can = context.client_capabilities().unwrap_or_default();
            if can.sampling.is_none() {
                let needed: ClientCapabilities = made(json!({"sampling": {}}))?;
                return Err(ErrorData::missing_required_client_capability(needed));
            }
            text("The client can sample.")
        }
        // No log was asked for, and in the newest revision a stream carries no requests.
        "test_streaming_elicitation" | "test_logging_tool" => text("Quiet."),
        other => return Err(ErrorData::invalid_params(format!("Unknown tool `{other}`."), None)),
    })
}

const TOOLS: &[&str] = &[
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
    "test_tool_with_logging",
    "test_tool_with_progress",
    "test_sampling",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_logging_tool",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_capabilities",
];

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        let described = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {
                "tools": {}, "prompts": {}, "resources": {"subscribe": true}, "completions": {}, "logging": {},
            },
            "serverInfo": {"name": "cruxe-conformance", "version": env!("CARGO_PKG_VERSION")},
        });
        serde_json::from_value(described).unwrap_or_default()
    }

    async fn list_tools(&self, _: Option<PaginatedRequestParams>, _: Context) -> Result<ListToolsResult, ErrorData> {
        let schema = json!({"type": "object"});
        let tools: Vec<Value> = TOOLS
            .iter()
            .map(|name| json!({"name": name, "description": "A fixture.", "inputSchema": schema}))
            .collect();
        whole(json!({"tools": tools}))
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Result<CallToolResponse, ErrorData> {
        Ok(match round(&request, &context).transpose()? {
            Some(Round::Ask(asked)) => made::<InputRequiredResult>(asked)?.into(),
            Some(Round::Done(words)) => whole::<CallToolResult>(text(words))?.into(),
            None => whole::<CallToolResult>(call(&request, &context).await?)?.into(),
        })
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let argument = |name: &str| json!({"name": name, "required": true});
        whole(json!({"prompts": [
            {"name": "test_simple_prompt", "description": "A fixture."},
            {"name": "test_prompt_with_arguments", "description": "A fixture.", "arguments": [argument("arg1"), argument("arg2")]},
            {"name": "test_prompt_with_embedded_resource", "description": "A fixture.", "arguments": [argument("resourceUri")]},
            {"name": "test_prompt_with_image", "description": "A fixture."},
            {"name": "test_input_required_result_prompt", "description": "A fixture."},
        ]}))
    }

    async fn get_prompt(&self, request: GetPromptRequestParams, _: Context) -> Result<GetPromptResponse, ErrorData> {
        let argument = |name: &str| {
            let value = request.arguments.as_ref().and_then(|all| all.get(name));
            serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
        };
        let user = |content: Value| json!({"role": "user", "content": content});
        let words = |text: String| user(json!({"type": "text", "text": text}));
        let messages = match &*request.name {
            "test_simple_prompt" => vec![words("This is a simple prompt for testing.".to_owned())],
            "test_prompt_with_arguments" => {
                vec![words(format!("Prompt with arguments: arg1='{}', arg2='{}'", argument("arg1"), argument("arg2")))]
            }
            "test_prompt_with_embedded_resource" => {
                let resource = json!({"uri": argument("resourceUri"), "mimeType": "text/plain",
                    "text": "Embedded resource content for testing."});
                let after = words("Please process the embedded resource above.".to_owned());
                vec![user(json!({"type": "resource", "resource": resource})), after]
            }
            "test_prompt_with_image" => {
                let image = user(json!({"type": "image", "data": PNG, "mimeType": "image/png"}));
                vec![image, words("Please analyze the image above.".to_owned())]
            }
            "test_input_required_result_prompt" => {
                let given = request.input_responses.as_ref().and_then(|given| given.get("user_context"));
                let Some(given) = given else {
                    let asked =
                        json!({"user_context": elicit("What context should the prompt use?", "context", "string")});
                    let asked = json!({"resultType": "input_required", "inputRequests": asked});
                    return Ok(GetPromptResponse::InputRequired(made(asked)?));
                };
                vec![words(format!("Context: {}", given["content"]["context"]))]
            }
            other => return Err(ErrorData::invalid_params(format!("Unknown prompt `{other}`."), None)),
        };
        Ok(whole::<GetPromptResult>(json!({"messages": messages}))?.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        whole(json!({"resources": [
            {"uri": "test://static-text", "name": "text", "description": "A fixture.", "mimeType": "text/plain"},
            {"uri": "test://static-binary", "name": "binary", "description": "A fixture.", "mimeType": "image/png"},
            {"uri": "test://watched-resource", "name": "watched", "description": "A fixture.", "mimeType": "text/plain"},
        ]}))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template =
            json!({"uriTemplate": "test://template/{id}/data", "name": "data", "mimeType": "application/json"});
        whole(json!({"resourceTemplates": [template]}))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.as_str();
        let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
        let content = match (uri, id) {
            ("test://static-text", _) => {
                json!({"uri": uri, "mimeType": "text/plain", "text": "This is the content of the static text resource."})
            }
            ("test://static-binary", _) => json!({"uri": uri, "mimeType": "image/png", "blob": PNG}),
            ("test://watched-resource", _) => json!({"uri": uri, "mimeType": "text/plain", "text": "Watched."}),
            (_, Some(id)) => {
                let data = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
                json!({"uri": uri, "mimeType": "application/json", "text": data.to_string()})
            }
            _ => return Err(ErrorData::resource_not_found("There is no such resource.", Some(json!({"uri": uri})))),
        };
        Ok(whole::<ReadResourceResult>(json!({"contents": [content]}))?.into())
    }

    async fn complete(&self, request: CompleteRequestParams, _: Context) -> Result<CompleteResult, ErrorData> {
        let begun = request.argument.value;
        let values: Vec<&str> =
            ["paris", "park", "party"].into_iter().filter(|word| word.starts_with(&begun)).collect();
        whole(json!({"completion": {"values": values, "total": values.len(), "hasMore": false}}))
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }
}
