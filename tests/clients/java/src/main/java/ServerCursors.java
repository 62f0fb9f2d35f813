import com.microsoft.sqlserver.jdbc.SQLServerResultSet;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Checks of result sets that are cursors of the server: sp_cursoropen, sp_cursorfetch, sp_cursor and their kin, as mssql-jdbc calls
 * them for every type and concurrency that it has.
 */
final class ServerCursors {
    private static final int ROWS = 10;
    private static final int[] FETCH_SIZES = {1, 2, 3, 128};
    private static final int[] SCROLLING = {
        SQLServerResultSet.TYPE_SS_SCROLL_STATIC,
        SQLServerResultSet.TYPE_SS_SCROLL_KEYSET,
        SQLServerResultSet.TYPE_SS_SCROLL_DYNAMIC,
    };
    private static final int[] CHANGING = {
        SQLServerResultSet.CONCUR_SS_OPTIMISTIC_CC,
        SQLServerResultSet.CONCUR_SS_SCROLL_LOCKS,
        SQLServerResultSet.CONCUR_SS_OPTIMISTIC_CCVAL,
    };

    private ServerCursors() {}

    private static void fill(Connection connection) throws SQLException {
        Check.execute(connection, "drop table if exists jdbc_rows; create table jdbc_rows (id int not null primary key,"
                + " v int null, s nvarchar(100) null, n int identity, c as v * 2)");
        for (int id = 1; id <= ROWS; id++) {
            Check.execute(connection, "insert jdbc_rows (id, v, s) values (" + id + ", " + id * 10 + ", N'zeile " + id + "')");
        }
    }

    private static int concurrency(int type, int wanted) {
        return type == SQLServerResultSet.TYPE_SS_SCROLL_STATIC ? ResultSet.CONCUR_READ_ONLY : wanted;
    }

    /** Moves at random, and knows where that leads to. */
    static void scrolling(Connection connection) throws SQLException {
        fill(connection);
        for (int type : SCROLLING) {
            for (int changing : new int[] {ResultSet.CONCUR_READ_ONLY, SQLServerResultSet.CONCUR_SS_OPTIMISTIC_CC}) {
                for (int size : FETCH_SIZES) {
                    walk(connection, type, concurrency(type, changing), size);
                }
            }
        }
    }

    private static void walk(Connection connection, int type, int concurrency, int size) throws SQLException {
        boolean isDynamic = type == SQLServerResultSet.TYPE_SS_SCROLL_DYNAMIC;
        Random random = new Random(31L * type + 7L * concurrency + size);
        try (Statement statement = connection.createStatement(type, concurrency)) {
            statement.setFetchSize(size);
            try (ResultSet rows = statement.executeQuery("select id, v, s from jdbc_rows order by id")) {
                int at = 0;
                for (int step = 0; step < 150; step++) {
                    int by = random.nextInt(2 * ROWS + 5) - ROWS - 2;
                    boolean found;
                    String what;
                    switch (random.nextInt(isDynamic ? 7 : 9)) {
                        case 0 -> { what = "next"; at = Math.min(at + 1, ROWS + 1); found = rows.next(); }
                        case 1 -> { what = "previous"; at = Math.max(at - 1, 0); found = rows.previous(); }
                        case 2 -> { what = "first"; at = 1; found = rows.first(); }
                        case 3 -> { what = "last"; at = ROWS; found = rows.last(); }
                        case 4 -> { what = "beforeFirst"; at = 0; rows.beforeFirst(); found = false; }
                        case 5 -> { what = "afterLast"; at = ROWS + 1; rows.afterLast(); found = false; }
                        case 6 -> {
                            if (at == 0 || at == ROWS + 1) {
                                continue;
                            }
                            what = "relative " + by;
                            at = Math.max(0, Math.min(at + by, ROWS + 1));
                            found = rows.relative(by);
                        }
                        default -> {
                            what = "absolute " + by;
                            at = by >= 0 ? Math.min(by, ROWS + 1) : Math.max(ROWS + 1 + by, 0);
                            found = rows.absolute(by);
                        }
                    }
                    String place = "type " + type + ", size " + size + ", step " + step + ", " + what + ": ";
                    boolean isOn = at >= 1 && at <= ROWS;
                    Check.equal(place + found, place + isOn);
                    if (isOn) {
                        Check.equal(place + rows.getInt(1) + rows.getString("s"), place + at + "zeile " + at);
                    }
                    if (!isDynamic) {
                        Check.equal(place + rows.getRow(), place + (isOn ? at : 0));
                        Check.equal(place + rows.isBeforeFirst() + rows.isAfterLast(),
                                place + (at == 0) + (at == ROWS + 1));
                    }
                }
            }
        }
    }

