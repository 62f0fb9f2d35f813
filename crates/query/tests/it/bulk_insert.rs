//! BULK INSERT from files: what a file becomes, what is told of rows that are none, and what stays of a load that fails.

use std::fmt::Write;
use std::path::Path;

use millpond_query::session::Session;

use crate::harness::{engine, engine_in, run, session};

const PROVIDER: &str = "Msg 7399, Level 16, State 1, Line 1: The OLE DB provider \"BULK\" for linked server \"(null)\" reported an error. The provider did not give any information about the error.\n\
    Msg 7330, Level 16, State 2, Line 1: Cannot fetch a row from OLE DB provider \"BULK\" for linked server \"(null)\".\n";

/// A database with a directory for files beside it.
struct Place {
    dir: tempfile::TempDir,
    session: Session,
}

impl Place {
    fn new(tables: &str) -> Place {
        let mut session = session(&engine());
        assert_eq!(run(&mut session, "create database db"), "");
        assert_eq!(run(&mut session, "use db"), "");
        assert_eq!(run(&mut session, tables), "");
        Place { dir: tempfile::tempdir().unwrap(), session }
    }

    /// What is said to a load of these bytes.
    fn load(&mut self, table: &str, bytes: &[u8], with: &str) -> String {
        let path = self.dir.path().join("rows");
        std::fs::write(&path, bytes).unwrap();
        self.load_file(table, &path, with)
    }

    fn load_file(&mut self, table: &str, path: &Path, with: &str) -> String {
        let with = if with.is_empty() { String::new() } else { format!(" with ({with})") };
        run(&mut self.session, &format!("bulk insert {table} from '{}'{with}", path.display()))
    }

    /// The rows of a query, without its header and count.
    fn rows(&mut self, query: &str) -> Vec<String> {
        let said = run(&mut self.session, query);
        let mut lines: Vec<String> = said.lines().skip(1).map(str::to_owned).collect();
        lines.pop();
        lines
    }

    fn say(&mut self, text: &str) -> String {
        run(&mut self.session, text)
    }
}

fn mismatch(row: u64, column: usize, name: &str) -> String {
    format!(
        "Msg 4864, Level 16, State 1, Line 1: Bulk load data conversion error (type mismatch or invalid character for the specified codepage) for row {row}, column {column} ({name}).\n"
    )
}

#[test]
fn a_file_of_tabs_and_lines_becomes_rows() {
    let mut place = Place::new(
        "create table t (id int not null primary key, d date, m decimal(9,2), s varchar(10), b varbinary(4), x float)",
    );
    let text = b"2\t2024-02-29\t-1.50\tb b\t0a0B\t1e3\r\n1\t\t\t\t\t\r\n3\t20240301\t7\tc\t0xff\t0.5";
    assert_eq!(place.load("t", text, ""), "(3 rows affected)\n");
    assert_eq!(
        place.rows("select * from t order by id"),
        [
            "1 | NULL | NULL | NULL | NULL | NULL",
            "2 | 2024-02-29 | -1.50 | b b | 0x0A0B | 1000.0",
            "3 | 2024-03-01 | 7.00 | c | 0xFF | 0.5"
        ]
    );
    assert_eq!(place.rows("select @@rowcount as n"), ["3"]);
    assert_eq!(
        place.load("db.dbo.t", b"4;;;d;;|5;;;e;;|", "fieldterminator = ';', rowterminator = '|'"),
        "(2 rows affected)\n"
    );
    assert_eq!(place.load("t", b"", ""), "(0 rows affected)\n");
    let warning = "# Warning: Null value is eliminated by an aggregate or other SET operation.";
    assert_eq!(place.rows("select count(*) as n, max(s) as s from t"), ["5 | e", warning]);
}

#[test]
fn a_temporary_table_and_a_heap_with_indexes_take_rows() {
    let mut place =
        Place::new("create table h (id int, s varchar(10)) create index i on h (s) create table #t (id int)");
    let mut text = String::new();
    (0..3000).for_each(|id| writeln!(text, "{id}\ts{}", id % 7).unwrap());
    assert_eq!(
        place.load("h", text.as_bytes(), "batchsize = 1000, tablock, rows_per_batch = 3000"),
        "(3000 rows affected)\n"
    );
    assert_eq!(place.rows("select count(*) as n, sum(id) as s from h where s = 's3'"), ["429 | 643929"]);
    assert_eq!(place.load("#t", b"1\n2\n", ""), "(2 rows affected)\n");
    assert_eq!(place.rows("select sum(id) as s from #t"), ["3"]);
}

