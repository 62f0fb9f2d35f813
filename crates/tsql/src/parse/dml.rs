//! INSERT, UPDATE, DELETE, MERGE, TRUNCATE, and the statements that begin with WITH.

use super::Parser;
use crate::ast::{
    AssignOp, Cte, Delete, Expr, ExprKind, Ident, Insert, InsertSource, ObjectName, Output, Query, SelectStatement,
    StatementKind, TableRef, Update, UpdateSet,
};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::parse::query::assign_operator;
use crate::token::TokenKind;

/// Rows that one INSERT … VALUES may have.
const INSERT_ROWS_MAX: usize = 1000;

impl Parser<'_> {
    /// `[WITH …] SELECT|INSERT|UPDATE|DELETE|MERGE …`
    pub(super) fn data_statement(&mut self) -> Parsed<StatementKind> {
        let ctes = if self.is_keyword(Keyword::With) { self.ctes()? } else { Vec::new() };
        match self.kind() {
            TokenKind::Keyword(Keyword::Select) | TokenKind::LeftParen => {
                let query = self.full_query(ctes)?;
                Ok(StatementKind::Select(Box::new(SelectStatement { query })))
            }
            TokenKind::Keyword(Keyword::Insert) => self.insert(ctes),
            TokenKind::Keyword(Keyword::Update) => self.update(&ctes),
            TokenKind::Keyword(Keyword::Delete) => self.delete(&ctes),
            TokenKind::Keyword(Keyword::Merge) => self.merge(),
            _ => Err(self.unexpected()),
        }
    }

    /// The tree keeps CTEs at queries alone.
    fn ctes_have_no_place(&mut self, ctes: &[Cte], words: &str) {
        if !ctes.is_empty() {
            self.not_yet(words);
        }
    }

    /// `OPTION (…)` behind a statement that does not keep it.
    fn skip_options(&mut self) -> Parsed<()> {
        self.options().map(|_| ())
    }
}

/// INSERT.
impl Parser<'_> {
    fn insert(&mut self, ctes: Vec<Cte>) -> Parsed<StatementKind> {
        self.bump();
        let top = self.top()?;
        self.eat_keyword(Keyword::Into);
        let first = self.at;
        let table = self.insert_target()?;
        let span = self.span_from(first);
        let hints = self.hints()?;
        let columns = if self.is_query_parenthesis() { Vec::new() } else { self.insert_columns()? };
        let output = self.output()?;
        let source = self.insert_source(ctes)?;
        let insert = Insert { top, table, columns, hints, output, source, span };
        Ok(StatementKind::Insert(Box::new(insert)))
    }

    fn insert_target(&mut self) -> Parsed<ObjectName> {
        if matches!(self.kind(), TokenKind::Keyword(Keyword::OpenRowSet | Keyword::OpenQuery | Keyword::OpenDataSource))
        {
            let word = self.upper();
            self.not_yet(&word);
            self.bump();
            self.skip_parentheses()?;
            return Ok(ObjectName { parts: vec![word] });
        }
        self.table_name()
    }

    /// `(a, t.b)`, or nothing; SQL Server ignores the qualifiers.
    fn insert_columns(&mut self) -> Parsed<Vec<Ident>> {
        if self.kind() != TokenKind::LeftParen {
            return Ok(Vec::new());
        }
        self.parenthesised(|parser| {
            let mut name = parser.object_name()?;
            Ok(name.parts.pop().unwrap_or_default())
        })
    }

    fn insert_source(&mut self, ctes: Vec<Cte>) -> Parsed<InsertSource> {
        match self.kind() {
            TokenKind::Keyword(Keyword::Select) | TokenKind::LeftParen => {
                let query: Query = self.full_query(ctes)?;
                return Ok(InsertSource::Query(Box::new(query)));
            }
            _ => self.ctes_have_no_place(&ctes, "WITH … INSERT … VALUES"),
        }
        match self.kind() {
            TokenKind::Keyword(Keyword::Values) => {
                let line = self.line();
                let rows = self.values_rows()?;
                if rows.len() > INSERT_ROWS_MAX {
                    return Err(error::too_many_insert_rows(line));
                }
                self.skip_options()?;
                Ok(InsertSource::Values(rows))
            }
            TokenKind::Keyword(Keyword::Default) => {
                self.bump();
                self.expect_keyword(Keyword::Values)?;
                Ok(InsertSource::DefaultValues)
            }
            TokenKind::Keyword(Keyword::Exec | Keyword::Execute) => {
                let statement = self.nested_statement()?;
                Ok(InsertSource::Execute(Box::new(statement)))
            }
            _ => Err(self.unexpected()),
        }
    }

    /// `OUTPUT item, … [INTO table [(columns)]]`, if there is one. A second OUTPUT has no place in the tree.
    fn output(&mut self) -> Parsed<Option<Output>> {
        let mut first = None;
        while self.eat_word("output") {
            self.in_output = true;
            let items = self.comma_separated(Self::select_item)?;
            self.in_output = false;
            let mut into = None;
            if self.eat_keyword(Keyword::Into) {
                let table = self.table_name()?;
                let columns = if self.is_query_parenthesis() { Vec::new() } else { self.insert_columns()? };
                into = Some((table, columns));
            }
            if first.is_some() {
                self.not_yet("second OUTPUT");
            } else {
                first = Some(Output { items, into });
            }
        }
        Ok(first)
    }
}

