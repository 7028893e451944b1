//! Progress bars: on a terminal only, on stderr only, and only for work that takes a while.

use std::io::IsTerminal;
use std::time::Duration;

use cruxe_model::Work;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output;

/// A bar for an indexing job, or for bytes.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    pub fn new(what: &str) -> Bar {
        Bar::with_template(what, "{spinner} {msg} [{bar:30}] {pos}/{len} files, {elapsed}")
    }

    /// A bar that counts bytes.
    pub fn bytes(what: &str, total: Option<u64>) -> Bar {
        let bar = Bar::with_template(what, "{spinner} {msg} [{bar:30}] {bytes}/{total_bytes}, {elapsed}");
        if let Some(total) = total {
            bar.0.set_length(total);
        }
        bar
    }

    pub fn set(&self, done: u64) {
        self.0.set_position(done);
    }

    /// Shows how far it is, where that is known.
    pub fn show(&self, done: u64, total: Option<u64>) {
        if let Some(total) = total {
            self.0.set_length(total);
            self.0.set_position(done);
        }
    }

    fn with_template(what: &str, template: &str) -> Bar {
        let bar = if std::io::stderr().is_terminal() {
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
        } else {
            ProgressBar::hidden()
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(output::one_line(&output::shown(what)).into_owned());
        bar.enable_steady_tick(Duration::from_millis(120));
        Bar(bar)
    }
}

impl Bar {
    /// Work whose progress the bar shows. Keep the bar until it is done.
    pub fn watches(&self) -> Work {
        let bar = self.0.clone();
        Work::default().heard_by(move |done, total| {
            bar.set_length(total);
            bar.set_position(done);
        })
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
