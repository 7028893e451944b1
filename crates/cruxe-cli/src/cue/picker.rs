//! Chooses one of many lines on the terminal by a few letters of it, with a preview beside the lines.
//!
//! As in fzf, the prompt is at the bottom with the best line right above it, and words may say more: `'exact`,
//! `^start`, `end$`, `!not`. [`Picker`] knows nothing of the terminal, so that tests can press its keys.

use std::io::{self, Write};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, read};
use crossterm::style::{Attribute, Print};
use crossterm::terminal::{self, Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{cursor, execute, queue};
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use unicode_width::UnicodeWidthChar;

use crate::output;

const PROMPT: &str = "open> ";
/// Rows that hold no line to choose: the prompt and the count above it.
const FOOT: usize = 2;
/// A terminal that is narrower has no room for a preview.
const NARROW: usize = 60;

/// What a key led to.
#[derive(Debug, PartialEq)]
enum Outcome {
    GoOn,
    /// The number of the line, or none.
    End(Option<usize>),
}

/// Lets the user choose one of the lines; answers its number, or `None` if they would rather not.
pub(super) fn choose(lines: &[String], query: String, preview: impl Fn(usize) -> String) -> io::Result<Option<usize>> {
    let mut picker = Picker::new(lines, query);
    let mut out = Screen::open()?;
    loop {
        let (width, height) = terminal::size()?;
        picker.draw(&mut out.0, usize::from(width), usize::from(height), &preview)?;
        if let Event::Key(key) = read()?
            && key.kind != KeyEventKind::Release
            && let Outcome::End(chosen) = picker.press(key)
        {
            return Ok(chosen);
        }
    }
}

/// The terminal as long as it is ours. Dropping it gives it back, whatever happened.
struct Screen(io::Stdout);

impl Screen {
    fn open() -> io::Result<Screen> {
        terminal::enable_raw_mode()?;
        let mut screen = Screen(io::stdout());
        execute!(screen.0, EnterAlternateScreen)?;
        Ok(screen)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = execute!(self.0, LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

/// The lines, what was typed, and what fits it.
struct Picker {
    /// As they are shown.
    lines: Vec<String>,
    query: String,
    /// Where in the query the next letter goes, in bytes.
    cursor: usize,
    matcher: Matcher,
    pattern: Pattern,
    /// Numbers of the lines that fit, the best first.
    found: Vec<usize>,
    selected: usize,
    /// How many lines a page has.
    page: usize,
}

impl Picker {
    fn new(lines: &[String], query: String) -> Picker {
        let mut picker = Picker {
            lines: lines.iter().map(|line| output::one_line(&output::shown(line)).into_owned()).collect(),
            cursor: query.len(),
            query,
            matcher: Matcher::new(Config::DEFAULT.match_paths()),
            pattern: Pattern::default(),
            found: Vec::new(),
            selected: 0,
            page: 1,
        };
        picker.filter();
        picker
    }

    /// Finds the lines that fit the query anew.
    fn filter(&mut self) {
        self.pattern = Pattern::parse(&self.query, CaseMatching::Smart, Normalization::Smart);
        let mut letters = Vec::new();
        let mut scored: Vec<(u32, usize)> = Vec::new();
        for (number, line) in self.lines.iter().enumerate() {
            let line = Utf32Str::new(line, &mut letters);
            scored.extend(self.pattern.score(line, &mut self.matcher).map(|score| (score, number)));
        }
        // Stable: of lines that fit equally well, the first goes first.
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        self.found = scored.into_iter().map(|(_, number)| number).collect();
        self.selected = 0;
    }

    fn press(&mut self, key: KeyEvent) -> Outcome {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match (key.code, control) {
            (KeyCode::Enter, _) | (KeyCode::Char('m'), true) => {
                return Outcome::End(self.found.get(self.selected).copied());
            }
            (KeyCode::Esc, _) | (KeyCode::Char('c' | 'g' | 'q'), true) => return Outcome::End(None),
            (KeyCode::Up, _) | (KeyCode::Char('k' | 'p'), true) => self.select(self.selected.saturating_add(1)),
            (KeyCode::Down, _) | (KeyCode::Char('j' | 'n'), true) => self.select(self.selected.saturating_sub(1)),
            (KeyCode::PageUp, _) => self.select(self.selected.saturating_add(self.page)),
            (KeyCode::PageDown, _) => self.select(self.selected.saturating_sub(self.page)),
            (KeyCode::Left, _) | (KeyCode::Char('b'), true) => self.cursor = self.before(),
            (KeyCode::Right, _) | (KeyCode::Char('f'), true) => self.cursor = self.after(),
            (KeyCode::Home, _) | (KeyCode::Char('a'), true) => self.cursor = 0,
            (KeyCode::End, _) | (KeyCode::Char('e'), true) => self.cursor = self.query.len(),
            (KeyCode::Backspace, _) | (KeyCode::Char('h'), true) => self.cut(self.before(), self.cursor),
            (KeyCode::Delete, _) | (KeyCode::Char('d'), true) => self.cut(self.cursor, self.after()),
            (KeyCode::Char('u'), true) => self.cut(0, self.cursor),
            (KeyCode::Char('w'), true) => {
                let word = self.query[..self.cursor].trim_end();
                self.cut(word.rfind(char::is_whitespace).map_or(0, |at| at + 1), self.cursor);
            }
            (KeyCode::Char(letter), false) => {
                self.query.insert(self.cursor, letter);
                self.cursor += letter.len_utf8();
                self.filter();
            }
            _ => {}
        }
        Outcome::GoOn
    }

    fn select(&mut self, place: usize) {
        self.selected = place.min(self.found.len().saturating_sub(1));
    }

    fn before(&self) -> usize {
        self.query[..self.cursor].char_indices().next_back().map_or(0, |(at, _)| at)
    }

    fn after(&self) -> usize {
        self.query[self.cursor..].chars().next().map_or(self.cursor, |letter| self.cursor + letter.len_utf8())
    }

    /// Takes a part out of the query.
    fn cut(&mut self, from: usize, to: usize) {
        self.query.replace_range(from..to, "");
        self.cursor = from;
        self.filter();
    }

    fn draw(
        &mut self,
        out: &mut impl Write,
        width: usize,
        height: usize,
        preview: &impl Fn(usize) -> String,
    ) -> io::Result<()> {
        let side = if width < NARROW { 0 } else { width / 2 };
        let rows = self.rows(width - side, height);
        let chosen = self.found.get(self.selected).map(|&number| preview(number)).unwrap_or_default();
        let mut beside = chosen.lines().map(|line| output::shown(line).replace('\t', "    "));
        queue!(out, cursor::Hide)?;
        for (at, row) in rows.iter().enumerate() {
            let at = u16::try_from(at).unwrap_or(u16::MAX);
            queue!(out, cursor::MoveTo(0, at), Clear(ClearType::CurrentLine), Print(row))?;
            if side > 2 {
                let column = u16::try_from(width - side).unwrap_or(u16::MAX);
                let text = beside.next().unwrap_or_default();
                queue!(out, cursor::MoveTo(column, at), Print("│ "), Print(&text[..fitting(&text, side - 2)]))?;
            }
        }
        let typed = PROMPT.len() + self.query[..self.cursor].chars().map(columns).sum::<usize>();
        let place = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        queue!(out, cursor::MoveTo(place(typed.min(width.saturating_sub(1))), place(height.saturating_sub(1))))?;
        queue!(out, cursor::Show)?;
        out.flush()
    }

    /// The rows of the screen from the top: lines with the best one last, the count, the prompt.
    fn rows(&mut self, width: usize, height: usize) -> Vec<String> {
        let room = height.saturating_sub(FOOT);
        self.page = room.max(1);
        // The selected line is always to be seen.
        let first = (self.selected + 1).saturating_sub(self.page);
        let mut rows: Vec<String> = (first..first + room).rev().map(|place| self.row(place, width)).collect();
        rows.push(format!("  {}/{}", self.found.len(), self.lines.len()));
        let query = format!("{PROMPT}{}", output::one_line(&output::shown(&self.query)));
        rows.push(query[..fitting(&query, width)].to_owned());
        rows.drain(..rows.len().saturating_sub(height));
        rows
    }

    /// A line with the letters that were typed in bold, as far as there is room.
    fn row(&mut self, place: usize, width: usize) -> String {
        let Some(&number) = self.found.get(place) else { return String::new() };
        let line = &self.lines[number];
        let (mut letters, mut hits) = (Vec::new(), Vec::new());
        self.pattern.indices(Utf32Str::new(line, &mut letters), &mut self.matcher, &mut hits);
        let mut row = String::from(if place == self.selected { "> " } else { "  " });
        for (at, letter) in (0..).zip(line[..fitting(line, width.saturating_sub(3))].chars()) {
            match hits.contains(&at) {
                true => row += &format!("{}{letter}{}", Attribute::Bold, Attribute::NormalIntensity),
                false => row.push(letter),
            }
        }
        row
    }
}

/// How many columns of a terminal a character takes.
fn columns(letter: char) -> usize {
    letter.width().unwrap_or(0)
}

/// How many bytes of a text fit into so many columns.
fn fitting(text: &str, width: usize) -> usize {
    let mut taken = 0;
    let over = text.char_indices().find(|(_, letter)| {
        taken += columns(*letter);
        taken > width
    });
    over.map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: [&str; 4] = ["docs/api.md", "cards/1a.md  Fix the login [todo]", "docs/login.md", "日本.md"];

    fn picker(query: &str) -> Picker {
        Picker::new(&LINES.map(str::to_owned), query.to_owned())
    }

    fn found(picker: &Picker) -> Vec<&str> {
        picker.found.iter().map(|&number| LINES[number]).collect()
    }

    fn press(picker: &mut Picker, code: KeyCode) -> Outcome {
        picker.press(KeyEvent::new(code, KeyModifiers::NONE))
    }

    fn control(picker: &mut Picker, letter: char) -> Outcome {
        picker.press(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL))
    }

    /// Rows without the marks of bold letters.
    fn plain(picker: &mut Picker, width: usize, height: usize) -> Vec<String> {
        let bold = [Attribute::Bold, Attribute::NormalIntensity].map(|mark| mark.to_string());
        picker.rows(width, height).iter().map(|row| row.replace(&bold[0], "").replace(&bold[1], "")).collect()
    }

    #[test]
    fn lines_are_filtered_while_one_types() {
        let mut picker = picker("");
        assert_eq!(found(&picker), LINES);
        for letter in "login".chars() {
            assert_eq!(press(&mut picker, KeyCode::Char(letter)), Outcome::GoOn);
        }
        assert_eq!(found(&picker), [LINES[2], LINES[1]]);
        assert_eq!(press(&mut picker, KeyCode::Enter), Outcome::End(Some(2)));
        press(&mut picker, KeyCode::Up);
        assert_eq!(press(&mut picker, KeyCode::Enter), Outcome::End(Some(1)));
        press(&mut picker, KeyCode::Up);
        assert_eq!(press(&mut picker, KeyCode::Enter), Outcome::End(Some(1)), "there is nothing above");
        press(&mut picker, KeyCode::Down);
        assert_eq!(press(&mut picker, KeyCode::Enter), Outcome::End(Some(2)));
    }

    #[test]
    fn words_are_looked_for_one_by_one_and_may_exclude() {
        assert_eq!(found(&picker("fix log")), [LINES[1]]);
        assert_eq!(found(&picker("login !fix")), [LINES[2]]);
        assert_eq!(found(&picker("^docs")), [LINES[0], LINES[2]]);
        assert_eq!(found(&picker("本")), [LINES[3]]);
    }

    #[test]
    fn nothing_is_chosen_where_nothing_fits_or_the_user_leaves() {
        assert_eq!(press(&mut picker("nosuch"), KeyCode::Enter), Outcome::End(None));
        assert_eq!(press(&mut picker(""), KeyCode::Esc), Outcome::End(None));
        assert_eq!(control(&mut picker(""), 'c'), Outcome::End(None));
    }

    #[test]
    fn the_query_can_be_edited() {
        let mut picker = picker("fix 日x");
        press(&mut picker, KeyCode::Left);
        press(&mut picker, KeyCode::Backspace);
        assert_eq!(picker.query, "fix x");
        press(&mut picker, KeyCode::Delete);
        press(&mut picker, KeyCode::Delete);
        assert_eq!(picker.query, "fix ");
        press(&mut picker, KeyCode::Home);
        press(&mut picker, KeyCode::Char('a'));
        assert_eq!(picker.query, "afix ");
        press(&mut picker, KeyCode::End);
        control(&mut picker, 'w');
        assert_eq!((picker.query.as_str(), picker.found.len()), ("", 4));
        press(&mut picker, KeyCode::Backspace);
        press(&mut picker, KeyCode::Char('z'));
        control(&mut picker, 'u');
        assert_eq!(picker.query, "");
    }

    #[test]
    fn the_best_line_stands_above_the_prompt_and_the_selected_one_is_always_seen() {
        let mut picker = picker("md");
        let last = ["  4/4", "open> md"];
        assert_eq!(
            plain(&mut picker, 80, 4),
            [&["  cards/1a.md  Fix the login [todo]", "> docs/api.md"], &last[..]].concat()
        );
        press(&mut picker, KeyCode::PageUp);
        press(&mut picker, KeyCode::Up);
        let shown = plain(&mut picker, 80, 4);
        assert!(shown[0].starts_with("> ") && shown[1].starts_with("  "), "{shown:?}");
        assert_eq!(plain(&mut picker, 80, 1), ["open> md"]);
        assert_eq!(picker.rows(80, 0), [] as [&str; 0]);
        assert_eq!(plain(&mut picker, 80, 9)[..3], ["", "", ""]);
    }

    #[test]
    fn wide_letters_count_as_two_columns_and_what_a_terminal_obeys_is_shown() {
        assert_eq!(fitting("日本語", 5), "日本".len());
        assert_eq!(fitting("日本語", 6), "日本語".len());
        let mut picker = Picker::new(&["a\x1b[31m\nb".to_owned()], String::new());
        assert_eq!(picker.rows(80, 3)[0], "> a␛[31m␊b");
        assert_eq!(picker.rows(6, 3)[0], "> a␛[");
        let mut drawn = Vec::new();
        picker.draw(&mut drawn, 80, 3, &|_| "\tx\x1b]0;evil\x07".to_owned()).unwrap();
        let drawn = String::from_utf8(drawn).unwrap();
        assert!(drawn.contains("│     x␛]0;evil␇"), "{drawn:?}");
    }
}
