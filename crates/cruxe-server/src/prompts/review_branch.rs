//! `review_branch`: what a branch changes, with the diffs that matter most and who is affected.

use std::sync::Arc;

use cruxe_deck::fence::{inline, one_line};
use cruxe_index::{Layers, View, Workspace};
use cruxe_model::config::FreshnessPolicy;
use cruxe_query::diff::{self, Change, ChangeType};
use cruxe_query::past::Record;
use cruxe_query::target::Wanted;
use cruxe_query::{compare, references};

use super::draft::Draft;
use super::{Argument, Asked, PromptSpec};
use crate::complete::Completes;
use crate::contract::names::{COMPARE_SYMBOL_BETWEEN_COMMITS, DIFF_CONTEXT, GET_CALL_GRAPH, SEARCH_CODE};
use crate::contract::{ErrorCode, ToolError};
use crate::toolsets::Toolset;

/// What the prompt may cost.
const TOKENS: usize = 9000;
/// Symbols whose diff is shown, and what each may cost.
const DIFFS: usize = 16;
const DIFF_TOKENS: usize = 500;
/// Changed declarations whose users are looked up, and how many are named.
const LOOKED_UP: usize = 20;
const USERS: usize = 5;

pub(super) const PROMPT: PromptSpec = PromptSpec {
    name: "review_branch",
    title: "Review a branch",
    description: "Review what a branch or the uncommitted work changes: changed symbols, their diffs, who uses them.",
    toolset: Toolset::Code,
    arguments: &[
        Argument {
            name: "head",
            description: "The branch to review; what is checked out, uncommitted edits included, if left out",
            required: false,
            completes: Completes::Ref,
        },
        Argument {
            name: "base",
            description: "What it will be merged into; the default branch if left out",
            required: false,
            completes: Completes::Ref,
        },
        Argument {
            name: "path",
            description: "Only files below this path",
            required: false,
            completes: Completes::Path,
        },
    ],
    write,
};

fn write(asked: &Asked) -> Result<String, ToolError> {
    let (place, scope) = (asked.place()?, asked.session.scope());
    let workspace = &place.workspace;
    let head = asked.get("head").map(str::to_owned);
    let question = diff::Question {
        base: scope.base_of(workspace, asked.get("base").map(str::to_owned))?,
        head: scope.ref_of(workspace, head.or_else(|| asked.session.default_ref(&workspace.project.root)))?,
        path_filter: asked.get("path").map(str::to_owned),
        include_cosmetic: false,
        policy: FreshnessPolicy::Balanced,
        work: asked.work.clone(),
        ..diff::Question::default()
    };
    let mut answer = diff::diff(workspace, &question)?;
    let mut draft = Draft::new(TOKENS);
    let merge_base = answer.merge_base.to_hex();
    draft.add(&format!(
        "{}Review the changes of {} against {} (merge base {}): {} files, {} symbols.\n\n{}",
        asked.guide(&place),
        inline(&answer.head_ref),
        inline(&answer.base_ref),
        &merge_base[..merge_base.len().min(12)],
        answer.files.len(),
        answer.changes.len(),
        guide(),
    ));
    if answer.files.is_empty() {
        draft.add("\nNothing differs.\n");
        return Ok(draft.finish());
    }
    answer.changes.sort_by_key(risk);
    let view = place.view(Some(&answer.head_ref), asked.work)?;
    draft.add("\n## Changed symbols, the riskiest first\n");
    let mut looked_up = 0;
    let lines = answer.changes.iter().map(|change| {
        let users = match change.signature_changed && looked_up < LOOKED_UP {
            true => {
                looked_up += 1;
                users(&view, change)
            }
            false => String::new(),
        };
        format!("{}{users}", line(change))
    });
    let lines: Vec<String> = lines.collect();
    draft.add_all(lines, |count| format!("- … {count} more: {DIFF_CONTEXT} with path_filter\n"));
    add_renames(&mut draft, &answer.renames);
    add_diffs(&mut draft, asked, workspace, &answer, &merge_base)?;
    let named = |path: &str| answer.changes.iter().any(|change| record(change).is_some_and(|one| one.path == path));
    let others: Vec<&diff::FileChange> = answer.files.iter().filter(|file| !named(&file.path)).collect();
    if !others.is_empty() {
        draft.add("\n## Files without changed symbols\n");
        let line = |file: &&diff::FileChange| format!("- {} {}\n", word(file.change_type), one_line(&file.path));
        draft.add_all(others.iter().map(line), |count| format!("- … {count} more files\n"));
    }
    Ok(draft.finish())
}

