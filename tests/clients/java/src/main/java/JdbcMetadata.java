import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Checks of java.sql.DatabaseMetaData: every list that it has, of a schema of its own. */
final class JdbcMetadata {
    private JdbcMetadata() {}

    /** The named columns of all rows, joined. */
    private static String list(ResultSet rows, String... columns) throws SQLException {
        List<String> found = new ArrayList<>();
        try (rows) {
            while (rows.next()) {
                List<String> values = new ArrayList<>();
                for (String column : columns) {
                    values.add(String.valueOf(rows.getObject(column)));
                }
                found.add(String.join(" ", values));
            }
        }
        return String.join(", ", found);
    }

    private static void has(String list, String part) {
        Check.equal(list.contains(part) ? "" : list + " without " + part, "");
    }

    private static DatabaseMetaData make(Connection connection) throws SQLException {
        Check.execute(connection, "drop database if exists jdbc_facts");
        Check.execute(connection, "create database jdbc_facts");
        connection.setCatalog("jdbc_facts");
        for (String text : new String[] {"create schema s",
            "create type s.phone from varchar(20) not null",
            "create type s.list as table (id int)",
            "create table s.people (id int identity primary key, name nvarchar(50) not null unique, years int null constraint years_default"
                + " default 18, born date, worth decimal(12, 3), twice as years * 2, at datetime2(3), stamp rowversion, p s.phone,"
                + " notes nvarchar(max), [odd_na%me] varbinary(7))",
            "create table s.books (a int not null, b int not null, owner int constraint books_owner references s.people on delete cascade,"
                + " constraint books_key primary key nonclustered (b, a))",
            "create table s.pages (a int, b int, constraint pages_of foreign key (b, a) references s.books on update cascade)",
            "create index people_years on s.people (years desc, born) where years > 5",
            "create clustered index books_owner_index on s.books (owner)",
            "create view s.adults as select id, name from s.people where years >= 18",
            "create synonym s.folk for s.people",
            "create procedure s.do_it @id int, @name varchar(7) = 'x', @sum decimal(9, 3) output, @list s.list readonly as select 1",
            "create function s.twice (@a int) returns bigint as begin return @a * 2 end",
            "create function s.several (@a int) returns table as return select @a as a",
            "grant select, update on s.people to public", "grant update (years) on s.people to public"}) {
            Check.execute(connection, text);
        }
        return connection.getMetaData();
    }

    static void tables(Connection connection) throws SQLException {
        DatabaseMetaData facts = make(connection);
        has(list(facts.getTables(null, "s", null, null), "TABLE_CAT", "TABLE_NAME", "TABLE_TYPE"), "jdbc_facts people TABLE");
        Check.equal(list(facts.getTables("jdbc_facts", "s", "%", new String[] {"TABLE"}), "TABLE_NAME"), "books, pages, people");
        Check.equal(list(facts.getTables("jdbc_facts", "s", "%", new String[] {"VIEW"}), "TABLE_NAME"), "adults");
        Check.equal(list(facts.getTables("jdbc_facts", "s", "p%e", null), "TABLE_NAME"), "people");
        Check.equal(list(facts.getTables("master", "s", "%", null), "TABLE_NAME"), "");
        Check.equal(list(facts.getTableTypes(), "TABLE_TYPE").split(", ").length, 3);
        Check.equal(list(facts.getColumns(null, "s", "people", null), "COLUMN_NAME", "DATA_TYPE", "TYPE_NAME", "COLUMN_SIZE",
                "DECIMAL_DIGITS", "NULLABLE", "COLUMN_DEF", "ORDINAL_POSITION", "IS_NULLABLE", "IS_AUTOINCREMENT", "IS_GENERATEDCOLUMN"),
                "id 4 int identity 10 0 0 null 1 NO YES NO, name -9 nvarchar 50 null 0 null 2 NO NO NO,"
                + " years 4 int 10 0 1 ((18)) 3 YES NO NO, born 91 date 10 null 1 null 4 YES NO NO,"
                + " worth 3 decimal 12 3 1 null 5 YES NO NO, twice 4 int 10 0 1 null 6 YES NO YES,"
                + " at 93 datetime2 23 3 1 null 7 YES NO NO, stamp -2 timestamp 8 null 0 null 8 NO NO NO,"
                + " p 12 phone 20 null 0 null 9 NO NO NO, notes -9 nvarchar 2147483647 null 1 null 10 YES NO NO,"
                + " odd_na%me -3 varbinary 7 null 1 null 11 YES NO NO");
        Check.equal(list(facts.getColumns(null, "s", "%", "i%"), "TABLE_NAME", "COLUMN_NAME"), "adults id, people id");
        Check.equal(list(facts.getColumns(null, "s", "people", "odd\\_na\\%me"), "COLUMN_NAME"), "odd_na%me");
    }

