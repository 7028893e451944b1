//! Brings words together that English makes of one: `validate`, `validator` and `validation` are all `valid`.
//!
//! Coarser than the stems of the text index, where a parser and what is parsed are two things. A file's name is different: who asks
//! how something is routed or compiled means `router.py` and `Compiler.php`.

/// Endings that make another word of a stem, each with how much of the word has to be left: one of these first, then those that may
/// stand before it.
const LAST: &[(&str, usize)] = &[("ment", 4), ("ion", 4), ("er", 4), ("or", 4), ("abl", 4), ("ibl", 4), ("iv", 5)];
const BEFORE: &[(&str, usize)] = &[("at", 5), ("iz", 4)];

/// Returns the root of a word that is stemmed already.
pub(super) fn root(stem: &str) -> &str {
    if !stem.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return stem;
    }
    let mut word = without(stem, LAST);
    for ending in BEFORE {
        word = without(word, std::slice::from_ref(ending));
    }
    match word.as_bytes() {
        [_, .., before, last] if word.len() > 3 && before == last && !b"lsz".contains(last) => &word[..word.len() - 1],
        _ => word,
    }
}

fn without<'w>(word: &'w str, endings: &[(&str, usize)]) -> &'w str {
    let rest = |(ending, least): &(&str, usize)| word.strip_suffix(ending).filter(|rest| rest.len() >= *least);
    endings.iter().find_map(rest).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::root;
    use cruxe_store::tokens;

    fn roots(words: &str) -> Vec<String> {
        let mut roots: Vec<String> = tokens(words).iter().map(|stem| root(stem).to_owned()).collect();
        roots.sort();
        roots.dedup();
        roots
    }

    #[test]
    fn what_is_made_of_one_word_meets() {
        for words in [
            "route routes routing router routers",
            "validate validation validator validators",
            "serialize serializer serialization",
            "compile compiler compilation",
            "map mapper mapping",
            "iterate iterator iteration",
            "connect connection connector connected",
            "configure configuration configured",
            "recursive recursion",
        ] {
            assert_eq!(roots(words).len(), 1, "{words}: {:?}", roots(words));
        }
    }

    #[test]
    fn short_words_and_what_is_no_word_stay_apart() {
        for words in ["form format", "time timer", "opt option", "col color", "arch archive", "use user", "tab table"] {
            assert_eq!(roots(words).len(), 2, "{words}: {:?}", roots(words));
        }
        assert_eq!([root("größer"), root("utf8_decoder"), root("")], ["größer", "utf8_decoder", ""]);
    }
}
