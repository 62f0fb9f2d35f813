//! Each type to and fro: NULL, the ends of its range, and what Rust reads of it.

use millpond_embedded::{
    Connection, Date, DateTime, DateTime2, DateTimeOffset, Decimal, Error, FromSql, Guid, MaxLen, Parameter,
    SmallDateTime, SqlType, Time, ToSql, Value, Variant, params,
};

use crate::connected;

/// The value comes back as it went, through a parameter and through a column.
fn round_trip<T: ToSql + FromSql + PartialEq + std::fmt::Debug>(connection: &mut Connection, declared: &str, value: T) {
    connection.execute(&format!("create table #t (v {declared} null)"), params![]).unwrap();
    connection.execute("insert #t values (@p1)", params![&value]).unwrap();
    let read: T = connection.query_value("select v from #t where v = @p1", params![&value]).unwrap();
    assert_eq!(read, value, "{declared}");
    connection.execute("truncate table #t insert #t values (@p1)", params![None::<T>]).unwrap();
    let null: Option<T> = connection.query_value("select v from #t", params![]).unwrap();
    assert_eq!(null, None, "{declared}");
    connection.execute("drop table #t", params![]).unwrap();
}

#[test]
fn numbers_come_back_as_they_went() {
    let (_instance, mut connection) = connected();
    let c = &mut connection;
    for value in [false, true] {
        round_trip(c, "bit", value);
    }
    for value in [0, u8::MAX] {
        round_trip(c, "tinyint", value);
    }
    for value in [i16::MIN, -1, 0, i16::MAX] {
        round_trip(c, "smallint", value);
    }
    for value in [i32::MIN, -1, 0, i32::MAX] {
        round_trip(c, "int", value);
    }
    for value in [i64::MIN, -1, 0, i64::MAX] {
        round_trip(c, "bigint", value);
    }
    for value in [f32::MIN, -f32::MIN_POSITIVE, 0.1, f32::MAX] {
        round_trip(c, "real", value);
    }
    for value in [f64::MIN, -f64::MIN_POSITIVE, 0.1, f64::MAX] {
        round_trip(c, "float", value);
    }
    let most = 10_i128.pow(38) - 1;
    for unscaled in [-most, -1, 0, most] {
        round_trip(c, "decimal(38, 0)", Decimal::new(unscaled, 0).unwrap());
        round_trip(c, "decimal(38, 38)", Decimal::new(unscaled, 38).unwrap());
    }
}

#[test]
fn times_come_back_as_they_went() {
    let (_instance, mut connection) = connected();
    let c = &mut connection;
    for value in [Date::MIN, Date::DEFAULT, Date::MAX] {
        round_trip(c, "date", value);
    }
    for value in [Time { ticks: 0 }, Time { ticks: 1 }, Time::MAX] {
        round_trip(c, "time(7)", value);
    }
    let last = SmallDateTime::new(u16::MAX, 1439).unwrap();
    for value in [SmallDateTime::new(0, 0).unwrap(), last] {
        round_trip(c, "smalldatetime", value);
    }
    for value in [DateTime::MIN, DateTime::new(0, 1).unwrap(), DateTime::MAX] {
        round_trip(c, "datetime", value);
    }
    let first = DateTime2 { date: Date::MIN, time: Time { ticks: 0 } };
    for value in [first, DateTime2::MAX] {
        round_trip(c, "datetime2(7)", value);
        round_trip(c, "datetimeoffset(7)", DateTimeOffset::from_utc(value, 0).unwrap());
    }
    let noon = DateTime2 { date: Date::DEFAULT, time: Time { ticks: Time::TICKS_PER_DAY / 2 } };
    for offset_minutes in [-840, 840] {
        round_trip(c, "datetimeoffset(7)", DateTimeOffset::from_local(noon, offset_minutes).unwrap());
    }
}

#[test]
fn texts_and_bytes_come_back_as_they_went() {
    let (_instance, mut connection) = connected();
    let c = &mut connection;
    for value in ["", "it's", "Größe 日本 🌷", &"x".repeat(4000)] {
        round_trip(c, "nvarchar(4000)", value.to_owned());
        round_trip(c, "nvarchar(max)", value.to_owned());
    }
    round_trip(c, "nvarchar(max)", "🌷".repeat(100_000));
    round_trip(c, "varchar(8000)", "Größe €".to_owned());
    for value in [vec![], vec![0, 255], vec![7; 8000]] {
        round_trip(c, "varbinary(8000)", value.clone());
        round_trip(c, "varbinary(max)", value);
    }
    round_trip(c, "varbinary(max)", vec![1; 300_000]);
    round_trip(c, "uniqueidentifier", Guid([0; 16]));
    round_trip(c, "uniqueidentifier", Guid([255; 16]));
}

#[test]
fn a_guid_is_written_in_the_order_of_its_bytes() {
    let (_instance, mut connection) = connected();
    let text = "6F9619FF-8B86-D011-B42D-00C04FC964FF";
    let guid: Guid = connection.query_value(&format!("select cast('{text}' as uniqueidentifier)"), params![]).unwrap();
    assert_eq!(guid.to_string(), text);
    assert_eq!(guid.0[..4], [0x6F, 0x96, 0x19, 0xFF]);
    let back: String = connection.query_value("select cast(@p1 as char(36))", params![guid]).unwrap();
    assert_eq!(back, text);
}