    static void keys(Connection connection) throws SQLException {
        DatabaseMetaData facts = make(connection);
        Check.equal(list(facts.getPrimaryKeys(null, "s", "books"), "COLUMN_NAME", "KEY_SEQ", "PK_NAME"), "b 1 books_key, a 2 books_key");
        String[] key = {"PKTABLE_NAME", "PKCOLUMN_NAME", "FKTABLE_NAME", "FKCOLUMN_NAME", "KEY_SEQ", "UPDATE_RULE", "DELETE_RULE", "FK_NAME"};
        Check.equal(list(facts.getImportedKeys(null, "s", "pages"), key),
                "books b pages b 1 0 3 pages_of, books a pages a 2 0 3 pages_of");
        Check.equal(list(facts.getExportedKeys(null, "s", "people"), key), "people id books owner 1 3 0 books_owner");
        Check.equal(list(facts.getCrossReference(null, "s", "people", null, "s", "books"), key), "people id books owner 1 3 0 books_owner");
        Check.equal(list(facts.getIndexInfo(null, "s", "people", false, true), "NON_UNIQUE", "TYPE", "ORDINAL_POSITION", "COLUMN_NAME",
                "ASC_OR_DESC").replaceAll("(PK|UQ)__\\w+", "$1"),
                "null 0 null null null, 0 1 1 id A, 0 3 1 name A, 1 3 1 years D, 1 3 2 born A");
        Check.equal(list(facts.getIndexInfo(null, "s", "people", true, true), "COLUMN_NAME"), "null, id, name");
        Check.equal(list(facts.getBestRowIdentifier(null, "s", "people", DatabaseMetaData.bestRowSession, false), "COLUMN_NAME", "DATA_TYPE"),
                "id 4");
        Check.equal(list(facts.getVersionColumns(null, "s", "people"), "COLUMN_NAME", "TYPE_NAME"), "stamp timestamp");
    }

    static void routines(Connection connection) throws SQLException {
        DatabaseMetaData facts = make(connection);
        Check.equal(list(facts.getProcedures(null, "s", "do%"), "PROCEDURE_NAME", "PROCEDURE_TYPE"), "do_it;1 2");
        Check.equal(list(facts.getProcedureColumns(null, "s", "do_it", null), "COLUMN_NAME", "COLUMN_TYPE", "DATA_TYPE", "TYPE_NAME",
                "PRECISION", "SCALE", "ORDINAL_POSITION"), "@RETURN_VALUE 5 4 int 10 0 0, @id 1 4 int 10 0 1, @name 1 12 varchar 7 null 2,"
                + " @sum 2 3 decimal 9 3 3, @list 1 -153 list null 1 4");
        has(list(facts.getFunctions(null, "s", "%"), "FUNCTION_NAME"), "twice");
        Check.equal(list(facts.getFunctionColumns(null, "s", "twice", null), "COLUMN_NAME", "TYPE_NAME"),
                "@RETURN_VALUE bigint, @a int");
    }

    static void others(Connection connection) throws SQLException {
        DatabaseMetaData facts = make(connection);
        has(list(facts.getSchemas(), "TABLE_SCHEM"), "guest, INFORMATION_SCHEMA, s, sys");
        Check.equal(list(facts.getSchemas("jdbc_facts", "s%"), "TABLE_SCHEM", "TABLE_CATALOG"), "s jdbc_facts, sys jdbc_facts");
        has(list(facts.getCatalogs(), "TABLE_CAT"), "jdbc_facts, master");
        has(list(facts.getTypeInfo(), "TYPE_NAME", "DATA_TYPE"), "datetimeoffset -155");
        has(list(facts.getTablePrivileges(null, "s", "people"), "GRANTEE", "PRIVILEGE"), "public SELECT, dbo UPDATE, public UPDATE");
        has(list(facts.getColumnPrivileges(null, "s", "people", "years"), "GRANTEE", "PRIVILEGE"), "public UPDATE");
        Check.equal(list(facts.getClientInfoProperties(), "NAME"), "");
        Check.equal(facts.getDatabaseProductName(), "Microsoft SQL Server");
        Check.equal(facts.getDatabaseMajorVersion(), 16);
        Check.equal(facts.getUserName() + facts.isReadOnly() + facts.getDefaultTransactionIsolation(), "safalse2");
        Check.equal(facts.getIdentifierQuoteString() + facts.storesMixedCaseIdentifiers() + facts.supportsMixedCaseIdentifiers(), "\"truetrue");
        Check.equal(facts.getSQLKeywords().contains("BACKUP") && facts.getMaxConnections() > 0, true);
        connection.setCatalog("master");
        Check.execute(connection, "drop database jdbc_facts");
    }
}
