//! What a text says of objects that are not there yet: which errors are of absence, and which statements make what was missing.

use millpond_builtin::object_name;
use millpond_catalog::names_equal;
use millpond_tsql::ast::{Cte, InsertSource, ObjectName, QueryBody, Span, Statement, StatementKind};

use crate::binder::names::{Home, Names};

/// M2: whether an error says itself that an object is not there.
pub fn is_of_absence(number: i32) -> bool {
    // 1087: the declaration of a table variable was left to the run itself.
    matches!(number, 208 | 911 | 1087 | 4121 | 5313)
}

/// M2: the first name in FROM, outside of statements inside of this one, that is of no table. With the text of the
/// statement, and all places of such names in it.
pub fn missing_object(
    names: &dyn Names,
    statement: &Statement,
    (text, relations): (&str, &[Span]),
) -> Option<ObjectName> {
    let end = match &statement.kind {
        StatementKind::If { then, .. } => then.span.start,
        StatementKind::While { body, .. } => body.span.start,
        _ => statement.span.end,
    };
    missing_between(names, (statement.span.start, end), ctes_of(&statement.kind), (text, relations))
}

/// [`missing_object`] of a part of a text: from its first byte to before the last one.
pub fn missing_between(
    names: &dyn Names,
    (start, end): (u32, u32),
    ctes: &[Cte],
    (text, relations): (&str, &[Span]),
) -> Option<ObjectName> {
    let is_own = |name: &str| name.starts_with('@') || ctes.iter().any(|cte| names_equal(&cte.name, name));
    let first = relations.partition_point(|span| span.start < start);
    let here = relations[first..].iter().take_while(|span| span.start < end);
    let mut named = here.filter_map(|span| object_name(text.get(span.start as usize..span.end as usize)?));
    named.find(|name| {
        let is_given = matches!(&name.parts[..], [only] if is_own(only));
        !is_given && matches!(names.relation(name, None), Ok(None)) && !is_function(names, name, None)
    })
}

/// Whether a name that is of no table is of a function that gives rows.
pub(crate) fn is_function(names: &dyn Names, name: &ObjectName, home: Option<Home>) -> bool {
    names.table_function(name).is_some() || matches!(names.user_table_function(name, home), Ok(Some(_)))
}

/// The table that a statement makes.
pub fn made_by(kind: &StatementKind) -> Option<&ObjectName> {
    match kind {
        StatementKind::CreateTable { name, .. } => Some(name),
        StatementKind::Select(select) => into_of(&select.query.body),
        _ => None,
    }
}

/// The table that a query makes.
fn into_of(body: &QueryBody) -> Option<&ObjectName> {
    match body {
        QueryBody::Select(select) => select.into.as_ref(),
        QueryBody::SetOperation { left, .. } => into_of(left),
        QueryBody::Nested(query) => into_of(&query.body),
        QueryBody::Values(_) => None,
    }
}

/// The names that a statement gives to queries.
fn ctes_of(kind: &StatementKind) -> &[Cte] {
    use StatementKind as S;
    match kind {
        S::Select(select) => &select.query.ctes,
        // Those of its query are the query's.
        S::Insert(insert) => match &insert.source {
            InsertSource::Query(query) if insert.ctes.is_empty() => &query.ctes,
            _ => &insert.ctes,
        },
        S::Update(update) => &update.ctes,
        S::Delete(delete) => &delete.ctes,
        S::Merge(merge) => &merge.ctes,
        S::DeclareCursor(declare) => &declare.cursor.query.ctes,
        S::SetCursor { cursor, .. } => &cursor.query.ctes,
        _ => &[],
    }
}
