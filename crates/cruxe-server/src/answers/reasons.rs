//! What a score comes from: in words, and as the figures that stand beside a list of results.

use cruxe_model::config::ExplainLevel;
use cruxe_query::search::{Factors, Meaning, PartReasons, PathFit, PathReason, QualifiedReason, Reasons, TextReason};
use serde_json::Value;

use crate::contract::Metadata;

/// Where the figures stand in the metadata.
const FIGURES: &str = "ranking_reasons";

/// Adds the figures of each result, where they are asked for.
pub(super) fn add(metadata: Metadata, figures: impl Iterator<Item = Value>, level: ExplainLevel) -> Metadata {
    match level {
        ExplainLevel::Off => metadata,
        ExplainLevel::Basic | ExplainLevel::Full => metadata.with(FIGURES, figures.collect::<Vec<_>>()),
    }
}

/// The figures of several answers in one: `order` says whose is next.
pub(super) fn together<'m>(metadata: Metadata, parts: impl Iterator<Item = &'m Metadata>, order: &[usize]) -> Metadata {
    let of =
        |part: &Metadata| part.extra.get(FIGURES).and_then(Value::as_array).cloned().unwrap_or_default().into_iter();
    let mut lists: Vec<_> = parts.map(of).collect();
    let next = |(at, of): (usize, &usize)| {
        let mut figures = lists.get_mut(*of)?.next()?;
        figures["result_index"] = at.into();
        Some(figures)
    };
    let figures: Vec<Value> = order.iter().enumerate().filter_map(next).collect();
    if figures.is_empty() { metadata } else { metadata.with(FIGURES, figures) }
}

/// Keeps the figures of the first so many results.
pub(super) fn keep_first(metadata: Metadata, count: usize) -> Metadata {
    metadata.keep_first(FIGURES, count)
}

/// The part of the text, what took its share of the whole score, and what a second look added.
pub(super) fn text(reasons: &Reasons) -> String {
    let mut words = match reasons.text {
        TextReason::NotCompared => "the text was not compared".to_owned(),
        TextReason::Ranked { chunks, file, meaning } => format!(
            "chunks.body+name {} and whole file {} of the best in this search{}",
            percent(chunks),
            percent(file),
            meaning.map(near).unwrap_or_default()
        ),
        TextReason::Line { line, part } => format!("line {line} has {} of the text that was asked for", percent(part)),
    };
    let Factors { class, place, quality } = reasons.factors;
    for (factor, why) in [
        (class, "for the kind of file"),
        (place, "for the place in the file"),
        (quality, "for how much of the query was found at all"),
    ] {
        if factor < 1.0 {
            let digits = (f64::from(factor) * 1e3).round() / 1e3;
            words += &format!("; everything × {digits} {why}");
        }
    }
    if let Some(look) = reasons.second_look {
        words += &format!("; {} adds {:.3} to the score", look.model, look.added);
    }
    words
}

fn near(meaning: Meaning) -> String {
    let (nearness, share) = (percent(meaning.nearness), percent(meaning.share));
    format!(", nearness in meaning {nearness} ({share} of the part of the text)")
}

/// A definition whose name is in the query.
pub(super) fn exact_match(parts: &PartReasons) -> String {
    match parts.exact_match {
        Some(named) => format!("defines a {} whose name is in the query (fit {:.2})", named.kind.as_str(), named.fit),
        None => "no definition has a name of the query".to_owned(),
    }
}

/// Names and qualifiers of definitions.
pub(super) fn qualified_name(parts: &PartReasons) -> String {
    match parts.qualified_name {
        Some(QualifiedReason::Qualifiers(fit)) => format!("the qualifiers of the query fit ({fit:.2})"),
        Some(QualifiedReason::Words(part)) => {
            format!("names of definitions have words of the query ({} of the best)", percent(part))
        }
        None => "no definition fits the qualifiers of a name in the query".to_owned(),
    }
}

/// The path.
pub(super) fn path(parts: &PartReasons) -> String {
    match parts.path {
        Some(PathReason::Path(fit)) => path_fit(fit).to_owned(),
        Some(PathReason::Words { stem, folders }) => format!(
            "words of the query in the file name ({}) and folders ({} of the best)",
            percent(stem),
            percent(folders)
        ),
        None => "no word of the query is in the path".to_owned(),
    }
}

fn path_fit(fit: PathFit) -> &'static str {
    match fit {
        PathFit::Same => "the path is the query",
        PathFit::End => "the path ends with the query",
        PathFit::BelowFolder => "the file is below the folder",
        PathFit::BelowFolderOfThatName => "the file is below a folder of that name",
        PathFit::Inside => "the path contains the query",
        PathFit::PartsInOrder => "the path has the parts of the query in their order",
    }
}

/// How much its definitions are used.
pub(super) fn definition(parts: &PartReasons) -> String {
    match parts.definition {
        Some(part) => {
            format!("what it defines is used elsewhere: {} of the most used in this search", percent(part))
        }
        None => "nothing is known of how much its definitions are used".to_owned(),
    }
}

/// The kind of the definition.
pub(super) fn kind_match(parts: &PartReasons) -> String {
    match parts.kind {
        Some(kind) => format!("a {} is what a name usually means", kind.as_str()),
        None => "no kind is asked for".to_owned(),
    }
}

fn percent(part: f32) -> String {
    format!("{:.0} %", 100.0 * part)
}

#[cfg(test)]
mod tests {
    use cruxe_query::search::SecondLook;

    use super::*;

    #[test]
    fn what_takes_a_share_or_adds_to_the_text_is_said_behind_it() {
        let mut reasons = Reasons {
            text: TextReason::Ranked { chunks: 1.0, file: 0.5, meaning: Some(Meaning { nearness: 0.25, share: 0.75 }) },
            factors: Factors { class: 0.7, place: 1.0, quality: 0.62549 },
            second_look: Some(SecondLook { model: "mini", added: 0.125 }),
            parts: None,
        };
        assert_eq!(
            text(&reasons),
            "chunks.body+name 100 % and whole file 50 % of the best in this search, nearness in meaning 25 % (75 % of \
             the part of the text); everything × 0.7 for the kind of file; everything × 0.625 for how much of the \
             query was found at all; mini adds 0.125 to the score"
        );
        reasons = Reasons {
            text: TextReason::Line { line: 7, part: 0.9 },
            factors: Factors { class: 1.0, place: 1.0, quality: 1.0 },
            second_look: None,
            parts: None,
        };
        assert_eq!(text(&reasons), "line 7 has 90 % of the text that was asked for");
    }
}
