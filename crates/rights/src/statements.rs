//! What each statement needs that is none over rows, and how it is refused without.
//!
//! What always holds: every kind of statement stands in [`check`], so a new one has to be decided about. Statements on principals
//! and permissions decide by themselves, and so do those over rows (`rights::check_needs`). Temporary objects are the
//! session's own. What SQL Server says of an object that may not be changed is what it says of one that is not there.
//!
//! Sources: "Permissions" of each statement's page.

use millpond_catalog::security::{Of, Permission, PrincipalId, Securable, UserKind};
use millpond_catalog::{CatalogObject, ModuleDef, ObjectId, SchemaId, names_equal};
use millpond_engine::arguments::{NamedTable, database_argument, named_table, table_in, temporary_named};
use millpond_engine::context::RunContext;
use millpond_engine::security::{Access, access, denied_on_object, login_of_new, may, may_on_server};
use millpond_engine::settled;
use millpond_engine::settled::part;
use millpond_engine::system_call::CallArg;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{
    AlterTable, AlterTableAction, DefinitionVerb, DropKind, ExecuteContext, Module, ModuleKind, ModuleOption,
    ObjectName, RestoreWhat, StatementKind, TriggerTarget,
};
use millpond_types::Value;

use crate::needs::{in_database, may_on_object};
use crate::new_object::{create_object, database_of};
use crate::{cannot, no_permission};

