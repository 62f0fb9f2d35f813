package people;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives each {@link Connection} among a test's parameters a database of its own: a copy of a template that is made once. The
 * copies are dropped when the test has ended, however that was.
 *
 * <p>The template's name has a hash of what it is made by, so another schema is another template. Its last table says that it
 * is whole: one whose making was killed is made anew.
 */
public final class DatabasePerTest implements ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(DatabasePerTest.class);
    private static final Map<String, String> ENVIRONMENT = System.getenv();
    private static final String SCHEMA = """
        create table people (id int identity primary key, name nvarchar(40) not null unique);
        insert people (name) values (N'Ada'), (N'Grace');
        """;
    private static final String FINISHED = "create table finished (at datetime2 not null default sysutcdatetime())";
    private static final String TEMPLATE = "people_template_%08x".formatted(SCHEMA.hashCode());

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return parameter.getParameter().getType() == Connection.class;
    }

    @Override
    public Connection resolveParameter(ParameterContext parameter, ExtensionContext test) {
        // Once in this process; of several processes the first makes the template.
        test.getRoot().getStore(NAMESPACE).computeIfAbsent(TEMPLATE, name -> makeTemplate());
        // What a test's store holds is closed when the test has ended.
        return test.getStore(NAMESPACE).computeIfAbsent(parameter.getIndex(), index -> new Copy(), Copy.class).open();
    }

    /** The template itself, to compare a copy with. */
    public static Connection openTemplate() {
        return connect(TEMPLATE);
    }

    private static final class Copy implements AutoCloseable {
        private final String name = "test_" + UUID.randomUUID().toString().replace("-", "");
        private Connection connection;

        private Copy() {
            execute("master", "create database " + name + " as copy of " + TEMPLATE);
        }

        private Connection open() {
            if (connection == null) connection = connect(name);
            return connection;
        }

        @Override
        public void close() throws SQLException {
            if (connection != null) connection.close();
            // Whatever a failed test has left open is ended.
            execute("master", "alter database " + name + " set single_user with rollback immediate; drop database " + name);
        }
    }

    /** A lock of the server's lets one at a time look whether the template is there. */
    private static String makeTemplate() {
        // The lock is this connection's and goes with it.
        try (var master = connect("master"); var statement = master.createStatement()) {
            statement.execute("exec sp_getapplock @Resource = 'people_template', @LockMode = 'Exclusive', @LockOwner = 'Session'");
            try (var whole = statement.executeQuery("select object_id('" + TEMPLATE + ".dbo.finished')")) {
                whole.next();
                whole.getInt(1);
                if (!whole.wasNull()) return TEMPLATE;
            }
            statement.execute("drop database if exists " + TEMPLATE + "; create database " + TEMPLATE);
            execute(TEMPLATE, SCHEMA + FINISHED);
            return TEMPLATE;
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
    }

    private static void execute(String database, String text) {
        try (var connection = connect(database); var statement = connection.createStatement()) {
            statement.execute(text);
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
    }

    private static Connection connect(String database) {
        var host = ENVIRONMENT.getOrDefault("MSSQL_HOST", "127.0.0.1");
        var port = ENVIRONMENT.getOrDefault("MSSQL_PORT", "1433");
        var url = "jdbc:sqlserver://%s:%s;databaseName=%s;trustServerCertificate=true".formatted(host, port, database);
        try {
            return DriverManager.getConnection(url, "sa", ENVIRONMENT.get("MSSQL_SA_PASSWORD"));
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
    }
}
