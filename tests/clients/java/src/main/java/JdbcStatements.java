import com.microsoft.sqlserver.jdbc.SQLServerConnection;
import com.microsoft.sqlserver.jdbc.SQLServerConnectionPoolDataSource;
import com.microsoft.sqlserver.jdbc.SQLServerPreparedStatement;
import com.microsoft.sqlserver.jdbc.SQLServerResultSet;
import com.microsoft.sqlserver.jdbc.SQLServerXADataSource;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import javax.transaction.xa.XAException;

/**
 * Checks of what mssql-jdbc does with statements and connections: types of result sets, ways to prepare, buffering, strings,
 * generated keys, timeouts, facts of parameters, connections of pools, and what the server has not: XA and Always Encrypted.
 */
final class JdbcStatements {
    private JdbcStatements() {}

    /** Every type with every concurrency, as JDBC names them and as the driver does. */
    static void resultSets(Connection connection) throws SQLException {
        Check.execute(connection, "drop table if exists jdbc_kinds; create table jdbc_kinds (id int primary key, v int);"
                + " insert jdbc_kinds select value, value * 10 from generate_series(1, 20);"
                + " drop table if exists jdbc_keyless; create table jdbc_keyless (id int, v int);"
                + " insert jdbc_keyless select id, v from jdbc_kinds");
        int[] types = {ResultSet.TYPE_FORWARD_ONLY, ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.TYPE_SCROLL_SENSITIVE,
            SQLServerResultSet.TYPE_SS_DIRECT_FORWARD_ONLY, SQLServerResultSet.TYPE_SS_SERVER_CURSOR_FORWARD_ONLY,
            SQLServerResultSet.TYPE_SS_SCROLL_STATIC, SQLServerResultSet.TYPE_SS_SCROLL_KEYSET,
            SQLServerResultSet.TYPE_SS_SCROLL_DYNAMIC};
        int[] concurrencies = {ResultSet.CONCUR_READ_ONLY, ResultSet.CONCUR_UPDATABLE,
            SQLServerResultSet.CONCUR_SS_SCROLL_LOCKS, SQLServerResultSet.CONCUR_SS_OPTIMISTIC_CC,
            SQLServerResultSet.CONCUR_SS_OPTIMISTIC_CCVAL};
        int made = 0;
        for (int type : types) {
            for (int concurrency : concurrencies) {
                for (boolean isPrepared : new boolean[] {false, true}) {
                    made += resultSet(connection, type, concurrency, isPrepared) ? 1 : 0;
                }
            }
        }
        // Three static or direct ones that can only be read, five types with all five concurrencies, each twice.
        Check.equal(made, 2 * (3 + 5 * 5));
        // A keyset needs a key.
        try (Statement statement = connection.createStatement(ResultSet.TYPE_SCROLL_SENSITIVE, ResultSet.CONCUR_UPDATABLE);
                ResultSet rows = statement.executeQuery("select id, v from jdbc_keyless")) {
            Check.equal(rows.last(), true);
            Check.equal(rows.getRow(), 20);
            rows.updateInt(1, 7);
            try {
                rows.updateRow();
                throw new AssertionError("a row without a key was changed through a cursor");
            } catch (SQLException error) {
                Check.equal(error.getErrorCode(), 16929);
            }
        }
    }

