//! Tables of DataFusion: what is pushed down, and that answers are those of DataFusion over all rows.

use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::Int32Type;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::catalog::TableProvider;
use datafusion::datasource::MemTable;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown};
use datafusion::prelude::{SessionContext, col, lit};
use datafusion::scalar::ScalarValue;
use millpond_embedded::arrow::Precision;
use millpond_embedded::datafusion::MillpondTable;
use millpond_embedded::{ConnectOptions, Error, Instance, params};
use tokio::runtime::Runtime;

use crate::connected;

/// DataFusion's operators spawn tasks, so they want a runtime.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());
    RUNTIME.block_on(future)
}

/// Rows on which both could differ: case, trailing blanks, signs of zero, thousandths, NULL.
const POND: &str = "
create table pond (id int not null primary key, t tinyint, s smallint, b bigint, flag bit, d decimal(9, 3), m money,
    sm smallmoney, r real, f float, day date, at time(7), small smalldatetime, dt datetime, dt3 datetime2(3),
    dt7 datetime2(7), dto datetimeoffset(7), c char(4), v varchar(20), n nvarchar(20), vb varbinary(8), u uniqueidentifier,
    x xml, sv sql_variant);
insert pond values
(1, 0, -32768, 1, 0, -0.001, -1, 0, -1, -1, '2000-01-01', '00:00', '2000-01-01 00:00', '2000-01-01 00:00:00.003',
    '2000-01-01 00:00:00.001', '2000-01-01 00:00:00.0000001', '2000-01-01 01:00 +01:00', 'a', 'lily', N'lily', 0x01,
    '00000000-0000-0000-0000-000000000001', '<a/>', cast(1 as sql_variant)),
(2, 255, 32767, 2, 1, 0, 0.0001, 1, 1, 1, '2000-01-02', '12:00:00.1234567', '2000-01-01 00:01', '2000-01-01 00:00:00.007',
    '2000-01-01 00:00:00.002', '2000-01-01 00:00:00.0000002', '2000-01-01 00:00 +00:00', 'A', 'LILY', N'Lily ', 0x0100,
    '01000000-0000-0000-0000-000000000000', '<b/>', cast(N'x' as sql_variant)),
(3, 7, 0, 3, 1, 1.5, 1.5, 1.5, 0, 0, '1999-12-31', '23:59:59.9999999', '2079-06-06', '1999-12-31 23:59:59.997',
    '1999-12-31 23:59:59.999', '1999-12-31', '1999-12-31 23:00 -01:00', 'b', 'lily  ', N'lïly', 0x, newid(), '', cast(1.5 as sql_variant)),
(4, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
    null, null, null, null);
insert pond (id, n, v, c) values (6, N'', '', ''), (7, N'[a-z]%', 'it''s', 'b'), (8, N'日本🌷', '€', 'é')";

fn pond() -> (Instance, MillpondTable) {
    let (instance, mut connection) = connected();
    connection.execute(POND, params![]).unwrap();
    connection.execute("insert pond (id, r, f) values (5, @p1, @p2)", params![-0.0_f32, -0.0_f64]).unwrap();
    let zero: f64 = connection.query_value("select f from pond where id = 5", params![]).unwrap();
    assert!(zero.is_sign_negative());
    let table = block_on(MillpondTable::table(&instance, &ConnectOptions::new(), "dbo", "pond")).unwrap();
    (instance, table)
}

fn rows(context: &SessionContext, table: Arc<dyn TableProvider>, filter: Option<&Expr>) -> Vec<RecordBatch> {
    let mut frame = context.read_table(table).unwrap();
    if let Some(filter) = filter {
        frame = frame.filter(filter.clone()).unwrap();
    }
    block_on(frame.collect()).unwrap()
}

fn ids(batches: &[RecordBatch]) -> Vec<i32> {
    let ids = batches.iter().flat_map(|batch| batch.column(0).as_primitive::<Int32Type>().values().to_vec());
    let mut ids: Vec<i32> = ids.collect();
    ids.sort_unstable();
    ids
}

