//! `OPTIMIZE FOR`: for which values of variables a plan is made.
//!
//! What always holds: what is said here guides the choice of a plan alone; no statement computes with it.

use std::sync::Arc;

use millpond_catalog::rel::Guesses;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::decimal::MAX_PRECISION;
use millpond_types::{CastRules, MaxLen, SqlType, Value, cast, coerce};

use crate::binder::Binder;
use crate::expression::operator::no_implicit;

/// For which values the plan is to be made; none where for those that variables have.
///
/// # Errors
/// 137 for a variable that is not declared, 4131 for one that is named twice, 206 and 4132 for values that it cannot have.
pub(crate) fn guesses(binder: &Binder<'_>, options: &[String]) -> SqlResult<Option<Arc<Guesses>>> {
    let mut guesses = Guesses::default();
    for option in options {
        let names = option.strip_prefix("USE HINT").map(str::to_uppercase);
        guesses.all_unknown |= names.is_some_and(|names| names.contains("'DISABLE_PARAMETER_SNIFFING'"));
        let Some(said) = option.strip_prefix("OPTIMIZE FOR ") else { continue };
        let Some(list) = said.strip_prefix('(').and_then(|said| said.strip_suffix(')')) else {
            guesses.all_unknown = true;
            continue;
        };
        for (name, literal) in items(list) {
            let found = binder.variables.find(name);
            let (slot, ty) = found.ok_or_else(|| millpond_message::undeclared_variable(name))?;
            if guesses.values.iter().any(|(known, _)| *known == slot) {
                return Err(SqlError::of(4131, 1, &[&name]));
            }
            guesses.values.push((slot, literal.map_or(Ok(Value::Null), |literal| value_of(name, &literal, &ty))?));
        }
    }
    let says_nothing = !guesses.all_unknown && guesses.values.is_empty();
    Ok((!says_nothing).then(|| Arc::new(guesses)))
}

/// The variables of `@a = 7 , @b UNKNOWN`, each with its literal.
fn items(list: &str) -> impl Iterator<Item = (&str, Option<String>)> {
    // A mark within a text is behind an odd number of quotes.
    let outside = |mark: char| {
        let mut within = false;
        move |of: char| {
            within ^= of == '\'';
            of == mark && !within
        }
    };
    let items = list.split(outside(',')).map(str::trim).filter(|item| !item.is_empty());
    items.map(move |item| match item.split_once('=') {
        Some((name, literal)) => (name.trim(), Some(literal.trim().replacen("- ", "-", 1))),
        None => (item.split(' ').next().unwrap_or(item), None),
    })
}

/// The value of a literal in the type of its variable.
fn value_of(name: &str, literal: &str, ty: &SqlType) -> SqlResult<Value> {
    if literal.eq_ignore_ascii_case("NULL") {
        return Ok(Value::Null);
    }
    let refused = || SqlError::of(4132, 1, &[&name]);
    let (value, from) = typed(literal).ok_or_else(refused)?;
    if !coerce::implicit_allowed(&from, ty) {
        return Err(no_implicit(&from, ty));
    }
    cast::cast(&value, &from, ty, None, CastRules::DEFAULT).map_err(|_| refused())
}

/// What a literal is.
fn typed(literal: &str) -> Option<(Value, SqlType)> {
    let text = SqlType::NVarChar { len: MaxLen::Max };
    let national = literal.strip_prefix(['N', 'n']).filter(|rest| rest.starts_with('\''));
    let quoted = national.unwrap_or(literal).strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    if let Some(quoted) = quoted {
        return Some((Value::str(&quoted.replace("''", "'")), text));
    }
    if let Some(digits) = literal.strip_prefix("0x").or_else(|| literal.strip_prefix("0X")) {
        let digits = format!("{}{digits}", "0".repeat(digits.len() % 2));
        let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        let bytes: Vec<u8> = (0..digits.len()).step_by(2).map(byte).collect::<Option<_>>()?;
        return Some((Value::binary(&bytes), SqlType::VarBinary { len: MaxLen::Max }));
    }
    if let Ok(number) = literal.parse::<i32>() {
        return Some((Value::Int(number), SqlType::Int));
    }
    let to = |text: &str, sql: SqlType| {
        let from = SqlType::NVarChar { len: MaxLen::Max };
        Some((cast::cast(&Value::str(text), &from, &sql, None, CastRules::DEFAULT).ok()?, sql))
    };
    if literal.contains(|of: char| !matches!(of, '0'..='9' | '.' | '-' | 'e' | 'E' | '+')) {
        return to(literal, SqlType::Money);
    }
    if literal.contains(['e', 'E']) {
        return to(literal, SqlType::Float);
    }
    let scale = literal.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    to(literal, SqlType::numeric(MAX_PRECISION, u8::try_from(scale).ok()?))
}

#[cfg(test)]
mod tests {
    use super::{SqlType, Value, items, typed, value_of};

    #[test]
    fn variables_are_told_apart_and_texts_keep_their_case() {
        let list = "@A = 7 , @b UNKNOWN , @C = N'X, ''y''=1' , @D = - 3 , @E = NULL";
        let found: Vec<(&str, Option<String>)> = items(list).collect();
        let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["@A", "@b", "@C", "@D", "@E"]);
        let value = |at: usize, ty: SqlType| value_of("@x", found[at].1.as_deref().expect("it has one"), &ty);
        assert_eq!(value(0, SqlType::Int), Ok(Value::Int(7)));
        assert_eq!(found[1].1, None);
        assert_eq!(value(2, SqlType::varchar(30)), Ok(Value::str("X, 'y'=1")));
        assert_eq!(value(3, SqlType::Int), Ok(Value::Int(-3)));
        assert_eq!(value(4, SqlType::Int), Ok(Value::Null));
        assert_eq!(value(2, SqlType::Int).map_err(|error| error.number), Err(4132), "no number");
        assert_eq!(value(0, SqlType::Date).map_err(|error| error.number), Err(206), "no date");
    }

    #[test]
    fn literals_have_the_types_that_they_have_elsewhere() {
        let ty = |literal| typed(literal).map(|(_, sql)| sql.name().to_string());
        for (literal, name) in [
            ("7", "int"),
            ("-7", "int"),
            ("3000000000", "numeric"),
            ("1.5", "numeric"),
            ("1e3", "float"),
            ("$1.5", "money"),
            ("0x0A", "varbinary"),
            ("'a'", "nvarchar"),
        ] {
            assert_eq!(ty(literal).as_deref(), Some(name), "{literal}");
        }
    }
}
