//! The names of a file, as one text: a file has hundreds, most of a few letters, and each would take an allocation of its own.

use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A list of texts that only grows.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Names {
    text: String,
    ends: Vec<u32>,
}

impl Names {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The one at a place.
    pub fn get(&self, at: usize) -> Option<&str> {
        let end = *self.ends.get(at)?;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text.get(start as usize..end as usize)
    }

    /// All of them in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|at| self.get(at).unwrap_or_default())
    }

    /// Adds one at the end. A list is of one file, and files are far smaller than 4 GB.
    pub fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len() as u32);
    }

    /// The bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.text.capacity() + 4 * self.ends.capacity()
    }
}

impl fmt::Debug for Names {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.iter()).finish()
    }
}

impl<'a> FromIterator<&'a str> for Names {
    fn from_iter<I: IntoIterator<Item = &'a str>>(names: I) -> Names {
        let mut all = Names::default();
        names.into_iter().for_each(|name| all.push(name));
        all
    }
}

/// Written and read as a list of texts.
impl Serialize for Names {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Names, D::Error> {
        struct Texts;
        impl<'de> Visitor<'de> for Texts {
            type Value = Names;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a list of names")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Names, A::Error> {
                let mut names = Names::default();
                while let Some(name) = list.next_element::<&str>()? {
                    names.push(name);
                }
                if u32::try_from(names.text.len()).is_err() {
                    return Err(A::Error::custom("more names than a file has"));
                }
                names.text.shrink_to_fit();
                names.ends.shrink_to_fit();
                Ok(names)
            }
        }
        from.deserialize_seq(Texts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_in_order_and_empty_ones_too() {
        let names: Names = ["save", "", "größe", "x"].into_iter().collect();
        assert_eq!(names.iter().collect::<Vec<_>>(), ["save", "", "größe", "x"]);
        assert_eq!((names.len(), names.get(1), names.get(2), names.get(4)), (4, Some(""), Some("größe"), None));
        assert_eq!(format!("{names:?}"), r#"["save", "", "größe", "x"]"#);
        assert!(Names::default().is_empty());
    }
}
