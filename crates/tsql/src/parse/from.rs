//! FROM: tables, functions, derived tables, joins, hints.

use super::Parser;
use super::query::plain_query;
use crate::ast::{Expr, ExprKind, Ident, JoinKind, ObjectName, QueryBody, TableRef};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::token::TokenKind;

/// Table hints, in order. INDEX, FORCESEEK and SPATIAL_WINDOW_MAX_CELLS may have arguments.
const HINTS: [&str; 26] = [
    "FASTFIRSTROW",
    "FORCESCAN",
    "FORCESEEK",
    "HOLDLOCK",
    "IGNORE_CONSTRAINTS",
    "IGNORE_TRIGGERS",
    "INDEX",
    "KEEPDEFAULTS",
    "KEEPIDENTITY",
    "NOEXPAND",
    "NOLOCK",
    "NOWAIT",
    "PAGLOCK",
    "READCOMMITTED",
    "READCOMMITTEDLOCK",
    "READPAST",
    "READUNCOMMITTED",
    "REPEATABLEREAD",
    "ROWLOCK",
    "SERIALIZABLE",
    "SNAPSHOT",
    "SPATIAL_WINDOW_MAX_CELLS",
    "TABLOCK",
    "TABLOCKX",
    "UPDLOCK",
    "XLOCK",
];

