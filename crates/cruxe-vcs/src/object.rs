//! Reading objects, with errors that name them.

use cruxe_model::ContentHash;
use gix::ObjectId;
use gix::objs::{CommitRefIter, Kind, TagRefIter};

use crate::error::{VcsError, reason};
use crate::guard;

/// Takes the raw bytes of an id that gix or a digest produced.
pub(crate) fn content_hash(raw: &[u8]) -> ContentHash {
    match <[u8; 20]>::try_from(raw) {
        Ok(short) => short.into(),
        Err(_) => {
            let mut long = [0; 32];
            long.iter_mut().zip(raw).for_each(|(to, from)| *to = *from);
            long.into()
        }
    }
}

/// Reads a full object id; `None` for anything shorter, longer or else.
pub(crate) fn full_id(hex: &[u8], format: gix::hash::Kind) -> Option<ContentHash> {
    if hex.len() != format.len_in_hex() || !hex.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    ContentHash::from_hex(std::str::from_utf8(hex).ok()?)
}

/// The id in gix's words. One of the other object format is not in the repository.
pub(crate) fn object_id(repo: &gix::Repository, hash: &ContentHash) -> Result<ObjectId, VcsError> {
    match ObjectId::try_from(hash.as_bytes()) {
        Ok(id) if id.kind() == repo.object_hash() => Ok(id),
        _ => Err(VcsError::MissingObject { hash: *hash }),
    }
}

/// The kind and size of an object, without reading it whole.
pub(crate) fn header(repo: &gix::Repository, hash: &ContentHash) -> Result<(Kind, u64), VcsError> {
    let id = object_id(repo, hash)?;
    guard::check_loose(repo.objects.store_ref().path(), hash)?;
    match repo.try_find_header(id) {
        Ok(Some(header)) => Ok((header.kind(), header.size())),
        Ok(None) => Err(VcsError::MissingObject { hash: *hash }),
        Err(error) => Err(damaged(hash, &error)),
    }
}

/// Reads an object that has to be of one kind.
pub(crate) fn find<'repo>(
    repo: &'repo gix::Repository,
    hash: &ContentHash,
    kind: Kind,
) -> Result<gix::Object<'repo>, VcsError> {
    let id = object_id(repo, hash)?;
    guard::check_loose(repo.objects.store_ref().path(), hash)?;
    match repo.try_find_object(id) {
        Ok(Some(object)) if object.kind == kind => Ok(object),
        Ok(Some(object)) => Err(wrong_kind(hash, object.kind, kind)),
        Ok(None) => Err(VcsError::MissingObject { hash: *hash }),
        Err(error) => Err(damaged(hash, &error)),
    }
}

/// Tags that name tags are followed this far. What an object holds is not checked against its id, so a crafted one may
/// name itself.
const MAX_TAGS: usize = 100;

/// Follows annotated tags to the commit; `None` when they end at a tree or a blob.
pub(crate) fn peel_to_commit(repo: &gix::Repository, hash: &ContentHash) -> Result<Option<ContentHash>, VcsError> {
    let start = *hash;
    let mut hash = start;
    for _ in 0..MAX_TAGS {
        match header(repo, &hash)?.0 {
            Kind::Commit => return Ok(Some(hash)),
            Kind::Tag => {
                let tag = find(repo, &hash, Kind::Tag)?;
                let target = TagRefIter::from_bytes(&tag.data, repo.object_hash()).target_id();
                let target = target.map_err(|error| damaged(&hash, &error))?;
                hash = content_hash(target.as_bytes());
            }
            Kind::Tree | Kind::Blob => return Ok(None),
        }
    }
    let reason = format!("more than {MAX_TAGS} tags name each other");
    Err(VcsError::DamagedObject { hash: start, reason })
}

/// The tree of a commit.
pub(crate) fn tree_of(repo: &gix::Repository, commit: &ContentHash) -> Result<ContentHash, VcsError> {
    let object = find(repo, commit, Kind::Commit)?;
    let tree = CommitRefIter::from_bytes(&object.data, repo.object_hash()).tree_id();
    tree.map(|id| content_hash(id.as_bytes())).map_err(|error| damaged(commit, &error))
}

/// A parent of a commit, counted from 1; `None` when it has fewer.
pub(crate) fn parent_of(
    repo: &gix::Repository,
    commit: &ContentHash,
    number: usize,
) -> Result<Option<ContentHash>, VcsError> {
    let object = find(repo, commit, Kind::Commit)?;
    let mut parents = CommitRefIter::from_bytes(&object.data, repo.object_hash()).parent_ids();
    let parent = number.checked_sub(1).and_then(|index| parents.nth(index));
    Ok(parent.map(|id| content_hash(id.as_bytes())))
}

pub(crate) fn damaged(hash: &ContentHash, error: &gix::Error) -> VcsError {
    VcsError::DamagedObject { hash: *hash, reason: reason(error) }
}

pub(crate) fn wrong_kind(hash: &ContentHash, found: Kind, wanted: Kind) -> VcsError {
    VcsError::WrongKind { hash: *hash, found: kind_name(found), wanted: kind_name(wanted) }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Commit => "commit",
        Kind::Tree => "tree",
        Kind::Blob => "blob",
        Kind::Tag => "tag",
    }
}
