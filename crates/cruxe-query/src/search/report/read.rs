//! What somebody pasted, taken apart: a title, sentences, code, traces, paths, names.
//!
//! Nothing here is certain, and nothing has to be: a line that is taken for code instead of prose costs a little of the
//! ranking and no more. Everything is bounded by the length of what [`excerpt`] leaves.

use std::collections::HashSet;

use super::super::intent::{has_known_extension, is_surely_name};
use super::super::pattern::pattern;
use super::excerpt;
use super::frames::{Frame, Frames};
use super::log::{self, Gravity};
use crate::name::{self, WantedName};

/// Qualified names beyond this number are not looked up.
const MAX_NAMES: usize = 48;
/// A name has at most so many letters.
const MAX_NAME: usize = 200;
/// Paths beyond this number are not looked up.
const MAX_PATHS: usize = 64;
/// Lines of code beyond this number are not compared.
const MAX_QUOTED: usize = 200;
/// A text of so few lines may be a message as a whole.
const FEW_LINES: usize = 4;
/// A shorter line of code stands in too many places.
const MIN_QUOTED: usize = 12;

/// A report taken apart.
#[derive(Debug, Default, PartialEq)]
pub(in crate::search) struct Report {
    /// The line that says what it is about.
    pub title: String,
    /// The title and every sentence.
    pub prose: String,
    /// Everything, without what a template says in comments.
    pub whole: String,
    /// Lines of code that it shows, those of traces included, without the blanks around them.
    pub quoted: Vec<String>,
    /// The frames of its traces, innermost first.
    pub frames: Vec<Frame>,
    /// Paths that stand elsewhere.
    pub paths: Vec<String>,
    /// Names with something before them: `QuerySet.filter`, `django.utils.timezone`.
    pub names: Vec<WantedName>,
    /// Names without anything before them that can be nothing else, from the sentences.
    pub plain_names: Vec<String>,
    /// What a program printed, where that is most of the text: the gravest lines of a log, what a trace ends with, or every
    /// line of a short text.
    pub messages: Vec<String>,
    /// Whether a part of it was left out because it is too long.
    pub cut: bool,
    /// It is a trace, and nobody says anything about it.
    pub only_trace: bool,
}

