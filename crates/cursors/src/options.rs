//! The options of an API cursor: what a client asks for in `scrollopt` and `ccopt`, and what it is told that it has got.

use millpond_code::code::QueryCode;
use millpond_code::cursor_model::Model;
use millpond_message::error::SqlError;

/// `KEYSET`
pub const KEYSET: i32 = 0x1;
/// `DYNAMIC`
pub const DYNAMIC: i32 = 0x2;
/// `FORWARD_ONLY`
pub const FORWARD_ONLY: i32 = 0x4;
/// `STATIC`
pub const STATIC: i32 = 0x8;
/// `FAST_FORWARD`
pub const FAST_FORWARD: i32 = 0x10;
/// `PARAMETERIZED_STMT`
pub const PARAMETERIZED: i32 = 0x1000;
const AUTO_FETCH: i32 = 0x2000;
const AUTO_CLOSE: i32 = 0x4000;
const CHECK_ACCEPTED: i32 = 0x8000;
/// From the bit of a kind to that which says that the kind is acceptable.
const ACCEPTABLE_SHIFT: u32 = 16;
/// The bits of the kinds.
pub const KINDS: i32 = 0x1F;

/// `READ_ONLY`
pub const READ_ONLY: i32 = 0x1;
/// `SCROLL_LOCKS`
pub const SCROLL_LOCKS: i32 = 0x2;
/// `OPTIMISTIC`, by row versions or values.
pub const OPTIMISTIC: i32 = 0x4;
/// `OPTIMISTIC` by values.
const OPTIMISTIC_VALUES: i32 = 0x8;
const ALLOW_DIRECT: i32 = 0x2000;
/// It comes back with whatever the concurrency has become.
const UPDATE_IN_PLACE: i32 = 0x4000;
/// The bits of the ways of concurrency.
pub const CONCURRENCIES: i32 = 0xF;

/// What a client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// As sent.
    pub scroll: i32,
    /// As sent.
    pub concurrency: i32,
}

/// What it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Given {
    /// One of the five kinds.
    pub scroll: i32,
    /// One of the four ways of concurrency, with `UPDT_IN_PLACE` where that was asked for.
    pub concurrency: i32,
}

impl Asked {
    /// The options of a call; what is not given is `KEYSET` and `OPTIMISTIC`.
    ///
    /// # Errors
    /// 16902 for more than one kind, 16966 for a static or fast forward only cursor that is to change rows.
    pub fn of(procedure: &str, scroll: Option<i32>, concurrency: Option<i32>) -> Result<Asked, SqlError> {
        let asked = Asked { scroll: scroll.unwrap_or(0), concurrency: concurrency.unwrap_or(0) };
        if (asked.scroll & KINDS).count_ones() > 1 {
            return Err(invalid(procedure, "scrollopt", 1));
        }
        let wanted = asked.concurrency & CONCURRENCIES;
        if wanted.count_ones() > 1 {
            return Err(invalid(procedure, "ccopt", 1));
        }
        if matches!(asked.kind(), STATIC | FAST_FORWARD) && !matches!(wanted, 0 | READ_ONLY) {
            let name = if wanted == SCROLL_LOCKS { "SCROLL_LOCKS" } else { "OPTIMISTIC" };
            return Err(SqlError::of(16_966, 1, &[&procedure, &wanted, &name]));
        }
        Ok(asked)
    }

    /// The kind.
    #[must_use]
    pub fn kind(self) -> i32 {
        match self.scroll & KINDS {
            0 => KEYSET,
            kind => kind,
        }
    }

    /// The concurrency.
    #[must_use]
    pub fn concurrency(self) -> i32 {
        match self.concurrency & CONCURRENCIES {
            _ if matches!(self.kind(), STATIC | FAST_FORWARD) => READ_ONLY,
            0 => OPTIMISTIC,
            OPTIMISTIC_VALUES => OPTIMISTIC_VALUES,
            wanted => wanted,
        }
    }

    /// `PARAMETERIZED_STMT`
    #[must_use]
    pub fn is_parameterized(self) -> bool {
        self.scroll & PARAMETERIZED != 0
    }

    /// Rows come with the cursor.
    #[must_use]
    pub fn fetches(self) -> bool {
        self.scroll & AUTO_FETCH != 0
    }

    /// A fast forward only cursor is closed when its last row has been fetched.
    #[must_use]
    pub fn closes(self) -> bool {
        self.scroll & AUTO_CLOSE != 0 && self.kind() == FAST_FORWARD
    }

    /// What makes no cursor is run.
    #[must_use]
    pub fn allows_direct(self) -> bool {
        self.concurrency & ALLOW_DIRECT != 0
    }

    /// Whether a kind that the cursor has become is one that the client takes.
    #[must_use]
    pub fn accepts(self, given: Given) -> bool {
        let is_named = |asked: i32, bit: i32| asked & (bit << ACCEPTABLE_SHIFT) != 0;
        let kind = self.scroll & CHECK_ACCEPTED == 0 || is_named(self.scroll, given.scroll);
        let wanted = given.concurrency & CONCURRENCIES;
        kind && (self.concurrency & CHECK_ACCEPTED == 0 || is_named(self.concurrency, wanted))
    }

