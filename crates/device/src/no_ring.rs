//! In the place of `ring` on systems without io_uring: nothing is done, and the caller does all of it by ordinary calls.

use std::fs::File;

use crate::block::{ReadRequest, WriteRequest};

/// Why this machine has no rings.
pub fn refusal() -> Option<&'static str> {
    Some("this system has none")
}

/// None of the requests was done.
pub fn read_many(
    _: &File,
    _: usize,
    requests: &mut [ReadRequest<'_, '_>],
    _: impl Fn(&ReadRequest<'_, '_>) -> bool,
) -> Vec<Option<u64>> {
    vec![None; requests.len()]
}

/// None of the requests was done.
pub fn write_many(
    _: &File,
    _: usize,
    requests: &[WriteRequest<'_>],
    _: impl Fn(&WriteRequest<'_>) -> bool,
) -> Vec<Option<u64>> {
    vec![None; requests.len()]
}
