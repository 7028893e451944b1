//! Whether other weights would rank better, judged by repositories that had no say in it.
//!
//! Every weight is tried at parts and multiples of what it is. For each repository the variant is chosen that is best on all the
//! others, and judged on this one. Where that is no better than the weights as they are, there is nothing to gain near by.

use std::collections::BTreeMap;

use cruxe_query::search::rank::Weights;

/// One weight.
type Weight = (&'static str, fn(&mut Weights) -> &mut f32);

const WEIGHTS: [Weight; 7] = [
    ("chunks", |weights| &mut weights.chunks),
    ("file", |weights| &mut weights.file),
    ("semantic", |weights| &mut weights.semantic),
    ("stem", |weights| &mut weights.stem),
    ("folders", |weights| &mut weights.folders),
    ("popularity", |weights| &mut weights.popularity),
    ("definition", |weights| &mut weights.definition),
];
const TIMES: [f32; 5] = [0.0, 0.5, 0.75, 1.33, 2.0];

/// The mean score of each repository, by the weights that were used.
type Means = Vec<f64>;

/// Tries all variants and prints what came of it. `judge` gives the mean of each repository for a change of the weights.
pub fn run<E>(mut judge: impl FnMut(&dyn Fn(&mut Weights)) -> Result<Means, E>) -> Result<(), E> {
    let mut variants: Vec<(String, Means)> = vec![("as they are".to_owned(), judge(&|_| {})?)];
    for (name, weight) in WEIGHTS {
        for times in TIMES {
            let means = judge(&|weights| *weight(weights) *= times)?;
            variants.push((format!("{name} × {times}"), means));
        }
    }
    println!("\n| weights | NDCG@10 |\n| --- | --- |");
    for (label, means) in &variants {
        println!("| {label} | {:.4} |", mean(means));
    }
    let now = &variants[0].1;
    let (judged, chosen) = left_out(&variants);
    println!("| chosen by the other repositories | {:.4} |", mean(&judged));
    let gains: Means = judged.iter().zip(now).map(|(then, now)| then - now).collect();
    println!("\nrepositories: {}, spread (one standard deviation) {:.3}", now.len(), spread(now));
    println!("gain of what the others choose: {:+.4}, spread {:.4}; chosen: {chosen:?}", mean(&gains), spread(&gains));
    Ok(())
}

/// The mean of each repository with the variant that is best on all others, and how often each was chosen.
fn left_out(variants: &[(String, Means)]) -> (Means, BTreeMap<&str, usize>) {
    let (mut judged, mut chosen) = (Means::new(), BTreeMap::new());
    for repo in 0..variants[0].1.len() {
        let others = |means: &Means| means.iter().sum::<f64>() - means[repo];
        let best = variants.iter().rev().max_by(|a, b| others(&a.1).total_cmp(&others(&b.1)));
        if let Some((label, means)) = best {
            judged.push(means[repo]);
            *chosen.entry(label.as_str()).or_default() += 1;
        }
    }
    (judged, chosen)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn spread(values: &[f64]) -> f64 {
    let middle = mean(values);
    let squares: Vec<f64> = values.iter().map(|value| (value - middle) * (value - middle)).collect();
    mean(&squares).sqrt()
}
