//! CREATE TABLE and the definitions of tables and table variables.

use millpond_types::parse_type_name;

use crate::ast::{
    ColumnDefinition, ConstraintKind, DataSpace, DataType, Expr, ForeignKey, Ident, IndexDefinition, IndexStructure,
    KeyConstraint, ObjectName, ReferentialAction, Span, StatementKind, TableConstraint, TableDefinition, TableOptions,
};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::parse::Parser;
use crate::token::TokenKind;

impl Parser<'_> {
    /// `CREATE TABLE name (…) [ON …] [TEXTIMAGE_ON …] [WITH (…)]`
    pub(in crate::parse) fn create_table(&mut self) -> Parsed<StatementKind> {
        self.at += 2;
        let name = self.defined_name()?;
        if self.eat_keyword(Keyword::As) {
            return self.skip_as("CREATE TABLE AS");
        }
        let mut definition = self.table_definition()?;
        self.table_options(&mut definition.options)?;
        Ok(StatementKind::CreateTable { name, definition })
    }

    /// Where and how the table lies.
    fn table_options(&mut self, options: &mut TableOptions) -> Parsed<()> {
        loop {
            if self.eat_keyword(Keyword::On) {
                options.on = Some(self.data_space()?);
            } else if self.eat_word("textimage_on") {
                options.textimage_on = Some(self.data_space()?);
            } else if self.eat_word("filestream_on") {
                options.filestream_on = Some(self.data_space()?);
            } else if self.is_keyword(Keyword::With) && self.kind_at(1) == TokenKind::LeftParen {
                if self.is_word_at(2, "system_versioning") {
                    self.not_yet("CREATE TABLE … WITH (SYSTEM_VERSIONING)");
                }
                options.with.append(&mut self.with_options()?);
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
    pub(in crate::parse) fn data_space(&mut self) -> Parsed<DataSpace> {
        let reserved = matches!(self.kind(), TokenKind::Keyword(Keyword::Default | Keyword::Primary));
        let name = if reserved { self.upper() } else { self.ident_or_string()? };
        if reserved {
            self.bump();
        }
        let mut column = None;
        if self.eat(TokenKind::LeftParen) {
            column = Some(self.ident()?);
            self.expect(TokenKind::RightParen)?;
        }
        Ok(DataSpace { name, column })
    }

    /// `ON …`, if it stands here.
    pub(in crate::parse) fn on_data_space(&mut self) -> Parsed<Option<DataSpace>> {
        if self.eat_keyword(Keyword::On) { self.data_space().map(Some) } else { Ok(None) }
    }

    /// `(column, …, constraint, …)`; a comma may stand before the closing parenthesis.
    pub(in crate::parse) fn table_definition(&mut self) -> Parsed<TableDefinition> {
        self.expect(TokenKind::LeftParen)?;
        let mut definition = TableDefinition::default();
        loop {
            self.table_element(&mut definition)?;
            if !self.eat(TokenKind::Comma) || self.kind() == TokenKind::RightParen {
                break;
            }
        }
        self.expect(TokenKind::RightParen)?;
        Ok(definition)
    }

    /// A column or a constraint.
    pub(in crate::parse) fn table_element(&mut self, definition: &mut TableDefinition) -> Parsed<()> {
        if self.is_table_constraint() {
            let constraint = self.constraint()?;
            definition.constraints.extend(constraint);
        } else {
            self.type_position = definition.columns.len() + 1;
            let column = self.column()?;
            self.type_position = 1;
            definition.columns.push(column);
        }
        Ok(())
    }

    fn is_table_constraint(&self) -> bool {
        use Keyword::{Check, Constraint, Default, Foreign, Index, Primary, Unique};
        let period = self.is_word("period") && self.is_keyword_at(1, Keyword::For);
        let reserved = matches!(
            self.kind(),
            TokenKind::Keyword(Check | Constraint | Default | Foreign | Index | Primary | Unique)
        );
        period || reserved
    }

    /// `name type option…`, `name AS value [PERSISTED] option…`
    fn column(&mut self) -> Parsed<ColumnDefinition> {
        let first = self.at;
        let mut column = ColumnDefinition {
            name: self.ident()?,
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
            constraints: Vec::new(),
            span: Span::default(),
        };
        if self.eat_keyword(Keyword::As) {
            column.computed = Some(self.without_queries(Self::value)?);
            column.persisted = self.eat_word("persisted");
        } else if self.is_column_end() && column.name.eq_ignore_ascii_case("timestamp") {
            column.data_type = Some(self.timestamp_type());
        } else {
            column.data_type = Some(self.data_type()?);
        }
        while self.is_column_option() {
            self.column_option(&mut column)?;
        }
        column.span = self.span_from(first);
        Ok(column)
    }

    /// The type of a column that is called `timestamp` and has no type.
    fn timestamp_type(&self) -> DataType {
        match parse_type_name("timestamp", &[]) {
            Ok(sql_type) => DataType::Scalar { sql_type, explicit_length: false },
            Err(_) => DataType::Named(ObjectName { parts: vec!["timestamp".to_owned()] }),
        }
    }

    fn is_column_end(&self) -> bool {
        matches!(self.kind(), TokenKind::Comma | TokenKind::RightParen | TokenKind::Semicolon | TokenKind::End)
    }

    /// After the last column of ALTER TABLE … ADD the next statement may stand.
    fn is_column_option(&self) -> bool {
        use Keyword::*;
        match self.kind() {
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
            TokenKind::Word => RARE_COLUMN_OPTIONS.iter().any(|word| self.is_word(word)),
            _ => false,
        }
    }

    fn column_option(&mut self, column: &mut ColumnDefinition) -> Parsed<()> {
        match self.kind() {
            TokenKind::Keyword(Keyword::Not) if self.is_keyword_at(1, Keyword::For) => {
                // Of the identity only, after which other options may stand.
                if column.identity.is_none() {
                    self.bump();
                    return Err(self.unexpected());
                }
                column.not_for_replication = self.not_for_replication();
            }
            TokenKind::Keyword(Keyword::Null | Keyword::Not) => self.column_nullability(column)?,
            // The name means nothing.
            TokenKind::Keyword(Keyword::Constraint)
                if self.is_keyword_at(2, Keyword::Null) || self.is_keyword_at(2, Keyword::Not) =>
            {
                self.bump();
                self.ident()?;
                self.column_nullability(column)?;
            }
            TokenKind::Keyword(Keyword::Collate) => {
                self.bump();
                column.collation = Some(self.word()?);
            }
            TokenKind::Keyword(Keyword::Identity) => {
                column.identity = Some(self.identity()?);
                column.not_for_replication = self.not_for_replication();
            }
            TokenKind::Keyword(Keyword::RowGuidCol) => {
                self.bump();
                column.rowguidcol = true;
            }
            TokenKind::Keyword(Keyword::Default) => self.column_default(column)?,
            TokenKind::Keyword(Keyword::Constraint) if self.is_keyword_at(2, Keyword::Default) => {
                self.bump();
                column.default_name = Some(self.ident()?);
                self.column_default(column)?;
            }
            TokenKind::Word if self.eat_word("sparse") => column.sparse = true,
            TokenKind::Word => self.rare_column_option()?,
            _ => {
                let constraint = self.constraint()?;
                column.constraints.extend(constraint);
            }
        }
        Ok(())
    }

    fn column_nullability(&mut self, column: &mut ColumnDefinition) -> Parsed<()> {
        column.second_nullability |= column.nullable.is_some();
        column.nullable = self.nullability()?;
        Ok(())
    }

    /// `NULL` or `NOT NULL`, if one stands here.
    pub(in crate::parse) fn nullability(&mut self) -> Parsed<Option<bool>> {
        if self.eat_keyword(Keyword::Null) {
            return Ok(Some(true));
        }
        if !self.is_keyword(Keyword::Not) || self.is_keyword_at(1, Keyword::For) {
            return Ok(None);
        }
        self.bump();
        self.expect_keyword(Keyword::Null)?;
        Ok(Some(false))
    }

    /// Options of columns that this version does not have.
    fn rare_column_option(&mut self) -> Parsed<()> {
        let words = format!("column option {}", self.upper());
        self.not_yet(&words);
        self.bump();
        if self.eat_keyword(Keyword::With) {
            return self.skip_parentheses();
        }
        if self.eat_keyword(Keyword::For) {
            self.ident()?;
            return Ok(());
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

    /// `IDENTITY [(seed, increment)]`
    fn identity(&mut self) -> Parsed<(i64, i64)> {
        self.bump();
        let mut identity = (1, 1);
        if self.eat(TokenKind::LeftParen) {
            identity.0 = self.signed()?;
            self.expect(TokenKind::Comma)?;
            identity.1 = self.signed()?;
            self.expect(TokenKind::RightParen)?;
        }
        Ok(identity)
    }

    /// `NOT FOR REPLICATION`, if it stands here.
    pub(in crate::parse) fn not_for_replication(&mut self) -> bool {
        let found = self.is_keyword(Keyword::Not) && self.is_keyword_at(1, Keyword::For);
        if found {
            self.at += 2;
            self.eat_keyword(Keyword::Replication);
        }
        found
    }

    fn column_default(&mut self, column: &mut ColumnDefinition) -> Parsed<()> {
        column.second_default |= column.default.is_some();
        column.default = Some(self.default_value()?);
        column.with_values = self.with_values();
        Ok(())
    }

    /// `DEFAULT value`
    fn default_value(&mut self) -> Parsed<Expr> {
        self.expect_keyword(Keyword::Default)?;
        self.without_queries(Self::value)
    }

    fn with_values(&mut self) -> bool {
        let found = self.is_keyword(Keyword::With) && self.is_keyword_at(1, Keyword::Values);
        if found {
            self.at += 2;
        }
        found
    }
}

/// Words that begin an option of a column and are not reserved.
const RARE_COLUMN_OPTIONS: [&str; 7] =
    ["sparse", "filestream", "hidden", "masked", "generated", "encrypted", "column_set"];

/// Constraints.
impl Parser<'_> {
    /// `[CONSTRAINT name] PRIMARY KEY|UNIQUE|CHECK|FOREIGN KEY|REFERENCES|DEFAULT|INDEX …`
    fn constraint(&mut self) -> Parsed<Option<TableConstraint>> {
        let first = self.at;
        let name = if self.eat_keyword(Keyword::Constraint) { Some(self.ident()?) } else { None };
        let kind = match self.kind() {
            TokenKind::Keyword(Keyword::Primary) => {
                self.bump();
                self.expect_keyword(Keyword::Key)?;
                ConstraintKind::PrimaryKey(self.key()?)
            }
            TokenKind::Keyword(Keyword::Unique) => {
                self.bump();
                ConstraintKind::Unique(self.key()?)
            }
            TokenKind::Keyword(Keyword::Check) => self.check()?,
            TokenKind::Keyword(Keyword::Foreign) => {
                self.bump();
                self.expect_keyword(Keyword::Key)?;
                let columns = self.column_list()?;
                ConstraintKind::ForeignKey(self.references(columns)?)
            }
            TokenKind::Keyword(Keyword::References) => ConstraintKind::ForeignKey(self.references(Vec::new())?),
            TokenKind::Keyword(Keyword::Default) => self.default_for()?,
            TokenKind::Keyword(Keyword::Index) if name.is_none() => ConstraintKind::Index(self.inline_index()?),
            _ if self.is_word("period") => return self.period(),
            _ if name.is_some() && self.eat_word("connection") => {
                self.not_yet("A CONNECTION constraint of a graph");
                self.skip_parentheses()?;
                return Ok(None);
            }
            _ => return Err(self.unexpected()),
        };
        Ok(Some(TableConstraint { name, kind, span: self.span_from(first) }))
    }

    /// `CHECK [NOT FOR REPLICATION] (condition)`
    fn check(&mut self) -> Parsed<ConstraintKind> {
        self.bump();
        let not_for_replication = self.not_for_replication();
        self.expect(TokenKind::LeftParen)?;
        let condition = self.without_queries(|parser| parser.nested(Self::condition))?;
        self.expect(TokenKind::RightParen)?;
        Ok(ConstraintKind::Check { condition, not_for_replication })
    }

    /// `DEFAULT value FOR column [WITH VALUES]`
    fn default_for(&mut self) -> Parsed<ConstraintKind> {
        let value = self.default_value()?;
        self.expect_keyword(Keyword::For)?;
        let column = self.ident()?;
        let with_values = self.with_values();
        Ok(ConstraintKind::Default { value, column, with_values })
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
    fn key(&mut self) -> Parsed<KeyConstraint> {
        let clustering = self.clustering();
        let hash = self.eat_word("hash");
        let columns = self.index_columns()?;
        let options = self.index_options()?;
        let on = self.on_data_space()?;
        Ok(KeyConstraint { clustering, hash, columns, options, on })
    }

    /// `REFERENCES table [(columns)] [ON DELETE|UPDATE action]… [NOT FOR REPLICATION]`
    fn references(&mut self, columns: Vec<Ident>) -> Parsed<ForeignKey> {
        self.expect_keyword(Keyword::References)?;
        let table = self.defined_name()?;
        let referenced = self.column_list()?;
        let (mut on_delete, mut on_update) = (ReferentialAction::NoAction, ReferentialAction::NoAction);
        while self.eat_keyword(Keyword::On) {
            if self.eat_keyword(Keyword::Delete) {
                on_delete = self.referential_action()?;
            } else {
                self.expect_keyword(Keyword::Update)?;
                on_update = self.referential_action()?;
            }
        }
        let not_for_replication = self.not_for_replication();
        Ok(ForeignKey { columns, table, referenced, on_delete, on_update, not_for_replication })
    }

    fn referential_action(&mut self) -> Parsed<ReferentialAction> {
        if self.eat_keyword(Keyword::Cascade) {
            return Ok(ReferentialAction::Cascade);
        }
        if self.eat_keyword(Keyword::Set) {
            if self.eat_keyword(Keyword::Null) {
                return Ok(ReferentialAction::SetNull);
            }
            self.expect_keyword(Keyword::Default)?;
            return Ok(ReferentialAction::SetDefault);
        }
        self.expect_word("no")?;
        self.expect_word("action")?;
        Ok(ReferentialAction::NoAction)
    }

    /// `INDEX name [UNIQUE] [CLUSTERED|NONCLUSTERED] [HASH|COLUMNSTORE] [(columns)] [INCLUDE …] [WHERE …] [WITH …] [ON …]`
    fn inline_index(&mut self) -> Parsed<IndexDefinition> {
        self.bump();
        let name = self.ident()?;
        let unique = self.eat_keyword(Keyword::Unique);
        let clustering = self.clustering();
        let structure = if self.eat_word("hash") {
            IndexStructure::Hash
        } else if self.eat_word("columnstore") {
            IndexStructure::ColumnStore
        } else {
            IndexStructure::Tree
        };
        self.index_tail(IndexDefinition {
            name,
            unique,
            clustering,
            structure,
            columns: Vec::new(),
            include: Vec::new(),
            filter: None,
            options: Vec::new(),
            on: None,
        })
    }
}