/// UPDATE and DELETE.
impl Parser<'_> {
    fn update(&mut self, ctes: &[Cte]) -> Parsed<StatementKind> {
        self.bump();
        if self.is_keyword(Keyword::Statistics) {
            return self.skip_as("UPDATE STATISTICS");
        }
        self.ctes_have_no_place(ctes, "WITH … UPDATE");
        let top = self.top()?;
        let first = self.at;
        let table = self.changed_table()?;
        let span = self.span_from(first);
        let hints = self.hints()?;
        self.expect_keyword(Keyword::Set)?;
        let set = self.comma_separated(Self::update_set)?;
        let output = self.output()?;
        let from = self.tables_of_from()?;
        let filter = self.change_filter()?;
        self.skip_options()?;
        let update = Update { top, table, hints, set, output, from, filter, span };
        Ok(StatementKind::Update(Box::new(update)))
    }

    fn delete(&mut self, ctes: &[Cte]) -> Parsed<StatementKind> {
        self.bump();
        self.ctes_have_no_place(ctes, "WITH … DELETE");
        let top = self.top()?;
        self.eat_keyword(Keyword::From);
        let first = self.at;
        let table = self.changed_table()?;
        let span = self.span_from(first);
        let hints = self.hints()?;
        let output = self.output()?;
        let from: Vec<TableRef> = self.tables_of_from()?;
        let filter = self.change_filter()?;
        self.skip_options()?;
        let delete = Delete { top, table, hints, output, from, filter, span };
        Ok(StatementKind::Delete(Box::new(delete)))
    }

    /// A table, an alias or a table variable; a function of rows is known, but not run.
    fn changed_table(&mut self) -> Parsed<ObjectName> {
        if matches!(self.kind(), TokenKind::Keyword(Keyword::OpenRowSet | Keyword::OpenQuery | Keyword::OpenDataSource))
        {
            return self.insert_target();
        }
        self.table_name()
    }

    /// `WHERE condition`, `WHERE CURRENT OF cursor`, or nothing.
    fn change_filter(&mut self) -> Parsed<Option<Expr>> {
        if self.is_keyword(Keyword::Where) && self.is_keyword_at(1, Keyword::Current) {
            self.at += 2;
            self.expect_keyword(Keyword::Of)?;
            self.not_yet("WHERE CURRENT OF");
            self.eat_word("global");
            if self.kind() == TokenKind::Variable {
                self.bump();
            } else {
                self.ident()?;
            }
            return Ok(None);
        }
        self.where_clause()
    }

    /// `column op= value`, `@v op= value`, `@v = column op= value`, `column.WRITE(…)`
    fn update_set(&mut self) -> Parsed<UpdateSet> {
        if self.kind() == TokenKind::Variable {
            return self.update_variable();
        }
        let column = self.object_name()?;
        if self.kind() == TokenKind::LeftParen {
            self.not_yet("UPDATE with a method of a column");
            let line = self.line();
            let value = self.nested(|parser| parser.function_call(column.clone(), line))?;
            let op = AssignOp::Set;
            return Ok(UpdateSet { variable: None, column: Some(column), op, value });
        }
        let op = self.assign_operator()?;
        let value = self.argument()?;
        Ok(UpdateSet { variable: None, column: Some(column), op, value })
    }

    fn update_variable(&mut self) -> Parsed<UpdateSet> {
        let variable = Some(self.variable()?);
        let op = self.assign_operator()?;
        let value = self.argument()?;
        if assign_operator(self.kind()).is_none() {
            return Ok(UpdateSet { variable, column: None, op, value });
        }
        let ExprKind::Column(column) = value.kind else {
            return Err(self.unexpected());
        };
        let op = self.assign_operator()?;
        let value = self.argument()?;
        Ok(UpdateSet { variable, column: Some(column), op, value })
    }
}

/// MERGE: read to its end, but not kept.
impl Parser<'_> {
    fn merge(&mut self) -> Parsed<StatementKind> {
        let line = self.bump().line;
        self.not_yet("MERGE");
        self.top()?;
        self.eat_keyword(Keyword::Into);
        self.table_name()?;
        self.hints()?;
        self.table_alias()?;
        self.expect_word("using")?;
        self.table_with_joins()?;
        self.expect_keyword(Keyword::On)?;
        self.condition()?;
        while self.eat_keyword(Keyword::When) {
            self.merge_branch()?;
        }
        self.output()?;
        self.skip_options()?;
        match self.kind() {
            TokenKind::Semicolon => Ok(StatementKind::Unsupported("MERGE".to_owned())),
            _ => Err(error::merge_needs_semicolon(line)),
        }
    }

    /// `[NOT] MATCHED [BY TARGET|SOURCE] [AND condition] THEN UPDATE SET …|DELETE|INSERT …`
    fn merge_branch(&mut self) -> Parsed<()> {
        self.eat_keyword(Keyword::Not);
        self.expect_word("matched")?;
        if self.eat_keyword(Keyword::By) && !self.eat_word("target") {
            self.expect_word("source")?;
        }
        if self.eat_keyword(Keyword::And) {
            self.condition()?;
        }
        self.expect_keyword(Keyword::Then)?;
        if self.eat_keyword(Keyword::Delete) {
            return Ok(());
        }
        if self.eat_keyword(Keyword::Update) {
            self.expect_keyword(Keyword::Set)?;
            return self.comma_separated(Self::update_set).map(|_| ());
        }
        self.expect_keyword(Keyword::Insert)?;
        self.insert_columns()?;
        if self.eat_keyword(Keyword::Default) {
            return self.expect_keyword(Keyword::Values).map(|_| ());
        }
        self.values_rows().map(|_| ())
    }
}
