//! User-defined functions as expressions and FROM clauses call them: what a caller must know of one, and the way to its
//! body. Who runs bodies is above.

use std::fmt;
use std::sync::Arc;

use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_tsql::ast::Query;
use millpond_types::{SqlType, Value};

use crate::algebra::expr::BoundExpr;
use crate::algebra::table::TableDef;
use crate::expr_type::ExprType;
use crate::module::ModuleDef;
use crate::run::Run;
use crate::schema::ObjectId;

/// A definition that bound code was made from: when another has taken its place, the code is made anew.
pub type UsedModule = (DbId, Arc<ModuleDef>);

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct FunctionParameter {
    /// With its `@`.
    pub name: String,
    /// Type; of a table parameter that of its argument, the name of a variable.
    pub sql: SqlType,
    /// Value of DEFAULT, of the parameter's type.
    pub default: Option<BoundExpr>,
    /// READONLY: the table of its type under the parameter's name. NULL stands for a table without rows.
    pub table: Option<TableParameter>,
}

/// What a table parameter is.
#[derive(Clone, Debug)]
pub struct TableParameter {
    /// The type's name, for messages.
    pub type_name: String,
    /// Under the parameter's name.
    pub def: Arc<TableDef>,
}

/// A scalar function.
pub struct UserFunction {
    /// `schema.name`
    pub name: String,
    /// Parameters in order.
    pub parameters: Vec<FunctionParameter>,
    /// Type of the result.
    pub returns: SqlType,
    /// The whole function as an expression over its parameters ([`crate::algebra::expr::Kind::Variable`] by position), when
    /// it is no more than that.
    pub inline: Option<BoundExpr>,
    /// The function itself and those that became part of `inline`.
    pub uses: Vec<UsedModule>,
    /// Runs it.
    pub body: Arc<dyn FunctionBody>,
}

impl fmt::Debug for UserFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// The statements of a function.
pub trait FunctionBody: Send + Sync {
    /// The value for arguments of the parameters' types.
    ///
    /// # Errors
    /// The first error of a statement; 217 when calls are nested too deeply.
    fn call(&self, ctx: &dyn Run, args: Vec<Value>) -> SqlResult<Value>;
}

/// A table-valued function.
pub struct UserTableFunction {
    /// `schema.name`
    pub name: String,
    /// Parameters in order.
    pub parameters: Vec<FunctionParameter>,
    /// The function itself.
    pub uses: Vec<UsedModule>,
    /// What it does.
    pub form: TableForm,
}

/// What a table-valued function does.
pub enum TableForm {
    /// One query over its parameters.
    Inline(Arc<Query>),
    /// Statements that fill a table.
    Statements {
        /// Columns of the table.
        columns: Vec<(String, ExprType)>,
        /// Runs them.
        body: Arc<dyn TableBody>,
    },
}

impl UserTableFunction {
    /// Types of the columns of a function that is run; none of one that becomes part of its query.
    #[must_use]
    pub fn types(&self) -> Vec<ExprType> {
        match &self.form {
            TableForm::Inline(_) => Vec::new(),
            TableForm::Statements { columns, .. } => columns.iter().map(|(_, ty)| *ty).collect(),
        }
    }
}

impl fmt::Debug for UserTableFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl UserFunction {
    /// The function as definitions keep it: what it does is looked up at each call.
    #[must_use]
    pub fn late(&self) -> UserFunction {
        let uses: Vec<UsedModule> = self.uses.first().cloned().into_iter().collect();
        let body: Arc<dyn FunctionBody> = match uses.first() {
            Some((database, def)) => Arc::new(LateBody { database: *database, id: def.id }),
            None => Arc::clone(&self.body),
        };
        let (name, parameters) = (self.name.clone(), self.parameters.clone());
        UserFunction { name, parameters, returns: self.returns, inline: None, uses, body }
    }
}

/// A function by its number.
#[derive(Clone, Copy, Debug)]
pub struct LateBody {
    /// Its database.
    pub database: DbId,
    /// Its number.
    pub id: ObjectId,
}

impl FunctionBody for LateBody {
    fn call(&self, ctx: &dyn Run, args: Vec<Value>) -> SqlResult<Value> {
        ctx.call_function(self.database, self.id, args)
    }
}

/// The statements of a table-valued function.
pub trait TableBody: Send + Sync {
    /// The rows for arguments of the parameters' types.
    ///
    /// # Errors
    /// The first error of a statement; 217 when calls are nested too deeply; 701 for rows beyond what memory holds.
    fn rows(&self, ctx: &dyn Run, args: Vec<Value>) -> SqlResult<Vec<Vec<Value>>>;
}
