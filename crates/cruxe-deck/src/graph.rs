//! Which card depends on which. Nothing here recurses: a chain may be as long as it likes.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::card::{Card, CardId};

/// What a card waits for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Blocker<'a> {
    /// A card that is not finished.
    Card(&'a Arc<Card>),
    /// An id that no card has.
    Missing(&'a str),
}

/// The dependencies among cards.
pub struct TaskGraph<'a> {
    cards: &'a [Arc<Card>],
    number: HashMap<&'a str, usize>,
    /// Per card, the cards that it depends on, in the order in which it names them, each once.
    needs: Vec<Vec<usize>>,
    missing: Vec<(&'a Card, &'a str)>,
}

impl<'a> TaskGraph<'a> {
    /// The graph of cards; what they name and is not among them is missing.
    pub fn new(cards: &'a [Arc<Card>]) -> TaskGraph<'a> {
        let number: HashMap<&str, usize> =
            cards.iter().enumerate().map(|(number, card)| (card.id.as_str(), number)).collect();
        let mut missing = Vec::new();
        let mut needs = Vec::with_capacity(cards.len());
        for card in cards {
            let mut of_card: Vec<usize> = Vec::new();
            for id in &card.depends_on {
                match number.get(id.as_str()) {
                    Some(other) if of_card.contains(other) => {}
                    Some(other) => of_card.push(*other),
                    None => missing.push((&**card, id.as_str())),
                }
            }
            needs.push(of_card);
        }
        TaskGraph { cards, number, needs, missing }
    }

    /// Returns a card.
    pub fn card(&self, id: &str) -> Option<&'a Arc<Card>> {
        self.number.get(id).map(|number| &self.cards[*number])
    }

