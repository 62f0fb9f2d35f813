//! A target that must crash: it shows that the fuzzer runs, mutates and reports. `README.md` has the command.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    assert!(!bytes.starts_with(b"mill"), "the canary is dead, as it must be");
});
