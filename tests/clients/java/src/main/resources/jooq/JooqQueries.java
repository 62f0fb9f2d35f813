import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.rank;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.sum;
import static org.jooq.impl.DSL.val;
import static org.jooq.impl.DSL.when;
import static shop.Tables.ADULTS;
import static shop.Tables.BOOKS;
import static shop.Tables.PEOPLE;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jooq.Cursor;
import org.jooq.DSLContext;
import org.jooq.Query;
import org.jooq.SQLDialect;
import org.jooq.conf.Settings;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import shop.tables.daos.PeopleDao;
import shop.tables.pojos.People;
import shop.tables.records.BooksRecord;
import shop.tables.records.PeopleRecord;

/** Queries of JooqCheck on the classes that jOOQ's generator has made: this file is compiled when they are there. */
public final class JooqQueries {
    private static final DSLContext DB = DSL.using(JooqCheck.source(), SQLDialect.DEFAULT,
            new Settings().withReturnIdentityOnUpdatableRecord(false)); // By RETURNING, in this dialect.

    private JooqQueries() {}

    private static void equal(Object found, Object wanted) {
        if (!java.util.Objects.deepEquals(found, wanted)) {
            throw new AssertionError(found + " instead of " + wanted);
        }
    }

    static void rows() {
        equal(DB.insertInto(PEOPLE, PEOPLE.NAME, PEOPLE.YEARS, PEOPLE.PHONE).values("Ann", 30, "1").values("Bob", 18, null).values("Cy", 7, "it's")
                .execute(), 3);
        PeopleDao people = new PeopleDao(DB.configuration());
        People ann = people.fetchByName("Ann").get(0);
        equal("" + ann.getYears() + ann.getPhone() + people.count(), "3013");
        ann.setYears(31);
        people.update(ann);
        PeopleRecord record = DB.fetchOne(PEOPLE, PEOPLE.NAME.eq("Ann"));
        equal(record.getYears(), 31);
        record.setPhone("2");
        equal(record.store(), 1);
        record.refresh();
        equal(record.getPhone() + record.changed(), "2false");
        for (int at = 0; at < 3; at++) {
            DB.insertInto(BOOKS, BOOKS.A, BOOKS.B, BOOKS.OWNER, BOOKS.TITLE, BOOKS.PRICE).values(at, 5L, ann.getId(), "title " + at,
                    new BigDecimal("1.2500")).execute();
        }
        BooksRecord book = DB.fetchOne(BOOKS, BOOKS.B.eq(5L).and(BOOKS.A.eq(2)));
        equal(book.delete(), 1);
    }

    static void queries() {
        var found = DB.select(PEOPLE.NAME, count(BOOKS.A).as("n"), sum(BOOKS.PRICE)).from(PEOPLE).leftJoin(BOOKS).on(BOOKS.OWNER.eq(PEOPLE.ID))
                .groupBy(PEOPLE.NAME).having(count(BOOKS.A).ge(0)).orderBy(PEOPLE.NAME).fetch();
        equal(found.map(row -> row.value1() + row.value2() + row.value3()), List.of("Ann22.5000", "Bob0null", "Cy0null"));
        equal(DB.selectFrom(ADULTS).orderBy(ADULTS.NAME).fetch(ADULTS.NAME), List.of("Ann", "Bob"));
        equal(DB.select(PEOPLE.NAME, rank().over().orderBy(PEOPLE.YEARS.desc())).from(PEOPLE).fetchMap(PEOPLE.NAME).get("Cy").value2(), 3);
        var grown = name("grown").fields("name", "years").as(select(PEOPLE.NAME, PEOPLE.YEARS).from(PEOPLE).where(PEOPLE.YEARS.gt(10)));
        equal(DB.with(grown).select(max(grown.field("years", Integer.class))).from(grown).fetchOne().value1(), 31);
        equal(DB.select(when(PEOPLE.YEARS.lt(18), inline("young")).otherwise(inline("old"))).from(PEOPLE).where(PEOPLE.NAME.in("Cy"))
                .union(select(inline("all"))).fetchSet(0, String.class), java.util.Set.of("young", "all"));
        equal(DB.selectCount().from(PEOPLE).where(PEOPLE.PHONE.like("it's%")).fetchOne().value1(), 1);
        equal(DB.fetchValue(select(val("žluť 鶴")).from(PEOPLE).where(PEOPLE.NAME.eq("Bob"))), "žluť 鶴");
        equal(DB.fetchCount(select(PEOPLE.ID).from(PEOPLE).where(PEOPLE.ID.notIn(select(BOOKS.OWNER).from(BOOKS)))), 2);
    }

