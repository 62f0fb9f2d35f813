//! Typed expressions: what the binder makes of an `ast::Expr`. Every implicit conversion is an explicit [`Kind::Cast`],
//! every comparison names its collation, every column is a position in its input row, and a call holds the function of the
//! user. Direct statements evaluate them (`eval.rs`), plans translate them (`plan`).

use std::fmt;
use std::mem::discriminant;
use std::sync::Arc;

use millpond_types::collation::Collation;
use millpond_types::{SqlType, Value};

use crate::algebra::rel::Rel;
use crate::algebra::table::TableDef;
use crate::function_body::{FunctionBody, LateBody};
use crate::function_def::{FunctionDef, Volatility};
use crate::module::UsedModule;
use crate::security::Need;
use crate::sequence::SequenceUse;

pub use crate::expr_type::{ExprType, Label};

/// A typed expression. A predicate is of type `bit` and gives 1, 0 or NULL (unknown).
#[derive(Clone, Debug)]
pub struct BoundExpr {
    /// What it is.
    pub kind: Kind,
    /// Its type.
    pub ty: ExprType,
}

/// Arithmetic operators after binding; operands have the types that `types::coerce::operand_types` asks for.
pub type ArithOp = millpond_types::arith::ArithOp;

/// Comparison operators; both operands have one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// `=`
    Eq,
    /// `<>`
    NotEq,
    /// `<`
    Lt,
    /// `<=`
    LtEq,
    /// `>`
    Gt,
    /// `>=`
    GtEq,
}

impl CompareOp {
    /// The operator that holds where this one does not, NULLs apart.
    #[must_use]
    pub fn opposite(self) -> CompareOp {
        match self {
            CompareOp::Eq => CompareOp::NotEq,
            CompareOp::NotEq => CompareOp::Eq,
            CompareOp::Lt => CompareOp::GtEq,
            CompareOp::LtEq => CompareOp::Gt,
            CompareOp::Gt => CompareOp::LtEq,
            CompareOp::GtEq => CompareOp::Lt,
        }
    }

    /// The operator with its sides exchanged.
    #[must_use]
    pub fn mirrored(self) -> CompareOp {
        match self {
            CompareOp::Lt => CompareOp::Gt,
            CompareOp::LtEq => CompareOp::GtEq,
            CompareOp::Gt => CompareOp::Lt,
            CompareOp::GtEq => CompareOp::LtEq,
            same => same,
        }
    }
}

/// Forms of typed expressions.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Constant.
    Literal(Value),
    /// Local variable, by slot of the batch's frame.
    Variable(usize),
    /// Column of the input row, by position. In a join's condition the input row is left ++ right.
    Column(usize),
    /// Column of an enclosing query's input row: `level` 1 is the next outer one.
    Outer {
        /// How many queries outwards, from 1.
        level: usize,
        /// Position.
        column: usize,
    },
    /// Arithmetic; NULL if an operand is.
    Arith(ArithOp, Box<BoundExpr>, Box<BoundExpr>),
    /// `-x`
    Negate(Box<BoundExpr>),
    /// `~x`
    BitNot(Box<BoundExpr>),
    /// Comparison under a collation.
    Compare(CompareOp, Box<BoundExpr>, Box<BoundExpr>, Collation),
    /// Three-valued AND.
    And(Box<BoundExpr>, Box<BoundExpr>),
    /// Three-valued OR.
    Or(Box<BoundExpr>, Box<BoundExpr>),
    /// Three-valued NOT.
    Not(Box<BoundExpr>),
    /// `IS NULL`
    IsNull(Box<BoundExpr>),
    /// `x IN (…)`, all of one type
    InList(Box<BoundExpr>, Vec<BoundExpr>, Collation),
    /// LIKE
    Like {
        /// Text.
        text: Box<BoundExpr>,
        /// Pattern.
        pattern: Box<BoundExpr>,
        /// Escape.
        escape: Option<Box<BoundExpr>>,
        /// Collation.
        collation: Collation,
    },
    /// Searched CASE; all results of one type.
    Case {
        /// Condition, result.
        branches: Vec<(BoundExpr, BoundExpr)>,
        /// ELSE; NULL when absent.
        otherwise: Option<Box<BoundExpr>>,
    },
    /// Conversion from the operand's type to this expression's type.
    Cast {
        /// Operand.
        expr: Box<BoundExpr>,
        /// CONVERT's style.
        style: Option<i32>,
        /// TRY_CAST: NULL instead of an error.
        try_: bool,
    },
    /// Scalar function.
    Function(&'static FunctionDef, Vec<BoundExpr>),
    /// Scalar function of the user; arguments have the types of its parameters.
    Call(Arc<UserFunction>, Vec<BoundExpr>),
    /// `NEXT VALUE FOR sequence`
    NextValue(Arc<SequenceUse>),
    /// `(query)` of one column: its only row's value, NULL without a row, 512 with several.
    ScalarQuery(Arc<Rel>),
    /// `EXISTS (query)`
    Exists(Arc<Rel>),
    /// `x IN (query)`; both sides of one type
    InQuery(Box<BoundExpr>, Arc<Rel>, Collation),
}

