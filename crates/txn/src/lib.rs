//! millpond-txn
