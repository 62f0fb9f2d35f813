//! The target of UPDATE and DELETE among the tables of FROM.
//!
//! What always holds:
//! - R1: the target is one occurrence in FROM. Only where FROM does not have it, it stands beside FROM, and all its rows
//!   meet all rows of FROM.
//! - R2: a single name is an alias before it is the name of an object. Tables and views are known by their identity,
//!   however they are written; a common table expression has none and is known by its name alone.
//! - R3: a table inside of a derived table or a subquery is no occurrence.

use std::sync::Arc;

use millpond_catalog::rel::{Rel, RelJoin};
use millpond_catalog::{TableDef, names_equal};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{JoinKind, ObjectName, Span, TableRef};

use crate::change::refused::TargetName;
use crate::from::{Given, Source, join, of_view, rid_column};
use crate::{Binder, Named};

impl Binder<'_> {
    /// The target's row, alone or joined with FROM.
    ///
    /// # Errors
    /// 8154 when several occurrences may be meant; what does not bind.
    pub(crate) fn change_source(
        &mut self,
        target: &ObjectName,
        from: &[TableRef],
        hints: &[String],
        span: Span,
    ) -> SqlResult<(usize, Arc<TableDef>, Source)> {
        let chosen = self.chosen(target, from).map_err(|error| error.at(span.line))?;
        let mut found = None;
        let mut source: Option<Source> = None;
        for table in from {
            let next = self.target_ref(table, chosen, &mut found)?;
            source = Some(match source {
                None => next,
                Some(left) => join(RelJoin::Inner, left, next)?,
            });
        }
        if chosen.is_none() {
            let named = TableRef::Named { name: target.clone(), alias: None, hints: hints.to_vec(), span };
            let own = self.target_ref(&named, Some(&named), &mut found)?;
            source = Some(match source {
                None => own,
                Some(other) => cross(own, other),
            });
        }
        let source = source.expect("set above");
        let Some(binding) = found else {
            let name = match chosen {
                Some(TableRef::Named { name, .. }) => name,
                _ => target,
            };
            return Err(self.target_error(name).at(span.line));
        };
        Ok((binding, Arc::clone(&self.tables[binding].def), source))
    }

    /// The occurrence in FROM that is the target (R2).
    fn chosen<'f>(&self, target: &ObjectName, from: &'f [TableRef]) -> SqlResult<Option<&'f TableRef>> {
        let mut all = Vec::new();
        from.iter().for_each(|table| occurrences(table, &mut all));
        let last = target.last();
        let is_single = target.parts.len() == 1;
        let has_alias = |table: &&TableRef| alias_of(table).is_some_and(|alias| names_equal(alias, last));
        if is_single && let Some(table) = all.iter().find(|table| has_alias(table)) {
            return Ok(Some(table));
        }
        let bears_name = |table: &&TableRef| {
            plain_name(table).is_some_and(|name| name.parts.last().is_some_and(|part| names_equal(part, last)))
        };
        let is_cte = is_single && self.cte(last).is_some();
        let object = if is_cte { None } else { self.names.relation(target, self.home)? };
        let Some(object) = object else {
            return Ok(all.into_iter().find(|table| is_single && bears_name(table)));
        };
        let same: Vec<&TableRef> = all.into_iter().filter(|table| self.is_object(table, &object)).collect();
        match same[..] {
            [] => Ok(None),
            [one] => Ok(Some(one)),
            _ => match same.into_iter().find(|table| plain_name(table).is_some()) {
                Some(one) => Ok(Some(one)),
                None => Err(SqlError::of(8154, 1, &[&target.shown()])),
            },
        }
    }

    /// Whether an occurrence is of an object.
    fn is_object(&self, table: &TableRef, object: &Named) -> bool {
        let TableRef::Named { name, .. } = table else { return false };
        if let [only] = &name.parts[..]
            && self.cte(only).is_some()
        {
            return false;
        }
        // What does not resolve is told when it is bound.
        match (self.names.relation(name, self.home).ok().flatten(), object) {
            (Some(Named::Table(one)), Named::Table(other)) => {
                let is_stored = !one.is_temporary() && !other.is_temporary();
                Arc::ptr_eq(&one, other) || is_stored && (one.database, one.id) == (other.database, other.id)
            }
            (Some(Named::UserView(one, database)), Named::UserView(other, other_database)) => {
                (database, one.id) == (*other_database, other.id)
            }
            _ => false,
        }
    }

    /// A table reference in which the target may stand; the target's row ends with its locator.
    pub(crate) fn target_ref(
        &mut self,
        table: &TableRef,
        chosen: Option<&TableRef>,
        found: &mut Option<usize>,
    ) -> SqlResult<Source> {
        if let TableRef::Join { kind, left, right, on } = table {
            let left = self.target_ref(left, chosen, found)?;
            let keeps_left = *kind == JoinKind::OuterApply;
            if !matches!(kind, JoinKind::CrossApply | JoinKind::OuterApply) {
                let right = self.target_ref(right, chosen, found)?;
                return self.join_on(*kind, left, right, on.as_ref());
            }
            if !contains(right, chosen) {
                return self.apply(left, right, keeps_left);
            }
            // APPLY of a stored table is a join without condition.
            if !matches!(**right, TableRef::Named { .. }) {
                return Err(message::missing("A change of a query on the right side of APPLY"));
            }
            let right = self.target_ref(right, chosen, found)?;
            return join(if keeps_left { RelJoin::Left } else { RelJoin::Inner }, left, right);
        }
        if !chosen.is_some_and(|chosen| std::ptr::eq(chosen, table)) {
            return self.table_ref(table);
        }
        match table {
            TableRef::Named { name, alias, span, .. } => {
                let shown = alias.as_ref().or(name.parts.last()).expect("a name has parts");
                if let Some(source) = self.seen_through(name, shown, found).map_err(|error| error.at(span.line))? {
                    return Ok(source);
                }
                let mut source = self.table_ref(table)?;
                if let Rel::Project { input, .. } = &mut source.rel
                    && let Rel::Table { def, .. } = &**input
                {
                    // What is changed are the rows as they are stored.
                    self.columns_by_reader(&mut source.scope, def);
                    source.rel = std::mem::replace(&mut **input, Rel::Values { rows: Vec::new(), types: Vec::new() });
                }
                if let Rel::Table { binding, with_rid, def, .. } = &mut source.rel {
                    *with_rid = true;
                    *found = Some(*binding);
                    source.scope.columns.push(rid_column(shown, def));
                }
                Ok(source)
            }
            TableRef::Derived { query, alias, columns } => {
                let alias = alias.as_deref().unwrap_or_default();
                self.query_as_target(query, Given::list(columns), (TargetName::of_derived(alias), alias), false, found)
            }
            _ => self.table_ref(table),
        }
    }

    /// A target that is a view or common table expression; `None` when it is neither.
    fn seen_through(&mut self, name: &ObjectName, shown: &str, found: &mut Option<usize>) -> SqlResult<Option<Source>> {
        let last = name.last();
        if name.parts.len() == 1
            && let Some((place, cte)) = self.cte(last)
        {
            return self.cte_as_target((place, cte), shown, found).map(Some);
        }
        match self.names.relation(name, self.home)? {
            Some(Named::UserView(view, database)) => self
                .view_as_target(&view, database, shown, found)
                .map_err(|error| of_view(error, &view, name))
                .map(Some),
            _ => Ok(None),
        }
    }
}

