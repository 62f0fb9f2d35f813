//! CREATE and ALTER DATABASE: files with their sizes, filegroups, options.

use crate::ast::{
    AlterDatabase, CreateDatabase, DatabaseOrigin, FileGrowth, FileLimit, FileSpec, FilegroupContents,
    FilegroupProperty, FilegroupSpec, OptionValue, ScopedConfiguration, StatementKind, Termination,
};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::parse::ddl::index;
use crate::parse::{Parser, literal, lookahead, name, option, unsupported};
use crate::token::TokenKind;

const KB_PER_MB: u64 = 1024;
const KB_PER_GB: u64 = 1024 * KB_PER_MB;
const KB_PER_TB: u64 = 1024 * KB_PER_GB;

// CREATE DATABASE.

/// `DATABASE name [CONTAINMENT = …] [ON …] [LOG ON …] [COLLATE …] [FOR ATTACH] [WITH …]`; CREATE is read.
pub(super) fn create_database(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    let mut create = CreateDatabase {
        name: name::ident(parser)?,
        containment: None,
        filegroups: Vec::new(),
        log: Vec::new(),
        collation: None,
        origin: DatabaseOrigin::New,
        options: Vec::new(),
    };
    if parser.eat_word("containment") {
        parser.expect(TokenKind::Equal)?;
        create.containment = Some(name::word(parser)?.to_uppercase());
    }
    if parser.eat_keyword(Keyword::On) {
        create.filegroups = filegroup_specs(parser)?;
    }
    if parser.is_word("log") && parser.is_keyword_at(1, Keyword::On) {
        parser.at += 2;
        create.log = parser.comma_separated(file_spec)?;
    }
    if parser.eat_keyword(Keyword::Collate) {
        create.collation = Some(name::word(parser)?);
    }
    create.origin = database_origin(parser)?;
    if parser.is_keyword(Keyword::With) {
        parser.bump();
        create.options = option::open_options(parser)?;
    }
    Ok(StatementKind::CreateDatabase(Box::new(create)))
}

/// `[PRIMARY] file, … [, FILEGROUP name [CONTAINS …] [DEFAULT] file, …]…`
fn filegroup_specs(parser: &mut Parser<'_>) -> Parsed<Vec<FilegroupSpec>> {
    parser.eat_keyword(Keyword::Primary);
    let mut group = FilegroupSpec { name: "PRIMARY".to_owned(), contains: None, default: false, files: Vec::new() };
    let mut groups = Vec::new();
    loop {
        if parser.eat_word("filegroup") {
            let name = name::ident(parser)?;
            let contains = filegroup_contents(parser)?;
            let default = parser.eat_keyword(Keyword::Default);
            let next = FilegroupSpec { name, contains, default, files: Vec::new() };
            groups.push(std::mem::replace(&mut group, next));
        }
        group.files.push(file_spec(parser)?);
        if !parser.eat(TokenKind::Comma) {
            groups.push(group);
            return Ok(groups);
        }
    }
}

/// `CONTAINS FILESTREAM|MEMORY_OPTIMIZED_DATA`, if it stands here.
fn filegroup_contents(parser: &mut Parser<'_>) -> Parsed<Option<FilegroupContents>> {
    if !parser.eat_keyword(Keyword::Contains) {
        return Ok(None);
    }
    if parser.eat_word("filestream") {
        return Ok(Some(FilegroupContents::FileStream));
    }
    parser.expect_word("memory_optimized_data")?;
    Ok(Some(FilegroupContents::MemoryOptimized))
}

/// `FOR ATTACH`, `FOR ATTACH_REBUILD_LOG`, `AS SNAPSHOT OF name`, `AS COPY OF name`, or nothing.
fn database_origin(parser: &mut Parser<'_>) -> Parsed<DatabaseOrigin> {
    if parser.eat_keyword(Keyword::For) {
        if parser.eat_word("attach_rebuild_log") {
            return Ok(DatabaseOrigin::AttachRebuildLog);
        }
        parser.expect_word("attach")?;
        return Ok(DatabaseOrigin::Attach);
    }
    if parser.eat_keyword(Keyword::As) {
        if parser.eat_word("copy") {
            parser.expect_keyword(Keyword::Of)?;
            return name::ident(parser).map(DatabaseOrigin::Copy);
        }
        parser.expect_word("snapshot")?;
        parser.expect_keyword(Keyword::Of)?;
        return name::ident(parser).map(DatabaseOrigin::Snapshot);
    }
    Ok(DatabaseOrigin::New)
}

// ALTER DATABASE.

