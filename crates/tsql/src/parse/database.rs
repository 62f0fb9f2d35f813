//! CREATE and ALTER DATABASE: files with their sizes, filegroups, options.

use super::Parser;
use crate::ast::{
    AlterDatabase, CreateDatabase, DatabaseOrigin, FileGrowth, FileLimit, FileSpec, FilegroupContents,
    FilegroupProperty, FilegroupSpec, OptionValue, ScopedConfiguration, StatementKind, Termination,
};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::token::TokenKind;

const KB_PER_MB: u64 = 1024;
const KB_PER_GB: u64 = 1024 * KB_PER_MB;
const KB_PER_TB: u64 = 1024 * KB_PER_GB;

/// CREATE DATABASE.
impl Parser<'_> {
    /// `DATABASE name [CONTAINMENT = …] [ON …] [LOG ON …] [COLLATE …] [FOR ATTACH] [WITH …]`; CREATE is read.
    pub(super) fn create_database(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let mut create = CreateDatabase {
            name: self.ident()?,
            containment: None,
            filegroups: Vec::new(),
            log: Vec::new(),
            collation: None,
            origin: DatabaseOrigin::New,
            options: Vec::new(),
        };
        if self.eat_word("containment") {
            self.expect(TokenKind::Equal)?;
            create.containment = Some(self.word()?.to_uppercase());
        }
        if self.eat_keyword(Keyword::On) {
            create.filegroups = self.filegroup_specs()?;
        }
        if self.is_word("log") && self.is_keyword_at(1, Keyword::On) {
            self.at += 2;
            create.log = self.comma_separated(Self::file_spec)?;
        }
        if self.eat_keyword(Keyword::Collate) {
            create.collation = Some(self.word()?);
        }
        create.origin = self.database_origin()?;
        if self.is_keyword(Keyword::With) {
            self.bump();
            create.options = self.open_options()?;
        }
        Ok(StatementKind::CreateDatabase(Box::new(create)))
    }

    /// `[PRIMARY] file, … [, FILEGROUP name [CONTAINS …] [DEFAULT] file, …]…`
    fn filegroup_specs(&mut self) -> Parsed<Vec<FilegroupSpec>> {
        self.eat_keyword(Keyword::Primary);
        let mut group = FilegroupSpec { name: "PRIMARY".to_owned(), contains: None, default: false, files: Vec::new() };
        let mut groups = Vec::new();
        loop {
            if self.eat_word("filegroup") {
                let name = self.ident()?;
                let contains = self.filegroup_contents()?;
                let default = self.eat_keyword(Keyword::Default);
                let next = FilegroupSpec { name, contains, default, files: Vec::new() };
                groups.push(std::mem::replace(&mut group, next));
            }
            group.files.push(self.file_spec()?);
            if !self.eat(TokenKind::Comma) {
                groups.push(group);
                return Ok(groups);
            }
        }
    }

    /// `CONTAINS FILESTREAM|MEMORY_OPTIMIZED_DATA`, if it stands here.
    fn filegroup_contents(&mut self) -> Parsed<Option<FilegroupContents>> {
        if !self.eat_keyword(Keyword::Contains) {
            return Ok(None);
        }
        if self.eat_word("filestream") {
            return Ok(Some(FilegroupContents::FileStream));
        }
        self.expect_word("memory_optimized_data")?;
        Ok(Some(FilegroupContents::MemoryOptimized))
    }

    /// `FOR ATTACH`, `FOR ATTACH_REBUILD_LOG`, `AS SNAPSHOT OF name`, or nothing.
    fn database_origin(&mut self) -> Parsed<DatabaseOrigin> {
        if self.eat_keyword(Keyword::For) {
            if self.eat_word("attach_rebuild_log") {
                return Ok(DatabaseOrigin::AttachRebuildLog);
            }
            self.expect_word("attach")?;
            return Ok(DatabaseOrigin::Attach);
        }
        if self.eat_keyword(Keyword::As) {
            self.expect_word("snapshot")?;
            self.expect_keyword(Keyword::Of)?;
            return self.ident().map(DatabaseOrigin::Snapshot);
        }
        Ok(DatabaseOrigin::New)
    }
}

