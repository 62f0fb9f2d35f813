//! A table's definition as rows of the system tables, with damages that the bytes choose: rows that are missing, doubled or
//! cut, values of other types.
//!
//! What must hold: a definition, or error 824; nothing panics.

#![no_main]

use libfuzzer_sys::fuzz_target;
use millpond_catalog::dictionary::any_rows::is_definition;

fuzz_target!(|bytes: &[u8]| {
    let _ = is_definition(bytes);
});