#[test]
fn csv_has_quotes_around_line_breaks() {
    let mut place = Place::new("create table t (id int, s varchar(40), n int)");
    let text = "id,s,n\n1,\"a, \"\"b\"\"\nc\",7\n2,\"\",\n3,,8\n";
    assert_eq!(place.load("t", text.as_bytes(), "format = 'CSV', firstrow = 2"), "(3 rows affected)\n");
    assert_eq!(
        place.rows("select id, replace(s, char(10), '/') as s, len(s) as l, n from t order by id"),
        ["1 | a, \"b\"/c | 8 | 7", "2 |  | 0 | NULL", "3 | NULL | NULL | 8"]
    );
    assert_eq!(
        place.load("t", b"4;'x;y';1\r\n", "format = 'csv', fieldquote = '''', fieldterminator = ';'"),
        "(1 rows affected)\n"
    );
    assert_eq!(place.rows("select s from t where id = 4"), ["x;y"]);
    let said = place.load("t", b"5,a,1\n6,b\n", "format = 'CSV'");
    assert!(
        said.starts_with(
            "Msg 4879, Level 16, State 1, Line 1: Bulk load failed due to invalid column value in CSV data file "
        ) && said.ends_with(&format!("rows in row 2, column 2.\n{PROVIDER}")),
        "{said}"
    );
    assert_eq!(place.rows("select count(*) as n from t where id > 4"), ["0"]);
}

#[test]
fn code_pages_say_what_bytes_mean() {
    let mut place = Place::new("create table t (id int, s nvarchar(10))");
    let utf8 = "\u{feff}1\täΩ𝄞\n".as_bytes();
    assert_eq!(place.load("t", utf8, "codepage = '65001'"), "(1 rows affected)\n");
    assert_eq!(place.load("t", b"2\t\xE4\x80\n", ""), "(1 rows affected)\n");
    assert_eq!(place.load("t", b"3\t\xE4\n", "codepage = 'ACP'"), "(1 rows affected)\n");
    let mut wide = Vec::new();
    "\u{feff}4\tΩ𝄞\r\n5\tz".encode_utf16().for_each(|unit| wide.extend_from_slice(&unit.to_le_bytes()));
    assert_eq!(place.load("t", &wide, "datafiletype = 'widechar'"), "(2 rows affected)\n");
    let said = place.load("t", &wide, "");
    assert!(
        said.starts_with("# Bulk load: DataFileType was incorrectly specified as char.")
            && said.ends_with("(2 rows affected)\n"),
        "{said}"
    );
    let said = place.load("t", b"6\tn\n", "datafiletype = 'widechar'");
    assert!(
        said.starts_with("# Bulk load: DataFileType was incorrectly specified as widechar.")
            && said.ends_with("(1 rows affected)\n"),
        "{said}"
    );
    assert_eq!(
        place.rows("select distinct id, s from t order by id"),
        ["1 | äΩ𝄞", "2 | ä€", "3 | ä", "4 | Ω𝄞", "5 | z", "6 | n"]
    );
    assert_eq!(place.load("t", b"7\t\xE4\n", "codepage = '65001'"), mismatch(1, 2, "s") + "(0 rows affected)\n");
}

#[test]
fn rows_that_do_not_convert_are_passed_over_up_to_maxerrors() {
    let mut place = Place::new("create table t (id int not null, s varchar(2), n tinyint)");
    let text = b"1\ta\t1\nx\tb\t2\n3\tlong\t3\n4\td\t400\n5\te\t5\n";
    let told = mismatch(2, 1, "id")
        + "Msg 4863, Level 16, State 1, Line 1: Bulk load data conversion error (truncation) for row 3, column 2 (s).\n"
        + "Msg 4867, Level 16, State 1, Line 1: Bulk load data conversion error (overflow) for row 4, column 3 (n).\n";
    assert_eq!(place.load("t", text, ""), told.clone() + "(2 rows affected)\n");
    assert_eq!(place.load("t", text, "maxerrors = 3"), told.clone() + "(2 rows affected)\n");
    let exceeded = "Msg 4865, Level 16, State 1, Line 1: Cannot bulk load because the maximum number of errors (2) was exceeded.\n";
    assert_eq!(place.load("t", text, "maxerrors = 2"), told + exceeded + PROVIDER);
    assert_eq!(place.load("t", text, "maxerrors = 2, firstrow = 4, lastrow = 4, tablock").lines().count(), 2);
    assert_eq!(place.rows("select id from t order by id"), ["1", "1", "5", "5"]);
    let mut many = String::new();
    (0..20).for_each(|_| many.push_str("x\t\t\n"));
    let said = place.load("t", many.as_bytes(), "");
    assert_eq!(said.matches("Msg 4864").count(), 11, "{said}");
    assert!(said.contains("maximum number of errors (10) was exceeded"), "{said}");
}

