//! ALTER TABLE.

use crate::ast::{
    AlterColumn, AlterTable, AlterTableAction, ColumnProperty, Expr, Ident, StatementKind, TableDefinition, TableDrop,
    TableDropKind,
};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::parse::ddl::{index, table};
use crate::parse::{Parser, expression, name, option, types, unsupported};
use crate::token::TokenKind;

/// `TABLE name action`; ALTER is read.
pub(in crate::parse) fn alter_table(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    let table = name::defined_name(parser)?;
    let action = alter_table_action(parser)?;
    Ok(StatementKind::AlterTable(Box::new(AlterTable { table, action })))
}

fn alter_table_action(parser: &mut Parser<'_>) -> Parsed<AlterTableAction> {
    match parser.kind() {
        TokenKind::Keyword(Keyword::With) => checked_action(parser),
        TokenKind::Keyword(Keyword::Add) => add_to_table(parser, None),
        TokenKind::Keyword(Keyword::Check | Keyword::NoCheck) => check_constraints(parser, None),
        TokenKind::Keyword(Keyword::Drop) => drop_from_table(parser),
        TokenKind::Keyword(Keyword::Alter) => alter_part(parser),
        TokenKind::Keyword(Keyword::Set) => {
            parser.bump();
            if parser.kind() == TokenKind::LeftParen && parser.is_word_at(1, "system_versioning") {
                parser.not_yet("ALTER TABLE … SET (SYSTEM_VERSIONING)");
            }
            Ok(AlterTableAction::Set(option::option_list(parser)?))
        }
        TokenKind::Word if parser.is_word("enable") || parser.is_word("disable") => switch_part(parser),
        TokenKind::Word if parser.eat_word("rebuild") => {
            let partition = index::partition(parser)?;
            let options = option::with_options(parser)?;
            Ok(AlterTableAction::Rebuild { partition, options })
        }
        TokenKind::Word if parser.eat_word("switch") => switch_rows(parser),
        _ if parser.is_word("split") || parser.is_keyword(Keyword::Merge) => {
            let words = format!("ALTER TABLE … {}", parser.upper());
            parser.bump();
            unsupported::skip(parser, |_, _| false)?;
            parser.not_yet(&words);
            Ok(AlterTableAction::Set(Vec::new()))
        }
        _ => Err(parser.unexpected()),
    }
}

/// `SWITCH [PARTITION n] TO table [PARTITION n] [WITH (…)]`; SWITCH is read.
fn switch_rows(parser: &mut Parser<'_>) -> Parsed<AlterTableAction> {
    let from = switched_partition(parser)?;
    parser.expect_keyword(Keyword::To)?;
    let target = name::defined_name(parser)?;
    let to = switched_partition(parser)?;
    let options = option::with_options(parser)?;
    Ok(AlterTableAction::Switch { from, target, to, options })
}

/// `PARTITION n`, if it stands here.
fn switched_partition(parser: &mut Parser<'_>) -> Parsed<Option<Expr>> {
    if parser.eat_word("partition") { expression::value(parser).map(Some) } else { Ok(None) }
}

/// `WITH CHECK|NOCHECK ADD|CHECK|NOCHECK …`
fn checked_action(parser: &mut Parser<'_>) -> Parsed<AlterTableAction> {
    parser.bump();
    let check = check_or_nocheck(parser)?;
    if parser.is_keyword(Keyword::Add) {
        return add_to_table(parser, Some(check));
    }
    check_constraints(parser, Some(check))
}

fn check_or_nocheck(parser: &mut Parser<'_>) -> Parsed<bool> {
    if parser.eat_keyword(Keyword::Check) {
        return Ok(true);
    }
    parser.expect_keyword(Keyword::NoCheck)?;
    Ok(false)
}

/// `ADD column|constraint, …`
fn add_to_table(parser: &mut Parser<'_>, with_check: Option<bool>) -> Parsed<AlterTableAction> {
    parser.bump();
    let mut definition = TableDefinition::default();
    table::table_element(parser, &mut definition)?;
    while parser.eat(TokenKind::Comma) {
        table::table_element(parser, &mut definition)?;
    }
    Ok(AlterTableAction::Add { definition, with_check })
}

/// `CHECK|NOCHECK CONSTRAINT ALL|name, …`
fn check_constraints(parser: &mut Parser<'_>, with_check: Option<bool>) -> Parsed<AlterTableAction> {
    let enable = check_or_nocheck(parser)?;
    parser.expect_keyword(Keyword::Constraint)?;
    let constraints = all_or_names(parser)?;
    Ok(AlterTableAction::Check { enable, with_check, constraints })
}

/// `None` for ALL.
fn all_or_names(parser: &mut Parser<'_>) -> Parsed<Option<Vec<Ident>>> {
    if parser.eat_keyword(Keyword::All) {
        return Ok(None);
    }
    parser.comma_separated(name::ident).map(Some)
}