/// `DATABASE name|CURRENT action`; ALTER is read.
pub(super) fn alter_database(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    let database = if parser.eat_keyword(Keyword::Current) { "CURRENT".to_owned() } else { name::ident(parser)? };
    let action = match parser.kind() {
        TokenKind::Keyword(Keyword::Add) => add_to_database(parser)?,
        TokenKind::Keyword(Keyword::Set) => set_database(parser)?,
        TokenKind::Keyword(Keyword::Collate) => {
            parser.bump();
            AlterDatabase::Collate(name::word(parser)?)
        }
        _ if parser.eat_word("modify") => modify_database(parser)?,
        _ if parser.eat_word("remove") => {
            if parser.eat_word("filegroup") {
                AlterDatabase::RemoveFilegroup(name::ident_or_string(parser)?)
            } else {
                parser.expect_keyword(Keyword::File)?;
                AlterDatabase::RemoveFile(name::ident_or_string(parser)?)
            }
        }
        _ => return Err(parser.unexpected()),
    };
    Ok(StatementKind::AlterDatabase { database, action })
}

/// `ADD [LOG] FILE (…), … [TO FILEGROUP g]`, `ADD FILEGROUP g [CONTAINS …]`
fn add_to_database(parser: &mut Parser<'_>) -> Parsed<AlterDatabase> {
    parser.bump();
    let log = parser.eat_word("log");
    if !log && parser.eat_word("filegroup") {
        let name = name::ident(parser)?;
        let contains = filegroup_contents(parser)?;
        return Ok(AlterDatabase::AddFilegroup { name, contains });
    }
    parser.expect_keyword(Keyword::File)?;
    let files = parser.comma_separated(file_spec)?;
    let mut filegroup = None;
    if parser.eat_keyword(Keyword::To) {
        parser.expect_word("filegroup")?;
        filegroup = Some(index::data_space(parser)?.name);
    }
    Ok(AlterDatabase::AddFile { files, log, filegroup })
}

/// `MODIFY FILE (…)`, `MODIFY NAME = n`, `MODIFY FILEGROUP g …`; MODIFY is read.
fn modify_database(parser: &mut Parser<'_>) -> Parsed<AlterDatabase> {
    if parser.eat_keyword(Keyword::File) {
        return file_spec(parser).map(AlterDatabase::ModifyFile);
    }
    if parser.eat_word("name") {
        parser.expect(TokenKind::Equal)?;
        return name::ident_or_string(parser).map(AlterDatabase::ModifyName);
    }
    if parser.kind() == TokenKind::LeftParen {
        // The service objective of another product's databases.
        unsupported::skip_parentheses(parser)?;
        parser.not_yet("ALTER DATABASE … MODIFY (…)");
        return Ok(AlterDatabase::Set { options: Vec::new(), termination: None });
    }
    parser.expect_word("filegroup")?;
    let name = index::data_space(parser)?.name;
    let property = filegroup_property(parser)?;
    Ok(AlterDatabase::ModifyFilegroup { name, property })
}

fn filegroup_property(parser: &mut Parser<'_>) -> Parsed<FilegroupProperty> {
    if parser.eat_keyword(Keyword::Default) {
        return Ok(FilegroupProperty::Default);
    }
    let word = name::word(parser)?.to_uppercase();
    Ok(match word.as_str() {
        "READ_ONLY" | "READONLY" => FilegroupProperty::ReadOnly,
        "READ_WRITE" | "READWRITE" => FilegroupProperty::ReadWrite,
        "AUTOGROW_ALL_FILES" => FilegroupProperty::AutogrowAllFiles,
        "AUTOGROW_SINGLE_FILE" => FilegroupProperty::AutogrowSingleFile,
        "NAME" => {
            parser.expect(TokenKind::Equal)?;
            FilegroupProperty::Name(name::ident_or_string(parser)?)
        }
        _ => return Err(parser.unexpected_at(parser.at - 1)),
    })
}

/// `SET option [, option]… [WITH ROLLBACK IMMEDIATE | ROLLBACK AFTER n [SECONDS] | NO_WAIT]`
fn set_database(parser: &mut Parser<'_>) -> Parsed<AlterDatabase> {
    parser.bump();
    let options = option::open_options(parser)?;
    let termination = termination(parser)?;
    Ok(AlterDatabase::Set { options, termination })
}

