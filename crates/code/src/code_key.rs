//! For what code is kept within a text, and where it is found by that.
//!
//! ```text
//!   statement 0 │ 1 │ 2 │ …        the statement itself, or its first expression: found by the number alone
//!            └─ further expressions, and statements that are made of it: found by the whole key
//! ```
//! What always holds: what is kept under a key is what was kept under it last. It does not know what code is.

use std::hash::{Hash, Hasher};

use millpond_storage::number_map::NumberMap;
use millpond_tsql::ast::{Statement, StatementNo};

/// For what code is kept, within its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeKey {
    /// A statement (0), or the n-th of its expressions.
    Statement(StatementNo, u16),
    /// A statement that is made of one of the text, and stands nowhere itself.
    Synthetic(StatementNo, Synthetic),
}

/// What is made of INSERT … EXEC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Synthetic {
    /// The rows that it gathers.
    GatheredRows,
    /// The INSERT that takes them.
    InsertOfGathered,
}

impl CodeKey {
    /// The statement itself, or its first expression.
    #[inline]
    pub fn of(statement: &Statement) -> CodeKey {
        CodeKey::part(statement, 0)
    }

    /// One of several expressions of the statement.
    #[inline]
    pub fn part(statement: &Statement, part: u16) -> CodeKey {
        CodeKey::Statement(statement.number, part)
    }

    /// What is made of the statement.
    #[inline]
    pub fn synthetic(of: &Statement, what: Synthetic) -> CodeKey {
        CodeKey::Synthetic(of.number, what)
    }
}

impl Hash for CodeKey {
    /// As one number: arguments of calls are looked up by it.
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        let (number, part) = match self {
            CodeKey::Statement(number, part) => (number.0, u32::from(*part)),
            CodeKey::Synthetic(number, what) => (number.0, 1 << 16 | *what as u32),
        };
        state.write_u64(u64::from(number) << 32 | u64::from(part));
    }
}

/// The code of one text, by what it is for.
pub struct KeptCode<C> {
    /// By number; a loop finds its code here.
    statements: Vec<Option<C>>,
    others: NumberMap<CodeKey, C>,
}

impl<C> Default for KeptCode<C> {
    fn default() -> KeptCode<C> {
        KeptCode { statements: Vec::new(), others: NumberMap::default() }
    }
}

impl<C> KeptCode<C> {
    /// The code of a statement, if it is kept.
    #[inline(always)]
    pub fn get(&self, key: CodeKey) -> Option<&C> {
        match key {
            CodeKey::Statement(number, 0) => self.statements.get(number.0 as usize)?.as_ref(),
            other => self.others.get(&other),
        }
    }

    /// Keeps the code of a statement, instead of any before.
    pub fn insert(&mut self, key: CodeKey, code: C) {
        let CodeKey::Statement(StatementNo(number), 0) = key else {
            self.others.insert(key, code);
            return;
        };
        let place = number as usize;
        if self.statements.len() <= place {
            self.statements.resize_with(place + 1, || None);
        }
        self.statements[place] = Some(code);
    }

    /// Forgets the code of a statement.
    pub fn remove(&mut self, key: CodeKey) {
        match key {
            CodeKey::Statement(StatementNo(number), 0) => {
                if let Some(kept) = self.statements.get_mut(number as usize) {
                    *kept = None;
                }
            }
            other => drop(self.others.remove(&other)),
        }
    }

    /// Forgets all code.
    pub fn clear(&mut self) {
        *self = KeptCode::default();
    }

    /// Statements whose code is kept.
    pub fn count(&self) -> usize {
        self.all().count()
    }

    /// All code that is kept, in no order.
    pub fn all(&self) -> impl Iterator<Item = &C> {
        self.statements.iter().flatten().chain(self.others.values())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::hash::{BuildHasher, BuildHasherDefault};

    use millpond_storage::number_map::NumberHasher;

    #[test]
    fn every_key_has_its_own_place_and_hash() {
        let numbers = || (0..300).map(StatementNo);
        let keys: Vec<CodeKey> = numbers()
            .flat_map(|number| [0, 1, 2, u16::MAX].map(|part| CodeKey::Statement(number, part)))
            .chain(numbers().flat_map(|number| {
                [Synthetic::GatheredRows, Synthetic::InsertOfGathered].map(|what| CodeKey::Synthetic(number, what))
            }))
            .collect();
        let build = BuildHasherDefault::<NumberHasher>::default();
        let hashes: HashSet<u64> = keys.iter().map(|key| build.hash_one(key)).collect();
        assert_eq!(hashes.len(), keys.len());

        let mut kept = KeptCode::default();
        for (code, key) in keys.iter().enumerate() {
            assert!(kept.get(*key).is_none(), "{key:?}");
            kept.insert(*key, code);
        }
        for (code, key) in keys.iter().enumerate() {
            assert_eq!(kept.get(*key), Some(&code), "{key:?}");
        }
        for key in [keys[0], keys[1], keys[keys.len() - 1]] {
            kept.insert(key, usize::MAX);
            assert_eq!(kept.get(key), Some(&usize::MAX), "the last one counts");
        }
        assert_eq!(kept.count(), keys.len());
        kept.clear();
        assert!(keys.iter().all(|key| kept.get(*key).is_none()));
    }
}
