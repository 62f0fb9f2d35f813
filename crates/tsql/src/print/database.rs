//! Databases, backups, the resource governor.

use std::fmt::Write;

use super::{Printer, quoted};
use crate::ast::{
    AlterDatabase, Backup, BackupDevice, CreateDatabase, DatabaseOrigin, FileGrowth, FileLimit, FileSpec,
    FilegroupContents, FilegroupProperty, FilegroupSpec, NamedOption, OptionValue, ResourceGovernor, ResourcePool,
    Restore, RestoreWhat, ScopedConfiguration, StopAt, Termination, WorkloadGroup,
};

/// Databases.
impl Printer {
    pub(super) fn create_database(&mut self, create: &CreateDatabase) {
        self.worded("CREATE DATABASE", &create.name);
        if let Some(containment) = &create.containment {
            let _ = write!(self.out, " CONTAINMENT = {containment}");
        }
        if !create.filegroups.is_empty() {
            self.text(" ON PRIMARY ");
            self.filegroup_specs(&create.filegroups);
        }
        if !create.log.is_empty() {
            self.text(" LOG ON ");
            self.list(&create.log, ", ", Self::file_spec);
        }
        if let Some(collation) = &create.collation {
            let _ = write!(self.out, " COLLATE {collation}");
        }
        match &create.origin {
            DatabaseOrigin::New => {}
            DatabaseOrigin::Attach => self.text(" FOR ATTACH"),
            DatabaseOrigin::AttachRebuildLog => self.text(" FOR ATTACH_REBUILD_LOG"),
            DatabaseOrigin::Snapshot(source) => self.worded(" AS SNAPSHOT OF", source),
        }
        self.open_options(" WITH ", &create.options);
    }

    fn filegroup_specs(&mut self, groups: &[FilegroupSpec]) {
        for (i, group) in groups.iter().enumerate() {
            if i > 0 {
                self.worded(", FILEGROUP", &group.name);
                self.filegroup_contents(group.contains);
                self.text(if group.default { " DEFAULT " } else { " " });
            }
            self.list(&group.files, ", ", Self::file_spec);
        }
    }

    fn filegroup_contents(&mut self, contents: Option<FilegroupContents>) {
        self.text(match contents {
            None => "",
            Some(FilegroupContents::FileStream) => " CONTAINS FILESTREAM",
            Some(FilegroupContents::MemoryOptimized) => " CONTAINS MEMORY_OPTIMIZED_DATA",
        });
    }

    pub(super) fn alter_database(&mut self, database: &str, action: &AlterDatabase) {
        self.text("ALTER DATABASE ");
        if database == "CURRENT" {
            self.text(database)
        } else {
            self.ident(database)
        }
        match action {
            AlterDatabase::AddFile { files, log, filegroup } => {
                self.text(if *log { " ADD LOG FILE " } else { " ADD FILE " });
                self.list(files, ", ", Self::file_spec);
                if let Some(filegroup) = filegroup {
                    self.worded(" TO FILEGROUP", filegroup);
                }
            }
            AlterDatabase::ModifyFile(file) => {
                self.text(" MODIFY FILE ");
                self.file_spec(file);
            }
            AlterDatabase::RemoveFile(name) => self.worded(" REMOVE FILE", name),
            AlterDatabase::ModifyName(name) => self.worded(" MODIFY NAME =", name),
            AlterDatabase::Collate(collation) => {
                let _ = write!(self.out, " COLLATE {collation}");
            }
            AlterDatabase::AddFilegroup { name, contains } => {
                self.worded(" ADD FILEGROUP", name);
                self.filegroup_contents(*contains);
            }
            AlterDatabase::RemoveFilegroup(name) => self.worded(" REMOVE FILEGROUP", name),
            AlterDatabase::ModifyFilegroup { name, property } => {
                self.worded(" MODIFY FILEGROUP", name);
                self.filegroup_property(property);
            }
            AlterDatabase::Set { options, termination } => {
                self.open_options(" SET ", options);
                self.termination(*termination);
            }
        }
    }

