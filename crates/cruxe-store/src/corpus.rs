//! What a ref's questions in words are asked against: its files and chunks by number, their postings and vectors.
//!
//! Numbers run over the files of the ref in path order and over their chunks, so that scores are plain arrays and an
//! answer never depends on the order in which threads finished. Postings of other refs' documents are left out here,
//! which makes every count and every score that of the ref alone.

use std::ops::Range;
use std::sync::Arc;

use cruxe_embed::{Probe, Vector};
use cruxe_model::VersionId;
use roaring::RoaringBitmap;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, Searcher, SegmentReader, TERMINATED, Term};

use crate::cache::{Cache, Caches};
use crate::error::StoreError;
use crate::names;
use crate::rows::FileRow;
use crate::text::{Fields, TEST_CHUNK};
use crate::vectors::{Embedding, Run, VectorRows};

/// A document that belongs to another ref.
const ELSEWHERE: u32 = u32::MAX;

/// Which text of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextField {
    /// What it says.
    Body,
    /// The name of the symbol that it belongs to.
    Name,
}

/// A chunk of a ref, by number.
pub type ChunkNumber = u32;

/// A file of a ref, by number.
pub type FileNumber = u32;

/// The text of a ref.
pub struct Corpus {
    searcher: Searcher,
    fields: Fields,
    files: Vec<FileRow>,
    file_of_version: Vec<FileNumber>,
    /// Per segment, the chunk that a document is.
    documents: Vec<Vec<ChunkNumber>>,
    /// The first chunk of each file, and one past the last chunk of all.
    first_chunk: Vec<ChunkNumber>,
    file_of: Vec<FileNumber>,
    tests: RoaringBitmap,
    body_length: Vec<u32>,
    name_length: Vec<u32>,
    vectors: Option<Vectors>,
    vectors_damaged: bool,
    caches: Caches,
}

/// The vectors of a ref.
pub struct Vectors {
    /// The model.
    pub embedding: Embedding,
    rows: VectorRows,
    /// Runs of rows, first row and number; those of one file one behind the other.
    runs: Vec<(u64, u64)>,
    /// Which runs are a file's.
    places: Vec<Range<usize>>,
    /// Files that have chunks and no vectors.
    pub missing: usize,
}

/// The vectors of all refs, as they are stored: the model, the rows, and which of them belong to a version, in the order of
/// its chunks.
pub(crate) struct StoredVectors {
    pub embedding: Embedding,
    pub rows: VectorRows,
    pub runs: Vec<Run>,
}