/// Refuses a statement that the session may not run.
///
/// # Errors
/// See above; 916 for a database without access.
#[cold]
pub fn check(ctx: &RunContext, kind: &StatementKind) -> SqlResult<()> {
    use StatementKind as S;
    match kind {
        S::Atomic { .. }
        | S::Block(_)
        | S::If { .. }
        | S::While { .. }
        | S::Break
        | S::Continue
        | S::Return(_)
        | S::Goto(_)
        | S::Label(_)
        | S::TryCatch { .. }
        | S::WaitForDelay(_)
        | S::WaitForTime(_)
        | S::Print(_)
        | S::Throw(_)
        | S::Declare(_)
        | S::DeclareTable { .. }
        | S::SetVariable(_)
        | S::SetOption(_)
        | S::BeginTransaction { .. }
        | S::Commit { .. }
        | S::Rollback(_)
        | S::Save(_)
        | S::DeclareCursor(_)
        | S::SetCursor { .. }
        | S::OpenCursor(_)
        | S::Fetch(_)
        | S::CloseCursor(_)
        | S::DeallocateCursor(_) => Ok(()),
        S::Select(_)
        | S::Insert(_)
        | S::Update(_)
        | S::Delete(_)
        | S::Merge(_)
        | S::InsertBulk(_)
        | S::Use(_)
        | S::Execute(_)
        | S::ExecuteText(_)
        | S::AlterSchema { .. }
        | S::CreateBound(_)
        | S::Principal(_)
        | S::Permission(_)
        | S::AlterAuthorization { .. }
        | S::ExecuteAs(_)
        | S::Revert(_)
        | S::SetUser(_)
        | S::Unsupported(_) => Ok(()),
        S::RaiseError { options, .. } => match options.iter().any(|option| option == "LOG") {
            true if !may_on_server(ctx, "ALTER TRACE")? => Err(SqlError::of(2778, 1, &[&"WITH LOG", &"RAISERROR"])),
            _ => Ok(()),
        },
        S::BulkInsert(_) => match may_on_server(ctx, "ADMINISTER BULK OPERATIONS")? {
            true => Ok(()),
            false => Err(SqlError::of(4834, 1, &[])),
        },
        S::Truncate { table, .. } => alter_object(ctx, table, |_| SqlError::of(1088, 7, &[&table.shown()])),
        S::AlterTable(alter) => {
            alter_object(ctx, &alter.table, |_| SqlError::of(1088, 13, &[&alter.table.shown()]))?;
            if let AlterTableAction::Switch { target, .. } = &alter.action {
                alter_object(ctx, target, |_| SqlError::of(1088, 13, &[&target.shown()]))?;
            }
            alter_mask(ctx, alter)
        }
        S::CreateIndex(create) => {
            alter_object(ctx, &create.table, |_| SqlError::of(1088, 12, &[&create.table.shown()]))
        }
        S::AlterIndex(alter) => alter_object(ctx, &alter.table, |_| SqlError::of(1088, 9, &[&alter.table.shown()])),
        S::CreateStatistics(create) => {
            alter_object(ctx, &create.table, |_| SqlError::of(1088, 12, &[&create.table.shown()]))
        }
        S::UpdateStatistics(update) => {
            alter_object(ctx, &update.table, |_| SqlError::of(1088, 12, &[&update.table.shown()]))
        }
        S::DropIndex { indexes, .. } => indexes.iter().try_for_each(|index| {
            let full = format!("{}.{}", index.table.last(), index.index);
            alter_object(ctx, &index.table, |_| message::cannot_drop("index", &full))
        }),
        S::DropTable { names, .. } => names.iter().try_for_each(|name| drop_object(ctx, name, "table")),
        // Asked where the place of a new object is found (`check_new`): SELECT INTO makes one too.
        S::CreateTable { .. } | S::CreateSynonym { .. } => Ok(()),
        S::CreateType(create) => create_object(ctx, &create.name, "CREATE TYPE"),
        S::Sequence(sequence) if sequence.alter => {
            alter_object(ctx, &sequence.name, |_| message::invalid_object(&sequence.name.shown()))
        }
        S::Sequence(_) => Ok(()),
        S::Partition(_) => in_database(ctx, ctx.facts.database, "ALTER ANY DATASPACE"),
        S::CreateSchema { .. } => in_database(ctx, ctx.facts.database, "CREATE SCHEMA"),
        S::Module(module) => define_module(ctx, module),
        S::Drop(drop) if matches!(drop.on, Some(TriggerTarget::Database)) => {
            in_database(ctx, ctx.facts.database, "ALTER ANY DATABASE DDL TRIGGER")
        }
        S::Drop(drop) if matches!(drop.on, Some(TriggerTarget::Server)) => on_server(ctx, "CONTROL SERVER"),
        S::Drop(drop) => drop.names.iter().try_for_each(|name| drop_other(ctx, drop.kind, name)),
        S::TriggerSwitch(switch) => match &switch.target {
            TriggerTarget::Object(name) => alter_object(ctx, name, |_| SqlError::of(1088, 7, &[&name.shown()])),
            TriggerTarget::Database => in_database(ctx, ctx.facts.database, "ALTER ANY DATABASE DDL TRIGGER"),
            TriggerTarget::Server => on_server(ctx, "CONTROL SERVER"),
        },
        S::Checkpoint(_) => in_database(ctx, ctx.facts.database, "CHECKPOINT"),
        S::CreateDatabase(_) => create_database(ctx),
        S::AlterDatabase { database, .. } => alter_database(ctx, database),
        S::ScopedConfiguration(_) => in_database(ctx, ctx.facts.database, "ALTER ANY DATABASE SCOPED CONFIGURATION"),
        // Asked when the name is known, which a variable may say (`check_backup`, `check_restore`).
        S::Backup(_) => Ok(()),
        S::Restore(restore) => match &restore.what {
            RestoreWhat::Database(_) | RestoreWhat::Log(_) => Ok(()),
            _ => create_database(ctx),
        },
        S::EventSession(_) => on_server(ctx, "ALTER ANY EVENT SESSION"),
        S::WorkloadGroup(_) | S::ResourcePool(_) | S::ResourceGovernor(_) => on_server(ctx, "CONTROL SERVER"),
        S::ServerConfiguration(_) | S::Reconfigure { .. } => on_server(ctx, "ALTER SETTINGS"),
        S::Shutdown { .. } => on_server(ctx, "SHUTDOWN"),
        S::Kill(_) => match may_on_server(ctx, "ALTER ANY CONNECTION")? {
            true => Ok(()),
            false => Err(SqlError::of(6102, 1, &[])),
        },
        // Asked when its arguments are known (`check_dbcc`): they say of which database it is.
        S::Dbcc { .. } => Ok(()),
    }
}

