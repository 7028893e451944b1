//! Which documents, cards and code files a few words are about.

use std::collections::HashMap;
use std::sync::Arc;

use cruxe_embed::minilm::{self, MiniLm};
use cruxe_index::View;
use cruxe_model::facts::Symbol;
use cruxe_model::{SymbolKind, VersionId};
use cruxe_query::QueryError;
use cruxe_query::search::LexicalOnly;
use cruxe_query::search::context::{self, RankedFile, Ranking};
use cruxe_store::{Cache, Corpus, FileRow, Snapshot, SymbolTable, tokens};
use parking_lot::Mutex;
use rayon::prelude::*;

use crate::card::same_word;
use crate::frontmatter::FrontMatter;

/// What counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Words of names and of text.
    Keyword,
    /// Nearness in meaning.
    Semantic,
    /// Seven parts meaning, three parts words.
    #[default]
    Hybrid,
}

impl Mode {
    fn share(self) -> f32 {
        match self {
            Mode::Keyword => 0.0,
            Mode::Semantic => 1.0,
            Mode::Hybrid => 0.7,
        }
    }
}

/// Only files whose front matter says so; everything in whatever case. A file without front matter passes no filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// One of these tags.
    pub tags: Vec<String>,
    /// This priority.
    pub priority: Option<String>,
    /// This person.
    pub assignee: Option<String>,
}

impl Filters {
    fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.priority.is_none() && self.assignee.is_none()
    }

    fn pass(&self, labels: &Labels) -> bool {
        let word = |wanted: &Option<String>, own: &Option<String>| {
            wanted.as_ref().is_none_or(|wanted| own.as_ref().is_some_and(|own| same_word(own, wanted)))
        };
        let tagged = |tag: &String| labels.tags.iter().any(|own| same_word(own, tag));
        (self.tags.is_empty() || self.tags.iter().any(tagged))
            && word(&self.priority, &labels.priority)
            && word(&self.assignee, &labels.assignee)
    }
}

/// What to look for.
pub struct Question<'a> {
    /// A few words.
    pub query: &'a str,
    /// At most so many files.
    pub limit: usize,
    /// What counts.
    pub mode: Mode,
    /// What is wanted at all.
    pub filters: Filters,
    /// The transformer that looks at the best files once more, where one is chosen and installed.
    pub transformer: Option<Arc<MiniLm>>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    /// The best files, best first.
    pub found: Vec<Found>,
    /// Whether there are more than were asked for.
    pub truncated: bool,
    /// The model that compared meanings, `none` where none did.
    pub model: String,
    /// Why it is by words alone, where nobody asked for that.
    pub lexical_only: Option<LexicalOnly>,
    /// Files that changed since they were indexed and are left out.
    pub changed: usize,
}

/// A file.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Where it is.
    pub path: String,
    /// SHA-256 of its content.
    pub hash: String,
    /// How many tokens it has.
    pub tokens: usize,
    /// Up to three headings or definitions that have most to do with the words.
    pub anchors: Vec<String>,
    /// How much it has to do with the words, 0 to 1.
    pub score: f32,
}

/// At most so many anchors.
const ANCHORS: usize = 3;
/// Files whose headings are looked at.
const HEADINGS_OF: usize = 64;
/// Files that a transformer looks at: it takes milliseconds for each that it has not seen yet.
const LOOKED_AT: usize = 20;
/// How much of a text it reads: what is beyond 256 tokens it does not see.
const READ: usize = 1200;
/// What is known of so many file versions is kept: a hundred bytes each.
const MAX_KNOWN: usize = 200_000;
/// Files whose front matter is read at once, in the order of their ranking, until enough pass a filter.
const READ_AT_ONCE: usize = 64;
/// Documents whose front matter is read before anybody asks.
const MAX_READ_AHEAD: usize = 20_000;
/// Vectors of texts that the transformer has read: 1.5 KB each.
const MAX_VECTORS: usize = 20_000;

