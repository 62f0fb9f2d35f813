//! Which calls of functions make columns that take no NULL: by name, as SQL Server answers it. It has no rule for this: CEILING
//! is as its argument, ABS takes NULL whatever its argument. Columns of SELECT INTO, of views and of results say the same.
//!
//! What always holds: a call that is said to have no NULL has none.

use crate::FunctionDef;

/// When the column of a call may be NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nullability {
    /// Never, whatever its arguments.
    Never,
    /// When an argument may.
    OfArguments,
    /// Always.
    Always,
}

/// Functions whose value is as its arguments are.
const OF_ARGUMENTS: [&str; 13] = [
    "CEILING",
    "DATEFROMPARTS",
    "DATETIME2FROMPARTS",
    "DATETIMEFROMPARTS",
    "DATETIMEOFFSETFROMPARTS",
    "FLOOR",
    "GREATEST",
    "LEAST",
    "RADIANS",
    "ROUND",
    "SIGN",
    "SMALLDATETIMEFROMPARTS",
    "TIMEFROMPARTS",
];

/// Functions that always have a value, beside those whose names begin with `@@`.
const NEVER: [&str; 11] = [
    "CONCAT",
    "CONCAT_WS",
    "CURRENT_TIMESTAMP",
    "GETDATE",
    "GETUTCDATE",
    "MIN_ACTIVE_ROWVERSION",
    "PI",
    "ROWCOUNT_BIG",
    "SYSDATETIME",
    "SYSDATETIMEOFFSET",
    "SYSUTCDATETIME",
];

/// When the column of a call of the function may be NULL; `may_be_null` is [`Signature::nullable`](crate::Signature::nullable).
#[must_use]
pub fn nullability(def: &FunctionDef, may_be_null: bool) -> Nullability {
    let is_fact = def.name.starts_with("@@");
    if may_be_null {
        Nullability::Always
    } else if is_fact || NEVER.binary_search(&def.name).is_ok() {
        Nullability::Never
    } else if OF_ARGUMENTS.binary_search(&def.name).is_ok() {
        Nullability::OfArguments
    } else {
        Nullability::Always
    }
}

#[cfg(test)]
mod tests {
    use super::{NEVER, OF_ARGUMENTS};

    #[test]
    fn names_are_in_order_and_those_of_functions() {
        for names in [&NEVER[..], &OF_ARGUMENTS] {
            assert!(names.is_sorted());
            assert!(names.iter().all(|name| crate::find(name).is_some()), "{names:?}");
        }
    }
}
