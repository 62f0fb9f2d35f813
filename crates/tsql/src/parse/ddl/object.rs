//! Changed schemas, sequences, types, synonyms, and DROP.

use crate::ast::{
    BoundBody, CreateBound, CreateType, DropKind, DropObjects, Ident, Sequence, SequenceBound, SequenceCache,
    StatementKind, TriggerSwitch, TriggerTarget, TypeKind,
};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::parse::ddl::table;
use crate::parse::{Parser, name, option, query, types, unsupported};
use crate::token::TokenKind;

// Schemas and owners.

/// `SCHEMA name TRANSFER [class::]object`; ALTER is read.
pub(in crate::parse) fn alter_schema(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    let name = name::ident(parser)?;
    parser.expect_word("transfer")?;
    let class = name::securable_class(parser)?;
    let object = name::defined_name(parser)?;
    Ok(StatementKind::AlterSchema { name, class, object })
}

/// `AUTHORIZATION ON [class::]object TO owner|SCHEMA OWNER`; ALTER is read.
pub(in crate::parse) fn alter_authorization(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    parser.expect_keyword(Keyword::On)?;
    let class = name::securable_class(parser)?;
    let object = name::defined_name(parser)?;
    parser.expect_keyword(Keyword::To)?;
    let owner = if parser.eat_keyword(Keyword::Schema) {
        parser.expect_word("owner")?;
        None
    } else {
        Some(name::ident(parser)?)
    };
    Ok(StatementKind::AlterAuthorization { class, object, owner })
}

/// `DEFAULT name AS value`, `RULE name AS condition`; CREATE is read. The variable of a rule is none of the batch.
pub(in crate::parse) fn create_bound(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    let is_rule = parser.bump().kind == TokenKind::Keyword(Keyword::Rule);
    let name = name::defined_name(parser)?;
    parser.expect_keyword(Keyword::As)?;
    let first = parser.met.variables.len();
    let body = if is_rule {
        let condition = query::without_queries(parser, |parser| parser.nested(Parser::condition))?;
        let mut variables: Vec<Ident> = Vec::new();
        for used in parser.met.variables.split_off(first) {
            let name = parser.text[used.span.start as usize..used.span.end as usize].to_owned();
            if !variables.iter().any(|known| known.eq_ignore_ascii_case(&name)) {
                variables.push(name);
            }
        }
        BoundBody::Rule { variables, condition }
    } else {
        BoundBody::Default(query::without_queries(parser, Parser::value)?)
    };
    while parser.eat(TokenKind::Semicolon) {}
    if parser.kind() != TokenKind::End {
        return Err(parser.unexpected());
    }
    Ok(StatementKind::CreateBound(Box::new(CreateBound { name, body })))
}

// Sequences.

/// `SEQUENCE name [AS type] [START WITH n] [INCREMENT BY n] …`; CREATE or ALTER is read.
pub(in crate::parse) fn sequence(parser: &mut Parser<'_>, alter: bool) -> Parsed<StatementKind> {
    parser.bump();
    let mut sequence = Sequence {
        alter,
        name: name::defined_name(parser)?,
        data_type: None,
        start: None,
        restart: None,
        increment: None,
        min_value: None,
        max_value: None,
        cycle: None,
        cache: None,
    };
    if !alter && parser.eat_keyword(Keyword::As) {
        sequence.data_type = Some(types::data_type(parser)?);
    }
    while sequence_option(parser, &mut sequence)? {}
    Ok(StatementKind::Sequence(Box::new(sequence)))
}