impl Parser<'_> {
    /// `FROM table, …`, if there is one.
    pub(super) fn tables_of_from(&mut self) -> Parsed<Vec<TableRef>> {
        if self.eat_keyword(Keyword::From) { self.comma_separated(Self::table_with_joins) } else { Ok(Vec::new()) }
    }

    pub(super) fn table_with_joins(&mut self) -> Parsed<TableRef> {
        self.framed(|parser| {
            let mut left = parser.table()?;
            while let Some(kind) = parser.join_kind()? {
                let joined = parser.join(kind, left)?;
                left = parser.turned(joined)?;
                parser.grow(1)?;
            }
            Ok(left)
        })
    }

    /// The join whose kind and left side are read. `a JOIN b JOIN c ON … ON …` joins `b` and `c` first.
    fn join(&mut self, kind: JoinKind, left: TableRef) -> Parsed<TableRef> {
        let has_condition = !matches!(kind, JoinKind::Cross | JoinKind::CrossApply | JoinKind::OuterApply);
        let mut right = self.table()?;
        let mut on = None;
        if has_condition {
            while let Some(inner) = self.join_kind()? {
                right = self.nested(|parser| parser.join(inner, right))?;
                self.grow(1)?;
            }
            self.expect_keyword(Keyword::On)?;
            on = Some(self.condition()?);
        }
        Ok(TableRef::Join { kind, left: Box::new(left), right: Box::new(right), on })
    }

    /// Takes the words of a join, if they stand here.
    fn join_kind(&mut self) -> Parsed<Option<JoinKind>> {
        let kind = match self.kind() {
            TokenKind::Keyword(Keyword::Join) => JoinKind::Inner,
            TokenKind::Keyword(Keyword::Inner) => JoinKind::Inner,
            TokenKind::Keyword(Keyword::Left) => JoinKind::Left,
            TokenKind::Keyword(Keyword::Right) => JoinKind::Right,
            TokenKind::Keyword(Keyword::Full) => JoinKind::Full,
            TokenKind::Keyword(Keyword::Cross) => return self.cross().map(Some),
            TokenKind::Keyword(Keyword::Outer) => {
                self.bump();
                self.expect_word("apply")?;
                return Ok(Some(JoinKind::OuterApply));
            }
            _ => return Ok(None),
        };
        if self.eat_keyword(Keyword::Join) {
            return Ok(Some(kind));
        }
        self.bump();
        if kind != JoinKind::Inner {
            self.eat_keyword(Keyword::Outer);
        }
        let hint = self.is_keyword(Keyword::Merge) || ["loop", "hash", "remote"].iter().any(|word| self.is_word(word));
        if hint {
            self.bump();
        }
        self.expect_keyword(Keyword::Join)?;
        Ok(Some(kind))
    }

    fn cross(&mut self) -> Parsed<JoinKind> {
        self.bump();
        if self.eat_word("apply") {
            return Ok(JoinKind::CrossApply);
        }
        self.expect_keyword(Keyword::Join)?;
        Ok(JoinKind::Cross)
    }

    /// One table with what may stand after it.
    fn table(&mut self) -> Parsed<TableRef> {
        if self.is_nested_change() {
            return Err(error::nested_change_elsewhere(self.in_changes, self.line()));
        }
        let table = match self.kind() {
            TokenKind::LeftParen if self.is_values_parenthesis() || self.is_query_parenthesis() => self.derived()?,
            TokenKind::LeftParen => {
                self.bump();
                let joined = self.nested(Self::table_with_joins)?;
                self.expect(TokenKind::RightParen)?;
                joined
            }
            TokenKind::LeftBrace if self.is_word_at(1, "oj") => {
                self.at += 2;
                let joined = self.nested(Self::table_with_joins)?;
                self.expect(TokenKind::RightBrace)?;
                joined
            }
            TokenKind::DoubleColon => {
                self.bump();
                let first = self.at;
                let name = self.object_name()?;
                self.table_function(name, first)?
            }
            TokenKind::Keyword(
                Keyword::OpenRowSet
                | Keyword::OpenQuery
                | Keyword::OpenXml
                | Keyword::OpenDataSource
                | Keyword::ContainsTable
                | Keyword::FreeTextTable
                | Keyword::SemanticKeyPhraseTable
                | Keyword::SemanticSimilarityTable
                | Keyword::SemanticSimilarityDetailsTable,
            ) => self.rowset_function()?,
            _ => self.named_table()?,
        };
        self.turned(table)
    }

    /// A table or join with the PIVOTs and UNPIVOTs after it.
    fn turned(&mut self, mut table: TableRef) -> Parsed<TableRef> {
        while matches!(self.kind(), TokenKind::Keyword(Keyword::Pivot | Keyword::Unpivot)) {
            table = self.pivot(table)?;
        }
        Ok(table)
    }

    fn is_values_parenthesis(&self) -> bool {
        self.kind() == TokenKind::LeftParen && self.is_keyword_at(1, Keyword::Values)
    }

    /// `(query) [AS] alias [(columns)]`, `(VALUES …) [AS] alias (columns)`
    fn derived(&mut self) -> Parsed<TableRef> {
        let query = if self.is_values_parenthesis() {
            self.bump();
            let rows = self.nested(Self::values_rows)?;
            self.expect(TokenKind::RightParen)?;
            plain_query(QueryBody::Values(rows))
        } else {
            self.parenthesised_query()?
        };
        let Some(alias) = self.table_alias()? else {
            return Err(self.unexpected());
        };
        let columns = self.column_list()?;
        Ok(TableRef::Derived { query: Box::new(query), alias: Some(alias), columns })
    }

    /// A table, a table variable, or a function.
    fn named_table(&mut self) -> Parsed<TableRef> {
        let first = self.at;
        let mut name = ObjectName { parts: Vec::new() };
        if self.kind() == TokenKind::Variable {
            let has_method = self.kind_at(1) == TokenKind::Period;
            name.parts.push(if has_method { self.variable()? } else { self.table_variable()? });
            if self.eat(TokenKind::Period) {
                name.parts.append(&mut self.object_name()?.parts);
                return self.table_function(name, first);
            }
        } else {
            name = self.object_name()?;
        }
        if self.kind() == TokenKind::LeftParen && !self.is_old_hints() {
            return self.table_function(name, first);
        }
        let span = self.span_from(first);
        self.relations.push(span);
        self.system_time()?;
        let mut hints = self.old_hints()?;
        let alias = self.table_alias()?;
        let sample = if self.is_keyword(Keyword::TableSample) { Some(self.table_sample()?) } else { None };
        hints.append(&mut self.old_hints()?);
        hints.append(&mut self.hints()?);
        if matches!(self.kind(), TokenKind::Keyword(Keyword::Index | Keyword::HoldLock)) {
            return Err(error::hint_needs_with(self.source(self.token()), self.line()));
        }
        let table = TableRef::Named { name, alias, hints, span };
        Ok(match sample {
            Some((size, rows, repeatable)) => TableRef::Sample { table: Box::new(table), size, rows, repeatable },
            None => table,
        })
    }

    fn table_function(&mut self, name: ObjectName, first: usize) -> Parsed<TableRef> {
        let args = self.nested(Self::function_arguments)?;
        let span = self.span_from(first);
        if self.is_keyword(Keyword::With) && self.kind_at(1) == TokenKind::LeftParen && !self.is_hint_at(2) {
            self.bump();
            self.not_yet("WITH after a table-valued function");
            self.skip_parentheses()?;
        }
        let alias = self.table_alias()?;
        let columns = if alias.is_some() && !self.is_old_hints() { self.column_list()? } else { Vec::new() };
        self.old_hints()?;
        self.hints()?;
        Ok(TableRef::Function { name, args, alias, columns, span })
    }

    fn function_arguments(&mut self) -> Parsed<Vec<Expr>> {
        if self.kind_at(1) == TokenKind::RightParen {
            self.at += 2;
            return Ok(Vec::new());
        }
        self.parenthesised(Self::argument)
    }

    /// `OPENROWSET (…) [WITH (…)] [AS] alias [(columns)]` and its kind: known, but not run.
    fn rowset_function(&mut self) -> Parsed<TableRef> {
        let first = self.at;
        let word = self.upper();
        self.not_yet(&word);
        self.bump();
        self.skip_parentheses()?;
        while self.eat(TokenKind::Period) {
            self.ident()?;
        }
        if self.is_keyword(Keyword::With) && self.kind_at(1) == TokenKind::LeftParen {
            self.bump();
            self.skip_parentheses()?;
        }
        let span = self.span_from(first);
        let alias = self.table_alias()?;
        let columns = self.column_list()?;
        Ok(TableRef::Function { name: ObjectName { parts: vec![word] }, args: Vec::new(), alias, columns, span })
    }

    /// `PIVOT (aggregate FOR column IN (a, b)) [AS] alias`, `UNPIVOT (value FOR name IN (a, b)) [AS] alias`
    fn pivot(&mut self, table: TableRef) -> Parsed<TableRef> {
        let table = Box::new(table);
        let unpivot = self.is_keyword(Keyword::Unpivot);
        self.bump();
        self.grow(1)?;
        self.expect(TokenKind::LeftParen)?;
        if unpivot {
            let value = self.ident()?;
            self.expect_keyword(Keyword::For)?;
            let name = self.ident()?;
            self.expect_keyword(Keyword::In)?;
            let columns = self.parenthesised(Self::object_name)?;
            let alias = self.pivot_alias()?;
            return Ok(TableRef::Unpivot { table, value, name, columns, alias });
        }
        let line = self.line();
        let function = self.object_name()?;
        let call = self.nested(|parser| parser.function_call(function, line))?;
        let ExprKind::Function(aggregate) = call.kind else {
            return Err(self.unexpected());
        };
        self.expect_keyword(Keyword::For)?;
        let column = self.object_name()?;
        self.expect_keyword(Keyword::In)?;
        let values = self.parenthesised(Self::ident)?;
        let alias = self.pivot_alias()?;
        Ok(TableRef::Pivot { table, aggregate, column, values, alias })
    }

    /// `) [AS] alias`
    fn pivot_alias(&mut self) -> Parsed<Ident> {
        self.expect(TokenKind::RightParen)?;
        match self.table_alias()? {
            Some(alias) => Ok(alias),
            None => Err(self.unexpected()),
        }
    }

    /// `FOR SYSTEM_TIME AS OF …|ALL|…`
    fn system_time(&mut self) -> Parsed<()> {
        if !self.is_keyword(Keyword::For) || !self.is_word_at(1, "system_time") {
            return Ok(());
        }
        self.at += 2;
        self.not_yet("FOR SYSTEM_TIME");
        if self.eat_keyword(Keyword::All) {
            return Ok(());
        }
        if self.eat_word("contained") {
            self.expect_keyword(Keyword::In)?;
            return self.skip_parentheses();
        }
        if self.eat_keyword(Keyword::As) {
            self.expect_keyword(Keyword::Of)?;
            return self.constant().map(|_| ());
        }
        let between = self.eat_keyword(Keyword::Between);
        if !between {
            self.expect_keyword(Keyword::From)?;
        }
        self.constant()?;
        self.expect_keyword(if between { Keyword::And } else { Keyword::To })?;
        self.constant().map(|_| ())
    }

    /// `TABLESAMPLE [SYSTEM] (n [PERCENT|ROWS]) [REPEATABLE (n)]`
    fn table_sample(&mut self) -> Parsed<(Expr, bool, Option<Expr>)> {
        self.bump();
        self.eat_word("system");
        self.expect(TokenKind::LeftParen)?;
        let size = self.nested(Self::value)?;
        let rows = self.eat_word("rows");
        if !rows {
            self.eat_keyword(Keyword::Percent);
        }
        self.expect(TokenKind::RightParen)?;
        let mut repeatable = None;
        if self.eat_word("repeatable") {
            self.expect(TokenKind::LeftParen)?;
            repeatable = Some(self.nested(Self::value)?);
            self.expect(TokenKind::RightParen)?;
        }
        Ok((size, rows, repeatable))
    }

    /// `[AS] name`, if there is one.
    pub(super) fn table_alias(&mut self) -> Parsed<Option<Ident>> {
        let named = self.is_name() && !self.is_window_clause();
        if self.eat_keyword(Keyword::As) || named { self.ident().map(Some) } else { Ok(None) }
    }
}