    /// Returns the cards that a card names as its dependencies, in its order. Empty for an id of no card.
    pub fn dependencies(&self, id: &str) -> Vec<&'a Arc<Card>> {
        let needs = self.number.get(id).map_or(&[][..], |number| &self.needs[*number]);
        needs.iter().map(|other| &self.cards[*other]).collect()
    }

    /// Returns the cards that name a card as a dependency, by id. Empty for an id of no card.
    pub fn dependents(&self, id: &str) -> Vec<&'a Arc<Card>> {
        let Some(wanted) = self.number.get(id) else { return Vec::new() };
        let having = self.needs.iter().zip(self.cards).filter(|(needs, _)| needs.contains(wanted));
        having.map(|(_, card)| card).collect()
    }

    /// Returns what a card still waits for, in its order: cards that are not finished, and ids of no card.
    pub fn blockers(&self, card: &'a Card) -> Vec<Blocker<'a>> {
        let mut found: Vec<Blocker> = Vec::new();
        for id in &card.depends_on {
            let blocker = match self.card(id) {
                Some(card) if card.is_finished() => continue,
                Some(card) => Blocker::Card(card),
                None => Blocker::Missing(id),
            };
            if !found.contains(&blocker) {
                found.push(blocker);
            }
        }
        found
    }

    /// Returns every card that must be done before a card, nearest first, each once and without the card itself.
    pub fn all_dependencies(&self, id: &str) -> Vec<&'a Arc<Card>> {
        let Some(start) = self.number.get(id) else { return Vec::new() };
        let mut seen = vec![false; self.cards.len()];
        seen[*start] = true;
        let (mut queue, mut found) = (VecDeque::from([*start]), Vec::new());
        while let Some(at) = queue.pop_front() {
            for next in &self.needs[at] {
                if !std::mem::replace(&mut seen[*next], true) {
                    found.push(&self.cards[*next]);
                    queue.push_back(*next);
                }
            }
        }
        found
    }

    /// Returns the dependencies that are of no card, with the card that names them.
    pub fn missing(&self) -> &[(&'a Card, &'a str)] {
        &self.missing
    }

    /// Returns one cycle for each knot of cards that depend on one another, by the first id in it. A cycle begins and
    /// ends with the same id.
    pub fn cycles(&self) -> Vec<Vec<CardId>> {
        self.cycles_from(0..self.cards.len())
    }

    /// Returns a cycle that one of the cards is part of or leads to.
    pub fn cycle_below<'b>(&self, ids: impl IntoIterator<Item = &'b str>) -> Option<Vec<CardId>> {
        let starts: Vec<usize> = ids.into_iter().filter_map(|id| self.number.get(id).copied()).collect();
        self.cycles_from(starts).into_iter().next()
    }

    fn cycles_from(&self, starts: impl IntoIterator<Item = usize>) -> Vec<Vec<CardId>> {
        let mut cycles: Vec<Vec<CardId>> = Vec::new();
        for knot in self.knots(starts) {
            let least = knot.iter().copied().min_by_key(|number| &self.cards[*number].id);
            cycles.extend(least.map(|least| self.shortest_cycle(least, &knot)));
        }
        cycles.sort();
        cycles
    }

    /// Sets of cards that all depend on one another (Tarjan's algorithm with a stack of its own).
    fn knots(&self, starts: impl IntoIterator<Item = usize>) -> Vec<Vec<usize>> {
        const NEW: usize = usize::MAX;
        let count = self.cards.len();
        let (mut order, mut low, mut on_stack) = (vec![NEW; count], vec![0; count], vec![false; count]);
        let (mut stack, mut path, mut next) = (Vec::new(), Vec::new(), 0);
        let mut knots = Vec::new();
        for start in starts {
            if order[start] != NEW {
                continue;
            }
            path.push((start, 0));
            while let Some((at, edge)) = path.pop() {
                if edge == 0 {
                    (order[at], low[at]) = (next, next);
                    next += 1;
                    stack.push(at);
                    on_stack[at] = true;
                }
                if let Some(&to) = self.needs[at].get(edge) {
                    path.push((at, edge + 1));
                    if order[to] == NEW {
                        path.push((to, 0));
                    } else if on_stack[to] {
                        low[at] = low[at].min(order[to]);
                    }
                    continue;
                }
                if let Some((above, _)) = path.last() {
                    low[*above] = low[*above].min(low[at]);
                }
                if low[at] == order[at] {
                    let from = stack.iter().rposition(|other| *other == at).unwrap_or(0);
                    let knot = stack.split_off(from);
                    knot.iter().for_each(|member| on_stack[*member] = false);
                    if knot.len() > 1 || self.needs[at].contains(&at) {
                        knots.push(knot);
                    }
                }
            }
        }
        knots
    }

    /// The shortest way from a member of a knot back to itself.
    fn shortest_cycle(&self, start: usize, knot: &[usize]) -> Vec<CardId> {
        let mut inside = vec![false; self.cards.len()];
        knot.iter().for_each(|member| inside[*member] = true);
        let mut came_from: HashMap<usize, usize> = HashMap::new();
        let mut queue = VecDeque::from([start]);
        let mut last = start;
        'search: while let Some(at) = queue.pop_front() {
            for &next in self.needs[at].iter().filter(|next| inside[**next]) {
                if next == start {
                    last = at;
                    break 'search;
                }
                if let std::collections::hash_map::Entry::Vacant(place) = came_from.entry(next) {
                    place.insert(at);
                    queue.push_back(next);
                }
            }
        }
        let id = |number: usize| self.cards[number].id.clone();
        let mut cycle = vec![id(start)];
        while last != start {
            cycle.push(id(last));
            last = came_from.get(&last).copied().unwrap_or(start);
        }
        cycle.push(id(start));
        cycle.reverse();
        cycle
    }
}

