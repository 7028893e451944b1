//! How work that nobody waits for any more learns of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::ToolError;

/// Tells running work that nobody waits for its outcome any more.
///
/// It is set when a client cancels its request and when the connection ends before the answer. It stays unset once the
/// answer is given, so that work which a call leaves in the background is not cancelled by its own answer.
#[derive(Clone, Debug, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Whether to stop.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns an error once nobody waits any more: loops ask it at every turn that costs something.
    pub fn check(&self) -> Result<(), ToolError> {
        if self.is_set() { Err(ToolError::internal("cancelled")) } else { Ok(()) }
    }

    /// Asks the work to stop.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