    private static boolean resultSet(Connection connection, int type, int concurrency, boolean isPrepared) throws SQLException {
        String text = "select id, v from jdbc_kinds where id <= 7 order by id";
        Statement statement;
        try {
            statement = isPrepared ? connection.prepareStatement(text, type, concurrency)
                    : connection.createStatement(type, concurrency);
        } catch (SQLException error) {
            Check.equal(error.getMessage().contains("is not supported"), true); // The driver's own word.
            return false;
        }
        String which = "type " + type + ", concurrency " + concurrency + ": ";
        boolean isForward = type == ResultSet.TYPE_FORWARD_ONLY || type == SQLServerResultSet.TYPE_SS_DIRECT_FORWARD_ONLY
                || type == SQLServerResultSet.TYPE_SS_SERVER_CURSOR_FORWARD_ONLY;
        try (statement; ResultSet rows = isPrepared ? ((PreparedStatement) statement).executeQuery() : statement.executeQuery(text)) {
            int sum = 0;
            while (rows.next()) {
                if (concurrency != ResultSet.CONCUR_READ_ONLY) {
                    rows.updateInt("v", rows.getInt("v") + 1);
                    rows.updateRow();
                }
                sum += rows.getInt("id");
            }
            Check.equal(which + sum, which + 28);
            Check.equal(which + rows.getConcurrency(), which + concurrency);
            if (!isForward) {
                Check.equal(which + rows.last() + rows.previous() + rows.getInt(1), which + "truetrue6");
            }
            return true;
        } catch (SQLException error) {
            throw new SQLException(which + error.getMessage(), error.getSQLState(), error.getErrorCode(), error);
        }
    }

    /** A statement often enough that every way to prepare is gone through, among them batches and changes of types. */
    static void preparing(Connection connection) throws SQLException {
        Check.execute(connection, "create table #p (id int, name nvarchar(50), price decimal(9, 2), at datetime2(3))");
        try (PreparedStatement insert = connection.prepareStatement("insert #p values (?, ?, ?, ?)")) {
            for (int turn = 0; turn < 4; turn++) {
                for (int id = 0; id < 10; id++) {
                    insert.setInt(1, turn * 10 + id);
                    insert.setString(2, "it's ✓ " + id);
                    insert.setBigDecimal(3, id % 3 == 0 ? null : new BigDecimal("1.25"));
                    insert.setObject(4, LocalDateTime.of(2024, 2, 29, 1, 2, 3, 456_000_000));
                    insert.addBatch();
                }
                Check.equal(Arrays.stream(insert.executeBatch()).sum(), 10);
            }
        }
        Check.expect(connection, "40|780|it's ✓ 9|30.00|2024-02-29 01:02:03.456",
                "select count(*), sum(id), max(name), sum(price), max(at) from #p");
        try (PreparedStatement select = connection.prepareStatement("select count(*) from #p where id < ? or name = ?")) {
            for (int turn = 0; turn < 5; turn++) {
                select.setObject(1, turn % 2 == 0 ? (Object) 5 : (Object) 5L);
                select.setString(2, "it's ✓ 7");
                try (ResultSet rows = select.executeQuery()) {
                    Check.equal(Check.row(rows), "9");
                }
            }
        }
        try (PreparedStatement wrong = connection.prepareStatement("insert #p (id) values (? / ?)")) {
            for (int turn = 0; turn < 3; turn++) {
                wrong.setInt(1, 1);
                wrong.setInt(2, turn);
                try {
                    Check.equal(wrong.executeUpdate() + turn > 1, true);
                } catch (SQLException error) {
                    Check.equal(error.getErrorCode() + turn, 8134);
                }
            }
        }
    }

    /** A temporary table that a prepared text makes is gone with it, but where the driver sends the text with its values. */
    static void scopes(Connection connection) throws Exception {
        String method = ((SQLServerConnection) connection).getPrepareMethod();
        boolean isOfConnection = method.equals("scopeTempTablesToConnection") || method.equals("none");
        try (PreparedStatement make = connection.prepareStatement("select ? as id, nullif(?, '') as name into #made")) {
            make.setInt(1, 5);
            make.setString(2, "it's");
            make.execute();
        }
        if (isOfConnection) {
            Check.expect(connection, "5|it's", "select * from #made");
            for (int id = 0; id < 3; id++) {
                try (PreparedStatement insert = connection.prepareStatement("insert #made values (?, ?)")) {
                    insert.setInt(1, id);
                    insert.setString(2, "x");
                    Check.equal(insert.executeUpdate(), 1);
                }
            }
            Check.expect(connection, "4|8", "select count(*), sum(id) from #made");
        } else {
            Check.refused(connection, 208, "select * from #made");
        }
    }

