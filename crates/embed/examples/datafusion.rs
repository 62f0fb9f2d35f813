//! A table of Millpond in a query of DataFusion: joined with rows from elsewhere, grouped, sorted in little memory, and spilled
//! into a tempdb of millpond-spill.
//!
//! `cargo run -p millpond-embedded --features datafusion --example datafusion [ROWS]`

use std::error::Error;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use datafusion::arrow::util::pretty::print_batches;
use datafusion::datasource::MemTable;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::functions_aggregate::expr_fn::{count, sum};
use datafusion::logical_expr::JoinType;
use datafusion::physical_plan::displayable;
use datafusion::prelude::{SessionConfig, SessionContext, col, lit};
use futures::{StreamExt, TryStreamExt};
use millpond_embedded::datafusion::MillpondTable;
use millpond_embedded::datafusion::spill::{GrantPool, SpillConfig, SpillTempdb, TempFile, within_memory};
use millpond_embedded::{ConnectOptions, Instance, params};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let rows: i32 = std::env::args().nth(1).map_or(Ok(300_000), |text| text.parse())?;
    let instance = Instance::in_memory()?;
    let mut connection = instance.connect_async().await?;
    let fill = "create table orders (id int primary key, lily int not null, price decimal(9, 2) not null, note varchar(60));
                insert orders select value, value % 3, value % 1000 / 8.0, replicate('note ', 10) from generate_series(1, ";
    connection.execute(&format!("{fill}{rows})"), params![]).await?;
    connection.close().await;

    // Memory for operators, and where they go with what does not fit.
    let tempdb =
        SpillTempdb::open(SpillConfig { memory_bytes: 64 << 20, files: vec![TempFile::Ram { max_bytes: 1 << 30 }] })?;
    let space = tempdb.space();
    let mut runtime = RuntimeEnvBuilder::new().with_memory_pool(GrantPool::of_bytes(8 << 20)).build()?;
    runtime.disk_manager = space.disk_manager()?;
    let config = SessionConfig::new().with_target_partitions(1).with_sort_spill_reservation_bytes(1 << 20);
    let context = SessionContext::new_with_config_rt(config, Arc::new(runtime));

    let orders = MillpondTable::table(&instance, &ConnectOptions::new(), "dbo", "orders").await?;
    context.register_table("orders", Arc::new(orders))?;
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("number", Arc::new(Int32Array::from(vec![0, 1, 2]))),
        ("name", Arc::new(StringArray::from(vec!["white", "pink", "blue"]))),
    ];
    let lilies = RecordBatch::try_from_iter(columns)?;
    context.register_table("lilies", Arc::new(MemTable::try_new(lilies.schema(), vec![vec![lilies]])?))?;

    let orders = context.table("orders").await?.filter(col("id").gt(lit(1000)).and(col("note").is_not_null()))?;
    let joined = orders.clone().join(context.table("lilies").await?, JoinType::Inner, &["lily"], &["number"], None)?;
    let grouped = joined
        .aggregate(vec![col("name")], vec![count(col("id")).alias("orders"), sum(col("price")).alias("price")])?
        .sort(vec![col("name").sort(true, false)])?;
    let plan = grouped.clone().create_physical_plan().await?;
    println!("{}", displayable(plan.as_ref()).indent(false));
    print_batches(&grouped.collect().await?)?;

    // A sort that does not fit into its memory.
    let sorted = orders.sort(vec![col("price").sort(false, false), col("id").sort(true, false)])?;
    let plan = within_memory(sorted.create_physical_plan().await?)?;
    let mut stream = plan.execute(0, context.task_ctx())?;
    let first = stream.next().await.transpose()?.map(|batch| batch.slice(0, 3));
    print_batches(&[first.ok_or("there are rows")?])?;
    let others: usize =
        stream.map_ok(|batch| batch.num_rows()).try_fold(0, |sum, rows| async move { Ok(sum + rows) }).await?;
    println!("and others in {others} rows; {} KB were spilled", space.account().written_bytes() >> 10);
    drop(context);
    instance.shutdown_async().await?;
    Ok(())
}
