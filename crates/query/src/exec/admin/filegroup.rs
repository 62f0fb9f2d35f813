//! ALTER DATABASE … ADD, REMOVE and MODIFY FILEGROUP, and the filegroups of files.
//!
//! A filegroup is a name: rows lie in all data files of their database, whichever filegroup their table is in.

use millpond_catalog::data_space::{DataSpaces, Filegroup, PRIMARY};
use millpond_catalog::dictionary::change_data_spaces;
use millpond_catalog::names_equal;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::Message;
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{FileSpec, FilegroupContents, FilegroupProperty};

use crate::exec::batch::BatchRun;

/// Changes the filegroups of a database at once, as ALTER DATABASE does.
fn change(run: &BatchRun<'_>, id: DbId, work: impl FnOnce(&mut DataSpaces) -> SqlResult<()>) -> SqlResult<()> {
    let databases = run.ctx.engine.databases();
    let dictionary = databases.dictionary(id)?;
    databases.on_own_account(|io| change_data_spaces(&dictionary, io, work))
}

/// 5014
fn no_such_group(name: &str, database: &str) -> SqlError {
    SqlError::of(5014, 1, &[&"filegroup", &name, &database])
}

fn database_name(run: &BatchRun<'_>, id: DbId) -> String {
    run.ctx.engine.database_name(id).unwrap_or_default()
}

/// ADD FILEGROUP
///
/// # Errors
/// 5035 for a name that is taken, 40517 for one that is to hold something else than rows.
pub(in crate::exec) fn add(
    run: &BatchRun<'_>,
    id: DbId,
    name: &str,
    contains: Option<FilegroupContents>,
) -> SqlResult<Vec<Message>> {
    if contains.is_some() {
        return Err(message::missing("ADD FILEGROUP … CONTAINS"));
    }
    refuse_tempdb(id)?;
    change(run, id, |spaces| {
        if spaces.space(name).is_some() {
            return Err(SqlError::of(5035, 1, &[&name]));
        }
        let id = spaces.next_group();
        spaces.filegroups.push(Filegroup { id, name: name.to_owned(), is_read_only: false, grows_all: false });
        Ok(())
    })?;
    Ok(Vec::new())
}

fn refuse_tempdb(id: DbId) -> SqlResult<()> {
    if id == DbId::TEMPDB { Err(message::missing("A filegroup of tempdb")) } else { Ok(()) }
}

fn has_files(spaces: &DataSpaces, group: i32) -> bool {
    group == PRIMARY || spaces.files.values().any(|of| *of == group)
}

/// REMOVE FILEGROUP
///
/// # Errors
/// 5014 for one that is not there, 5042 for one that has files, tables or partitions.
pub(in crate::exec) fn remove(run: &BatchRun<'_>, id: DbId, name: &str) -> SqlResult<Vec<Message>> {
    let database = database_name(run, id);
    change(run, id, |spaces| {
        let group = spaces.group_named(name).map(|group| group.id).ok_or_else(|| no_such_group(name, &database))?;
        if has_files(spaces, group) || group == spaces.default_group || spaces.is_used(group) {
            return Err(SqlError::of(5042, 1, &[&"filegroup", &name, &"cannot be removed because it is not empty"]));
        }
        spaces.filegroups.retain(|known| known.id != group);
        Ok(())
    })?;
    Ok(vec![Message::of(5044, &[&"filegroup", &name])])
}

/// MODIFY FILEGROUP
///
/// # Errors
/// 5014 for one that is not there, 5050 for one without files, 5035 for a name that is taken, 40517 for READ_ONLY.
pub(in crate::exec) fn modify(
    run: &BatchRun<'_>,
    id: DbId,
    name: &str,
    property: &FilegroupProperty,
) -> SqlResult<Vec<Message>> {
    let database = database_name(run, id);
    let (grows_all, note) = match property {
        FilegroupProperty::ReadOnly => return Err(message::missing("MODIFY FILEGROUP … READ_ONLY")),
        FilegroupProperty::ReadWrite | FilegroupProperty::Default => (None, None),
        FilegroupProperty::Name(new) => (None, Some(Message::of(5021, &[&"filegroup", new]))),
        FilegroupProperty::AutogrowAllFiles => (Some(true), None),
        FilegroupProperty::AutogrowSingleFile => (Some(false), None),
    };
    change(run, id, |spaces| {
        let group = spaces.group_named(name).map(|group| group.id).ok_or_else(|| no_such_group(name, &database))?;
        if let FilegroupProperty::Name(new) = property {
            if spaces.space(new).is_some() && !names_equal(new, name) {
                return Err(SqlError::of(5035, 1, &[new]));
            }
        } else if !has_files(spaces, group) {
            return Err(SqlError::of(5050, 1, &[&name]));
        }
        if *property == FilegroupProperty::Default {
            spaces.default_group = group;
        }
        for known in spaces.filegroups.iter_mut().filter(|known| known.id == group) {
            known.grows_all = grows_all.unwrap_or(known.grows_all);
            if let FilegroupProperty::Name(new) = property {
                known.name.clone_from(new);
            }
        }
        Ok(())
    })?;
    Ok(note.into_iter().collect())
}

/// The filegroup that new files go to: the one that is said, else the default one.
///
/// # Errors
/// 5014 for one that is not there.
pub(in crate::exec) fn group_of_files(run: &BatchRun<'_>, id: DbId, said: Option<&str>) -> SqlResult<i32> {
    let objects = run.ctx.engine.databases().dictionary(id)?.catalog().objects();
    let spaces = objects.data_spaces();
    let Some(name) = said else { return Ok(spaces.default_group) };
    spaces.group_named(name).map(|group| group.id).ok_or_else(|| no_such_group(name, &database_name(run, id)))
}

/// New files are in a filegroup.
///
/// # Errors
/// What the rows' change gives.
pub(in crate::exec) fn note_files(run: &BatchRun<'_>, id: DbId, files: &[FileSpec], group: i32) -> SqlResult<()> {
    if group == PRIMARY {
        return Ok(());
    }
    let known = run.ctx.engine.instance().files(id);
    let numbers: Vec<u16> = known
        .iter()
        .filter(|file| files.iter().any(|spec| spec.name.as_ref().is_some_and(|name| names_equal(name, &file.name))))
        .map(|file| file.file.0)
        .collect();
    change(run, id, |spaces| {
        spaces.files.extend(numbers.iter().map(|number| (*number, group)));
        Ok(())
    })
}

/// Files that are gone are in no filegroup.
///
/// # Errors
/// What the rows' change gives.
pub(in crate::exec) fn forget_files(run: &BatchRun<'_>, id: DbId) -> SqlResult<()> {
    let objects = run.ctx.engine.databases().dictionary(id)?.catalog().objects();
    let known: Vec<u16> = run.ctx.engine.instance().files(id).iter().map(|file| file.file.0).collect();
    if objects.data_spaces().files.keys().all(|file| known.contains(file)) {
        return Ok(());
    }
    change(run, id, |spaces| {
        spaces.files.retain(|file, _| known.contains(file));
        Ok(())
    })
}
