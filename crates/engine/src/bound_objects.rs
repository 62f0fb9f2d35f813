//! Defaults and rules that were made on their own: what a column gets when one is bound to it, and what a column of an alias type
//! inherits.
//!
//! What always holds: a column has the text of its default, and of its rule with its own name in the place of the variable; the object
//! that they are of is known by its number, and stays as long as a column or a type has it (3716).

use std::sync::Arc;

use millpond_bind::definition::index_list::with_indexes;
use millpond_catalog::dictionary::Dictionary;
use millpond_catalog::{
    CatalogObject, CheckDef, ColumnDef, DatabaseObjects, DefaultDef, ModuleDef, ModuleKind, ObjectId, TableDef,
    UserTypeDef, names_equal,
};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{BoundBody, StatementKind};
use millpond_tsql::print::{bracketed, expression};
use millpond_tsql::{ParseOptions, parse_batch};

/// Longest text of a default in the system tables, in UTF-16 units.
const DEFAULT_UNITS_MAX: usize = 1500;
/// That of a rule.
const RULE_UNITS_MAX: usize = 3800;

/// The default or rule of a number.
#[must_use]
pub fn object(objects: &DatabaseObjects, id: ObjectId, kind: ModuleKind) -> Option<Arc<ModuleDef>> {
    match objects.get(id)? {
        CatalogObject::Module(def) if def.kind == kind => Some(Arc::clone(def)),
        _ => None,
    }
}

/// A table's definition that is to be changed.
#[must_use]
pub fn copy_of(def: &TableDef) -> TableDef {
    with_indexes(def, def.indexes.clone())
}

/// What the text of a default or rule says.
///
/// # Errors
/// 15197 for a text that is none any more.
fn body(def: &ModuleDef) -> SqlResult<BoundBody> {
    let options = ParseOptions { quoted_identifier: def.quoted_identifier };
    let batch = parse_batch(&def.text, options).map_err(message::of_syntax)?;
    let body = batch.statements.into_iter().find_map(|statement| match statement.kind {
        StatementKind::CreateBound(create) => Some(create.body),
        _ => None,
    });
    body.ok_or_else(|| SqlError::of(15_197, 1, &[&def.name]))
}

/// A default as one of a column.
///
/// # Errors
/// 40517 for one that is too long; what does not bind in the column's type.
pub fn default_of(dictionary: &Dictionary, default: &ModuleDef, column: &ColumnDef) -> SqlResult<DefaultDef> {
    let text = match body(default)? {
        BoundBody::Default(value) => format!("({})", expression(&value)),
        BoundBody::Rule { .. } => return Err(SqlError::of(15_197, 1, &[&default.name])),
    };
    check_length(&text, DEFAULT_UNITS_MAX)?;
    let expr = dictionary.texts().default(&text, column.ty)?;
    Ok(DefaultDef { id: default.id, name: String::new(), text, expr })
}

/// A rule as the condition of a column of a table.
///
/// # Errors
/// 40517 for one that is too long; what does not bind over the column.
pub fn rule_of(dictionary: &Dictionary, rule: &ModuleDef, table: &TableDef, position: usize) -> SqlResult<CheckDef> {
    let (variable, condition) = match body(rule)? {
        BoundBody::Rule { variables, condition } => (variables.into_iter().next().unwrap_or_default(), condition),
        BoundBody::Default(_) => return Err(SqlError::of(15_197, 1, &[&rule.name])),
    };
    let text = over_column(&expression(&condition), &variable, &table.columns[position].name);
    check_length(&text, RULE_UNITS_MAX)?;
    let expr = dictionary.texts().condition(&text, &table.name, &table.columns)?;
    let id = dictionary.catalog().next_object_id();
    Ok(CheckDef {
        id,
        rule: rule.id,
        name: String::new(),
        text,
        expr,
        disabled: false,
        not_trusted: true,
        not_for_replication: false,
    })
}

fn check_length(text: &str, most: usize) -> SqlResult<()> {
    match text.encode_utf16().count() > most {
        true => Err(message::missing(&format!("A default or rule of more than {most} characters"))),
        false => Ok(()),
    }
}

