//! State of the server under its names of SQL Server 2000: `syscacheobjects`, `syslockinfo`, `sysdevices`, `syscharsets`. They are found
//! as those of `compatibility`.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::metadata::is_encrypted_module;
use millpond_message::error::SqlResult;
use millpond_storage::contract::{DbId, PAGE_BYTES};
use millpond_txn::lock::{LockMode, LockRow, LockScope, LockStatus, ResourceKind};

use crate::catalog::files::{database_files, sees_files_of};
use crate::columns::{Binary, Guid, NChar, NVarChar, Sysname, VarBinary, VarBinaryMax, bytes, int, small, text, wide};
use crate::dynamic::statements::texts_of;
use crate::dynamic::tran::transactions::id_of;
use crate::row::{Rows, ViewRows, row, view};

/// All of this file.
pub(crate) static ALL: &[&ViewDef] = &[&SYSCACHEOBJECTS, &SYSLOCKINFO, &SYSDEVICES, &SYSCHARSETS];

row! {
    /// A row of `syscacheobjects`.
    struct Syscacheobjects {
        bucketid: i32,
        cacheobjtype: NVarChar<17>,
        objtype: NVarChar<8>,
        objid: Option<i32>,
        dbid: Option<i16>,
        dbidexec: Option<i16>,
        uid: Option<i16>,
        refcounts: i32,
        usecounts: i32,
        pagesused: Option<i32>,
        setopts: Option<i32>,
        langid: Option<i16>,
        dateformat: Option<i16>,
        status: Option<i32>,
        lasttime: Option<i64>,
        maxexectime: Option<i64>,
        avgexectime: Option<i64>,
        lastreads: Option<i64>,
        lastwrites: Option<i64>,
        sqlbytes: Option<i32>,
        sql: Option<NVarChar<3900>>,
    }
}

/// `syscacheobjects`: the texts that are kept, as in `sys.dm_exec_cached_plans`; asked for as a view of the server's state (`bind::from`).
pub static SYSCACHEOBJECTS: ViewDef = view("sys", "syscacheobjects", &ViewRows(cache_objects));

/// The creator of a plan that depends on nobody's names.
const OF_ALL: i16 = -2;

fn cache_objects(ctx: &RunContext, _: Within<'_>) -> SqlResult<Rows<Syscacheobjects>> {
    let rows = texts_of(ctx).into_iter().map(|(id, (stats, uses))| {
        let is_secret = stats.object != 0 && is_encrypted_module(&ctx.engine, DbId(stats.database), stats.object);
        let shown: String = stats.text.chars().take(3900).collect();
        Syscacheobjects {
            bucketid: i32::try_from(id % 40_009).unwrap_or(0),
            cacheobjtype: text("Compiled Plan"),
            objtype: text(if stats.object == 0 { "Adhoc" } else { "Proc" }),
            objid: Some(if stats.object == 0 { (id as u32 & 0x7FFF_FFFF).cast_signed() } else { stats.object }),
            dbid: Some(small(stats.database)),
            dbidexec: Some(0),
            uid: Some(OF_ALL),
            refcounts: int(std::sync::Arc::strong_count(&stats)),
            usecounts: int(uses.max(stats.executions.load(Relaxed))),
            pagesused: Some(int(stats.text.len().div_ceil(PAGE_BYTES))),
            // A plan of each session is of its own options.
            setopts: None,
            langid: None,
            dateformat: None,
            status: Some(0),
            lasttime: Some(0),
            maxexectime: Some(0),
            avgexectime: Some(0),
            lastreads: Some(0),
            lastwrites: Some(0),
            sqlbytes: Some(int(stats.text.encode_utf16().count() * 2)),
            sql: (!is_secret).then(|| text(&shown)),
        }
    });
    Ok(rows.collect())
}

row! {
    /// A row of `syslockinfo`.
    struct Syslockinfo {
        rsc_text: NChar<32>,
        rsc_bin: Binary<16>,
        rsc_valblk: Binary<16>,
        rsc_dbid: i16,
        rsc_indid: i16,
        rsc_objid: i32,
        rsc_type: u8,
        rsc_flag: u8,
        req_mode: u8,
        req_status: u8,
        req_refcnt: i16,
        req_cryrefcnt: i16,
        req_lifetime: i32,
        req_spid: i32,
        req_ecid: i32,
        req_ownertype: i16,
        req_transactionID: Option<i64>,
        req_transactionUOW: Option<Guid>,
    }
}

/// `syslockinfo`: the locks of `sys.dm_tran_locks`; asked for as a view of the server's state (`bind::from`).
pub static SYSLOCKINFO: ViewDef = view("sys", "syslockinfo", &ViewRows(lock_info));

/// `rsc_type`; what SQL Server 2000 had no locks of is a NULL resource.
fn resource_type(kind: ResourceKind) -> u8 {
    match kind {
        ResourceKind::Database => 2,
        ResourceKind::Object => 5,
        ResourceKind::Page => 6,
        ResourceKind::Key => 7,
        ResourceKind::Rid => 9,
        ResourceKind::Application => 10,
        ResourceKind::Metadata | ResourceKind::Hobt => 1,
    }
}