    /** Rows and long values that are read while others are asked for, held by the driver or left in the socket. */
    static void buffering(Connection connection) throws Exception {
        Check.execute(connection, "drop table if exists jdbc_wide; create table jdbc_wide (id int primary key, t nvarchar(max),"
                + " b varbinary(max)); insert jdbc_wide select value, replicate(cast(N'ž' as nvarchar(max)), value * 1000),"
                + " cast(replicate(cast('ab' as varchar(max)), value * 1000) as varbinary(max)) from generate_series(1, 60)");
        try (Statement outer = connection.createStatement(); Statement inner = connection.createStatement();
                ResultSet rows = outer.executeQuery("select id, t, b from jdbc_wide order by id")) {
            int count = 0;
            while (rows.next()) {
                count++;
                Check.equal(rows.getInt(1), count);
                if (count % 7 == 0) {
                    // The driver must put away what it has not read.
                    try (ResultSet one = inner.executeQuery("select max(id) from jdbc_wide where id <= " + count)) {
                        Check.equal(Check.row(one), String.valueOf(count));
                    }
                }
                if (count % 3 == 0) {
                    continue; // Not read at all.
                }
                // The next value closes the stream of the one before it.
                Reader text = rows.getCharacterStream(2);
                Check.equal(text.read(), (int) 'ž');
                if (count % 3 == 1) {
                    try (InputStream bytes = rows.getBinaryStream(3)) {
                        Check.equal(bytes.readAllBytes().length, count * 2000);
                    }
                }
            }
            Check.equal(count, 60);
        }
        try (Statement many = connection.createStatement()) {
            many.setFetchSize(100);
            try (ResultSet rows = many.executeQuery("select value from generate_series(1, 1000000)")) {
                for (int at = 1; at <= 1000; at++) {
                    Check.equal(rows.next() && rows.getInt(1) == at, true);
                }
            } // What is left is thrown away, by an attention.
        }
        Check.expect(connection, "1", "select 1");
    }

    /** What type texts have that are sent as nvarchar, and what varchar loses. */
    static void strings(Connection connection, boolean isUnicode) throws SQLException {
        Check.execute(connection, "create table #s (v varchar(60) primary key, n nvarchar(60))");
        String text = "select cast(sql_variant_property(cast(? as sql_variant), 'BaseType') as varchar(20)), "
                + "cast(sql_variant_property(cast(? as sql_variant), 'BaseType') as varchar(20)), ?, ?";
        try (PreparedStatement select = connection.prepareStatement(text);
                PreparedStatement insert = connection.prepareStatement("insert #s values (?, ?)");
                PreparedStatement find = connection.prepareStatement("select count(*) from #s where v = ? and n = ?")) {
            for (int turn = 0; turn < 3; turn++) {
                select.setString(1, "a");
                select.setNString(2, "a");
                select.setString(3, "é 鶴");
                select.setNString(4, "é 鶴");
                try (ResultSet rows = select.executeQuery()) {
                    Check.equal(Check.row(rows), isUnicode ? "nvarchar|nvarchar|é 鶴|é 鶴" : "varchar|nvarchar|é ?|é 鶴");
                }
                insert.setString(1, "é" + turn);
                insert.setNString(2, "鶴" + turn);
                Check.equal(insert.executeUpdate(), 1);
                find.setString(1, "é" + turn);
                find.setNString(2, "鶴" + turn);
                try (ResultSet rows = find.executeQuery()) {
                    Check.equal(Check.row(rows), "1");
                }
            }
            // Longer than 8,000 bytes: (max) of either kind.
            insert.setCharacterStream(1, new StringReader("x".repeat(60)));
            insert.setNCharacterStream(2, new StringReader("鶴".repeat(60)));
            Check.equal(insert.executeUpdate(), 1);
        }
        try (PreparedStatement length = connection.prepareStatement("select datalength(?), datalength(?)")) {
            length.setString(1, "x".repeat(9000));
            length.setCharacterStream(2, new StringReader("y".repeat(70_000)));
            try (ResultSet rows = length.executeQuery()) {
                Check.equal(Check.row(rows), isUnicode ? "18000|140000" : "9000|70000");
            }
        }
    }

