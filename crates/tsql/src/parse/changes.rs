//! `INSERT … SELECT … FROM (INSERT|UPDATE|DELETE|MERGE … OUTPUT …) AS alias …`: a change whose rows another one takes.

use super::Parser;
use crate::ast::{ChangedRows, Ident, NestedChange, Output, StatementKind};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::token::TokenKind;

impl Parser<'_> {
    /// Whether a parenthesis with a change in it stands here.
    pub(super) fn is_nested_change(&self) -> bool {
        self.is_nested_change_at(0)
    }

    /// The same `ahead` tokens further on.
    pub(super) fn is_nested_change_at(&self, ahead: usize) -> bool {
        self.kind_at(ahead) == TokenKind::LeftParen
            && matches!(
                self.kind_at(ahead + 1),
                TokenKind::Keyword(Keyword::Insert | Keyword::Update | Keyword::Delete | Keyword::Merge)
            )
    }

    /// Whether the FROM of the SELECT that begins here begins with a change.
    pub(super) fn selects_changes(&self) -> bool {
        let mut at = self.at + 1;
        while let Some(token) = self.tokens.get(at) {
            match token.kind {
                TokenKind::Keyword(Keyword::From) => return self.is_nested_change_at(at + 1 - self.at),
                TokenKind::Semicolon | TokenKind::RightParen | TokenKind::Keyword(Keyword::Select) => return false,
                TokenKind::LeftParen if token.partner as usize > at => at = token.partner as usize + 1,
                _ => at += 1,
            }
        }
        false
    }

    /// The whole source, from SELECT on.
    pub(super) fn changed_rows(&mut self) -> Parsed<ChangedRows> {
        let line = self.bump().line;
        if self.in_changes {
            return Err(error::nested_change_elsewhere(true, line));
        }
        if self.eat_keyword(Keyword::Distinct) {
            return Err(error::distinct_of_changes(line));
        }
        if self.is_keyword(Keyword::Top) {
            return Err(error::not_of_changes("TOP or OFFSET", line));
        }
        let items = self.comma_separated(Self::select_item)?;
        if self.is_keyword(Keyword::Into) {
            return Err(error::not_of_changes("INTO", self.line()));
        }
        self.expect_keyword(Keyword::From)?;
        self.expect(TokenKind::LeftParen)?;
        self.in_changes = true;
        let change = self.nested(Self::change);
        self.in_changes = false;
        let change = change?;
        self.expect(TokenKind::RightParen)?;
        let Some(alias) = self.table_alias()? else {
            return Err(self.unexpected());
        };
        let columns: Vec<Ident> = self.column_list()?;
        self.refuse_behind_changes()?;
        let filter = self.where_clause()?;
        self.refuse_behind_changes()?;
        Ok(ChangedRows { items, change, alias, columns, filter })
    }

    /// The change itself, without WITH.
    fn change(&mut self) -> Parsed<NestedChange> {
        let line = self.line();
        let statement = match self.kind() {
            TokenKind::Keyword(Keyword::Insert) => self.insert(Vec::new())?,
            TokenKind::Keyword(Keyword::Update) => self.update(Vec::new())?,
            TokenKind::Keyword(Keyword::Delete) => self.delete(Vec::new())?,
            _ => self.merge(Vec::new())?,
        };
        let change = match statement {
            StatementKind::Insert(insert) => NestedChange::Insert(insert),
            StatementKind::Update(update) => NestedChange::Update(update),
            StatementKind::Delete(delete) => NestedChange::Delete(delete),
            StatementKind::Merge(merge) => NestedChange::Merge(merge),
            _ => return Err(self.unexpected()),
        };
        let (output, options, current_of): (&[Output], &[String], bool) = match &change {
            NestedChange::Insert(insert) => (&insert.output, &insert.options, false),
            NestedChange::Update(update) => (&update.output, &update.options, update.current_of.is_some()),
            NestedChange::Delete(delete) => (&delete.output, &delete.options, delete.current_of.is_some()),
            NestedChange::Merge(merge) => (&merge.output, &merge.options, false),
        };
        if output.is_empty() {
            return Err(error::changes_need_output(line));
        }
        if output.iter().any(|clause| clause.into.is_some()) {
            return Err(error::output_into_of_changes(line));
        }
        if current_of {
            return Err(error::current_of_changes(line));
        }
        if !options.is_empty() {
            return Err(error::options_of_changes(line));
        }
        Ok(change)
    }

    fn refuse_behind_changes(&self) -> Parsed<()> {
        let line = self.line();
        match self.kind() {
            TokenKind::Keyword(Keyword::Group) => Err(error::not_of_changes("GROUP BY", line)),
            TokenKind::Keyword(Keyword::Having) => Err(error::not_of_changes("HAVING", line)),
            TokenKind::Keyword(Keyword::Order) => Err(error::not_of_changes("ORDER BY", line)),
            TokenKind::Keyword(Keyword::Union | Keyword::Except | Keyword::Intersect) => {
                Err(error::set_of_changes(line))
            }
            TokenKind::Keyword(Keyword::Pivot | Keyword::Unpivot) => Err(error::pivot_of_changes(line)),
            TokenKind::Keyword(
                Keyword::Join
                | Keyword::Inner
                | Keyword::Left
                | Keyword::Right
                | Keyword::Full
                | Keyword::Cross
                | Keyword::Outer,
            )
            | TokenKind::Comma => Err(error::join_of_changes(line)),
            _ => Ok(()),
        }
    }
}
