//! Predicates: which occurrences of an event a session collects.
//!
//! What always holds: a predicate is evaluated from left to right and stops where its value is known, so that what comes after AND
//! is not asked for (a counter does not count) where what stands before it is false. A value that is not known fulfils no
//! comparison. Nothing is allocated but by the facts that are asked for.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

use crate::object::{Comparator, Global, Operation};
use crate::record::Origin;
use crate::value::Value;

/// A predicate.
#[derive(Debug)]
pub enum Predicate {
    /// All of them.
    And(Vec<Predicate>),
    /// One of them.
    Or(Vec<Predicate>),
    /// Not that.
    Not(Box<Predicate>),
    /// A comparison.
    Leaf(Leaf),
}

/// A comparison.
#[derive(Debug)]
pub struct Leaf {
    /// What is compared.
    pub source: Source,
    /// How.
    pub comparator: Comparator,
    /// With what.
    pub value: Operand,
    /// What the comparison keeps between two times: how often it was asked, or the extreme so far.
    state: State,
}

#[derive(Debug, Default)]
struct State {
    asked: AtomicU64,
    extreme: AtomicI64,
    has_extreme: AtomicU64,
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A field by its place.
    Field(usize),
    /// A fact beside the fields.
    Global(Global),
}

/// What it is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A number.
    Number(i128),
    /// A text; of comparisons that ignore case in lower case.
    Text(String),
}

impl Leaf {
    /// A comparison.
    #[must_use]
    pub fn new(source: Source, comparator: Comparator, value: Operand) -> Leaf {
        let value = match value {
            Operand::Text(text) if comparator.ignores_case => Operand::Text(text.to_lowercase()),
            other => other,
        };
        Leaf { source, comparator, value, state: State::default() }
    }

    fn holds(&self, fields: &[Value], origin: &dyn Origin) -> bool {
        match self.source {
            Source::Field(at) => fields.get(at).is_some_and(|value| self.compares(value)),
            Source::Global(Global::Counter) => {
                let asked = self.state.asked.fetch_add(1, Relaxed) + 1;
                self.compares(&Value::UInt(asked))
            }
            Source::Global(global) => self.compares(&origin.fact(global)),
        }
    }

    fn compares(&self, value: &Value) -> bool {
        match &self.value {
            Operand::Number(number) => value.as_number().is_some_and(|known| self.number(known, *number)),
            Operand::Text(text) => value.as_str().is_some_and(|known| self.text(known, text)),
        }
    }

    fn number(&self, known: i128, number: i128) -> bool {
        match self.comparator.operation {
            Operation::Equal => known == number,
            Operation::NotEqual => known != number,
            Operation::Greater => known > number,
            Operation::GreaterEqual => known >= number,
            Operation::Less => known < number,
            Operation::LessEqual => known <= number,
            Operation::Divides => number != 0 && known % number == 0,
            Operation::GreaterThanMax => known > number && self.is_extreme(known, |known, so_far| known > so_far),
            Operation::LessThanMin => known < number && self.is_extreme(known, |known, so_far| known < so_far),
            Operation::Like => false,
        }
    }

    /// Whether a number goes beyond all before it; it is the extreme then. Of two threads at once both may be.
    fn is_extreme(&self, known: i128, beyond: impl Fn(i64, i64) -> bool) -> bool {
        let known = i64::try_from(known).unwrap_or(i64::MAX);
        let is_first = self.state.has_extreme.swap(1, Relaxed) == 0;
        let is_extreme = is_first || beyond(known, self.state.extreme.load(Relaxed));
        if is_extreme {
            self.state.extreme.store(known, Relaxed);
        }
        is_extreme
    }

    fn text(&self, known: &str, text: &str) -> bool {
        // Most texts are compared for equality and differ in length or in their first characters.
        let lowered;
        let known = if self.comparator.ignores_case && !is_lower(known) {
            lowered = known.to_lowercase();
            lowered.as_str()
        } else {
            known
        };
        match self.comparator.operation {
            Operation::Equal => known == text,
            Operation::NotEqual => known != text,
            Operation::Greater => known > text,
            Operation::GreaterEqual => known >= text,
            Operation::Less => known < text,
            Operation::LessEqual => known <= text,
            Operation::Like => is_like(known, text),
            Operation::Divides | Operation::GreaterThanMax | Operation::LessThanMin => false,
        }
    }
}

fn is_lower(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase())
}

impl Predicate {
    /// Whether an occurrence is to be collected.
    #[must_use]
    pub fn holds(&self, fields: &[Value], origin: &dyn Origin) -> bool {
        match self {
            Predicate::And(all) => all.iter().all(|part| part.holds(fields, origin)),
            Predicate::Or(any) => any.iter().any(|part| part.holds(fields, origin)),
            Predicate::Not(part) => !part.holds(fields, origin),
            Predicate::Leaf(leaf) => leaf.holds(fields, origin),
        }
    }
}

