//! `sync_repo`: take in what changed.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::index_repo::{Input, start};
use crate::app::App;
use crate::contract::{ErrorCode, Metadata, names};
use crate::tool::{Tool, ToolSpec, typed};

/// The job.
#[derive(Serialize, JsonSchema)]
struct Output {
    job_id: String,
    status: String,
    mode: String,
    changed_files: Option<u64>,
    metadata: Metadata,
}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Take in changes since the last index. The server follows edits by itself; use this when an answer \
                 says `stale`.";
    typed(ToolSpec::new(names::SYNC_REPO, "Sync the index", about).writes(), move |input: Input, call| {
        let started = start(&app, call, input, ErrorCode::SyncInProgress)?;
        Ok(Output {
            job_id: started.job_id,
            status: started.status,
            mode: started.mode,
            changed_files: started.report.and_then(|report| report.job.changed_files),
            metadata: started.metadata,
        })
    })
}
