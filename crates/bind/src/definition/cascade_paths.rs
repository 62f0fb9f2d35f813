//! The ways that ON DELETE and ON UPDATE take from table to table.
//!
//! What always holds: in the graph of the keys whose action of one kind is not NO ACTION, from the referenced table to the
//! referring one, no table is reached twice from any table, and none from itself. So what a change of one row does is a
//! tree. A key that is switched off counts: it can be switched on again.

use std::collections::HashSet;

use millpond_catalog::{DatabaseObjects, ForeignKeyDef, ObjectId, ReferentialAction, TableDef};
use millpond_message::error::{SqlError, SqlResult};

type ActionOf = fn(&ForeignKeyDef) -> ReferentialAction;

/// Looks at the keys of a table from the one at `first` on, which are not among `objects` yet, one after the other.
///
/// # Errors
/// 1785 for the first that makes a circle or a second way to a table.
pub fn check_cascades(objects: &DatabaseObjects, table: &TableDef, first: usize) -> SqlResult<()> {
    let kinds: [ActionOf; 2] = [|key| key.on_delete, |key| key.on_update];
    for (place, key) in table.foreign_keys.iter().enumerate().skip(first) {
        let known = &table.foreign_keys[..place];
        for action in kinds.iter().filter(|action| action(key) != ReferentialAction::NoAction) {
            let graph = Graph { objects, table, known, action: *action };
            if graph.meets(key) {
                return Err(many_ways(table, key));
            }
        }
    }
    Ok(())
}

/// The keys of a database with an action of one kind; of one table only those that are known.
struct Graph<'a> {
    objects: &'a DatabaseObjects,
    table: &'a TableDef,
    known: &'a [ForeignKeyDef],
    action: ActionOf,
}

impl Graph<'_> {
    /// Whether another key beside those of the graph leads where they lead already: some table above it reaches some
    /// table below it.
    fn meets(&self, key: &ForeignKeyDef) -> bool {
        let below = closure(&[self.table.id], |id| self.referring(id));
        let above = closure(&[key.referenced], |id| self.referenced(id));
        let starts: Vec<ObjectId> = below.into_iter().collect();
        closure(&starts, |id| self.referenced(id)).iter().any(|id| above.contains(id))
    }

    fn acts(&self, key: &ForeignKeyDef) -> bool {
        (self.action)(key) != ReferentialAction::NoAction
    }

    /// Tables that a table refers to.
    fn referenced(&self, id: ObjectId) -> Vec<ObjectId> {
        let of = |keys: &[ForeignKeyDef]| keys.iter().filter(|key| self.acts(key)).map(|key| key.referenced).collect();
        match self.objects.table(id) {
            _ if id == self.table.id => of(self.known),
            Some((def, _)) => of(&def.foreign_keys),
            None => Vec::new(),
        }
    }

    /// Tables that refer to a table.
    fn referring(&self, id: ObjectId) -> Vec<ObjectId> {
        let refers = |keys: &[ForeignKeyDef]| keys.iter().any(|key| key.referenced == id && self.acts(key));
        let others = self.objects.referring_to(id).filter(|def| def.id != self.table.id && refers(&def.foreign_keys));
        let own = refers(self.known).then_some(self.table.id);
        others.map(|def| def.id).chain(own).collect()
    }
}

/// All that some tables lead to, themselves too.
fn closure(starts: &[ObjectId], next: impl Fn(ObjectId) -> Vec<ObjectId>) -> HashSet<ObjectId> {
    let mut found: HashSet<ObjectId> = starts.iter().copied().collect();
    let mut open = starts.to_vec();
    while let Some(id) = open.pop() {
        open.extend(next(id).into_iter().filter(|id| found.insert(*id)));
    }
    found
}

/// 1785
fn many_ways(table: &TableDef, key: &ForeignKeyDef) -> SqlError {
    SqlError::of(1785, 0, &[&key.name, &table.name])
}