/// Whether a text is something that was pasted and not a question: it has several lines. One phrase in quotes is a phrase,
/// however many lines it has.
pub(in crate::search) fn is_report(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let several = lines.next().is_some() && lines.next().is_some();
    several && !pattern!(r#"(?s)^\s*(?:"[^"]*"|“[^”]*”)\s*$"#)[0].is_match(text)
}

impl Report {
    /// Takes a text apart.
    pub fn read(text: &str) -> Report {
        let cleaned = excerpt::cleaned(text);
        let excerpt = excerpt::read(&cleaned);
        let (cut, printed) = (cleaned.len() > excerpt::MAX_TEXT, excerpt::is_printed(&cleaned));
        let whole = excerpt::apart(&excerpt).into_owned();
        let mut reader = Reader::default();
        whole.lines().for_each(|line| reader.line(line));
        let messages: Vec<String> = reader.messages(&whole).into_iter().map(str::to_owned).collect();
        let Reader { mut title, prose, code, frames, error, after_trace, .. } = reader;
        if title.is_empty() {
            // A trace and nothing else is about what it ends with, a log about what is gravest.
            let first = || whole.trim().lines().next().unwrap_or_default().trim();
            title = error.unwrap_or_else(|| messages.first().map_or_else(first, String::as_str)).to_owned();
        } else if let Some(error) = after_trace.or(error).filter(|_| printed && !frames.is_empty()) {
            // What a program printed before it failed says less.
            title = error.to_owned();
        }
        let prose = format!("{title}\n{}", prose.join("\n"));
        let mut seen = HashSet::new();
        let mut quoted: Vec<String> = code.into_iter().filter(|line| line.len() >= MIN_QUOTED).collect();
        quoted.retain(|line| seen.insert(line.clone()));
        quoted.truncate(MAX_QUOTED);
        let frames = frames.innermost_first();
        let only_trace = printed && !frames.is_empty();
        let plain_names = plain_names(&prose);
        Report {
            paths: paths(&whole, &frames),
            names: names(&whole),
            plain_names,
            title,
            prose,
            quoted,
            frames,
            whole,
            messages,
            cut,
            only_trace,
        }
    }
}

/// What is known of the lines so far.
#[derive(Default)]
struct Reader<'t> {
    title: String,
    prose: Vec<&'t str>,
    code: Vec<String>,
    frames: Frames,
    /// The last line that says what went wrong.
    error: Option<&'t str>,
    /// The first that does so below a trace.
    after_trace: Option<&'t str>,
    /// What lines of a log say.
    logged: Vec<(Gravity, &'t str)>,
    /// Between two fences.
    fenced: bool,
    /// Below a heading that asks for versions.
    about_versions: bool,
    /// The line before was a frame, so this may be its code.
    after_frame: bool,
    /// The line before.
    before: &'t str,
}

impl<'t> Reader<'t> {
    fn line(&mut self, line: &'t str) {
        let (text, before) = (line.trim(), std::mem::replace(&mut self.before, line));
        let after_frame = std::mem::take(&mut self.after_frame);
        if text.is_empty() {
            return;
        }
        let logged = log::read(text);
        self.logged.extend(logged);
        let (caused, text) = text.strip_prefix("Caused by: ").map_or((false, text), |cause| (true, cause));
        if caused {
            self.frames.cause();
        }
        if text.starts_with("```") || text.starts_with("~~~") {
            self.fenced = !self.fenced;
        } else if self.frames.read(logged.map_or(text, |(_, said)| said), before) {
            self.after_frame = true;
        } else if logged.is_some() && self.title.is_empty() {
            // It is not what somebody says about it.
        } else if pattern!(
            r"^(?:Traceback \(most recent|stack ?(?:back)?trace|goroutine \d+|_No response_$|- \[[ xX]\] |\.\.\. \d+ more$)"
        )[0]
        .is_match(text)
        {
            // It says nothing of its own.
        } else if after_frame && line.starts_with([' ', '\t']) && !caused {
            self.code.push(text.to_owned());
        } else if let Some(error) =
            error(text).filter(|_| caused || !self.title.is_empty() || !self.frames.is_empty())
        {
            self.error = Some(error);
            if after_frame || caused {
                self.after_trace.get_or_insert(error);
            }
        } else {
            self.words(line, text);
        }
    }

    /// What a program printed, where the text is not mostly what somebody wrote.
    fn messages(&self, whole: &'t str) -> Vec<&'t str> {
        let lines: Vec<&str> = whole.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        if self.logged.len() * 2 >= lines.len() {
            log::gravest(&self.logged)
        } else if let (Some(error), true) = (self.error, self.title.is_empty()) {
            vec![error]
        } else if lines.len() <= FEW_LINES && self.frames.is_empty() {
            lines
        } else {
            Vec::new()
        }
    }

    /// A line that is neither of a trace nor a mark.
    fn words(&mut self, line: &'t str, text: &'t str) {
        let heading = text.starts_with('#').then(|| text.trim_start_matches('#').trim());
        if self.title.is_empty() && !self.fenced && is_of_form(text) {
            // The form asks, and what is below answers.
        } else if self.title.is_empty() && !self.fenced {
            let named = pattern!(r"^(?:\[[\w ]+\]\s*:?|#+)\s*")[0].replace(text, "");
            self.title = if named.is_empty() { text.to_owned() } else { named.into_owned() };
        } else if let Some(heading) = heading.filter(|heading| !self.fenced && !heading.is_empty()) {
            self.about_versions = is_about_versions(heading);
        } else if self.about_versions {
            // What runs where tells nothing about the code.
        } else if self.fenced || is_code(line) {
            self.code.push(text.to_owned());
        } else {
            self.prose.push(text);
        }
    }
}

/// What a line says went wrong: `ValueError: bad address`.
fn error(text: &str) -> Option<&str> {
    pattern!(
        r"^(?:E\s+)?(?:[\w]+(?:\.|::|\\))*[A-Z]\w*(?:Error|Exception|Warning|Failure|[a-z])\s*:\s+\S",
        r"^(?:panic|fatal|error)\b.{0,20}:\s+\S",
    )
    .iter()
    .any(|pattern| pattern.is_match(text))
    .then_some(text)
}

/// Whether a heading is what a form asks everybody.
fn is_of_form(text: &str) -> bool {
    pattern!(
        r"(?i)^(?:#+ *|\*\*)(?:describe the (?:bug|issue|problem)|bug(?: report| description| summary)?|issue(?: description| summary)?|description|summary|what happened|what is the (?:bug|issue|problem)|problem(?: description)?|current behaviou?r|actual (?:behaviou?r|result|outcome)|is there an existing issue.*|prerequisites|checklist|check list|preflight checklist|before submitting.*|first check|contact details)[:?]?(?:\*\*)?[:?]?$"
    )[0]
    .is_match(text)
}

fn is_about_versions(heading: &str) -> bool {
    pattern!(r"(?i)^(?:operating system|os\b|environment|.*\bversions?\b|jupyter|installation|.*\bbackend|additional dependencies|system (?:details|info)|.*platform)")[0]
        .is_match(heading)
}

/// Whether a line that is not fenced is code all the same.
fn is_code(line: &str) -> bool {
    let forms = pattern!(
        r"^\s*(?:>>>|\.\.\. |In \[\d+\]|Out\[|[$%] \S|import |from \S+ import|#include|use \w+::|def |class |fn |func |function\b|public |private |const |let |var |@\w|return\b|raise |throw |assert |[)\]}])",
        r"^\s*(?:(?:if|for|while|with|elif|except|switch|match)\b.*|else|try|finally)\s*[:{]\s*$",
        r#"^\s*[\w.\[\]'"$>-]+\s*[-+*/|&:]?=\s*\S"#,
        r"^\s*[\w$][\w.$:>-]*\(.*\)\s*[;{]?\s*(?:#.*|//.*)?$",
        r"[;{}]\s*$",
    );
    let indented = line.starts_with("    ") || line.starts_with('\t');
    forms.iter().any(|form| form.is_match(line))
        || indented && !pattern!(r"^\s+[A-Z(][a-z]+,? \w+ \w+")[0].is_match(line)
}

fn paths(text: &str, frames: &[Frame]) -> Vec<String> {
    let in_frames: HashSet<&str> = frames.iter().map(|frame| frame.path.as_str()).collect();
    let (mut paths, mut seen) = (Vec::new(), HashSet::new());
    for found in pattern!(r"[\w.~@+/\\-]*\w\.[A-Za-z]\w{0,7}\b")[0].find_iter(text) {
        let path = found.as_str().replace('\\', "/");
        let name = path.rsplit('/').next().unwrap_or_default(); // the rest may be of another machine
        let fits = path.len() <= MAX_NAME && has_known_extension(name) && !in_frames.contains(path.as_str());
        if fits && seen.insert(path.clone()) {
            paths.push(path);
        }
        if paths.len() == MAX_PATHS {
            break;
        }
    }
    paths
}

fn names(text: &str) -> Vec<WantedName> {
    let (mut names, mut seen) = (Vec::new(), HashSet::new());
    for found in pattern!(r"[\p{L}_$][\w$]*(?:(?:::|\.|#|->)[\p{L}_$][\w$]*)+")[0].find_iter(text) {
        if found.len() > MAX_NAME || !seen.insert(found.as_str()) {
            continue;
        }
        let name = name::parse(found.as_str());
        if !name.qualifiers.is_empty() && !name.plain.is_empty() {
            names.push(name);
        }
        if names.len() == MAX_NAMES {
            break;
        }
    }
    names
}

fn plain_names(prose: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for found in pattern!(r"`([\p{L}_$][\w$]*[!?]?)(?:\(\))?`|\b([\p{L}_$][\w$]*)\b")[0].captures_iter(prose) {
        let quoted = found.get(1).map(|name| name.as_str());
        let other = || found.get(2).map(|name| name.as_str()).filter(|name| is_surely_name(name));
        let name = quoted.or_else(other).filter(|name| name.len() > 3 && name.len() <= MAX_NAME);
        if let Some(name) = name.filter(|name| !names.iter().any(|known| known == name)) {
            names.push(name.to_owned());
        }
        if names.len() == MAX_NAMES {
            break;
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICKET: &str = r#"[Bug]: RangeSlider forgets its start value

<!-- Thank you for
reporting! -->
### Bug summary

The `RangeSlider.set_val` of widgets.py ignores "valinit", see lib/plot/widgets.py:915.

### Code for reproduction

```python
from plot.widgets import RangeSlider

slider = RangeSlider(ax, "Threshold", 0, 1, valinit=[0.0, 0.0])
```

### Actual outcome

```
Traceback (most recent call last):
  File "demo.py", line 19, in <module>
    slider = RangeSlider(ax, "Threshold")
  File "/home/me/site-packages/plot/widgets.py", line 915, in set_val
    xy[4] = val[0], .25
IndexError: index 4 is out of bounds for axis 0 with size 4
```

### Operating system

Some Linux of mine

### Plot Version

_No response_
"#;

    #[test]
    fn a_ticket_is_read_part_by_part() {
        let report = Report::read(TICKET);
        assert_eq!(report.title, "RangeSlider forgets its start value");
        assert_eq!(
            report.prose,
            "RangeSlider forgets its start value\nThe `RangeSlider.set_val` of widgets.py ignores \"valinit\", see lib/plot/widgets.py:915."
        );
        assert!(!report.whole.contains("Thank you") && report.whole.contains("IndexError"));
        assert_eq!(
            report.quoted,
            [
                "from plot.widgets import RangeSlider",
                "slider = RangeSlider(ax, \"Threshold\", 0, 1, valinit=[0.0, 0.0])",
                "slider = RangeSlider(ax, \"Threshold\")",
                "xy[4] = val[0], .25",
            ]
        );
        let frames: Vec<(&str, Option<u32>, Option<&str>)> =
            report.frames.iter().map(|it| (it.path.as_str(), it.line, it.function.as_deref())).collect();
        assert_eq!(
            frames,
            [("/home/me/site-packages/plot/widgets.py", Some(915), Some("set_val")), ("demo.py", Some(19), None),]
        );
        assert_eq!(report.paths, ["widgets.py", "lib/plot/widgets.py"]);
        let names: Vec<String> =
            report.names.iter().map(|name| format!("{} {}", name.qualifiers.join("."), name.plain)).collect();
        assert_eq!(names[0], "RangeSlider set_val");
        assert_eq!(report.plain_names, ["RangeSlider", "set_val"]);
        assert!(names.contains(&"plot widgets".to_owned()), "{names:?}");
    }

    #[test]
    fn a_trace_alone_is_about_what_it_ends_with() {
        let report = Report::read(
            "Traceback (most recent call last):\n  File \"/srv/app/mail.py\", line 7, in send_mail\n    raise ValueError\nValueError: bad address: nobody\n",
        );
        assert_eq!(report.title, "ValueError: bad address: nobody");
        assert_eq!(report.frames[0].function.as_deref(), Some("send_mail"));
    }

    #[test]
    fn a_log_is_about_its_gravest_line_and_what_somebody_says_about_it_stays_the_title() {
        let log = "10:42:01 INFO starting\n10:42:02 ERROR cannot open /x\n10:42:03 INFO ending\n";
        let report = Report::read(log);
        assert_eq!((report.title.as_str(), report.prose.as_str()), ("cannot open /x", "cannot open /x\n"));
        assert_eq!(report.messages, ["cannot open /x"]);
        let said = Report::read(&format!("Why does it end?\n{log}"));
        assert_eq!((said.title.as_str(), &said.messages[..]), ("Why does it end?", &["cannot open /x".to_owned()][..]));
    }

    #[test]
    fn messages_are_looked_for_only_in_what_a_program_printed() {
        assert_eq!(Report::read(TICKET).messages, [""; 0]);
        let trace = "Traceback (most recent call last):\n  File \"a.py\", line 7, in send\nValueError: bad address\n";
        assert_eq!(Report::read(trace).messages, ["ValueError: bad address"]);
        assert_eq!(Report::read("fatal: no remote\nhint: add one\n").messages, ["fatal: no remote", "hint: add one"]);
        let sentences = "It is slow.\n".repeat(5);
        assert_eq!(Report::read(&format!("{sentences}10:42:02 ERROR cannot open /x\n")).messages, [""; 0]);
    }

    #[test]
    fn code_is_told_from_sentences_without_fences() {
        for line in [
            ">>> Model.objects.all()",
            "qs = Model.objects.filter(pk=1)",
            "if (x == 1) {",
            "\treturn self.value",
            "foo.bar(1, 2)",
            "let x = 1;",
            "$ pip install thing",
        ] {
            assert!(is_code(line), "{line}");
        }
        for line in [
            "It works in 2.1 (and before that too).",
            "    This sentence is only indented, for whatever reason.",
            "As far as I can tell, the log never sees it",
            "However, when using `foo()` I get an error:",
        ] {
            assert!(!is_code(line), "{line}");
        }
    }

    #[test]
    fn several_lines_are_a_report_and_one_phrase_is_not() {
        assert!(is_report("It fails.\nSee `foo`."));
        assert!(!is_report("where is rate limiting") && !is_report("\n one line \n\n") && !is_report(""));
        assert!(!is_report("\"a phrase\nover two lines\"") && is_report("\"a phrase\"\nand more"));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_within_bounds(text in r#"(?s)(.|\n|```|<!--|-->|File "|, line 1, in |    at |\.py:1|#0 |Error: |::|\t){0,400}"#) {
            let report = Report::read(&text);
            proptest::prop_assert!(report.names.len() <= MAX_NAMES && report.paths.len() <= MAX_PATHS);
            proptest::prop_assert!(report.quoted.len() <= MAX_QUOTED && report.frames.len() <= 64);
            proptest::prop_assert!(report.whole.len() <= 2 * text.len() + 1 && report.title.len() <= 2 * text.len());
        }
    }
}
