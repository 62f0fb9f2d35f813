//! Keys order as values compare.

use std::cmp::Ordering;

use millpond_types::compare::{compare, equal};
use millpond_types::{
    CodePage, Collation, Date, DateTime2, DateTimeOffset, Decimal, KeyOrder, MaxLen, SqlType, Value, append_key,
    key_len_max,
};
use proptest::prelude::*;

use crate::strategies::{any_type, collations, value_of};

fn key(value: &Value, collation: Collation, order: KeyOrder) -> Vec<u8> {
    let mut key = Vec::new();
    append_key(value, collation, order, &mut key);
    key
}

fn two_of_a_type() -> impl Strategy<Value = (Value, Value)> {
    any_type().prop_flat_map(|sql_type| (value_of(sql_type), value_of(sql_type)))
}

#[test]
fn null_is_first_ascending_and_last_descending() {
    let (null, low) = (Value::Null, Value::Int(i32::MIN));
    for (order, expected) in [(KeyOrder::Ascending, Ordering::Less), (KeyOrder::Descending, Ordering::Greater)] {
        let collation = Collation::default();
        assert_eq!(key(&null, collation, order).cmp(&key(&low, collation, order)), expected);
    }
}

#[test]
fn both_zeros_and_both_paddings_have_one_key() {
    let pairs = [
        (Value::Float(0.0), Value::Float(-0.0)),
        (Value::Real(0.0), Value::Real(-0.0)),
        (Value::str("ab"), Value::str("AB  ")),
        (Value::binary(&[1]), Value::binary(&[1, 0])),
    ];
    for (a, b) in pairs {
        let of = |value: &Value| key(value, Collation::default(), KeyOrder::Ascending);
        assert_eq!(of(&a), of(&b), "{a:?} {b:?}");
    }
}

