//! ALTER TABLE.

use crate::ast::{
    AlterColumn, AlterTable, AlterTableAction, ColumnProperty, Ident, StatementKind, TableDefinition, TableDrop,
    TableDropKind,
};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::parse::Parser;
use crate::token::TokenKind;

impl Parser<'_> {
    /// `TABLE name action`; ALTER is read.
    pub(in crate::parse) fn alter_table(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let table = self.defined_name()?;
        let action = self.alter_table_action()?;
        Ok(StatementKind::AlterTable(Box::new(AlterTable { table, action })))
    }

    fn alter_table_action(&mut self) -> Parsed<AlterTableAction> {
        match self.kind() {
            TokenKind::Keyword(Keyword::With) => self.checked_action(),
            TokenKind::Keyword(Keyword::Add) => self.add_to_table(None),
            TokenKind::Keyword(Keyword::Check | Keyword::NoCheck) => self.check_constraints(None),
            TokenKind::Keyword(Keyword::Drop) => self.drop_from_table(),
            TokenKind::Keyword(Keyword::Alter) => self.alter_part(),
            TokenKind::Keyword(Keyword::Set) => {
                self.bump();
                if self.kind() == TokenKind::LeftParen && self.is_word_at(1, "system_versioning") {
                    self.not_yet("ALTER TABLE … SET (SYSTEM_VERSIONING)");
                }
                Ok(AlterTableAction::Set(self.option_list()?))
            }
            TokenKind::Word if self.is_word("enable") || self.is_word("disable") => self.switch_part(),
            TokenKind::Word if self.eat_word("rebuild") => {
                let partition = self.partition()?;
                let options = self.with_options()?;
                Ok(AlterTableAction::Rebuild { partition, options })
            }
            _ if self.is_word("switch") || self.is_word("split") || self.is_keyword(Keyword::Merge) => {
                let words = format!("ALTER TABLE … {}", self.upper());
                self.bump();
                self.skip(|_, _| false)?;
                self.not_yet(&words);
                Ok(AlterTableAction::Set(Vec::new()))
            }
            _ => Err(self.unexpected()),
        }
    }

    /// `WITH CHECK|NOCHECK ADD|CHECK|NOCHECK …`
    fn checked_action(&mut self) -> Parsed<AlterTableAction> {
        self.bump();
        let check = self.check_or_nocheck()?;
        if self.is_keyword(Keyword::Add) {
            return self.add_to_table(Some(check));
        }
        self.check_constraints(Some(check))
    }

    fn check_or_nocheck(&mut self) -> Parsed<bool> {
        if self.eat_keyword(Keyword::Check) {
            return Ok(true);
        }
        self.expect_keyword(Keyword::NoCheck)?;
        Ok(false)
    }

    /// `ADD column|constraint, …`
    fn add_to_table(&mut self, with_check: Option<bool>) -> Parsed<AlterTableAction> {
        self.bump();
        let mut definition = TableDefinition::default();
        self.table_element(&mut definition)?;
        while self.eat(TokenKind::Comma) {
            self.table_element(&mut definition)?;
        }
        Ok(AlterTableAction::Add { definition, with_check })
    }

    /// `CHECK|NOCHECK CONSTRAINT ALL|name, …`
    fn check_constraints(&mut self, with_check: Option<bool>) -> Parsed<AlterTableAction> {
        let enable = self.check_or_nocheck()?;
        self.expect_keyword(Keyword::Constraint)?;
        let constraints = self.all_or_names()?;
        Ok(AlterTableAction::Check { enable, with_check, constraints })
    }

    /// `None` for ALL.
    fn all_or_names(&mut self) -> Parsed<Option<Vec<Ident>>> {
        if self.eat_keyword(Keyword::All) {
            return Ok(None);
        }
        self.comma_separated(Self::ident).map(Some)
    }

    /// `DROP [COLUMN|CONSTRAINT|INDEX] [IF EXISTS] name, …`; the kind holds for the names after it.
    fn drop_from_table(&mut self) -> Parsed<AlterTableAction> {
        self.bump();
        if self.is_word("period") {
            self.skip(|_, _| false)?;
            self.not_yet("ALTER TABLE … DROP PERIOD");
            return Ok(AlterTableAction::Drop(Vec::new()));
        }
        let (mut kind, mut if_exists) = (TableDropKind::Constraint, false);
        let drops = self.comma_separated(|parser| {
            if let Some(written) = parser.table_drop_kind() {
                kind = written;
                if_exists = parser.if_exists()?;
            } else if parser.is_keyword(Keyword::If) {
                if_exists = parser.if_exists()?;
            }
            let name = parser.ident()?;
            let options = parser.with_options()?;
            Ok(TableDrop { kind, name, if_exists, options })
        })?;
        Ok(AlterTableAction::Drop(drops))
    }

    fn table_drop_kind(&mut self) -> Option<TableDropKind> {
        let kind = match self.kind() {
            TokenKind::Keyword(Keyword::Column) => TableDropKind::Column,
            TokenKind::Keyword(Keyword::Constraint) => TableDropKind::Constraint,
            TokenKind::Keyword(Keyword::Index) => TableDropKind::Index,
            _ => return None,
        };
        self.bump();
        Some(kind)
    }

    /// `ALTER COLUMN …`, `ALTER INDEX …`
    fn alter_part(&mut self) -> Parsed<AlterTableAction> {
        self.bump();
        if self.eat_keyword(Keyword::Index) {
            let index = self.ident()?;
            self.expect_word("rebuild")?;
            let options = self.with_options()?;
            return Ok(AlterTableAction::AlterIndex { index, options });
        }
        self.expect_keyword(Keyword::Column)?;
        let column = self.ident()?;
        if matches!(self.kind(), TokenKind::Keyword(Keyword::Add | Keyword::Drop)) {
            return self.column_property(column);
        }
        self.alter_column(column)
    }

    fn column_property(&mut self, column: Ident) -> Parsed<AlterTableAction> {
        let add = self.is_keyword(Keyword::Add);
        self.bump();
        let property = if self.eat_keyword(Keyword::RowGuidCol) {
            ColumnProperty::RowGuidCol
        } else if self.eat_word("persisted") {
            ColumnProperty::Persisted
        } else if self.eat_word("sparse") {
            ColumnProperty::Sparse
        } else if self.not_for_replication() {
            ColumnProperty::NotForReplication
        } else if self.eat_word("hidden") || self.eat_word("masked") {
            self.not_yet("ALTER COLUMN … ADD or DROP of HIDDEN or MASKED");
            if self.eat_keyword(Keyword::With) {
                self.skip_parentheses()?;
            }
            ColumnProperty::Sparse
        } else {
            return Err(self.unexpected());
        };
        Ok(AlterTableAction::ColumnProperty { column, add, property })
    }

    /// `name type [COLLATE c] [NULL|NOT NULL] [SPARSE] [WITH (…)]`; the name is read.
    fn alter_column(&mut self, name: Ident) -> Parsed<AlterTableAction> {
        let data_type = self.data_type()?;
        let collation = if self.eat_keyword(Keyword::Collate) { Some(self.word()?) } else { None };
        let nullable = self.nullability()?;
        if self.eat_word("encrypted") {
            self.not_yet("column option ENCRYPTED");
            self.skip(|_, _| false)?;
        }
        let sparse = self.eat_word("sparse");
        let options = self.with_options()?;
        Ok(AlterTableAction::AlterColumn(AlterColumn { name, data_type, collation, nullable, sparse, options }))
    }

    /// `ENABLE|DISABLE TRIGGER ALL|name, …`, `ENABLE|DISABLE CHANGE_TRACKING [WITH (…)]`
    fn switch_part(&mut self) -> Parsed<AlterTableAction> {
        let enable = self.is_word("enable");
        self.bump();
        if self.eat_word("change_tracking") {
            let options = self.with_options()?;
            return Ok(AlterTableAction::ChangeTracking { enable, options });
        }
        self.expect_keyword(Keyword::Trigger)?;
        let triggers = self.all_or_names()?;
        Ok(AlterTableAction::Trigger { enable, triggers })
    }
}