/// Every comparison of every column with every value that the column has, with its neighbours, and lists of them.
fn conditions(all: &RecordBatch) -> Vec<Expr> {
    let mut conditions = Vec::new();
    for (index, field) in all.schema().fields().iter().enumerate() {
        let column = || col(field.name());
        conditions.extend([column().is_null(), column().is_not_null(), !column().is_null()]);
        let own = (0..all.num_rows()).map(|row| ScalarValue::try_from_array(all.column(index), row).unwrap());
        let own: Vec<ScalarValue> = own.filter(|value| !value.is_null()).collect();
        let values: Vec<ScalarValue> = own.iter().cloned().flat_map(neighbours).collect();
        for value in &values {
            let value = || lit(value.clone());
            let compared = [
                column().eq(value()),
                column().not_eq(value()),
                column().lt(value()),
                column().lt_eq(value()),
                column().gt(value()),
                column().gt_eq(value()),
            ];
            conditions.extend(compared.iter().take(3).cloned().map(|condition| !condition));
            conditions.extend(compared);
            conditions.push(value().lt(column()));
            conditions.push(column().eq(value()).or(col("id").eq(lit(2))));
            conditions.push(column().eq(value()).and(col("n").not_eq(lit("x"))));
        }
        let list: Vec<Expr> = own.iter().skip(1).take(3).cloned().map(lit).collect();
        conditions.push(column().in_list(list.clone(), false));
        conditions.push(column().in_list(list, true));
        conditions.push(column().between(lit(own[0].clone()), lit(own[1].clone())));
        conditions.push(column().not_between(lit(own[0].clone()), lit(own[1].clone())));
    }
    conditions.extend([col("flag"), !col("flag"), col("n").like(lit("l%")), col("n").like(lit("[a-z]%"))]);
    conditions
}

/// A value and what lies beside it, where the type has something that its column has not.
fn neighbours(value: ScalarValue) -> Vec<ScalarValue> {
    use ScalarValue as S;
    let beside = match &value {
        S::TimestampMillisecond(Some(at), zone) => {
            [-1, 1].map(|step| S::TimestampMillisecond(Some(at + step), zone.clone())).to_vec()
        }
        S::TimestampSecond(Some(at), zone) => vec![S::TimestampSecond(Some(at + 1), zone.clone())],
        S::TimestampNanosecond(Some(at), zone) => {
            [1, 100].map(|step| S::TimestampNanosecond(Some(at + step), zone.clone())).to_vec()
        }
        S::Time64Nanosecond(Some(at)) => vec![S::Time64Nanosecond(Some(at ^ 1))],
        S::Float64(Some(x)) => vec![S::Float64(Some(-x)), S::Float64(Some(f64::NAN)), S::Float64(Some(f64::INFINITY))],
        S::Float32(Some(x)) => vec![S::Float32(Some(-x)), S::Float32(Some(f32::NEG_INFINITY))],
        S::Utf8(Some(text)) => vec![S::Utf8(Some(format!("{text} "))), S::Utf8(Some(text.to_uppercase()))],
        S::Binary(Some(bytes)) => vec![S::Binary(Some([bytes.as_slice(), &[0]].concat()))],
        _ => vec![],
    };
    [vec![value], beside].concat()
}

#[test]
fn every_condition_keeps_the_rows_that_datafusion_keeps() {
    let (_instance, table) = pond();
    let table: Arc<dyn TableProvider> = Arc::new(table);
    let context = SessionContext::new();
    let read = rows(&context, Arc::clone(&table), None);
    let all = datafusion::arrow::compute::concat_batches(&table.schema(), &read).unwrap();
    assert_eq!(all.num_rows(), 8);
    let copy = Arc::new(MemTable::try_new(table.schema(), vec![vec![all.clone()]]).unwrap());
    let (mut exact, mut inexact, mut not) = (0, 0, 0);
    for condition in conditions(&all) {
        match table.supports_filters_pushdown(&[&condition]).unwrap()[0] {
            TableProviderFilterPushDown::Exact => exact += 1,
            TableProviderFilterPushDown::Inexact => inexact += 1,
            TableProviderFilterPushDown::Unsupported => {
                // DataFusion alone answers it.
                not += 1;
                continue;
            }
        }
        let asked = ids(&rows(&context, Arc::clone(&table), Some(&condition)));
        let wanted = ids(&rows(&context, Arc::<MemTable>::clone(&copy), Some(&condition)));
        assert_eq!(asked, wanted, "{condition}");
    }
    // Not that all is left to DataFusion.
    assert!(exact > 500 && inexact > 100 && not > 200, "{exact} exact, {inexact} inexact, {not} not");
}

#[test]
fn what_is_pushed_down_is_seen_in_the_plan() {
    let (_instance, table) = pond();
    let table: Arc<dyn TableProvider> = Arc::new(table);
    let context = SessionContext::new();
    let plan_of = |filter: Expr, limit: Option<usize>, names: &[&str]| {
        let mut frame = context.read_table(Arc::clone(&table)).unwrap().filter(filter).unwrap();
        frame = frame.select_columns(names).unwrap();
        if let Some(rows) = limit {
            frame = frame.limit(0, Some(rows)).unwrap();
        }
        let shown = block_on(async { frame.explain(false, false).unwrap().collect().await }).unwrap();
        pretty_format_batches(&shown).unwrap().to_string()
    };
    let exact = plan_of(col("id").gt(lit(2)).and(col("d").is_null()), Some(3), &["id", "v"]);
    let wanted = "MillpondScan: SELECT TOP (3) [id], [v] FROM [dbo].[pond] AS q WHERE ([id] > @p1) AND ([d] IS NULL)";
    assert!(exact.contains(wanted), "{exact}");
    assert!(!exact.contains("FilterExec"), "{exact}");
    let inexact = plan_of(col("v").eq(lit("lily")), Some(3), &["id"]);
    assert!(inexact.contains("SELECT [id], [v] FROM [dbo].[pond] AS q WHERE ([v] = @p1)"), "{inexact}");
    assert!(inexact.contains("FilterExec"), "{inexact}");
    let none = plan_of(col("v").gt(lit("lily")), None, &["id"]);
    assert!(none.contains("SELECT [id], [v] FROM [dbo].[pond] AS q") && !none.contains("WHERE"), "{none}");
}

