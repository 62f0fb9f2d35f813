//! The face of what the server itself offers to be called: system procedures and DBCC commands. Each is one function
//! over its arguments; results go to the sink.
//!
//! It knows of the calling statement what expressions know; `SystemCall::ctx`, which stands above, gives the whole context.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::sync::Arc;

use millpond_catalog::dictionary::{Io, ShippedModules};
use millpond_catalog::expr::ExprType;
use millpond_catalog::function_body::{FunctionBody, TableBody};
use millpond_catalog::function_def::TableFunctionDef;
use millpond_catalog::run::Run;
use millpond_catalog::run::facts::Acting;
use millpond_catalog::system_view::{SystemObject, ViewDef};
use millpond_catalog::{ModuleDef, ObjectId};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{Column, Done, DoneKind, Message, Sink, SinkClosed};
use millpond_storage::contract::DbId;
use millpond_types::{CastRules, SqlType, Value, cast};
use parking_lot::Mutex;

use crate::temp::TempTable;

/// Rows that the client sent for a table-valued parameter.
#[derive(Clone)]
pub struct SentTable {
    /// Types of its columns, in the order of the table type's; `None` for one that is to have its default and has no
    /// values in the rows.
    pub columns: Vec<Option<SqlType>>,
    /// Gives the rows anew at each call.
    pub rows: Arc<dyn Fn() -> Box<dyn Iterator<Item = Vec<Value>>> + Send + Sync>,
}

impl std::fmt::Debug for SentTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SentTable").field("columns", &self.columns).finish_non_exhaustive()
    }
}

/// An argument as the caller gave it.
#[derive(Clone, Debug)]
pub struct CallArg {
    /// `@name`, when named.
    pub name: Option<String>,
    /// Value; `None` for DEFAULT.
    pub value: Option<Value>,
    /// Type of the value.
    pub sql: SqlType,
    /// OUTPUT was written.
    pub output: bool,
    /// A table variable.
    pub table: Option<TempTable>,
    /// A table that the client sent.
    pub sent: Option<SentTable>,
    /// The variable, in lower case, that takes the cursor of a CURSOR parameter.
    pub cursor: Option<String>,
}

/// Names and types of columns.
pub type NamedTypes = Vec<(String, ExprType)>;

/// Who runs the statements of a scalar function, and the type of its value.
pub type ScalarBody = (SqlType, Arc<dyn FunctionBody>);

/// What runs a function of the user, found by its module and the database that it is in.
pub type BodyOf<T> = fn(&dyn Run, DbId, &Arc<ModuleDef>) -> SqlResult<T>;

/// What the server offers by name beside the databases.
pub struct Registry {
    /// The system view of a name in a database, by schema and name.
    pub view: fn(DbId, &str, &str) -> Option<&'static ViewDef>,
    /// The table-valued function of a schema and name.
    pub table_function: fn(&str, &str) -> Option<&'static TableFunctionDef>,
    /// The system procedure of a name without schema and database.
    pub procedure: fn(&str) -> Option<&'static ProcedureDef>,
    /// The procedure of a name that is written in T-SQL, in a database: of msdb, or of all.
    pub text_procedure: fn(DbId, &str) -> Option<&'static TextProcedure>,
    /// The procedures that a database has from the first.
    pub shipped: ShippedModules,
    /// The DBCC command of a name.
    pub dbcc: fn(&str) -> Option<&'static DbccDef>,
    /// All views, procedures and functions of the server.
    pub system_objects: fn() -> Vec<SystemObject>,
    /// The base table, queue or internal table of a number.
    pub base_object: fn(i32) -> Option<SystemObject>,
    /// The numbers of all objects of the server that have one of these names, in whatever schema.
    pub system_numbers: fn(&[&str]) -> Vec<ObjectId>,
    /// The system view of a number.
    pub view_of: fn(i32) -> Option<&'static ViewDef>,
    /// Names and types of the columns of a view or table-valued function; none for other modules.
    pub module_columns: fn(&dyn Run, DbId, &Arc<ModuleDef>) -> SqlResult<NamedTypes>,
    /// Runs a function of the user, found by its number.
    pub call_function: fn(&dyn Run, DbId, ObjectId, Vec<Value>) -> SqlResult<Value>,
    /// Who runs the statements of a scalar function, and the type of its value.
    pub scalar_body: BodyOf<ScalarBody>,
    /// Who runs the statements of a function that fills a table.
    pub table_body: BodyOf<Arc<dyn TableBody>>,
}

