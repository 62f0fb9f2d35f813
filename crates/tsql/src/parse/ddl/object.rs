//! Schemas, sequences, types, synonyms, and DROP.

use crate::ast::{
    CreateType, DropKind, DropObjects, Sequence, SequenceBound, SequenceCache, StatementKind, TriggerSwitch,
    TriggerTarget, TypeKind,
};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::parse::Parser;
use crate::token::TokenKind;

/// Schemas and owners.
impl Parser<'_> {
    /// `SCHEMA name [AUTHORIZATION owner]`, `SCHEMA AUTHORIZATION owner`; CREATE is read, the token with index `first`.
    /// Objects after it, which are part of the statement, have no place in the tree.
    pub(in crate::parse) fn create_schema(&mut self, first: usize) -> Parsed<StatementKind> {
        if !self.is_first_in_batch(first) {
            return Err(error::must_be_first_in_batch("CREATE SCHEMA", self.tokens[first].line));
        }
        self.bump();
        let name = if self.is_keyword(Keyword::Authorization) { None } else { Some(self.ident()?) };
        let owner = if self.eat_keyword(Keyword::Authorization) { Some(self.ident()?) } else { None };
        if let TokenKind::Keyword(Keyword::Create | Keyword::Grant | Keyword::Deny | Keyword::Revoke) = self.kind() {
            self.at = self.tokens.len() - 1;
            self.not_yet("CREATE SCHEMA with its objects");
        }
        Ok(StatementKind::CreateSchema { name, owner })
    }

    /// `SCHEMA name TRANSFER [class::]object`; ALTER is read.
    pub(in crate::parse) fn alter_schema(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let name = self.ident()?;
        self.expect_word("transfer")?;
        let class = self.securable_class()?;
        let object = self.defined_name()?;
        Ok(StatementKind::AlterSchema { name, class, object })
    }

    /// `AUTHORIZATION ON [class::]object TO owner|SCHEMA OWNER`; ALTER is read.
    pub(in crate::parse) fn alter_authorization(&mut self) -> Parsed<StatementKind> {
        self.bump();
        self.expect_keyword(Keyword::On)?;
        let class = self.securable_class()?;
        let object = self.defined_name()?;
        self.expect_keyword(Keyword::To)?;
        let owner = if self.eat_keyword(Keyword::Schema) {
            self.expect_word("owner")?;
            None
        } else {
            Some(self.ident()?)
        };
        Ok(StatementKind::AlterAuthorization { class, object, owner })
    }

    /// The upper-case words before `::`, if such stand here.
    pub(in crate::parse) fn securable_class(&mut self) -> Parsed<Option<String>> {
        let words =
            (0..3).take_while(|ahead| matches!(self.kind_at(*ahead), TokenKind::Word | TokenKind::Keyword(_))).count();
        if words == 0 || self.kind_at(words) != TokenKind::DoubleColon {
            return Ok(None);
        }
        let class = self.words_up_to(self.at + words);
        self.bump();
        Ok(Some(class))
    }
}

/// Sequences.
impl Parser<'_> {
    /// `SEQUENCE name [AS type] [START WITH n] [INCREMENT BY n] …`; CREATE or ALTER is read.
    pub(in crate::parse) fn sequence(&mut self, alter: bool) -> Parsed<StatementKind> {
        self.bump();
        let mut sequence = Sequence {
            alter,
            name: self.defined_name()?,
            data_type: None,
            start: None,
            restart: None,
            increment: None,
            min_value: None,
            max_value: None,
            cycle: None,
            cache: None,
        };
        if !alter && self.eat_keyword(Keyword::As) {
            sequence.data_type = Some(self.data_type()?);
        }
        while self.sequence_option(&mut sequence)? {}
        Ok(StatementKind::Sequence(Box::new(sequence)))
    }

    fn sequence_option(&mut self, sequence: &mut Sequence) -> Parsed<bool> {
        if !sequence.alter && self.eat_word("start") {
            self.expect_keyword(Keyword::With)?;
            sequence.start = Some(self.whole_number()?);
        } else if sequence.alter && self.eat_word("restart") {
            let with = self.eat_keyword(Keyword::With);
            sequence.restart = Some(if with { Some(self.whole_number()?) } else { None });
        } else if self.eat_word("increment") {
            self.expect_keyword(Keyword::By)?;
            sequence.increment = Some(self.whole_number()?);
        } else if self.eat_word("minvalue") {
            sequence.min_value = Some(SequenceBound::Value(self.whole_number()?));
        } else if self.eat_word("maxvalue") {
            sequence.max_value = Some(SequenceBound::Value(self.whole_number()?));
        } else if self.eat_word("cycle") {
            sequence.cycle = Some(true);
        } else if self.eat_word("cache") {
            let sized = self.kind() == TokenKind::Integer;
            sequence.cache = Some(if sized { SequenceCache::Size(self.unsigned()?) } else { SequenceCache::Default });
        } else if self.is_word("no") {
            self.bump();
            self.no_sequence_option(sequence)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn no_sequence_option(&mut self, sequence: &mut Sequence) -> Parsed<()> {
        if self.eat_word("minvalue") {
            sequence.min_value = Some(SequenceBound::None);
        } else if self.eat_word("maxvalue") {
            sequence.max_value = Some(SequenceBound::None);
        } else if self.eat_word("cycle") {
            sequence.cycle = Some(false);
        } else {
            self.expect_word("cache")?;
            sequence.cache = Some(SequenceCache::None);
        }
        Ok(())
    }

    /// A number of up to 38 digits with a sign.
    fn whole_number(&mut self) -> Parsed<i128> {
        let negative = self.eat(TokenKind::Minus);
        if !negative {
            self.eat(TokenKind::Plus);
        }
        let magnitude: i128 = self.unsigned()?;
        Ok(if negative { -magnitude } else { magnitude })
    }
}

/// Types and synonyms.
impl Parser<'_> {
    /// `TYPE name FROM type [NULL|NOT NULL]`, `TYPE name AS TABLE (…) [WITH (…)]`; CREATE is read.
    pub(in crate::parse) fn create_type(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let name = self.type_object_name()?;
        let kind = if self.eat_keyword(Keyword::From) {
            let data_type = self.data_type()?;
            let nullable = self.nullability()?;
            TypeKind::Alias { data_type, nullable }
        } else if self.is_keyword(Keyword::External) {
            return self.skip_as("CREATE TYPE … EXTERNAL NAME");
        } else {
            self.expect_keyword(Keyword::As)?;
            self.expect_keyword(Keyword::Table)?;
            let mut definition = self.table_definition()?;
            definition.options.with = self.with_options()?;
            TypeKind::Table(definition)
        };
        Ok(StatementKind::CreateType(Box::new(CreateType { name, kind })))
    }

    /// `SYNONYM name FOR object`; CREATE is read.
    pub(in crate::parse) fn create_synonym(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let name = self.defined_name()?;
        self.expect_keyword(Keyword::For)?;
        let object = self.object_name()?;
        Ok(StatementKind::CreateSynonym { name, object })
    }
}