    /** Forward only, of the server. */
    static void forward(Connection connection) throws SQLException {
        fill(connection);
        int[] all = {ResultSet.CONCUR_READ_ONLY, CHANGING[0], CHANGING[1], CHANGING[2]};
        for (int concurrency : all) {
            for (int size : FETCH_SIZES) {
                int type = SQLServerResultSet.TYPE_SS_SERVER_CURSOR_FORWARD_ONLY;
                try (Statement statement = connection.createStatement(type, concurrency)) {
                    statement.setFetchSize(size);
                    try (ResultSet rows = statement.executeQuery("select id from jdbc_rows order by id")) {
                        for (int id = 1; id <= ROWS; id++) {
                            Check.equal(rows.next() ? rows.getInt(1) : 0, id);
                        }
                        Check.equal(rows.next(), false);
                    }
                    try (ResultSet none = statement.executeQuery("select id from jdbc_rows where id < 0")) {
                        Check.equal(none.next(), false);
                    }
                }
            }
        }
    }

    /** Changes rows through the result set. */
    static void changes(Connection connection) throws SQLException {
        for (int type : new int[] {SCROLLING[1], SCROLLING[2]}) {
            for (int concurrency : CHANGING) {
                for (int size : FETCH_SIZES) {
                    change(connection, type, concurrency, size);
                }
            }
        }
        for (int concurrency : CHANGING) {
            changeForward(connection, concurrency);
        }
    }

    private static void change(Connection connection, int type, int concurrency, int size) throws SQLException {
        fill(connection);
        try (Statement statement = connection.createStatement(type, concurrency)) {
            statement.setFetchSize(size);
            String text = "select id, v as worth, s, n, c, v + 1 as more from jdbc_rows order by id";
            try (ResultSet rows = statement.executeQuery(text)) {
                Check.equal(rows.getMetaData().getColumnCount(), 6);
                rows.next();
                rows.next();
                rows.updateInt("worth", 2000);
                rows.updateString(3, "geändert ]' 鶴");
                rows.updateRow();
                Check.equal(rows.getInt(2), 2000);
                rows.next();
                rows.next();
                rows.updateNull("s");
                rows.updateRow();
                rows.refreshRow();
                Check.equal(rows.getInt(1) + ":" + rows.getString(3), "4:null");
                rows.previous();
                rows.deleteRow();
                rows.moveToInsertRow();
                rows.updateInt("id", 77);
                rows.updateInt("worth", 770);
                rows.insertRow();
                rows.moveToCurrentRow();
                rows.last();
                String which = "type " + type + ", concurrency " + concurrency + ", size " + size + ": ";
                Check.equal(which + rows.getInt(1) + " " + rows.getInt("worth"), which + "77 770");
                try {
                    rows.updateInt("more", 1);
                    throw new AssertionError("an expression is updatable");
                } catch (SQLException expected) {
                    // As it should be: COLINFO says so.
                }
                rows.first();
                rows.updateInt(1, 10);
                try {
                    rows.updateRow();
                    throw new AssertionError("a key twice");
                } catch (SQLException error) {
                    Check.equal(error.getErrorCode(), 2627);
                }
                rows.first();
                Check.equal(rows.getInt(1), 1);
            }
        }
        Check.expect(connection, "2000|geändert ]' 鶴", "select v, s from jdbc_rows where id = 2");
        Check.expect(connection, "10|1|770", "select count(*), sum(case when s is null and id = 4 then 1 else 0 end),"
                + " max(case id when 77 then v end) from jdbc_rows");
    }

