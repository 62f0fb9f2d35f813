//! What the line editor asks while a line is typed: what Tab completes, and how the line is painted.
//!
//! What always holds: a Tab that has nothing to complete is a tab of the text, so that text which a terminal pastes without marks stays
//! what it is: at the beginning of a line, after a blank where no name is wanted, in strings and comments, and after a word that is
//! whole. Painting changes no width.

use std::borrow::Cow;

use millpond_tsql::reserved_words;
use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};

use super::super::scan::{Kind, Open, Piece, scan};
use super::super::screen::paint::Paint;
use super::names::{Names, ObjectKind, delimited};

/// Commands of a line of their own, and what they take.
const COMMANDS: [(&str, Takes); 18] = [
    (":connect", Takes::Nothing),
    (":describe", Takes::Object),
    (":edit", Takes::Nothing),
    (":error", Takes::File),
    (":exit", Takes::Nothing),
    (":export", Takes::File),
    (":help", Takes::Nothing),
    (":list", Takes::Nothing),
    (":listvar", Takes::Nothing),
    (":on error", Takes::Nothing),
    (":out", Takes::File),
    (":plan", Takes::Statement),
    (":quit", Takes::Nothing),
    (":r", Takes::File),
    (":reset", Takes::Nothing),
    (":setvar", Takes::Nothing),
    (":timing", Takes::Nothing),
    (":vertical", Takes::Nothing),
];

/// What a command takes that can be completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Nothing,
    File,
    Object,
    Statement,
}

/// Completes and paints.
pub struct Assistant {
    /// None: a Tab is always one of the text.
    pub names: Option<Names>,
    /// Words are painted.
    pub with_colors: bool,
    /// What was typed of the batch before this line.
    pub before: String,
}

impl Assistant {
    /// What the text before the line ends in.
    fn open(&self) -> Open {
        scan(&self.before, Open::Nothing).1
    }

    fn complete_line(&self, line: &str, at: usize) -> Option<(usize, Vec<String>)> {
        let names = self.names.as_ref()?;
        let typed = &line[..at];
        if self.before.is_empty() && typed.starts_with(':') {
            return command(names, typed);
        }
        statement(names, &self.before, self.open(), typed, &line[at..])
    }
}

/// Completes a command or what it takes.
fn command(names: &Names, typed: &str) -> Option<(usize, Vec<String>)> {
    let Some((word, argument)) = typed.split_once(' ') else {
        let begins = |name: &&str| name.starts_with(&typed.to_lowercase()) && name.len() > typed.len();
        return some(0, COMMANDS.iter().map(|(name, _)| *name).filter(begins).map(|name| format!("{name} ")).collect());
    };
    let (_, takes) = COMMANDS.iter().find(|(name, _)| *name == word.to_lowercase())?;
    match takes {
        Takes::File => {
            let (start, pairs) = FilenameCompleter::new().complete_path(typed, typed.len()).ok()?;
            some(start, pairs.into_iter().map(|pair: Pair| pair.replacement).collect())
        }
        Takes::Object => {
            let start = typed.len() - argument.len();
            some(
                start,
                matching(
                    argument,
                    objects(names, None, &[ObjectKind::Rows, ObjectKind::Procedure, ObjectKind::Function]),
                ),
            )
        }
        Takes::Statement => statement(names, "", Open::Nothing, argument, "")
            .map(|(start, found)| (start + typed.len() - argument.len(), found)),
        Takes::Nothing => None,
    }
}

fn some(start: usize, found: Vec<String>) -> Option<(usize, Vec<String>)> {
    (!found.is_empty()).then_some((start, found))
}

