//! Batches, statements, and modules, whose bodies are statements.

use super::backup::{Backup, Restore};
use super::cursor::{CursorDefinition, CursorName, DeclareCursor, Fetch};
use super::database::{AlterDatabase, CreateDatabase, ScopedConfiguration};
use super::dml::{BulkInsert, Delete, Execute, ExecuteText, Insert, InsertBulk, Merge, Update};
use super::event_session::EventSession;
use super::name::{DataType, Ident, ObjectName, Span};
use super::object::{
    CreateBound, CreateType, DefinitionVerb, DropObjects, ModuleOption, ParameterDeclaration, Returns, Sequence,
    TriggerHead, TriggerSwitch, View,
};
use super::option::NamedOption;
use super::partition::{PartitionRange, PartitionStatement};
use super::query::{Assignment, Expr, Query};
use super::security::{ExecuteAs, Permission, Principal, Revert, SetUser};
use super::server::{Kill, ResourceGovernor, ResourcePool, ServerConfiguration, WorkloadGroup};
use super::table::{
    AlterIndex, AlterTable, CreateIndex, CreateStatistics, DropIndex, TableDefinition, UpdateStatistics,
};

/// The text between two GOs.
#[derive(Clone, Debug)]
pub struct Batch {
    /// In source order.
    pub statements: Vec<Statement>,
    /// Where variables are used, in source order; those of a module's body too. A module's tree has none of its own.
    pub variables: Vec<VariableUse>,
    /// Names that stand for tables in FROM, in source order; those of a module's body too.
    pub relations: Vec<Span>,
    /// What it changes, calls and names queries, in source order; that of a module's body too.
    pub mentions: Vec<Mention>,
    /// A password is written in it: others are not shown the text.
    pub has_password: bool,
}

/// A name in a text beside those of tables in FROM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// As it is written.
    pub name: ObjectName,
    /// What it stands for.
    pub of: Mentioned,
}

/// What a mentioned name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mentioned {
    /// A table into which rows are put, or whose rows are changed where no FROM names others.
    Filled,
    /// A table whose rows are changed beside FROM, or an alias of one in it.
    Changed,
    /// A procedure.
    Procedure,
    /// A function whose name has a schema.
    Function,
    /// A sequence that gives a number.
    Sequence,
    /// A query of WITH: its name is no object's.
    Cte,
}

/// A place where a variable is used, not declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariableUse {
    /// The name with its `@`.
    pub span: Span,
    /// It stands where a table is wanted.
    pub is_table: bool,
}

/// A statement's number: no two of a text have the same, those of a module's body neither. They are counted from 0 and
/// few are left out, so that a list can have a place for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StatementNo(pub u32);

/// One statement with its place.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Where it stands.
    pub span: Span,
    /// Which of its text it is.
    pub number: StatementNo,
}

