//! `sys.dm_exec_valid_use_hints`: what `OPTION (USE HINT …)` takes.

use millpond_builtin::use_hint;
use millpond_catalog::system_view::ViewDef;

use crate::columns::{Sysname, text};
use crate::row::{ViewRows, row, view};

row! {
    /// A row of `sys.dm_exec_valid_use_hints`.
    struct DmExecValidUseHints {
        name: Sysname,
    }
}

/// `sys.dm_exec_valid_use_hints`
pub static DM_EXEC_VALID_USE_HINTS: ViewDef = view(
    "sys",
    "dm_exec_valid_use_hints",
    &ViewRows(|_, _| Ok(use_hint::all().map(|name| DmExecValidUseHints { name: text(&name) }).collect())),
);
