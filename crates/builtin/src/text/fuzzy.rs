//! How near two texts are: EDIT_DISTANCE and EDIT_DISTANCE_SIMILARITY, JARO_WINKLER_DISTANCE and JARO_WINKLER_SIMILARITY.
//!
//! Texts are compared character by character as they are, whatever their collation. The distance counts insertions, deletions,
//! replacements and exchanges of two neighbours, each of which no other change touches (optimal string alignment). It takes
//! memory for three rows of its table, and time for all of it; a cancellation is heeded at each row.

use millpond_message::error::SqlResult;
use millpond_types::{MaxLen, SqlType, Value, Watch};

use crate::args::{int, invalid_argument, nullable, strict, text, text_type};
use crate::define::{pure, watched_eval};
use crate::{FunctionDef, Signature};

/// Characters of a start that count for Winkler, and what each adds.
const START_MAX: usize = 4;
const START_WEIGHT: f64 = 0.1;

/// The functions.
pub(crate) static FUNCTIONS: &[FunctionDef] = &[
    pure("EDIT_DISTANCE", (2, 3), bind_distance, watched_eval!(edit_distance)),
    pure(
        "EDIT_DISTANCE_SIMILARITY",
        (2, 2),
        |types| texts(types, "edit_distance_similarity", SqlType::Int),
        watched_eval!(|watch, args, _, _| {
            let (first, second) = (characters(&args[0]), characters(&args[1]));
            let longest = first.len().max(second.len());
            let distance = distance(watch, &first, &second)?;
            let share = if longest == 0 { 1.0 } else { 1.0 - distance as f64 / longest as f64 };
            Ok(Value::Int((share * 100.0).round() as i32))
        }),
    ),
    pure(
        "JARO_WINKLER_DISTANCE",
        (2, 2),
        |types| texts(types, "jaro_winkler_distance", SqlType::Float),
        watched_eval!(|watch, args, _, _| Ok(Value::Float(1.0 - jaro_winkler(watch, args)?))),
    ),
    pure(
        "JARO_WINKLER_SIMILARITY",
        (2, 2),
        |types| texts(types, "jaro_winkler_similarity", SqlType::Int),
        watched_eval!(|watch, args, _, _| Ok(Value::Int((jaro_winkler(watch, args)? * 100.0).round() as i32))),
    ),
];

/// 8116 for what is no text, or of unbounded length.
fn texts(types: &[Option<SqlType>], function: &str, result: SqlType) -> SqlResult<Signature> {
    for (position, ty) in (1..=2).zip(types) {
        if ty.is_some_and(|ty| !ty.is_string() || ty.max_len() == Some(MaxLen::Max)) {
            return Err(invalid_argument(*ty, position, function));
        }
    }
    strict(types.iter().take(2).map(|ty| text_type(*ty)).collect(), result)
}

fn bind_distance(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let mut signature = texts(types, "edit_distance", SqlType::Int)?;
    if types.len() > 2 {
        signature.params.push(SqlType::Int);
    }
    nullable(signature.params, signature.result)
}

/// Beyond the most that is asked for, any number above it is right; it is the distance.
fn edit_distance(watch: Watch<'_>, args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let distance = distance(watch, &characters(&args[0]), &characters(&args[1]))?;
    let distance = i32::try_from(distance).unwrap_or(i32::MAX);
    let most = args.get(2).map(int).filter(|most| *most >= 0).and_then(|most| i32::try_from(most).ok());
    Ok(Value::Int(most.map_or(distance, |most| distance.min(most.saturating_add(1)))))
}

fn characters(value: &Value) -> Vec<char> {
    text(value).chars().collect()
}

fn distance(watch: Watch<'_>, first: &[char], second: &[char]) -> SqlResult<usize> {
    let width = second.len() + 1;
    let (mut before, mut last, mut row) = (vec![0; width], (0..width).collect::<Vec<usize>>(), vec![0; width]);
    for (i, a) in first.iter().enumerate() {
        watch.check()?;
        row[0] = i + 1;
        for (j, b) in second.iter().enumerate() {
            let replaced = last[j] + usize::from(a != b);
            let mut least = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == second[j - 1] && first[i - 1] == *b {
                least = least.min(before[j - 1] + 1);
            }
            row[j + 1] = least;
        }
        std::mem::swap(&mut before, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    Ok(last[width - 1])
}

/// From 0, nothing alike, to 1, the same.
fn jaro_winkler(watch: Watch<'_>, args: &[Value]) -> SqlResult<f64> {
    let (first, second) = (characters(&args[0]), characters(&args[1]));
    if first.is_empty() && second.is_empty() {
        return Ok(1.0);
    }
    let reach = (first.len().max(second.len()) / 2).saturating_sub(1);
    let mut taken = vec![false; second.len()];
    let mut matched = Vec::new();
    for (i, a) in first.iter().enumerate() {
        watch.check()?;
        let near = i.saturating_sub(reach)..(i + reach + 1).min(second.len());
        if let Some(at) = near.into_iter().find(|at| !taken[*at] && second[*at] == *a) {
            taken[at] = true;
            matched.push(*a);
        }
    }
    if matched.is_empty() {
        return Ok(0.0);
    }
    let others = second.iter().zip(&taken).filter(|(_, taken)| **taken).map(|(b, _)| b);
    let moved = matched.iter().zip(others).filter(|(a, b)| a != b).count() / 2;
    let count = matched.len() as f64;
    let jaro = (count / first.len() as f64 + count / second.len() as f64 + (count - moved as f64) / count) / 3.0;
    let start = first.iter().zip(&second).take(START_MAX).take_while(|(a, b)| a == b).count();
    Ok(jaro + start as f64 * START_WEIGHT * (1.0 - jaro))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_known_pairs() {
        let of = |a: &str, b: &str| {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            distance(Watch::NONE, &a, &b).expect("nothing cancels")
        };
        for (a, b, expected) in [
            ("kitten", "sitting", 3),
            ("", "abc", 3),
            ("abc", "", 3),
            ("", "", 0),
            ("abcd", "acbd", 1),
            ("Colour", "Color", 1),
            ("ca", "abc", 3),
        ] {
            assert_eq!(of(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn similarities_of_known_pairs() {
        let of =
            |a: &str, b: &str| jaro_winkler(Watch::NONE, &[Value::str(a), Value::str(b)]).expect("nothing cancels");
        for (a, b, expected) in [
            ("MARTHA", "MARHTA", 0.961),
            ("DIXON", "DICKSONX", 0.813),
            ("DWAYNE", "DUANE", 0.840),
            ("abc", "xyz", 0.0),
            ("", "", 1.0),
            ("same", "same", 1.0),
        ] {
            assert!((of(a, b) - expected).abs() < 0.001, "{a} {b}: {}", of(a, b));
        }
    }
}
