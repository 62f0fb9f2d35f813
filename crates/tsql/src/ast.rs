//! The tree that T-SQL text becomes. It is a plain value: names are not resolved, nothing is typed but literals and
//! declared types.

use millpond_types::SqlType;

/// A place in the batch's text. Lines count from 1, as SQL Server's messages do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Span {
    /// Byte offset of the first character.
    pub start: u32,
    /// Byte offset after the last character.
    pub end: u32,
    /// Line of the first character, from 1.
    pub line: u32,
}

/// A name as written, without brackets or quotes. Comparison of names is the binder's business.
pub type Ident = String;

/// `[[server.]database.][schema.]name`; missing parts are empty (`tempdb..#t` has an empty schema).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObjectName {
    /// 1 to 4 parts, outermost first.
    pub parts: Vec<Ident>,
}

/// The text between two GOs.
#[derive(Clone, Debug)]
pub struct Batch {
    /// In source order.
    pub statements: Vec<Statement>,
}

/// One statement with its place.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Where it stands.
    pub span: Span,
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
    /// `TRUNCATE TABLE name`
    Truncate(ObjectName),
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
    /// `USE database`
    Use(Ident),
    /// `BEGIN TRAN[SACTION] [name]`
    BeginTransaction(Option<Ident>),
    /// `COMMIT [TRAN[SACTION] [name]]`
    Commit,
    /// `ROLLBACK [TRAN[SACTION] [name | @name]]`
    Rollback(Option<Ident>),
    /// `SAVE TRAN[SACTION] name`
    Save(Ident),
    /// `EXEC …` of a procedure, also without the word EXEC as a batch's first statement
    Execute(Box<Execute>),
    /// `EXEC (text + …)`
    ExecuteText(Vec<Expr>),
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
    /// `ALTER DATABASE name …`
    AlterDatabase {
        /// Database; `CURRENT` is written out.
        database: Ident,
        /// What to do.
        action: AlterDatabase,
    },
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
    /// `KILL session`
    Kill(Expr),
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

/// A type as written: known scalar types are resolved, others keep their name (2715 is the binder's).
#[derive(Clone, Debug, PartialEq)]
pub enum DataType {
    /// A scalar type with all defaults applied for a *declaration* (`varchar` = 1); [`DataType::Scalar`]'s flag tells
    /// a CAST (where the default is 30) that no length was written.
    Scalar {
        /// The type.
        sql_type: SqlType,
        /// A length was written.
        explicit_length: bool,
    },
    /// Any other name.
    Named(ObjectName),
    /// `sysname`: nvarchar(128)
    SysName,
    /// `CURSOR`
    Cursor,
}

/// `@name type [= default] [OUTPUT]`, as sp_executesql's list of parameters has it. READONLY is not kept.
#[derive(Clone, Debug)]
pub struct ParameterDeclaration {
    /// With its `@`.
    pub name: Ident,
    /// Declared type.
    pub data_type: DataType,
    /// Default value; a bare word is a string literal.
    pub default: Option<Expr>,
    /// OUT or OUTPUT.
    pub output: bool,
}

/// `SET`'s, `UPDATE`'s and `SELECT @v = …`'s operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignOp {
    /// `=`
    Set,
    /// `+=`
    Add,
    /// `-=`
    Subtract,
    /// `*=`
    Multiply,
    /// `/=`
    Divide,
    /// `%=`
    Modulo,
    /// `&=`
    BitAnd,
    /// `|=`
    BitOr,
    /// `^=`
    BitXor,
}

