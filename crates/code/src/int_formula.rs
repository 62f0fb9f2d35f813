//! Arithmetic and comparisons of `int` variables in a few instructions: the counters and conditions of loops.
//!
//! What always holds: a value is the one that `eval` has for the same expression (F1). Where a formula has none — a NULL, an
//! overflow, a division — `eval` is asked, which knows the answer or the error. It knows no tables, functions or
//! settings, so nothing of the statement around is prepared for it.

use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_types::arith::ArithOp;
use millpond_types::{SqlType, Value};

/// Operators of a formula, at most.
const OPERATORS_MAX: usize = 16;

/// A value of type `int`, or a comparison of two.
#[derive(Debug)]
pub enum IntFormula {
    /// A constant.
    Literal(i32),
    /// A variable, by slot.
    Variable(usize),
    /// A sum, difference or product.
    Arith(ArithOp, Box<[IntFormula; 2]>),
}

/// A condition over formulas.
#[derive(Debug)]
pub struct IntTest {
    op: CompareOp,
    sides: [IntFormula; 2],
}

impl IntFormula {
    /// The formula of an expression, where it is one.
    pub fn of(expr: &BoundExpr) -> Option<IntFormula> {
        let mut operators = 0;
        expr.visit(&mut |node| operators += usize::from(matches!(node.kind, Kind::Arith(..))));
        if operators <= OPERATORS_MAX { formula(expr) } else { None }
    }

    /// Its value; none where `eval` is to be asked.
    #[inline]
    pub fn value(&self, variables: &[Value]) -> Option<i32> {
        match self {
            IntFormula::Literal(number) => Some(*number),
            IntFormula::Variable(slot) => match variables.get(*slot) {
                Some(Value::Int(number)) => Some(*number),
                _ => None,
            },
            IntFormula::Arith(op, sides) => arith(*op, sides, variables),
        }
    }
}

fn arith(op: ArithOp, [left, right]: &[IntFormula; 2], variables: &[Value]) -> Option<i32> {
    let (left, right) = (left.value(variables)?, right.value(variables)?);
    match op {
        ArithOp::Add => left.checked_add(right),
        ArithOp::Sub => left.checked_sub(right),
        ArithOp::Mul => left.checked_mul(right),
        _ => None,
    }
}

fn formula(expr: &BoundExpr) -> Option<IntFormula> {
    if expr.ty.sql != SqlType::Int {
        return None;
    }
    match &expr.kind {
        Kind::Literal(Value::Int(number)) => Some(IntFormula::Literal(*number)),
        Kind::Variable(slot) => Some(IntFormula::Variable(*slot)),
        Kind::Arith(op @ (ArithOp::Add | ArithOp::Sub | ArithOp::Mul), left, right) => {
            Some(IntFormula::Arith(*op, Box::new([formula(left)?, formula(right)?])))
        }
        _ => None,
    }
}

impl IntTest {
    /// The test that a condition is, where it is one.
    pub fn of(expr: &BoundExpr) -> Option<IntTest> {
        match &expr.kind {
            Kind::Compare(op, left, right, _) => {
                Some(IntTest { op: *op, sides: [IntFormula::of(left)?, IntFormula::of(right)?] })
            }
            _ => None,
        }
    }

    /// Whether it holds; none where `eval` is to be asked.
    #[inline]
    pub fn holds(&self, variables: &[Value]) -> Option<bool> {
        let (left, right) = (self.sides[0].value(variables)?, self.sides[1].value(variables)?);
        Some(match self.op {
            CompareOp::Eq => left == right,
            CompareOp::NotEq => left != right,
            CompareOp::Lt => left < right,
            CompareOp::LtEq => left <= right,
            CompareOp::Gt => left > right,
            CompareOp::GtEq => left >= right,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millpond_catalog::expr::ExprType;
    use millpond_types::Collation;

    fn int(kind: Kind) -> BoundExpr {
        BoundExpr { kind, ty: ExprType::plain(SqlType::Int, true) }
    }

    fn sum(op: ArithOp, left: BoundExpr, right: BoundExpr) -> BoundExpr {
        int(Kind::Arith(op, Box::new(left), Box::new(right)))
    }

    #[test]
    fn what_has_no_plain_value_is_left_to_eval() {
        let (one, first) = (|| int(Kind::Literal(Value::Int(1))), || int(Kind::Variable(0)));
        let next = IntFormula::of(&sum(ArithOp::Add, first(), one())).unwrap();
        assert_eq!(next.value(&[Value::Int(41)]), Some(42));
        assert_eq!(next.value(&[Value::Int(i32::MAX)]), None, "an overflow");
        assert_eq!(next.value(&[Value::Null]), None);
        assert_eq!(next.value(&[]), None);
        assert!(IntFormula::of(&sum(ArithOp::Div, first(), one())).is_none(), "by zero is an error");
        let compare = int(Kind::Compare(CompareOp::LtEq, Box::new(first()), Box::new(one()), Collation::default()));
        let test = IntTest::of(&compare).unwrap();
        for (number, holds) in [(0, true), (1, true), (2, false)] {
            assert_eq!(test.holds(&[Value::Int(number)]), Some(holds));
        }
        assert_eq!(test.holds(&[Value::Null]), None, "unknown");
    }
}
