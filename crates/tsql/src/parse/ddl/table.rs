//! CREATE TABLE and the definitions of tables and table variables.

use millpond_types::parse_type_name;

use crate::ast::{
    ColumnDefinition, ConstraintKind, DataType, Expr, ForeignKey, Ident, IndexDefinition, IndexStructure,
    KeyConstraint, ObjectName, ReferentialAction, Span, StatementKind, TableConstraint, TableDefinition, TableOptions,
};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::parse::ddl::index;
use crate::parse::{Parser, name, option, query, types, unsupported};
use crate::token::TokenKind;

/// `CREATE TABLE name (…) [ON …] [TEXTIMAGE_ON …] [WITH (…)]`
pub(in crate::parse) fn create_table(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.at += 2;
    let name = name::defined_name(parser)?;
    if parser.eat_keyword(Keyword::As) {
        return unsupported::skip_as(parser, "CREATE TABLE AS");
    }
    let mut definition = table_definition(parser)?;
    table_options(parser, &mut definition.options)?;
    Ok(StatementKind::CreateTable { name, definition })
}

/// Where and how the table lies.
fn table_options(parser: &mut Parser<'_>, options: &mut TableOptions) -> Parsed<()> {
    loop {
        if parser.eat_keyword(Keyword::On) {
            options.on = Some(index::data_space(parser)?);
        } else if parser.eat_word("textimage_on") {
            options.textimage_on = Some(index::data_space(parser)?);
        } else if parser.eat_word("filestream_on") {
            options.filestream_on = Some(index::data_space(parser)?);
        } else if parser.is_keyword(Keyword::With) && parser.kind_at(1) == TokenKind::LeftParen {
            if parser.is_word_at(2, "system_versioning") {
                parser.not_yet("CREATE TABLE … WITH (SYSTEM_VERSIONING)");
            }
            options.with.append(&mut option::with_options(parser)?);
        } else if parser.is_keyword(Keyword::As) {
            parser.bump();
            name::ident(parser)?;
            parser.not_yet("CREATE TABLE AS NODE, EDGE or FILETABLE");
        } else {
            return Ok(());
        }
    }
}

/// `(column, …, constraint, …)`; a comma may stand before the closing parenthesis.
pub(in crate::parse) fn table_definition(parser: &mut Parser<'_>) -> Parsed<TableDefinition> {
    parser.expect(TokenKind::LeftParen)?;
    let mut definition = TableDefinition::default();
    loop {
        table_element(parser, &mut definition)?;
        if !parser.eat(TokenKind::Comma) || parser.kind() == TokenKind::RightParen {
            break;
        }
    }
    parser.expect(TokenKind::RightParen)?;
    Ok(definition)
}

/// A column or a constraint.
pub(in crate::parse) fn table_element(parser: &mut Parser<'_>, definition: &mut TableDefinition) -> Parsed<()> {
    if is_table_constraint(parser) {
        let constraint = constraint(parser)?;
        definition.constraints.extend(constraint);
    } else {
        parser.context.columns_before = definition.columns.len();
        let column = column(parser)?;
        parser.context.columns_before = 0;
        definition.columns.push(column);
    }
    Ok(())
}

fn is_table_constraint(parser: &Parser<'_>) -> bool {
    use Keyword::{Check, Constraint, Default, Foreign, Index, Primary, Unique};
    let period = parser.is_word("period") && parser.is_keyword_at(1, Keyword::For);
    let reserved =
        matches!(parser.kind(), TokenKind::Keyword(Check | Constraint | Default | Foreign | Index | Primary | Unique));
    period || reserved
}

/// `name type option…`, `name AS value [PERSISTED] option…`
fn column(parser: &mut Parser<'_>) -> Parsed<ColumnDefinition> {
    let first = parser.at;
    let mut column = ColumnDefinition {
        name: name::ident(parser)?,
        data_type: None,
        nullable: None,
        default: None,
        default_name: None,
        with_values: false,
        second_default: false,
        identity: None,
        not_for_replication: false,
        collation: None,
        computed: None,
        persisted: false,
        rowguidcol: false,
        second_nullability: false,
        sparse: false,
        mask: None,
        constraints: Vec::new(),
        span: Span::default(),
    };
    if parser.eat_keyword(Keyword::As) {
        column.computed = Some(query::without_queries(parser, Parser::value)?);
        column.persisted = parser.eat_word("persisted");
    } else if is_column_end(parser) && column.name.eq_ignore_ascii_case("timestamp") {
        column.data_type = Some(timestamp_type());
    } else {
        column.data_type = Some(types::data_type(parser)?);
    }
    while is_column_option(parser) {
        column_option(parser, &mut column)?;
    }
    column.span = parser.span_from(first);
    Ok(column)
}

