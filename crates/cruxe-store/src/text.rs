//! The full-text index: one document per chunk of a file version.
//!
//! It is asked for postings, not for scores: statistics must be those of one ref, and a document here may belong to any.

use std::collections::{HashSet, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use cruxe_model::VersionId;
use rusqlite::Connection;
use tantivy::index::{SegmentId, SegmentMeta};
use tantivy::indexer::IndexWriterOptions;
use tantivy::schema::{FAST, Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions};
use tantivy::{
    DocSet, Index, IndexReader, IndexSettings, IndexWriter, Opstamp, ReloadPolicy, Searcher, TERMINATED, TantivyError,
    Term,
};

use crate::directory::CheckedDirectory;
use crate::error::StoreError;
use crate::meta::{self, TEXT_WATERMARK};
use crate::names_and_words::{Figures, WordPlace};
use crate::segment::{self, Words};
use crate::words::FileWords;

/// What an index is told of how its words came about, which it need not know.
const TOKENIZER: &str = "code";
/// So many bytes are written by two threads when everything else is done. Fewer are one segment, which names every word once.
const MANY_BYTES: usize = 4 << 20;
/// Above this a segment is written; below it everything is one segment and there is nothing to merge.
const MEMORY: usize = 32 << 20;
/// So many segments are written at once.
const AT_ONCE: usize = 2;

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
        TextWriter {
            index: self.index.clone(),
            writer: None,
            fields: self.fields,
            pending: Vec::new(),
            pending_bytes: 0,
            running: VecDeque::new(),
            written: Vec::new(),
            touched: false,
        }
    }
}

/// Writes documents. Nothing is visible before [`TextWriter::commit`].
pub(crate) struct TextWriter {
    index: Index,
    /// Made for the first change: many a job has none, and its threads and files cost milliseconds.
    writer: Option<IndexWriter>,
    fields: Fields,
    /// What is in no segment yet.
    pending: Vec<Words>,
    pending_bytes: usize,
    /// Segments that are being written.
    running: VecDeque<JoinHandle<Result<SegmentMeta, TantivyError>>>,
    /// Segments that nothing leads to yet.
    written: Vec<SegmentMeta>,
    touched: bool,
}

impl TextWriter {
    fn open(&mut self) -> Result<&mut IndexWriter, StoreError> {
        let writer = match self.writer.take() {
            Some(writer) => writer,
            None => {
                // One that is given nothing, and one that merges.
                let threads = IndexWriterOptions::builder().num_worker_threads(1).num_merge_threads(1).build();
                self.index.writer_with_options(threads)?
            }
        };
        Ok(self.writer.insert(writer))
    }

    /// Adds the chunks of a file version, side by side in one segment.
    pub fn add(&mut self, version: VersionId, words: FileWords) -> Result<(), StoreError> {
        if !words.chunks.is_empty() {
            self.pending_bytes += words.bytes();
            self.pending.push((version, words));
            self.touched = true;
        }
        if self.pending_bytes > MEMORY { self.write_segments(1) } else { Ok(()) }
    }

    /// Begins to write what was added since the last time, in so many parts if it is much.
    fn write_segments(&mut self, parts: usize) -> Result<(), StoreError> {
        self.pending_bytes = 0;
        let mut pending = std::mem::take(&mut self.pending);
        // Words whose terms were collected anew are another segment.
        pending.sort_by_key(|(_, words)| Arc::as_ptr(&words.terms));
        let all: usize = pending.iter().map(|(_, words)| words.bytes()).sum();
        let most = if all < MANY_BYTES { all } else { all / parts };
        while let Some((_, first)) = pending.first() {
            let mut bytes = 0;
            let alike = pending.iter().take_while(|(_, words)| {
                let fits = bytes <= most && Arc::ptr_eq(&words.terms, &first.terms);
                bytes += words.bytes();
                fits
            });
            let alike = alike.count();
            let later = pending.split_off(alike);
            let files = std::mem::replace(&mut pending, later);
            self.wait_for_all_but(AT_ONCE - 1)?;
            let (segment, fields) = (self.open()?.new_segment(), self.fields);
            self.running.push_back(std::thread::spawn(move || segment::write(&segment, fields, &files)));
        }
        Ok(())
    }

    /// Waits until so many segments at the most are being written.
    fn wait_for_all_but(&mut self, most: usize) -> Result<(), StoreError> {
        while self.running.len() > most {
            let Some(segment) = self.running.pop_front() else { break };
            self.written.push(segment.join().unwrap_or_else(|_| Err(segment::panicked()))?);
        }
        Ok(())
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
            self.write_segments(AT_ONCE)?;
            self.wait_for_all_but(0)?;
            for segment in std::mem::take(&mut self.written) {
                self.open()?.add_segment(segment)?;
            }
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
    pub fn finish(mut self) -> Result<(), StoreError> {
        match self.writer.take() {
            Some(writer) => Ok(writer.wait_merging_threads()?),
            None => Ok(()),
        }
    }
}

impl Drop for TextWriter {
    /// Nobody else may write to the folder before the threads of a job that was given up are done with it.
    fn drop(&mut self) {
        for segment in self.running.drain(..) {
            let _ = segment.join();
        }
    }
}
