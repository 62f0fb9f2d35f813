//! The relational algebra that the binder produces and both executors take: the short cut for direct statements runs
//! the simplest shapes of it, `plan` turns all of it into a DataFusion plan.
//!
//! A relation's rows are positional; `Join`'s row is left ++ right, `Aggregate`'s is groups ++ aggregates, `Window`'s is
//! input ++ calls.

mod hint;
mod path;
mod text;
mod variables;
mod window;

use std::fmt;
use std::sync::Arc;

use millpond_storage::contract::DbId;
use millpond_tsql::ast::Query;
use millpond_types::SqlType;

use crate::algebra::expr::{BoundExpr, FunctionParameter, Kind};
use crate::algebra::table::{ColumnDef, TableDef};
use crate::expr_type::ExprType;
use crate::function_body::TableBody;
use crate::function_def::TableFunctionDef;
use crate::module::UsedModule;
use crate::system_view::ViewDef;
use crate::unfold::Unfold;

pub use hint::{Guesses, JoinHint, JoinMethods, QueryHints};
pub use path::{ForcedOperation, ForcedPath};
pub use text::{RowsAsText, TextOfRows};
pub use window::{FrameEdge, WindowCall, WindowFrame, WindowFunction};

/// A relation.
#[derive(Clone, Debug)]
pub enum Rel {
    /// Rows of a stored table, all columns in order; with `with_rid` one more column at the end: the row's
    /// [`millpond_access::Rid`] as `bigint`, or its key in the tree of the rows as `varbinary` (for UPDATE and DELETE).
    Table {
        /// Which of the statement's tables: index into the run's table bindings.
        binding: usize,
        /// Its definition when bound.
        def: Arc<TableDef>,
        /// Add the Rid column.
        with_rid: bool,
        /// What hints leave of the ways to it.
        forced: ForcedPath,
    },
    /// Rows of a system view as seen from a database (`tempdb.sys.database_files`).
    View {
        /// Which.
        view: &'static ViewDef,
        /// Database named, or the current one.
        database: DbId,
    },
    /// Rows of a table-valued function; arguments have the declared types and see no columns.
    Function(&'static TableFunctionDef, Vec<BoundExpr>),
    /// Rows of a table-valued function of the user; arguments have the types of its parameters and see no columns.
    Call(Arc<UserTableFunction>, Vec<BoundExpr>),
    /// Rows that a function makes one after the other.
    Unfold {
        /// What makes them.
        by: Arc<dyn Unfold>,
        /// They see no columns.
        args: Vec<BoundExpr>,
        /// Types of the columns.
        types: Vec<ExprType>,
    },
    /// Numbers from one to another: GENERATE_SERIES.
    Series {
        /// Start and stop of the numbers' type, and the step, for integers a bigint; they see no columns.
        args: Vec<BoundExpr>,
        /// Type of the numbers.
        ty: ExprType,
    },
    /// For every left row the rows of the right side, which reads it as the next enclosing query's row; left ++ right.
    Apply {
        /// Left input.
        left: Box<Rel>,
        /// A query of its own.
        right: Box<Rel>,
        /// OUTER APPLY: a left row without right ones stays, with NULLs.
        keeps_left: bool,
    },
    /// Given rows; one row without columns for a SELECT without FROM.
    Values {
        /// Rows of equal length.
        rows: Vec<Vec<BoundExpr>>,
        /// Types of the columns.
        types: Vec<ExprType>,
    },
    /// Rows for which the predicate is true.
    Filter {
        /// Input.
        input: Box<Rel>,
        /// Predicate over the input row.
        predicate: BoundExpr,
    },
    /// New rows computed from input rows.
    Project {
        /// Input.
        input: Box<Rel>,
        /// Columns of the result.
        exprs: Vec<BoundExpr>,
    },
    /// Join.
    Join {
        /// Kind.
        kind: RelJoin,
        /// What hints say of it.
        hint: JoinHint,
        /// Left input.
        left: Box<Rel>,
        /// Right input.
        right: Box<Rel>,
        /// Condition over left ++ right; none for a cross join.
        on: Option<BoundExpr>,
    },
    /// Grouping; without groups one row always.
    Aggregate {
        /// Input.
        input: Box<Rel>,
        /// Group expressions.
        groups: Vec<BoundExpr>,
        /// Aggregates.
        aggregates: Vec<Aggregate>,
    },
    /// Each row once for each grouping set: the input's columns, the groups (NULL where the set has them not), and the
    /// set's number (bigint): its lower 32 bits are those of the groups that it has not, the upper ones distinguish equal sets
    /// apart.
    Expand {
        /// Input.
        input: Box<Rel>,
        /// Group expressions, at most 32.
        groups: Vec<BoundExpr>,
        /// Numbers of the sets.
        sets: Vec<i64>,
    },
    /// The rows of the input, or other rows when it has none.
    OrElse {
        /// Input.
        input: Box<Rel>,
        /// Rows of the input's types; they see no columns.
        rows: Vec<Vec<BoundExpr>>,
    },
    /// The input's rows with the values of calls over one window. The rows come by partitions, each in its order.
    Window {
        /// Input.
        input: Box<Rel>,
        /// PARTITION BY
        partition: Vec<BoundExpr>,
        /// ORDER BY
        order: Vec<SortKey>,
        /// Calls.
        calls: Vec<WindowCall>,
    },
    /// The rows of the input as one text in their order: one row, or none where there are none.
    Text {
        /// Input.
        input: Box<Rel>,
        /// What the text looks like.
        by: Arc<dyn RowsAsText>,
        /// It is given in pieces, a row each, as a client gets it.
        in_pieces: bool,
        /// Type of the only column.
        ty: ExprType,
    },
    /// Order.
    Sort {
        /// Input.
        input: Box<Rel>,
        /// Keys, most significant first.
        keys: Vec<SortKey>,
    },
    /// First rows.
    Top {
        /// Input; sorted if it is to mean something.
        input: Box<Rel>,
        /// Count (bigint) or percent (float); no columns.
        count: Option<BoundExpr>,
        /// Percent.
        percent: bool,
        /// WITH TIES over these keys of the input.
        ties: Vec<SortKey>,
        /// Rows to skip (bigint).
        offset: Option<BoundExpr>,
    },
    /// Without duplicates; strings compare by their collation.
    Distinct(Box<Rel>),
    /// The rows of a recursive common table expression: those of the anchor, and again and again what the members make
    /// of each row. A member reads its row as the next enclosing query's.
    Recursive {
        /// The expression's name.
        name: String,
        /// Where it begins.
        anchor: Box<Rel>,
        /// Queries of their own with the anchor's types.
        members: Vec<Rel>,
        /// Types of the columns.
        types: Vec<ExprType>,
        /// How many times rows of the anchor may be followed; 0 for no bound.
        levels: u32,
    },
    /// Set operation; both sides have equal column types.
    Set {
        /// Operator.
        op: RelSet,
        /// Keep duplicates.
        all: bool,
        /// Left.
        left: Box<Rel>,
        /// Right.
        right: Box<Rel>,
    },
}

/// Joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelJoin {
    /// INNER and CROSS
    Inner,
    /// LEFT
    Left,
    /// RIGHT
    Right,
    /// FULL
    Full,
}