    /// The words of DECLARE between CURSOR and FOR.
    #[must_use]
    pub fn words(self) -> &'static str {
        match (self.kind(), self.concurrency()) {
            (STATIC, _) => "GLOBAL SCROLL STATIC READ_ONLY",
            (FAST_FORWARD, _) => "GLOBAL FAST_FORWARD",
            (FORWARD_ONLY, READ_ONLY) => "GLOBAL FORWARD_ONLY READ_ONLY",
            (FORWARD_ONLY, SCROLL_LOCKS) => "GLOBAL FORWARD_ONLY SCROLL_LOCKS",
            (FORWARD_ONLY, _) => "GLOBAL FORWARD_ONLY OPTIMISTIC",
            (DYNAMIC, READ_ONLY) => "GLOBAL SCROLL DYNAMIC READ_ONLY",
            (DYNAMIC, SCROLL_LOCKS) => "GLOBAL SCROLL DYNAMIC SCROLL_LOCKS",
            (DYNAMIC, _) => "GLOBAL SCROLL DYNAMIC OPTIMISTIC",
            (_, READ_ONLY) => "GLOBAL SCROLL KEYSET READ_ONLY",
            (_, SCROLL_LOCKS) => "GLOBAL SCROLL KEYSET SCROLL_LOCKS",
            _ => "GLOBAL SCROLL KEYSET OPTIMISTIC",
        }
    }

    /// What the cursor of a query has become.
    #[must_use]
    pub fn given(self, query: &QueryCode) -> Given {
        let kind = match (self.kind(), query.model) {
            (FAST_FORWARD, _) => FAST_FORWARD,
            _ if query.located.is_empty() => STATIC,
            (_, Model::Static) => STATIC,
            // An order that no index has, and a number of rows, make a set of rows of it.
            (DYNAMIC | FORWARD_ONLY, Model::Keyset) => KEYSET,
            (kind, _) => kind,
        };
        let in_place = self.concurrency & UPDATE_IN_PLACE;
        let concurrency = if matches!(kind, STATIC | FAST_FORWARD) { READ_ONLY } else { self.concurrency() };
        Given { scroll: kind, concurrency: concurrency | in_place }
    }

    /// What the rows of a procedure have become: they are there.
    #[must_use]
    pub fn of_given_rows(self) -> Given {
        let scroll = if self.kind() == FAST_FORWARD { FAST_FORWARD } else { STATIC };
        Given { scroll, concurrency: READ_ONLY | self.concurrency & UPDATE_IN_PLACE }
    }
}

impl Given {
    /// Whether rows are changed through it.
    #[must_use]
    pub fn changes_rows(self) -> bool {
        self.concurrency & CONCURRENCIES != READ_ONLY
    }

    /// Whether it moves forward only.
    #[must_use]
    pub fn is_forward_only(self) -> bool {
        matches!(self.scroll, FORWARD_ONLY | FAST_FORWARD)
    }

    /// Whether how many rows it has is known when it is open.
    #[must_use]
    pub fn counts_rows(self) -> bool {
        matches!(self.scroll, KEYSET | STATIC)
    }
}

/// 16902: a parameter of one of these procedures has a value that it cannot have.
#[must_use]
pub fn invalid(procedure: &str, parameter: &str, state: u8) -> SqlError {
    SqlError::of(16_902, state, &[&procedure, &format_args!("'{parameter}'")])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(scroll: i32, concurrency: i32) -> Asked {
        Asked::of("sp_cursoropen", Some(scroll), Some(concurrency)).unwrap()
    }

    #[test]
    fn what_is_not_given_is_a_keyset_that_compares() {
        let nothing = Asked::of("sp_cursoropen", None, None).unwrap();
        assert_eq!((nothing.kind(), nothing.concurrency()), (KEYSET, OPTIMISTIC));
        assert_eq!((asked(STATIC, 0).kind(), asked(STATIC, 0).concurrency()), (STATIC, READ_ONLY));
    }

    #[test]
    fn kinds_exclude_each_other() {
        let number = |scroll, concurrency| Asked::of("p", Some(scroll), Some(concurrency)).unwrap_err().number;
        assert_eq!(number(KEYSET | DYNAMIC, READ_ONLY), 16_902);
        assert_eq!(number(KEYSET, READ_ONLY | SCROLL_LOCKS), 16_902);
        assert_eq!(number(STATIC, SCROLL_LOCKS), 16_966);
        assert_eq!(number(FAST_FORWARD, OPTIMISTIC_VALUES), 16_966);
    }

    #[test]
    fn a_kind_that_is_not_named_is_not_accepted() {
        let given = Given { scroll: STATIC, concurrency: READ_ONLY };
        assert!(asked(KEYSET, READ_ONLY).accepts(given));
        assert!(!asked(KEYSET | CHECK_ACCEPTED | KEYSET << 16, READ_ONLY).accepts(given));
        assert!(asked(KEYSET | CHECK_ACCEPTED | STATIC << 16, READ_ONLY).accepts(given));
        assert!(!asked(KEYSET, SCROLL_LOCKS | CHECK_ACCEPTED | SCROLL_LOCKS << 16).accepts(given));
    }
}
