//! The addresses of pages. Whatever a path or a name holds, it is one part of an address and nothing else.

use std::cell::RefCell;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

const PART: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const PATH: &AsciiSet = &PART.remove(b'/');

thread_local! {
    static BELOW: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Makes something whose addresses all lie below a place. It is known to the thread that makes it: every function that makes a
/// link would have to be handed it otherwise, and one that forgot it would lead into another repository.
pub(crate) fn below<T>(place: &str, make: impl FnOnce() -> T) -> T {
    let before = BELOW.replace(place.to_owned());
    let made = make();
    BELOW.replace(before);
    made
}

/// The address of a page.
pub(crate) fn page(path: &str) -> String {
    BELOW.with_borrow(|below| format!("{below}{path}"))
}

/// What the addresses of a team's repository begin with.
pub(crate) fn repository(name: &str) -> String {
    format!("/repo/{}/-", utf8_percent_encode(name, PATH))
}

/// One part of an address.
pub(crate) fn part(text: &str) -> String {
    utf8_percent_encode(text, PART).to_string()
}

/// The address of a page with the parameters that say something.
pub(crate) fn with(path: &str, parameters: &[(&str, &str)]) -> String {
    let base = page(path);
    let said = parameters.iter().filter(|(_, value)| !value.is_empty());
    let pairs: Vec<String> = said.map(|(name, value)| format!("{name}={}", part(value))).collect();
    if pairs.is_empty() { base } else { format!("{base}?{}", pairs.join("&")) }
}

/// The page of a file, at some lines where they are known.
pub(crate) fn file(path: &str, ref_name: Option<&str>, lines: Option<(u64, u64)>) -> String {
    let base = format!("/file/{}", utf8_percent_encode(path, PATH));
    let page = with(&base, &[("ref", ref_name.unwrap_or_default())]);
    match lines {
        Some((first, last)) if last > first => format!("{page}#L{first}-L{last}"),
        Some((first, _)) => format!("{page}#L{first}"),
        None => page,
    }
}

/// The page of a symbol, by handle or name.
pub(crate) fn symbol(handle: &str, ref_name: Option<&str>) -> String {
    with(&format!("/symbol/{}", part(handle)), &[("ref", ref_name.unwrap_or_default())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_kind_are_one_part_of_an_address() {
        assert_eq!(file("a b/<c>.py", None, Some((3, 9))), "/file/a%20b/%3Cc%3E.py#L3-L9");
        assert_eq!(file("a.py", Some("feat/x"), Some((3, 3))), "/file/a.py?ref=feat%2Fx#L3");
        assert_eq!(symbol("A::b?\"", None), "/symbol/A%3A%3Ab%3F%22");
        assert_eq!(with("/search", &[("q", "a&b"), ("kind", "")]), "/search?q=a%26b");
    }

    #[test]
    fn below_a_repository_every_address_is_its_own() {
        let inside = below(&repository("org/app"), || (page("/status"), file("a.py", None, None), symbol("a", None)));
        let expected = ["/status", "/file/a.py", "/symbol/a"].map(|path| format!("/repo/org/app/-{path}"));
        assert_eq!([inside.0, inside.1, inside.2], expected);
        assert_eq!(page("/status"), "/status", "and afterwards no longer");
    }
}
