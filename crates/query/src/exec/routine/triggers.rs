//! The triggers that a table has, and those that a change of it fires here.

use std::sync::Arc;

use millpond_catalog::TableDef;
use millpond_engine::module::{ModuleForm, ReadModule};
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_rows::changes::Event;
use millpond_storage::contract::DbId;
use millpond_storage::database::options::DatabaseFlag;
use millpond_storage::settings::options::OptionId;

use crate::exec::batch::BatchRun;

/// The triggers of a table in the order in which they were made, those that are switched off too.
pub(in crate::exec) fn all_triggers(run: &BatchRun<'_>, def: &TableDef) -> SqlResult<Vec<Arc<ReadModule>>> {
    if def.is_temporary() {
        return Ok(Vec::new());
    }
    let objects = run.ctx.engine.databases().dictionary(def.database)?.catalog().objects();
    objects.triggers_of(def.id).map(|trigger| run.ctx.engine.read_module(trigger)).collect()
}

/// The triggers that an event fires here.
pub(in crate::exec) fn triggers_of(
    run: &BatchRun<'_>,
    def: &TableDef,
    event: Event,
) -> SqlResult<Vec<Arc<ReadModule>>> {
    let mut found = all_triggers(run, def)?;
    if found.is_empty() {
        return Ok(found);
    }
    let settings = run.ctx.engine.instance().settings();
    if run.ctx.facts.trigger.is_some() && !settings.is_on(OptionId::NestedTriggers) {
        return Ok(Vec::new());
    }
    let recursive = is_recursive(run, def.database);
    found.retain(|trigger| {
        let wanted = match &trigger.form {
            ModuleForm::Trigger { head, .. } => head.events.iter().any(|word| word == event.word()),
            _ => false,
        };
        wanted && !trigger.def.is_disabled && (recursive || trigger.def.id.0 != run.frame.object)
    });
    Ok(found)
}

fn is_recursive(run: &BatchRun<'_>, database: DbId) -> bool {
    let databases = run.ctx.engine.instance().database_reports();
    let found = databases.iter().find(|known| known.id == database);
    found.is_some_and(|known| known.options.is_on(DatabaseFlag::RecursiveTriggers))
}

/// R4 of `exec::routine::trigger`: a cascade into a table whose triggers it would fire.
pub(in crate::exec) fn refuse_cascade(run: &BatchRun<'_>, def: &TableDef, verb: &str) -> SqlResult<()> {
    for event in Event::ALL {
        if event.word() == verb && !triggers_of(run, def, event)?.is_empty() {
            return Err(message::missing(&format!("A cascade into '{}', which has triggers for it,", def.name)));
        }
    }
    Ok(())
}
