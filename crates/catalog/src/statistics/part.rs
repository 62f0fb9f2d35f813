//! Where a value lies between two others, as a part of their distance: what estimates know of values that are no steps.

use millpond_types::Value;

/// Characters of a text that are looked at, after those that both ends share.
const CHARACTERS: usize = 4;

/// Which part of the values from `low` to `high` lies below `value`; a half where that is not known.
#[must_use]
pub(super) fn part_of(low: Option<&Value>, value: &Value, high: &Value) -> f64 {
    let Some(low) = low else { return 0.5 };
    let places = match (low, value, high) {
        (Value::Str(low), Value::Str(value), Value::Str(high)) => {
            let shared = shared(low, high);
            [low, value, high].map(|text| Some(place_of_text(text, shared)))
        }
        _ => [low, value, high].map(place_of),
    };
    match places {
        [Some(low), Some(value), Some(high)] if high > low => ((value - low) / (high - low)).clamp(0.0, 1.0),
        _ => 0.5,
    }
}

/// A number that grows as the values of its type do.
fn place_of(value: &Value) -> Option<f64> {
    let day = |days: i32, part: f64| f64::from(days) + part;
    Some(match value {
        Value::Decimal(decimal) => decimal.to_f64(),
        Value::Money(amount) => *amount as f64,
        Value::Date(date) => f64::from(date.days),
        Value::Time(time) => time.ticks as f64,
        Value::SmallDateTime(time) => day(i32::from(time.days), f64::from(time.minutes) / 1440.0),
        Value::DateTime(time) => day(time.days, f64::from(time.ticks) / 25_920_000.0),
        Value::DateTime2(time) => day(time.date.days, time.time.ticks as f64 / 864_000_000_000.0),
        value => value.as_i64().map(|whole| whole as f64).or_else(|| value.as_f64())?,
    })
}

/// How many characters both texts begin with.
fn shared(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(a, b)| a.to_lowercase().eq(b.to_lowercase())).count()
}

fn place_of_text(text: &str, skipped: usize) -> f64 {
    let codes = text.chars().skip(skipped).flat_map(char::to_lowercase).map(|own| f64::from(u32::from(own).min(255)));
    codes.take(CHARACTERS).zip(1..).map(|(code, place)| code / 256_f64.powi(place)).sum()
}

#[cfg(test)]
mod tests {
    use millpond_types::{Date, Decimal};

    use super::*;

    #[test]
    fn values_lie_between_others() {
        let part = |low: Value, value: Value, high: Value| part_of(Some(&low), &value, &high);
        assert_eq!(part(Value::Int(10), Value::Int(15), Value::Int(20)), 0.5);
        assert_eq!(part(Value::Int(10), Value::Int(99), Value::Int(20)), 1.0);
        let date = |days| Value::Date(Date { days });
        assert_eq!(part(date(100), date(125), date(200)), 0.25);
        let decimal = |unscaled| Value::Decimal(Decimal::new(unscaled, 2).unwrap());
        assert_eq!(part(decimal(100), decimal(175), decimal(200)), 0.75);
        let text = |low, value, high| part(Value::str(low), Value::str(value), Value::str(high));
        assert!((text("name a", "name n", "name z") - 0.52).abs() < 0.01);
        assert!((text("a", "M", "z") - 0.48).abs() < 0.01);
        assert_eq!(part(Value::binary(&[1]), Value::binary(&[2]), Value::binary(&[3])), 0.5);
        assert_eq!(part_of(None, &Value::Int(1), &Value::Int(2)), 0.5);
    }
}
