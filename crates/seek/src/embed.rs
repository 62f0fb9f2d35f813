//! Which conversions of a column leave its comparisons as they are.
//!
//! What always holds: where [`embeds`] is true, each value of the one type has exactly one value of the other, in the
//! same order, and no other value of the one type has it. `CAST(k AS t) = v` is then `k = v`, and an index on k finds it.
//! A conversion that rounds or cuts (`CAST(created AS date)`, `CAST(amount AS int)`, any number AS bit) is none of these:
//! many values of the column have one value of the target.

use millpond_types::{MaxLen, SqlType};

/// Whether every value of `from` stays what it is, and where it is in the order, when it is converted to `to`.
pub(crate) fn embeds(from: &SqlType, to: &SqlType) -> bool {
    from == to || digits_fit(from, to) || texts_fit(from, to) || datetimes_fit(from, to)
}

/// Digits before and after the point that values of an exact type have at most.
fn digits(sql: &SqlType) -> Option<(u8, u8)> {
    Some(match *sql {
        SqlType::Bit => (1, 0),
        SqlType::TinyInt => (3, 0),
        SqlType::SmallInt => (5, 0),
        SqlType::Int => (10, 0),
        SqlType::BigInt => (19, 0),
        SqlType::SmallMoney => (6, 4),
        SqlType::Money => (15, 4),
        SqlType::Decimal { precision, scale, .. } => (precision - scale, scale),
        _ => return None,
    })
}

/// The order of the integers by their ranges, where digits alone would say less.
fn rank(sql: &SqlType) -> Option<u8> {
    Some(match sql {
        SqlType::Bit => 0,
        SqlType::TinyInt => 1,
        SqlType::SmallInt => 2,
        SqlType::Int => 3,
        SqlType::BigInt => 4,
        _ => return None,
    })
}

fn digits_fit(from: &SqlType, to: &SqlType) -> bool {
    if let (Some(from), Some(to)) = (rank(from), rank(to)) {
        return from <= to;
    }
    // The digits of an integer are more than it can use: a decimal of so many digits has values that it has not.
    let has_all_digits = matches!(to, SqlType::Decimal { .. } | SqlType::Money)
        || matches!((from, to), (SqlType::Bit | SqlType::TinyInt | SqlType::SmallInt, SqlType::SmallMoney));
    match (digits(from), digits(to)) {
        (Some((whole, scale)), Some((to_whole, to_scale))) => has_all_digits && whole <= to_whole && scale <= to_scale,
        _ => false,
    }
}

fn texts_fit(from: &SqlType, to: &SqlType) -> bool {
    let long_enough = match (from.max_len(), to.max_len()) {
        (_, Some(MaxLen::Max)) => true,
        (Some(MaxLen::Limited(from)), Some(MaxLen::Limited(to))) => from <= to,
        _ => false,
    };
    let same_alphabet = to.is_unicode() || !from.is_unicode() && from.page() == to.page();
    from.is_string() && to.is_string() && same_alphabet && long_enough
}

