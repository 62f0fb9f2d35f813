//! CREATE, ALTER, DROP and TRUNCATE: which object they are about. Tables and database files have their own files.

mod alter_table;
mod event_session;
pub(super) mod index;
pub(super) mod module;
pub(super) mod object;
mod partition;
mod schema;
pub(super) mod table;

use crate::ast::{DefinitionVerb, PartitionRange, StatementKind};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::parse::{Parser, database, expression, governor, lookahead, name, security, unsupported};
use crate::token::TokenKind;

/// Words that begin the name of a kind of object and are not reserved.
const OBJECT_WORDS: [&str; 43] = [
    "ACTION",
    "AGGREGATE",
    "APPLICATION",
    "ASSEMBLY",
    "ASYMMETRIC",
    "ATTESTATION",
    "AVAILABILITY",
    "BROKER",
    "CERTIFICATE",
    "COLUMNSTORE",
    "CONTRACT",
    "CREDENTIAL",
    "CRYPTOGRAPHIC",
    "ENDPOINT",
    "EVENT",
    "FEDERATION",
    "FULLTEXT",
    "JSON",
    "LOGIN",
    "MASTER",
    "MATERIALIZED",
    "MESSAGE",
    "PARTITION",
    "QUEUE",
    "REMOTE",
    "RESOURCE",
    "ROLE",
    "ROUTE",
    "SEARCH",
    "SECURITY",
    "SELECTIVE",
    "SENSITIVITY",
    "SEQUENCE",
    "SERVER",
    "SERVICE",
    "SIGNATURE",
    "SPATIAL",
    "SYMMETRIC",
    "SYNONYM",
    "TYPE",
    "VECTOR",
    "WORKLOAD",
    "XML",
];

pub(super) fn definition(parser: &mut Parser<'_>, keyword: Keyword) -> Parsed<StatementKind> {
    match keyword {
        Keyword::Truncate => truncate(parser),
        Keyword::Create => create(parser),
        Keyword::Alter => alter(parser),
        _ => drop_statement(parser),
    }
}

fn create(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    if parser.is_keyword_at(1, Keyword::Table) {
        return table::create_table(parser);
    }
    let first = parser.at;
    let line = parser.bump().line;
    let or_alter = parser.is_keyword(Keyword::Or) && parser.is_keyword_at(1, Keyword::Alter);
    if or_alter {
        parser.at += 2;
    }
    if module::is_module(parser) {
        let verb = if or_alter { DefinitionVerb::CreateOrAlter } else { DefinitionVerb::Create };
        return module::module(parser, verb, first);
    }
    if or_alter {
        return Err(parser.unexpected());
    }
    match parser.kind() {
        TokenKind::Keyword(Keyword::Database) if !object::is_database_object(parser) => {
            database::create_database(parser)
        }
        TokenKind::Keyword(Keyword::Schema) => schema::create_schema(parser, first),
        TokenKind::Keyword(Keyword::Statistics) => index::create_statistics(parser),
        TokenKind::Keyword(Keyword::Default) if !lookahead::is_first_in_batch(parser, first) => {
            Err(error::must_be_first_in_batch("CREATE DEFAULT", line))
        }
        TokenKind::Keyword(Keyword::Rule) if !lookahead::is_first_in_batch(parser, first) => {
            Err(error::must_be_first_in_batch("CREATE RULE", line))
        }
        TokenKind::Keyword(Keyword::Default | Keyword::Rule) => object::create_bound(parser),
        TokenKind::Word if parser.is_word("type") => object::create_type(parser),
        TokenKind::Word if parser.is_word("synonym") => object::create_synonym(parser),
        _ if index::is_index(parser) => index::create_index(parser),
        _ => create_or_alter_other(parser, "CREATE"),
    }
}

fn alter(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    let first = parser.at;
    parser.bump();
    if module::is_module(parser) {
        return module::module(parser, DefinitionVerb::Alter, first);
    }
    match parser.kind() {
        TokenKind::Keyword(Keyword::Database)
            if parser.is_word_at(1, "scoped") && parser.is_word_at(2, "configuration") =>
        {
            parser.bump();
            database::scoped_configuration(parser)
        }
        TokenKind::Keyword(Keyword::Database) if !object::is_database_object(parser) => {
            database::alter_database(parser)
        }
        TokenKind::Keyword(Keyword::Table) => alter_table::alter_table(parser),
        TokenKind::Keyword(Keyword::Index) => index::alter_index(parser),
        TokenKind::Keyword(Keyword::Schema) => object::alter_schema(parser),
        TokenKind::Keyword(Keyword::Authorization) => object::alter_authorization(parser),
        TokenKind::Word if parser.is_word("resource") && parser.is_word_at(1, "governor") => {
            governor::resource_governor(parser)
        }
        TokenKind::Word if parser.is_word("server") && parser.is_word_at(1, "configuration") => {
            governor::server_configuration(parser)
        }
        _ => create_or_alter_other(parser, "ALTER"),
    }
}

