import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.ForeignKey;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Index;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.LockModeType;
import jakarta.persistence.ManyToMany;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.Table;
import jakarta.persistence.UniqueConstraint;
import jakarta.persistence.Version;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.Array;
import org.hibernate.annotations.Check;
import org.hibernate.annotations.CreationTimestamp;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.jpa.HibernatePersistenceConfiguration;
import org.hibernate.type.SqlTypes;

/**
 * Checks of Hibernate with its dialect of SQL Server: schemas made, validated and brought up to date, keys of identities and
 * sequences, relations and inheritance, queries and pages, batches, locks, errors, values at the ends of their types.
 */
public final class HibernateCheck {
    private static final String DATABASE = "hibernate_check";

    private static SessionFactory factory;

    private HibernateCheck() {}

    public static void main(String[] arguments) {
        new Tool("hibernate")
                .step("create", HibernateCheck::create)
                .step("validate", () -> open("validate", FIRST).close())
                .step("update", HibernateCheck::update)
                .step("rows and relations", HibernateCheck::relations)
                .step("inheritance", HibernateCheck::inheritance)
                .step("queries", HibernateCheck::queries)
                .step("pages", HibernateCheck::pages)
                .step("batches", HibernateCheck::batches)
                .step("changes of many rows", HibernateCheck::manyRows)
                .step("optimistic locks", HibernateCheck::versions)
                .step("pessimistic locks", HibernateCheck::locks)
                .step("errors", HibernateCheck::errors)
                .step("values", HibernateCheck::values)
                .step("JSON", HibernateCheck::json)
                .step("arrays", HibernateCheck::arrays)
                .step("truncate and drop", HibernateCheck::drop)
                .run();
    }

    @Entity(name = "Person")
    @Table(name = "people", indexes = @Index(name = "people_years", columnList = "years desc, name"),
            uniqueConstraints = @UniqueConstraint(name = "people_name", columnNames = "name"))
    @Check(name = "people_of_age", constraints = "years >= 0")
    public static class Person {
        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        Long id;

        @Column(length = 100, nullable = false)
        String name;

        @Column(columnDefinition = "int default 18 not null")
        int years = 18;

        @CreationTimestamp
        Instant made;

        @Version
        int version;

        @OneToMany(mappedBy = "owner", cascade = jakarta.persistence.CascadeType.ALL, orphanRemoval = true)
        List<Book> books = new ArrayList<>();

        @ElementCollection
        Set<Address> addresses = new HashSet<>();

        Person() {}

        Person(String name, int years) {
            this.name = name;
            this.years = years;
        }
    }

    @Embeddable
    public record Address(@Column(length = 50) String city, String street) {}

    public enum Kind { NOVEL, POEM }

    @Entity(name = "Book")
    @Table(name = "books")
    public static class Book {
        @Id
        @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "book_ids")
        @SequenceGenerator(name = "book_ids", sequenceName = "book_ids", initialValue = 100, allocationSize = 10)
        Integer id;

        String title;

        @Enumerated(EnumType.STRING)
        Kind kind = Kind.NOVEL;

        @Column(precision = 12, scale = 2)
        BigDecimal price;

        @ManyToOne
        Person owner;

        @ManyToMany(cascade = jakarta.persistence.CascadeType.PERSIST)
        Set<Tag> tags = new HashSet<>();

        Book() {}