fn sequence_option(parser: &mut Parser<'_>, sequence: &mut Sequence) -> Parsed<bool> {
    if !sequence.alter && parser.eat_word("start") {
        parser.expect_keyword(Keyword::With)?;
        sequence.start = Some(whole_number(parser)?);
    } else if sequence.alter && parser.eat_word("restart") {
        let with = parser.eat_keyword(Keyword::With);
        sequence.restart = Some(if with { Some(whole_number(parser)?) } else { None });
    } else if parser.eat_word("increment") {
        parser.expect_keyword(Keyword::By)?;
        sequence.increment = Some(whole_number(parser)?);
    } else if parser.eat_word("minvalue") {
        sequence.min_value = Some(SequenceBound::Value(whole_number(parser)?));
    } else if parser.eat_word("maxvalue") {
        sequence.max_value = Some(SequenceBound::Value(whole_number(parser)?));
    } else if parser.eat_word("cycle") {
        sequence.cycle = Some(true);
    } else if parser.eat_word("cache") {
        let sized = parser.kind() == TokenKind::Integer;
        sequence.cache =
            Some(if sized { SequenceCache::Size(name::unsigned(parser)?) } else { SequenceCache::Default });
    } else if parser.is_word("no") {
        parser.bump();
        no_sequence_option(parser, sequence)?;
    } else {
        return Ok(false);
    }
    Ok(true)
}

fn no_sequence_option(parser: &mut Parser<'_>, sequence: &mut Sequence) -> Parsed<()> {
    if parser.eat_word("minvalue") {
        sequence.min_value = Some(SequenceBound::None);
    } else if parser.eat_word("maxvalue") {
        sequence.max_value = Some(SequenceBound::None);
    } else if parser.eat_word("cycle") {
        sequence.cycle = Some(false);
    } else {
        parser.expect_word("cache")?;
        sequence.cache = Some(SequenceCache::None);
    }
    Ok(())
}

/// A number of up to 38 digits with a sign.
fn whole_number(parser: &mut Parser<'_>) -> Parsed<i128> {
    let negative = parser.eat(TokenKind::Minus);
    if !negative {
        parser.eat(TokenKind::Plus);
    }
    let magnitude: i128 = name::unsigned(parser)?;
    Ok(if negative { -magnitude } else { magnitude })
}

// Types and synonyms.

/// `TYPE name FROM type [NULL|NOT NULL]`, `TYPE name AS TABLE (…) [WITH (…)]`; CREATE is read.
pub(in crate::parse) fn create_type(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    let name = name::type_object_name(parser)?;
    let kind = if parser.eat_keyword(Keyword::From) {
        let data_type = types::data_type(parser)?;
        let nullable = types::nullability(parser)?;
        TypeKind::Alias { data_type, nullable }
    } else if parser.is_keyword(Keyword::External) {
        return unsupported::skip_as(parser, "CREATE TYPE … EXTERNAL NAME");
    } else {
        parser.expect_keyword(Keyword::As)?;
        parser.expect_keyword(Keyword::Table)?;
        let mut definition = table::table_definition(parser)?;
        definition.options.with = option::with_options(parser)?;
        TypeKind::Table(definition)
    };
    Ok(StatementKind::CreateType(Box::new(CreateType { name, kind })))
}

/// `SYNONYM name FOR object`; CREATE is read.
pub(in crate::parse) fn create_synonym(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    let name = name::defined_name(parser)?;
    parser.expect_keyword(Keyword::For)?;
    let object = name::object_name(parser)?;
    Ok(StatementKind::CreateSynonym { name, object })
}

// DROP.

/// The kind of object after DROP, if it is one that the tree has, and how many words it is.
pub(in crate::parse) fn drop_kind(parser: &Parser<'_>) -> Option<(DropKind, usize)> {
    let kind = match parser.kind() {
        TokenKind::Keyword(Keyword::Database) if is_database_object(parser) => return None,
        TokenKind::Keyword(Keyword::Database) => DropKind::Database,
        TokenKind::Keyword(Keyword::Schema) => DropKind::Schema,
        TokenKind::Keyword(Keyword::View) => DropKind::View,
        TokenKind::Keyword(Keyword::Proc | Keyword::Procedure) => DropKind::Procedure,
        TokenKind::Keyword(Keyword::Function) => DropKind::Function,
        TokenKind::Keyword(Keyword::Trigger) => DropKind::Trigger,
        TokenKind::Keyword(Keyword::Statistics) => DropKind::Statistics,
        TokenKind::Keyword(Keyword::Default) => DropKind::Default,
        TokenKind::Keyword(Keyword::Rule) => DropKind::Rule,
        TokenKind::Keyword(Keyword::User) => DropKind::User,
        TokenKind::Keyword(Keyword::External) => {
            let pool = parser.is_word_at(1, "resource") && parser.is_word_at(2, "pool");
            return pool.then_some((DropKind::ExternalResourcePool, 3));
        }
        TokenKind::Word => return drop_kind_of_word(parser),
        _ => return None,
    };
    Some((kind, 1))
}