/// Set operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelSet {
    /// UNION
    Union,
    /// EXCEPT
    Except,
    /// INTERSECT
    Intersect,
}

/// About how many rows TOP or OFFSET … FETCH reads; a count that is not known yet is taken for a hundred.
pub fn first_rows(count: Option<&BoundExpr>, offset: Option<&BoundExpr>) -> f64 {
    let known = |bound: &BoundExpr, unknown: f64| match &bound.kind {
        Kind::Literal(value) => value.as_i64().map_or(unknown, |rows| rows as f64),
        _ => unknown,
    };
    let taken = count.map_or(f64::INFINITY, |count| known(count, 100.0));
    taken + offset.map_or(0.0, |offset| known(offset, 100.0))
}

/// One sort key.
#[derive(Clone, Debug)]
pub struct SortKey {
    /// Key.
    pub expr: BoundExpr,
    /// Descending. NULL is the smallest value, as in SQL Server.
    pub descending: bool,
}

/// One aggregate.
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// Function.
    pub function: AggregateFunction,
    /// Argument, already of the type that the function wants; none for COUNT(*).
    pub arg: Option<BoundExpr>,
    /// DISTINCT.
    pub distinct: bool,
    /// Type of the result.
    pub ty: ExprType,
    /// What STRING_AGG puts between its values, and their order.
    pub joining: Option<Box<Joining>>,
}

