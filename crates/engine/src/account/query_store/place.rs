//! Where a bound statement keeps which plan of which store it is, so that its next execution is counted without a look at its text.
//!
//! What always holds: the plan is that of the statement as it is bound, for one store, one object and the same settings.

use parking_lot::Mutex;

use crate::account::query_store::context_settings::ContextSettings;

/// The place.
#[derive(Debug, Default)]
pub struct CapturedPlace(Mutex<Option<CapturedAs>>);

/// What was captured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CapturedAs {
    /// Number of the store.
    pub store: u64,
    pub settings: ContextSettings,
    pub object: i32,
    pub plan: i64,
}

impl CapturedPlace {
    pub(crate) fn get(&self) -> Option<CapturedAs> {
        *self.0.lock()
    }

    pub(crate) fn set(&self, captured: CapturedAs) {
        *self.0.lock() = Some(captured);
    }
}
