//! One document: from lines and columns to offsets, if its text is the one that the file has.

use std::collections::HashSet;

use cruxe_extract::as_text;
use cruxe_store::{CompilerRole, CompilerSymbol, FileRow};
use percent_encoding::percent_decode_str;
use scip::types::descriptor::Suffix;
use scip::types::occurrence::Typed_range;
use scip::types::{Document, Occurrence, PositionEncoding, SymbolRole};

use super::{ScipFile, symbol};

/// One in so many definitions may stand under another name than its symbol's (a default export, a quoted key); with more,
/// the index was made from another text.
const STRANGERS: usize = 5;

/// Whether an occurrence defines its symbol, here or as a forward declaration.
pub fn defines(occurrence: &Occurrence) -> bool {
    has(occurrence, SymbolRole::Definition) || has(occurrence, SymbolRole::ForwardDefinition)
}

fn has(occurrence: &Occurrence, role: SymbolRole) -> bool {
    occurrence.symbol_roles & role as i32 != 0
}

/// What a document says about a content; `None` when it is about another one.
pub fn facts(
    index: &ScipFile,
    bytes: &[u8],
    row: &FileRow,
    document: &Document,
) -> Option<Vec<(u32, CompilerSymbol, CompilerRole)>> {
    let (text, _) = as_text(bytes);
    if !document.text.is_empty() && document.text != text {
        return None;
    }
    let lines = Lines::of(&text);
    let encodings: &[Encoding] = match document.position_encoding.enum_value_or_default() {
        _ if lines.blocks.is_empty() => &[Encoding::Utf8],
        PositionEncoding::UTF8CodeUnitOffsetFromLineStart => &[Encoding::Utf8],
        PositionEncoding::UTF16CodeUnitOffsetFromLineStart => &[Encoding::Utf16],
        PositionEncoding::UTF32CodeUnitOffsetFromLineStart => &[Encoding::Utf32],
        // Tools that do not say so count as their own language does; the names tell.
        PositionEncoding::UnspecifiedPositionEncoding => &[Encoding::Utf16, Encoding::Utf8, Encoding::Utf32],
    };
    let tries = encodings.iter().filter_map(|encoding| Some((*encoding, strangers(&lines, *encoding, document)?)));
    let (encoding, _) = tries.min_by_key(|(_, strangers)| *strangers)?;
    let mut found = Vec::with_capacity(document.occurrences.len());
    let defined: HashSet<&str> =
        document.occurrences.iter().filter(|other| defines(other)).map(|other| other.symbol.as_str()).collect();
    for occurrence in &document.occurrences {
        let (start, end) = lines.span(occurrence, encoding)?;
        // A local that nothing defines is how scip-python says that it does not know what a name means.
        if occurrence.symbol.starts_with("local ") && !defined.contains(occurrence.symbol.as_str()) {
            continue;
        }
        // `cls.__doc__` is the class itself to scip-python, and `__name__` the module.
        let special =
            text.get(start as usize..end as usize).filter(|name| name.starts_with("__") && name.ends_with("__"));
        if special.is_some_and(|name| !defines(occurrence) && defined_name(occurrence).as_deref() != Some(name)) {
            continue;
        }
        let global = symbol::global_key(&occurrence.symbol);
        let Some(key) = global.or_else(|| symbol::local_key(&occurrence.symbol, &row.path)) else { continue };
        if start == end {
            continue; // a file as a whole
        }
        let own = global.is_none_or(|key| index.defined.contains(&key));
        let role = match defines(occurrence) {
            true => CompilerRole::Definition,
            false if has(occurrence, SymbolRole::Import) => CompilerRole::Import,
            false => CompilerRole::Use,
        };
        found.push((start, CompilerSymbol { key, own }, role));
        // `new Cart()` names the class, and tools say that it means the constructor.
        if let Some(key) = symbol::constructed(&occurrence.symbol).filter(|_| role != CompilerRole::Definition) {
            found.push((start, CompilerSymbol { key, own: index.defined.contains(&key) }, role));
        }
    }
    Some(found)
}