/// `@v op= expr`
#[derive(Clone, Debug)]
pub struct Assignment {
    /// With its `@`.
    pub variable: Ident,
    /// Operator.
    pub op: AssignOp,
    /// Value.
    pub value: Expr,
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

/// Columns and constraints of a table.
#[derive(Clone, Debug, Default)]
pub struct TableDefinition {
    /// In order.
    pub columns: Vec<ColumnDefinition>,
    /// PRIMARY KEY/UNIQUE/CHECK/FOREIGN KEY/INDEX clauses, each as its upper-case leading words for the error that
    /// names what is not there yet.
    pub constraints: Vec<TableConstraint>,
}

/// One column.
#[derive(Clone, Debug)]
pub struct ColumnDefinition {
    /// Name.
    pub name: Ident,
    /// Type; `None` for a computed column.
    pub data_type: Option<DataType>,
    /// `NULL`/`NOT NULL` when written.
    pub nullable: Option<bool>,
    /// `DEFAULT expr`
    pub default: Option<Expr>,
    /// `IDENTITY(seed, increment)`
    pub identity: Option<(i64, i64)>,
    /// `COLLATE name`
    pub collation: Option<Ident>,
    /// `AS expr`
    pub computed: Option<Expr>,
    /// `PRIMARY KEY`, `UNIQUE`, `CHECK (…)`, `REFERENCES …` on the column.
    pub constraints: Vec<TableConstraint>,
    /// Where the column stands.
    pub span: Span,
}

/// A constraint.
#[derive(Clone, Debug)]
pub enum TableConstraint {
    /// `PRIMARY KEY (a, b)` (empty list on a column)
    PrimaryKey(Vec<Ident>),
    /// `UNIQUE (a, b)`
    Unique(Vec<Ident>),
    /// `CHECK (expr)`
    Check(Expr),
    /// `REFERENCES …`
    ForeignKey,
    /// `INDEX name …`
    Index(Ident),
}

/// A SELECT as a statement.
#[derive(Clone, Debug)]
pub struct SelectStatement {
    /// The query.
    pub query: Query,
}

/// A query expression with its ORDER BY.
#[derive(Clone, Debug)]
pub struct Query {
    /// `WITH a (x) AS (…)`
    pub ctes: Vec<Cte>,
    /// Body.
    pub body: QueryBody,
    /// `ORDER BY`
    pub order_by: Vec<OrderItem>,
    /// `OFFSET n ROWS`
    pub offset: Option<Expr>,
    /// `FETCH NEXT n ROWS ONLY`
    pub fetch: Option<Expr>,
    /// `OPTION (…)`: upper-case words, accepted.
    pub options: Vec<String>,
}

/// One CTE.
#[derive(Clone, Debug)]
pub struct Cte {
    /// Name.
    pub name: Ident,
    /// Column names, may be empty.
    pub columns: Vec<Ident>,
    /// Query.
    pub query: Query,
}

/// Body of a query.
#[derive(Clone, Debug)]
pub enum QueryBody {
    /// One SELECT.
    Select(Box<Select>),
    /// `(query)`
    Nested(Box<Query>),
    /// `VALUES (…), (…)` as INSERT's source or a derived table
    Values(Vec<Vec<Expr>>),
    /// `left UNION [ALL] right` …
    SetOperation {
        /// Operator.
        op: SetOperator,
        /// ALL was written.
        all: bool,
        /// Left.
        left: Box<QueryBody>,
        /// Right.
        right: Box<QueryBody>,
    },
}

/// Set operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOperator {
    /// UNION
    Union,
    /// EXCEPT
    Except,
    /// INTERSECT
    Intersect,
}

/// One SELECT block.
#[derive(Clone, Debug)]
pub struct Select {
    /// DISTINCT
    pub distinct: bool,
    /// `TOP (n) [PERCENT] [WITH TIES]`
    pub top: Option<Top>,
    /// Select list.
    pub items: Vec<SelectItem>,
    /// `INTO name`
    pub into: Option<ObjectName>,
    /// FROM, comma-separated.
    pub from: Vec<TableRef>,
    /// WHERE
    pub filter: Option<Expr>,
    /// GROUP BY
    pub group_by: Vec<Expr>,
    /// HAVING
    pub having: Option<Expr>,
    /// Where the block starts.
    pub span: Span,
}

/// TOP clause.
#[derive(Clone, Debug)]
pub struct Top {
    /// Count or percent.
    pub count: Expr,
    /// PERCENT
    pub percent: bool,
    /// WITH TIES
    pub with_ties: bool,
}

/// One item of a select list.
#[derive(Clone, Debug)]
pub enum SelectItem {
    /// `*`
    Wildcard,
    /// `t.*`
    QualifiedWildcard(ObjectName),
    /// `expr [AS alias]` or `alias = expr`
    Expr {
        /// Expression.
        expr: Expr,
        /// Name.
        alias: Option<Ident>,
    },
    /// `@v = expr`
    Assign(Assignment),
}

/// `expr [ASC|DESC]`
#[derive(Clone, Debug)]
pub struct OrderItem {
    /// Expression, an alias or a position.
    pub expr: Expr,
    /// DESC
    pub descending: bool,
}

