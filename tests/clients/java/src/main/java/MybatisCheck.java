import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Options;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.SelectKey;
import org.apache.ibatis.cursor.Cursor;
import org.apache.ibatis.datasource.pooled.PooledDataSource;
import org.apache.ibatis.io.Resources;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.mapping.StatementType;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.RowBounds;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.session.TransactionIsolationLevel;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;

/** Checks of MyBatis: mappers of annotations and of XML, generated keys, relations, dynamic SQL, procedures, batches, cursors. */
public final class MybatisCheck {
    private static final String DATABASE = "mybatis_check";

    private static SqlSessionFactory factory;

    private MybatisCheck() {}

    public static void main(String[] arguments) {
        new Tool("mybatis")
                .step("mappers", MybatisCheck::start)
                .step("rows and generated keys", MybatisCheck::rows)
                .step("relations", MybatisCheck::relations)
                .step("dynamic SQL", MybatisCheck::dynamic)
                .step("procedures", MybatisCheck::procedures)
                .step("pages and cursors", MybatisCheck::pages)
                .step("batches", MybatisCheck::batches)
                .step("transactions", MybatisCheck::transactions)
                .step("errors", MybatisCheck::errors)
                .step("values", MybatisCheck::values)
                .run();
    }

    public enum Kind { NOVEL, POEM }

    /** A row of people, with its books. */
    public static class Person {
        public Integer id;
        public String name;
        public Integer years;
        public byte[] stamp;
        public List<Book> books = new ArrayList<>();

        public Person() {}

        Person(String name, Integer years) {
            this.name = name;
            this.years = years;
        }
    }

    /** A row of books, with a value of each kind. */
    public static class Book {
        public UUID id;
        public Long number;
        public Integer owner;
        public String title;
        public Kind kind;
        public BigDecimal price;
        public LocalDateTime at;
        public LocalDate day;
        public Boolean lent;
        public byte[] scan;
    }

    /** Mapped by annotations, and by mybatis/people.xml. */
    @Mapper
    public interface People {
        @Insert("insert people (name, years) values (#{name}, #{years})")
        @Options(useGeneratedKeys = true, keyProperty = "id")
        int insert(Person person);

        // The driver has no keys of a batch.
        @Insert("insert people (name, years) values (#{name}, #{years})")
        int insertOfBatch(Person person);

        @Insert("insert books (id, number, owner, title, kind, price, at, day, lent, scan) values (#{id, typeHandler=MybatisCheck$Guid}, #{number},"
                + " #{owner}, #{title}, #{kind}, #{price}, #{at}, #{day}, #{lent}, #{scan, jdbcType=VARBINARY})")
        @SelectKey(statement = "select next value for numbers", keyProperty = "number", before = true, resultType = Long.class)
        int insertBook(Book book);

        @Select("select count(*) from people where years between #{from} and #{to}")
        int between(@Param("from") int from, @Param("to") int to);

        @Select("select id, name, years, stamp from people order by name")
        List<Person> all(RowBounds bounds);

        @Select("select id, name, years from people order by id")
        @Options(fetchSize = 16)
        Cursor<Person> stream();

        @Select("{call raise_years (#{id}, #{by}, #{years, mode=OUT, jdbcType=INTEGER})}")
        @Options(statementType = StatementType.CALLABLE)
        Person raise(Map<String, Object> arguments);

        List<Person> withBooks();

        List<Person> find(@Param("name") String name, @Param("ids") List<Integer> ids, @Param("order") String order);

        int change(Person person);

        int insertMany(@Param("people") List<Person> people);

        Book book(@Param("number") long number);
    }

    /** UUIDs as uniqueidentifier. */
    public static final class Guid extends org.apache.ibatis.type.BaseTypeHandler<UUID> {
        @Override
        public void setNonNullParameter(java.sql.PreparedStatement statement, int at, UUID value, org.apache.ibatis.type.JdbcType type)
                throws SQLException {
            statement.setObject(at, value.toString(), microsoft.sql.Types.GUID);
        }