/// What an answer says of a version. A version never changes, so this is made once.
#[derive(Clone)]
struct Figures {
    hash: String,
    tokens: usize,
}

/// What front matter says of the things that filters ask for.
struct Labels {
    tags: Vec<String>,
    priority: Option<String>,
    assignee: Option<String>,
}

/// What the deck keeps of an index.
static KEPT: Cache<Kept> = Cache::of("figures, labels and vectors of documents");

/// What is kept between questions, for as long as an index is open.
#[derive(Default)]
struct Kept {
    figures: Mutex<HashMap<VersionId, Figures>>,
    /// `None` for a version without front matter.
    labels: Mutex<HashMap<VersionId, Option<Arc<Labels>>>>,
    vectors: Mutex<HashMap<VersionId, Arc<Vec<f32>>>>,
}

/// Finds files.
pub fn find(view: &View, question: &Question) -> Result<Context, QueryError> {
    let Some(snapshot) = &view.published else {
        return Ok(Context { model: "none".to_owned(), ..Context::default() });
    };
    let Some(mut ranking) = context::rank(view, question.query, question.mode.share())? else {
        return Ok(Context { model: "none".to_owned(), ..Context::default() });
    };
    let mut answer = Context { model: context::model_name().to_owned(), ..Context::default() };
    if let Some(why) = ranking.lexical_only {
        answer.model = "none".to_owned();
        answer.lexical_only = Some(why).filter(|why| *why != LexicalOnly::Asked);
    }
    if question.mode != Mode::Semantic || ranking.lexical_only.is_some() {
        look_at_headings(snapshot, &mut ranking, question.mode)?;
    }
    let kept = snapshot.kept(&KEPT);
    let finder = Finder { view, kept: &kept };
    if let Some(transformer) = &question.transformer
        && ranking.lexical_only.is_none()
    {
        finder.look_again(&mut ranking, question, transformer);
        answer.model = format!("{} + {}", answer.model, minilm::NAME);
    }
    let words: Vec<&str> = ranking.words.iter().map(String::as_str).collect();
    let mut unreadable = 0;
    // Without a filter nothing is read but what is answered.
    let at_once = if question.filters.is_empty() { ranking.files.len().max(1) } else { READ_AT_ONCE };
    'enough: for some in ranking.files.chunks(at_once) {
        for ranked in finder.passing(some, &ranking.corpus, &question.filters, &mut unreadable) {
            // Beyond the limit, only whether there are more is of interest.
            if answer.found.len() == question.limit {
                answer.truncated = true;
                break 'enough;
            }
            let row = &ranking.corpus.files()[ranked.file as usize];
            let Some(figures) = finder.figures(row) else {
                unreadable += 1;
                continue;
            };
            let table = snapshot.symbol_table(row.id)?;
            let anchors = anchors(&ranking, ranked, &table, &words);
            let (path, score) = (row.path.as_str().to_owned(), ranked.score);
            answer.found.push(Found { path, hash: figures.hash, tokens: figures.tokens, anchors, score });
        }
    }
    answer.changed = unreadable;
    Ok(answer)
}

/// Reads the front matter of the documents of a view, so that questions with filters find it read.
pub fn read_ahead(view: &View) -> Result<(), QueryError> {
    let Some(snapshot) = &view.published else { return Ok(()) };
    let (corpus, kept) = (snapshot.corpus()?, snapshot.kept(&KEPT));
    let documents: Vec<&FileRow> = corpus.files().iter().filter(|row| row.language == "markdown").collect();
    // A few at a time: questions that come meanwhile share the threads.
    for some in documents[..documents.len().min(MAX_READ_AHEAD)].chunks(READ_AT_ONCE) {
        Finder { view, kept: &kept }.learn(some);
        view.work.check()?;
    }
    Ok(())
}