impl Corpus {
    pub(crate) fn build(
        searcher: Searcher,
        fields: Fields,
        files: Vec<FileRow>,
        vectors: Result<Option<StoredVectors>, StoreError>,
    ) -> Result<Corpus, StoreError> {
        let highest = files.iter().map(|file| file.id).max().unwrap_or(0) as usize;
        let mut file_of_version = vec![ELSEWHERE; highest + 1];
        for (number, file) in files.iter().enumerate() {
            file_of_version[file.id as usize] = number as FileNumber;
        }
        let mut chunks_of_file = vec![0u32; files.len()];
        let mut documents: Vec<Vec<(FileNumber, u64)>> = Vec::new();
        for segment in searcher.segment_readers() {
            let columns = segment.fast_fields();
            let (versions, numbers) = (columns.u64("version")?, columns.u64("chunk")?);
            let place = |doc| {
                let version = versions.first(doc).unwrap_or(u64::MAX);
                let file = file_of_version.get(version as usize).copied().unwrap_or(ELSEWHERE);
                (file, if file == ELSEWHERE { 0 } else { numbers.first(doc).unwrap_or(0) })
            };
            let places: Vec<(FileNumber, u64)> = (0..segment.max_doc()).map(place).collect();
            for (file, chunk) in places.iter().filter(|(file, _)| *file != ELSEWHERE) {
                let count = &mut chunks_of_file[*file as usize];
                *count = (*count).max(*chunk as u32 + 1);
            }
            documents.push(places);
        }
        let mut first_chunk = Vec::with_capacity(files.len() + 1);
        let mut file_of = Vec::new();
        for (number, count) in chunks_of_file.iter().enumerate() {
            first_chunk.push(file_of.len() as ChunkNumber);
            file_of.resize(file_of.len() + *count as usize, number as FileNumber);
        }
        first_chunk.push(file_of.len() as ChunkNumber);
        let mut tests = RoaringBitmap::new();
        let mut number = |(file, chunk): (FileNumber, u64)| {
            if file == ELSEWHERE {
                return ELSEWHERE;
            }
            let number = first_chunk[file as usize] + chunk as u32;
            if chunk & TEST_CHUNK != 0 {
                tests.insert(number);
            }
            number
        };
        let documents: Vec<Vec<ChunkNumber>> =
            documents.into_iter().map(|places| places.into_iter().map(&mut number).collect()).collect();
        let lengths = |field| lengths(&searcher, field, &documents, file_of.len());
        let (body_length, name_length) = (lengths(fields.body)?, lengths(fields.name)?);
        let vectors_damaged = vectors.is_err();
        let vectors = vectors.ok().flatten().map(|StoredVectors { embedding, rows, runs: stored }| {
            let (mut runs, mut by_file, mut rows_of_file) =
                (Vec::with_capacity(files.len()), vec![0..0; files.len()], vec![0; files.len()]);
            for Run { version, first, count, .. } in stored {
                if let Some(file) = file_of_version.get(version as usize).filter(|file| **file != ELSEWHERE) {
                    let own: &mut Range<usize> = &mut by_file[*file as usize];
                    let start = if own.start == own.end { runs.len() } else { own.start };
                    runs.extend(VectorRows::cut(first, count));
                    *own = start..runs.len();
                    rows_of_file[*file as usize] += count;
                }
            }
            let without = |(rows, chunks): &(&u64, &u32)| **rows < u64::from(**chunks);
            let missing = rows_of_file.iter().zip(&chunks_of_file).filter(without).count();
            Vectors { embedding, rows, runs, places: by_file, missing }
        });
        Ok(Corpus {
            searcher,
            fields,
            files,
            file_of_version,
            documents,
            first_chunk,
            file_of,
            tests,
            body_length,
            name_length,
            vectors,
            vectors_damaged,
            caches: Caches::default(),
        })
    }

    /// The files, in path order.
    pub fn files(&self) -> &[FileRow] {
        &self.files
    }

    /// The number of a file, where the ref has that version.
    pub fn file_number(&self, version: VersionId) -> Option<FileNumber> {
        self.file_of_version.get(version as usize).copied().filter(|file| *file != ELSEWHERE)
    }

    /// The number of chunks.
    pub fn chunks(&self) -> usize {
        self.file_of.len()
    }

    /// The file of a chunk, and which of its chunks it is.
    pub fn place(&self, chunk: ChunkNumber) -> (FileNumber, u32) {
        let file = self.file_of[chunk as usize];
        (file, chunk - self.first_chunk[file as usize])
    }

    /// The file of every chunk.
    pub fn file_of(&self) -> &[FileNumber] {
        &self.file_of
    }

    /// The chunks of a file.
    pub fn chunks_of(&self, file: FileNumber) -> Range<ChunkNumber> {
        self.first_chunk[file as usize]..self.first_chunk[file as usize + 1]
    }

