import com.microsoft.sqlserver.jdbc.ISQLServerDataRecord;
import com.microsoft.sqlserver.jdbc.SQLServerBulkCSVFileRecord;
import com.microsoft.sqlserver.jdbc.SQLServerBulkCopy;
import com.microsoft.sqlserver.jdbc.SQLServerBulkCopyOptions;
import com.microsoft.sqlserver.jdbc.SQLServerCallableStatement;
import com.microsoft.sqlserver.jdbc.SQLServerDataTable;
import com.microsoft.sqlserver.jdbc.SQLServerMetaData;
import com.microsoft.sqlserver.jdbc.SQLServerPreparedStatement;
import java.io.ByteArrayInputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.Arrays;

/** Checks of rows that mssql-jdbc sends in masses: bulk copies, batches that are such, table-valued parameters. */
final class JdbcBulk {
    private JdbcBulk() {}

    private interface Setting {
        void of(SQLServerBulkCopyOptions options) throws SQLException;
    }

    private static void copy(Connection connection, String to, String from, Setting setting) throws SQLException {
        try (Connection source = Check.connect("trustServerCertificate=true;"); Statement statement = source.createStatement();
                ResultSet rows = statement.executeQuery(from); SQLServerBulkCopy copy = new SQLServerBulkCopy(connection)) {
            SQLServerBulkCopyOptions options = new SQLServerBulkCopyOptions();
            setting.of(options);
            copy.setBulkCopyOptions(options);
            copy.setDestinationTableName(to);
            copy.writeToServer(rows);
        }
    }

    private static void refused(int number, Connection connection, String to, String from, Setting setting) throws SQLException {
        try {
            copy(connection, to, from, setting);
        } catch (SQLException error) {
            Check.equal(error.getErrorCode() == number ? "" : error.getErrorCode() + ": " + error.getMessage(), "");
            return;
        }
        throw new AssertionError("no error where " + number + " was expected");
    }

    static void types(Connection connection) throws SQLException {
        String types = "i int, t tinyint, s smallint, b bigint, f bit, d decimal(38, 10), m money, sm smallmoney, r real, x float,"
                + " dt datetime, sd smalldatetime, da date, ti time(7), d2 datetime2(7), o datetimeoffset(7), c char(5), v varchar(20),"
                + " vm varchar(max), n nchar(5), nv nvarchar(20), nm nvarchar(max), bi binary(5), vb varbinary(20), bm varbinary(max),"
                + " g uniqueidentifier, xm xml";
        Check.execute(connection, "drop table if exists jdbc_from, jdbc_to; create table jdbc_from (" + types
                + "); create table jdbc_to (" + types + ")");
        Check.execute(connection, "insert jdbc_from values (-2147483648, 255, -32768, 9223372036854775807, 1,"
                + " 1234567890123456789012345678.0123456789, -922337203685477.5808, 214748.3647, 1.5, 1e300, '9999-12-31 23:59:59.997',"
                + " '2079-06-06 23:59', '0001-01-01', '23:59:59.9999999', '9999-12-31 23:59:59.9999999',"
                + " '2024-02-29 12:34:56.1234567 -07:30', 'é', 'varchar é', replicate(cast('long é' as varchar(max)), 5000), N'鶴',"
                + " N'it''s 😀', replicate(cast(N'长' as nvarchar(max)), 9000), 0x01, 0x0102, cast(replicate(cast('ab' as varchar(max)), 9000)"
                + " as varbinary(max)), '00112233-4455-6677-8899-AABBCCDDEEFF', N'<a b=\"1\">ž</a>')");
        Check.execute(connection, "insert jdbc_from default values");
        copy(connection, "jdbc_to", "select * from jdbc_from", options -> {});
        Check.expect(connection, "2", "select count(*) from jdbc_to");
        String columns = Arrays.stream(types.split(", (?=[a-z])")).map(each -> each.split(" ")[0])
                .map(each -> each.equals("xm") ? "cast(xm as nvarchar(99))" : each).reduce((a, b) -> a + ", " + b).orElseThrow();
        Check.expect(connection, "0", "select count(*) from (select " + columns + " from jdbc_from except select " + columns
                + " from jdbc_to) as a (" + columns.replace("cast(xm as nvarchar(99))", "xm") + ")");
    }

