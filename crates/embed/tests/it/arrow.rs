//! Results as batches of Arrow: each type, its ends, NULL.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use millpond_embedded::arrow::{Precision, SQL_TYPE};
use millpond_embedded::{Error, params};

use crate::connected;

fn batch_of(text: &str, precision: Precision) -> Result<RecordBatch, Error> {
    let (_instance, mut connection) = connected();
    let mut rows = connection.query(text, params![]).unwrap();
    let batch = rows.next_batch(precision)?.unwrap();
    assert!(rows.next_batch(precision)?.is_none());
    Ok(batch)
}

/// One column of three rows: the two ends and NULL.
fn column(first: &str, last: &str, declared: &str) -> std::sync::Arc<dyn Array> {
    let text = format!(
        "select cast(v as {declared}) as c from (values (1, {first}), (2, {last}), (3, null)) as t(i, v) order by i"
    );
    let batch = batch_of(&text, Precision::Nanosecond).unwrap();
    let column = std::sync::Arc::clone(batch.column(0));
    assert_eq!((column.len(), column.null_count()), (3, 1), "{declared}");
    assert!(column.is_null(2));
    column
}

macro_rules! ends {
    ($type:ty, $declared:literal, $first:literal, $last:literal) => {{
        let array = column($first, $last, $declared);
        let values = array.as_primitive::<$type>();
        (values.value(0), values.value(1))
    }};
}

#[test]
fn numbers_are_what_they_are() {
    let bits = column("0", "1", "bit");
    assert_eq!((bits.as_boolean().value(0), bits.as_boolean().value(1)), (false, true));
    assert_eq!(ends!(UInt8Type, "tinyint", "0", "255"), (0, 255));
    assert_eq!(ends!(Int16Type, "smallint", "-32768", "32767"), (i16::MIN, i16::MAX));
    assert_eq!(ends!(Int32Type, "int", "-2147483648", "2147483647"), (i32::MIN, i32::MAX));
    assert_eq!(ends!(Int64Type, "bigint", "-9223372036854775808", "9223372036854775807"), (i64::MIN, i64::MAX));
    assert_eq!(ends!(Float32Type, "real", "-3.5e0", "1.25e0"), (-3.5, 1.25));
    assert_eq!(ends!(Float64Type, "float", "-1.79e308", "0.1e0"), (-1.79e308, 0.1));
    let most = 10_i128.pow(38) - 1;
    let digits = "'99999999999999999999999999999999999999'";
    assert_eq!(column("'-1'", digits, "decimal(38, 0)").as_primitive::<Decimal128Type>().value(1), most);
    let cents = column("-0.01", "99.99", "decimal(4, 2)");
    assert_eq!(cents.data_type(), &DataType::Decimal128(4, 2));
    assert_eq!(cents.as_primitive::<Decimal128Type>().values()[..2], [-1, 9999]);
    let (least, most) = ends!(Decimal128Type, "money", "-922337203685477.5808", "922337203685477.5807");
    assert_eq!((least, most), (i128::from(i64::MIN), i128::from(i64::MAX)));
    assert_eq!(ends!(Decimal128Type, "smallmoney", "-214748.3648", "1"), (i128::from(i32::MIN), 10_000));
}

#[test]
fn times_count_from_1970() {
    assert_eq!(ends!(Date32Type, "date", "'1970-01-02'", "'0001-01-01'"), (1, -719_162));
    assert_eq!(
        ends!(Time64NanosecondType, "time(7)", "'00:00:00.0000001'", "'23:59:59.9999999'"),
        (100, 86_399_999_999_900)
    );
    assert_eq!(ends!(TimestampSecondType, "smalldatetime", "'1970-01-01 00:01'", "'1900-01-01'"), (60, -2_208_988_800));
    assert_eq!(
        ends!(TimestampMillisecondType, "datetime", "'1970-01-01 00:00:00.003'", "'1969-12-31 23:59:59.997'"),
        (3, -3)
    );
    assert_eq!(
        ends!(TimestampSecondType, "datetime2(0)", "'9999-12-31 23:59:59'", "'1970-01-01'"),
        (253_402_300_799, 0)
    );
    assert_eq!(
        ends!(TimestampMillisecondType, "datetime2(3)", "'0001-01-01'", "'1970-01-01 00:00:00.001'"),
        (-62_135_596_800_000, 1)
    );
    assert_eq!(
        ends!(TimestampMicrosecondType, "datetime2(6)", "'9999-12-31 23:59:59.999999'", "'1969-12-31 23:59:59.999999'"),
        (253_402_300_799_999_999, -1)
    );
    assert_eq!(
        ends!(
            TimestampNanosecondType,
            "datetime2(7)",
            "'1970-01-01 00:00:00.0000001'",
            "'1969-12-31 23:59:59.9999999'"
        ),
        (100, -100)
    );
    let instants = column("'1970-01-01 01:00:00 +01:00'", "'1969-12-31 23:00:00 -01:00'", "datetimeoffset(3)");
    assert_eq!(instants.data_type(), &DataType::Timestamp(TimeUnit::Millisecond, Some("+00:00".into())));
    assert_eq!(instants.as_primitive::<TimestampMillisecondType>().values()[..2], [0, 0]);
}

