//! Databases, backups, the resource governor.

use std::fmt::Write;

use crate::ast::{
    AlterDatabase, Backup, BackupDevice, CreateDatabase, DatabaseOrigin, FileGrowth, FileLimit, FileSpec,
    FilegroupContents, FilegroupProperty, FilegroupSpec, ResourceGovernor, ResourcePool, Restore, RestoreWhat,
    ScopedConfiguration, StopAt, Termination, WorkloadGroup,
};
use crate::print::{Printer, option, quoted};

// Databases.

pub(super) fn create_database(printer: &mut Printer, create: &CreateDatabase) {
    printer.worded("CREATE DATABASE", &create.name);
    if let Some(containment) = &create.containment {
        let _ = write!(printer.out, " CONTAINMENT = {containment}");
    }
    if !create.filegroups.is_empty() {
        printer.text(" ON PRIMARY ");
        filegroup_specs(printer, &create.filegroups);
    }
    if !create.log.is_empty() {
        printer.text(" LOG ON ");
        printer.list(&create.log, ", ", file_spec);
    }
    if let Some(collation) = &create.collation {
        let _ = write!(printer.out, " COLLATE {collation}");
    }
    match &create.origin {
        DatabaseOrigin::New => {}
        DatabaseOrigin::Attach => printer.text(" FOR ATTACH"),
        DatabaseOrigin::AttachRebuildLog => printer.text(" FOR ATTACH_REBUILD_LOG"),
        DatabaseOrigin::Snapshot(source) => printer.worded(" AS SNAPSHOT OF", source),
        DatabaseOrigin::Copy(source) => printer.worded(" AS COPY OF", source),
    }
    option::open_options(printer, " WITH ", &create.options);
}

fn filegroup_specs(printer: &mut Printer, groups: &[FilegroupSpec]) {
    for (i, group) in groups.iter().enumerate() {
        if i > 0 {
            printer.worded(", FILEGROUP", &group.name);
            filegroup_contents(printer, group.contains);
            printer.text(if group.default { " DEFAULT " } else { " " });
        }
        printer.list(&group.files, ", ", file_spec);
    }
}

fn filegroup_contents(printer: &mut Printer, contents: Option<FilegroupContents>) {
    printer.text(match contents {
        None => "",
        Some(FilegroupContents::FileStream) => " CONTAINS FILESTREAM",
        Some(FilegroupContents::MemoryOptimized) => " CONTAINS MEMORY_OPTIMIZED_DATA",
    });
}

pub(super) fn alter_database(printer: &mut Printer, database: &str, action: &AlterDatabase) {
    printer.text("ALTER DATABASE ");
    if database == "CURRENT" {
        printer.text(database)
    } else {
        printer.ident(database)
    }
    match action {
        AlterDatabase::AddFile { files, log, filegroup } => {
            printer.text(if *log { " ADD LOG FILE " } else { " ADD FILE " });
            printer.list(files, ", ", file_spec);
            if let Some(filegroup) = filegroup {
                printer.worded(" TO FILEGROUP", filegroup);
            }
        }
        AlterDatabase::ModifyFile(file) => {
            printer.text(" MODIFY FILE ");
            file_spec(printer, file);
        }
        AlterDatabase::RemoveFile(name) => printer.worded(" REMOVE FILE", name),
        AlterDatabase::ModifyName(name) => printer.worded(" MODIFY NAME =", name),
        AlterDatabase::Collate(collation) => {
            let _ = write!(printer.out, " COLLATE {collation}");
        }
        AlterDatabase::AddFilegroup { name, contains } => {
            printer.worded(" ADD FILEGROUP", name);
            filegroup_contents(printer, *contains);
        }
        AlterDatabase::RemoveFilegroup(name) => printer.worded(" REMOVE FILEGROUP", name),
        AlterDatabase::ModifyFilegroup { name, property } => {
            printer.worded(" MODIFY FILEGROUP", name);
            filegroup_property(printer, property);
        }
        AlterDatabase::Set { options, termination } => {
            option::open_options(printer, " SET ", options);
            termination_clause(printer, *termination);
        }
    }
}

