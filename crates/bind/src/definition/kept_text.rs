//! The text of an expression as the system tables keep it.

use millpond_catalog::is_local_temporary;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_tsql::ast::Expr;

/// Longest text of a condition, in UTF-16 units.
pub(crate) const CONDITION_UNITS_MAX: usize = 3800;

/// An expression's text as the system tables keep it; `most` is in UTF-16 units. That of a table which one session has is
/// kept in memory alone, and may have any length.
pub(crate) fn kept_text(table: &str, expr: &Expr, most: usize) -> SqlResult<String> {
    let text = millpond_tsql::print::expression(expr);
    let text = if is_wrapped(&text) { text } else { format!("({text})") };
    let is_stored = !table.starts_with('@') && !is_local_temporary(table);
    if is_stored && text.encode_utf16().count() > most {
        return Err(message::missing(&format!("An expression of more than {most} characters in a definition")));
    }
    Ok(text)
}

/// Whether the first parenthesis closes at the end.
fn is_wrapped(text: &str) -> bool {
    let (mut depth, mut quoted) = (0usize, false);
    for (index, c) in text.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return text.starts_with('(') && index + 1 == text.len();
                }
            }
            _ if depth == 0 => return false,
            _ => {}
        }
    }
    false
}
