//! A page of an invented server, to look at when pages change: two days, an hour in which a report spills while orders wait for locks,
//! a crash, hostile names.
//!
//! ```sh
//! cargo run -p millpond-report --example page > page.html
//! ```

use std::io::Write as _;
use std::path::Path;

use millpond_history::collector::{Collector, FileIs, StatementIs};
use millpond_history::figure::{Figure, Figures};
use millpond_history::ring::{FILE_NAME, Writer};
use millpond_report::text::When;
use millpond_report::{html, ring};

const EACH_S: u64 = 10;
const HOUR_S: u64 = 3600;
const BEGIN_US: i64 = 1_796_000_400_000_000;
const STATEMENTS: [(&str, u64, u64); 4] = [
    ("update orders set state = 2 where id = @id", 400, 4),
    ("select top (20) * from orders where customer = @customer order by made desc", 900, 31),
    ("insert lines (order_id, item, amount) values (@order, @item, @amount)", 150, 3),
    ("select name from [<script>alert('x')</script>] where note like N'%שלום\u{202e}%'", 90, 12),
];
const REPORT: &str = "select c.region, datepart(week, o.made) as week, sum(l.amount) as amount\nfrom orders o join lines l on l.order_id = o.id \
join customers c on c.id = o.customer\ngroup by c.region, datepart(week, o.made)\norder by amount desc";

/// What grew in a second, at that second of the two days.
fn grow(second: u64, totals: &mut Figures) {
    let day = (second as f64 / 86_400.0 * std::f64::consts::TAU).sin() * 0.4 + 1.0;
    let wave = day * (1.0 + 0.08 * ((second / EACH_S * 7919 % 100) as f64 / 50.0 - 1.0));
    let is_bad = (44 * HOUR_S..45 * HOUR_S).contains(&second);
    let of = |rate: f64| (rate * wave * EACH_S as f64) as u64;
    let slow = if is_bad { 0.35 } else { 1.0 };
    for (figure, rate) in [
        (Figure::batches, 900.0 * slow),
        (Figure::transactions, 420.0 * slow),
        (Figure::commits, 419.0 * slow),
        (Figure::compilations, 4.0),
        (Figure::logical_reads, 61_000.0 * slow),
        (Figure::physical_reads, 240.0),
        (Figure::file_read_bytes, if is_bad { 48e6 } else { 2e6 }),
        (Figure::file_write_bytes, if is_bad { 62e6 } else { 5e6 }),
        (Figure::written_log_bytes, 1.8e6 * slow),
        (Figure::written_checkpoint_bytes, 2.2e6),
        (Figure::written_spill_bytes, if is_bad { 56e6 } else { 0.0 }),
        (Figure::log_flushes, 390.0 * slow),
        (Figure::wait_log_us, 260_000.0 * slow),
        (Figure::wait_lock_us, if is_bad { 5.4e6 } else { 30_000.0 }),
        (Figure::wait_other_io_us, if is_bad { 700_000.0 } else { 9000.0 }),
        (Figure::wait_page_io_us, 120_000.0),
        (Figure::cpu_user_ms, if is_bad { 1500.0 } else { 620.0 }),
        (Figure::cpu_kernel_ms, 190.0),
        (Figure::deadlocks, if is_bad { 0.2 } else { 0.0 }),
        (Figure::errors, if is_bad { 0.5 } else { 0.02 }),
    ] {
        totals.add(figure, of(rate));
    }
    for (figure, level) in [
        (Figure::sessions, 64.0 * day),
        (Figure::requests, if is_bad { 9.0 } else { 1.2 }),
        (Figure::grants_held, if is_bad { 1.0 } else { 0.1 }),
        (Figure::tempdb_user_pages, 900.0 * day),
        (Figure::tempdb_internal_pages, if is_bad { 61_000.0 } else { 200.0 }),
        (Figure::tempdb_version_pages, if is_bad { 14_000.0 } else { 700.0 }),
        (Figure::memory_pool_bytes, 2.1e9),
        (Figure::memory_grants_bytes, if is_bad { 5.2e8 } else { 1e7 }),
        (Figure::memory_plans_bytes, 4.4e7),
        (Figure::memory_texts_bytes, 1.9e7),
    ] {
        totals.set(figure, level as u64);
    }
}

fn run(writer: &mut Writer, seconds: std::ops::Range<u64>) -> std::io::Result<()> {
    let at = |second: u64| BEGIN_US + (second * 1_000_000).cast_signed();
    let mut collector = Collector::new(at(seconds.start));
    let (mut totals, mut ticks) = (Figures::default(), 0);
    for second in seconds.clone().step_by(EACH_S as usize).skip(1) {
        grow(second, &mut totals);
        ticks += 1;
        let mut tick = collector.tick(at(second), (second - seconds.start) * 1_000_000, totals);
        for (number, (text, cpu_us, pages)) in (1..).zip(STATEMENTS) {
            let runs = ticks * EACH_S * 100;
            let counters = [runs, runs * cpu_us, runs * cpu_us * 2, runs * pages, runs / 50, runs, runs, 0];
            let (text, database) = (text.into(), "shop".into());
            tick.statement((number, 0), counters, || StatementIs { text, query_hash: number, database, object_id: 0 });
        }
        if (44 * HOUR_S..45 * HOUR_S).contains(&second) {
            let counters = [
                ticks,
                ticks * 9_000_000,
                ticks * 9_900_000,
                ticks * 40_000,
                ticks * 9000,
                0,
                ticks * 260,
                ticks * 6000,
            ];
            let (text, database) = (REPORT.into(), "shop".into());
            tick.statement((99, 0), counters, || StatementIs { text, query_hash: 99, database, object_id: 0 });
        }
        tick.wait("WRITELOG", [ticks * 3900, totals.get(Figure::wait_log_us), ticks * 20]);
        tick.wait("LCK_M_U", [ticks * 40, totals.get(Figure::wait_lock_us), ticks * 9]);
        tick.wait("PAGEIOLATCH_SH", [ticks * 2400, totals.get(Figure::wait_page_io_us), ticks * 5]);
        tick.wait("IO_COMPLETION", [ticks * 90, totals.get(Figure::wait_other_io_us), 0]);
        let (read, written) = (totals.get(Figure::file_read_bytes), totals.get(Figure::file_write_bytes));
        tick.file(1, 1 << 33, [read / 65_536, read, read / 200, written / 65_536, written, written / 90], || FileIs {
            database: "tempdb".into(),
            name: "tempdev".into(),
            path: "/var/lib/millpond/tempdb.mdf".into(),
        });
        for due in tick.end(false) {
            writer.put(due.tier, &due.sample, due.texts.iter().map(AsRef::as_ref))?;
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::temp_dir().join(format!("millpond-page-{}", std::process::id()));
    std::fs::create_dir(&path)?;
    let page = page(&path);
    std::fs::remove_dir_all(&path)?;
    Ok(std::io::stdout().write_all(page?.as_bytes())?)
}

fn page(dir: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let mut writer = Writer::open(&dir.join(FILE_NAME))?;
    run(&mut writer, 0..46 * HOUR_S)?;
    run(&mut writer, 46 * HOUR_S + 900..48 * HOUR_S)?;
    let from = Some(When::parse("-6h")?);
    Ok(html::html(&ring::read(dir, from, None, None)?))
}