/// Returns a cycle as text: `abc123 → def456 → abc123`.
pub fn show_cycle(cycle: &[CardId]) -> String {
    cycle.iter().map(CardId::as_str).collect::<Vec<_>>().join(" → ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card;

    fn cards(edges: &[(&str, &[&str])]) -> Vec<Arc<Card>> {
        let make = |(id, needs): &(&str, &[&str])| {
            let id = CardId::parse(id).unwrap();
            let text = format!("---\ntitle: T\ndepends_on: [{}]\n---\n", needs.join(", "));
            let path = cruxe_model::RepoPath::parse(&id.path()).unwrap();
            Arc::new(card::read(&id, &path, text.as_bytes()).card.unwrap())
        };
        edges.iter().map(make).collect()
    }

    fn cycles(edges: &[(&str, &[&str])]) -> Vec<String> {
        TaskGraph::new(&cards(edges)).cycles().iter().map(|cycle| show_cycle(cycle)).collect()
    }

    fn ring(length: usize) -> Vec<Arc<Card>> {
        let id = |number: usize| format!("c{:05}", number % length);
        let edges: Vec<(String, String)> = (0..length).map(|number| (id(number), id(number + 1))).collect();
        let needs: Vec<[&str; 1]> = edges.iter().map(|(_, to)| [to.as_str()]).collect();
        let edges: Vec<(&str, &[&str])> =
            edges.iter().zip(&needs).map(|((from, _), needs)| (from.as_str(), &needs[..])).collect();
        cards(&edges)
    }

    #[test]
    fn a_graph_without_a_cycle_has_none() {
        assert_eq!(cycles(&[("aaaaa1", &["aaaaa2", "aaaaa3"]), ("aaaaa2", &["aaaaa3"]), ("aaaaa3", &[])]), [""; 0]);
        assert_eq!(cycles(&[]), [""; 0]);
    }

    #[test]
    fn cycles_of_every_length_are_named_in_full() {
        assert_eq!(cycles(&[("aaaaa1", &["aaaaa1"])]), ["aaaaa1 → aaaaa1"]);
        assert_eq!(cycles(&[("aaaaa2", &["aaaaa1"]), ("aaaaa1", &["aaaaa2"])]), ["aaaaa1 → aaaaa2 → aaaaa1"]);
        let cards = ring(1000);
        let cycles = TaskGraph::new(&cards).cycles();
        assert_eq!(cycles.len(), 1);
        assert_eq!(cycles[0].len(), 1001);
        assert_eq!(
            (cycles[0][0].as_str(), cycles[0][1].as_str(), cycles[0][1000].as_str()),
            ("c00000", "c00001", "c00000")
        );
    }

    #[test]
    fn two_knots_are_two_cycles_and_cards_beside_them_are_in_none() {
        let edges: [(&str, &[&str]); 6] = [
            ("aaaaa1", &["aaaaa2"]),
            ("aaaaa2", &["aaaaa1", "bbbbb1"]),
            ("bbbbb1", &["bbbbb2"]),
            ("bbbbb2", &["bbbbb1"]),
            ("ccccc1", &["bbbbb1"]),
            ("ddddd1", &[]),
        ];
        assert_eq!(cycles(&edges), ["aaaaa1 → aaaaa2 → aaaaa1", "bbbbb1 → bbbbb2 → bbbbb1"]);
        let cards = cards(&edges);
        let graph = TaskGraph::new(&cards);
        let below = |id: &str| graph.cycle_below([id]).map(|cycle| show_cycle(&cycle));
        assert_eq!(below("ccccc1").as_deref(), Some("bbbbb1 → bbbbb2 → bbbbb1"));
        assert_eq!(below("ddddd1"), None);
        assert_eq!(below("zzzzzz"), None);
    }

    #[test]
    fn a_card_waits_for_what_is_not_finished_and_for_what_is_not_there() {
        let mut cards =
            cards(&[("aaaaa1", &["aaaaa2", "gone01", "aaaaa3", "gone01"]), ("aaaaa2", &[]), ("aaaaa3", &[])]);
        cards[1] = Arc::new(Card { status: card::Status::Done, ..Card::clone(&cards[1]) });
        let graph = TaskGraph::new(&cards);
        assert_eq!(graph.blockers(&cards[0]), [Blocker::Missing("gone01"), Blocker::Card(&cards[2])]);
        assert_eq!(graph.blockers(&cards[1]), []);
    }

    #[test]
    fn dependencies_go_forth_and_dependents_back() {
        let cards =
            cards(&[("aaaaa1", &["aaaaa3", "gone01", "aaaaa2", "aaaaa3"]), ("aaaaa2", &["aaaaa3"]), ("aaaaa3", &[])]);
        let graph = TaskGraph::new(&cards);
        let ids = |cards: Vec<&Arc<Card>>| cards.iter().map(|card| card.id.to_string()).collect::<Vec<_>>();
        assert_eq!(ids(graph.dependencies("aaaaa1")), ["aaaaa3", "aaaaa2"]);
        assert_eq!(ids(graph.dependents("aaaaa3")), ["aaaaa1", "aaaaa2"]);
        assert_eq!(ids(graph.all_dependencies("aaaaa1")), ["aaaaa3", "aaaaa2"]);
        assert_eq!(
            graph.missing().iter().map(|(card, id)| (card.id.as_str(), *id)).collect::<Vec<_>>(),
            [("aaaaa1", "gone01")]
        );
        assert_eq!(ids(graph.dependencies("zzzzzz")), [""; 0]);
    }
}
