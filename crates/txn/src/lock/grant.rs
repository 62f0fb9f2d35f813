//! Which session asks for locks, and what a request comes to.

use super::mode::LockMode;

/// The owner of a lock: a session (its group) and one of its two scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OwnerId(pub u32);

impl OwnerId {
    pub(crate) fn group(self) -> u32 {
        self.0 >> 1
    }

    /// One bit per scope of a session.
    pub(super) fn scope_bit(self) -> u8 {
        1 << (self.0 & 1)
    }
}

/// What a request met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Got {
    /// It is granted; the owner had nothing.
    New,
    /// It is granted; the owner had this mode before.
    Converted(LockMode),
    /// The owner has what covers it.
    Had,
}
