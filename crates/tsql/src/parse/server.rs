//! Statements to the server and the session: USE, DBCC, CHECKPOINT, RECONFIGURE, SHUTDOWN, KILL.

use crate::ast::{Expr, ExprKind, Ident, Kill, KillOption, ObjectName, StatementKind};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::parse::{Parser, literal, name, unsupported};
use crate::token::TokenKind;

pub(super) fn server_statement(parser: &mut Parser<'_>, keyword: Keyword) -> Parsed<StatementKind> {
    let line = parser.bump().line;
    match keyword {
        Keyword::Use if parser.context.in_module => Err(error::use_in_module(line)),
        Keyword::Use => Ok(StatementKind::Use(name::ident(parser)?)),
        Keyword::Dbcc => dbcc(parser),
        Keyword::Checkpoint => checkpoint(parser),
        Keyword::Reconfigure => {
            let with_override = eat_with(parser, "override");
            Ok(StatementKind::Reconfigure { with_override })
        }
        Keyword::Shutdown => {
            let nowait = eat_with(parser, "nowait");
            Ok(StatementKind::Shutdown { nowait })
        }
        _ => kill(parser),
    }
}

/// `WITH word`
fn eat_with(parser: &mut Parser<'_>, word: &str) -> bool {
    let found = parser.is_keyword(Keyword::With) && parser.is_word_at(1, word);
    if found {
        parser.at += 2;
    }
    found
}

/// `CHECKPOINT [seconds]`; no seconds at all are no time to write in.
fn checkpoint(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    if parser.kind() == TokenKind::Integer && parser.source(parser.token()).bytes().all(|digit| digit == b'0') {
        return Err(parser.unexpected());
    }
    let has_duration = matches!(parser.kind(), TokenKind::Integer | TokenKind::Variable);
    let duration = if has_duration { Some(literal::constant(parser)?) } else { None };
    Ok(StatementKind::Checkpoint(duration))
}

/// `KILL session|'unit of work' [WITH STATUSONLY|COMMIT|ROLLBACK]`, `KILL STATS JOB n`, `KILL QUERY NOTIFICATION SUBSCRIPTION ALL|n`
fn kill(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    if parser.eat_word("stats") {
        parser.expect_word("job")?;
        return Ok(StatementKind::Kill(Kill::StatsJob(literal::constant(parser)?)));
    }
    if parser.eat_word("query") {
        parser.expect_word("notification")?;
        parser.expect_word("subscription")?;
        let which = if parser.eat_keyword(Keyword::All) { None } else { Some(literal::constant(parser)?) };
        return Ok(StatementKind::Kill(Kill::Subscription(which)));
    }
    let what = literal::constant(parser)?;
    let option = if eat_with(parser, "statusonly") {
        Some(KillOption::StatusOnly)
    } else if parser.is_keyword(Keyword::With) && parser.is_keyword_at(1, Keyword::Commit) {
        parser.at += 2;
        Some(KillOption::Commit)
    } else if parser.is_keyword(Keyword::With) && parser.is_keyword_at(1, Keyword::Rollback) {
        parser.at += 2;
        Some(KillOption::Rollback)
    } else {
        None
    };
    Ok(StatementKind::Kill(Kill::Work { what, option }))
}

/// `DBCC command [(arg, …)] [WITH option, …]`
fn dbcc(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    let command = name::word(parser)?.to_uppercase();
    let mut args = Vec::new();
    if parser.kind() == TokenKind::LeftParen && parser.kind_at(1) == TokenKind::RightParen {
        parser.at += 2;
    } else if parser.kind() == TokenKind::LeftParen {
        args = parser.parenthesised(dbcc_argument)?;
    }
    let mut options = Vec::new();
    if parser.is_keyword(Keyword::With) && parser.kind_at(1) == TokenKind::Word {
        parser.bump();
        options = parser.comma_separated(dbcc_option)?;
    }
    Ok(StatementKind::Dbcc { command, args, options })
}

/// A word, be it reserved, is a column; the rest is a constant.
fn dbcc_argument(parser: &mut Parser<'_>) -> Parsed<Expr> {
    let line = parser.line();
    if let TokenKind::Keyword(keyword) = parser.kind() {
        let kind = match keyword {
            Keyword::Null => return literal::constant(parser),
            Keyword::Default => ExprKind::Default,
            _ => ExprKind::Column(ObjectName { parts: vec![parser.source(parser.token()).to_owned()] }),
        };
        parser.bump();
        return Ok(Expr { kind, line });
    }
    if name::is_name(parser) {
        let name = name::object_name(parser)?;
        return Ok(Expr { kind: ExprKind::Column(name), line });
    }
    literal::constant(parser)
}

/// The words that stand after WITH of one DBCC command or another.
const DBCC_OPTIONS: [&str; 25] = [
    "ALL_CONSTRAINTS",
    "ALL_ERRORMSGS",
    "ALL_INDEXES",
    "ALL_LEVELS",
    "BACKUP_CLONEDB",
    "COUNT_ROWS",
    "DATA_PURITY",
    "DENSITY_VECTOR",
    "ESTIMATEONLY",
    "EXTENDED_LOGICAL_CHECKS",
    "FAST",
    "HISTOGRAM",
    "MARK_IN_USE_FOR_REMOVAL",
    "MAXDOP",
    "NO_INFOMSGS",
    "NO_QUERYSTORE",
    "NO_STATISTICS",
    "PHYSICAL_ONLY",
    "SERVICEBROKER",
    "STATS_STREAM",
    "STAT_HEADER",
    "TABLERESULTS",
    "TABLOCK",
    "VERIFY_CLONEDB",
    "WAIT_AT_LOW_PRIORITY",
];

/// `NO_INFOMSGS`, `MAXDOP = 2`, `WAIT_AT_LOW_PRIORITY (…)`
fn dbcc_option(parser: &mut Parser<'_>) -> Parsed<Ident> {
    let (first, line) = (parser.at, parser.line());
    let word = name::word(parser)?;
    if !DBCC_OPTIONS.iter().any(|known| known.eq_ignore_ascii_case(&word)) {
        return Err(error::not_an_option(&word, line));
    }
    if parser.eat(TokenKind::Equal) {
        literal::constant(parser)?;
    } else if parser.kind() == TokenKind::LeftParen {
        unsupported::skip_parentheses(parser)?;
    }
    let end = std::mem::replace(&mut parser.at, first);
    Ok(name::words_up_to(parser, end))
}
