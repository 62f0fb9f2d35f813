//! Sessions' work over a real instance in memory.

mod concurrent;
mod crash;
#[path = "../../examples/crash_matrix/matrix.rs"]
mod crash_matrix;
mod definitions;
mod extension;
mod faults;
mod fill;
mod log_full;
mod model;
mod moving;
mod quota;
#[path = "../../../storage/tests/it/recorder.rs"]
mod recorder;
mod recovery;
mod restore;
mod rig;
mod rollback;
mod rows;
mod sort;
mod space;
mod table;
mod tree_model;
mod two_databases;
mod values;

/// A session's work may change threads with its session; a scan may run on any.
const _: () = {
    const fn may_move<T: Send + 'static>() {}
    may_move::<millpond_txn::SessionWork>();
    may_move::<millpond_access::HeapScan>();
};

/// Readers are shared by the threads of a plan.
const _: () = {
    const fn may_share<T: Send + Sync + 'static>() {}
    const fn may_move<T: Send + 'static>() {}
    may_share::<millpond_txn::Reader>();
    may_move::<millpond_txn::TxnScan>();
};