    static void options(Connection connection) throws SQLException {
        Check.execute(connection, "drop table if exists jdbc_log, jdbc_to; create table jdbc_log (n int);"
                + " create table jdbc_to (id int identity (100, 1) primary key, v int default 7 check (v < 1000), w int null)");
        Check.execute(connection, "create trigger jdbc_to_log on jdbc_to after insert as insert jdbc_log select count(*) from inserted");
        String rows = "select value as id, cast(null as int) as v, value as w from generate_series(1, 100)";
        copy(connection, "jdbc_to", rows, options -> {});
        Check.expect(connection, "100|100|199|7|0", "select count(*), min(id), max(id), max(v), (select count(*) from jdbc_log) from jdbc_to");
        Check.execute(connection, "truncate table jdbc_to");
        copy(connection, "jdbc_to", rows, options -> {
            options.setKeepIdentity(true);
            options.setKeepNulls(true);
            options.setTableLock(true);
        });
        Check.expect(connection, "1|100", "select min(id), count(*) from jdbc_to where v is null");
        Check.execute(connection, "truncate table jdbc_to");
        copy(connection, "jdbc_to", rows, options -> {
            options.setFireTriggers(true);
            options.setBatchSize(30);
            options.setBulkCopyTimeout(60);
        });
        Check.expect(connection, "4|100|30", "select count(*), sum(n), max(n) from jdbc_log");
        // Constraints are passed over, and then not trusted; or looked at.
        String wrong = "select 1 as id, 5000 as v, 1 as w";
        copy(connection, "jdbc_to", wrong, options -> {});
        Check.expect(connection, "5000|true", "select max(v), (select is_not_trusted from sys.check_constraints"
                + " where parent_object_id = object_id('jdbc_to')) from jdbc_to");
        refused(547, connection, "jdbc_to", wrong, options -> options.setCheckConstraints(true));
        // In the transaction of the connection.
        connection.setAutoCommit(false);
        copy(connection, "jdbc_to", rows, options -> {});
        connection.rollback();
        connection.setAutoCommit(true);
        Check.expect(connection, "101", "select count(*) from jdbc_to");
        // Batches that are committed stay when a later one fails.
        Check.execute(connection, "truncate table jdbc_to");
        String late = "select value as id, value as v, 1 as w from generate_series(991, 1010)";
        refused(547, connection, "jdbc_to", late, options -> {
            options.setCheckConstraints(true);
            options.setBatchSize(3);
        });
        Check.expect(connection, "9", "select count(*) from jdbc_to");
    }

    static void errors(Connection connection) throws SQLException {
        Check.execute(connection, "drop table if exists jdbc_to; create table jdbc_to (id int not null primary key, s varchar(3))");
        copy(connection, "jdbc_to", "select 1, 'abc'", options -> {});
        refused(2627, connection, "jdbc_to", "select 1, 'x'", options -> {});
        refused(515, connection, "jdbc_to", "select cast(null as int), 'x'", options -> {});
        refused(0, connection, "jdbc_to", "select 2, 'too long'", options -> {}); // The driver's own.
        try {
            copy(connection, "jdbc_none", "select 1", options -> {});
            throw new AssertionError("a table that is not there");
        } catch (SQLException error) {
            Check.equal(error.getMessage().startsWith("Unable to retrieve column metadata"), true);
        }
        Check.expect(connection, "1", "select count(*) from jdbc_to");
    }