/// 300 and 297
fn on_server(ctx: &RunContext, permission: &str) -> SqlResult<()> {
    if may_on_server(ctx, permission)? {
        return Ok(());
    }
    Err(crate::needs::denied().after(crate::needs::on_server(permission)))
}

/// An object of a stored table, view or module; none of a temporary one.
fn find(ctx: &RunContext, name: &ObjectName) -> SqlResult<Option<(DbId, CatalogObject)>> {
    if name.last().starts_with(['#', '@']) {
        return Ok(None);
    }
    let Some(database) = database_of(ctx, name) else { return Ok(None) };
    access(ctx, database)?;
    Ok(settled::find_object(ctx, name)?.map(|object| (database, object)))
}

/// ALTER on an object; one that is not there is the statement's business.
fn alter_object(ctx: &RunContext, name: &ObjectName, refused: impl Fn(&str) -> SqlError) -> SqlResult<()> {
    let Some((database, object)) = find(ctx, name)? else { return Ok(()) };
    match may_on_object(ctx, database, object.id(), "ALTER")? {
        true => Ok(()),
        false => Err(refused(name.last())),
    }
}

/// ALTER ANY MASK, where a mask of a stored column is changed.
fn alter_mask(ctx: &RunContext, alter: &AlterTable) -> SqlResult<()> {
    let (name, is_mask) = match &alter.action {
        AlterTableAction::ColumnMask { column, .. } => (column, true),
        AlterTableAction::AlterColumn(column) => (&column.name, column.mask.is_some()),
        _ => return Ok(()),
    };
    let Some((database, object)) = find(ctx, &alter.table)? else { return Ok(()) };
    // A column that is altered loses a mask that is not said again.
    let had_mask = match &object {
        CatalogObject::Table(def, _) => def.column(name).is_some_and(|at| def.columns[at].mask.is_some()),
        _ => false,
    };
    if is_mask || had_mask { in_database(ctx, database, "ALTER ANY MASK") } else { Ok(()) }
}

/// CONTROL on an object, or ALTER on its schema.
fn drop_object(ctx: &RunContext, name: &ObjectName, words: &str) -> SqlResult<()> {
    let Some((database, object)) = find(ctx, name)? else { return Ok(()) };
    match may_drop(ctx, database, object.id(), object.schema().id)? {
        true => Ok(()),
        false => Err(message::cannot_drop(words, &name.shown())),
    }
}

fn may_drop(ctx: &RunContext, database: DbId, object: ObjectId, schema: SchemaId) -> SqlResult<bool> {
    Ok(may_on_object(ctx, database, object, "CONTROL")?
        || may(ctx, database, "ALTER", Securable::new(Of::Schema, schema.0))?)
}

fn define_module(ctx: &RunContext, module: &Module) -> SqlResult<()> {
    if module.name.last().starts_with('#') {
        return Ok(());
    }
    check_context(ctx, module)?;
    let (words, permission) = match &module.kind {
        ModuleKind::View(_) => ("view", "CREATE VIEW"),
        ModuleKind::Procedure { .. } => ("procedure", "CREATE PROCEDURE"),
        ModuleKind::Function { .. } => ("function", "CREATE FUNCTION"),
        ModuleKind::Trigger { head, .. } => {
            return match &head.target {
                TriggerTarget::Object(table) => alter_object(ctx, table, |name| SqlError::of(8197, 6, &[&name])),
                TriggerTarget::Database => in_database(ctx, ctx.facts.database, "ALTER ANY DATABASE DDL TRIGGER"),
                TriggerTarget::Server => on_server(ctx, "CONTROL SERVER"),
            };
        }
    };
    let found = find(ctx, &module.name)?;
    match (found, module.verb) {
        (Some((database, object)), DefinitionVerb::Alter | DefinitionVerb::CreateOrAlter) => {
            match may_on_object(ctx, database, object.id(), "ALTER")? {
                true => Ok(()),
                false => Err(cannot("alter", words, module.name.last())),
            }
        }
        (_, DefinitionVerb::Alter) => Ok(()),
        _ => create_object(ctx, &module.name, permission),
    }
}

