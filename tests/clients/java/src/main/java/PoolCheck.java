import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Checks of HikariCP: connections that are given back, broken, killed and waited for, and transactions that deadlock. */
public final class PoolCheck {
    private static final String DATABASE = "hikari_check";
    private static final int SIZE = 6;
    private static final int ACCOUNTS = 4;
    private static final int TRANSFERS = 8;
    private static final int DEADLOCK = 1205;

    private static HikariDataSource pool;

    private PoolCheck() {}

    public static void main(String[] arguments) {
        new Tool("hikaricp")
                .step("pool", PoolCheck::start)
                .step("connections that are given back", PoolCheck::givenBack)
                .step("deadlocks", PoolCheck::deadlocks)
                .step("transfers that deadlock are done again", PoolCheck::transfers)
                .step("sessions that are killed", PoolCheck::killed)
                .step("a pool without a free connection", PoolCheck::exhausted)
                .step("close", () -> pool.close())
                .run();
    }

    private static void start() throws SQLException {
        Tool.newDatabase(DATABASE);
        // A connection is looked at before it is given out, however short ago it was used.
        System.setProperty("com.zaxxer.hikari.aliveBypassWindowMs", "0");
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(Tool.url(DATABASE) + "applicationName=hikari_check;");
        config.setUsername(Tool.USER);
        config.setPassword(Tool.PASSWORD);
        config.setMaximumPoolSize(SIZE);
        config.setMinimumIdle(SIZE);
        config.setConnectionTimeout(30_000);
        config.setConnectionInitSql("set xact_abort on");
        config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
        config.setCatalog(DATABASE);
        config.setAutoCommit(false);
        pool = new HikariDataSource(config);
        try (Connection connection = pool.getConnection()) {
            Check.expect(connection, DATABASE + "|hikari_check|3|16384", "select db_name(), app_name(), cast(transaction_isolation_level as int),"
                    + " @@options & 16384 from sys.dm_exec_sessions where session_id = @@spid");
            Check.execute(connection, "create table accounts (id int primary key, worth bigint not null);"
                    + " insert accounts select value, 1000 from generate_series(1, " + ACCOUNTS + ")");
            connection.commit();
        }
    }

    /** What a user of a connection left open, changed and set is not the next one's. */
    private static void givenBack() throws Exception {
        for (int turn = 0; turn < 3 * SIZE; turn++) {
            try (Connection connection = pool.getConnection()) {
                Check.expect(connection, "4000|" + DATABASE + "|3", "select (select sum(worth) from accounts), db_name(),"
                        + " (select cast(transaction_isolation_level as int) from sys.dm_exec_sessions where session_id = @@spid)");
                Check.equal(connection.getAutoCommit(), false);
                connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
                connection.setCatalog("tempdb");
                Check.execute(connection, "update hikari_check.dbo.accounts set worth = 0");
                if (turn % 3 == 1) {
                    connection.setAutoCommit(true); // Commits; the pool sets it back.
                    Check.execute(connection, "update hikari_check.dbo.accounts set worth = 1000");
                }
                if (turn % 3 == 2) {
                    Tool.refused(208, () -> Check.execute(connection, "select * from nobody"));
                }
            }
        }
        Tool.expect("master", "0", "select count(*) from sys.dm_tran_session_transactions t join sys.dm_exec_sessions s"
                + " on s.session_id = t.session_id where s.program_name = 'hikari_check'");
    }

