//! Every system view on a small busy server: what stays empty there, or the same in all rows, is named with its reason.
//!
//! `busy/made.sql` makes databases with a bit of everything that this server has. Sessions then work in them: some have open
//! transactions, some wait for others, some have memory and cursors, and one reads all views and functions of the system and the
//! tables of msdb. A view without rows is quiet, and so is a column that is NULL in all of its rows, or the same in more than one.
//! `busy/quiet.txt` has each of them below a reason. The test fails where something is quiet that it does not name, and where
//! something that it names is not quiet any more; names with a `?` may be either, by timing. `MILLPOND_BLESS=1` takes out what is
//! not quiet any more and adds what is new below the last heading, where the test refuses it until it is put below a reason.
//!
//! Base tables have no rows here at all, and are not read.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use millpond_catalog::run::facts::Login;
use millpond_catalog::security::SecurityContext;
use millpond_engine::arguments::RpcParam;
use millpond_engine::engine::Engine;
use millpond_engine::security::server;
use millpond_engine::session_shared::SessionShared;
use millpond_message::sink::{Column, Done, EnvChange, Message, Sink, SinkClosed};
use millpond_query::exec::Rpc;
use millpond_query::session::Session;
use millpond_types::format::to_display;
use millpond_types::{SqlType, Value};

use crate::harness::{engine_in, run, session, until_waiting};

/// A file of this test.
fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/busy").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

const WALKED: &str = include_str!("walk/views.txt");

/// What no reason was given for yet.
const UNEXPLAINED: &str = "== no reason yet";

/// Columns that are not judged unless they are NULL: what the test makes is made at nearly one moment.
const MOMENTS: [&str; 2] = ["create_date", "modify_date"];

