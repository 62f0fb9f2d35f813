//! Definitions: what a database holds, by name and by number. Tables, their indexes and constraints, modules (views,
//! procedures, functions), types, sequences, and the cache that finds them.
//!
//! ```text
//!   dictionary (rows of system tables) ──read──▶ TableDef, ModuleDef, … ──▶ DatabaseCatalog ──names──▶ bind
//!                      ▲                                                          │
//!                      └──────────────── written by DDL, transactionally ◀────────┘ told of every change
//! ```
//! What always holds: a definition is immutable and shared by plans; a change makes a new one, so that whoever holds
//! the old one sees by its address that it must look again. It knows no rows, no pages but the roots of trees, no locks.

pub mod clock;
mod database;
pub mod dialect;
pub mod dictionary;
pub mod expr;
pub mod function;
pub mod function_def;
pub mod histogram;
mod index;
mod key;
pub mod large;
mod object;
pub mod principal;
pub mod rel;
pub mod run;
pub mod sequence;
mod statistics;
mod system_column;
pub mod system_view;
mod table;
pub mod trees;
mod within;

use millpond_types::collation::Collation;

use crate::expr::ExprType;

pub use database::constraint_names;
pub use database::{CatalogObject, DatabaseCatalog, DatabaseObjects};
pub use index::{IndexDef, IndexKind, IndexOptions, KeyColumn};
pub use key::{KeyBounds, after_all, row_key};
pub use object::{
    ModuleDef, ModuleKind, ParameterDef, Schema, SchemaId, SequenceDef, SequenceState, SynonymDef, UserTypeDef,
    UserTypeForm,
};
pub use statistics::{StatisticsDef, StatisticsObject};
pub use system_column::SystemColumn;
pub use table::{
    CheckDef, ColumnDef, ComputedDef, DefaultDef, ForeignKeyDef, LockEscalation, ObjectId, ReferentialAction, TableDef,
    TableName, TableStorage, TableUses,
};
pub use within::Within;

/// Whether two identifiers are the same name under the default collation.
#[must_use]
pub fn names_equal(a: &str, b: &str) -> bool {
    plainly_equal(a.as_bytes(), b.as_bytes())
        .unwrap_or_else(|| millpond_types::collation::compare(a, b, Collation::LATIN1_CI_AS).is_eq())
}

/// Whether two names are the same as far as ASCII letters, digits and underscores tell, which are never equal to anything but
/// themselves in the other case; `None` where something else decides.
fn plainly_equal(a: &[u8], b: &[u8]) -> Option<bool> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    for (one, other) in a.iter().zip(b) {
        match (is_plain(*one), is_plain(*other)) {
            (true, true) if one.eq_ignore_ascii_case(other) => {}
            (true, true) => return Some(false),
            _ if one == other && one.is_ascii() => {}
            _ => return None,
        }
    }
    let longer = if a.len() > b.len() { a } else { b };
    match longer.get(a.len().min(b.len())) {
        None => Some(true),
        Some(next) if is_plain(*next) => Some(false),
        Some(_) => None,
    }
}

/// The form of a name under which maps keep it: equal names have equal forms.
#[must_use]
pub fn name_key(name: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(name.len() * 2);
    millpond_types::collation::sort_key(name, Collation::LATIN1_CI_AS, &mut key);
    key
}

impl SystemColumn {
    /// Static facts of the column.
    #[must_use]
    pub fn ty(&self) -> ExprType {
        ExprType::plain(self.sql, self.nullable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_equal_as_the_collation_says() {
        let names = [
            "", " ", "a", "A", "a ", "a  ", " a", "b", "ab", "aB", "a_b", "a-b", "a b", "a b ", "a'b", "a\u{1}b",
            "a\u{1}", "ä", "Ä", "aä", "AÄ", "ß", "ss", "sS", "æ", "ae", "é", "e\u{301}", "e", "#t", "#T", "@v", "@V",
            "[", "_", "__", "1", "01", "a.b", "A.B", "ab-", "ab'", "İ", "i", "I", "ı", "K", "k", "\u{212a}", "ａ",
            "x\u{301}", "x",
        ];
        for a in names {
            for b in names {
                let by_collation = millpond_types::collation::compare(a, b, Collation::LATIN1_CI_AS).is_eq();
                assert_eq!(names_equal(a, b), by_collation, "{a:?} {b:?}");
                assert_eq!(name_key(a) == name_key(b), by_collation, "{a:?} {b:?}, keys");
            }
        }
    }
}
