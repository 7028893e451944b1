//! Why a result of a search ranks where it does.

use cruxe_index::Layers;
use cruxe_model::SourceLayer;
use cruxe_query::search::{self, PartReasons, SearchHit};
use schemars::JsonSchema;
use serde::Serialize;

use super::text::{Line, Text};
use super::{Render, noting, place, reasons, rounded};
use crate::contract::Metadata;

/// What a score is made of.
#[derive(Serialize, JsonSchema)]
pub struct RankingAnswer {
    query: String,
    result: Ranked,
    scoring: Scoring,
    scoring_details: Details,
    metadata: Metadata,
}

/// The result.
#[derive(Serialize, JsonSchema)]
struct Ranked {
    path: String,
    line_start: u32,
    line_end: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    rank: usize,
    score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_layer: Option<SourceLayer>,
}

/// The components; `total` is their sum.
#[derive(Serialize, JsonSchema)]
struct Scoring {
    bm25: f64,
    exact_match: f64,
    qualified_name: f64,
    path_affinity: f64,
    definition_boost: f64,
    kind_match: f64,
    total: f64,
}

/// The components in words.
#[derive(Serialize, JsonSchema)]
struct Details {
    bm25_source: String,
    exact_match_reason: String,
    qualified_name_reason: String,
    path_affinity_reason: String,
    definition_boost_reason: String,
    kind_match_reason: String,
    /// How `total` and the result's score belong together.
    total_reason: String,
}

impl RankingAnswer {
    /// Why `found` is where it is among the results of a search.
    pub fn new(query: String, layers: &Layers, found: &SearchHit, answer: &search::SearchAnswer) -> RankingAnswer {
        let is_it = |other: &&SearchHit| other.file.path == found.file.path && other.lines == found.lines;
        let symbol = found.symbol();
        let scoring = Scoring::of(found);
        RankingAnswer {
            query,
            result: Ranked {
                path: found.file.path.as_str().to_owned(),
                line_start: found.lines.0,
                line_end: found.lines.1,
                kind: symbol.map(|symbol| symbol.kind.as_str()),
                name: symbol.map(|symbol| symbol.name.clone()),
                rank: 1 + answer.found.iter().take_while(|other| !is_it(other)).count(),
                score: rounded(found.confidence),
                source_layer: layers.of(&found.file.path, &found.file.hash),
            },
            scoring_details: Details::of(found, &scoring),
            scoring,
            metadata: Metadata::of_search(answer),
        }
    }
}

impl Details {
    fn of(found: &SearchHit, scoring: &Scoring) -> Details {
        // Of a file that is not ranked there is nothing to say.
        let of_part = |words: fn(&PartReasons) -> String| found.reasons.parts.as_ref().map(words).unwrap_or_default();
        Details {
            bm25_source: reasons::text(&found.reasons),
            exact_match_reason: of_part(reasons::exact_match),
            qualified_name_reason: of_part(reasons::qualified_name),
            path_affinity_reason: of_part(reasons::path),
            definition_boost_reason: of_part(reasons::definition),
            kind_match_reason: of_part(reasons::kind_match),
            total_reason: scoring.of_best_possible(found),
        }
    }
}

impl Scoring {
    fn of(found: &SearchHit) -> Scoring {
        let score = &found.score;
        let component = |value: f32| (f64::from(value) * 1e6).round() / 1e6;
        let parts = [
            component(score.text),
            component(score.exact_match),
            component(score.qualified_name),
            component(score.path_affinity),
            component(score.definition),
            component(score.kind_match),
        ];
        let [bm25, exact_match, qualified_name, path_affinity, definition_boost, kind_match] = parts;
        // The sum of what is shown, so that a reader who adds up finds the same.
        let total = (parts.iter().sum::<f64>() * 1e6).round() / 1e6;
        Scoring { bm25, exact_match, qualified_name, path_affinity, definition_boost, kind_match, total }
    }

    fn of_best_possible(&self, found: &SearchHit) -> String {
        let score = found.confidence;
        let best = if score > 0.0 { f64::from(found.score.total()) / score } else { 0.0 };
        format!("{:.4} of {best:.4}, which the best possible result would have: score {score:.4}", self.total)
    }
}

impl Render for RankingAnswer {
    fn text(&self) -> Text {
        let mut text = noting(&self.metadata);
        let (result, scoring, details) = (&self.result, &self.scoring, &self.scoring_details);
        let mut line = Line::new().strong(format!("{}. ", result.rank));
        line = line.join(place(&result.path, result.line_start, result.line_end));
        if let (Some(kind), Some(name)) = (result.kind, &result.name) {
            line = line.plain(format!("  {kind} ")).strong(name);
        }
        text.push(line.plain(format!("  score {:.2}", result.score)));
        for (name, value, reason) in [
            ("text", scoring.bm25, &details.bm25_source),
            ("name", scoring.exact_match, &details.exact_match_reason),
            ("qualified", scoring.qualified_name, &details.qualified_name_reason),
            ("path", scoring.path_affinity, &details.path_affinity_reason),
            ("used", scoring.definition_boost, &details.definition_boost_reason),
            ("kind", scoring.kind_match, &details.kind_match_reason),
        ] {
            text.push(Line::new().number(format!("{value:>8.3}")).plain(format!("  {name}: ")).faint(reason));
        }
        text.push(
            Line::new().number(format!("{:>8.3}", scoring.total)).plain("  in all: ").faint(&details.total_reason),
        );
        text
    }
}
