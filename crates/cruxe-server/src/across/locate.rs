//! Where a name is defined in any of several repositories.

use cruxe_model::SymbolId;
use cruxe_model::config::{ExplainLevel, FreshnessPolicy};
use cruxe_query::locate::{self, Definitions, Matched, Question};
use cruxe_query::name;
use cruxe_query::unparsed::Hidden;

use super::{App, Call, Chosen, MOST_ASKED, Needed, Outcome, Repository, Several, ToolError};
use crate::answers::{Detail, LocateAnswer, OfRepositories, Source, Told};

/// How a name is looked for, and how its definitions are shown.
pub struct Asking<'a> {
    /// The question.
    pub question: &'a Question,
    /// The ref.
    pub ref_name: Option<&'a str>,
    /// How current the answers must be.
    pub policy: Option<FreshnessPolicy>,
    /// How much each result says.
    pub detail: &'a Detail,
    /// How much source is shown.
    pub source: Source,
    /// Whether ranks are explained.
    pub level: ExplainLevel,
}

/// So many repositories are asked at once before it is known whether more must be.
const AT_ONCE: usize = 8;
/// Letters at the beginning that a name with a typing error has in common with the right one.
const BEGINNING: usize = 3;

/// A definition in the order of all: its rank, its repository, which of its definitions.
type Ranked = (f64, usize, usize);

/// Locates a name.
pub fn locate(app: &App, call: &Call, several: &Several, asking: &Asking) -> Result<LocateAnswer, ToolError> {
    let question = asking.question;
    if SymbolId::parse(question.name.trim()).is_some() {
        let problem = "name: a symbol_id belongs to one repository; give that as `workspace`, or a name here";
        return Err(ToolError::invalid_input(problem).with("parameter", "name"));
    }
    let chosen = app.chosen(several, call)?;
    let mut search = Search {
        app,
        call,
        asking,
        chosen: &chosen,
        needed: Needed::of(&chosen.ready),
        asked: Vec::new(),
        told: OfRepositories::default(),
        skipped: 0,
    };
    for stage in [Stage::Named, Stage::Begins, Stage::Similar] {
        search.run(stage);
        if search.places().next().is_some() || search.filtered_out() > 0 {
            break;
        }
    }
    search.answer()
}

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    /// Repositories that may have the name, whatever its case.
    Named,
    /// Those that may have a name that begins so.
    Begins,
    /// Those that may have a name that is similar.
    Similar,
}

struct Search<'a> {
    app: &'a App,
    call: &'a Call,
    asking: &'a Asking<'a>,
    chosen: &'a Chosen,
    needed: Needed,
    /// What repositories answered.
    asked: Vec<(usize, Definitions, Option<Hidden>)>,
    told: OfRepositories,
    /// Definitions in repositories that were not asked because enough better ones were found.
    skipped: usize,
}

