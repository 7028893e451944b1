//! Signals that would end the process where an error will do.
//!
//! Everything of an index is read, not mapped, so that a file that somebody cuts is an error like any other. One file is mapped
//! all the same, by SQLite itself: `…-shm`, in which connections agree on how far the log goes. If that one is cut under a
//! running server, the system ends whoever looks into it next.

/// Prepares the process.
pub(crate) fn survive() {
    #[cfg(target_os = "linux")]
    linux::survive();
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)] // there is no other way to handle a signal that a memory access raises
mod linux {
    use std::ffi::{c_int, c_void};
    use std::mem::MaybeUninit;

    pub fn survive() {
        // SAFETY: both calls set how a signal is handled; the handler below calls nothing but system calls.
        unsafe {
            // Past `ulimit -f` a write then fails with an error.
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
            let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
            action.sa_sigaction = on_bus_error as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
            // On the thread's own stack: it is not what failed, and the other one is too small for a line.
            action.sa_flags = libc::SA_SIGINFO;
            libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut());
        }
    }

    /// Stretches the file to its former length: it reads as zeros then, and SQLite, which finds no valid state in it, makes it
    /// anew from the log. Whatever else raised the signal ends the process as ever.
    extern "C" fn on_bus_error(_: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
        // SAFETY: the system hands over a valid `info`; what follows are system calls on memory of this stack frame.
        unsafe {
            let errno = *libc::__errno_location();
            if !((*info).si_code == libc::BUS_ADRERR && stretch((*info).si_addr() as usize)) {
                libc::signal(libc::SIGBUS, libc::SIG_DFL);
            }
            *libc::__errno_location() = errno;
        }
    }

    /// The longest line of the list of mappings that is understood: a longer path is not one of ours.
    const LINE: usize = 4608;

    /// Finds the mapped file at an address and stretches it over that address, if it is one of SQLite's.
    unsafe fn stretch(address: usize) -> bool {
        let maps = unsafe { libc::open(c"/proc/self/maps".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
        if maps < 0 {
            return false;
        }
        let (mut line, mut length, mut found) = ([0u8; LINE], 0usize, false);
        let mut buffer = [0u8; 512];
        'reading: loop {
            let read = unsafe { libc::read(maps, buffer.as_mut_ptr().cast(), buffer.len()) };
            if read <= 0 {
                break;
            }
            for byte in buffer.iter().take(read as usize) {
                if *byte != b'\n' {
                    if length < LINE - 1 {
                        line[length] = *byte;
                        length += 1;
                    }
                    continue;
                }
                line[length] = 0;
                if let Some((path, end)) = mapping(&line[..length], address) {
                    found = unsafe { lengthen(line.as_ptr().add(path), end) };
                    break 'reading;
                }
                length = 0;
            }
        }
        unsafe { libc::close(maps) };
        found
    }

    unsafe fn lengthen(path: *const u8, to: i64) -> bool {
        unsafe {
            let file = libc::open(path.cast(), libc::O_RDWR | libc::O_CLOEXEC | libc::O_NOFOLLOW);
            if file < 0 {
                return false;
            }
            let mut stat: libc::stat = MaybeUninit::zeroed().assume_init();
            let done = libc::fstat(file, &mut stat) == 0 && (stat.st_size >= to || libc::ftruncate(file, to) == 0);
            libc::close(file);
            done
        }
    }

    /// Where the path begins in a line of the list of mappings, and where in the file the mapping ends; `None` unless the
    /// address lies in it and it is the file of which SQLite maps a part.
    fn mapping(line: &[u8], address: usize) -> Option<(usize, i64)> {
        let number = |text: &[u8]| {
            text.iter().try_fold(0usize, |sum, digit| {
                let digit = (*digit as char).to_digit(16)?;
                sum.checked_mul(16)?.checked_add(digit as usize)
            })
        };
        let mut fields = line.split(|byte| *byte == b' ').filter(|field| !field.is_empty());
        let (range, _, offset) = (fields.next()?, fields.next()?, fields.next()?);
        let dash = range.iter().position(|byte| *byte == b'-')?;
        let (start, end) = (number(&range[..dash])?, number(&range[dash + 1..])?);
        let path = line.iter().position(|byte| *byte == b'/')?;
        let ours = (start..end).contains(&address) && line.ends_with(b".db-shm");
        ours.then(|| Some((path, i64::try_from(number(offset)?.checked_add(end - start)?).ok()?)))?
    }

    #[cfg(test)]
    mod tests {
        use super::mapping;

        #[test]
        fn only_the_file_that_sqlite_maps_is_touched() {
            let line = b"7f00aa000000-7f00aa008000 rw-s 00010000 fe:00 1234   /home/me/a b/g1/facts.db-shm";
            let path = line.iter().position(|byte| *byte == b'/').unwrap();
            assert_eq!(mapping(line, 0x7f00_aa00_0000), Some((path, 0x18000)));
            assert_eq!(mapping(line, 0x7f00_aa00_7fff), Some((path, 0x18000)));
            assert_eq!(mapping(line, 0x7f00_aa00_8000), None);
            assert_eq!(
                mapping(b"7f00aa000000-7f00aa008000 r--p 00000000 fe:00 1 /usr/lib/libc.so", 0x7f00_aa00_0000),
                None
            );
            assert_eq!(mapping(b"7f00aa000000-7f00aa008000 rw-p 00000000 00:00 0", 0x7f00_aa00_0000), None);
            assert_eq!(mapping(b"nonsense /x.db-shm", 1), None);
        }
    }
}