/// ALTER DATABASE.
impl Parser<'_> {
    /// `DATABASE name|CURRENT action`; ALTER is read.
    pub(super) fn alter_database(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let database = if self.eat_keyword(Keyword::Current) { "CURRENT".to_owned() } else { self.ident()? };
        let action = match self.kind() {
            TokenKind::Keyword(Keyword::Add) => self.add_to_database()?,
            TokenKind::Keyword(Keyword::Set) => self.set_database()?,
            TokenKind::Keyword(Keyword::Collate) => {
                self.bump();
                AlterDatabase::Collate(self.word()?)
            }
            _ if self.eat_word("modify") => self.modify_database()?,
            _ if self.eat_word("remove") => {
                if self.eat_word("filegroup") {
                    AlterDatabase::RemoveFilegroup(self.ident_or_string()?)
                } else {
                    self.expect_keyword(Keyword::File)?;
                    AlterDatabase::RemoveFile(self.ident_or_string()?)
                }
            }
            _ => return Err(self.unexpected()),
        };
        Ok(StatementKind::AlterDatabase { database, action })
    }

    /// `ADD [LOG] FILE (…), … [TO FILEGROUP g]`, `ADD FILEGROUP g [CONTAINS …]`
    fn add_to_database(&mut self) -> Parsed<AlterDatabase> {
        self.bump();
        let log = self.eat_word("log");
        if !log && self.eat_word("filegroup") {
            let name = self.ident()?;
            let contains = self.filegroup_contents()?;
            return Ok(AlterDatabase::AddFilegroup { name, contains });
        }
        self.expect_keyword(Keyword::File)?;
        let files = self.comma_separated(Self::file_spec)?;
        let mut filegroup = None;
        if self.eat_keyword(Keyword::To) {
            self.expect_word("filegroup")?;
            filegroup = Some(self.data_space()?.name);
        }
        Ok(AlterDatabase::AddFile { files, log, filegroup })
    }

    /// `MODIFY FILE (…)`, `MODIFY NAME = n`, `MODIFY FILEGROUP g …`; MODIFY is read.
    fn modify_database(&mut self) -> Parsed<AlterDatabase> {
        if self.eat_keyword(Keyword::File) {
            return self.file_spec().map(AlterDatabase::ModifyFile);
        }
        if self.eat_word("name") {
            self.expect(TokenKind::Equal)?;
            return self.ident_or_string().map(AlterDatabase::ModifyName);
        }
        if self.kind() == TokenKind::LeftParen {
            // The service objective of another product's databases.
            self.skip_parentheses()?;
            self.not_yet("ALTER DATABASE … MODIFY (…)");
            return Ok(AlterDatabase::Set { options: Vec::new(), termination: None });
        }
        self.expect_word("filegroup")?;
        let name = self.data_space()?.name;
        let property = self.filegroup_property()?;
        Ok(AlterDatabase::ModifyFilegroup { name, property })
    }

    fn filegroup_property(&mut self) -> Parsed<FilegroupProperty> {
        if self.eat_keyword(Keyword::Default) {
            return Ok(FilegroupProperty::Default);
        }
        let word = self.word()?.to_uppercase();
        Ok(match word.as_str() {
            "READ_ONLY" | "READONLY" => FilegroupProperty::ReadOnly,
            "READ_WRITE" | "READWRITE" => FilegroupProperty::ReadWrite,
            "AUTOGROW_ALL_FILES" => FilegroupProperty::AutogrowAllFiles,
            "AUTOGROW_SINGLE_FILE" => FilegroupProperty::AutogrowSingleFile,
            "NAME" => {
                self.expect(TokenKind::Equal)?;
                FilegroupProperty::Name(self.ident_or_string()?)
            }
            _ => return Err(self.unexpected_at(self.at - 1)),
        })
    }

    /// `SET option [, option]… [WITH ROLLBACK IMMEDIATE | ROLLBACK AFTER n [SECONDS] | NO_WAIT]`
    fn set_database(&mut self) -> Parsed<AlterDatabase> {
        self.bump();
        let options = self.open_options()?;
        let termination = self.termination()?;
        Ok(AlterDatabase::Set { options, termination })
    }

    fn termination(&mut self) -> Parsed<Option<Termination>> {
        let rollback = self.is_keyword_at(1, Keyword::Rollback);
        if !self.is_keyword(Keyword::With) || !(rollback || self.is_word_at(1, "no_wait")) {
            return Ok(None);
        }
        self.at += 2;
        if !rollback {
            return Ok(Some(Termination::NoWait));
        }
        if self.eat_word("immediate") {
            return Ok(Some(Termination::Immediate));
        }
        self.expect_word("after")?;
        let wait_s = self.unsigned()?;
        self.eat_word("seconds");
        Ok(Some(Termination::After { wait_s }))
    }

    /// `SCOPED CONFIGURATION [FOR SECONDARY] SET|CLEAR option`; ALTER DATABASE is read.
    pub(super) fn scoped_configuration(&mut self) -> Parsed<StatementKind> {
        self.at += 2;
        let secondary = self.is_keyword(Keyword::For) && self.is_word_at(1, "secondary");
        if secondary {
            self.at += 2;
        }
        let clear = self.eat_word("clear");
        if !clear {
            self.expect_keyword(Keyword::Set)?;
        }
        let mut option = self.named_option(false)?;
        if clear && matches!(self.kind(), TokenKind::Binary) {
            option.value = OptionValue::Constant(self.constant()?);
        }
        let configuration = ScopedConfiguration { secondary, clear, option };
        Ok(StatementKind::ScopedConfiguration(Box::new(configuration)))
    }
}

