//! Questions about several repositories at once: `workspace` is `*` or a list.
//!
//! Their directories say whom to ask ([`repositories`]); a few are opened, each is asked as a question about it alone would ask it, and the
//! answers are put in one order. What may not be seen is left out before anything is counted.

mod locate;
mod references;
mod repositories;
mod search;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use cruxe_index::Workspace;
use cruxe_model::config::FreshnessPolicy;
use cruxe_query::locate as locate_rank;
use cruxe_store::Directory;
use serde_json::Value;

use crate::app::App;
use crate::ask::Asked;
use crate::contract::ToolError;
use crate::tool::Call;

pub use locate::{Asking as Locating, locate};
pub use references::references;
pub use repositories::{Chosen, Repository};
pub(crate) use repositories::{Projects, Register, chosen_from, in_parallel};
pub use search::{Asking as Searching, search};

/// The word for every repository that there is.
pub const ALL: &str = "*";

/// Repositories that one question opens at most.
pub(crate) const MOST_ASKED: usize = 16;

/// The workspaces that a call names, where it asks about several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Several {
    /// Every one.
    All,
    /// These, by path or by the name that answers give them.
    Listed(Vec<String>),
}

impl Several {
    /// What the parameter `workspace` of a call says; `None` where it names one, or none.
    pub fn of(call: &Call) -> Option<Several> {
        match call.arguments.get("workspace")? {
            Value::String(word) if word.trim() == ALL => Some(Several::All),
            Value::Array(list) => {
                let words: Vec<String> =
                    list.iter().filter_map(|word| Some(word.as_str()?.trim().to_owned())).collect();
                Some(if words.iter().any(|word| word == ALL) { Several::All } else { Several::Listed(words) })
            }
            _ => None,
        }
    }
}

/// What became of a repository that was asked.
pub(crate) struct Outcome<T> {
    /// Its number.
    pub at: usize,
    /// What it answered; `None` where the time was over before.
    pub answer: Option<Result<T, ToolError>>,
}

impl App {
    /// The repositories that a call is about.
    pub fn chosen(&self, several: &Several, call: &Call) -> Result<Chosen, ToolError> {
        let chosen = self.workspaces().chosen(several, &call.session)?;
        match chosen.refused.first() {
            Some(first) if chosen.count() == 0 => Err(first.clone()),
            _ => Ok(chosen),
        }
    }

    /// Asks some repositories, on a few threads, each about the ref that the call means there.
    pub(crate) fn ask_each<T: Send>(
        &self,
        call: &Call,
        repositories: &[(usize, &Repository)],
        ref_name: Option<&str>,
        policy: Option<FreshnessPolicy>,
        answer: impl Fn(usize, &Asked) -> Result<T, ToolError> + Sync,
    ) -> Vec<Outcome<T>> {
        let _asking = self.quiet.asking();
        in_parallel(repositories.len(), |number| {
            let (at, repository) = repositories[number];
            let late = call.work.is_late() || call.work.check().is_err();
            let ask = || self.ask_one(call, &repository.root, ref_name, policy, |asked| answer(at, asked));
            Outcome { at, answer: (!late).then(ask) }
        })
    }

    fn ask_one<T>(
        &self,
        call: &Call,
        root: &Path,
        ref_name: Option<&str>,
        policy: Option<FreshnessPolicy>,
        answer: impl FnOnce(&Asked) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        let workspace = self.workspaces().open_at(root, &call.session.scope())?;
        let name = App::ref_name(&workspace, call, ref_name.map(str::to_owned))?;
        let policy = policy.unwrap_or(workspace.project.config.query.freshness_policy);
        let view = workspace.view(name.as_deref(), policy)?.with_work(&call.work);
        answer(&Asked { workspace: &workspace, view, scope: call.session.scope() })
    }

    /// Looks once more at what is published in some repositories, to show places of it.
    pub(crate) fn show_each<T: Send>(
        &self,
        call: &Call,
        repositories: &[(usize, &Repository)],
        ref_name: Option<&str>,
        show: impl Fn(usize, &Asked) -> Result<T, ToolError> + Sync,
    ) -> Result<Vec<T>, ToolError> {
        let shown = in_parallel(repositories.len(), |number| {
            let (at, repository) = repositories[number];
            let workspace: Arc<Workspace> = self.workspaces().open_at(&repository.root, &call.session.scope())?;
            let name = App::ref_name(&workspace, call, ref_name.map(str::to_owned))?;
            let view = workspace.as_published(name.as_deref())?.with_work(&call.work);
            show(at, &Asked { workspace: &workspace, view, scope: call.session.scope() })
        });
        shown.into_iter().collect()
    }
}

/// How many repositories need what each offers.
pub(crate) struct Needed {
    users: Vec<usize>,
    most: usize,
}

impl Needed {
    pub fn of(all: &[Repository]) -> Needed {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for repository in all {
            repository.directory.needs.iter().for_each(|need| *counts.entry(need).or_default() += 1);
        }
        let users = |repository: &Repository| {
            let Directory { offers, needs, .. } = &*repository.directory;
            let by_others = |package: &String| {
                let own = usize::from(needs.binary_search(package).is_ok());
                counts.get(package.as_str()).map_or(0, |count| count - own)
            };
            offers.iter().map(by_others).max().unwrap_or(0)
        };
        let users: Vec<usize> = all.iter().map(users).collect();
        let most = users.iter().copied().max().unwrap_or(0);
        Needed { users, most }
    }

    /// What the definitions of a repository keep of their rank.
    pub fn keeps(&self, at: usize) -> f64 {
        locate_rank::needed(self.users[at], self.most)
    }
}

/// The repositories that need one of a repository's packages, itself aside.
pub(crate) fn dependents(repository: &Repository, all: &[Repository]) -> Vec<usize> {
    let offers = &repository.directory.offers;
    let needs = |other: &Repository| other.directory.needs.iter().any(|need| offers.binary_search(need).is_ok());
    let others = all.iter().enumerate().filter(|(_, other)| other.root != repository.root && needs(other));
    others.map(|(at, _)| at).collect()
}
