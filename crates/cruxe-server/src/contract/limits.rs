//! How often the deck's tools may be called where no configuration says otherwise.

use cruxe_deck::config::{Limited, RateLimit};

use super::names;

/// The tools whose calls can be limited, with their limits.
pub const LIMITED: &[Limited] = &[
    limited(names::READ_CONTEXT, 10, 15),
    limited(names::READ_DOC, 30, 50),
    limited(names::LIST_TASKS, 20, 30),
    limited(names::UPDATE_TASK, 10, 15),
    free(names::CREATE_TASK),
    free(names::GET_TASK_DEPENDENCIES),
    free(names::VALIDATE_TASK_GRAPH),
];

const fn limited(name: &'static str, per_minute: u32, burst: u32) -> Limited {
    Limited { name, limit: Some(RateLimit { per_minute, burst }) }
}

const fn free(name: &'static str) -> Limited {
    Limited { name, limit: None }
}
