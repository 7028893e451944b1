//! What the code does about something: asked in words, by name, by path or by an error message.
//!
//! [`query`] takes the question apart, [`lexical`] and [`semantic`] weigh every chunk, [`rank`] makes one score per
//! file, and [`select`] turns the best files into results: the symbol around the best chunk, or the chunk itself.
//! Files are ranked rather than chunks because what a question is about is rarely said in one place: a file whose name,
//! definitions and several functions speak of it is the better answer than one with a lucky line.

pub mod among;
pub mod context;
pub mod explain;
mod files;
pub mod followup;
mod intent;
mod irregular;
mod lexical;
mod message;
mod paths;
mod pattern;
mod phrase;
mod query;
mod quoted;
pub mod rank;
mod reasons;
mod report;
mod rerank;
mod roots;
#[cfg(test)]
mod sample_tests;
mod select;
mod semantic;
pub(crate) mod stats;
mod typos;

use std::sync::Arc;

use cruxe_embed::minilm::MiniLm;
use cruxe_index::{Standing, View};
use cruxe_model::facts::SymbolIndex;
use cruxe_store::{Corpus, FileNumber, FileRow, RefSnapshot, SymbolTable};

use crate::code;
use crate::error::QueryError;
use crate::filter::Filter;
use crate::locate::{self, Definition};
use crate::unparsed::Hidden;
use crate::unread::Unread;
use among::Among;
use files::Ranked;
use lexical::Postings;
use query::Query;
use rank::{Best, Features, Score, Weights};
use stats::{CorpusStats, STATS};

pub use intent::Intent;
pub(crate) use phrase::innermost;
pub(crate) use quoted::{as_indexed, inner_words};
pub use rank::factors::Factors;
pub use rank::paths::PathFit;
pub use reasons::{Meaning, NamedReason, PartReasons, PathReason, QualifiedReason, Reasons, SecondLook, TextReason};
pub use semantic::LexicalOnly;

/// What to look for.
#[derive(Clone)]
pub struct Question {
    /// The query, in whatever form.
    pub query: String,
    /// Only this language.
    pub language: Option<String>,
    /// Only such places.
    pub filter: Filter,
    /// At most so many results.
    pub limit: usize,
    /// The part of text relevance that is by meaning, 0 to 1; what measures best when left out.
    pub semantic_ratio: Option<f32>,
    /// The transformer that looks at the best results of a question in words once more, where there is one.
    pub transformer: Option<Arc<MiniLm>>,
    /// What is counted over several repositories, where the question is about this one among them.
    pub among: Option<Arc<Among>>,
}

impl Question {
    /// A query and nothing else.
    pub fn new(query: impl Into<String>, limit: usize) -> Question {
        let (query, filter) = (query.into(), Filter::default());
        Question { query, language: None, filter, limit, semantic_ratio: None, transformer: None, among: None }
    }

    fn is_in_language(&self, file: &FileRow) -> bool {
        self.language.as_ref().is_none_or(|language| file.language.eq_ignore_ascii_case(language))
    }
}

/// What was found.
pub struct SearchAnswer {
    /// What the query asks for.
    pub intent: Intent,
    /// The best ones, best first.
    pub found: Vec<SearchHit>,
    /// How many places of the ref have something to do with the query.
    pub total: usize,
    /// Whether there are more results than were asked for.
    pub truncated: bool,
    /// How current and complete it is.
    pub standing: Standing,
    /// What there is to say about the search.
    pub remarks: Remarks,
    /// What the features of results are parts of, where they are ranked by words.
    pub(crate) best: Option<Best>,
}

/// What there is to say about a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remarks {
    /// What the reader should know.
    pub notices: Vec<Notice>,
    /// What nearness in meaning was measured with, where ranking was by text; `none` for words alone.
    pub embedding_model: Option<String>,
    /// Whether the time was over before everything was looked at.
    pub late: bool,
    /// Files that were not looked at because they changed since they were indexed.
    pub unread: usize,
    /// Files with words of the query that the filter leaves out.
    pub filtered_out: usize,
}

