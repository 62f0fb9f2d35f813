//! The way from an expression or a FROM clause to the statements of a function of the user. What runs them is above.

use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_types::Value;

use crate::run::Run;
use crate::schema::ObjectId;

/// The statements of a function.
pub trait FunctionBody: Send + Sync {
    /// The value for arguments of the parameters' types.
    ///
    /// # Errors
    /// The first error of a statement; 217 when calls are nested too deeply.
    fn call(&self, ctx: &dyn Run, args: Vec<Value>) -> SqlResult<Value>;
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
