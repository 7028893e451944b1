//! Who uses a symbol, in its own repository and in those that depend on its package.

use cruxe_model::config::FreshnessPolicy;
use cruxe_query::locate::{self, Matched};
use cruxe_query::name;
use cruxe_query::origin::{self, Origin};
use cruxe_query::references::{self, Question, Subject};

use super::{App, Call, Chosen, MOST_ASKED, Needed, Outcome, Repository, Several, ToolError, dependents};
use crate::answers::{Breadth, Dependents, OfRepositories, ReferencesAnswer};
use crate::contract::ErrorCode;

/// Repositories that a symbol is looked for in, when several may define it.
const MOST_HOMES: usize = 8;

/// Finds the uses of a symbol.
pub fn references(
    app: &App,
    call: &Call,
    several: &Several,
    question: &Question,
    (ref_name, policy): (Option<&str>, Option<FreshnessPolicy>),
) -> Result<ReferencesAnswer, ToolError> {
    let chosen = app.chosen(several, call)?;
    let mut told = OfRepositories::default();
    let (home, origin, mut answer) = find_home(app, call, &chosen, question, (ref_name, policy), &mut told)?;
    let repository = &chosen.ready[home];
    let mut others = Dependents { of: origin.as_ref().map(|origin| origin.package.clone()), ..Dependents::default() };
    let users = match &origin {
        Some(origin) => {
            let offers = |at: &usize| chosen.ready[*at].directory.needs.binary_search(&origin.package).is_ok();
            dependents(repository, &chosen.ready).into_iter().filter(offers).collect()
        }
        None => Vec::new(),
    };
    others.not_dependent = chosen.ready.len() - 1 - users.len();
    let (asked, over) = users.split_at(users.len().min(MOST_ASKED));
    others.over_limit = over.iter().map(|at| chosen.ready[*at].name.clone()).collect();
    answer.name_repository(&repository.name);
    if let Some(origin) = &origin {
        let repositories: Vec<(usize, &Repository)> = asked.iter().map(|at| (*at, &chosen.ready[*at])).collect();
        let outcomes = app.ask_each(call, &repositories, ref_name, policy, |_, asked| {
            let found = origin::uses(&asked.view, &asked.layers(), question, origin)?;
            let standing = asked.view.standing.clone();
            let answer = found.map(|found| ReferencesAnswer::new(None, &asked.view, question, found, Breadth::Brief));
            Ok((answer, standing))
        });
        for Outcome { at, answer: outcome } in outcomes {
            let repository = &chosen.ready[at];
            match outcome {
                Some(Ok((part, standing))) => {
                    told.looked_into += 1;
                    told.stand(&repository.name, &repository.address, &standing);
                    answer.add(&repository.name, part, question.limit);
                }
                Some(Err(error)) => told.fail(&repository.name, &error),
                None => others.over_limit.push(repository.name.clone()),
            }
        }
    }
    told.chosen(&chosen);
    Ok(answer.of_repositories(told, others, question.limit))
}

type Home = (usize, Option<Origin>, ReferencesAnswer);

/// The repository that defines the symbol, by the best of its definitions; of equal ones the one that others build on.
fn find_home(
    app: &App,
    call: &Call,
    chosen: &Chosen,
    question: &Question,
    (ref_name, policy): (Option<&str>, Option<FreshnessPolicy>),
    told: &mut OfRepositories,
) -> Result<Home, ToolError> {
    let plain = name::parse(&question.wanted.name).plain;
    let by_handle = cruxe_model::SymbolId::parse(question.wanted.name.trim()).is_some();
    let needed = Needed::of(&chosen.ready);
    let mut homes: Vec<(f64, usize)> = Vec::new();
    for (at, repository) in chosen.ready.iter().enumerate() {
        let directory = &repository.directory;
        let named = || locate::best_of(&question.wanted.name, directory.definitions(&plain), needed.keeps(at));
        // A handle names a path, which a directory does not know.
        let bound = if by_handle { Some(1.0) } else { named() };
        homes.extend(bound.map(|bound| (bound, at)));
    }
    homes.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let more = homes.len().saturating_sub(MOST_HOMES);
    homes.truncate(MOST_HOMES);
    let repositories: Vec<(usize, &Repository)> = homes.iter().map(|(_, at)| (*at, &chosen.ready[*at])).collect();
    let asked = locate::Question::new(question.wanted.name.clone(), 1);
    let outcomes = app.ask_each(call, &repositories, ref_name, policy, |at, view| {
        let found = locate::locate_in(&view.view, &asked, question.wanted.path.as_deref())?;
        let is_it = |how: Matched| how.is_it() || how == Matched::Nearly;
        let best = found.found.first().filter(|_| found.matched.is_some_and(is_it));
        let rank = |best: &locate::Definition| {
            let mut score = best.score;
            score.definition *= needed.keeps(at);
            score.total()
        };
        Ok(best.map(|best| (found.matched, rank(best))))
    });
    let mut defining: Vec<(usize, Option<Matched>, f64)> = Vec::new();
    for Outcome { at, answer } in outcomes {
        match answer {
            Some(Ok(Some((how, rank)))) => defining.push((at, how, rank)),
            Some(Ok(None)) => {}
            Some(Err(error)) => told.fail(&chosen.ready[at].name, &error),
            None => told.not_looked_into += 1,
        }
    }
    defining.sort_by(|a, b| a.1.cmp(&b.1).then(b.2.total_cmp(&a.2)).then(a.0.cmp(&b.0)));
    let Some((home, ..)) = defining.first().copied() else {
        return Err(told.no_such_symbol(&question.wanted.name, chosen));
    };
    let others: Vec<&str> = defining[1..].iter().map(|(at, ..)| chosen.ready[*at].name.as_str()).collect();
    told.also_defined(&plain, &chosen.ready[home].name, &others, more);
    let repository = [(home, &chosen.ready[home])];
    let mut outcome = app.ask_each(call, &repository, ref_name, policy, |_, asked| {
        let found = references::find(&asked.view, &asked.layers(), question)?;
        let origin = match &found.subject {
            Subject::Defined(target) => origin::of(&asked.view, &target.symbol)?,
            Subject::External(_) => None,
        };
        let answer = ReferencesAnswer::new(None, &asked.view, question, found, Breadth::Brief);
        Ok((origin, answer, asked.view.standing.clone()))
    });
    let late =
        || ToolError::new(ErrorCode::InternalError, "the time for an answer was over before anything was looked at");
    let (origin, answer, standing) = outcome.pop().and_then(|outcome| outcome.answer).unwrap_or_else(|| Err(late()))?;
    told.looked_into += 1;
    told.stand(&chosen.ready[home].name, &chosen.ready[home].address, &standing);
    Ok((home, origin, answer))
}
