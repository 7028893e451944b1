//! Configuration: the keys of TOML, YAML and JSON files, as far as people write them by hand.
//!
//! Only keys are read, two levels deep, and only of small files: what is larger, deeper or longer is data, and data would fill
//! searches with names that nobody looks for. Of JSON only files with names of configurations count, for the same reason.

use cruxe_model::SymbolKind::Heading;
use cruxe_model::facts::Span;

use super::super::layout::PLAIN_RELATIONS;
use crate::build::{Builder, Decl};
use crate::language::{Depth, FrontEnd, LANGUAGE, LanguageDef};
use crate::naming::{NAMING, Naming, Relations, Told};

const NONE: Relations = Relations { writes: Told::Never, ..PLAIN_RELATIONS };

const SETTINGS: LanguageDef = LanguageDef {
    depth: Depth::Document,
    cut_by_symbols: false,
    naming: Naming { relations: NONE, ..NAMING },
    ..LANGUAGE
};

/// TOML.
pub static TOML: LanguageDef =
    LanguageDef { id: "toml", name: "toml", extensions: &["toml"], front_end: FrontEnd::Plain(toml), ..SETTINGS };

/// YAML.
pub static YAML: LanguageDef = LanguageDef {
    id: "yaml",
    name: "yaml",
    extensions: &["yaml", "yml"],
    front_end: FrontEnd::Plain(yaml),
    ..SETTINGS
};

/// JSON, with comments.
pub static JSON: LanguageDef = LanguageDef {
    id: "json",
    name: "json",
    extensions: &["json", "jsonc", "json5"],
    front_end: FrontEnd::Plain(json),
    ..SETTINGS
};

/// Larger files are data.
const MAX_BYTES: usize = 32 << 10;
/// More keys are data.
const MAX_KEYS: usize = 150;

/// A key while its end is not known.
struct Key {
    symbol: cruxe_model::facts::SymbolIndex,
    depth: usize,
}

/// The keys that are open, outermost first.
#[derive(Default)]
struct Keys {
    open: Vec<Key>,
    count: usize,
}

impl Keys {
    /// Notes a key that stands so deep, and ends those that it does not belong to.
    fn note(&mut self, build: &mut Builder, name: Span, depth: usize, end: u32) {
        self.close(build, depth, build.line_around(name.start).start);
        let text = build.slice(name);
        if self.count >= MAX_KEYS || text.is_empty() || text.len() > 80 || text.contains(['\n', '{', '$']) {
            return;
        }
        self.count += 1;
        let line = build.line_around(name.start);
        let blanks = build.slice(line);
        let blanks = (blanks.len() - blanks.trim_start().len()) as u32;
        // One key on its line, as people write them: it begins where the line does.
        let alone = build.slice(Span { start: line.start + blanks, end: name.start }).len() <= 2;
        let start = if alone { line.start + blanks } else { name.start };
        let span = Span { start, end: end.max(name.end) };
        let mut decl = Decl::new(Heading, text, name, span);
        decl.signature_end = Some(line.end.min(span.end));
        let symbol = build.declare(decl);
        build.open_plain(symbol);
        self.open.push(Key { symbol, depth });
    }

    /// Ends keys that stand at a depth or deeper.
    fn close(&mut self, build: &mut Builder, depth: usize, until: u32) {
        while let Some(key) = self.open.pop_if(|key| key.depth >= depth) {
            let end = build.slice(Span { start: 0, end: until }).trim_end().len() as u32;
            build.amend(key.symbol, |symbol| {
                let end = end.max(symbol.name_span.end).max(symbol.span.start);
                (symbol.span.end, symbol.full_span.end) = (end, end);
            });
            build.close_symbol();
        }
    }
}

/// Whether a file is read at all.
fn is_settings(build: &mut Builder) -> bool {
    if build.out_of_time() {
        build.expire();
        return false;
    }
    build.text.len() <= MAX_BYTES
}

fn line_spans(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let from = start;
        start += line.len();
        (from, line.trim_end_matches(['\n', '\r']))
    })
}

