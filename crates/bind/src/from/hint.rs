//! Hints of tables, of joins and of queries.

use std::sync::Arc;

use millpond_builtin::use_hint;
use millpond_catalog::rel::{Guesses, JoinHint, JoinMethods, QueryHints};
use millpond_catalog::{KeyColumn, TableDef, names_equal};
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{self, ObjectName};
use millpond_txn::{Isolation, ReadHint, RowLocks, TableLock};
use millpond_types::{CastRules, MaxLen, SqlType, Value, cast};

use crate::binder::Binder;
use crate::from::recursive::LEVELS_MAX;

/// What the hints of a table say, each as its upper-case word, an INDEX hint with its argument: how rows are read, and
/// the index that is to be used.
///
/// # Errors
/// 308 for an index that is not there, 1047 for locks that contradict each other, 362 and 364 for columns of FORCESEEK.
pub(crate) fn table_hints(hints: &[String], def: &TableDef) -> SqlResult<(ReadHint, Option<usize>)> {
    let (mut read, mut forced) = (ReadHint::default(), None);
    for hint in hints {
        match hint.as_str() {
            "NOLOCK" | "READUNCOMMITTED" => read.isolation = Some(Isolation::ReadUncommitted),
            "READCOMMITTED" => read.isolation = Some(Isolation::ReadCommitted),
            "READCOMMITTEDLOCK" => {
                read.isolation = Some(Isolation::ReadCommitted);
                read.committed_by_locks = true;
            }
            "REPEATABLEREAD" => read.isolation = Some(Isolation::RepeatableRead),
            "SERIALIZABLE" | "HOLDLOCK" => read.isolation = Some(Isolation::Serializable),
            "SNAPSHOT" => read.isolation = Some(Isolation::Snapshot),
            "UPDLOCK" => read.rows = RowLocks::Update,
            "XLOCK" => read.rows = RowLocks::Exclusive,
            "TABLOCK" => read.table = TableLock::Shared,
            "TABLOCKX" => read.table = TableLock::Exclusive,
            "READPAST" => read.skips_locked = true,
            "NOWAIT" => read.no_wait = true,
            other => {
                if let Some(name) = index_name(other) {
                    forced = index_of(def, name)?.map(|place| enabled(def, place)).transpose()?;
                } else if let Some((name, columns)) = seek_of(other) {
                    forced = index_of(def, name)?.map(|place| enabled(def, place)).transpose()?;
                    check_seek(def, forced, &columns)?;
                }
            }
        }
    }
    let locks = read.rows != RowLocks::Level || read.table != TableLock::Rows;
    if read.isolation == Some(Isolation::ReadUncommitted) && locks {
        return Err(SqlError::of(1047, 1, &[]));
    }
    Ok((read, forced))
}

/// What the hints after the target of a change may not be: 1065 for those that read what is not committed, 1069 for an index,
/// 8171 for NOEXPAND.
pub(crate) fn check_target_hints(hints: &[String], name: &ObjectName) -> SqlResult<()> {
    if hints.iter().any(|hint| hint == "NOEXPAND") {
        return Err(SqlError::of(8171, 1, &[&"noexpand", &name.shown()]));
    }
    if hints.iter().any(|hint| matches!(hint.as_str(), "NOLOCK" | "READUNCOMMITTED")) {
        return Err(SqlError::of(1065, 1, &[]));
    }
    match hints.iter().any(|hint| index_name(hint).is_some()) {
        true => Err(SqlError::of(1069, 1, &[])),
        false => Ok(()),
    }
}

/// `INDEX(name)`, `INDEX = name`, `INDEX = (name)`
fn index_name(hint: &str) -> Option<&str> {
    let rest = hint.strip_prefix("INDEX")?.trim_start();
    let rest = rest.strip_prefix('=').unwrap_or(rest).trim();
    let rest = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(rest).trim();
    let first = bare(rest.split(',').next()?);
    (!first.is_empty()).then_some(first)
}

/// The index of `FORCESEEK ( index ( column , … ) )` and its columns, in whatever brackets.
fn seek_of(hint: &str) -> Option<(&str, Vec<&str>)> {
    let rest = hint.strip_prefix("FORCESEEK")?.trim().strip_prefix('(')?.strip_suffix(')')?;
    let (index, columns) = rest.split_once('(')?;
    let columns = columns.trim().strip_suffix(')')?;
    Some((bare(index), columns.split(',').map(bare).collect()))
}