impl BoundExpr {
    /// A literal of a type.
    #[must_use]
    pub fn literal(value: Value, sql: SqlType) -> BoundExpr {
        let nullable = matches!(value, Value::Null);
        BoundExpr { kind: Kind::Literal(value), ty: ExprType::of(sql, nullable, Collation::LATIN1_CI_AS) }
    }

    /// A predicate.
    #[must_use]
    pub fn predicate(kind: Kind) -> BoundExpr {
        BoundExpr { kind, ty: ExprType::plain(SqlType::Bit, true) }
    }

    /// A column of the input row.
    #[must_use]
    pub fn column(index: usize, ty: ExprType) -> BoundExpr {
        BoundExpr { kind: Kind::Column(index), ty }
    }

    /// The expression's direct operands (not the relations of subqueries).
    #[must_use]
    pub fn children(&self) -> Vec<&BoundExpr> {
        match &self.kind {
            Kind::Literal(_)
            | Kind::Variable(_)
            | Kind::Column(_)
            | Kind::Outer { .. }
            | Kind::NextValue(_)
            | Kind::ScalarQuery(_)
            | Kind::Exists(_) => Vec::new(),
            Kind::Negate(a) | Kind::BitNot(a) | Kind::Not(a) | Kind::IsNull(a) | Kind::InQuery(a, ..) => vec![a],
            Kind::Cast { expr, .. } => vec![expr],
            Kind::Arith(_, a, b) | Kind::Compare(_, a, b, _) | Kind::And(a, b) | Kind::Or(a, b) => vec![a, b],
            Kind::InList(a, list, _) => std::iter::once(&**a).chain(list).collect(),
            Kind::Like { text, pattern, escape, .. } => {
                [text, pattern].into_iter().chain(escape).map(|e| &**e).collect()
            }
            Kind::Case { branches, otherwise } => {
                branches.iter().flat_map(|(a, b)| [a, b]).chain(otherwise.as_deref()).collect()
            }
            Kind::Function(_, args) | Kind::Call(_, args) => args.iter().collect(),
        }
    }

    /// Visits the expression and everything below it.
    pub fn visit(&self, visitor: &mut dyn FnMut(&BoundExpr)) {
        visitor(self);
        for child in self.children() {
            child.visit(visitor);
        }
    }

    /// Whether each row has its own value (NEWID).
    #[must_use]
    pub fn is_volatile(&self) -> bool {
        let mut found = false;
        self.visit(&mut |expr| {
            found |= match &expr.kind {
                Kind::Function(def, _) => def.volatility == Volatility::Row,
                Kind::NextValue(_) => true,
                _ => false,
            };
        });
        found
    }