/// How each table-valued function is read.
const CALLS: &[(&str, &str)] = &[
    ("sys.dm_db_index_operational_stats", "select * from sys.dm_db_index_operational_stats(db_id(), null, null, null)"),
    (
        "sys.dm_db_index_physical_stats",
        "select * from sys.dm_db_index_physical_stats(db_id(), null, null, null, 'DETAILED')",
    ),
    (
        "sys.dm_db_incremental_stats_properties",
        "select f.* from sys.stats as s cross apply sys.dm_db_incremental_stats_properties(s.object_id, s.stats_id) as f",
    ),
    ("sys.dm_db_missing_index_columns", "select * from sys.dm_db_missing_index_columns(1)"),
    (
        "sys.dm_db_objects_disabled_on_compatibility_level_change",
        "select * from sys.dm_db_objects_disabled_on_compatibility_level_change(150)",
    ),
    (
        "sys.dm_db_page_info",
        "select f.* from (values (0), (1), (2), (9), (20)) as p (page) cross apply sys.dm_db_page_info(db_id(), 1, page, 'DETAILED') as f",
    ),
    (
        "sys.dm_exec_cached_plan_dependent_objects",
        "select f.* from sys.dm_exec_cached_plans as c cross apply sys.dm_exec_cached_plan_dependent_objects(c.plan_handle) as f",
    ),
    ("sys.dm_exec_cursors", "select * from sys.dm_exec_cursors(0)"),
    ("sys.dm_exec_xml_handles", "select * from sys.dm_exec_xml_handles(0)"),
    ("sys.dm_db_log_info", "select * from sys.dm_db_log_info(db_id())"),
    ("sys.dm_db_log_stats", "select f.* from sys.databases cross apply sys.dm_db_log_stats(database_id) as f"),
    (
        "sys.dm_db_stats_histogram",
        "select f.* from sys.stats as s cross apply sys.dm_db_stats_histogram(s.object_id, s.stats_id) as f",
    ),
    (
        "sys.dm_db_stats_properties",
        "select f.* from sys.stats as s cross apply sys.dm_db_stats_properties(s.object_id, s.stats_id) as f",
    ),
    (
        "sys.dm_exec_describe_first_result_set",
        "select * from sys.dm_exec_describe_first_result_set(
            N'select *, 1 as one from dbo.everything; select nope', N'@p int', 2)
        union all select * from sys.dm_exec_describe_first_result_set(N'select * from sales.customer', null, 1)
        union all select * from sys.dm_exec_describe_first_result_set(N'select * from nowhere', null, 0)",
    ),
    (
        "sys.dm_exec_describe_first_result_set_for_object",
        "select f.* from sys.procedures as p
        cross apply sys.dm_exec_describe_first_result_set_for_object(p.object_id, 1) as f",
    ),
    (
        "sys.dm_exec_input_buffer",
        "select f.* from sys.dm_exec_sessions as s cross apply sys.dm_exec_input_buffer(s.session_id, null) as f",
    ),
    (
        "sys.dm_exec_plan_attributes",
        "select f.* from sys.dm_exec_cached_plans as c cross apply sys.dm_exec_plan_attributes(c.plan_handle) as f",
    ),
    (
        "sys.dm_exec_query_plan",
        "select f.* from sys.dm_exec_cached_plans as c cross apply sys.dm_exec_query_plan(c.plan_handle) as f",
    ),
    (
        "sys.dm_exec_query_plan_stats",
        "select f.* from sys.dm_exec_cached_plans as c cross apply sys.dm_exec_query_plan_stats(c.plan_handle) as f",
    ),
    (
        "sys.dm_exec_query_statistics_xml",
        "select f.* from sys.dm_exec_requests as r cross apply sys.dm_exec_query_statistics_xml(r.session_id) as f",
    ),
    (
        "sys.dm_exec_sql_text",
        "select f.* from sys.dm_exec_query_stats as q cross apply sys.dm_exec_sql_text(q.sql_handle) as f
        union all select f.* from sys.dm_exec_procedure_stats as q cross apply sys.dm_exec_sql_text(q.sql_handle) as f",
    ),
    (
        "sys.dm_exec_text_query_plan",
        "select f.* from sys.dm_exec_query_stats as q cross apply
        sys.dm_exec_text_query_plan(q.plan_handle, q.statement_start_offset, q.statement_end_offset) as f",
    ),
    ("sys.dm_io_virtual_file_stats", "select * from sys.dm_io_virtual_file_stats(null, null)"),
    ("sys.dm_millpond_history", "select * from sys.dm_millpond_history(null, null, null)"),
    ("sys.dm_millpond_history_files", "select * from sys.dm_millpond_history_files(null, null, null)"),
    ("sys.dm_millpond_history_statements", "select * from sys.dm_millpond_history_statements(null, null, null)"),
    ("sys.dm_millpond_history_waits", "select * from sys.dm_millpond_history_waits(null, null, null)"),
    ("sys.dm_os_enumerate_filesystem", "select * from sys.dm_os_enumerate_filesystem('/etc', '*') where level = 0"),
    (
        "sys.dm_os_file_exists",
        "select * from sys.dm_os_file_exists('/') union all select * from sys.dm_os_file_exists('/no/way')",
    ),
    (
        "sys.dm_os_volume_stats",
        "select f.* from sys.master_files as m cross apply sys.dm_os_volume_stats(m.database_id, m.file_id) as f",
    ),
    (
        "sys.dm_sql_referenced_entities",
        "select * from sys.dm_sql_referenced_entities('dbo.work', 'OBJECT')
        union all select * from sys.dm_sql_referenced_entities('sales.totals', 'OBJECT')
        union all select * from sys.dm_sql_referenced_entities('dbo.older', 'OBJECT')
        union all select * from sys.dm_sql_referenced_entities('sales.customer', 'OBJECT')",
    ),
    ("sys.dm_sql_referencing_entities", "select * from sys.dm_sql_referencing_entities('sales.customer', 'OBJECT')"),
    ("sys.fn_builtin_permissions", "select * from sys.fn_builtin_permissions(default)"),
    ("sys.fn_helpcollations", "select * from sys.fn_helpcollations()"),
    (
        "sys.fn_listextendedproperty",
        "select * from sys.fn_listextendedproperty(null, 'schema', 'sales', 'table', default, default, default)
        union all select * from sys.fn_listextendedproperty(null, null, null, null, null, null, null)",
    ),
    (
        "sys.fn_my_permissions",
        "select * from sys.fn_my_permissions(null, 'database')
        union all select * from sys.fn_my_permissions('sales.customer', 'object')",
    ),
    (
        "sys.fn_pagerescracker",
        "select * from sys.fn_PageResCracker(0x0500010001000000) union all select * from sys.fn_PageResCracker(0x0600020009000000)",
    ),
    ("sys.fn_virtualfilestats", "select * from sys.fn_virtualfilestats(null, null)"),
    ("sys.fn_xe_file_target_read_file", "select * from sys.fn_xe_file_target_read_file('*', null, null, null)"),
];

/// What a column had in all rows so far.
struct SeenColumn {
    name: String,
    sql_type: SqlType,
    first: Option<String>,
    differs: bool,
}

