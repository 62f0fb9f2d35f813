//! `sys.dm_exec_cached_plan_dependent_objects`: what is made of a kept text: plans that sessions keep, and cursors.
//!
//! What always holds: a session has plans of its own of a text, and which others have some is not known: one row stands for the plans
//! of the session that bound the text last. There is no CLR.

use std::sync::atomic::Ordering::Relaxed;

use millpond_builtin::TableFunctionDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::Value;

use crate::columns::{NVarChar, VarBinary, bytes, int, text};
use crate::dynamic::statements::kept_text;
use crate::row::{Rows, row, table_function};

row! {
    /// A row of `sys.dm_exec_cached_plan_dependent_objects`.
    struct DmExecCachedPlanDependentObjects {
        usecounts: i32,
        memory_object_address: VarBinary<8>,
        cacheobjtype: NVarChar<50>,
    }
}

/// `sys.dm_exec_cached_plan_dependent_objects(plan_handle)`
pub static DM_EXEC_CACHED_PLAN_DEPENDENT_OBJECTS: TableFunctionDef = table_function!(
    "sys", "dm_exec_cached_plan_dependent_objects", [VarBinary<64>], optional 0, DmExecCachedPlanDependentObjects,
    dependents
);

/// What distinguishes addresses of cursors from those of texts.
const CURSORS_AT: u64 = 3 << 40;

fn dependents(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmExecCachedPlanDependentObjects>> {
    let mut rows = Rows::new();
    let Some(found) = kept_text(ctx, &args[0]) else { return Ok(rows) };
    let counted = ctx.engine.statements().all().into_iter();
    let kept = counted.filter(|one| one.text_id == found.id && !one.is_of_module() && one.bound_with().is_some());
    if let Some(uses) = kept.map(|one| one.executions.load(Relaxed)).max() {
        rows.push(DmExecCachedPlanDependentObjects {
            usecounts: int(uses),
            memory_object_address: bytes(&found.id.to_be_bytes()),
            cacheobjtype: text("Executable plan"),
        });
    }
    for session in ctx.engine.sessions() {
        let own = session.cursors.all().into_iter().filter(|cursor| cursor.query.statement.0.id == found.id);
        rows.extend(own.map(|cursor| {
            let address = CURSORS_AT + (u64::from(session.id.0) << 32) + u64::from(cursor.id.cast_unsigned());
            DmExecCachedPlanDependentObjects {
                usecounts: 1,
                memory_object_address: bytes(&address.to_be_bytes()),
                cacheobjtype: text("Cursor"),
            }
        }));
    }
    Ok(rows)
}
