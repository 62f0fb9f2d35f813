//! CREATE, ALTER, DROP and TRUNCATE: which object they are about. Tables and database files have their own files.

pub(crate) mod alter_table;
pub(crate) mod index;
pub(crate) mod module;
pub(crate) mod object;
pub(crate) mod table;

use super::Parser;
use crate::ast::{DefinitionVerb, StatementKind};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
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

impl Parser<'_> {
    pub(super) fn definition(&mut self, keyword: Keyword) -> Parsed<StatementKind> {
        match keyword {
            Keyword::Truncate => self.truncate(),
            Keyword::Create => self.create(),
            Keyword::Alter => self.alter(),
            _ => self.drop_statement(),
        }
    }

    fn create(&mut self) -> Parsed<StatementKind> {
        if self.is_keyword_at(1, Keyword::Table) {
            return self.create_table();
        }
        let first = self.at;
        let line = self.bump().line;
        let or_alter = self.is_keyword(Keyword::Or) && self.is_keyword_at(1, Keyword::Alter);
        if or_alter {
            self.at += 2;
        }
        if self.is_module() {
            let verb = if or_alter { DefinitionVerb::CreateOrAlter } else { DefinitionVerb::Create };
            return self.module(verb, first);
        }
        if or_alter {
            return Err(self.unexpected());
        }
        match self.kind() {
            TokenKind::Keyword(Keyword::Database) if !self.is_database_object() => self.create_database(),
            TokenKind::Keyword(Keyword::Schema) => self.create_schema(first),
            TokenKind::Keyword(Keyword::Statistics) => self.create_statistics(),
            TokenKind::Keyword(Keyword::Default) if !self.is_first_in_batch(first) => {
                Err(error::must_be_first_in_batch("CREATE DEFAULT", line))
            }
            TokenKind::Keyword(Keyword::Rule) if !self.is_first_in_batch(first) => {
                Err(error::must_be_first_in_batch("CREATE RULE", line))
            }
            TokenKind::Word if self.is_word("type") => self.create_type(),
            TokenKind::Word if self.is_word("synonym") => self.create_synonym(),
            _ if self.is_index() => self.create_index(),
            _ => self.create_or_alter_other("CREATE"),
        }
    }

    fn alter(&mut self) -> Parsed<StatementKind> {
        let first = self.at;
        self.bump();
        if self.is_module() {
            return self.module(DefinitionVerb::Alter, first);
        }
        match self.kind() {
            TokenKind::Keyword(Keyword::Database)
                if self.is_word_at(1, "scoped") && self.is_word_at(2, "configuration") =>
            {
                self.bump();
                self.scoped_configuration()
            }
            TokenKind::Keyword(Keyword::Database) if !self.is_database_object() => self.alter_database(),
            TokenKind::Keyword(Keyword::Table) => self.alter_table(),
            TokenKind::Keyword(Keyword::Index) => self.alter_index(),
            TokenKind::Keyword(Keyword::Schema) => self.alter_schema(),
            TokenKind::Keyword(Keyword::Authorization) => self.alter_authorization(),
            TokenKind::Word if self.is_word("resource") && self.is_word_at(1, "governor") => self.resource_governor(),
            TokenKind::Word if self.is_word("server") && self.is_word_at(1, "configuration") => {
                self.server_configuration()
            }
            _ => self.create_or_alter_other("ALTER"),
        }
    }

    /// What CREATE and ALTER have in common; the verb is read.
    fn create_or_alter_other(&mut self, verb: &str) -> Parsed<StatementKind> {
        let alter = verb == "ALTER";
        if self.is_word("sequence") {
            return self.sequence(alter);
        }
        if self.is_word("workload") && self.is_keyword_at(1, Keyword::Group) {
            return self.workload_group(alter);
        }
        if self.is_resource_pool() {
            return self.resource_pool(alter);
        }
        if let Some((kind, words)) = self.principal_kind() {
            return self.principal(alter, kind, words);
        }
        self.other_definition(verb, if alter { skip_softly_alter } else { skip_softly_create })
    }

    fn drop_statement(&mut self) -> Parsed<StatementKind> {
        if self.is_keyword_at(1, Keyword::Table) {
            return self.drop_table();
        }
        self.bump();
        if self.is_keyword(Keyword::Index) {
            return self.drop_index();
        }
        match self.drop_kind() {
            Some((kind, words)) => self.drop_objects(kind, words),
            None => self.other_definition("DROP", skip_softly_drop),
        }
    }

    /// `DATABASE AUDIT SPECIFICATION`, `ENCRYPTION KEY`, `SCOPED CONFIGURATION|CREDENTIAL`
    pub(super) fn is_database_object(&self) -> bool {
        (self.is_word_at(1, "audit") && self.is_word_at(2, "specification"))
            || (self.is_word_at(1, "encryption") && self.is_keyword_at(2, Keyword::Key))
            || (self.is_word_at(1, "scoped") && self.is_word_at(2, "credential"))
    }

    /// `TRUNCATE TABLE name [WITH (PARTITIONS (…))]`
    fn truncate(&mut self) -> Parsed<StatementKind> {
        self.bump();
        self.expect_keyword(Keyword::Table)?;
        let name = self.defined_name()?;
        if self.is_keyword(Keyword::With) && self.kind_at(1) == TokenKind::LeftParen {
            self.bump();
            self.skip_parentheses()?;
            self.not_yet("TRUNCATE TABLE … WITH (PARTITIONS)");
        }
        Ok(StatementKind::Truncate(name))
    }

    /// `DROP TABLE [IF EXISTS] name, …`
    fn drop_table(&mut self) -> Parsed<StatementKind> {
        self.at += 2;
        let if_exists = self.if_exists()?;
        let names = self.comma_separated(Self::defined_name)?;
        Ok(StatementKind::DropTable { names, if_exists })
    }

    /// A kind of object that this version does not have; the verb is read.
    fn other_definition(&mut self, verb: &str, softly: fn(&Parser<'_>, Keyword) -> bool) -> Parsed<StatementKind> {
        let object = self.object_kind()?;
        self.bump();
        self.skip(softly)?;
        let words = format!("{verb} {object}");
        self.not_yet(&words);
        Ok(StatementKind::Unsupported(words))
    }

    /// The word that says what is created: `INDEX` also after `UNIQUE CLUSTERED`.
    fn object_kind(&mut self) -> Parsed<String> {
        use Keyword::*;
        while matches!(self.kind(), TokenKind::Keyword(Unique | Clustered | NonClustered | Primary))
            || (self.is_word("columnstore") && self.is_keyword_at(1, Index))
        {
            self.bump();
        }
        let known = match self.kind() {
            TokenKind::Word => OBJECT_WORDS.iter().any(|word| self.is_word(word)),
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
            _ => return Err(self.unexpected()),
        };
        if known {
            return Ok(self.upper());
        }
        match self.kind() {
            TokenKind::Word => Err(error::unknown_object_type(self.source(self.token()), self.line())),
            _ => Err(self.unexpected()),
        }
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
        Drop => parser.is_drop_action(),
        If => parser.is_keyword_at(1, Exists),
        Set => parser.kind_at(1) == TokenKind::LeftParen,
        Merge => parser.is_word_at(1, "range"),
        _ => false,
    }
}

impl Parser<'_> {
    /// `ALTER EVENT SESSION … DROP EVENT …` and its kind.
    fn is_drop_action(&self) -> bool {
        ["member", "event", "target", "period", "credential", "filter", "block", "masked", "signature", "file"]
            .iter()
            .any(|word| self.is_word_at(1, word))
    }
}
