//! Expressions and queries, which hold each other.

use std::ops::Deref;

use super::name::{DataType, Ident, ObjectName, Span};
use super::operator::{AssignOp, BinaryOp, JoinHint, JoinKind, Literal, SetOperator, UnaryOp};

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

/// A query expression with its ORDER BY.
#[derive(Clone, Debug)]
pub struct Query {
    /// `WITH a (x) AS (…)`
    pub ctes: With,
    /// Body.
    pub body: QueryBody,
    /// `ORDER BY`
    pub order_by: Vec<OrderItem>,
    /// `OFFSET n ROWS`
    pub offset: Option<Expr>,
    /// `FETCH NEXT n ROWS ONLY`
    pub fetch: Option<Expr>,
    /// `FOR XML …`, `FOR JSON …`, `FOR BROWSE`
    pub for_clause: Option<ForClause>,
    /// `OPTION (…)`: upper-case words.
    pub options: Vec<String>,
}

impl Query {
    /// A query without clauses around its body.
    #[must_use]
    pub fn plain(body: QueryBody) -> Query {
        Query {
            ctes: With::default(),
            body,
            order_by: Vec::new(),
            offset: None,
            fetch: None,
            for_clause: None,
            options: Vec::new(),
        }
    }
}

/// `FOR XML|JSON|BROWSE …`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForClause {
    /// Format.
    pub format: ForFormat,
    /// The words after it as written: `PATH ('row')`, `ROOT`, `WITHOUT_ARRAY_WRAPPER`.
    pub options: Vec<String>,
}

/// What FOR makes of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForFormat {
    /// XML
    Xml,
    /// JSON
    Json,
    /// BROWSE
    Browse,
}

/// What stands between WITH and the statement.
#[derive(Clone, Debug, Default)]
pub struct With {
    /// `XMLNAMESPACES (…)`
    pub namespaces: XmlNamespaces,
    /// Common table expressions.
    pub ctes: Vec<Cte>,
}

impl Deref for With {
    type Target = [Cte];

    fn deref(&self) -> &[Cte] {
        &self.ctes
    }
}

/// `XMLNAMESPACES ('…' AS p, DEFAULT '…')`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct XmlNamespaces {
    /// Namespaces and their prefixes, in order.
    pub prefixes: Vec<(String, Ident)>,
    /// That of elements without prefix.
    pub default: Option<String>,
    /// How many prefixes stand before it.
    pub default_place: usize,
}

impl XmlNamespaces {
    /// Whether none is declared.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.prefixes.is_empty() && self.default.is_none()
    }
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
    pub group_by: Vec<GroupItem>,
    /// HAVING
    pub having: Option<Expr>,
    /// `WINDOW name AS (…), …`
    pub windows: Vec<(Ident, Over)>,
    /// Where the block starts.
    pub span: Span,
}

/// One item of GROUP BY. `GROUP BY a, b WITH ROLLUP` is one [`GroupItem::Rollup`].
#[derive(Clone, Debug)]
pub enum GroupItem {
    /// An expression.
    Expr(Expr),
    /// `()`
    Total,
    /// `ROLLUP (a, (b, c))`
    Rollup(Vec<Vec<Expr>>),
    /// `CUBE (a, (b, c))`
    Cube(Vec<Vec<Expr>>),
    /// `GROUPING SETS (…)`: each set is a list of items of any kind but an expression in parentheses, which is a list.
    Sets(Vec<Vec<GroupItem>>),
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
    /// `OPENJSON (text [, path]) [WITH (columns)] [AS alias [(columns)]]`
    OpenJson {
        /// Text and path.
        args: Vec<Expr>,
        /// WITH
        schema: Option<Vec<JsonColumn>>,
        /// Alias.
        alias: Option<Ident>,
        /// Column aliases.
        columns: Vec<Ident>,
        /// Where.
        span: Span,
    },
    /// `OPENXML (handle, pattern [, flags]) [WITH (columns)|table] [AS alias [(columns)]]`
    OpenXml {
        /// Handle, pattern and flags.
        args: Vec<Expr>,
        /// WITH
        schema: Option<OpenXmlSchema>,
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
        /// How it is to be run, if that is said.
        hint: Option<JoinHint>,
        /// Left.
        left: Box<TableRef>,
        /// Right.
        right: Box<TableRef>,
        /// ON; `None` for CROSS JOIN and APPLY.
        on: Option<Expr>,
    },
    /// `table TABLESAMPLE [SYSTEM] (n [PERCENT|ROWS]) [REPEATABLE (seed)]`
    Sample {
        /// A named table.
        table: Box<TableRef>,
        /// How many.
        size: Expr,
        /// ROWS was written; else percent.
        rows: bool,
        /// Seed.
        repeatable: Option<Expr>,
    },
    /// `table PIVOT (aggregate FOR column IN (a, b)) AS alias`
    Pivot {
        /// Input.
        table: Box<TableRef>,
        /// Aggregate.
        aggregate: Box<FunctionCall>,
        /// Column whose values become columns.
        column: ObjectName,
        /// The values, which are the new columns' names.
        values: Vec<Ident>,
        /// Alias.
        alias: Ident,
    },
    /// `table UNPIVOT (value FOR name IN (a, b)) AS alias`
    Unpivot {
        /// Input.
        table: Box<TableRef>,
        /// The new column of values.
        value: Ident,
        /// The new column of names.
        name: Ident,
        /// Columns that become rows.
        columns: Vec<ObjectName>,
        /// Alias.
        alias: Ident,
    },
}

