//! Changes of data: INSERT, UPDATE, DELETE, MERGE, BULK INSERT; and EXEC, whose rows INSERT may take.

use super::cursor::CursorName;
use super::name::{DataType, Ident, ObjectName, Span};
use super::operator::AssignOp;
use super::option::NamedOption;
use super::query::{Expr, Query, SelectItem, TableRef, Top, With};

/// INSERT.
#[derive(Clone, Debug)]
pub struct Insert {
    /// `WITH a (x) AS (…)` before INSERT … VALUES, DEFAULT VALUES and EXEC; a query has its own.
    pub ctes: With,
    /// `TOP (n)`
    pub top: Option<Top>,
    /// Target; `@t` too.
    pub table: ObjectName,
    /// Column list; empty = all.
    pub columns: Vec<Ident>,
    /// Upper-case hints (`TABLOCK`).
    pub hints: Vec<Ident>,
    /// OUTPUT clauses: at most one with INTO and one without.
    pub output: Vec<Output>,
    /// Rows.
    pub source: InsertSource,
    /// `OPTION (…)` after VALUES: upper-case words; a query has its own.
    pub options: Vec<String>,
    /// Where the target stands.
    pub span: Span,
}

/// Source of INSERT.
#[derive(Clone, Debug)]
pub enum InsertSource {
    /// `VALUES (…), …`
    Values(Vec<Vec<Expr>>),
    /// `SELECT …`
    Query(Box<Query>),
    /// `DEFAULT VALUES`
    DefaultValues,
    /// `EXEC procedure …`
    Execute(Box<Execute>),
    /// `EXEC (text)`
    ExecuteText(Box<ExecuteText>),
    /// `SELECT … FROM (INSERT|UPDATE|DELETE|MERGE … OUTPUT …) AS alias …`
    Changes(Box<ChangedRows>),
}

/// A change inside of another one.
#[derive(Clone, Debug)]
pub enum NestedChange {
    /// INSERT
    Insert(Box<Insert>),
    /// UPDATE
    Update(Box<Update>),
    /// DELETE
    Delete(Box<Delete>),
    /// MERGE
    Merge(Box<Merge>),
}

/// Rows that a nested statement changes, as the source of INSERT.
#[derive(Clone, Debug)]
pub struct ChangedRows {
    /// SELECT list.
    pub items: Vec<SelectItem>,
    /// The nested statement; it has one OUTPUT clause, without INTO.
    pub change: NestedChange,
    /// Alias.
    pub alias: Ident,
    /// Column aliases.
    pub columns: Vec<Ident>,
    /// WHERE.
    pub filter: Option<Expr>,
}

/// OUTPUT clause.
#[derive(Clone, Debug)]
pub struct Output {
    /// Items over `inserted`/`deleted`.
    pub items: Vec<SelectItem>,
    /// `INTO table (columns)`
    pub into: Option<(ObjectName, Vec<Ident>)>,
}

/// UPDATE.
#[derive(Clone, Debug)]
pub struct Update {
    /// `WITH a (x) AS (…)`
    pub ctes: With,
    /// `TOP (n)`
    pub top: Option<Top>,
    /// Target table or alias.
    pub table: ObjectName,
    /// Upper-case hints.
    pub hints: Vec<Ident>,
    /// SET list.
    pub set: Vec<UpdateSet>,
    /// OUTPUT clauses: at most one with INTO and one without.
    pub output: Vec<Output>,
    /// FROM
    pub from: Vec<TableRef>,
    /// WHERE
    pub filter: Option<Expr>,
    /// WHERE CURRENT OF
    pub current_of: Option<CursorName>,
    /// `OPTION (…)`: upper-case words.
    pub options: Vec<String>,
    /// Where the target stands.
    pub span: Span,
}

/// `[@v =] [column op=] expr`
#[derive(Clone, Debug)]
pub struct UpdateSet {
    /// `@v`
    pub variable: Option<Ident>,
    /// Column.
    pub column: Option<ObjectName>,
    /// Operator.
    pub op: AssignOp,
    /// Value.
    pub value: Expr,
    /// `column.WRITE(value, offset, length)`: the value takes the place of a part.
    pub write: Option<WritePart>,
}

/// The part of a large value that `.WRITE` replaces.
#[derive(Clone, Debug)]
pub struct WritePart {
    /// Bytes or UTF-16 units before it; NULL: after the end.
    pub offset: Expr,
    /// Its bytes or units; NULL: up to the end.
    pub length: Expr,
}

/// DELETE.
#[derive(Clone, Debug)]
pub struct Delete {
    /// `WITH a (x) AS (…)`
    pub ctes: With,
    /// `TOP (n)`
    pub top: Option<Top>,
    /// Target table or alias.
    pub table: ObjectName,
    /// Upper-case hints.
    pub hints: Vec<Ident>,
    /// OUTPUT clauses: at most one with INTO and one without.
    pub output: Vec<Output>,
    /// Second FROM.
    pub from: Vec<TableRef>,
    /// WHERE
    pub filter: Option<Expr>,
    /// WHERE CURRENT OF
    pub current_of: Option<CursorName>,
    /// `OPTION (…)`: upper-case words.
    pub options: Vec<String>,
    /// Where the target stands.
    pub span: Span,
}

