//! The table.

use std::fmt::Write;

use crate::edits::EditFigures;
use crate::index_run::IndexFigures;
use crate::sample::Sample;
use crate::server::{ServerFigures, Warm};

/// Everything that was measured on one corpus.
pub struct Results {
    /// Its name.
    pub name: String,
    /// Indexing.
    pub index: IndexFigures,
    /// Edits.
    pub edits: Option<EditFigures>,
    /// Answers.
    pub answers: Option<ServerFigures>,
}

/// A measurement: what it is called, and how it reads for one corpus.
struct Row(String, Cell);

/// What a row says about one corpus; nothing where it was not measured.
type Cell = Box<dyn Fn(&Results) -> Option<String>>;

const BEGIN: &str = "<!-- cruxe-bench writes from here -->\n";
const END: &str = "<!-- cruxe-bench writes to here -->\n";

/// A file with the table in the place of an older one; in front of everything where there was none.
pub fn put(file: &str, table: &str) -> String {
    let marked = file.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) = marked.unwrap_or(("", file));
    format!("{before}{BEGIN}{table}{END}{after}")
}

/// The table, with what it is of.
pub fn markdown(machine: &str, runs: u32, results: &[Results]) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "`cargo run --release -p cruxe-bench -- --corpus DIR …` on {machine}.\n");
    let _ = writeln!(
        text,
        "Medians of up to {runs} runs with (smallest–largest). *Floor*: finding, reading and parsing the same files on \
         all cores, keeping nothing; it alternates with the index runs. A ratio is of two runs in a row. Processor time \
         depends less than the clock on what else the machine does.\n"
    );
    line(&mut text, "", results.iter().map(|result| result.name.clone()));
    line(&mut text, "---", results.iter().map(|_| "---:".to_owned()));
    for Row(name, cell) in rows(results) {
        let cells: Vec<Option<String>> = results.iter().map(cell).collect();
        if cells.iter().any(Option::is_some) {
            line(&mut text, &name, cells.into_iter().map(|cell| cell.unwrap_or_else(|| "–".to_owned())));
        }
    }
    text
}

fn line(text: &mut String, first: &str, cells: impl Iterator<Item = String>) {
    let _ = write!(text, "| {first} |");
    cells.for_each(|cell| {
        let _ = write!(text, " {cell} |");
    });
    text.push('\n');
}

