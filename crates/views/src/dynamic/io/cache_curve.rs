//! `sys.dm_millpond_cache_curve`: what a larger buffer pool, or an extension of a size, would have hit.
//!
//! What always holds: counts begin anew when `max server memory` changes, and `since_utc` says when that was. The first row of MEMORY is the
//! pool as large as that is, without what it has lent to statements. Counts are of a cache that
//! drops the page used least recently; the pool's policies do a little better or worse. Of a large pool a part of the pages is followed,
//! one of `sampled_one_of`, and counts are scaled. Freed pages, and spills that are read past the pool, count for nothing.

use millpond_catalog::Within;
use millpond_catalog::clock::datetime2_of_unix_us;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::DateTime2;

use crate::columns::{NVarChar, big, text};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.dm_millpond_cache_curve`.
    struct DmMillpondCacheCurve {
        /// `MEMORY`: a pool of that size in all; `EXTENSION`: the pool as it is, and an extension of that size.
        kind: NVarChar<20>,
        size_kb: i64,
        read_page_count: i64,
        extension_hit_count: i64,
        would_have_hit_count: i64,
        would_have_hit_percent: f64,
        sampled_one_of: i64,
        lost_sample_count: i64,
        counted_s: f64,
        since_utc: DateTime2,
    }
}

/// `sys.dm_millpond_cache_curve`
pub static DM_MILLPOND_CACHE_CURVE: ViewDef = view("sys", "dm_millpond_cache_curve", &ViewRows(rows));

const PAGE_KB: u64 = 8;

/// MEMORY before EXTENSION, each by ascending size.
fn rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmMillpondCacheCurve>> {
    let curve = ctx.engine.instance().pool().ghosts().curve();
    let counted_us = ctx.engine.clock_us().saturating_sub(curve.since_us);
    let since_us = ctx.engine.now_us().0.saturating_sub_unsigned(counted_us);
    let mut rows = Rows::new();
    for (kind, below_pages) in [("MEMORY", curve.pages), ("EXTENSION", 0)] {
        // An extension of nothing is none.
        for point in curve.points().into_iter().filter(|point| below_pages + point.more_pages > 0) {
            let percent = if curve.read_pages == 0 { 0.0 } else { point.hits as f64 / curve.read_pages as f64 * 100.0 };
            rows.push(DmMillpondCacheCurve {
                kind: text(kind),
                size_kb: big((below_pages + point.more_pages) * PAGE_KB),
                read_page_count: big(curve.read_pages),
                extension_hit_count: big(curve.extension_pages),
                would_have_hit_count: big(point.hits),
                would_have_hit_percent: percent,
                sampled_one_of: big(curve.sampled_one_of),
                lost_sample_count: big(curve.lost_events),
                counted_s: counted_us as f64 / 1e6,
                since_utc: datetime2_of_unix_us(since_us),
            });
        }
    }
    Ok(rows)
}
