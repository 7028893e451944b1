//! A query taken apart: the words that count, the names, the phrases, the places.

use std::borrow::Cow;
use std::collections::HashSet;

use cruxe_store::tokens;

use super::Notice;
use super::intent::{self, Intent, classify};
use super::irregular;
use super::pattern::pattern;
use super::report::excerpt::{MAX_TEXT, apart};
use super::report::{Report, is_report};
use crate::name::{self, WantedName};

/// More different words than this add nothing but time.
const MAX_WORDS: usize = 64;
/// A name in a query has at most so many letters.
const MAX_NAME: usize = 200;
/// Names beyond this number are not looked up.
const MAX_NAMES: usize = 24;
/// Of a longer phrase its beginning is looked for: no two texts have so much in common by chance, and a phrase that is
/// longer than a chunk would be found nowhere.
const MAX_PHRASE: usize = 200;
/// Phrases beyond this number are not looked for.
const MAX_PHRASES: usize = 16;

/// A query taken apart.
#[derive(Debug)]
pub struct Query {
    /// As it was asked, or its beginning and end.
    pub text: String,
    /// What the reader should know of what was left out.
    pub left_out: Vec<Notice>,
    /// What it asks for.
    pub intent: Intent,
    /// Tokens to look for, each once; without stop words unless there is nothing else.
    pub words: Vec<String>,
    /// What the words would be called in code: `rate limit` as `ratelimit` and `rate_limit`, `bound` as `bind`.
    pub compounds: Vec<String>,
    /// Words that may be names of definitions.
    pub names: Vec<QueryName>,
    /// What stood in quotes, where that is what is asked for: quotes inside a message are part of the message.
    pub phrases: Vec<String>,
    /// Places that a stack trace or the query itself names.
    pub places: Vec<(String, Option<u32>)>,
    /// What was pasted, taken apart, where it has several lines; it is not searched for as a message or phrase then.
    pub report: Option<Report>,
    /// Tests, examples, documents are asked for and not less welcome than other code.
    pub wants: Wants,
}

/// A word that may be a name.
#[derive(Debug, PartialEq)]
pub struct QueryName {
    /// The name.
    pub wanted: WantedName,
    /// It can be nothing else: `camelCase`, `snake_case`, in backticks, or the whole query.
    pub sure: bool,
}

/// Which secondary files a query asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// Tests.
    pub tests: bool,
    /// Tests before anything else: they are what is asked for.
    pub tests_first: bool,
    /// Examples and benchmarks.
    pub examples: bool,
    /// Documents.
    pub documents: bool,
}

impl Query {
    /// Takes a query apart.
    pub fn parse(whole: &str) -> Query {
        let text = &*ends(whole);
        let mut left_out = Vec::new();
        let report = is_report(whole).then(|| Report::read(whole));
        match &report {
            Some(report) if report.cut => left_out.push(Notice::LongReport { bytes: whole.len(), used: MAX_TEXT }),
            None if text.len() < whole.len() => {
                left_out.push(Notice::LongQuery { bytes: whole.len(), used: MAX_TEXT / 2 });
            }
            _ => {}
        }
        let intent = classify(text);
        let apart = match intent {
            Intent::Symbol | Intent::Path => Cow::Borrowed(text),
            Intent::Error | Intent::NaturalLanguage => apart(text),
        };
        let words = words(&apart);
        Query {
            intent,
            compounds: compounds(text),
            names: names(report.as_ref().map_or(&apart, |report| &report.prose), intent, words.len()),
            phrases: if report.is_some() { Vec::new() } else { phrases(text, &mut left_out) },
            report,
            places: places(text),
            wants: wants(text),
            words,
            text: text.to_owned(),
            left_out,
        }
    }
}

/// A text, or the beginning and the end of one that is too long.
fn ends(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_TEXT {
        return Cow::Borrowed(text);
    }
    let (head, tail) = (text.floor_char_boundary(MAX_TEXT / 2), text.ceil_char_boundary(text.len() - MAX_TEXT / 2));
    Cow::Owned(format!("{}\n{}", &text[..head], &text[tail..]))
}

fn words(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let all: Vec<String> = tokens(text).into_iter().filter(|token| seen.insert(token.clone())).collect();
    let mut telling: Vec<String> = all.iter().filter(|token| !is_stop_word(token)).cloned().collect();
    if telling.is_empty() {
        telling = all;
    }
    telling.truncate(MAX_WORDS);
    telling
}

