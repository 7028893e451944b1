//! A search from both ends, step by step, until the two sides meet.

use std::collections::{HashMap, HashSet};

use cruxe_model::VersionId;

use super::AFTERWARDS;
use super::links::{Link, Links};
use crate::filter::is_test_file;
use crate::resolve::Def;

/// A search that meets more symbols is cut.
const MAX_SYMBOLS: usize = 20_000;
/// To find who calls a symbol takes about so much longer than to find whom it calls: every file that has its name is looked into.
const CALLERS_COST: usize = 8;
/// So many chains are compared.
const MAX_COMPARED: usize = 300;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The two sides met.
    Met,
    /// One side has no way on.
    Over,
    /// Chains of the wanted length are not enough.
    TooFar,
    /// A bound ended it.
    Cut,
}

/// One end and what was reached from it. A node is a symbol, or what is outside of the ref.
struct Side {
    /// How many steps away a node is.
    distance: HashMap<Option<Def>, u32>,
    /// The calls over which it was reached, from nodes that are one step nearer.
    links: HashMap<Option<Def>, Vec<Link>>,
    /// What was reached last, in the order in which it was.
    front: Vec<Option<Def>>,
    depth: u32,
}

impl Side {
    fn new(nodes: Vec<Option<Def>>) -> Side {
        let distance = nodes.iter().map(|node| (*node, 0)).collect();
        Side { distance, links: HashMap::new(), front: nodes, depth: 0 }
    }
}

/// A chain of calls.
pub(super) struct Chain {
    pub links: Vec<Link>,
}

impl Chain {
    pub fn guesses(&self) -> usize {
        self.links.iter().filter(|link| link.is_guess()).count()
    }

    /// How many of its calls stand in tests.
    fn in_tests(&self) -> usize {
        self.links.iter().filter(|link| is_test_file(link.site.path(), &link.site.row.language)).count()
    }

    fn places(&self) -> Vec<(String, u32)> {
        self.links.iter().map(|link| (link.site.path().to_owned(), link.start)).collect()
    }
}

/// A search between some symbols and some others.
pub(super) struct Search {
    callees: Side,
    callers: Side,
    most: u32,
    /// Guesses are not followed.
    sure: bool,
    met: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Callees,
    Callers,
}

impl Search {
    /// A search for chains of at most so many calls.
    pub fn new(starts: &[Def], ends: &[Option<Def>], most: u32, sure: bool) -> Search {
        let callees = Side::new(starts.iter().copied().map(Some).collect());
        Search { callees, callers: Side::new(ends.to_vec()), most, sure, met: false }
    }

    /// Goes on from the side that has less to look at.
    pub fn run(&mut self, links: &mut Links) -> Outcome {
        let mut over = false;
        while !self.met {
            if self.callees.depth + self.callers.depth >= self.most {
                return if over { Outcome::Over } else { Outcome::TooFar };
            }
            let (ahead, behind) = (self.callees.front.len(), self.callers.front.len());
            if ahead == 0 && behind == 0 {
                return Outcome::Over;
            }
            if (ahead == 0 || behind == 0) && !over {
                // It is decided. What the other side has to tell is which unresolved calls may be the missing link.
                over = true;
                links.until(AFTERWARDS);
            }
            let way = match behind == 0 || ahead > 0 && ahead <= CALLERS_COST * behind {
                true => Way::Callees,
                false => Way::Callers,
            };
            if !self.step(way, links) {
                return if over { Outcome::Over } else { Outcome::Cut };
            }
        }
        Outcome::Met
    }

    /// Takes one side a step further; false where a bound ended that before anything was met.
    fn step(&mut self, way: Way, links: &mut Links) -> bool {
        let front = match way {
            Way::Callees => std::mem::take(&mut self.callees.front),
            Way::Callers => std::mem::take(&mut self.callers.front),
        };
        let mut whole = true;
        for node in front {
            if links.is_late() || self.symbols() > MAX_SYMBOLS {
                whole = false;
                break;
            }
            let found = match (way, node) {
                (Way::Callees, Some(def)) => links.calls_of(def),
                (Way::Callees, None) => continue,
                (Way::Callers, node) => {
                    let (found, all) = links.calls_to(node);
                    whole &= all;
                    found
                }
            };
            let sure = self.sure;
            for link in found.iter().filter(|link| !sure || !link.is_guess()) {
                self.follow(way, link, links);
            }
        }
        let side = match way {
            Way::Callees => &mut self.callees,
            Way::Callers => &mut self.callers,
        };
        side.depth += u32::from(whole);
        whole || self.met
    }