    /// Rebuilds the expression: `change` may replace a node (its children are then left alone) or leave it.
    #[must_use]
    pub fn rewrite(self, change: &mut dyn FnMut(BoundExpr) -> Result<BoundExpr, BoundExpr>) -> BoundExpr {
        let BoundExpr { kind, ty } = match change(self) {
            Ok(replaced) => return replaced,
            Err(kept) => kept,
        };
        let mut below = |expr: Box<BoundExpr>| Box::new(expr.rewrite(change));
        let kind = match kind {
            Kind::Negate(a) => Kind::Negate(below(a)),
            Kind::BitNot(a) => Kind::BitNot(below(a)),
            Kind::Not(a) => Kind::Not(below(a)),
            Kind::IsNull(a) => Kind::IsNull(below(a)),
            Kind::InQuery(a, rel, collation) => Kind::InQuery(below(a), rel, collation),
            Kind::Cast { expr, style, try_ } => Kind::Cast { expr: below(expr), style, try_ },
            Kind::Arith(op, a, b) => Kind::Arith(op, below(a), below(b)),
            Kind::Compare(op, a, b, collation) => Kind::Compare(op, below(a), below(b), collation),
            Kind::And(a, b) => Kind::And(below(a), below(b)),
            Kind::Or(a, b) => Kind::Or(below(a), below(b)),
            Kind::InList(a, list, collation) => {
                let a = below(a);
                Kind::InList(a, list.into_iter().map(|item| item.rewrite(change)).collect(), collation)
            }
            Kind::Like { text, pattern, escape, collation } => {
                Kind::Like { text: below(text), pattern: below(pattern), escape: escape.map(below), collation }
            }
            Kind::Case { branches, otherwise } => Kind::Case {
                branches: branches.into_iter().map(|(a, b)| (a.rewrite(change), b.rewrite(change))).collect(),
                otherwise: otherwise.map(|expr| Box::new(expr.rewrite(change))),
            },
            Kind::Function(def, args) => Kind::Function(def, args.into_iter().map(|arg| arg.rewrite(change)).collect()),
            Kind::Call(function, args) => {
                Kind::Call(function, args.into_iter().map(|arg| arg.rewrite(change)).collect())
            }
            leaf => leaf,
        };
        BoundExpr { kind, ty }
    }

    /// Whether two expressions are the same text of operations, of one type and collation: what GROUP BY compares. Two CASTs of
    /// a column differ in their types alone.
    #[must_use]
    pub fn same_as(&self, other: &BoundExpr) -> bool {
        let is_of_one_order = !self.ty.sql.is_string() || self.ty.collation == other.ty.collation;
        is_of_one_order && self.is_same_value(other)
    }

    /// The same, whatever COLLATE says of the text as a whole.
    #[must_use]
    pub fn is_same_value(&self, other: &BoundExpr) -> bool {
        self.ty.sql == other.ty.sql
            && match (&self.kind, &other.kind) {
                (Kind::Column(one), Kind::Column(other)) => one == other,
                (one, another) => {
                    discriminant(one) == discriminant(another) && format!("{one:?}") == format!("{another:?}")
                }
            }
    }

    /// What [`BoundExpr::same_as`] compares.
    #[must_use]
    pub fn text(&self) -> String {
        let ExprType { sql, collation, .. } = &self.ty;
        let collation = sql.is_string().then_some(collation);
        format!("{:?} {sql:?} {collation:?}", self.kind)
    }
}

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
    /// The whole function as an expression over its parameters ([`Kind::Variable`] by position), when
    /// it is no more than that.
    pub inline: Option<BoundExpr>,
    /// The function itself and those that became part of `inline`.
    pub uses: Vec<UsedModule>,
    /// What those that became part of `inline` need the right to, and what it needs itself.
    pub needs: Vec<Need>,
    /// Runs it.
    pub body: Arc<dyn FunctionBody>,
}

impl fmt::Debug for UserFunction {
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
        UserFunction { name, parameters, returns: self.returns, inline: None, uses, needs: Vec::new(), body }
    }
}

/// The parts of a conjunction, in order.
#[must_use]
pub fn conjuncts(predicate: BoundExpr) -> Vec<BoundExpr> {
    parts(predicate, |kind| match kind {
        Kind::And(left, right) => Ok([left, right]),
        kind => Err(kind),
    })
}

/// The parts of a disjunction, in order.
#[must_use]
pub fn disjuncts(predicate: BoundExpr) -> Vec<BoundExpr> {
    parts(predicate, |kind| match kind {
        Kind::Or(left, right) => Ok([left, right]),
        kind => Err(kind),
    })
}

/// What is left of a predicate when `split` has taken it apart as far as it can.
fn parts(predicate: BoundExpr, split: impl Fn(Kind) -> Result<[Box<BoundExpr>; 2], Kind>) -> Vec<BoundExpr> {
    let mut parts = Vec::new();
    let mut rest = vec![predicate];
    while let Some(BoundExpr { kind, ty }) = rest.pop() {
        match split(kind) {
            Ok([left, right]) => rest.extend([*right, *left]),
            Err(kind) => parts.push(BoundExpr { kind, ty }),
        }
    }
    parts
}