/// IMPERSONATE on whom the module is to run as: a user by name, of a trigger of the server a login, or its owner. SELF is the
/// session's own user.
///
/// # Errors
/// 15517, 15406
fn check_context(ctx: &RunContext, module: &Module) -> SqlResult<()> {
    let written = module.options.iter().find_map(|option| match option {
        ModuleOption::ExecuteAs(context) => Some(context),
        _ => None,
    });
    if let ModuleKind::Trigger { head, .. } = &module.kind
        && matches!(head.target, TriggerTarget::Server)
    {
        return written.map_or(Ok(()), |written| login_of_new(ctx, written).map(|_| ()));
    }
    let access = access(ctx, ctx.facts.names_database())?;
    let user = |id| access.security.principal(id).filter(|user| user.kind == UserKind::User);
    let (user, name) = match written {
        None | Some(ExecuteContext::Caller | ExecuteContext::Creator | ExecuteContext::Login(_)) => return Ok(()),
        Some(ExecuteContext::User(name)) => {
            (access.security.named(name).and_then(|found| user(found.id)), name.as_str())
        }
        Some(ExecuteContext::Owner) => (owner_to_be(ctx, module, &access)?.and_then(user), "OWNER"),
    };
    match user {
        Some(user) if access.may_impersonate(user.id) => Ok(()),
        _ => Err(SqlError::of(15_517, 1, &[&name])),
    }
}

/// Who owns a module that is made or altered: of a trigger the owner of its table, else that of the module that is there, else
/// that of the schema. None of a schema that is not there.
fn owner_to_be(ctx: &RunContext, module: &Module, access: &Access) -> SqlResult<Option<PrincipalId>> {
    let rights = access.rights();
    let stands_on = match &module.kind {
        ModuleKind::Trigger { head, .. } => match &head.target {
            TriggerTarget::Object(table) => table,
            TriggerTarget::Database | TriggerTarget::Server => return Ok(Some(PrincipalId::DBO)),
        },
        _ => &module.name,
    };
    if let Some((_, object)) = find(ctx, stands_on)? {
        return Ok(rights.owner(Securable::object(object.id().0)));
    }
    let own = || access.objects.schema_name(ctx.facts.default_schema);
    let schema = part(&module.name, 1).map_or_else(own, str::to_owned);
    Ok(access.objects.schema(&schema).map(|schema| access.security.schema_owner(schema.id.0)))
}

/// ALTER on the table or view that the trigger is of.
fn drop_trigger(ctx: &RunContext, name: &ObjectName) -> SqlResult<()> {
    let Some((database, CatalogObject::Module(trigger))) = find(ctx, name)? else { return Ok(()) };
    if trigger.kind != millpond_catalog::ModuleKind::Trigger {
        return Ok(());
    }
    match may_on_object(ctx, database, trigger.parent, "ALTER")? {
        true => Ok(()),
        false => Err(message::cannot_drop("trigger", &name.shown())),
    }
}

fn drop_other(ctx: &RunContext, kind: DropKind, name: &ObjectName) -> SqlResult<()> {
    let words = kind.words().to_lowercase();
    match kind {
        DropKind::View
        | DropKind::Procedure
        | DropKind::Function
        | DropKind::Sequence
        | DropKind::Default
        | DropKind::Rule
        | DropKind::Synonym => drop_object(ctx, name, &words),
        DropKind::Trigger => drop_trigger(ctx, name),
        DropKind::Database => drop_database(ctx, name),
        DropKind::Schema => {
            let access = access(ctx, ctx.facts.database)?;
            let Some(schema) = access.objects.schema(name.last()) else { return Ok(()) };
            let on = Securable::new(Of::Schema, schema.id.0);
            match access.rights().may(Permission::known(Of::Schema, "CONTROL"), on) || access.may("ALTER ANY SCHEMA") {
                true => Ok(()),
                false => Err(cannot("drop", "schema", name.last())),
            }
        }
        DropKind::Type => {
            let access = access(ctx, ctx.facts.database)?;
            let schema = access.objects.schema(part(name, 1).unwrap_or("dbo")).map(|schema| schema.id);
            let found = schema.and_then(|schema| access.objects.user_type(schema, name.last()));
            let Some(ty) = found else { return Ok(()) };
            let may = access.rights().may(Permission::known(Of::Type, "CONTROL"), Securable::new(Of::Type, ty.id));
            let on = Securable::new(Of::Schema, ty.schema.id.0);
            match may || access.rights().may(Permission::known(Of::Schema, "ALTER"), on) {
                true => Ok(()),
                false => Err(cannot("drop", "type", name.last())),
            }
        }
        DropKind::Statistics => {
            let Some((_, table)) = name.parts.split_last() else { return Ok(()) };
            if table.is_empty() {
                return Ok(());
            }
            let table = ObjectName { parts: table.to_vec() };
            alter_object(ctx, &table, |_| message::cannot_drop("statistics", &name.shown()))
        }
        // They decide by themselves.
        DropKind::User | DropKind::Login | DropKind::Role | DropKind::ServerRole | DropKind::ApplicationRole => Ok(()),
        DropKind::WorkloadGroup | DropKind::ResourcePool | DropKind::ExternalResourcePool => {
            on_server(ctx, "CONTROL SERVER")
        }
    }
}

