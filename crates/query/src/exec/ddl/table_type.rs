//! Variables and parameters of the user's types: `DECLARE @t dbo.T`, READONLY parameters, alias types.
//!
//! What always holds: a READONLY parameter is another name for its argument's rows, of the called scope, and nobody
//! changes them through it (10700); the rows stay their owner's when the scope ends.

use std::sync::Arc;

use millpond_bind::{Home, InsertColumn, InsertTarget, Names, Variables, declared_type};
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::{ObjectId, TableDef, TableName, UserTypeDef, UserTypeForm};
use millpond_engine::context::{RunContext, TableBinding};
use millpond_engine::system_call::{CallArg, SentTable};
use millpond_engine::temp::TempTable;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{DoneKind, Sink};
use millpond_tsql::ParseOptions;
use millpond_tsql::ast::{DataType, ObjectName, Statement, VariableDeclaration};
use millpond_txn::ReadHint;
use millpond_types::{SqlType, Value};

use crate::exec::batch::BatchRun;
use crate::exec::batch::code::{Code, TextPlans};
use crate::exec::batch::frame::Frame;
use crate::exec::batch::names::SessionNames;
use crate::exec::routine::trigger::trigger_table;
use crate::session::Session;

/// A declared type with the user's types resolved.
pub(in crate::exec) enum Declared {
    Scalar(SqlType),
    Table(Arc<UserTypeDef>),
}

/// What a declaration says; `home` is of the module that it stands in, if that is not the one that runs.
///
/// # Errors
/// 2715 for a name that is no type.
pub(in crate::exec) fn declared(ctx: &RunContext, home: Option<Home>, data_type: &DataType) -> SqlResult<Declared> {
    if let DataType::Named(name) = data_type
        && let Some(def) = SessionNames::of(ctx).user_type(name, home)?
    {
        return Ok(match &def.form {
            UserTypeForm::Alias { sql, .. } => Declared::Scalar(*sql),
            UserTypeForm::Table { .. } => Declared::Table(def),
        });
    }
    declared_type(data_type).map(Declared::Scalar)
}

/// The scalar type of a declaration; none for a table's.
///
/// # Errors
/// 2715 for a name that is no type.
pub(in crate::exec) fn declared_scalar(
    ctx: &RunContext,
    home: Option<Home>,
    data_type: &DataType,
) -> SqlResult<Option<SqlType>> {
    Ok(match declared(ctx, home, data_type)? {
        Declared::Scalar(sql) => Some(sql),
        Declared::Table(_) => None,
    })
}

/// The table of a type under a variable's name.
pub(in crate::exec) fn table_of(ty: &UserTypeDef, name: &str) -> SqlResult<Arc<TableDef>> {
    let UserTypeForm::Table { def, .. } = &ty.form else { return Err(message::undeclared_table_variable(name)) };
    let (columns, checks, indexes) = (def.columns.clone(), def.checks.clone(), def.indexes.clone());
    let name = TableName::temporary(name);
    let table = TableDef::assemble(ObjectId(0), name, columns, checks, Vec::new(), indexes);
    Ok(Arc::new(TableDef { in_memory: def.in_memory, ..table }))
}

/// A READONLY parameter with its argument.
#[derive(Clone)]
pub(in crate::exec) struct TableArgument {
    /// Under the parameter's name.
    pub def: Arc<TableDef>,
    pub rows: ArgumentRows,
}

/// Where the rows of a READONLY parameter are.
#[derive(Clone)]
pub(in crate::exec) enum ArgumentRows {
    /// The caller's variable.
    Variable(TempTable),
    /// They come from the client.
    Sent(SentTable),
    /// Nothing was given: there are none.
    None,
}

/// The argument of a table parameter.
///
/// # Errors
/// 206 for another type, 500 for other columns than the type's.
pub(in crate::exec) fn table_argument(
    ty: &UserTypeDef,
    def: Arc<TableDef>,
    given: Option<&CallArg>,
) -> SqlResult<TableArgument> {
    let clash = |from: &str| SqlError::of(206, 2, &[&from, &ty.name]);
    let rows = match given {
        None => ArgumentRows::None,
        Some(CallArg { sent: Some(sent), .. }) => {
            check_columns(sent, &def)?;
            ArgumentRows::Sent(sent.clone())
        }
        Some(CallArg { table: Some(rows), .. }) => {
            let same = rows.def.columns.len() == def.columns.len()
                && rows.def.columns.iter().zip(&def.columns).all(|(one, other)| one.ty.sql == other.ty.sql);
            if !same {
                return Err(clash("table"));
            }
            ArgumentRows::Variable(rows.clone())
        }
        Some(CallArg { value: None, .. }) => ArgumentRows::None,
        Some(given) => return Err(clash(given.sql.name())),
    };
    Ok(TableArgument { def, rows })
}

/// 500, 1077
fn check_columns(sent: &SentTable, def: &TableDef) -> SqlResult<()> {
    let (given, wanted) = (sent.columns.len(), def.columns.len());
    if given != 0 && given != wanted {
        return Err(SqlError::of(500, 1, &[&given, &wanted]));
    }
    let identity = def.identity_column().and_then(|column| sent.columns.get(column));
    match identity {
        Some(Some(_)) => Err(SqlError::of(1077, 1, &[])),
        _ => Ok(()),
    }
}

