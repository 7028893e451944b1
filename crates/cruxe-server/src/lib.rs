//! Serves tools to coding agents.
//!
//! A tool is one file: input, output, a function ([`tool`]). A [`Server`] is a set of tools under a name; a
//! [`Connection`] is one client talking to it through MCP, over whichever transport. [`serve_stdio`] is the transport
//! that agents start as a child process, [`http`] the one that many share. [`workspaces`] says which code bases are
//! answered about. A [`Catalog`] adds what is no tool: resources, prompts, completions.
//!
//! Deliberately absent: SQL, ranking, parsing, and anything that prints.

pub mod across;
mod admission;
pub mod answers;
pub mod app;
pub mod arguments;
pub mod ask;
mod cards;
pub mod catalog;
mod complete;
pub mod contract;
pub mod doctor;
pub mod http;
pub mod limits;
pub mod metrics;
mod pages;
mod progress;
mod prompts;
mod quiet;
mod resources;
mod roots;
mod rpc;
pub mod schema;
pub mod scope;
pub mod server;
pub mod session;
pub mod stdio;
mod subscriptions;
pub mod tool;
pub mod tools;
pub mod toolsets;
pub mod uri;
pub mod workspaces;

pub use app::{App, Prewarm};
pub use catalog::Catalog;
pub use cruxe_model::Work;
pub use scope::{Refs, Scope};
pub use server::{CallError, Connection, Ended, Observer, Server};
pub use session::Session;
pub use stdio::{StdioError, serve_stdio, serve_stdio_within};
pub use tool::{Call, JsonAnswer, Tool, ToolAnswer, ToolSpec, typed};
pub use toolsets::{Toolset, Toolsets};
pub use workspaces::{Lost, Shelf, WorkspaceRules, Workspaces};
