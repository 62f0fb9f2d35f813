//! CREATE, ALTER, DROP and TRUNCATE: which object they are about. Tables and database files have their own files.

use super::Parser;
use crate::ast::StatementKind;
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
            Keyword::Create if self.is_keyword_at(1, Keyword::Table) => self.create_table(),
            Keyword::Drop if self.is_keyword_at(1, Keyword::Table) => self.drop_table(),
            Keyword::Alter if self.is_keyword_at(1, Keyword::Database) && !self.is_database_object() => {
                self.alter_database()
            }
            _ => self.other_definition(keyword),
        }
    }

    /// `ALTER DATABASE AUDIT SPECIFICATION`, `ENCRYPTION KEY`, `SCOPED CONFIGURATION|CREDENTIAL`
    fn is_database_object(&self) -> bool {
        (self.is_word_at(2, "audit") && self.is_word_at(3, "specification"))
            || (self.is_word_at(2, "encryption") && self.is_keyword_at(3, Keyword::Key))
            || (self.is_word_at(2, "scoped") && self.kind_at(3) == TokenKind::Word)
    }

    /// `TRUNCATE TABLE name [WITH (PARTITIONS (…))]`
    fn truncate(&mut self) -> Parsed<StatementKind> {
        self.bump();
        self.expect_keyword(Keyword::Table)?;
        let name = self.object_name()?;
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
        let if_exists = self.eat_keyword(Keyword::If);
        if if_exists {
            self.expect_keyword(Keyword::Exists)?;
        }
        let names = self.comma_separated(Self::object_name)?;
        Ok(StatementKind::DropTable { names, if_exists })
    }

    /// A kind of object that this version does not have.
    fn other_definition(&mut self, keyword: Keyword) -> Parsed<StatementKind> {
        let verb = self.upper();
        let first = self.bump();
        if self.is_keyword(Keyword::Or) && self.is_keyword_at(1, Keyword::Alter) && keyword == Keyword::Create {
            self.at += 2;
        }
        if keyword != Keyword::Drop && self.is_module() {
            return self.module(&verb, first.line);
        }
        let object = self.object_kind()?;
        self.bump();
        let softly = match keyword {
            Keyword::Create => skip_softly_create,
            Keyword::Alter => skip_softly_alter,
            _ => skip_softly_drop,
        };
        self.skip(softly)?;
        let words = format!("{verb} {object}");
        self.not_yet(&words);
        Ok(StatementKind::Unsupported(words))
    }

    /// The word that says what is created: `INDEX` also behind `UNIQUE CLUSTERED`.
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
    let previous = parser.tokens[parser.at - 1].kind;
    match keyword {
        Alter => parser.is_keyword_at(1, Column) || parser.is_keyword_at(1, Index),
        Drop => {
            let what = [Column, Constraint, Index, If].iter().any(|word| parser.is_keyword_at(1, *word));
            what || parser.is_drop_action()
        }
        If => parser.is_keyword_at(1, Exists),
        Delete | Update => previous == TokenKind::Keyword(On),
        Set => {
            parser.kind_at(1) == TokenKind::LeftParen
                || matches!(previous, TokenKind::Keyword(Delete | Update))
                || parser.is_configuration_set()
        }
        Merge => parser.is_word_at(1, "range"),
        Reconfigure => parser.tokens[parser.at - 1].kind == TokenKind::Word && parser.is_word_before("governor"),
        _ => false,
    }
}

impl Parser<'_> {
    fn is_word_before(&self, word: &str) -> bool {
        self.source(self.tokens[self.at - 1]).eq_ignore_ascii_case(word)
    }

    /// `ALTER ROLE r DROP MEMBER m`, `ALTER EVENT SESSION … DROP EVENT …` and their kind.
    fn is_drop_action(&self) -> bool {
        ["member", "event", "target", "period", "credential", "filter", "block", "masked", "signature", "file"]
            .iter()
            .any(|word| self.is_word_at(1, word))
    }

    /// `ALTER SERVER CONFIGURATION SET …`, `ALTER DATABASE SCOPED CONFIGURATION … SET …`
    fn is_configuration_set(&self) -> bool {
        ["configuration", "secondary"].iter().any(|word| self.is_word_before(word))
    }
}
