//! A short guide for agents: which tool answers which question.

use cruxe_server::contract::names::{
    COMPARE_SYMBOL_BETWEEN_COMMITS, CREATE_TASK, DIFF_CONTEXT, FIND_REFERENCES, GET_CALL_GRAPH, GET_FILE_OUTLINE,
    INDEX_REPO, LIST_TASKS, LOCATE_SYMBOL, READ_CONTEXT, READ_DOC, SEARCH_CODE, SUGGEST_FOLLOWUP_QUERIES, UPDATE_TASK,
};

/// The guide. It becomes part of conversations, so every word has to earn its place.
pub(crate) fn guide() -> String {
    format!(
        "\
## Code knowledge: cruxe

The MCP server `cruxe` knows this code base exactly (definitions, uses, calls, branches) and follows edits. One call replaces \
a grep and the files you would read after it.

| question | tool |
| --- | --- |
| Where is it decided whether X? Where does this message come from? | `{SEARCH_CODE}` (words, a name, a pasted message or report, a \"quoted phrase\"): code with callers, callees, tests |
| Every line that matches | `{SEARCH_CODE}` with `pattern` |
| Where is X defined? | `{LOCATE_SYMBOL}` (`QuerySet.filter`, `TcpListener::bind`): its source and neighbours |
| What is in this file? Which fields has this type? | `{GET_FILE_OUTLINE}` (`symbol` for one type) |
| Who uses, sets, builds, extends, overrides X? Is it unused? | `{FIND_REFERENCES}` with `kind` |
| Who calls X? How does A reach B? | `{GET_CALL_GRAPH}` (`from`, `to`), before changing a signature |
| What does this branch change? | `{DIFF_CONTEXT}`; one symbol: `{COMPARE_SYMBOL_BETWEEN_COMMITS}` |
| The answer was weak | `{SUGGEST_FOLLOWUP_QUERIES}` |
| What should I read before this task? | `{READ_CONTEXT}`, `{READ_DOC}` |
| What is to be done? | `{LIST_TASKS}`, `{UPDATE_TASK}`, `{CREATE_TASK}` |

- Narrow it down in the same call: `paths` (globs, `!` excludes), `tests` (`exclude`, `only`), `kind`, `limit`, `max_tokens`.
- `?` behind a line number is a guess. `unresolved` counts mentions that could not be told: no uses and none unresolved means unused.
- A `note:` says when files changed since they were indexed, or what the answer lacks.
- Other branches: `{INDEX_REPO}` with `ref` once, then pass `ref` to any tool.
- Several names in one call: `symbols`, `files`.
- Without MCP: `cruxe search|grep|locate|refs|calls|outline|diff`, the same text; `--json` for programs.
"
    )
}

/// The front matter that makes a skill of the guide.
const SKILL: &str = "---\nname: cruxe\ndescription: Find definitions, uses, callers and branch changes in this code \
base exactly with the cruxe MCP tools or command line. Use before grepping or reading whole files.\n---\n\n";

const BEGIN: &str = "<!-- cruxe:begin -->";
const END: &str = "<!-- cruxe:end -->";

/// The guide as a skill's file.
pub(crate) fn skill() -> String {
    format!("{SKILL}{}", guide())
}

/// Puts the guide into a text between its marks, or replaces the one that is there.
pub(crate) fn put(text: &str) -> Result<String, String> {
    let block = format!("{BEGIN}\n{}{END}\n", guide());
    Ok(match split(text)? {
        Some((before, after)) => format!("{before}{block}{after}"),
        None if text.is_empty() => block,
        None => format!("{}\n\n{block}", text.trim_end()),
    })
}

/// Takes the guide out of a text.
pub(crate) fn take_out(text: &str) -> Result<String, String> {
    Ok(match split(text)? {
        Some((before, after)) if after.is_empty() && !before.trim().is_empty() => format!("{}\n", before.trim_end()),
        Some((before, after)) => format!("{before}{after}"),
        None => text.to_owned(),
    })
}

/// What stands before and after the marks; `None` without them.
fn split(text: &str) -> Result<Option<(&str, &str)>, String> {
    let (begin, end) = (text.find(BEGIN), text.find(END));
    match (begin, end) {
        (None, None) => Ok(None),
        (Some(begin), Some(end)) if begin < end => {
            let after = &text[end + END.len()..];
            Ok(Some((&text[..begin], after.strip_prefix("\r\n").or(after.strip_prefix('\n')).unwrap_or(after))))
        }
        _ => Err(format!("one of the marks `{BEGIN}` and `{END}` is missing; restore or remove the other")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plugin_has_the_guide_as_its_skill_and_this_version() {
        assert_eq!(include_str!("../../../integrations/claude-code/skills/cruxe/SKILL.md"), skill());
        let manifest = include_str!("../../../integrations/claude-code/.claude-plugin/plugin.json");
        let manifest: serde_json::Value = serde_json::from_str(manifest).unwrap();
        assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
        let action = include_str!("../../../action.yml");
        assert!(action.contains(&format!("default: \"{}\"", env!("CARGO_PKG_VERSION"))));
    }

    #[test]
    fn the_guide_is_short() {
        let tokens = cruxe_tokens::count(&guide());
        assert!(tokens < 600, "{tokens} tokens");
    }

    #[test]
    fn the_guide_replaces_itself_and_leaves_the_rest_alone() {
        for text in ["", "# Rules\n\nBe kind.\n", "# Rules\n\nBe kind.\n\n\n"] {
            let once = put(text).unwrap();
            assert_eq!(put(&once).unwrap(), once);
            assert!(once.contains("`get_call_graph`"));
            assert_eq!(take_out(&once).unwrap().trim_end(), text.trim_end());
        }
        let old = format!("# A\n\n{BEGIN}\nold words\n{END}\n\n# B\n");
        let new = put(&old).unwrap();
        assert_eq!(new, format!("# A\n\n{BEGIN}\n{}{END}\n\n# B\n", guide()));
        assert_eq!(take_out(&new).unwrap(), "# A\n\n\n# B\n");
        assert_eq!(take_out("no guide here\n").unwrap(), "no guide here\n");
    }

    #[test]
    fn half_a_pair_of_marks_is_refused() {
        for text in [format!("x {BEGIN}"), END.to_owned(), format!("{END} {BEGIN}")] {
            assert!(put(&text).is_err() && take_out(&text).is_err(), "{text}");
        }
    }
}
