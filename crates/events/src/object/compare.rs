//! Comparisons of predicates: the operators, and the functions that stand for them in scripts that SQL Server's tools write.

use super::{Named, Package};

/// What is asked of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// The text is like a pattern.
    Like,
    /// The number is divided by it without a rest.
    Divides,
    /// The number is greater than all before it, which were greater than the value.
    GreaterThanMax,
    /// The number is less than all before it, which were less than the value.
    LessThanMin,
}

/// What a comparison takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// Numbers.
    Numbers,
    /// Texts.
    Texts,
}

/// A comparison.
#[derive(Clone, Copy, Debug)]
pub struct Comparator {
    /// What it asks.
    pub operation: Operation,
    /// What it takes.
    pub operands: Operands,
    /// Texts are compared without regard to case.
    pub ignores_case: bool,
}

const ORDERS: [(&str, Operation); 6] = [
    ("equal", Operation::Equal),
    ("not_equal", Operation::NotEqual),
    ("greater_than", Operation::Greater),
    ("greater_than_equal", Operation::GreaterEqual),
    ("less_than", Operation::Less),
    ("less_than_equal", Operation::LessEqual),
];
const RARE: [(&str, Operation); 3] = [
    ("divides_by", Operation::Divides),
    ("greater_than_max", Operation::GreaterThanMax),
    ("less_than_min", Operation::LessThanMin),
];
const NUMBERS: [&str; 3] = ["int64", "uint64", "boolean"];
const TEXTS: [(Package, &str, bool); 6] = [
    (Package::Package0, "unicode_string", false),
    (Package::Package0, "ansi_string", false),
    (Package::Package0, "i_unicode_string", true),
    (Package::Package0, "i_ansi_string", true),
    (Package::SqlServer, "i_sql_unicode_string", true),
    (Package::SqlServer, "i_sql_ansi_string", true),
];

/// All of them, with package and name.
pub fn comparators() -> impl Iterator<Item = (Package, String, Comparator)> {
    let of_numbers = |types: &'static [&'static str], operations: &'static [(&'static str, Operation)]| {
        types.iter().flat_map(move |ty| {
            operations.iter().map(move |(name, operation)| {
                let comparator = Comparator { operation: *operation, operands: Operands::Numbers, ignores_case: false };
                (Package::Package0, format!("{name}_{ty}"), comparator)
            })
        })
    };
    let of_texts = TEXTS.iter().flat_map(|(package, ty, ignores_case)| {
        let likes = (*package == Package::SqlServer).then_some(("like", Operation::Like));
        ORDERS.iter().copied().chain(likes).map(move |(name, operation)| {
            let comparator = Comparator { operation, operands: Operands::Texts, ignores_case: *ignores_case };
            (*package, format!("{name}_{ty}"), comparator)
        })
    });
    of_numbers(&NUMBERS, &ORDERS).chain(of_numbers(&NUMBERS[..2], &RARE)).chain(of_texts)
}

/// The comparison that a name means.
#[must_use]
pub fn find_comparator(name: Named<'_>) -> Option<Comparator> {
    comparators().find(|(package, known, _)| name.means(*package, known)).map(|(_, _, comparator)| comparator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_tools_write_are_found_in_their_packages() {
        let find = |package, object| {
            find_comparator(Named { package: Some(package), object }).map(|found| (found.operation, found.ignores_case))
        };
        assert_eq!(find("package0", "greater_than_equal_uint64"), Some((Operation::GreaterEqual, false)));
        assert_eq!(find("sqlserver", "like_i_sql_unicode_string"), Some((Operation::Like, true)));
        assert_eq!(find("package0", "equal_boolean"), Some((Operation::Equal, false)));
        assert_eq!(find("package0", "divides_by_uint64"), Some((Operation::Divides, false)));
        assert_eq!(find("package0", "like_i_sql_unicode_string"), None);
        assert_eq!(find("sqlserver", "equal_uint64"), None);
    }
}
