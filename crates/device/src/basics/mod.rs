//! What the layers above share and none of them owns: what happened, told upwards; a thread that is woken; identities as text; maps by
//! the server's own numbers.

pub mod guid;
pub mod hook;
pub mod number_map;
pub mod wakeup;