fn drop_kind_of_word(parser: &Parser<'_>) -> Option<(DropKind, usize)> {
    let pairs = [
        ("server", "role", DropKind::ServerRole),
        ("application", "role", DropKind::ApplicationRole),
        ("resource", "pool", DropKind::ResourcePool),
    ];
    if parser.is_word("workload") && parser.is_keyword_at(1, Keyword::Group) {
        return Some((DropKind::WorkloadGroup, 2));
    }
    if let Some(pair) = pairs.iter().find(|pair| parser.is_word(pair.0) && parser.is_word_at(1, pair.1)) {
        return Some((pair.2, 2));
    }
    let words = [
        ("sequence", DropKind::Sequence),
        ("type", DropKind::Type),
        ("synonym", DropKind::Synonym),
        ("login", DropKind::Login),
        ("role", DropKind::Role),
    ];
    words.iter().find(|word| parser.is_word(word.0)).map(|word| (word.1, 1))
}

/// `kind [IF EXISTS] name, … [ON …] [WITH …]`; DROP is read. Some kinds are dropped one by one.
pub(in crate::parse) fn drop_objects(parser: &mut Parser<'_>, kind: DropKind, words: usize) -> Parsed<StatementKind> {
    parser.at += words;
    let if_exists = name::if_exists(parser)?;
    let is_alone = matches!(kind, DropKind::Type | DropKind::Synonym | DropKind::Login | DropKind::Role);
    let names =
        if is_alone { vec![name::defined_name(parser)?] } else { parser.comma_separated(name::defined_name)? };
    let is_trigger = kind == DropKind::Trigger && parser.is_keyword(Keyword::On);
    let on = if is_trigger { Some(trigger_target(parser)?) } else { None };
    let drop = DropObjects { kind, if_exists, names, on, options: Vec::new() };
    Ok(StatementKind::Drop(Box::new(drop)))
}

/// `ON name|DATABASE|ALL SERVER`
pub(in crate::parse) fn trigger_target(parser: &mut Parser<'_>) -> Parsed<TriggerTarget> {
    parser.expect_keyword(Keyword::On)?;
    if parser.eat_keyword(Keyword::Database) {
        return Ok(TriggerTarget::Database);
    }
    if parser.eat_keyword(Keyword::All) {
        parser.expect_word("server")?;
        return Ok(TriggerTarget::Server);
    }
    name::defined_name(parser).map(TriggerTarget::Object)
}

/// `ENABLE|DISABLE TRIGGER ALL|name, … ON target`
pub(in crate::parse) fn trigger_switch(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    let enable = parser.is_word("enable");
    parser.at += 2;
    let triggers =
        if parser.eat_keyword(Keyword::All) { None } else { Some(parser.comma_separated(name::defined_name)?) };
    let target = trigger_target(parser)?;
    Ok(StatementKind::TriggerSwitch(Box::new(TriggerSwitch { enable, triggers, target })))
}

/// `DATABASE AUDIT SPECIFICATION`, `ENCRYPTION KEY`, `SCOPED CONFIGURATION|CREDENTIAL`
pub(super) fn is_database_object(parser: &Parser<'_>) -> bool {
    (parser.is_word_at(1, "audit") && parser.is_word_at(2, "specification"))
        || (parser.is_word_at(1, "encryption") && parser.is_keyword_at(2, Keyword::Key))
        || (parser.is_word_at(1, "scoped") && parser.is_word_at(2, "credential"))
}