/// The text of a condition with a column in the place of a variable.
fn over_column(text: &str, variable: &str, column: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len() + 8), text);
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            // Strings and names in brackets go over whole; a doubled end is two of them.
            '\'' => quoted_len(rest, '\''),
            '[' => quoted_len(rest, ']'),
            '@' => {
                let is_name = |c: char| c.is_alphanumeric() || matches!(c, '@' | '_' | '#' | '$');
                rest.find(|c| !is_name(c)).unwrap_or(rest.len())
            }
            c => c.len_utf8(),
        };
        let (word, after) = rest.split_at(taken);
        match c == '@' && names_equal(word, variable) {
            true => out.push_str(&bracketed(column)),
            false => out.push_str(word),
        }
        rest = after;
    }
    out
}

/// Bytes up to and with the first `end` after the first character.
fn quoted_len(text: &str, end: char) -> usize {
    text[1..].find(end).map_or(text.len(), |at| 1 + at + end.len_utf8())
}

/// The alias type that a column was declared with.
fn type_of<'o>(objects: &'o DatabaseObjects, column: &ColumnDef) -> Option<&'o Arc<UserTypeDef>> {
    let full = column.user_type.as_ref()?;
    let is_it = |ty: &&Arc<UserTypeDef>| {
        full.strip_prefix(&*ty.schema.name).and_then(|rest| rest.strip_prefix('.')) == Some(&ty.name)
    };
    objects.user_types().find(is_it)
}

/// Whether a column may have a default that is bound.
#[must_use]
pub fn may_have_default(column: &ColumnDef) -> bool {
    may_have_rule(column) && column.identity.is_none()
}

/// Whether a column may have a rule.
#[must_use]
pub fn may_have_rule(column: &ColumnDef) -> bool {
    column.computed.is_none() && !column.is_sparse && !column.is_row_version() && !column.ty.sql.is_unbounded()
}

/// A new column gets the default of its type, where it says none of its own.
///
/// # Errors
/// Those of [`default_of`].
pub fn inherit_default(dictionary: &Dictionary, column: &mut ColumnDef) -> SqlResult<()> {
    if column.user_type.is_none() || column.default.is_some() || !may_have_default(column) {
        return Ok(());
    }
    let objects = dictionary.catalog().objects();
    let default = type_of(&objects, column).map_or(ObjectId(0), |ty| ty.default);
    if let Some(default) = object(&objects, default, ModuleKind::Default) {
        column.default = Some(default_of(dictionary, &default, column)?);
    }
    Ok(())
}

/// New columns, those from `first` on, get the rules of their types.
///
/// # Errors
/// Those of [`rule_of`].
pub fn inherit_rules(dictionary: &Dictionary, def: &mut TableDef, first: usize) -> SqlResult<()> {
    (first..def.columns.len()).try_for_each(|position| inherit_rule(dictionary, def, position))
}

/// A column gets the rule of its type, where it has none.
///
/// # Errors
/// Those of [`rule_of`].
pub fn inherit_rule(dictionary: &Dictionary, def: &mut TableDef, position: usize) -> SqlResult<()> {
    let column = &def.columns[position];
    let has_rule = |check: &CheckDef| !check.is_constraint() && check.column() == Some(position);
    if column.user_type.is_none() || !may_have_rule(column) || def.checks.iter().any(has_rule) {
        return Ok(());
    }
    let objects = dictionary.catalog().objects();
    let rule = type_of(&objects, column).map_or(ObjectId(0), |ty| ty.rule);
    if let Some(rule) = object(&objects, rule, ModuleKind::Rule) {
        let check = rule_of(dictionary, &rule, def, position)?;
        def.checks.push(check);
    }
    Ok(())
}

/// What a table's columns have of a default or rule, and types have: whether anything is bound to it.
#[must_use]
pub fn is_bound(objects: &DatabaseObjects, id: ObjectId) -> bool {
    let of_column = |column: &ColumnDef| column.default.as_ref().is_some_and(|default| default.id == id);
    let of_table =
        |def: &Arc<TableDef>| def.checks.iter().any(|check| check.rule == id) || def.columns.iter().any(of_column);
    objects.user_types().any(|ty| ty.default == id || ty.rule == id) || objects.tables().any(of_table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_becomes_the_column_and_nothing_else_does() {
        let over = |text: &str| over_column(text, "@V", "a]b");
        assert_eq!(over("@v > 0 and @@trancount = 0"), "[a]]b] > 0 and @@trancount = 0");
        assert_eq!(over("[@v].f (@v) like '@v''@v' or @value = '['"), "[@v].f ([a]]b]) like '@v''@v' or @value = '['");
    }
}
