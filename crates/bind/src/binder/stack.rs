//! How much stack is left for queries inside queries.
//!
//! A statement's own text is bounded by the parser, but views, functions and common table expressions stand in each
//! other's place, so that their depths add up. What is made of a deep query is walked by recursion too; so the binder
//! may take a part of the stack only.

use millpond_message::error::{SqlError, SqlResult};

/// Stack that binding one statement may take, in bytes.
const BINDER_BYTES: usize = millpond_tsql::STACK_BYTES / 4;

/// Where the stack was when a binder began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackStart(usize);

impl StackStart {
    pub(crate) fn here() -> StackStart {
        StackStart(address())
    }

    /// Whether the stack has space for one more query.
    ///
    /// # Errors
    /// 8631.
    pub(crate) fn check(self) -> SqlResult<()> {
        if self.0.abs_diff(address()) <= BINDER_BYTES {
            return Ok(());
        }
        Err(SqlError::of(8631, 1, &[]))
    }
}

/// About where the stack ends now.
#[inline(never)]
fn address() -> usize {
    let here = 0u8;
    std::ptr::from_ref(std::hint::black_box(&here)).addr()
}
