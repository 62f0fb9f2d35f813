//! Views over trees: what is in tables and indexes, and what was done with them.

pub(crate) mod missing;
pub(crate) mod physical;
pub(crate) mod usage;

use std::sync::Arc;

use millpond_access::tree::Tree;
use millpond_catalog::security::Securable;
use millpond_catalog::trees::TableTrees;
use millpond_catalog::{IndexDef, ModuleDef, ObjectId, TableDef};
use millpond_engine::context::RunContext;
use millpond_engine::security::may;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_types::Value;

/// An index that is visited.
pub(crate) struct Visited<'a> {
    /// Its database.
    pub database: DbId,
    /// The table, or the view whose rows it has.
    pub shown: ObjectId,
    /// The table.
    pub def: &'a Arc<TableDef>,
    /// Its trees.
    pub trees: &'a Arc<TableTrees>,
    /// The place of the index among those of the table.
    pub position: usize,
    /// The index.
    pub index: &'a IndexDef,
    /// Where its entries are.
    pub tree: &'a Arc<Tree>,
}

/// Which indexes a view is asked for; what is not said is all of them.
#[derive(Default)]
pub(crate) struct Asked {
    database: Option<i64>,
    object: Option<i64>,
    index: Option<i64>,
}

impl Asked {
    /// `(database_id, object_id, index_id, …)`: NULL, 0 and DEFAULT stand for all, of indexes -1, since 0 is a heap.
    pub fn of(args: &[Value]) -> Asked {
        let number = |place: usize| args.get(place).and_then(Value::as_i64);
        Asked {
            database: number(0).filter(|id| *id != 0),
            object: number(1).filter(|id| *id != 0),
            index: number(2).filter(|id| *id >= 0),
        }
    }

    /// Each index that is asked for of the online databases whose state the session may see: `each` is called with each of them.
    pub fn visit(&self, ctx: &RunContext, mut each: impl FnMut(&Visited<'_>) -> SqlResult<()>) -> SqlResult<()> {
        for database in ctx.engine.instance().all_databases() {
            if self.database.is_some_and(|id| id != i64::from(database.id().0)) || database.check_online().is_err() {
                continue;
            }
            if !may(ctx, database.id(), "VIEW DATABASE STATE", Securable::DATABASE)? {
                continue;
            }
            let objects = ctx.engine.databases().dictionary(database.id())?.catalog().objects();
            for (def, trees) in objects.stored() {
                let shown = ModuleDef::of_rows(def, &objects).map_or(def.id, |view| view.id);
                if self.object.is_some_and(|id| id != i64::from(shown.0)) {
                    continue;
                }
                for (position, (index, tree)) in def.indexes.iter().zip(&trees.trees).enumerate() {
                    if self.index.is_none_or(|id| id == i64::from(index.id)) {
                        each(&Visited { database: database.id(), shown, def, trees, position, index, tree })?;
                    }
                }
            }
        }
        Ok(())
    }
}
