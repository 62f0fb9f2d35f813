import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationState;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.flywaydb.core.api.output.MigrateResult;

/** Checks of Flyway: its commands over scripts with GO, procedures and repeatable views, several at once, and a change by hand. */
public final class FlywayCheck {
    private static final String DATABASE = "flyway_check";
    private static final String[] FIRST = {"classpath:db/flyway"};
    private static final String[] SCRIPTS = {"classpath:db/flyway", "classpath:db/flyway-later"};
    private static final String[] FAILING = {"classpath:db/flyway", "classpath:db/flyway-later", "classpath:db/flyway-failing"};

    private FlywayCheck() {}

    public static void main(String[] arguments) {
        new Tool("flyway")
                .step("migrate", FlywayCheck::migrate)
                .step("info", FlywayCheck::info)
                .step("several at once", FlywayCheck::parallel)
                .step("a script that fails", FlywayCheck::failing)
                .step("validate and repair", FlywayCheck::repair)
                .step("clean", FlywayCheck::clean)
                .step("baseline", FlywayCheck::baseline)
                .step("schemas", FlywayCheck::schemas)
                .run();
    }

    private static FluentConfiguration configuration(String... locations) {
        return Flyway.configure().dataSource(Tool.url(DATABASE), Tool.USER, Tool.PASSWORD).locations(locations)
                .cleanDisabled(false).placeholders(java.util.Map.of("word", "no such word"));
    }

    private static void migrate() throws Exception {
        Tool.newDatabase(DATABASE);
        MigrateResult done = configuration(FIRST).load().migrate();
        Check.equal(done.migrationsExecuted + " " + done.targetSchemaVersion, "2 2");
        Tool.expect(DATABASE, "2|its first", "select count(*), max(words) from notes");
        done = configuration(SCRIPTS).load().migrate();
        Check.equal(done.migrationsExecuted + " " + done.targetSchemaVersion, "2 3");
        Tool.expect(DATABASE, "2|14", "select count(*), sum(rank) from ranked_notes");
        Tool.expect(DATABASE, "3", "declare @n int; exec @n = count_notes @more = 1; select @n");
        Check.equal(configuration(SCRIPTS).load().migrate().migrationsExecuted, 0);
    }

    private static void info() {
        var info = configuration(SCRIPTS).load().info();
        List<String> found = new ArrayList<>();
        for (var each : info.all()) {
            found.add(each.getVersion() + " " + each.getDescription() + " " + each.getState());
        }
        Check.equal(String.join(", ", found), "1 notes " + MigrationState.SUCCESS + ", 2 rows " + MigrationState.SUCCESS + ", 3 ranks "
                + MigrationState.SUCCESS + ", null ranked notes " + MigrationState.SUCCESS);
        Check.equal(info.current().getVersion().getVersion() + info.pending().length, "30");
    }

    /** Each waits for the lock of the others, and each script is run once. */
    private static void parallel() throws Exception {
        Tool.newDatabase(DATABASE);
        var threads = Executors.newFixedThreadPool(5);
        List<Future<Integer>> ends = new ArrayList<>();
        for (int at = 0; at < 5; at++) {
            ends.add(threads.submit(() -> configuration(SCRIPTS).load().migrate().migrationsExecuted));
        }
        int sum = 0;
        for (Future<Integer> end : ends) {
            sum += end.get();
        }
        threads.shutdown();
        Check.equal(sum, 4);
        Tool.expect(DATABASE, "4|1", "select count(*), min(cast(success as int)) from flyway_schema_history where version is not null or description like 'ranked%'");
    }

    /** All of a script that fails is undone. */
    private static void failing() throws Exception {
        Flyway failing = configuration(FAILING).load();
        Tool.refused(208, failing::migrate);
        Tool.expect(DATABASE, "null|4", "select object_id('half'), count(*) from flyway_schema_history");
        configuration(SCRIPTS).load().validate();
    }

    private static void repair() throws Exception {
        Tool.sql(DATABASE, "update flyway_schema_history set checksum = 7 where version = '2'");
        Flyway flyway = configuration(SCRIPTS).load();
        try {
            flyway.validate();
            throw new AssertionError("a changed script was not seen");
        } catch (FlywayException error) {
            Check.equal(error.getMessage().contains("Migration checksum mismatch for migration version 2"), true);
        }
        Check.equal(flyway.repair().migrationsAligned.size(), 1);
        flyway.validate();
    }

    /** Everything of the schema goes, whatever depends on what. */
    private static void clean() throws Exception {
        Tool.sql(DATABASE, "create schema other", "create table other.kept (id int)", "create sequence numbers",
                "create type words from nvarchar(40)", "create type list as table (id int)", "create table tree (id int primary key,"
                + " parent int references tree, w words)", "create table cycle (id int primary key, tree int references tree)",
                "alter table tree add constraint tree_cycle foreign key (id) references cycle", "create synonym folk for tree",
                "create function twice (@a int) returns int as begin return @a * 2 end", "create function some_rows (@l list readonly)"
                + " returns table as return select id from @l", "create table counted (id int, twice as dbo.twice(id))",
                "create view bound with schemabinding as select id from dbo.tree", "create trigger tree_log on tree after insert as return");
        configuration(SCRIPTS).load().clean();
        Tool.expect(DATABASE, "0|0|1", "select (select count(*) from sys.objects where schema_id = 1 and is_ms_shipped = 0),"
                + " (select count(*) from sys.types where is_user_defined = 1), (select count(*) from other.kept) + 1");
    }

    private static void baseline() throws Exception {
        Tool.sql(DATABASE, "create table notes (id int identity primary key, words nvarchar(50) not null)", "create index notes_words on notes (words)", "insert notes values (N'old')");
        Flyway flyway = configuration(SCRIPTS).baselineVersion("1").baselineDescription("as it was").load();
        try {
            flyway.migrate();
            throw new AssertionError("a schema with tables was taken for an empty one");
        } catch (FlywayException error) {
            Check.equal(error.getMessage().contains("non-empty schema"), true);
        }
        Check.equal(flyway.baseline().successfullyBaselined, true);
        Check.equal(flyway.migrate().migrationsExecuted, 3);
        Tool.expect(DATABASE, "3", "select count(*) from ranked_notes");
    }

    private static void schemas() throws Exception {
        Tool.newDatabase(DATABASE);
        FluentConfiguration configuration = configuration(SCRIPTS).schemas("first", "second").defaultSchema("first").table("history of it");
        Check.equal(configuration.load().migrate().migrationsExecuted, 4);
        Tool.expect(DATABASE, "6|second", "select (select count(*) from first.[history of it]) + 1, max(name) from sys.schemas where name like '%[dt]'"
                + " and name in ('first', 'second')");
        configuration.load().clean();
        Tool.expect(DATABASE, "0", "select count(*) from sys.schemas where name in ('first', 'second')");
    }
}