impl Session {
    /// Runs the text of a scope with its table arguments.
    ///
    /// # Errors
    /// Those of [`Session::lend_tables`].
    pub(in crate::exec) fn with_tables<T>(
        &mut self,
        tables: Vec<TableArgument>,
        sink: &mut dyn Sink,
        run: impl FnOnce(&mut Session, &mut dyn Sink) -> T,
    ) -> SqlResult<T> {
        let lent = self.lend_tables(tables, sink);
        let result = lent.map(|()| run(self, sink));
        // A text that was refused has no scope to end.
        self.end_scope();
        result
    }

    /// Gives table arguments their parameters' names in the scope that begins, and takes in rows that a client sent.
    ///
    /// # Errors
    /// What storing those rows gives: 515, 2627, 2628, 547, 41805.
    pub(in crate::exec) fn lend_tables(&mut self, tables: Vec<TableArgument>, sink: &mut dyn Sink) -> SqlResult<()> {
        let level = self.facts.nest_level;
        for TableArgument { def, rows } in tables {
            match rows {
                ArgumentRows::Variable(rows) => {
                    let table = TempTable { def, level, is_borrowed: true, is_read_only: true, ..rows };
                    self.shared.temp.write().add(table);
                }
                ArgumentRows::Sent(sent) => self.take_in(&def, Some(&sent), sink)?,
                ArgumentRows::None => self.take_in(&def, None, sink)?,
            }
        }
        Ok(())
    }

    /// Makes the table of a parameter in this scope, with the rows that were sent.
    fn take_in(&mut self, def: &Arc<TableDef>, sent: Option<&SentTable>, sink: &mut dyn Sink) -> SqlResult<()> {
        let parsed = self.engine.parse("", ParseOptions { quoted_identifier: true }).map_err(message::of_syntax)?;
        let ctx = Arc::new(self.context(Vec::new()));
        let (plans, variables) = (TextPlans::default(), Arc::new(Variables::default()));
        let (kind, frame) = (DoneKind::InProcedure, Frame::default());
        let mut run = BatchRun::new(self, sink, parsed, plans, variables, ctx, kind, frame);
        let object = run.atomically(&def.name, |run| run.new_table(def))?.object_id();
        let stored = sent.map_or(Ok(()), |sent| run.store_sent(def, sent));
        self.shared.temp.write().close(object);
        stored
    }
}

/// Rows of a client that are stored together.
const SENT_ROWS: usize = 1000;

impl BatchRun<'_> {
    fn store_sent(&mut self, def: &Arc<TableDef>, sent: &SentTable) -> SqlResult<()> {
        let rows = self.ctx.session.temp.read().find(&def.name, self.ctx.facts.nest_level).expect("made before").rows();
        let binding =
            TableBinding { def: Arc::clone(def), rows, epoch: 0, hint: ReadHint::default(), io: Arc::default() };
        let ctx = self.ctx_mut();
        ctx.tables = Arc::from([binding]);
        ctx.begin_statement();
        let (columns, types) = sent_columns(def, sent);
        let target = InsertTarget { target: 0, def: Arc::clone(def), columns, check: None };
        self.atomically(&def.name, |run| {
            let ctx = Arc::clone(&run.ctx);
            let mut rows = (sent.rows)().peekable();
            while rows.peek().is_some() {
                let some: Vec<Vec<Value>> = rows.by_ref().take(SENT_ROWS).collect();
                run.store_rows(&ctx, &target, &some, &types, &mut |_| Ok(()))?;
            }
            Ok(())
        })
    }

    /// `DECLARE @t dbo.T`: makes the table, if it is one.
    pub(in crate::exec) fn declare_of_type(
        &mut self,
        statement: &Statement,
        part: u16,
        declaration: &VariableDeclaration,
    ) -> SqlResult<bool> {
        let Some(def) = self.variable_of_type(statement, part, declaration)? else { return Ok(false) };
        let name = &declaration.name;
        let level = self.ctx.facts.nest_level;
        let known = self.ctx.session.temp.read().find(name, level).filter(|table| table.level == level).cloned();
        match known {
            Some(table) if Arc::ptr_eq(&table.def, &def) => {}
            Some(_) => return Err(message::duplicate_variable(name)),
            None => {
                self.forget_tables();
                self.atomically(name, |run| run.new_table(&def))?;
            }
        }
        Ok(true)
    }

    /// The definition of `DECLARE @t dbo.T`; none where that is no table's type.
    pub(in crate::exec) fn variable_of_type(
        &mut self,
        statement: &Statement,
        part: u16,
        declaration: &VariableDeclaration,
    ) -> SqlResult<Option<Arc<TableDef>>> {
        let Declared::Table(ty) = declared(&self.ctx, None, &declaration.data_type)? else { return Ok(None) };
        let code = self.bound(statement, part, |_, _| Ok(Code::Table(table_of(&ty, &declaration.name)?)))?;
        let Code::Table(def) = &*code else { unreachable!("kept under this place as a table") };
        Ok(Some(Arc::clone(def)))
    }

    /// 10700 for a change of a READONLY parameter.
    pub(in crate::exec) fn check_writable(&self, table: &ObjectName) -> SqlResult<()> {
        let [name] = &table.parts[..] else { return Ok(()) };
        // Asked before each change: most names begin like none of the three.
        if !matches!(name.as_bytes().first(), Some(b'@' | b'i' | b'I' | b'd' | b'D')) {
            return Ok(());
        }
        if trigger_table(&self.ctx.facts, name).is_some() {
            return Err(SqlError::of(286, 1, &[]));
        }
        if !name.starts_with('@') {
            return Ok(());
        }
        match self.ctx.session.temp.read().find(name, self.ctx.facts.nest_level) {
            Some(table) if table.is_read_only => Err(message::read_only_parameter(name)),
            _ => Ok(()),
        }
    }
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
