//! Pictures: a graph in layers, a map of areas. Positions only; what a box says and where it leads is the page's.

use std::collections::{BTreeMap, HashMap, HashSet};

/// The size of a box.
pub(crate) const WIDTH: f64 = 220.0;
pub(crate) const HEIGHT: f64 = 40.0;
const GAP: f64 = 12.0;
const LANE: f64 = 90.0;
const MARGIN: f64 = 16.0;
/// Rounds of putting boxes near what they are tied to.
const SWEEPS: usize = 6;

/// A graph in layers, from left to right.
pub(crate) struct Layers {
    /// The corner of each box.
    pub places: Vec<(f64, f64)>,
    pub width: f64,
    pub height: f64,
}

/// The layer of each of `count` boxes so that edges lead to the right; edges that close a circle do not count.
pub(crate) fn rank(count: usize, edges: &[(usize, usize)]) -> Vec<i32> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    edges.iter().filter(|(from, to)| from != to).for_each(|(from, to)| next[*from].push(*to));
    // Without recursion: a chain may be as long as there are boxes.
    let mut order = Vec::with_capacity(count);
    let mut state = vec![0u8; count];
    let mut back: HashSet<(usize, usize)> = HashSet::new();
    for root in 0..count {
        let mut stack = vec![(root, 0)];
        while let Some((at, child)) = stack.pop() {
            if child == 0 && state[at] != 0 {
                continue;
            }
            state[at] = 1;
            match next[at].get(child) {
                None => {
                    state[at] = 2;
                    order.push(at);
                }
                Some(to) => {
                    stack.push((at, child + 1));
                    match state[*to] {
                        0 => stack.push((*to, 0)),
                        1 => _ = back.insert((at, *to)),
                        _ => {}
                    }
                }
            }
        }
    }
    let mut layers = vec![0; count];
    for at in order.into_iter().rev() {
        for to in &next[at] {
            if !back.contains(&(at, *to)) {
                layers[*to] = layers[*to].max(layers[at] + 1);
            }
        }
    }
    layers
}

/// Places boxes by their layers, each near what it is tied to.
pub(crate) fn place(layers: &[i32], edges: &[(usize, usize)]) -> Layers {
    let mut columns: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
    layers.iter().enumerate().for_each(|(at, layer)| columns.entry(*layer).or_default().push(at));
    let mut ties: HashMap<usize, Vec<usize>> = HashMap::new();
    for (from, to) in edges {
        ties.entry(*from).or_default().push(*to);
        ties.entry(*to).or_default().push(*from);
    }
    let mut heights: Vec<f64> = vec![0.0; layers.len()];
    for column in columns.values() {
        column.iter().enumerate().for_each(|(row, at)| heights[*at] = row as f64 - column.len() as f64 / 2.0);
    }
    let keys: Vec<i32> = columns.keys().copied().collect();
    for sweep in 0..SWEEPS {
        let ordered: Vec<i32> = if sweep % 2 == 0 { keys.clone() } else { keys.iter().rev().copied().collect() };
        for key in ordered {
            let Some(column) = columns.get_mut(&key) else { continue };
            let wish = |at: &usize| {
                let near: Vec<f64> = ties.get(at).into_iter().flatten().map(|other| heights[*other]).collect();
                if near.is_empty() { heights[*at] } else { near.iter().sum::<f64>() / near.len() as f64 }
            };
            let mut wishes: Vec<(f64, usize)> = column.iter().map(|at| (wish(at), *at)).collect();
            wishes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            *column = wishes.into_iter().map(|(_, at)| at).collect();
            column.iter().enumerate().for_each(|(row, at)| heights[*at] = row as f64 - column.len() as f64 / 2.0);
        }
    }
    let tallest = columns.values().map(Vec::len).max().unwrap_or(0) as f64;
    let height = tallest * (HEIGHT + GAP) - GAP + 2.0 * MARGIN;
    let mut places = vec![(0.0, 0.0); layers.len()];
    for (column, at) in columns
        .values()
        .enumerate()
        .flat_map(|(x, column)| column.iter().enumerate().map(move |(row, at)| ((x, column.len(), row), at)))
    {
        let (x, length, row) = column;
        let own = length as f64 * (HEIGHT + GAP) - GAP;
        places[*at] = (MARGIN + x as f64 * (WIDTH + LANE), (height - own) / 2.0 + row as f64 * (HEIGHT + GAP));
    }
    let width = columns.len() as f64 * (WIDTH + LANE) - LANE + 2.0 * MARGIN;
    Layers { places, width: width.max(WIDTH), height: height.max(HEIGHT + 2.0 * MARGIN) }
}

