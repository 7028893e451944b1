//! How it is stored why a file is not indexed.

use cruxe_model::SkipReason;
use serde::{Deserialize, Serialize};

/// A reason as the list of a work tree's files has it: by number, because there only what a file holds leaves it out.
#[derive(Serialize, Deserialize)]
enum ByContent {
    Binary,
    TooLarge,
    Unreadable,
    LfsPointer,
}

impl From<SkipReason> for ByContent {
    fn from(reason: SkipReason) -> ByContent {
        match reason {
            SkipReason::Binary => ByContent::Binary,
            SkipReason::TooLarge => ByContent::TooLarge,
            SkipReason::LfsPointer => ByContent::LfsPointer,
            _ => ByContent::Unreadable, // which is looked at again every time
        }
    }
}

impl From<ByContent> for SkipReason {
    fn from(reason: ByContent) -> SkipReason {
        match reason {
            ByContent::Binary => SkipReason::Binary,
            ByContent::TooLarge => SkipReason::TooLarge,
            ByContent::Unreadable => SkipReason::Unreadable,
            ByContent::LfsPointer => SkipReason::LfsPointer,
        }
    }
}

/// Stores a version, or the number of the reason why there is none.
pub(crate) mod version_or_number {
    use cruxe_model::{SkipReason, VersionId};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::ByContent;

    pub fn serialize<S: Serializer>(version: &Result<VersionId, SkipReason>, to: S) -> Result<S::Ok, S::Error> {
        version.map_err(ByContent::from).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Result<VersionId, SkipReason>, D::Error> {
        Ok(Result::<VersionId, ByContent>::deserialize(from)?.map_err(SkipReason::from))
    }
}

#[cfg(test)]
mod tests {
    use cruxe_model::RepoPath;

    use super::*;

    #[test]
    fn reasons_are_stored_as_their_words_and_unknown_words_are_read() {
        for reason in SkipReason::ALL {
            let stored = postcard::to_stdvec(&reason).unwrap();
            assert_eq!(stored, postcard::to_stdvec(reason.as_str()).unwrap());
            assert_eq!(postcard::from_bytes::<SkipReason>(&stored).unwrap(), reason);
        }
        let path = RepoPath::parse("a.rs").unwrap();
        let list = postcard::to_stdvec(&vec![(&path, "a reason of a later version")]).unwrap();
        assert_eq!(postcard::from_bytes::<Vec<(RepoPath, SkipReason)>>(&list).unwrap(), [(path, SkipReason::Unknown)]);
    }

    #[test]
    fn what_a_file_holds_is_stored_as_a_number() {
        #[derive(Serialize, Deserialize)]
        struct Entry(#[serde(with = "version_or_number")] Result<u32, SkipReason>);
        let reasons = [SkipReason::Binary, SkipReason::TooLarge, SkipReason::Unreadable, SkipReason::LfsPointer];
        for (number, reason) in reasons.into_iter().enumerate() {
            let stored = postcard::to_stdvec(&Entry(Err(reason))).unwrap();
            assert_eq!(stored, [1, number as u8]);
            assert_eq!(postcard::from_bytes::<Entry>(&stored).unwrap().0, Err(reason));
        }
        assert_eq!(postcard::to_stdvec(&Entry(Ok(5))).unwrap(), [0, 5]);
    }
}
