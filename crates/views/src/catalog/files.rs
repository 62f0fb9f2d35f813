//! `sys.master_files` and `sys.database_files`. Recovery LSNs are NULL: nothing is restored yet.

use std::sync::Arc;

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::security::{may_on_server, owns_database};
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_storage::file::file_header::FileKind;
use millpond_storage::file::growth::Growth;
use millpond_storage::instance::file_report::FileReport;
use millpond_types::DateTime;

use crate::columns::{Guid, LsnNumber, NVarChar, Sysname, int, text};
use crate::row::{Rows, ViewRows, row, view};

/// Pages of 2 TB: the limit that a log file has when none is set.
const LOG_PAGES_MAX: i32 = 268_435_456;

row! {
    /// A row of `sys.database_files`.
    #[derive(Default)]
    pub(crate) struct DatabaseFiles {
        file_id: i32,
        file_guid: Option<Guid>,
        r#type: u8,
        type_desc: Option<NVarChar<60>>,
        data_space_id: i32,
        name: Sysname,
        physical_name: NVarChar<260>,
        state: Option<u8>,
        state_desc: Option<NVarChar<60>>,
        size: i32,
        max_size: i32,
        growth: i32,
        is_media_read_only: bool,
        is_read_only: bool,
        is_sparse: bool,
        is_percent_growth: bool,
        is_name_reserved: bool,
        create_lsn: Option<LsnNumber>,
        drop_lsn: Option<LsnNumber>,
        read_only_lsn: Option<LsnNumber>,
        read_write_lsn: Option<LsnNumber>,
        differential_base_lsn: Option<LsnNumber>,
        differential_base_guid: Option<Guid>,
        differential_base_time: Option<DateTime>,
        redo_start_lsn: Option<LsnNumber>,
        redo_start_fork_guid: Option<Guid>,
        redo_target_lsn: Option<LsnNumber>,
        redo_target_fork_guid: Option<Guid>,
        backup_lsn: Option<LsnNumber>,
    }
}

row! {
    /// A row of `sys.master_files`.
    struct MasterFiles {
        database_id: i32,
        file: DatabaseFiles,
        credential_id: Option<i32>,
    }
}

/// `sys.database_files`
pub static DATABASE_FILES: ViewDef = view("sys", "database_files", &ViewRows(database_rows));

/// `sys.master_files`, of databases that the session may define or owns; a file of tempdb that moves at the next start shows its new place and its configured size.
pub static MASTER_FILES: ViewDef = view("sys", "master_files", &ViewRows(master_rows));

/// The files of a database.
pub(crate) fn database_files(ctx: &RunContext, database: DbId) -> impl Iterator<Item = DatabaseFiles> {
    let files = shown_files(ctx, database).into_iter();
    let dictionary = ctx.engine.databases().dictionary(database).ok();
    let spaces = dictionary.map(|dictionary| Arc::clone(dictionary.catalog().objects().data_spaces()));
    files.map(move |file| {
        let group = spaces.as_ref().and_then(|spaces| spaces.files.get(&file.file.0).copied());
        let row = file_row(&file, &file.physical_name, file.size_pages);
        DatabaseFiles { data_space_id: group.unwrap_or(row.data_space_id), ..row }
    })
}

/// Without the log of a database snapshot, which is the server's own: it has what recovery needs of the source's.
fn shown_files(ctx: &RunContext, database: DbId) -> Vec<FileReport> {
    let mut files = ctx.engine.instance().files(database);
    if files.iter().any(|file| file.is_sparse) {
        files.retain(|file| file.is_sparse);
    }
    files
}

fn database_rows(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<DatabaseFiles>> {
    Ok(database_files(ctx, database.database).collect())
}

/// The databases whose files the session sees from elsewhere: those that it may define or owns.
pub(crate) fn sees_files_of(ctx: &RunContext) -> SqlResult<Vec<DbId>> {
    let mut sees_all = false;
    for permission in ["VIEW ANY DEFINITION", "ALTER ANY DATABASE", "CREATE ANY DATABASE"] {
        sees_all |= may_on_server(ctx, permission)?;
    }
    let databases = ctx.engine.instance().database_reports().into_iter().map(|database| database.id);
    Ok(databases.filter(|id| sees_all || owns_database(ctx, *id)).collect())
}

fn master_rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<MasterFiles>> {
    let files = sees_files_of(ctx)?.into_iter().flat_map(|id| shown_files(ctx, id));
    let rows = files.map(|file| {
        // What a start makes of tempdb; of others what they are.
        let pages = if file.db == DbId::TEMPDB { file.configured_pages } else { file.size_pages };
        let shown = file_row(&file, &file.next_physical_name, pages);
        MasterFiles { database_id: int(file.db.0), file: shown, credential_id: None }
    });
    Ok(rows.collect())
}

fn file_row(file: &FileReport, place: &str, size_pages: u32) -> DatabaseFiles {
    let is_log = file.kind == FileKind::Log;
    let (growth, is_percent) = match file.growth {
        Growth::Pages(pages) => (pages, false),
        Growth::Percent(percent) => (percent, true),
    };
    let max_size = match file.max_pages {
        _ if growth == 0 => 0,
        Some(pages) => int(pages),
        None if is_log => LOG_PAGES_MAX,
        None => -1,
    };
    DatabaseFiles {
        file_id: int(file.file.0),
        file_guid: Some(Guid(file.guid)),
        r#type: u8::from(is_log),
        type_desc: Some(text(if is_log { "LOG" } else { "ROWS" })),
        data_space_id: i32::from(!is_log),
        name: text(&file.name),
        physical_name: text(place),
        state: Some(0),
        state_desc: Some(text("ONLINE")),
        size: int(size_pages),
        max_size,
        growth: int(growth),
        is_media_read_only: false,
        is_read_only: false,
        is_sparse: file.is_sparse,
        is_percent_growth: is_percent,
        is_name_reserved: false,
        ..DatabaseFiles::default()
    }
}
