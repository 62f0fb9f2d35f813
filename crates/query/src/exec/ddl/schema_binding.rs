//! WITH SCHEMABINDING: what such a module uses stays as it is while the module is there.
//!
//! What always holds: what a module uses is found by binding its text, never kept beside it; whether it uses a column, by
//! binding it as if the column had another name.

use std::sync::Arc;

use millpond_bind::definition::column_users::refused;
use millpond_bind::{Access, Home, Need};
use millpond_catalog::{CatalogObject, DatabaseCatalog, ModuleDef, ModuleKind, ObjectId};
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{ObjectName, StatementKind};
use millpond_tsql::{ParseOptions, parse_batch};

use crate::exec::batch::BatchRun;
use crate::exec::ddl::objects::{Open, in_use};
use millpond_names::module_check;
use millpond_names::module_check::ModuleText;
use millpond_names::watch::{Watch, is_bound};
use millpond_rights::needs;

/// Binds the text of a module under a watch.
fn bind(ctx: &RunContext, home: Home, def: &ModuleDef, watch: &Watch) -> SqlResult<()> {
    let options = ParseOptions { quoted_identifier: def.quoted_identifier };
    let batch = parse_batch(&def.text, options).map_err(message::of_syntax)?;
    let module = batch.statements.iter().find_map(|statement| match &statement.kind {
        StatementKind::Module(module) => Some(module),
        _ => None,
    });
    let text = ModuleText { text: &def.text, uses: &batch.variables, relations: &batch.relations };
    module.map_or(Ok(()), |module| module_check::check_watched(ctx, module, home, &text, Some(watch)))
}

/// Whether a view or function that is being made WITH SCHEMABINDING may be.
///
/// # Errors
/// 4512 for a name that is not in two parts, 4513 for a module that is not bound itself, 2720 for a system object,
/// 2788 for a synonym, 1054 for `*`; 229 without REFERENCES on what it uses.
pub(in crate::exec) fn check_binding(run: &BatchRun<'_>, home: Home, def: &Arc<ModuleDef>) -> SqlResult<()> {
    let kind = match def.kind {
        ModuleKind::View => "view",
        ModuleKind::ScalarFunction | ModuleKind::InlineFunction | ModuleKind::TableFunction => "function",
        ModuleKind::Procedure | ModuleKind::Trigger | ModuleKind::Default | ModuleKind::Rule => return Ok(()),
    };
    if !is_bound(&run.ctx, def) {
        return Ok(());
    }
    let made = Some((kind, format!("{}.{}", def.schema.name, def.name)));
    let watch = Watch { made, module: def.id, ..Watch::default() };
    let bound = bind(&run.ctx, home, def, &watch);
    if let Some(refused) = watch.refused.take() {
        return Err(refused);
    }
    bound?;
    // Who binds a module to an object keeps its owner from changing it.
    let uses = watch.used.borrow().clone().into_iter();
    let need = |id| Need { is_any_column: true, ..Need::of_object(Access::References, home.database, id) };
    needs::check_uses(&run.ctx, uses.map(need))
}

/// The names of the modules that are bound to an object, in the order in which they were made.
fn bound_to(run: &BatchRun<'_>, catalog: &DatabaseCatalog, id: ObjectId, column: Option<&str>) -> Vec<String> {
    let objects = catalog.objects();
    let modules = objects.may_be_bound().filter_map(|module| match objects.get(module) {
        Some(CatalogObject::Module(def)) if def.id != id => Some(def),
        _ => None,
    });
    let uses = |def: &&Arc<ModuleDef>| {
        if !is_bound(&run.ctx, def) {
            return false;
        }
        let home = Home::of(catalog.database(), def);
        let watch = Watch { module: def.id, ..Watch::default() };
        let _ = bind(&run.ctx, home, def, &watch);
        if !watch.used.borrow().contains(&id) {
            return false;
        }
        let Some(column) = column else { return true };
        let watch = Watch { module: def.id, hidden: Some((id, column.to_owned())), ..Watch::default() };
        bind(&run.ctx, home, def, &watch).is_err()
    };
    modules.filter(uses).map(|def| def.name.clone()).collect()
}

/// Whether a bound module uses an object.
pub(in crate::exec) fn is_bound_to(run: &BatchRun<'_>, catalog: &DatabaseCatalog, id: ObjectId) -> bool {
    !bound_to(run, catalog, id, None).is_empty()
}

/// 3729: an object that a bound module uses is neither dropped nor, if it is a module, altered.
pub(in crate::exec) fn check_unbound(
    run: &BatchRun<'_>,
    catalog: &DatabaseCatalog,
    id: ObjectId,
    what: &str,
    name: &ObjectName,
) -> SqlResult<()> {
    match bound_to(run, catalog, id, None).first() {
        Some(user) => Err(in_use(what, &name.shown(), user)),
        None => Ok(()),
    }
}

/// 5074 and 4922: a column that a bound module uses is neither dropped nor altered.
pub(in crate::exec) fn check_column_unbound(
    run: &mut BatchRun<'_>,
    open: &Open,
    column: &str,
    what: &str,
) -> SqlResult<()> {
    let users = bound_to(run, open.dictionary.catalog(), open.def.id, Some(column));
    if users.is_empty() {
        return Ok(());
    }
    let users = users.into_iter().map(|user| format!("object '{user}'")).collect();
    refused(users, column, what).map_or(Ok(()), Err)
}

/// 15336: what a bound module uses keeps its name.
pub(in crate::exec) fn check_renamed(
    run: &BatchRun<'_>,
    catalog: &DatabaseCatalog,
    id: ObjectId,
    column: Option<&str>,
    name: &str,
) -> SqlResult<()> {
    if bound_to(run, catalog, id, column).is_empty() {
        return Ok(());
    }
    Err(SqlError::of(15_336, 1, &[&name]))
}
