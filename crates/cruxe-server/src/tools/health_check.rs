//! `health_check`: is everything in order.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::answers::HealthAnswer;
use crate::app::{App, RefStatus};
use crate::contract::names;
use crate::tool::{Tool, ToolSpec, typed};

/// Nothing but the workspace, which every tool has.
#[derive(Deserialize, JsonSchema)]
struct Input {}

pub(super) fn tool(app: Arc<App>) -> Arc<dyn Tool> {
    let about = "Status of server and index: versions, health, the running job, recovery after a crash.";
    typed(ToolSpec::new(names::HEALTH_CHECK, "Health check", about).quick(), move |_: Input, call| {
        let workspace = app.workspace(call)?;
        let scope = call.session.scope();
        let ref_name = scope.ref_of(&workspace, None)?;
        Ok(HealthAnswer::new(&app, &workspace, RefStatus::of(&workspace, ref_name.as_deref())?, &scope))
    })
}