/// How STRING_AGG joins its values.
#[derive(Clone, Debug)]
pub struct Joining {
    /// Separator, of the result's type.
    pub separator: BoundExpr,
    /// WITHIN GROUP (ORDER BY …)
    pub order: Vec<SortKey>,
}

impl Aggregate {
    /// All its expressions.
    pub fn exprs(&self) -> impl Iterator<Item = &BoundExpr> {
        let joining = self.joining.iter();
        let beside = joining
            .flat_map(|joining| std::iter::once(&joining.separator).chain(joining.order.iter().map(|key| &key.expr)));
        self.arg.iter().chain(beside)
    }
}

/// Aggregates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateFunction {
    /// COUNT: int
    Count,
    /// COUNT_BIG: bigint
    CountBig,
    /// SUM
    Sum,
    /// AVG: integers divide as integers
    Avg,
    /// MIN
    Min,
    /// MAX
    Max,
    /// STDEV
    StDev,
    /// STDEVP
    StDevP,
    /// VAR
    Var,
    /// VARP
    VarP,
    /// STRING_AGG: texts
    StringAgg,
    /// APPROX_COUNT_DISTINCT: bigint
    ApproxCountDistinct,
    /// CHECKSUM_AGG: int
    ChecksumAgg,
    /// PRODUCT
    Product,
}

impl AggregateFunction {
    /// Its name in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            AggregateFunction::Count => "count",
            AggregateFunction::CountBig => "count_big",
            AggregateFunction::Sum => "sum",
            AggregateFunction::Avg => "avg",
            AggregateFunction::Min => "min",
            AggregateFunction::Max => "max",
            AggregateFunction::StDev => "stdev",
            AggregateFunction::StDevP => "stdevp",
            AggregateFunction::Var => "var",
            AggregateFunction::VarP => "varp",
            AggregateFunction::StringAgg => "string_agg",
            AggregateFunction::ApproxCountDistinct => "approx_count_distinct",
            AggregateFunction::ChecksumAgg => "checksum_agg",
            AggregateFunction::Product => "product",
        }
    }
}

/// The relations that one reads, borrowed as it is.
macro_rules! inputs_of {
    ($rel:expr) => {
        match $rel {
            Rel::Table { .. }
            | Rel::View { .. }
            | Rel::Function(..)
            | Rel::Call(..)
            | Rel::Values { .. }
            | Rel::Series { .. }
            | Rel::Unfold { .. } => Vec::new(),
            Rel::Apply { left, .. } => vec![left],
            Rel::Filter { input, .. }
            | Rel::Project { input, .. }
            | Rel::Aggregate { input, .. }
            | Rel::Expand { input, .. }
            | Rel::OrElse { input, .. }
            | Rel::Window { input, .. }
            | Rel::Text { input, .. }
            | Rel::Sort { input, .. }
            | Rel::Top { input, .. }
            | Rel::Distinct(input) => vec![input],
            Rel::Recursive { anchor, .. } => vec![anchor],
            Rel::Join { left, right, .. } | Rel::Set { left, right, .. } => vec![left, right],
        }
    };
}

