//! An index that is scanned in the place of the rows, as it has all columns that a plan reads of them.
//!
//! What always holds: the leaf's columns keep their numbers, those of the table. Where they are in the index's records is asked for
//! when these are read ([`Access::place`]).

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::utils::collect_columns;

use crate::scan::leaf::{Leaf, LeafSource, Origin};

/// The source that reads the columns at `projection`, and those of its predicate, from an index alone; none where it stays as it is.
pub(crate) fn narrowed(
    source: &LeafSource,
    projection: Option<&[usize]>,
    predicate: Option<&Arc<dyn PhysicalExpr>>,
) -> Option<LeafSource> {
    let mut wanted = projection?.to_vec();
    wanted.extend(predicate.into_iter().flat_map(collect_columns).map(|column| column.index()));
    let leaf = Arc::new(of_index(&source.leaf, wanted)?);
    Some(LeafSource { leaf, schema: Arc::clone(&source.schema), predicate: None })
}

/// The leaf that reads the `wanted` columns, and those of its predicate, from an index alone.
pub(crate) fn of_index(leaf: &Leaf, mut wanted: Vec<usize>) -> Option<Leaf> {
    let (Origin::Table { binding, def }, Some(access)) = (&leaf.origin, &leaf.access) else { return None };
    wanted.extend(leaf.predicate.iter().flat_map(|predicate| predicate.reads()));
    // A whole row may be handed on as the record that it is.
    if (0..def.columns.len()).all(|column| wanted.contains(&column)) {
        return None;
    }
    let access = millpond_seek::narrowest(def, access, &wanted)?;
    let predicate =
        leaf.predicate.as_ref().map(|predicate| Arc::new(predicate.at(&|column| access.place(def, column))));
    Some(Leaf {
        origin: Origin::Table { binding: *binding, def: Arc::clone(def) },
        types: leaf.types.clone(),
        predicate,
        shown: leaf.shown.clone(),
        access: Some(access),
        cell: Arc::clone(&leaf.cell),
        outer: leaf.outer.clone(),
        batch_rows: leaf.batch_rows,
        expected: leaf.expected,
        given: AtomicU64::new(0),
    })
}
