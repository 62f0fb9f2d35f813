//! The names that a statement of the session can see.

use std::sync::Arc;

use millpond_tsql::ast::ObjectName;

use crate::bind::{Named, Names};
use crate::builtin::TableFunctionDef;
use crate::context::RunContext;
use crate::error::{SqlError, SqlResult};
use crate::function::UserFunction;
use crate::message;
use crate::view;

/// Names over a run's context.
pub(super) struct SessionNames<'a> {
    pub ctx: &'a RunContext,
}

impl Names for SessionNames<'_> {
    fn relation(&self, name: &ObjectName) -> SqlResult<Option<Named>> {
        let last = name.parts.last().expect("a name has parts");
        if last.starts_with("##") {
            return Err(message::missing("A global temporary table"));
        }
        if last.starts_with('#') && self.ctx.facts.in_function {
            return Err(SqlError::new(2772, 16, 1, "Cannot access temporary tables from within a function."));
        }
        if last.starts_with(['#', '@']) {
            let temp = self.ctx.session.temp.read();
            return Ok(temp.find(last).map(|table| Named::Table(table.def.clone())));
        }
        let database = match part(name, 2) {
            None => self.ctx.facts.database,
            Some(database) => match self.ctx.engine.database_id(database) {
                Some(id) => id,
                None => return Ok(None),
            },
        };
        Ok(view::find(part(name, 1).unwrap_or(""), last).map(|view| Named::View(view, database)))
    }

    fn table_function(&self, name: &ObjectName) -> Option<&'static TableFunctionDef> {
        view::find_function(part(name, 1).unwrap_or(""), name.parts.last()?)
    }

    fn scalar_function(&self, name: &ObjectName) -> SqlResult<Option<Arc<UserFunction>>> {
        super::function::find_function(self.ctx, name, &[])
    }

    fn in_function(&self) -> bool {
        self.ctx.facts.in_function
    }

    fn null_by_default(&self) -> bool {
        self.ctx.facts.settings.ansi_null_default_on
    }
}

/// The part `from_last` places before the last one; empty parts are as good as none.
pub(super) fn part(name: &ObjectName, from_last: usize) -> Option<&str> {
    let index = name.parts.len().checked_sub(from_last + 1)?;
    Some(name.parts[index].as_str()).filter(|part| !part.is_empty())
}
