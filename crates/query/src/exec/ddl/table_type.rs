//! Variables and parameters of the user's types: `DECLARE @t dbo.T`, READONLY parameters, alias types.
//!
//! What always holds: a READONLY parameter is another name for its argument's rows, of the called scope, and no statement
//! changes them through it (10700); the rows stay their owner's when the scope ends.

use std::sync::Arc;

use millpond_bind::{InsertColumn, InsertTarget, Variables};
use millpond_catalog::TableDef;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_code::code::TextPlans;
use millpond_code::code_key::CodeKey;
use millpond_engine::context::TableBinding;
use millpond_engine::system_call::SentTable;
use millpond_engine::temp::TempTable;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_message::sink::{DoneKind, Sink};
use millpond_tsql::ParseOptions;
use millpond_tsql::ast::{Statement, VariableDeclaration};
use millpond_txn::ReadHint;
use millpond_types::{SqlType, Value};

use crate::exec::batch::frame::Frame;
use crate::exec::batch::{BatchRun, contexts, frame, scope, temp_table};
use crate::exec::dml::store;
use crate::session::Session;
use millpond_names::declared::{ArgumentRows, Declared, TableArgument, declared, table_of};

/// Runs the text of a scope with its table arguments.
///
/// # Errors
/// Those of [`lend_tables`].
pub(in crate::exec) fn with_tables<T>(
    session: &mut Session,
    tables: Vec<TableArgument>,
    sink: &mut dyn Sink,
    run: impl FnOnce(&mut Session, &mut dyn Sink) -> T,
) -> SqlResult<T> {
    let lent = lend_tables(session, tables, sink);
    let result = lent.map(|()| run(session, sink));
    // A text that was refused has no scope to end.
    frame::end_scope(session);
    result
}

/// Gives table arguments their parameters' names in the scope that begins, and takes in rows that a client sent.
///
/// # Errors
/// What storing those rows gives: 515, 2627, 2628, 547, 41805.
pub(in crate::exec) fn lend_tables(
    session: &mut Session,
    tables: Vec<TableArgument>,
    sink: &mut dyn Sink,
) -> SqlResult<()> {
    let level = session.facts.nest_level;
    for TableArgument { def, rows } in tables {
        match rows {
            ArgumentRows::Variable(rows) => {
                let table = TempTable { def, level, is_borrowed: true, is_read_only: true, ..rows };
                session.shared.temp.write().add(table);
            }
            ArgumentRows::Sent(sent) => take_in(session, &def, Some(&sent), sink)?,
            ArgumentRows::None => take_in(session, &def, None, sink)?,
        }
    }
    Ok(())
}

/// Makes the table of a parameter in this scope, with the rows that were sent.
fn take_in(session: &mut Session, def: &Arc<TableDef>, sent: Option<&SentTable>, sink: &mut dyn Sink) -> SqlResult<()> {
    let parsed = session.engine.parse("", ParseOptions { quoted_identifier: true }).map_err(message::of_syntax)?;
    let ctx = Arc::new(contexts::with_variables(session, Vec::new()));
    let (plans, variables) = (TextPlans::default(), Arc::new(Variables::default()));
    let (kind, frame) = (DoneKind::InProcedure, Frame::default());
    let mut run = BatchRun::new(session, sink, parsed, plans, variables, ctx, kind, frame);
    let object = scope::atomically(&mut run, &def.name, |run| temp_table::new_table(run, def))?.object_id();
    let stored = sent.map_or(Ok(()), |sent| store_sent(&mut run, def, sent));
    session.shared.temp.write().close(object);
    stored
}

/// Rows of a client that are stored together.
const SENT_ROWS: usize = 1000;

fn store_sent(run: &mut BatchRun<'_>, def: &Arc<TableDef>, sent: &SentTable) -> SqlResult<()> {
    let rows = run.ctx.session.temp.read().find(&def.name, run.ctx.facts.nest_level).expect("made before").rows();
    let binding = TableBinding { def: Arc::clone(def), rows, epoch: 0, hint: ReadHint::default(), io: Arc::default() };
    let ctx = run.ctx_mut();
    ctx.tables = Arc::from([binding]);
    ctx.begin_statement();
    let (columns, types) = sent_columns(def, sent);
    let target = InsertTarget { target: 0, def: Arc::clone(def), columns, check: None, instead: None };
    scope::atomically(run, &def.name, |run| {
        let ctx = Arc::clone(&run.ctx);
        let mut rows = (sent.rows)().peekable();
        while rows.peek().is_some() {
            let some: Vec<Vec<Value>> = rows.by_ref().take(SENT_ROWS).collect();
            store::store_rows(run, &ctx, &target, &some, &types, &mut |_| Ok(()))?;
        }
        Ok(())
    })
}

/// `DECLARE @t dbo.T`: makes the table, if it is one.
pub(in crate::exec) fn declare_of_type(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    part: u16,
    declaration: &VariableDeclaration,
) -> SqlResult<bool> {
    let Some(def) = variable_of_type(run, statement, part, declaration)? else { return Ok(false) };
    let name = &declaration.name;
    let level = run.ctx.facts.nest_level;
    let known = run.ctx.session.temp.read().find(name, level).filter(|table| table.level == level).cloned();
    match known {
        Some(table) if Arc::ptr_eq(&table.def, &def) => {}
        Some(_) => return Err(message::duplicate_variable(name)),
        None => {
            scope::forget_tables(run);
            scope::atomically(run, name, |run| temp_table::new_table(run, &def))?;
        }
    }
    Ok(true)
}

/// The definition of `DECLARE @t dbo.T`; none where that is no table's type.
pub(in crate::exec) fn variable_of_type(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    part: u16,
    declaration: &VariableDeclaration,
) -> SqlResult<Option<Arc<TableDef>>> {
    let Declared::Table(ty) = declared(&run.ctx, None, &declaration.data_type)? else { return Ok(None) };
    run.bound(statement, CodeKey::part(statement, part), |_, _| table_of(&ty, &declaration.name)).map(Some)
}

/// Where the columns of a parameter's table come from, and the types of the values in the rows.
fn sent_columns(def: &TableDef, sent: &SentTable) -> (Vec<InsertColumn>, Vec<SqlType>) {
    let (mut columns, mut types) = (Vec::with_capacity(def.columns.len()), Vec::new());
    for (column, given) in def.columns.iter().zip(&sent.columns) {
        columns.push(match given {
            _ if column.computed.is_some() => InsertColumn::Computed,
            _ if column.is_row_version() => InsertColumn::RowVersion,
            Some(_) => InsertColumn::Source(types.len()),
            None if column.identity.is_some() => InsertColumn::Identity,
            None => InsertColumn::Default(match &column.default {
                Some(default) => default.expr.clone(),
                None => BoundExpr { kind: Kind::Literal(Value::Null), ty: column.ty },
            }),
        });
        types.extend(*given);
    }
    (columns, types)
}
