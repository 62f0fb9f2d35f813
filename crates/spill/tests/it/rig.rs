//! Rows, plans and runs with a grant of so many bytes.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::SessionConfig;
use futures::StreamExt;
use futures::executor::block_on;
use millpond_spill::{GrantPool, SpillConfig, SpillSpace, SpillTempdb, TempFile};

/// A row: key, number, text.
pub type Row = (Option<i64>, i64, Option<String>);

/// A tempdb with 4 MB of pages over a RAM file of so many bytes.
pub fn tempdb(max_bytes: u64) -> SpillTempdb {
    SpillTempdb::open(SpillConfig { memory_bytes: 4 << 20, files: vec![TempFile::Ram { max_bytes }] })
        .expect("in memory")
}

pub fn schema(prefix: &str) -> SchemaRef {
    let field = |name: &str, ty| Field::new(format!("{prefix}{name}"), ty, true);
    Arc::new(Schema::new(vec![
        field("key", DataType::Int64),
        field("number", DataType::Int64),
        field("text", DataType::Utf8),
    ]))
}

/// A leaf with the rows, in batches of so many.
pub fn leaf(prefix: &str, rows: &[Row], batch_rows: usize) -> Arc<dyn ExecutionPlan> {
    leaf_of_parts(prefix, &[rows], batch_rows)
}

/// The same with a partition for each of several lists of rows.
pub fn leaf_of_parts(prefix: &str, parts: &[&[Row]], batch_rows: usize) -> Arc<dyn ExecutionPlan> {
    let schema = schema(prefix);
    let batch = |rows: &[Row]| {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(rows.iter().map(|row| row.0).collect::<Int64Array>()),
            Arc::new(rows.iter().map(|row| Some(row.1)).collect::<Int64Array>()),
            Arc::new(rows.iter().map(|row| row.2.clone()).collect::<StringArray>()),
        ];
        RecordBatch::try_new(Arc::clone(&schema), columns).expect("columns of the schema")
    };
    let parts: Vec<Vec<RecordBatch>> = parts.iter().map(|rows| rows.chunks(batch_rows).map(batch).collect()).collect();
    MemorySourceConfig::try_new_exec(&parts, schema.clone(), None).expect("a plan")
}

/// The task of a run with so much memory, whose spills lie in `space`.
pub fn task(space: &Arc<SpillSpace>, grant_bytes: usize) -> Arc<TaskContext> {
    task_of(space, GrantPool::of_bytes(grant_bytes))
}

/// As [`task`], with that memory.
pub fn task_of(space: &Arc<SpillSpace>, pool: Arc<GrantPool>) -> Arc<TaskContext> {
    let mut runtime = RuntimeEnvBuilder::new().with_memory_pool(pool).build().expect("valid");
    runtime.disk_manager = space.disk_manager().expect("a factory");
    let config = SessionConfig::new()
        .with_batch_size(1024)
        .with_target_partitions(1)
        .with_sort_spill_reservation_bytes(64 << 10)
        .with_sort_in_place_threshold_bytes(64 << 10);
    Arc::new(TaskContext::default().with_session_config(config).with_runtime(Arc::new(runtime)))
}

/// All rows as text, in order.
pub fn rows_of(plan: &Arc<dyn ExecutionPlan>, task: &Arc<TaskContext>) -> Result<Vec<String>> {
    let mut stream = plan.execute(0, Arc::clone(task))?;
    let mut rows = Vec::new();
    while let Some(batch) = block_on(stream.next()).transpose()? {
        rows.extend(texts_of(&batch));
    }
    Ok(rows)
}

/// The rows of a batch as text.
pub fn texts_of(batch: &RecordBatch) -> Vec<String> {
    let options = FormatOptions::default().with_null("NULL");
    let columns: Vec<_> =
        batch.columns().iter().map(|column| ArrayFormatter::try_new(column, &options).expect("shown")).collect();
    let text = |row| columns.iter().map(|column| column.value(row).to_string()).collect::<Vec<_>>().join("|");
    (0..batch.num_rows()).map(text).collect()
}

/// As [`rows_of`], sorted, where the order means nothing.
pub fn set_of(plan: &Arc<dyn ExecutionPlan>, task: &Arc<TaskContext>) -> Result<Vec<String>> {
    let mut rows = rows_of(plan, task)?;
    rows.sort_unstable();
    Ok(rows)
}

/// Numbers that look like chance.
pub fn mixed(number: i64) -> i64 {
    ((number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) as i64
}

pub fn assert_nothing_left(tempdb: &SpillTempdb) {
    let space = tempdb.instance().tempdb_space().report();
    assert!(space.iter().all(|file| file.reserved == [0; 3]), "pages are left: {space:?}");
}
