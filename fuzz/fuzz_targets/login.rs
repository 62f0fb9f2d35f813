//! What a stranger can send before a password was checked: PRELOGIN and LOGIN7.
//!
//! What must hold: nothing panics; and what was decoded is encoded so that it decodes to the same again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use millpond_tds::login::Login7;
use millpond_tds::prelogin::{EncryptionPolicy, Prelogin, negotiate};

fn prelogin(payload: &[u8]) {
    let Ok(message) = Prelogin::decode(payload) else {
        return;
    };
    let _ = negotiate(message.wanted_encryption(), EncryptionPolicy::Optional);
    let again = Prelogin::decode(&message.encode()).expect("encoded by us");
    assert_eq!(message, again);
}

fn login(payload: &[u8]) {
    let Ok(message) = Login7::decode(payload) else {
        return;
    };
    let _ = message.packet_bytes();
    let _ = message.feature_acks();
    let mut again = Login7::decode(&message.encode()).expect("encoded by us");
    // The bit for extensions is set when there are any, whatever the sender of an empty list said.
    again.flags = message.flags;
    assert_eq!(message, again);
}

fuzz_target!(|bytes: &[u8]| {
    prelogin(bytes);
    login(bytes);
});