fn filegroup_property(printer: &mut Printer, property: &FilegroupProperty) {
    match property {
        FilegroupProperty::ReadOnly => printer.text(" READ_ONLY"),
        FilegroupProperty::ReadWrite => printer.text(" READ_WRITE"),
        FilegroupProperty::Default => printer.text(" DEFAULT"),
        FilegroupProperty::Name(name) => printer.worded(" NAME =", name),
        FilegroupProperty::AutogrowAllFiles => printer.text(" AUTOGROW_ALL_FILES"),
        FilegroupProperty::AutogrowSingleFile => printer.text(" AUTOGROW_SINGLE_FILE"),
    }
}

fn termination_clause(printer: &mut Printer, termination: Option<Termination>) {
    match termination {
        None => {}
        Some(Termination::Immediate) => printer.text(" WITH ROLLBACK IMMEDIATE"),
        Some(Termination::After { wait_s }) => {
            let _ = write!(printer.out, " WITH ROLLBACK AFTER {wait_s} SECONDS");
        }
        Some(Termination::NoWait) => printer.text(" WITH NO_WAIT"),
    }
}

pub(super) fn scoped_configuration(printer: &mut Printer, configuration: &ScopedConfiguration) {
    printer.text("ALTER DATABASE SCOPED CONFIGURATION");
    printer.text(if configuration.secondary { " FOR SECONDARY" } else { "" });
    printer.text(if configuration.clear { " CLEAR " } else { " SET " });
    option::option(printer, &configuration.option);
}

fn file_spec(printer: &mut Printer, file: &FileSpec) {
    let mut options = Vec::new();
    options.extend(file.name.iter().map(|name| format!("NAME = {}", super::bracketed(name))));
    options.extend(file.new_name.iter().map(|name| format!("NEWNAME = {}", super::bracketed(name))));
    options.extend(file.file_name.iter().map(|path| format!("FILENAME = {}", quoted(path))));
    options.extend(file.size_kb.map(|kb| format!("SIZE = {kb}KB")));
    options.extend(file.max_size.map(|limit| match limit {
        FileLimit::Unlimited => "MAXSIZE = UNLIMITED".to_owned(),
        FileLimit::Kb(kb) => format!("MAXSIZE = {kb}KB"),
    }));
    options.extend(file.growth.map(|growth| match growth {
        FileGrowth::Kb(kb) => format!("FILEGROWTH = {kb}KB"),
        FileGrowth::Percent(percent) => format!("FILEGROWTH = {percent}%"),
    }));
    options.extend(file.offline.then(|| "OFFLINE".to_owned()));
    options.extend(file.duplicate.iter().map(|option| format!("/* twice or unknown: {option} */")));
    let _ = write!(printer.out, "({})", options.join(", "));
}

// Backups.

pub(super) fn backup(printer: &mut Printer, backup: &Backup) {
    printer.worded_variable(if backup.log { "BACKUP LOG" } else { "BACKUP DATABASE" }, &backup.database);
    option::open_options(printer, " ", &backup.parts);
    printer.text(" TO ");
    printer.list(&backup.devices, ", ", backup_device);
    for mirror in &backup.mirrors {
        printer.text(" MIRROR TO ");
        printer.list(mirror, ", ", backup_device);
    }
    option::open_options(printer, " WITH ", &backup.options);
}

fn backup_device(printer: &mut Printer, device: &BackupDevice) {
    match device {
        BackupDevice::Disk(path) => printer.keyed_expr("DISK = ", Some(path)),
        BackupDevice::Url(path) => printer.keyed_expr("URL = ", Some(path)),
        BackupDevice::Tape(path) => printer.keyed_expr("TAPE = ", Some(path)),
        BackupDevice::Logical(name) => printer.ident_or_variable(name),
    }
}