        @Override
        public UUID getNullableResult(java.sql.ResultSet rows, String column) throws SQLException {
            return rows.getObject(column, UUID.class);
        }

        @Override
        public UUID getNullableResult(java.sql.ResultSet rows, int column) throws SQLException {
            return rows.getObject(column, UUID.class);
        }

        @Override
        public UUID getNullableResult(java.sql.CallableStatement call, int column) throws SQLException {
            return call.getObject(column, UUID.class);
        }
    }

    private static void equal(Object found, Object wanted) {
        if (!java.util.Objects.deepEquals(found, wanted)) {
            throw new AssertionError(found + " instead of " + wanted);
        }
    }

    private static void start() throws Exception {
        Tool.newDatabase(DATABASE);
        Tool.sql(DATABASE, "create table people (id int identity primary key, name nvarchar(50) not null constraint people_name unique,"
                + " years int null check (years >= 0), stamp rowversion)",
                "create table books (id uniqueidentifier primary key, number bigint not null unique, owner int not null references people on delete cascade,"
                + " title nvarchar(max), kind varchar(10), price decimal(19, 4), at datetime2(7), day date, lent bit, scan varbinary(max))",
                "create sequence numbers as bigint start with 9000000000",
                "create procedure raise_years @id int, @by int, @years int output as begin update people set years = years + @by where id = @id;"
                + " select @years = years from people where id = @id; select id, name, years from people where id = @id end");
        var source = new PooledDataSource("com.microsoft.sqlserver.jdbc.SQLServerDriver", Tool.url(DATABASE), Tool.USER, Tool.PASSWORD);
        source.setPoolPingEnabled(true);
        source.setPoolPingQuery("select 1");
        Configuration configuration = new Configuration(new Environment("check", new JdbcTransactionFactory(), source));
        // NULL of no type is sent as one of bytes, which a moment does not take.
        configuration.setJdbcTypeForNull(org.apache.ibatis.type.JdbcType.VARCHAR);
        configuration.addMapper(People.class);
        try (var text = Resources.getResourceAsStream("mybatis/people.xml")) {
            new org.apache.ibatis.builder.xml.XMLMapperBuilder(text, configuration, "mybatis/people.xml", configuration.getSqlFragments()).parse();
        }
        factory = new SqlSessionFactoryBuilder().build(configuration);
    }

    private static void rows() {
        try (SqlSession session = factory.openSession(true)) {
            People people = session.getMapper(People.class);
            Person ann = new Person("Ann", 30);
            equal(people.insert(ann) + " " + ann.id, "1 1");
            people.insert(new Person("it's Bob", null));
            people.insert(new Person("鶴", 7));
            equal(people.between(0, 50), 2);
            ann.years = 31;
            ann.name = null;
            equal(people.change(ann), 1);
            equal(people.between(31, 31), 1);
        }
    }

    private static Book book(int owner, String title) {
        Book book = new Book();
        book.id = UUID.randomUUID();
        book.owner = owner;
        book.title = title;
        book.kind = Kind.POEM;
        return book;
    }

    private static void relations() {
        try (SqlSession session = factory.openSession()) {
            People people = session.getMapper(People.class);
            Book a = book(1, "A");
            equal(people.insertBook(a) + " " + a.number, "1 9000000000");
            people.insertBook(book(1, "B"));
            people.insertBook(book(3, "C"));
            List<Person> found = people.withBooks();
            equal(found.stream().map(each -> each.name + each.books.size()).toList(), List.of("Ann2", "it's Bob0", "鶴1"));
            equal(found.get(0).books.get(0).title + found.get(0).books.get(0).kind + found.get(0).books.get(0).id.equals(a.id), "APOEMtrue");
            session.commit();
        }
    }