/// What the reader of a search's answer should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Of a query that is too long, the first and the last `used` bytes were used.
    LongQuery {
        /// How long it is.
        bytes: usize,
        /// How much of each end was used.
        used: usize,
    },
    /// Of what was pasted and is too long, the ends were read and what tells of a failure between them.
    LongReport {
        /// How long it is.
        bytes: usize,
        /// How much was read, at most.
        used: usize,
    },
    /// Of too many quoted phrases, the first were looked for.
    ManyPhrases {
        /// How many there are.
        given: usize,
        /// How many were looked for.
        used: usize,
    },
    /// Of a phrase that is too long, the beginning was looked for.
    LongPhrase {
        /// How many bytes were.
        used: usize,
    },
    /// Nothing has a word, and a similar one was searched for.
    Mended {
        /// The word.
        word: String,
        /// What was searched for.
        similar: String,
    },
    /// The query is a name, and it or a part of it stands nowhere in the ref.
    NoSuchName(String),
    /// The query is a name that stands in code that could not be parsed: what is defined there is not found.
    Unparsed(Hidden),
    /// The query is a name that only texts which are not indexed have.
    Unread(Unread),
    /// The query is a path and no file has it; its words were searched for.
    NoSuchPath,
    /// No text has what was quoted, or what looks like a message; ranked by its words.
    NoSuchText {
        /// Whether it was quoted.
        quoted: bool,
    },
    /// Ranked by words alone.
    LexicalOnly(LexicalOnly),
}

/// A result.
#[derive(Clone)]
pub struct SearchHit {
    /// The file.
    pub file: FileRow,
    /// The symbols of the file.
    pub table: Arc<SymbolTable>,
    /// What in the file.
    pub target: Target,
    /// First and last line.
    pub lines: (u32, u32),
    /// Where in it the query matches best, and what stands there.
    pub line: Option<(u32, String)>,
    /// Why it ranks where it does.
    pub score: Score,
    /// The score as a part of the best possible one, 0 to 1.
    pub confidence: f64,
    /// The raw BM25 figure of the best chunk.
    pub bm25: f32,
    /// What the score comes from.
    pub reasons: Reasons,
    /// How its file stands in each feature, where it was ranked by them.
    pub(crate) features: Option<Features>,
}

/// What a result points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A symbol.
    Symbol(SymbolIndex),
    /// Lines, and the symbol around them where there is one.
    Snippet(Option<SymbolIndex>),
    /// The whole file.
    File,
}

/// The sort of thing that a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultType {
    /// A symbol.
    Symbol,
    /// Lines.
    Snippet,
    /// A whole file.
    File,
}

impl Target {
    /// The sort of thing it points at.
    pub fn result_type(self) -> ResultType {
        match self {
            Target::Symbol(_) => ResultType::Symbol,
            Target::Snippet(_) => ResultType::Snippet,
            Target::File => ResultType::File,
        }
    }

    /// The symbol that it is or is in.
    pub fn symbol(self) -> Option<SymbolIndex> {
        match self {
            Target::Symbol(at) => Some(at),
            Target::Snippet(around) => around,
            Target::File => None,
        }
    }
}

/// Everything that a search looks at.
struct Search<'a> {
    view: &'a View<'a>,
    snapshot: &'a RefSnapshot,
    corpus: Arc<Corpus>,
    stats: Arc<CorpusStats>,
    query: Query,
    question: &'a Question,
    wanted: Vec<bool>,
    postings: Postings,
}

/// The words of a query that tell something, in lower case and by their stems: what a reader of a result looks for.
pub fn telling_words(query: &str) -> Vec<String> {
    Query::parse(query).words
}

/// What a query asks for.
pub fn intent(query: &str) -> Intent {
    Query::parse(query).intent
}

/// Reads what every search of a ref needs and keeps, ahead of the first one.
pub fn read_ahead(view: &View) -> Result<(), QueryError> {
    let query = Query::parse("where does it begin");
    let Some(snapshot) = &view.published else { return Ok(()) };
    Search::new(view, snapshot, &Question::new(query.text.clone(), 1), query).map(drop)
}

/// Finds what a query asks for.
pub fn search(view: &View, question: &Question) -> Result<SearchAnswer, QueryError> {
    search_with(view, question, &|intent| Weights::of(intent, question.semantic_ratio))
}

