//! Indexes and statistics.

use crate::ast::{
    AlterIndex, AlterIndexAction, Clustering, CreateIndex, CreateStatistics, DataSpace, DropIndex, IndexColumn,
    IndexDefinition, IndexStructure, NamedOption, ObjectName, StatementKind, UpdateStatistics,
};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::parse::{Parser, name, option, query, unsupported};
use crate::token::TokenKind;

// What definitions of indexes share.

pub(in crate::parse) fn clustering(parser: &mut Parser<'_>) -> Option<Clustering> {
    if parser.eat_keyword(Keyword::Clustered) {
        Some(Clustering::Clustered)
    } else if parser.eat_keyword(Keyword::NonClustered) {
        Some(Clustering::NonClustered)
    } else {
        None
    }
}

/// `(column [ASC|DESC], …)`, or nothing.
pub(in crate::parse) fn index_columns(parser: &mut Parser<'_>) -> Parsed<Vec<IndexColumn>> {
    if parser.kind() != TokenKind::LeftParen {
        return Ok(Vec::new());
    }
    parser.parenthesised(|parser| {
        let name = name::ident(parser)?;
        let descending = parser.eat_keyword(Keyword::Desc);
        if !descending {
            parser.eat_keyword(Keyword::Asc);
        }
        Ok(IndexColumn { name, descending })
    })
}

/// `WITH (…)`, `WITH FILLFACTOR = n, PAD_INDEX`, or nothing.
pub(in crate::parse) fn index_options(parser: &mut Parser<'_>) -> Parsed<Vec<NamedOption>> {
    if !parser.eat_keyword(Keyword::With) {
        return Ok(Vec::new());
    }
    if parser.kind() == TokenKind::LeftParen {
        return option::option_list(parser);
    }
    // The old form: each is a word, and FILLFACTOR has a number.
    parser.comma_separated(old_index_option)
}

fn old_index_option(parser: &mut Parser<'_>) -> Parsed<NamedOption> {
    if parser.is_keyword(Keyword::FillFactor) {
        return option::named_option(parser, false);
    }
    let known = ["pad_index", "ignore_dup_key", "drop_existing", "statistics_norecompute", "sort_in_tempdb"];
    if !known.iter().any(|word| parser.is_word(word)) {
        return Err(parser.unexpected());
    }
    let name = parser.upper();
    parser.bump();
    Ok(NamedOption { name, value: crate::ast::OptionValue::None, details: Vec::new() })
}

/// `[(columns)] [INCLUDE (…)] [WHERE …] [WITH …] [ON …]`
pub(in crate::parse) fn index_tail(parser: &mut Parser<'_>, mut index: IndexDefinition) -> Parsed<IndexDefinition> {
    index.columns = index_columns(parser)?;
    if index.structure == IndexStructure::ColumnStore && parser.is_keyword(Keyword::Order) {
        parser.bump();
        unsupported::skip_parentheses(parser)?;
    }
    if parser.eat_word("include") {
        index.include = parser.parenthesised(name::ident)?;
    }
    index.filter = query::where_clause(parser)?;
    index.options = index_options(parser)?;
    index.on = on_data_space(parser)?;
    if parser.eat_word("filestream_on") {
        data_space(parser)?;
        parser.not_yet("CREATE INDEX … FILESTREAM_ON");
    }
    Ok(index)
}

/// A filegroup, or a partition scheme with its column.
pub(in crate::parse) fn data_space(parser: &mut Parser<'_>) -> Parsed<DataSpace> {
    let reserved = matches!(parser.kind(), TokenKind::Keyword(Keyword::Default | Keyword::Primary));
    let name = if reserved { parser.upper() } else { name::ident_or_string(parser)? };
    if reserved {
        parser.bump();
    }
    let mut column = None;
    if parser.eat(TokenKind::LeftParen) {
        column = Some(name::ident(parser)?);
        parser.expect(TokenKind::RightParen)?;
    }
    Ok(DataSpace { name, column })
}

/// `ON …`, if it stands here.
pub(in crate::parse) fn on_data_space(parser: &mut Parser<'_>) -> Parsed<Option<DataSpace>> {
    if parser.eat_keyword(Keyword::On) { data_space(parser).map(Some) } else { Ok(None) }
}

// CREATE, ALTER and DROP INDEX.

/// Whether INDEX stands here or after UNIQUE, CLUSTERED, NONCLUSTERED and COLUMNSTORE.
pub(in crate::parse) fn is_index(parser: &Parser<'_>) -> bool {
    use Keyword::{Clustered, Index, NonClustered, Unique};
    let mut ahead = 0;
    while matches!(parser.kind_at(ahead), TokenKind::Keyword(Unique | Clustered | NonClustered))
        || parser.is_word_at(ahead, "columnstore")
    {
        ahead += 1;
    }
    parser.is_keyword_at(ahead, Index)
}