    fn follow(&mut self, way: Way, link: &Link, links: &mut Links) {
        let (side, other, node) = match way {
            Way::Callees => (&mut self.callees, &self.callers, link.callee),
            Way::Callers => (&mut self.callers, &self.callees, Some(link.caller)),
        };
        let depth = side.depth + 1;
        let meets = other.distance.contains_key(&node);
        match side.distance.get(&node) {
            Some(known) if *known < depth => return,
            Some(_) => {}
            None => {
                if !meets && !node.is_none_or(|def| links.passes(def)) {
                    return;
                }
                side.distance.insert(node, depth);
                side.front.push(node);
            }
        }
        side.links.entry(node).or_default().push(link.clone());
        if meets && !self.met {
            // No chain is shorter. Others of its length may be, and surer ones.
            self.met = true;
            links.until(AFTERWARDS);
        }
    }

    /// How many steps each side went.
    pub fn looked(&self) -> (u32, u32) {
        (self.callees.depth, self.callers.depth)
    }

    /// How many symbols were met.
    pub fn symbols(&self) -> usize {
        self.callees.distance.len() + self.callers.distance.len()
    }

    /// How far a symbol is from the beginning.
    pub fn reached(&self, def: Def) -> Option<u32> {
        self.callees.distance.get(&Some(def)).copied()
    }

    /// The symbols that lead to the end, each with its distance.
    pub fn leading(&self) -> impl Iterator<Item = (Def, u32)> {
        self.callers.distance.iter().filter_map(|(node, distance)| Some(((*node)?, *distance)))
    }

    /// The shortest chains, those with fewer guesses first.
    pub fn chains(&self, most: usize) -> Vec<Chain> {
        let length = |node: &Option<Def>| Some(self.callees.distance.get(node)? + self.callers.distance.get(node)?);
        let meeting = self.callees.distance.keys().filter_map(|node| Some((length(node)?, *node)));
        let mut meeting: Vec<(u32, Option<Def>)> = meeting.collect();
        meeting.sort_unstable();
        let Some((shortest, _)) = meeting.first().copied() else { return Vec::new() };
        let mut chains: Vec<Chain> = Vec::new();
        let mut seen: HashSet<Vec<(Def, VersionId, u32)>> = HashSet::new();
        for (_, node) in meeting.into_iter().take_while(|(length, _)| *length == shortest) {
            if chains.len() >= MAX_COMPARED {
                break;
            }
            let before = halves(&self.callees, node, &|link| Some(link.caller));
            let after = halves(&self.callers, node, &|link| link.callee);
            for (first, last) in before.iter().flat_map(|first| after.iter().map(move |last| (first, last))) {
                let links: Vec<Link> = first.iter().rev().chain(last).map(|link| (*link).clone()).collect();
                // A class that is called and its constructor are one end.
                let calls = links.iter().map(|link| (link.caller, link.site.id(), link.start)).collect();
                if seen.insert(calls) {
                    chains.push(Chain { links });
                }
                if chains.len() >= MAX_COMPARED {
                    break;
                }
            }
        }
        chains.sort_by_cached_key(|chain| (chain.guesses(), chain.in_tests(), chain.places()));
        chains.truncate(most);
        chains
    }
}

/// The ways from a node to where its side began, each a list of calls from the node on.
fn halves<'s>(side: &'s Side, node: Option<Def>, nearer: &dyn Fn(&Link) -> Option<Def>) -> Vec<Vec<&'s Link>> {
    let mut done = Vec::new();
    let mut pending = vec![(node, Vec::new())];
    while let Some((node, way)) = pending.pop() {
        if side.distance.get(&node) == Some(&0) {
            done.push(way);
            if done.len() >= MAX_COMPARED {
                break;
            }
            continue;
        }
        // The best is looked at first: it is taken from the stack's end.
        for link in side.links.get(&node).into_iter().flatten().rev() {
            let mut longer: Vec<&Link> = way.clone();
            longer.push(link);
            pending.push((nearer(link), longer));
        }
    }
    done
}
