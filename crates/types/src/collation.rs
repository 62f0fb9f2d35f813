//! Order and equality of texts.

use std::cmp::Ordering;

/// A collation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Collation {
    /// `SQL_Latin1_General_CP1_CI_AS`
    #[default]
    Latin1CiAs,
    /// `SQL_Latin1_General_CP1_CS_AS`
    Latin1CsAs,
    /// `Latin1_General_BIN2`
    Latin1Bin2,
}

impl Collation {
    /// The collation of a name, in any case.
    #[must_use]
    pub fn by_name(_name: &str) -> Option<Self> {
        todo!()
    }
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        todo!()
    }
}

/// Compares two texts; blanks at the end do not count.
#[must_use]
pub fn compare(_a: &str, _b: &str, _collation: Collation) -> Ordering {
    todo!()
}
/// Whether two texts are equal; blanks at the end do not count.
#[must_use]
pub fn equal(_a: &str, _b: &str, _collation: Collation) -> bool {
    todo!()
}
/// Appends bytes whose order is the texts' order; no key is a prefix of another, so keys may be concatenated.
pub fn sort_key(_text: &str, _collation: Collation, _out: &mut Vec<u8>) {
    todo!()
}
/// LIKE over `varchar`.
#[must_use]
pub fn like(_text: &str, _pattern: &str, _escape: Option<char>, _collation: Collation) -> bool {
    todo!()
}