/// `[UNIQUE] [CLUSTERED|NONCLUSTERED] [COLUMNSTORE] INDEX name ON table …`; CREATE is read.
pub(in crate::parse) fn create_index(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    let unique = parser.eat_keyword(Keyword::Unique);
    let clustering = clustering(parser);
    let column_store = parser.eat_word("columnstore");
    parser.expect_keyword(Keyword::Index)?;
    let name = name::ident(parser)?;
    parser.expect_keyword(Keyword::On)?;
    let table = name::defined_name(parser)?;
    if parser.kind() != TokenKind::LeftParen && !column_store {
        return Err(parser.unexpected());
    }
    let structure = if column_store { IndexStructure::ColumnStore } else { IndexStructure::Tree };
    let index = index_tail(
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
    )?;
    Ok(StatementKind::CreateIndex(Box::new(CreateIndex { table, index })))
}

/// `INDEX name|ALL ON table REBUILD|REORGANIZE|DISABLE|SET …`; ALTER is read.
pub(in crate::parse) fn alter_index(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    let index = if parser.eat_keyword(Keyword::All) { None } else { Some(name::ident(parser)?) };
    parser.expect_keyword(Keyword::On)?;
    let table = name::defined_name(parser)?;
    let action = if parser.eat_word("rebuild") {
        let partition = partition(parser)?;
        AlterIndexAction::Rebuild { partition, options: option::with_options(parser)? }
    } else if parser.eat_word("reorganize") {
        let partition = partition(parser)?;
        AlterIndexAction::Reorganize { partition, options: option::with_options(parser)? }
    } else if parser.eat_word("disable") {
        AlterIndexAction::Disable
    } else if parser.eat_keyword(Keyword::Set) {
        AlterIndexAction::Set(option::option_list(parser)?)
    } else if parser.eat_word("resume") {
        AlterIndexAction::Resumable { word: "RESUME", options: option::with_options(parser)? }
    } else if parser.eat_word("pause") {
        AlterIndexAction::Resumable { word: "PAUSE", options: Vec::new() }
    } else if parser.eat_word("abort") {
        AlterIndexAction::Resumable { word: "ABORT", options: Vec::new() }
    } else {
        return Err(parser.unexpected());
    };
    Ok(StatementKind::AlterIndex(Box::new(AlterIndex { index, table, action })))
}

/// `PARTITION = ALL|n`, if it stands here.
pub(in crate::parse) fn partition(parser: &mut Parser<'_>) -> Parsed<Option<u32>> {
    if !parser.eat_word("partition") {
        return Ok(None);
    }
    parser.expect(TokenKind::Equal)?;
    if parser.eat_keyword(Keyword::All) { Ok(None) } else { name::unsigned(parser).map(Some) }
}

/// `INDEX [IF EXISTS] name ON table [WITH (…)], …` or `INDEX table.name, …`; DROP is read.
pub(in crate::parse) fn drop_index(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    let if_exists = name::if_exists(parser)?;
    let indexes = parser.comma_separated(dropped_index)?;
    Ok(StatementKind::DropIndex { indexes, if_exists })
}

fn dropped_index(parser: &mut Parser<'_>) -> Parsed<DropIndex> {
    let mut table = name::object_name(parser)?;
    let index = table.parts.pop().unwrap_or_default();
    if parser.is_keyword(Keyword::On) && table.parts.is_empty() {
        parser.bump();
        let table = name::defined_name(parser)?;
        let options = option::with_options(parser)?;
        return Ok(DropIndex { index, table, options });
    }
    if table.parts.is_empty() {
        return Err(parser.unexpected());
    }
    Ok(DropIndex { index, table, options: Vec::new() })
}

// Statistics.

/// `STATISTICS name ON table (columns) [WHERE …] [WITH …]`; CREATE is read.
pub(in crate::parse) fn create_statistics(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    let name = name::ident(parser)?;
    parser.expect_keyword(Keyword::On)?;
    let table = name::defined_name(parser)?;
    let columns = parser.parenthesised(name::ident)?;
    let filter = query::where_clause(parser)?;
    let options = statistics_options(parser)?;
    let create = CreateStatistics { name, table, columns, filter, options };
    Ok(StatementKind::CreateStatistics(Box::new(create)))
}

/// `STATISTICS table [name | (name, …)] [WITH …]`; UPDATE is read.
pub(in crate::parse) fn update_statistics(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    let table: ObjectName = name::defined_name(parser)?;
    let names = if parser.kind() == TokenKind::LeftParen {
        parser.parenthesised(name::ident)?
    } else if name::is_name(parser) {
        vec![name::ident(parser)?]
    } else {
        Vec::new()
    };
    let options = statistics_options(parser)?;
    Ok(StatementKind::UpdateStatistics(Box::new(UpdateStatistics { table, names, options })))
}

fn statistics_options(parser: &mut Parser<'_>) -> Parsed<Vec<NamedOption>> {
    let follows = matches!(
        parser.kind_at(1),
        TokenKind::Word | TokenKind::Keyword(Keyword::All | Keyword::Index | Keyword::RowCount)
    );
    if !parser.is_keyword(Keyword::With) || !follows {
        return Ok(Vec::new());
    }
    parser.bump();
    option::open_options(parser)
}
