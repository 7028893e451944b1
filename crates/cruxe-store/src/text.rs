//! The full-text index: one document per chunk of a file version.
//!
//! It is asked for postings, not for scores: statistics must be those of one ref, and a document here may belong to any.

use std::collections::HashSet;
use std::path::Path;

use cruxe_model::VersionId;
use cruxe_model::facts::{Chunk, FileFacts};
use rusqlite::Connection;
use tantivy::index::SegmentId;
use tantivy::indexer::UserOperation;
use tantivy::schema::{FAST, Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions};
use tantivy::{
    DocSet, Index, IndexReader, IndexSettings, IndexWriter, Opstamp, ReloadPolicy, Searcher, TERMINATED,
    TantivyDocument, Term,
};

use crate::directory::CheckedDirectory;
use crate::error::StoreError;
use crate::meta::{self, TEXT_WATERMARK};
use crate::names_and_words::{Figures, WordPlace};
use crate::tokenizer::CodeTokenizer;

const TOKENIZER: &str = "code";
/// So many versions are written by two threads: a commit writes a thread's segment on that thread, when everything else is done.
/// Fewer are one segment, which names every word once.
const MANY_VERSIONS: usize = 2_000;
/// Above this a segment is written; below it everything is one segment and there is nothing to merge.
const MEMORY: usize = 96 << 20;

/// Added to the number of a chunk that belongs to a test.
pub(crate) const TEST_CHUNK: u64 = 1 << 32;

/// The fields of a document.
#[derive(Clone, Copy)]
pub(crate) struct Fields {
    pub version: Field,
    pub chunk: Field,
    pub body: Field,
    pub name: Field,
}

/// The open full-text index.
pub(crate) struct TextIndex {
    directory: CheckedDirectory,
    index: Index,
    reader: IndexReader,
    pub fields: Fields,
}

fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let indexing = TextFieldIndexing::default().set_tokenizer(TOKENIZER).set_index_option(IndexRecordOption::WithFreqs);
    let text = TextOptions::default().set_indexing_options(indexing);
    let fields = Fields {
        version: builder.add_u64_field("version", NumericOptions::default().set_indexed().set_fast()),
        chunk: builder.add_u64_field("chunk", FAST),
        body: builder.add_text_field("body", text.clone()),
        name: builder.add_text_field("name", text),
    };
    (builder.build(), fields)
}

impl TextIndex {
    /// Opens the index in a folder, or makes one.
    pub fn open_or_create(folder: &Path) -> Result<TextIndex, StoreError> {
        if folder.join("meta.json").exists() {
            return TextIndex::open(folder);
        }
        std::fs::create_dir_all(folder).map_err(StoreError::io(folder))?;
        let directory = CheckedDirectory::open(folder).map_err(tantivy::TantivyError::from)?;
        // Nothing leads to it yet, see [`TextIndex::settle`].
        directory.set_lasting(false);
        let index = Index::create(directory.clone(), schema().0, IndexSettings::default())?;
        directory.set_lasting(true);
        TextIndex::with(directory, index)
    }

    /// Opens the index in a folder.
    pub fn open(folder: &Path) -> Result<TextIndex, StoreError> {
        let directory = CheckedDirectory::open(folder).map_err(tantivy::TantivyError::from)?;
        let index = Index::open(directory.clone())?;
        TextIndex::with(directory, index)
    }

    fn with(directory: CheckedDirectory, index: Index) -> Result<TextIndex, StoreError> {
        let (wanted, fields) = schema();
        if index.schema() != wanted {
            return Err(StoreError::corrupt("full-text index: other fields than this program writes"));
        }
        index.tokenizers().register(TOKENIZER, CodeTokenizer::default());
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(TextIndex { directory, index, reader, fields })
    }

    /// Waits until a new index and another new file are on the disk.
    pub fn settle(&self, beside: &Path) -> Result<(), StoreError> {
        self.directory.wait_for(beside).map_err(StoreError::io(beside))
    }

    /// Makes what others committed visible.
    pub fn reload(&self) -> Result<(), StoreError> {
        Ok(self.reader.reload()?)
    }