/// The type of a column that is called `timestamp` and has no type.
fn timestamp_type() -> DataType {
    match parse_type_name("timestamp", &[]) {
        Ok(sql_type) => DataType::Scalar { sql_type, explicit_length: false },
        Err(_) => DataType::Named(ObjectName { parts: vec!["timestamp".to_owned()] }),
    }
}

fn is_column_end(parser: &Parser<'_>) -> bool {
    matches!(parser.kind(), TokenKind::Comma | TokenKind::RightParen | TokenKind::Semicolon | TokenKind::End)
}

/// After the last column of ALTER TABLE … ADD the next statement may stand.
fn is_column_option(parser: &Parser<'_>) -> bool {
    use Keyword::*;
    match parser.kind() {
        TokenKind::Keyword(keyword) => matches!(
            keyword,
            Null | Not
                | Collate
                | Identity
                | RowGuidCol
                | Default
                | Constraint
                | Primary
                | Unique
                | Check
                | Foreign
                | References
                | Index
        ),
        TokenKind::Word => RARE_COLUMN_OPTIONS.iter().any(|word| parser.is_word(word)),
        _ => false,
    }
}

fn column_option(parser: &mut Parser<'_>, column: &mut ColumnDefinition) -> Parsed<()> {
    match parser.kind() {
        TokenKind::Keyword(Keyword::Not) if parser.is_keyword_at(1, Keyword::For) => {
            // Of the identity only, after which other options may stand.
            if column.identity.is_none() {
                parser.bump();
                return Err(parser.unexpected());
            }
            column.not_for_replication = not_for_replication(parser);
        }
        TokenKind::Keyword(Keyword::Null | Keyword::Not) => column_nullability(parser, column)?,
        // The name means nothing.
        TokenKind::Keyword(Keyword::Constraint)
            if parser.is_keyword_at(2, Keyword::Null) || parser.is_keyword_at(2, Keyword::Not) =>
        {
            parser.bump();
            name::ident(parser)?;
            column_nullability(parser, column)?;
        }
        TokenKind::Keyword(Keyword::Collate) => {
            parser.bump();
            column.collation = Some(name::word(parser)?);
        }
        TokenKind::Keyword(Keyword::Identity) => {
            column.identity = Some(identity(parser)?);
            column.not_for_replication = not_for_replication(parser);
        }
        TokenKind::Keyword(Keyword::RowGuidCol) => {
            parser.bump();
            column.rowguidcol = true;
        }
        TokenKind::Keyword(Keyword::Default) => column_default(parser, column)?,
        TokenKind::Keyword(Keyword::Constraint) if parser.is_keyword_at(2, Keyword::Default) => {
            parser.bump();
            column.default_name = Some(name::ident(parser)?);
            column_default(parser, column)?;
        }
        TokenKind::Word if parser.eat_word("sparse") => column.sparse = true,
        TokenKind::Word if parser.eat_word("masked") => column.mask = Some(mask(parser)?),
        TokenKind::Word => rare_column_option(parser)?,
        _ => {
            let constraint = constraint(parser)?;
            column.constraints.extend(constraint);
        }
    }
    Ok(())
}

fn column_nullability(parser: &mut Parser<'_>, column: &mut ColumnDefinition) -> Parsed<()> {
    column.second_nullability |= column.nullable.is_some();
    column.nullable = types::nullability(parser)?;
    Ok(())
}

/// `WITH (FUNCTION = 'text')`; MASKED is read.
pub(in crate::parse) fn mask(parser: &mut Parser<'_>) -> Parsed<String> {
    parser.expect_keyword(Keyword::With)?;
    parser.expect(TokenKind::LeftParen)?;
    parser.expect_keyword(Keyword::Function)?;
    parser.expect(TokenKind::Equal)?;
    let text = name::string(parser)?;
    parser.expect(TokenKind::RightParen)?;
    Ok(text)
}

