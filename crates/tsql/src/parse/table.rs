//! CREATE TABLE and the definitions of tables and table variables.

use super::Parser;
use crate::ast::{
    ColumnDefinition, DataType, Expr, Ident, ObjectName, Span, StatementKind, TableConstraint, TableDefinition,
};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::token::TokenKind;

impl Parser<'_> {
    /// `CREATE TABLE name (…) [ON …] [TEXTIMAGE_ON …] [WITH (…)]`
    pub(super) fn create_table(&mut self) -> Parsed<StatementKind> {
        self.at += 2;
        let name = self.object_name()?;
        if self.eat_keyword(Keyword::As) {
            return self.skip_as("CREATE TABLE AS");
        }
        let definition = self.table_definition()?;
        self.table_storage()?;
        Ok(StatementKind::CreateTable { name, definition })
    }

    /// Where and how the table lies; not kept, but a table in memory is known not to be there.
    fn table_storage(&mut self) -> Parsed<()> {
        loop {
            if self.eat_keyword(Keyword::On) || self.eat_word("textimage_on") || self.eat_word("filestream_on") {
                self.filegroup()?;
            } else if self.is_keyword(Keyword::With) && self.kind_at(1) == TokenKind::LeftParen {
                if self.is_word_at(2, "memory_optimized") || self.is_word_at(2, "system_versioning") {
                    self.not_yet("CREATE TABLE … WITH (MEMORY_OPTIMIZED or SYSTEM_VERSIONING)");
                }
                self.bump();
                self.skip_parentheses()?;
            } else if self.is_keyword(Keyword::As) {
                self.bump();
                self.ident()?;
                self.not_yet("CREATE TABLE AS NODE, EDGE or FILETABLE");
            } else {
                return Ok(());
            }
        }
    }

    /// A filegroup, or a partition scheme with its column.
    fn filegroup(&mut self) -> Parsed<()> {
        if !self.eat_keyword(Keyword::Default) && !self.eat_keyword(Keyword::Primary) {
            self.ident_or_string()?;
        }
        if self.kind() == TokenKind::LeftParen { self.skip_parentheses() } else { Ok(()) }
    }

    /// `(column, …, constraint, …)`; a comma may stand before the closing parenthesis.
    pub(super) fn table_definition(&mut self) -> Parsed<TableDefinition> {
        self.expect(TokenKind::LeftParen)?;
        let mut definition = TableDefinition::default();
        loop {
            if self.is_table_constraint() {
                let constraint = self.constraint()?;
                definition.constraints.extend(constraint);
            } else {
                self.type_position = definition.columns.len() + 1;
                let column = self.column()?;
                self.type_position = 1;
                definition.columns.push(column);
            }
            if !self.eat(TokenKind::Comma) || self.kind() == TokenKind::RightParen {
                break;
            }
        }
        self.expect(TokenKind::RightParen)?;
        Ok(definition)
    }

    fn is_table_constraint(&self) -> bool {
        use Keyword::{Check, Constraint, Foreign, Index, Primary, Unique};
        let period = self.is_word("period") && self.is_keyword_at(1, Keyword::For);
        period || matches!(self.kind(), TokenKind::Keyword(Check | Constraint | Foreign | Index | Primary | Unique))
    }

    /// `name type option…`, `name AS value [PERSISTED] option…`
    fn column(&mut self) -> Parsed<ColumnDefinition> {
        let first = self.at;
        let mut column = ColumnDefinition {
            name: self.ident()?,
            data_type: None,
            nullable: None,
            default: None,
            identity: None,
            collation: None,
            computed: None,
            constraints: Vec::new(),
            span: Span::default(),
        };
        if self.eat_keyword(Keyword::As) {
            column.computed = Some(self.value()?);
            self.eat_word("persisted");
        } else if self.is_column_end() && column.name.eq_ignore_ascii_case("timestamp") {
            let parts = vec![column.name.clone()];
            column.data_type = Some(DataType::Named(ObjectName { parts }));
        } else {
            column.data_type = Some(self.data_type()?);
        }
        while !self.is_column_end() {
            self.column_option(&mut column)?;
        }
        column.span = self.span_from(first);
        Ok(column)
    }

    fn is_column_end(&self) -> bool {
        matches!(self.kind(), TokenKind::Comma | TokenKind::RightParen)
    }

    fn column_option(&mut self, column: &mut ColumnDefinition) -> Parsed<()> {
        match self.kind() {
            TokenKind::Keyword(Keyword::Null) => {
                self.bump();
                column.nullable = Some(true);
            }
            TokenKind::Keyword(Keyword::Not) => {
                self.bump();
                self.expect_keyword(Keyword::Null)?;
                column.nullable = Some(false);
            }
            TokenKind::Keyword(Keyword::Collate) => {
                self.bump();
                column.collation = Some(self.word()?);
            }
            TokenKind::Keyword(Keyword::Identity) => column.identity = Some(self.identity()?),
            TokenKind::Keyword(Keyword::RowGuidCol) => {
                self.bump();
            }
            TokenKind::Keyword(Keyword::Default) => column.default = Some(self.default_value()?),
            TokenKind::Keyword(Keyword::Constraint) if self.is_keyword_at(2, Keyword::Default) => {
                self.bump();
                self.ident()?;
                column.default = Some(self.default_value()?);
            }
            TokenKind::Word => self.rare_column_option()?,
            _ => {
                let constraint = self.constraint()?;
                column.constraints.extend(constraint);
            }
        }
        Ok(())
    }

    /// Options of columns that this version does not have.
    fn rare_column_option(&mut self) -> Parsed<()> {
        let known = ["sparse", "filestream", "hidden", "masked", "generated", "encrypted"];
        if !known.iter().any(|word| self.is_word(word)) {
            return Err(self.unexpected());
        }
        let words = format!("column option {}", self.upper());
        self.not_yet(&words);
        self.bump();
        if self.eat_keyword(Keyword::With) {
            return self.skip_parentheses();
        }
        if self.eat_word("always") {
            self.expect_keyword(Keyword::As)?;
            self.ident()?;
            if !self.eat_word("start") {
                self.expect_keyword(Keyword::End)?;
            }
        }
        Ok(())
    }

    /// `IDENTITY [(seed, increment)] [NOT FOR REPLICATION]`
    fn identity(&mut self) -> Parsed<(i64, i64)> {
        self.bump();
        let mut identity = (1, 1);
        if self.eat(TokenKind::LeftParen) {
            identity.0 = self.signed()?;
            self.expect(TokenKind::Comma)?;
            identity.1 = self.signed()?;
            self.expect(TokenKind::RightParen)?;
        }
        self.not_for_replication();
        Ok(identity)
    }

    fn not_for_replication(&mut self) {
        if self.is_keyword(Keyword::Not) && self.is_keyword_at(1, Keyword::For) {
            self.at += 2;
            self.eat_keyword(Keyword::Replication);
        }
    }

    /// `DEFAULT value [WITH VALUES]`
    fn default_value(&mut self) -> Parsed<Expr> {
        self.expect_keyword(Keyword::Default)?;
        let value = self.value()?;
        if self.is_keyword(Keyword::With) && self.is_keyword_at(1, Keyword::Values) {
            self.at += 2;
        }
        Ok(value)
    }
}