/// How many definitions do not stand where their names do; `None` when these are too many, or a place does not exist.
fn strangers(lines: &Lines, encoding: Encoding, document: &Document) -> Option<usize> {
    let (mut all, mut strangers) = (0, 0);
    for occurrence in &document.occurrences {
        let (start, end) = lines.span(occurrence, encoding)?;
        let Some(name) = Some(occurrence).filter(|occurrence| defines(occurrence)).and_then(defined_name) else {
            continue;
        };
        if start < end {
            all += 1;
            let text = lines.text.get(start as usize..end as usize)?;
            let quotes: &[char] = &['"', '\'', '`', '#', '@'];
            strangers += usize::from(text.trim_matches(quotes) != name.trim_matches(quotes));
        }
    }
    (strangers * STRANGERS <= all).then_some(strangers)
}

/// The name under which a symbol is defined, where it tells.
fn defined_name(occurrence: &Occurrence) -> Option<String> {
    let symbol = scip::symbol::parse_symbol(&occurrence.symbol).ok()?;
    let last = symbol.descriptors.last()?;
    let named =
        matches!(last.suffix.enum_value_or_default(), Suffix::Type | Suffix::Term | Suffix::Method | Suffix::Macro);
    // `<constructor>`, `<get>size`, `typeLiteral0`: names of the tool's own making.
    let made_up = last.name.contains(['<', '>', ' ']) || last.name.starts_with("typeLiteral");
    (named && !made_up && !last.name.is_empty()).then(|| last.name.clone())
}

/// The path of a `file:` address; as it is, of anything else.
pub fn local_path(address: &str) -> String {
    let path = address.strip_prefix("file://").unwrap_or(address);
    percent_decode_str(path).decode_utf8_lossy().trim_end_matches('/').to_owned()
}

/// What columns count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Utf16,
    Utf32,
}

/// A text with its lines.
struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
    /// What stands before each block of the text, in UTF-16 units and in characters: a column of a line of a megabyte is
    /// found without counting from its start. Empty where bytes are what columns count.
    blocks: Vec<(usize, [usize; 2])>,
}

