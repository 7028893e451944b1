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
}

const STARTS: usize = 5;
const WARM_UP: usize = 30;

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
    Ok(figures)
}

fn timed(client: &mut Client, tool: &str, arguments: Value, sample: &mut Sample) -> Result<f64, BenchError> {
    let started = Instant::now();
    client.call(tool, arguments)?;
    let took = started.elapsed();
    sample.add_time(took);
    Ok(took.as_secs_f64())
}
