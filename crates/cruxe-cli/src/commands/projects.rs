//! `cruxe projects`.

use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use clap::Args;
use cruxe_store::{Home, ProjectDir, ProjectRecord};
use serde_json::json;

use crate::context::{CliError, Context};
use crate::output::{self, Paint};

/// List what is indexed on this machine: folder, size, last use
///
/// Indexes are kept below $CRUXE_HOME (default ~/.cruxe). `cruxe remove` takes one away.
#[derive(Args)]
pub(crate) struct Projects {}

/// A project of which something is kept.
pub(super) struct Kept {
    pub dir: ProjectDir,
    pub record: ProjectRecord,
    pub size: u64,
    pub last_used: Option<SystemTime>,
}

impl Kept {
    /// Whether its folder and its repository are there no more. A disk that is not mounted looks the same, so nothing is removed
    /// for it without asking.
    pub fn is_gone(&self) -> bool {
        let repository = self.record.common_dir.as_deref();
        !self.record.root.exists() && repository.is_none_or(|repository| !repository.exists())
    }
}

/// Every project of a home, the largest first.
pub(super) fn all(home: &Home) -> Vec<Kept> {
    let kept = |dir: ProjectDir| {
        let record = dir.record().ok().flatten()?;
        Some(Kept { size: dir.size(), last_used: dir.last_used(), record, dir })
    };
    let mut all: Vec<Kept> = home.projects().into_iter().filter_map(kept).collect();
    all.sort_by(|a, b| b.size.cmp(&a.size).then_with(|| a.record.root.cmp(&b.record.root)));
    all
}

impl Projects {
    pub fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let all = all(&context.home);
        let total: u64 = all.iter().map(|kept| kept.size).sum();
        if context.options.json {
            let projects: Vec<_> = all.iter().map(as_json).collect();
            output::json(&json!({"home": context.home.root(), "size_bytes": total, "projects": projects}));
            return Ok(ExitCode::SUCCESS);
        }
        let paint = Paint::stdout();
        for kept in &all {
            let gone = if kept.is_gone() { paint.bad("  gone") } else { String::new() };
            let used = kept.last_used.map_or_else(|| "never used".to_owned(), |at| format!("used {}", ago(at)));
            let path = paint.path(&kept.record.root.display().to_string());
            output::line(&format!("{:>9}  {used:<16}  {path}{gone}", bytes(kept.size)));
        }
        let gone = all.iter().filter(|kept| kept.is_gone()).count();
        let home = context.home.root().display();
        output::line(&paint.faint(&format!("{}, {} below {home} (CRUXE_HOME)", count(all.len()), bytes(total))));
        if gone > 0 {
            output::line(&format!("{} of a folder that is gone: `cruxe remove --gone` takes it away", count(gone)));
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn as_json(kept: &Kept) -> serde_json::Value {
    let at = |time: SystemTime| jiff::Timestamp::try_from(time).ok().map(|at| at.to_string());
    json!({
        "project_id": kept.record.project_id, "root": kept.record.root, "repository": kept.record.common_dir,
        "created_at": kept.record.created_at, "last_used_at": kept.last_used.and_then(at),
        "size_bytes": kept.size, "index": kept.dir.root(), "gone": kept.is_gone(),
    })
}

/// So many projects.
pub(super) fn count(number: usize) -> String {
    format!("{number} project{}", if number == 1 { "" } else { "s" })
}

/// Bytes as people say them.
pub(super) fn bytes(count: u64) -> String {
    match count {
        0..1_000_000 => format!("{:.0} kB", count as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", count as f64 / 1e6),
        _ => format!("{:.1} GB", count as f64 / 1e9),
    }
}

/// How long ago something was, in the largest unit that fits.
fn ago(time: SystemTime) -> String {
    let seconds = time.elapsed().unwrap_or(Duration::ZERO).as_secs();
    let (count, unit) = match seconds {
        0..60 => return "just now".to_owned(),
        60..3600 => (seconds / 60, "minute"),
        3600..86_400 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_ages_are_told_in_the_unit_that_fits() {
        assert_eq!([900, 12_345, 9_876_543, 3_200_000_000].map(bytes), ["1 kB", "12 kB", "9.9 MB", "3.2 GB"]);
        let before = |seconds| ago(SystemTime::now() - Duration::from_secs(seconds));
        assert_eq!(
            [0, 61, 7300, 86_400, 260_000].map(before),
            ["just now", "1 minute ago", "2 hours ago", "1 day ago", "3 days ago"]
        );
    }
}