/// LIKE: `%`, `_` and sets in brackets. Steps back only to the last `%`, so its time is bounded by the product of the lengths.
#[must_use]
pub fn is_like(text: &str, pattern: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let pattern: Vec<char> = pattern.chars().collect();
    let (mut at, mut want) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while at < text.len() {
        let next = match pattern.get(want) {
            Some('%') => {
                back = Some((at, want + 1));
                want += 1;
                continue;
            }
            Some('_') => Some(want + 1),
            Some('[') => match set_end(&pattern, want) {
                Some(end) => in_set(text[at], &pattern[want + 1..end]).then_some(end + 1),
                None => (text[at] == '[').then_some(want + 1),
            },
            Some(c) => (*c == text[at]).then_some(want + 1),
            None => None,
        };
        match (next, &mut back) {
            (Some(next), _) => (at, want) = (at + 1, next),
            (None, Some((from, after))) => {
                *from += 1;
                (at, want) = (*from, *after);
            }
            (None, None) => return false,
        }
    }
    pattern[want..].iter().all(|c| *c == '%')
}

/// Where a set ends that begins at `open`.
fn set_end(pattern: &[char], open: usize) -> Option<usize> {
    let first = if pattern.get(open + 1) == Some(&'^') { open + 2 } else { open + 1 };
    (first + 1..pattern.len()).find(|at| pattern[*at] == ']')
}

fn in_set(c: char, set: &[char]) -> bool {
    let (is_negated, set) = match set {
        ['^', rest @ ..] => (true, rest),
        _ => (false, set),
    };
    let mut at = 0;
    let mut is_in = false;
    while at < set.len() {
        if set.get(at + 1) == Some(&'-') && at + 2 < set.len() {
            is_in |= set[at] <= c && c <= set[at + 2];
            at += 3;
        } else {
            is_in |= set[at] == c;
            at += 1;
        }
    }
    is_in != is_negated
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::{Operands, comparators};
    use crate::record::tests::Nobody;

    fn leaf(source: Source, name: &str, value: Operand) -> Predicate {
        let (_, _, comparator) = comparators().find(|(_, known, _)| known == name).unwrap();
        Predicate::Leaf(Leaf::new(source, comparator, value))
    }

    #[test]
    fn patterns_are_those_of_like() {
        for (text, pattern) in [
            ("select a having b", "%select%having%"),
            ("", "%"),
            ("abc", "a_c"),
            ("a%c", "a[%]c"),
            ("x5", "x[0-9]"),
            ("xy", "x[^0-9]"),
            ("a[b", "a[b"),
            ("aaab", "%ab"),
        ] {
            assert!(is_like(text, pattern), "{text} {pattern}");
        }
        for (text, pattern) in [("abc", "ab"), ("abc", "a_"), ("x5", "x[^0-9]"), ("", "_"), ("aaac", "%ab")] {
            assert!(!is_like(text, pattern), "{text} {pattern}");
        }
    }

    #[test]
    fn comparisons_are_exact_at_the_ends_of_numbers_and_ignore_case_where_they_say_so() {
        let fields = [Value::UInt(u64::MAX), Value::Int(-1), Value::text("ÄB<c>"), Value::Null];
        let holds = |at, name, value| leaf(Source::Field(at), name, value).holds(&fields, &Nobody);
        assert!(holds(0, "greater_than_uint64", Operand::Number(i128::from(u64::MAX) - 1)));
        assert!(holds(1, "less_than_int64", Operand::Number(0)));
        assert!(holds(2, "equal_i_sql_unicode_string", Operand::Text("äb<C>".into())));
        assert!(!holds(2, "equal_unicode_string", Operand::Text("äb<C>".into())));
        for name in ["equal_int64", "not_equal_int64", "less_than_int64"] {
            assert!(!holds(3, name, Operand::Number(0)), "NULL {name}");
        }
    }

    #[test]
    fn what_stands_after_a_false_condition_is_not_asked() {
        let counted = leaf(Source::Global(Global::Counter), "less_than_equal_uint64", Operand::Number(2));
        let both = Predicate::And(vec![leaf(Source::Field(0), "equal_int64", Operand::Number(1)), counted]);
        let asked = [0, 1, 0, 1, 1].map(|number| both.holds(&[Value::Int(number)], &Nobody));
        assert_eq!(asked, [false, true, false, true, false]);
    }

    #[test]
    fn only_new_extremes_are_greater_than_the_greatest() {
        let most = leaf(Source::Field(0), "greater_than_max_uint64", Operand::Number(5));
        let found = [3, 7, 6, 8, 8, 9].map(|number| most.holds(&[Value::UInt(number)], &Nobody));
        assert_eq!(found, [false, true, false, true, false, true]);
        assert!(comparators().any(|(_, _, comparator)| comparator.operands == Operands::Texts));
    }
}
