//! The allocator, and what it is told.

use std::ffi::{c_int, c_long};

use mimalloc::MiMalloc;

/// Trees and facts are millions of small pieces, made on one thread and dropped on another, which the system's allocators
/// are slow at. The feature `override` gives it to the C code of grammars, SQLite and zstd too.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// `mi_option_purge_delay`.
const PURGE_DELAY: c_int = 15;

/// Milliseconds after which a server with one client gives free pages back. The allocator takes ten times that for what
/// is large.
const SOON: c_long = 50;

/// Lets the allocator give pages back to the system as soon as they are free, for a server that many clients come to and leave:
/// otherwise it keeps what they needed at their most (200 clients for 40 s: 96 MB and growing, against 84 and level).
pub(crate) fn return_at_once() {
    set_purge_delay(0);
}

/// Lets the allocator give pages back a moment after they are free, for a server with one client. At once would cost time in
/// the middle of a question; by itself it waits ten seconds and for somebody to ask for more, so that a server that was
/// asked about commit after commit kept 40 MB that nobody used.
pub(crate) fn return_soon() {
    set_purge_delay(SOON);
}

/// Lets the allocator keep what is free, at the end of the program: the system takes all of it at once, and giving it back page by page
/// was a hundredth of an index run of tokio.
pub(crate) fn leave_to_the_system() {
    set_purge_delay(-1);
}

/// No package offers this as a safe call, and the environment, which the allocator reads as well, would have to be set
/// before the program starts.
fn set_purge_delay(milliseconds: c_long) {
    #[allow(unsafe_code)]
    {
        unsafe extern "C" {
            fn mi_option_set(option: c_int, value: c_long);
        }
        // SAFETY: a function of the allocator that this program is linked with; it sets a number, on any thread.
        unsafe { mi_option_set(PURGE_DELAY, milliseconds) }
    }
}
