//! What the session of a statement says about conversions.
//!
//! The rules are an argument of every conversion and travel with the run of a statement, so a conversion means the same
//! on the session's thread, on a thread of its plan, and in a plan that another statement made.

use crate::temporal::{DateOrder, DateRules, Language, TWO_DIGIT_YEAR_CUTOFF};

/// The settings of a session that conversions heed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CastRules {
    /// Order of day, month and year in texts (SET DATEFORMAT).
    pub date_order: DateOrder,
    /// The last year that two digits of a text can mean (`two digit year cutoff`).
    pub year_cutoff: u16,
    /// Whose names months have in texts (SET LANGUAGE).
    pub language: Language,
}

impl Default for CastRules {
    fn default() -> CastRules {
        CastRules::DEFAULT
    }
}

impl CastRules {
    /// What a session has that has set nothing: for conversions that no session asks for, and for those whose source is
    /// no text.
    pub const DEFAULT: CastRules =
        CastRules { date_order: DateOrder::Mdy, year_cutoff: TWO_DIGIT_YEAR_CUTOFF, language: Language::US_ENGLISH };

    /// How a text is read as a date; a style may say another order.
    #[must_use]
    pub fn dates(self) -> DateRules {
        DateRules { order: self.date_order, cutoff: self.year_cutoff, language: self.language }
    }
}
