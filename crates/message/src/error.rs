//! The error of a statement: SQL Server's number, severity and state with its text. Only `message` turns the errors of
//! the layers below into these.

use std::fmt::Display;
use std::sync::Arc;

use crate::table::row;
use crate::template::{filled, is_made_of, places};

/// An error that ends a statement (and by its severity perhaps more).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Msg {number}, Level {severity}, State {state}: {text}")]
pub struct SqlError {
    /// Number.
    pub number: i32,
    /// Severity.
    pub severity: u8,
    /// State.
    pub state: u8,
    /// Line, 0 when the statement's line is meant.
    pub line: u32,
    /// Text.
    pub text: String,
    /// The procedure or function in which it happened; empty: in a text of none.
    pub procedure: Option<Arc<str>>,
    /// THROW raised it: without a TRY it ends the batch, whatever its number.
    pub is_thrown: bool,
    /// RAISERROR made it: whatever its number is, it ends its statement.
    pub is_raised: bool,
    /// It was found when a statement of this level was bound: no TRY of the level sees it.
    pub is_of_binding: bool,
    /// Errors of the same statement that are sent before this one, in order. A TRY sees this one alone.
    pub before: Option<Box<Vec<SqlError>>>,
}

/// Line of an error that happened in no line of its procedure: the call of it, or its end. It is sent as line 0.
pub const NO_LINE: u32 = u32::MAX;

impl SqlError {
    /// The error of a number at the statement's line: severity and text are those of its row in the table of messages, the
    /// arguments take the places of the text in order.
    ///
    /// # Panics
    /// For a number that has no row, and in debug builds for a wrong count of arguments. A test reads the source for both.
    #[must_use]
    pub fn of(number: i32, state: u8, args: &[&dyn Display]) -> SqlError {
        let row = row(number).unwrap_or_else(|| panic!("message {number} has no row in the table"));
        debug_assert_eq!(places(row.text), args.len(), "arguments of message {number}: {}", row.text);
        SqlError::raised(number, row.severity, state, filled(row.text, args))
    }

    /// Whether values of rows may stand in its text, or in that of an error before it.
    #[must_use]
    pub fn shows_values(&self) -> bool {
        self.shows_own() || self.earlier().any(SqlError::shows_own)
    }

    fn shows_own(&self) -> bool {
        matches!(
            self.number,
            220 | 232
                | 244
                | 245
                | 248
                | 281
                | 506
                | 1505
                | 2601
                | 2627
                | 2628
                | 4199
                | 6358
                | 7116
                | 7135
                | 9400..=9499
                | 9807
                | 9809
                | 9818..=9820
                | 13_607
                | 13_609
                | 19_300..=19_309
        )
    }

    /// The same with stars in the places of texts that show values.
    #[must_use]
    pub fn without_values(mut self) -> SqlError {
        if let Some(before) = &mut self.before {
            **before = std::mem::take(&mut **before).into_iter().map(SqlError::without_values).collect();
        }
        match row(self.number).filter(|_| self.shows_own()) {
            Some(row) => {
                let stars = vec![&"******" as &dyn Display; places(row.text)];
                SqlError { text: filled(row.text, &stars), ..self }
            }
            None => self,
        }
    }

    /// What RAISERROR and THROW raise: all of it is the user's.
    #[must_use]
    pub fn raised(number: i32, severity: u8, state: u8, text: impl Into<String>) -> SqlError {
        SqlError {
            number,
            severity,
            state,
            line: 0,
            text: text.into(),
            procedure: None,
            is_thrown: false,
            is_raised: false,
            is_of_binding: false,
            before: None,
        }
    }

    /// An error of a crate below, which has made the text; it is that of the number's row.
    pub(crate) fn made_below(number: i32, state: u8, text: String) -> SqlError {
        let row = row(number).unwrap_or_else(|| panic!("message {number} has no row in the table"));
        debug_assert!(is_made_of(&text, row.text), "message {number} is not '{text}'");
        SqlError::raised(number, row.severity, state, text)
    }

    /// The same, sent after another error of its statement.
    #[must_use]
    pub fn after(mut self, mut other: SqlError) -> SqlError {
        let mut before = other.before.take().map_or_else(Vec::new, |before| *before);
        self.is_of_binding |= other.is_of_binding;
        before.push(other);
        self.before = Some(Box::new(before));
        self
    }

    /// The errors that are sent before this one.
    pub fn earlier(&self) -> impl Iterator<Item = &SqlError> {
        self.before.iter().flat_map(|before| before.iter())
    }

    /// The same at `line`, unless it already has one.
    #[must_use]
    pub fn at(mut self, line: u32) -> SqlError {
        if self.line == 0 {
            self.line = line;
        }
        self
    }

    /// The same as a caller's TRY sees it: its place is not the caller's, also where it is none.
    #[must_use]
    pub fn of_callee(mut self) -> SqlError {
        self.is_of_binding = false;
        self.procedure.get_or_insert_with(|| Arc::from(""));
        self
    }

    /// The same as of the call of `procedure`, before its first line.
    #[must_use]
    pub fn of_call(mut self, procedure: &Arc<str>) -> SqlError {
        self.line = NO_LINE;
        self.inside(Some(procedure))
    }

    /// The same as of `procedure`, unless it already has a place.
    #[must_use]
    pub fn inside(mut self, procedure: Option<&Arc<str>>) -> SqlError {
        if self.procedure.is_none() {
            self.procedure = procedure.cloned();
        }
        for earlier in self.before.iter_mut().flat_map(|before| before.iter_mut()) {
            if earlier.procedure.is_none() {
                earlier.procedure = procedure.cloned();
            }
        }
        self
    }
}

/// Result of anything that ends a statement when it fails.
pub type SqlResult<T> = Result<T, SqlError>;
