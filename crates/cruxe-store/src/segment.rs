//! A segment of the full-text index from words that are counted already.
//!
//! Tantivy would ask for the text of every document and look each of its words up in one large table. Here terms are numbers, and
//! their postings are put in order by counting; the form that they are written in is Tantivy's own.

use std::sync::Arc;

use cruxe_model::VersionId;
use tantivy::directory::WritePtr;
use tantivy::fastfield::FastFieldsWriter;
use tantivy::fieldnorm::{FieldNormsSerializer, FieldNormsWriter};
use tantivy::index::{Segment, SegmentComponent, SegmentMeta};
use tantivy::postings::InvertedIndexSerializer;
use tantivy::schema::Field;
use tantivy::store::StoreWriter;
use tantivy::{DocId, TantivyDocument, TantivyError, Term};

use crate::text::Fields;
use crate::words::{ChunkWords, Counts, FileWords, TermId};

/// A file version and the words of its chunks.
pub(crate) type Words = (VersionId, FileWords);

/// Writes the chunks of files that share their terms, a document each. Nothing leads to the segment yet.
pub(crate) fn write(segment: &Segment, fields: Fields, files: &[Words]) -> Result<SegmentMeta, TantivyError> {
    let terms = files.first().map_or_else(Vec::new, |(_, words)| words.terms.texts());
    let documents = std::thread::scope(|scope| {
        let beside = scope.spawn(|| {
            let documents = write_columns(segment, fields, files)?;
            write_lengths(segment, fields, files)?;
            write_store(segment, documents)?;
            Ok(documents)
        });
        let mut serializer = InvertedIndexSerializer::open(segment)?;
        write_versions(&mut serializer, fields.version, files)?;
        write_postings(&mut serializer, fields.body, &terms, files, |(chunk, body, _)| (chunk.body_length, body))?;
        write_postings(&mut serializer, fields.name, &terms, files, |(chunk, _, name)| (chunk.name_length, name))?;
        serializer.close()?;
        beside.join().unwrap_or_else(|_| Err(panicked()))
    })?;
    let meta = segment.clone().with_max_doc(documents).meta().clone();
    meta.untrack_temp_docstore();
    Ok(meta)
}

/// What is said of a thread that came to nothing.
pub(crate) fn panicked() -> TantivyError {
    TantivyError::ErrorInThread("writing a segment".to_owned())
}

/// Which document is of which version and chunk; returns how many there are.
fn write_columns(segment: &Segment, fields: Fields, files: &[Words]) -> Result<DocId, TantivyError> {
    let tokenizers = segment.index().tokenizers().clone();
    let mut columns = FastFieldsWriter::from_schema_and_tokenizer_manager(&segment.schema(), tokenizers)?;
    let mut documents = 0;
    for (version, words) in files {
        for chunk in &words.chunks {
            let mut document = TantivyDocument::default();
            document.add_u64(fields.version, u64::from(*version));
            document.add_u64(fields.chunk, chunk.number);
            columns.add_document(&document)?;
            documents += 1;
        }
    }
    let mut file: WritePtr = segment.open_write(SegmentComponent::FastFields)?;
    columns.serialize(&mut file, None)?;
    tantivy::directory::TerminatingWrite::terminate(file)?;
    Ok(documents)
}

/// How many words each document has.
fn write_lengths(segment: &Segment, fields: Fields, files: &[Words]) -> Result<(), TantivyError> {
    let mut lengths = FieldNormsWriter::for_schema(&segment.schema());
    for (document, chunk) in files.iter().flat_map(|(_, words)| &words.chunks).enumerate() {
        let document = document as DocId;
        lengths.record(document, fields.version, 1);
        lengths.record(document, fields.body, chunk.body_length);
        lengths.record(document, fields.name, chunk.name_length);
    }
    let file = segment.open_write(SegmentComponent::FieldNorms)?;
    Ok(lengths.serialize(FieldNormsSerializer::from_write(file)?, None)?)
}