/// What the rows of a query had.
#[derive(Default)]
struct Seen {
    rows: usize,
    columns: Vec<SeenColumn>,
    error: Option<String>,
}

impl Sink for Seen {
    fn columns(&mut self, columns: &[Column]) -> Result<(), SinkClosed> {
        let one = |column: &Column| SeenColumn {
            name: column.name.to_lowercase(),
            sql_type: column.sql_type,
            first: None,
            differs: false,
        };
        self.columns = columns.iter().map(one).collect();
        Ok(())
    }

    fn row(&mut self, values: &[Value]) -> Result<(), SinkClosed> {
        for (column, value) in self.columns.iter_mut().zip(values) {
            let shown = (!value.is_null()).then(|| to_display(value, &column.sql_type));
            if self.rows == 0 {
                column.first = shown;
            } else if column.first != shown {
                column.differs = true;
            }
        }
        self.rows += 1;
        Ok(())
    }

    fn message(&mut self, message: &Message) {
        if message.severity > 10 {
            self.error = Some(format!("{}: {}", message.number, message.text));
        }
    }

    fn done(&mut self, _done: Done) {}

    fn env_change(&mut self, _change: &EnvChange) {}

    fn return_status(&mut self, _status: i32) {}

    fn return_value(&mut self, _name: &str, _sql_type: SqlType, _value: &Value) {}
}

impl Seen {
    /// The columns that say nothing; `None` if there are no rows.
    fn quiet(&self) -> Option<BTreeSet<String>> {
        if self.rows == 0 {
            return None;
        }
        let is_moment = |column: &SeenColumn| MOMENTS.contains(&column.name.as_str()) && column.first.is_some();
        let is_quiet =
            |column: &&SeenColumn| !column.differs && (self.rows > 1 || column.first.is_none()) && !is_moment(column);
        Some(self.columns.iter().filter(is_quiet).map(|column| column.name.clone()).collect())
    }
}

/// Runs the batches of a script, none of which may fail.
fn script(one: &mut Session, text: &str) {
    for batch in text.split("\nGO\n").filter(|batch| !batch.trim().is_empty()) {
        let said = run(one, batch);
        let errors: Vec<&str> = said.lines().filter(|line| line.starts_with("Msg ")).collect();
        assert!(errors.is_empty(), "{batch}: {errors:#?}");
    }
}

/// A session of a client on the wire.
fn client(engine: &Arc<Engine>, login: &str, program: &str, number: u16) -> Session {
    let login = Login {
        login: login.to_owned(),
        host: format!("desk{number}"),
        program: program.to_owned(),
        client_interface: format!("Library {number}"),
        host_process_id: 4000 + i32::from(number),
        client_address: format!("192.0.2.{number}"),
        client_port: 50_000 + number,
        local: Some(([198, 51, 100, (number % 2) as u8], 1433 + number % 2).into()),
        packet_bytes: 4096 * (1 + u32::from(number % 2)),
        encrypted: number.is_multiple_of(2),
        tds_version: if number.is_multiple_of(2) { 0x7400_0004 } else { 0x7300_0003 },
        ..Login::default()
    };
    let context = match login.login.as_str() {
        "sa" => SecurityContext::sa(),
        name => {
            let logins = server(engine, 0).expect("the server's principals");
            SecurityContext::of_login(logins.named(name).expect("the login is there"))
        }
    };
    Session::open_as(engine, login, context).expect("a new engine has free sessions")
}

/// What works while the views are read.
struct Work {
    /// Those that have something open and are idle.
    _idle: Vec<Session>,
    /// Those that wait, until they are cancelled.
    waiting: Vec<(Arc<SessionShared>, JoinHandle<Session>)>,
}

impl Work {
    fn start(&mut self, mut session: Session, text: &str) {
        let text = text.to_owned();
        let shared = Arc::clone(session.shared());
        let thread = thread::Builder::new().stack_size(millpond_query::STACK_BYTES).spawn(move || {
            run(&mut session, &text);
            session
        });
        self.waiting.push((shared, thread.expect("a thread starts")));
    }

    /// Until the session that was started last waits for something.
    fn until_it_waits(&self) {
        let (shared, _) = self.waiting.last().expect("one was started");
        for _ in 0..60_000 {
            if shared.task.wait_type.load(std::sync::atomic::Ordering::SeqCst) != 0 {
                return;
            }
            thread::sleep(Duration::from_millis(1));
        }
        panic!("nobody waits");
    }

