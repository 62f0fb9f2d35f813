//! Sessions' work over a real instance in memory.

mod model;
mod rig;
mod rollback;
mod rows;
mod space;

/// A session's work may change threads with its session; a scan may run on any.
const _: () = {
    const fn may_move<T: Send + 'static>() {}
    may_move::<millpond_txn::SessionWork>();
    may_move::<millpond_access::HeapScan>();
};
