//! Past forms of verbs that no rule of spelling leads back: who asks how arrows are bound looks for what binds them.
//!
//! Only forms that code would not use for something else: `left`, `led`, `ground`, `saw` and their like are not here.

/// A verb with its past forms.
const VERBS: &[(&str, &[&str])] = &[
    ("begin", &["began", "begun"]),
    ("bend", &["bent"]),
    ("bind", &["bound"]),
    ("break", &["broke", "broken"]),
    ("bring", &["brought"]),
    ("build", &["built"]),
    ("buy", &["bought"]),
    ("catch", &["caught"]),
    ("choose", &["chose", "chosen"]),
    ("deal", &["dealt"]),
    ("draw", &["drew", "drawn"]),
    ("drive", &["drove", "driven"]),
    ("feed", &["fed"]),
    ("find", &["found"]),
    ("forget", &["forgot", "forgotten"]),
    ("freeze", &["froze", "frozen"]),
    ("give", &["gave", "given"]),
    ("grow", &["grew", "grown"]),
    ("hide", &["hidden"]),
    ("hold", &["held"]),
    ("keep", &["kept"]),
    ("know", &["knew", "known"]),
    ("lay", &["laid"]),
    ("lend", &["lent"]),
    ("lose", &["lost"]),
    ("make", &["made"]),
    ("mean", &["meant"]),
    ("meet", &["met"]),
    ("pay", &["paid"]),
    ("run", &["ran"]),
    ("seek", &["sought"]),
    ("sell", &["sold"]),
    ("send", &["sent"]),
    ("show", &["shown"]),
    ("shrink", &["shrank", "shrunk"]),
    ("sleep", &["slept"]),
    ("speak", &["spoke", "spoken"]),
    ("spend", &["spent"]),
    ("spin", &["spun"]),
    ("steal", &["stole", "stolen"]),
    ("strike", &["struck"]),
    ("sweep", &["swept"]),
    ("take", &["took", "taken"]),
    ("teach", &["taught"]),
    ("tell", &["told"]),
    ("throw", &["threw", "thrown"]),
    ("understand", &["understood"]),
    ("wake", &["woke", "woken"]),
    ("win", &["won"]),
    ("write", &["wrote", "written"]),
];

/// Returns the verb that a lower-case word is a past form of.
pub(super) fn verb(word: &str) -> Option<&'static str> {
    VERBS.iter().find(|(_, forms)| forms.contains(&word)).map(|(verb, _)| *verb)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn past_forms_lead_to_their_verb_and_other_words_nowhere() {
        for (form, want) in [("bound", "bind"), ("built", "build"), ("sent", "send"), ("written", "write")] {
            assert_eq!(verb(form), Some(want));
        }
        for word in ["bind", "bounds", "left", "Bound", "fond", ""] {
            assert_eq!(verb(word), None, "{word}");
        }
    }

    #[test]
    fn every_form_is_of_one_verb() {
        let forms: Vec<&str> = VERBS.iter().flat_map(|(_, forms)| forms.iter().copied()).collect();
        assert_eq!(forms.iter().collect::<HashSet<_>>().len(), forms.len());
        assert!(VERBS.is_sorted() && VERBS.iter().all(|(verb, forms)| !forms.contains(verb)));
    }
}
