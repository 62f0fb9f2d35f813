//! `OPTION (TABLE HINT (name, hint, …))`: hints of a table that the query has elsewhere.
//!
//! What always holds: INDEX, FORCESEEK and FORCESCAN of OPTION stand in the place of those of WITH; all other hints must stand in both.

use millpond_catalog::names_equal;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::ObjectName;

/// What OPTION says of a table.
#[derive(Clone, Debug)]
pub(crate) struct OptionHint {
    /// The name by which the query knows the table: its alias, or its name as it is written.
    object: String,
    hints: Vec<String>,
    is_used: bool,
}

/// Those of OPTION.
///
/// # Errors
/// 8720 for two of one table.
pub(crate) fn of(options: &[String]) -> SqlResult<Vec<OptionHint>> {
    let mut found: Vec<OptionHint> = Vec::new();
    for option in options {
        let Some(list) = option.strip_prefix("TABLE HINT ") else { continue };
        let list = list.trim().strip_prefix('(').and_then(|list| list.strip_suffix(')')).unwrap_or(list);
        let mut items = items(list).into_iter();
        let object = items.next().unwrap_or_default().split(' ').map(bare).collect::<String>();
        if found.iter().any(|known| names_equal(&known.object, &object)) {
            return Err(SqlError::of(8720, 0, &[&object]));
        }
        found.push(OptionHint { object, hints: items.map(|hint| with_capitals(&hint)).collect(), is_used: false });
    }
    Ok(found)
}

/// The hints of a table as OPTION has them, if it names it.
///
/// # Errors
/// 8722 for a hint of locks that does not stand in both.
pub(crate) fn hinted(
    known: &mut [OptionHint],
    name: &ObjectName,
    alias: Option<&str>,
    hints: &[String],
) -> SqlResult<Option<Vec<String>>> {
    if known.is_empty() {
        return Ok(None);
    }
    let exposed = alias.map_or_else(|| name.parts.join("."), str::to_owned);
    let Some(known) = known.iter_mut().find(|known| names_equal(&known.object, &exposed)) else {
        return Ok(None);
    };
    known.is_used = true;
    let missing =
        |from: &[String], to: &[String]| from.iter().find(|hint| !is_path(hint) && !to.contains(hint)).cloned();
    let clauses =
        [("TABLE HINT", "WITH", missing(&known.hints, hints)), ("WITH", "TABLE HINT", missing(hints, &known.hints))];
    match clauses.into_iter().find_map(|(has, lacks, hint)| Some((has, lacks, hint?))) {
        Some((has, lacks, hint)) => Err(SqlError::of(8722, 1, &[&hint.to_lowercase(), &has, &known.object, &lacks])),
        None => Ok(Some(known.hints.clone())),
    }
}

/// 8723 for a table that the statement does not have.
pub(crate) fn check_used(hints: &[OptionHint]) -> SqlResult<()> {
    match hints.iter().find(|hint| !hint.is_used) {
        Some(unused) => Err(SqlError::of(8723, 1, &[&unused.object])),
        None => Ok(()),
    }
}

/// Whether a hint is about the path to rows alone.
fn is_path(hint: &str) -> bool {
    ["INDEX", "FORCESEEK", "FORCESCAN"].contains(&hint.split(' ').next().unwrap_or(hint))
}

/// What stands between the commas of a list, outside of parentheses and delimiters.
fn items(list: &str) -> Vec<String> {
    let (mut items, mut depth, mut until) = (vec![String::new()], 0, None);
    for of in list.chars() {
        match (of, until) {
            (of, Some(end)) if of == end => until = None,
            (_, Some(_)) => {}
            ('[', None) => until = Some(']'),
            ('"', None) => until = Some('"'),
            ('(', None) => depth += 1,
            (')', None) => depth -= 1,
            (',', None) if depth == 0 => {
                items.push(String::new());
                continue;
            }
            _ => {}
        }
        items.last_mut().expect("there is one").push(of);
    }
    items.into_iter().map(|item| item.trim().to_owned()).collect()
}

/// A hint with its word in capitals.
fn with_capitals(hint: &str) -> String {
    match hint.split_once(' ') {
        Some((word, rest)) => format!("{} {rest}", word.to_uppercase()),
        None => hint.to_uppercase(),
    }
}

/// A part of a name without its delimiters.
fn bare(part: &str) -> &str {
    part.strip_prefix('[').and_then(|part| part.strip_suffix(']')).unwrap_or(part).trim_matches('"')
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn tables_and_their_hints_are_told_apart() {
        let options = ["MAXDOP 1", "TABLE HINT ( [dbo] . t , index ( [a, b] , c ) , nolock )", "TABLE HINT ( x )"];
        let found = of(&options.map(str::to_owned)).expect("two tables");
        let shown: Vec<(&str, &[String])> = found.iter().map(|one| (one.object.as_str(), &one.hints[..])).collect();
        let first = ["INDEX ( [a, b] , c )".to_owned(), "NOLOCK".to_owned()];
        assert_eq!(shown, [("dbo.t", &first[..]), ("x", &[])]);
        let twice = ["TABLE HINT ( x )", "TABLE HINT ( X , nolock )"].map(str::to_owned);
        assert_eq!(of(&twice).map(|_| ()).map_err(|error| error.number), Err(8720));
    }
}
