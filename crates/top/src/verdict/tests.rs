//! Tests of verdicts: one of each kind, with its figures.

use std::sync::Arc;

use super::*;
use crate::sample::{FileIo, Grant, Sample, Session, System, TempdbFile, Wait};

/// Two samples, a second apart, of a server with four processors.
struct Case {
    earlier: Sample,
    later: Sample,
}

impl Case {
    fn new(cpu_ms: i64) -> Case {
        let at = |ms_ticks, process_user_time_ms| {
            let system = System { ms_ticks, cpu_count: 4, process_user_time_ms, ..System::default() };
            Sample { system: Some(system), waits: vec![Wait::default()], ..Sample::default() }
        };
        Case { earlier: at(0, 0), later: at(1_000, cpu_ms) }
    }

    fn wait(mut self, wait_type: &str, ms: i64) -> Case {
        let wait = |count, wait_time_ms| Wait {
            wait_type: wait_type.into(),
            waiting_tasks_count: count,
            wait_time_ms,
            signal_wait_time_ms: 0,
        };
        self.later.waits.push(wait(1, ms));
        self
    }

    fn file(mut self, database: &str, type_desc: &str, (reads, writes): (i64, i64), ms: i64) -> Case {
        let file = |times: i64| FileIo {
            database_id: 5,
            file_id: i64::try_from(self.later.files.len()).expect("few"),
            database_name: database.into(),
            file_name: format!("{database}_{type_desc}"),
            type_desc: type_desc.into(),
            num_of_reads: reads * times,
            num_of_bytes_read: reads * times * 100_000,
            io_stall_read_ms: reads * ms * times,
            num_of_writes: writes * times,
            io_stall_write_ms: writes * ms * times,
            ..FileIo::default()
        };
        let (before, after) = (file(1), file(2));
        self.earlier.files.push(before);
        self.later.files.push(after);
        self
    }

    fn waiting(mut self, session_id: i64, wait_type: &str, resource: &str, blocking_session_id: i64) -> Case {
        self.later.sessions.push(Session {
            session_id,
            login_name: "sa".into(),
            program_name: "orders".into(),
            session_status: "sleeping".into(),
            wait_type: Some(wait_type.to_owned()).filter(|it| !it.is_empty()),
            wait_resource: Some(resource.into()),
            blocking_session_id,
            ..Session::default()
        });
        self
    }

    fn verdict(self) -> (Bound, String) {
        let it = verdict(&Interval::of(Some(&self.earlier), Arc::new(self.later)));
        (it.bound, it.sentence)
    }
}

#[test]
fn nothing() {
    let expected = (Bound::Nothing, "nothing: 5 % CPU, 0.1 requests wait on average".to_owned());
    assert_eq!(Case::new(200).wait("WRITELOG", 100).verdict(), expected);
}

#[test]
fn processors() {
    let case = Case::new(3_600).wait("SOS_SCHEDULER_YIELD", 900).wait("WRITELOG", 300);
    let expected = "processor: 90 % of 4 CPUs, 75 % of all waits are for one";
    assert_eq!(case.verdict(), (Bound::Processor, expected.to_owned()));
}

#[test]
fn reads_of_the_file_that_was_waited_for_longest() {
    let case = Case::new(400).wait("PAGEIOLATCH_SH", 3_000).file("shop", "ROWS", (100, 0), 5).file(
        "tempdb",
        "ROWS",
        (200, 0),
        12,
    );
    let expected = "reads of tempdb.tempdb_ROWS: 12.0 ms each, 200 reads/s, 20.0 MB/s; 3.0 requests wait on average";
    assert_eq!(case.verdict(), (Bound::Reads, expected.to_owned()));
}

#[test]
fn writes_of_a_log() {
    let case =
        Case::new(400).wait("WRITELOG", 1_500).file("shop", "LOG", (0, 150), 10).file("stock", "ROWS", (0, 900), 90);
    let expected = "log writes of shop: 10.0 ms each, 150 writes/s, 1,500 ms a WRITELOG; 1.5 requests wait on average";
    assert_eq!(case.verdict(), (Bound::LogWrites, expected.to_owned()));
}

#[test]
fn locks_name_who_is_behind_all_of_them() {
    let case = Case::new(400)
        .waiting(52, "", "", 0)
        .waiting(53, "LCK_M_U", "KEY: 5:1", 52)
        .waiting(54, "LCK_M_U", "KEY: 5:1", 53)
        .waiting(55, "LCK_M_S", "KEY: 5:2", 53);
    let expected = "locks: 3.0 requests wait on average, 3 of them behind session 52 (sleeping, sa, orders)";
    assert_eq!(case.verdict(), (Bound::Locks, expected.to_owned()));
}

#[test]
fn memory_grants() {
    let mut case = Case::new(400).waiting(53, "RESOURCE_SEMAPHORE", "", 0).waiting(54, "RESOURCE_SEMAPHORE", "", 0);
    case.later.grants = vec![
        Grant { session_id: 52, granted_memory_kb: Some(100), ..Grant::default() },
        Grant { session_id: 53, ..Grant::default() },
        Grant { session_id: 54, ..Grant::default() },
    ];
    let expected = "memory grants: 2 pending; 2.0 requests wait on average";
    assert_eq!(case.verdict(), (Bound::MemoryGrants, expected.to_owned()));
}

#[test]
fn allocation_in_tempdb() {
    let mut case = Case::new(400).wait("PAGELATCH_UP", 5_000).waiting(53, "PAGELATCH_UP", "2:1:1", 0);
    case.later.tempdb_files = vec![TempdbFile::default(), TempdbFile::default()];
    let expected = "tempdb allocation: PAGELATCH on pages of its 2 files; 5.0 requests wait on average";
    assert_eq!(case.verdict(), (Bound::TempdbAllocation, expected.to_owned()));
}

#[test]
fn anything_else_by_its_name() {
    let case = Case::new(400).wait("ASYNC_NETWORK_IO", 1_000).wait("CXPACKET", 9_000);
    let expected = "network (ASYNC_NETWORK_IO): 1.0 requests wait on average";
    assert_eq!(case.verdict(), (Bound::Other, expected.to_owned()));
}

#[test]
fn more_who_wait_than_run_decide_over_a_busy_processor() {
    let case = Case::new(3_600).wait("LCK_M_X", 9_000);
    assert_eq!(case.verdict().0, Bound::Locks);
    let case = Case::new(3_600).wait("LCK_M_X", 2_000);
    assert_eq!(case.verdict().0, Bound::Processor);
}
