//! Lists in pages.
//!
//! A cursor says after which entry to go on, not how many were sent: an entry that comes or goes between two pages
//! shifts nothing. To clients it is opaque; a few characters of a hash at its end tell ours from others.

use cruxe_model::ids;
use rmcp::model::ErrorData;

/// Entries of a page. Every list of tools and prompts fits into one: not every client asks for the second.
pub(crate) const PAGE: usize = 200;

/// One page of a list, and the cursor of the next.
pub(crate) struct Page<T> {
    pub entries: Vec<T>,
    pub next: Option<String>,
}

/// The page that a cursor asks for. `key` is unique, and the entries are in its order.
pub(crate) fn page<T>(
    list: &str,
    entries: Vec<T>,
    key: impl Fn(&T) -> String,
    cursor: Option<&str>,
) -> Result<Page<T>, ErrorData> {
    let start = match cursor {
        None => 0,
        Some(cursor) => {
            let after = read(list, cursor).ok_or_else(|| {
                let problem = format!("`cursor` is none that {list} gave out. Call it again without one.");
                ErrorData::invalid_params(problem, None)
            })?;
            entries.partition_point(|entry| key(entry) <= after)
        }
    };
    let more = entries.len() > start + PAGE;
    let entries: Vec<T> = entries.into_iter().skip(start).take(PAGE).collect();
    let next = entries.last().filter(|_| more).map(|last| write(list, &key(last)));
    Ok(Page { entries, next })
}

fn write(list: &str, key: &str) -> String {
    let hex: String = key.bytes().map(|byte| format!("{byte:02x}")).collect();
    format!("{hex}.{}", ids::short_hash(&format!("{list}\0{key}")))
}

fn read(list: &str, cursor: &str) -> Option<String> {
    let (hex, _) = cursor.split_once('.')?;
    let digits = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..hex.len()).step_by(2).map(digits).collect();
    let key = String::from_utf8(bytes?).ok()?;
    (write(list, &key) == cursor).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize) -> Vec<usize> {
        (1000..1000 + count).collect()
    }

    fn pages(count: usize) -> Vec<usize> {
        let (mut cursor, mut sizes) = (None::<String>, Vec::new());
        loop {
            let page = page("list", numbers(count), usize::to_string, cursor.as_deref()).unwrap();
            sizes.push(page.entries.len());
            match page.next {
                Some(next) => cursor = Some(next),
                None => return sizes,
            }
        }
    }

    #[test]
    fn every_entry_is_on_one_page_and_the_last_page_has_no_cursor() {
        assert_eq!(pages(0), [0]);
        assert_eq!(pages(PAGE), [PAGE]);
        assert_eq!(pages(2 * PAGE + 1), [PAGE, PAGE, 1]);
    }

    #[test]
    fn an_entry_that_goes_between_two_pages_hides_no_other() {
        let first = page("list", numbers(300), usize::to_string, None).unwrap();
        let second = page("list", numbers(300)[5..].to_vec(), usize::to_string, first.next.as_deref()).unwrap();
        assert_eq!(second.entries.first(), Some(&1200));
    }

    #[test]
    fn a_cursor_of_somebody_else_is_refused() {
        let own = page("list", numbers(300), usize::to_string, None).unwrap().next.unwrap();
        for cursor in ["", ".", "x", "31.", "zz.abc", "ü.x", &own[1..], &own[..own.len() - 1]] {
            let refused = page("list", numbers(3), usize::to_string, Some(cursor)).err().unwrap();
            assert_eq!(refused.code.0, -32602, "{cursor}");
        }
        assert!(page("another list", numbers(3), usize::to_string, Some(&own)).is_err());
    }
}
