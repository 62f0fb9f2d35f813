//! Views of the server under their names of SQL Server 2000: `sysconfigures`, `syscurconfigs`, `sysmessages`, `sysaltfiles`; of a
//! database's filegroups and index keys: `sysfilegroups`, `sysindexkeys`. They are found as those of `compatibility`.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_message::error::SqlResult;
use millpond_message::table::rows as messages_of_server;
use millpond_storage::contract::DbId;

use crate::catalog::files::{database_files, sees_files_of};
use crate::catalog::servers::SYSSERVERS;
use crate::columns::{NVarChar, Sysname, int, small, text};
use crate::compatibility::keys::old_status;
use crate::dynamic::counters::SYSPERFINFO;
use crate::dynamic::processes::SYSPROCESSES;
use crate::row::{Rows, ViewRows, row, view};

/// All of the server, those of other files too.
pub(crate) static ALL: &[&ViewDef] = &[
    &SYSCONFIGURES,
    &SYSCURCONFIGS,
    &SYSMESSAGES,
    &SYSALTFILES,
    &SYSFILEGROUPS,
    &SYSINDEXKEYS,
    &SYSPERFINFO,
    &SYSPROCESSES,
    &SYSSERVERS,
];

row! {
    /// A row of `sysconfigures` and `syscurconfigs`.
    struct Sysconfigures {
        value: Option<i32>,
        config: i32,
        comment: NVarChar<255>,
        status: Option<i16>,
    }
}

/// `sysconfigures`: values as they are configured.
pub static SYSCONFIGURES: ViewDef =
    view("sys", "sysconfigures", &ViewRows(|ctx, _| Ok(options(ctx, |(configured, _)| configured))));

/// `syscurconfigs`: values as they are in use.
pub static SYSCURCONFIGS: ViewDef =
    view("sys", "syscurconfigs", &ViewRows(|ctx, _| Ok(options(ctx, |(_, running)| running))));

/// Bits of `status`: it takes effect without a restart, it is an advanced one.
const IS_DYNAMIC: i16 = 1;
const IS_ADVANCED: i16 = 2;

fn options(ctx: &RunContext, value: fn((i64, i64)) -> i64) -> Rows<Sysconfigures> {
    let options = ctx.engine.instance().settings().options().into_iter();
    let row = options.map(|option| Sysconfigures {
        value: Some(int(value((option.configured, option.running)))),
        config: option.info.configuration_id,
        comment: text(option.info.description),
        status: Some(
            if option.info.is_dynamic { IS_DYNAMIC } else { 0 } | if option.info.is_advanced { IS_ADVANCED } else { 0 },
        ),
    });
    row.collect()
}

row! {
    /// A row of `sysmessages`.
    struct Sysmessages {
        error: i32,
        severity: Option<u8>,
        dlevel: Option<i16>,
        description: Option<NVarChar<255>>,
        msglangid: i16,
    }
}

/// `sysmessages`: the first 255 characters of those of `sys.messages`.
pub static SYSMESSAGES: ViewDef = view("sys", "sysmessages", &ViewRows(messages));

/// Bit of `dlevel`: the message goes to the log.
const IS_LOGGED: i16 = 128;

fn messages(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<Sysmessages>> {
    let master = ctx.engine.databases().dictionary(DbId::MASTER)?.catalog().objects();
    let row = |error: i32, language: i16, severity: u8, is_logged: bool, whole: &str| Sysmessages {
        error,
        severity: Some(severity),
        dlevel: Some(if is_logged { IS_LOGGED } else { 0 }),
        description: Some(text(&whole.chars().take(255).collect::<String>())),
        msglangid: language,
    };
    let english = millpond_catalog::user_message::ENGLISH;
    let own = messages_of_server().map(|known| row(known.number, english, known.severity, known.is_logged, known.text));
    let users = master.user_messages.iter().map(|((number, language), message)| {
        row(*number, *language, message.severity, message.is_logged, &message.text)
    });
    Ok(own.chain(users).collect())
}

row! {
    /// A row of `sysaltfiles`.
    struct Sysaltfiles {
        fileid: Option<i16>,
        groupid: Option<i16>,
        size: i32,
        maxsize: i32,
        growth: i32,
        status: Option<i32>,
        perf: Option<i32>,
        dbid: Option<i16>,
        name: Sysname,
        filename: Option<NVarChar<260>>,
    }
}

/// `sysaltfiles`: the files of all databases that the session may define or owns.
pub static SYSALTFILES: ViewDef = view("sys", "sysaltfiles", &ViewRows(alt_files));

fn alt_files(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<Sysaltfiles>> {
    let mut rows = Rows::new();
    for database in sees_files_of(ctx)? {
        rows.extend(database_files(ctx, database).map(|file| Sysaltfiles {
            fileid: Some(small(file.file_id)),
            groupid: Some(small(file.data_space_id)),
            size: file.size,
            maxsize: file.max_size,
            growth: file.growth,
            status: Some(old_status(&file)),
            perf: Some(0),
            dbid: Some(small(database.0)),
            name: file.name,
            filename: Some(file.physical_name),
        }));
    }
    Ok(rows)
}

row! {
    /// A row of `sysfilegroups`.
    struct Sysfilegroups {
        groupid: Option<i16>,
        allocpolicy: Option<i16>,
        status: Option<i32>,
        groupname: Sysname,
    }
}

/// `sysfilegroups`
pub static SYSFILEGROUPS: ViewDef = view("sys", "sysfilegroups", &ViewRows(filegroups));

/// Bits of `status`.
const IS_READ_ONLY: i32 = 8;
const IS_DEFAULT: i32 = 16;

fn filegroups(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Sysfilegroups>> {
    let objects = inventory::definitions(ctx, database)?;
    let spaces = objects.data_spaces();
    let rows = spaces.filegroups.iter().map(|group| {
        let bits = [(group.is_read_only, IS_READ_ONLY), (group.id == spaces.default_group, IS_DEFAULT)];
        Sysfilegroups {
            groupid: Some(small(group.id)),
            allocpolicy: Some(0),
            status: Some(bits.into_iter().filter_map(|(holds, bit)| holds.then_some(bit)).sum()),
            groupname: text(&group.name),
        }
    });
    Ok(rows.collect())
}

row! {
    /// A row of `sysindexkeys`.
    struct Sysindexkeys {
        id: i32,
        indid: Option<i16>,
        colid: Option<i16>,
        keyno: Option<i16>,
    }
}

/// `sysindexkeys`: included columns have the key number 0.
pub static SYSINDEXKEYS: ViewDef = view("sys", "sysindexkeys", &ViewRows(index_keys));

fn index_keys(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Sysindexkeys>> {
    let mut rows = Rows::new();
    for table in inventory::indexed(ctx, database)? {
        for index in table.indexes() {
            let keys = index.key.iter().zip(1_i16..).map(|(key, number)| (key.column, number));
            let all = keys.chain(index.included.iter().map(|column| (*column, 0)));
            rows.extend(all.map(|(column, number)| Sysindexkeys {
                id: table.id,
                indid: Some(index.id.cast_signed()),
                colid: Some(small(table.def.columns[column].id)),
                keyno: Some(number),
            }));
        }
    }
    Ok(rows)
}
