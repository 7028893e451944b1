//! `list_refs`: which branches, tags and commits can be asked about.

use std::collections::HashMap;
use std::sync::Arc;

use cruxe_index::{IndexError, Layers, Source, Workspace};
use cruxe_model::{SourceLayer, VersionId};
use cruxe_store::{FileRow, RefState, Snapshot, VersionSet};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answers::{RefEntry, RefStatusWord, RefsAnswer};
use crate::app::{App, RefStatus, seconds};
use crate::contract::{ToolError, names};
use crate::scope::Scope;
use crate::tool::{Tool, ToolSpec, typed};

/// Nothing to choose.
#[derive(Deserialize, JsonSchema)]
struct Input {}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "The indexed branches, tags and commits: merge base, what each changes, whether it moved since.";
    typed(ToolSpec::new(names::LIST_REFS, "List refs", about), move |_: Input, call| {
        let workspace = app.workspace(call)?;
        let asked = App::ref_name(&workspace, call, None)?;
        let metadata = RefStatus::of(&workspace, asked.as_deref())?.metadata;
        let vcs_mode = workspace.project.repo.is_some();
        let refs = match workspace.snapshot() {
            Ok(snapshot) => entries(&workspace, &snapshot, &call.session.scope())?,
            Err(cruxe_store::StoreError::NotIndexed) => Vec::new(),
            Err(problem) => return Err(IndexError::from(problem).into()),
        };
        Ok(RefsAnswer::new(refs, vcs_mode, metadata))
    })
}

fn entries(workspace: &Arc<Workspace>, snapshot: &Snapshot, scope: &Scope) -> Result<Vec<RefEntry>, ToolError> {
    let mut states = snapshot.refs().map_err(IndexError::from)?;
    states.retain(|state| scope.allows_ref(&workspace.project.root, &state.name));
    let default = match workspace.project.repo {
        Some(_) => scope.default_branch(workspace),
        None => states.first().map(|state| state.name.clone()),
    };
    let all = VersionSet::union(states.iter().map(|state| &state.versions));
    let files: HashMap<VersionId, FileRow> =
        snapshot.files_of(&all).map_err(IndexError::from)?.into_iter().map(|file| (file.id, file)).collect();
    let active = workspace.active_job().map_err(IndexError::from)?.map(|job| job.ref_name);
    let entries = states
        .iter()
        .map(|state| {
            let is_default = default.as_deref() == Some(state.name.as_str());
            let layers = if is_default { Layers::None } else { scope.layers_of(workspace, state) };
            let own = own_figures(state, &layers, &files);
            let indexing = active.as_deref() == Some(state.name.as_str());
            RefEntry {
                ref_name: state.name.clone(),
                is_default,
                last_indexed_commit: state.commit.clone(),
                merge_base_commit: layers.merge_base().map(|commit| commit.to_hex()),
                file_count: own.0,
                symbol_count: own.1,
                total_file_count: state.files,
                total_symbol_count: state.symbols,
                status: if indexing { RefStatusWord::Indexing } else { status(workspace, state) },
                last_accessed_at: seconds(workspace.accessed_at(state)),
            }
        })
        .collect();
    Ok(entries)
}

/// Files and symbols in which a ref differs from its merge base; all of them where there is none.
fn own_figures(state: &RefState, layers: &Layers, files: &HashMap<VersionId, FileRow>) -> (u64, u64) {
    if layers.merge_base().is_none() {
        return (state.files, state.symbols);
    }
    let own = state
        .versions
        .iter()
        .filter_map(|version| files.get(&version))
        .filter(|file| layers.of(&file.path, &file.hash) == Some(SourceLayer::Overlay));
    own.fold((0, 0), |(count, symbols), file| (count + 1, symbols + u64::from(file.symbols)))
}

/// Whether a ref is still what was indexed.
fn status(workspace: &Workspace, state: &RefState) -> RefStatusWord {
    match workspace.project.resolve(Some(&state.name)) {
        Err(_) => RefStatusWord::Deleted,
        Ok((name, _)) if name != state.name => RefStatusWord::Deleted,
        Ok((_, Source::WorkTree { commit: Some(commit) } | Source::Commit(commit)))
            if Some(commit.to_hex()) != state.commit =>
        {
            RefStatusWord::Stale
        }
        Ok(_) => RefStatusWord::Active,
    }
}
