//! The numbers of allocation units, which views of indexes and views of pages must say alike.
//!
//! What always holds: the unit of an index's rows has the number of its tree, that of the values beyond them another one that no tree
//! has; objects of tempdb have negative ones.

use millpond_catalog::ObjectId;
use millpond_catalog::trees::tree_ids;
use millpond_storage::contract::PageKind;

/// The number of the allocation unit of an index's rows.
pub(crate) fn unit_of_rows(object: ObjectId, index: u16) -> i64 {
    tree_ids(object, index).hobt.cast_signed()
}

/// The number of the allocation unit of the values beyond those rows: these bits are the same in the numbers of all trees.
pub(crate) fn unit_of_values(rows: i64) -> i64 {
    rows ^ 2 << 56
}

/// The allocation unit of a page with that header; 0 for maps and heads of files.
pub(crate) fn unit_of_page(kind: Option<PageKind>, object: u32, index: u16) -> i64 {
    let rows = unit_of_rows(ObjectId(object.cast_signed()), index);
    match kind {
        _ if object == 0 => 0,
        Some(PageKind::Text) => unit_of_values(rows),
        _ => rows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_values_of_an_object_have_numbers_of_their_own() {
        for object in [1002, -2_147_483_648] {
            let (rows, other) = (unit_of_rows(ObjectId(object), 1), unit_of_rows(ObjectId(object), 2));
            assert!(rows != other && unit_of_values(rows) != rows && (rows < 0) == (object < 0));
            let page = |kind| unit_of_page(Some(kind), object.cast_unsigned(), 1);
            assert_eq!((page(PageKind::Data), page(PageKind::Text)), (rows, unit_of_values(rows)));
        }
        assert_eq!(unit_of_page(Some(PageKind::Gam), 0, 0), 0);
    }
}