/// Words that say nothing about code, by their stems.
pub(super) fn is_stop_word(token: &str) -> bool {
    STOP_WORDS.contains(&token)
}

#[rustfmt::skip]
const STOP_WORDS: &[&str] = &[
    "a", "about", "again", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "between", "both", "by",
    "can", "could", "did", "do", "doe", "does", "each", "for", "from", "had", "ha", "has", "hav", "have", "her", "here",
    "how", "i", "if", "in", "into", "is", "it", "its", "just", "may", "might", "mor", "more", "most", "must", "my", "no",
    "nor", "not", "of", "on", "onto", "onli", "only", "or", "other", "our", "out", "over", "own", "same", "sam", "shall",
    "should", "so", "som", "some", "such", "than", "that", "the", "their", "then", "ther", "there", "thes", "these",
    "they", "thi", "this", "thos", "those", "to", "too", "under", "up", "us", "use", "used", "using", "very", "via",
    "was", "wa", "we", "wer", "were", "what", "when", "wher", "where", "which", "who", "whos", "whose", "why", "will",
    "with", "within", "work", "would", "you", "your",
];

/// The words of a text as they are written, letters, digits and underscores.
fn plain_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

fn compounds(text: &str) -> Vec<String> {
    let lower: Vec<String> = plain_words(text).take(MAX_WORDS).map(str::to_lowercase).collect();
    let mut found = Vec::new();
    for pair in lower.windows(2) {
        let [a, b] = pair else { continue };
        let says_nothing = |word: &str| is_stop_word(word) || word.chars().all(|c| c.is_ascii_digit());
        if says_nothing(a) || says_nothing(b) {
            continue;
        }
        let singular = b.strip_suffix('s').filter(|rest| rest.len() > 2 && !rest.ends_with('s'));
        for b in [Some(b.as_str()), singular].into_iter().flatten() {
            found.extend([format!("{a}{b}"), format!("{a}_{b}")]);
        }
    }
    if lower.len() > 1 {
        found.extend(lower.iter().filter_map(|word| irregular::verb(word)).flat_map(tokens));
    }
    let mut seen = HashSet::new();
    found.retain(|word| seen.insert(word.clone()));
    found
}

fn names(text: &str, intent: Intent, words: usize) -> Vec<QueryName> {
    let in_backticks: HashSet<&str> = pattern!(r"`([^`\s]+)`")[0]
        .captures_iter(text)
        .filter_map(|found| found.get(1))
        .map(|found| found.as_str())
        .collect();
    let (mut names, mut seen) = (Vec::new(), HashSet::new());
    for found in pattern!(r"[\p{L}_$][\w$]*(?:(?:::|\.|#|->)[\p{L}_$][\w$]*)*[!?]?(?:\(\))?")[0].find_iter(text) {
        let word = found.as_str();
        if word.len() > MAX_NAME || !seen.insert(word) {
            continue;
        }
        let wanted = name::parse(word.trim_end_matches('?'));
        let sure = intent == Intent::Symbol && words > 0 || in_backticks.contains(word) || intent::is_surely_name(word);
        let short = wanted.plain.chars().count() < 3 && !sure;
        let plain_word = wanted.qualifiers.is_empty() && is_stop_word(&wanted.plain.to_lowercase());
        let name = QueryName { wanted, sure };
        if !short && !plain_word && !names.contains(&name) {
            names.push(name);
        }
    }
    names.sort_by_key(|name: &QueryName| !name.sure);
    names.truncate(MAX_NAMES);
    names
}