    fn end(self) {
        for (shared, thread) in self.waiting {
            // One that was not at work yet would not see it.
            while !thread.is_finished() {
                shared.cancel();
                thread::sleep(Duration::from_millis(1));
            }
            drop(thread.join());
        }
    }
}

/// What is over before the views are read: queries of all kinds, errors, a deadlock, spills.
fn have_worked(engine: &Arc<Engine>) {
    let mut one = client(engine, "sa", "over", 1);
    script(&mut one, &file("worked.sql"));
    for failing in
        ["select 1 / 0", "insert dbo.node values (1, null, 0)", "select * from nowhere", "raiserror(50001, 16, 1, 'x')"]
    {
        assert!(run(&mut one, failing).contains("Msg "), "{failing}");
    }
    let (mut first, mut second) = (client(engine, "sa", "circle", 2), client(engine, "sa", "circle", 3));
    script(&mut first, "use busy set nocount on begin tran update dbo.node set v = 1 where id = 5");
    script(&mut second, "use busy set nocount on begin tran update dbo.node set v = 2 where id = 6");
    let thread = thread::spawn(move || run(&mut first, "update dbo.node set v = 1 where id = 6 rollback"));
    until_waiting(engine, 1);
    let said = run(&mut second, "update dbo.node set v = 2 where id = 5 rollback");
    let said = said + &thread.join().expect("it runs");
    assert!(said.contains("Msg 1205"), "{said}");
}

