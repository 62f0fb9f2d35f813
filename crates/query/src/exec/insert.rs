//! INSERT: rows given, rows of a query, rows of SELECT INTO.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use millpond_access::Heap;
use millpond_tsql::ast::{Insert, Statement};
use millpond_types::{EvalError, SqlType, Value, cast};

use super::batch::{BatchRun, COMMAND_INSERT};
use super::code::{Code, InsertCode};
use super::runner::Runner;
use crate::bind::{BoundInsert, InsertColumn};
use crate::catalog::TableDef;
use crate::context::RunContext;
use crate::decimal_of;
use crate::error::{SqlError, SqlResult};
use crate::eval::{Rows, eval, truth};
use crate::expr::ExprType;
use crate::message::{self, Place};

impl BatchRun<'_> {
    pub(super) fn insert(&mut self, statement: &Statement, insert: &Insert) -> SqlResult<()> {
        let code = self.bound(statement, 0, |binder, ctx| {
            let bound = binder.insert(insert)?;
            let runner = Runner::new(bound.source.clone(), ctx.engine.direct_statements());
            Ok(Code::Insert(InsertCode { bound, runner }))
        })?;
        let Code::Insert(insert) = &*code else { unreachable!("kept under this place as an INSERT") };
        self.ctx_mut().begin_statement();
        self.implicit_begin();
        let watch = self.watch();
        let single = insert.runner.direct().and_then(|direct| direct.single_row());
        let rows = match single {
            Some(cells) if !insert.bound.bulk => self.insert_one(&insert.bound, cells)?,
            _ => self.insert_rows(insert)?,
        };
        self.tell_statistics(watch);
        self.done_rows(rows, COMMAND_INSERT);
        Ok(())
    }

    /// INSERT … VALUES of one row: no operator, no allocation, one record written straight into its page.
    fn insert_one(&mut self, bound: &BoundInsert, cells: &[crate::expr::BoundExpr]) -> SqlResult<u64> {
        let table = &self.ctx.tables[bound.target];
        let def = &bound.def;
        let place = Place { object: &def.name, database: "tempdb" };
        let identity = identity_of(&self.ctx, def);
        self.row.clear();
        for (index, from) in bound.columns.iter().enumerate() {
            let (value, from_type) = match from {
                InsertColumn::Source(source) => (eval(&cells[*source], &self.ctx, Rows::NONE)?, &cells[*source].ty.sql),
                InsertColumn::Default(default) => (eval(default, &self.ctx, Rows::NONE)?, &default.ty.sql),
                InsertColumn::Identity => (next_identity(def, index, identity.as_deref())?, &SqlType::BigInt),
            };
            self.row.push(stored(value, from_type, def, index)?);
        }
        check_row(def, &self.row, &self.ctx, "INSERT")?;
        let bytes = record_bytes(def, &self.row)?;
        let ask = self.ctx.ask(bound.target);
        let work = &mut self.session.work;
        let row = &self.row;
        let mark = work.begin_statement();
        let inserted = work.insert(&ask, &table.heap, bytes, |record| {
            def.layout.encode_into(row, record).expect("measured above");
        });
        if let Err(error) = inserted {
            let undone = work.abort_statement(&ask, mark);
            self.ctx.session.temp.write().undone(undone).map_err(|error| message::of_txn(error, place))?;
            return Err(message::of_txn(error, place));
        }
        work.end_statement(&ask, mark).map_err(|error| message::of_txn(error, place))?;
        self.remember_identity(def, identity.as_deref());
        Ok(1)
    }

    fn insert_rows(&mut self, insert: &InsertCode) -> SqlResult<u64> {
        let bound = &insert.bound;
        let def = Arc::clone(&bound.def);
        let heap = Arc::clone(&self.ctx.tables[bound.target].heap);
        let identity = identity_of(&self.ctx, &def);
        let types: Vec<ExprType> = bound.source.types();
        let limit = self.row_limit();
        let rows = self.atomically(&def.name, |run| {
            let ctx = Arc::clone(&run.ctx);
            let ask = ctx.ask(bound.target);
            let place = Place { object: &def.name, database: "tempdb" };
            let mut bulk = run.session.work.bulk_insert(&ask, &heap).map_err(|error| message::of_txn(error, place))?;
            let mut row = Vec::with_capacity(def.columns.len());
            let mut rows = 0;
            insert.runner.run(&ctx, &mut |source| {
                row.clear();
                for (index, from) in bound.columns.iter().enumerate() {
                    let value = match from {
                        InsertColumn::Source(column) => {
                            stored(source[*column].clone(), &types[*column].sql, &def, index)?
                        }
                        InsertColumn::Default(default) => {
                            stored(eval(default, &ctx, Rows::NONE)?, &default.ty.sql, &def, index)?
                        }
                        InsertColumn::Identity => {
                            stored(next_identity(&def, index, identity.as_deref())?, &SqlType::BigInt, &def, index)?
                        }
                    };
                    row.push(value);
                }
                check_row(&def, &row, &ctx, "INSERT")?;
                let bytes = record_bytes(&def, &row)?;
                bulk.append(bytes, |record| {
                    def.layout.encode_into(&row, record).expect("measured above");
                })
                .map_err(|error| message::of_txn(error, place))?;
                rows += 1;
                Ok(if rows >= limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            })?;
            bulk.finish().map_err(|error| message::of_txn(error, place))?;
            Ok(rows)
        })?;
        self.remember_identity(&def, identity.as_deref());
        Ok(rows)
    }

    /// Rows of SELECT INTO: the columns are the query's own.
    pub(super) fn bulk_rows(
        &mut self,
        runner: &Runner,
        def: &Arc<TableDef>,
        heap: &Arc<Heap>,
        limit: u64,
    ) -> SqlResult<u64> {
        let ctx = Arc::clone(&self.ctx);
        let ask = ctx.ask_other();
        let place = Place { object: &def.name, database: "tempdb" };
        let mut bulk = self.session.work.bulk_insert(&ask, heap).map_err(|error| message::of_txn(error, place))?;
        let mut rows = 0;
        runner.run(&ctx, &mut |row| {
            let bytes = record_bytes(def, row)?;
            bulk.append(bytes, |record| {
                def.layout.encode_into(row, record).expect("measured above");
            })
            .map_err(|error| message::of_txn(error, place))?;
            rows += 1;
            Ok(if rows >= limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        bulk.finish().map_err(|error| message::of_txn(error, place))?;
        Ok(rows)
    }

    /// Runs work on rows so that all or nothing of it stays.
    pub(super) fn atomically<T>(&mut self, object: &str, work: impl FnOnce(&mut Self) -> SqlResult<T>) -> SqlResult<T> {
        let place = Place { object, database: "tempdb" };
        let mark = self.session.work.begin_statement();
        let result = work(self);
        let ask = self.ctx.ask_other();
        let ended = match result {
            Ok(value) => self
                .session
                .work
                .end_statement(&ask, mark)
                .map(|()| value)
                .map_err(|error| message::of_txn(error, place)),
            Err(error) => {
                let undone = self.session.work.abort_statement(&ask, mark);
                match self.ctx.session.temp.write().undone(undone) {
                    Ok(()) => Err(error),
                    Err(worse) => Err(message::of_txn(worse, place)),
                }
            }
        };
        if !self.session.work.in_transaction() {
            self.ctx.session.temp.write().forget_dropped();
        }
        ended
    }

    fn remember_identity(&mut self, def: &TableDef, identity: Option<&AtomicI64>) {
        let Some(identity) = identity else { return };
        let Some((_, increment)) = def.columns.iter().find_map(|column| column.identity) else { return };
        let last = identity.load(Relaxed).wrapping_sub(increment);
        let facts = &mut self.ctx_mut().facts;
        facts.identity = decimal_of(last);
        facts.scope_identity = facts.identity.clone();
    }
}

/// The identity counter of a table, if it has an identity column.
fn identity_of(ctx: &RunContext, def: &TableDef) -> Option<Arc<AtomicI64>> {
    def.columns.iter().find_map(|column| column.identity)?;
    ctx.session.temp.read().find(&def.name).map(|table| Arc::clone(&table.identity))
}

fn next_identity(def: &TableDef, column: usize, identity: Option<&AtomicI64>) -> SqlResult<Value> {
    let (_, increment) = def.columns[column].identity.expect("bound as the identity column");
    let counter = identity.expect("the table has an identity column");
    Ok(Value::BigInt(counter.fetch_add(increment, Relaxed)))
}

/// A value as a column of `def` takes it.
///
/// # Errors
/// 515 for NULL, 2628 for a text too long, 8115 and others for what does not convert.
pub(super) fn stored(value: Value, from: &SqlType, def: &TableDef, column: usize) -> SqlResult<Value> {
    let target = &def.columns[column];
    if value.is_null() {
        return Ok(Value::Null);
    }
    if *from == target.ty.sql && !from.is_string() {
        return Ok(value);
    }
    cast::store(&value, from, &target.ty.sql).map_err(|error| match *error {
        EvalError::Truncation { value } => {
            message::truncated(&format!("tempdb.dbo.{}", def.name), &target.name, &value)
        }
        other => message::of_eval(other),
    })
}

/// NOT NULL and CHECK.
pub(super) fn check_row(def: &TableDef, row: &[Value], ctx: &RunContext, verb: &str) -> SqlResult<()> {
    for (column, value) in def.columns.iter().zip(row) {
        if !column.ty.nullable && value.is_null() {
            return Err(message::null_in_column(&column.name, &format!("tempdb.dbo.{}", def.name), verb));
        }
    }
    for check in &def.checks {
        if truth(&check.expr, ctx, Rows::of(row))? == Some(false) {
            return Err(SqlError::new(
                547,
                16,
                0,
                format!(
                    "The {verb} statement conflicted with the CHECK constraint \"{}\". The conflict occurred in database \"{}\", table \"{}\".",
                    check.name,
                    def.database_name,
                    def.two_part_name()
                ),
            ));
        }
    }
    Ok(())
}

/// Length of a row's record.
pub(super) fn record_bytes(def: &TableDef, row: &[Value]) -> SqlResult<usize> {
    let bytes = def.layout.encoded_len(row);
    if bytes > millpond_types::row::MAX_RECORD_BYTES {
        return Err(message::of_row(millpond_types::RowError::TooLong { bytes }));
    }
    Ok(bytes)
}
