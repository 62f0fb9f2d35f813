import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import javax.tools.ToolProvider;
import org.jooq.codegen.GenerationTool;
import org.jooq.meta.jaxb.Configuration;
import org.jooq.meta.jaxb.Database;
import org.jooq.meta.jaxb.ForcedType;
import org.jooq.meta.jaxb.Generate;
import org.jooq.meta.jaxb.Generator;
import org.jooq.meta.jaxb.Jdbc;
import org.jooq.meta.jaxb.Logging;
import org.jooq.meta.jaxb.Target;

/**
 * Checks of jOOQ: its generator reads a schema, the classes that it writes are compiled beside queries on them, which run.
 *
 * <p>The open-source edition has no dialect of SQL Server; it reads the schema by JDBC's facts and writes standard SQL.
 */
public final class JooqCheck {
    private static final String DATABASE = "jooq_check";

    private static Path folder;
    private static Class<?> queries;

    private JooqCheck() {}

    public static void main(String[] arguments) throws Exception {
        System.setProperty("org.jooq.no-logo", "true");
        System.setProperty("org.jooq.no-tips", "true");
        folder = Files.createTempDirectory("jooq");
        Runtime.getRuntime().addShutdownHook(new Thread(JooqCheck::remove));
        new Tool("jooq")
                .step("generated code", JooqCheck::generate)
                .step("compiled code", JooqCheck::compile)
                .step("rows", () -> query("rows"))
                .step("queries", () -> query("queries"))
                .step("changes", () -> query("changes"))
                .step("transactions", () -> query("transactions"))
                .step("errors", () -> query("errors"))
                .step("values", () -> query("values"))
                .step("batches and lazy rows", () -> query("batches"))
                .run();
    }

    /** For the queries, which another class loader has. */
    public static javax.sql.DataSource source() {
        return Tool.source(DATABASE);
    }

    /** For the queries: that one ends with the error of this number. */
    public static void refused(int number, Runnable query) throws Exception {
        Tool.refused(number, query::run);
    }

    private static void remove() {
        try (var all = Files.walk(folder)) {
            all.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    private static void generate() throws Exception {
        Tool.newDatabase(DATABASE);
        Tool.sql(DATABASE, "create schema shop", "create type shop.phone from varchar(20)",
                "create table shop.people (id int identity primary key, name nvarchar(50) not null constraint people_name unique,"
                + " years int not null constraint people_years default 18 constraint people_of_age check (years >= 0), phone shop.phone)",
                "create table shop.books (a int not null, b bigint not null, owner int not null constraint book_owner references shop.people,"
                + " title nvarchar(max), price decimal(19, 4), at datetime2(7), at_there datetimeoffset(7), day date, time time(3), g uniqueidentifier,"
                + " lent bit not null default 0, scan varbinary(max), f float, r real, small smallint, tiny tinyint, primary key (b, a))",
                "create index books_title on shop.books (owner, day)", "create view shop.adults as select id, name from shop.people where years >= 18",
                "create procedure shop.raise @id int, @by int = 1, @years int output as begin set nocount on; update shop.people set years = years + @by where id = @id;"
                + " set @years = (select years from shop.people where id = @id) end");
        GenerationTool.generate(new Configuration().withLogging(Logging.ERROR)
                .withJdbc(new Jdbc().withDriver("com.microsoft.sqlserver.jdbc.SQLServerDriver").withUrl(Tool.url(DATABASE)).withUser(Tool.USER)
                        .withPassword(Tool.PASSWORD))
                .withGenerator(new Generator()
                        .withDatabase(new Database().withName("org.jooq.meta.jdbc.JDBCDatabase").withIncludes("shop\\..*|.*\\.shop\\..*")
                                .withInputSchema("shop")
                                .withForcedTypes(type("LOCALDATETIME", "datetime2"), type("OFFSETDATETIME", "datetimeoffset"),
                                        type("UUID", "uniqueidentifier"), type("INTEGER", "int\\sidentity"), type("VARCHAR(20)", "phone")))
                        .withGenerate(new Generate().withPojos(true).withDaos(true))
                        .withTarget(new Target().withPackageName("shop").withDirectory(folder.toString()))));
        String books = Files.readString(folder.resolve("shop/tables/Books.java"));
        for (String part : new String[] {"SQLDataType.NUMERIC(19, 4)", "SQLDataType.BIGINT.nullable(false)", "BooksRecord, OffsetDateTime>", "BooksRecord, UUID>", "BooksRecord, byte[]>"}) {
            Check.equal(books.contains(part) ? "" : "no " + part + " in " + books.lines().filter(each -> each.contains("createField")).toList(), "");
        }
        String keys = Files.readString(folder.resolve("shop/Keys.java"));
        Check.equal(keys.contains("Books.BOOKS.B, Books.BOOKS.A") ? "" : keys, ""); // In the key's order.
        Check.equal(Files.exists(folder.resolve("shop/tables/Adults.java")), true);
    }

    /** What JDBC calls OTHER. */
    private static ForcedType type(String name, String of) {
        return new ForcedType().withName(name).withIncludeTypes(of);
    }

    private static void compile() throws Exception {
        List<String> arguments = new ArrayList<>(List.of("-proc:none", "-nowarn", "-d", folder.toString(), "-cp", classPath()));
        Path source = folder.resolve("JooqQueries.java");
        try (var text = JooqCheck.class.getResourceAsStream("/jooq/JooqQueries.java")) {
            Files.copy(text, source);
        }
        try (var all = Files.walk(folder)) {
            all.filter(path -> path.toString().endsWith(".java")).forEach(path -> arguments.add(path.toString()));
        }
        Check.equal(ToolProvider.getSystemJavaCompiler().run(null, System.err, System.err, arguments.toArray(String[]::new)), 0);
        // Closed with the program.
        queries = new URLClassLoader(new URL[] {folder.toUri().toURL()}, JooqCheck.class.getClassLoader()).loadClass("JooqQueries");
    }

    private static String classPath() {
        return System.getProperty("java.class.path");
    }

    private static void query(String name) throws Exception {
        var method = queries.getDeclaredMethod(name);
        try {
            method.setAccessible(true); // Of another class loader, thus of another package.
            method.invoke(null);
        } catch (java.lang.reflect.InvocationTargetException error) {
            if (error.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw (Error) error.getCause();
        }
    }
}
