//! `value`, `query`, `exist` and `modify`: calls of a query that was read when the statement was bound. To the algebra they
//! are calls of functions whose bodies are here.

use millpond_catalog::function_body::FunctionBody;
use millpond_catalog::run::Run;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{SqlType, Value};
use millpond_xml::xquery::{Given, Method, Query};

use crate::xml::StatementBudget;
use crate::xml::atoms::{given, value_of};
use crate::xml::error::{of_modify, of_run};
use crate::xml::reference::Target;

/// A call of a method. Its arguments are the target and the values of SQL that the query names.
#[derive(Debug)]
pub struct Call {
    /// The query.
    pub query: Query,
    /// Which method.
    pub method: Method,
    /// The target is a reference to a node.
    pub is_node: bool,
    /// Types of the values of SQL.
    pub types: Vec<SqlType>,
    /// The type of the result.
    pub returns: SqlType,
    /// What `modify` changes, as messages name it.
    pub target_name: String,
}

impl FunctionBody for Call {
    fn call(&self, ctx: &dyn Run, args: Vec<Value>) -> SqlResult<Value> {
        let Some((target, values)) = args.split_first() else { return Ok(Value::Null) };
        let Some(text) = target.as_str() else {
            return match self.method {
                Method::Modify => Err(SqlError::of(5302, 1, &[&"modify()", &self.target_name])),
                _ => Ok(Value::Null),
            };
        };
        let given = given_values(ctx, values, &self.types)?;
        let target = Target::of(ctx, text, self.is_node)?;
        let mut budget = StatementBudget::new(ctx);
        if self.method == Method::Modify {
            let document = std::sync::Arc::unwrap_or_clone(target.document);
            let changed = self.query.modify(document, &given, &mut budget).map_err(of_modify)?;
            return ctx.hold(Ok(Value::from(millpond_xml::document_text(&changed))));
        }
        let items = self.query.run(&target.document, target.node, &given, &mut budget).map_err(of_run)?;
        match self.method {
            Method::Exist => Ok(Value::Bit(!items.is_empty())),
            Method::Value => match items.first() {
                Some(atom) => ctx.hold(value_of(ctx, &atom, &self.returns)),
                None => Ok(Value::Null),
            },
            _ => {
                let text = items.text();
                ctx.check_room(text.len())?;
                ctx.hold(Ok(Value::from(text)))
            }
        }
    }
}

/// The values of SQL for a query.
pub(super) fn given_values(ctx: &dyn Run, values: &[Value], types: &[SqlType]) -> SqlResult<Vec<Given>> {
    values.iter().zip(types).map(|(value, sql)| given(ctx, value, sql)).collect()
}