fn toml(build: &mut Builder) {
    if !is_settings(build) {
        return;
    }
    let (text, mut keys, mut long) = (build.text, Keys::default(), None);
    let mut in_table = false;
    let mut brackets = 0usize;
    for (start, line) in line_spans(text) {
        let trimmed = line.trim_start();
        let from = start + (line.len() - trimmed.len());
        if let Some(mark) = long {
            if trimmed.contains(mark) {
                long = None;
            }
            continue;
        }
        if brackets > 0 {
            brackets = (brackets + trimmed.matches('[').count()).saturating_sub(trimmed.matches(']').count());
            continue;
        }
        if let Some(name) = trimmed.strip_prefix('[') {
            let name = name.trim_start_matches('[').split(']').next().unwrap_or_default().trim();
            in_table = true;
            let at = from + trimmed.find(name).unwrap_or(0);
            keys.note(
                build,
                Span { start: at as u32, end: (at + name.len()) as u32 },
                0,
                (from + trimmed.len()) as u32,
            );
            continue;
        }
        let Some((name, value)) = trimmed.split_once('=').filter(|_| !trimmed.starts_with('#')) else { continue };
        let name = name.trim_end();
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '\'');
        if !name.is_empty() && name.chars().all(plain) {
            let quoted = usize::from(name.len() > 2 && name.starts_with(['"', '\'']) && name.ends_with(['"', '\'']));
            let span = Span { start: (from + quoted) as u32, end: (from + name.len() - quoted) as u32 };
            keys.note(build, span, usize::from(in_table), (start + line.len()) as u32);
        }
        let value = value.trim();
        long = ["\"\"\"", "'''"].into_iter().find(|mark| value.matches(mark).count() == 1);
        if value.starts_with('[') {
            brackets = value.matches('[').count().saturating_sub(value.matches(']').count());
        }
    }
    keys.close(build, 0, text.len() as u32);
}

fn yaml(build: &mut Builder) {
    if !is_settings(build) {
        return;
    }
    let (text, mut keys) = (build.text, Keys::default());
    // How far the keys below the outer key stand in; none that is not known yet, and more than any where there are none.
    let mut inner: Option<usize> = None;
    let mut block: Option<usize> = None;
    for (start, line) in line_spans(text) {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        if block.is_some_and(|outer| indent > outer) {
            continue;
        }
        block = None;
        // What is in a list is data, and nobody looks for its names.
        if trimmed.starts_with('-') {
            inner = inner.filter(|inner| indent >= *inner).or(Some(usize::MAX));
        }
        let Some(name) = yaml_key(trimmed) else { continue };
        let value = trimmed[name.end..].trim_start_matches(['"', '\'']).trim_start_matches(':').trim();
        if value.starts_with(['|', '>']) {
            block = Some(indent);
        }
        if indent > 0 && inner.is_none() {
            inner = Some(indent);
        }
        if indent == 0 {
            // Below a value only more of that value can stand.
            let is_open = value.is_empty() || value.starts_with(['&', '!', '#']);
            inner = if is_open { None } else { Some(usize::MAX) };
        } else if inner != Some(indent) {
            continue;
        }
        let at = start + indent;
        let span = Span { start: (at + name.start) as u32, end: (at + name.end) as u32 };
        keys.note(build, span, usize::from(indent > 0), (start + line.trim_end().len()) as u32);
    }
    keys.close(build, 0, text.len() as u32);
}

/// Where the key of a line stands in it.
fn yaml_key(line: &str) -> Option<std::ops::Range<usize>> {
    let quote = line.chars().next().filter(|c| matches!(c, '"' | '\''));
    if let Some(quote) = quote {
        let end = line[1..].find(quote)? + 1;
        return (line[end + 1..].trim_start().starts_with(':') && end > 1).then_some(1..end);
    }
    let colon = line.find(':')?;
    let ends = line[colon + 1..].chars().next().is_none_or(char::is_whitespace);
    let name = line[..colon].trim_end();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@');
    (ends && !name.is_empty() && name.chars().all(plain)).then_some(0..name.len())
}

/// Names of files, or beginnings and ends of them, that hold a configuration.
fn is_json_settings(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let known = [
        "package.json",
        "composer.json",
        "manifest.json",
        "deno.json",
        "turbo.json",
        "nx.json",
        "lerna.json",
        "vercel.json",
        "firebase.json",
        "angular.json",
        "project.json",
        "settings.json",
        "launch.json",
        "tasks.json",
        "devcontainer.json",
        "config.json",
        "app.json",
        "appsettings.json",
        "global.json",
        "renovate.json",
        "biome.json",
        "bower.json",
        "plugin.json",
        "server.json",
    ];
    known.contains(&name)
        || name.starts_with("tsconfig")
        || name.starts_with("jsconfig")
        || name.starts_with("appsettings.")
        || name.starts_with('.')
        || name.ends_with(".config.json")
        || name.ends_with("rc.json")
}

