//! Statements to the server and the session: USE, DBCC, CHECKPOINT, RECONFIGURE, SHUTDOWN, KILL.

use super::Parser;
use crate::ast::{Expr, ExprKind, Ident, ObjectName, StatementKind};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::token::TokenKind;

impl Parser<'_> {
    pub(super) fn server_statement(&mut self, keyword: Keyword) -> Parsed<StatementKind> {
        let line = self.bump().line;
        match keyword {
            Keyword::Use if self.in_module => Err(error::use_in_module(line)),
            Keyword::Use => Ok(StatementKind::Use(self.ident()?)),
            Keyword::Dbcc => self.dbcc(),
            Keyword::Checkpoint => self.checkpoint(),
            Keyword::Reconfigure => {
                let with_override = self.eat_with("override");
                Ok(StatementKind::Reconfigure { with_override })
            }
            Keyword::Shutdown => {
                let nowait = self.eat_with("nowait");
                Ok(StatementKind::Shutdown { nowait })
            }
            _ => self.kill(),
        }
    }

    /// `WITH word`
    fn eat_with(&mut self, word: &str) -> bool {
        let found = self.is_keyword(Keyword::With) && self.is_word_at(1, word);
        if found {
            self.at += 2;
        }
        found
    }

    /// `CHECKPOINT [seconds]`; no seconds at all are no time to write in.
    fn checkpoint(&mut self) -> Parsed<StatementKind> {
        if self.kind() == TokenKind::Integer && self.source(self.token()).bytes().all(|digit| digit == b'0') {
            return Err(self.unexpected());
        }
        let has_duration = matches!(self.kind(), TokenKind::Integer | TokenKind::Variable);
        let duration = if has_duration { Some(self.constant()?) } else { None };
        Ok(StatementKind::Checkpoint(duration))
    }

    /// `KILL session`; `KILL … WITH STATUSONLY`, `KILL STATS JOB n` and `KILL QUERY NOTIFICATION …` are not run.
    fn kill(&mut self) -> Parsed<StatementKind> {
        if self.kind() == TokenKind::Word {
            return self.skip_as("KILL of anything but a session");
        }
        let session = self.constant()?;
        if self.eat_with("statusonly") {
            self.not_yet("KILL … WITH STATUSONLY");
        }
        Ok(StatementKind::Kill(session))
    }

    /// `DBCC command [(arg, …)] [WITH option, …]`
    fn dbcc(&mut self) -> Parsed<StatementKind> {
        let command = self.word()?.to_uppercase();
        let mut args = Vec::new();
        if self.kind() == TokenKind::LeftParen && self.kind_at(1) == TokenKind::RightParen {
            self.at += 2;
        } else if self.kind() == TokenKind::LeftParen {
            args = self.parenthesised(Self::dbcc_argument)?;
        }
        let mut options = Vec::new();
        if self.is_keyword(Keyword::With) && self.kind_at(1) == TokenKind::Word {
            self.bump();
            options = self.comma_separated(Self::dbcc_option)?;
        }
        Ok(StatementKind::Dbcc { command, args, options })
    }

    /// A word, be it reserved, is a column; the rest is a constant.
    fn dbcc_argument(&mut self) -> Parsed<Expr> {
        let line = self.line();
        if let TokenKind::Keyword(keyword) = self.kind() {
            let kind = match keyword {
                Keyword::Null => return self.constant(),
                Keyword::Default => ExprKind::Default,
                _ => ExprKind::Column(ObjectName { parts: vec![self.source(self.token()).to_owned()] }),
            };
            self.bump();
            return Ok(Expr { kind, line });
        }
        if self.is_name() {
            let name = self.object_name()?;
            return Ok(Expr { kind: ExprKind::Column(name), line });
        }
        self.constant()
    }

    /// `NO_INFOMSGS`, `MAXDOP = 2`
    fn dbcc_option(&mut self) -> Parsed<Ident> {
        let first = self.at;
        self.word()?;
        if self.eat(TokenKind::Equal) {
            self.constant()?;
        }
        let end = std::mem::replace(&mut self.at, first);
        Ok(self.words_up_to(end))
    }
}