/// A table in FROM.
#[derive(Clone, Debug)]
pub enum TableRef {
    /// `name [AS alias] [WITH (hints)]`; `@t` too
    Named {
        /// Name.
        name: ObjectName,
        /// Alias.
        alias: Option<Ident>,
        /// Upper-case hints.
        hints: Vec<Ident>,
        /// Where.
        span: Span,
    },
    /// `f(args) [AS alias [(columns)]]` and `::f(args)`
    Function {
        /// Name.
        name: ObjectName,
        /// Arguments; `DEFAULT` is `Expr::Default`.
        args: Vec<Expr>,
        /// Alias.
        alias: Option<Ident>,
        /// Column aliases.
        columns: Vec<Ident>,
        /// Where.
        span: Span,
    },
    /// `(query) AS alias [(columns)]`
    Derived {
        /// Query.
        query: Box<Query>,
        /// Alias.
        alias: Option<Ident>,
        /// Column aliases.
        columns: Vec<Ident>,
    },
    /// `left JOIN right ON …`
    Join {
        /// Kind.
        kind: JoinKind,
        /// Left.
        left: Box<TableRef>,
        /// Right.
        right: Box<TableRef>,
        /// ON; `None` for CROSS JOIN and APPLY.
        on: Option<Expr>,
    },
}

/// Kind of join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    /// INNER
    Inner,
    /// LEFT
    Left,
    /// RIGHT
    Right,
    /// FULL
    Full,
    /// CROSS
    Cross,
    /// CROSS APPLY
    CrossApply,
    /// OUTER APPLY
    OuterApply,
}

/// INSERT.
#[derive(Clone, Debug)]
pub struct Insert {
    /// `TOP (n)`
    pub top: Option<Top>,
    /// Target; `@t` too.
    pub table: ObjectName,
    /// Column list; empty = all.
    pub columns: Vec<Ident>,
    /// Upper-case hints (`TABLOCK`).
    pub hints: Vec<Ident>,
    /// OUTPUT was written: items for the error or for later.
    pub output: Option<Output>,
    /// Rows.
    pub source: InsertSource,
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
    /// `EXEC …`
    Execute(Box<Statement>),
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
    /// `TOP (n)`
    pub top: Option<Top>,
    /// Target table or alias.
    pub table: ObjectName,
    /// Upper-case hints.
    pub hints: Vec<Ident>,
    /// SET list.
    pub set: Vec<UpdateSet>,
    /// OUTPUT
    pub output: Option<Output>,
    /// FROM
    pub from: Vec<TableRef>,
    /// WHERE
    pub filter: Option<Expr>,
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
}

/// DELETE.
#[derive(Clone, Debug)]
pub struct Delete {
    /// `TOP (n)`
    pub top: Option<Top>,
    /// Target table or alias.
    pub table: ObjectName,
    /// Upper-case hints.
    pub hints: Vec<Ident>,
    /// OUTPUT
    pub output: Option<Output>,
    /// Second FROM.
    pub from: Vec<TableRef>,
    /// WHERE
    pub filter: Option<Expr>,
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
    /// Arguments.
    pub args: Vec<ExecuteArg>,
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

/// Actions of ALTER DATABASE.
#[derive(Clone, Debug)]
pub enum AlterDatabase {
    /// `ADD FILE (…), …`
    AddFile {
        /// Files.
        files: Vec<FileSpec>,
        /// `ADD LOG FILE`
        log: bool,
    },
    /// `MODIFY FILE (…)`
    ModifyFile(FileSpec),
    /// `REMOVE FILE name`
    RemoveFile(Ident),
    /// `SET option …`: upper-case words as written
    Set(String),
    /// Anything else, by its words.
    Other(String),
}

/// `(NAME = …, FILENAME = …, SIZE = …, MAXSIZE = …, FILEGROWTH = …, NEWNAME = …, OFFLINE)`
#[derive(Clone, Debug, Default)]
pub struct FileSpec {
    /// NAME
    pub name: Option<Ident>,
    /// NEWNAME
    pub new_name: Option<Ident>,
    /// FILENAME
    pub file_name: Option<String>,
    /// SIZE in KB
    pub size_kb: Option<u64>,
    /// MAXSIZE
    pub max_size: Option<FileLimit>,
    /// FILEGROWTH
    pub growth: Option<FileGrowth>,
    /// OFFLINE
    pub offline: bool,
    /// Option written twice (1039) or unknown, upper-case.
    pub duplicate: Option<String>,
}

/// MAXSIZE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileLimit {
    /// UNLIMITED
    Unlimited,
    /// In KB.
    Kb(u64),
}

/// FILEGROWTH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileGrowth {
    /// In KB; 0 = off.
    Kb(u64),
    /// Percent of the size.
    Percent(u32),
}

