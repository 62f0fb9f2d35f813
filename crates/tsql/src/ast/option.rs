//! Options as statements have them after WITH and SET: a name and, as a rule, a value.

use super::name::ObjectName;
use super::operator::Literal;
use super::query::{Expr, ExprKind};

/// `FILLFACTOR = 80`, `RECOVERY SIMPLE`, `ONLINE = ON (WAIT_AT_LOW_PRIORITY (…))`, `SINGLE_USER`
#[derive(Clone, Debug)]
pub struct NamedOption {
    /// Upper-case.
    pub name: String,
    /// What it is set to.
    pub value: OptionValue,
    /// `(…)` after the value.
    pub details: Vec<NamedOption>,
}

/// The value of an option.
#[derive(Clone, Debug)]
pub enum OptionValue {
    /// The name stands alone.
    None,
    /// ON
    On,
    /// OFF
    Off,
    /// One or several words as written, with one blank between two of them: `SIMPLE`, `READ COMMITTED`.
    Words(String),
    /// A name with several parts or in brackets.
    Name(ObjectName),
    /// A number, string, NULL or variable.
    Constant(Expr),
    /// A number and the word after it: `60 SECONDS`, `10 PERCENT`, `64MB`.
    Quantity {
        /// A number or variable.
        amount: Expr,
        /// Upper-case.
        unit: String,
    },
}

impl NamedOption {
    /// The option is set to this word, in any case.
    pub fn is(&self, word: &str) -> bool {
        match &self.value {
            OptionValue::On => word.eq_ignore_ascii_case("ON"),
            OptionValue::Off => word.eq_ignore_ascii_case("OFF"),
            OptionValue::Words(words) => words.eq_ignore_ascii_case(word),
            _ => false,
        }
    }
}

/// The option with this upper-case name.
pub fn find_option<'a>(options: &'a [NamedOption], name: &str) -> Option<&'a NamedOption> {
    options.iter().find(|option| option.name == name)
}

/// The number of an integer literal without a sign; none for all else, and for one that an i64 does not hold.
#[must_use]
pub fn whole_number(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Literal(Literal::Integer(digits)) => digits.parse().ok(),
        _ => None,
    }
}
