//! BACKUP and RESTORE.

use crate::ast::{Backup, BackupDevice, Expr, Ident, NamedOption, Restore, RestoreWhat, StatementKind, StopAt};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::parse::{Parser, literal, name, option, unsupported};
use crate::token::TokenKind;

/// `BACKUP DATABASE|LOG name [parts] TO device, … [MIRROR TO device, …]… [WITH option, …]`
pub(super) fn backup(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    let log = parser.eat_word("log") || parser.eat_keyword(Keyword::Tran) || parser.eat_keyword(Keyword::Transaction);
    if !log && !parser.eat_keyword(Keyword::Database) {
        return backup_of_key(parser, "BACKUP");
    }
    let database = name_or_variable(parser)?;
    let parts = backup_parts(parser, Keyword::To)?;
    parser.expect_keyword(Keyword::To)?;
    let devices = parser.comma_separated(backup_device)?;
    let mut mirrors = Vec::new();
    while parser.eat_word("mirror") {
        parser.expect_keyword(Keyword::To)?;
        mirrors.push(parser.comma_separated(backup_device)?);
    }
    let options = if parser.eat_keyword(Keyword::With) { option::open_options(parser)? } else { Vec::new() };
    Ok(StatementKind::Backup(Box::new(Backup { log, database, parts, devices, mirrors, options })))
}

/// `BACKUP CERTIFICATE …`, `BACKUP MASTER KEY …`, `RESTORE SERVICE MASTER KEY …` and their kind: not run.
fn backup_of_key(parser: &mut Parser<'_>, verb: &str) -> Parsed<StatementKind> {
    let known = ["certificate", "master", "service", "symmetric", "group", "server"];
    if !known.iter().any(|word| parser.is_word(word)) {
        return Err(parser.unexpected());
    }
    let words = format!("{verb} {}", parser.upper());
    unsupported::skip_as(parser, &words)
}

fn name_or_variable(parser: &mut Parser<'_>) -> Parsed<Ident> {
    if parser.kind() == TokenKind::Variable { name::variable(parser) } else { name::ident(parser) }
}

/// `FILE = …, FILEGROUP = …` before TO or FROM.
fn backup_parts(parser: &mut Parser<'_>, before: Keyword) -> Parsed<Vec<NamedOption>> {
    let none =
        parser.is_keyword(before) || !matches!(parser.kind(), TokenKind::Word | TokenKind::Keyword(Keyword::File));
    if none || name::is_label(parser) { Ok(Vec::new()) } else { parser.comma_separated(backup_part) }
}

/// One of [`backup_parts`]: a word alone, or with `=` and a constant.
fn backup_part(parser: &mut Parser<'_>) -> Parsed<NamedOption> {
    let name = parser.upper();
    if !["FILE", "FILEGROUP", "PAGE", "READ_WRITE_FILEGROUPS"].contains(&name.as_str()) {
        return Err(parser.unexpected());
    }
    parser.bump();
    let value = if parser.eat(TokenKind::Equal) {
        crate::ast::OptionValue::Constant(literal::constant(parser)?)
    } else {
        crate::ast::OptionValue::None
    };
    Ok(NamedOption { name, value, details: Vec::new() })
}

/// `DISK = path`, `URL = address`, `TAPE = name`, or a logical device.
fn backup_device(parser: &mut Parser<'_>) -> Parsed<BackupDevice> {
    let assigned = parser.kind_at(1) == TokenKind::Equal;
    let device = match parser.kind() {
        TokenKind::Keyword(Keyword::Disk) => BackupDevice::Disk,
        TokenKind::Word if assigned && parser.is_word("url") => BackupDevice::Url,
        TokenKind::Word if assigned && parser.is_word("tape") => BackupDevice::Tape,
        _ => return name_or_variable(parser).map(BackupDevice::Logical),
    };
    parser.bump();
    parser.expect(TokenKind::Equal)?;
    Ok(device(text_or_variable(parser)?))
}

fn text_or_variable(parser: &mut Parser<'_>) -> Parsed<Expr> {
    if name::is_string(parser) || parser.kind() == TokenKind::Variable {
        literal::constant(parser)
    } else {
        Err(parser.unexpected())
    }
}

// RESTORE.

/// `RESTORE DATABASE|LOG name [parts] [FROM device, …] [WITH option, …]`, `RESTORE HEADERONLY FROM device …`
pub(super) fn restore(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    let Some(what) = restore_what(parser)? else {
        return backup_of_key(parser, "RESTORE");
    };
    let mut restore = Restore {
        what,
        parts: backup_parts(parser, Keyword::From)?,
        devices: Vec::new(),
        snapshot: None,
        moves: Vec::new(),
        stop: None,
        options: Vec::new(),
    };
    if parser.eat_keyword(Keyword::From) {
        if parser.is_word("database_snapshot") && parser.kind_at(1) == TokenKind::Equal {
            parser.at += 2;
            restore.snapshot = Some(name::ident_or_string(parser)?);
        } else {
            restore.devices = parser.comma_separated(backup_device)?;
        }
    }
    if parser.eat_keyword(Keyword::With) {
        parser.comma_separated(|parser| restore_option(parser, &mut restore))?;
    }
    Ok(StatementKind::Restore(Box::new(restore)))
}

fn restore_what(parser: &mut Parser<'_>) -> Parsed<Option<RestoreWhat>> {
    if parser.eat_keyword(Keyword::Database) {
        return name_or_variable(parser).map(|name| Some(RestoreWhat::Database(name)));
    }
    if parser.eat_word("log") || parser.eat_keyword(Keyword::Tran) || parser.eat_keyword(Keyword::Transaction) {
        return name_or_variable(parser).map(|name| Some(RestoreWhat::Log(name)));
    }
    let words = [
        ("headeronly", RestoreWhat::HeaderOnly),
        ("filelistonly", RestoreWhat::FileListOnly),
        ("labelonly", RestoreWhat::LabelOnly),
        ("verifyonly", RestoreWhat::VerifyOnly),
    ];
    for (word, what) in words {
        if parser.eat_word(word) {
            return Ok(Some(what));
        }
    }
    Ok(None)
}

fn restore_option(parser: &mut Parser<'_>, restore: &mut Restore) -> Parsed<()> {
    if parser.eat_word("move") {
        let logical = text_or_variable(parser)?;
        parser.expect_keyword(Keyword::To)?;
        restore.moves.push((logical, text_or_variable(parser)?));
        return Ok(());
    }
    if parser.is_word("stopat") || parser.is_word("stopatmark") || parser.is_word("stopbeforemark") {
        restore.stop = Some(stop_at(parser)?);
        return Ok(());
    }
    let option = option::named_option(parser, false)?;
    restore.options.push(option);
    Ok(())
}

/// `STOPAT = time`, `STOPATMARK|STOPBEFOREMARK = mark [AFTER time]`
fn stop_at(parser: &mut Parser<'_>) -> Parsed<StopAt> {
    let word = parser.upper();
    parser.bump();
    parser.expect(TokenKind::Equal)?;
    let value = text_or_variable(parser)?;
    if word == "STOPAT" {
        return Ok(StopAt::Time(value));
    }
    let after = if parser.eat_word("after") { Some(text_or_variable(parser)?) } else { None };
    Ok(if word == "STOPATMARK" {
        StopAt::Mark { mark: value, after }
    } else {
        StopAt::BeforeMark { mark: value, after }
    })
}