/// The documents of each version, for their removal.
fn write_versions(serializer: &mut InvertedIndexSerializer, field: Field, files: &[Words]) -> Result<(), TantivyError> {
    let documents: usize = files.iter().map(|(_, words)| words.chunks.len()).sum();
    let mut versions = serializer.new_field(field, documents as u64, None)?;
    let mut document = 0;
    for (version, words) in files.iter().filter(|(_, words)| !words.chunks.is_empty()) {
        let term = Term::from_field_u64(field, u64::from(*version));
        versions.new_term(term.serialized_value_bytes(), words.chunks.len() as u32, false)?;
        for _ in &words.chunks {
            versions.write_doc(document, 0, &[]);
            document += 1;
        }
        versions.close_term()?;
    }
    Ok(versions.close()?)
}

/// The documents of each term, with how often it stands in them.
fn write_postings<'f>(
    serializer: &mut InvertedIndexSerializer,
    field: Field,
    terms: &[Arc<str>],
    files: &'f [Words],
    of: impl Fn((&'f ChunkWords, Counts<'f>, Counts<'f>)) -> (u32, Counts<'f>),
) -> Result<(), TantivyError> {
    let counts = || files.iter().flat_map(|(_, words)| words.chunks()).map(&of);
    // For each term where its postings begin, and while they are filled in, where the next one goes.
    let mut places = vec![0_u32; terms.len() + 1];
    let mut length = 0;
    for (words, counts) in counts() {
        length += u64::from(words);
        counts.for_each(|(term, often)| places[term as usize + 1] += Counts::numbers(0, often).1 as u32);
    }
    if length == 0 {
        return Ok(());
    }
    for at in 1..places.len() {
        places[at] += places[at - 1];
    }
    let mut postings = vec![0_u32; places[terms.len()] as usize];
    for (document, (_, counts)) in counts().enumerate() {
        for (term, often) in counts {
            let (numbers, room) = Counts::numbers(document as DocId, often);
            let place = places[term as usize] as usize;
            postings[place..place + room].copy_from_slice(&numbers[..room]);
            places[term as usize] += room as u32;
        }
    }
    // Now each place is where the postings of the next term begin.
    let mut serializer = serializer.new_field(field, length, None)?;
    for term in in_order(terms) {
        let start = if term == 0 { 0 } else { places[term as usize - 1] };
        let own = Counts(&postings[start as usize..places[term as usize] as usize]);
        let documents = own.clone().count();
        if documents == 0 {
            continue;
        }
        serializer.new_term(terms[term as usize].as_bytes(), documents as u32, true)?;
        own.for_each(|(document, often)| serializer.write_doc(document, often, &[]));
        serializer.close_term()?;
    }
    Ok(serializer.close()?)
}

/// The terms in the order of their bytes.
fn in_order(terms: &[Arc<str>]) -> impl Iterator<Item = TermId> {
    let beginning = |term: &str| {
        let mut bytes = [0; 8];
        bytes.iter_mut().zip(term.bytes()).for_each(|(to, byte)| *to = byte);
        u64::from_be_bytes(bytes)
    };
    // Few of them begin alike, and what they begin with is at hand without a look at them.
    let mut order: Vec<(u64, TermId)> = (0..).zip(terms).map(|(at, term)| (beginning(term), at)).collect();
    order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| terms[a.1 as usize].cmp(&terms[b.1 as usize])));
    order.into_iter().map(|(_, term)| term)
}

/// A document store that stores nothing: a segment must have one.
fn write_store(segment: &Segment, documents: DocId) -> Result<(), TantivyError> {
    let settings = segment.index().settings();
    let file = segment.open_write(SegmentComponent::Store)?;
    let mut store = StoreWriter::new(file, settings.docstore_compression, settings.docstore_blocksize, false)?;
    let (empty, schema) = (TantivyDocument::default(), segment.schema());
    (0..documents).try_for_each(|_| store.store(&empty, &schema))?;
    Ok(store.close()?)
}
