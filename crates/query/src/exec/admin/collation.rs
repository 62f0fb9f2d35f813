//! The collation of a database: what CREATE DATABASE takes, and ALTER DATABASE … COLLATE.
//!
//! What always holds: columns keep the collation that they have. What is bound for the collation of the database and kept
//! (computed columns, CHECK constraints, schema-bound modules, columns of table-valued functions) stands in the way of
//! another one, as long as it would mean something else then; all else is bound again.

use std::sync::Arc;

use millpond_bind::{StoredNames, stored_condition, stored_value};
use millpond_catalog::expr::{BoundExpr, Label};
use millpond_catalog::{CatalogObject, ModuleDef, TableDef};
use millpond_engine::admin::alone::Alone;
use millpond_engine::module::ModuleForm;
use millpond_message as message;
use millpond_message::backup::of_alter;
use millpond_message::error::{SqlError, SqlResult};
use millpond_names::declared::declared_scalar;
use millpond_names::watch::is_bound;
use millpond_storage::contract::DbId;
use millpond_storage::database::alter;
use millpond_tsql::ast::TableDefinition;
use millpond_types::collation::Collation;

use crate::exec::admin::databases;
use crate::exec::batch::BatchRun;

/// A collation that a database may have.
///
/// # Errors
/// 448 for a name that is none, 453 for a collation without a code page.
pub(in crate::exec) fn collation_of_database(name: &str) -> SqlResult<Collation> {
    let collation = Collation::by_name(name).ok_or_else(|| message::invalid_collation(name))?;
    if collation.is_unicode_only() {
        return Err(SqlError::of(453, 1, &[&collation.name()]));
    }
    Ok(collation)
}

/// ALTER DATABASE … COLLATE.
///
/// # Errors
/// 3708 of a system database, 5030 while others use it, 5075 for each object that depends on its collation, then 5072.
pub(in crate::exec) fn alter_collation(run: &mut BatchRun<'_>, id: DbId, name: &str) -> SqlResult<()> {
    let collation = collation_of_database(name)?;
    let database = run.ctx.engine.database_name(id).unwrap_or_default();
    if id.0 < 5 {
        return Err(SqlError::of(3708, 5, &[&"alter", &"database", &database, &"database"]));
    }
    let alone = Alone::once_left(&run.ctx, id).ok_or_else(|| SqlError::of(5030, 2, &[]))?;
    if run.ctx.engine.databases().collation(id) != collation {
        refuse_dependents(run, id, collation)
            .map_err(|error| SqlError::of(5072, 1, &[&database, &collation.name()]).after(error))?;
        let set = alter::set_collation(databases(&run.ctx), &run.ctx.ask_other(), id, collation.name());
        set.map_err(|cause| of_alter(&cause, &database))?;
        // Definitions are bound again.
        alone.forget();
        if run.ctx.facts.database == id {
            run.ctx_mut().facts.collation = collation;
        }
        run.plans.statements.clear();
        run.session.shared.forget_plans();
    }
    run.done_without_count();
    Ok(())
}

/// 5075
fn refuse_dependents(run: &BatchRun<'_>, id: DbId, collation: Collation) -> SqlResult<()> {
    let dictionary = run.ctx.engine.databases().dictionary(id)?;
    let objects = dictionary.catalog().objects();
    let names = |collation| StoredNames::new(dictionary.catalog(), dictionary.name()).in_collation(collation);
    let (now, then) = (names(objects.collation), names(collation));
    let mut found = Vec::new();
    for object in objects.iter() {
        match object {
            CatalogObject::Table(def, _) => found.extend(of_table(def, &now, &then)?),
            CatalogObject::Module(def) if depends(run, def)? => found.push(("object", def.name.clone())),
            _ => {}
        }
    }
    let refusals = found.iter().map(|(kind, name)| SqlError::of(5075, 1, &[kind, name, &"database collation"]));
    refusals.reduce(|before, next| next.after(before)).map_or(Ok(()), Err)
}

/// The computed columns and constraints of a table that mean something else under other names.
fn of_table(def: &TableDef, now: &StoredNames, then: &StoredNames) -> SqlResult<Vec<(&'static str, String)>> {
    let mut found = Vec::new();
    for column in &def.columns {
        let Some(computed) = &column.computed else { continue };
        let value = |names: &StoredNames| stored_value(names, &computed.text, &def.name, &def.columns);
        if !means_same(value(now)?, value(then)?) {
            found.push(("column", format!("{}.{}", def.name, column.name)));
        }
    }
    for check in def.checks.iter().filter(|check| check.is_constraint()) {
        let condition = |names: &StoredNames| stored_condition(names, &check.text, &def.name, &def.columns);
        if !means_same(condition(now)?, condition(then)?) {
            found.push(("object", check.name.clone()));
        }
    }
    Ok(found)
}

/// Whether a module cannot be bound again in silence: it is bound to what it uses, or gives texts of the database's
/// collation as columns.
fn depends(run: &BatchRun<'_>, def: &Arc<ModuleDef>) -> SqlResult<bool> {
    if is_bound(&run.ctx, def) {
        return Ok(true);
    }
    if def.kind != millpond_catalog::ModuleKind::TableFunction {
        return Ok(false);
    }
    match &run.ctx.engine.read_module(def)?.form {
        ModuleForm::Table { definition, .. } => has_text_of_database(run, definition),
        _ => Ok(false),
    }
}

fn has_text_of_database(run: &BatchRun<'_>, definition: &TableDefinition) -> SqlResult<bool> {
    for column in definition.columns.iter().filter(|column| column.collation.is_none()) {
        let Some(data_type) = &column.data_type else { continue };
        if declared_scalar(&run.ctx, None, data_type)?.is_some_and(|sql| sql.is_string()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether both compare and convert alike and give texts of one collation. What gives way decides nothing where it stands
/// beside a column: a comparison says itself what it goes by.
fn means_same(now: BoundExpr, then: BoundExpr) -> bool {
    let gives_way = |expr: &BoundExpr| expr.ty.sql.is_string() && expr.ty.label == Label::Coercible;
    if gives_way(&now) && now.ty.collation != then.ty.collation {
        return false;
    }
    let plain = |expr: BoundExpr| {
        expr.rewrite(&mut |mut expr| {
            if gives_way(&expr) {
                expr.ty.collation = Collation::default();
            }
            Err(expr)
        })
    };
    plain(now).is_same_value(&plain(then))
}