/// Completes a word of a statement.
fn statement(names: &Names, before: &str, open: Open, typed: &str, after: &str) -> Option<(usize, Vec<String>)> {
    let (pieces, ends_in) = scan(typed, open);
    let is_comment = pieces.last().is_some_and(|piece| piece.kind == Kind::Comment);
    if is_comment || !matches!(ends_in, Open::Nothing | Open::Bracket) {
        return None;
    }
    let text = |piece: &Piece| &typed[piece.start..piece.end];
    let is_word =
        |piece: &&Piece| piece.kind == Kind::Word || ends_in == Open::Bracket && piece.kind == Kind::Delimited;
    let word = pieces.last().filter(is_word);
    let (start, prefix) = word.map_or((typed.len(), ""), |piece| (piece.start, text(piece)));
    let earlier: Vec<&Piece> = pieces.iter().filter(|piece| piece.start < start && piece.kind != Kind::Blank).collect();
    let whole = format!("{before}{typed}{after}");
    let prefix = prefix.trim_start_matches('[');
    // `a.`, `dbo.a`
    if earlier.last().is_some_and(|piece| text(piece) == ".") {
        let qualifier = earlier.iter().rev().nth(1).map(|piece| bare(text(piece)))?;
        let of_table = tables(&whole).into_iter().find(|(alias, _)| same(alias, &qualifier));
        let found = match of_table {
            Some((_, table)) => names.columns(&[table]).iter().map(|name| delimited(name)).collect(),
            None => objects(names, Some(&qualifier), &[ObjectKind::Rows, ObjectKind::Procedure, ObjectKind::Function]),
        };
        return some(start, matching(prefix, found));
    }
    let previous = earlier.last().map(|piece| text(piece).to_lowercase());
    let wanted = match previous.as_deref() {
        Some("use") => names.databases().iter().map(|name| delimited(name)).collect(),
        Some("from" | "join" | "into" | "update" | "table" | "view" | "apply") => {
            let mut found = objects(names, None, &[ObjectKind::Rows]);
            found.extend(["sys.", "INFORMATION_SCHEMA."].map(str::to_owned).into_iter().filter(|_| !prefix.is_empty()));
            found
        }
        Some("exec" | "execute" | "procedure" | "proc") => {
            let mut found = objects(names, None, &[ObjectKind::Procedure]);
            found.extend(names.system_procedures().into_iter().filter(|_| !prefix.is_empty()));
            found
        }
        // A blank is one of the text, unless a name has to come.
        _ if prefix.is_empty() => return None,
        _ => {
            let is_upper = prefix.starts_with(char::is_uppercase);
            let words = reserved_words().map(|word| if is_upper { word.to_owned() } else { word.to_lowercase() });
            let of_tables: Vec<String> = tables(&whole).into_iter().map(|(_, table)| table).collect();
            let columns = names.columns(&of_tables).into_iter().map(|name| delimited(&name));
            let functions = objects(names, None, &[ObjectKind::Function]);
            let aliases = tables(&whole).into_iter().map(|(alias, _)| delimited(&alias));
            columns.chain(aliases).chain(functions).chain(words).collect()
        }
    };
    some(start, matching(prefix, wanted))
}

/// Those that begin so, in any case, each once; none where one of them is what stands there already.
fn matching(prefix: &str, names: Vec<String>) -> Vec<String> {
    let lower = prefix.to_lowercase();
    let begins = |name: &String| name.trim_start_matches('[').to_lowercase().starts_with(&lower);
    let mut found: Vec<String> = names.into_iter().filter(begins).collect();
    if !prefix.is_empty() && found.iter().any(|name| same(name, prefix)) {
        return Vec::new();
    }
    found.sort_by_key(|name| name.to_lowercase());
    found.dedup();
    found
}

fn same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

fn objects(names: &Names, schema: Option<&str>, kinds: &[ObjectKind]) -> Vec<String> {
    let wanted = names.objects(schema).into_iter().filter(|object| kinds.contains(&object.kind));
    let name = |object: &super::names::Object| match (schema, object.schema.as_str()) {
        (Some(_), _) | (None, "dbo" | "") => delimited(&object.name),
        (None, schema) => format!("{}.{}", delimited(schema), delimited(&object.name)),
    };
    let is_of = |object: &super::names::Object| schema.is_none_or(|schema| same(schema, &object.schema));
    wanted.filter(is_of).map(|object| name(&object)).collect()
}

fn bare(name: &str) -> String {
    let inner = name.strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
    inner.map_or(name.to_owned(), |inner| inner.replace("]]", "]"))
}

