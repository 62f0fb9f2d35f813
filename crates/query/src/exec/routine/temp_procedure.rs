//! Procedures whose names begin with `#`: of the session that makes them, gone with it, in no catalog. (Those of `##`, which all
//! sessions see, are in tempdb's.)

use std::sync::Arc;

use millpond_bind::Home;
use millpond_catalog::{ModuleDef, ModuleKind, ObjectId, Schema};
use millpond_engine::temp::TempProcedure;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{self, DefinitionVerb};

use crate::exec::batch::{BatchRun, transaction};
use millpond_engine::parsed::module_text::{kind_of, module_text};
use millpond_names::module_check;

/// Numbers of temporary procedures are below the negative of this, where no object has one.
const FIRST_NUMBER: i32 = 1 << 30;

/// Of all modules only procedures have temporary names.
///
/// # Errors
/// 4103 for a view, 1074 for a function.
pub(in crate::exec) fn check_kind(module: &ast::Module) -> SqlResult<()> {
    let last = module.name.last();
    if !last.starts_with('#') {
        return Ok(());
    }
    match kind_of(module) {
        ModuleKind::Procedure => Ok(()),
        ModuleKind::View => Err(SqlError::of(4103, 1, &[&last])),
        ModuleKind::Trigger => Err(message::missing("A trigger with a temporary name")),
        _ => Err(SqlError::of(1074, 1, &[])),
    }
}

/// CREATE, ALTER, CREATE OR ALTER of a procedure whose name is the session's own.
///
/// # Errors
/// 40517 for EXECUTE AS, 2714 and 208; what of its text cannot be bound.
pub(in crate::exec) fn define_temporary(run: &mut BatchRun<'_>, module: &ast::Module) -> SqlResult<()> {
    let last = module.name.last().clone();
    // The owner of a session's own procedure would be the owner of tempdb or of the current database: neither made it.
    let runs_as = |option: &ast::ModuleOption| match option {
        ast::ModuleOption::ExecuteAs(context) => *context != ast::ExecuteContext::Caller,
        _ => false,
    };
    if module.options.iter().any(runs_as) {
        return Err(message::missing("EXECUTE AS of a temporary procedure"));
    }
    let known = run.ctx.session.temp.read().procedure(&last).cloned();
    let now_us = run.ctx.engine.now_us().1;
    let tempdb = run.ctx.engine.databases().dictionary(DbId::TEMPDB)?;
    let (id, created_us) = match (known, module.verb) {
        (Some(known), DefinitionVerb::Alter | DefinitionVerb::CreateOrAlter) => (known.def.id, known.def.created_us),
        (Some(_), DefinitionVerb::Create) => return Err(message::object_exists(&last)),
        (None, DefinitionVerb::Alter) => return Err(message::invalid_object(&last)),
        // Below all numbers of objects: one of the current database with its number would lend it its owner.
        (None, _) => (ObjectId(-FIRST_NUMBER - tempdb.catalog().next_object_id().0), now_us),
    };
    let settings = &run.ctx.facts.settings;
    let def = Arc::new(ModuleDef {
        order: Arc::default(),
        columns: Arc::default(),
        id,
        schema: Schema::dbo(),
        name: last,
        kind: ModuleKind::Procedure,
        text: module_text(&run.parsed.text, module),
        quoted_identifier: settings.quoted_identifier,
        ansi_nulls: settings.ansi_nulls,
        parent: ObjectId(0),
        is_disabled: false,
        is_system: false,
        runs_as: None,
        created_us,
        modified_us: now_us,
    });
    let database = run.ctx.facts.database;
    module_check::check_module(&run.ctx, &run.parsed, module, Home::of(database, &def))?;
    // What cannot be read again is not kept.
    run.ctx.engine.read_module(&def)?;
    transaction::implicit_begin(run);
    let in_transaction = run.session.work.in_transaction();
    run.ctx.session.temp.write().put_procedure(TempProcedure { database, def }, in_transaction);
    run.done_without_count();
    Ok(())
}

/// Whether there was one.
pub(in crate::exec) fn drop_temporary(run: &mut BatchRun<'_>, name: &str) -> bool {
    let in_transaction = run.session.work.in_transaction();
    let mut temp = run.ctx.session.temp.write();
    let was_there = temp.procedure(name).is_some();
    temp.remove_procedure(name, in_transaction);
    was_there
}
