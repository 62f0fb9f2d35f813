//! The statement that runs, as expressions and functions see it: the session's facts at its start, the variables, the time,
//! what it draws once, and where it looks names up.
//!
//! ```text
//!   eval, functions ──▶ dyn Run ◀── what the engine runs statements with
//! ```
//! What always holds: an expression sees nothing of a statement but what is listed here. Knows no engine and no session.

pub mod documents;
pub mod facts;
pub mod metadata;
pub mod notes;
pub mod places;
pub mod principals;
pub mod random;
pub mod set_option;
pub mod user_message;
mod variables;

pub use places::{Before, Count, Places};
pub use variables::VariableValues;

use std::any::Any;

use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_types::temporal::DateTime2;
use millpond_types::{CastRules, Charge, Value, Watch};

use crate::clock::datetime2_of_unix_us;
use crate::schema::ObjectId;
use crate::sequence::SequenceUse;
use documents::{Documents, PreparedDocuments};
use facts::SessionFacts;
use metadata::Catalog;
use notes::Notes;
use principals::Principals;

/// A statement that runs.
pub trait Run: Any + Sync {
    /// Facts of the session at the statement's start.
    fn facts(&self) -> &SessionFacts;

    /// Values of the batch's variables, by slot.
    fn variables(&self) -> &VariableValues;

    /// What the statement reports when it has run.
    fn notes(&self) -> &Notes;

    /// Names and properties of what the server and its databases have.
    fn catalog(&self) -> &dyn Catalog;

    /// Who there is, and what whose rights the statement has may do.
    fn principals(&self) -> &dyn Principals;

    /// Sees whether the session was cancelled, and how much memory there is; for functions that go through long values.
    fn watch(&self) -> Watch<'_>;

    /// Takes so many bytes of the server's memory, until what is returned goes.
    ///
    /// # Errors
    /// 701
    fn take_bytes(&self, bytes: usize) -> SqlResult<Box<dyn Charge>>;

    /// Documents of `xml` that the statement holds.
    fn documents(&self) -> &Documents;

    /// Documents that the session has prepared.
    fn prepared_documents(&self) -> &PreparedDocuments;

    /// The time of the statement, UTC and local, in microseconds since 1970: fixed at its first use, for all threads of
    /// its plans.
    fn now_us(&self) -> (i64, i64);

    /// The value that a place of the statement's text has in this run: `draw` is called the first time, on whatever thread
    /// of the run comes first. Places are the binder's numbers, unique in the process.
    fn once(&self, place: u64, draw: &mut dyn FnMut() -> Value) -> Value;

    /// The number of a sequence for the row that is made now.
    ///
    /// # Errors
    /// 208, 11728, those of raising the sequence's mark.
    fn next_number(&self, of: &SequenceUse) -> SqlResult<Value>;

    /// The value of a function of the user, found by its number.
    ///
    /// # Errors
    /// The first error of a statement; 217 when calls are nested too deeply.
    fn call_function(&self, database: DbId, id: ObjectId, args: Vec<Value>) -> SqlResult<Value>;

    /// What runs the statement, for bodies of functions, which the same engine made.
    fn as_any(&self) -> &dyn Any;

    /// What the session says about conversions.
    fn cast_rules(&self) -> CastRules {
        self.facts().settings.cast_rules()
    }

    /// To be asked before a value of so many bytes is made, or read.
    ///
    /// # Errors
    /// 701
    #[inline]
    fn check_room(&self, bytes: usize) -> SqlResult<()> {
        if self.watch().has_room(bytes) { Ok(()) } else { Err(message::out_of_memory()) }
    }

    /// A value that was made, or not: a long one is charged to the server's memory for as long as it, or a copy of it, lives.
    ///
    /// # Errors
    /// 701
    #[inline]
    fn hold(&self, made: SqlResult<Value>) -> SqlResult<Value> {
        match &made {
            Ok(value) if value.is_long() => self.charge(value).and(made),
            _ => made,
        }
    }

    /// Charges a value that is long and was not charged yet.
    ///
    /// # Errors
    /// 701
    #[inline]
    fn charge(&self, value: &Value) -> SqlResult<()> {
        if !value.is_long() {
            return Ok(());
        }
        value.charge(|bytes| self.take_bytes(bytes))
    }

    /// Local time, fixed for the statement at its first use.
    fn now_local(&self) -> DateTime2 {
        datetime2_of_unix_us(self.now_us().1)
    }

    /// UTC, fixed for the statement at its first use.
    fn now_utc(&self) -> DateTime2 {
        datetime2_of_unix_us(self.now_us().0)
    }
}