/// EXEC of a procedure.
#[derive(Clone, Debug)]
pub struct Execute {
    /// `@rc =`
    pub return_into: Option<Ident>,
    /// Procedure; `@name` for a variable that holds it.
    pub procedure: ObjectName,
    /// `;2`: the number in a group of procedures.
    pub number: Option<u32>,
    /// Arguments.
    pub args: Vec<ExecuteArg>,
    /// WITH RECOMPILE
    pub recompile: bool,
    /// WITH RESULT SETS
    pub result_sets: ResultSets,
    /// `AT server`
    pub at: Option<Ident>,
}

/// `EXEC ('text' + @v …) …`
#[derive(Clone, Debug)]
pub struct ExecuteText {
    /// Strings and variables, to be joined.
    pub parts: Vec<Expr>,
    /// Values for the `?` of a text for another server.
    pub args: Vec<ExecuteArg>,
    /// `AS LOGIN|USER = 'name'`
    pub as_principal: Option<ExecuteContext>,
    /// WITH RESULT SETS
    pub result_sets: ResultSets,
    /// `AT server`
    pub at: Option<Ident>,
}

/// Whose rights a statement or module has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExecuteContext {
    /// CALLER
    Caller,
    /// SELF
    Creator,
    /// OWNER
    Owner,
    /// `LOGIN = 'name'`
    Login(String),
    /// `USER = 'name'`, and a module's `EXECUTE AS 'name'`
    User(String),
}

/// WITH RESULT SETS.
#[derive(Clone, Debug, Default)]
pub enum ResultSets {
    /// UNDEFINED, also when nothing is written.
    #[default]
    Undefined,
    /// NONE
    None,
    /// `((name type …, …), …)`
    Sets(Vec<Vec<ResultColumn>>),
}

/// A column of WITH RESULT SETS.
#[derive(Clone, Debug)]
pub struct ResultColumn {
    /// Name.
    pub name: Ident,
    /// Type.
    pub data_type: DataType,
    /// COLLATE
    pub collation: Option<Ident>,
    /// `NULL`/`NOT NULL` when written.
    pub nullable: Option<bool>,
}

/// `[@name =] expr [OUTPUT]`
#[derive(Clone, Debug)]
pub struct ExecuteArg {
    /// With its `@`.
    pub name: Option<Ident>,
    /// Value; `Expr::Default` for DEFAULT; a bare word is a string literal, as T-SQL has it.
    pub value: Expr,
    /// OUT or OUTPUT.
    pub output: bool,
}

/// MERGE.
#[derive(Clone, Debug)]
pub struct Merge {
    /// `WITH a (x) AS (…)`
    pub ctes: With,
    /// `TOP (n)`
    pub top: Option<Top>,
    /// Target.
    pub table: ObjectName,
    /// Upper-case hints of the target.
    pub hints: Vec<Ident>,
    /// The target's alias.
    pub alias: Option<Ident>,
    /// USING
    pub source: TableRef,
    /// ON
    pub on: Expr,
    /// WHEN clauses in order.
    pub branches: Vec<MergeBranch>,
    /// OUTPUT clauses: at most one with INTO and one without. `$action` is a column of that name.
    pub output: Vec<Output>,
    /// `OPTION (…)`: upper-case words.
    pub options: Vec<String>,
    /// Where the target stands.
    pub span: Span,
}

/// `WHEN … [AND condition] THEN action`
#[derive(Clone, Debug)]
pub struct MergeBranch {
    /// Which rows.
    pub when: MergeWhen,
    /// AND
    pub condition: Option<Expr>,
    /// What happens to them.
    pub action: MergeAction,
}

/// Which rows a WHEN clause takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeWhen {
    /// MATCHED
    Matched,
    /// NOT MATCHED [BY TARGET]
    NotMatchedByTarget,
    /// NOT MATCHED BY SOURCE
    NotMatchedBySource,
}

/// What a WHEN clause does.
#[derive(Clone, Debug)]
pub enum MergeAction {
    /// `UPDATE SET …`
    Update(Vec<UpdateSet>),
    /// DELETE
    Delete,
    /// `INSERT [(columns)] VALUES (…)`
    Insert {
        /// Columns; empty = all.
        columns: Vec<Ident>,
        /// Values; `None` for DEFAULT VALUES.
        values: Option<Vec<Expr>>,
    },
}

/// `INSERT BULK table (name type, …) [WITH (…)]`: what a client says before it sends rows.
#[derive(Clone, Debug)]
pub struct InsertBulk {
    /// Target.
    pub table: ObjectName,
    /// Names and types of the columns whose values come.
    pub columns: Vec<(Ident, DataType)>,
    /// `KEEP_NULLS`, `CHECK_CONSTRAINTS`, `TABLOCK`, `ROWS_PER_BATCH = n`, `ORDER (a, b DESC)`, …
    pub options: Vec<NamedOption>,
    /// Where the target stands.
    pub span: Span,
}

impl InsertBulk {
    /// Whether an option is said.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.options.iter().any(|option| option.name.eq_ignore_ascii_case(name))
    }
}

/// `BULK INSERT table FROM 'file' [WITH (…)]`
#[derive(Clone, Debug)]
pub struct BulkInsert {
    /// Target.
    pub table: ObjectName,
    /// File.
    pub file: String,
    /// `FIELDTERMINATOR = ','`, `DATAFILETYPE = 'char'`, `TABLOCK`, `ORDER (a, b DESC)`, …
    pub options: Vec<NamedOption>,
    /// Where the target stands.
    pub span: Span,
}