fn datetimes_fit(from: &SqlType, to: &SqlType) -> bool {
    use SqlType as S;
    match (*from, *to) {
        (S::Date, S::DateTime | S::DateTime2 { .. } | S::DateTimeOffset { .. }) => true,
        (S::SmallDateTime, S::DateTime | S::DateTime2 { .. } | S::DateTimeOffset { .. }) => true,
        // A datetime counts in 1/300 s: three digits keep them apart.
        (S::DateTime, S::DateTime2 { scale } | S::DateTimeOffset { scale }) => scale >= 3,
        (S::Time { scale: from }, S::Time { scale: to }) => from <= to,
        (S::Time { scale: from }, S::DateTime2 { scale: to } | S::DateTimeOffset { scale: to }) => from <= to,
        (S::DateTime2 { scale: from }, S::DateTime2 { scale: to } | S::DateTimeOffset { scale: to }) => from <= to,
        (S::DateTimeOffset { scale: from }, S::DateTimeOffset { scale: to }) => from <= to,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use millpond_types::cast::cast;
    use millpond_types::collation::Collation;
    use millpond_types::{CastRules, Value};

    use super::*;
    use millpond_builtin::eval::compare_values;
    use millpond_catalog::expr::CompareOp;

    fn types() -> Vec<SqlType> {
        use SqlType as S;
        let mut types = vec![S::Bit, S::TinyInt, S::SmallInt, S::Int, S::BigInt, S::SmallMoney, S::Money];
        types.extend(
            [(1, 0), (3, 0), (5, 2), (10, 0), (10, 4), (19, 0), (23, 4), (38, 10)].map(|(p, s)| S::decimal(p, s)),
        );
        types.extend([S::Date, S::SmallDateTime, S::DateTime, S::Real, S::Float]);
        for scale in [0, 2, 3, 7] {
            types.extend([S::Time { scale }, S::DateTime2 { scale }, S::DateTimeOffset { scale }]);
        }
        types
    }

    /// Values of a type: those of many texts that it takes.
    fn values(sql: &SqlType) -> Vec<Value> {
        let texts = [
            "0",
            "1",
            "2",
            "-1",
            "-3",
            "28",
            "255",
            "99.5",
            "5.3",
            "-5.25",
            "99999",
            "32767",
            "2147483647",
            "-2147483648",
            "9223372036854775807",
            "214748.3647",
            "922337203685477.5807",
            "1999-12-31",
            "2024-01-01 10:00",
            "2024-01-01 10:00:29",
            "2024-01-01 23:59:59.997",
            "2024-01-01 23:59:59.993",
            "9999-12-31",
            "10:00:00.5",
            "10:00:00.51",
            "10:00:00.5123456",
            "2024-01-01 10:00:00.1234567",
            "2024-01-01 10:00:00.1234567 +05:30",
        ];
        let text = SqlType::VarChar { len: MaxLen::Limited(60), page: Default::default() };
        let cast = |from: &&str| cast(&Value::Str((*from).into()), &text, sql, None, CastRules::DEFAULT).ok();
        texts.iter().filter_map(cast).collect()
    }

    fn order(a: &Value, b: &Value) -> Ordering {
        let is = |op| compare_values(op, a, b, Collation::LATIN1_CI_AS) == Some(true);
        if is(CompareOp::Lt) {
            Ordering::Less
        } else if is(CompareOp::Gt) {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    }

    #[test]
    fn comparisons_are_the_same_before_and_after() {
        let mut pairs = 0;
        for from in types() {
            for to in types().iter().filter(|to| embeds(&from, to)) {
                let convert = |value: &Value| {
                    let made = cast(value, &from, to, None, CastRules::DEFAULT);
                    made.unwrap_or_else(|error| panic!("{value:?} of {from:?} as {to:?}: {error:?}"))
                };
                let values = values(&from);
                assert!(values.len() > 1, "{from:?}");
                for a in &values {
                    for b in &values {
                        let (wide_a, wide_b) = (convert(a), convert(b));
                        assert_eq!(order(a, b), order(&wide_a, &wide_b), "{a:?} and {b:?} of {from:?} as {to:?}");
                    }
                }
                pairs += 1;
            }
        }
        assert!(pairs > 100, "{pairs} pairs");
    }

    #[test]
    fn what_rounds_is_no_embedding() {
        use SqlType as S;
        let lossy = [
            (S::Int, S::Bit),
            (S::Int, S::SmallInt),
            (S::decimal(10, 2), S::Int),
            (S::decimal(10, 2), S::decimal(10, 1)),
            (S::decimal(10, 2), S::decimal(9, 2)),
            (S::Money, S::Int),
            (S::Money, S::decimal(19, 3)),
            (S::DateTime, S::Date),
            (S::DateTime, S::SmallDateTime),
            (S::DateTime, S::Time { scale: 7 }),
            (S::DateTime, S::DateTime2 { scale: 2 }),
            (S::DateTime2 { scale: 7 }, S::DateTime),
            (S::DateTime2 { scale: 7 }, S::DateTime2 { scale: 0 }),
            (S::DateTimeOffset { scale: 7 }, S::DateTime2 { scale: 7 }),
            (S::DateTimeOffset { scale: 7 }, S::Date),
            (S::Time { scale: 7 }, S::Time { scale: 0 }),
            (S::BigInt, S::Float),
            (S::Float, S::Real),
        ];
        for (from, to) in lossy {
            assert!(!embeds(&from, &to), "{from:?} as {to:?}");
        }
    }
}
