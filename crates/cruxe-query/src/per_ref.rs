//! What is derived from a whole ref and kept for the next question about it.

use std::sync::Arc;

use cruxe_store::{RefSnapshot, StoreError};
use parking_lot::Mutex;

/// How many refs are kept. Work is on a few at a time, and what is kept of one has a megabyte or more where a repository is
/// large: a server that was asked about two hundred commits held them all.
const MAX_REFS: usize = 4;

/// Something by ref, as of the publish in which it was derived; that of the refs that were asked about last.
pub(crate) struct PerRef<T> {
    /// Ref, publish and what was derived, the last used one last.
    kept: Mutex<Vec<(String, i64, Arc<T>)>>,
}

impl<T> Default for PerRef<T> {
    fn default() -> PerRef<T> {
        PerRef { kept: Mutex::default() }
    }
}

impl<T> PerRef<T> {
    /// What is kept of a ref, or made of it now.
    pub fn get(&self, of: &RefSnapshot, make: impl FnOnce() -> Result<T, StoreError>) -> Result<Arc<T>, StoreError> {
        self.get_as_of(&of.state.name, of.as_of(), make)
    }

    fn get_as_of(
        &self,
        name: &str,
        as_of: i64,
        make: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<Arc<T>, StoreError> {
        {
            let mut kept = self.kept.lock();
            if let Some(at) = kept.iter().position(|(of, published, _)| of == name && *published == as_of) {
                let used = kept.remove(at);
                let value = Arc::clone(&used.2);
                kept.push(used);
                return Ok(value);
            }
        }
        let value = Arc::new(make()?);
        let mut kept = self.kept.lock();
        kept.retain(|(of, ..)| of != name);
        if kept.len() >= MAX_REFS {
            kept.remove(0);
        }
        kept.push((name.to_owned(), as_of, Arc::clone(&value)));
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(cache: &PerRef<String>, name: &str, as_of: i64) -> String {
        cache.get_as_of(name, as_of, || Ok(format!("{name} as of {as_of}"))).unwrap().to_string()
    }

    fn made(cache: &PerRef<String>, name: &str, as_of: i64) -> bool {
        let mut made = false;
        cache
            .get_as_of(name, as_of, || {
                made = true;
                Ok(String::new())
            })
            .unwrap();
        made
    }

    #[test]
    fn a_ref_is_derived_once_for_each_publish() {
        let cache = PerRef::default();
        assert_eq!(get(&cache, "main", 1), "main as of 1");
        assert!(!made(&cache, "main", 1));
        assert_eq!(get(&cache, "main", 2), "main as of 2");
        assert_eq!(cache.kept.lock().len(), 1, "the publish before is gone");
    }

    #[test]
    fn the_refs_that_were_used_last_are_kept() {
        let cache = PerRef::default();
        for number in 0..MAX_REFS {
            get(&cache, &number.to_string(), 1);
        }
        get(&cache, "0", 1);
        get(&cache, "another", 1);
        assert_eq!(cache.kept.lock().len(), MAX_REFS);
        assert!(!made(&cache, "0", 1));
        assert!(made(&cache, "1", 1), "it was used longest ago");
    }
}