/// A running call.
pub struct SystemCall<'a> {
    /// The statement that calls.
    pub run: &'a dyn Run,
    /// Arguments in order.
    pub args: Vec<CallArg>,
    /// Upper-case words after WITH (DBCC).
    pub options: Vec<String>,
    /// Receiver.
    pub sink: &'a mut dyn Sink,
    /// Results say nothing of how many rows they have: the procedure has SET NOCOUNT ON for itself.
    pub is_uncounted: bool,
    /// Values of OUTPUT arguments, by position, set by the procedure.
    pub outputs: Vec<(usize, Value)>,
    /// What is to be done when the procedure has returned 0, or the DBCC command has no error.
    pub steps: Vec<Step>,
}

/// What a procedure leaves to be done.
#[derive(Debug)]
pub enum Step {
    /// A statement, as a dynamic text of the call.
    Run(String),
    /// A message.
    Tell(Message),
    /// A change of definitions.
    Change(Change),
    /// The session has other rights from here on.
    Become(Acting),
}

/// A change of definitions that a procedure of the server makes, all or nothing, as a statement of its caller's transaction.
pub struct Change(pub ChangeFn);

/// Work on the rows of the system tables, for a caller and in the database where its names are looked for.
pub type ChangeFn = Box<dyn FnOnce(&dyn Run, &mut Io<'_, '_>) -> SqlResult<()>>;

impl std::fmt::Debug for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Change").finish_non_exhaustive()
    }
}

/// A system procedure.
pub struct ProcedureDef {
    /// Name in lower case: `sp_configure`.
    pub name: &'static str,
    /// Its parameters in order: each name with `@`, in lower case, and type.
    pub params: &'static [(&'static str, SqlType)],
    /// Runs it and gives the return status.
    pub run: fn(&mut SystemCall<'_>) -> SqlResult<i32>,
}

/// A procedure of the server that is written in T-SQL.
pub struct TextProcedure {
    /// Its definition, which is in no catalog.
    pub def: Arc<ModuleDef>,
    /// What it is a part of in msdb; none of one that runs in every database.
    pub part: Option<&'static MsdbPart>,
}

/// A part of msdb: procedures over tables that are made when the first of them is called.
#[derive(Debug)]
pub struct MsdbPart {
    /// The role that may EXECUTE them from the first.
    pub role: &'static str,
    /// A table that is there when all of them are; none of a part that makes no tables.
    pub sign: Option<&'static str>,
    /// The text that makes the tables.
    pub tables: &'static str,
    /// Held by who makes them.
    pub making: Mutex<()>,
}

/// What a DBCC command takes.
pub struct DbccTakes {
    /// How many arguments.
    pub args: RangeInclusive<usize>,
    /// The words that may stand after WITH, in upper case.
    pub options: &'static [&'static str],
}

impl DbccTakes {
    /// Refuses a statement of another form.
    ///
    /// # Errors
    /// 2583 for too few or too many arguments, 2532 for options of other commands.
    pub fn check(&self, args: usize, options: &[String]) -> SqlResult<()> {
        if !self.args.contains(&args) {
            return Err(SqlError::of(2583, 1, &[]));
        }
        let is_taken = |option: &String| option.split(' ').next().is_some_and(|word| self.options.contains(&word));
        if options.iter().all(is_taken) { Ok(()) } else { Err(SqlError::of(2532, 5, &[])) }
    }
}

