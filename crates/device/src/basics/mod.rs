//! What the layers above share and none of them owns: notifications to a listener above, a thread's wake-up, identities as text, hash maps
//! keyed by the server's own numbers.

pub mod guid;
pub mod hook;
pub mod number_map;
pub mod wakeup;
