//! Requests and notifications in rmcp's types.
//!
//! rmcp reads a request as an untagged enum: it copies the message, tries one type after the other, and takes what fits
//! none for a method that it does not know. Here the method picks the type, so the parameters are moved into it, and
//! whoever sent ones that do not fit is told why.

use rmcp::model::{
    ClientNotification, ClientRequest, ErrorCode, ErrorData, Request, RequestMetaObject, RequestOptionalParam,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::schema::Object;

/// Reads a request in rmcp's types.
pub(crate) fn to_request(method: &str, params: Option<Object>) -> Result<ClientRequest, ErrorData> {
    use ClientRequest as Request;
    let read = match method {
        "initialize" => required(params).map(Request::InitializeRequest),
        "tools/call" => required(params).map(Request::CallToolRequest),
        "prompts/get" => required(params).map(Request::GetPromptRequest),
        "resources/read" => required(params).map(Request::ReadResourceRequest),
        "resources/subscribe" => required(params).map(Request::SubscribeRequest),
        "resources/unsubscribe" => required(params).map(Request::UnsubscribeRequest),
        "subscriptions/listen" => required(params).map(Request::SubscriptionsListenRequest),
        "completion/complete" => required(params).map(Request::CompleteRequest),
        "server/discover" => required(only_meta(params)).map(Request::DiscoverRequest).map_err(|_| ".".to_owned()),
        "tools/list" => optional(params).map(Request::ListToolsRequest),
        "prompts/list" => optional(params).map(Request::ListPromptsRequest),
        "resources/list" => optional(params).map(Request::ListResourcesRequest),
        "resources/templates/list" => optional(params).map(Request::ListResourceTemplatesRequest),
        // rmcp knows these and answers that nothing here has them.
        "logging/setLevel" => return required(params).map(Request::SetLevelRequest).map_err(|_| unknown(method)),
        "tasks/get" => return required(params).map(Request::GetTaskRequest).map_err(|_| unknown(method)),
        "tasks/update" => return required(params).map(Request::UpdateTaskRequest).map_err(|_| unknown(method)),
        "tasks/cancel" => return required(params).map(Request::CancelTaskRequest).map_err(|_| unknown(method)),
        _ => return Err(unknown(method)),
    };
    read.map_err(|problem| unfit(method, &problem))
}

/// Says why rmcp could not read a request: its parameters, or the method as a whole.
pub(crate) fn explain(method: &str, params: Option<Object>) -> ErrorData {
    to_request(method, params).err().unwrap_or_else(|| unfit(method, "."))
}

/// Reads a notification in rmcp's types.
pub(crate) fn to_notification(method: &str, params: Option<Object>) -> Option<ClientNotification> {
    serde_json::from_value(envelope(method, params)).ok()
}

fn envelope(method: &str, params: Option<Object>) -> Value {
    match params {
        Some(params) => json!({"method": method, "params": params}),
        None => json!({"method": method}),
    }
}

fn unfit(method: &str, problem: &str) -> ErrorData {
    ErrorData::invalid_params(format!("The parameters of {method} do not fit{problem}"), None)
}

fn unknown(method: &str) -> ErrorData {
    let shown: String = method.chars().take(80).collect();
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("Unknown method `{shown}`."), None)
}

/// A request that has parameters; the error ends the sentence "The parameters … do not fit".
fn required<M: Default, P: DeserializeOwned>(params: Option<Object>) -> Result<Request<M, P>, String> {
    let (is_given, mut params) = (params.is_some(), params.unwrap_or_default());
    let read = || {
        let meta = take_meta(&mut params)?;
        Ok((meta, serde_json::from_value(Value::Object(params))?))
    };
    let (meta, params) = read().map_err(|problem: serde_json::Error| format!(": {problem}"))?;
    if !is_given {
        return Err(": there are none".to_owned());
    }
    let mut request = Request::new(params);
    meta.map(|meta| request.extensions.insert(meta));
    Ok(request)
}