/// The tables that stand in FROM itself (R3).
fn occurrences<'f>(table: &'f TableRef, found: &mut Vec<&'f TableRef>) {
    match table {
        TableRef::Join { left, right, .. } => {
            occurrences(left, found);
            occurrences(right, found);
        }
        TableRef::Named { .. } | TableRef::Derived { .. } => found.push(table),
        _ => {}
    }
}

fn contains(table: &TableRef, chosen: Option<&TableRef>) -> bool {
    let mut all = Vec::new();
    occurrences(table, &mut all);
    chosen.is_some_and(|chosen| all.into_iter().any(|one| std::ptr::eq(one, chosen)))
}

fn alias_of(table: &TableRef) -> Option<&str> {
    match table {
        TableRef::Named { alias, .. } | TableRef::Derived { alias, .. } => alias.as_deref(),
        _ => None,
    }
}

/// The name of an occurrence without alias.
fn plain_name(table: &TableRef) -> Option<&ObjectName> {
    match table {
        TableRef::Named { name, alias: None, .. } => Some(name),
        _ => None,
    }
}

fn cross(left: Source, right: Source) -> Source {
    let rel = Rel::Join { kind: RelJoin::Inner, left: Box::new(left.rel), right: Box::new(right.rel), on: None };
    Source { rel, scope: left.scope.join(right.scope) }
}
