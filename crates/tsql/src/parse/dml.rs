//! INSERT, UPDATE, DELETE, MERGE, BULK INSERT, and the statements that begin with WITH.

use super::Parser;
use crate::ast::{
    AssignOp, BulkInsert, Cte, CursorName, Delete, Expr, ExprKind, Ident, Insert, InsertBulk, InsertSource, Merge,
    MergeAction, MergeBranch, MergeWhen, ObjectName, Output, Query, SelectStatement, StatementKind, TableRef, Update,
    UpdateSet, WritePart,
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
            TokenKind::Keyword(Keyword::Update) => self.update(ctes),
            TokenKind::Keyword(Keyword::Delete) => self.delete(ctes),
            TokenKind::Keyword(Keyword::Merge) => self.merge(ctes),
            _ => Err(self.unexpected()),
        }
    }
}

/// INSERT.
impl Parser<'_> {
    pub(super) fn insert(&mut self, mut ctes: Vec<Cte>) -> Parsed<StatementKind> {
        self.bump();
        if ctes.is_empty() && self.eat_keyword(Keyword::Bulk) {
            return self.insert_bulk();
        }
        let top = self.top_of_change()?;
        self.eat_keyword(Keyword::Into);
        let first = self.at;
        let table = self.insert_target()?;
        let span = self.span_from(first);
        let hints = self.hints()?;
        let columns = if self.is_query_parenthesis() { Vec::new() } else { self.insert_columns()? };
        let output = self.output()?;
        let source = self.insert_source(&mut ctes)?;
        let options = self.options()?;
        let insert = Insert { ctes, top, table, columns, hints, output, source, options, span };
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

    /// A query takes the CTEs.
    fn insert_source(&mut self, ctes: &mut Vec<Cte>) -> Parsed<InsertSource> {
        match self.kind() {
            TokenKind::Keyword(Keyword::Select) if self.selects_changes() => {
                Ok(InsertSource::Changes(Box::new(self.changed_rows()?)))
            }
            TokenKind::Keyword(Keyword::Select) | TokenKind::LeftParen => {
                let query: Query = self.full_query(std::mem::take(ctes))?;
                Ok(InsertSource::Query(Box::new(query)))
            }
            TokenKind::Keyword(Keyword::Values) => {
                let line = self.line();
                let rows = self.values_rows()?;
                if rows.len() > INSERT_ROWS_MAX {
                    return Err(error::too_many_insert_rows(line));
                }
                Ok(InsertSource::Values(rows))
            }
            TokenKind::Keyword(Keyword::Default) => {
                self.bump();
                self.expect_keyword(Keyword::Values)?;
                Ok(InsertSource::DefaultValues)
            }
            TokenKind::Keyword(Keyword::Exec | Keyword::Execute) => {
                self.bump();
                match self.execute_any()? {
                    StatementKind::Execute(execute) => Ok(InsertSource::Execute(execute)),
                    StatementKind::ExecuteText(execute) => Ok(InsertSource::ExecuteText(execute)),
                    _ => Err(self.unexpected()),
                }
            }
            _ => Err(self.unexpected()),
        }
    }

    /// `OUTPUT item, … [INTO table [(columns)]]`: none, one, or one with INTO and one without.
    fn output(&mut self) -> Parsed<Vec<Output>> {
        let mut outputs: Vec<Output> = Vec::new();
        while outputs.len() < 2 && outputs.iter().all(|output| output.into.is_some()) && self.eat_word("output") {
            self.in_output = true;
            let items = self.comma_separated(Self::select_item)?;
            self.in_output = false;
            let mut into = None;
            if self.eat_keyword(Keyword::Into) {
                let table = self.table_name()?;
                let columns = if self.is_query_parenthesis() { Vec::new() } else { self.insert_columns()? };
                into = Some((table, columns));
            }
            outputs.push(Output { items, into });
        }
        Ok(outputs)
    }
}

