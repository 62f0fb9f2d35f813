//! The literals of a batch's queries and changes become variables, as drivers and applications send them: nothing of a
//! statement's meaning may hang on a value being known when it is bound.
//!
//! Left as they are: modules and what creates things, SELECT INTO (a literal makes a column NOT NULL), ordinals of ORDER BY,
//! what must be a literal by the grammar, and options.

use millpond_tsql::ast::{Statement, StatementKind};
use millpond_tsql::{ParseOptions, parse_batch};

use super::lexer::{Kind, Piece, pieces};

const OPTIONS: ParseOptions = ParseOptions { quoted_identifier: true };

/// The batch with variables in place of literals, declared before its first statement on the same line.
pub fn as_variables(batch: &str) -> String {
    let Ok(tree) = parse_batch(batch, OPTIONS) else { return batch.to_owned() };
    // What counts the statement before the first one, and statements that must be the first of a batch.
    let lower = batch.to_ascii_lowercase();
    let is_module =
        |statement: &Statement| matches!(statement.kind, StatementKind::Module(_) | StatementKind::CreateSchema { .. });
    if tree.statements.iter().any(is_module)
        || ["@@rowcount", "rowcount_big", "@@error"].iter().any(|word| lower.contains(word))
        // The queries of the methods of xml are literals.
        || [".value(", ".query(", ".exist(", ".nodes(", ".modify("].iter().any(|word| lower.contains(word))
    {
        return batch.to_owned();
    }
    let mut places = Vec::new();
    tree.statements.iter().for_each(|statement| queries(statement, &mut places));
    let pieces = pieces(batch);
    let (mut declared, mut text, mut shift) = (String::new(), batch.to_owned(), 0_isize);
    for (index, piece) in pieces.iter().enumerate() {
        let is_inside = places.iter().any(|place: &std::ops::Range<usize>| place.contains(&piece.range.start));
        let Some(sql_type) = type_of(batch, piece).filter(|_| is_inside && is_free(batch, &pieces, index)) else {
            continue;
        };
        let name = format!("@__{index}");
        let at = |offset: usize| usize::try_from(offset as isize + shift).expect("within the text");
        let mut tried = text.clone();
        tried.replace_range(at(piece.range.start)..at(piece.range.end), &name);
        if parse_batch(&tried, OPTIONS).is_ok() {
            shift += name.len() as isize - piece.range.len() as isize;
            text = tried;
            declared += &format!("declare {name} {sql_type} = {} ", &batch[piece.range.clone()]);
        }
    }
    if declared.is_empty() { text } else { format!("{declared}; {text}") }
}

/// Where the batch's own queries and changes stand.
fn queries(statement: &Statement, places: &mut Vec<std::ops::Range<usize>>) {
    match &statement.kind {
        StatementKind::Block(body) => body.iter().for_each(|one| queries(one, places)),
        StatementKind::If { then, otherwise, .. } => {
            queries(then, places);
            otherwise.iter().for_each(|one| queries(one, places));
        }
        StatementKind::While { body, .. } => queries(body, places),
        StatementKind::Select(_)
        | StatementKind::Insert(_)
        | StatementKind::Update(_)
        | StatementKind::Delete(_)
        | StatementKind::Merge(_) => places.push(statement.span.start as usize..statement.span.end as usize),
        _ => (),
    }
}

/// The type of a literal, as a variable is declared with it.
fn type_of(batch: &str, piece: &Piece) -> Option<String> {
    let source = &batch[piece.range.clone()];
    match piece.kind {
        Kind::Number if source.contains(['e', 'E']) => Some("float".to_owned()),
        Kind::Number => match source.split_once('.') {
            None => source.parse::<i32>().ok().map(|_| "int".to_owned()),
            Some((whole, fraction)) => {
                let digits = whole.trim_start_matches('0').len() + fraction.len();
                (digits > 0).then(|| format!("numeric({digits}, {})", fraction.len()))
            }
        },
        Kind::Binary => Some(format!("varbinary({})", (source.len() - 1) / 2)).filter(|_| source.len() > 2),
        Kind::String | Kind::NationalString => {
            let national = piece.kind == Kind::NationalString;
            let inner = &source[1 + usize::from(national)..source.len() - 1];
            let length = inner.replace("''", "'").encode_utf16().count();
            (1..4000).contains(&length).then(|| format!("{}varchar({length})", if national { "n" } else { "" }))
        }
        Kind::Word | Kind::Other => None,
    }
}

/// Whether a variable may stand here: no ordinal, no option, no INTO, nothing that joins the literal to its neighbours.
fn is_free(batch: &str, pieces: &[Piece], index: usize) -> bool {
    let word = |index: usize| pieces.get(index).map_or("", |piece| &batch[piece.range.clone()]).to_ascii_lowercase();
    let mut depth = 0;
    for before in (0..index).rev() {
        match word(before).as_str() {
            ")" => depth += 1,
            "(" => {
                depth -= 1;
                if depth < 0
                    && ["option", "with", "tablesample", "numeric", "decimal"]
                        .contains(&word(before.wrapping_sub(1)).as_str())
                {
                    return false;
                }
                depth = depth.max(0);
            }
            "by" if depth == 0 => return false,
            "into" if depth == 0 && before > 0 && word(before - 1) != "insert" && word(before - 1) != "merge" => {
                return false;
            }
            "select" | "where" | "from" | "having" | "set" | "values" | "when" | "on" | "offset" if depth == 0 => break,
            _ => (),
        }
    }
    // `SELECT 1 INTO t`
    let rest = (index + 1..pieces.len()).map(word).take_while(|word| word != "from" && word != ";");
    !rest.into_iter().any(|word| word == "into")
}
