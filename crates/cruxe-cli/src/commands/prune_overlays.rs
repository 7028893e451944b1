//! `cruxe prune-overlays`.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::context::{CliError, Context};
use crate::output::{self, Paint};

/// Forget branches that nobody asked about for a while
///
/// Their index and the work trees that Cruxe made for them go; the branches themselves stay. The default branch and
/// whatever is checked out are never touched.
#[derive(Args)]
pub(crate) struct PruneOverlays {
    /// Those that were not used in so many days; 0 for all
    #[arg(long, value_name = "DAYS", default_value_t = 30)]
    older_than: u32,
    /// Only say what would go
    #[arg(long)]
    dry_run: bool,
}

impl PruneOverlays {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let pruned = context.workspace()?.prune(self.older_than, self.dry_run)?;
        if context.options.json {
            let refs: Vec<_> =
                pruned.refs.iter().map(|(name, at)| json!({"ref": name, "last_accessed_at": at.to_string()})).collect();
            output::json(&json!({
                "refs": refs, "file_versions": pruned.versions, "freed_bytes": pruned.freed_bytes,
                "dry_run": self.dry_run, "warnings": pruned.warnings,
            }));
            return Ok(ExitCode::SUCCESS);
        }
        let (paint, verb) = (Paint::stdout(), if self.dry_run { "would remove" } else { "removed" });
        for (name, at) in &pruned.refs {
            output::line(&format!("{verb} {}, last used {at}", paint.strong(name)));
        }
        let count = pruned.refs.len();
        let mut sum = format!("{verb} {count} refs and {} file versions", pruned.versions);
        if !self.dry_run {
            sum.push_str(&format!(", {:.1} MB freed", pruned.freed_bytes as f64 / 1e6));
        }
        output::line(&sum);
        pruned.warnings.iter().for_each(|warning| output::line(&format!("  warning: {warning}")));
        Ok(ExitCode::SUCCESS)
    }
}