    /** Two that want each other's row: one is the victim, and its connection lives on. */
    private static void deadlocks() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        List<Future<Integer>> ends = new ArrayList<>();
        for (int which = 0; which < 2; which++) {
            int first = which + 1;
            ends.add(threads.submit(() -> {
                try (Connection connection = pool.getConnection()) {
                    Check.execute(connection, "update accounts set worth = worth + 1 where id = " + first);
                    both.await(60, TimeUnit.SECONDS);
                    int victim = 0;
                    try {
                        Check.execute(connection, "update accounts set worth = worth - 1 where id = " + (3 - first));
                        connection.commit();
                    } catch (SQLException error) {
                        Check.equal(error.getErrorCode() + error.getSQLState(), DEADLOCK + "40001");
                        victim = 1;
                        Check.expect(connection, "0", "select @@trancount - 1 + count(*) from accounts where id = 0");
                    }
                    return victim;
                }
            }));
        }
        Check.equal(ends.get(0).get() + ends.get(1).get(), 1);
        threads.shutdown();
        Tool.expect(DATABASE, "4000", "select sum(worth) from accounts");
    }

    private static void transfers() throws Exception {
        AtomicInteger victims = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(SIZE + 2);
        List<Future<?>> ends = new ArrayList<>();
        for (int thread = 0; thread < SIZE + 2; thread++) {
            int seed = thread;
            ends.add(threads.submit(() -> {
                var random = new java.util.Random(seed);
                for (int turn = 0; turn < TRANSFERS; turn++) {
                    int from = 1 + random.nextInt(ACCOUNTS);
                    int to = 1 + (from + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
                    while (!transfer(from, to)) {
                        victims.incrementAndGet();
                    }
                }
                return null;
            }));
        }
        for (Future<?> end : ends) {
            end.get();
        }
        threads.shutdown();
        Tool.expect(DATABASE, "4000", "select sum(worth) from accounts");
        // Repeatable reads of rows that are then changed meet in deadlocks.
        Check.equal(victims.get() > 0, true);
    }

    private static boolean transfer(int from, int to) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement read = connection.prepareStatement("select worth from accounts where id = ?");
                PreparedStatement write = connection.prepareStatement("update accounts set worth = ? where id = ?")) {
            long[] worth = new long[2];
            for (int at = 0; at < 2; at++) {
                read.setInt(1, at == 0 ? from : to);
                try (ResultSet rows = read.executeQuery()) {
                    rows.next();
                    worth[at] = rows.getLong(1);
                }
            }
            for (int at = 0; at < 2; at++) {
                write.setLong(1, worth[at] + (at == 0 ? -1 : 1));
                write.setInt(2, at == 0 ? from : to);
                Check.equal(write.executeUpdate(), 1);
            }
            connection.commit();
            return true;
        } catch (SQLException error) {
            if (error.getErrorCode() == DEADLOCK) {
                return false;
            }
            throw error;
        }
    }

    /** All of the pool's sessions are killed: the pool finds out, and makes new ones. */
    private static void killed() throws SQLException {
        try (Connection used = pool.getConnection()) {
            Check.execute(used, "update accounts set worth = 0");
            try (Connection admin = Tool.source("master").getConnection(); Statement statement = admin.createStatement()) {
                List<String> sessions = new ArrayList<>();
                try (ResultSet rows = statement.executeQuery("select session_id from sys.dm_exec_sessions where program_name = 'hikari_check'")) {
                    while (rows.next()) {
                        sessions.add(rows.getString(1));
                    }
                }
                Check.equal(sessions.size() >= SIZE, true);
                for (String session : sessions) {
                    statement.execute("kill " + session);
                }
            }
            try {
                Check.execute(used, "select 1");
                throw new AssertionError("a killed session answers");
            } catch (SQLException error) {
                Check.equal(error.getSQLState(), "08S01");
            }
        }
        List<Connection> held = new ArrayList<>();
        try {
            for (int turn = 0; turn < SIZE; turn++) {
                held.add(pool.getConnection());
                Check.expect(held.get(turn), "4000", "select sum(worth) from accounts");
                held.get(turn).rollback();
            }
        } finally {
            for (Connection connection : held) {
                connection.close();
            }
        }
    }

    /** A pool of its own, of one connection: how long one waits is fixed when a pool is made. */
    private static void exhausted() throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setDataSource(Tool.source(DATABASE));
        config.setMaximumPoolSize(1);
        config.setConnectionTimeout(250);
        try (HikariDataSource small = new HikariDataSource(config)) {
            try (Connection held = small.getConnection()) {
                small.getConnection().close();
                throw new AssertionError("more connections than the pool has: " + held);
            } catch (SQLTransientConnectionException expected) {
                // Its own.
            }
            try (Connection connection = small.getConnection()) {
                Check.expect(connection, "1", "select 1");
            }
        }
    }
}
