//! Variables and parameters of the user's types: `DECLARE @t dbo.T`, READONLY parameters, alias types.
//!
//! What always holds: a READONLY parameter is another name for its argument's rows, of the called scope, and nobody
//! changes them through it (10700); the rows stay their owner's when the scope ends.

use std::sync::Arc;

use millpond_tsql::ast::{DataType, ObjectName, Statement, VariableDeclaration};
use millpond_types::SqlType;

use super::batch::BatchRun;
use super::code::Code;
use super::names::SessionNames;
use crate::bind::{Names, declared_type};
use crate::catalog::{ObjectId, TableDef, TableName, UserTypeDef, UserTypeForm};
use crate::context::RunContext;
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::session::Session;
use crate::system_call::CallArg;
use crate::temp::TempTable;

/// A declared type with the user's types resolved.
pub(super) enum Declared {
    Scalar(SqlType),
    Table(Arc<UserTypeDef>),
}

/// What a declaration says.
///
/// # Errors
/// 2715 for a name that is no type.
pub(super) fn declared(ctx: &RunContext, data_type: &DataType) -> SqlResult<Declared> {
    if let DataType::Named(name) = data_type
        && let Some(def) = (SessionNames { ctx }).user_type(name)?
    {
        return Ok(match &def.form {
            UserTypeForm::Alias { sql, .. } => Declared::Scalar(*sql),
            UserTypeForm::Table { .. } => Declared::Table(def),
        });
    }
    declared_type(data_type).map(Declared::Scalar)
}

/// The table of a type under a variable's name.
pub(super) fn table_of(ty: &UserTypeDef, name: &str) -> SqlResult<Arc<TableDef>> {
    let UserTypeForm::Table { def, .. } = &ty.form else { return Err(message::undeclared_table_variable(name)) };
    let (columns, checks, indexes) = (def.columns.clone(), def.checks.clone(), def.indexes.clone());
    let name = TableName::temporary(name);
    let table = TableDef::assemble(ObjectId(0), name, columns, checks, Vec::new(), indexes);
    Ok(Arc::new(TableDef { in_memory: def.in_memory, ..table }))
}

/// A READONLY parameter with its argument.
#[derive(Clone)]
pub(super) struct TableArgument {
    /// Under the parameter's name.
    pub def: Arc<TableDef>,
    /// The caller's variable.
    pub rows: TempTable,
}

/// The argument of a table parameter.
///
/// # Errors
/// 206 for another type, 201 when none was given.
pub(super) fn table_argument(
    procedure: &str,
    parameter: &str,
    ty: &UserTypeDef,
    def: Arc<TableDef>,
    given: Option<&CallArg>,
) -> SqlResult<TableArgument> {
    let clash =
        |from: &str| SqlError::new(206, 16, 2, format!("Operand type clash: {from} is incompatible with {}", ty.name));
    let Some(given) = given else {
        let text =
            format!("Procedure or function '{procedure}' expects parameter '{parameter}', which was not supplied.");
        return Err(SqlError::new(201, 16, 4, text));
    };
    let rows = given.table.clone().ok_or_else(|| clash(given.sql.name()))?;
    let same = rows.def.columns.len() == def.columns.len()
        && rows.def.columns.iter().zip(&def.columns).all(|(one, other)| one.ty.sql == other.ty.sql);
    if same { Ok(TableArgument { def, rows }) } else { Err(clash("table")) }
}

impl Session {
    /// Gives table arguments their parameters' names in the scope that begins.
    pub(super) fn lend_tables(&mut self, tables: Vec<TableArgument>) {
        let level = self.facts.nest_level;
        let mut temp = self.shared.temp.write();
        for TableArgument { def, rows } in tables {
            temp.add(TempTable { def, level, is_borrowed: true, ..rows });
        }
    }
}

impl BatchRun<'_> {
    /// `DECLARE @t dbo.T`: makes the table, if it is one.
    pub(super) fn declare_of_type(
        &mut self,
        statement: &Statement,
        part: u8,
        declaration: &VariableDeclaration,
    ) -> SqlResult<bool> {
        let Declared::Table(ty) = declared(&self.ctx, &declaration.data_type)? else { return Ok(false) };
        let name = &declaration.name;
        let code = self.bound(statement, part, |_, _| Ok(Code::Table(table_of(&ty, name)?)))?;
        let Code::Table(def) = &*code else { unreachable!("kept under this place as a table") };
        let level = self.ctx.facts.nest_level;
        let known = self.ctx.session.temp.read().find(name).filter(|table| table.level == level).cloned();
        match known {
            Some(table) if Arc::ptr_eq(&table.def, def) => {}
            Some(_) => return Err(message::duplicate_variable(name)),
            None => {
                let def = Arc::clone(def);
                self.atomically(name, |run| run.new_table(&def))?;
            }
        }
        Ok(true)
    }

    /// 10700 for a change of a READONLY parameter.
    pub(super) fn check_writable(&self, table: &ObjectName) -> SqlResult<()> {
        let [name] = &table.parts[..] else { return Ok(()) };
        if !name.starts_with('@') {
            return Ok(());
        }
        match self.ctx.session.temp.read().find(name) {
            Some(table) if table.is_borrowed => {
                let text = format!("The table-valued parameter \"{name}\" is READONLY and cannot be modified.");
                Err(SqlError::new(10_700, 16, 1, text))
            }
            _ => Ok(()),
        }
    }
}
