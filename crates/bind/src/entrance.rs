//! The methods of a binder: what other crates have bound, and where binding enters itself, as a query holds expressions and
//! an expression holds queries. Each calls the function that does it and does nothing itself.

use std::sync::Arc;

use millpond_catalog::expr::BoundExpr;
use millpond_catalog::{ColumnDef, IndexDef, TableDef};
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{
    self, AlterColumn, ChangedRows, ColumnDefinition, Delete, Expr, IndexDefinition, Insert, InsertBulk, Merge,
    ObjectName, Query, QueryBody, TableConstraint, TableDefinition, Update,
};
use millpond_types::SqlType;

use crate::binder::Binder;
use crate::binder::bound_query::{Body, BoundQuery};
use crate::binder::option_hint::check_used;
use crate::change::changes::BoundChanges;
use crate::change::dml::{BoundChange, BoundInsert};
use crate::change::merge::BoundMerge;
use crate::change::rows::GatheredRows;
use crate::definition::new_table::NewTable;
use crate::{change, definition, expression, query};

impl Binder<'_> {
    /// `expr` as a value of `target`, implicitly.
    ///
    /// # Errors
    /// 206 and 257 for types that do not convert.
    pub fn converted(&self, expr: BoundExpr, target: SqlType) -> SqlResult<BoundExpr> {
        expression::operator::convert(expr, target)
    }

    /// Binds an INSERT of the rows that another statement changes.
    ///
    /// # Errors
    /// What does not bind; 354 for a view, 5322 and 5323 for aggregates and subqueries over the rows, 353 for functions of
    /// the user, 11734 for NEXT VALUE FOR, 11735 for a default that has it.
    pub fn insert_of_changes(&mut self, insert: &Insert, changed: &ChangedRows) -> SqlResult<BoundChanges> {
        change::changes::insert_of_changes(self, insert, changed)
    }

    /// Binds an INSERT.
    ///
    /// # Errors
    /// What does not bind; 213, 109, 110 for counts, 264 for a column named twice, 544 for an identity value.
    pub fn insert(&mut self, insert: &Insert) -> SqlResult<BoundInsert> {
        change::dml::insert(self, insert)
    }

    /// Binds the INSERT that an INSERT BULK stands for: an identity column takes values if it is among the columns, INSTEAD OF
    /// triggers take nothing without FIRE_TRIGGERS, and constraints that are not trusted are passed over without
    /// CHECK_CONSTRAINTS.
    ///
    /// # Errors
    /// As [`Binder::insert`], but for 544 and 545.
    pub fn insert_bulk(&mut self, bulk: &InsertBulk) -> SqlResult<BoundInsert> {
        change::dml::insert_bulk(self, bulk)
    }

    /// The columns of a view as a table has them, which its INSTEAD OF triggers see; `None` for what is no view.
    ///
    /// # Errors
    /// What does not bind in the view.
    pub fn shape_of_view(&mut self, name: &ObjectName) -> SqlResult<Option<Arc<TableDef>>> {
        change::instead::shape_of_view(self, name)
    }

    /// Binds a load of a table's whole rows: the source has a value for each column, and those of columns that make their
    /// own are not looked at. `fires`: FIRE_TRIGGERS. `looks_after`: CHECK_CONSTRAINTS.
    ///
    /// # Errors
    /// What does not bind; 40517 for a view.
    pub fn bulk_insert(
        &mut self,
        table: &ObjectName,
        keeps_identity: bool,
        table_lock: bool,
        fires: bool,
        looks_after: bool,
    ) -> SqlResult<BoundInsert> {
        change::dml::bulk_insert(self, table, (keeps_identity, table_lock, fires, looks_after))
    }

    /// Binds an UPDATE.
    ///
    /// # Errors
    /// What does not bind; 264 for a column set twice, 8102 for an identity column.
    pub fn update(&mut self, update: &Update) -> SqlResult<BoundChange> {
        let bound = change::dml::update(self, update)?;
        check_used(&self.option_hints).map(|()| bound)
    }

    /// Binds a DELETE.
    ///
    /// # Errors
    /// What does not bind.
    pub fn delete(&mut self, delete: &Delete) -> SqlResult<BoundChange> {
        let bound = change::dml::delete(self, delete)?;
        check_used(&self.option_hints).map(|()| bound)
    }

    /// Binds a MERGE.
    ///
    /// # Errors
    /// What does not bind; 5318 for a source of the target's name, 5324 and 10714 for the order of WHEN clauses, 5333
    /// and 5334 for columns that a clause does not see.
    pub fn merge(&mut self, merge: &Merge) -> SqlResult<BoundMerge> {
        let bound = change::merge::merge(self, merge)?;
        check_used(&self.option_hints).map(|()| bound)
    }

    /// The table for the rows of an INSERT … EXEC.
    ///
    /// # Errors
    /// 208, 1087 for an unknown target, 207 for an unknown column.
    pub fn gathered_rows(&mut self, insert: &Insert) -> SqlResult<GatheredRows> {
        change::rows::gathered_rows(self, insert)
    }

    /// The indexes of a table with one more, by CREATE INDEX. When the new one is clustered the rows move, and so do all
    /// other indexes, whose leaves have its key.
    ///
    /// # Errors
    /// 1902 for a second clustered index, 1913 for a name that is taken, 1911 for an unknown column.
    pub fn with_index(&mut self, def: &TableDef, index: &IndexDefinition) -> SqlResult<Vec<IndexDef>> {
        definition::index::with_index(self, def, index)
    }

    /// The indexes of a table with `index` in the place of `old`, by CREATE INDEX … WITH (DROP_EXISTING = ON); `rest` is
    /// the table as if `old` were not there. The index of a constraint stays the constraint's.
    ///
    /// # Errors
    /// 1907 for the index of a constraint and another definition, 1925 for a clustered index that is not to be clustered;
    /// those of [`Binder::with_index`].
    pub fn with_remade_index(
        &mut self,
        rest: &TableDef,
        old: &IndexDef,
        index: &IndexDefinition,
    ) -> SqlResult<Vec<IndexDef>> {
        definition::index::with_remade_index(self, rest, old, index)
    }

    /// The indexes of a table with one more, by ALTER TABLE … ADD PRIMARY KEY or UNIQUE.
    ///
    /// # Errors
    /// As [`Binder::with_index`]; 1779 for a second primary key, 8111 for a nullable column in one.
    pub fn with_key(
        &mut self,
        def: &TableDef,
        new: &NewTable<'_>,
        constraint: &TableConstraint,
        own: Option<usize>,
    ) -> SqlResult<Vec<IndexDef>> {
        definition::index::with_key(self, def, new, constraint, own)
    }

    /// The definition of a table from its clauses.
    ///
    /// # Errors
    /// 2705 for a column named twice, 1701 for rows that cannot fit, those of keys and foreign keys.
    pub fn table_definition(&mut self, new: &NewTable<'_>, definition: &TableDefinition) -> SqlResult<TableDef> {
        definition::table::table_definition(self, new, definition)
    }

    /// A column that ALTER TABLE adds to those of a table.
    ///
    /// # Errors
    /// Those of its clauses.
    pub fn added_column(
        &mut self,
        new: &NewTable<'_>,
        id: i32,
        column: &ColumnDefinition,
        columns: &[ColumnDef],
    ) -> SqlResult<ColumnDef> {
        definition::table::added_column(self, new, id, column, columns)
    }

    /// A column as ALTER COLUMN changes it.
    ///
    /// # Errors
    /// Those of its clauses; 4928 for a computed column.
    pub fn altered_column(
        &mut self,
        table: (DbId, &str),
        old: &ColumnDef,
        alter: &AlterColumn,
    ) -> SqlResult<ColumnDef> {
        definition::table::altered_column(self, table, old, alter)
    }

    /// Adds a CHECK, FOREIGN KEY or DEFAULT to a table.
    ///
    /// # Errors
    /// Those of the clause; 1781 for a second default.
    pub fn add_constraint(
        &mut self,
        new: &NewTable<'_>,
        def: &mut TableDef,
        constraint: &TableConstraint,
        own: Option<usize>,
    ) -> SqlResult<()> {
        definition::table::add_constraint(self, new, def, constraint, own)
    }

    /// Binds a value.
    ///
    /// # Errors
    /// The first name, type or operator that does not bind, at its line.
    pub fn expression(&mut self, expr: &Expr) -> SqlResult<BoundExpr> {
        expression::expression(self, expr)
    }

    /// Binds a value that no column is part of, as that of PRINT or DEFAULT.
    ///
    /// # Errors
    /// 128 for a column, and those of [`Binder::expression`].
    pub fn constant_expression(&mut self, expr: &Expr) -> SqlResult<BoundExpr> {
        expression::constant_expression(self, expr)
    }

    /// Binds a condition.
    ///
    /// # Errors
    /// 4145 for a value where a condition is meant, and those of [`Binder::expression`].
    pub fn condition(&mut self, expr: &Expr) -> SqlResult<BoundExpr> {
        expression::condition(self, expr)
    }

    /// Binds a query as a statement or an INSERT's source.
    ///
    /// # Errors
    /// What does not bind, at its line.
    pub fn query(&mut self, query: &Query) -> SqlResult<BoundQuery> {
        let bound = query::query(self, query)?;
        if self.query_depth == 0 {
            check_used(&self.option_hints)?;
        }
        Ok(bound)
    }

    /// Binds a side of a set operator or a member of a recursive common table expression.
    ///
    /// # Errors
    /// What does not bind, at its line.
    pub(crate) fn body(&mut self, body: &QueryBody) -> SqlResult<Body> {
        query::bound_body(self, body)
    }

    /// Binds the query of a view or inline function.
    ///
    /// # Errors
    /// 1033, and what does not bind.
    pub fn stored_query(&mut self, query: &Query) -> SqlResult<BoundQuery> {
        query::stored_query(self, query)
    }

    /// `@v op= expr`: the slot and the value in the variable's type.
    ///
    /// # Errors
    /// 137 and what the expression gives.
    pub fn assignment(&mut self, assignment: &ast::Assignment) -> SqlResult<(usize, BoundExpr)> {
        query::assignment(self, assignment)
    }
}