    static void csv(Connection connection) throws SQLException {
        Check.execute(connection, "drop table if exists jdbc_to; create table jdbc_to (id int, name nvarchar(50), price decimal(9, 2),"
                + " at datetimeoffset(3), day date, flag bit, b varbinary(9))");
        String text = "id,name,price,at,day,flag,b\n1,\"it's, \"\"quoted\"\" 鶴\",12.50,2024-02-29 12:34:56.789 +00:00,2024-02-29,1,0A0B\n"
                + "2,,,,,,\n-3,plain,-0.01,0001-01-01 00:00:00.000 +00:00,9999-12-31,0,FF\n";
        try (var file = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
                var record = new SQLServerBulkCSVFileRecord(file, StandardCharsets.UTF_8.name(), ",", true);
                SQLServerBulkCopy copy = new SQLServerBulkCopy(connection)) {
            record.setEscapeColumnDelimitersCSV(true);
            record.setTimestampWithTimezoneFormat("yyyy-MM-dd HH:mm:ss.SSS XXX");
            record.addColumnMetadata(1, "id", Types.INTEGER, 0, 0);
            record.addColumnMetadata(2, "name", Types.NVARCHAR, 50, 0);
            record.addColumnMetadata(3, "price", Types.DECIMAL, 9, 2);
            record.addColumnMetadata(4, "at", Types.TIMESTAMP_WITH_TIMEZONE, 34, 3);
            record.addColumnMetadata(5, "day", Types.DATE, 10, 0);
            record.addColumnMetadata(6, "flag", Types.BIT, 0, 0);
            record.addColumnMetadata(7, "b", Types.VARBINARY, 9, 0);
            copy.setDestinationTableName("dbo.jdbc_to");
            for (String column : new String[] {"id", "name", "price", "at", "day", "flag", "b"}) {
                copy.addColumnMapping(column, column);
            }
            copy.writeToServer(record);
        } catch (java.io.IOException error) {
            throw new AssertionError(error);
        }
        Check.expect(connection, "3|0|12.49|1", "select count(*), sum(id), sum(price), sum(cast(flag as int)) from jdbc_to");
        Check.expect(connection, "it's, \"quoted\" 鶴|2024-02-29 12:34:56.789 +00:00|0x0A0B",
                "select name, convert(varchar(40), at, 121), convert(varchar(9), b, 1) from jdbc_to where id = 1");
        Check.expect(connection, "1", "select count(*) from jdbc_to where price is null and at is null and day is null and b is null");
    }

    static void tables(Connection connection) throws SQLException {
        Check.execute(connection, "drop procedure if exists jdbc_take; drop type if exists jdbc_list;"
                + " create type jdbc_list as table (id int primary key, name nvarchar(max), price decimal(9, 2), at datetime2(7), g uniqueidentifier)");
        Check.execute(connection, "create procedure jdbc_take @prefix varchar(9), @list jdbc_list readonly as select @prefix + max(name) as m,"
                + " count(*) as n, sum(price) as s, max(at) as at from @list; return (select count(*) from @list where g is null)");
        SQLServerDataTable table = new SQLServerDataTable();
        table.addColumnMetadata("id", Types.INTEGER);
        table.addColumnMetadata("name", Types.NVARCHAR);
        table.addColumnMetadata("price", Types.DECIMAL);
        table.addColumnMetadata("at", Types.TIMESTAMP);
        table.addColumnMetadata("g", Types.CHAR); // The driver writes no type for a GUID here.
        take(connection, table, "null|0|null|null", 0);
        table.addRow(1, "鶴".repeat(10), new BigDecimal("1.25"), "2024-02-29 12:34:56.1234567", null);
        table.addRow(2, null, null, null, "00112233-4455-6677-8899-AABBCCDDEEFF");
        take(connection, table, "p " + "鶴".repeat(10) + "|2|1.25|2024-02-29 12:34:56.1234567", 1);
        table.addRow(3, "鶴".repeat(100_000), new BigDecimal("9999999.99"), null, null);
        take(connection, table, "p " + "鶴".repeat(100_000) + "|3|10000001.24|2024-02-29 12:34:56.1234567", 2);
        table.addRow(3, "again", null, null, null);
        try {
            take(connection, table, "", 0);
            throw new AssertionError("a key twice");
        } catch (SQLException error) {
            Check.equal(error.getErrorCode(), 2627);
        }
        // In a text, from a result set and from records.
        String text = "select count(*), sum(t.id), max(name) from ? as t where t.id < ?";
        try (Statement source = connection.createStatement();
                ResultSet rows = source.executeQuery("select value, cast(value as nvarchar(max)), cast(1 as decimal(9, 2)),"
                        + " sysdatetime(), cast(newid() as char(36)) from generate_series(1, 500)");
                SQLServerPreparedStatement select = (SQLServerPreparedStatement) connection.prepareStatement(text)) {
            select.setStructured(1, "dbo.jdbc_list", rows);
            select.setInt(2, 101);
            try (ResultSet found = select.executeQuery()) {
                Check.equal(Check.row(found), "100|5050|99");
            }
        }
        try (SQLServerPreparedStatement select = (SQLServerPreparedStatement) connection.prepareStatement(text)) {
            for (int turn = 0; turn < 3; turn++) {
                select.setStructured(1, "jdbc_list", new Records(1000));
                select.setInt(2, 500);
                try (ResultSet found = select.executeQuery()) {
                    Check.equal(Check.row(found), "500|124750|record 99");
                }
            }
            select.setStructured(1, "jdbc_none", new Records(1));
            select.setInt(2, 1);
            select.executeQuery();
            throw new AssertionError("a type that is not there");
        } catch (SQLException error) {
            Check.equal(error.getErrorCode() + error.getMessage(), 2715 + "Column, parameter, or variable #1: Cannot find data type jdbc_none.");
        }
    }