/// What CREATE and ALTER have in common; the verb is read.
fn create_or_alter_other(parser: &mut Parser<'_>, verb: &str) -> Parsed<StatementKind> {
    let alter = verb == "ALTER";
    if parser.is_word("sequence") {
        return object::sequence(parser, alter);
    }
    if partition::is_partition(parser) {
        return partition::partition(parser, if alter { Keyword::Alter } else { Keyword::Create });
    }
    if parser.is_word("workload") && parser.is_keyword_at(1, Keyword::Group) {
        return governor::workload_group(parser, alter);
    }
    if governor::is_resource_pool(parser) {
        return governor::resource_pool(parser, alter);
    }
    if event_session::is_event_session(parser) {
        return event_session::event_session(parser, if alter { Keyword::Alter } else { Keyword::Create });
    }
    if let Some((kind, words)) = security::principal_kind(parser) {
        return security::principal(parser, alter, kind, words);
    }
    other_definition(parser, verb, if alter { skip_softly_alter } else { skip_softly_create })
}

fn drop_statement(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    if parser.is_keyword_at(1, Keyword::Table) {
        return drop_table(parser);
    }
    parser.bump();
    if parser.is_keyword(Keyword::Index) {
        return index::drop_index(parser);
    }
    if partition::is_partition(parser) {
        return partition::partition(parser, Keyword::Drop);
    }
    if event_session::is_event_session(parser) {
        return event_session::event_session(parser, Keyword::Drop);
    }
    match object::drop_kind(parser) {
        Some((kind, words)) => object::drop_objects(parser, kind, words),
        None => other_definition(parser, "DROP", skip_softly_drop),
    }
}

/// `TRUNCATE TABLE name [WITH (PARTITIONS (n, n TO n, …))]`
fn truncate(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    parser.expect_keyword(Keyword::Table)?;
    let name = name::defined_name(parser)?;
    let mut partitions = Vec::new();
    if parser.is_keyword(Keyword::With) && parser.kind_at(1) == TokenKind::LeftParen {
        parser.at += 2;
        parser.expect_word("partitions")?;
        partitions = parser.parenthesised(partition_range)?;
        parser.expect(TokenKind::RightParen)?;
    }
    Ok(StatementKind::Truncate { table: name, partitions })
}

/// `n`, `n TO n`
fn partition_range(parser: &mut Parser<'_>) -> Parsed<PartitionRange> {
    let first = expression::value(parser)?;
    let last = if parser.eat_keyword(Keyword::To) { Some(expression::value(parser)?) } else { None };
    Ok(PartitionRange { first, last })
}

/// `DROP TABLE [IF EXISTS] name, …`
fn drop_table(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.at += 2;
    let if_exists = name::if_exists(parser)?;
    let names = parser.comma_separated(name::defined_name)?;
    Ok(StatementKind::DropTable { names, if_exists })
}

/// A kind of object that this version does not have; the verb is read.
fn other_definition(
    parser: &mut Parser<'_>,
    verb: &str,
    softly: fn(&Parser<'_>, Keyword) -> bool,
) -> Parsed<StatementKind> {
    let object = object_kind(parser)?;
    let key = ["MASTER", "ENCRYPTION"].into_iter().find(|word| {
        parser.is_keyword(Keyword::Column) && parser.is_word_at(1, word) && parser.is_keyword_at(2, Keyword::Key)
    });
    parser.bump();
    unsupported::skip(parser, softly)?;
    let words = match key {
        Some(word) => format!("{verb} {object} {word} KEY"),
        None => format!("{verb} {object}"),
    };
    parser.not_yet(&words);
    Ok(StatementKind::Unsupported(words))
}

/// The word that says what is created: `INDEX` also after `UNIQUE CLUSTERED`.
fn object_kind(parser: &mut Parser<'_>) -> Parsed<String> {
    use Keyword::*;
    while matches!(parser.kind(), TokenKind::Keyword(Unique | Clustered | NonClustered | Primary))
        || (parser.is_word("columnstore") && parser.is_keyword_at(1, Index))
    {
        parser.bump();
    }
    let known = match parser.kind() {
        TokenKind::Word => OBJECT_WORDS.iter().any(|word| parser.is_word(word)),
        TokenKind::Keyword(keyword) => matches!(
            keyword,
            Index
                | Column
                | Database
                | Default
                | External
                | Function
                | Proc
                | Procedure
                | Rule
                | Schema
                | Statistics
                | Trigger
                | User
                | View
                | Table
                | Authorization
        ),
        _ => return Err(parser.unexpected()),
    };
    if known {
        return Ok(parser.upper());
    }
    match parser.kind() {
        TokenKind::Word => Err(error::unknown_object_type(parser.source(parser.token()), parser.line())),
        _ => Err(parser.unexpected()),
    }
}

fn skip_softly_create(_: &Parser<'_>, _: Keyword) -> bool {
    false
}

/// `DROP TYPE IF EXISTS x`
fn skip_softly_drop(parser: &Parser<'_>, keyword: Keyword) -> bool {
    keyword == Keyword::If && parser.is_keyword_at(1, Keyword::Exists)
}

/// ALTER's actions are words that begin statements elsewhere.
fn skip_softly_alter(parser: &Parser<'_>, keyword: Keyword) -> bool {
    use Keyword::*;
    match keyword {
        Drop => is_drop_action(parser),
        If => parser.is_keyword_at(1, Exists),
        Set => parser.kind_at(1) == TokenKind::LeftParen,
        Merge => parser.is_word_at(1, "range"),
        _ => false,
    }
}

/// `ALTER FULLTEXT … DROP …` and its kind.
fn is_drop_action(parser: &Parser<'_>) -> bool {
    ["member", "period", "credential", "filter", "block", "masked", "signature", "file"]
        .iter()
        .any(|word| parser.is_word_at(1, word))
}
