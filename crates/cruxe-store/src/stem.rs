//! Brings forms of an English word together: `caches`, `cached` and `caching` are all `cach`.
//!
//! Light on purpose. It takes off plurals, `-ing`, `-ed` and a last `e`, and leaves what makes another word (`parser`,
//! `validation`) alone: in code those are other things.

/// Shortens a lower-case word in place. Words that are not ASCII letters throughout stay as they are.
pub(crate) fn stem(word: &mut String) {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    // Most words have none of these endings, and their last letter tells.
    if word.ends_with(['s', 'd']) {
        plural(word);
    }
    while word.ends_with(['g', 'd']) && past_or_progressive(word) {}
    if word.len() > 3 && word.ends_with('e') {
        word.pop();
    }
}

fn plural(word: &mut String) {
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    if word.len() > 4 && ends(&["ies", "ied"]) {
        word.truncate(word.len() - 3);
        word.push('y');
    } else if ends(&["sses", "xes", "ches", "shes", "zes"]) {
        word.truncate(word.len() - 2);
    } else if ends(&["s"]) && !ends(&["ss", "us", "is"]) {
        word.pop();
    }
}

/// Takes off `-ing` or `-ed` where a word with a vowel is left; says whether it did.
fn past_or_progressive(word: &mut String) -> bool {
    let Some(ending) = ["ing", "ed"].into_iter().find(|ending| word.ends_with(ending)) else { return false };
    let rest = &word.as_bytes()[..word.len() - ending.len()];
    let vowel = rest.iter().any(|byte| b"aeiouy".contains(byte));
    if rest.len() < 3 || !vowel || word.ends_with("eed") {
        return false;
    }
    let [.., before, last] = *rest else { return false };
    let doubled = before == last && !b"lsz".contains(&last);
    word.truncate(word.len() - ending.len() - usize::from(doubled));
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stemmed(word: &str) -> String {
        let mut word = word.to_owned();
        stem(&mut word);
        word
    }

    #[test]
    fn forms_of_a_word_meet() {
        let together = |words: &str| {
            let stems: std::collections::BTreeSet<String> = words.split(' ').map(stemmed).collect();
            assert_eq!(stems.len(), 1, "{words}: {stems:?}");
        };
        together("cache caches cached caching");
        together("query queries queried");
        together("parse parses parsed parsing");
        together("embed embeds embedded embedding embeddings");
        together("match matches matched matching");
        together("size sizes sized sizing");
        together("run runs running");
        together("class classes");
        together("need needs needed");
        together("middleware middlewares");
    }

    #[test]
    fn other_words_stay_apart() {
        for (a, b) in [("parse", "parser"), ("string", "str"), ("status", "stat"), ("bus", "bu"), ("validate", "valid")]
        {
            assert_ne!(stemmed(a), stemmed(b));
        }
    }

    #[test]
    fn what_is_no_english_word_is_left_alone() {
        for word in ["", "ed", "ing", "used", "v2s", "größen", "日本語", "http2ing"] {
            assert_eq!(stemmed(word), word);
        }
    }
}
