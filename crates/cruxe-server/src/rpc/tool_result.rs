//! The way of a tool's answer through rmcp to a transport that writes messages itself.
//!
//! A tool's answer is JSON text already. rmcp's result wants a tree of values, and of a long answer making and writing
//! that tree would cost more than everything else. So [`carry`] puts the text into rmcp's result as it is, and [`write`],
//! at the other end, writes the message member by member, with the text in its places. Nothing is searched for: both ends
//! know rmcp's type.

use std::io;

use rmcp::RoleServer;
use rmcp::model::{CallToolResult, ContentBlock, JsonRpcResponse, Resource, ServerResult};
use rmcp::service::TxJsonRpcMessage;
use serde::Serialize;
use serde_json::{Value, to_writer};

use crate::tool::JsonAnswer;

/// The result of a call, in rmcp's type, for [`write`] and nobody else: its first content is the text as it stands in a
/// JSON string, and its structured content a string that holds the JSON.
pub(crate) fn carry(answer: JsonAnswer, link: Option<Resource>) -> CallToolResult {
    let (text, json) = answer.into_written();
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.content.extend(link.map(ContentBlock::resource_link));
    result.structured_content = Some(Value::String(json));
    result
}

/// Writes a message; the result of a call as if rmcp had been given values.
///
/// A structured content that is a string is one of [`carry`]: what tools answer and refuse are objects.
pub(crate) fn write(message: &TxJsonRpcMessage<RoleServer>) -> io::Result<Vec<u8>> {
    if let TxJsonRpcMessage::<RoleServer>::Response(response) = message
        && let ServerResult::CallToolResult(result) = &response.result
        && let Some(Value::String(json)) = &result.structured_content
        && let Some((ContentBlock::Text(text), others)) = result.content.split_first()
    {
        return write_carried(response, result, &text.text, others, json);
    }
    Ok(serde_json::to_vec(message)?)
}

fn write_carried(
    response: &JsonRpcResponse<ServerResult>,
    result: &CallToolResult,
    text: &str,
    others: &[ContentBlock],
    json: &str,
) -> io::Result<Vec<u8>> {
    let mut line = Vec::with_capacity(text.len() + json.len() + 256);
    line.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    to_writer(&mut line, &response.id)?;
    line.extend_from_slice(b",\"result\":{");
    if let Some(kind) = &result.result_type {
        line.extend_from_slice(b"\"resultType\":");
        to_writer(&mut line, kind)?;
        line.push(b',');
    }
    line.extend_from_slice(b"\"content\":[{\"type\":\"text\",\"text\":\"");
    line.extend_from_slice(text.as_bytes());
    line.extend_from_slice(b"\"}");
    for other in others {
        line.push(b',');
        to_writer(&mut line, other)?;
    }
    line.extend_from_slice(b"],\"structuredContent\":");
    line.extend_from_slice(json.as_bytes());
    write_member(&mut line, "isError", result.is_error.as_ref())?;
    write_member(&mut line, "_meta", result.meta.as_ref())?;
    line.extend_from_slice(b"}}");
    Ok(line)
}

fn write_member(line: &mut Vec<u8>, name: &str, value: Option<&impl Serialize>) -> io::Result<()> {
    if let Some(value) = value {
        line.extend([b",\"", name.as_bytes(), b"\":"].concat());
        to_writer(line, value)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rmcp::model::{MetaObject, RequestId};
    use serde_json::json;

    use super::*;

    /// A string that may break what is put together of pieces of text.
    fn nasty() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<String>(),
            r#"["\\/{}\[\],:a-z\n\t\u{0}-\u{1f}éü🦀\u{2028}]{0,40}"#,
            Just(String::new()),
            Just(r#""text":"""#.to_owned()),
            Just(r#"\"text\":\"\","structuredContent":{}}}"#.to_owned()),
        ]
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            nasty().prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((nasty(), inner), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    /// What rmcp writes of a result that holds values.
    fn plain(
        answer: &JsonAnswer,
        change: impl FnOnce(&mut CallToolResult),
        id: RequestId,
        link: Option<Resource>,
    ) -> String {
        let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text())]);
        result.content.extend(link.map(ContentBlock::resource_link));
        result.structured_content = Some(serde_json::from_str(answer.json()).unwrap());
        change(&mut result);
        serde_json::to_string(&TxJsonRpcMessage::<RoleServer>::response(ServerResult::CallToolResult(result), id))
            .unwrap()
    }

    fn carried(
        answer: JsonAnswer,
        change: impl FnOnce(&mut CallToolResult),
        id: RequestId,
        link: Option<Resource>,
    ) -> String {
        let mut result = carry(answer, link);
        change(&mut result);
        let message = TxJsonRpcMessage::<RoleServer>::response(ServerResult::CallToolResult(result), id);
        String::from_utf8(write(&message).unwrap()).unwrap()
    }

    proptest! {
        #[test]
        fn an_answer_is_written_as_rmcp_would_write_its_values(
            output in prop::collection::vec((nasty(), value()), 0..4),
            items in prop::collection::vec(value(), 0..4),
            is_array in any::<bool>(),
            id in prop_oneof![any::<i64>().prop_map(RequestId::Number), nasty().prop_map(|id| RequestId::String(id.into()))],
            link in prop::option::of(nasty()),
            is_legacy in any::<bool>(),
            meta in prop::option::of(nasty()),
        ) {
            let object = Value::Object(output.into_iter().collect());
            let answer = if is_array { JsonAnswer::array("items", &items, &object) } else { JsonAnswer::new(&object) }.unwrap();
            let link = link.map(|name| Resource::new("cruxe://x", name));
            let change = |result: &mut CallToolResult| {
                if is_legacy {
                    result.result_type = None;
                }
                let members = |meta: String| json!({"key": meta}).as_object().cloned().unwrap_or_default();
                result.meta = meta.clone().map(|meta| MetaObject(members(meta)));
            };
            let expected = plain(&answer, change, id.clone(), link.clone());
            prop_assert_eq!(carried(answer, change, id, link), expected);
        }
    }

    #[test]
    fn all_other_messages_are_written_by_rmcp() {
        let refused = CallToolResult::structured_error(json!({"error": {"code": "index_stale"}}));
        let refused =
            TxJsonRpcMessage::<RoleServer>::response(ServerResult::CallToolResult(refused), RequestId::Number(1));
        assert_eq!(write(&refused).unwrap(), serde_json::to_vec(&refused).unwrap());
        let empty = TxJsonRpcMessage::<RoleServer>::response(ServerResult::empty(()), RequestId::Number(1));
        assert_eq!(write(&empty).unwrap(), serde_json::to_vec(&empty).unwrap());
    }
}
