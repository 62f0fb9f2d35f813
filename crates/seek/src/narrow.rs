//! Views that are asked for the rows of some objects alone: the conjuncts that say which ones, and the objects of a run.
//!
//! What always holds: the view is asked for no fewer objects than the predicate lets pass, and the predicate is evaluated
//! on its rows all the same.

use millpond_catalog::ObjectId;
use millpond_catalog::expr::BoundExpr;
use millpond_catalog::run::Run;
use millpond_catalog::system_view::{Lead, ViewDef};
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_types::Value;

use crate::choose::values_of;

/// Values by which the objects of a view's rows are found.
#[derive(Debug)]
pub struct Narrowing {
    lead: Lead,
    /// Over the outer row, after the view's columns.
    pub values: Vec<BoundExpr>,
}

/// Rows that an object is taken to have in a view of which the size is not known: columns, indexes, constraints.
const ROWS_OF_OBJECT: f64 = 10.0;
/// Rows that a view is taken to have when it is not asked for some objects.
const ROWS_OF_VIEW: f64 = 1000.0;

/// About how many rows a view has for which the conjuncts are true, and has at all.
pub fn view_rows(view: &'static ViewDef, conjuncts: &[BoundExpr]) -> (f64, f64) {
    let narrowed = Narrowing::of(view, conjuncts).map(|narrowing| narrowing.values.len() as f64 * ROWS_OF_OBJECT);
    (narrowed.unwrap_or(ROWS_OF_VIEW), ROWS_OF_VIEW)
}

impl Narrowing {
    /// What the conjuncts over a view's columns, followed by the outer row, say of its objects.
    pub fn of(view: &'static ViewDef, conjuncts: &[BoundExpr]) -> Option<Narrowing> {
        let facts: Vec<(usize, &[BoundExpr])> =
            conjuncts.iter().filter_map(|conjunct| values_of(view.columns, conjunct)).collect();
        view.leads().into_iter().find_map(|(column, lead)| {
            let (_, values) = facts.iter().find(|(of, _)| *of == column)?;
            Some(Narrowing { lead, values: values.to_vec() })
        })
    }

    /// The objects, `value_of` giving what an expression over no columns is; none when a value says nothing of them, so that all are wanted.
    ///
    /// # Errors
    /// Those of a database that is not available.
    pub fn objects(
        &self,
        value_of: impl Fn(&BoundExpr) -> SqlResult<Value>,
        context: &RunContext,
        database: DbId,
    ) -> SqlResult<Option<Vec<ObjectId>>> {
        let (mut ids, mut names) = (Vec::new(), Vec::new());
        for expr in &self.values {
            // What fails here fails again when the predicate is evaluated on a row, or there is no row.
            let Ok(value) = value_of(expr) else { return Ok(None) };
            match (self.lead, value) {
                (_, Value::Null) => {}
                (Lead::Name, Value::Str(name)) => names.push(name),
                (Lead::Name, _) => return Ok(None),
                (lead, value) => match value.as_i64() {
                    None => return Ok(None),
                    Some(0) if lead == Lead::Parent => return Ok(None),
                    Some(number) => ids.extend(i32::try_from(number)),
                },
            }
        }
        let names: Vec<&str> = names.iter().map(|name| &**name).collect();
        context.catalog().owners(database, &ids, &names).map(Some)
    }
}