    static void changes() {
        equal(DB.update(PEOPLE).set(PEOPLE.YEARS, PEOPLE.YEARS.plus(1)).where(PEOPLE.NAME.ne("Ann")).execute(), 2);
        equal(DB.insertInto(PEOPLE, PEOPLE.NAME, PEOPLE.YEARS).select(select(PEOPLE.NAME.concat(" again"), PEOPLE.YEARS).from(PEOPLE)).execute(), 3);
        equal(DB.deleteFrom(PEOPLE).where(PEOPLE.NAME.like("%again")).execute(), 3);
        equal(DB.fetchOne("declare @y int; exec shop.raise @id = ?, @by = 5, @years = @y output; select @y as years",
                DB.fetchValue(PEOPLE.ID, PEOPLE.NAME.eq("Bob"))).get(0), 24);
        equal(DB.update(PEOPLE).set(PEOPLE.YEARS, 18).where(PEOPLE.NAME.eq("Bob")).execute(), 1);
    }

    static void transactions() {
        try {
            DB.transaction(outer -> {
                outer.dsl().update(PEOPLE).set(PEOPLE.YEARS, 99).execute();
                try {
                    outer.dsl().transaction(inner -> {
                        inner.dsl().deleteFrom(BOOKS).execute();
                        equal(inner.dsl().fetchCount(BOOKS), 0);
                        throw new IllegalStateException("only the inner one");
                    });
                } catch (IllegalStateException expected) {
                    equal(outer.dsl().fetchCount(BOOKS), 2);
                }
                throw new IllegalStateException("all of it");
            });
        } catch (IllegalStateException expected) {
            equal(expected.getMessage(), "all of it");
        }
        equal(DB.fetchCount(PEOPLE, PEOPLE.YEARS.eq(99)), 0);
    }

    static void errors() throws Exception {
        JooqCheck.refused(2627, () -> DB.insertInto(PEOPLE, PEOPLE.NAME).values("Bob").execute());
        JooqCheck.refused(547, () -> DB.insertInto(PEOPLE, PEOPLE.NAME, PEOPLE.YEARS).values("Gus", -1).execute());
        JooqCheck.refused(547, () -> DB.deleteFrom(PEOPLE).where(PEOPLE.NAME.eq("Ann")).execute());
        JooqCheck.refused(208, () -> DB.fetch("select * from nobody"));
        try {
            DB.insertInto(PEOPLE, PEOPLE.NAME).values("Bob").execute();
        } catch (DataAccessException error) {
            equal(error.sqlState(), "23000");
        }
    }

    static void values() {
        BooksRecord made = DB.newRecord(BOOKS);
        made.setA(Integer.MIN_VALUE);
        made.setB(Long.MAX_VALUE);
        made.setOwner(DB.fetchValue(PEOPLE.ID, PEOPLE.NAME.eq("Cy")));
        made.setTitle("žluťoučký 鶴 😀".repeat(10_000));
        made.setPrice(new BigDecimal("123456789012345.6789"));
        made.setAt(LocalDateTime.of(9999, 12, 31, 23, 59, 59, 999_999_900));
        made.setAtThere(OffsetDateTime.parse("2024-02-29T12:34:56.1234567-07:30"));
        made.setDay(LocalDate.of(1, 1, 3));
        made.setTime(LocalTime.of(23, 59, 59));
        made.setG(UUID.fromString("00112233-4455-6677-8899-aabbccddeeff"));
        made.setLent(true);
        made.setScan(new byte[100_000]);
        made.setF(-Double.MAX_VALUE);
        made.setR(Float.MIN_NORMAL);
        made.setSmall(Short.MIN_VALUE);
        equal(made.insert(), 1);
        BooksRecord found = DB.fetchOne(BOOKS, BOOKS.B.eq(Long.MAX_VALUE));
        for (var field : BOOKS.fields()) {
            if (field != BOOKS.TINY && field != BOOKS.AT_THERE) {
                equal(field.getValue(found), field.getValue(made));
            }
        }
        equal(found.getAtThere().toInstant(), made.getAtThere().toInstant());
        equal(found.delete(), 1);
    }

    static void batches() {
        List<Query> all = new ArrayList<>();
        List<PeopleRecord> records = new ArrayList<>();
        for (int at = 0; at < 300; at++) {
            all.add(DB.insertInto(PEOPLE, PEOPLE.NAME, PEOPLE.YEARS).values("row " + at, at));
            PeopleRecord record = DB.newRecord(PEOPLE);
            record.setName("record " + at);
            record.setYears(at);
            records.add(record);
        }
        equal(DB.batch(all).execute().length, 300);
        equal(DB.batchInsert(records).execute().length, 300);
        int sum = 0;
        try (Cursor<PeopleRecord> rows = DB.selectFrom(PEOPLE).where(PEOPLE.NAME.like("r%")).orderBy(PEOPLE.ID).fetchSize(16).fetchLazy()) {
            for (PeopleRecord row : rows) {
                sum += row.getYears();
            }
        }
        equal(sum, 2 * 44850);
    }
}
