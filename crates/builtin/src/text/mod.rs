//! Functions over texts and bytes.

pub(crate) mod digits;
pub(crate) mod format;
pub(crate) mod fuzzy;
pub(crate) mod hash;
pub(crate) mod letter_case;
pub(crate) mod message_text;
pub(crate) mod naming;
#[cfg(test)]
pub(crate) mod places_tests;
pub(crate) mod search;
pub mod split;
pub(crate) mod string;
pub(crate) mod weights;
pub mod write;
