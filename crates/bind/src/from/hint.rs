//! Hints of joins and of queries.

use millpond_builtin::use_hint;
use millpond_catalog::rel::{JoinHint, JoinMethods, QueryHints};
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast;

use crate::binder::{Binder, option_hint};
use crate::from::optimize_for::guesses;
use crate::from::recursive::LEVELS_MAX;

/// More threads may not be configured.
const THREADS_MAX: f64 = 32_767.0;

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
/// 310 for more levels than are allowed, those of OPTIMIZE FOR ([`guesses`]), and those of [`check_query_hints`].
pub(crate) fn take_options(binder: &mut Binder<'_>, options: &[String]) -> SqlResult<()> {
    // Queries inside of the statement have none, and leave what it says.
    if options.is_empty() {
        return Ok(());
    }
    check_query_hints(options)?;
    binder.option_hints = option_hint::of(options)?;
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

/// What OPTION says, each as its upper-case words.
///
/// # Errors
/// 10715 for a name that USE HINT does not take, 1042 for two that contradict each other and for percents above 100, 304 for more threads
/// than may be configured, 10768 for two labels.
fn check_query_hints(options: &[String]) -> SqlResult<()> {
    for word in ["MAXDOP", "MAXRECURSION", "FAST", "MIN_GRANT_PERCENT", "MAX_GRANT_PERCENT"] {
        let value = |option: &String| -> Option<f64> {
            let (first, rest) = option.split_once(' ')?;
            (first == word).then(|| rest.trim_start_matches(['=', ' ']).parse().ok())?
        };
        let mut values = options.iter().filter_map(value);
        let Some(first) = values.next() else { continue };
        if word == "MAXDOP" && first > THREADS_MAX {
            return Err(SqlError::of(304, 1, &[&first, &"maxdop", &"max degree of parallelism"]));
        }
        // The same value may be said twice.
        if values.any(|other| other.total_cmp(&first).is_ne()) || word.ends_with("PERCENT") && first > 100.0 {
            return Err(SqlError::of(1042, 1, &[&word.to_lowercase()]));
        }
    }
    if options.iter().filter(|option| option.starts_with("LABEL ")).count() > 1 {
        return Err(SqlError::of(10_768, 1, &[]));
    }
    for option in options {
        let Some(names) = option.strip_prefix("USE HINT") else { continue };
        // Texts stand between each second pair of quotes.
        for name in names.split('\'').skip(1).step_by(2) {
            if !use_hint::is_known(&name.to_uppercase()) {
                return Err(SqlError::of(10_715, 1, &[&name]));
            }
        }
    }
    Ok(())
}
