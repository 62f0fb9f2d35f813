//! DECLARE and SET.

use super::Parser;
use super::query::assign_operator;
use crate::ast::{SetOption, SetValue, StatementKind, TableDefinition, VariableDeclaration};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::token::TokenKind;

/// DECLARE.
impl Parser<'_> {
    pub(super) fn declare(&mut self) -> Parsed<StatementKind> {
        self.bump();
        if self.is_name() {
            return self.declare_cursor();
        }
        if let Some((name, definition)) = self.table_declaration()? {
            return Ok(StatementKind::DeclareTable { name, definition });
        }
        let mut variables = vec![self.variable_declaration()?];
        while self.eat(TokenKind::Comma) {
            self.type_position = variables.len() + 1;
            variables.push(self.variable_declaration()?);
            self.type_position = 1;
        }
        Ok(StatementKind::Declare(variables))
    }

    /// `@t [AS] TABLE (…)`
    fn table_declaration(&mut self) -> Parsed<Option<(String, TableDefinition)>> {
        let with_as = usize::from(self.is_keyword_at(1, Keyword::As));
        if self.kind() != TokenKind::Variable || !self.is_keyword_at(1 + with_as, Keyword::Table) {
            return Ok(None);
        }
        let name = self.parameter_name()?;
        self.at += 1 + with_as;
        let definition = self.table_definition()?;
        if self.at >= 2 && self.tokens[self.at - 2].kind == TokenKind::Comma {
            return Err(self.unexpected_at(self.at - 1));
        }
        Ok(Some((name, definition)))
    }

    fn variable_declaration(&mut self) -> Parsed<VariableDeclaration> {
        let name = self.parameter_name()?;
        self.eat_keyword(Keyword::As);
        let data_type = self.data_type()?;
        self.type_position = 1;
        let value = if self.eat(TokenKind::Equal) { Some(self.value()?) } else { None };
        Ok(VariableDeclaration { name, data_type, value })
    }
}

/// SET.
impl Parser<'_> {
    pub(super) fn set(&mut self) -> Parsed<StatementKind> {
        self.bump();
        match self.kind() {
            TokenKind::Variable => self.set_variable(),
            TokenKind::Keyword(Keyword::Statistics) => self.set_statistics(),
            TokenKind::Keyword(Keyword::IdentityInsert) => self.set_identity_insert(),
            TokenKind::Keyword(Keyword::Transaction | Keyword::Tran) => self.set_isolation(),
            _ => self.set_option(),
        }
    }

    fn set_variable(&mut self) -> Parsed<StatementKind> {
        if assign_operator(self.kind_at(1)).is_some() && !self.is_keyword_at(2, Keyword::Cursor) {
            return self.assignment().map(StatementKind::SetVariable);
        }
        let variable = self.variable()?;
        if self.eat(TokenKind::Equal) {
            let cursor = Box::new(self.cursor_definition()?);
            return Ok(StatementKind::SetCursor { variable, cursor });
        } else {
            // `SET @x.modify('…')`, `SET @p.X = 1`
            self.expect(TokenKind::Period)?;
            let name = self.object_name()?;
            let line = self.line();
            if self.kind() == TokenKind::LeftParen {
                self.nested(|parser| parser.function_call(name, line))?;
            } else {
                self.assign_operator()?;
                self.value()?;
            }
            self.not_yet("SET of a variable's property");
        }
        Ok(StatementKind::Unsupported("SET of a variable's property".to_owned()))
    }

    /// `STATISTICS IO, TIME ON`
    fn set_statistics(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let names = self.comma_separated(Self::word)?;
        let names = names.iter().map(|name| format!("STATISTICS {}", name.to_uppercase())).collect();
        let value = self.on_or_off()?;
        Ok(StatementKind::SetOption(SetOption { names, value }))
    }

    /// `IDENTITY_INSERT table ON`
    fn set_identity_insert(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let table = self.defined_name()?;
        let parts: Vec<String> = table.parts.iter().map(|part| delimited_if_needed(part)).collect();
        let names = vec![format!("IDENTITY_INSERT {}", parts.join("."))];
        let value = self.on_or_off()?;
        Ok(StatementKind::SetOption(SetOption { names, value }))
    }

    /// `TRANSACTION ISOLATION LEVEL …`
    fn set_isolation(&mut self) -> Parsed<StatementKind> {
        self.bump();
        self.expect_word("isolation")?;
        self.expect_word("level")?;
        let level = if self.eat_keyword(Keyword::Read) {
            if self.eat_word("uncommitted") {
                "READ UNCOMMITTED"
            } else {
                self.expect_word("committed")?;
                "READ COMMITTED"
            }
        } else if self.eat_word("repeatable") {
            self.expect_keyword(Keyword::Read)?;
            "REPEATABLE READ"
        } else if self.eat_word("snapshot") {
            "SNAPSHOT"
        } else {
            self.expect_word("serializable")?;
            "SERIALIZABLE"
        };
        let names = vec!["TRANSACTION ISOLATION LEVEL".to_owned()];
        Ok(StatementKind::SetOption(SetOption { names, value: SetValue::Words(level.to_owned()) }))
    }

    /// `NOCOUNT ON`, `ANSI_NULLS, ANSI_PADDING ON`, `LOCK_TIMEOUT 5`, `LANGUAGE us_english`
    fn set_option(&mut self) -> Parsed<StatementKind> {
        let line = self.line();
        let names = self.comma_separated(Self::option_name)?;
        if names.iter().any(|name| name.starts_with("SHOWPLAN_")) {
            self.showplan_line.get_or_insert(line);
        }
        let switch = matches!(self.kind(), TokenKind::Keyword(Keyword::On | Keyword::Off));
        // A number of rows has no sign.
        if names[0] == "ROWCOUNT" && self.kind() == TokenKind::Minus {
            return Err(self.unexpected());
        }
        let value = if switch || names.len() > 1 { self.on_or_off()? } else { self.option_value()? };
        Ok(StatementKind::SetOption(SetOption { names, value }))
    }

    /// Some options are reserved words.
    fn option_name(&mut self) -> Parsed<String> {
        let reserved =
            matches!(self.kind(), TokenKind::Keyword(Keyword::RowCount | Keyword::TextSize | Keyword::Offsets));
        if self.kind() != TokenKind::Word && !reserved {
            return Err(self.unexpected());
        }
        let name = self.upper();
        self.bump();
        Ok(name)
    }

    fn on_or_off(&mut self) -> Parsed<SetValue> {
        if self.eat_keyword(Keyword::On) {
            return Ok(SetValue::On);
        }
        self.expect_keyword(Keyword::Off)?;
        Ok(SetValue::Off)
    }

    fn option_value(&mut self) -> Parsed<SetValue> {
        if self.kind() == TokenKind::Word {
            self.word().map(SetValue::Words)
        } else {
            self.constant().map(SetValue::Expr)
        }
    }
}

/// A name as it may stand in T-SQL, so that a dot in it is not taken for one between names.
fn delimited_if_needed(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '#' | '@' | '$'));
    if plain { name.to_owned() } else { format!("[{}]", name.replace(']', "]]")) }
}
