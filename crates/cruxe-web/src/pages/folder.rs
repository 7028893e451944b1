//! A folder: what is in it, by size.

use std::collections::BTreeMap;

use axum::response::Response;
use cruxe_index::{IndexError, View};
use cruxe_model::RepoPath;
use cruxe_server::contract::{ErrorCode, ToolError};
use maud::{Markup, html};

use super::file::crumbs;
use super::{count, size};
use crate::address;
use crate::layout::Look;
use crate::params::Params;
use crate::visit::Visit;

pub(crate) async fn root(visit: Visit, params: Params) -> Response {
    let asked = params.clone();
    visit
        .page(&params, Look::new("Files", "Files"), move |asking| {
            let ref_name = asked.ref_name();
            let view = asking.view(ref_name.as_deref())?;
            listing(&view, "", ref_name.as_deref())
        })
        .await
}

/// Whether a path is a folder of the ref.
pub(crate) fn is_folder(view: &View, path: &str) -> Result<bool, ToolError> {
    let Some(published) = &view.published else { return Ok(false) };
    let plain = RepoPath::parse(path.trim_end_matches('/')).ok();
    if let Some(plain) = &plain
        && published.file_at(plain).map_err(IndexError::from)?.is_some()
    {
        return Ok(false);
    }
    let files = published.files().map_err(IndexError::from)?;
    let below = format!("{}/", path.trim_end_matches('/'));
    Ok(files.iter().any(|file| file.path.as_str().starts_with(&below)))
}

#[derive(Default)]
struct Entry {
    is_folder: bool,
    files: u64,
    symbols: u64,
    bytes: u64,
}

/// What is in a folder.
pub(crate) fn listing(view: &View, path: &str, ref_name: Option<&str>) -> Result<Markup, ToolError> {
    let Some(published) = &view.published else {
        return Err(ToolError::new(ErrorCode::IndexNotReady, "nothing is indexed yet"));
    };
    let path = path.trim_matches('/');
    let below = if path.is_empty() { String::new() } else { format!("{path}/") };
    let mut entries: BTreeMap<(bool, String), Entry> = BTreeMap::new();
    for file in published.files().map_err(IndexError::from)? {
        let Some(rest) = file.path.as_str().strip_prefix(&below) else { continue };
        let (name, is_folder) = rest.split_once('/').map_or((rest, false), |(name, _)| (name, true));
        let entry = entries.entry((!is_folder, name.to_owned())).or_default();
        entry.is_folder = is_folder;
        entry.files += 1;
        entry.symbols += u64::from(file.symbols);
        entry.bytes += file.bytes;
    }
    let largest = entries.values().map(|entry| entry.bytes).max().unwrap_or(1).max(1);
    Ok(html! {
        section.folder {
            header.file-head {
                h1 { @if path.is_empty() { "All files" } @else { (crumbs(path, ref_name)) } }
                p.row { a.button href=(address::with("/graph", &[("folder", path), ("ref", ref_name.unwrap_or_default())])) { "Map" } }
            }
            table.files data-list {
                thead { tr { th { "Name" } th.num { "Files" } th.num { "Symbols" } th.num { "Size" } th { span.hidden { "Share" } } } }
                tbody {
                    @for ((_, name), entry) in &entries {
                        tr {
                            td { a.open.folder-name[entry.is_folder] href=(address::file(&format!("{below}{name}"), ref_name, None)) {
                                (name) @if entry.is_folder { "/" }
                            } }
                            td.num { @if entry.is_folder { (count(entry.files)) } }
                            td.num { (count(entry.symbols)) }
                            td.num { (size(entry.bytes)) }
                            td.bar { svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" {
                                rect.part0 x="0" y="0" height="6" width=(format!("{:.1}", entry.bytes as f64 * 100.0 / largest as f64)) {}
                            } }
                        }
                    }
                }
            }
        }
    })
}
