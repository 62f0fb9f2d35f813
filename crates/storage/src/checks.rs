//! Assertions of two prices. What always holds is said at the head of a file and asked where it could break.
//!
//! - `assert!`, in every build: a comparison of numbers that are at hand anyway.
//! - [`check!`](crate::check), in debug builds and under the feature `checks`: walks over a page, a list or a map, and
//!   comparisons on ways so hot that even they would be felt. Tests run with them; the fault tests, which are built for
//!   release, turn the feature on.
//!
//! Both are about this program's own work: a broken one ends it, loudly, before a wrong page is written. Neither may be
//! about what a file says: a damaged file is an error with a number, and comes back as a value.

/// Whether [`check!`](crate::check) asks.
pub const ARE_ON: bool = cfg!(any(debug_assertions, feature = "checks"));

/// As `assert!`, where [`ARE_ON`]; costs nothing elsewhere.
#[macro_export]
macro_rules! check {
    ($($rule:tt)+) => {
        if $crate::checks::ARE_ON {
            assert!($($rule)+);
        }
    };
}