fn phrases(text: &str, left_out: &mut Vec<Notice>) -> Vec<String> {
    let quoted = pattern!(r#""([^"]*)"|“([^”]*)”"#);
    let mut phrases: Vec<String> = quoted[0]
        .captures_iter(text)
        .filter_map(|found| found.get(1).or(found.get(2)))
        .map(|found| found.as_str().trim().to_owned())
        .filter(|phrase| phrase.chars().any(char::is_alphanumeric))
        .collect();
    phrases.dedup();
    let outside = quoted[0].replace_all(text, " ");
    if plain_words(&outside).count() > MAX_WORDS_BESIDE_PHRASE {
        return Vec::new();
    }
    if phrases.len() > MAX_PHRASES {
        left_out.push(Notice::ManyPhrases { given: phrases.len(), used: MAX_PHRASES });
        phrases.truncate(MAX_PHRASES);
    }
    if phrases.iter().any(|phrase| phrase.len() > MAX_PHRASE) {
        left_out.push(Notice::LongPhrase { used: MAX_PHRASE });
        phrases.iter_mut().for_each(shorten);
    }
    phrases
}

/// Keeps the beginning of a phrase, in whole words where it has any.
fn shorten(phrase: &mut String) {
    if phrase.len() > MAX_PHRASE {
        phrase.truncate(phrase.floor_char_boundary(MAX_PHRASE));
        let whole_words = phrase.rfind(char::is_whitespace).filter(|at| *at > MAX_PHRASE / 2);
        phrase.truncate(whole_words.unwrap_or(phrase.len()));
    }
}

/// With more words than this around them, quotes are part of a message.
const MAX_WORDS_BESIDE_PHRASE: usize = 3;

fn places(text: &str) -> Vec<(String, Option<u32>)> {
    let frames = pattern!(r#"File "([^"]+)", line (\d+)"#, r"([\w./\\~@+-]*[\w-]\.\w{1,8})(?::|\()(\d+)");
    let mut places: Vec<(String, Option<u32>)> = Vec::new();
    for found in frames.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let (Some(path), Some(line)) = (found.get(1), found.get(2)) else { continue };
        let path = path.as_str().replace('\\', "/");
        let place = (path, line.as_str().parse().ok());
        if path_is_telling(&place.0) && !places.contains(&place) {
            places.push(place);
        }
    }
    places.truncate(64);
    places
}

/// `127.0.0.1:80` and `v1.2:3` are no files.
fn path_is_telling(path: &str) -> bool {
    path.rsplit('.').next().is_some_and(|extension| extension.chars().all(|c| c.is_ascii_alphabetic()))
}

fn wants(text: &str) -> Wants {
    let found = pattern!(
        r"(?i)\b(?:unit[- ])?(?:tests?|testing|tested|specs?|mocks?|fixtures?)\b",
        r"(?i)\b(?:examples?|samples?|demos?|bench\w*)\b",
        r"(?i)\b(?:docs?|documentation|documents?|readme|guide|tutorial|changelog|markdown)\b",
    );
    let wants = |at: usize| found.get(at).is_some_and(|pattern| pattern.is_match(text));
    let tests_first = wants(0) && asks_for_tests(text);
    Wants { tests: wants(0), tests_first, examples: wants(1), documents: wants(2) }
}

/// Whether a question is for tests themselves: who asks about a test client, or how tests are run, looks for source.
fn asks_for_tests(text: &str) -> bool {
    pattern!(
        r"(?i)^(?:(?:show|find|list|where|which|what|are|is|me|the|all|any|there|existing|unit|integration|regression)[ -]+)*(?:tests?|test cases?|specs?)\s+(?:of|for|that|which|covering|cover|covers|about|check|checks|checking)\b",
        r"(?i)\b(?:is|are|was|were|gets?|being|been)\b.*\btested\b",
        r"(?i)^(?:[\w.:`]+ +){1,5}(?:unit |integration )?(?:tests|specs)\??$",
    )
    .iter()
    .any(|form| form.is_match(text.trim()))
        && !pattern!(r"(?i)\b(?:in|during|under|by|with|runs?|running|discovers?|collects?|skip\w*|parallel)\s+(?:\w+ )?tests?\b")[0].is_match(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_stems_without_those_that_say_nothing() {
        assert_eq!(Query::parse("where is rate limiting implemented").words, ["rat", "limit", "implement"]);
        assert_eq!(Query::parse("how does the").words, ["how", "doe", "the"], "nothing else is there");
        assert_eq!(Query::parse("").words, [""; 0]);
    }

    #[test]
    fn neighbours_are_read_as_one_name_too() {
        let compounds = Query::parse("the media types of a request").compounds;
        assert_eq!(compounds, ["mediatypes", "media_types", "mediatype", "media_type"]);
        assert_eq!(Query::parse("how are they written").compounds, ["writ"]);
        assert_eq!(Query::parse("found").compounds, [""; 0], "a name is meant as it is written");
    }

    #[test]
    fn names_among_words_are_seen() {
        let query = Query::parse("why does `JoinHandle::abort` not cancel blocking tasks in spawn_blocking");
        let sure: Vec<&str> =
            query.names.iter().filter(|name| name.sure).map(|name| name.wanted.plain.as_str()).collect();
        assert_eq!(sure, ["abort", "spawn_blocking"]);
        assert_eq!(query.names[0].wanted.qualifiers, ["JoinHandle"]);
        assert!(query.names.iter().any(|name| !name.sure && name.wanted.plain == "cancel"));
    }

    #[test]
    fn names_are_seen_among_letters_that_know_no_blanks() {
        let query = Query::parse("请问render_template在哪里实现？");
        assert!(query.words.contains(&"render_template".to_owned()), "{:?}", query.words);
        assert_eq!((query.names[0].wanted.plain.as_str(), query.names[0].sure), ("render_template", true));
        assert_eq!(Query::parse("用户ID").names[0].wanted.plain, "用户ID", "a name is left as it is");
    }

    #[test]
    fn quotes_are_phrases_and_unclosed_ones_are_text() {
        assert_eq!(Query::parse("PermissionError: \"signature mismatch\"").phrases, ["signature mismatch"]);
        let message = "TypeError: save() got an unexpected keyword argument \"foo\"";
        assert_eq!(Query::parse(message).phrases, [""; 0], "a message is not a phrase");
        assert_eq!(Query::parse("\"unclosed phrase").phrases, [""; 0]);
        assert_eq!(Query::parse("\"\" and \"--\"").phrases, [""; 0]);
    }

    #[test]
    fn of_a_long_text_both_ends_are_read_and_the_reader_is_told() {
        let text = format!("ValueError at startup {} PermissionError in check_token", "é filler".repeat(20_000));
        let query = Query::parse(&text);
        assert_eq!(query.left_out, [Notice::LongQuery { bytes: 180_053, used: 8192 }]);
        assert!(query.text.starts_with("ValueError at startup") && query.text.ends_with("in check_token"));
        assert_eq!(query.names[0].wanted.plain, "ValueError");
        assert!(query.names.iter().any(|name| name.wanted.plain == "check_token"));
        assert_eq!(Query::parse("short \"and quoted\"").left_out, []);
    }

    #[test]
    fn of_a_long_phrase_the_beginning_is_looked_for_in_whole_words() {
        let phrase = "too many requests ".repeat(4_000);
        let query = Query::parse(&format!("\"{phrase}\""));
        assert_eq!(query.phrases, [&phrase[..197]]);
        assert_eq!(query.left_out.len(), 2, "{:?}", query.left_out);
        assert_eq!(query.left_out[1], Notice::LongPhrase { used: 200 });
        assert_eq!(Query::parse(&format!("\"{}\"", "x".repeat(500))).phrases[0].len(), 200, "one word");
        let many: String = (0..40).map(|at| format!("\"phrase {at}\" ")).collect();
        assert_eq!(Query::parse(&many).phrases.len(), 16);
    }

    #[test]
    fn frames_of_traces_are_places() {
        let python = "Traceback:\n  File \"/app/py/service.py\", line 12, in check\nPermissionError: x";
        assert_eq!(Query::parse(python).places, [("/app/py/service.py".to_owned(), Some(12))]);
        let rust = "thread 'main' panicked at src/main.rs:14:9:\nconnect 127.0.0.1:80";
        assert_eq!(Query::parse(rust).places, [("src/main.rs".to_owned(), Some(14))]);
        assert_eq!(Query::parse("at foo (app.js:3:1)").places, [("app.js".to_owned(), Some(3))]);
    }

    #[test]
    fn tests_and_examples_are_asked_for_by_name() {
        assert!(Query::parse("how is the parser tested").wants.tests);
        assert!(!Query::parse("latest contest").wants.tests);
        for query in [
            "test of the rate limiter",
            "tests for routing",
            "where is the cache tested",
            "which tests cover login",
            "rate limiter tests",
            "unit tests of `Cart.total`",
        ] {
            assert!(Query::parse(query).wants.tests_first, "{query}");
        }
        for query in [
            "how does the test client simulate requests",
            "mock handler for simulating HTTP responses in tests",
            "how vitest discovers and runs test files",
            "where is the parser",
            "how are results of parallel tests collected",
        ] {
            assert!(!Query::parse(query).wants.tests_first, "{query}");
        }
        assert!(Query::parse("example of a middleware").wants.examples);
        assert!(Query::parse("documentation of routing").wants.documents);
    }
}