fn json(build: &mut Builder) {
    if !is_settings(build) || !is_json_settings(build.path()) {
        return;
    }
    let (text, mut keys) = (build.text, Keys::default());
    let bytes = text.as_bytes();
    let (mut at, mut depth, mut lists) = (0, 0usize, 0usize);
    while at < bytes.len() {
        match bytes[at] {
            b'/' if bytes[at..].starts_with(b"//") => {
                at += memchr::memchr(b'\n', &bytes[at..]).unwrap_or(bytes.len() - at);
                continue;
            }
            b'/' if bytes[at..].starts_with(b"/*") => {
                at += memchr::memmem::find(&bytes[at..], b"*/").map_or(bytes.len() - at, |end| end + 2);
                continue;
            }
            b'"' => {
                let mut end = at + 1;
                while end < bytes.len() && !matches!(bytes[end], b'"' | b'\n') {
                    end += if bytes[end] == b'\\' { 2 } else { 1 };
                }
                let end = end.min(bytes.len());
                let behind = bytes.get(end + 1..).unwrap_or_default();
                let is_key = behind.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':');
                if is_key && (1..=2).contains(&depth) && lists == 0 && text.get(at + 1..end).is_some() {
                    let line_end = build.line_around(at as u32).end;
                    let span = Span { start: at as u32 + 1, end: end as u32 };
                    keys.note(build, span, depth - 1, line_end.min(text.len() as u32));
                }
                at = end;
            }
            b'{' => depth += 1,
            b'}' => {
                depth = depth.saturating_sub(1);
                keys.close(build, depth, at as u32);
            }
            b'[' => lists += 1,
            b']' => lists = lists.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    keys.close(build, 0, text.len() as u32);
}

#[cfg(test)]
mod tests {
    use crate::languages::fixture_tests::extract;

    fn keys(path: &str, text: &str) -> Vec<String> {
        let facts = extract(path, text);
        let show = |symbol: &cruxe_model::facts::Symbol| {
            let (first, last) = facts.lines_of(symbol.span);
            format!("{first}-{last} {}", symbol.qualified_name)
        };
        facts.symbols.iter().map(show).collect()
    }

    #[test]
    fn keys_are_read_two_levels_deep_with_their_lines() {
        let toml = "name = \"x\"\n[tool.ruff]\nline-length = 120\nselect = [\n  \"A=1\",\n]\n\n[[bin]]\npath = '''\na = 1\n'''\n";
        assert_eq!(
            keys("a.toml", toml),
            [
                "1-1 name",
                "2-6 tool.ruff",
                "3-3 tool.ruff.line-length",
                "4-6 tool.ruff.select",
                "8-11 bin",
                "9-11 bin.path"
            ]
        );
        let yaml = "on: push\njobs:\n  build:\n    steps:\n      - run: |\n          name: no\n  test: {}\n# x: y\n\"a b\": 1\n";
        assert_eq!(keys("a.yml", yaml), ["1-1 on", "2-8 jobs", "3-6 jobs.build", "7-8 jobs.test", "9-9 a b"]);
        let json = "{\n  // c\n  \"name\": \"x\",\n  \"scripts\": {\n    \"test\": \"a\",\n    \"deep\": {\"no\": 1}\n  },\n  \"files\": [{\"no\": 1}]\n}\n";
        assert_eq!(
            keys("package.json", json),
            ["3-3 name", "4-7 scripts", "5-5 scripts.test", "6-6 scripts.deep", "8-8 files"]
        );
    }

    #[test]
    fn keys_in_lists_and_in_values_are_none() {
        let yaml = "body:\n  - type: a\n    id: b\n    deep:\n      no: 1\nnext:\n    one: 1\n    two:\n      - no: 1\n        no: 2\n    three: 3\n";
        assert_eq!(keys("a.yml", yaml), ["1-5 body", "6-11 next", "7-7 next.one", "8-10 next.two", "11-11 next.three"]);
        assert_eq!(keys("a.yml", "list:\n- a: 1\n  no: 2\nlast: &x\n  b: 1\n"), ["1-3 list", "4-5 last", "5-5 last.b"]);
        assert_eq!(keys("a.yml", "- name: x\n  no: 1\n"), Vec::<String>::new());
        assert_eq!(keys("a.yml", "text: \"begins\n  here: and ends\"\nb: 1\n"), ["1-2 text", "3-3 b"]);
        assert_eq!(keys("a.yml", "a:\n  b: 1\n---\na:\n    c: 1\n"), ["1-3 a", "2-3 a.b", "4-5 a", "5-5 a.c"]);
        assert_eq!(keys("a.yml", "a:\n  b:\n  - no: 1\n    no: 2\n  c: 1\n"), ["1-5 a", "2-4 a.b", "5-5 a.c"]);
    }

    #[test]
    fn data_and_large_files_have_no_keys() {
        assert_eq!(keys("data/cities.json", "{\"a\": 1}"), Vec::<String>::new());
        assert_eq!(keys("a.yml", &"key: value\n".repeat(4000)), Vec::<String>::new());
        assert_eq!(keys("a.toml", &(0..500).map(|at| format!("k{at} = 1\n")).collect::<String>()).len(), 150);
    }
}