/// All statements that are understood.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `BEGIN … END`
    Block(Vec<Statement>),
    /// `IF condition statement [ELSE statement]`
    If {
        /// Condition.
        condition: Expr,
        /// Taken when true.
        then: Box<Statement>,
        /// Taken when false or unknown.
        otherwise: Option<Box<Statement>>,
    },
    /// `WHILE condition statement`
    While {
        /// Condition.
        condition: Expr,
        /// Body.
        body: Box<Statement>,
    },
    /// `BEGIN ATOMIC WITH (option, …) … END`: the body of a natively compiled module
    Atomic {
        /// Options.
        options: Vec<NamedOption>,
        /// Statements.
        body: Vec<Statement>,
    },
    /// `BREAK`
    Break,
    /// `CONTINUE`
    Continue,
    /// `RETURN [expr]`
    Return(Option<Expr>),
    /// `GOTO label`
    Goto(Ident),
    /// `label:`
    Label(Ident),
    /// `BEGIN TRY … END TRY BEGIN CATCH … END CATCH`
    TryCatch {
        /// Statements tried.
        body: Vec<Statement>,
        /// Statements run after an error.
        handler: Vec<Statement>,
    },
    /// `WAITFOR DELAY expr`
    WaitForDelay(Expr),
    /// `WAITFOR TIME expr`
    WaitForTime(Expr),
    /// `PRINT expr`
    Print(Expr),
    /// `RAISERROR (message, severity, state [, args]) [WITH NOWAIT, LOG, SETERROR]`
    RaiseError {
        /// Message text, or a number as an expression.
        message: Expr,
        /// Severity.
        severity: Expr,
        /// State.
        state: Expr,
        /// Format arguments.
        args: Vec<Expr>,
        /// Upper-case options.
        options: Vec<Ident>,
    },
    /// `THROW [number, message, state]`
    Throw(Option<(Expr, Expr, Expr)>),
    /// `DECLARE @a type [= expr], …`
    Declare(Vec<VariableDeclaration>),
    /// `DECLARE @t TABLE (…)`
    DeclareTable {
        /// With its `@`.
        name: Ident,
        /// Columns and constraints.
        definition: TableDefinition,
    },
    /// `SET @v = expr` and its compound forms
    SetVariable(Assignment),
    /// `SET NOCOUNT ON`, `SET LOCK_TIMEOUT 5`, …
    SetOption(SetOption),
    /// `SELECT …` with or without INTO; also the form that assigns variables
    Select(Box<SelectStatement>),
    /// `INSERT …`
    Insert(Box<Insert>),
    /// `UPDATE …`
    Update(Box<Update>),
    /// `DELETE …`
    Delete(Box<Delete>),
    /// `MERGE …`
    Merge(Box<Merge>),
    /// `INSERT BULK …`
    InsertBulk(Box<InsertBulk>),
    /// `BULK INSERT …`
    BulkInsert(Box<BulkInsert>),
    /// `TRUNCATE TABLE name`
    Truncate {
        /// Table.
        table: ObjectName,
        /// `WITH (PARTITIONS (n, n TO n, …))`; none for all rows.
        partitions: Vec<PartitionRange>,
    },
    /// `CREATE TABLE name (…)`
    CreateTable {
        /// Table.
        name: ObjectName,
        /// Columns and constraints.
        definition: TableDefinition,
    },
    /// `DROP TABLE [IF EXISTS] a, b`
    DropTable {
        /// Tables.
        names: Vec<ObjectName>,
        /// No error for one that is missing.
        if_exists: bool,
    },
    /// `ALTER TABLE name …`
    AlterTable(Box<AlterTable>),
    /// `CREATE [UNIQUE] [CLUSTERED|NONCLUSTERED] [COLUMNSTORE] INDEX …`
    CreateIndex(Box<CreateIndex>),
    /// `ALTER INDEX …`
    AlterIndex(Box<AlterIndex>),
    /// `DROP INDEX [IF EXISTS] i ON t, …`
    DropIndex {
        /// Indexes.
        indexes: Vec<DropIndex>,
        /// No error for one that is missing.
        if_exists: bool,
    },
    /// `CREATE STATISTICS …`
    CreateStatistics(Box<CreateStatistics>),
    /// `UPDATE STATISTICS …`
    UpdateStatistics(Box<UpdateStatistics>),
    /// `CREATE SCHEMA [name] [AUTHORIZATION owner] [element …]`
    CreateSchema {
        /// Name; without it the owner's.
        name: Option<Ident>,
        /// AUTHORIZATION
        owner: Option<Ident>,
        /// CREATE TABLE, CREATE VIEW, GRANT, DENY and REVOKE, as they are written: they may name what stands further on.
        elements: Vec<Statement>,
    },
    /// `ALTER SCHEMA name TRANSFER [class::]object`
    AlterSchema {
        /// New schema.
        name: Ident,
        /// Upper-case word before `::`: `OBJECT`, `TYPE`, …
        class: Option<String>,
        /// What moves.
        object: ObjectName,
    },
    /// `ALTER AUTHORIZATION ON [class::]object TO owner|SCHEMA OWNER`
    AlterAuthorization {
        /// Upper-case words before `::`.
        class: Option<String>,
        /// What changes hands.
        object: ObjectName,
        /// `None` for SCHEMA OWNER.
        owner: Option<Ident>,
    },
    /// CREATE, ALTER, CREATE OR ALTER of a view, procedure, function or trigger: the only statement of its batch
    Module(Box<Module>),
    /// `CREATE|ALTER SEQUENCE …`
    Sequence(Box<Sequence>),
    /// `CREATE|ALTER|DROP PARTITION FUNCTION|SCHEME …`
    Partition(Box<PartitionStatement>),
    /// `CREATE TYPE …`
    CreateType(Box<CreateType>),
    /// `CREATE DEFAULT name AS value`, `CREATE RULE name AS condition`: the only statement of its batch
    CreateBound(Box<CreateBound>),
    /// `CREATE SYNONYM name FOR object`
    CreateSynonym {
        /// Name.
        name: ObjectName,
        /// What it stands for.
        object: ObjectName,
    },
    /// `DROP …` of everything but tables and indexes
    Drop(Box<DropObjects>),
    /// `ENABLE|DISABLE TRIGGER …`
    TriggerSwitch(Box<TriggerSwitch>),
    /// `CREATE|ALTER USER|LOGIN|ROLE …`
    Principal(Box<Principal>),
    /// `GRANT|DENY|REVOKE …`
    Permission(Box<Permission>),
    /// `EXECUTE AS …`
    ExecuteAs(Box<ExecuteAs>),
    /// `REVERT`
    Revert(Revert),
    /// `SETUSER …`
    SetUser(SetUser),
    /// `DECLARE name CURSOR …`
    DeclareCursor(Box<DeclareCursor>),
    /// `SET @c = CURSOR …`
    SetCursor {
        /// With its `@`.
        variable: Ident,
        /// Definition.
        cursor: Box<CursorDefinition>,
    },
    /// `OPEN cursor`
    OpenCursor(CursorName),
    /// `FETCH …`
    Fetch(Box<Fetch>),
    /// `CLOSE cursor`
    CloseCursor(CursorName),
    /// `DEALLOCATE cursor`
    DeallocateCursor(CursorName),
    /// `USE database`
    Use(Ident),
    /// `BEGIN TRAN[SACTION] [name | @name [WITH MARK ['text']]]`
    BeginTransaction {
        /// Name; with its `@` when it is a variable.
        name: Option<Ident>,
        /// WITH MARK; its text may be empty.
        mark: Option<String>,
    },
    /// `COMMIT [TRAN[SACTION] [name | @name]] [WITH (DELAYED_DURABILITY = ON|OFF)]`
    Commit {
        /// Name; with its `@` when it is a variable. It has no effect.
        name: Option<Ident>,
        /// DELAYED_DURABILITY
        delayed_durability: Option<bool>,
    },
    /// `ROLLBACK [TRAN[SACTION] [name | @name]]`
    Rollback(Option<Ident>),
    /// `SAVE TRAN[SACTION] name | @name`
    Save(Ident),
    /// `EXEC …` of a procedure, also without the word EXEC as a batch's first statement
    Execute(Box<Execute>),
    /// `EXEC (text + …)`
    ExecuteText(Box<ExecuteText>),
    /// `DBCC command [(args)] [WITH options]`
    Dbcc {
        /// Upper-case.
        command: Ident,
        /// Arguments; a bare word is an `Expr::Column` of one part.
        args: Vec<Expr>,
        /// Upper-case words after WITH.
        options: Vec<Ident>,
    },
    /// `CHECKPOINT [seconds]`
    Checkpoint(Option<Expr>),
    /// `CREATE DATABASE …`
    CreateDatabase(Box<CreateDatabase>),
    /// `ALTER DATABASE name …`
    AlterDatabase {
        /// Database; `CURRENT` is written out.
        database: Ident,
        /// What to do.
        action: AlterDatabase,
    },
    /// `ALTER DATABASE SCOPED CONFIGURATION …`
    ScopedConfiguration(Box<ScopedConfiguration>),
    /// `BACKUP DATABASE|LOG …`
    Backup(Box<Backup>),
    /// `RESTORE …`
    Restore(Box<Restore>),
    /// `CREATE|ALTER WORKLOAD GROUP …`
    WorkloadGroup(Box<WorkloadGroup>),
    /// `CREATE|ALTER [EXTERNAL] RESOURCE POOL …`
    ResourcePool(Box<ResourcePool>),
    /// `ALTER RESOURCE GOVERNOR …`
    ResourceGovernor(Box<ResourceGovernor>),
    /// `CREATE|ALTER|DROP EVENT SESSION …`
    EventSession(Box<EventSession>),
    /// `ALTER SERVER CONFIGURATION SET …`
    ServerConfiguration(ServerConfiguration),
    /// `RECONFIGURE [WITH OVERRIDE]`
    Reconfigure {
        /// WITH OVERRIDE.
        with_override: bool,
    },
    /// `SHUTDOWN [WITH NOWAIT]`
    Shutdown {
        /// WITH NOWAIT.
        nowait: bool,
    },
    /// `KILL …`
    Kill(Kill),
    /// A statement whose words are known but that this version does not run: its name is for the error message.
    Unsupported(String),
}