#[test]
fn what_is_wrong_with_a_file_is_told() {
    let mut place = Place::new("create table t (id int not null, s varchar(2))");
    let path = place.dir.path().join("none");
    let shown = path.display();
    assert_eq!(
        place.load_file("t", &path, ""),
        format!(
            "Msg 4860, Level 16, State 1, Line 1: Cannot bulk load. The file \"{shown}\" does not exist or you don't have file access rights.\n"
        )
    );
    let dir = place.dir.path().to_path_buf();
    assert_eq!(
        place.load_file("t", &dir, ""),
        format!(
            "Msg 4861, Level 16, State 1, Line 1: Cannot bulk load because the file \"{}\" could not be opened. Operating system error code 22(it is not a regular file).\n",
            dir.display()
        )
    );
    let said = place.load_file("t", Path::new("rows"), "");
    assert!(said.contains("4861") && said.contains("a relative path needs a data directory"), "{said}");
    assert!(place.load_file("nothing", &path, "").contains("Msg 208,"));
    let ends =
        "Msg 4832, Level 16, State 1, Line 1: Bulk load: An unexpected end of file was encountered in the data file.\n";
    assert_eq!(place.load("t", b"1\ta\n2", ""), ends.to_owned() + PROVIDER);
    let long = format!("1\t{}\n", "x".repeat(70_000));
    assert_eq!(
        place.load("t", long.as_bytes(), ""),
        "Msg 4866, Level 16, State 1, Line 1: The bulk load failed. The column is too long in the data file for row 1, column 2. Verify that the field terminator and row terminator are specified correctly.\n".to_owned() + PROVIDER
    );
    assert_eq!(
        place.load("t", b"1\ta\n\tb\n", ""),
        "Msg 4869, Level 16, State 1, Line 1: The bulk load failed. Unexpected NULL value in data file row 2, column 1. The destination column (id) is defined as NOT NULL.\n".to_owned() + PROVIDER
    );
    assert_eq!(place.rows("select count(*) as n from t"), ["0"]);
    let caught =
        format!("begin try bulk insert t from '{shown}' end try begin catch select error_number() as n end catch");
    assert_eq!(place.rows(&caught), ["4860"]);
}