/// The columns of OPENXML.
#[derive(Clone, Debug)]
pub enum OpenXmlSchema {
    /// `(name type ['path'], …)`
    Columns(Vec<JsonColumn>),
    /// A table that has them.
    Table(ObjectName),
}

/// `name type [COLLATE collation] ['path'] [AS JSON]`
#[derive(Clone, Debug)]
pub struct JsonColumn {
    /// Name.
    pub name: Ident,
    /// Type.
    pub data_type: DataType,
    /// COLLATE
    pub collation: Option<Ident>,
    /// Where its values are; the member of its name without one.
    pub path: Option<String>,
    /// AS JSON
    pub as_json: bool,
    /// Line, from 1.
    pub line: u32,
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
    /// `expr op ALL|ANY|SOME (query)`; `= ANY` and `<> ALL` are IN.
    Quantified {
        /// Operand.
        expr: Box<Expr>,
        /// A comparison.
        op: BinaryOp,
        /// ALL
        all: bool,
        /// Query.
        query: Box<Query>,
    },
    /// `left IS [NOT] DISTINCT FROM right`
    DistinctFrom {
        /// Left.
        left: Box<Expr>,
        /// Right.
        right: Box<Expr>,
        /// NOT
        negated: bool,
    },
    /// `value.method(args)` of a value that is no name: `(SELECT … FOR XML …).value('.', 'int')`. On a name or variable
    /// it is a function whose name has several parts.
    Method {
        /// Value.
        target: Box<Expr>,
        /// Method.
        method: Ident,
        /// Arguments.
        args: Vec<Expr>,
    },
    /// `NEXT VALUE FOR sequence [OVER (ORDER BY …)]`
    NextValue {
        /// Sequence.
        sequence: ObjectName,
        /// OVER
        over: Option<Box<Over>>,
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
    /// `PARSE(expr AS type [USING culture])`, TRY_PARSE
    Parse {
        /// Text.
        expr: Box<Expr>,
        /// Target.
        data_type: DataType,
        /// As which culture writes it.
        culture: Option<Box<Expr>>,
        /// TRY_PARSE
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
    /// IGNORE NULLS
    pub ignore_nulls: bool,
    /// What stands between the parentheses of a JSON function beside its arguments.
    pub json: Option<Box<JsonClauses>>,
}

/// `… [ORDER BY …] [NULL|ABSENT ON NULL] [RETURNING type]`.
#[derive(Clone, Debug, Default)]
pub struct JsonClauses {
    /// The arguments are names and values in turn.
    pub has_names: bool,
    /// ORDER BY of JSON_ARRAYAGG.
    pub order_by: Vec<OrderItem>,
    /// NULL ON NULL; else ABSENT ON NULL.
    pub keeps_null: Option<bool>,
}

/// OVER clause.
#[derive(Clone, Debug)]
pub struct Over {
    /// A window of the WINDOW clause that this one goes on from, or is: `OVER name`, `OVER (name ORDER BY …)`.
    pub base: Option<Ident>,
    /// PARTITION BY
    pub partition_by: Vec<Expr>,
    /// ORDER BY
    pub order_by: Vec<OrderItem>,
    /// ROWS or RANGE
    pub frame: Option<Frame>,
}

/// `ROWS|RANGE [BETWEEN] start [AND end]`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// RANGE; else ROWS.
    pub range: bool,
    /// First row.
    pub start: FrameBound,
    /// Last row; CURRENT ROW when nothing is written.
    pub end: FrameBound,
}

/// An end of a window's frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameBound {
    /// UNBOUNDED PRECEDING
    UnboundedPreceding,
    /// `n PRECEDING`, in rows
    Preceding(u64),
    /// CURRENT ROW
    CurrentRow,
    /// `n FOLLOWING`, in rows
    Following(u64),
    /// UNBOUNDED FOLLOWING
    UnboundedFollowing,
}