impl Rel {
    /// One row without columns.
    #[must_use]
    pub fn one_row() -> Rel {
        Rel::Values { rows: vec![Vec::new()], types: Vec::new() }
    }

    /// All rows of the first of a statement's tables.
    #[must_use]
    pub fn table(def: &Arc<TableDef>) -> Rel {
        Rel::Table { binding: 0, def: Arc::clone(def), with_rid: false, forced: ForcedPath::default() }
    }

    /// Types of the relation's columns.
    #[must_use]
    pub fn types(&self) -> Vec<ExprType> {
        match self {
            Rel::Table { def, with_rid, .. } => {
                let mut types: Vec<ExprType> = def.columns.iter().map(|column| column.ty).collect();
                if *with_rid {
                    types.push(def.locator_type());
                }
                types
            }
            Rel::View { view, .. } => view.columns.iter().map(|column| column.ty()).collect(),
            Rel::Function(function, _) => function.columns.iter().map(|column| column.ty()).collect(),
            Rel::Call(function, _) => function.types(),
            Rel::Series { ty, .. } | Rel::Text { ty, .. } => vec![*ty],
            Rel::Apply { left, right, keeps_left } => {
                let kind = if *keeps_left { RelJoin::Left } else { RelJoin::Inner };
                join_types(kind, left.types(), right.types())
            }
            Rel::Values { types, .. } | Rel::Recursive { types, .. } | Rel::Unfold { types, .. } => types.clone(),
            Rel::Filter { input, .. } | Rel::Sort { input, .. } | Rel::Top { input, .. } | Rel::Distinct(input) => {
                input.types()
            }
            Rel::Project { exprs, .. } => exprs.iter().map(|expr| expr.ty).collect(),
            Rel::Join { kind, left, right, .. } => join_types(*kind, left.types(), right.types()),
            Rel::Aggregate { groups, aggregates, .. } => {
                groups.iter().map(|group| group.ty).chain(aggregates.iter().map(|aggregate| aggregate.ty)).collect()
            }
            Rel::Expand { input, groups, .. } => {
                let mut types = input.types();
                types.extend(groups.iter().map(|group| ExprType { nullable: true, ..group.ty }));
                types.push(SET_NUMBER);
                types
            }
            Rel::OrElse { input, rows } => {
                let mut types = input.types();
                for row in rows {
                    types.iter_mut().zip(row).for_each(|(ty, cell)| ty.nullable |= cell.ty.nullable);
                }
                types
            }
            Rel::Window { input, calls, .. } => {
                let mut types = input.types();
                types.extend(calls.iter().map(|call| call.ty));
                types
            }
            // EXCEPT and INTERSECT give rows of the left side.
            Rel::Set { op: RelSet::Except | RelSet::Intersect, left, .. } => left.types(),
            Rel::Set { op: RelSet::Union, left, right, .. } => {
                let right = right.types();
                left.types()
                    .into_iter()
                    .zip(right)
                    .map(|(l, r)| ExprType { nullable: l.nullable || r.nullable, ..l })
                    .collect()
            }
        }
    }

    /// How many columns it has.
    #[must_use]
    pub fn width(&self) -> usize {
        match self {
            Rel::Filter { input, .. } | Rel::Sort { input, .. } | Rel::Top { input, .. } | Rel::Distinct(input) => {
                input.width()
            }
            Rel::Apply { left, right, .. } | Rel::Join { left, right, .. } => left.width() + right.width(),
            Rel::Table { def, with_rid, .. } => def.columns.len() + usize::from(*with_rid),
            Rel::Project { exprs, .. } => exprs.len(),
            Rel::Window { input, calls, .. } => input.width() + calls.len(),
            Rel::Set { left, .. } => left.width(),
            rel => rel.types().len(),
        }
    }