        Book(String title, String price, Person owner) {
            this.title = title;
            this.price = new BigDecimal(price);
            this.owner = owner;
        }
    }

    @Entity(name = "Tag")
    @Table(name = "[order]")
    public static class Tag {
        @Id
        @Column(length = 30)
        String word;

        Tag() {}

        Tag(String word) {
            this.word = word;
        }
    }

    @Entity(name = "Shape")
    @Inheritance(strategy = InheritanceType.JOINED)
    public static class Shape {
        @Id
        @GeneratedValue(strategy = GenerationType.UUID)
        UUID id;

        String label;
    }

    @Entity(name = "Circle")
    public static class Circle extends Shape {
        double radius;
    }

    @Entity(name = "Square")
    public static class Square extends Shape {
        double side;
    }

    @Entity(name = "Values_of")
    public static class Values {
        @Id
        UUID id;
        boolean flag;
        Byte tiny;
        Short small;
        Long large;
        Float real;
        Double number;
        @Column(precision = 38, scale = 10)
        BigDecimal exact;
        LocalDate day;
        LocalTime time;
        LocalDateTime moment;
        OffsetDateTime at;
        Instant instant;
        Duration duration;
        @Column(length = 1_000_000)
        String words;
        @JdbcTypeCode(SqlTypes.NCLOB)
        String clob;
        @Column(length = 1_000_000)
        byte[] bytes;
        Character letter;
    }

    @Entity(name = "Doc")
    public static class Doc {
        @Id
        int id;

        @JdbcTypeCode(SqlTypes.JSON)
        Map<String, String> facts;

        @JdbcTypeCode(SqlTypes.JSON)
        Address address;

        @Array(length = 5)
        Integer[] numbers;

        @Array(length = 5)
        String[] words;
    }

    /** The entity of the same table with a column more, for the update of a schema. */
    @Entity(name = "Tag")
    @Table(name = "[order]")
    public static class WiderTag {
        @Id
        @Column(length = 30)
        String word;

        @Column(nullable = true)
        Integer rank;

        @ManyToOne
        @JoinColumn(foreignKey = @ForeignKey(name = "order_shape"))
        Shape shape;
    }

    private static final Class<?>[] FIRST = {Person.class, Book.class, Tag.class, Shape.class, Circle.class, Square.class, Values.class};
    private static final Class<?>[] ALL = {Person.class, Book.class, Tag.class, Shape.class, Circle.class, Square.class, Values.class, Doc.class};

    private static SessionFactory open(String action, Class<?>... classes) {
        return new HibernatePersistenceConfiguration("check").managedClasses(classes).jdbcUrl(Tool.url(DATABASE))
                .jdbcCredentials(Tool.USER, Tool.PASSWORD).jdbcPoolSize(8).property("hibernate.hbm2ddl.auto", action)
                .property("hibernate.hbm2ddl.halt_on_error", "true").property("hibernate.jdbc.batch_size", "50")
                .property("hibernate.use_nationalized_character_data", "true")
                .property("hibernate.order_inserts", "true").property("hibernate.query.hql.json_functions_enabled", "true").property("hibernate.type.preferred_instant_jdbc_type", "TIMESTAMP_UTC")
                .createEntityManagerFactory()
                .unwrap(SessionFactory.class);
    }

    private static void in(Consumer<Session> body) {
        factory.inTransaction(body);
    }

    private static void equal(Object found, Object wanted) {
        if (!java.util.Objects.equals(found, wanted)) {
            throw new AssertionError(found + " instead of " + wanted);
        }
    }

    private static void create() throws SQLException {
        Tool.newDatabase(DATABASE);
        factory = open("create-only", FIRST);
        Tool.expect(DATABASE, "100|10|bigint", "select start_value, increment, (select type_name(system_type_id) from sys.columns"
                + " where object_id = object_id('people') and is_identity = 1) from sys.sequences where name = 'book_ids'");
        factory.close();
    }

    private static void update() throws SQLException {
        open("update", FIRST).close();
        try {
            open("validate", ALL).close();
            throw new AssertionError("a table that is not there was found");
        } catch (RuntimeException error) {
            String words = String.valueOf(error.getCause());
            equal(words.contains("missing table [Doc]") ? "" : words, "");
        }
        open("update", WiderTag.class, Shape.class).close();
        open("validate", WiderTag.class, Shape.class).close();
        open("update", ALL).close();
        Tool.expect(DATABASE, "1|int", "select (select count(*) from sys.foreign_keys where parent_object_id = object_id('[order]')),"
                + " type_name(system_type_id) from sys.columns where object_id = object_id('[order]') and name = 'rank'");
        factory = open("validate", ALL);
    }

    private static void relations() {
        in(session -> {
            Person ann = new Person("Ann", 30);
            ann.addresses.add(new Address("Žatec", "first"));
            ann.addresses.add(new Address("鶴", "second"));
            Book a = new Book("A", "1.25", ann);
            a.tags.add(new Tag("new"));
            ann.books.add(a);
            ann.books.add(new Book("B", "2.50", ann));
            session.persist(ann);
            session.persist(new Person("Bob", 18));
            session.persist(new Person("Cy", 7));
        });
        in(session -> {
            List<Person> found = session.createQuery("select distinct p from Person p left join fetch p.books order by p.name", Person.class)
                    .getResultList();
            equal(found.stream().map(each -> each.name + each.books.size()).toList(), List.of("Ann2", "Bob0", "Cy0"));
            Person ann = found.get(0);
            equal(ann.addresses.contains(new Address("鶴", "second")), true);
            equal(ann.books.stream().map(each -> each.id).sorted().toList(), List.of(100, 101));
            equal(ann.made != null, true);
            ann.books.removeIf(each -> each.title.equals("B"));
            ann.addresses.removeIf(each -> each.street.equals("first"));
            ann.years = 31;
        });
        in(session -> {
            Person ann = session.createQuery("from Person where name = :name", Person.class).setParameter("name", "Ann").getSingleResult();
            equal(ann.books.size() + " " + ann.addresses.size() + " " + ann.version + " " + ann.years, "1 1 1 31");
            equal(ann.books.get(0).tags.iterator().next().word, "new");
        });
    }

    private static void inheritance() {
        in(session -> {
            for (int at = 0; at < 4; at++) {
                Circle circle = new Circle();
                circle.label = "circle " + at;
                circle.radius = at + 0.5;
                Square square = new Square();
                square.label = "square " + at;
                square.side = at;
                session.persist(circle);
                session.persist(square);
            }
        });
        in(session -> {
            List<Shape> shapes = session.createQuery("from Shape s order by s.label", Shape.class).getResultList();
            equal(shapes.size() + " " + ((Circle) shapes.get(1)).radius + " " + ((Square) shapes.get(7)).side, "8 1.5 3.0");
            equal(session.createQuery("select count(*) from Shape s where type(s) = Circle and treat(s as Circle).radius > 1", Long.class)
                    .getSingleResult(), 3L);
        });
    }

    private static void queries() {
        in(session -> {
            equal(session.createQuery("select p.name, count(b), coalesce(sum(b.price), 0) from Person p left join p.books b group by p.name"
                    + " having count(b) >= 0 order by p.name", Object[].class).getResultList().get(0)[1], 1L);
            equal(session.createQuery("select string_agg(p.name, ', ') within group (order by p.name desc) from Person p", String.class)
                    .getSingleResult(), "Cy, Bob, Ann");
            equal(session.createQuery("select rank() over (order by p.years desc) from Person p where p.name = 'Ann'", Long.class)
                    .getSingleResult(), 1L);
            equal(session.createQuery("with grown as (select p.name as name, p.years as years from Person p where p.years > 10)"
                    + " select max(g.years) from grown g", Integer.class).getSingleResult(), 31);
            equal(session.createQuery("select extract(year from p.made) - extract(year from current_timestamp) from Person p"
                    + " where p.name like 'A%' escape '\\'", Integer.class).getSingleResult(), 0);
            equal(session.createQuery("select upper(substring(p.name, 1, 2)) || '/' || cast(length(p.name) as string) || '/'"
                    + " || locate('n', p.name) || replace(p.name, 'n', '-') from Person p where p.name = 'Ann'", String.class)
                    .getSingleResult(), "AN/3/2A--");
            equal(session.createQuery("select (select count(*) from Book b where b.owner = p) from Person p where exists (from Book b where"
                    + " b.owner = p) or p.name in ('Bob', 'Cy') order by 1 desc", Long.class).getResultList(), List.of(1L, 0L, 0L));
            equal(session.createQuery("select p.name from Person p union all select b.title from Book b", String.class)
                    .getResultList().stream().sorted().toList(), List.of("A", "Ann", "Bob", "Cy"));
            equal(session.createQuery("select s from generate_series(1, 5, 2) s", Integer.class).getResultList(), List.of(1, 3, 5));
            // Nulls last, which SQL Server has no words for.
            equal(session.createQuery("select b.title from Person p left join p.books b order by b.title asc nulls last", String.class)
                    .getResultList().get(0), "A");
        });
    }

    private static void pages() {
        in(session -> {
            for (int at = 0; at < 30; at++) {
                session.persist(new Person("page " + (100 + at), at));
            }
        });
        in(session -> {
            String text = "from Person p where p.name like 'page%' order by p.name";
            equal(session.createQuery(text, Person.class).setFirstResult(10).setMaxResults(5).getResultList().stream()
                    .map(each -> each.years).toList(), List.of(10, 11, 12, 13, 14));
            equal(session.createQuery(text, Person.class).setMaxResults(2).getResultList().size(), 2);
            equal(session.createQuery("from Person p where p.name like 'page%'", Person.class).setFirstResult(28).getResultList().size(), 2);
            equal(session.createQuery("from Person p order by p.years desc fetch first 1 rows with ties", Person.class).getResultList().size(), 1);
            equal(session.createQuery("from Person p order by p.years desc fetch first 10 percent rows only", Person.class).getResultList().size(), 4);
            try (var rows = session.createQuery(text, Person.class).unwrap(org.hibernate.query.Query.class)
                    .scroll(org.hibernate.ScrollMode.SCROLL_INSENSITIVE)) {
                equal(rows.last(), true);
                equal(((Person) rows.get()).years, 29);
                equal(rows.setRowNumber(4) ? ((Person) rows.get()).years : -1, 3);
            }
            equal(session.createQuery(text, Person.class).getResultStream().mapToInt(each -> each.years).sum(), 435);
        });
    }

    private static void batches() throws SQLException {
        in(session -> {
            Person owner = new Person("owner", 1);
            session.persist(owner);
            for (int at = 0; at < 500; at++) {
                session.persist(new Book("batch " + at, "0.50", owner));
            }
        });
        Tool.expect(DATABASE, "500|250.00|500", "select count(*), sum(price), count(distinct id) from books where title like 'batch%'");
        in(session -> {
            for (Book book : session.createQuery("from Book where title like 'batch%'", Book.class).getResultList()) {
                book.price = book.price.add(BigDecimal.ONE);
            }
        });
        Tool.expect(DATABASE, "750.00", "select sum(price) from books where title like 'batch%'");
    }

    /** Changes of whole tables, of a hierarchy by a temporary table of keys, and INSERT from a query, with and without conflicts. */
    private static void manyRows() throws SQLException {
        in(session -> {
            equal(session.createMutationQuery("update Book b set b.price = b.price * 2, b.kind = 'POEM' where b.owner.name = 'owner'")
                    .executeUpdate(), 500);
            equal(session.createMutationQuery("delete from Book b where b.title like 'batch 4%'").executeUpdate(), 111);
            equal(session.createMutationQuery("insert into Person (name, years, version, made) select concat('from ', b.title), 5, 0, instant from Book b"
                    + " where b.title like 'batch 1_'").executeUpdate(), 10);
            equal(session.createMutationQuery("insert into Tag (word) values ('new'), ('old') on conflict(word) do nothing").executeUpdate(), 1);
            equal(session.createMutationQuery("update Circle c set c.radius = c.radius + 10, c.label = 'wide' where c.radius > 1").executeUpdate(), 3);
            equal(session.createMutationQuery("delete from Square s where s.side >= 2").executeUpdate(), 2);
        });
        Tool.expect(DATABASE, "389|6|3|2", "select (select count(*) from books where title like 'batch%'), (select count(*) from shape),"
                + " (select count(*) from circle c join shape s on s.id = c.id where label = 'wide'), (select count(*) from [order])");
    }

    private static void versions() {
        try {
            in(session -> {
                Person bob = session.createQuery("from Person where name = 'Bob'", Person.class).getSingleResult();
                in(other -> other.find(Person.class, bob.id).years++);
                bob.years = 99;
            });
            throw new AssertionError("a change was lost");
        } catch (RuntimeException error) {
            equal(error.getCause() instanceof OptimisticLockException || error instanceof OptimisticLockException, true);
        }
        in(session -> {
            Person bob = session.createQuery("from Person where name = 'Bob'", Person.class).setLockMode(LockModeType.OPTIMISTIC_FORCE_INCREMENT)
                    .getSingleResult();
            equal(bob.years, 19);
        });
        in(session -> equal(session.createQuery("select version from Person where name = 'Bob'", Integer.class).getSingleResult(), 2));
    }

    private static void locks() throws Exception {
        in(session -> {
            Person bob = session.createQuery("from Person where name = 'Bob'", Person.class).setLockMode(LockModeType.PESSIMISTIC_WRITE).getSingleResult();
            // Without waiting, with a time, and over what is locked.
            in(other -> refusedLock(() -> other.find(Person.class, bob.id, LockModeType.PESSIMISTIC_WRITE, jakarta.persistence.Timeout.milliseconds(0))));
            in(other -> refusedLock(() -> other.find(Person.class, bob.id, LockModeType.PESSIMISTIC_WRITE, jakarta.persistence.Timeout.milliseconds(100))));
            in(other -> {
                List<Person> free = other.createQuery("from Person where name in ('Bob', 'Cy')", Person.class).setLockMode(LockModeType.PESSIMISTIC_WRITE)
                        .setHint("jakarta.persistence.lock.timeout", org.hibernate.LockOptions.SKIP_LOCKED).getResultList();
                equal(free.stream().map(each -> each.name).toList(), List.of("Cy"));
            });
        });
        in(session -> {
            Person bob = session.createQuery("from Person where name = 'Bob'", Person.class).getSingleResult();
            session.lock(bob, LockModeType.PESSIMISTIC_READ);
            in(other -> equal(other.find(Person.class, bob.id, LockModeType.PESSIMISTIC_READ).years, 19));
        });
    }

    private static void refusedLock(Runnable body) {
        try {
            Tool.refused(1222, body::run);
        } catch (Exception error) {
            throw new AssertionError(error);
        }
    }

    private static void errors() throws Exception {
        Tool.refused(2627, () -> in(session -> session.persist(new Person("Bob", 1))));
        Tool.refused(547, () -> in(session -> session.persist(new Person("Gus", -1))));
        Tool.refused(515, () -> in(session -> session.createNativeMutationQuery("insert people (version) values (0)").executeUpdate()));
        Tool.refused(208, () -> in(session -> session.createNativeQuery("select * from nobody", Object.class).getResultList()));
        try {
            in(session -> {
                session.persist(new Person("Bob", 1));
                session.flush();
            });
        } catch (org.hibernate.exception.ConstraintViolationException error) {
            // Read out of the server's message.
            equal(error.getConstraintName() + error.getKind(), "people_nameUNIQUE");
        }
    }

    private static void values() {
        Values made = new Values();
        made.id = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
        made.flag = true;
        made.tiny = 127;
        made.small = Short.MIN_VALUE;
        made.large = Long.MIN_VALUE;
        made.real = Float.MIN_NORMAL;
        made.number = -Double.MAX_VALUE;
        made.exact = new BigDecimal("1234567890123456789012345678.0123456789");
        made.day = LocalDate.of(1, 1, 1);
        made.time = LocalTime.of(23, 59, 59);
        made.moment = LocalDateTime.of(9999, 12, 31, 23, 59, 59, 999_999_000);
        made.at = OffsetDateTime.parse("2024-02-29T12:34:56.123456-07:30");
        made.instant = Instant.parse("2024-02-29T12:34:56.123456Z");
        made.duration = Duration.ofDays(10_000).plusNanos(7);
        made.words = "it's žluťoučký 鶴 😀".repeat(10_000);
        made.clob = "鶴".repeat(10_000);
        made.bytes = new byte[100_000];
        made.bytes[99_999] = -1;
        made.letter = '鶴';
        in(session -> session.persist(made));
        in(session -> {
            Values found = session.find(Values.class, made.id);
            equal(List.of(found.flag, found.tiny, found.small, found.large, found.real, found.number, found.exact, found.day, found.time,
                    found.moment, found.instant, found.duration, found.words, found.clob, found.letter),
                    List.of(made.flag, made.tiny, made.small, made.large, made.real, made.number, made.exact, made.day, made.time,
                            made.moment, made.instant, made.duration, made.words, made.clob, made.letter));
            equal(found.at.toInstant(), made.at.toInstant());
            equal(java.util.Arrays.equals(found.bytes, made.bytes), true);
            equal(session.createQuery("select count(*) from Values_of where id = :id and moment = :moment and exact = :exact", Long.class)
                    .setParameter("id", made.id).setParameter("moment", made.moment).setParameter("exact", made.exact).getSingleResult(), 1L);
        });
    }

    private static Doc doc(int id) {
        Doc doc = new Doc();
        doc.id = id;
        doc.facts = Map.of("color", "žluť", "n", String.valueOf(id));
        doc.address = new Address("鶴 " + id, "it's \"quoted\"");
        doc.numbers = new Integer[] {id, null, -7};
        doc.words = new String[] {"a", "<b>&", null};
        return doc;
    }

    private static void json() {
        in(session -> IntStream.range(0, 5).forEach(id -> session.persist(doc(id))));
        in(session -> {
            Doc found = session.find(Doc.class, 3);
            equal(found.facts + " " + found.address, doc(3).facts + " " + doc(3).address);
            equal(session.createQuery("select json_value(d.facts, '$.n') from Doc d where json_value(d.facts, '$.n' returning Integer) > 3", String.class)
                    .getSingleResult(), "4");
            equal(session.createQuery("select count(*) from Doc d where json_exists(d.facts, '$.color')", Long.class).getSingleResult(), 5L);
            equal(session.createQuery("select json_object('id': d.id, 'of': json_array(1, 'x')) from Doc d where d.id = 1", String.class)
                    .getSingleResult().replace(" ", ""), "{\"id\":1,\"of\":[1,\"x\"]}");
            found.facts = Map.of("n", "30");
        });
        in(session -> {
            equal(session.createMutationQuery("update Doc d set d.facts = json_set(d.facts, '$.n', '31') where d.id = 3").executeUpdate(), 1);
            equal(session.createQuery("select d.facts from Doc d where d.id = 3", Object.class).getSingleResult(), Map.of("n", "31"));
            equal(session.createQuery("select json_arrayagg(d.id order by d.id) from Doc d where d.id < 3", String.class).getSingleResult(), "[0,1,2]");
        });
    }

    private static void arrays() {
        in(session -> {
            Doc found = session.find(Doc.class, 2);
            equal(List.of(found.numbers[0], String.valueOf(found.numbers[1]), found.numbers[2], found.words[1]), List.of(2, "null", -7, "<b>&"));
            equal(session.createQuery("select count(*) from Doc d where d.numbers = :numbers", Long.class)
                    .setParameter("numbers", new Integer[] {2, null, -7}).getSingleResult(), 1L);
        });
    }

    private static void drop() throws SQLException {
        in(session -> session.createQuery("from Doc", Doc.class).getResultList().forEach(session::remove));
        Tool.sql(DATABASE, "alter table [order] drop constraint order_shape"); // Which the entities of now do not have.
        factory.getSchemaManager().truncate();
        Tool.expect(DATABASE, "0", "select count(*) from people");
        factory.getSchemaManager().drop(false);
        Tool.expect(DATABASE, "0", "select count(*) from sys.objects where is_ms_shipped = 0");
        factory.close();
    }
}
