//! Whatever runs is cancelled: every built-in function that takes a long value, operators, statements, what is only parsed,
//! bound or planned, and what waits. Each is given work for several seconds, more in a build without optimisation, is
//! cancelled when it is at it, and has to answer within [`CPU_AFTER_US`] of CPU time of its session, all threads of its plans
//! included. No assertion looks at a wall clock.
//!
//! What always holds of a row of the tables: its answer is that of a cancellation (no error, and nothing that a client could
//! take for a result), the session goes on, the database is as it was before it (what a row makes on purpose, its set-up
//! makes and its end drops), and no transaction and no memory of plans stay.

mod compiled;
mod functions;
mod statements;

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use millpond_engine::engine::Engine;
use millpond_query::session::Session;

use crate::harness::{run, session};

/// CPU time that the answer to a cancellation may take, in microseconds. A build without optimisation takes about ten
/// times as much for the same steps.
const CPU_AFTER_US: u64 = if cfg!(debug_assertions) { 1_000_000 } else { 100_000 };
/// CPU time that a statement has used before it is cancelled, in microseconds: it is at its work then.
const CPU_BEFORE_US: u64 = 60_000;
/// What a batch says last before its hostile statement; [`Row::text`] puts it there.
const MARK: &str = "set context_info 0x43";

/// Something that runs for long.
#[derive(Clone, Debug, Default)]
struct Row {
    /// Who it is in a report.
    name: String,
    /// Batches before it, cut at `GO`; they are not cancelled.
    set_up: String,
    /// The beginning of its own batch, which is over soon: variables with large values.
    before: String,
    /// What is cancelled.
    hostile: String,
    /// What it waits for rather than works; cancelled as soon as it waits.
    waits: bool,
    /// It is cancelled before anything of the batch runs: while it is parsed, bound or planned.
    compiles: bool,
    /// It says something before it is cancelled.
    says: bool,
    /// Batches after it, cut at `GO`: takes back the set-up.
    end: String,
}

impl Row {
    fn new(name: &str, hostile: &str) -> Row {
        Row { name: name.to_owned(), hostile: hostile.to_owned(), ..Row::default() }
    }

    fn text(&self) -> String {
        if self.compiles { self.hostile.clone() } else { format!("{}\n{MARK}\n{}", self.before, self.hostile) }
    }
}

/// What a cancellation gave: what was said, CPU time before and after it; `None` where it was over before.
struct Outcome {
    said: String,
    cancelled_at_us: Option<u64>,
    after_us: u64,
}

/// Runs a row's batch and cancels it.
fn cancelled(one: &mut Session, row: &Row) -> Outcome {
    let shared = Arc::clone(one.shared());
    *shared.context_info.lock() = None;
    let (over, cancelled_at_us) = (AtomicBool::new(false), AtomicU64::new(u64::MAX));
    let text = row.text();
    let start_us = shared.cpu.of_this_thread_us();
    let said = thread::scope(|scope| {
        scope.spawn(|| {
            let mut begun_us = if row.compiles { Some(0) } else { None };
            while !over.load(SeqCst) {
                let now_us = shared.cpu.running_us();
                match begun_us {
                    None if shared.context_info.lock().as_deref().is_some_and(|info| info.starts_with(b"\x43")) => {
                        begun_us = Some(now_us);
                    }
                    Some(_) if row.waits && shared.task.wait_type.load(SeqCst) != 0 => break,
                    Some(begun_us) if !row.waits && now_us >= begun_us + CPU_BEFORE_US => break,
                    _ => {}
                }
                thread::sleep(Duration::from_millis(1));
            }
            if !over.load(SeqCst) {
                cancelled_at_us.store(shared.cpu.running_us(), SeqCst);
                shared.cancel();
            }
        });
        let said = run(one, &text);
        over.store(true, SeqCst);
        said
    });
    let used_us = shared.cpu.of_this_thread_us() - start_us;
    let at_us = cancelled_at_us.load(SeqCst);
    Outcome { said, cancelled_at_us: (at_us != u64::MAX).then_some(at_us), after_us: used_us.saturating_sub(at_us) }
}

/// What stays of a statement if it is not taken back.
fn state(engine: &Arc<Engine>, one: &mut Session) -> String {
    let mut state = run(
        one,
        "set nocount on select @@trancount as open_transactions, xact_state() as state
        select count(*) as n, sum(v) as v from d.dbo.big
        select count(*) as n, max(v) as v from d.dbo.parent
        select count(*) as objects from d.sys.objects select count(*) as columns from d.sys.columns
        select count(*) as indexes from d.sys.indexes",
    );
    let _ = write!(state, "memory of plans: {}", engine.workspace().used_bytes());
    state
}

/// Rows in which `MILLPOND_CANCEL` stands, or all.
fn chosen(rows: Vec<Row>) -> Vec<Row> {
    let wanted = std::env::var("MILLPOND_CANCEL").unwrap_or_default();
    rows.into_iter().filter(|row| row.name.contains(&wanted)).collect()
}

/// How often a row is tried: where the machine is busy, the thread that cancels may come too late, or be late to read a clock.
const TRIES: usize = 3;