/// `@name type [= expr]`
#[derive(Clone, Debug)]
pub struct VariableDeclaration {
    /// With its `@`.
    pub name: Ident,
    /// Declared type.
    pub data_type: DataType,
    /// Initial value.
    pub value: Option<Expr>,
}

/// A SET option statement: `SET a, b ON` is one statement with two names.
#[derive(Clone, Debug)]
pub struct SetOption {
    /// Upper-case words, blanks normalised: `NOCOUNT`, `STATISTICS IO`, `TRANSACTION ISOLATION LEVEL`, `IDENTITY_INSERT t`
    /// (the table in brackets where its name needs them).
    pub names: Vec<String>,
    /// What follows.
    pub value: SetValue,
}

/// The value of a SET option.
#[derive(Clone, Debug)]
pub enum SetValue {
    /// ON
    On,
    /// OFF
    Off,
    /// Upper-case words (`READ COMMITTED`, `us_english`), as written for names.
    Words(String),
    /// A number, string or variable.
    Expr(Expr),
}

/// A SELECT as a statement.
#[derive(Clone, Debug)]
pub struct SelectStatement {
    /// The query.
    pub query: Query,
}

/// A view, procedure, function or trigger. Its text, as `sys.sql_modules` keeps it, is the batch's from its first
/// character to its last, comments included, with the words at `verb_span` as CREATE; a view of CREATE SCHEMA has its own
/// words alone.
#[derive(Clone, Debug)]
pub struct Module {
    /// CREATE, ALTER or both.
    pub verb: DefinitionVerb,
    /// Where the words of `verb` stand.
    pub verb_span: Span,
    /// Where the text stands of a view that is an element of CREATE SCHEMA.
    pub element_span: Option<Span>,
    /// Name.
    pub name: ObjectName,
    /// WITH
    pub options: Vec<ModuleOption>,
    /// What it is.
    pub kind: ModuleKind,
}

/// Kinds of module.
#[derive(Clone, Debug)]
pub enum ModuleKind {
    /// View.
    View(Box<View>),
    /// Procedure.
    Procedure {
        /// `;2`: the number in a group of procedures.
        number: Option<u32>,
        /// Parameters.
        parameters: Vec<ParameterDeclaration>,
        /// FOR REPLICATION
        for_replication: bool,
        /// AS
        body: ModuleBody,
    },
    /// Function.
    Function {
        /// Parameters.
        parameters: Vec<ParameterDeclaration>,
        /// RETURNS
        returns: Returns,
        /// A block; a query for RETURNS TABLE.
        body: ModuleBody,
    },
    /// Trigger.
    Trigger {
        /// What it watches.
        head: TriggerHead,
        /// AS
        body: ModuleBody,
    },
}

/// Body of a module.
#[derive(Clone, Debug)]
pub enum ModuleBody {
    /// To the batch's end.
    Statements(Vec<Statement>),
    /// `RETURN (query)` of a function that returns TABLE.
    Query(Box<Query>),
    /// `EXTERNAL NAME assembly.class.method`
    External(ObjectName),
}
