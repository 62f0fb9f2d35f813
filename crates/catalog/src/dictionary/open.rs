//! A database's system tables are opened, or made when the database is new.

use std::sync::Arc;

use millpond_access::tree::TreeRoot;
use millpond_message::error::SqlResult;
use millpond_message::{self as message, Place};
use millpond_storage::contract::DbId;
use millpond_storage::database::Database;
use millpond_txn::{TxnError, TxnManager};

use super::boot::{IAM_VALUE, ROOT_VALUE, set_boot_value};
use super::codec::{Reading, index_row, page_number, page_of};
use super::io::{Io, SystemTrees};
use super::tables::SystemTable;
use super::{DefinitionBinder, Dictionary, ShippedModules};
use crate::DatabaseCatalog;
use crate::trees::{TreeHome, tree_ids};
use millpond_txn::open_trees;
use millpond_txn::trees;

impl Dictionary {
    /// The dictionary of a database with all its definitions. A new database gets its system tables.
    ///
    /// # Errors
    /// 942 and others when the database is not available, 824 when its system tables are damaged.
    pub fn open(
        io: &mut Io<'_, '_>,
        txns: &Arc<TxnManager>,
        database: &Arc<Database>,
        catalog: DatabaseCatalog,
        (binder, shipped): (&'static dyn DefinitionBinder, ShippedModules),
    ) -> SqlResult<Dictionary> {
        database.check_online().map_err(|cause| message::of_unavailable(&cause))?;
        let ctx = open_trees::tree_ctx(database)
            .map_err(|error| message::of_txn(error, Place { schema: "", object: "sys", database: "" }))?;
        let home = TreeHome { txns: Arc::clone(txns), ctx };
        let trees = match database.boot_value(ROOT_VALUE) {
            // Nothing in tempdb outlives the instance: its system tables are made at every start, and no page leads to them.
            _ if database.id() == DbId::TEMPDB => make_trees(io, database, &home)?.0,
            0 => make(io, database, &home)?,
            root => {
                let at = |number: u64| page_of(database.id(), number.cast_signed());
                open_all(io, database, &home, TreeRoot { root: at(root), iam: at(database.boot_value(IAM_VALUE)) })?
            }
        };
        let dictionary = Dictionary {
            database: Arc::clone(database),
            name: Arc::from(database.name()),
            trees,
            home,
            catalog: Arc::new(catalog),
            row_versions: super::row_version::RowVersions::open(database),
            dropped: super::dropped::Dropped::default(),
            has_properties: std::sync::atomic::AtomicBool::new(false),
            binder,
            shipped,
        };
        dictionary.load_all(io)?;
        Ok(dictionary)
    }
}

fn make(io: &mut Io<'_, '_>, database: &Database, home: &TreeHome) -> SqlResult<SystemTrees> {
    let (trees, first) = make_trees(io, database, home)?;
    set_boot_value(database, io.ask, IAM_VALUE, page_number(first.iam).cast_unsigned())?;
    set_boot_value(database, io.ask, ROOT_VALUE, page_number(first.root).cast_unsigned())?;
    Ok(trees)
}

/// New system tables, and where the first of them lies.
fn make_trees(io: &mut Io<'_, '_>, database: &Database, home: &TreeHome) -> SqlResult<(SystemTrees, TreeRoot)> {
    let place = Place { schema: "", object: "sys.sysindexes", database: "" };
    let mut trees = SystemTrees::none(&database.name());
    let mut roots = Vec::new();
    for table in SystemTable::ALL {
        let (tree, root) = trees::create_tree(io.work, io.ask, &home.ctx, tree_ids(table.id(), 1))
            .map_err(|error| message::of_txn(error, place))?;
        trees.trees.push(tree);
        roots.push(root);
    }
    for (table, root) in SystemTable::ALL.into_iter().zip(&roots) {
        trees.insert(io, &[index_row(table.id(), &table.def().indexes[0], *root)])?;
    }
    Ok((trees, roots[0]))
}

fn open_all(io: &mut Io<'_, '_>, database: &Database, home: &TreeHome, indexes: TreeRoot) -> SqlResult<SystemTrees> {
    let first = open_trees::open_tree(&home.txns, &home.ctx, tree_ids(SystemTable::Indexes.id(), 1), indexes);
    let mut trees = SystemTrees { trees: vec![first], database: Arc::from(database.name()) };
    for table in SystemTable::ALL.into_iter().skip(1) {
        let Some(row) = trees.rows(io, SystemTable::Indexes, &[table.id().0])?.pop() else {
            if table < SystemTable::Principals {
                return Err(super::codec::damaged(&format!("{} is not there", table.def().name)));
            }
            // Of a time before there were principals. One that cannot be changed goes without: its tables are empty.
            if !add(io, home, &mut trees, table)? {
                break;
            }
            continue;
        };
        let row = Reading(&row);
        let db = indexes.root.db;
        let root = TreeRoot { root: page_of(db, row.long(9)?), iam: page_of(db, row.long(10)?) };
        trees.trees.push(open_trees::open_tree(&home.txns, &home.ctx, tree_ids(table.id(), 1), root));
    }
    Ok(trees)
}

/// Makes a system table that a database of an earlier version does not have; false when it cannot be changed now.
fn add(io: &mut Io<'_, '_>, home: &TreeHome, trees: &mut SystemTrees, table: SystemTable) -> SqlResult<bool> {
    let place = Place { schema: "", object: "sys.sysindexes", database: "" };
    let (tree, root) = match trees::create_tree(io.work, io.ask, &home.ctx, tree_ids(table.id(), 1)) {
        Err(TxnError::ReadOnly(_)) => return Ok(false),
        made => made.map_err(|error| message::of_txn(error, place))?,
    };
    trees.insert(io, &[index_row(table.id(), &table.def().indexes[0], root)])?;
    trees.trees.push(tree);
    Ok(true)
}