/// Tells all that is wrong with any of the rows.
fn all_are_cancelled(engine: &Arc<Engine>, one: &mut Session, rows: Vec<Row>) {
    let mut wrong = String::new();
    for row in chosen(rows) {
        let mut found = Vec::new();
        for _ in 0..TRIES {
            let is_settled;
            (found, is_settled) = tried(engine, one, &row);
            if found.is_empty() || is_settled {
                break;
            }
        }
        for what in found {
            eprintln!("cancel: {}: {what}", row.name);
            let _ = writeln!(wrong, "{}: {what}", row.name);
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// What is wrong with a row, and whether that is no matter of time.
fn tried(engine: &Arc<Engine>, one: &mut Session, row: &Row) -> (Vec<String>, bool) {
    let (mut found, mut is_settled) = (Vec::new(), false);
    for batch in row.set_up.split("GO\n").filter(|batch| !batch.trim().is_empty()) {
        let said = run(one, batch);
        assert!(!said.contains("Msg "), "{}: {batch}: {said}", row.name);
    }
    let before = state(engine, one);
    let outcome = cancelled(one, row);
    let after = state(engine, one);
    let said: String = outcome.said.chars().take(300).collect();
    match outcome.cancelled_at_us {
        None => found.push(format!("was over before it could be cancelled: {said}")),
        Some(_) if outcome.after_us > CPU_AFTER_US => {
            found.push(format!("took {} ms of CPU after the cancellation: {said}", outcome.after_us / 1000));
        }
        Some(_) => {}
    }
    let is_short = !outcome.said.contains("rows affected") && outcome.said.lines().count() <= 1;
    let is_cancel = !outcome.said.contains("Msg ") && (row.says || is_short);
    if outcome.cancelled_at_us.is_some() && !is_cancel {
        found.push(format!("did not answer as cancelled: {said}"));
    }
    if before != after {
        // What was over before leaves what it did.
        is_settled = true;
        found.push(format!("left something: {}", crate::harness::difference(&before, &after)));
        run(one, "while @@trancount > 0 rollback");
    }
    for batch in row.end.split("GO\n").filter(|batch| !batch.trim().is_empty()) {
        let said = run(one, batch);
        if said.contains("Msg ") {
            is_settled = true;
            found.push(format!("its end failed: {said}"));
        }
    }
    (found, is_settled)
}

/// Runs a test on the stack that a server's threads have. A build without optimisation takes several times as much of it.
fn deep(test: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(millpond_query::STACK_BYTES).spawn(test);
    if let Err(panic) = thread.expect("a thread starts").join() {
        std::panic::resume_unwind(panic);
    }
}

/// An engine with database `d`, and a session in it; `big` has so many rows.
fn place(big_rows: usize, direct: i64) -> (Arc<Engine>, Session) {
    // Texts of a million statements are not to be refused for want of memory.
    let engine = crate::harness::engine_of(4 << 30);
    engine.instance().settings().set_option("direct statements", direct).expect("a known option");
    engine.instance().reconfigure(true).expect("it may be changed at any time");
    let mut one = session(&engine);
    let said = run(&mut one, "set nocount on create database d alter database d set recovery simple");
    assert!(!said.contains("Msg "), "{said}");
    let set_up = format!(
        "use d set nocount on
        create table big (id int not null primary key, v int not null, k int not null, c char(60) not null)
        create table parent (id int not null primary key, v int not null)
        create table one (id int not null)
        insert one values (1)
        insert big select value, value % 7, value % 1000, 'text' from generate_series(1, {big_rows})
        insert parent select value, value % 7 from generate_series(0, 999)"
    );
    let said = run(&mut one, &set_up);
    assert!(!said.contains("Msg "), "{said}");
    (engine, one)
}

#[test]
fn functions_over_long_values_are_cancelled() {
    for direct in [1, 0] {
        deep(move || {
            let (engine, mut one) = place(1, direct);
            let mut rows = functions::rows();
            rows.retain(|row| direct == 1 || functions::PLANNED.contains(&row.name.as_str()));
            all_are_cancelled(&engine, &mut one, rows);
        });
    }
}

#[test]
fn statements_are_cancelled() {
    deep(|| {
        let (engine, mut one) = place(statements::BIG_ROWS, 1);
        all_are_cancelled(&engine, &mut one, statements::rows());
    });
}

#[test]
fn what_writes_and_reads_files_is_cancelled() {
    deep(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let (engine, mut one) = place(statements::BIG_ROWS, 1);
        all_are_cancelled(&engine, &mut one, statements::rows_with_files(folder.path()));
    });
}

#[test]
fn what_waits_is_cancelled() {
    deep(|| {
        let (engine, mut one) = place(10, 1);
        let mut other = session(&engine);
        let said = run(
            &mut other,
            "use d set nocount on begin tran update parent set v = v where id = 1
            exec sp_getapplock 'lock', 'exclusive', 'session'",
        );
        assert!(!said.contains("Msg "), "{said}");
        all_are_cancelled(&engine, &mut one, statements::waiting_rows());
        run(&mut other, "rollback");
    });
}

#[test]
fn what_is_parsed_bound_or_planned_is_cancelled() {
    deep(|| {
        let (engine, mut one) = place(10, 1);
        all_are_cancelled(&engine, &mut one, compiled::rows());
    });
}

/// A function that takes a long value has a row, or its reason not to have one.
#[test]
fn no_function_over_long_values_is_left_out() {
    let rows = functions::rows();
    let known: HashMap<&str, &str> = functions::SHORT.iter().copied().collect();
    let mut missing = Vec::new();
    for def in millpond_builtin::FAMILIES.iter().flat_map(|family| family.iter()) {
        let has_row = rows.iter().any(|row| row.name.split(' ').next() == Some(def.name));
        let is_short = known.contains_key(def.name);
        assert!(!(has_row && is_short), "{} has a row and a reason to have none", def.name);
        if functions::takes_long_values(def) && !has_row && !is_short {
            missing.push(def.name);
        }
    }
    assert!(missing.is_empty(), "these take long values: {missing:?}");
    for (name, _) in functions::SHORT {
        assert!(millpond_builtin::find(name).is_some(), "{name} is no function");
    }
}