impl Search<'_> {
    fn run(&mut self, stage: Stage) {
        let names = readings(&self.asking.question.name);
        let plain = names.last().cloned().unwrap_or_default();
        let short: String = plain.chars().take(BEGINNING).collect();
        let mut candidates: Vec<(f64, usize)> = Vec::new();
        for (at, repository) in self.chosen.ready.iter().enumerate() {
            let directory = &repository.directory;
            let keeps = self.needed.keeps(at);
            let best = |name: &String| locate::best_of(&self.asking.question.name, directory.definitions(name), keeps);
            let bound = match stage {
                Stage::Named => names.iter().filter_map(best).reduce(f64::max),
                Stage::Begins => directory.may_define_beginning(&plain).then_some(1.0),
                Stage::Similar => directory.may_define_beginning(&short).then_some(1.0),
            };
            let known = self.asked.iter().any(|(known, ..)| *known == at);
            if let Some(bound) = bound.filter(|_| !known) {
                candidates.push((bound, at));
            }
        }
        candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let ways: &[Matched] = match stage {
            Stage::Named => &[Matched::Exact, Matched::Inherited, Matched::Nearly],
            Stage::Begins => &[Matched::Prefix],
            Stage::Similar => &[Matched::Prefix, Matched::Typo],
        };
        let mut rest = &candidates[..];
        let mut opened = 0;
        while let Some((bound, ..)) = rest.first() {
            if opened >= 2 * MOST_ASKED || self.is_enough(*bound) {
                break;
            }
            let (now, later) = rest.split_at(rest.len().min(AT_ONCE));
            let repositories: Vec<(usize, &Repository)> =
                now.iter().map(|(_, at)| (*at, &self.chosen.ready[*at])).collect();
            opened += repositories.len();
            self.ask(&repositories, ways);
            rest = later;
        }
        let counted = |at: &usize| -> usize {
            let directory = &self.chosen.ready[*at].directory;
            names.iter().flat_map(|name| directory.definitions(name)).map(|one| one.count).sum()
        };
        let left: Vec<usize> = rest.iter().map(|(_, at)| *at).collect();
        match stage {
            Stage::Named => self.skipped = left.iter().map(counted).sum(),
            Stage::Begins | Stage::Similar => self.told.not_looked_into += left.len(),
        }
        let cut = opened >= 2 * MOST_ASKED && self.places().count() < self.asking.question.limit;
        if stage == Stage::Named && cut {
            self.told.not_looked_into += left.len();
        }
    }

    fn ask(&mut self, repositories: &[(usize, &Repository)], ways: &[Matched]) {
        let question = self.asking.question;
        let outcomes =
            self.app.ask_each(self.call, repositories, self.asking.ref_name, self.asking.policy, |_, asked| {
                let found = locate::locate(&asked.view, question)?;
                let hidden = locate::hidden(&asked.view, question)?;
                Ok((found, hidden, asked.view.standing.clone()))
            });
        for Outcome { at, answer } in outcomes {
            let repository = &self.chosen.ready[at];
            match answer {
                Some(Ok((mut found, hidden, standing))) => {
                    let keeps = self.needed.keeps(at);
                    found.found.iter_mut().for_each(|one| one.score.definition *= keeps);
                    self.told.looked_into += 1;
                    self.told.stand(&repository.name, &repository.address, &standing);
                    if found.matched.is_some_and(|how| ways.contains(&how)) {
                        self.asked.push((at, found, hidden));
                    }
                }
                Some(Err(error)) => self.told.fail(&repository.name, &error),
                None => self.told.not_looked_into += 1,
            }
        }
    }

    /// Whether no repository whose best is this can have one of the best definitions.
    fn is_enough(&self, bound: f64) -> bool {
        let better = self.places().filter(|(rank, ..)| *rank > bound - locate::NEARLY).count();
        better >= self.asking.question.limit
    }

    /// The definitions that match as well as any.
    fn places(&self) -> impl Iterator<Item = Ranked> + '_ {
        let best = self
            .asked
            .iter()
            .filter(|(_, found, _)| !found.found.is_empty())
            .filter_map(|(_, found, _)| found.matched)
            .min();
        let as_well = move |found: &Definitions| found.matched == best;
        self.asked.iter().enumerate().filter(move |(_, (_, found, _))| as_well(found)).flat_map(
            |(number, (_, found, _))| {
                found.found.iter().enumerate().map(move |(which, one)| (one.score.total(), number, which))
            },
        )
    }

    fn filtered_out(&self) -> usize {
        self.asked.iter().map(|(_, found, _)| found.filtered_out).sum()
    }

    fn answer(mut self) -> Result<LocateAnswer, ToolError> {
        let (asking, chosen) = (self.asking, self.chosen);
        let mut order: Vec<Ranked> = self.places().collect();
        order.sort_by(|a, b| {
            let by_repository = || self.asked[a.1].0.cmp(&self.asked[b.1].0);
            b.0.total_cmp(&a.0).then_with(by_repository).then(a.2.cmp(&b.2))
        });
        let (counted, filtered_out) = (
            self.places().map(|(_, number, _)| number).collect::<std::collections::BTreeSet<_>>(),
            self.filtered_out(),
        );
        let total = self.skipped + counted.iter().map(|number| self.asked[*number].1.total).sum::<usize>();
        order.truncate(asking.question.limit);
        // Of each repository the definitions that are shown, in the order of all.
        let mut shown: Vec<usize> = order.iter().map(|(_, number, _)| *number).collect();
        shown.sort_unstable();
        shown.dedup();
        let repositories: Vec<(usize, &Repository)> =
            shown.iter().map(|number| (*number, &chosen.ready[self.asked[*number].0])).collect();
        let parts = self.app.show_each(self.call, &repositories, asking.ref_name, |number, asked| {
            let (_, found, hidden) = &self.asked[number];
            let places = order.iter().enumerate().filter(|(_, (_, of, _))| *of == number);
            let (positions, own): (Vec<usize>, Vec<_>) =
                places.map(|(at, (.., which))| (at, found.found[*which].clone())).unzip();
            let part = Definitions {
                found: own,
                total: found.total,
                filtered_out: found.filtered_out,
                matched: found.matched,
            };
            let source = asking.source.share_of(&positions, order.len());
            let answer = LocateAnswer::new(&asking.question.name, &asked.view, &asked.layers(), &part, asking.detail)?
                .with_hidden(hidden.as_ref())
                .with_reasons(&part, asking.level)
                .with_source(&asked.view, &part, source)?;
            Ok((number, answer))
        })?;
        self.told.chosen(chosen);
        let named = |number: usize| chosen.ready[self.asked[number].0].name.clone();
        let parts: Vec<(String, LocateAnswer)> =
            parts.into_iter().map(|(number, part)| (named(number), part)).collect();
        let order: Vec<usize> = order
            .iter()
            .map(|(_, number, _)| shown.iter().position(|known| known == number).unwrap_or_default())
            .collect();
        let told = std::mem::take(&mut self.told);
        Ok(LocateAnswer::together(&asking.question.name, parts, &order, Told { total, filtered_out, of: told }))
    }
}

/// The names that a question may mean, as the question about one repository reads it; the plain one last.
fn readings(text: &str) -> Vec<String> {
    let plain = name::parse(text).plain;
    let mut names = vec![text.trim().to_owned(), format!("{plain}!")];
    names.retain(|name| *name != plain);
    names.dedup();
    names.push(plain);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_looked_up_once_whichever_way_it_is_read() {
        assert_eq!(readings("save"), ["save!", "save"]);
        assert_eq!(readings(" save! "), ["save!", "save"]);
        assert_eq!(readings("Model.save"), ["Model.save", "save!", "save"]);
    }
}
