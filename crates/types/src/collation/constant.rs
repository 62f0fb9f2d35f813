//! One text that many others are compared with.
//!
//! What always holds: [`Constant::equals`] says what `equal` says.

use super::kind::Order;
use super::{Collation, equal};
use crate::text::trim_end_blanks;

/// A text, with what of its comparison does not depend on the other one.
#[derive(Clone, Debug)]
pub struct Constant {
    /// Without blanks at its end.
    text: String,
    collation: Collation,
    of_ascii: OfAscii,
}

/// Which texts of ASCII alone equal the constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OfAscii {
    /// Those of the same letters.
    Folded,
    /// That of the same bytes.
    Same,
    /// More is to be known.
    Unknown,
}

impl Constant {
    /// `text`, compared under `collation`.
    #[must_use]
    pub fn new(text: &str, collation: Collation) -> Constant {
        let text = trim_end_blanks(text).to_owned();
        let of_ascii = match collation.order() {
            _ if !text.is_ascii() => OfAscii::Unknown,
            _ if collation.folds_by_weight() => OfAscii::Folded,
            Order::Weights | Order::CodePoints => OfAscii::Same,
            Order::Locale => OfAscii::Unknown,
        };
        Constant { text, collation, of_ascii }
    }

    /// Whether another text is equal.
    #[must_use]
    pub fn equals(&self, other: &str) -> bool {
        let other = trim_end_blanks(other);
        if other.len() == self.text.len() {
            let is_same = match self.of_ascii {
                OfAscii::Folded => other.eq_ignore_ascii_case(&self.text),
                OfAscii::Same | OfAscii::Unknown => other == self.text,
            };
            if is_same {
                return true;
            }
        }
        (self.of_ascii == OfAscii::Unknown || !other.is_ascii()) && equal(other, &self.text, self.collation)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn it_equals_what_is_equal(
            one in "[aAbBæÆéß' -]{0,4}|[ -~]{0,3}", other in "[aAbBæÆéß' -]{0,4}|[ -~]{0,3}",
        ) {
            for name in [
                "SQL_Latin1_General_CP1_CI_AS", "SQL_Latin1_General_CP1_CS_AS", "Latin1_General_BIN2", "Latin1_General_CI_AI",
                "German_PhoneBook_CI_AS", "Turkish_CI_AS",
            ] {
                let collation = Collation::by_name(name).expect("known");
                let expected = equal(&one, &other, collation);
                prop_assert_eq!(Constant::new(&one, collation).equals(&other), expected, "{} {:?} {:?}", name, one, other);
                let upper = one.to_uppercase();
                prop_assert_eq!(Constant::new(&upper, collation).equals(&one), equal(&upper, &one, collation), "{}", name);
            }
        }
    }
}