/// A name without its delimiters.
fn bare(name: &str) -> &str {
    let name = name.trim();
    let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name.trim_matches('"')
}

/// 364 for more columns than the key has, 362 for others.
fn check_seek(def: &TableDef, forced: Option<usize>, columns: &[&str]) -> SqlResult<()> {
    let Some(index) = forced.map(|place| &def.indexes[place]) else { return Ok(()) };
    if columns.len() > index.key.len() {
        return Err(SqlError::of(364, 1, &[&def.name, &index.name]));
    }
    let is_key = |(column, key): (&&str, &KeyColumn)| names_equal(column, &def.columns[key.column].name);
    match columns.iter().zip(&index.key).find(|pair| !is_key(*pair)) {
        Some((other, _)) => Err(SqlError::of(362, 1, &[other, &def.name, &index.name])),
        None => Ok(()),
    }
}

/// What is said of a join by its word, which fixes the order of all joins of the statement.
///
/// # Errors
/// 1042 where OPTION does not leave what the word asks for, 1071 for REMOTE beside what OPTION says of joins.
pub(crate) fn join_hint(binder: &mut Binder<'_>, word: Option<ast::JoinHint>) -> SqlResult<JoinHint> {
    let Some(word) = word else { return Ok(JoinHint::default()) };
    let asked = binder.hints.methods;
    if word == ast::JoinHint::Remote && asked != JoinMethods::ALL {
        return Err(SqlError::of(1071, 1, &[]));
    }
    let may = |asked: JoinMethods| asked.within(JoinMethods::of(word)).is_some();
    if !may(asked) && binder.hints.gives_way {
        // What the session asks for is less than what the statement says.
        binder.hints.methods = JoinMethods::ALL;
    } else if !may(asked) {
        return Err(SqlError::of(1042, 1, &[&"JOIN"]));
    }
    binder.warns_of_order |= !binder.hints.force_order;
    binder.hints.force_order = true;
    Ok(JoinHint::of(Some(word)))
}

/// Takes note of what OPTION says of the statement: MAXDOP, how joins are run, for which values, MAXRECURSION.
///
/// # Errors
/// 310 for more levels than are allowed, 137 for a variable of OPTIMIZE FOR that is not declared, and those of [`check_query_hints`].
pub(crate) fn take_options(binder: &mut Binder<'_>, options: &[String]) -> SqlResult<()> {
    // Queries inside of the statement have none, and leave what it says.
    if options.is_empty() {
        return Ok(());
    }
    check_query_hints(options)?;
    let hints = QueryHints::of(options, &QueryHints::of_session(binder.dialect.forces_plan()));
    binder.hints = QueryHints { guesses: guesses(binder, options)?, ..hints };
    let number = |option: &String| option.strip_prefix("MAXRECURSION ")?.trim().parse::<u64>().ok();
    let Some(levels) = options.iter().find_map(number) else { return Ok(()) };
    match u32::try_from(levels) {
        Ok(levels) if levels <= LEVELS_MAX => binder.recursion_levels = levels,
        _ => return Err(SqlError::of(310, 1, &[&levels, &LEVELS_MAX])),
    }
    Ok(())
}

/// For which values the plan is to be made; none where for those that variables have.
fn guesses(binder: &Binder<'_>, options: &[String]) -> SqlResult<Option<Arc<Guesses>>> {
    let mut guesses = Guesses::default();
    for option in options {
        guesses.all_unknown |= option.starts_with("USE HINT") && option.contains("'DISABLE_PARAMETER_SNIFFING'");
        let Some(said) = option.strip_prefix("OPTIMIZE FOR ") else { continue };
        let Some(list) = said.strip_prefix('(').and_then(|said| said.strip_suffix(')')) else {
            guesses.all_unknown = true;
            continue;
        };
        for (name, value) in pairs(list) {
            let (slot, ty) = binder
                .variables
                .find(name)
                .ok_or_else(|| millpond_message::undeclared_variable(&name.to_lowercase()))?;
            guesses.values.push((slot, value.map_or(Value::Null, |text| value_of(text, &ty))));
        }
    }
    let says_nothing = !guesses.all_unknown && guesses.values.is_empty();
    Ok((!says_nothing).then(|| Arc::new(guesses)))
}