/// A literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// NULL
    Null,
    /// Digits that fit `int`, else `decimal` without a point: text as written.
    Integer(String),
    /// With a point: decimal.
    Decimal(String),
    /// With an exponent: float.
    Float(String),
    /// `$1.5`: money, without its sign; `$` alone is `0`.
    Money(String),
    /// `'…'`
    String(String),
    /// `N'…'`
    NationalString(String),
    /// `0x…`
    Binary(Vec<u8>),
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `=`
    Eq,
    /// `<>`, `!=`
    NotEq,
    /// `<`, `!>=`
    Lt,
    /// `<=`, `!>`
    LtEq,
    /// `>`
    Gt,
    /// `>=`, `!<`
    GtEq,
    /// AND
    And,
    /// OR
    Or,
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`
    Minus,
    /// `+`
    Plus,
    /// `~`
    BitNot,
    /// NOT
    Not,
}

/// An expression or condition with its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Line of its first token, from 1.
    pub line: u32,
}

/// Forms of expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// Literal.
    Literal(Literal),
    /// `@v` (with its `@`) and `@@name`
    Variable(Ident),
    /// Column reference of 1–4 parts.
    Column(ObjectName),
    /// `DEFAULT`
    Default,
    /// `op expr`; also `-1`, whose literal has no sign.
    Unary(UnaryOp, Box<Expr>),
    /// `left op right`
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `expr IS [NOT] NULL`
    IsNull {
        /// Operand.
        expr: Box<Expr>,
        /// NOT
        negated: bool,
    },
    /// `expr [NOT] BETWEEN low AND high`
    Between {
        /// Operand.
        expr: Box<Expr>,
        /// Low.
        low: Box<Expr>,
        /// High.
        high: Box<Expr>,
        /// NOT
        negated: bool,
    },
    /// `expr [NOT] IN (a, b)`
    InList {
        /// Operand.
        expr: Box<Expr>,
        /// Values.
        list: Vec<Expr>,
        /// NOT
        negated: bool,
    },
    /// `expr [NOT] IN (query)`
    InQuery {
        /// Operand.
        expr: Box<Expr>,
        /// Query.
        query: Box<Query>,
        /// NOT
        negated: bool,
    },
    /// `EXISTS (query)`
    Exists(Box<Query>),
    /// `(query)`
    Subquery(Box<Query>),
    /// `expr [NOT] LIKE pattern [ESCAPE c]`
    Like {
        /// Operand.
        expr: Box<Expr>,
        /// Pattern.
        pattern: Box<Expr>,
        /// Escape.
        escape: Option<Box<Expr>>,
        /// NOT
        negated: bool,
    },
    /// `CASE [operand] WHEN … THEN … [ELSE …] END`
    Case {
        /// Simple CASE's operand.
        operand: Option<Box<Expr>>,
        /// WHEN, THEN.
        branches: Vec<(Expr, Expr)>,
        /// ELSE
        otherwise: Option<Box<Expr>>,
    },
    /// `CAST(expr AS type)`, `CONVERT(type, expr [, style])`, TRY_ forms
    Cast {
        /// Operand.
        expr: Box<Expr>,
        /// Target.
        data_type: DataType,
        /// Style of CONVERT.
        style: Option<Box<Expr>>,
        /// TRY_CAST, TRY_CONVERT
        try_: bool,
    },
    /// `expr COLLATE name`
    Collate(Box<Expr>, Ident),
    /// `f(args)`; `CURRENT_TIMESTAMP` and the like are functions without arguments. A date part such as `minute` in
    /// DATEADD's first place is a `Column` of one part. `IIF`'s first argument is a condition. `TRIM(a FROM b)` has the
    /// arguments `a` and `b`; `a AT TIME ZONE b` is a function of that name.
    Function(Box<FunctionCall>),
}

/// A function call.
#[derive(Clone, Debug)]
pub struct FunctionCall {
    /// Name.
    pub name: ObjectName,
    /// Arguments.
    pub args: Vec<Expr>,
    /// `COUNT(*)`
    pub star: bool,
    /// `COUNT(DISTINCT x)`
    pub distinct: bool,
    /// `OVER (…)`
    pub over: Option<Over>,
    /// `WITHIN GROUP (ORDER BY …)`
    pub within_group: Vec<OrderItem>,
}

/// OVER clause.
#[derive(Clone, Debug)]
pub struct Over {
    /// PARTITION BY
    pub partition_by: Vec<Expr>,
    /// ORDER BY
    pub order_by: Vec<OrderItem>,
    /// A frame was written, by its words.
    pub frame: Option<String>,
}
