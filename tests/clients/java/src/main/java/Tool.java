import com.microsoft.sqlserver.jdbc.SQLServerDataSource;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.DataSource;

/**
 * What the checks of tools above the driver share: a database of each one's own, and checks that run in their order.
 *
 * <p>A check that fails ends its program: the next ones stand on its rows. No check looks at a clock.
 */
final class Tool {
    interface Step {
        void run() throws Exception;
    }

    static final String USER = "sa";
    static final String PASSWORD = System.getenv("MSSQL_SA_PASSWORD");
    private static final int WORDS = 3000;

    private static final PrintStream OUT = System.out;

    private final String name;
    private final Map<String, Step> steps = new LinkedHashMap<>();

    Tool(String name) {
        this.name = name;
        System.setOut(System.err); // For what tools tell of themselves.
    }

    static String url(String database) {
        return "jdbc:sqlserver://" + System.getenv("MILLPOND_HOST") + ":" + System.getenv("MILLPOND_PORT") + ";databaseName=" + database
                + ";trustServerCertificate=true;";
    }

    static DataSource source(String database) {
        SQLServerDataSource source = new SQLServerDataSource();
        source.setURL(url(database));
        source.setUser(USER);
        source.setPassword(PASSWORD);
        return source;
    }

    static void newDatabase(String database) throws SQLException {
        sql("master", "drop database if exists " + database, "create database " + database);
    }

    /** Runs texts in a database, by the driver alone. */
    static void sql(String database, String... texts) throws SQLException {
        try (Connection connection = source(database).getConnection()) {
            for (String text : texts) {
                Check.execute(connection, text);
            }
        }
    }

    /** That the first row of a query is this. */
    static void expect(String database, String wanted, String text) throws SQLException {
        try (Connection connection = source(database).getConnection()) {
            Check.expect(connection, wanted, text);
        }
    }

    /** That a step ends with the error of this number, which SQL Server has, wherever a tool has put it. */
    static void refused(int number, Step step) throws Exception {
        try {
            step.run();
        } catch (Exception error) {
            for (Throwable cause = error; cause != null; cause = cause.getCause()) {
                if (cause instanceof SQLException sql && sql.getErrorCode() == number) {
                    return;
                }
            }
            throw error;
        }
        throw new AssertionError("no error where " + number + " was expected");
    }

    Tool step(String step, Step body) {
        steps.put(step, body);
        return this;
    }

    void run() {
        for (var step : steps.entrySet()) {
            try {
                step.getValue().run();
                OUT.println("ok " + name + " " + step.getKey());
            } catch (Throwable error) {
                StringBuilder words = new StringBuilder();
                for (Throwable cause = error; cause != null; cause = cause.getCause()) {
                    words.append(cause == error ? "" : " <- ").append(cause);
                }
                for (StackTraceElement at : error.getStackTrace()) {
                    if (at.getModuleName() == null && at.getClassLoaderName() != null && at.getClassName().indexOf('.') < 0) {
                        words.append(" at ").append(at);
                        break;
                    }
                }
                String text = words.toString().replaceAll("\\s+", " ");
                OUT.println("FAILED " + name + " " + step.getKey() + ": " + text.substring(0, Math.min(WORDS, text.length())));
                System.exit(1);
            }
        }
        System.exit(0);
    }
}
