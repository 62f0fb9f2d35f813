import com.microsoft.sqlserver.jdbc.SQLServerBulkCopy;
import com.microsoft.sqlserver.jdbc.SQLServerBulkCopyOptions;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks that mssql-jdbc works against the server: connecting with and without TLS, parameters, temporary tables,
 * errors, transactions, cancellation, cursors, and the tempdb loop from 1 and from 10 connections; then what JdbcStatements,
 * JdbcBulk and JdbcMetadata say of themselves.
 *
 * <p>Each check prints {@code ok NAME} or {@code FAILED NAME: why}, which tests/clients/run counts. No check looks at a
 * clock.
 */
public final class Check {
    interface Body {
        void run(Connection connection) throws Exception;
    }

    private static final String TRUST = "trustServerCertificate=true;";
    private static boolean failed;

    public static void main(String[] arguments) {
        String pinned = "serverCertificate=" + System.getenv("MILLPOND_CERTIFICATE") + ";hostNameInCertificate=localhost;";
        check("connect, TLS as by default", Check::one, TRUST);
        check("connect without TLS", Check::one, "encrypt=false;");
        check("connect, TLS before everything", Check::one, "encrypt=strict;" + pinned);
        check("parameters", Check::parameters, TRUST);
        check("parameters without values", Check::nothing, TRUST);
        check("batch as a bulk copy", Check::bulkBatch, TRUST + "useBulkCopyForBatchInsert=true;");
        check("columns of UTF-8", Check::utf8, TRUST);
        check("prepared statement, temp table", Check::prepared, TRUST);
        check("batch of a prepared statement", Check::batch, TRUST);
        check("prepared statement, 5,000 times", Check::often, TRUST + "statementPoolingCacheSize=0;");
        check("batch, prepared on its own", Check::batch, TRUST + "prepareMethod=prepare;");
        check("output parameters", Check::outputs, TRUST);
        check("bulk copy beside an identity column", Check::bulkCopy, TRUST);
        check("error 208", Check::wrongName, TRUST);
        check("commit and rollback", Check::transactions, TRUST);
        check("cancel", Check::cancel, TRUST);
        check("cursors, scrolling", ServerCursors::scrolling, TRUST);
        check("cursors, forward only", ServerCursors::forward, TRUST);
        check("cursors, changes", ServerCursors::changes, TRUST);
        check("cursors, what others change", ServerCursors::others, TRUST);
        check("cursors, prepared", ServerCursors::prepared, TRUST);
        check("cursors, texts that make none", ServerCursors::direct, TRUST);
        check("cursors, a hundred", ServerCursors::many, TRUST);
        check("cursors, long values", ServerCursors::longValues, TRUST);
        String cursors = TRUST + "selectMethod=cursor;responseBuffering=adaptive;";
        check("parameters, selectMethod=cursor", Check::parameters, cursors);
        check("prepared statement, selectMethod=cursor", Check::prepared, cursors);
        check("batch, selectMethod=cursor", Check::batch, cursors);
        check("output parameters, selectMethod=cursor", Check::outputs, cursors);
        check("error 208, selectMethod=cursor", Check::wrongName, cursors);
        check("commit and rollback, selectMethod=cursor", Check::transactions, cursors);
        check("cancel, selectMethod=cursor", Check::cancel, cursors);
        check("result sets of every type and concurrency", JdbcStatements::resultSets, TRUST);
        for (String method : new String[] {"prepexec", "prepare", "none", "scopeTempTablesToConnection"}) {
            check("prepareMethod=" + method, JdbcStatements::preparing, TRUST + "prepareMethod=" + method + ";");
            check("temporary tables, prepareMethod=" + method, JdbcStatements::scopes, TRUST + "prepareMethod=" + method + ";");
        }
        check("prepared at once, kept by the driver", JdbcStatements::preparing, TRUST
                + "enablePrepareOnFirstPreparedStatementCall=true;disableStatementPooling=false;statementPoolingCacheSize=10;"
                + "serverPreparedStatementDiscardThreshold=2;");
        check("buffering, adaptive", JdbcStatements::buffering, TRUST + "responseBuffering=adaptive;");
        check("buffering, full", JdbcStatements::buffering, TRUST + "responseBuffering=full;");
        check("strings as nvarchar", connection -> JdbcStatements.strings(connection, true),
                TRUST + "sendStringParametersAsUnicode=true;");
        check("strings as varchar", connection -> JdbcStatements.strings(connection, false),
                TRUST + "sendStringParametersAsUnicode=false;");
        check("generated keys", JdbcStatements::generatedKeys, TRUST);
        check("bulk copy of rows, all types", JdbcBulk::types, TRUST);
        check("bulk copy, options", JdbcBulk::options, TRUST);
        check("bulk copy, errors", JdbcBulk::errors, TRUST);
        check("bulk copy of CSV", JdbcBulk::csv, TRUST);
        check("table-valued parameters", JdbcBulk::tables, TRUST);
        String bulk = TRUST + "useBulkCopyForBatchInsert=true;bulkCopyForBatchInsertCheckConstraints=true;"
                + "bulkCopyForBatchInsertFireTriggers=true;bulkCopyForBatchInsertBatchSize=7;";
        check("batch as a bulk copy, columns and constraints", JdbcBulk::batches, bulk);
        check("batch as itself, columns and constraints", JdbcBulk::batches, TRUST);
        check("facts of the database: tables and columns", JdbcMetadata::tables, TRUST);
        check("facts of the database: keys and indexes", JdbcMetadata::keys, TRUST);
        check("facts of the database: procedures and functions", JdbcMetadata::routines, TRUST);
        check("facts of the database: types, schemas, rights", JdbcMetadata::others, TRUST);
        check("timeouts", JdbcStatements::timeouts, TRUST);
        check("facts of parameters", JdbcStatements::parameterFacts, TRUST);
        check("values", JdbcStatements::values, TRUST + "sendTimeAsDatetime=false;");
        check("levels, savepoints, connections of a pool", JdbcStatements::connections, TRUST);
        check("a session that is killed", JdbcStatements::killed, TRUST);
        check("XA is refused", JdbcStatements::xa, TRUST);
        check("Always Encrypted is refused", JdbcStatements::alwaysEncrypted, TRUST);
        check("tempdb loop, 1 connection", Check::loop, TRUST);
        check("tempdb loop, 10 connections", connection -> tenLoops(), TRUST);
        System.exit(failed ? 1 : 0);
    }

