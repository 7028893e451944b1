//! The full-text index: one document per chunk of a file version.

use std::collections::HashSet;
use std::path::Path;

use cruxe_model::VersionId;
use cruxe_model::facts::FileFacts;
use roaring::RoaringBitmap;
use tantivy::collector::TopDocs;
use tantivy::index::SegmentId;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::{
    DocId, Index, IndexReader, IndexWriter, Opstamp, ReloadPolicy, Score, SegmentReader, TantivyDocument, Term,
};

use crate::error::StoreError;
use crate::tokenizer::{self, CodeTokenizer};

const TOKENIZER: &str = "code";
/// Two, because a commit writes a thread's segment on that thread, when everything else is done.
const THREADS: usize = 2;
/// Above this a segment is written; below it everything is one segment and there is nothing to merge.
const MEMORY: usize = 96 << 20;

/// The fields of a document.
#[derive(Clone, Copy)]
struct Fields {
    version: Field,
    chunk: Field,
    body: Field,
    name: Field,
    path: Field,
}

/// The open full-text index.
pub(crate) struct TextIndex {
    index: Index,
    reader: IndexReader,
    fields: Fields,
}

/// A chunk that matches words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextHit {
    /// The file version.
    pub version: VersionId,
    /// Which of its chunks.
    pub chunk: u32,
    /// BM25.
    pub score: f32,
}

fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let text = |record| {
        let indexing = TextFieldIndexing::default().set_tokenizer(TOKENIZER).set_index_option(record);
        TextOptions::default().set_indexing_options(indexing)
    };
    let fields = Fields {
        version: builder.add_u64_field("version", INDEXED | FAST),
        chunk: builder.add_u64_field("chunk", FAST),
        body: builder.add_text_field("body", text(IndexRecordOption::WithFreqs)),
        name: builder.add_text_field("name", text(IndexRecordOption::WithFreqs)),
        path: builder.add_text_field("path", text(IndexRecordOption::WithFreqs)),
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
        TextIndex::with(Index::create_in_dir(folder, schema().0)?)
    }

    /// Opens the index in a folder.
    pub fn open(folder: &Path) -> Result<TextIndex, StoreError> {
        TextIndex::with(Index::open_in_dir(folder)?)
    }

    fn with(index: Index) -> Result<TextIndex, StoreError> {
        let (wanted, fields) = schema();
        if index.schema() != wanted {
            return Err(StoreError::corrupt("full-text index: other fields than this program writes"));
        }
        index.tokenizers().register(TOKENIZER, CodeTokenizer::default());
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(TextIndex { index, reader, fields })
    }

    /// Makes what others committed visible.
    pub fn reload(&self) -> Result<(), StoreError> {
        Ok(self.reader.reload()?)
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

    /// How many segments there are.
    pub fn segments(&self) -> Result<usize, StoreError> {
        Ok(self.index.searchable_segment_ids()?.len())
    }

    pub fn writer(&self) -> Result<TextWriter, StoreError> {
        let writer = self.index.writer_with_num_threads(THREADS, MEMORY)?;
        Ok(TextWriter { writer, fields: self.fields, touched: false })
    }

    /// The chunks of some versions that match words best. Every word counts, none is needed.
    pub fn search(&self, words: &str, versions: &RoaringBitmap, limit: usize) -> Result<Vec<TextHit>, StoreError> {
        let clauses: Vec<(Occur, Box<dyn Query>)> = tokenizer::tokens(words)
            .into_iter()
            .flat_map(|word| [self.fields.body, self.fields.name, self.fields.path].map(|field| (field, word.clone())))
            .map(|(field, word)| {
                let term = Term::from_field_text(field, &word);
                let query: Box<dyn Query> = Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs));
                (Occur::Should, query)
            })
            .collect();
        if clauses.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let versions = versions.clone();
        let filtered = TopDocs::with_limit(limit).tweak_score(move |segment: &SegmentReader| {
            let ids = segment.fast_fields().u64("version").ok();
            let versions = versions.clone();
            move |doc: DocId, score: Score| {
                let id = ids.as_ref().and_then(|column| column.first(doc)).unwrap_or(u64::MAX);
                let visible = u32::try_from(id).is_ok_and(|id| versions.contains(id));
                if visible { score } else { f32::NEG_INFINITY }
            }
        });
        let searcher = self.reader.searcher();
        let found = searcher.search(&BooleanQuery::new(clauses), &filtered)?;
        let mut hits = Vec::with_capacity(found.len());
        for (score, address) in found {
            if score == f32::NEG_INFINITY {
                continue; // of another ref
            }
            let columns = searcher.segment_reader(address.segment_ord).fast_fields();
            let version = columns.u64("version")?.first(address.doc_id).unwrap_or_default() as VersionId;
            let chunk = columns.u64("chunk")?.first(address.doc_id).unwrap_or_default() as u32;
            hits.push(TextHit { version, chunk, score });
        }
        Ok(hits)
    }
}

/// Writes documents. Nothing is visible before [`TextWriter::commit`].
pub(crate) struct TextWriter {
    writer: IndexWriter,
    fields: Fields,
    touched: bool,
}

impl TextWriter {
    /// Adds the chunks of a file version.
    pub fn add(&mut self, version: VersionId, path: &str, facts: &FileFacts, text: &str) -> Result<(), StoreError> {
        for (number, chunk) in facts.chunks.iter().enumerate() {
            let Some(body) = text.get(chunk.span.start as usize..chunk.span.end as usize) else { continue };
            let mut document = TantivyDocument::default();
            document.add_u64(self.fields.version, u64::from(version));
            document.add_u64(self.fields.chunk, number as u64);
            document.add_text(self.fields.body, body);
            document.add_text(self.fields.path, path);
            if let Some(symbol) = chunk.symbol.and_then(|at| facts.symbol(at)) {
                document.add_text(self.fields.name, &symbol.qualified_name);
            }
            self.writer.add_document(document)?;
            self.touched = true;
        }
        Ok(())
    }

    /// Removes the documents of a version at the next commit.
    pub fn remove(&mut self, version: VersionId) {
        self.writer.delete_term(Term::from_field_u64(self.fields.version, u64::from(version)));
        self.touched = true;
    }

    /// Makes everything since the last commit durable.
    pub fn commit(&mut self, watermark: VersionId) -> Result<(), StoreError> {
        if self.touched {
            let mut commit = self.writer.prepare_commit()?;
            commit.set_payload(&watermark.to_string());
            commit.commit()?;
            self.touched = false;
        }
        Ok(())
    }

    /// Waits for merges that are under way.
    pub fn finish(self) -> Result<(), StoreError> {
        Ok(self.writer.wait_merging_threads()?)
    }
}
