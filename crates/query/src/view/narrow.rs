//! Views that need not list a whole database: for each the columns by whose value the objects that its rows are of are found.
//!
//! What always holds: a view that is told of some objects gives all of its rows that are of these, and may give more.

use super::{ViewDef, compatibility, constraints, indexes, information_keys, information_tables};
use super::{modules, objects, statistics, table_columns};

/// What a column of a view leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lead {
    /// It is the number of the object that the row is of, or of a constraint of it.
    Number,
    /// It is its name, or that of a constraint of it.
    Name,
    /// It is the number of the table that a constraint is of; 0 in the rows of what is none.
    Parent,
}

use Lead::{Name, Number, Parent};

type Columns = &'static [(&'static str, Lead)];

/// Rows that are objects.
const OBJECTS: Columns = &[("object_id", Number), ("name", Name), ("parent_object_id", Parent)];
/// Rows of something that belongs to an object.
const PARTS: Columns = &[("object_id", Number)];

static LEADS: &[(&ViewDef, Columns)] = &[
    (&objects::OBJECTS, OBJECTS),
    (&objects::ALL_OBJECTS, OBJECTS),
    (&objects::TABLES, OBJECTS),
    (&objects::USER_VIEWS, OBJECTS),
    (&objects::ALL_VIEWS, OBJECTS),
    (&objects::PROCEDURES, OBJECTS),
    (&objects::SEQUENCES, OBJECTS),
    (&objects::SYNONYMS, OBJECTS),
    (&table_columns::COLUMNS, PARTS),
    (&table_columns::ALL_COLUMNS, PARTS),
    (&table_columns::IDENTITY_COLUMNS, PARTS),
    (&table_columns::COMPUTED_COLUMNS, PARTS),
    (&indexes::INDEXES, PARTS),
    (&indexes::INDEX_COLUMNS, PARTS),
    (&indexes::PARTITIONS, PARTS),
    (&indexes::DM_DB_PARTITION_STATS, PARTS),
    (&statistics::STATS, PARTS),
    (&statistics::STATS_COLUMNS, PARTS),
    (&constraints::KEY_CONSTRAINTS, OBJECTS),
    (&constraints::FOREIGN_KEYS, OBJECTS),
    (&constraints::CHECK_CONSTRAINTS, OBJECTS),
    (&constraints::DEFAULT_CONSTRAINTS, OBJECTS),
    (&constraints::FOREIGN_KEY_COLUMNS, &[("parent_object_id", Number), ("constraint_object_id", Number)]),
    (&modules::SQL_MODULES, PARTS),
    (&modules::ALL_SQL_MODULES, PARTS),
    (&modules::PARAMETERS, PARTS),
    (&modules::ALL_PARAMETERS, PARTS),
    (&modules::TRIGGERS, &[("object_id", Number), ("name", Name)]),
    (&compatibility::SYSOBJECTS, &[("id", Number), ("name", Name), ("parent_obj", Parent)]),
    (&compatibility::SYSCOLUMNS, &[("id", Number)]),
    (&compatibility::SYSINDEXES, &[("id", Number)]),
    (&information_tables::TABLES, &[("TABLE_NAME", Name)]),
    (&information_tables::COLUMNS, &[("TABLE_NAME", Name)]),
    (&information_tables::VIEWS, &[("TABLE_NAME", Name)]),
    (&information_tables::ROUTINES, &[("ROUTINE_NAME", Name), ("SPECIFIC_NAME", Name)]),
    (&information_tables::PARAMETERS, &[("SPECIFIC_NAME", Name)]),
    (&information_tables::SEQUENCES, &[("SEQUENCE_NAME", Name)]),
    (&information_keys::TABLE_CONSTRAINTS, &[("TABLE_NAME", Name), ("CONSTRAINT_NAME", Name)]),
    (&information_keys::CHECK_CONSTRAINTS, &[("CONSTRAINT_NAME", Name)]),
    (&information_keys::REFERENTIAL_CONSTRAINTS, &[("CONSTRAINT_NAME", Name)]),
    (&information_keys::KEY_COLUMN_USAGE, &[("TABLE_NAME", Name), ("CONSTRAINT_NAME", Name)]),
    (&information_keys::CONSTRAINT_COLUMN_USAGE, &[("TABLE_NAME", Name), ("CONSTRAINT_NAME", Name)]),
    (&information_keys::CONSTRAINT_TABLE_USAGE, &[("TABLE_NAME", Name), ("CONSTRAINT_NAME", Name)]),
];

/// The columns that lead to the objects of a view's rows, the best first, by their position.
pub(crate) fn leads(view: &'static ViewDef) -> Vec<(usize, Lead)> {
    let known = LEADS.iter().find(|(known, _)| std::ptr::eq(*known, view));
    let columns = known.map_or(&[][..], |(_, columns)| *columns).iter();
    let position = |name: &str| view.columns.iter().position(|column| column.name == name);
    columns.filter_map(|(name, lead)| Some((position(name)?, *lead))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_lead_are_columns_of_their_views() {
        for (view, columns) in LEADS {
            assert_eq!(leads(view).len(), columns.len(), "{}", view.name);
        }
    }
}