    private static void changeForward(Connection connection, int concurrency) throws SQLException {
        fill(connection);
        int type = SQLServerResultSet.TYPE_SS_SERVER_CURSOR_FORWARD_ONLY;
        try (Statement statement = connection.createStatement(type, concurrency)) {
            statement.setFetchSize(3);
            try (ResultSet rows = statement.executeQuery("select id, v from jdbc_rows")) {
                while (rows.next()) {
                    int id = rows.getInt(1);
                    if (id % 2 == 0) {
                        rows.updateInt(2, -id);
                        rows.updateRow();
                    } else if (id % 3 == 0) {
                        rows.deleteRow();
                    }
                }
            }
        }
        Check.expect(connection, "8|-30", "select count(*), sum(case when v < 0 then v end) from jdbc_rows");
    }

    /** What others do meanwhile. */
    static void others(Connection connection) throws SQLException {
        fill(connection);
        try (Connection other = Check.connect("trustServerCertificate=true;");
                Statement statement = connection.createStatement(SCROLLING[1], CHANGING[0])) {
            statement.setFetchSize(4);
            try (ResultSet rows = statement.executeQuery("select id, v from jdbc_rows order by id")) {
                rows.next();
                Check.execute(other, "delete jdbc_rows where id = 2; update jdbc_rows set v = 5 where id = 6");
                rows.beforeFirst();
                rows.next();
                rows.next();
                Check.equal(rows.rowDeleted(), true);
                rows.absolute(6);
                Check.equal(rows.rowDeleted() + " " + rows.getInt(2), "false 5");
                Check.execute(other, "update jdbc_rows set v = 7 where id = 6");
                rows.updateInt(2, 8);
                try {
                    rows.updateRow();
                    throw new AssertionError("a row that another has changed was changed");
                } catch (SQLException error) {
                    // 16934, and that no row was changed.
                    Check.equal(error.getErrorCode() == 16934 || error.getErrorCode() == 16947, true);
                }
                rows.refreshRow();
                Check.equal(rows.getInt(2), 7);
                rows.updateInt(2, 9);
                rows.updateRow();
            }
            Check.expect(connection, "9", "select v from jdbc_rows where id = 6");
        }
        try (Connection other = Check.connect("trustServerCertificate=true;");
                Statement statement = connection.createStatement(SCROLLING[1], CHANGING[1])) {
            connection.setAutoCommit(false);
            statement.setFetchSize(2);
            try (ResultSet rows = statement.executeQuery("select id, v from jdbc_rows order by id")) {
                rows.absolute(3);
                try {
                    Check.execute(other, "set lock_timeout 50; update jdbc_rows set v = 0 where id = " + rows.getInt(1));
                    throw new AssertionError("a row under a scroll lock was changed");
                } catch (SQLException error) {
                    Check.equal(error.getErrorCode(), 1222);
                }
                rows.updateInt(2, 33);
                rows.updateRow();
            }
            connection.rollback();
            connection.setAutoCommit(true);
        }
        Check.expect(connection, "0", "select count(*) from jdbc_rows where v = 33");
    }

    /** Statements that are prepared: sp_cursorprepexec, then sp_cursorexecute. */
    static void prepared(Connection connection) throws SQLException {
        fill(connection);
        for (int type : SCROLLING) {
            int concurrency = concurrency(type, CHANGING[0]);
            String text = "select id, v, s from jdbc_rows where id >= ? and s like ? order by id";
            try (PreparedStatement statement = connection.prepareStatement(text, type, concurrency)) {
                statement.setFetchSize(2);
                for (int from = 1; from <= 6; from++) {
                    statement.setInt(1, from);
                    statement.setString(2, "zeile%");
                    try (ResultSet rows = statement.executeQuery()) {
                        rows.last();
                        Check.equal(rows.getInt(1), ROWS);
                        int count = 1;
                        while (rows.previous()) {
                            count++;
                        }
                        Check.equal(count, ROWS + 1 - from);
                    }
                }
            }
        }
    }