/// The same with other weights, to measure what each is worth.
pub fn search_with(
    view: &View,
    question: &Question,
    weights: &dyn Fn(Intent) -> Weights,
) -> Result<SearchAnswer, QueryError> {
    let query = Query::parse(&question.query);
    let intent = query.intent;
    let weights = weights(intent);
    let Some(snapshot) = &view.published else {
        let (standing, remarks) = (view.standing.clone(), Remarks::default());
        return Ok(SearchAnswer {
            intent,
            found: Vec::new(),
            total: 0,
            truncated: false,
            standing,
            remarks,
            best: None,
        });
    };
    let mut search = Search::new(view, snapshot, question, query)?;
    let mut remarks = Remarks { notices: std::mem::take(&mut search.query.left_out), ..Remarks::default() };
    if let Some(report) = search.query.report.take() {
        return search.by_report(&report, remarks);
    }
    search.note_unknown_name(&mut remarks)?;
    search.note_hidden_name(&mut remarks)?;
    search.mend_typos(&mut remarks)?;
    if intent == Intent::Path {
        let answer = search.by_path(remarks.clone())?;
        if !answer.found.is_empty() {
            return Ok(answer);
        }
        remarks.notices.push(Notice::NoSuchPath);
    }
    view.work.check()?;
    let ranked = search.rank(&weights)?;
    view.work.check()?;
    semantic::note(&mut remarks, ranked.lexical_only);
    remarks.filtered_out = ranked.filtered_out;
    search.answer(ranked, &weights, remarks)
}

impl<'a> Search<'a> {
    fn new(
        view: &'a View<'a>,
        snapshot: &'a RefSnapshot,
        question: &'a Question,
        query: Query,
    ) -> Result<Search<'a>, QueryError> {
        let corpus = snapshot.corpus()?;
        let stats = corpus.kept(&STATS, CorpusStats::of);
        let is_wanted = |file: &FileRow| question.is_in_language(file) && question.filter.has_file(file);
        let wanted = corpus.files().iter().map(is_wanted).collect();
        Ok(Search { view, snapshot, corpus, stats, query, question, wanted, postings: Postings::default() })
    }

    fn file(&self, number: FileNumber) -> &FileRow {
        &self.corpus.files()[number as usize]
    }

    /// The results, from ranked files.
    fn answer(&self, ranked: Ranked, weights: &Weights, mut remarks: Remarks) -> Result<SearchAnswer, QueryError> {
        let (mut total, best) = (ranked.candidates, Some(ranked.best));
        let (mut found, mut truncated) = match (self.query.intent, &self.question.transformer) {
            (Intent::Error, _) => {
                let selected = phrase::select(self, &ranked, weights, &mut remarks)?;
                total = selected.total.unwrap_or(total);
                (selected.found, selected.truncated)
            }
            (Intent::NaturalLanguage, Some(transformer)) => {
                rerank::note(&mut remarks);
                rerank::select(self, &ranked, weights, transformer)?
            }
            _ => select::select(self, &ranked, weights, self.question.limit)?,
        };
        if self.query.intent == Intent::NaturalLanguage {
            found = phrase::with_message(self, &ranked, weights, found)?;
            truncated |= found.len() > self.question.limit;
        }
        remarks.late = self.view.work.is_late();
        found.truncate(self.question.limit);
        let total = total.max(found.len());
        let standing = self.view.standing.clone();
        Ok(SearchAnswer { intent: self.query.intent, found, total, truncated, standing, remarks, best })
    }
}

/// The text of a result: the line that matches, or the first so many lines.
pub fn snippet(view: &View, found: &SearchHit, lines: usize) -> Option<String> {
    if let Some((_, line)) = &found.line {
        return Some(line.clone());
    }
    let text = code::text(view, &found.file)?;
    let (first, last) = (found.lines.0 as usize, found.lines.1 as usize);
    let body = text.lines().skip(first - 1).take(last + 1 - first).filter(|line| !line.trim().is_empty()).take(lines);
    Some(body.map(|line| line.chars().take(MAX_SNIPPET_LINE).collect::<String>()).collect::<Vec<_>>().join("\n"))
}

/// Longer lines are cut.
const MAX_SNIPPET_LINE: usize = 160;

impl SearchHit {
    /// The symbol that it is or is in.
    pub fn symbol(&self) -> Option<&cruxe_model::facts::Symbol> {
        self.table.symbols.get(self.target.symbol()?.0 as usize)
    }

    /// The same as a definition, with its handles.
    pub fn definition(&self) -> Option<Definition> {
        self.symbol()?;
        let (file, table, index) = (self.file.clone(), Arc::clone(&self.table), self.target.symbol()?);
        Some(Definition { file, table, index, score: locate::Score::default() })
    }

    /// What the confidence is made of: the components of the score, on the scale on which they add up to it.
    pub fn confidence_parts(&self) -> Score {
        self.score.times(self.confidence as f32 / self.score.total().max(f32::MIN_POSITIVE))
    }
}