/// Weighs what headings and definitions say. The index has the words of a chunk's first heading only, so the best files
/// are looked at one by one; a heading that says all the words, and nothing else, counts as much as everything else.
fn look_at_headings(snapshot: &Snapshot, ranking: &mut Ranking, mode: Mode) -> Result<(), QueryError> {
    let share = if ranking.lexical_only.is_some() { 0.0 } else { mode.share() };
    let words: Vec<&str> = ranking.words.iter().map(String::as_str).collect();
    for (place, ranked) in ranking.files.iter_mut().enumerate() {
        let mut fit: f32 = 0.0;
        if place < HEADINGS_OF && ranked.words > 0.0 {
            let table = snapshot.symbol_table(ranking.corpus.files()[ranked.file as usize].id)?;
            fit = table
                .symbols
                .iter()
                .filter(|symbol| is_anchor(symbol))
                .map(|symbol| fit_of(&symbol.name, &words))
                .fold(0.0, f32::max);
        }
        ranked.words = f32::midpoint(ranked.words, fit);
        ranked.score = (1.0 - share) * ranked.words + share * ranked.meaning;
    }
    ranking.files.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.file.cmp(&b.file)));
    Ok(())
}

/// Which part of the words a name says, less where it says other things too: 0 to 1.
fn fit_of(name: &str, words: &[&str]) -> f32 {
    let own = tokens(name);
    let said = words.iter().filter(|word| own.iter().any(|token| token == *word)).count() as f32;
    let alone = said / own.len().max(1) as f32;
    said / words.len().max(1) as f32 * (0.5 + 0.5 * alone.min(1.0))
}

struct Finder<'a> {
    view: &'a View<'a>,
    kept: &'a Kept,
}

impl Finder<'_> {
    fn figures(&self, row: &FileRow) -> Option<Figures> {
        let known = || self.kept.figures.lock();
        if let Some(figures) = known().get(&row.id) {
            return Some(figures.clone());
        }
        let bytes = self.view.project.read(row)?;
        let (text, _) = cruxe_extract::as_text(&bytes);
        let figures = Figures { hash: sha256(&bytes), tokens: cruxe_tokens::count(&text) };
        let mut known = known();
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(row.id, figures.clone());
        Some(figures)
    }

    /// The files whose front matter passes the filters, in their order. What was not read before is read on all cores.
    fn passing<'r>(
        &self,
        ranked: &'r [RankedFile],
        corpus: &Corpus,
        filters: &Filters,
        unreadable: &mut usize,
    ) -> Vec<&'r RankedFile> {
        if filters.is_empty() {
            return ranked.iter().collect();
        }
        let documents: Vec<(&RankedFile, &FileRow)> = ranked
            .iter()
            .map(|ranked| (ranked, &corpus.files()[ranked.file as usize]))
            .filter(|(_, row)| row.language == "markdown")
            .collect();
        let rows: Vec<&FileRow> = documents.iter().map(|(_, row)| *row).collect();
        *unreadable += self.learn(&rows);
        let known = self.kept.labels.lock();
        let passes = |row: &FileRow| known.get(&row.id).and_then(Option::as_ref).is_some_and(|own| filters.pass(own));
        documents.into_iter().filter(|(_, row)| passes(row)).map(|(ranked, _)| ranked).collect()
    }

    /// Reads the front matter of documents that was not read before, on all cores; how many could not be read.
    fn learn(&self, documents: &[&FileRow]) -> usize {
        let known = || self.kept.labels.lock();
        let unknown: Vec<&FileRow> = {
            let mut known = known();
            if known.len() >= MAX_KNOWN {
                known.clear();
            }
            documents.iter().copied().filter(|row| !known.contains_key(&row.id)).collect()
        };
        let project = self.view.project;
        let read = |row: &&FileRow| {
            let bytes = project.read(row)?;
            Some((row.id, labels(&cruxe_extract::as_text(&bytes).0).map(Arc::new)))
        };
        let read: Vec<_> = unknown.par_iter().map(read).collect();
        let unreadable = read.iter().filter(|read| read.is_none()).count();
        known().extend(read.into_iter().flatten());
        unreadable
    }

    /// Compares the best files once more, by the transformer, and puts them in the order that follows.
    fn look_again(&self, ranking: &mut Ranking, question: &Question, transformer: &MiniLm) {
        let share = question.mode.share();
        let query = transformer.embed(question.query);
        let many = ranking.files.len().min(LOOKED_AT);
        let rows: Vec<FileRow> =
            ranking.files[..many].iter().map(|ranked| ranking.corpus.files()[ranked.file as usize].clone()).collect();
        let near: Vec<f32> = rows
            .iter()
            .map(|row| {
                let vector = self.vector(row, transformer);
                vector.iter().zip(&query).map(|(a, b)| a * b).sum::<f32>().max(0.0)
            })
            .collect();
        let nearest = near.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        for (ranked, near) in ranking.files.iter_mut().zip(near) {
            ranked.meaning = near / nearest;
            ranked.score = (1.0 - share) * ranked.words + share * ranked.meaning;
        }
        ranking.files[..many].sort_by(|a, b| b.score.total_cmp(&a.score).then(a.file.cmp(&b.file)));
    }

    fn vector(&self, row: &FileRow, transformer: &MiniLm) -> Arc<Vec<f32>> {
        let known = || self.kept.vectors.lock();
        if let Some(vector) = known().get(&row.id) {
            return Arc::clone(vector);
        }
        let bytes = self.view.project.read(row).unwrap_or_default();
        let (text, _) = cruxe_extract::as_text(&bytes);
        let body = FrontMatter::parse(&text).ok().flatten().map_or(0, |front| front.body);
        let begin: String = text[body..].chars().take(READ).collect();
        let vector = Arc::new(transformer.embed(&format!("{}\n{begin}", row.path)));
        let mut known = known();
        if known.len() >= MAX_VECTORS {
            known.clear();
        }
        known.insert(row.id, Arc::clone(&vector));
        vector
    }
}