/// The tables of a text, each with what it is called there: an alias, or its name.
fn tables(text: &str) -> Vec<(String, String)> {
    let (pieces, _) = scan(text, Open::Nothing);
    let meaning: Vec<(Kind, &str)> = pieces
        .iter()
        .filter(|piece| !matches!(piece.kind, Kind::Blank | Kind::Comment))
        .map(|piece| (piece.kind, &text[piece.start..piece.end]))
        .collect();
    let is_name = |at: usize| {
        let Some((kind, text)) = meaning.get(at) else { return false };
        let is_reserved = reserved_words().any(|word| word.eq_ignore_ascii_case(text));
        *kind == Kind::Delimited || *kind == Kind::Word && !is_reserved
    };
    let mut tables = Vec::new();
    for (at, (kind, word)) in meaning.iter().enumerate() {
        let begins = ["from", "join", "update", "into"].iter().any(|begin| begin.eq_ignore_ascii_case(word));
        if *kind != Kind::Word || !begins || !is_name(at + 1) {
            continue;
        }
        let mut end = at + 2;
        while meaning.get(end).is_some_and(|(_, text)| *text == ".") && is_name(end + 1) {
            end += 2;
        }
        let name: String = meaning[at + 1..end].iter().map(|(_, text)| *text).collect();
        let alias = match meaning.get(end) {
            Some((_, word)) if word.eq_ignore_ascii_case("as") && is_name(end + 1) => meaning[end + 1].1,
            _ if is_name(end) => meaning[end].1,
            _ => meaning[end - 1].1,
        };
        tables.push((bare(alias), name));
    }
    tables
}

impl Completer for Assistant {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(self.complete_line(line, at).unwrap_or_else(|| (at, vec!["\t".into()])))
    }
}

impl Hinter for Assistant {
    type Hint = String;
}

impl Highlighter for Assistant {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        if !self.with_colors || self.before.is_empty() && line.starts_with([':', '!']) {
            return Cow::Borrowed(line);
        }
        Cow::Owned(painted(line, self.open()))
    }

    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        self.with_colors && kind != CmdKind::MoveCursor
    }
}

fn painted(line: &str, open: Open) -> String {
    let mut out = String::with_capacity(line.len() * 2);
    for piece in scan(line, open).0 {
        let text = &line[piece.start..piece.end];
        let paint = match piece.kind {
            Kind::Word if reserved_words().any(|word| word.eq_ignore_ascii_case(text)) => Paint::Keyword,
            Kind::Text => Paint::Text,
            Kind::Number => Paint::Number,
            Kind::Comment => Paint::Faint,
            Kind::Word | Kind::Delimited | Kind::Variable | Kind::Blank | Kind::Sign => Paint::Plain,
        };
        // A line of a text of several lines ends without its colour.
        for (at, part) in text.split('\n').enumerate() {
            if at > 0 {
                out.push('\n');
            }
            paint.push(&mut out, part, true);
        }
    }
    out
}

impl Validator for Assistant {}

impl Helper for Assistant {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_painted_by_what_they_are() {
        let out = painted("select 'a' -- b", Open::Nothing);
        assert_eq!(out, "\x1b[34mselect\x1b[0m \x1b[32m'a'\x1b[0m \x1b[2m-- b\x1b[0m");
        assert_eq!(painted("b' + 1", Open::Text), "\x1b[32mb'\x1b[0m + \x1b[36m1\x1b[0m");
        assert_eq!(painted("'a\nb'", Open::Nothing), "\x1b[32m'a\x1b[0m\n\x1b[32mb'\x1b[0m");
    }

    #[test]
    fn tables_of_a_statement_have_their_aliases() {
        let of = |text: &str| tables(text);
        let pair = |alias: &str, name: &str| (alias.to_owned(), name.to_owned());
        assert_eq!(
            of("select * from dbo.heron h join [my pond] as p on p.id = h.id left join egret where"),
            [pair("h", "dbo.heron"), pair("p", "[my pond]"), pair("egret", "egret")]
        );
        assert_eq!(of("update lily set x = 1"), [pair("lily", "lily")]);
        assert_eq!(of("select 'from x'"), []);
        assert_eq!(of("from (select"), []);
    }

    #[test]
    fn what_is_whole_is_not_completed() {
        let names = || ["heron", "hermit", "[her mit]", "heron"].map(str::to_owned).to_vec();
        assert_eq!(matching("her", names()), ["[her mit]", "hermit", "heron"]);
        assert_eq!(matching("HERON", names()), [""; 0]);
        assert_eq!(matching("x", names()), [""; 0]);
    }
}