/// Options of columns that this version does not have.
fn rare_column_option(parser: &mut Parser<'_>) -> Parsed<()> {
    let words = format!("column option {}", parser.upper());
    parser.not_yet(&words);
    parser.bump();
    if parser.eat_keyword(Keyword::With) {
        return unsupported::skip_parentheses(parser);
    }
    if parser.eat_keyword(Keyword::For) {
        name::ident(parser)?;
        return Ok(());
    }
    if parser.eat_word("always") {
        parser.expect_keyword(Keyword::As)?;
        name::ident(parser)?;
        if !parser.eat_word("start") {
            parser.expect_keyword(Keyword::End)?;
        }
    }
    Ok(())
}

/// `IDENTITY [(seed, increment)]`
fn identity(parser: &mut Parser<'_>) -> Parsed<(i64, i64)> {
    parser.bump();
    let mut identity = (1, 1);
    if parser.eat(TokenKind::LeftParen) {
        identity.0 = name::signed(parser)?;
        parser.expect(TokenKind::Comma)?;
        identity.1 = name::signed(parser)?;
        parser.expect(TokenKind::RightParen)?;
    }
    Ok(identity)
}

/// `NOT FOR REPLICATION`, if it stands here.
pub(in crate::parse) fn not_for_replication(parser: &mut Parser<'_>) -> bool {
    let found = parser.is_keyword(Keyword::Not) && parser.is_keyword_at(1, Keyword::For);
    if found {
        parser.at += 2;
        parser.eat_keyword(Keyword::Replication);
    }
    found
}

fn column_default(parser: &mut Parser<'_>, column: &mut ColumnDefinition) -> Parsed<()> {
    column.second_default |= column.default.is_some();
    column.default = Some(default_value(parser)?);
    column.with_values = with_values(parser);
    Ok(())
}

/// `DEFAULT value`
fn default_value(parser: &mut Parser<'_>) -> Parsed<Expr> {
    parser.expect_keyword(Keyword::Default)?;
    query::without_queries(parser, Parser::value)
}

fn with_values(parser: &mut Parser<'_>) -> bool {
    let found = parser.is_keyword(Keyword::With) && parser.is_keyword_at(1, Keyword::Values);
    if found {
        parser.at += 2;
    }
    found
}

/// Words that begin an option of a column and are not reserved.
const RARE_COLUMN_OPTIONS: [&str; 7] =
    ["sparse", "filestream", "hidden", "masked", "generated", "encrypted", "column_set"];

// Constraints.

/// `[CONSTRAINT name] PRIMARY KEY|UNIQUE|CHECK|FOREIGN KEY|REFERENCES|DEFAULT|INDEX …`
fn constraint(parser: &mut Parser<'_>) -> Parsed<Option<TableConstraint>> {
    let first = parser.at;
    let name = if parser.eat_keyword(Keyword::Constraint) { Some(name::ident(parser)?) } else { None };
    let kind = match parser.kind() {
        TokenKind::Keyword(Keyword::Primary) => {
            parser.bump();
            parser.expect_keyword(Keyword::Key)?;
            ConstraintKind::PrimaryKey(key(parser)?)
        }
        TokenKind::Keyword(Keyword::Unique) => {
            parser.bump();
            ConstraintKind::Unique(key(parser)?)
        }
        TokenKind::Keyword(Keyword::Check) => check(parser)?,
        TokenKind::Keyword(Keyword::Foreign) => {
            parser.bump();
            parser.expect_keyword(Keyword::Key)?;
            let columns = name::column_list(parser)?;
            ConstraintKind::ForeignKey(references(parser, columns)?)
        }
        TokenKind::Keyword(Keyword::References) => ConstraintKind::ForeignKey(references(parser, Vec::new())?),
        TokenKind::Keyword(Keyword::Default) => default_for(parser)?,
        TokenKind::Keyword(Keyword::Index) if name.is_none() => ConstraintKind::Index(inline_index(parser)?),
        _ if parser.is_word("period") => return period(parser),
        _ if name.is_some() && parser.eat_word("connection") => {
            parser.not_yet("A CONNECTION constraint of a graph");
            unsupported::skip_parentheses(parser)?;
            return Ok(None);
        }
        _ => return Err(parser.unexpected()),
    };
    Ok(Some(TableConstraint { name, kind, span: parser.span_from(first) }))
}

