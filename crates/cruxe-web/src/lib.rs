//! Pages for people: search, files, symbols, graphs, branches, the board, the state of the index.
//!
//! Every page asks what the tools ask, in this process, and shows the tools' own answers ([`ask`]); where a page shows more than an
//! answer has (coloured source, cards with their tags), it calls the functions below the tools. HTML is made here, whole or in parts:
//! a script of the page fetches a part by the page's own address with `part=…` and puts it in its place, so that there is one
//! rendering. [`gate`] decides who is let in, [`live`] tells pages what changed.
//!
//! Deliberately absent: logic that an answer does not have, words of its own for what an answer says, anything that listens on
//! a port or prints.

mod address;
mod ask;
mod assets;
mod code;
mod drawing;
mod gate;
mod layout;
mod live;
mod markdown;
mod pages;
mod params;
mod site;
mod visit;

pub use site::{Site, SiteOptions};