/// A DBCC command.
pub struct DbccDef {
    /// Name in upper case: `SQLPERF`.
    pub name: &'static str,
    /// The syntax after the name, as DBCC HELP prints it.
    pub syntax: &'static str,
    /// What it takes.
    pub takes: DbccTakes,
    /// Runs it; the statements that it leaves run after it. The closing message 2528 is the caller's.
    pub run: fn(&mut SystemCall<'_>) -> SqlResult<()>,
}

/// The argument of a call for the parameter at `index`: by its name, else by position.
#[must_use]
pub fn arg_of<'a>(args: &'a [CallArg], params: &[(&str, SqlType)], index: usize) -> Option<&'a Value> {
    let name = params[index].0;
    let named = args.iter().find(|arg| arg.name.as_deref().is_some_and(|given| given.eq_ignore_ascii_case(name)));
    let positional = args.get(index).filter(|arg| arg.name.is_none());
    named.or(positional).and_then(|arg| arg.value.as_ref())
}

impl SystemCall<'_> {
    /// The argument for parameter `index`: by its name, else by position.
    #[must_use]
    pub fn arg(&self, def: &ProcedureDef, index: usize) -> Option<&Value> {
        arg_of(&self.args, def.params, index)
    }

    /// Where the argument for parameter `index` stands, when it was given.
    #[must_use]
    pub fn position(&self, def: &ProcedureDef, index: usize) -> Option<usize> {
        let name = def.params[index].0;
        let named = |arg: &CallArg| arg.name.as_deref().is_some_and(|given| given.eq_ignore_ascii_case(name));
        let by_position = || Some(index).filter(|index| self.args.get(*index).is_some_and(|arg| arg.name.is_none()));
        self.args.iter().position(named).or_else(by_position)
    }

    /// Argument `index` by position.
    #[must_use]
    pub fn positional(&self, index: usize) -> Option<&Value> {
        self.args.get(index).and_then(|arg| arg.value.as_ref())
    }

    /// Sends a whole result set.
    ///
    /// # Errors
    /// The cancellation, when the receiver is gone.
    pub fn result(&mut self, columns: &[(&str, SqlType)], rows: Vec<Vec<Value>>) -> SqlResult<()> {
        let columns: Vec<Column> = columns.iter().map(|(name, sql)| Column::new(*name, *sql)).collect();
        self.sink.columns(&columns).map_err(closed)?;
        for row in &rows {
            self.sink.row(row).map_err(closed)?;
        }
        let is_counted = !self.is_uncounted && !self.run.facts().settings.nocount;
        let row_count = is_counted.then_some(rows.len() as u64);
        self.sink.done(Done { kind: DoneKind::InProcedure, row_count, error: false, command: 0xC1 });
        Ok(())
    }

    /// Gives the argument at a position a value back, in the argument's type.
    ///
    /// # Errors
    /// Of a value that the type does not take.
    pub fn give(&mut self, position: usize, value: &Value, from: &SqlType) -> SqlResult<()> {
        let wanted = self.args[position].sql;
        let value = cast::cast(value, from, &wanted, None, CastRules::DEFAULT).map_err(message::of_eval)?;
        self.outputs.push((position, value));
        Ok(())
    }

    /// Leaves a statement to be run.
    pub fn then(&mut self, statement: String) {
        self.steps.push(Step::Run(statement));
    }

    /// Leaves definitions to be changed.
    pub fn then_change(&mut self, change: impl FnOnce(&dyn Run, &mut Io<'_, '_>) -> SqlResult<()> + 'static) {
        self.steps.push(Step::Change(Change(Box::new(change))));
    }

    /// Leaves the session to be given other rights.
    pub fn then_become(&mut self, acting: Acting) {
        self.steps.push(Step::Become(acting));
    }

    /// Leaves a message to be sent when the statements before it have run.
    pub fn then_tell(&mut self, message: Message) {
        self.steps.push(Step::Tell(message));
    }

    /// Sends an information message.
    pub fn inform(&mut self, number: i32, args: &[&dyn Display]) {
        self.sink.message(&Message::of(number, args));
    }

    /// A text without a number, as PRINT sends it.
    pub fn inform_text(&mut self, text: impl Into<String>) {
        self.sink.message(&Message::plain(text));
    }

    /// Whether WITH had the option.
    #[must_use]
    pub fn option(&self, name: &str) -> bool {
        self.options.iter().any(|option| option == name)
    }
}

/// The receiver is gone: as if cancelled.
pub fn closed(_: SinkClosed) -> SqlError {
    millpond_message::cancelled()
}
