//! Objects of tables in each other, as FOR JSON AUTO and FOR XML AUTO make them: where one ends and the next begins.
//!
//! What always holds: two NULLs are the same; values that do not compare never are.

use millpond_types::collation::Collation;
use millpond_types::{Value, compare};

/// Columns by which one object of a level is distinguished from the next.
#[derive(Clone, Debug, Default)]
pub struct Keys(pub Vec<Key>);

/// A column that distinguishes objects.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Place in the row.
    pub column: usize,
    /// What texts are compared by.
    pub collation: Collation,
    /// Whether its values compare at all.
    pub compares: bool,
}

impl Keys {
    /// The values of a row.
    pub(crate) fn of(&self, row: &[Value]) -> Vec<Value> {
        self.0.iter().map(|key| row.get(key.column).cloned().unwrap_or_default()).collect()
    }

    /// Whether rows are of one object.
    fn is_same(&self, one: &[Value], other: &[Value]) -> bool {
        let same = |(key, (one, other)): (&Key, (&Value, &Value))| match (one.is_null(), other.is_null()) {
            (true, true) => key.compares,
            (false, false) => key.compares && compare::compare(one, other, key.collation).is_eq(),
            _ => false,
        };
        self.0.iter().zip(one.iter().zip(other)).all(same)
    }
}

/// The outermost level whose object is another one than that of the row before; the number of levels where there is none.
pub(crate) fn first_other<'l>(
    levels: impl ExactSizeIterator<Item = &'l Keys>,
    before: &[Vec<Value>],
    now: &[Vec<Value>],
) -> usize {
    let count = levels.len();
    let mut pairs = levels.zip(before.iter().zip(now));
    pairs.position(|(keys, (before, now))| !keys.is_same(before, now)).unwrap_or(count)
}
