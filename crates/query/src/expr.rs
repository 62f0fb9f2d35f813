//! Typed expressions: what the binder makes of an `ast::Expr`. Every implicit conversion is an explicit [`Kind::Cast`],
//! every comparison names its collation, every column is a position in its input row. Direct statements evaluate them
//! (`eval.rs`), plans translate them (`analytic`).

use std::sync::Arc;

use millpond_types::collation::Collation;
use millpond_types::{SqlType, Value};

use crate::builtin::FunctionDef;
use crate::rel::Rel;

/// The static facts of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExprType {
    /// Type.
    pub sql: SqlType,
    /// Whether NULL may come.
    pub nullable: bool,
    /// Collation when it is a string.
    pub collation: Collation,
}

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
    /// `(query)` of one column: its only row's value, NULL without a row, 512 with several.
    ScalarQuery(Arc<Rel>),
    /// `EXISTS (query)`
    Exists(Arc<Rel>),
    /// `x IN (query)`; both sides of one type
    InQuery(Box<BoundExpr>, Arc<Rel>, Collation),
}