fn create_database(ctx: &RunContext) -> SqlResult<()> {
    if may_on_server(ctx, "CREATE ANY DATABASE")? {
        return Ok(());
    }
    in_database(ctx, DbId::MASTER, "CREATE DATABASE")
}

/// 5011 and 5069
fn alter_database(ctx: &RunContext, name: &str) -> SqlResult<()> {
    let allowed = match settled::altered_database(ctx, name) {
        None => return Ok(()),
        Some(id) => may(ctx, id, "ALTER", Securable::DATABASE)? || may_on_server(ctx, "ALTER ANY DATABASE")?,
    };
    if allowed {
        return Ok(());
    }
    Err(SqlError::of(5069, 1, &[&""]).after(SqlError::of(5011, 9, &[&name])))
}

fn drop_database(ctx: &RunContext, name: &ObjectName) -> SqlResult<()> {
    let Some(id) = ctx.engine.database_id(name.last()) else { return Ok(()) };
    match may(ctx, id, "CONTROL", Securable::DATABASE)? || may_on_server(ctx, "ALTER ANY DATABASE")? {
        true => Ok(()),
        false => Err(message::cannot_drop("database", name.last())),
    }
}

/// BACKUP of a database or of its log.
///
/// # Errors
/// 262
pub fn check_backup(ctx: &RunContext, database: DbId, of_log: bool) -> SqlResult<()> {
    in_database(ctx, database, if of_log { "BACKUP LOG" } else { "BACKUP DATABASE" })
}

/// RESTORE over a database that is there: its owner, and who may alter any; of a new one: who may make one.
///
/// # Errors
/// 262
pub fn check_restore(ctx: &RunContext, name: &str) -> SqlResult<()> {
    let Some(id) = ctx.engine.database_id(name) else { return create_database(ctx) };
    let is_owner = may(ctx, id, "CONTROL", Securable::DATABASE).unwrap_or(false);
    match is_owner || may_on_server(ctx, "ALTER ANY DATABASE")? {
        true => Ok(()),
        false => Err(SqlError::of(262, 1, &[&"RESTORE DATABASE", &name])),
    }
}

