//! What the values of one execution leave of conditions (`millpond_rewrite::settled`).

use millpond_catalog::expr::{ArithOp, BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::Rel;
use millpond_rewrite::settled::settled;
use millpond_types::{SqlType, Value};

use crate::rig::{Rig, and, arith, col, compare, eq, filter, int, is_null, not, or};

fn null() -> BoundExpr {
    BoundExpr::literal(Value::Null, SqlType::Int)
}

/// A table of three rows, and what is left of a condition on it.
struct Case {
    rig: Rig,
    table: Rel,
}

impl Case {
    fn new() -> Case {
        let mut rig = Rig::default();
        let row = |id: i32, k: Option<i32>| vec![Value::Int(id), k.map_or(Value::Null, Value::Int)];
        let table = rig.table(&[SqlType::Int, SqlType::Int], vec![row(1, Some(7)), row(2, None), row(3, Some(9))]);
        Case { rig, table }
    }

    fn id(&self) -> BoundExpr {
        col(&self.table, 0)
    }

    fn k(&self) -> BoundExpr {
        col(&self.table, 1)
    }

    /// The condition that is left; none where all rows pass. The rows stay as they were.
    fn left(&self, condition: BoundExpr) -> Option<BoundExpr> {
        let whole = filter(self.table.clone(), condition);
        let left = settled(whole.clone(), &*self.rig.context());
        assert_eq!(self.rig.set(&left), self.rig.set(&whole));
        match left {
            Rel::Filter { predicate, .. } => Some(predicate),
            Rel::Table { .. } => None,
            other => panic!("{other:?}"),
        }
    }

    fn is_nothing(&self, condition: BoundExpr) {
        let whole = filter(self.table.clone(), condition);
        let left = settled(whole.clone(), &*self.rig.context());
        assert!(matches!(&left, Rel::Values { rows, .. } if rows.is_empty()), "{left:?}");
        assert_eq!(self.rig.set(&whole), Vec::<Vec<Value>>::new());
    }
}

#[test]
fn alternatives_that_values_decide_go() {
    let case = Case::new();
    let asked = || eq(case.id(), int(3));
    // (7 IS NULL OR id = 3), (NULL IS NULL OR k = NULL)
    let left = case.left(or(is_null(int(7)), asked())).expect("a condition is left");
    assert!(left.same_as(&asked()), "{left:?}");
    assert!(case.left(or(is_null(null()), eq(case.k(), null()))).is_none());
    let both = and(or(is_null(int(7)), asked()), or(is_null(null()), eq(case.k(), null())));
    let left = case.left(both).expect("a condition is left");
    assert!(left.same_as(&asked()), "{left:?}");
}

#[test]
fn contradictions_have_no_row() {
    let case = Case::new();
    case.is_nothing(and(eq(int(1), int(2)), eq(case.id(), int(3))));
    case.is_nothing(or(eq(int(1), int(2)), eq(int(3), null())));
    case.is_nothing(eq(int(1), null()));
    // The opposite of what is not known is not known either.
    case.is_nothing(not(eq(int(1), null())));
}

#[test]
fn computations_over_values_become_values() {
    let case = Case::new();
    let sum = arith(ArithOp::Add, int(1), int(2));
    let left = case.left(eq(case.id(), sum)).expect("a condition is left");
    let Kind::Compare(CompareOp::Eq, _, value, _) = &left.kind else { panic!("{left:?}") };
    assert!(matches!(value.kind, Kind::Literal(Value::Int(3))), "{value:?}");
}

#[test]
fn what_fails_stays_as_it_is() {
    let case = Case::new();
    let failing = || compare(CompareOp::Gt, case.id(), arith(ArithOp::Div, int(1), int(0)));
    let whole = filter(case.table.clone(), failing());
    let left = settled(whole, &*case.rig.context());
    assert_eq!(case.rig.error(&left), 8134);
    // No row asks for it.
    case.is_nothing(and(eq(int(1), int(2)), failing()));
}
