//! JSON-RPC as clients speak it, whatever carries it: what a message says, what is refused and with which words, and how
//! an answer is written.
//!
//! A message is parsed once, from bytes to a JSON value. [`message`] tells requests, notifications and answers apart,
//! [`request`] makes of a request the type that rmcp has for it, by moving the value's parts, and [`tool_result`] brings a
//! tool's answer through rmcp without making values of its text.
//!
//! Deliberately absent: reading and writing of streams ([`stdio`](crate::stdio) and [`http`](crate::http)), and what the
//! methods do ([`server`](crate::server)).

mod message;
mod request;
mod tool_result;

pub(crate) use self::message::{ID_TAKEN, Message, Refusal, bare_answer, invalid, parse};
pub(crate) use self::request::{explain, to_notification, to_request};
pub(crate) use self::tool_result::{carry, write};