/// DROP.
impl Parser<'_> {
    /// `IF EXISTS`, if it stands here.
    pub(in crate::parse) fn if_exists(&mut self) -> Parsed<bool> {
        let found = self.eat_keyword(Keyword::If);
        if found {
            self.expect_keyword(Keyword::Exists)?;
        }
        Ok(found)
    }

    /// The kind of object after DROP, if it is one that the tree has, and how many words it is.
    pub(in crate::parse) fn drop_kind(&self) -> Option<(DropKind, usize)> {
        let kind = match self.kind() {
            TokenKind::Keyword(Keyword::Database) if self.is_database_object() => return None,
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
                let pool = self.is_word_at(1, "resource") && self.is_word_at(2, "pool");
                return pool.then_some((DropKind::ExternalResourcePool, 3));
            }
            TokenKind::Word => return self.drop_kind_of_word(),
            _ => return None,
        };
        Some((kind, 1))
    }

    fn drop_kind_of_word(&self) -> Option<(DropKind, usize)> {
        let pairs = [
            ("server", "role", DropKind::ServerRole),
            ("application", "role", DropKind::ApplicationRole),
            ("resource", "pool", DropKind::ResourcePool),
        ];
        if self.is_word("workload") && self.is_keyword_at(1, Keyword::Group) {
            return Some((DropKind::WorkloadGroup, 2));
        }
        if let Some(pair) = pairs.iter().find(|pair| self.is_word(pair.0) && self.is_word_at(1, pair.1)) {
            return Some((pair.2, 2));
        }
        let words = [
            ("sequence", DropKind::Sequence),
            ("type", DropKind::Type),
            ("synonym", DropKind::Synonym),
            ("login", DropKind::Login),
            ("role", DropKind::Role),
        ];
        words.iter().find(|word| self.is_word(word.0)).map(|word| (word.1, 1))
    }

    /// `kind [IF EXISTS] name, … [ON …] [WITH …]`; DROP is read. Some kinds are dropped one by one.
    pub(in crate::parse) fn drop_objects(&mut self, kind: DropKind, words: usize) -> Parsed<StatementKind> {
        self.at += words;
        let if_exists = self.if_exists()?;
        let is_alone = matches!(kind, DropKind::Type | DropKind::Synonym | DropKind::Login | DropKind::Role);
        let names = if is_alone { vec![self.defined_name()?] } else { self.comma_separated(Self::defined_name)? };
        let is_trigger = kind == DropKind::Trigger && self.is_keyword(Keyword::On);
        let on = if is_trigger { Some(self.trigger_target()?) } else { None };
        let drop = DropObjects { kind, if_exists, names, on, options: Vec::new() };
        Ok(StatementKind::Drop(Box::new(drop)))
    }

    /// `ON name|DATABASE|ALL SERVER`
    pub(in crate::parse) fn trigger_target(&mut self) -> Parsed<TriggerTarget> {
        self.expect_keyword(Keyword::On)?;
        if self.eat_keyword(Keyword::Database) {
            return Ok(TriggerTarget::Database);
        }
        if self.eat_keyword(Keyword::All) {
            self.expect_word("server")?;
            return Ok(TriggerTarget::Server);
        }
        self.defined_name().map(TriggerTarget::Object)
    }

    /// `ENABLE|DISABLE TRIGGER ALL|name, … ON target`
    pub(in crate::parse) fn trigger_switch(&mut self) -> Parsed<StatementKind> {
        let enable = self.is_word("enable");
        self.at += 2;
        let triggers =
            if self.eat_keyword(Keyword::All) { None } else { Some(self.comma_separated(Self::defined_name)?) };
        let target = self.trigger_target()?;
        Ok(StatementKind::TriggerSwitch(Box::new(TriggerSwitch { enable, triggers, target })))
    }
}