    private static void take(Connection connection, SQLServerDataTable table, String wanted, int returned) throws SQLException {
        try (SQLServerCallableStatement call = (SQLServerCallableStatement) connection.prepareCall("{? = call jdbc_take (?, ?)}")) {
            call.registerOutParameter(1, Types.INTEGER);
            call.setString(2, "p ");
            call.setStructured(3, "jdbc_list", table);
            try (ResultSet rows = call.executeQuery()) {
                Check.equal(Check.row(rows), wanted);
            }
            Check.equal(call.getInt(1), returned);
        }
    }

    private static final class Records implements ISQLServerDataRecord {
        private final int count;
        private int at = -1;

        Records(int count) {
            this.count = count;
        }

        @Override
        public SQLServerMetaData getColumnMetaData(int column) {
            return switch (column) {
                case 1 -> new SQLServerMetaData("id", Types.INTEGER);
                case 2 -> new SQLServerMetaData("name", Types.NVARCHAR, 4000, 0);
                case 3 -> new SQLServerMetaData("price", Types.DECIMAL, 9, 2);
                case 4 -> new SQLServerMetaData("at", Types.TIMESTAMP, 27, 7);
                default -> new SQLServerMetaData("g", Types.VARCHAR, 36, 0);
            };
        }

        @Override
        public int getColumnCount() {
            return 5;
        }

        @Override
        public Object[] getRowData() {
            return new Object[] {at, "record " + at, new BigDecimal("0.50"), null, null};
        }

        @Override
        public boolean next() {
            return ++at < count;
        }
    }

    /** A batch whose text names some columns in another order, literals beside parameters, defaults and a trigger. */
    static void batches(Connection connection) throws SQLException {
        Check.execute(connection, "drop table if exists jdbc_log, jdbc_to; create table jdbc_log (n int);"
                + " create table jdbc_to (id int identity primary key, v int not null default 7 check (v < 1000), [odd ]]name] nvarchar(20),"
                + " price decimal(9, 2), d date, b varbinary(max))");
        Check.execute(connection, "create trigger jdbc_to_log on jdbc_to after insert as insert jdbc_log select count(*) from inserted");
        String text = "insert into dbo.jdbc_to ([odd ]]name], price, d, b) values (?, ?, ?, ?)";
        try (PreparedStatement insert = connection.prepareStatement(text)) {
            for (int id = 0; id < 20; id++) {
                insert.setString(1, id % 2 == 0 ? null : "ž " + id);
                insert.setBigDecimal(2, new BigDecimal("0.25"));
                insert.setObject(3, java.time.LocalDate.of(2024, 2, 29));
                insert.setBytes(4, new byte[9000]);
                insert.addBatch();
            }
            Check.equal(insert.executeBatch().length, 20);
        }
        Check.expect(connection, "20|10|5.00|140|2024-02-29|9000|20", "select count(*), count([odd ]]name]), sum(price), sum(v), max(d),"
                + " max(datalength(b)), (select sum(n) from jdbc_log) from jdbc_to");
        try (PreparedStatement insert = connection.prepareStatement("insert into jdbc_to (v, price) values (?, ?)")) {
            for (int v = 999; v <= 1000; v++) {
                insert.setInt(1, v);
                insert.setBigDecimal(2, null);
                insert.addBatch();
            }
            insert.executeBatch();
            throw new AssertionError("a value against its constraint");
        } catch (BatchUpdateException error) {
            // The driver keeps the number of a batch, and drops it of a bulk copy.
            Check.equal(error.getMessage().startsWith("The INSERT statement conflicted with the CHECK constraint"), true);
        }
        // Literals beside parameters are no bulk copy: the driver falls back.
        try (PreparedStatement insert = connection.prepareStatement("insert into jdbc_to (v, price) values (5 + 5, ?)")) {
            for (int at = 0; at < 3; at++) {
                insert.setInt(1, at);
                insert.addBatch();
            }
            Check.equal(Arrays.stream(insert.executeBatch()).sum(), 3);
        }
        Check.expect(connection, "3|3.00", "select count(*), sum(price) from jdbc_to where v = 10");
    }
}
