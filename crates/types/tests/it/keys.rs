//! Keys order as values compare.

use std::cmp::Ordering;

use millpond_types::compare::{compare, equal};
use millpond_types::{Collation, KeyOrder, Value, append_key};
use proptest::prelude::*;

use crate::strategies::{any_type, value_of};

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

proptest! {
    #[test]
    fn keys_order_as_values_compare((a, b) in two_of_a_type()) {
        for collation in [Collation::Latin1CiAs, Collation::Latin1CsAs, Collation::Latin1Bin2] {
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
