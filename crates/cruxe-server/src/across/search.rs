//! What the code of any of several repositories does about something.

use std::sync::Arc;

use cruxe_model::config::{ExplainLevel, FreshnessPolicy};
use cruxe_query::filter::Filter;
use cruxe_query::search::among::{Among, Together, likeliest, together};
use cruxe_query::search::{self};
use cruxe_store::Directory;

use super::{App, Call, MOST_ASKED, Outcome, Repository, Several, ToolError};
use crate::answers::{Detail, OfRepositories, SearchAnswer, Source, Told};
use crate::ask::search_question;

/// What is searched for, and how results are shown.
pub struct Asking<'a> {
    /// The query.
    pub query: &'a str,
    /// Only this language.
    pub language: Option<String>,
    /// Only such places.
    pub filter: Filter,
    /// At most so many results.
    pub limit: usize,
    /// The part of text relevance that is by meaning.
    pub semantic_ratio: Option<f32>,
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

/// Searches.
pub fn search(app: &App, call: &Call, several: &Several, asking: &Asking) -> Result<SearchAnswer, ToolError> {
    let chosen = app.chosen(several, call)?;
    let among = Arc::new(Among::of(asking.query, chosen.ready.iter().map(|repository| &*repository.directory)));
    let named: Vec<(&str, &Directory)> =
        chosen.ready.iter().map(|repository| (repository.name.as_str(), &*repository.directory)).collect();
    let likely = likeliest(asking.query, &among, &named);
    let mut told = OfRepositories::default();
    told.not_looked_into = likely.len().saturating_sub(MOST_ASKED);
    let repositories: Vec<(usize, &Repository)> =
        likely.into_iter().take(MOST_ASKED).map(|at| (at, &chosen.ready[at])).collect();
    let outcomes = app.ask_each(call, &repositories, asking.ref_name, asking.policy, |_, asked| {
        let (mut question, problem) =
            search_question(asked.workspace, asking.query, asking.language.clone(), asking.limit);
        question.filter = asking.filter.clone();
        question.semantic_ratio = asking.semantic_ratio.or(question.semantic_ratio);
        question.among = Some(Arc::clone(&among));
        let ratio = question.semantic_ratio;
        Ok((search::search(&asked.view, &question)?, ratio, problem))
    });
    let (mut answers, mut ratio, mut problems) = (Vec::new(), None, Vec::new());
    for Outcome { at, answer } in outcomes {
        let repository = &chosen.ready[at];
        match answer {
            Some(Ok((answer, of_repository, problem))) => {
                told.looked_into += 1;
                told.stand(&repository.name, &repository.root, &answer.standing);
                told.remark(&repository.name, &answer);
                ratio = of_repository;
                problems.extend(problem);
                answers.push((at, answer));
            }
            Some(Err(error)) => told.fail(&repository.name, &error),
            None => told.not_looked_into += 1,
        }
    }
    // By name, so that equal scores do not depend on who was likelier.
    answers.sort_by_key(|(at, _)| *at);
    let filtered_out = answers.iter().map(|(_, answer)| answer.remarks.filtered_out).sum();
    let names: Vec<&str> = named.iter().map(|(name, _)| *name).collect();
    let Together { parts, order, total, truncated, notices } =
        together(asking.query, ratio, &names, answers, asking.limit);
    let shown: Vec<(usize, &Repository)> = parts
        .iter()
        .enumerate()
        .filter(|(_, (_, answer))| !answer.found.is_empty())
        .map(|(part, (at, _))| (part, &chosen.ready[*at]))
        .collect();
    let answers = app.show_each(call, &shown, asking.ref_name, |part, asked| {
        let found = &parts[part].1;
        let positions: Vec<usize> =
            order.iter().enumerate().filter(|(_, (of, _))| *of == part).map(|(position, _)| position).collect();
        let source = asking.source.share_of(&positions, order.len());
        let answer = SearchAnswer::new(asking.query, &asked.view, &asked.layers(), found, asking.detail)?
            .with_reasons(found, asking.level)
            .with_source(&asked.view, found, source)?;
        Ok((part, answer))
    })?;
    told.chosen(&chosen);
    problems.dedup();
    told.warnings.extend(problems);
    told.say(&notices);
    let of = |part: usize| shown.iter().position(|(known, _)| *known == part).unwrap_or_default();
    let order: Vec<usize> = order.iter().map(|(part, _)| of(*part)).collect();
    let parts: Vec<(String, SearchAnswer)> =
        answers.into_iter().map(|(part, answer)| (chosen.ready[parts[part].0].name.clone(), answer)).collect();
    let intent = search::intent(asking.query);
    Ok(SearchAnswer::together(asking.query, intent, parts, &order, truncated, Told { total, filtered_out, of: told }))
}