    /// The column of a stored table that a column is, through queries of that table alone: joins, set operations, groups and
    /// expressions make other columns.
    #[must_use]
    pub fn origin(&self, column: usize) -> Option<&ColumnDef> {
        match self {
            Rel::Table { def, .. } => def.columns.get(column),
            Rel::Filter { input, .. } | Rel::Sort { input, .. } | Rel::Top { input, .. } | Rel::Distinct(input) => {
                input.origin(column)
            }
            Rel::Window { input, .. } => (column < input.width()).then(|| input.origin(column))?,
            Rel::Project { input, exprs } => match exprs.get(column)?.kind {
                Kind::Column(column) => input.origin(column),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether its rows are those of one stored table, some or all, and nothing else is read for them.
    #[must_use]
    pub fn reads_one_table(&self) -> bool {
        match self {
            Rel::Table { .. } => true,
            Rel::Filter { input, .. }
            | Rel::Project { input, .. }
            | Rel::Sort { input, .. }
            | Rel::Top { input, .. }
            | Rel::Window { input, .. } => input.reads_one_table(),
            _ => false,
        }
    }

    /// The relations that it reads. The right side of APPLY and the members of a recursive query are queries of their own.
    #[must_use]
    pub fn inputs(&self) -> Vec<&Rel> {
        inputs_of!(self)
    }

    /// The relations that it is made of, those that are queries of their own too.
    #[must_use]
    pub fn relations_mut(&mut self) -> Vec<&mut Rel> {
        match self {
            Rel::Apply { left, right, .. } => vec![left, right],
            Rel::Recursive { anchor, members, .. } => std::iter::once(&mut **anchor).chain(members).collect(),
            rel => inputs_of!(rel),
        }
    }

    /// Whether rows of a stored table, or of a system view, are among those that it is made of; queries in expressions are
    /// not looked at.
    #[must_use]
    pub fn reads_tables(&self) -> bool {
        match self {
            Rel::Table { .. } | Rel::View { .. } => true,
            Rel::Apply { left, right, .. } => left.reads_tables() || right.reads_tables(),
            Rel::Recursive { anchor, members, .. } => anchor.reads_tables() || members.iter().any(Rel::reads_tables),
            rel => rel.inputs().into_iter().any(Rel::reads_tables),
        }
    }

    /// The relation with each of its expressions, and those of its inputs, replaced; `change` gets how many queries
    /// deeper than `depth` the expression's own query lies. Queries inside expressions are the business of `change`.
    #[must_use]
    pub fn map_exprs(self, depth: usize, change: &mut dyn FnMut(BoundExpr, usize) -> BoundExpr) -> Rel {
        let below = |rel: Box<Rel>, change: &mut dyn FnMut(BoundExpr, usize) -> BoundExpr| {
            Box::new(rel.map_exprs(depth, change))
        };
        match self {
            leaf @ (Rel::Table { .. } | Rel::View { .. }) => leaf,
            Rel::Function(def, args) => Rel::Function(def, args.into_iter().map(|arg| change(arg, depth)).collect()),
            Rel::Call(def, args) => Rel::Call(def, args.into_iter().map(|arg| change(arg, depth)).collect()),
            Rel::Series { args, ty } => {
                Rel::Series { args: args.into_iter().map(|arg| change(arg, depth)).collect(), ty }
            }
            Rel::Unfold { by, args, types } => {
                Rel::Unfold { by, args: args.into_iter().map(|arg| change(arg, depth)).collect(), types }
            }
            Rel::Apply { left, right, keeps_left } => {
                let left = below(left, change);
                Rel::Apply { left, right: Box::new(right.map_exprs(depth + 1, change)), keeps_left }
            }
            Rel::Values { rows, types } => {
                let mut one = |row: Vec<BoundExpr>| row.into_iter().map(|cell| change(cell, depth)).collect();
                Rel::Values { rows: rows.into_iter().map(&mut one).collect(), types }
            }
            Rel::Filter { input, predicate } => {
                Rel::Filter { input: below(input, change), predicate: change(predicate, depth) }
            }
            Rel::Project { input, exprs } => {
                let input = below(input, change);
                Rel::Project { input, exprs: exprs.into_iter().map(|expr| change(expr, depth)).collect() }
            }
            Rel::Join { kind, hint, left, right, on } => {
                let (left, right) = (below(left, change), below(right, change));
                Rel::Join { kind, hint, left, right, on: on.map(|on| change(on, depth)) }
            }
            Rel::Aggregate { input, groups, aggregates } => {
                let input = below(input, change);
                let groups = groups.into_iter().map(|group| change(group, depth)).collect();
                let one = |one: Aggregate| {
                    let arg = one.arg.map(|arg| change(arg, depth));
                    let joining = one.joining.map(|joining| {
                        let separator = change(joining.separator, depth);
                        Box::new(Joining { separator, order: map_keys(joining.order, depth, change) })
                    });
                    Aggregate { arg, joining, ..one }
                };
                Rel::Aggregate { input, groups, aggregates: aggregates.into_iter().map(one).collect() }
            }
            Rel::Expand { input, groups, sets } => {
                let input = below(input, change);
                Rel::Expand { input, groups: groups.into_iter().map(|group| change(group, depth)).collect(), sets }
            }
            Rel::OrElse { input, rows } => {
                let input = below(input, change);
                let mut one = |row: Vec<BoundExpr>| row.into_iter().map(|cell| change(cell, depth)).collect();
                Rel::OrElse { input, rows: rows.into_iter().map(&mut one).collect() }
            }
            Rel::Window { input, partition, order, calls } => {
                let input = below(input, change);
                let partition = partition.into_iter().map(|key| change(key, depth)).collect();
                let order = map_keys(order, depth, change);
                let mut one = |call: WindowCall| WindowCall {
                    args: call.args.into_iter().map(|arg| change(arg, depth)).collect(),
                    ..call
                };
                Rel::Window { input, partition, order, calls: calls.into_iter().map(&mut one).collect() }
            }
            Rel::Text { input, by, in_pieces, ty } => Rel::Text { input: below(input, change), by, in_pieces, ty },
            Rel::Sort { input, keys } => {
                let input = below(input, change);
                Rel::Sort { input, keys: map_keys(keys, depth, change) }
            }
            Rel::Top { input, count, percent, ties, offset } => Rel::Top {
                input: below(input, change),
                count: count.map(|count| change(count, depth)),
                percent,
                ties: map_keys(ties, depth, change),
                offset: offset.map(|offset| change(offset, depth)),
            },
            Rel::Distinct(input) => Rel::Distinct(below(input, change)),
            Rel::Recursive { name, anchor, members, types, levels } => {
                let anchor = below(anchor, change);
                let members = members.into_iter().map(|member| member.map_exprs(depth + 1, change)).collect();
                Rel::Recursive { name, anchor, members, types, levels }
            }
            Rel::Set { op, all, left, right } => {
                let (left, right) = (below(left, change), below(right, change));
                Rel::Set { op, all, left, right }
            }
        }
    }
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

/// Type of a grouping set's number.
pub const SET_NUMBER: ExprType = ExprType::plain(SqlType::BigInt, false);

fn map_keys(keys: Vec<SortKey>, depth: usize, change: &mut dyn FnMut(BoundExpr, usize) -> BoundExpr) -> Vec<SortKey> {
    keys.into_iter().map(|key| SortKey { expr: change(key.expr, depth), ..key }).collect()
}

fn join_types(kind: RelJoin, mut left: Vec<ExprType>, mut right: Vec<ExprType>) -> Vec<ExprType> {
    let (null_left, null_right) = match kind {
        RelJoin::Inner => (false, false),
        RelJoin::Left => (false, true),
        RelJoin::Right => (true, false),
        RelJoin::Full => (true, true),
    };
    left.iter_mut().for_each(|ty| ty.nullable |= null_left);
    right.iter_mut().for_each(|ty| ty.nullable |= null_right);
    left.extend(right);
    left
}
