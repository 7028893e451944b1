//! What a call passes, as far as its own text says it: enough to tell functions of one name apart by what they take.
//!
//! Counted and sorted when a file is read, packed into one number. Nothing is looked up: a plain name is known to be one, and the
//! use of it that stands behind the call says which.

use serde::{Deserialize, Serialize};

/// The arguments of a call: how many there are, and what the first of them are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arguments(u32);

/// What stands in the place of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Anything that takes more to be understood.
    Other,
    /// A string.
    Str,
    /// A whole number.
    Int,
    /// A number with a fraction.
    Float,
    /// `true` or `false`.
    Bool,
    /// A single character.
    Char,
    /// A function without a name.
    Function,
    /// A plain name.
    Name,
    /// `this`.
    Own,
    /// `new T(…)`: the next name is that of its type.
    Made,
}

const ALL: [Argument; 10] = {
    use Argument::*;
    [Other, Str, Int, Float, Bool, Char, Function, Name, Own, Made]
};

/// The bits of the count, which is one more than the arguments are: nothing is packed as 0.
const COUNT_BITS: u32 = 5;
/// The bits of an argument.
const BITS: u32 = 4;
/// Of so many arguments something is kept.
const KEPT: usize = 6;

impl Arguments {
    /// The arguments of a call; `None` for more than anybody overloads.
    pub fn new(arguments: impl ExactSizeIterator<Item = Argument>) -> Option<Arguments> {
        let count = arguments.len() as u32 + 1;
        let packed = arguments.take(KEPT).enumerate().fold(0, |packed, (at, argument)| {
            let code = ALL.iter().position(|one| *one == argument).unwrap_or_default() as u32;
            packed | code << (COUNT_BITS + BITS * at as u32)
        });
        (count < 1 << COUNT_BITS).then_some(Arguments(packed | count))
    }

    /// How many there are.
    pub fn count(self) -> usize {
        ((self.0 & ((1 << COUNT_BITS) - 1)) as usize).saturating_sub(1)
    }

    /// What stands at a place.
    pub fn at(self, place: usize) -> Argument {
        let code = match place < KEPT {
            true => self.0 >> (COUNT_BITS + BITS * place as u32) & ((1 << BITS) - 1),
            false => 0,
        };
        ALL.get(code as usize).copied().unwrap_or(Argument::Other)
    }

    /// As a number above 0.
    pub fn packed(self) -> u32 {
        self.0
    }

    /// From such a number; `None` for one that says nothing.
    pub fn unpacked(number: u32) -> Option<Arguments> {
        (number & ((1 << COUNT_BITS) - 1) != 0).then_some(Arguments(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_survive_packing() {
        for arguments in [&ALL[..0], &ALL[..1], &ALL[1..7], &ALL[7..], &ALL[..]] {
            let packed = Arguments::new(arguments.iter().copied()).unwrap();
            let read = Arguments::unpacked(packed.packed()).unwrap();
            assert_eq!((read, read.count()), (packed, arguments.len()));
            for (at, argument) in arguments.iter().enumerate() {
                assert_eq!(read.at(at), if at < KEPT { *argument } else { Argument::Other });
            }
        }
        assert_eq!(Arguments::new([Argument::Int; 31].into_iter()), None);
        assert_eq!(Arguments::new([Argument::Int; 30].into_iter()).unwrap().count(), 30);
        assert_eq!((Arguments::unpacked(0), Arguments::unpacked(32)), (None, None));
    }
}