/// `CHECK [NOT FOR REPLICATION] (condition)`
fn check(parser: &mut Parser<'_>) -> Parsed<ConstraintKind> {
    parser.bump();
    let not_for_replication = not_for_replication(parser);
    parser.expect(TokenKind::LeftParen)?;
    let condition = query::without_queries(parser, |parser| parser.nested(Parser::condition))?;
    parser.expect(TokenKind::RightParen)?;
    Ok(ConstraintKind::Check { condition, not_for_replication })
}

/// `DEFAULT value FOR column [WITH VALUES]`
fn default_for(parser: &mut Parser<'_>) -> Parsed<ConstraintKind> {
    let value = default_value(parser)?;
    parser.expect_keyword(Keyword::For)?;
    let column = name::ident(parser)?;
    let with_values = with_values(parser);
    Ok(ConstraintKind::Default { value, column, with_values })
}

/// `PERIOD FOR SYSTEM_TIME (a, b)`
fn period(parser: &mut Parser<'_>) -> Parsed<Option<TableConstraint>> {
    parser.at += 2;
    parser.expect_word("system_time")?;
    unsupported::skip_parentheses(parser)?;
    parser.not_yet("PERIOD FOR SYSTEM_TIME");
    Ok(None)
}

/// `[CLUSTERED|NONCLUSTERED [HASH]] [(column [ASC|DESC], …)] [WITH …] [ON …]`
fn key(parser: &mut Parser<'_>) -> Parsed<KeyConstraint> {
    let clustering = index::clustering(parser);
    let hash = parser.eat_word("hash");
    let columns = index::index_columns(parser)?;
    let options = index::index_options(parser)?;
    let on = index::on_data_space(parser)?;
    Ok(KeyConstraint { clustering, hash, columns, options, on })
}

/// `REFERENCES table [(columns)] [ON DELETE|UPDATE action]… [NOT FOR REPLICATION]`
fn references(parser: &mut Parser<'_>, columns: Vec<Ident>) -> Parsed<ForeignKey> {
    parser.expect_keyword(Keyword::References)?;
    let table = name::defined_name(parser)?;
    let referenced = name::column_list(parser)?;
    let (mut on_delete, mut on_update) = (ReferentialAction::NoAction, ReferentialAction::NoAction);
    while parser.eat_keyword(Keyword::On) {
        if parser.eat_keyword(Keyword::Delete) {
            on_delete = referential_action(parser)?;
        } else {
            parser.expect_keyword(Keyword::Update)?;
            on_update = referential_action(parser)?;
        }
    }
    let not_for_replication = not_for_replication(parser);
    Ok(ForeignKey { columns, table, referenced, on_delete, on_update, not_for_replication })
}

fn referential_action(parser: &mut Parser<'_>) -> Parsed<ReferentialAction> {
    if parser.eat_keyword(Keyword::Cascade) {
        return Ok(ReferentialAction::Cascade);
    }
    if parser.eat_keyword(Keyword::Set) {
        if parser.eat_keyword(Keyword::Null) {
            return Ok(ReferentialAction::SetNull);
        }
        parser.expect_keyword(Keyword::Default)?;
        return Ok(ReferentialAction::SetDefault);
    }
    parser.expect_word("no")?;
    parser.expect_word("action")?;
    Ok(ReferentialAction::NoAction)
}

/// `INDEX name [UNIQUE] [CLUSTERED|NONCLUSTERED] [HASH|COLUMNSTORE] [(columns)] [INCLUDE …] [WHERE …] [WITH …] [ON …]`
fn inline_index(parser: &mut Parser<'_>) -> Parsed<IndexDefinition> {
    parser.bump();
    let name = name::ident(parser)?;
    let unique = parser.eat_keyword(Keyword::Unique);
    let clustering = index::clustering(parser);
    let structure = if parser.eat_word("hash") {
        IndexStructure::Hash
    } else if parser.eat_word("columnstore") {
        IndexStructure::ColumnStore
    } else {
        IndexStructure::Tree
    };
    index::index_tail(
        parser,
        IndexDefinition {
            name,
            unique,
            clustering,
            structure,
            columns: Vec::new(),
            include: Vec::new(),
            filter: None,
            options: Vec::new(),
            on: None,
        },
    )
}
