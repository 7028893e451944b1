//! `plan_task`: a task card, or a task in words, with the code that it is about.

use cruxe_deck::fence::{inline, one_line};
use cruxe_deck::frontmatter::FrontMatter;
use cruxe_index::View;
use cruxe_query::search::{self, SearchHit};

use super::draft::Draft;
use super::{Argument, Asked, PromptSpec};
use crate::cards;
use crate::complete::Completes;
use crate::contract::ToolError;
use crate::contract::names::{FIND_REFERENCES, GET_CALL_GRAPH, GET_FILE_OUTLINE, SEARCH_CODE};
use crate::toolsets::Toolset;

/// What the prompt may cost, and the card in it.
const TOKENS: usize = 5000;
const CARD_TOKENS: usize = 2000;
/// Results of the search for the task's words.
const RESULTS: usize = 12;
/// More words than these say nothing new about what a task is about.
const WORDS: usize = 60;

pub(super) const PROMPT: PromptSpec = PromptSpec {
    name: "plan_task",
    title: "Plan a task",
    description: "Plan a task card, or a task in words, with the code that it is about.",
    toolset: Toolset::Tasks,
    arguments: &[
        Argument {
            name: "task",
            description: "The id of a card, or what is to be done in words",
            required: true,
            completes: Completes::Task,
        },
        Argument {
            name: "ref",
            description: "An indexed branch, tag or commit",
            required: false,
            completes: Completes::Ref,
        },
    ],
    write,
};

fn write(asked: &Asked) -> Result<String, ToolError> {
    let task = asked.required("task")?;
    let deck = asked.catalog.deck(asked.session);
    let card = cards::read(deck, task)?;
    if card.is_none() && looks_like_id(task) {
        return Err(cards::missing(deck, task));
    }
    let mut draft = Draft::new(TOKENS);
    draft.add(&guide());
    match &card {
        Some(text) => {
            draft.add(&format!("\n## Task card {}\n\n", inline(task)));
            draft.add_code("markdown", text, CARD_TOKENS);
        }
        None => {
            draft.add("\n## Task\n\n");
            draft.add_all(task.lines().map(|line| format!("{line}\n")), |count| format!("… {count} more lines\n"));
        }
    }
    let place = asked.place()?;
    let view = place.view(asked.get("ref"), asked.work)?;
    let question = search::Question::new(words(card.as_deref().unwrap_or(task)), RESULTS);
    let answer = search::search(&view, &question)?;
    draft.add(&format!("\n## Code that it may be about (ref {})\n", inline(&view.standing.ref_name)));
    if answer.found.is_empty() {
        draft.add(&format!("\nThe search found nothing: ask {SEARCH_CODE} with other words.\n"));
    }
    let lines = answer.found.iter().map(|found| line(&view, found));
    draft.add_all(lines, |count| format!("- … {count} more: {SEARCH_CODE}\n"));
    Ok(draft.finish())
}

fn guide() -> String {
    format!(
        "\
Plan the task below before anything is changed. Read the code it touches first: {GET_FILE_OUTLINE} and the files named \
below, {GET_CALL_GRAPH} for everything whose signature would change, {FIND_REFERENCES} for what would be removed. The plan \
says: what is to change, file by file, with the symbols; who calls them and must follow; which tests show that it works, \
new ones included; what could go wrong; what is left out. Name places as path:line. If the task leaves something open \
that changes the plan, ask before you plan around it.\n"
    )
}

/// Whether somebody who typed this meant a card.
fn looks_like_id(task: &str) -> bool {
    task.len() == 6
        && task.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && task.bytes().any(|byte| byte.is_ascii_digit())
}

/// What a task is about: its title and the words of its text, front matter left out.
fn words(text: &str) -> String {
    let front = FrontMatter::parse(text).ok().flatten();
    let title = front.as_ref().and_then(|front| front.text("title")).unwrap_or_default();
    let body = front.as_ref().map_or(text, |front| &text[front.body..]);
    title.split_whitespace().chain(body.split_whitespace()).take(WORDS).collect::<Vec<_>>().join(" ")
}

fn line(view: &View, found: &SearchHit) -> String {
    let (first, last) = found.lines;
    let place = format!("{}:{first}-{last}", one_line(found.file.path.as_str()));
    match found.symbol() {
        Some(symbol) if symbol.signature.is_empty() => {
            format!("- {} {} {place}\n", symbol.kind.as_str(), inline(&symbol.name))
        }
        Some(symbol) => format!("- {} {place}\n  {}\n", inline(&symbol.qualified_name), inline(&symbol.signature)),
        None => {
            let snippet = search::snippet(view, found, 1).unwrap_or_default();
            format!("- {place}\n  {}\n", inline(snippet.trim()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_card_are_its_title_and_text_and_not_its_front_matter() {
        let card = "---\nid: abc123\ntitle: Fix the login\nstatus: todo\n---\n\nTokens expire\ntoo early.";
        assert_eq!(words(card), "Fix the login Tokens expire too early.");
        assert_eq!(words("Make it fast"), "Make it fast");
    }

    #[test]
    fn a_word_is_no_id_and_an_id_is_no_task() {
        assert!(looks_like_id("abc123") && looks_like_id("x7k2p9"));
        assert!(!looks_like_id("rename") && !looks_like_id("fix it") && !looks_like_id("abc1234"));
    }
}
