//! A server that is a table of answers.

use super::*;
use crate::facts::{Growth, Spill};
use crate::source::{Argument, Cell};

/// Answers by the name of the view: columns with their cells.
struct Answers(Vec<(&'static str, Vec<Answer>)>);

/// A row: names of columns with their cells.
type Answer = Vec<(&'static str, Cell)>;

impl Source for Answers {
    fn rows(&mut self, question: &Question) -> Result<Cells, SourceError> {
        if question.view == "dm_db_log_stats" && question.arguments == Some(vec![Argument::Number(6)]) {
            return Err(SourceError::Refused { number: 300, text: "no".into() });
        }
        let Some((_, rows)) = self.0.iter().find(|(view, _)| *view == question.view) else {
            return Err(SourceError::Refused {
                number: 208,
                text: format!("Invalid object name 'sys.{}'.", question.view),
            });
        };
        let cell = |row: &Answer, column: &str| {
            row.iter().find(|(name, _)| *name == column).map_or(Cell::Null, |(_, cell)| cell.clone())
        };
        Ok(rows.iter().map(|row| question.columns.iter().map(|column| cell(row, column)).collect()).collect())
    }
}

fn int(number: i64) -> Cell {
    Cell::Int(number)
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

#[test]
fn views_are_joined_and_what_is_missing_is_named_once() {
    let mut source = Answers(vec![
        (
            "dm_os_sys_info",
            vec![vec![
                ("ms_ticks", int(70_000)),
                ("sqlserver_start_time_ms_ticks", int(10_000)),
                ("cpu_count", int(8)),
            ]],
        ),
        ("configurations", vec![vec![("name", text("max server memory (MB)")), ("value_in_use", int(512))]]),
        (
            "databases",
            vec![
                vec![
                    ("database_id", int(1)),
                    ("name", text("master")),
                    ("state", int(0)),
                    ("compatibility_level", int(150)),
                ],
                vec![("database_id", int(2)), ("name", text("tempdb")), ("state", int(0))],
                vec![("database_id", int(5)), ("name", text("shop")), ("state", int(0))],
                vec![("database_id", int(6)), ("name", text("gone")), ("state", int(6))],
                vec![("database_id", int(7)), ("name", text("past")), ("state", int(0)), ("is_read_only", int(1))],
            ],
        ),
        (
            "master_files",
            vec![
                vec![
                    ("database_id", int(2)),
                    ("file_id", int(1)),
                    ("name", text("tempdev")),
                    ("size", int(1_024)),
                    ("growth", int(128)),
                ],
                vec![
                    ("database_id", int(5)),
                    ("file_id", int(2)),
                    ("type", int(1)),
                    ("size", int(8)),
                    ("growth", int(10)),
                    ("is_percent_growth", int(1)),
                    ("max_size", int(268_435_456)),
                ],
                vec![("database_id", int(6)), ("file_id", int(1))],
            ],
        ),
        ("database_files", vec![vec![("file_id", int(1)), ("size", int(4_096))]]),
        (
            "dm_io_virtual_file_stats",
            vec![vec![
                ("database_id", int(2)),
                ("file_id", int(1)),
                ("num_of_writes", int(7)),
                ("size_on_disk_bytes", int(1)),
            ]],
        ),
        (
            "dm_millpond_file_writes",
            vec![vec![
                ("database_id", int(2)),
                ("file_id", int(1)),
                ("reason", text("lazy")),
                ("bytes_written", int(9)),
            ]],
        ),
        (
            "dm_exec_query_stats",
            vec![
                vec![
                    ("sql_handle", text("0x0A")),
                    ("query_hash", text("0xFF")),
                    ("total_spills", int(4)),
                    ("max_spills", int(2)),
                ],
                vec![("total_spills", int(0))],
            ],
        ),
        ("dm_exec_sql_text", vec![vec![("text", text("select\n  1"))]]),
        (
            "dm_db_missing_index_details",
            vec![
                vec![("index_handle", int(1)), ("statement", text("[a].[b].[c]")), ("equality_columns", text("[d]"))],
                vec![("index_handle", int(9)), ("database_id", int(7)), ("statement", text("[past].[b].[c]"))],
            ],
        ),
        (
            "dm_db_missing_index_groups",
            vec![
                vec![("index_group_handle", int(2)), ("index_handle", int(1))],
                vec![("index_group_handle", int(3)), ("index_handle", int(9))],
            ],
        ),
        (
            "dm_db_missing_index_group_stats",
            vec![
                vec![
                    ("group_handle", int(2)),
                    ("user_seeks", int(3)),
                    ("user_scans", int(1)),
                    ("avg_user_impact", Cell::Float(50.0)),
                    ("avg_total_user_cost", Cell::Float(2.0)),
                ],
                vec![("group_handle", int(3)), ("user_seeks", int(3))],
            ],
        ),
        (
            "dm_db_index_usage_stats",
            vec![
                vec![("database_id", int(5)), ("object_id", int(77)), ("index_id", int(2)), ("user_updates", int(500))],
                vec![("database_id", int(5)), ("object_id", int(77)), ("index_id", int(1)), ("user_updates", int(500))],
                vec![("database_id", int(7)), ("object_id", int(77)), ("index_id", int(2)), ("user_updates", int(500))],
            ],
        ),
        ("schemas", vec![vec![("schema_id", int(1)), ("name", text("dbo"))]]),
        ("tables", vec![vec![("object_id", int(77)), ("schema_id", int(1)), ("name", text("t"))]]),
        ("indexes", vec![vec![("object_id", int(77)), ("index_id", int(2)), ("name", text("i"))]]),
        (
            "dm_db_partition_stats",
            vec![vec![("object_id", int(77)), ("index_id", int(2)), ("used_page_count", int(3))]],
        ),
        (
            "dm_os_waiting_tasks",
            vec![
                vec![("wait_type", text("PAGELATCH_UP")), ("resource_description", text("2:1:8088"))],
                vec![("wait_type", text("PAGELATCH_EX")), ("resource_description", text("2:1:77"))],
            ],
        ),
    ]);
    let facts = collect(&mut source).expect("somebody answers");
    assert_eq!((facts.server.uptime_s, facts.server.major_version, facts.server.max_server_memory_mb), (60.0, 15, 512));
    assert!(!facts.server.is_millpond && facts.curve.is_none());
    let tempdev = &facts.files[0];
    assert_eq!(
        (tempdev.start_kb, tempdev.size_kb, tempdev.growth, tempdev.writes),
        (Some(8_192), 32_768, Growth::Kb(1_024), 7)
    );
    assert_eq!(tempdev.written_for("lazy"), 9);
    let log = &facts.files[1];
    assert_eq!((log.is_log, log.growth, log.max_kb, log.start_kb), (true, Growth::Percent(10), None, None));
    assert_eq!(facts.files.len(), 2, "a database that is not online has no files to speak of");
    let spill = Spill {
        query_hash: "0xFF".into(),
        text: "select 1".into(),
        spilled_kb: 32,
        max_spilled_kb: 16,
        ..Spill::default()
    };
    assert_eq!(facts.spills, [spill]);
    assert_eq!((facts.missing_indexes.len(), facts.missing_indexes[0].improvement()), (1, 4.0));
    let index = &facts.indexes[0];
    assert_eq!((facts.indexes.len(), index.schema.as_str(), index.table.as_str(), index.size_kb), (1, "dbo", "t", 24));
    assert_eq!(facts.allocation_waiters, 1);
    let refused = |view: &str| facts.refused.iter().filter(|refused| refused.view == view).count();
    assert_eq!(
        (refused("dm_db_log_stats"), refused("dm_millpond_cache_curve"), refused("dm_os_wait_stats")),
        (1, 0, 1)
    );
}

#[test]
fn allocation_pages_are_known_by_their_numbers() {
    let is = server::is_allocation_page;
    assert!(["2:1:1", "2:1:2", "2:3:3", "2:1:8088", "2:1:511232", "2:1:511233", "2:1:80880 (x)"].into_iter().all(is));
    assert!(!["2:1:0", "2:1:4", "2:1:8089", "5:1:1", "2:1", "", "x:y:z"].into_iter().any(is));
}

#[test]
fn nobody_to_ask_ends_it() {
    struct Gone;
    impl Source for Gone {
        fn rows(&mut self, _: &Question) -> Result<Cells, SourceError> {
            Err(SourceError::Lost("it is gone".into()))
        }
    }
    assert_eq!(collect(&mut Gone), Err("it is gone".to_owned()));
}
