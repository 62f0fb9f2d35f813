//! Which column of a table a column of a result is, as results report it to clients and sp_describe_first_result_set shows
//! it.
//!
//! It leads through joins and through columns that are computed when they are read, and not through DISTINCT. What SELECT
//! INTO inherits is [`Rel::origin`]: through DISTINCT, and not through joins.

use std::sync::Arc;

use millpond_catalog::expr::Kind;
use millpond_catalog::rel::Rel;
use millpond_catalog::{ColumnDef, TableDef};
use millpond_message::sink::ColumnSource;

use crate::expression::computed::is_of_reader;

/// The table's column that a column of a relation is, unchanged.
#[must_use]
pub fn origin_of(rel: &Rel, index: usize) -> Option<&ColumnDef> {
    declared_in(rel, index).map(|(_, column)| column)
}

/// [`origin_of`], with its table.
#[must_use]
pub fn declared_in<'r>(rel: &'r Rel, index: usize) -> Option<(&'r TableDef, &'r ColumnDef)> {
    let of_table = |def: &'r Arc<TableDef>| Some((&**def, def.columns.get(index)?));
    match rel {
        Rel::Table { def, .. } => of_table(def),
        Rel::Filter { input, .. } | Rel::Sort { input, .. } | Rel::Top { input, .. } => declared_in(input, index),
        Rel::Project { input, exprs } => match exprs.get(index)?.kind {
            Kind::Column(column) => declared_in(input, column),
            // A projection that computes a table's unstored columns stands directly above the table.
            _ => match &**input {
                Rel::Table { def, .. } if is_of_reader(def, index) => of_table(def),
                _ => None,
            },
        },
        Rel::Window { input, .. } if index < input.types().len() => declared_in(input, index),
        Rel::Join { left, right, .. } => {
            let width = left.types().len();
            if index < width { declared_in(left, index) } else { declared_in(right, index - width) }
        }
        _ => None,
    }
}

/// Where the values of a result's column are from.
#[must_use]
pub fn source_of(rel: &Rel, index: usize) -> ColumnSource {
    match origin_of(rel, index) {
        Some(column) if column.identity.is_some() => ColumnSource::Identity,
        Some(column) if column.computed.is_none() => ColumnSource::Stored,
        _ => ColumnSource::Computed,
    }
}
