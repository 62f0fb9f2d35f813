//! Bound expressions as SQL Server writes them in plans: `[db].[dbo].[t].[a]=[@p] AND [Expr1001]>(5)`.

use millpond_builtin::{NOTE_NULL, RAND_ONCE};
use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_tsql::print::bracketed;
use millpond_types::{CastRules, MaxLen, SqlType, Value, cast};

use crate::Scope;

/// How an operator is written.
pub fn compare_sign(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "=",
        CompareOp::NotEq => "<>",
        CompareOp::Lt => "<",
        CompareOp::LtEq => "<=",
        CompareOp::Gt => ">",
        CompareOp::GtEq => ">=",
    }
}

/// A constant.
pub(crate) fn literal(value: &Value, sql: &SqlType) -> String {
    let text = match cast::cast(value, sql, &SqlType::NVarChar { len: MaxLen::Max }, style_of(sql), CastRules::DEFAULT)
    {
        Ok(Value::Str(text)) => text.to_string(),
        _ => return "NULL".to_owned(),
    };
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Str(_) if sql.is_unicode() => format!("N'{}'", text.replace('\'', "''")),
        Value::Binary(_) => text,
        Value::Bit(_)
        | Value::TinyInt(_)
        | Value::SmallInt(_)
        | Value::Int(_)
        | Value::BigInt(_)
        | Value::Real(_)
        | Value::Float(_)
        | Value::Decimal(_)
        | Value::Money(_) => format!("({text})"),
        _ => format!("'{}'", text.replace('\'', "''")),
    }
}

/// The style that loses nothing.
fn style_of(sql: &SqlType) -> Option<i32> {
    match sql {
        SqlType::Binary { .. } | SqlType::VarBinary { .. } | SqlType::RowVersion => Some(1),
        SqlType::Real | SqlType::Float => Some(2),
        SqlType::DateTime | SqlType::SmallDateTime => Some(121),
        _ => None,
    }
}

impl Scope {
    /// An expression whose input row has columns of these names.
    pub fn text(&self, expr: &BoundExpr, columns: &[String]) -> String {
        let below = |expr: &BoundExpr| self.text(expr, columns);
        let list = |list: &[BoundExpr]| list.iter().map(below).collect::<Vec<String>>().join(",");
        match &expr.kind {
            Kind::Literal(value) => literal(value, &expr.ty.sql),
            Kind::Variable(slot) => bracketed(self.variables.get(*slot).map_or("@?", String::as_str)),
            Kind::Column(index) => columns.get(*index).cloned().unwrap_or_else(|| "[?]".to_owned()),
            Kind::Outer { column, .. } => format!("[Outer{column}]"),
            Kind::Arith(op, left, right) => {
                let side = |side: &BoundExpr| match side.kind {
                    Kind::Arith(..) => format!("({})", below(side)),
                    _ => below(side),
                };
                format!("{}{}{}", side(left), op.sign(), side(right))
            }
            Kind::Negate(operand) => format!("-{}", below(operand)),
            Kind::BitNot(operand) => format!("~{}", below(operand)),
            Kind::Compare(op, left, right, _) => format!("{}{}{}", below(left), compare_sign(*op), below(right)),
            Kind::And(left, right) => {
                let side = |side: &BoundExpr| match side.kind {
                    Kind::Or(..) => format!("({})", below(side)),
                    _ => below(side),
                };
                format!("{} AND {}", side(left), side(right))
            }
            Kind::Or(left, right) => format!("{} OR {}", below(left), below(right)),
            Kind::Not(operand) => match operand.kind {
                Kind::And(..) | Kind::Or(..) => format!("NOT ({})", below(operand)),
                _ => format!("NOT {}", below(operand)),
            },
            Kind::IsNull(operand) => format!("{} IS NULL", below(operand)),
            Kind::InList(operand, items, _) => {
                let operand = below(operand);
                let parts: Vec<String> = items.iter().map(|item| format!("{operand}={}", below(item))).collect();
                parts.join(" OR ")
            }
            Kind::Like { text, pattern, escape, .. } => {
                let escape = escape.as_ref().map_or(String::new(), |escape| format!(" escape {}", below(escape)));
                format!("{} like {}{escape}", below(text), below(pattern))
            }
            Kind::Case { branches, otherwise } => {
                let mut text = "CASE".to_owned();
                for (condition, value) in branches {
                    text.push_str(&format!(" WHEN {} THEN {}", below(condition), below(value)));
                }
                let otherwise = otherwise.as_ref().map_or_else(|| "NULL".to_owned(), |value| below(value));
                format!("{text} ELSE {otherwise} END")
            }
            Kind::Cast { expr: operand, style, try_ } => {
                let function = if *try_ { "TRY_CONVERT" } else { "CONVERT" };
                format!("{function}({},{},{})", expr.ty.sql, below(operand), style.unwrap_or(0))
            }
            // It is the value that it looks at.
            Kind::Function(def, args) if def.is(&NOTE_NULL) => args.first().map(below).unwrap_or_default(),
            // The number of its place is ours.
            Kind::Function(def, args) if def.is(&RAND_ONCE) => format!("rand({})", list(&args[1..])),
            Kind::Function(def, args) => {
                // A collation's number may stand after the arguments.
                format!("{}({})", def.name.to_lowercase(), list(&args[..args.len().min(def.max_args)]))
            }
            Kind::Call(function, args) => {
                let name: Vec<String> = function.name.split('.').map(bracketed).collect();
                format!("{}({})", name.join("."), list(args))
            }
            Kind::NextValue(sequence) => format!("NEXT VALUE FOR {}", bracketed(&sequence.name)),
            Kind::ScalarQuery(_) => "(subquery)".to_owned(),
            Kind::Exists(_) => "EXISTS (subquery)".to_owned(),
            Kind::InQuery(operand, ..) => format!("{} IN (subquery)", below(operand)),
        }
    }

    /// The conjunction of predicates.
    pub fn conjunction(&self, predicates: &[BoundExpr], columns: &[String]) -> String {
        let one = |predicate: &BoundExpr| match predicate.kind {
            Kind::Or(..) | Kind::InList(..) if predicates.len() > 1 => format!("({})", self.text(predicate, columns)),
            _ => self.text(predicate, columns),
        };
        predicates.iter().map(one).collect::<Vec<String>>().join(" AND ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_written_with_their_kind() {
        assert_eq!(literal(&Value::Int(-5), &SqlType::Int), "(-5)");
        let text = |sql| literal(&Value::Str("it's".into()), &sql);
        assert_eq!(text(SqlType::VARCHAR_MAX), "'it''s'");
        assert_eq!(text(SqlType::NVarChar { len: MaxLen::Max }), "N'it''s'");
        assert_eq!(literal(&Value::binary(&[1, 255]), &SqlType::VarBinary { len: MaxLen::Max }), "0x01FF");
        assert_eq!(literal(&Value::Null, &SqlType::Int), "NULL");
    }
}