    /// What is visible now, and stays so.
    pub fn searcher(&self) -> Searcher {
        self.reader.searcher()
    }

    /// Reads every file and compares checksums.
    pub fn validate(&self) -> Result<(), StoreError> {
        loop {
            let before = self.segment_states()?;
            let found = self.index.validate_checksum().map(|damaged| damaged.into_iter().min());
            match found {
                Ok(None) => return Ok(()),
                // A writer takes the files of merged segments away while they are read here; that is no damage.
                _ if self.segment_states()? != before => {}
                Ok(Some(file)) => {
                    return Err(StoreError::corrupt(format!("full-text index: checksum of {}", file.display())));
                }
                Err(problem) => return Err(problem.into()),
            }
        }
    }

    /// The segments in use, and how far documents were removed from each: together they name the files.
    fn segment_states(&self) -> Result<HashSet<(SegmentId, Option<Opstamp>)>, StoreError> {
        let metas = self.index.searchable_segment_metas()?;
        Ok(metas.iter().map(|meta| (meta.id(), meta.delete_opstamp())).collect())
    }

    /// The highest version id that is committed.
    pub fn watermark(&self) -> Result<VersionId, StoreError> {
        Ok(self.index.load_metas()?.payload.and_then(|payload| payload.parse().ok()).unwrap_or(0))
    }

    /// Checks that it has every text that the database counts on.
    pub fn check_age(&self, connection: &Connection) -> Result<(), StoreError> {
        let noted = meta::number(connection, TEXT_WATERMARK)?; // first: a writer may go on meanwhile, and writes text first
        if i64::from(self.watermark()?) < noted {
            return Err(StoreError::corrupt("full-text index: older than the database"));
        }
        Ok(())
    }

    /// Calls back with every word and in how many texts it stands, and says how much text there is. `wanted` says which versions count;
    /// without it all do, removed ones included until their segment is written anew.
    pub fn words(
        &self,
        wanted: Option<&dyn Fn(VersionId) -> bool>,
        tell: &mut dyn FnMut(WordPlace, &str, usize),
    ) -> Result<Figures, StoreError> {
        let searcher = self.searcher();
        let mut figures = Figures::default();
        for segment in searcher.segment_readers() {
            let counts: Option<Vec<bool>> = match wanted {
                None => None,
                Some(wanted) => {
                    let versions = segment.fast_fields().u64("version")?;
                    let counts = |doc| versions.first(doc).is_some_and(|version| wanted(version as VersionId));
                    Some((0..segment.max_doc()).map(counts).collect())
                }
            };
            let of_segment = counts
                .as_ref()
                .map_or(u64::from(segment.num_docs()), |counts| counts.iter().filter(|counts| **counts).count() as u64);
            figures.chunks += of_segment;
            // Of a part of a segment, its part of the words.
            let part = of_segment as f64 / f64::from(segment.max_doc().max(1));
            for (place, field) in [(WordPlace::Body, self.fields.body), (WordPlace::Name, self.fields.name)] {
                let index = segment.inverted_index(field)?;
                let words = (index.total_num_tokens() as f64 * part) as u64;
                match place {
                    WordPlace::Body => figures.body_words += words,
                    WordPlace::Name | WordPlace::Path => figures.name_words += words,
                }
                let mut terms = index.terms().stream().map_err(tantivy::TantivyError::from)?;
                while terms.advance() {
                    let Ok(word) = std::str::from_utf8(terms.key()) else { continue };
                    let texts = match &counts {
                        None => terms.value().doc_freq as usize,
                        Some(counts) => {
                            let postings = index.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic);
                            let mut postings = postings.map_err(tantivy::TantivyError::from)?;
                            let mut texts = 0;
                            while postings.doc() != TERMINATED {
                                texts += usize::from(counts[postings.doc() as usize]);
                                postings.advance();
                            }
                            texts
                        }
                    };
                    if texts > 0 {
                        tell(place, word, texts);
                    }
                }
            }
        }
        Ok(figures)
    }

    #[cfg(test)]
    pub fn versions_with(&self, token: &str) -> Vec<VersionId> {
        let query =
            tantivy::query::TermQuery::new(Term::from_field_text(self.fields.body, token), IndexRecordOption::Basic);
        let searcher = self.searcher();
        let found = searcher.search(&query, &tantivy::collector::DocSetCollector).unwrap();
        let version = |address: tantivy::DocAddress| {
            let columns = searcher.segment_reader(address.segment_ord).fast_fields();
            columns.u64("version").unwrap().first(address.doc_id).unwrap() as VersionId
        };
        found.into_iter().map(version).collect()
    }

    pub fn writer(&self) -> TextWriter {
        TextWriter { index: self.index.clone(), writer: None, threads: 1, fields: self.fields, touched: false }
    }
}

