//! The variables of a text before it runs: those that it declares, and that none is used where it is not declared yet.
//!
//! What always holds: DECLARE counts from its place in the text on, wherever control goes; so a text that uses what it
//! declares nowhere, or only further down, does not begin (137, 1087).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use millpond_bind::Variables;
use millpond_builtin as builtin;
use millpond_engine::module::Signature;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{DataType, Statement, StatementKind, VariableUse};
use millpond_types::{SqlType, Value};

/// Variables that a text starts with: its parameters.
#[derive(Clone, Default)]
pub struct Parameters {
    /// Their names and types.
    pub signature: Arc<Signature>,
    /// Their values, in the same order.
    pub values: Vec<Value>,
}

impl Parameters {
    /// One more, without a value.
    pub fn declare(&mut self, name: String, sql: SqlType) {
        let signature = Arc::make_mut(&mut self.signature);
        signature.names.push(name);
        signature.types.push(sql);
    }
}

/// All scalar variables of a text, parameters first. `types` resolves a declared type; it gives none for a table's.
///
/// # Errors
/// 134, 2715, 2739.
pub fn declare_all(
    statements: &[Statement],
    parameters: &Signature,
    types: &dyn Fn(&DataType) -> SqlResult<Option<SqlType>>,
) -> SqlResult<Variables> {
    let mut variables = Variables::default();
    for (name, sql) in parameters.names.iter().zip(&parameters.types) {
        variables.declare(name, *sql).ok_or_else(|| message::duplicate_variable(name))?;
    }
    let mut names = parameters.names.iter().map(|name| name.to_lowercase()).collect();
    let mut declare = |statement: &Statement| {
        check_names(statement, &mut names)?;
        declare_one(statement, &mut variables, types)
    };
    each(statements, &mut declare)?;
    Ok(variables)
}

/// 134: variables of all kinds share their names; `names`, in lower case, are those so far.
fn check_names(statement: &Statement, names: &mut HashSet<String>) -> SqlResult<()> {
    let mut add = |name: &str| match names.insert(name.to_lowercase()) {
        true => Ok(()),
        false => Err(message::duplicate_variable(name).at(statement.span.line)),
    };
    match &statement.kind {
        StatementKind::Declare(list) => list.iter().try_for_each(|declaration| add(&declaration.name)),
        StatementKind::DeclareTable { name, .. } => add(name),
        _ => Ok(()),
    }
}

/// Whether a type is written as `text`, `ntext` or `image`, which are other names of `max` types.
pub fn is_legacy(data_type: &DataType) -> bool {
    let is_text = |sql: &SqlType| sql.is_max() && *sql != SqlType::Xml;
    matches!(data_type, DataType::Scalar { sql_type, explicit_length: false } if is_text(sql_type))
}

fn declare_one(
    statement: &Statement,
    variables: &mut Variables,
    types: &dyn Fn(&DataType) -> SqlResult<Option<SqlType>>,
) -> SqlResult<()> {
    let StatementKind::Declare(list) = &statement.kind else { return Ok(()) };
    let line = statement.span.line;
    for declaration in list.iter().filter(|declaration| declaration.data_type != DataType::Cursor) {
        if is_legacy(&declaration.data_type) {
            return Err(SqlError::of(2739, 1, &[]).at(line));
        }
        let declared = types(&declaration.data_type).map_err(|error| error.at(line))?;
        let Some(sql) = declared else { continue };
        variables
            .declare(&declaration.name, sql)
            .ok_or_else(|| message::duplicate_variable(&declaration.name).at(line))?;
    }
    Ok(())
}

/// Every statement of a list and of what stands inside of it, in the order of the text.
fn each(statements: &[Statement], visit: &mut dyn FnMut(&Statement) -> SqlResult<()>) -> SqlResult<()> {
    for statement in statements {
        visit(statement)?;
        match &statement.kind {
            StatementKind::Block(statements) => each(statements, visit)?,
            StatementKind::If { then, otherwise, .. } => {
                each(std::slice::from_ref(then), visit)?;
                if let Some(otherwise) = otherwise {
                    each(std::slice::from_ref(otherwise), visit)?;
                }
            }
            StatementKind::While { body, .. } => each(std::slice::from_ref(body), visit)?,
            StatementKind::TryCatch { body, handler } => {
                each(body, visit)?;
                each(handler, visit)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// A variable as its declaration alone says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Scalar,
    Table,
    /// A cursor, or of a user's type.
    Other,
}

/// The variables that a text declares, by name in lower case: what they are and from which byte on.
#[derive(Default)]
pub struct DeclaredNames {
    found: HashMap<String, (Kind, u32)>,
}

impl DeclaredNames {
    /// A parameter.
    pub fn parameter(&mut self, name: &str, data_type: &DataType) {
        self.add(name, kind_of(data_type), 0);
    }

    /// A scalar parameter, or one of which only the name is known.
    pub fn given(&mut self, name: &str) {
        self.add(name, Kind::Other, 0);
    }

    /// What the statements declare.
    pub fn add_all(&mut self, statements: &[Statement]) {
        let mut add = |statement: &Statement| {
            match &statement.kind {
                StatementKind::Declare(list) => {
                    for declaration in list {
                        self.add(&declaration.name, kind_of(&declaration.data_type), statement.span.start);
                    }
                }
                StatementKind::DeclareTable { name, .. } => self.add(name, Kind::Table, statement.span.start),
                _ => {}
            }
            Ok(())
        };
        each(statements, &mut add).expect("nothing in it fails");
    }

    /// Whether the text declares it somewhere.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.found.contains_key(&name.to_lowercase())
    }

    fn add(&mut self, name: &str, kind: Kind, from: u32) {
        self.found.entry(name.to_lowercase()).or_insert((kind, from));
    }

    /// Refuses a text that uses a variable that is not declared at its place. `is_known` says which table parameters there are.
    ///
    /// # Errors
    /// 137, 1087.
    pub fn check(&self, text: &str, uses: &[VariableUse], is_known: &dyn Fn(&str) -> bool) -> SqlResult<()> {
        for used in uses {
            let name = &text[used.span.start as usize..used.span.end as usize];
            let found = self.found.get(&name.to_lowercase()).filter(|(_, from)| *from <= used.span.start);
            let fits = match found {
                Some((kind, _)) => !(used.is_table && *kind == Kind::Scalar),
                None => is_known(name) || (name.starts_with("@@") && builtin::find(name).is_some()),
            };
            if !fits {
                return Err(undeclared(name, used.is_table).at(used.span.line));
            }
        }
        Ok(())
    }
}

fn undeclared(name: &str, is_table: bool) -> SqlError {
    if is_table { message::undeclared_table_variable(name) } else { message::undeclared_variable(name) }
}

fn kind_of(data_type: &DataType) -> Kind {
    match data_type {
        DataType::Scalar { .. } | DataType::SysName => Kind::Scalar,
        DataType::Named(_) | DataType::Cursor => Kind::Other,
    }
}
