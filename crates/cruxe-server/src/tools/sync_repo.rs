//! `sync_repo`: take in what changed.

use std::sync::Arc;

use super::index_repo::{Input, start};
use crate::answers::SyncAnswer;
use crate::app::App;
use crate::contract::{ErrorCode, names};
use crate::tool::{Tool, ToolSpec, typed};

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Take in changes since the last index. The server follows edits by itself; use this when an answer \
                 says `stale`.";
    typed(ToolSpec::new(names::SYNC_REPO, "Sync the index", about).writes(), move |input: Input, call| {
        let started = start(&app, call, input, ErrorCode::SyncInProgress)?;
        Ok(SyncAnswer {
            job_id: started.job_id,
            status: started.status,
            mode: started.mode,
            changed_files: started.report.and_then(|report| report.job.changed_files),
            metadata: started.metadata,
        })
    })
}
