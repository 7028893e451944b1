//! What a function takes, by its signature: how many parameters it has, and how many of them a call may leave out or repeat.

use cruxe_model::facts::Symbol;

/// How many arguments a function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Takes {
    /// At least.
    pub min: usize,
    /// At most; `None` for any number.
    pub max: Option<usize>,
    /// How many parameters are written.
    pub written: usize,
    /// How many stand before the first that takes any number.
    pub fixed: usize,
}

impl Takes {
    /// Whether a call may pass so many.
    pub fn fits(self, count: usize) -> bool {
        self.min <= count && self.max.is_none_or(|max| count <= max)
    }
}

/// How many parameters a function has by its signature; `None` where that was cut or shows none.
pub(crate) fn arity(symbol: &Symbol) -> Option<usize> {
    Some(parameters(&symbol.signature, &symbol.name)?.len())
}

/// How many arguments a function takes by its signature; `None` where that was cut or shows no parameters.
pub(crate) fn takes(symbol: &Symbol) -> Option<Takes> {
    let list = parameters(&symbol.signature, &symbol.name)?;
    let written = list.len();
    let fixed = list.iter().position(|parameter| is_repeated(parameter));
    let mut min = list.iter().filter(|parameter| !may_be_left_out(parameter)).count();
    // An override has the defaults of what it overrides, and does not show them.
    let before = symbol.signature.split(symbol.name.as_str()).next().unwrap_or_default();
    if before.split_whitespace().any(|word| word == "override") || symbol.signature.ends_with(" override") {
        min = 0;
    }
    let max = if fixed.is_none() { Some(written) } else { None };
    Some(Takes { min, max, written, fixed: fixed.unwrap_or(written) })
}

/// The labels that the first argument of a call may have, `None` for none: that of the first parameter, and those behind
/// parameters that may be left out.
pub(crate) fn first_labels(symbol: &Symbol) -> Option<Vec<Option<&str>>> {
    let list = parameters(&symbol.signature, &symbol.name)?;
    let mut labels = Vec::new();
    for parameter in list {
        let label = parameter.split([' ', ':']).next().unwrap_or_default();
        labels.push(Some(label).filter(|label| *label != "_"));
        if !may_be_left_out(parameter) {
            break;
        }
    }
    Some(labels)
}

/// The parameters as they are written; those of the first list where there are several.
pub(crate) fn parameters<'s>(signature: &'s str, name: &str) -> Option<Vec<&'s str>> {
    if signature.ends_with('…') {
        return None;
    }
    let after = signature.match_indices(name).find_map(|(at, name)| {
        let rest = signature[at + name.len()..].trim_start();
        let whole = !signature[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        (whole && rest.starts_with(['(', '<', '['])).then_some(rest)
    })?;
    Some(parts(after.strip_prefix('(').or_else(|| behind_generics(after))?))
}

/// What follows the parenthesis behind `<T, U>`.
fn behind_generics(text: &str) -> Option<&str> {
    let mut depth = 0_i32;
    for (at, c) in text.char_indices() {
        match c {
            '<' | '[' => depth += 1,
            '>' | ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text[at + 1..].trim_start().strip_prefix('(');
        }
    }
    None
}

/// The parts of a list of parameters up to its closing parenthesis.
fn parts(list: &str) -> Vec<&str> {
    let (mut depth, mut from, mut last, mut found) = (0_i32, 0, ' ', Vec::new());
    let mut end = list.len();
    for (at, c) in list.char_indices() {
        match c {
            ')' if depth == 0 => {
                end = at;
                break;
            }
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if matches!(last, '-' | '=') => {} // an arrow
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 0 => {
                found.push(list[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
        if !c.is_whitespace() {
            last = c;
        }
    }
    let rest = list.get(from..end).unwrap_or_default().trim();
    if !rest.is_empty() {
        found.push(rest);
    }
    if found == ["void"] { Vec::new() } else { found }
}

/// Whether a parameter has a default, or is filled in by the compiler; what an extension works on stands before the call.
fn may_be_left_out(parameter: &str) -> bool {
    let first = parameter.split_whitespace().next().unwrap_or_default();
    is_repeated(parameter) || matches!(first, "implicit" | "using" | "this") || has_default(parameter)
}

/// `int... rest`, `params int[] rest`, `vararg rest: Int`, `rest: Int*`.
fn is_repeated(parameter: &str) -> bool {
    let first = parameter.split_whitespace().next().unwrap_or_default();
    let starred = parameter.contains(':') && parameter.ends_with('*');
    parameter.contains("...") || matches!(first, "params" | "vararg") || starred
}

/// Whether a `=` stands in a parameter that is no part of another sign.
fn has_default(parameter: &str) -> bool {
    let bytes = parameter.as_bytes();
    let sign = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(|byte| b"=<>!".contains(byte));
    let plain = |at: usize| bytes[at] == b'=' && !sign(at.checked_sub(1)) && !sign(Some(at + 1));
    (0..bytes.len()).any(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_counted_whatever_they_hold() {
        for (list, parameters) in [
            (")", 0),
            ("void)", 0),
            ("int a)", 1),
            ("a, b int) (int, error)", 2),
            ("Map<String, List<A>> map, int[] b)", 2),
            ("f: (Int, Int) -> Int, g: Int = max(1, 2))", 2),
            ("a,\n b,\n)", 2),
            ("&self, f: impl Fn(u8, u8) -> u8)", 2),
        ] {
            assert_eq!(parts(list).len(), parameters, "{list}");
        }
    }

    #[test]
    fn what_may_be_left_out_or_repeated_is_seen() {
        let takes = |list: &str| {
            let list = parts(list);
            let needed = list.iter().filter(|parameter| !may_be_left_out(parameter)).count();
            (needed, list.iter().any(|parameter| is_repeated(parameter)))
        };
        for (list, expected) in [
            ("int a, int b = 3)", (1, false)),
            ("String format, Object... args)", (1, true)),
            ("const char* format, ...)", (1, true)),
            ("Args&&... args)", (0, true)),
            ("this Order order, params int[] rest)", (0, true)),
            ("vararg names: String, last: () -> Unit)", (1, true)),
            ("names: String*)", (0, true)),
            ("int *a, char *b)", (2, false)),
            ("f: A => B, g: (A) -> B)", (2, false)),
            ("implicit context: Context)", (0, false)),
            ("_ a: Int, by b: Int = 2)", (1, false)),
        ] {
            assert_eq!(takes(list), expected, "{list}");
        }
    }
}
