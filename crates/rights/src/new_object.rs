//! What makes an object, or changes one that a procedure of the system names, needs: asked where the object's place is found, so
//! that every statement that makes one comes by.
//!
//! It knows no statements, only names.

use millpond_catalog::ObjectId;
use millpond_catalog::security::{Of, Permission, Securable};
use millpond_engine::context::RunContext;
use millpond_engine::security::{Access, access};
use millpond_engine::settled::part;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::ObjectName;

use crate::needs::{in_database, may_on_object};

/// Objects that are made by a statement of their own or by SELECT INTO.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NewObject {
    /// A table.
    Table,
    /// A synonym.
    Synonym,
    /// A sequence.
    Sequence,
    /// A default.
    Default,
    /// A rule.
    Rule,
}

/// What the statement that makes an object needs.
///
/// # Errors
/// 262 for a permission of the database, 2760 for one on the schema; 916.
pub fn check_new(ctx: &RunContext, name: &ObjectName, kind: NewObject) -> SqlResult<()> {
    if ctx.facts.security.is_sa() {
        return Ok(());
    }
    match kind {
        NewObject::Table => create_object(ctx, name, "CREATE TABLE"),
        NewObject::Synonym => create_object(ctx, name, "CREATE SYNONYM"),
        NewObject::Default => create_object(ctx, name, "CREATE DEFAULT"),
        NewObject::Rule => create_object(ctx, name, "CREATE RULE"),
        // CREATE SEQUENCE on the schema is enough.
        NewObject::Sequence => match database_of(ctx, name) {
            Some(database) => on_schema(ctx, &access(ctx, database)?, name, "CREATE SEQUENCE"),
            None => Ok(()),
        },
    }
}

/// ALTER on an object that a procedure of the system changes.
///
/// # Errors
/// 15247
pub fn check_altered(ctx: &RunContext, database: DbId, object: ObjectId) -> SqlResult<()> {
    match may_on_object(ctx, database, object, "ALTER")? {
        true => Ok(()),
        false => Err(SqlError::of(15_247, 1, &[])),
    }
}

/// The permission to make such things in the database, and ALTER on the schema that it comes into.
///
/// # Errors
/// 262, 2760, 916
pub fn create_object(ctx: &RunContext, name: &ObjectName, permission: &str) -> SqlResult<()> {
    if name.last().starts_with(['#', '@']) {
        return Ok(());
    }
    let Some(database) = database_of(ctx, name) else { return Ok(()) };
    let access = access(ctx, database)?;
    in_database(ctx, database, permission)?;
    on_schema(ctx, &access, name, "ALTER")
}

/// The database that a name in a definition says, else the one where names are looked for; none of an unknown one.
pub fn database_of(ctx: &RunContext, name: &ObjectName) -> Option<DbId> {
    match part(name, 2) {
        None => Some(ctx.facts.names_database()),
        Some(database) => ctx.engine.database_id(database),
    }
}

/// A permission on the schema that a new object comes into; a schema that is not there is the statement's business.
///
/// # Errors
/// 2760
fn on_schema(ctx: &RunContext, access: &Access, name: &ObjectName, permission: &str) -> SqlResult<()> {
    let schema_name = part(name, 1).map_or_else(|| access.objects.schema_name(ctx.facts.default_schema), str::to_owned);
    let Some(schema) = access.objects.schema(&schema_name) else { return Ok(()) };
    let on = Securable::new(Of::Schema, schema.id.0);
    match access.rights().may(Permission::known(Of::Schema, permission), on) {
        true => Ok(()),
        false => Err(message::unknown_schema(&schema_name)),
    }
}