#[test]
fn types_without_a_rust_type_are_read_too() {
    let (_instance, mut connection) = connected();
    let text = "select cast(-922337203685477.5808 as money), cast(214748.3647 as smallmoney), cast('<a/>' as xml), \
                cast(cast(7 as smallint) as sql_variant), cast('ab' as char(4)), cast('ab' as nchar(3)), \
                cast(0x01 as binary(3))";
    let row = connection.query_row(text, params![]).unwrap().unwrap();
    assert_eq!(row.values()[0], Value::Money(i64::MIN));
    assert_eq!(row.get::<Decimal>(0).unwrap(), Decimal::new(i128::from(i64::MIN), 4).unwrap());
    assert_eq!(row.get::<Decimal>(1).unwrap(), Decimal::parse("214748.3647").unwrap());
    assert_eq!(row.get::<String>(2).unwrap(), "<a/>");
    assert_eq!(row.get::<i16>(3).unwrap(), 7);
    assert_eq!(row.get::<Variant>(3).unwrap().base, SqlType::SmallInt);
    assert_eq!(row.get::<String>(4).unwrap(), "ab  ");
    assert_eq!(row.get::<String>(5).unwrap(), "ab ");
    assert_eq!(row.get::<Vec<u8>>(6).unwrap(), [1, 0, 0]);
    let version = "create table #v (id int, v rowversion) insert #v (id) values (1) select v from #v";
    assert_eq!(connection.query_value::<Vec<u8>>(version, params![]).unwrap().len(), 8);
}

#[test]
fn a_value_is_read_as_what_holds_its_type() {
    let (_instance, mut connection) = connected();
    let row = connection.query_row("select 5 as Five, cast(null as int) as nothing, 7", params![]).unwrap().unwrap();
    assert_eq!(row.get::<i64>("five").unwrap(), 5);
    assert_eq!(row.get::<Option<i32>>("Five").unwrap(), Some(5));
    let wrong = row.get::<i16>(0).unwrap_err();
    assert!(
        matches!(&wrong, Error::Type { column, found: SqlType::Int, wanted: "i16" } if column == "Five"),
        "{wrong}"
    );
    assert!(matches!(row.get::<Option<String>>(0), Err(Error::Type { .. })));
    let null = row.get::<i32>(1).unwrap_err();
    assert_eq!(null.to_string(), "column nothing is NULL");
    assert_eq!(
        row.get::<String>(2).unwrap_err().to_string(),
        "column 2 of type int is not read as alloc::string::String"
    );
    assert_eq!(row.get::<i32>("six").unwrap_err().to_string(), "the row has no column 'six'");
    assert_eq!(row.get::<i32>(3).unwrap_err().to_string(), "the row has no column 3");
    assert_eq!(row.columns()[0].name, "Five");
}

#[test]
fn parameters_have_places_or_names_and_are_no_text() {
    let (_instance, mut connection) = connected();
    let sum: i32 = connection.query_value("select @p1 - @p2", params![5, 3]).unwrap();
    assert_eq!(sum, 2);
    let named: i32 = connection.query_value("select @a - @b", params! {"@b" => 3, "@a" => 5}).unwrap();
    assert_eq!(named, 2);
    let hostile = "'; drop table lily; --";
    assert_eq!(connection.query_value::<String>("select @p1", params![hostile]).unwrap(), hostile);
    let typed = Parameter::typed(SqlType::varchar(3), Value::str("abc")).under("@t");
    let text = "select cast(sql_variant_property(@t, 'BaseType') as varchar(20))";
    assert_eq!(connection.query_value::<String>(text, &[typed]).unwrap(), "varchar");
    let long = Parameter::typed(SqlType::VarBinary { len: MaxLen::Max }, Value::Null);
    assert_eq!(connection.query_value::<Option<Vec<u8>>>("select @p1", &[long]).unwrap(), None);
    let many: Vec<Parameter> = (0..2098).map(Parameter::new).collect();
    assert_eq!(connection.query_value::<i32>("select @p2098", &many).unwrap(), 2097);
    let too_many: Vec<Parameter> = (0..2099).map(Parameter::new).collect();
    assert_eq!(connection.execute("select 1", &too_many).unwrap_err().number(), Some(8003));
    assert_eq!(connection.execute("select @p2", params![1]).unwrap_err().number(), Some(137));
}

#[test]
fn output_parameters_and_return_status_come_at_the_end() {
    let (_instance, mut connection) = connected();
    let outcome = connection.execute("set @n = @n * 2", &[Parameter::named("@n", 21).output()]).unwrap();
    assert_eq!(outcome.output::<i32>("@N").unwrap(), 42);
    assert_eq!(outcome.return_status, None);
    let procedure = "create procedure bloom @many int, @seen int output as \
                     select @many as many set @seen = @many + 1 return 7";
    connection.execute(procedure, params![]).unwrap();
    let parameters = [Parameter::new(3), Parameter::named("@seen", None::<i32>).output()];
    let mut results = connection.call("bloom", &parameters);
    let rows: Vec<i32> = results.next_set().unwrap().unwrap().map(|row| row.unwrap().get(0).unwrap()).collect();
    assert_eq!(rows, [3]);
    let outcome = results.finish().unwrap();
    assert_eq!(outcome.return_status, Some(7));
    assert_eq!(outcome.output::<i32>("@seen").unwrap(), 4);
    assert!(matches!(outcome.output::<i32>("@other"), Err(Error::NoColumn(_))));
}
