import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import liquibase.Contexts;
import liquibase.LabelExpression;
import liquibase.Liquibase;
import liquibase.Scope;
import liquibase.changelog.FastCheckService;
import liquibase.command.CommandScope;
import liquibase.database.Database;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.diff.DiffResult;
import liquibase.diff.compare.CompareControl;
import liquibase.resource.ClassLoaderResourceAccessor;
import liquibase.resource.DirectoryResourceAccessor;

/** Checks of Liquibase: a change log forth and back, tags, differences, a change log made of a database, several at once. */
public final class LiquibaseCheck {
    private static final String DATABASE = "liquibase_check";
    private static final String OTHER = "liquibase_other";
    private static final String CHANGES = "db/liquibase/changes.xml";
    private static final int SETS = 7;
    private static final int PROCESSES = 2;

    private LiquibaseCheck() {}

    private interface Body {
        void run(Liquibase liquibase) throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        System.setProperty("liquibase.changelogLockPollRate", "1");
        if (arguments.length > 0) {
            update(DATABASE);
            return;
        }
        new Tool("liquibase")
                .step("update", LiquibaseCheck::update)
                .step("status and validate", LiquibaseCheck::status)
                .step("tag and rollback", LiquibaseCheck::rollback)
                .step("several at once", LiquibaseCheck::parallel)
                .step("a change set that fails", LiquibaseCheck::failing)
                .step("diff", LiquibaseCheck::diff)
                .step("generateChangeLog", LiquibaseCheck::generate)
                .step("SQL of an update", LiquibaseCheck::sql)
                .step("dropAll", LiquibaseCheck::dropAll)
                .run();
    }

    private static Database database(String name) throws Exception {
        Connection connection = Tool.source(name).getConnection();
        return DatabaseFactory.getInstance().findCorrectDatabaseImplementation(new JdbcConnection(connection));
    }

    private static void with(String name, String changes, Body body) throws Exception {
        try (Liquibase liquibase = new Liquibase(changes, new ClassLoaderResourceAccessor(), database(name))) {
            body.run(liquibase);
        }
    }

    private static void update(String name) throws Exception {
        with(name, CHANGES, LiquibaseCheck::forth);
    }

    /** Without what the process has kept of databases that were up to date once. */
    private static void forth(Liquibase liquibase) throws Exception {
        Scope.getCurrentScope().getSingleton(FastCheckService.class).clearCache();
        liquibase.update(new Contexts(), new LabelExpression());
    }

    private static void update() throws Exception {
        Tool.newDatabase(DATABASE);
        update(DATABASE);
        Tool.expect(DATABASE, SETS + "|3|Ž 鶴|1", "select (select count(*) from databasechangelog), count(*), max(name), max(cast(is_adult as int))"
                + " from people");
        Tool.expect(DATABASE, "1|10|3", "select (select count(*) from sys.foreign_keys where name = 'book_owner'),"
                + " (select cast(current_value as int) from sys.sequences where name = 'numbers'), (select count(*) from adults)");
        update(DATABASE);
        Tool.expect(DATABASE, String.valueOf(SETS), "select count(*) from databasechangelog");
        Tool.expect(DATABASE, "of people|0", "select cast(value as nvarchar(40)), (select count(*) from databasechangeloglock where locked = 1)"
                + " from sys.extended_properties where major_id = object_id('people') and minor_id = 0");
    }

    private static void status() throws Exception {
        with(DATABASE, CHANGES, liquibase -> {
            liquibase.validate();
            Check.equal(liquibase.listUnrunChangeSets(new Contexts(), new LabelExpression()).size(), 0);
        });
        Tool.sql(DATABASE, "update databasechangelog set md5sum = '9:00000000000000000000000000000000' where id = '2'");
        with(DATABASE, CHANGES, liquibase -> {
            try {
                liquibase.validate();
                throw new AssertionError("a changed set was not seen");
            } catch (liquibase.exception.LiquibaseException expected) {
                Check.equal(expected.getMessage().contains("1 changesets check sum"), true);
                liquibase.clearCheckSums();
                forth(liquibase);
                liquibase.validate();
            }
        });
    }

    private static void rollback() throws Exception {
        with(DATABASE, CHANGES, liquibase -> {
            liquibase.rollback(SETS - 2, "");
            liquibase.tag("two");
            forth(liquibase);
            liquibase.rollback("two", "");
        });
        Tool.expect(DATABASE, "2|null|null|null|null", "select (select count(*) from databasechangelog), object_id('books'), col_length('people', 'is_adult'),"
                + " object_id('adults'), object_id('numbers')");
        update(DATABASE);
        Tool.expect(DATABASE, String.valueOf(SETS), "select count(*) from databasechangelog");
        with(DATABASE, CHANGES, liquibase -> liquibase.rollback(SETS, ""));
        Tool.expect(DATABASE, "null|0", "select object_id('people'), count(*) from databasechangelog");
    }

