//! Encodings that a declaration may name.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

use crate::fault::Fault;
use crate::parse::Origin;

/// What speaks against a declared encoding.
pub(super) fn conflict(name: &str, origin: Origin) -> Option<Fault> {
    let Some(encoding) = by_name(name) else { return Some(Fault::UnknownEncoding) };
    let is_wide = encoding == UTF_16LE || encoding == UTF_16BE;
    match origin {
        Origin::Any => None,
        Origin::Wide => (!is_wide).then_some(Fault::OtherEncoding),
        Origin::Narrow => is_wide.then_some(Fault::OtherEncoding),
    }
}

/// The encoding of a name.
pub(super) fn by_name(name: &str) -> Option<&'static Encoding> {
    if ["ucs-2", "iso-10646-ucs-2"].iter().any(|wide| wide.eq_ignore_ascii_case(name)) {
        return Some(UTF_16LE);
    }
    Encoding::for_label(name.as_bytes())
}