#[test]
fn a_time_out_of_reach_is_an_error_or_is_cut_as_wanted() {
    let text = "select cast('9999-12-31 23:59:59.9999999' as datetime2) as until";
    let error = batch_of(text, Precision::Nanosecond).unwrap_err();
    assert!(matches!(&error, Error::Arrow(text) if text.contains("until") && text.contains("Microsecond")), "{error}");
    let batch = batch_of(text, Precision::Microsecond).unwrap();
    assert_eq!(batch.column(0).as_primitive::<TimestampMicrosecondType>().value(0), 253_402_300_799_999_999);
}

#[test]
fn texts_bytes_and_the_rest() {
    let texts = column("N'日本'", "N''", "nvarchar(10)");
    assert_eq!((texts.as_string::<i32>().value(0), texts.as_string::<i32>().value(1)), ("日本", ""));
    assert_eq!(column("'ab'", "'c'", "char(3)").as_string::<i32>().value(0), "ab ");
    assert_eq!(column("'<a/>'", "'<b/>'", "xml").as_string::<i32>().value(0), "<a/>");
    assert_eq!(column("7", "8", "sql_variant").as_string::<i32>().value(0), "7");
    assert_eq!(column("0x01FF", "0x", "varbinary(max)").as_binary::<i32>().value(0), [1, 255]);
    let guid = "'6F9619FF-8B86-D011-B42D-00C04FC964FF'";
    let guids = column(guid, guid, "uniqueidentifier");
    assert_eq!(guids.as_fixed_size_binary().value(0)[..4], [0x6F, 0x96, 0x19, 0xFF]);
}

#[test]
fn the_schema_says_names_types_and_nulls() {
    let text = "create table #t (id int not null, price decimal(9, 2), u uniqueidentifier) select * from #t";
    let (_instance, mut connection) = connected();
    let rows = connection.query(text, params![]).unwrap();
    let schema = rows.schema(Precision::default());
    let fields: Vec<_> = schema.fields().iter().map(|field| (field.name().as_str(), field.is_nullable())).collect();
    assert_eq!(fields, [("id", false), ("price", true), ("u", true)]);
    assert_eq!(schema.field(1).metadata()[SQL_TYPE], "decimal(9,2)");
    assert_eq!(schema.field(2).metadata()["ARROW:extension:name"], "arrow.uuid");
}

#[test]
fn all_rows_come_in_batches() {
    let (_instance, mut connection) = connected();
    let text = "select value, replicate('x', value % 50) as t from generate_series(1, 100000)";
    let mut rows = connection.query(text, params![]).unwrap();
    let (mut count, mut sum, mut batches) = (0, 0, 0);
    while let Some(batch) = rows.next_batch(Precision::default()).unwrap() {
        let values = batch.column(0).as_primitive::<Int32Type>();
        count += batch.num_rows();
        sum += values.values().iter().map(|value| i64::from(*value)).sum::<i64>();
        batches += 1;
        assert!(batch.num_rows() <= 1024);
        let last = batch.num_rows() - 1;
        let text = batch.column(1).as_string::<i32>().value(last);
        assert_eq!(text.len(), usize::try_from(values.value(last) % 50).unwrap());
    }
    assert_eq!((count, sum), (100_000, 100_000 * 100_001 / 2));
    assert!(batches >= 98, "{batches}");
}