    static Connection connect(String options) throws SQLException {
        String where = "jdbc:sqlserver://" + System.getenv("MILLPOND_HOST") + ":" + System.getenv("MILLPOND_PORT");
        return DriverManager.getConnection(where + ";" + options, "sa", System.getenv("MSSQL_SA_PASSWORD"));
    }

    private static void check(String name, Body body, String options) {
        try (Connection connection = connect(options)) {
            body.run(connection);
            System.out.println("ok " + name);
        } catch (Exception | AssertionError error) {
            failed = true;
            System.out.println(("FAILED " + name + ": " + error).replaceAll("\\s+", " "));
        }
    }

    static void equal(Object found, Object wanted) {
        if (!found.equals(wanted)) {
            throw new AssertionError(found + " instead of " + wanted);
        }
    }

    /** The first row, its values joined. */
    static String row(ResultSet rows) throws SQLException {
        if (!rows.next()) {
            return "no row";
        }
        List<String> values = new ArrayList<>();
        for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
            values.add(String.valueOf(rows.getObject(column)));
        }
        return String.join("|", values);
    }

    static void expect(Connection connection, String wanted, String text) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(text)) {
            equal(row(rows), wanted);
        }
    }

    static void execute(Connection connection, String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(text);
        }
    }

    /** A text that ends with the error of this number. */
    static void refused(Connection connection, int number, String text) throws SQLException {
        try {
            execute(connection, text);
        } catch (SQLException error) {
            equal(error.getErrorCode() == number ? "" : error.getErrorCode() + ": " + error.getMessage(), "");
            return;
        }
        throw new AssertionError("no error where " + number + " was expected");
    }

    private static void one(Connection connection) throws SQLException {
        expect(connection, "1", "select 1");
    }

    private static void parameters(Connection connection) throws SQLException {
        String text = "select ?, ?, ?, ?, ?, ?, ?, ?";
        try (PreparedStatement select = connection.prepareStatement(text)) {
            // Three times: the driver sends sp_executesql, then sp_prepexec, then sp_execute.
            for (int turn = 0; turn < 3; turn++) {
                select.setInt(1, Integer.MIN_VALUE + turn);
                select.setLong(2, 9007199254740993L);
                select.setString(3, "it's žluťoučký 鶴 😀");
                select.setBigDecimal(4, new BigDecimal("-12345.6789"));
                select.setTimestamp(5, Timestamp.valueOf("2024-02-29 12:34:56.79"));
                select.setDouble(6, 1.5);
                select.setBoolean(7, true);
                select.setNull(8, Types.INTEGER);
                try (ResultSet rows = select.executeQuery()) {
                    equal(row(rows), (Integer.MIN_VALUE + turn)
                            + "|9007199254740993|it's žluťoučký 鶴 😀|-12345.6789|2024-02-29 12:34:56.79|1.5|true|null");
                }
            }
        }
    }

    private static void nothing(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("select ?, ?, ?")) {
            select.setNull(1, microsoft.sql.Types.GUID);
            select.setNull(2, Types.DECIMAL);
            select.setNull(3, Types.TIMESTAMP);
            try (ResultSet rows = select.executeQuery()) {
                equal(row(rows), "null|null|null");
            }
        }
    }

    /** The driver sends times as texts, longer ones than it declares. */
    private static void bulkBatch(Connection connection) throws SQLException {
        execute(connection, "create table #b (id int, at datetime2(7), name nvarchar(20))");
        try (PreparedStatement insert = connection.prepareStatement("insert into #b (id, at, name) values (?, ?, ?)")) {
            for (int id = 0; id < 300; id++) {
                insert.setInt(1, id);
                insert.setTimestamp(2, Timestamp.valueOf("2024-02-29 12:34:56.7891234"));
                insert.setString(3, "name " + id);
                insert.addBatch();
            }
            equal(insert.executeBatch().length, 300);
        }
        expect(connection, "300|44850|2024-02-29 12:34:56.7891234|name 99", "select count(*), sum(id), min(at), max(name) from #b");
    }

    private static void utf8(Connection connection) throws SQLException {
        String text = "Žluťoučký 😀 日本";
        execute(connection, "create table #u (v varchar(40) collate Latin1_General_100_CI_AS_SC_UTF8, "
                + "m varchar(max) collate Latin1_General_100_BIN2_UTF8, w varchar(9) collate Latin1_General_CS_AS)");
        try (PreparedStatement insert = connection.prepareStatement("insert #u values (?, ?, ?)")) {
            insert.setString(1, text);
            insert.setString(2, text.repeat(1000));
            insert.setString(3, "Ö");
            equal(insert.executeUpdate(), 1);
        }
        expect(connection, text + "|" + text.repeat(1000) + "|Ö|25", "select v, m, w, datalength(v) from #u");
    }

    private static void prepared(Connection connection) throws SQLException {
        execute(connection, "create table #t (id int not null, name varchar(20) null)");
        try (PreparedStatement insert = connection.prepareStatement("insert #t values (?, ?)")) {
            for (int id = 0; id < 10; id++) {
                insert.setInt(1, id);
                insert.setString(2, "name " + id);
                equal(insert.executeUpdate(), 1);
            }
        }
        expect(connection, "10|0|name 9", "select count(*), min(id), max(name) from #t");
    }

    private static void batch(Connection connection) throws SQLException {
        execute(connection, "create table #t (id int not null)");
        try (PreparedStatement insert = connection.prepareStatement("insert #t values (?)")) {
            for (int id = 0; id < 100; id++) {
                insert.setInt(1, id);
                insert.addBatch();
            }
            equal(insert.executeBatch().length, 100);
        }
        expect(connection, "100|4950", "select count(*), sum(id) from #t");
    }

    /** More often than a session may have prepared texts: the driver must learn their handles, and give them back. */
    private static void often(Connection connection) throws SQLException {
        for (int turn = 0; turn < 10; turn++) {
            try (PreparedStatement select = connection.prepareStatement("select ? + " + turn)) {
                for (int value = 0; value < 500; value++) {
                    select.setInt(1, value);
                    try (ResultSet rows = select.executeQuery()) {
                        equal(row(rows), String.valueOf(value + turn));
                    }
                }
            }
        }
    }

    private static void outputs(Connection connection) throws SQLException {
        execute(connection, "create or alter procedure dbo.check_outputs @i int, @text varchar(20) output, "
                + "@sum decimal(9, 2) output as begin select @i as i; set @text = 'out' + cast(@i as varchar(9)); "
                + "set @sum = @i + 0.25; return 7 end");
        try (CallableStatement call = connection.prepareCall("{? = call dbo.check_outputs (?, ?, ?)}")) {
            call.registerOutParameter(1, Types.INTEGER);
            call.registerOutParameter(3, Types.VARCHAR);
            call.registerOutParameter(4, Types.DECIMAL, 2);
            for (int i = 5; i < 8; i++) {
                call.setInt(2, i);
                try (ResultSet rows = call.executeQuery()) {
                    equal(row(rows), String.valueOf(i));
                }
                equal(call.getInt(1), 7);
                equal(call.getString(3), "out" + i);
                equal(call.getBigDecimal(4), new BigDecimal(i + ".25"));
            }
        }
        execute(connection, "drop procedure dbo.check_outputs");
    }

    private static void bulkCopy(Connection connection) throws SQLException {
        execute(connection, "create table #to (id int identity (100, 1) primary key, a int, b varchar(9), c as a * 2)");
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select * from #to")) {
            equal(rows.getMetaData().isAutoIncrement(1), true);
            equal(rows.getMetaData().isAutoIncrement(2), false);
        }
        try (Connection other = connect(TRUST); Statement statement = other.createStatement();
                ResultSet rows = statement.executeQuery("select 7 as id, 1 as a, 'x' as b union all select 9, 2, 'y'");
                SQLServerBulkCopy copy = new SQLServerBulkCopy(connection)) {
            copy.setDestinationTableName("#to");
            SQLServerBulkCopyOptions options = new SQLServerBulkCopyOptions();
            options.setKeepIdentity(true);
            copy.setBulkCopyOptions(options);
            copy.addColumnMapping("id", "id");
            copy.addColumnMapping("a", "a");
            copy.addColumnMapping("b", "b");
            copy.writeToServer(rows);
        }
        expect(connection, "2|7|9|6", "select count(*), min(id), max(id), sum(c) from #to");
    }

    private static void wrongName(Connection connection) throws SQLException {
        try {
            execute(connection, "select * from no_such_table");
            throw new AssertionError("no error");
        } catch (SQLException error) {
            equal(error.getErrorCode(), 208);
        }
        one(connection);
    }

    private static void transactions(Connection connection) throws SQLException {
        execute(connection, "create table #t (id int)");
        connection.setAutoCommit(false);
        execute(connection, "insert #t values (1)");
        connection.rollback();
        execute(connection, "insert #t values (2)");
        connection.commit();
        execute(connection, "delete #t");
        connection.rollback();
        connection.setAutoCommit(true);
        expect(connection, "1|2|0", "select count(*), min(id), @@trancount from #t");
    }

    private static void cancel(Connection connection) throws Exception {
        try (Statement statement = connection.createStatement()) {
            Thread stopper = new Thread(() -> {
                try {
                    Thread.sleep(300);
                    statement.cancel();
                } catch (Exception error) {
                    throw new IllegalStateException(error);
                }
            });
            stopper.start();
            try {
                statement.execute("while 1 = 1 set nocount on");
                throw new AssertionError("an endless loop ended");
            } catch (SQLException error) {
                stopper.join();
            }
        }
        one(connection);
    }

    private static void loop(Connection connection) throws Exception {
        String script = Files.readString(Path.of(System.getenv("MILLPOND_LOOP")));
        StringBuilder printed = new StringBuilder();
        try (Statement statement = connection.createStatement()) {
            statement.execute(script.split("(?im)^GO\\s*$")[0]);
            for (SQLWarning info = statement.getWarnings(); info != null; info = info.getNextWarning()) {
                printed.append(info.getMessage()).append('\n');
            }
        }
        Matcher turns = Pattern.compile("iterations (\\d+)").matcher(printed);
        if (!turns.find() || Integer.parseInt(turns.group(1)) < 2) {
            throw new AssertionError("printed " + printed);
        }
    }

    private static void tenLoops() throws Exception {
        var pool = Executors.newFixedThreadPool(10);
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int index = 0; index < 10; index++) {
            tasks.add(() -> {
                try (Connection connection = connect(TRUST)) {
                    loop(connection);
                }
                return null;
            });
        }
        List<Future<Void>> ends = pool.invokeAll(tasks);
        pool.shutdown();
        for (Future<Void> end : ends) {
            end.get();
        }
    }
}