    static void generatedKeys(Connection connection) throws Exception {
        Check.execute(connection, "drop table if exists jdbc_log, jdbc_keys; create table jdbc_log (id int identity (900, 1), of_key int);"
                + " create table jdbc_keys (id bigint identity (10, 5) primary key, name nvarchar(20) unique)");
        // SCOPE_IDENTITY is not the trigger's.
        Check.execute(connection, "create trigger jdbc_keys_log on jdbc_keys after insert as"
                + " begin set nocount on; insert jdbc_log (of_key) select id from inserted end");
        try (PreparedStatement insert = connection.prepareStatement("insert jdbc_keys (name) values (?)",
                Statement.RETURN_GENERATED_KEYS)) {
            for (int turn = 0; turn < 3; turn++) {
                insert.setString(1, "name " + turn);
                Check.equal(insert.executeUpdate(), 1);
                try (ResultSet keys = insert.getGeneratedKeys()) {
                    Check.equal(keys.getMetaData().getColumnName(1) + " " + Check.row(keys), "GENERATED_KEYS " + (10 + 5 * turn));
                }
            }
            insert.setString(1, "name 0");
            try {
                insert.executeUpdate();
                throw new AssertionError("a name twice");
            } catch (SQLException error) {
                Check.equal(error.getErrorCode(), 2627);
            }
        }
        try (PreparedStatement insert = connection.prepareStatement("insert jdbc_keys (name) values (?), (?)",
                new String[] {"id"})) {
            insert.setString(1, "x");
            insert.setString(2, "y");
            Check.equal(insert.executeUpdate(), 2);
            try (ResultSet keys = insert.getGeneratedKeys()) {
                Check.equal(Check.row(keys), "35"); // The one that failed took 25.
            }
        }
        try (Statement statement = connection.createStatement()) {
            Check.equal(statement.executeUpdate("insert jdbc_keys (name) values (N'z')", Statement.RETURN_GENERATED_KEYS), 1);
            try (ResultSet keys = statement.getGeneratedKeys()) {
                Check.equal(Check.row(keys), "40");
            }
            // With OUTPUT the rows are the statement's own; a trigger forbids it without INTO.
            Check.equal(statement.execute("declare @new table (id bigint); insert jdbc_keys (name) output inserted.id into @new"
                    + " values (N'q'), (N'r'); select * from @new order by id"), false);
            Check.equal(statement.getUpdateCount(), 2);
            Check.equal(statement.getMoreResults(), true);
            Check.equal(Check.row(statement.getResultSet()), "45");
        }
        Check.refused(connection, 334, "insert jdbc_keys (name) output inserted.id values (N's')");
    }

