//! The triggers that a table or view has, and those that a change of it fires here.
//!
//! What always holds:
//! - G1: a trigger does not fire while it is the innermost one that runs, unless it is an AFTER trigger and the database has
//!   RECURSIVE_TRIGGERS; calls between it and the change make no difference.
//! - G2: without the option 'nested triggers' no AFTER trigger fires while another one runs; INSTEAD OF triggers do.

use std::sync::Arc;

use millpond_bind::InsteadOf;
use millpond_catalog::run::facts::TriggerKind;
use millpond_catalog::{ObjectId, TableDef};
use millpond_engine::context::RunContext;
use millpond_engine::module::{ModuleForm, ReadModule};
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_rows::changes::Event;
use millpond_storage::contract::DbId;
use millpond_storage::database::options::DatabaseFlag;
use millpond_storage::settings::options::OptionId;
use millpond_tsql::ast::TriggerHead;

/// The triggers of a table in the order in which they were made, those that are switched off too.
pub fn all_triggers(ctx: &RunContext, def: &TableDef) -> SqlResult<Vec<Arc<ReadModule>>> {
    if def.is_temporary() { Ok(Vec::new()) } else { triggers_on(ctx, (def.database, def.id)) }
}

/// [`all_triggers`] of a table or view by its number.
pub fn triggers_on(ctx: &RunContext, (database, object): (DbId, ObjectId)) -> SqlResult<Vec<Arc<ReadModule>>> {
    let objects = ctx.engine.databases().dictionary(database)?.catalog().objects();
    objects.triggers_of(object).map(|trigger| ctx.engine.read_module(trigger)).collect()
}

/// Whether a stored table has any.
pub fn has_triggers(ctx: &RunContext, def: &TableDef) -> SqlResult<bool> {
    let objects = ctx.engine.databases().dictionary(def.database)?.catalog().objects();
    Ok(objects.triggers_of(def.id).next().is_some())
}

/// What a trigger of a table or view watches; none of another module.
pub fn head_of(trigger: &ReadModule) -> Option<&TriggerHead> {
    match &trigger.form {
        ModuleForm::Trigger { head, .. } => Some(head),
        _ => None,
    }
}

/// Whether a trigger that is switched on is for an event, and of such a kind.
fn is_for(trigger: &ReadModule, event: Event, instead_of: bool) -> bool {
    let head = head_of(trigger);
    !trigger.def.is_disabled
        && head.is_some_and(|head| head.instead_of == instead_of && head.events.iter().any(|word| word == event.word()))
}

/// The AFTER triggers that an event fires here: the first one, the others in the order in which they were made, the last one.
pub fn triggers_of(ctx: &RunContext, def: &TableDef, event: Event) -> SqlResult<Vec<Arc<ReadModule>>> {
    let mut found = all_triggers(ctx, def)?;
    if found.is_empty() {
        return Ok(found);
    }
    found.retain(|trigger| is_for(trigger, event, false));
    if found.is_empty() {
        return Ok(found);
    }
    if let Some(running) = &ctx.facts.trigger {
        let is_after = running.stack().any(|trigger| trigger.kind == TriggerKind::After);
        if is_after && !ctx.engine.instance().settings().is_on(OptionId::NestedTriggers) {
            return Ok(Vec::new());
        }
        if !is_recursive(ctx, def.database) {
            found.retain(|trigger| !running.is(def.database, trigger.def.id));
        }
    }
    found.sort_by_key(|trigger| trigger.def.rank_in_order(event.word()));
    Ok(found)
}

/// The INSTEAD OF trigger that takes the rows of an event here.
pub fn instead_triggers(
    ctx: &RunContext,
    (database, object): (DbId, ObjectId),
    event: Event,
) -> SqlResult<Option<Arc<ReadModule>>> {
    let mut found = triggers_on(ctx, (database, object))?;
    found.retain(|trigger| is_for(trigger, event, true));
    if let Some(running) = &ctx.facts.trigger {
        found.retain(|trigger| !running.is(database, trigger.def.id));
    }
    Ok(found.pop())
}

/// Which changes of a table or view INSTEAD OF triggers take here, and whether that is only so because one of them runs, in
/// a text that it did not write itself.
///
/// # Errors
/// Of a database that cannot be read.
pub fn instead_of(ctx: &RunContext, database: DbId, object: ObjectId) -> SqlResult<(InsteadOf, bool)> {
    let objects = ctx.engine.databases().dictionary(database)?.catalog().objects();
    if objects.triggers_of(object).next().is_none() {
        return Ok((InsteadOf::default(), false));
    }
    let takes = |event| instead_triggers(ctx, (database, object), event).map(|found| found.is_some());
    let found =
        InsteadOf { insert: takes(Event::Insert)?, update: takes(Event::Update)?, delete: takes(Event::Delete)? };
    let is_within = ctx.facts.trigger.as_ref().is_some_and(|running| {
        running.nest_level != ctx.facts.nest_level
            && objects.triggers_of(object).any(|trigger| running.is(database, trigger.id))
    });
    Ok((found, is_within))
}

fn is_recursive(ctx: &RunContext, database: DbId) -> bool {
    let databases = ctx.engine.instance().database_reports();
    let found = databases.iter().find(|known| known.id == database);
    found.is_some_and(|known| known.options.is_on(DatabaseFlag::RecursiveTriggers))
}

/// R4 of `query/src/exec/routine/trigger`: a cascade into a table whose triggers it would fire.
pub fn refuse_cascade(ctx: &RunContext, def: &TableDef, verb: &str) -> SqlResult<()> {
    for event in Event::ALL {
        if event.word() == verb && !triggers_of(ctx, def, event)?.is_empty() {
            return Err(message::missing(&format!("A cascade into '{}', which has triggers for it,", def.name)));
        }
    }
    Ok(())
}
