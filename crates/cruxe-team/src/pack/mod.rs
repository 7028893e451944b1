//! A published index as blobs: its files in pages, its pages in blobs, and the manifest that says which is where.
//!
//! A SQLite file changes in place, a few pages here and there, and a blob of its own for each piece of it would mean either
//! large pieces that change all the time or thousands of small objects. So a publish collects the pages that changed, of all
//! files, into blobs of up to 4 MiB; the manifest lists for each file which bytes of which blob it is made of. Of a first
//! publish these are a few large blobs, of a push one small one. Blobs of which little is still needed are written anew.
//!
//! A blob is named by the BLAKE3 of its plain bytes, a file carries that of its content: nothing that is put together is used
//! before both were compared.

mod assemble;
mod cut;
mod manifest;
#[cfg(test)]
mod tests;

pub use assemble::Assembled;
pub(crate) use assemble::{Place as Places, assemble};
pub(crate) use cut::{Content, PageTable, Source, cut, pages_of};
pub(crate) use manifest::Part;
pub use manifest::{BLOB_BYTES, Hash, Manifest, PAGE_BYTES};
