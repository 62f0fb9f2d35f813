//! CREATE, ALTER and DROP of workload groups, and ALTER RESOURCE GOVERNOR. They change the configuration; RECONFIGURE
//! makes it hold.

use millpond_catalog::{CatalogObject, ModuleKind, SchemaId, names_equal};
use millpond_engine::governor::{self, configured_groups};
use millpond_engine::settled::{Seeker, part};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_storage::settings::{StoredGovernor, StoredGroup};
use millpond_tsql::ast::{DropObjects, NamedOption, OptionValue, ResourceGovernor, Statement, WorkloadGroup};
use millpond_txn::DEFAULT_GROUP;
use millpond_types::{SqlType, Value};

use crate::exec::batch::{BatchRun, scalar};

/// First number of groups of users.
const FIRST_GROUP: u32 = 256;
const TEMPDB_MB: &str = "GROUP_MAX_TEMPDB_DATA_MB";
/// Options whose work this server has no use for: they are taken and do nothing.
const IDLE_OPTIONS: [&str; 6] = [
    "IMPORTANCE",
    "REQUEST_MAX_MEMORY_GRANT_PERCENT",
    "REQUEST_MAX_CPU_TIME_SEC",
    "REQUEST_MEMORY_GRANT_TIMEOUT_SEC",
    "MAX_DOP",
    "GROUP_MAX_REQUESTS",
];

/// CREATE or ALTER WORKLOAD GROUP
pub(in crate::exec) fn define_group(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    group: &WorkloadGroup,
) -> SqlResult<()> {
    outside_of_transactions(run, if group.alter { "ALTER WORKLOAD GROUP" } else { "CREATE WORKLOAD GROUP" })?;
    if let Some(pool) = group.pool.as_ref().filter(|pool| !names_equal(pool, "default")) {
        return Err(message::missing(&format!("The resource pool '{pool}'")));
    }
    let mut groups = configured_groups(run.ctx.engine.instance());
    let known = groups.iter().position(|known| names_equal(&known.name, &group.name));
    let at = match (known, group.alter) {
        (Some(at), true) => at,
        (None, true) => return Err(no_group("alter", &group.name)),
        (Some(_), false) => return Err(message::object_exists(&group.name)),
        (None, false) if names_equal(&group.name, "internal") => return Err(message::object_exists(&group.name)),
        (None, false) => {
            let id = groups.last().map_or(FIRST_GROUP, |last| (last.id + 1).max(FIRST_GROUP));
            groups.push(StoredGroup { id, name: group.name.clone(), tempdb_data_max_mb: None });
            groups.len() - 1
        }
    };
    for option in &group.options {
        match option.name.as_str() {
            TEMPDB_MB => groups[at].tempdb_data_max_mb = megabytes(run, statement, option)?,
            name if IDLE_OPTIONS.contains(&name) => {}
            name => return Err(message::missing(&format!("The option {name} of a workload group"))),
        }
    }
    store_governor(run, |governor| governor.groups = groups)
}

/// The value of GROUP_MAX_TEMPDB_DATA_MB; NULL is no bound.
fn megabytes(run: &mut BatchRun<'_>, statement: &Statement, option: &NamedOption) -> SqlResult<Option<f64>> {
    let wrong = || SqlError::of(10_908, 1, &[&TEMPDB_MB]);
    let OptionValue::Constant(value) = &option.value else { return Err(wrong()) };
    match scalar::scalar(run, statement, 0, value, Some(SqlType::Float))? {
        Value::Null => Ok(None),
        Value::Float(megabytes) if megabytes >= 0.0 => Ok(Some(megabytes)),
        _ => Err(wrong()),
    }
}

/// DROP WORKLOAD GROUP
pub(in crate::exec) fn drop_groups(run: &mut BatchRun<'_>, drop: &DropObjects) -> SqlResult<()> {
    outside_of_transactions(run, "DROP WORKLOAD GROUP")?;
    for name in &drop.names {
        let name = name.last();
        if names_equal(name, "default") || names_equal(name, "internal") {
            return Err(SqlError::of(10_912, 1, &[]));
        }
        let groups = configured_groups(run.ctx.engine.instance());
        let Some(group) = groups.iter().find(|known| names_equal(&known.name, name)) else {
            if drop.if_exists {
                continue;
            }
            return Err(no_group("drop", name));
        };
        let id = group.id;
        store_governor(run, |governor| governor.groups.retain(|group| group.id != id))?;
    }
    run.done_without_count();
    Ok(())
}

/// ALTER RESOURCE GOVERNOR
pub(in crate::exec) fn resource_governor(run: &mut BatchRun<'_>, action: &ResourceGovernor) -> SqlResult<()> {
    outside_of_transactions(run, "ALTER RESOURCE GOVERNOR")?;
    match action {
        ResourceGovernor::Reconfigure => store_governor(run, |governor| governor.is_disabled = false)?,
        ResourceGovernor::Disable => store_governor(run, |governor| governor.is_disabled = true)?,
        ResourceGovernor::ResetStatistics => {
            run.ctx.engine.txns().governor().groups().iter().for_each(|group| group.quota().reset_statistics());
        }
        ResourceGovernor::ClassifierFunction(None) => store_governor(run, |governor| governor.classifier = None)?,
        ResourceGovernor::ClassifierFunction(Some(name)) => {
            let schema = part(name, 1).unwrap_or("dbo").to_owned();
            let last = name.last().clone();
            let found = Seeker::of(&run.ctx).object(DbId::MASTER, name, SchemaId::DBO)?;
            let is_function =
                matches!(found, Some(CatalogObject::Module(def)) if def.kind == ModuleKind::ScalarFunction);
            if !is_function {
                return Err(message::invalid_object(&name.shown()));
            }
            store_governor(run, |governor| governor.classifier = Some((schema, last)))?;
        }
        ResourceGovernor::With(_) => return Err(message::missing("This option of ALTER RESOURCE GOVERNOR")),
    }
    if matches!(action, ResourceGovernor::Reconfigure | ResourceGovernor::Disable) {
        governor::apply_groups(run.ctx.engine.txns());
    }
    run.done_without_count();
    Ok(())
}

fn store_governor(run: &mut BatchRun<'_>, change: impl FnOnce(&mut StoredGovernor)) -> SqlResult<()> {
    let settings = run.ctx.engine.instance().settings();
    let mut governor = settings.governor();
    change(&mut governor);
    // The default group is stored once it differs from what everybody starts with.
    governor.groups.retain(|group| group.id != DEFAULT_GROUP || group.tempdb_data_max_mb.is_some());
    settings.set_governor(governor).map_err(|error| message::of_settings(&error))?;
    run.done_without_count();
    Ok(())
}

fn outside_of_transactions(run: &BatchRun<'_>, what: &str) -> SqlResult<()> {
    if run.ctx.facts.tran_count == 0 {
        return Ok(());
    }
    Err(SqlError::of(574, 0, &[&what]))
}

fn no_group(verb: &str, name: &str) -> SqlError {
    SqlError::of(15_151, 1, &[&verb, &"workload group", &name])
}
