//! What is served, and to whom: [`tools`] is the set of tools and calling one, [`connection`] one client's session through
//! MCP, [`errors`] what a call ends with when it has no answer.
//!
//! Deliberately absent: transports, and what the single tools do.

mod connection;
mod errors;
mod tools;

pub use connection::Connection;
pub use errors::CallError;
pub use tools::{Ended, Observer, Server};
