//! What questions derive from an index and keep in memory as long as it is open.

use std::any::Any;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

/// Names something that is kept with what it was derived from: a `static` of whoever keeps it, and the only way to it. So two
/// users cannot get hold of each other's, whatever they keep.
pub struct Cache<T> {
    holds: &'static str,
    kept: PhantomData<fn() -> T>,
}

impl<T> Cache<T> {
    /// A cache; `holds` says of what, for logs.
    pub const fn of(holds: &'static str) -> Cache<T> {
        Cache { holds, kept: PhantomData }
    }

    /// Statics have addresses of their own, as long as they have a size.
    fn key(&'static self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

/// The caches of one owner.
#[derive(Default)]
pub(crate) struct Caches {
    kept: Mutex<HashMap<usize, Arc<dyn Any + Send + Sync>>>,
}

impl Caches {
    /// What a cache holds. It is made when it is first asked for; whoever asks meanwhile waits.
    pub fn get<T: Send + Sync + 'static>(&self, cache: &'static Cache<T>, make: impl FnOnce() -> T) -> Arc<T> {
        let mut kept = self.kept.lock();
        let slot = kept.entry(cache.key()).or_insert_with(|| Arc::new(OnceLock::<Arc<T>>::new())).clone();
        drop(kept);
        let make = || {
            tracing::debug!("makes {}", cache.holds);
            Arc::new(make())
        };
        match slot.downcast_ref::<OnceLock<Arc<T>>>() {
            Some(slot) => Arc::clone(slot.get_or_init(make)),
            None => make(), // a static has one type
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static ONE: Cache<Vec<u8>> = Cache::of("one");
    static OTHER: Cache<Vec<u8>> = Cache::of("other");

    #[test]
    fn caches_of_one_type_are_apart_and_each_is_made_once() {
        let caches = Caches::default();
        assert_eq!(*caches.get(&ONE, || vec![1]), [1]);
        assert_eq!(*caches.get(&OTHER, || vec![2]), [2]);
        assert_eq!(*caches.get(&ONE, || vec![3]), [1]);
        assert_eq!(*Caches::default().get(&ONE, || vec![4]), [4], "another owner");
    }
}
