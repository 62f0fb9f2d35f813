//! `msdb.dbo.syscategories` before anybody has added one: those that every server has, which the table then begins with
//! (`procedures/src/texts/agent/tables.sql`).

use millpond_catalog::system_view::ViewDef;

use crate::columns::{Sysname, text};
use crate::row::{ViewRows, row, view};

row! {
    /// A row of `dbo.syscategories`.
    struct Syscategories {
        category_id: i32,
        category_class: i32,
        category_type: u8,
        name: Sysname,
    }
}

/// Number, class (1 job, 2 alert, 3 operator), type (1 local, 2 of several servers, 3 none), name.
const FIXED: [(i32, i32, u8, &str); 21] = [
    (0, 1, 1, "[Uncategorized (Local)]"),
    (1, 1, 1, "Jobs from MSX"),
    (2, 1, 2, "[Uncategorized (Multi-Server)]"),
    (3, 1, 1, "Database Maintenance"),
    (5, 1, 1, "Full-Text"),
    (6, 1, 1, "Log Shipping"),
    (7, 1, 1, "Database Engine Tuning Advisor"),
    (8, 1, 1, "Data Collector"),
    (10, 1, 1, "REPL-Distribution"),
    (11, 1, 1, "REPL-Distribution Cleanup"),
    (12, 1, 1, "REPL-History Cleanup"),
    (13, 1, 1, "REPL-LogReader"),
    (14, 1, 1, "REPL-Merge"),
    (15, 1, 1, "REPL-Snapshot"),
    (16, 1, 1, "REPL-Checkup"),
    (17, 1, 1, "REPL-Subscription Cleanup"),
    (18, 1, 1, "REPL-Alert Response"),
    (19, 1, 1, "REPL-QueueReader"),
    (20, 2, 3, "Replication"),
    (98, 2, 3, "[Uncategorized]"),
    (99, 3, 3, "[Uncategorized]"),
];

/// `dbo.syscategories`
pub(super) static SYSCATEGORIES: ViewDef = view(
    "dbo",
    "syscategories",
    &ViewRows(|_, _| {
        let row = |(category_id, category_class, category_type, name): (i32, i32, u8, &str)| Syscategories {
            category_id,
            category_class,
            category_type,
            name: text(name),
        };
        Ok(FIXED.into_iter().map(row).collect())
    }),
);
