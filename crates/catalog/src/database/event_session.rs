//! Sessions of extended events as they are kept: each as the CREATE EVENT SESSION that makes it anew, in master.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Sessions by their numbers: texts of CREATE EVENT SESSION.
pub type EventSessions = BTreeMap<i32, Arc<str>>;
