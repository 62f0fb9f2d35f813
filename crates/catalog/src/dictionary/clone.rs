//! The definitions of one database in another one, which has none of its own yet: what DBCC CLONEDATABASE makes.
//!
//! What always holds: object numbers are the same in the copy, so references by number stay valid; each tree of the copy is new and
//! empty. No locks are taken: the source is a database snapshot, which does not change.

use millpond_message::error::SqlResult;
use millpond_message::{self as message, Place};
use millpond_txn::trees;
use millpond_types::Value;

use super::codec::{self, Reading};
use super::tables::SystemTable;
use super::{Dictionary, Io};
use crate::ObjectId;
use crate::trees::tree_ids;

/// Makes the rows of all system tables of `to` those of `from`. What `to` has in memory is old then, and has to be read anew.
///
/// # Errors
/// Those of pages that cannot be read or written; 1105, 9002 without room.
pub fn copy_definitions(from: &Dictionary, to: &Dictionary, io: &mut Io<'_, '_>) -> SqlResult<()> {
    for table in SystemTable::ALL {
        let rows = from.trees.rows(io, table, &[])?;
        if table == SystemTable::Indexes {
            for row in rows {
                copy_index(to, io, row)?;
            }
            continue;
        }
        to.trees.erase(io, table, &[])?;
        for row in rows {
            to.trees.insert(io, &[(table, row)])?;
        }
    }
    Ok(())
}

/// The row of an index, with a tree of its own. Those of system tables are there.
fn copy_index(to: &Dictionary, io: &mut Io<'_, '_>, mut row: Vec<Value>) -> SqlResult<()> {
    let (object, index) = (Reading(&row).int(0)?, Reading(&row).int(1)?);
    if SystemTable::ALL.iter().any(|table| table.id().0 == object) {
        return Ok(());
    }
    let index = u16::try_from(index).map_err(|_| codec::damaged("an index has no number of one"))?;
    let place = Place { schema: "", object: "sys.sysindexes", database: to.name() };
    let made = trees::create_tree(io.work, io.ask, &to.home.ctx, tree_ids(ObjectId(object), index));
    let (_, root) = made.map_err(|error| message::of_txn(error, place))?;
    codec::set_roots(&mut row, root);
    to.trees.insert(io, &[(SystemTable::Indexes, row)])
}