    /** Texts that make no cursor, and procedures of one query. */
    static void direct(Connection connection) throws SQLException {
        fill(connection);
        Check.execute(connection, "create or alter procedure jdbc_one @from int as select id from jdbc_rows where id >= @from");
        Check.execute(connection, "create or alter procedure jdbc_two as select 1 select 2 select 3");
        try (Statement statement = connection.createStatement(SCROLLING[1], CHANGING[0])) {
            Check.equal(statement.execute("update jdbc_rows set v = 1 where id < 4"), false);
            Check.equal(statement.getUpdateCount(), 3);
            try (ResultSet rows = statement.executeQuery("exec jdbc_one 4")) {
                rows.last();
                Check.equal(rows.getInt(1) + "/" + rows.getRow(), "10/7");
            }
            List<Integer> all = new ArrayList<>();
            boolean isRows = statement.execute("exec jdbc_two");
            while (isRows || statement.getUpdateCount() != -1) {
                if (isRows) {
                    try (ResultSet rows = statement.getResultSet()) {
                        rows.next();
                        all.add(rows.getInt(1));
                    }
                }
                isRows = statement.getMoreResults();
            }
            Check.equal(all.toString(), "[1, 2, 3]");
            try {
                statement.executeQuery("select * from nowhere");
                throw new AssertionError("no error");
            } catch (SQLException error) {
                Check.equal(error.getErrorCode(), 208);
            }
            try (ResultSet rows = statement.executeQuery("select count(*) from jdbc_rows")) {
                Check.equal(Check.row(rows), "10");
            }
        }
    }

    /** Many at a time, each with its place, beside other statements of the connection. */
    static void many(Connection connection) throws SQLException {
        fill(connection);
        List<Statement> statements = new ArrayList<>();
        List<ResultSet> sets = new ArrayList<>();
        for (int index = 0; index < 100; index++) {
            Statement statement = connection.createStatement(SCROLLING[index % 3], concurrency(SCROLLING[index % 3], CHANGING[0]));
            statement.setFetchSize(1 + index % 5);
            statements.add(statement);
            sets.add(statement.executeQuery("select id from jdbc_rows order by id"));
        }
        Check.expect(connection, "100", "select count(*) from sys.dm_exec_cursors(@@spid) where properties like 'API%' and is_open = 1");
        for (int id = 1; id <= ROWS; id++) {
            for (ResultSet rows : sets) {
                Check.equal(rows.next() ? rows.getInt(1) : 0, id);
            }
            Check.expect(connection, "1", "select 1");
        }
        for (Statement statement : statements) {
            statement.close();
        }
        Check.expect(connection, "0", "select count(*) from sys.dm_exec_cursors(@@spid)");
    }

    /** Long values, read while they come. */
    static void longValues(Connection connection) throws SQLException {
        int type = SQLServerResultSet.TYPE_SS_SERVER_CURSOR_FORWARD_ONLY;
        try (Statement statement = connection.createStatement(type, CHANGING[0])) {
            Check.execute(connection, "drop table if exists jdbc_long; create table jdbc_long (id int primary key, t nvarchar(max));"
                    + " insert jdbc_long values (1, replicate(convert(nvarchar(max), N'ä'), 200000)), (2, null), (3, N'x')");
            statement.setFetchSize(2);
            ((com.microsoft.sqlserver.jdbc.SQLServerStatement) statement).setResponseBuffering("adaptive");
            try (ResultSet rows = statement.executeQuery("select id, t from jdbc_long")) {
                rows.next();
                Check.equal(rows.getString(2).length(), 200000);
                rows.next();
                Check.equal(String.valueOf(rows.getString(2)), "null");
                rows.next();
                rows.updateString(2, "y".repeat(100000));
                rows.updateRow();
                Check.equal(rows.next(), false);
            }
        }
        Check.expect(connection, "200000", "select datalength(t) from jdbc_long where id = 3");
    }
}
