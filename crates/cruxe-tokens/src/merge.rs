//! Byte pair encoding: a piece begins as bytes, and of all neighbours that form a token those of the lowest rank are
//! merged first, the leftmost of equals, until none are left.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::vocabulary::rank;

/// Longer pieces are merged with a heap; in shorter ones the lowest rank is found sooner by looking at all.
const SHORT: usize = 64;

/// Returns how many tokens a piece has.
pub(crate) fn count(piece: &[u8]) -> usize {
    match piece.len() {
        0 | 1 => piece.len(),
        _ if rank(piece).is_some() => 1,
        length if length <= SHORT => count_short(piece),
        _ => count_long(piece),
    }
}

fn count_short(piece: &[u8]) -> usize {
    // Where parts begin, each with the rank that it would have together with the next; the last entry is the end.
    let pair = |from: usize, to: Option<usize>| to.and_then(|to| rank(&piece[from..to])).unwrap_or(u32::MAX);
    let mut parts: Vec<(usize, u32)> =
        (0..=piece.len()).map(|at| (at, pair(at, Some(at + 2).filter(|to| *to <= piece.len())))).collect();
    loop {
        let lowest = parts.iter().enumerate().min_by_key(|(_, (_, rank))| *rank);
        let Some((at, _)) = lowest.filter(|(_, (_, rank))| *rank != u32::MAX) else { return parts.len() - 1 };
        parts.remove(at + 1);
        for left in at.saturating_sub(1)..=at {
            let end = parts.get(left + 2).map(|(start, _)| *start);
            parts[left].1 = pair(parts[left].0, end);
        }
    }
}

fn count_long(piece: &[u8]) -> usize {
    let length = piece.len();
    // Where the part that begins at a byte ends, and where the one before it begins; a part that was merged into
    // another ends where it begins.
    let mut ends: Vec<usize> = (1..=length).collect();
    let mut before: Vec<Option<usize>> = (0..length).map(|at| at.checked_sub(1)).collect();
    let mut pairs = BinaryHeap::new();
    let push = |pairs: &mut BinaryHeap<_>, ends: &[usize], left: usize| {
        let Some(end) = ends.get(ends[left]).copied() else { return };
        if let Some(rank) = rank(&piece[left..end]) {
            pairs.push(Reverse((rank, left, end)));
        }
    };
    for left in 0..length {
        push(&mut pairs, &ends, left);
    }
    let mut count = length;
    while let Some(Reverse((_, left, end))) = pairs.pop() {
        let right = ends[left];
        // One of the two has been merged with another neighbour since.
        if right == left || right >= end || ends[right] != end {
            continue;
        }
        ends[left] = end;
        ends[right] = right;
        if let Some(next) = before.get_mut(end) {
            *next = Some(left);
        }
        count -= 1;
        push(&mut pairs, &ends, left);
        if let Some(previous) = before[left] {
            push(&mut pairs, &ends, previous);
        }
    }
    count
}