    fn filegroup_property(&mut self, property: &FilegroupProperty) {
        match property {
            FilegroupProperty::ReadOnly => self.text(" READ_ONLY"),
            FilegroupProperty::ReadWrite => self.text(" READ_WRITE"),
            FilegroupProperty::Default => self.text(" DEFAULT"),
            FilegroupProperty::Name(name) => self.worded(" NAME =", name),
            FilegroupProperty::AutogrowAllFiles => self.text(" AUTOGROW_ALL_FILES"),
            FilegroupProperty::AutogrowSingleFile => self.text(" AUTOGROW_SINGLE_FILE"),
        }
    }

    fn termination(&mut self, termination: Option<Termination>) {
        match termination {
            None => {}
            Some(Termination::Immediate) => self.text(" WITH ROLLBACK IMMEDIATE"),
            Some(Termination::After { wait_s }) => {
                let _ = write!(self.out, " WITH ROLLBACK AFTER {wait_s} SECONDS");
            }
            Some(Termination::NoWait) => self.text(" WITH NO_WAIT"),
        }
    }

    pub(super) fn scoped_configuration(&mut self, configuration: &ScopedConfiguration) {
        self.text("ALTER DATABASE SCOPED CONFIGURATION");
        self.text(if configuration.secondary { " FOR SECONDARY" } else { "" });
        self.text(if configuration.clear { " CLEAR " } else { " SET " });
        self.option(&configuration.option);
    }

    pub(super) fn file_spec(&mut self, file: &FileSpec) {
        let mut options = Vec::new();
        let bracketed = |name: &String| format!("[{}]", name.replace(']', "]]"));
        options.extend(file.name.iter().map(|name| format!("NAME = {}", bracketed(name))));
        options.extend(file.new_name.iter().map(|name| format!("NEWNAME = {}", bracketed(name))));
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
        let _ = write!(self.out, "({})", options.join(", "));
    }
}

/// Backups.
impl Printer {
    pub(super) fn backup(&mut self, backup: &Backup) {
        self.worded_variable(if backup.log { "BACKUP LOG" } else { "BACKUP DATABASE" }, &backup.database);
        self.open_options(" ", &backup.parts);
        self.text(" TO ");
        self.list(&backup.devices, ", ", Self::backup_device);
        for mirror in &backup.mirrors {
            self.text(" MIRROR TO ");
            self.list(mirror, ", ", Self::backup_device);
        }
        self.open_options(" WITH ", &backup.options);
    }

    fn backup_device(&mut self, device: &BackupDevice) {
        match device {
            BackupDevice::Disk(path) => self.keyed_expr("DISK = ", Some(path)),
            BackupDevice::Url(path) => self.keyed_expr("URL = ", Some(path)),
            BackupDevice::Tape(path) => self.keyed_expr("TAPE = ", Some(path)),
            BackupDevice::Logical(name) => self.ident_or_variable(name),
        }
    }

    pub(super) fn restore(&mut self, restore: &Restore) {
        match &restore.what {
            RestoreWhat::Database(name) => self.worded_variable("RESTORE DATABASE", name),
            RestoreWhat::Log(name) => self.worded_variable("RESTORE LOG", name),
            RestoreWhat::HeaderOnly => self.text("RESTORE HEADERONLY"),
            RestoreWhat::FileListOnly => self.text("RESTORE FILELISTONLY"),
            RestoreWhat::LabelOnly => self.text("RESTORE LABELONLY"),
            RestoreWhat::VerifyOnly => self.text("RESTORE VERIFYONLY"),
        }
        self.open_options(" ", &restore.parts);
        if !restore.devices.is_empty() {
            self.text(" FROM ");
            self.list(&restore.devices, ", ", Self::backup_device);
        }
        if let Some(snapshot) = &restore.snapshot {
            self.worded(" FROM DATABASE_SNAPSHOT =", snapshot);
        }
        self.restore_options(restore);
    }