/// What goes on while the views are read.
fn at_work(engine: &Arc<Engine>) -> Work {
    let mut work = Work { _idle: Vec::new(), waiting: Vec::new() };
    let mut number = 10;
    let mut open = |login: &str, program: &str, text: &str| {
        number += 1;
        let mut one = client(engine, login, program, number);
        script(&mut one, text);
        one
    };
    work._idle.push(open(
        "sa",
        "snapshots",
        "use busy set nocount on set transaction isolation level snapshot begin tran reading select count(*) from sales.customer",
    ));
    work._idle.push(open(
        "sa",
        "writer",
        "use busy set nocount on set context_info 0x0102 begin tran writing with mark 'marked'
        update sales.customer set balance += 1, notes = replicate(cast(N'w' as nvarchar(max)), 5000) where id = 110
        save tran half update dbo.node set v += 1 where id = 1 delete dbo.heap where id = 11",
    ));
    work._idle.push(open(
        "sa",
        "temporary",
        "use simple set nocount on create table #t (id int identity primary key, v varchar(max)) create index v on #t (id) include (v)
        insert #t (v) select replicate(cast('v' as varchar(max)), value * 100) from generate_series(1, 200)
        create table ##shared (id int) insert ##shared values (1) exec sp_getapplock 'lock', 'exclusive', 'session'
        set language German set dateformat ymd set lock_timeout 60000 set textsize 100 set deadlock_priority high set ansi_nulls off",
    ));
    work._idle.push(open(
        "sa",
        "cursors",
        "use busy set nocount on declare c cursor global static for select id, notes from sales.customer open c fetch c
        declare k cursor global keyset for select id from dbo.node open k fetch k
        declare @h int exec sp_prepare @h output, N'@id int', N'select id from dbo.node where id = @id' exec sp_execute @h, 1",
    ));
    work._idle.push(open("sa", "reports", "set nocount on select count(*) from sys.objects"));
    work._idle.push(open("clerk", "office", "use busy set nocount on select count(*) from sys.objects"));
    let mut caller = open("sa", "caller", "use busy");
    let text = SqlType::NVarChar { len: millpond_types::MaxLen::Limited(100) };
    let value = Some(Value::str("select id from dbo.node where id = 3"));
    let params = vec![RpcParam { name: String::new(), sql_type: text, value, output: false, table: None }];
    caller.run_rpc(&Rpc { procedure: "sp_executesql".to_owned(), params }, &mut Seen::default());
    work._idle.push(caller);
    work._idle.push(open(
        "sa",
        "another",
        "use busy execute as user = 'alone' select name from sales.customer where id = 102",
    ));

    let one = open("sa", "blocked", "use busy set nocount on set context_info 0x05 set language German set dateformat ymd set deadlock_priority low
        set textsize 500 set transaction isolation level repeatable read set arithabort off set ansi_warnings off set quoted_identifier off
        set ansi_null_dflt_on off set ansi_padding off set ansi_nulls off set concat_null_yields_null off
        begin tran begin tran update dbo.node set v += 1 where id = 2");
    work.start(one, "print 'first' update sales.customer set balance += 1 where id = 110");
    until_waiting(engine, 1);
    let one = open("sa", "behind", "use busy set nocount on set lock_timeout 600000 set statistics profile on");
    work.start(one, "update dbo.node set v += 1 where id = 2");
    until_waiting(engine, 2);
    let one = open("sa", "with memory", "use busy set nocount on set statistics profile on");
    work.start(
        one,
        "select top 10 l.s, max(c.balance) from dbo.lots as l left join sales.customer as c with (repeatableread) on c.id = l.v
        group by l.s order by l.s",
    );
    until_waiting(engine, 3);
    let one = open("sa", "waiter", "use simple set nocount on");
    work.start(one, "exec sp_getapplock 'lock', 'shared', 'session'");
    until_waiting(engine, 4);
    let one = open("sa", "patient", "use simple set nocount on");
    work.start(one, "exec ('waitfor delay ''23:00''')");
    work.until_it_waits();
    work
}

/// All that there is to read, by name, in the order of names: what reads it.
fn all_of(reader: &mut Session) -> BTreeMap<String, String> {
    let said = run(
        reader,
        "set nocount on select s.name + '.' + o.name, o.type from sys.all_objects as o
        join sys.schemas as s on s.schema_id = o.schema_id where o.is_ms_shipped = 1 and o.type in ('V', 'IF', 'TF')",
    );
    let calls: HashMap<&str, &str> = CALLS.iter().copied().collect();
    let mut all = BTreeMap::new();
    for line in said.lines().filter(|line| !line.starts_with('[')) {
        let Some((name, kind)) = line.split_once(" | ") else { continue };
        let query = match kind.trim() {
            "V" => format!("select * from {name}"),
            _ => (*calls.get(name.to_lowercase().as_str()).unwrap_or(&"raiserror('it has no line in CALLS', 16, 1)"))
                .to_owned(),
        };
        all.insert(name.to_lowercase(), query);
    }
    let listed = WALKED.lines().filter_map(|line| line.split(' ').next()).filter(|name| name.starts_with("msdb."));
    let said =
        run(reader, "set nocount on select 'msdb.' + schema_name(schema_id) + '.' + name, 1 from msdb.sys.tables");
    let tables = said
        .lines()
        .filter(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once(" | "))
        .map(|(name, _)| name);
    for name in listed.chain(tables) {
        all.insert(name.to_lowercase(), format!("select * from {name}"));
    }
    all
}

/// What is quiet of each view: columns, or `None` for all of it.
type Quiet = BTreeMap<String, Option<BTreeSet<String>>>;

/// Reads everything; what is quiet, and what could not be read.
fn read(reader: &mut Session) -> (Quiet, BTreeMap<String, BTreeSet<String>>, Vec<String>) {
    let (mut quiet, mut columns, mut failed) = (Quiet::new(), BTreeMap::new(), Vec::new());
    for (name, query) in all_of(reader) {
        let mut seen = Seen::default();
        reader.run_batch(&query, &mut seen);
        if let Some(error) = &seen.error {
            failed.push(format!("{name}: {error}"));
        }
        columns.insert(name.clone(), seen.columns.iter().map(|column| column.name.clone()).collect());
        let of_it = seen.quiet();
        if of_it.as_ref().is_none_or(|columns| !columns.is_empty()) {
            quiet.insert(name, of_it);
        }
    }
    (quiet, columns, failed)
}

/// A name of the list: a view, or a column of one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Named {
    view: String,
    /// None: it has no rows.
    column: Option<String>,
}

impl Named {
    fn is_quiet(&self, quiet: &Quiet) -> bool {
        match (quiet.get(&self.view), &self.column) {
            (Some(None), None) => true,
            (Some(Some(columns)), Some(column)) => columns.contains(column),
            _ => false,
        }
    }
}

/// The names of a line and whether each must be quiet: `view column column?`; `view` and `view?` say that it has no rows.
fn names_of(line: &str) -> Vec<(Named, bool)> {
    let mut words = line.split_whitespace();
    let Some(view) = words.next() else { return Vec::new() };
    let mut named: Vec<(Named, bool)> = words
        .map(|word| {
            let column = word.trim_end_matches('?');
            (
                Named { view: view.trim_end_matches('?').to_owned(), column: Some(column.to_owned()) },
                !word.ends_with('?'),
            )
        })
        .collect();
    if named.is_empty() || view.ends_with('?') {
        named.push((Named { view: view.trim_end_matches('?').to_owned(), column: None }, !view.ends_with('?')));
    }
    named
}

fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#') && !line.starts_with("=="))
}

/// The list without what is not quiet any more, and with what is new at its end.
fn blessed(list: &str, quiet: &Quiet) -> String {
    let (mut text, mut known) = (String::new(), BTreeSet::new());
    for line in list.lines().take_while(|line| !line.starts_with(UNEXPLAINED)) {
        if line.is_empty() || line.starts_with('#') || line.starts_with("==") {
            let _ = writeln!(text, "{line}");
            continue;
        }
        let mut kept = Vec::new();
        for (named, must) in names_of(line) {
            if !must || named.is_quiet(quiet) {
                kept.push((named.column.clone(), must));
                known.insert(named);
            }
        }
        let view = line.split_whitespace().next().unwrap_or_default();
        if kept.is_empty() {
            continue;
        }
        let words = kept
            .iter()
            .filter_map(|(column, must)| Some(format!(" {}{}", column.as_ref()?, if *must { "" } else { "?" })));
        let _ = writeln!(text, "{view}{}", words.collect::<String>());
    }
    let mut new = String::new();
    for (view, columns) in quiet {
        match columns {
            None if !known.contains(&Named { view: view.clone(), column: None }) => {
                let _ = writeln!(new, "{view}");
            }
            None => {}
            Some(columns) => {
                let is_new =
                    |column: &&String| !known.contains(&Named { view: view.clone(), column: Some((*column).clone()) });
                let words: Vec<&str> = columns.iter().filter(is_new).map(String::as_str).collect();
                if !words.is_empty() {
                    let _ = writeln!(new, "{view} {}", words.join(" "));
                }
            }
        }
    }
    if !new.is_empty() {
        let _ = write!(text, "{UNEXPLAINED}\n{new}");
    }
    text
}

/// What is wrong with the list.
fn wrong(list: &str, quiet: &Quiet, columns: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut known = BTreeSet::new();
    if list.contains(UNEXPLAINED) {
        wrong.push("names without a reason are left in the list".to_owned());
    }
    for (named, must) in lines_of(list).flat_map(names_of) {
        let shown = format!("{} {}", named.view, named.column.as_deref().unwrap_or("(rows)"));
        let is_there = columns
            .get(&named.view)
            .is_some_and(|columns| named.column.as_ref().is_none_or(|column| columns.contains(column)));
        if !is_there {
            wrong.push(format!("named, and not there: {shown}"));
        } else if must && !named.is_quiet(quiet) && (named.column.is_none() || quiet.get(&named.view) != Some(&None)) {
            wrong.push(format!("named, and not quiet: {shown}"));
        }
        known.insert(named);
    }
    for (view, columns) in quiet {
        let mut is_new = |column: Option<&String>| {
            if !known.contains(&Named { view: view.clone(), column: column.cloned() }) {
                wrong.push(format!("quiet, and not named: {view} {}", column.map_or("(rows)", String::as_str)));
            }
        };
        match columns {
            None => is_new(None),
            Some(columns) => columns.iter().for_each(|column| is_new(Some(column))),
        }
    }
    wrong
}

#[test]
fn what_views_do_not_say_on_a_busy_server_is_named_with_its_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let (data, files) = (folder.path().join("data"), folder.path().join("files"));
    std::fs::create_dir(&data).expect("a folder");
    std::fs::create_dir(&files).expect("a folder");
    let engine = engine_in(64 << 20, &data);
    let mut reader = session(&engine);
    script(&mut reader, &file("made.sql").replace("$(DIR)", &files.display().to_string()));
    have_worked(&engine);
    let work = at_work(&engine);
    run(&mut reader, "use busy");
    let (quiet, columns, failed) = read(&mut reader);
    // As the manual has it: who waits for which lock.
    let joined = run(
        &mut reader,
        "set nocount on select count(distinct w.session_id) as n from sys.dm_tran_locks as l
        join sys.dm_os_waiting_tasks as w on w.resource_address = l.lock_owner_address where l.request_status <> 'GRANT'",
    );
    work.end();
    assert_eq!(joined, "[n:int]\n4\n");
    let list = file("quiet.txt");
    assert!(failed.is_empty(), "these could not be read: {failed:#?}");
    if std::env::var_os("MILLPOND_BLESS").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/busy/quiet.txt");
        std::fs::write(file, blessed(&list, &quiet)).expect("the source is written");
        return;
    }
    let wrong = wrong(&list, &quiet, &columns);
    assert!(wrong.is_empty(), "{wrong:#?}");
}