#[test]
fn known_keys() {
    let of = |value: Value| key(&value, Collation::default(), KeyOrder::Ascending);
    assert_eq!(of(Value::Int(-1)), [1, 0x7F, 0xFF, 0xFF, 0xFF]);
    assert_eq!(of(Value::Date(Date { days: 0x01_0203 })), [1, 1, 2, 3]);
    assert_eq!(of(Value::Real(0.0)), [1, 0x80, 0, 0, 0]);
    assert_eq!(of(Value::binary(&[1, 0, 2, 0])), [1, 1, 0, 0xFF, 2, 0, 0]);
    assert_eq!(of(Value::Null), [0]);
    assert_eq!(key(&Value::Null, Collation::default(), KeyOrder::Descending), [0xFF]);
    // Instants, whatever their clocks show.
    let utc = DateTime2::from_total_ticks(0x0102_0304_0506_0708).expect("in range");
    let east = DateTimeOffset::from_utc(utc, 60).expect("in range");
    assert_eq!(of(east.into()), [1, 1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn the_longest_keys_reach_their_bounds_and_no_more() {
    let longest = |sql_type: SqlType, collation, value: Value| {
        let bound = key_len_max(&sql_type, collation).expect("a key column");
        let bytes = key(&value, collation, KeyOrder::Ascending).len();
        assert!(bytes <= bound && bytes + 9 >= bound, "{sql_type} {bytes} {bound}");
    };
    let n = 100;
    let (varchar, nvarchar) = (SqlType::varchar(n), SqlType::NVarChar { len: MaxLen::Limited(n) });
    let last = usize::from(n) - 1;
    // The accent at the end makes its level long, the lower case the level of cases.
    let controls = format!("{}é", "\u{1}".repeat(last));
    let wide = format!("{}é", "日".repeat(last));
    for collation in [Collation::LATIN1_CI_AS, Collation::LATIN1_CS_AS] {
        longest(varchar, collation, Value::str(&controls));
        longest(nvarchar, collation, Value::str(&wide));
    }
    let utf8 = varchar.in_page(CodePage::Utf8);
    let controls = format!("{}z", "\u{1}".repeat(last));
    for collation in [Collation::UTF8_CI_AS, Collation::UTF8_BIN2] {
        let bound = key_len_max(&utf8, collation).expect("a key column");
        for text in [&controls, &"日".repeat(last / 3), &"😀".repeat(last / 4), &"\u{80}".repeat(last / 2)] {
            let bytes = key(&Value::str(text), collation, KeyOrder::Ascending).len();
            assert!(bytes <= bound, "{bytes} {bound}");
        }
    }
    longest(varchar, Collation::LATIN1_BIN2, Value::str(&"€".repeat(usize::from(n))));
    longest(SqlType::VarBinary { len: MaxLen::Limited(n) }, Collation::default(), {
        let mut bytes = vec![0; usize::from(n)];
        bytes[last] = 1;
        Value::from(bytes)
    });
    let decimal = SqlType::decimal(38, 0);
    longest(decimal, Collation::default(), Value::Decimal(Decimal { unscaled: 1, scale: 0 }));
    assert_eq!(key_len_max(&SqlType::Xml, Collation::default()), None);
    assert_eq!(key_len_max(&SqlType::VARCHAR_MAX, Collation::default()), None);
}

/// Columns with their order, and two rows of them, often alike in their first columns.
fn two_rows() -> impl Strategy<Value = (Vec<SqlType>, Vec<KeyOrder>, Vec<Value>, Vec<Value>)> {
    let order = prop_oneof![Just(KeyOrder::Ascending), Just(KeyOrder::Descending)];
    proptest::collection::vec((any_type(), order), 1..5).prop_flat_map(|columns| {
        let (types, orders): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
        let row = |types: &[SqlType]| types.iter().map(|&sql_type| value_of(sql_type)).collect::<Vec<_>>();
        let (one, other) = (row(&types), row(&types));
        let same = 0..=types.len();
        (Just(types), Just(orders), one, other, same).prop_map(|(types, orders, one, mut other, same)| {
            other[..same].clone_from_slice(&one[..same]);
            (types, orders, one, other)
        })
    })
}

fn row_key(row: &[Value], orders: &[KeyOrder], collation: Collation) -> Vec<u8> {
    let mut key = Vec::new();
    for (value, &order) in row.iter().zip(orders) {
        append_key(value, collation, order, &mut key);
    }
    key
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn keys_of_several_columns_order_column_by_column((types, orders, one, other) in two_rows()) {
        for collation in collations() {
            let expected = one.iter().zip(&other).zip(&orders).map(|((a, b), order)| {
                let ascending = compare(a, b, collation);
                if *order == KeyOrder::Descending { ascending.reverse() } else { ascending }
            }).find(|order| order.is_ne()).unwrap_or(Ordering::Equal);
            let (x, y) = (row_key(&one, &orders, collation), row_key(&other, &orders, collation));
            prop_assert_eq!(x.cmp(&y), expected, "{:?}", types);
            prop_assert!(x == y || (!x.starts_with(&y) && !y.starts_with(&x)));
        }
    }

    #[test]
    fn no_key_is_longer_than_its_bound((sql_type, value) in any_type().prop_flat_map(|t| (Just(t), value_of(t)))) {
        for collation in collations() {
            if let Some(bound) = key_len_max(&sql_type, collation) {
                prop_assert!(key(&value, collation, KeyOrder::Ascending).len() <= bound, "{}", sql_type);
            }
        }
    }

    #[test]
    fn trailing_blanks_never_count(text in "[ab\t äé日]{0,12}", blanks in 0..20usize) {
        for collation in collations() {
            let padded = Value::from(format!("{text}{:blanks$}", ""));
            for order in [KeyOrder::Ascending, KeyOrder::Descending] {
                prop_assert_eq!(key(&Value::str(&text), collation, order), key(&padded, collation, order));
            }
        }
    }
}

proptest! {
    #[test]
    fn keys_order_as_values_compare((a, b) in two_of_a_type()) {
        for collation in collations() {
            let expected = compare(&a, &b, collation);
            let ascending = key(&a, collation, KeyOrder::Ascending).cmp(&key(&b, collation, KeyOrder::Ascending));
            let descending = key(&a, collation, KeyOrder::Descending).cmp(&key(&b, collation, KeyOrder::Descending));
            prop_assert_eq!(ascending, expected);
            prop_assert_eq!(descending, expected.reverse());
            prop_assert_eq!(equal(&a, &b, collation), expected == Ordering::Equal);
        }
    }

    #[test]
    fn no_part_begins_with_another((a, b) in two_of_a_type()) {
        for order in [KeyOrder::Ascending, KeyOrder::Descending] {
            let (x, y) = (key(&a, Collation::default(), order), key(&b, Collation::default(), order));
            prop_assert!(x == y || !x.starts_with(&y));
        }
    }
}
