//! DBCC MEMORYSTATUS: memory by memory clerk, a result for each section. What is not counted has no line.

use millpond_device::machine;
use millpond_engine::system_call::{DbccDef, DbccTakes, SystemCall};
use millpond_message::error::SqlResult;
use millpond_storage::contract::PAGE_BYTES;
use millpond_types::{MaxLen, SqlType, Value};

use millpond_views::{held_memory, kept_texts};

/// `DBCC MEMORYSTATUS`
pub static MEMORYSTATUS: DbccDef = DbccDef {
    name: "MEMORYSTATUS",
    syntax: "[ WITH NO_INFOMSGS ]",
    takes: DbccTakes { args: 0..=0, options: &["NO_INFOMSGS"] },
    run: status,
};

const KB: u64 = 1024;
const PAGE_KB: u64 = PAGE_BYTES as u64 / KB;

fn status(call: &mut SystemCall<'_>) -> SqlResult<()> {
    let ctx = call.ctx();
    let (memory, pool) = (machine::memory(), ctx.engine.instance().pool().report());
    let (grants, held) = (ctx.engine.workspace().report(), held_memory(ctx));
    let (texts, text_bytes) =
        kept_texts(ctx).fold((0, 0), |(count, bytes), (_, more)| (count + 1, bytes + more as u64));
    let target_kb = pool.target * PAGE_KB;
    let held_kb: u64 = held.iter().map(|(_, _, bytes)| bytes / KB).sum();
    section(
        call,
        ("Process/System Counts", "Value"),
        &[
            ("Available Physical Memory", memory.available_bytes),
            ("Physical Memory", memory.total_bytes),
            ("Working Set", memory.resident_bytes),
        ],
    )?;
    section(
        call,
        ("Memory Manager", "KB"),
        &[
            ("Target Committed", target_kb),
            ("Current Committed", held_kb),
            ("Pages Allocated", held_kb),
            ("Pages Free", pool.free * PAGE_KB),
        ],
    )?;
    for (kind, name, bytes) in held {
        section(call, (&format!("{kind} ({name})"), "KB"), &[("Pages Allocated", bytes / KB)])?;
    }
    section(
        call,
        ("Buffer Pool", "Value"),
        &[
            ("Database", pool.database),
            ("Free", pool.free),
            ("Dirty", pool.dirty),
            ("Total", pool.total),
            ("Target", pool.target),
            ("Page Life Expectancy", pool.page_life_s),
        ],
    )?;
    section(
        call,
        ("Procedure Cache", "Value"),
        &[("TotalProcs", texts), ("TotalPages", text_bytes.div_ceil(PAGE_BYTES as u64))],
    )?;
    section(
        call,
        ("Query Memory Objects (default)", "Value"),
        &[
            ("Grants", grants.granted.len() as u64),
            ("Waiting", grants.waiting.len() as u64),
            ("Available", grants.limit_bytes.saturating_sub(grants.used_bytes) as u64 / PAGE_BYTES as u64),
            ("Limit", grants.limit_bytes as u64 / PAGE_BYTES as u64),
        ],
    )
}

/// A result of one section: its lines under its name.
fn section(call: &mut SystemCall<'_>, (name, unit): (&str, &str), lines: &[(&str, u64)]) -> SqlResult<()> {
    let rows = lines.iter().map(|(name, value)| vec![Value::str(name), Value::BigInt(value.cast_signed())]).collect();
    call.result(&[(name, SqlType::NVarChar { len: MaxLen::Limited(128) }), (unit, SqlType::BigInt)], rows)
}
