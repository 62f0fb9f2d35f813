//! DBCC commands over what is kept in memory: DROPCLEANBUFFERS, FREEPROCCACHE, FREESYSTEMCACHE, FREESESSIONCACHE, FLUSHAUTHCACHE,
//! PROCCACHE.

use millpond_engine::system_call::{DbccDef, DbccTakes};
use millpond_message::error::SqlError;
use millpond_storage::contract::PAGE_BYTES;
use millpond_types::{SqlType, Value};

use millpond_views::kept_texts;

/// Drops clean pages of all databases from memory; dirty ones stay.
pub static DROPCLEANBUFFERS: DbccDef = DbccDef {
    name: "DROPCLEANBUFFERS",
    syntax: "[ WITH NO_INFOMSGS ]",
    takes: DbccTakes { args: 0..=0, options: &["NO_INFOMSGS"] },
    run: |call| {
        call.ctx().engine.instance().pool().drop_clean();
        Ok(())
    },
};

/// Forgets parsed texts.
pub static FREEPROCCACHE: DbccDef = DbccDef {
    name: "FREEPROCCACHE",
    syntax: "[ WITH NO_INFOMSGS ]",
    takes: DbccTakes { args: 0..=1, options: &["NO_INFOMSGS"] },
    run: |call| {
        call.ctx().engine.clear_cache();
        Ok(())
    },
};

/// Forgets what is kept of texts; other caches are the pool's pages and live by its rules.
pub static FREESYSTEMCACHE: DbccDef = DbccDef {
    name: "FREESYSTEMCACHE",
    syntax: "( 'ALL' [ , pool_name ] ) [ WITH [ MARK_IN_USE_FOR_REMOVAL ] [ , NO_INFOMSGS ] ]",
    takes: DbccTakes { args: 1..=2, options: &["MARK_IN_USE_FOR_REMOVAL", "NO_INFOMSGS"] },
    run: |call| {
        let name = call.positional(0).and_then(Value::as_str).ok_or_else(|| SqlError::of(2560, 9, &[&1]))?;
        // What is kept is of no pool, and nothing else has a name.
        if call.positional(1).is_none()
            && ["ALL", "SQL Plans", "Object Plans"].iter().any(|of| of.eq_ignore_ascii_case(name))
        {
            call.ctx().engine.clear_cache();
        }
        Ok(())
    },
};

/// Connections of distributed queries are not kept: there are none.
pub static FREESESSIONCACHE: DbccDef = DbccDef {
    name: "FREESESSIONCACHE",
    syntax: "[ WITH NO_INFOMSGS ]",
    takes: DbccTakes { args: 0..=0, options: &["NO_INFOMSGS"] },
    run: |_| Ok(()),
};

/// Logins are looked up each time: nothing is kept of them.
pub static FLUSHAUTHCACHE: DbccDef =
    DbccDef { name: "FLUSHAUTHCACHE", syntax: "", takes: DbccTakes { args: 0..=0, options: &[] }, run: |_| Ok(()) };

/// How many texts are kept, how many of them run, and the pages that they take.
pub static PROCCACHE: DbccDef = DbccDef {
    name: "PROCCACHE",
    syntax: "[ WITH NO_INFOMSGS ]",
    takes: DbccTakes { args: 0..=0, options: &["NO_INFOMSGS"] },
    run: |call| {
        let kept = kept_texts(call.ctx());
        let running: Vec<u64> =
            call.ctx().engine.sessions().iter().filter_map(|session| Some(session.statement.now()?.0.id)).collect();
        let (mut all, mut used) = ((0, 0), (0, 0));
        for (text, bytes) in kept {
            all = (all.0 + bytes, all.1 + 1);
            if running.contains(&text) {
                used = (used.0 + bytes, used.1 + 1);
            }
        }
        let pages = |bytes: usize| Value::Int(i32::try_from(bytes.div_ceil(PAGE_BYTES)).unwrap_or(i32::MAX));
        let row =
            vec![pages(all.0), pages(used.0), pages(used.0), Value::Int(all.1), Value::Int(used.1), Value::Int(used.1)];
        let columns = [
            "num proc buffs",
            "num proc buffs used",
            "num proc buffs active",
            "proc cache size",
            "proc cache used",
            "proc cache active",
        ];
        call.result(&columns.map(|name| (name, SqlType::Int)), vec![row])
    },
};