/// Writes documents. Nothing is visible before [`TextWriter::commit`].
pub(crate) struct TextWriter {
    index: Index,
    /// Made for the first change: many a job has none, and its threads and files cost milliseconds.
    writer: Option<IndexWriter>,
    threads: usize,
    fields: Fields,
    touched: bool,
}

impl TextWriter {
    /// Prepares for so many versions.
    pub fn expect(&mut self, versions: usize) {
        self.threads = if versions < MANY_VERSIONS { 1 } else { 2 };
    }

    fn open(&mut self) -> Result<&mut IndexWriter, StoreError> {
        let writer = match self.writer.take() {
            Some(writer) => writer,
            None => self.index.writer_with_num_threads(self.threads, MEMORY)?,
        };
        Ok(self.writer.insert(writer))
    }

    /// Adds the chunks of a file version, side by side in one segment.
    pub fn add(&mut self, version: VersionId, facts: &FileFacts, text: &str) -> Result<(), StoreError> {
        let documents: Vec<UserOperation> = facts
            .chunks
            .iter()
            .enumerate()
            .filter_map(|(number, chunk)| self.document(version, number, chunk, facts, text))
            .map(UserOperation::Add)
            .collect();
        if !documents.is_empty() {
            self.open()?.run(documents)?;
            self.touched = true;
        }
        Ok(())
    }

    fn document(
        &self,
        version: VersionId,
        number: usize,
        chunk: &Chunk,
        facts: &FileFacts,
        text: &str,
    ) -> Option<TantivyDocument> {
        let body = text.get(chunk.span.start as usize..chunk.span.end as usize)?;
        let mut document = TantivyDocument::default();
        document.add_u64(self.fields.version, u64::from(version));
        let symbol = chunk.symbol.and_then(|at| facts.symbol(at));
        let test = if symbol.is_some_and(|symbol| symbol.flags.test) { TEST_CHUNK } else { 0 };
        document.add_u64(self.fields.chunk, number as u64 | test);
        document.add_text(self.fields.body, body);
        if let Some(symbol) = symbol {
            document.add_text(self.fields.name, &symbol.name);
        }
        Some(document)
    }

    /// Removes the documents of a version at the next commit.
    pub fn remove(&mut self, version: VersionId) -> Result<(), StoreError> {
        let term = Term::from_field_u64(self.fields.version, u64::from(version));
        self.open()?.delete_term(term);
        self.touched = true;
        Ok(())
    }

    /// Makes everything since the last commit durable.
    pub fn commit(&mut self, watermark: VersionId) -> Result<(), StoreError> {
        if self.touched {
            let mut commit = self.open()?.prepare_commit()?;
            commit.set_payload(&watermark.to_string());
            commit.commit()?;
            self.touched = false;
        }
        Ok(())
    }

    /// Writes all segments into one without what was removed, where that is worth it.
    pub fn compact(&mut self, index: &TextIndex) -> Result<(), StoreError> {
        let metas = index.index.searchable_segment_metas()?;
        if metas.iter().any(|meta| meta.num_deleted_docs() > 0) {
            let segments: Vec<SegmentId> = metas.iter().map(|meta| meta.id()).collect();
            let writer = self.open()?;
            writer.merge(&segments).wait()?;
            writer.garbage_collect_files().wait()?;
        }
        Ok(())
    }

    /// Waits for merges that are under way.
    pub fn finish(self) -> Result<(), StoreError> {
        match self.writer {
            Some(writer) => Ok(writer.wait_merging_threads()?),
            None => Ok(()),
        }
    }
}