    private static void dynamic() {
        try (SqlSession session = factory.openSession()) {
            People people = session.getMapper(People.class);
            equal(people.find("%nn%", null, "name").size(), 1);
            equal(people.find(null, List.of(1, 3), "name desc").get(0).name, "鶴");
            equal(people.find(null, null, "id").size(), 3);
            equal(people.insertMany(List.of(new Person("Dee", 1), new Person("Eve", 2))), 2);
            session.rollback();
        }
    }

    private static void procedures() {
        try (SqlSession session = factory.openSession()) {
            Map<String, Object> arguments = new java.util.HashMap<>(Map.of("id", 3, "by", 5));
            Person person = session.getMapper(People.class).raise(arguments);
            equal(person.name + person.years + arguments.get("years"), "鶴1212");
            session.rollback();
        }
    }

    private static void pages() throws Exception {
        try (SqlSession session = factory.openSession()) {
            People people = session.getMapper(People.class);
            for (int at = 0; at < 100; at++) {
                people.insert(new Person("page " + (100 + at), at));
            }
            List<Person> page = people.all(new RowBounds(11, 5));
            equal(page.stream().map(each -> each.name).toList(), List.of("page 109", "page 110", "page 111", "page 112", "page 113"));
            equal(page.get(0).stamp.length, 8);
            int count = 0;
            try (Cursor<Person> rows = people.stream()) {
                for (Person person : rows) {
                    count += person.id > 0 ? 1 : 0;
                }
            }
            equal(count, 103);
            session.rollback();
        }
    }

    private static void batches() throws SQLException {
        try (SqlSession session = factory.openSession(ExecutorType.BATCH, false)) {
            People people = session.getMapper(People.class);
            List<Person> made = new ArrayList<>();
            for (int at = 0; at < 300; at++) {
                made.add(new Person("batch " + at, at));
                people.insertOfBatch(made.get(at));
            }
            equal(session.flushStatements().get(0).getUpdateCounts().length, 300);
            session.commit();
        }
        Tool.expect(DATABASE, "300|44850", "select count(*), sum(years) from people where name like 'batch%'");
        Tool.sql(DATABASE, "delete people where name like 'batch%'");
    }

    private static void transactions() throws SQLException {
        try (SqlSession session = factory.openSession(TransactionIsolationLevel.SERIALIZABLE)) {
            equal(session.getMapper(People.class).between(0, 1000), 2);
            Check.expect(session.getConnection(), "4", "select cast(transaction_isolation_level as int) from sys.dm_exec_sessions where session_id = @@spid");
            session.getMapper(People.class).insert(new Person("gone", 1));
        } // Without a commit.
        try (SqlSession session = factory.openSession()) {
            equal(session.getMapper(People.class).between(0, 1000), 2);
        }
    }

    private static void errors() throws Exception {
        try (SqlSession session = factory.openSession()) {
            People people = session.getMapper(People.class);
            Tool.refused(2627, () -> people.insert(new Person("Ann", 1)));
            Tool.refused(547, () -> people.insert(new Person("Gus", -1)));
            Tool.refused(515, () -> people.insert(new Person(null, 1)));
            Tool.refused(547, () -> people.insertBook(book(999, "x")));
            equal(people.between(0, 1000), 2);
        }
    }

    private static void values() {
        try (SqlSession session = factory.openSession()) {
            People people = session.getMapper(People.class);
            Book made = book(1, "žluťoučký 鶴 😀".repeat(10_000));
            made.price = new BigDecimal("123456789012345.6789");
            made.at = LocalDateTime.of(9999, 12, 31, 23, 59, 59, 999_999_900);
            made.day = LocalDate.of(1, 1, 1);
            made.lent = true;
            made.scan = new byte[100_000];
            people.insertBook(made);
            session.clearCache();
            Book found = people.book(made.number);
            equal(List.of(found.id, found.title, found.price, found.at, found.day, found.lent, found.kind),
                    List.of(made.id, made.title, made.price, made.at, made.day, made.lent, made.kind));
            equal(found.scan, made.scan);
            session.rollback();
        }
    }
}
