//! The resource governor: workload groups as they are configured, made to hold.
//!
//! What always holds: what is configured holds from ALTER RESOURCE GOVERNOR RECONFIGURE on, and from the next start.

use millpond_storage::instance::Instance;
use millpond_storage::settings::StoredGroup;
use millpond_storage::settings::options::OptionId;
use millpond_txn::{DEFAULT_GROUP, TxnManager, pages_of_mb};

/// The groups as they are configured: the default one, and those of users.
#[must_use]
pub fn configured_groups(instance: &Instance) -> Vec<StoredGroup> {
    let mut groups = instance.settings().governor().groups;
    if groups.iter().all(|group| group.id != DEFAULT_GROUP) {
        groups.insert(0, StoredGroup { id: DEFAULT_GROUP, name: "default".to_owned(), tempdb_data_max_mb: None });
    }
    groups.sort_by_key(|group| group.id);
    groups
}

/// Makes the configured groups hold.
pub fn apply_groups(txns: &TxnManager) {
    let (groups, governor) = (configured_groups(txns.instance()), txns.governor());
    let is_disabled = txns.instance().settings().governor().is_disabled;
    for running in governor.groups() {
        if running.id > DEFAULT_GROUP && groups.iter().all(|group| group.id != running.id) {
            governor.remove_group(running.id);
        }
    }
    for group in groups {
        let running = governor.add_group(Some(group.id), &group.name);
        let limit = group.tempdb_data_max_mb.filter(|_| !is_disabled).map(pages_of_mb);
        running.quota().set_limit_pages(limit);
    }
}

/// Makes the option 'tempdb session limit (MB)' hold.
pub fn apply_session_limit(txns: &TxnManager) {
    let limit_mb = txns.instance().settings().running(OptionId::TempdbSessionLimitMb);
    txns.set_session_limit_pages((limit_mb > 0).then(|| pages_of_mb(limit_mb as f64)));
}
