//! How fast a server answers.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use crate::BenchError;
use crate::client::Client;
use crate::corpus::Corpus;
use crate::questions::Questions;
use crate::sample::Sample;

/// Figures of servers, in seconds.
pub struct ServerFigures {
    /// From the start of the process to the answer to `initialize`.
    pub handshake: Sample,
    /// From the start of the process to the first answer of `locate_symbol`.
    pub first_answer: Sample,
    /// Warm answers of a server that follows edits.
    pub watching: Warm,
    /// Warm answers of a server that does not.
    pub unwatched: Warm,
}

/// Warm answers, in seconds.
#[derive(Default)]
pub struct Warm {
    /// Of `locate_symbol`.
    pub locate: Sample,
    /// Of `get_file_outline`.
    pub outline: Sample,
    /// The name that took longest.
    pub slowest: String,
    /// Of `find_references`, with the name that took longest.
    pub references: (Sample, String),
    /// Of `get_call_graph` at depth 1.
    pub calls: (Sample, String),
    /// Of `get_call_graph` at depth 5.
    pub deep_calls: (Sample, String),
}

const STARTS: usize = 5;
const WARM_UP: usize = 30;
/// Names whose references and calls are asked for, the commonest first.
const GRAPH_QUESTIONS: usize = 200;

/// Asks servers about the index in `home`.
pub fn measure(cruxe: &Path, corpus: &Corpus, home: &Path, questions: &Questions) -> Result<ServerFigures, BenchError> {
    let (mut handshake, mut first_answer) = (Sample::default(), Sample::default());
    for _ in 0..STARTS {
        let started = Instant::now();
        let (mut client, took) = Client::start(cruxe, &corpus.root, home, true)?;
        client.call("locate_symbol", json!({"name": questions.names[0]}))?;
        first_answer.add_time(started.elapsed());
        handshake.add_time(took);
    }
    let watching = warm(cruxe, corpus, home, questions, true)?;
    let unwatched = warm(cruxe, corpus, home, questions, false)?;
    Ok(ServerFigures { handshake, first_answer, watching, unwatched })
}

fn warm(cruxe: &Path, corpus: &Corpus, home: &Path, questions: &Questions, watch: bool) -> Result<Warm, BenchError> {
    let (mut client, _) = Client::start(cruxe, &corpus.root, home, watch)?;
    for (name, file) in questions.names.iter().zip(&questions.files).take(WARM_UP) {
        client.call("locate_symbol", json!({"name": name}))?;
        client.call("get_file_outline", json!({"path": file}))?;
    }
    let mut figures = Warm::default();
    for (name, file) in questions.names.iter().zip(&questions.files) {
        let slowest = figures.locate.max();
        let took = timed(&mut client, "locate_symbol", json!({"name": name}), &mut figures.locate)?;
        if took > slowest {
            figures.slowest.clone_from(name);
        }
        timed(&mut client, "get_file_outline", json!({"path": file}), &mut figures.outline)?;
    }
    // References are asked for last and the first round is not counted: files that were read stay in memory.
    let mut graph =
        |arguments: fn(&str) -> Value, tool: &str, counted: usize| -> Result<(Sample, String), BenchError> {
            let mut figures = (Sample::default(), String::new());
            for round in 0..2 {
                for name in questions.names.iter().take(counted) {
                    let slowest = figures.0.max();
                    let mut scrap = Sample::default();
                    let sample = if round == 0 { &mut scrap } else { &mut figures.0 };
                    let took = timed(&mut client, tool, arguments(name), sample)?;
                    if round > 0 && took > slowest {
                        figures.1.clone_from(name);
                    }
                }
            }
            Ok(figures)
        };
    figures.references = graph(|name| json!({"symbol_name": name}), "find_references", GRAPH_QUESTIONS)?;
    figures.calls = graph(|name| json!({"symbol_name": name}), "get_call_graph", GRAPH_QUESTIONS)?;
    figures.deep_calls = graph(|name| json!({"symbol_name": name, "depth": 5}), "get_call_graph", GRAPH_QUESTIONS)?;
    Ok(figures)
}

fn timed(client: &mut Client, tool: &str, arguments: Value, sample: &mut Sample) -> Result<f64, BenchError> {
    let started = Instant::now();
    client.call(tool, arguments)?;
    let took = started.elapsed();
    sample.add_time(took);
    Ok(took.as_secs_f64())
}
