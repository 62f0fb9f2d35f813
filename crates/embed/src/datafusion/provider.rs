//! A table or a query of an instance as a `TableProvider`.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;

use super::predicate::{Fit, Predicates, quoted};
use super::scan::MillpondScan;
use crate::arrow::{self, Precision};
use crate::error::Error;
use crate::instance::{ConnectOptions, Instance};
use crate::{Column, params};

/// A table, a view or a query of an instance, as a table of DataFusion. Its columns are those that it had when this was
/// made; where a table loses one that is read, the scan fails with the statement's error.
#[derive(Debug)]
pub struct MillpondTable {
    instance: Instance,
    options: ConnectOptions,
    /// What stands behind FROM.
    source: String,
    columns: Vec<Column>,
    schema: SchemaRef,
    precision: Precision,
    table_type: TableType,
}

impl MillpondTable {
    /// A table or view by its schema and name, in the database of the options.
    ///
    /// # Errors
    /// As [`Instance::connect_with`]; [`Error::Server`]: 208 where there is none, 229 where it may not be read.
    pub async fn table(
        instance: &Instance,
        options: &ConnectOptions,
        schema: &str,
        name: &str,
    ) -> Result<MillpondTable, Error> {
        let source = format!("{}.{} AS q", quoted(schema), quoted(name));
        MillpondTable::over(instance, options, source, TableType::Base).await
    }

    /// A query, as it might stand in parentheses behind FROM: its columns have names, each another one, and it has no ORDER
    /// BY of its own. The text is part of each statement, so it must be the program's.
    ///
    /// # Errors
    /// As [`Instance::connect_with`]; [`Error::Server`]: 8155 and 8156 for columns without a name and of the same one.
    pub async fn query(instance: &Instance, options: &ConnectOptions, text: &str) -> Result<MillpondTable, Error> {
        // A comment at its end must not swallow the parenthesis.
        MillpondTable::over(instance, options, format!("({text}\n) AS q"), TableType::View).await
    }

    async fn over(
        instance: &Instance,
        options: &ConnectOptions,
        source: String,
        table_type: TableType,
    ) -> Result<MillpondTable, Error> {
        let mut connection = instance.connect_async_with(options).await?;
        let rows = connection.query(&format!("SELECT TOP (0) * FROM {source}"), params![]).await?;
        let columns = rows.columns().to_vec();
        drop(rows);
        connection.close().await;
        let precision = Precision::default();
        let schema = arrow::schema(&columns, precision);
        let (instance, options) = (instance.clone(), options.clone());
        Ok(MillpondTable { instance, options, source, columns, schema, precision, table_type })
    }

    /// The same with another precision of times of 100 ns: without it a `datetime2` of the year 9999 ends the scan.
    #[must_use]
    pub fn precision(self, precision: Precision) -> MillpondTable {
        MillpondTable { schema: arrow::schema(&self.columns, precision), precision, ..self }
    }

    /// Its columns, with the types that they have in Millpond.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }
}

#[async_trait]
impl TableProvider for MillpondTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        self.table_type
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        let answer = |filter: &&Expr| match Predicates::over(&self.columns, self.precision).condition(filter) {
            Some((_, Fit::Exact)) => TableProviderFilterPushDown::Exact,
            Some((_, Fit::Inexact)) => TableProviderFilterPushDown::Inexact,
            None => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(answer).collect())
    }

    async fn scan(
        &self,
        _session: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let schema = match projection {
            Some(wanted) => Arc::new(self.schema.project(wanted)?),
            None => Arc::clone(&self.schema),
        };
        let names: Vec<String> = schema.fields().iter().map(|field| quoted(field.name())).collect();
        // Rows that are only counted have no columns, which no SELECT can say.
        let wanted = if names.is_empty() { "1 AS x".to_owned() } else { names.join(", ") };
        let mut predicates = Predicates::over(&self.columns, self.precision);
        let (mut conditions, mut fit) = (Vec::new(), Fit::Exact);
        for filter in filters {
            match predicates.condition(filter) {
                Some((text, of_filter)) => {
                    conditions.push(format!("({text})"));
                    fit = fit.min(of_filter);
                }
                // It is asked again above.
                None => fit = Fit::Inexact,
            }
        }
        let top = limit.filter(|_| fit == Fit::Exact).map_or(String::new(), |rows| format!("TOP ({rows}) "));
        let mut text = format!("SELECT {top}{wanted} FROM {}", self.source);
        if !conditions.is_empty() {
            text.push_str(" WHERE ");
            text.push_str(&conditions.join(" AND "));
        }
        let (instance, options) = (self.instance.clone(), self.options.clone());
        Ok(Arc::new(MillpondScan::new(instance, options, text, predicates.parameters, schema)))
    }
}