fn rows(results: &[Results]) -> Vec<Row> {
    let mut rows = vec![
        index_row("files, MB of source, symbols", |index| {
            format!("{}, {:.1}, {}", index.files, index.source_bytes as f64 / 1e6, index.symbols)
        }),
        index_row("`cruxe index`, s", |index| seconds(&index.wall)),
        index_row("floor, s", |index| seconds(&index.floor_wall)),
        index_row("**index / floor** (goal ≤ 2.0)", |index| format!("**{}**", ratio(&index.ratio))),
        index_row("index / floor, processor time", |index| ratio(&index.cpu_ratio)),
        index_row("without embeddings: index / floor", |index| ratio(&index.plain_ratio)),
        index_row("without embeddings: processor time", |index| ratio(&index.plain_cpu_ratio)),
        index_row("index, processor time, s", |index| seconds(&index.cpu)),
        index_row("floor, processor time, s", |index| seconds(&index.floor_cpu)),
        index_row("universal-ctags, same files, one thread, s", |index| {
            index.ctags.as_ref().map_or("not installed".to_owned(), seconds)
        }),
        index_row("index / ctags", |index| match &index.ctags {
            Some(ctags) => format!("{:.2}", index.wall.median() / ctags.median()),
            None => "–".to_owned(),
        }),
        index_row("peak memory of the index run, MB", |index| format!("{:.0}", index.peak.max() / 1e6)),
        index_row("index on disk / source (goal ≤ 1.0)", |index| share(index.index_bytes, index.source_bytes)),
        index_row("the same without embeddings", |index| share(index.plain_bytes, index.source_bytes)),
    ];
    let counts: Vec<usize> = results
        .iter()
        .filter_map(|result| result.edits.as_ref())
        .take(1)
        .flat_map(|edits| edits.syncs.iter().map(|(count, _)| *count))
        .collect();
    for (at, count) in counts.into_iter().enumerate() {
        let name = format!("`cruxe sync` after {count} edited files, ms");
        rows.push(Row(
            name,
            Box::new(move |result| result.edits.as_ref()?.syncs.get(at).map(|(_, sync)| spread(sync))),
        ));
    }
    rows.push(Row(
        "edit visible to a client that asks, ms".to_owned(),
        Box::new(|result| result.edits.as_ref()?.visible.as_ref().map(spread)),
    ));
    rows.push(answer_row("server start → `initialize` answered, ms", |answers| spread(&answers.handshake)));
    rows.push(answer_row("server start → first `locate_symbol`, ms", |answers| spread(&answers.first_answer)));
    type Pick = fn(&ServerFigures) -> &Warm;
    let warm: [(&str, Pick); 2] =
        [("watching", |answers| &answers.watching), ("`--no-watch`", |answers| &answers.unwatched)];
    for (how, warm) in warm {
        rows.push(answer_row(&format!("`locate_symbol`, {how}: p50 / p95 / max, ms"), move |answers| {
            let figures = warm(answers);
            format!("{} (`{}`)", tail(&figures.locate), figures.slowest.replace('|', "\\|"))
        }));
        rows.push(answer_row(&format!("`get_file_outline`, {how}: p50 / p95 / max, ms"), move |answers| {
            tail(&warm(answers).outline)
        }));
        type Graph = fn(&Warm) -> &(Sample, String);
        let graph: [(&str, Graph); 3] = [
            ("`find_references`", |warm| &warm.references),
            ("`get_call_graph`, depth 1", |warm| &warm.calls),
            ("`get_call_graph`, depth 5", |warm| &warm.deep_calls),
        ];
        for (tool, pick) in graph {
            rows.push(answer_row(&format!("{tool}, {how}: p50 / p95 / max, ms"), move |answers| {
                let (sample, slowest) = pick(warm(answers));
                format!("{} (`{}`)", tail(sample), slowest.replace('|', "\\|"))
            }));
        }
    }
    rows
}

fn index_row(name: &str, cell: impl Fn(&IndexFigures) -> String + 'static) -> Row {
    Row(name.to_owned(), Box::new(move |result| Some(cell(&result.index))))
}

fn answer_row(name: &str, cell: impl Fn(&ServerFigures) -> String + 'static) -> Row {
    Row(name.to_owned(), Box::new(move |result| result.answers.as_ref().map(&cell)))
}

fn seconds(sample: &Sample) -> String {
    format!("{:.2} ({:.2}–{:.2})", sample.median(), sample.min(), sample.max())
}

fn share(bytes: u64, of: u64) -> String {
    format!("{:.2} ({:.1} MB)", bytes as f64 / of as f64, bytes as f64 / 1e6)
}

fn ratio(sample: &Sample) -> String {
    format!("{:.2} ({:.2}–{:.2}, {} runs)", sample.median(), sample.min(), sample.max(), sample.len())
}

fn spread(sample: &Sample) -> String {
    format!("{:.0} ({:.0}–{:.0})", sample.median() * 1e3, sample.min() * 1e3, sample.max() * 1e3)
}

fn tail(sample: &Sample) -> String {
    let figures = [sample.median(), sample.quantile(0.95), sample.max()];
    let [middle, most, all] = figures.map(|figure| format!("{:.1}", figure * 1e3));
    format!("{middle} / {most} / {all}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_table_takes_the_place_of_the_old_one_and_of_nothing_else() {
        let first = put("# By hand\n", "one\n");
        assert_eq!(first, format!("{BEGIN}one\n{END}# By hand\n"));
        assert_eq!(put(&format!("above\n{first}"), "two\n"), format!("above\n{BEGIN}two\n{END}# By hand\n"));
        assert_eq!(put("", "one\n"), format!("{BEGIN}one\n{END}"));
    }
}