/// Constraints.
impl Parser<'_> {
    /// `[CONSTRAINT name] PRIMARY KEY|UNIQUE|CHECK|FOREIGN KEY|REFERENCES|INDEX …`
    fn constraint(&mut self) -> Parsed<Option<TableConstraint>> {
        if self.eat_keyword(Keyword::Constraint) {
            self.ident()?;
        }
        let constraint = match self.kind() {
            TokenKind::Keyword(Keyword::Primary) => {
                self.bump();
                self.expect_keyword(Keyword::Key)?;
                TableConstraint::PrimaryKey(self.key()?)
            }
            TokenKind::Keyword(Keyword::Unique) => {
                self.bump();
                TableConstraint::Unique(self.key()?)
            }
            TokenKind::Keyword(Keyword::Check) => {
                self.bump();
                self.not_for_replication();
                self.expect(TokenKind::LeftParen)?;
                let condition = self.nested(Self::condition)?;
                self.expect(TokenKind::RightParen)?;
                TableConstraint::Check(condition)
            }
            TokenKind::Keyword(Keyword::Foreign) => {
                self.bump();
                self.expect_keyword(Keyword::Key)?;
                self.column_list()?;
                self.references()?
            }
            TokenKind::Keyword(Keyword::References) => self.references()?,
            TokenKind::Keyword(Keyword::Index) => self.inline_index()?,
            _ if self.is_word("period") => return self.period(),
            _ => return Err(self.unexpected()),
        };
        Ok(Some(constraint))
    }

    /// `PERIOD FOR SYSTEM_TIME (a, b)`
    fn period(&mut self) -> Parsed<Option<TableConstraint>> {
        self.at += 2;
        self.expect_word("system_time")?;
        self.skip_parentheses()?;
        self.not_yet("PERIOD FOR SYSTEM_TIME");
        Ok(None)
    }

    /// `[CLUSTERED|NONCLUSTERED [HASH]] [(column [ASC|DESC], …)] [WITH …] [ON …]`
    fn key(&mut self) -> Parsed<Vec<Ident>> {
        let clustering = self.eat_keyword(Keyword::Clustered) || self.eat_keyword(Keyword::NonClustered);
        if clustering {
            self.eat_word("hash");
        }
        let columns = if self.kind() == TokenKind::LeftParen { self.key_columns()? } else { Vec::new() };
        self.index_options()?;
        Ok(columns)
    }

    fn key_columns(&mut self) -> Parsed<Vec<Ident>> {
        self.parenthesised(|parser| {
            let column = parser.ident()?;
            if !parser.eat_keyword(Keyword::Desc) {
                parser.eat_keyword(Keyword::Asc);
            }
            Ok(column)
        })
    }

    /// `WITH (…)`, `WITH FILLFACTOR = n`, `ON filegroup`; not kept.
    fn index_options(&mut self) -> Parsed<()> {
        if self.eat_keyword(Keyword::With) {
            if self.eat_keyword(Keyword::FillFactor) {
                self.expect(TokenKind::Equal)?;
                self.unsigned::<u32>()?;
            } else {
                self.skip_parentheses()?;
            }
        }
        if self.eat_keyword(Keyword::On) { self.filegroup() } else { Ok(()) }
    }

    /// `REFERENCES table [(columns)] [ON DELETE|UPDATE action]… [NOT FOR REPLICATION]`
    fn references(&mut self) -> Parsed<TableConstraint> {
        self.expect_keyword(Keyword::References)?;
        self.object_name()?;
        self.column_list()?;
        while self.eat_keyword(Keyword::On) {
            if !self.eat_keyword(Keyword::Delete) {
                self.expect_keyword(Keyword::Update)?;
            }
            self.referential_action()?;
        }
        self.not_for_replication();
        Ok(TableConstraint::ForeignKey)
    }

    fn referential_action(&mut self) -> Parsed<()> {
        if self.eat_keyword(Keyword::Cascade) {
            return Ok(());
        }
        if self.eat_keyword(Keyword::Set) {
            return if self.eat_keyword(Keyword::Null) {
                Ok(())
            } else {
                self.expect_keyword(Keyword::Default).map(|_| ())
            };
        }
        self.expect_word("no")?;
        self.expect_word("action")
    }

    /// `INDEX name [UNIQUE] [CLUSTERED|NONCLUSTERED [HASH|COLUMNSTORE]] [(columns)] [WHERE …] [WITH …] [ON …]`
    fn inline_index(&mut self) -> Parsed<TableConstraint> {
        self.bump();
        let name = self.ident()?;
        self.eat_keyword(Keyword::Unique);
        if self.eat_keyword(Keyword::Clustered) || self.eat_keyword(Keyword::NonClustered) {
            let _ = self.eat_word("hash") || self.eat_word("columnstore");
        }
        if self.kind() == TokenKind::LeftParen {
            self.key_columns()?;
        }
        if self.eat_word("include") {
            self.skip_parentheses()?;
        }
        self.where_clause()?;
        self.index_options()?;
        Ok(TableConstraint::Index(name))
    }
}
