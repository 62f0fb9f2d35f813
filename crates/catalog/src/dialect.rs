//! What a statement means beside its text: the SET options that code is bound for, and the collation of its database.
//!
//! What always holds: code that was bound in one dialect is never run in another; a statement whose options have changed is
//! bound again. The default options are the dialect of zeros.

use millpond_types::CodePage;
use millpond_types::collation::Collation;

use crate::run::facts::SessionFacts;

const ANSI_NULLS_OFF: u16 = 1;
const CONCAT_NULL_OFF: u16 = 2;
const NULL_ON_ERROR: u16 = 4;
const ROUND_ABORT: u16 = 8;
const WARNINGS_OFF: u16 = 16;
const PADDING_OFF: u16 = 32;
const NULL_DEFAULT_NOT_ON: u16 = 64;
const NULL_DEFAULT_OFF: u16 = 128;
const FORCES_PLAN: u16 = 256;

/// What changes what a statement is bound to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    options: u16,
    collation: Collation,
}

impl Dialect {
    /// The dialect of a session's options and its current database.
    #[inline]
    #[must_use]
    pub fn of(facts: &SessionFacts) -> Dialect {
        let settings = &*facts.settings;
        let bit = |on: bool, bit: u16| u16::from(on) * bit;
        Dialect {
            options: bit(!settings.ansi_nulls, ANSI_NULLS_OFF)
                | bit(!settings.concat_null_yields_null, CONCAT_NULL_OFF)
                | bit(settings.gives_null_on_error(), NULL_ON_ERROR)
                | bit(settings.numeric_roundabort, ROUND_ABORT)
                | bit(!settings.ansi_warnings, WARNINGS_OFF)
                | bit(!settings.ansi_padding, PADDING_OFF)
                | bit(!settings.ansi_null_default_on, NULL_DEFAULT_NOT_ON)
                | bit(settings.ansi_null_default_off, NULL_DEFAULT_OFF)
                | bit(settings.forceplan, FORCES_PLAN),
            collation: facts.collation,
        }
    }

    fn has(self, bit: u16) -> bool {
        self.options & bit != 0
    }

    /// The collation of the database: of literals, variables and what is computed of other types.
    #[must_use]
    pub fn collation(self) -> Collation {
        self.collation
    }

    /// The code page of new `char` and `varchar`.
    #[must_use]
    pub fn page(self) -> CodePage {
        self.collation.page()
    }

    /// The same in a database of that collation.
    #[must_use]
    pub fn with_collation(self, collation: Collation) -> Dialect {
        Dialect { collation, ..self }
    }

    /// NULL equals nothing, not even a NULL that is written or in a variable.
    #[must_use]
    pub fn ansi_nulls(self) -> bool {
        !self.has(ANSI_NULLS_OFF)
    }

    /// The same with ANSI_NULLS as a module was made with.
    #[must_use]
    pub fn with_ansi_nulls(self, on: bool) -> Dialect {
        Dialect { options: (self.options & !ANSI_NULLS_OFF) | (u16::from(!on) * ANSI_NULLS_OFF), ..self }
    }

    /// A text joined with NULL is NULL.
    #[must_use]
    pub fn concat_null(self) -> bool {
        !self.has(CONCAT_NULL_OFF)
    }

    /// Overflows, divisions by zero and arguments outside of a function's domain give NULL.
    #[must_use]
    pub fn null_on_error(self) -> bool {
        self.has(NULL_ON_ERROR)
    }

    /// Whether what is computed must be looked at value by value.
    #[must_use]
    pub fn by_value(self) -> bool {
        self.has(NULL_ON_ERROR | ROUND_ABORT)
    }

    /// Aggregates report NULLs that they leave out.
    #[must_use]
    pub fn warns(self) -> bool {
        !self.has(WARNINGS_OFF)
    }

    /// Joins are in the order as written, and loops where there is a way.
    #[must_use]
    pub fn forces_plan(self) -> bool {
        self.has(FORCES_PLAN)
    }

    /// New columns keep trailing blanks and zeros.
    #[must_use]
    pub fn pads(self) -> bool {
        !self.has(PADDING_OFF)
    }
}