/// Hints.
impl Parser<'_> {
    fn is_hint_at(&self, ahead: usize) -> bool {
        let Some(token) = self.tokens.get(self.at + ahead) else {
            return false;
        };
        is_hint(&self.source(*token).to_uppercase())
    }

    /// `(NOLOCK)` without WITH, which looks like a function's arguments.
    fn is_old_hints(&self) -> bool {
        let behind = matches!(
            self.kind_at(2),
            TokenKind::RightParen | TokenKind::Comma | TokenKind::Equal | TokenKind::LeftParen
        );
        self.kind() == TokenKind::LeftParen && behind && self.is_hint_at(1)
    }

    fn old_hints(&mut self) -> Parsed<Vec<Ident>> {
        if self.is_old_hints() { self.hint_list() } else { Ok(Vec::new()) }
    }

    /// `WITH (hint, …)`, if there is one. A WITH of another kind needs a semicolon before it.
    pub(super) fn hints(&mut self) -> Parsed<Vec<Ident>> {
        if !self.is_keyword(Keyword::With) || self.kind_at(1) != TokenKind::LeftParen {
            return Ok(Vec::new());
        }
        self.bump();
        self.hint_list()
    }

    /// `(hint [,] hint …)`
    fn hint_list(&mut self) -> Parsed<Vec<Ident>> {
        self.expect(TokenKind::LeftParen)?;
        let mut hints = vec![self.hint()?];
        while self.kind() != TokenKind::RightParen {
            self.eat(TokenKind::Comma);
            hints.push(self.hint()?);
        }
        self.bump();
        Ok(hints)
    }

    /// `NOLOCK`, `INDEX(ix)`, `INDEX = ix`, `FORCESEEK(ix(a, b))`
    fn hint(&mut self) -> Parsed<Ident> {
        if !matches!(self.kind(), TokenKind::Word | TokenKind::Keyword(Keyword::HoldLock | Keyword::Index)) {
            return Err(self.unexpected());
        }
        let word = self.upper();
        if !is_hint(&word) {
            return Err(error::unknown_hint(self.source(self.token()), self.line()));
        }
        let first = self.at;
        self.bump();
        if self.eat(TokenKind::Equal) && self.kind() != TokenKind::LeftParen {
            if !matches!(self.kind(), TokenKind::Word | TokenKind::Quoted | TokenKind::Integer) {
                return Err(self.unexpected());
            }
            self.bump();
        } else if self.kind() == TokenKind::LeftParen {
            self.skip_parentheses()?;
        }
        let written = self.tokens[first + 1..self.at].iter().map(|token| self.source(*token));
        Ok(std::iter::once(word.as_str()).chain(written).collect::<Vec<_>>().join(" "))
    }
}

fn is_hint(upper: &str) -> bool {
    HINTS.binary_search(&upper).is_ok()
}