/// UPDATE and DELETE.
impl Parser<'_> {
    pub(super) fn update(&mut self, ctes: Vec<Cte>) -> Parsed<StatementKind> {
        self.bump();
        if self.is_keyword(Keyword::Statistics) && ctes.is_empty() {
            return self.update_statistics();
        }
        let top = self.top_of_change()?;
        let first = self.at;
        let table = self.changed_table()?;
        let span = self.span_from(first);
        let hints = self.hints()?;
        self.expect_keyword(Keyword::Set)?;
        let set = self.comma_separated(Self::update_set)?;
        let output = self.output()?;
        let from = self.tables_of_change()?;
        let (filter, current_of) = self.change_filter()?;
        let options = self.options()?;
        let update = Update { ctes, top, table, hints, set, output, from, filter, current_of, options, span };
        Ok(StatementKind::Update(Box::new(update)))
    }

    pub(super) fn delete(&mut self, ctes: Vec<Cte>) -> Parsed<StatementKind> {
        self.bump();
        let top = self.top_of_change()?;
        self.eat_keyword(Keyword::From);
        let first = self.at;
        let table = self.changed_table()?;
        let span = self.span_from(first);
        let hints = self.hints()?;
        let output = self.output()?;
        let from = self.tables_of_change()?;
        let (filter, current_of) = self.change_filter()?;
        let options = self.options()?;
        let delete = Delete { ctes, top, table, hints, output, from, filter, current_of, options, span };
        Ok(StatementKind::Delete(Box::new(delete)))
    }

    fn tables_of_change(&mut self) -> Parsed<Vec<TableRef>> {
        if self.is_keyword(Keyword::From) && self.is_nested_change_at(1) {
            return Err(error::nested_change_in_from(self.line()));
        }
        self.tables_of_from()
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
    fn change_filter(&mut self) -> Parsed<(Option<Expr>, Option<CursorName>)> {
        if self.is_keyword(Keyword::Where) && self.is_keyword_at(1, Keyword::Current) {
            self.at += 2;
            self.expect_keyword(Keyword::Of)?;
            let cursor = self.cursor_name()?;
            return Ok((None, Some(cursor)));
        }
        Ok((self.where_clause()?, None))
    }

    /// `column op= value`, `@v op= value`, `@v = column op= value`, `column.WRITE(…)`
    fn update_set(&mut self) -> Parsed<UpdateSet> {
        if self.kind() == TokenKind::Variable {
            return self.update_variable();
        }
        let column = self.object_name()?;
        let is_write = column.parts.len() > 1
            && column.parts.last().is_some_and(|last| last.eq_ignore_ascii_case("write"))
            && self.kind() == TokenKind::LeftParen;
        if is_write {
            return self.update_part(column);
        }
        if self.kind() == TokenKind::LeftParen {
            self.not_yet("UPDATE with a method of a column");
            let line = self.line();
            let value = self.nested(|parser| parser.function_call(column.clone(), line))?;
            let op = AssignOp::Set;
            return Ok(UpdateSet { variable: None, column: Some(column), op, value, write: None });
        }
        let op = self.assign_operator()?;
        let value = self.argument()?;
        Ok(UpdateSet { variable: None, column: Some(column), op, value, write: None })
    }

    /// `column.WRITE(value, offset, length)` after the name.
    fn update_part(&mut self, mut column: ObjectName) -> Parsed<UpdateSet> {
        column.parts.pop();
        self.expect(TokenKind::LeftParen)?;
        let value = self.value()?;
        self.expect(TokenKind::Comma)?;
        let offset = self.value()?;
        self.expect(TokenKind::Comma)?;
        let length = self.value()?;
        self.expect(TokenKind::RightParen)?;
        let write = Some(WritePart { offset, length });
        Ok(UpdateSet { variable: None, column: Some(column), op: AssignOp::Set, value, write })
    }

    fn update_variable(&mut self) -> Parsed<UpdateSet> {
        let variable = Some(self.variable()?);
        let op = self.assign_operator()?;
        let value = self.argument()?;
        if assign_operator(self.kind()).is_none() {
            return Ok(UpdateSet { variable, column: None, op, value, write: None });
        }
        let ExprKind::Column(column) = value.kind else {
            return Err(self.unexpected());
        };
        let op = self.assign_operator()?;
        let value = self.argument()?;
        Ok(UpdateSet { variable, column: Some(column), op, value, write: None })
    }
}