/// Bytes between two counts.
const BLOCK: usize = 256;

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Lines<'t> {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let mut blocks = Vec::new();
        let mut counted = [0, 0];
        let letters = if text.is_ascii() { "" } else { text };
        for (at, letter) in letters.char_indices() {
            if blocks.last().is_none_or(|(last, _)| at >= last + BLOCK) {
                blocks.push((at, counted));
            }
            counted = [counted[0] + letter.len_utf16(), counted[1] + 1];
        }
        Lines { text, starts, blocks }
    }

    /// The offset of a column, by one of the two ways to count, in the line that begins at `start`.
    fn place(&self, start: usize, end: usize, column: usize, way: usize) -> Option<usize> {
        let width = |letter: char| if way == 0 { letter.len_utf16() } else { 1 };
        let count = |from: usize, to: usize| self.text[from..to].chars().map(width).sum::<usize>();
        let block = self.blocks.partition_point(|(at, _)| *at <= start).checked_sub(1)?;
        let (at, counted) = self.blocks[block];
        let wanted = counted[way] + count(at, start) + column;
        let block = self.blocks.partition_point(|(_, counted)| counted[way] <= wanted).checked_sub(1)?;
        let (mut at, mut counted) = (self.blocks[block].0, self.blocks[block].1[way]);
        for letter in self.text[at..].chars() {
            if counted >= wanted || at >= end {
                break;
            }
            counted += width(letter);
            at += letter.len_utf8();
        }
        (counted == wanted && at <= end).then_some(at - start)
    }

    /// The offsets of an occurrence; `None` when the text has no such place.
    fn span(&self, occurrence: &Occurrence, encoding: Encoding) -> Option<(u32, u32)> {
        let [line, column, last_line, last_column] = match &occurrence.typed_range {
            Some(Typed_range::SingleLineRange(range)) => {
                [range.line, range.start_character, range.line, range.end_character]
            }
            Some(Typed_range::MultiLineRange(range)) => {
                [range.start_line, range.start_character, range.end_line, range.end_character]
            }
            Some(_) => return None,
            None => match occurrence.range[..] {
                [line, column, last] => [line, column, line, last],
                [line, column, last_line, last] => [line, column, last_line, last],
                _ => return None,
            },
        };
        let (start, end) = (self.offset(line, column, encoding)?, self.offset(last_line, last_column, encoding)?);
        (start <= end).then_some((start, end))
    }

    fn offset(&self, line: i32, column: i32, encoding: Encoding) -> Option<u32> {
        let (line, column) = (usize::try_from(line).ok()?, usize::try_from(column).ok()?);
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).map_or(self.text.len(), |next| next - 1);
        let text = &self.text[start..end];
        let within = match encoding {
            _ if column == 0 => 0,
            Encoding::Utf8 => Some(column).filter(|column| text.is_char_boundary(*column))?,
            // In a text of ASCII all three count the same.
            _ if self.blocks.is_empty() => Some(column).filter(|column| *column <= text.len())?,
            Encoding::Utf16 => self.place(start, end, column, 0)?,
            Encoding::Utf32 => self.place(start, end, column, 1)?,
        };
        u32::try_from(start + within).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_as_the_index_counts_them() {
        let lines = Lines::of("a\r\n// 😀é x\nend");
        let at = |line, column, encoding| lines.offset(line, column, encoding);
        // `x` is 10 bytes, 7 UTF-16 units and 6 characters into its line.
        assert_eq!(at(1, 10, Encoding::Utf8), Some(13));
        assert_eq!(at(1, 7, Encoding::Utf16), Some(13));
        assert_eq!(at(1, 6, Encoding::Utf32), Some(13));
        assert_eq!(at(1, 4, Encoding::Utf8), None, "within a character");
        assert_eq!(at(1, 4, Encoding::Utf16), None, "within a character");
        assert_eq!((at(2, 3, Encoding::Utf16), at(2, 4, Encoding::Utf16)), (Some(18), None));
        assert_eq!(
            (at(3, 0, Encoding::Utf8), at(-1, 0, Encoding::Utf8), at(0, -1, Encoding::Utf8)),
            (None, None, None)
        );
    }

    #[test]
    fn a_column_far_into_a_long_line_is_where_counting_finds_it() {
        let line: String = (0..3_000).map(|at| ["a", "é", "😀", "日"][at * 7 % 4]).collect();
        let text = format!("ü\n{line}\nend");
        let lines = Lines::of(&text);
        let mut columns = [0_i32, 0];
        for (at, letter) in line.char_indices() {
            let expected = Some((at + 3) as u32);
            assert_eq!(lines.offset(1, columns[0], Encoding::Utf16), expected, "{at}");
            assert_eq!(lines.offset(1, columns[1], Encoding::Utf32), expected, "{at}");
            if letter.len_utf16() == 2 {
                assert_eq!(lines.offset(1, columns[0] + 1, Encoding::Utf16), None, "within a character");
            }
            columns = [columns[0] + letter.len_utf16() as i32, columns[1] + 1];
        }
        let end = Some((line.len() + 3) as u32);
        assert_eq!(
            (lines.offset(1, columns[0], Encoding::Utf16), lines.offset(1, columns[1], Encoding::Utf32)),
            (end, end)
        );
        assert_eq!(lines.offset(1, columns[0] + 1, Encoding::Utf16), None, "beyond the end of the line");
        assert_eq!(lines.offset(1, columns[1] + 1, Encoding::Utf32), None, "beyond the end of the line");
        assert_eq!(lines.offset(1, i32::MAX, Encoding::Utf16), None);
    }

    #[test]
    fn ranges_have_three_numbers_or_four_and_start_before_they_end() {
        let lines = Lines::of("one\ntwo");
        let span =
            |range: &[i32]| lines.span(&Occurrence { range: range.to_vec(), ..Occurrence::new() }, Encoding::Utf8);
        assert_eq!(span(&[1, 0, 3]), Some((4, 7)));
        assert_eq!(span(&[0, 1, 1, 1]), Some((1, 5)));
        for wrong in [&[][..], &[1, 2], &[1, 3, 0], &[0, 0, 9], &[5, 0, 1], &[1, 0, 0, 1], &[i32::MAX, 0, 1]] {
            assert_eq!(span(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn addresses_become_paths() {
        assert_eq!(local_path("file:///home/a%20b/c/"), "/home/a b/c");
        assert_eq!(local_path("/home/c%"), "/home/c%");
        assert_eq!(local_path(""), "");
    }
}
