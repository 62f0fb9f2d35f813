//! What FOREIGN KEYs and triggers do to rows beside those that a statement names.
//!
//! What always holds: a key that is switched off does nothing; a key with NO ACTION is asked when all other keys of the
//! statement have done their part; triggers come after the whole statement, each as a statement of its own.

use std::collections::{BTreeMap, BTreeSet};

use super::definition::{Action, Foreign, Refused};
use super::model::{Model, Touched};
use super::step::Ids;

/// Triggers in triggers go so deep.
const DEPTH_MAX: usize = 32;

const ORPHAN: Refused = Refused("a row without its parent");

impl Model {
    /// The keys that lead to a table and are not switched off, with the table that has each.
    fn keys_to(&self, target: &str) -> Vec<(String, Foreign)> {
        let keys = |name: &String, foreign: &Foreign| (name.clone(), foreign.clone());
        let all = self.tables.iter().flat_map(|(name, table)| table.foreign.values().map(move |key| keys(name, key)));
        all.filter(|(_, key)| key.target == target && !key.is_disabled).collect()
    }

    /// Whether each of the rows, or of all rows, has its parent.
    pub(super) fn check_parents(&self, table: &str, key: &Foreign, ids: Option<&BTreeSet<i64>>) -> Result<(), Refused> {
        let of = self.tables.get(table).ok_or(Refused("no such table"))?;
        let place = of.place(&key.column).ok_or(Refused("no such column"))?;
        let target = self.tables.get(&key.target).ok_or(Refused("no such table"))?;
        let is_there = |value: &String| value.parse::<i64>().is_ok_and(|value| target.rows.contains_key(&value));
        let rows = of.rows.iter().filter(|(id, _)| ids.is_none_or(|ids| ids.contains(id)));
        if rows.filter_map(|(_, row)| row[place].as_ref()).all(is_there) { Ok(()) } else { Err(ORPHAN) }
    }

    /// What is asked of rows that are new, or have a new value in one column.
    pub(super) fn check_new(&self, table: &str, ids: &BTreeSet<i64>, column: Option<&String>) -> Result<(), Refused> {
        let of = self.tables.get(table).ok_or(Refused("no such table"))?;
        of.check_unique()?;
        let mut keys = of.foreign.values().filter(|key| !key.is_disabled);
        keys.try_for_each(|key| {
            let is_asked = column.is_none_or(|column| *column == key.column);
            if is_asked { self.check_parents(table, key, Some(ids)) } else { Ok(()) }
        })
    }

    /// Rows that lead to one of the values by the key, with the value of each.
    fn children(&self, table: &str, key: &Foreign, values: &BTreeSet<i64>) -> Result<BTreeMap<i64, i64>, Refused> {
        let of = self.tables.get(table).ok_or(Refused("no such table"))?;
        let place = of.place(&key.column).ok_or(Refused("no such column"))?;
        let value = |row: &Vec<Option<String>>| row[place].as_ref()?.parse::<i64>().ok();
        let all = of.rows.iter().filter_map(|(id, row)| Some((*id, value(row)?)));
        Ok(all.filter(|(_, value)| values.contains(value)).collect())
    }

    /// Takes rows away, and does what keys do then.
    pub(super) fn delete_rows(
        &mut self,
        table: &str,
        gone: &BTreeSet<i64>,
        touched: &mut Touched,
    ) -> Result<(), Refused> {
        let mut asked = Vec::new();
        self.delete_deeply(table, gone, touched, &mut asked)?;
        self.check_asked(&asked)
    }

    fn check_asked(&self, asked: &[(String, Foreign, BTreeSet<i64>)]) -> Result<(), Refused> {
        for (table, key, values) in asked {
            let target = self.tables.get(&key.target).ok_or(Refused("no such table"))?;
            let mut left = self.children(table, key, values)?.into_values();
            if left.any(|value| !target.rows.contains_key(&value)) {
                return Err(Refused("a row leads to it"));
            }
        }
        Ok(())
    }

    fn delete_deeply(
        &mut self,
        table: &str,
        gone: &BTreeSet<i64>,
        touched: &mut Touched,
        asked: &mut Vec<(String, Foreign, BTreeSet<i64>)>,
    ) -> Result<(), Refused> {
        self.table(table)?.rows.retain(|id, _| !gone.contains(id));
        if gone.is_empty() {
            return Ok(());
        }
        for (child, key) in self.keys_to(table) {
            let ids: BTreeSet<i64> = self.children(&child, &key, gone)?.into_keys().collect();
            match key.on_delete {
                Action::Refuse => asked.push((child, key, gone.clone())),
                _ if ids.is_empty() => {}
                Action::Cascade => self.delete_deeply(&child, &ids, touched, asked)?,
                Action::Null | Action::Default => self.loosen(&child, &key, key.on_delete, ids, touched)?,
            }
        }
        Ok(())
    }