#[test]
fn rows_are_counted_without_columns_and_cut_by_limits() {
    let (instance, table) = pond();
    let table: Arc<dyn TableProvider> = Arc::new(table);
    let context = SessionContext::new();
    let frame = || context.read_table(Arc::clone(&table)).unwrap();
    assert_eq!(block_on(frame().count()).unwrap(), 8);
    assert_eq!(block_on(frame().filter(col("id").lt(lit(4))).unwrap().count()).unwrap(), 3);
    let cut = block_on(frame().limit(2, Some(3)).unwrap().collect()).unwrap();
    assert_eq!(cut.iter().map(RecordBatch::num_rows).sum::<usize>(), 3);
    // Their sessions are over.
    let sessions = "select count(*) from sys.dm_exec_sessions where is_user_process = 1";
    let mut connection = instance.connect().unwrap();
    assert_eq!(connection.query_value::<i32>(sessions, params![]).unwrap(), 1);
}

#[test]
fn a_query_is_a_table_too() {
    let (instance, _table) = pond();
    let text = "select id % 2 as odd, count(*) as n, max(d) as most from pond group by id % 2 -- by parity";
    let table = block_on(MillpondTable::query(&instance, &ConnectOptions::new(), text)).unwrap();
    assert_eq!(table.columns().iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), ["odd", "n", "most"]);
    let found = rows(&SessionContext::new(), Arc::new(table), Some(&col("odd").eq(lit(1))));
    assert_eq!(ids(&found), [1]);
    let unnamed = block_on(MillpondTable::query(&instance, &ConnectOptions::new(), "select 1")).unwrap_err();
    assert_eq!(unnamed.number(), Some(8155));
    let absent = block_on(MillpondTable::table(&instance, &ConnectOptions::new(), "dbo", "lake] --")).unwrap_err();
    assert_eq!(absent.number(), Some(208));
}

#[test]
fn errors_of_a_scan_have_their_numbers() {
    let (instance, _table) = pond();
    let text = "select id, 1 / (id - 8) as q from pond";
    let table = block_on(MillpondTable::query(&instance, &ConnectOptions::new(), text)).unwrap();
    let frame = SessionContext::new().read_table(Arc::new(table)).unwrap();
    let error = block_on(frame.collect()).unwrap_err();
    let datafusion::error::DataFusionError::External(cause) = error.find_root() else { panic!("{error}") };
    assert_eq!(cause.downcast_ref::<Error>().and_then(Error::number), Some(8134));
}

#[test]
fn years_beyond_nanoseconds_are_had_as_microseconds() {
    let (instance, mut connection) = connected();
    connection
        .execute("create table t (id int, until datetime2) insert t values (1, '9999-12-31'), (2, '2000-01-01 00:00:00.0000009')", params![])
        .unwrap();
    let table = || block_on(MillpondTable::table(&instance, &ConnectOptions::new(), "dbo", "t")).unwrap();
    let context = SessionContext::new();
    let error = block_on(context.read_table(Arc::new(table())).unwrap().collect()).unwrap_err();
    assert!(error.to_string().contains("Precision::Microsecond"), "{error}");
    let cut = Arc::new(table().precision(Precision::Microsecond));
    let at = ScalarValue::TimestampMicrosecond(Some(946_684_800_000_000), None);
    let found = rows(&context, cut, Some(&col("until").eq(lit(at))));
    assert_eq!(ids(&found), [2]);
}

#[test]
fn more_rows_than_a_batch_come_in_several() {
    let (instance, _table) = pond();
    let text = "select value as id, replicate('x', 200) as t from generate_series(1, 50000)";
    let table = block_on(MillpondTable::query(&instance, &ConnectOptions::new(), text)).unwrap();
    let found = rows(&SessionContext::new(), Arc::new(table), None);
    assert!(found.len() >= 6, "{}", found.len());
    assert_eq!(ids(&found), (1..=50_000).collect::<Vec<_>>());
}