/// A request that may have parameters; like rmcp, it does without those that make no sense.
fn optional<M: Default, P: DeserializeOwned>(params: Option<Object>) -> Result<RequestOptionalParam<M, P>, String> {
    let mut request = RequestOptionalParam { method: M::default(), params: None, extensions: Default::default() };
    if let Some(mut params) = params {
        let meta = take_meta(&mut params).map_err(|_| ".".to_owned())?;
        meta.map(|meta| request.extensions.insert(meta));
        request.params = serde_json::from_value(Value::Object(params)).ok();
    }
    Ok(request)
}

/// The metadata alone, for a request that has no other parameters: like rmcp, it does without those that it was given.
fn only_meta(params: Option<Object>) -> Option<Object> {
    params.map(|mut params| {
        params.retain(|name, _| name == "_meta");
        params
    })
}

/// Takes the metadata out of parameters; rmcp keeps it apart from them.
fn take_meta(params: &mut Object) -> serde_json::Result<Option<RequestMetaObject>> {
    params.remove("_meta").map_or(Ok(None), serde_json::from_value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const METHODS: [&str; 18] = [
        "initialize",
        "server/discover",
        "tools/call",
        "tools/list",
        "prompts/get",
        "prompts/list",
        "resources/read",
        "resources/list",
        "resources/templates/list",
        "resources/subscribe",
        "resources/unsubscribe",
        "subscriptions/listen",
        "completion/complete",
        "logging/setLevel",
        "tasks/get",
        "tasks/update",
        "tasks/cancel",
        "no/such",
    ];

    /// Parameters that some of the methods take, each with a value that fits.
    fn fitting() -> Value {
        json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"},
            "name": "echo", "arguments": {"text": "x"}, "uri": "cruxe://x", "cursor": "c", "level": "info",
            "ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": "v"}, "taskId": "t",
            "notifications": {"resourcesListChanged": true}, "inputResponses": {},
            "_meta": {"progressToken": 1, "io.modelcontextprotocol/protocolVersion": "2026-07-28"},
        })
    }

    /// What rmcp makes of a request; `None` where it does not know it.
    fn by_rmcp(method: &str, params: Option<Object>) -> Option<Value> {
        match serde_json::from_value(envelope(method, params)) {
            Ok(ClientRequest::CustomRequest(_)) | Err(_) => None,
            Ok(request) => Some(serde_json::to_value(&request).unwrap()),
        }
    }

    fn ours(method: &str, params: Option<Object>) -> Option<Value> {
        to_request(method, params).ok().map(|request| serde_json::to_value(&request).unwrap())
    }

    #[test]
    fn every_method_is_read_as_rmcp_reads_it() {
        let all = fitting().as_object().cloned();
        for method in METHODS {
            assert_eq!(ours(method, all.clone()).is_some(), method != "no/such", "{method}");
            for params in [all.clone(), Some(Object::new()), None] {
                assert_eq!(ours(method, params.clone()), by_rmcp(method, params.clone()), "{method} {params:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn whatever_the_parameters_are_rmcp_would_read_the_same(
            method in prop::sample::select(&METHODS[..]),
            changes in prop::collection::vec(
                (0..20_usize, prop::sample::select(vec![json!(null), json!(5), json!("x"), json!({}), json!({"a": [1]}), json!([])])),
                0..4,
            ),
            keep in prop::collection::vec(any::<bool>(), 20),
        ) {
            let mut params = Object::new();
            for (at, (name, value)) in fitting().as_object().unwrap().iter().enumerate() {
                if keep[at] {
                    let changed = changes.iter().find(|(changed, _)| *changed == at);
                    params.insert(name.clone(), changed.map_or(value, |(_, value)| value).clone());
                }
            }
            prop_assert_eq!(ours(method, Some(params.clone())), by_rmcp(method, Some(params)));
        }
    }
}