/// Files.
impl Parser<'_> {
    /// `(NAME = …, FILENAME = …, …)`
    fn file_spec(&mut self) -> Parsed<FileSpec> {
        let mut spec = FileSpec::default();
        self.parenthesised(|parser| parser.file_option(&mut spec))?;
        Ok(spec)
    }

    /// One option. The first that is unknown or written twice is kept for the binder's message.
    fn file_option(&mut self, spec: &mut FileSpec) -> Parsed<()> {
        if !self.is_name() {
            return Err(self.unexpected());
        }
        let option = self.upper();
        self.bump();
        if option == "OFFLINE" {
            self.note_duplicate(spec, &option, spec.offline);
            spec.offline = true;
            return Ok(());
        }
        self.expect(TokenKind::Equal)?;
        match option.as_str() {
            "NAME" => {
                self.note_duplicate(spec, &option, spec.name.is_some());
                spec.name = Some(self.ident_or_string()?);
            }
            "NEWNAME" => {
                self.note_duplicate(spec, &option, spec.new_name.is_some());
                spec.new_name = Some(self.ident_or_string()?);
            }
            "FILENAME" => {
                self.note_duplicate(spec, &option, spec.file_name.is_some());
                spec.file_name = Some(self.string()?);
            }
            "SIZE" => {
                self.note_duplicate(spec, &option, spec.size_kb.is_some());
                spec.size_kb = Some(self.size_kb()?);
            }
            "MAXSIZE" => {
                self.note_duplicate(spec, &option, spec.max_size.is_some());
                spec.max_size = Some(self.file_limit()?);
            }
            "FILEGROWTH" => {
                self.note_duplicate(spec, &option, spec.growth.is_some());
                spec.growth = Some(self.file_growth()?);
            }
            _ => {
                self.note_duplicate(spec, &option, true);
                self.at = self.end_of_item();
            }
        }
        Ok(())
    }

    fn note_duplicate(&self, spec: &mut FileSpec, option: &str, wrong: bool) {
        if wrong && spec.duplicate.is_none() {
            spec.duplicate = Some(option.to_owned());
        }
    }

    /// `n`, `nKB`, `nMB`, `nGB`, `nTB`; a bare number counts MB. Too large a number is the largest.
    fn size_kb(&mut self) -> Parsed<u64> {
        let number: u64 = self.unsigned()?;
        let unit = if self.eat_word("kb") {
            1
        } else if self.eat_word("gb") {
            KB_PER_GB
        } else if self.eat_word("tb") {
            KB_PER_TB
        } else {
            self.eat_word("mb");
            KB_PER_MB
        };
        Ok(number.saturating_mul(unit))
    }

    fn file_limit(&mut self) -> Parsed<FileLimit> {
        if self.eat_word("unlimited") { Ok(FileLimit::Unlimited) } else { Ok(FileLimit::Kb(self.size_kb()?)) }
    }

    fn file_growth(&mut self) -> Parsed<FileGrowth> {
        if self.kind() == TokenKind::Integer && self.kind_at(1) == TokenKind::Percent {
            let percent = self.unsigned()?;
            self.bump();
            return Ok(FileGrowth::Percent(percent));
        }
        Ok(FileGrowth::Kb(self.size_kb()?))
    }
}