/// The line of an edge between two boxes.
pub(crate) fn curve(from: (f64, f64), to: (f64, f64)) -> String {
    let (right, y1) = (from.0 + WIDTH, from.1 + HEIGHT / 2.0);
    let (left, y2) = (to.0, to.1 + HEIGHT / 2.0);
    if left >= right {
        let half = (left - right) / 2.0;
        return format!("M{right:.0} {y1:.0}C{:.0} {y1:.0} {:.0} {y2:.0} {left:.0} {y2:.0}", right + half, left - half);
    }
    // Back, or within a layer: around on the right.
    let far = right.max(to.0 + WIDTH) + LANE / 2.0;
    format!("M{right:.0} {y1:.0}C{far:.0} {y1:.0} {far:.0} {y2:.0} {:.0} {y2:.0}", to.0 + WIDTH)
}

/// An area of a map: left, top, width, height.
pub(crate) type Area = (f64, f64, f64, f64);

/// Cuts an area into pieces of these sizes, as near to squares as it goes. Sizes come the largest first.
pub(crate) fn areas(sizes: &[f64], within: Area) -> Vec<Area> {
    let total: f64 = sizes.iter().sum();
    let scale = if total > 0.0 { within.2 * within.3 / total } else { 0.0 };
    let sizes: Vec<f64> = sizes.iter().map(|size| size * scale).collect();
    let (mut left, mut areas, mut at) = (within, Vec::with_capacity(sizes.len()), 0);
    while at < sizes.len() {
        let side = left.2.min(left.3).max(1e-9);
        let worst = |row: &[f64]| {
            let sum: f64 = row.iter().sum();
            let ratio = |size: &f64| (side * side * size / (sum * sum)).max(sum * sum / (side * side * size.max(1e-9)));
            row.iter().map(ratio).fold(0.0, f64::max)
        };
        let mut end = at + 1;
        while end < sizes.len() && worst(&sizes[at..=end]) <= worst(&sizes[at..end]) {
            end += 1;
        }
        let row = &sizes[at..end];
        let thick = row.iter().sum::<f64>() / side;
        let mut along = 0.0;
        for size in row {
            let long = if thick > 0.0 { size / thick } else { 0.0 };
            areas.push(match left.2 >= left.3 {
                true => (left.0, left.1 + along, thick, long),
                false => (left.0 + along, left.1, long, thick),
            });
            along += long;
        }
        left = match left.2 >= left.3 {
            true => (left.0 + thick, left.1, left.2 - thick, left.3),
            false => (left.0, left.1 + thick, left.2, left.3 - thick),
        };
        at = end;
    }
    areas
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_lead_to_the_right_and_circles_end() {
        assert_eq!(rank(4, &[(0, 1), (1, 2), (0, 2), (2, 3)]), [0, 1, 2, 3]);
        assert_eq!(rank(3, &[(0, 1), (1, 2), (2, 0)]), [0, 1, 2]);
        assert_eq!(rank(2, &[(0, 0)]), [0, 0]);
        let chain: Vec<(usize, usize)> = (0..9_999).map(|at| (at, at + 1)).collect();
        assert_eq!(rank(10_000, &chain)[9_999], 9_999);
    }

    #[test]
    fn boxes_of_a_layer_stand_apart() {
        let found = place(&[0, 1, 1, 1], &[(0, 1), (0, 2), (0, 3)]);
        let mut rows: Vec<f64> = found.places[1..].iter().map(|place| place.1).collect();
        rows.sort_by(f64::total_cmp);
        assert!(rows.windows(2).all(|pair| pair[1] - pair[0] >= HEIGHT));
        assert!(found.places[1].0 > found.places[0].0 + WIDTH);
    }

    #[test]
    fn areas_fill_what_they_are_cut_from() {
        let found = areas(&[6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0], (0.0, 0.0, 600.0, 400.0));
        let sum: f64 = found.iter().map(|area| area.2 * area.3).sum();
        assert!((sum - 240_000.0).abs() < 1.0);
        assert!(found.iter().all(|area| area.0 >= -0.01 && area.0 + area.2 <= 600.01 && area.1 + area.3 <= 400.01));
        assert_eq!(areas(&[], (0.0, 0.0, 1.0, 1.0)), []);
    }
}