/// What a DBCC command needs: the owner of a database or of a table, what is said of the server, or nothing; all others are the
/// administrator's.
///
/// # Errors
/// 7983, 2557, 229, 297, 2571; 916 for a database without access.
pub fn check_dbcc(ctx: &RunContext, command: &str, args: &[CallArg]) -> SqlResult<()> {
    if ctx.facts.security.is_sa() {
        return Ok(());
    }
    let command = command.to_ascii_uppercase();
    let arg = |index: usize| args.get(index).and_then(|arg| arg.value.as_ref());
    let allowed = match command.as_str() {
        "USEROPTIONS" | "INPUTBUFFER" | "TRACESTATUS" => true,
        "CHECKDB" | "CHECKALLOC" | "CHECKCATALOG" | "SHRINKDATABASE" | "OPENTRAN" | "UPDATEUSAGE" => {
            return owns_database(ctx, &command, database_argument(ctx, arg(0)).ok());
        }
        "CHECKCONSTRAINTS" => return owns_database(ctx, &command, database_of_table(ctx, arg(0))),
        "CHECKFILEGROUP" | "SHRINKFILE" | "PROCCACHE" => {
            return owns_database(ctx, &command, Some(ctx.facts.database));
        }
        // Of all tables.
        "SHOWCONTIG" if args.is_empty() => {
            if may(ctx, ctx.facts.database, "ALTER ANY SCHEMA", Securable::DATABASE)? {
                return Ok(());
            }
            return owns_database(ctx, &command, Some(ctx.facts.database));
        }
        "SHOW_STATISTICS" if temporary_named(ctx, arg(0)).is_some() => return Ok(()),
        "CHECKTABLE" | "CHECKIDENT" | "DBREINDEX" | "SHOW_STATISTICS" | "SHOWCONTIG" => {
            return owns_table(ctx, &command, database_of_table(ctx, arg(0)), |_| named_table(ctx, arg(0)));
        }
        "CLEANTABLE" | "INDEXDEFRAG" => {
            let database = database_argument(ctx, arg(0)).ok();
            return owns_table(ctx, &command, database, |database| table_in(ctx, database, arg(1)));
        }
        "SQLPERF" => {
            let is_shown = arg(1).is_none();
            if may_on_server(ctx, if is_shown { "VIEW SERVER STATE" } else { "ALTER SERVER STATE" })? {
                return Ok(());
            }
            return Err(crate::needs::denied());
        }
        "FREEPROCCACHE" | "DROPCLEANBUFFERS" | "FREESYSTEMCACHE" | "FREESESSIONCACHE" => {
            may_on_server(ctx, "ALTER SERVER STATE")?
        }
        _ => millpond_engine::security::is_sysadmin(ctx)?,
    };
    if allowed { Ok(()) } else { Err(crate::needs::no_dbcc(ctx, &command)) }
}

/// 7983 of who does not own a database; one that is not there is the command's business.
fn owns_database(ctx: &RunContext, command: &str, database: Option<DbId>) -> SqlResult<()> {
    let Some(database) = database else { return Ok(()) };
    access(ctx, database)?;
    if may(ctx, database, "CONTROL", Securable::DATABASE)? {
        return Ok(());
    }
    let (user, name) = (crate::needs::user_of(ctx), ctx.engine.database_name(database).unwrap_or_default());
    Err(SqlError::of(7983, 36, &[&user, &crate::needs::shown_dbcc(command), &name]))
}

/// 2557, or 229, of who neither owns a table nor may define all of its database; one that is not there is the command's business.
fn owns_table(
    ctx: &RunContext,
    command: &str,
    database: Option<DbId>,
    find: impl FnOnce(DbId) -> SqlResult<NamedTable>,
) -> SqlResult<()> {
    let Some(database) = database else { return Ok(()) };
    access(ctx, database)?;
    let Ok((dictionary, def, _)) = find(database) else { return Ok(()) };
    let objects = dictionary.catalog().objects();
    let (id, schema) = ModuleDef::of_rows(&def, &objects).map_or((def.id, &def.schema), |view| (view.id, &view.schema));
    // The manual wants the schema's owner there.
    let owned = match command {
        "CHECKIDENT" => Securable::new(Of::Schema, schema.id.0),
        _ => Securable::object(id.0),
    };
    let may_all = may(ctx, database, "CONTROL", Securable::DATABASE)?
        || may(ctx, database, "ALTER ANY SCHEMA", Securable::DATABASE)?;
    if may_all || may(ctx, database, "CONTROL", owned)? {
        return Ok(());
    }
    if matches!(command, "CLEANTABLE" | "INDEXDEFRAG") {
        return Err(denied_on_object("DBCC", &def.name, &def.database_name, &schema.name));
    }
    let state = if command == "DBREINDEX" { 1 } else { 3 };
    Err(SqlError::of(2557, state, &[&crate::needs::user_of(ctx), &crate::needs::shown_dbcc(command), &def.name]))
}