pub(super) fn restore(printer: &mut Printer, restore: &Restore) {
    match &restore.what {
        RestoreWhat::Database(name) => printer.worded_variable("RESTORE DATABASE", name),
        RestoreWhat::Log(name) => printer.worded_variable("RESTORE LOG", name),
        RestoreWhat::HeaderOnly => printer.text("RESTORE HEADERONLY"),
        RestoreWhat::FileListOnly => printer.text("RESTORE FILELISTONLY"),
        RestoreWhat::LabelOnly => printer.text("RESTORE LABELONLY"),
        RestoreWhat::VerifyOnly => printer.text("RESTORE VERIFYONLY"),
    }
    option::open_options(printer, " ", &restore.parts);
    if !restore.devices.is_empty() {
        printer.text(" FROM ");
        printer.list(&restore.devices, ", ", backup_device);
    }
    if let Some(snapshot) = &restore.snapshot {
        printer.worded(" FROM DATABASE_SNAPSHOT =", snapshot);
    }
    restore_options(printer, restore);
}

fn restore_options(printer: &mut Printer, restore: &Restore) {
    let mut separator = " WITH ";
    for (logical, path) in &restore.moves {
        printer.text(std::mem::replace(&mut separator, ", "));
        printer.keyed_expr("MOVE ", Some(logical));
        printer.keyed_expr(" TO ", Some(path));
    }
    if let Some(stop) = &restore.stop {
        printer.text(std::mem::replace(&mut separator, ", "));
        match stop {
            StopAt::Time(time) => printer.keyed_expr("STOPAT = ", Some(time)),
            StopAt::Mark { mark, after } => {
                printer.keyed_expr("STOPATMARK = ", Some(mark));
                printer.keyed_expr(" AFTER ", after.as_ref());
            }
            StopAt::BeforeMark { mark, after } => {
                printer.keyed_expr("STOPBEFOREMARK = ", Some(mark));
                printer.keyed_expr(" AFTER ", after.as_ref());
            }
        }
    }
    option::open_options(printer, separator, &restore.options);
}

// The resource governor.

pub(super) fn workload_group(printer: &mut Printer, group: &WorkloadGroup) {
    printer.worded(if group.alter { "ALTER WORKLOAD GROUP" } else { "CREATE WORKLOAD GROUP" }, &group.name);
    option::with_options(printer, &group.options);
    if let Some(pool) = &group.pool {
        printer.worded(" USING", pool);
    }
    if let Some(pool) = &group.external_pool {
        printer.worded(if group.pool.is_some() { ", EXTERNAL" } else { " USING EXTERNAL" }, pool);
    }
}

pub(super) fn resource_pool(printer: &mut Printer, pool: &ResourcePool) {
    printer.text(if pool.alter { "ALTER " } else { "CREATE " });
    printer.text(if pool.external { "EXTERNAL " } else { "" });
    printer.worded("RESOURCE POOL", &pool.name);
    option::with_options(printer, &pool.options);
}

pub(super) fn resource_governor(printer: &mut Printer, action: &ResourceGovernor) {
    printer.text("ALTER RESOURCE GOVERNOR ");
    match action {
        ResourceGovernor::Reconfigure => printer.text("RECONFIGURE"),
        ResourceGovernor::Disable => printer.text("DISABLE"),
        ResourceGovernor::ResetStatistics => printer.text("RESET STATISTICS"),
        ResourceGovernor::ClassifierFunction(function) => {
            printer.text("WITH (CLASSIFIER_FUNCTION = ");
            match function {
                Some(function) => printer.name(function),
                None => printer.text("NULL"),
            }
            printer.text(")");
        }
        ResourceGovernor::With(options) => option::enclosed_options(printer, "WITH ", options),
    }
}
