//! Source to show with an answer: all of a place where there is room, else the lines that tell most about the question.

use std::sync::Arc;

use cruxe_index::View;
use cruxe_store::FileRow;

use crate::kept_texts;

/// Longer lines are cut.
const MAX_LINE: usize = 200;
/// What a line costs beside its text: its number and what stands around it.
const LINE_COST: usize = 6;
/// Lines of a declaration's beginning that are shown before anything else.
const HEAD: usize = 2;

/// Lines of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// Each with its number, ascending.
    pub lines: Vec<(u32, String)>,
    /// How many lines of the place are not among them.
    pub left_out: usize,
}

impl Excerpt {
    /// The room that it takes.
    pub fn cost(&self) -> usize {
        self.lines.iter().map(|(_, line)| cost(line)).sum()
    }
}

/// How much may be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// At most so many bytes.
    pub bytes: usize,
    /// At most so many lines.
    pub lines: usize,
}

impl Room {
    /// Bytes, in however many lines.
    pub fn bytes(bytes: usize) -> Room {
        Room { bytes, lines: usize::MAX }
    }
}

/// What the reader looks for in a place.
#[derive(Clone, Copy, Debug, Default)]
pub struct Aim<'a> {
    /// Words, in lower case.
    pub words: &'a [String],
    /// A line that is to be among those shown.
    pub line: Option<u32>,
    /// Lines that tell what the place is made of: where its members begin.
    pub landmarks: &'a [u32],
}

/// What is on disk, or was committed, of a file of a ref; `None` when it is no longer to be had.
pub fn text(view: &View, file: &FileRow) -> Option<Arc<str>> {
    kept_texts::text(view, file)
}

/// Lines of a place, as many as there is room for and at least one: all, or the line that is looked for, the beginning,
/// and those that have most of the words, each with its neighbours.
pub fn excerpt(text: &str, (first, last): (u32, u32), aim: &Aim, room: Room) -> Excerpt {
    let first = first.max(1);
    let count = (last.max(first) - first + 1) as usize;
    let body: Vec<&str> = text.lines().skip(first as usize - 1).take(count).map(str::trim_end).collect();
    let used = body.iter().rposition(|line| !line.is_empty()).map_or(0, |at| at + 1);
    let body = &body[..used];
    let mut chosen = Chosen { shown: vec![false; body.len()], body, left: room };
    let within = |line: u32| line.checked_sub(first).map(|at| at as usize).filter(|at| *at < body.len());
    let landmarks: Vec<usize> = aim.landmarks.iter().filter_map(|line| within(*line)).collect();
    chosen.add_all(aim.words, aim.line.and_then(within), &landmarks);
    // A gap in the numbers says as much as an empty line.
    let is_shown = |(at, line): &(usize, &&str)| chosen.shown[*at] && !line.is_empty();
    let lines: Vec<(u32, String)> =
        body.iter().enumerate().filter(is_shown).map(|(at, line)| (first + at as u32, cut(line))).collect();
    Excerpt { left_out: chosen.shown.iter().filter(|shown| !**shown).count(), lines }
}

/// The lines of a body that are shown.
struct Chosen<'a> {
    body: &'a [&'a str],
    shown: Vec<bool>,
    left: Room,
}

impl Chosen<'_> {
    fn add_all(&mut self, words: &[String], line: Option<usize>, landmarks: &[usize]) {
        let all: usize = self.body.iter().map(|line| cost(line)).sum();
        if all <= self.left.bytes && self.body.len() <= self.left.lines {
            return self.shown.fill(true);
        }
        // A place without a line would say nothing.
        self.take(line.unwrap_or(0));
        (0..HEAD).for_each(|at| _ = self.add(at));
        let weights = weights(self.body, words);
        let mut order: Vec<usize> = (0..self.body.len()).filter(|at| weights[*at] > 0.0).collect();
        order.sort_by(|a, b| weights[*b].total_cmp(&weights[*a]).then(a.cmp(b)));
        for at in order {
            if self.add(at) {
                self.add(at + 1);
                self.add(at.saturating_sub(1));
            }
        }
        landmarks.iter().for_each(|at| _ = self.add(*at));
        // What is left goes to the beginning: it is read first.
        (0..self.body.len()).take_while(|at| self.add(*at)).for_each(drop);
    }

    /// Shows a line if there is room for it; says whether it is shown.
    fn add(&mut self, at: usize) -> bool {
        let Some(shown) = self.shown.get_mut(at) else { return false };
        if !*shown && cost(self.body[at]) <= self.left.bytes && self.left.lines > 0 {
            self.take(at);
            return true;
        }
        *shown
    }

    fn take(&mut self, at: usize) {
        let Some(line) = self.body.get(at) else { return };
        let Room { bytes, lines } = self.left;
        self.left = Room { bytes: bytes.saturating_sub(cost(line)), lines: lines.saturating_sub(1) };
        self.shown[at] = true;
    }
}