    /** Timeouts of statements, of locks and of the connection, and a transaction that outlives one. */
    static void timeouts(Connection connection) throws Exception {
        Check.execute(connection, "drop table if exists jdbc_slow; create table jdbc_slow (id int primary key, v int);"
                + " insert jdbc_slow values (1, 1), (2, 2)");
        connection.setAutoCommit(false);
        Check.execute(connection, "update jdbc_slow set v = 10 where id = 1");
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(1);
            try {
                statement.execute("waitfor delay '00:01:00'");
                throw new AssertionError("a minute has passed");
            } catch (SQLTimeoutException expected) {
                Check.equal(expected.getSQLState(), "HY008");
            }
        }
        try (PreparedStatement statement = connection.prepareStatement("waitfor delay ?; select 1")) {
            statement.setQueryTimeout(1);
            statement.setString(1, "00:01:00");
            try {
                statement.execute();
                throw new AssertionError("a minute has passed");
            } catch (SQLTimeoutException expected) {
                // The driver's.
            }
        }
        Check.expect(connection, "1|10", "select @@trancount, v from jdbc_slow where id = 1");
        try (Connection other = Check.connect("trustServerCertificate=true;lockTimeout=100;")) {
            Check.refused(other, 1222, "update jdbc_slow set v = 0 where id = 1");
            Check.expect(other, "2", "select v from jdbc_slow where id = 2");
        }
        try (Connection other = Check.connect("trustServerCertificate=true;queryTimeout=1;")) {
            try {
                Check.execute(other, "update jdbc_slow set v = 0 where id = 1");
                throw new AssertionError("a lock was passed over");
            } catch (SQLTimeoutException expected) {
                // The driver's.
            }
            Check.expect(other, "0", "select @@trancount");
        }
        // Cancelled while its rows are on their way.
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select a.value from generate_series(1, 100000) a, generate_series(1, 1000) b")) {
            Check.equal(rows.next(), true);
            statement.cancel();
            try {
                while (rows.next()) {
                    rows.getInt(1);
                }
                throw new AssertionError("a hundred million rows were read");
            } catch (SQLException expected) {
                Check.equal(expected.getSQLState(), "HY008");
            }
        }
        connection.commit();
        connection.setAutoCommit(true);
        Check.expect(connection, "0|10", "select @@trancount, v from jdbc_slow where id = 1");
    }

    static void parameterFacts(Connection connection) throws SQLException {
        Check.execute(connection, "drop table if exists jdbc_facts; create table jdbc_facts (id int, name nvarchar(30),"
                + " price decimal(9, 2), at datetime2(3), flag bit, b varbinary(5))");
        Check.execute(connection, "create or alter procedure jdbc_facts_of @id int, @name varchar(7), @sum decimal(9, 3) output as"
                + " select 1");
        facts(connection, "insert into jdbc_facts values (?, ?, ?, ?, ?, ?)",
                "4 int 10 0, -9 nvarchar 30 0, 3 decimal 9 2, 93 datetime2 23 3, -7 bit 1 0, -3 varbinary 5 0");
        facts(connection, "insert into jdbc_facts (name, id) values (?, ?)", "-9 nvarchar 30 0, 4 int 10 0");
        facts(connection, "select * from jdbc_facts where id = ? and price between ? and 7", "4 int 10 0, 3 decimal 9 2");
        facts(connection, "update jdbc_facts set name = ?, price = price + ? where at < ?",
                "-9 nvarchar 30 0, 3 decimal 9 2, 93 datetime2 23 3");
        facts(connection, "delete from jdbc_facts where name like ?", "-9 nvarchar 30 0");
        facts(connection, "{call jdbc_facts_of (?, ?, ?)}", "4 int 10 0, 12 varchar 7 0, 3 decimal 9 3");
        try (PreparedStatement statement = connection.prepareStatement("select * from jdbc_none where id = ?")) {
            statement.getParameterMetaData();
            throw new AssertionError("parameters of a table that is not there");
        } catch (SQLException error) {
            Check.equal(error.getErrorCode(), 208);
        }
        try (PreparedStatement statement = connection.prepareStatement("select id, name as n from jdbc_facts where id = ?")) {
            Check.equal(statement.getMetaData().getColumnCount() + statement.getMetaData().getColumnLabel(2), "2n");
        }
    }

    private static void facts(Connection connection, String text, String wanted) throws SQLException {
        boolean isCall = text.startsWith("{");
        try (PreparedStatement statement = isCall ? connection.prepareCall(text) : connection.prepareStatement(text)) {
            ParameterMetaData facts = statement.getParameterMetaData();
            List<String> found = new ArrayList<>();
            for (int at = 1; at <= facts.getParameterCount(); at++) {
                found.add(facts.getParameterType(at) + " " + facts.getParameterTypeName(at) + " " + facts.getPrecision(at) + " "
                        + facts.getScale(at));
            }
            Check.equal(text + ": " + String.join(", ", found), text + ": " + wanted);
        }
    }

    /** Values as the classes of java.time, UUIDs, sql_variant and XML, in and out. */
    static void values(Connection connection) throws SQLException {
        Check.execute(connection, "create table #v (d date, t time(7), m datetime2(7), o datetimeoffset(7), g uniqueidentifier,"
                + " x xml, s sql_variant, money money, small smalldatetime, f float, r real, n ntext)");
        LocalDateTime moment = LocalDateTime.of(9999, 12, 31, 23, 59, 59, 999_999_900);
        OffsetDateTime offset = OffsetDateTime.parse("2024-02-29T12:34:56.1234567-07:30");
        UUID id = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
        try (SQLServerPreparedStatement insert = (SQLServerPreparedStatement) connection.prepareStatement(
                "insert #v values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
            insert.setObject(1, LocalDate.of(1, 1, 1));
            insert.setObject(2, LocalTime.of(23, 59, 59, 999_999_900));
            insert.setObject(3, moment);
            insert.setObject(4, offset);
            insert.setUniqueIdentifier(5, id.toString());
            var xml = connection.createSQLXML();
            xml.setString("<a b=\"1\">ž</a>");
            insert.setSQLXML(6, xml);
            insert.setObject(7, 12.5, microsoft.sql.Types.SQL_VARIANT);
            insert.setMoney(8, new BigDecimal("-922337203685477.5808"));
            insert.setSmallDateTime(9, java.sql.Timestamp.valueOf("2079-06-06 23:59:00"));
            insert.setDouble(10, -1.7976931348623157E308);
            insert.setFloat(11, Float.MIN_NORMAL);
            var clob = connection.createNClob();
            clob.setString(1, "鶴".repeat(5000));
            insert.setNClob(12, clob);
            Check.equal(insert.executeUpdate(), 1);
        }
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery("select * from #v")) {
            Check.equal(rows.next(), true);
            Check.equal(rows.getObject(1, LocalDate.class), LocalDate.of(1, 1, 1));
            Check.equal(rows.getObject(2, LocalTime.class), LocalTime.of(23, 59, 59, 999_999_900));
            Check.equal(rows.getObject(3, LocalDateTime.class), moment);
            Check.equal(rows.getObject(4, OffsetDateTime.class), offset);
            Check.equal(rows.getObject(5, UUID.class), id);
            Check.equal(rows.getSQLXML(6).getString(), "<a b=\"1\">ž</a>");
            Check.equal(rows.getObject(7), 12.5);
            Check.equal(rows.getBigDecimal(8), new BigDecimal("-922337203685477.5808"));
            Check.equal(rows.getTimestamp(9).toString(), "2079-06-06 23:59:00.0");
            Check.equal(rows.getDouble(10), -1.7976931348623157E308);
            Check.equal(rows.getFloat(11), Float.MIN_NORMAL);
            Check.equal(rows.getNClob(12).length(), 5000L);
        }
    }

    /** Levels, savepoints, and what a pool's connection forgets when it is given back. */
    static void connections(Connection connection) throws Exception {
        Check.execute(connection, "create table #l (id int)");
        int[] levels = {Connection.TRANSACTION_READ_UNCOMMITTED, Connection.TRANSACTION_READ_COMMITTED,
            Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE, SQLServerConnection.TRANSACTION_SNAPSHOT};
        for (int at = 0; at < levels.length; at++) {
            connection.setTransactionIsolation(levels[at]);
            Check.expect(connection, String.valueOf(at + 1),
                    "select cast(transaction_isolation_level as int) from sys.dm_exec_sessions where session_id = @@spid");
        }
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        connection.setAutoCommit(false);
        Check.execute(connection, "insert #l values (1)");
        Savepoint named = connection.setSavepoint("it's one");
        Check.execute(connection, "insert #l values (2)");
        Savepoint unnamed = connection.setSavepoint();
        Check.execute(connection, "insert #l values (3)");
        connection.rollback(unnamed);
        Check.expect(connection, "2", "select count(*) from #l");
        connection.rollback(named);
        connection.commit();
        connection.setAutoCommit(true);
        Check.expect(connection, "1", "select count(*) from #l");
        connection.setCatalog("tempdb");
        Check.equal(connection.getCatalog() + connection.getSchema() + connection.isValid(5), "tempdbdbotrue");

        SQLServerConnectionPoolDataSource source = new SQLServerConnectionPoolDataSource();
        source.setServerName(System.getenv("MILLPOND_HOST"));
        source.setPortNumber(Integer.parseInt(System.getenv("MILLPOND_PORT")));
        source.setUser("sa");
        source.setPassword(System.getenv("MSSQL_SA_PASSWORD"));
        source.setTrustServerCertificate(true);
        source.setApplicationName("a pool");
        var pooled = source.getPooledConnection();
        String session;
        try (Connection first = pooled.getConnection(); Statement statement = first.createStatement()) {
            session = Check.row(statement.executeQuery("select @@spid"));
            Check.execute(first, "create table #left (id int); set language deutsch; set dateformat ymd; use tempdb");
            first.setAutoCommit(false);
            Check.execute(first, "create table ##all (id int)");
        }
        try (Connection second = pooled.getConnection()) {
            Check.expect(second, session + "|us_english|0|master|null|null|a pool", "select @@spid, @@language, @@trancount,"
                    + " db_name(), object_id('tempdb..#left'), object_id('tempdb..##all'), app_name()");
        }
        pooled.close();
    }

    /** A session that is killed while nothing runs: the server does not offer to make it anew, and so the driver says it is gone. */
    static void killed(Connection connection) throws Exception {
        try (Connection idle = Check.connect("trustServerCertificate=true;connectRetryCount=2;connectRetryInterval=1;")) {
            String session;
            try (Statement statement = idle.createStatement()) {
                session = Check.row(statement.executeQuery("select @@spid"));
            }
            Check.execute(connection, "kill " + session);
            try {
                Check.execute(idle, "select 1");
                throw new AssertionError("a killed session answers");
            } catch (SQLException error) {
                Check.equal(error.getSQLState(), "08S01");
            }
            Check.equal(idle.isClosed() + " " + idle.isValid(5), "true false");
        }
    }

    /** Transactions of two phases: SQL Server has them by procedures that must be installed, and so says 2812 without. */
    static void xa(Connection connection) throws Exception {
        SQLServerXADataSource source = new SQLServerXADataSource();
        source.setServerName(System.getenv("MILLPOND_HOST"));
        source.setPortNumber(Integer.parseInt(System.getenv("MILLPOND_PORT")));
        source.setUser("sa");
        source.setPassword(System.getenv("MSSQL_SA_PASSWORD"));
        source.setTrustServerCertificate(true);
        var pooled = source.getXAConnection();
        try {
            pooled.getXAResource().start(new XidOfCheck(), 0);
            throw new AssertionError("a distributed transaction has begun");
        } catch (XAException error) {
            Check.equal(error.getMessage().contains("Could not find stored procedure 'master..xp_sqljdbc_xa_init_ex'"), true);
        }
        try (Connection plain = pooled.getConnection()) {
            Check.expect(plain, "1", "select 1");
        }
        pooled.close();
        Check.refused(connection, 40517, "begin distributed transaction");
    }

    private static final class XidOfCheck implements javax.transaction.xa.Xid {
        @Override
        public int getFormatId() {
            return 7;
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return new byte[] {1, 2, 3};
        }

        @Override
        public byte[] getBranchQualifier() {
            return new byte[] {4};
        }
    }

    /** Keys of columns are refused by name; a connection that would encrypt hears of each parameter that it need not. */
    static void alwaysEncrypted(Connection connection) throws Exception {
        Check.refused(connection, 40517, "create column master key k with (key_store_provider_name = N'JKS', key_path = N'k')");
        Check.refused(connection, 40517, "create column encryption key k with values (column_master_key = k,"
                + " algorithm = 'RSA_OAEP', encrypted_value = 0x01)");
        Check.refused(connection, 40517, "create table jdbc_secret (a int encrypted with (column_encryption_key = k,"
                + " encryption_type = randomized, algorithm = 'AEAD_AES_256_CBC_HMAC_SHA_256'))");
        Check.expect(connection, "0|0", "select (select count(*) from sys.column_master_keys),"
                + " (select count(*) from sys.column_encryption_keys)");
        try (Connection encrypting = Check.connect("trustServerCertificate=true;columnEncryptionSetting=Enabled;");
                PreparedStatement select = encrypting.prepareStatement("select ?, ?")) {
            select.setInt(1, 5);
            select.setString(2, "open");
            try (ResultSet rows = select.executeQuery()) {
                Check.equal(Check.row(rows), "5|open");
            }
        }
    }
}