/// Returns the SHA-256 of bytes, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn labels(text: &str) -> Option<Labels> {
    let front = FrontMatter::parse(text).ok().flatten()?;
    let own = |key: &str| front.text(key).map(str::to_owned);
    let tags = front.texts("tags").unwrap_or_default().into_iter().map(str::to_owned).collect();
    Some(Labels { tags, priority: own("priority"), assignee: own("assignee") })
}

/// The headings of a document, or the definitions of code, that have most to do with the words; where none has, the
/// first ones.
fn anchors(ranking: &Ranking, ranked: &RankedFile, table: &SymbolTable, words: &[&str]) -> Vec<String> {
    let mut scores: Vec<(usize, f32)> = table
        .symbols
        .iter()
        .enumerate()
        .filter(|(_, symbol)| is_anchor(symbol))
        .map(|(at, symbol)| (at, 2.0 * fit_of(&symbol.name, words)))
        .collect();
    let chunks = ranking.corpus.chunks_of(ranked.file);
    for (chunk, number) in table.chunks.iter().zip(chunks) {
        let Some(symbol) = chunk.symbol else { continue };
        if let Some((_, score)) = scores.iter_mut().find(|(at, _)| *at == symbol.0 as usize) {
            *score += ranking.chunk(number);
        }
    }
    scores.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut anchors: Vec<String> = Vec::new();
    for (at, _) in scores {
        let name = &table.symbols[at].name;
        if !anchors.contains(name) && anchors.len() < ANCHORS {
            anchors.push(name.clone());
        }
    }
    anchors
}

fn is_anchor(symbol: &Symbol) -> bool {
    use SymbolKind::*;
    let shown = !matches!(symbol.kind, Use | Field | Variant | Impl | Property);
    shown && !symbol.flags.local && !symbol.name.trim().is_empty()
}