/// The variables of `@a = 7, @b UNKNOWN`, each with the text of its value.
fn pairs(list: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    // A comma within a text is behind an odd number of quotes.
    let mut within = false;
    let items = list.split(move |of: char| {
        within ^= of == '\'';
        of == ',' && !within
    });
    items.map(str::trim).filter(|item| !item.is_empty()).map(|item| match item.split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim())),
        None => (item.split(' ').next().unwrap_or(item), None),
    })
}

/// The value that a literal has in a type; NULL where it has none: the plan is then made for none.
fn value_of(text: &str, ty: &SqlType) -> Value {
    let text = text.strip_prefix('N').filter(|rest| rest.starts_with('\'')).unwrap_or(text);
    let bare = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    let (is_null, text) =
        (bare.is_none() && text == "NULL", bare.unwrap_or(text).replace("''", "'").replace("- ", "-"));
    if is_null {
        return Value::Null;
    }
    let from = SqlType::NVarChar { len: MaxLen::Max };
    cast::cast(&Value::str(&text), &from, ty, None, CastRules::DEFAULT).unwrap_or(Value::Null)
}

/// What OPTION says, each as its upper-case words.
///
/// # Errors
/// 10715 for a name that USE HINT does not take, 1042 for two that contradict each other.
fn check_query_hints(options: &[String]) -> SqlResult<()> {
    for word in ["MAXDOP", "MAXRECURSION", "FAST"] {
        let is_it = |option: &&String| option.split(' ').next() == Some(word);
        if options.iter().filter(is_it).count() > 1 {
            return Err(SqlError::of(1042, 1, &[&word]));
        }
    }
    for option in options {
        let Some(names) = option.strip_prefix("USE HINT") else { continue };
        // Texts stand between each second pair of quotes.
        for name in names.split('\'').skip(1).step_by(2) {
            if !use_hint::is_known(name) {
                return Err(SqlError::of(10_715, 1, &[&name]));
            }
        }
    }
    Ok(())
}

/// The place of an index by its name or number; none for the rows of a heap that has no indexes at all.
fn index_of(def: &TableDef, name: &str) -> SqlResult<Option<usize>> {
    let found = match name.parse::<u16>() {
        Ok(0) if def.indexes.is_empty() => return Ok(None),
        // INDEX(0) asks for a scan of the rows, INDEX(1) for the clustered index.
        Ok(id) => def.indexes.iter().position(|index| index.id == id || id == 0 && index.holds_rows()),
        Err(_) => def.indexes.iter().position(|index| names_equal(&index.name, name)),
    };
    found.map(Some).ok_or_else(|| match name.parse::<u16>() {
        Ok(id) => SqlError::of(307, 1, &[&id, &def.two_part_name()]),
        Err(_) => SqlError::of(308, 1, &[&name, &def.two_part_name()]),
    })
}

/// 315 for an index that has no entries.
fn enabled(def: &TableDef, place: usize) -> SqlResult<usize> {
    let index = &def.indexes[place];
    if !index.disabled {
        return Ok(place);
    }
    Err(SqlError::of(315, 1, &[&index.name, &def.two_part_name()]))
}

#[cfg(test)]
mod tests {
    use super::{SqlType, Value, index_name, pairs, value_of};

    #[test]
    fn the_name_of_an_index_hint_is_found_in_all_spellings() {
        for hint in ["INDEX(W_DETAILS)", "INDEX = W_DETAILS", "INDEX=(W_DETAILS)", "INDEX ( [W_DETAILS] )"] {
            assert_eq!(index_name(hint), Some("W_DETAILS"), "{hint}");
        }
        assert_eq!(index_name("NOLOCK"), None);
    }

    #[test]
    fn values_to_optimize_for_are_read_as_literals() {
        let list = "@A = 7 , @B UNKNOWN , @C = N'X, ''Y''' , @D = - 3 , @E = NULL";
        let found: Vec<(&str, Option<&str>)> = pairs(list).collect();
        let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["@A", "@B", "@C", "@D", "@E"]);
        let value = |at: usize, ty: SqlType| value_of(found[at].1.expect("it has one"), &ty);
        assert_eq!(value(0, SqlType::Int), Value::Int(7));
        assert_eq!(found[1].1, None);
        assert_eq!(value(2, SqlType::varchar(30)), Value::str("X, 'Y'"));
        assert_eq!(value(3, SqlType::Int), Value::Int(-3));
        assert_eq!(value(4, SqlType::Int), Value::Null);
        assert_eq!(value(2, SqlType::Int), Value::Null, "no number");
    }
}
