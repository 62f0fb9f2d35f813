//! Sorts, groups and joins more rows than fit into memory, and prints what was spilled.
//!
//! `cargo run --release -p millpond-spill --example group_and_join [ROWS] [GRANT_MB] [TEMPDB_MB] [COMPRESSION] [DIRECTORY]`:
//! COMPRESSION is `uncompressed`, `lz4_frame` or `zstd`; without a directory what does not fit into the tempdb's memory goes
//! to a RAM device.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::JoinType;
use datafusion::config::SpillCompression;
use datafusion::datasource::MemTable;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::functions_aggregate::expr_fn::{max, sum};
use datafusion::prelude::{DataFrame, SessionConfig, SessionContext, col};
use futures::StreamExt;
use futures::executor::block_on;
use millpond_spill::{GrantPool, SpillConfig, SpillTempdb, TempFile, within_memory};

/// Rows of a batch.
const BATCH_ROWS: i64 = 8192;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let mut number = |default: u64| args.next().map_or(Ok(default), |text| text.parse());
    let (rows, grant_mb, tempdb_mb) = (number(5_000_000)? as i64, number(64)? as usize, number(256)?);
    let compression: SpillCompression = std::env::args().nth(4).map_or(Ok(Default::default()), |name| name.parse())?;
    let files = match std::env::args().nth(5) {
        Some(directory) => {
            vec![TempFile::Path { path: PathBuf::from(directory).join("spill.ndf"), max_bytes: None }]
        }
        None => vec![TempFile::Ram { max_bytes: 16 << 30 }],
    };
    let tempdb = SpillTempdb::open(SpillConfig { memory_bytes: tempdb_mb << 20, files })?;
    let table = table(rows)?;
    for name in ["sort", "group", "join"] {
        let space = tempdb.space();
        let mut runtime = RuntimeEnvBuilder::new().with_memory_pool(GrantPool::of_bytes(grant_mb << 20)).build()?;
        runtime.disk_manager = space.disk_manager()?;
        let config = SessionConfig::new()
            .with_target_partitions(1)
            .with_sort_spill_reservation_bytes(1 << 20)
            .with_spill_compression(compression);
        let context = SessionContext::new_with_config_rt(config, Arc::new(runtime));
        let plan = block_on(query(name, context.read_table(table.clone())?)?.create_physical_plan())?;
        let start = Instant::now();
        let mut stream = within_memory(plan)?.execute(0, context.task_ctx())?;
        let mut count = 0;
        while let Some(batch) = block_on(stream.next()).transpose()? {
            count += batch.num_rows();
        }
        let (elapsed, account) = (start.elapsed(), space.account());
        let mb = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let read = account.sorts.read_bytes.load(Relaxed) + account.hashes.read_bytes.load(Relaxed);
        println!(
            "{name}: {count} rows in {:.2} s, {:.0} MB spilled, {:.0} MB read back",
            elapsed.as_secs_f64(),
            mb(account.written_bytes()),
            mb(read)
        );
    }
    Ok(())
}

fn query(name: &str, table: DataFrame) -> datafusion::error::Result<DataFrame> {
    Ok(match name {
        "sort" => table.sort(vec![col("text").sort(true, true)])?,
        "group" => table.aggregate(vec![col("key")], vec![sum(col("number")), max(col("text"))])?,
        _ => {
            let other = table.clone().select(vec![col("key").alias("other"), col("number").alias("more")])?;
            table.join(other, JoinType::Inner, &["number"], &["more"], None)?
        }
    })
}

/// Half as many keys as rows, each row with a text of its own.
fn table(rows: i64) -> datafusion::error::Result<Arc<MemTable>> {
    let field = |name: &str, ty| Field::new(name, ty, false);
    let fields = vec![field("key", DataType::Int64), field("number", DataType::Int64), field("text", DataType::Utf8)];
    let schema = Arc::new(Schema::new(fields));
    let mixed = |number: i64| ((number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 24) as i64;
    let batch = |first: i64| {
        let numbers = first..(first + BATCH_ROWS).min(rows);
        let columns: Vec<ArrayRef> = vec![
            Arc::new(numbers.clone().map(|number| mixed(number) % (rows / 2)).collect::<Int64Array>()),
            Arc::new(numbers.clone().collect::<Int64Array>()),
            Arc::new(numbers.map(|number| Some(format!("{:024}", mixed(number)))).collect::<StringArray>()),
        ];
        Ok(RecordBatch::try_new(Arc::clone(&schema), columns)?)
    };
    let batches = (0..rows).step_by(BATCH_ROWS as usize).map(batch).collect::<datafusion::error::Result<Vec<_>>>()?;
    Ok(Arc::new(MemTable::try_new(schema, vec![batches])?))
}