/// `DROP [COLUMN|CONSTRAINT|INDEX] [IF EXISTS] name, …`; the kind holds for the names after it.
fn drop_from_table(parser: &mut Parser<'_>) -> Parsed<AlterTableAction> {
    parser.bump();
    if parser.is_word("period") {
        unsupported::skip(parser, |_, _| false)?;
        parser.not_yet("ALTER TABLE … DROP PERIOD");
        return Ok(AlterTableAction::Drop(Vec::new()));
    }
    let (mut kind, mut if_exists) = (TableDropKind::Constraint, false);
    let drops = parser.comma_separated(|parser| {
        if let Some(written) = table_drop_kind(parser) {
            kind = written;
            if_exists = name::if_exists(parser)?;
        } else if parser.is_keyword(Keyword::If) {
            if_exists = name::if_exists(parser)?;
        }
        let name = name::ident(parser)?;
        let options = option::with_options(parser)?;
        Ok(TableDrop { kind, name, if_exists, options })
    })?;
    Ok(AlterTableAction::Drop(drops))
}

fn table_drop_kind(parser: &mut Parser<'_>) -> Option<TableDropKind> {
    let kind = match parser.kind() {
        TokenKind::Keyword(Keyword::Column) => TableDropKind::Column,
        TokenKind::Keyword(Keyword::Constraint) => TableDropKind::Constraint,
        TokenKind::Keyword(Keyword::Index) => TableDropKind::Index,
        _ => return None,
    };
    parser.bump();
    Some(kind)
}

/// `ALTER COLUMN …`, `ALTER INDEX …`
fn alter_part(parser: &mut Parser<'_>) -> Parsed<AlterTableAction> {
    parser.bump();
    if parser.eat_keyword(Keyword::Index) {
        let index = name::ident(parser)?;
        parser.expect_word("rebuild")?;
        let options = option::with_options(parser)?;
        return Ok(AlterTableAction::AlterIndex { index, options });
    }
    parser.expect_keyword(Keyword::Column)?;
    let column = name::ident(parser)?;
    if matches!(parser.kind(), TokenKind::Keyword(Keyword::Add | Keyword::Drop)) {
        return column_property(parser, column);
    }
    alter_column(parser, column)
}

fn column_property(parser: &mut Parser<'_>, column: Ident) -> Parsed<AlterTableAction> {
    let add = parser.is_keyword(Keyword::Add);
    parser.bump();
    if parser.eat_word("masked") {
        let mask = if add { Some(table::mask(parser)?) } else { None };
        return Ok(AlterTableAction::ColumnMask { column, mask });
    }
    let property = if parser.eat_keyword(Keyword::RowGuidCol) {
        ColumnProperty::RowGuidCol
    } else if parser.eat_word("persisted") {
        ColumnProperty::Persisted
    } else if parser.eat_word("sparse") {
        ColumnProperty::Sparse
    } else if table::not_for_replication(parser) {
        ColumnProperty::NotForReplication
    } else if parser.eat_word("hidden") {
        parser.not_yet("ALTER COLUMN … ADD or DROP of HIDDEN");
        ColumnProperty::Sparse
    } else {
        return Err(parser.unexpected());
    };
    Ok(AlterTableAction::ColumnProperty { column, add, property })
}

/// `name type [COLLATE c] [NULL|NOT NULL] [SPARSE] [NULL|NOT NULL] [WITH (…)]`; the name is read.
fn alter_column(parser: &mut Parser<'_>, name: Ident) -> Parsed<AlterTableAction> {
    let data_type = types::data_type(parser)?;
    let collation = if parser.eat_keyword(Keyword::Collate) { Some(name::word(parser)?) } else { None };
    let nullable = types::nullability(parser)?;
    if parser.eat_word("encrypted") {
        parser.not_yet("column option ENCRYPTED");
        unsupported::skip(parser, |_, _| false)?;
    }
    let mask = if parser.eat_word("masked") { Some(table::mask(parser)?) } else { None };
    let nullable = if nullable.is_none() { types::nullability(parser)? } else { nullable };
    let sparse = parser.eat_word("sparse");
    // Entity Framework writes SPARSE first.
    let nullable = if nullable.is_none() { types::nullability(parser)? } else { nullable };
    let options = option::with_options(parser)?;
    Ok(AlterTableAction::AlterColumn(AlterColumn { name, data_type, collation, nullable, sparse, mask, options }))
}

/// `ENABLE|DISABLE TRIGGER ALL|name, …`, `ENABLE|DISABLE CHANGE_TRACKING [WITH (…)]`
fn switch_part(parser: &mut Parser<'_>) -> Parsed<AlterTableAction> {
    let enable = parser.is_word("enable");
    parser.bump();
    if parser.eat_word("change_tracking") {
        let options = option::with_options(parser)?;
        return Ok(AlterTableAction::ChangeTracking { enable, options });
    }
    parser.expect_keyword(Keyword::Trigger)?;
    let triggers = all_or_names(parser)?;
    Ok(AlterTableAction::Trigger { enable, triggers })
}