/// How much each line tells: a word counts the more, the fewer lines have it.
fn weights(body: &[&str], words: &[String]) -> Vec<f32> {
    let lower: Vec<String> = body.iter().map(|line| line.to_lowercase()).collect();
    let mut weights = vec![0.0; body.len()];
    for word in words.iter().filter(|word| word.len() > 1) {
        let has: Vec<usize> = (0..lower.len()).filter(|at| lower[*at].contains(word.as_str())).collect();
        has.iter().for_each(|at| weights[*at] += 1.0 / (has.len() as f32).sqrt());
    }
    weights
}

fn cost(line: &str) -> usize {
    if line.is_empty() { 0 } else { line.len().min(MAX_LINE) + LINE_COST }
}

fn cut(line: &str) -> String {
    if line.len() <= MAX_LINE {
        return line.to_owned();
    }
    format!("{}…", &line[..line.floor_char_boundary(MAX_LINE)])
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "fn first() {}\nfn pay(amount: u32) {\n    check(amount);\n    let a = 1;\n    let b = 2;\n    \
                        retry(|| send(amount));\n    log(b);\n}\n";

    fn numbers(excerpt: &Excerpt) -> Vec<u32> {
        excerpt.lines.iter().map(|(number, _)| *number).collect()
    }

    fn show(lines: (u32, u32), word: &str, room: usize) -> Excerpt {
        excerpt(TEXT, lines, &Aim { words: &[word.to_owned()], ..Aim::default() }, Room::bytes(room))
    }

    #[test]
    fn a_place_that_fits_is_shown_whole() {
        let all = show((2, 8), "nothing", 1000);
        assert_eq!(numbers(&all), [2, 3, 4, 5, 6, 7, 8]);
        assert_eq!((all.lines[4].1.as_str(), all.left_out), ("    retry(|| send(amount));", 0));
        assert_eq!(show((2, 8), "retry", all.cost()), all);
    }

    #[test]
    fn where_there_is_less_room_the_beginning_and_the_lines_that_match_are_shown() {
        let some = show((2, 8), "retry", 100);
        assert_eq!((numbers(&some), some.left_out), (vec![2, 3, 6], 4));
        assert_eq!(numbers(&show((2, 8), "nothing", 100)), [2, 3, 4, 5]);
        assert_eq!(numbers(&show((2, 8), "retry", 0)), [2], "one line is always shown");
        let two = Room { bytes: 1000, lines: 2 };
        let aim = Aim { line: Some(7), ..Aim::default() };
        assert_eq!(numbers(&excerpt(TEXT, (2, 8), &aim, two)), [2, 7], "and the one that is looked for");
    }

    #[test]
    fn members_are_named_before_the_rest_and_empty_lines_cost_nothing() {
        let text = "class A:\n    x = 1\n\n    y = 2\n    z = 3\n\n    def run(self):\n        return 1\n";
        let aim = Aim { landmarks: &[7], ..Aim::default() };
        assert_eq!(numbers(&excerpt(text, (1, 8), &aim, Room::bytes(60))), [1, 2, 7]);
        let all = excerpt(text, (1, 8), &aim, Room::bytes(500));
        assert_eq!((numbers(&all), all.left_out), (vec![1, 2, 4, 5, 7, 8], 0));
    }

    #[test]
    fn places_that_are_not_there_give_nothing() {
        assert_eq!(show((20, 30), "a", 1000), Excerpt::default());
        let far = Aim { line: Some(9), ..Aim::default() };
        assert_eq!(excerpt("", (0, 0), &far, Room::bytes(0)), Excerpt::default());
    }

    #[test]
    fn long_lines_are_cut_between_letters() {
        let line = "ü".repeat(300);
        let shown = &excerpt(&line, (1, 1), &Aim::default(), Room::bytes(1000)).lines[0].1;
        assert_eq!((shown.chars().count(), shown.ends_with('…')), (101, true));
    }
}
