//! BACKUP and RESTORE.

use super::Parser;
use crate::ast::{Backup, BackupDevice, Expr, Ident, NamedOption, Restore, RestoreWhat, StatementKind, StopAt};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::token::TokenKind;

impl Parser<'_> {
    /// `BACKUP DATABASE|LOG name [parts] TO device, … [MIRROR TO device, …]… [WITH option, …]`
    pub(super) fn backup(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let log = self.eat_word("log") || self.eat_keyword(Keyword::Tran) || self.eat_keyword(Keyword::Transaction);
        if !log && !self.eat_keyword(Keyword::Database) {
            return self.backup_of_key("BACKUP");
        }
        let database = self.name_or_variable()?;
        let parts = self.backup_parts(Keyword::To)?;
        self.expect_keyword(Keyword::To)?;
        let devices = self.comma_separated(Self::backup_device)?;
        let mut mirrors = Vec::new();
        while self.eat_word("mirror") {
            self.expect_keyword(Keyword::To)?;
            mirrors.push(self.comma_separated(Self::backup_device)?);
        }
        let options = if self.eat_keyword(Keyword::With) { self.open_options()? } else { Vec::new() };
        Ok(StatementKind::Backup(Box::new(Backup { log, database, parts, devices, mirrors, options })))
    }

    /// `BACKUP CERTIFICATE …`, `BACKUP MASTER KEY …`, `RESTORE SERVICE MASTER KEY …` and their kind: not run.
    fn backup_of_key(&mut self, verb: &str) -> Parsed<StatementKind> {
        let known = ["certificate", "master", "service", "symmetric", "group", "server"];
        if !known.iter().any(|word| self.is_word(word)) {
            return Err(self.unexpected());
        }
        let words = format!("{verb} {}", self.upper());
        self.skip_as(&words)
    }

    fn name_or_variable(&mut self) -> Parsed<Ident> {
        if self.kind() == TokenKind::Variable { self.variable() } else { self.ident() }
    }

    /// `FILE = …, FILEGROUP = …` before TO or FROM.
    fn backup_parts(&mut self, before: Keyword) -> Parsed<Vec<NamedOption>> {
        let none =
            self.is_keyword(before) || !matches!(self.kind(), TokenKind::Word | TokenKind::Keyword(Keyword::File));
        if none || self.is_label() { Ok(Vec::new()) } else { self.comma_separated(Self::backup_part) }
    }

    /// One of [`Parser::backup_parts`]: a word alone, or with `=` and a constant.
    fn backup_part(&mut self) -> Parsed<NamedOption> {
        let name = self.upper();
        if !["FILE", "FILEGROUP", "PAGE", "READ_WRITE_FILEGROUPS"].contains(&name.as_str()) {
            return Err(self.unexpected());
        }
        self.bump();
        let value = if self.eat(TokenKind::Equal) {
            crate::ast::OptionValue::Constant(self.constant()?)
        } else {
            crate::ast::OptionValue::None
        };
        Ok(NamedOption { name, value, details: Vec::new() })
    }

    /// `DISK = path`, `URL = address`, `TAPE = name`, or a logical device.
    fn backup_device(&mut self) -> Parsed<BackupDevice> {
        let assigned = self.kind_at(1) == TokenKind::Equal;
        let device = match self.kind() {
            TokenKind::Keyword(Keyword::Disk) => BackupDevice::Disk,
            TokenKind::Word if assigned && self.is_word("url") => BackupDevice::Url,
            TokenKind::Word if assigned && self.is_word("tape") => BackupDevice::Tape,
            _ => return self.name_or_variable().map(BackupDevice::Logical),
        };
        self.bump();
        self.expect(TokenKind::Equal)?;
        Ok(device(self.text_or_variable()?))
    }

    fn text_or_variable(&mut self) -> Parsed<Expr> {
        if self.is_string() || self.kind() == TokenKind::Variable { self.constant() } else { Err(self.unexpected()) }
    }
}

/// RESTORE.
impl Parser<'_> {
    /// `RESTORE DATABASE|LOG name [parts] [FROM device, …] [WITH option, …]`, `RESTORE HEADERONLY FROM device …`
    pub(super) fn restore(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let Some(what) = self.restore_what()? else {
            return self.backup_of_key("RESTORE");
        };
        let mut restore = Restore {
            what,
            parts: self.backup_parts(Keyword::From)?,
            devices: Vec::new(),
            snapshot: None,
            moves: Vec::new(),
            stop: None,
            options: Vec::new(),
        };
        if self.eat_keyword(Keyword::From) {
            if self.is_word("database_snapshot") && self.kind_at(1) == TokenKind::Equal {
                self.at += 2;
                restore.snapshot = Some(self.ident_or_string()?);
            } else {
                restore.devices = self.comma_separated(Self::backup_device)?;
            }
        }
        if self.eat_keyword(Keyword::With) {
            self.comma_separated(|parser| parser.restore_option(&mut restore))?;
        }
        Ok(StatementKind::Restore(Box::new(restore)))
    }

    fn restore_what(&mut self) -> Parsed<Option<RestoreWhat>> {
        if self.eat_keyword(Keyword::Database) {
            return self.name_or_variable().map(|name| Some(RestoreWhat::Database(name)));
        }
        if self.eat_word("log") || self.eat_keyword(Keyword::Tran) || self.eat_keyword(Keyword::Transaction) {
            return self.name_or_variable().map(|name| Some(RestoreWhat::Log(name)));
        }
        let words = [
            ("headeronly", RestoreWhat::HeaderOnly),
            ("filelistonly", RestoreWhat::FileListOnly),
            ("labelonly", RestoreWhat::LabelOnly),
            ("verifyonly", RestoreWhat::VerifyOnly),
        ];
        for (word, what) in words {
            if self.eat_word(word) {
                return Ok(Some(what));
            }
        }
        Ok(None)
    }

    fn restore_option(&mut self, restore: &mut Restore) -> Parsed<()> {
        if self.eat_word("move") {
            let logical = self.text_or_variable()?;
            self.expect_keyword(Keyword::To)?;
            restore.moves.push((logical, self.text_or_variable()?));
            return Ok(());
        }
        if self.is_word("stopat") || self.is_word("stopatmark") || self.is_word("stopbeforemark") {
            restore.stop = Some(self.stop_at()?);
            return Ok(());
        }
        let option = self.named_option(false)?;
        restore.options.push(option);
        Ok(())
    }

    /// `STOPAT = time`, `STOPATMARK|STOPBEFOREMARK = mark [AFTER time]`
    fn stop_at(&mut self) -> Parsed<StopAt> {
        let word = self.upper();
        self.bump();
        self.expect(TokenKind::Equal)?;
        let value = self.text_or_variable()?;
        if word == "STOPAT" {
            return Ok(StopAt::Time(value));
        }
        let after = if self.eat_word("after") { Some(self.text_or_variable()?) } else { None };
        Ok(if word == "STOPATMARK" {
            StopAt::Mark { mark: value, after }
        } else {
            StopAt::BeforeMark { mark: value, after }
        })
    }
}
