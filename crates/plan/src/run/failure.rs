//! Errors through DataFusion and back: an [`SqlError`] of a scan or a function travels as `External` and comes out as it
//! went in, however often an operator wrapped it. Everything else becomes 701 or 8630.

use datafusion::arrow::error::ArrowError;
use datafusion::error::DataFusionError;
use millpond_message::error::{SqlError, SqlResult};
use millpond_spill::OutOfMemory;

use crate::run::failure;

/// The error as DataFusion carries it.
pub(crate) fn from_sql(error: SqlError) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

/// The error to the user.
pub(crate) fn to_sql(error: DataFusionError) -> SqlError {
    find(&error).unwrap_or_else(|| internal(&error.to_string()))
}

/// 8630: an operator failed in a way that no statement should cause.
pub(crate) fn internal(what: &str) -> SqlError {
    let first_line = what.lines().next().unwrap_or_default();
    SqlError::of(8630, 1, &[&first_line])
}

/// 701: workspace memory is used up.
pub(crate) fn out_of_memory() -> SqlError {
    SqlError::of(701, 123, &[&"default"])
}

fn find(error: &DataFusionError) -> Option<SqlError> {
    match error {
        DataFusionError::External(inner) => find_in_box(inner.as_ref()),
        DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => find(inner),
        DataFusionError::Shared(inner) => find(inner),
        DataFusionError::Collection(errors) => errors.iter().find_map(find),
        DataFusionError::ArrowError(inner, _) => find_in_arrow(inner),
        DataFusionError::ResourcesExhausted(_) => Some(out_of_memory()),
        _ => None,
    }
}

fn find_in_arrow(error: &ArrowError) -> Option<SqlError> {
    match error {
        ArrowError::ExternalError(inner) => find_in_box(inner.as_ref()),
        ArrowError::MemoryError(_) | ArrowError::OffsetOverflowError(_) => Some(out_of_memory()),
        _ => None,
    }
}

fn find_in_box(error: &(dyn std::error::Error + Send + Sync + 'static)) -> Option<SqlError> {
    if let Some(sql) = error.downcast_ref::<SqlError>() {
        return Some(sql.clone());
    }
    if error.downcast_ref::<OutOfMemory>().is_some() {
        return Some(out_of_memory());
    }
    if let Some(inner) = error.downcast_ref::<DataFusionError>() {
        return find(inner);
    }
    error.downcast_ref::<ArrowError>().and_then(find_in_arrow)
}

/// Result of DataFusion's constructors.
pub(crate) fn planned<T>(result: Result<T, DataFusionError>) -> SqlResult<T> {
    result.map_err(failure::to_sql)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn an_sql_error_survives_every_wrapping() {
        let sql = SqlError::of(8134, 1, &[]);
        let arrow = ArrowError::ExternalError(Box::new(from_sql(sql.clone())));
        let wrapped = DataFusionError::Context(
            "join".to_owned(),
            Box::new(DataFusionError::Shared(Arc::new(DataFusionError::ArrowError(Box::new(arrow), None)))),
        );
        assert_eq!(to_sql(DataFusionError::Collection(vec![wrapped])), sql);
    }

    #[test]
    fn other_errors_are_memory_or_internal() {
        assert_eq!(to_sql(DataFusionError::ResourcesExhausted("x".to_owned())).number, 701);
        assert_eq!(to_sql(DataFusionError::Internal("x".to_owned())).number, 8630);
    }
}