#[test]
fn options_that_are_missing_are_named() {
    let mut place = Place::new("create table t (id int) ");
    assert_eq!(place.say("create view v as select id from t"), "");
    for option in
        ["errorfile = 'e'", "formatfile = 'f'", "data_source = 's'", "datafiletype = 'native'", "codepage = 'OEM'"]
    {
        let said = place.load("t", b"1\n", option);
        let name = option.split(' ').next().unwrap().to_uppercase();
        assert!(
            said.starts_with(&format!("Msg 40517, Level 16, State 1, Line 1: BULK INSERT … WITH {name}")),
            "{said}"
        );
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    assert!(place.load("t", b"1\n", "nonsense = 1").contains("Msg 102,"));
    assert!(place.load("t", b"1\n", "maxerrors = 'x'").contains("Msg 102,"));
    assert!(place.load("v", b"1\n", "").contains("Msg 40517,"));
}

#[test]
fn identities_are_made_or_kept() {
    let mut place =
        Place::new("create table t (id int identity(10, 1) primary key, s varchar(10), c as s + '!', v rowversion)");
    assert_eq!(place.load("t", b"77\ta\t?\t?\n\tb\t?\t?\n", ""), "(2 rows affected)\n");
    assert_eq!(place.load("t", b"77\tc\t?\t?\n", "keepidentity"), "(1 rows affected)\n");
    assert_eq!(place.say("insert t (s) values ('d')"), "(1 rows affected)\n");
    assert_eq!(place.rows("select id, c from t order by id"), ["10 | a!", "11 | b!", "77 | c!", "78 | d!"]);
    assert_eq!(place.rows("select count(distinct v) as n from t"), ["4"]);
}

#[test]
fn empty_fields_take_defaults_unless_nulls_are_kept() {
    let mut place = Place::new("create table t (id int not null default 5, s varchar(10) default 'none', n int)");
    assert_eq!(place.load("t", b"\t\t\n2\tx\t3\n", ""), "(2 rows affected)\n");
    assert_eq!(place.load("t", b"3\t\t\n", "keepnulls"), "(1 rows affected)\n");
    assert_eq!(place.rows("select * from t order by id"), ["2 | x | 3", "3 | NULL | NULL", "5 | none | NULL"]);
    assert!(place.load("t", b"\t\t\n", "keepnulls").starts_with("Msg 4869,"));
}

#[test]
fn nothing_stays_of_a_batch_with_a_duplicate_key() {
    let mut place = Place::new("create table t (id int primary key, s varchar(10))");
    let text = b"1\ta\n2\tb\n3\tc\n2\td\n";
    let duplicate = "Msg 2627, Level 14, State 1, Line 1: Violation of PRIMARY KEY constraint";
    let said = place.load("t", text, "");
    assert!(said.starts_with(duplicate) && said.ends_with("# The statement has been terminated.\n"), "{said}");
    assert_eq!(place.rows("select count(*) as n from t"), ["0"]);
    assert!(place.load("t", text, "batchsize = 2").starts_with(duplicate));
    assert_eq!(place.rows("select id from t order by id"), ["1", "2"]);
    assert_eq!(place.say("begin tran"), "");
    assert_eq!(place.load("t", b"3\tc\n4\td\n5\te\n", "batchsize = 1"), "(3 rows affected)\n");
    assert_eq!(place.say("rollback"), "");
    assert_eq!(place.rows("select id from t order by id"), ["1", "2"]);
}

#[test]
fn constraints_hold_and_triggers_fire_when_they_are_wanted() {
    let mut place = Place::new(
        "create table t (id int primary key, n int constraint c check (n > 0)) create table seen (rows int)",
    );
    assert_eq!(place.say("create trigger w on t after insert as insert seen select count(*) from inserted"), "");
    assert_eq!(place.load("t", b"1\t1\n2\t2\n3\t3\n", ""), "(3 rows affected)\n");
    assert_eq!(place.rows("select count(*) as n from seen"), ["0"]);
    let said = place.load("t", b"4\t1\n5\t2\n6\t3\n7\t4\n", "fire_triggers, batchsize = 2");
    assert!(said.ends_with("(4 rows affected)\n"), "{said}");
    assert_eq!(place.rows("select rows from seen"), ["2", "2"]);
    let trust = "select is_disabled, is_not_trusted from sys.check_constraints";
    // Passed over by the loads before this one.
    assert_eq!(place.rows(trust), ["0 | 1"]);
    assert_eq!(place.say("alter table t with check check constraint c"), "");
    assert!(place.load("t", b"8\t1\n9\t0\n", "check_constraints").starts_with("Msg 547,"));
    assert_eq!(place.rows("select max(id) as n from t"), ["7"]);
    assert_eq!(place.rows(trust), ["0 | 0"]);
    assert_eq!(place.load("t", b"8\t1\n9\t0\n", "batchsize = 1"), "(2 rows affected)\n");
    assert_eq!(place.rows(trust), ["0 | 1"]);
    assert_eq!(place.load("t", b"10\t0\n", ""), "(1 rows affected)\n");
    assert!(place.say("update t set n = -1 where id = 10").starts_with("Msg 547,"));
}

#[test]
fn a_procedure_loads_again_and_again_and_a_function_may_not() {
    let mut place = Place::new("create table t (id int, s varchar(10))");
    let path = place.dir.path().join("rows");
    assert_eq!(place.say(&format!("create procedure p as bulk insert t from '{}'", path.display())), "");
    for (text, count) in [("1\ta\n", 1), ("x\t\n", 0)] {
        std::fs::write(&path, text).unwrap();
        let said = place.say("exec p");
        assert!(said.ends_with(&format!("({count} rows affected)\n")), "{said}");
    }
    assert_eq!(place.rows("select * from t"), ["1 | a"]);
    assert_eq!(place.say("alter table t add n int"), "");
    std::fs::write(&path, "2\tb\t3\n").unwrap();
    assert!(place.say("exec p").starts_with("(1 rows affected)\n"));
    assert_eq!(place.rows("select * from t order by id"), ["1 | a | NULL", "2 | b | 3"]);
    let said = place.say("create function f() returns int as begin bulk insert t from 'x' return 1 end");
    assert!(said.starts_with("Msg 443,"), "{said}");
}

#[test]
fn a_file_in_the_data_directory_larger_than_the_sorters_memory_is_loaded_and_lasts() {
    const ROWS: usize = 12_000;
    let dir = tempfile::tempdir().unwrap();
    let mut text = String::new();
    // Neither ascending nor descending.
    (0..ROWS).for_each(|row| writeln!(text, "{}\t{}", row * 7919 % ROWS, "x".repeat(1000 + row % 10)).unwrap());
    {
        let engine = engine_in(64 << 20, dir.path());
        std::fs::write(dir.path().join("rows"), text).unwrap();
        let mut one = session(&engine);
        run(&mut one, "create database db");
        run(&mut one, "create table db.dbo.t (id int not null primary key, s varchar(2000) not null)");
        assert_eq!(run(&mut one, "bulk insert db.dbo.t from 'rows'"), format!("({ROWS} rows affected)\n"));
    }
    let mut one = session(&engine_in(64 << 20, dir.path()));
    let said = run(&mut one, "select count(*) as n, sum(cast(id as bigint)) as s, min(id) as a from db.dbo.t");
    let sum = ROWS * (ROWS - 1) / 2;
    assert!(said.contains(&format!("\n{ROWS} | {sum} | 0\n")), "{said}");
    let said = run(&mut one, "select len(s) as l from db.dbo.t where id = 7919");
    assert!(said.contains("\n1001\n"), "{said}");
}