/// `req_mode`: modes are listed in the order of its numbers.
fn mode_number(mode: LockMode) -> u8 {
    let place = LockMode::ALL.iter().position(|known| *known == mode);
    place.and_then(|place| u8::try_from(place + 1).ok()).unwrap_or(0)
}

/// A binary that two locks share exactly if they are of one resource.
fn resource_bytes(lock: &LockRow) -> [u8; 16] {
    let mut hasher = DefaultHasher::new();
    (lock.resource.kind().name(), lock.resource.description(), lock.resource.entity(), &lock.name).hash(&mut hasher);
    let mut all = [0; 16];
    all[..8].copy_from_slice(&hasher.finish().to_be_bytes());
    all[8..12].copy_from_slice(&(lock.resource.entity() as u32).to_le_bytes());
    all[12..14].copy_from_slice(&lock.resource.db().0.to_le_bytes());
    all[14] = resource_type(lock.resource.kind());
    all
}

/// Object and index of a resource: an object's number is its entity, a key's and a tree's has the index in its lowest 16 bits.
fn object_and_index(lock: &LockRow) -> (i32, i16) {
    let entity = lock.resource.entity();
    match lock.resource.kind() {
        ResourceKind::Object => (entity as i32, 0),
        ResourceKind::Key | ResourceKind::Hobt => ((entity >> 16) as i32, (entity & 0xFFFF) as i16),
        _ => (0, 0),
    }
}

fn lock_info(ctx: &RunContext, _: Within<'_>) -> SqlResult<Rows<Syslockinfo>> {
    let open = ctx.engine.txns().transactions();
    let mut locks = ctx.engine.txns().locks().report();
    locks.sort_by_key(|lock| (lock.session, lock.resource.kind().name(), lock.resource.description()));
    let row = |lock: &LockRow| {
        let (object, index) = object_and_index(lock);
        let described = lock.name.clone().unwrap_or_else(|| lock.resource.description());
        Syslockinfo {
            rsc_text: wide(&described),
            rsc_bin: bytes(&resource_bytes(lock)),
            rsc_valblk: bytes(&[0; 16]),
            rsc_dbid: small(lock.resource.db().0),
            rsc_indid: index,
            rsc_objid: object,
            rsc_type: resource_type(lock.resource.kind()),
            rsc_flag: 0,
            req_mode: mode_number(lock.mode),
            req_status: match lock.status {
                LockStatus::Grant => 1,
                LockStatus::Convert => 2,
                LockStatus::Wait => 3,
            },
            req_refcnt: 1,
            req_cryrefcnt: 0,
            req_lifetime: 0,
            req_spid: int(lock.session.0),
            req_ecid: 0,
            req_ownertype: if matches!(lock.scope, LockScope::Session) { 3 } else { 1 },
            req_transactionID: id_of(lock.session, &open),
            req_transactionUOW: None,
        }
    };
    Ok(locks.iter().map(row).collect())
}

row! {
    /// A row of `sysdevices`.
    struct Sysdevices {
        name: Sysname,
        size: Option<i32>,
        low: Option<i32>,
        high: Option<i32>,
        status: Option<i16>,
        cntrltype: Option<i16>,
        phyname: Option<NVarChar<260>>,
    }
}

/// `sysdevices`: the files of databases that the session may see; there are no backup devices.
pub static SYSDEVICES: ViewDef = view("sys", "sysdevices", &ViewRows(devices));

/// Bit of `status`: it is a file on a disk.
const IS_DISK: i16 = 2;
/// What `size` counts by, in pages: 2 KB.
const PARTS_OF_PAGE: i32 = 4;

fn devices(ctx: &RunContext, _: Within<'_>) -> SqlResult<Rows<Sysdevices>> {
    let mut rows = Rows::new();
    for database in sees_files_of(ctx)? {
        rows.extend(database_files(ctx, database).map(|file| Sysdevices {
            size: Some(file.size.saturating_mul(PARTS_OF_PAGE)),
            name: file.name,
            low: Some(0),
            high: Some(0),
            status: Some(IS_DISK),
            cntrltype: Some(0),
            phyname: Some(file.physical_name),
        }));
    }
    Ok(rows)
}

row! {
    /// A row of `syscharsets`.
    struct Syscharsets {
        r#type: i16,
        id: u8,
        csid: u8,
        status: Option<i16>,
        name: Sysname,
        description: Option<NVarChar<255>>,
        binarydefinition: Option<VarBinary<6000>>,
        definition: Option<VarBinaryMax>,
    }
}

/// `syscharsets`: those of the server itself; all others are collations, which `sys.fn_helpcollations()` lists.
pub static SYSCHARSETS: ViewDef = view(
    "sys",
    "syscharsets",
    &ViewRows(|_, _| {
        let rows = [
            (1001, 1, 0, "iso_1", "Code page 1252 (Latin 1, ANSI)"),
            (2001, 52, 1, "nocase_iso", "Order of dictionaries over code page 1252; case does not count"),
        ];
        let row = |(kind, id, csid, name, description): (i16, u8, u8, &str, &str)| Syscharsets {
            r#type: kind,
            id,
            csid,
            status: Some(0),
            name: text(name),
            description: Some(text(description)),
            binarydefinition: None,
            definition: None,
        };
        Ok(rows.into_iter().map(row).collect())
    }),
);