    /// The chunks that belong to tests.
    pub fn tests(&self) -> impl Iterator<Item = ChunkNumber> + '_ {
        self.tests.iter()
    }

    /// How many words each chunk has.
    pub fn lengths(&self, field: TextField) -> &[u32] {
        match field {
            TextField::Body => &self.body_length,
            TextField::Name => &self.name_length,
        }
    }

    /// The chunks that have a token (see [`crate::tokens`]), and how often.
    pub fn postings(&self, field: TextField, token: &str) -> Result<Vec<(ChunkNumber, u32)>, StoreError> {
        let field = match field {
            TextField::Body => self.fields.body,
            TextField::Name => self.fields.name,
        };
        let term = Term::from_field_text(field, token);
        let mut found = Vec::new();
        for (segment, documents) in self.searcher.segment_readers().iter().zip(&self.documents) {
            let postings = segment.inverted_index(field)?.read_postings(&term, IndexRecordOption::WithFreqs);
            let Some(mut postings) = postings.map_err(tantivy::TantivyError::from)? else { continue };
            let mut doc = postings.doc();
            while doc != TERMINATED {
                let chunk = documents[doc as usize];
                if chunk != ELSEWHERE {
                    found.push((chunk, tantivy::postings::Postings::term_freq(&postings)));
                }
                doc = postings.advance();
            }
        }
        Ok(found)
    }

    /// The most similar token that a text of the ref has: one or two letters away, with the same first letter, and of
    /// equally similar ones the commonest.
    pub fn similar_token(&self, field: TextField, token: &str) -> Result<Option<String>, StoreError> {
        let wanted: Vec<char> = token.chars().collect();
        let Some(first) = wanted.first() else { return Ok(None) };
        let allowed = if wanted.len() < 8 { 1 } else { 2 };
        let mut nearest: Vec<Vec<String>> = vec![Vec::new(); allowed + 1];
        let text_field = match field {
            TextField::Body => self.fields.body,
            TextField::Name => self.fields.name,
        };
        let (from, to) = (first.to_string(), char::from_u32(*first as u32 + 1).unwrap_or(*first).to_string());
        for segment in self.searcher.segment_readers() {
            let index = segment.inverted_index(text_field)?;
            let range = index.terms().range().ge(from.as_bytes()).lt(to.as_bytes());
            let mut terms = range.into_stream().map_err(tantivy::TantivyError::from)?;
            while terms.advance() {
                let Ok(text) = std::str::from_utf8(terms.key()) else { continue };
                if let Some(distance) = names::distance(&wanted, text, allowed) {
                    nearest[distance].push(text.to_owned());
                }
            }
        }
        for mut candidates in nearest {
            candidates.sort();
            candidates.dedup();
            let mut commonest: Option<(usize, String)> = None;
            for candidate in candidates {
                let count = self.postings(field, &candidate)?.len();
                if count > commonest.as_ref().map_or(0, |(most, _)| *most) {
                    commonest = Some((count, candidate));
                }
            }
            if let Some((_, token)) = commonest {
                return Ok(Some(token));
            }
        }
        Ok(None)
    }

    /// The vectors, where there are some.
    pub fn vectors(&self) -> Option<&Vectors> {
        self.vectors.as_ref()
    }

    /// Whether there would be vectors, were they not damaged.
    pub fn vectors_damaged(&self) -> bool {
        self.vectors_damaged
    }

    /// What somebody makes of the corpus once and keeps with it.
    pub fn kept<T: Send + Sync + 'static>(&self, cache: &'static Cache<T>, make: impl FnOnce(&Corpus) -> T) -> Arc<T> {
        self.caches.get(cache, || make(self))
    }
}

impl Vectors {
    /// Lays out a query for the comparison with the chunks of files.
    pub fn compare(&self, query: &Vector) -> Comparison<'_> {
        Comparison { probe: Probe::new(query), vectors: self }
    }

    /// The rows of a file, one per chunk, in runs that lie one behind the other; none where there are none.
    pub(crate) fn rows_of(&self, file: FileNumber) -> impl Iterator<Item = &[u8]> {
        let runs = &self.runs[self.places[file as usize].clone()];
        runs.iter().map(|(first, count)| self.rows.rows(*first, *count))
    }
}

/// A query beside the vectors of a ref.
pub struct Comparison<'a> {
    probe: Probe,
    vectors: &'a Vectors,
}

impl Comparison<'_> {
    /// Puts down the cosine with each chunk of a file, which `cosines` has room for; a chunk without a vector keeps what is
    /// there. Rounding may lead it a little beyond 1.
    pub fn cosines(&self, file: FileNumber, mut cosines: &mut [f32]) {
        for rows in self.vectors.rows_of(file) {
            let count = (rows.len() / self.probe.row_bytes().max(1)).min(cosines.len());
            let (these, later) = cosines.split_at_mut(count);
            self.probe.cosines(rows, these);
            cosines = later;
        }
    }
}

fn lengths(
    searcher: &Searcher,
    field: Field,
    documents: &[Vec<ChunkNumber>],
    chunks: usize,
) -> Result<Vec<u32>, StoreError> {
    let mut lengths = vec![0; chunks];
    for (segment, documents) in searcher.segment_readers().iter().zip(documents) {
        let norms = SegmentReader::get_fieldnorms_reader(segment, field)?;
        for (doc, chunk) in documents.iter().enumerate().filter(|(_, chunk)| **chunk != ELSEWHERE) {
            lengths[*chunk as usize] = norms.fieldnorm(doc as u32);
        }
    }
    Ok(lengths)
}