fn guide() -> String {
    format!(
        "\
Look for: behaviour that changed without a test, callers that were not adapted, errors that are swallowed, input that is \
not checked, names and docs that no longer fit. Read code before you judge it: {COMPARE_SYMBOL_BETWEEN_COMMITS} for a diff \
that is not below, {GET_CALL_GRAPH} for callers, {SEARCH_CODE} for code that should have changed too. Report findings as \
path:line, the gravest first, each with what to do; say what you did not look at.\n"
    )
}

/// The order in which changes are worth a look: what others rely on first, tests last.
fn risk(change: &Change) -> (bool, u8) {
    let test = record(change).is_some_and(|one| one.path.split('/').any(|part| part.contains("test")));
    let rank = match change.change_type {
        ChangeType::Deleted => 0,
        ChangeType::Modified if change.signature_changed => 1,
        ChangeType::Modified => 2,
        ChangeType::Added => 3,
    };
    (test, rank)
}

fn record(change: &Change) -> Option<&Record> {
    change.after.as_ref().or(change.before.as_ref())
}

fn word(change: ChangeType) -> &'static str {
    match change {
        ChangeType::Added => "added",
        ChangeType::Modified => "modified",
        ChangeType::Deleted => "deleted",
    }
}

fn line(change: &Change) -> String {
    let Some(one) = record(change) else { return String::new() };
    let place =
        format!("{} {} {}:{}", one.kind.as_str(), inline(&one.qualified_name), one_line(&one.path), one.line_start);
    let what = word(change.change_type);
    match (&change.before, &change.after) {
        (Some(before), Some(after)) if change.signature_changed => {
            format!("- {what} {place}\n  was {}, is {}\n", inline(&before.signature), inline(&after.signature))
        }
        _ => format!("- {what} {place}\n"),
    }
}

/// Who uses a symbol whose declaration changed.
fn users(view: &View, change: &Change) -> String {
    let Some(one) = &change.after else { return String::new() };
    let wanted = Wanted { name: one.symbol_id.clone(), path: None, line: None };
    let question = references::Question { wanted, limit: USERS, ..Default::default() };
    match references::find(view, &Layers::None, &question) {
        Ok(answer) if answer.total > 0 => {
            let places: Vec<String> =
                answer.references.iter().map(|one| format!("{}:{}", one_line(&one.path), one.line)).collect();
            let more = answer.total - places.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("  used at {}{more}\n", places.join(", "))
        }
        _ => String::new(),
    }
}

fn add_renames(draft: &mut Draft, renames: &[diff::Rename]) {
    if !renames.is_empty() {
        draft.add("\n## Renamed or moved\n");
        let line = |one: &diff::Rename| {
            let (from, to) = (inline(&one.from), inline(&one.to));
            format!("- {from} ({}) → {to} ({})\n", one_line(&one.from_path), one_line(&one.to_path))
        };
        draft.add_all(renames.iter().map(line), |count| format!("- … {count} more\n"));
    }
}

/// The diffs of the riskiest symbols that existed before.
fn add_diffs(
    draft: &mut Draft,
    asked: &Asked,
    workspace: &Arc<Workspace>,
    answer: &diff::BranchDiff,
    merge_base: &str,
) -> Result<(), ToolError> {
    let modified = answer.changes.iter().filter(|change| change.change_type == ChangeType::Modified);
    let mut first = true;
    for after in modified.filter_map(|change| change.after.as_ref()).take(DIFFS) {
        if draft.left() < DIFF_TOKENS {
            break;
        }
        let question = compare::Question {
            name: after.qualified_name.clone(),
            path: Some(after.path.clone()),
            base: merge_base.to_owned(),
            head: answer.head_ref.clone(),
            work: asked.work.clone(),
        };
        let diff = match compare::compare(workspace, &question).map_err(ToolError::from) {
            Ok(found) => found.diff,
            // Several of that name, or moved in between: the list above names it all the same.
            Err(error) if matches!(error.code, ErrorCode::AmbiguousSymbol | ErrorCode::SymbolNotFound) => continue,
            Err(error) => return Err(error),
        };
        if std::mem::take(&mut first) {
            draft.add("\n## Diffs\n");
        }
        draft.add(&format!("\n{} {}:{}\n", inline(&after.qualified_name), one_line(&after.path), after.line_start));
        draft.add_code("diff", &diff, DIFF_TOKENS);
    }
    Ok(())
}