/// MERGE.
impl Parser<'_> {
    pub(super) fn merge(&mut self, ctes: Vec<Cte>) -> Parsed<StatementKind> {
        let line = self.bump().line;
        let top = self.top_of_change()?;
        self.eat_keyword(Keyword::Into);
        let first = self.at;
        let table = self.table_name()?;
        let span = self.span_from(first);
        let hints = self.hints()?;
        let alias = if self.is_word("using") { None } else { self.table_alias()? };
        self.expect_word("using")?;
        if self.is_nested_change() {
            return Err(error::nested_change_in_using(self.line()));
        }
        let source = self.table_with_joins()?;
        self.expect_keyword(Keyword::On)?;
        let on = self.condition()?;
        let mut branches = Vec::new();
        while branches.is_empty() || self.is_keyword(Keyword::When) {
            self.expect_keyword(Keyword::When)?;
            branches.push(self.merge_branch()?);
        }
        let output = self.output()?;
        let options = self.options()?;
        if self.kind() != TokenKind::Semicolon && !self.in_changes {
            return Err(error::merge_needs_semicolon(line));
        }
        let merge = Merge { ctes, top, table, hints, alias, source, on, branches, output, options, span };
        Ok(StatementKind::Merge(Box::new(merge)))
    }

    /// `[NOT] MATCHED [BY TARGET|SOURCE] [AND condition] THEN UPDATE SET …|DELETE|INSERT …`
    fn merge_branch(&mut self) -> Parsed<MergeBranch> {
        let not = self.eat_keyword(Keyword::Not);
        self.expect_word("matched")?;
        let mut when = if not { MergeWhen::NotMatchedByTarget } else { MergeWhen::Matched };
        if not && self.eat_keyword(Keyword::By) && !self.eat_word("target") {
            self.expect_word("source")?;
            when = MergeWhen::NotMatchedBySource;
        }
        let condition = if self.eat_keyword(Keyword::And) { Some(self.condition()?) } else { None };
        self.expect_keyword(Keyword::Then)?;
        let action =
            if when == MergeWhen::NotMatchedByTarget { self.merge_insert()? } else { self.merge_change(when)? };
        Ok(MergeBranch { when, condition, action })
    }

    fn merge_change(&mut self, when: MergeWhen) -> Parsed<MergeAction> {
        if self.is_keyword(Keyword::Insert) {
            let clause = if when == MergeWhen::Matched { "WHEN MATCHED" } else { "WHEN NOT MATCHED BY SOURCE" };
            return Err(error::not_in_merge_clause("INSERT", clause, self.line()));
        }
        if self.eat_keyword(Keyword::Delete) {
            return Ok(MergeAction::Delete);
        }
        self.expect_keyword(Keyword::Update)?;
        self.expect_keyword(Keyword::Set)?;
        self.comma_separated(Self::update_set).map(MergeAction::Update)
    }

    fn merge_insert(&mut self) -> Parsed<MergeAction> {
        if matches!(self.kind(), TokenKind::Keyword(Keyword::Update | Keyword::Delete)) {
            return Err(error::not_in_merge_clause(&self.upper(), "WHEN NOT MATCHED", self.line()));
        }
        self.expect_keyword(Keyword::Insert)?;
        let columns = self.insert_columns()?;
        if self.eat_keyword(Keyword::Default) {
            self.expect_keyword(Keyword::Values)?;
            return Ok(MergeAction::Insert { columns, values: None });
        }
        self.expect_keyword(Keyword::Values)?;
        let values = self.nested(|parser| parser.parenthesised(Self::argument))?;
        Ok(MergeAction::Insert { columns, values: Some(values) })
    }
}

/// BULK INSERT and INSERT BULK.
impl Parser<'_> {
    /// `INSERT BULK table (name type [COLLATE c] [NULL|NOT NULL], …) [WITH (…)]`; the two words are read.
    fn insert_bulk(&mut self) -> Parsed<StatementKind> {
        let first = self.at;
        let table = self.table_name()?;
        let span = self.span_from(first);
        let columns = self.parenthesised(|parser| {
            let name = parser.ident()?;
            let data_type = parser.data_type()?;
            if parser.eat_keyword(Keyword::Collate) {
                parser.word()?;
            }
            parser.nullability()?;
            Ok((name, data_type))
        })?;
        let options = self.with_options()?;
        Ok(StatementKind::InsertBulk(Box::new(InsertBulk { table, columns, options, span })))
    }

    /// `BULK INSERT table FROM 'file' [WITH (…)]`
    pub(super) fn bulk_insert(&mut self) -> Parsed<StatementKind> {
        self.bump();
        self.expect_keyword(Keyword::Insert)?;
        let first = self.at;
        let table = self.object_name()?;
        let span = self.span_from(first);
        self.expect_keyword(Keyword::From)?;
        let file = self.string()?;
        let options = self.with_options()?;
        Ok(StatementKind::BulkInsert(Box::new(BulkInsert { table, file, options, span })))
    }
}