    fn restore_options(&mut self, restore: &Restore) {
        let mut separator = " WITH ";
        for (logical, path) in &restore.moves {
            self.text(std::mem::replace(&mut separator, ", "));
            self.keyed_expr("MOVE ", Some(logical));
            self.keyed_expr(" TO ", Some(path));
        }
        if let Some(stop) = &restore.stop {
            self.text(std::mem::replace(&mut separator, ", "));
            match stop {
                StopAt::Time(time) => self.keyed_expr("STOPAT = ", Some(time)),
                StopAt::Mark { mark, after } => {
                    self.keyed_expr("STOPATMARK = ", Some(mark));
                    self.keyed_expr(" AFTER ", after.as_ref());
                }
                StopAt::BeforeMark { mark, after } => {
                    self.keyed_expr("STOPBEFOREMARK = ", Some(mark));
                    self.keyed_expr(" AFTER ", after.as_ref());
                }
            }
        }
        self.open_options(separator, &restore.options);
    }
}

/// The resource governor.
impl Printer {
    pub(super) fn workload_group(&mut self, group: &WorkloadGroup) {
        self.worded(if group.alter { "ALTER WORKLOAD GROUP" } else { "CREATE WORKLOAD GROUP" }, &group.name);
        self.with_options(&group.options);
        if let Some(pool) = &group.pool {
            self.worded(" USING", pool);
        }
        if let Some(pool) = &group.external_pool {
            self.worded(if group.pool.is_some() { ", EXTERNAL" } else { " USING EXTERNAL" }, pool);
        }
    }

    pub(super) fn resource_pool(&mut self, pool: &ResourcePool) {
        self.text(if pool.alter { "ALTER " } else { "CREATE " });
        self.text(if pool.external { "EXTERNAL " } else { "" });
        self.worded("RESOURCE POOL", &pool.name);
        self.with_options(&pool.options);
    }

    pub(super) fn resource_governor(&mut self, action: &ResourceGovernor) {
        self.text("ALTER RESOURCE GOVERNOR ");
        match action {
            ResourceGovernor::Reconfigure => self.text("RECONFIGURE"),
            ResourceGovernor::Disable => self.text("DISABLE"),
            ResourceGovernor::ResetStatistics => self.text("RESET STATISTICS"),
            ResourceGovernor::ClassifierFunction(function) => {
                self.text("WITH (CLASSIFIER_FUNCTION = ");
                match function {
                    Some(function) => self.name(function),
                    None => self.text("NULL"),
                }
                self.text(")");
            }
            ResourceGovernor::With(options) => self.enclosed_options("WITH ", options),
        }
    }
}

/// Options.
impl Printer {
    /// ` WITH (option, …)`, or nothing.
    pub(super) fn with_options(&mut self, options: &[NamedOption]) {
        if !options.is_empty() {
            self.enclosed_options(" WITH ", options);
        }
    }

    /// The options without parentheses after `words`, or nothing.
    pub(super) fn open_options(&mut self, words: &str, options: &[NamedOption]) {
        if !options.is_empty() {
            self.text(words);
            self.list(options, ", ", Self::option);
        }
    }

    pub(super) fn enclosed_options(&mut self, words: &str, options: &[NamedOption]) {
        self.text(words);
        self.text("(");
        self.list(options, ", ", Self::option);
        self.text(")");
    }

    pub(super) fn option(&mut self, option: &NamedOption) {
        self.text(&option.name);
        self.option_value(&option.value);
        if !option.details.is_empty() {
            // Without `=` only the first word of a name is its name.
            let alone = matches!(option.value, OptionValue::None) && option.name.contains(' ');
            self.enclosed_options(if alone { " = " } else { " " }, &option.details);
        }
    }
}