    /** The table of the lock lets one process in after the other; within one process Liquibase shares what it holds. */
    private static void parallel() throws Exception {
        Tool.newDatabase(DATABASE);
        update(DATABASE);
        with(DATABASE, CHANGES, liquibase -> liquibase.rollback(SETS, ""));
        List<Process> all = new ArrayList<>();
        for (int at = 0; at < PROCESSES; at++) {
            all.add(new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                    System.getProperty("java.class.path"), "LiquibaseCheck", "update").redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD).start());
        }
        for (Process each : all) {
            Check.equal(each.waitFor(), 0);
        }
        Tool.expect(DATABASE, SETS + "|" + SETS + "|3", "select count(*), count(distinct id), (select count(*) from people) from databasechangelog");
    }

    private static void failing() throws Exception {
        Tool.refused(2627, () -> with(DATABASE, "db/liquibase/failing.xml", liquibase -> liquibase.update(new Contexts(), new LabelExpression())));
        Tool.expect(DATABASE, SETS + "|3|0", "select count(*), (select count(*) from people), (select count(*) from databasechangeloglock where locked = 1)"
                + " from databasechangelog");
    }

    private static DiffResult difference() throws Exception {
        Database here = database(DATABASE);
        Database there = database(OTHER);
        try (Liquibase liquibase = new Liquibase(CHANGES, new ClassLoaderResourceAccessor(), here)) {
            return liquibase.diff(here, there, CompareControl.STANDARD);
        } finally {
            there.close();
        }
    }

    /** What is missing, what is not expected, and what is another one; the names of the databases are. */
    private static String differences(DiffResult result) {
        return result.getMissingObjects() + " " + result.getUnexpectedObjects() + " " + result.getChangedObjects().keySet().stream()
                .filter(each -> !(each instanceof liquibase.structure.core.Catalog)).toList();
    }

    private static void diff() throws Exception {
        Tool.newDatabase(OTHER);
        update(OTHER);
        Check.equal(differences(difference()), "[] [] []");
        Tool.sql(OTHER, "alter table people drop constraint people_name", "alter table people alter column name nvarchar(70) null",
                "drop view adults", "create table more (id int primary key)");
        DiffResult other = difference();
        String missing = other.getMissingObjects().toString();
        Check.equal(missing.contains("adults") && missing.contains("people_name") ? "" : missing, "");
        Check.equal(other.getUnexpectedObjects(liquibase.structure.core.Table.class).size(), 1);
        Check.equal(other.getChangedObjects(liquibase.structure.core.Column.class).size(), 1);
    }

    /** A change log that Liquibase reads out of one database makes the same of an empty one. */
    private static void generate() throws Exception {
        Path folder = Files.createTempDirectory("liquibase");
        try {
            Path file = folder.resolve("generated.xml");
            new CommandScope("generateChangeLog").addArgumentValue("changelogFile", file.toString())
                    .addArgumentValue("url", Tool.url(DATABASE)).addArgumentValue("username", Tool.USER).addArgumentValue("password", Tool.PASSWORD)
                    .addArgumentValue("diffTypes", "tables,columns,views,primaryKeys,uniqueConstraints,indexes,foreignKeys,sequences")
                    .setOutput(new java.io.ByteArrayOutputStream()).execute();
            String text = Files.readString(file);
            for (String part : new String[] {"<createSequence", "<createView", "<addForeignKeyConstraint", "<addUniqueConstraint", "<createIndex"}) {
                Check.equal(text.contains(part) ? "" : "no " + part + " in " + text, "");
            }
            Tool.newDatabase(OTHER);
            try (Liquibase liquibase = new Liquibase("generated.xml", new DirectoryResourceAccessor(folder), database(OTHER))) {
                liquibase.update(new Contexts(), new LabelExpression());
            }
            Check.equal(differences(difference()), "[] [] []");
        } finally {
            try (var all = Files.walk(folder)) {
                all.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
            }
        }
    }

    /** What an update would do, as a script that the server takes. */
    private static void sql() throws Exception {
        Tool.newDatabase(OTHER);
        StringWriter script = new StringWriter();
        with(OTHER, CHANGES, liquibase -> liquibase.update(new Contexts(), new LabelExpression(), script));
        Check.equal(StandardCharsets.UTF_8.newEncoder().canEncode(script.toString()), true);
        Tool.expect(OTHER, "null", "select object_id('people')");
        Tool.sql(OTHER, script.toString().split("(?im)^GO\\s*$"));
        Tool.expect(OTHER, SETS + "|3", "select count(*), (select count(*) from people) from databasechangelog");
    }

    /** All that it knows how to drop: procedures it leaves. */
    private static void dropAll() throws Exception {
        with(DATABASE, CHANGES, Liquibase::dropAll);
        Tool.expect(DATABASE, "0", "select count(*) from sys.objects where is_ms_shipped = 0 and name not like 'DATABASECHANGELOG%' and type <> 'P'");
    }
}
