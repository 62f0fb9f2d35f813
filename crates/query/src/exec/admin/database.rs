//! CREATE and DROP DATABASE, MODIFY NAME.

use millpond_engine::admin::alone::Alone;
use millpond_message as message;
use millpond_message::backup::{of_alter, of_attach, of_create};
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_storage::database::options::{DatabaseFlag, DatabaseOptions};
use millpond_storage::database::plan::{NewDatabase, NewFile};
use millpond_storage::database::{alter, create};
use millpond_tsql::ast::{CreateDatabase, DatabaseOrigin, FileSpec, ObjectName};

use crate::exec::admin::collation::collation_of_database;
use crate::exec::admin::{databases, snapshot, users};
use crate::exec::batch::BatchRun;
use crate::exec::security;
use millpond_engine::admin::file_spec::{check_spec, growth_of, limit_of, pages, path_of};
use millpond_rights::containment;

pub(in crate::exec) fn create_database(run: &mut BatchRun<'_>, create: &CreateDatabase) -> SqlResult<()> {
    not_in_transaction(run, "CREATE DATABASE")?;
    match &create.origin {
        DatabaseOrigin::New => {}
        DatabaseOrigin::Attach => return attach_database(run, create),
        DatabaseOrigin::AttachRebuildLog => {
            return Err(message::missing("CREATE DATABASE … FOR ATTACH_REBUILD_LOG"));
        }
        DatabaseOrigin::Snapshot(source) => return snapshot::create(run, create, source),
        DatabaseOrigin::Copy(source) => return snapshot::copy(run, create, source),
    }
    let is_contained = match create.containment.as_deref() {
        None | Some("NONE") => false,
        Some("PARTIAL") => containment::check_allowed(&run.ctx, "create").map(|()| true)?,
        Some(other) => return Err(message::syntax_near(other)),
    };
    // What a database is made with is what ALTER DATABASE sets, but for options of what is not there.
    if let Some(option) = create.options.iter().find(|option| option.name == "LEDGER" && !option.is("OFF")) {
        return Err(message::missing(&format!("CREATE DATABASE … WITH {}", option.name)));
    }
    if create.filegroups.is_empty() && !create.log.is_empty() {
        return Err(SqlError::of(188, 1, &[]));
    }
    if create.filegroups.iter().skip(1).any(|group| group.contains.is_none() && !group.files.is_empty()) {
        return Err(message::missing("CREATE DATABASE … FILEGROUP"));
    }
    let collation = create.collation.as_deref().map(collation_of_database).transpose()?;
    let files = |specs: &[FileSpec]| specs.iter().map(new_file).collect::<SqlResult<Vec<NewFile>>>();
    let new = NewDatabase {
        name: create.name.clone(),
        data: create.filegroups.first().map_or(Ok(Vec::new()), |group| files(&group.files))?,
        log: files(&create.log)?,
        collation: collation.map(|collation| collation.name().to_owned()),
    };
    let ask = run.ctx.ask_other();
    let make = |claim: create::Claim<'_>| create::create_claimed_database(databases(&run.ctx), &ask, &new, claim);
    let made = users::claimed(&run.ctx, make);
    let (database, mut alone) = made.map_err(|cause| of_create(&cause, &create.name))?;
    if is_contained {
        let contained = |options: &mut DatabaseOptions| options.set(DatabaseFlag::PartiallyContained, true);
        let set = alter::set_database_options(databases(&run.ctx), &ask, database.id(), contained);
        set.map_err(|cause| of_alter(&cause, &create.name))?;
    }
    // Its system tables are made at once: a full disk is the statement's error.
    users::opened(run, &mut alone, &database)?;
    security::own_database(run, database.id(), &create.name)?;
    run.done_without_count();
    Ok(())
}

pub(in crate::exec) fn drop_databases(run: &mut BatchRun<'_>, names: &[ObjectName], if_exists: bool) -> SqlResult<()> {
    not_in_transaction(run, "DROP DATABASE")?;
    for name in names {
        let name = name.last();
        let Some(id) = run.ctx.engine.database_id(name) else {
            if if_exists {
                continue;
            }
            return Err(message::cannot_drop("database", name));
        };
        if id.0 < 5 {
            return Err(SqlError::of(3708, 5, &[&"drop", &"database", &name, &"database"]));
        }
        let alone = Alone::once_left(&run.ctx, id).filter(|alone| users::users_of(run, alone) == 0);
        let Some(mut alone) = alone else { return Err(SqlError::of(3702, 3, &[&name])) };
        users::drop_unused(run, &mut alone).map_err(|cause| of_alter(&cause, name))?;
    }
    run.done_without_count();
    Ok(())
}

pub(in crate::exec) fn not_in_transaction(run: &BatchRun<'_>, words: &str) -> SqlResult<()> {
    if run.ctx.facts.tran_count > 0 {
        return Err(SqlError::of(226, 6, &[&words]));
    }
    Ok(())
}

pub(in crate::exec) fn rename_database(run: &mut BatchRun<'_>, id: DbId, name: &str) -> SqlResult<()> {
    let old = run.ctx.engine.database_name(id).unwrap_or_default();
    let alone = Alone::once_left(&run.ctx, id).ok_or_else(|| SqlError::of(5030, 2, &[]))?;
    alter::rename_database(databases(&run.ctx), id, name).map_err(|cause| of_alter(&cause, &old))?;
    alone.forget();
    if run.ctx.facts.database == id {
        run.ctx_mut().facts.database_name = std::sync::Arc::from(name);
    }
    run.inform(5021, &[&"database", &name]);
    run.done_without_count();
    Ok(())
}

fn new_file(spec: &FileSpec) -> SqlResult<NewFile> {
    check_spec(spec)?;
    let name = spec.name.clone().ok_or_else(|| SqlError::of(1036, 1, &[]))?;
    Ok(NewFile {
        name,
        path: spec.file_name.as_deref().map(path_of).transpose()?,
        size_pages: spec.size_kb.map(pages),
        max_pages: spec.max_size.and_then(limit_of),
        growth: spec.growth.map(growth_of),
    })
}

/// FOR ATTACH
fn attach_database(run: &mut BatchRun<'_>, create: &CreateDatabase) -> SqlResult<()> {
    let specs = create.filegroups.iter().flat_map(|group| &group.files).chain(&create.log);
    let mut paths = Vec::new();
    for spec in specs {
        let path = spec.file_name.as_deref().ok_or_else(|| SqlError::of(1037, 1, &[]))?;
        paths.push(path_of(path)?);
    }
    let ask = run.ctx.ask_other();
    let attach =
        |claim: create::Claim<'_>| alter::attach_database(databases(&run.ctx), &ask, &create.name, &paths, claim);
    let attached = users::claimed(&run.ctx, attach);
    let (database, mut alone) = attached.map_err(|cause| of_attach(&cause, &create.name))?;
    users::opened(run, &mut alone, &database)?;
    run.done_without_count();
    Ok(())
}