/// The database of a table that an argument names or has the number of.
fn database_of_table(ctx: &RunContext, arg: Option<&Value>) -> Option<DbId> {
    let name = arg.and_then(Value::as_str).and_then(millpond_builtin::object_name);
    match name.as_ref().and_then(|name| part(name, 2)) {
        Some(database) => ctx.engine.database_id(database),
        None => Some(ctx.facts.database),
    }
}

/// What a procedure of the system needs in the current database, where it is not everybody's: the call has made current the one
/// that its name says. What changes an object asks for ALTER on it where it finds it (`check_altered`).
///
/// # Errors
/// 15247; 229 for a sequence.
pub fn check_system_procedure(ctx: &RunContext, name: &str, args: &[CallArg]) -> SqlResult<()> {
    if ctx.facts.security.is_sa() {
        return Ok(());
    }
    let database = ctx.facts.database;
    let is_owner = || may(ctx, database, "CONTROL", Securable::DATABASE);
    let defines = || Ok::<_, SqlError>(is_owner()? || may(ctx, database, "ALTER ANY SCHEMA", Securable::DATABASE)?);
    let allowed = match name.to_lowercase().as_str() {
        "sp_configure" if args.len() > 1 => may_on_server(ctx, "ALTER SETTINGS")?,
        "sp_attach_db" | "sp_attach_single_file_db" => may_on_server(ctx, "CREATE ANY DATABASE")?,
        "sp_detach_db" => may_on_server(ctx, "ALTER ANY DATABASE")?,
        "sp_readerrorlog" | "xp_readerrorlog" | "sp_enumerrorlogs" | "xp_enumerrorlogs" | "sp_cycle_errorlog" => {
            may_on_server(ctx, "ALTER ANY LOGIN")? || may_on_server(ctx, "CONTROL SERVER")?
        }
        "sp_settriggerorder" => {
            let on = first_argument(args, "@triggername").and_then(|name| named_object(ctx, name));
            on.map_or_else(defines, |on| Ok(defines()? || may(ctx, database, "ALTER", on)?))?
        }
        "sp_recompile" => {
            let on = first_argument(args, "@objname").and_then(|name| named_object(ctx, name));
            on.map_or_else(defines, |on| Ok(defines()? || may(ctx, database, "ALTER", on)?))?
        }
        "sp_addtype" | "sp_droptype" => defines()?,
        "sp_updatestats" | "sp_createstats" | "sp_ms_marksystemobject" => is_owner()?,
        "sp_sequence_get_range" => {
            let given = first_argument(args, "@sequence_name").unwrap_or_default();
            match named_object(ctx, given) {
                Some(on) if !may(ctx, database, "UPDATE", on)? => {
                    let shown = given.to_owned();
                    return Err(denied_on_object("UPDATE", &shown, &ctx.facts.database_name, "dbo"));
                }
                _ => true,
            }
        }
        _ => true,
    };
    if allowed { Ok(()) } else { Err(no_permission()) }
}

/// The text of the argument for a procedure's first parameter, which the call gives first or by name.
fn first_argument<'a>(args: &'a [CallArg], parameter: &str) -> Option<&'a str> {
    let is_it = |(place, arg): &(usize, &CallArg)| match arg.name.as_deref().filter(|name| !name.is_empty()) {
        Some(name) => names_equal(name, parameter),
        None => *place == 0,
    };
    args.iter().enumerate().find(is_it).and_then(|(_, arg)| arg.value.as_ref()?.as_str())
}

/// The object of the current database that a name in an argument means: without a schema it is looked for in the default one,
/// then in `dbo`.
fn named_object(ctx: &RunContext, name: &str) -> Option<Securable> {
    let name = millpond_builtin::object_name(name)?;
    let objects = ctx.engine.databases().dictionary(ctx.facts.database).ok()?.catalog().objects();
    let find = |schema| objects.find(schema, name.last());
    let found = match part(&name, 1) {
        Some(schema) => find(objects.schema(schema)?.id),
        None => find(ctx.facts.default_schema).or_else(|| find(SchemaId::DBO)),
    };
    found.map(|object| Securable::object(object.id().0))
}