fn termination(parser: &mut Parser<'_>) -> Parsed<Option<Termination>> {
    let rollback = parser.is_keyword_at(1, Keyword::Rollback);
    if !parser.is_keyword(Keyword::With) || !(rollback || parser.is_word_at(1, "no_wait")) {
        return Ok(None);
    }
    parser.at += 2;
    if !rollback {
        return Ok(Some(Termination::NoWait));
    }
    if parser.eat_word("immediate") {
        return Ok(Some(Termination::Immediate));
    }
    parser.expect_word("after")?;
    let wait_s = name::unsigned(parser)?;
    parser.eat_word("seconds");
    Ok(Some(Termination::After { wait_s }))
}

/// `SCOPED CONFIGURATION [FOR SECONDARY] SET|CLEAR option`; ALTER DATABASE is read.
pub(super) fn scoped_configuration(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.at += 2;
    let secondary = parser.is_keyword(Keyword::For) && parser.is_word_at(1, "secondary");
    if secondary {
        parser.at += 2;
    }
    let clear = parser.eat_word("clear");
    if !clear {
        parser.expect_keyword(Keyword::Set)?;
    }
    let mut option = option::named_option(parser, false)?;
    if clear && matches!(parser.kind(), TokenKind::Binary) {
        option.value = OptionValue::Constant(literal::constant(parser)?);
    }
    let configuration = ScopedConfiguration { secondary, clear, option };
    Ok(StatementKind::ScopedConfiguration(Box::new(configuration)))
}

// Files.

/// `(NAME = …, FILENAME = …, …)`
fn file_spec(parser: &mut Parser<'_>) -> Parsed<FileSpec> {
    let mut spec = FileSpec::default();
    parser.parenthesised(|parser| file_option(parser, &mut spec))?;
    Ok(spec)
}

/// One option. The first that is unknown or written twice is kept for the binder's message.
fn file_option(parser: &mut Parser<'_>, spec: &mut FileSpec) -> Parsed<()> {
    if !name::is_name(parser) {
        return Err(parser.unexpected());
    }
    let option = parser.upper();
    parser.bump();
    if option == "OFFLINE" {
        note_duplicate(spec, &option, spec.offline);
        spec.offline = true;
        return Ok(());
    }
    parser.expect(TokenKind::Equal)?;
    match option.as_str() {
        "NAME" => {
            note_duplicate(spec, &option, spec.name.is_some());
            spec.name = Some(name::ident_or_string(parser)?);
        }
        "NEWNAME" => {
            note_duplicate(spec, &option, spec.new_name.is_some());
            spec.new_name = Some(name::ident_or_string(parser)?);
        }
        "FILENAME" => {
            note_duplicate(spec, &option, spec.file_name.is_some());
            spec.file_name = Some(name::string(parser)?);
        }
        "SIZE" => {
            note_duplicate(spec, &option, spec.size_kb.is_some());
            spec.size_kb = Some(size_kb(parser)?);
        }
        "MAXSIZE" => {
            note_duplicate(spec, &option, spec.max_size.is_some());
            spec.max_size = Some(file_limit(parser)?);
        }
        "FILEGROWTH" => {
            note_duplicate(spec, &option, spec.growth.is_some());
            spec.growth = Some(file_growth(parser)?);
        }
        _ => {
            note_duplicate(spec, &option, true);
            parser.at = lookahead::end_of_item(parser);
        }
    }
    Ok(())
}

fn note_duplicate(spec: &mut FileSpec, option: &str, wrong: bool) {
    if wrong && spec.duplicate.is_none() {
        spec.duplicate = Some(option.to_owned());
    }
}

/// `n`, `nKB`, `nMB`, `nGB`, `nTB`; a bare number counts MB. Too large a number is the largest.
fn size_kb(parser: &mut Parser<'_>) -> Parsed<u64> {
    let number: u64 = name::unsigned(parser)?;
    let unit = if parser.eat_word("kb") {
        1
    } else if parser.eat_word("gb") {
        KB_PER_GB
    } else if parser.eat_word("tb") {
        KB_PER_TB
    } else {
        parser.eat_word("mb");
        KB_PER_MB
    };
    Ok(number.saturating_mul(unit))
}

fn file_limit(parser: &mut Parser<'_>) -> Parsed<FileLimit> {
    if parser.eat_word("unlimited") { Ok(FileLimit::Unlimited) } else { Ok(FileLimit::Kb(size_kb(parser)?)) }
}

fn file_growth(parser: &mut Parser<'_>) -> Parsed<FileGrowth> {
    if parser.kind() == TokenKind::Integer && parser.kind_at(1) == TokenKind::Percent {
        let percent = name::unsigned(parser)?;
        parser.bump();
        return Ok(FileGrowth::Percent(percent));
    }
    Ok(FileGrowth::Kb(size_kb(parser)?))
}
