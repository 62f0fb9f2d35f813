//! What the manual calls deterministic, and precise, of expressions.
//!
//! It is less than what gives one value of a row always: it knows functions and styles, not values. It decides what may be
//! persisted or indexed, and what COLUMNPROPERTY says; how a computed column is read is the binder's.

use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_types::{DatePart, SqlType, Value};

use super::{FunctionDef, RAND_ONCE, Volatility};

/// Functions that the manual calls nondeterministic although their values are those of their arguments.
const CALLED_NONDETERMINISTIC: [&str; 5] = ["AT TIME ZONE", "DATENAME", "FORMAT", "ISDATE", "PARSENAME"];

/// Whether the manual calls the expression deterministic.
pub fn is_deterministic(expr: &BoundExpr) -> bool {
    let mut is = true;
    expr.visit(&mut |node| {
        is &= match &node.kind {
            Kind::Function(def, args) => is_deterministic_call(def, args),
            Kind::Cast { expr, style, .. } => is_deterministic_cast(&expr.ty.sql, &node.ty.sql, *style),
            // Only of a schema-bound function the server verifies what it does.
            Kind::Call(function, _) => function.uses.first().is_some_and(|(_, module)| module.may_be_bound()),
            _ => true,
        };
    });
    is
}

/// Whether the expression has no float and no real in it.
pub fn is_precise(expr: &BoundExpr) -> bool {
    let mut is = true;
    expr.visit(&mut |node| is &= !matches!(node.ty.sql, SqlType::Float | SqlType::Real));
    is
}

fn is_deterministic_call(def: &FunctionDef, args: &[BoundExpr]) -> bool {
    if CALLED_NONDETERMINISTIC.contains(&def.name) {
        return false;
    }
    // RAND with a seed; without one it has a place before its arguments.
    let is_seeded = def.name == "RAND" && args.len() > usize::from(std::ptr::eq(def, &RAND_ONCE));
    def.volatility == Volatility::Pure || is_seeded || is_fixed_part(def, args)
}

/// Whether a call takes a part of a date that neither DATEFIRST nor the language changes.
pub fn is_fixed_part(def: &FunctionDef, args: &[BoundExpr]) -> bool {
    let of_session = [DatePart::Week as i32, DatePart::Weekday as i32];
    match args.first().map(|part| &part.kind) {
        Some(Kind::Literal(Value::Int(part))) => {
            let has_name = def.name == "DATENAME" && *part == DatePart::Month as i32;
            def.date_part_first && !has_name && !of_session.contains(part)
        }
        _ => false,
    }
}

/// Texts become dates and times, and those of the old types texts, by the session's language unless a style says how.
fn is_deterministic_cast(from: &SqlType, to: &SqlType, style: Option<i32>) -> bool {
    if *from == SqlType::Variant || *to == SqlType::Variant {
        return false;
    }
    let is_old = |sql: &SqlType| matches!(sql, SqlType::DateTime | SqlType::SmallDateTime);
    let by_style = from.is_string() && to.is_temporal() || is_old(from) && to.is_string();
    let is_fixed = |style| matches!(style, 20 | 21) || style > 100 && !matches!(style, 106 | 107 | 109 | 113);
    !by_style || style.is_some_and(is_fixed)
}