    /// Gives rows NULL or the default instead of their parent.
    fn loosen(
        &mut self,
        table: &str,
        key: &Foreign,
        action: Action,
        ids: BTreeSet<i64>,
        touched: &mut Touched,
    ) -> Result<(), Refused> {
        let of = self.table(table)?;
        let place = of.place(&key.column).ok_or(Refused("no such column"))?;
        let default = of.columns[place].default.as_ref().map(|(_, value)| value.clone());
        let value = if action == Action::Default { default } else { None };
        if value.is_none() && !of.columns[place].nullable {
            return Err(Refused("NULL in a NOT NULL column"));
        }
        of.rows.iter_mut().filter(|(id, _)| ids.contains(id)).for_each(|(_, row)| row[place].clone_from(&value));
        self.check_new(table, &ids, Some(&key.column))?;
        touched.push((table.to_owned(), ids));
        Ok(())
    }

    /// Gives rows other ids, and does what keys do then.
    pub(super) fn move_ids(&mut self, table: &str, ids: Ids, by: i64, touched: &mut Touched) -> Result<(), Refused> {
        let of = self.table(table)?;
        if of.identity {
            return Err(Refused("an IDENTITY cannot be changed"));
        }
        let old: BTreeSet<i64> = of.rows.range(ids.range()).map(|(id, _)| *id).collect();
        let moved: Vec<_> = old.iter().filter_map(|id| of.rows.remove_entry(id)).collect();
        for (id, row) in moved {
            if of.rows.insert(id + by, row).is_some() {
                return Err(Refused("two rows of one key"));
            }
        }
        of.check_unique()?;
        touched.push((table.to_owned(), old.iter().map(|id| id + by).collect()));
        let mut asked = Vec::new();
        for (child, key) in self.keys_to(table) {
            let children = self.children(&child, &key, &old)?;
            match key.on_update {
                Action::Refuse => asked.push((child, key, old.clone())),
                _ if children.is_empty() => {}
                Action::Cascade => {
                    let of = self.table(&child)?;
                    let place = of.place(&key.column).ok_or(Refused("no such column"))?;
                    for (id, value) in &children {
                        if let Some(row) = of.rows.get_mut(id) {
                            row[place] = Some((value + by).to_string());
                        }
                    }
                    let ids: BTreeSet<i64> = children.into_keys().collect();
                    self.check_new(&child, &ids, Some(&key.column))?;
                    touched.push((child, ids));
                }
                Action::Null | Action::Default => {
                    self.loosen(&child, &key, key.on_update, children.into_keys().collect(), touched)?;
                }
            }
        }
        self.check_asked(&asked)
    }

    /// What triggers do after a statement. Their order is open, so both are tried.
    pub(super) fn fire(&mut self, touched: &mut Touched) -> Result<(), Refused> {
        let before = self.clone();
        let done = self.fire_all(touched, &mut Vec::new());
        if done.is_ok() {
            return done;
        }
        *self = before;
        touched.reverse();
        self.fire_all(touched, &mut Vec::new())
    }

    fn fire_all(&mut self, touched: &Touched, stack: &mut Vec<String>) -> Result<(), Refused> {
        if stack.len() > DEPTH_MAX {
            return Err(Refused("triggers in triggers without end"));
        }
        let mut merged: Vec<(&String, BTreeSet<i64>)> = Vec::new();
        for (table, ids) in touched {
            match merged.iter_mut().find(|(one, _)| *one == table) {
                Some((_, all)) => all.extend(ids),
                None => merged.push((table, ids.clone())),
            }
        }
        for (table, ids) in merged {
            let Some(of) = self.tables.get(table) else { continue };
            let active = of.triggers.iter().filter(|(_, trigger)| !trigger.disabled);
            let all: Vec<(String, String)> =
                active.filter_map(|(name, of)| Some((name.clone(), of.deletes.clone()?))).collect();
            for (name, target) in all {
                // A trigger that fires itself does so no more: RECURSIVE_TRIGGERS is off.
                let named = format!("{table} {name}");
                if stack.last() == Some(&named) {
                    continue;
                }
                let of = self.tables.get(&target).ok_or(Refused("no such table"))?;
                let gone = of.rows.keys().copied().filter(|id| ids.contains(id)).collect();
                let mut next = Touched::new();
                self.delete_rows(&target, &gone, &mut next)?;
                stack.push(named);
                self.fire_all(&next, stack)?;
                stack.pop();
            }
        }
        Ok(())
    }
}
