//! What a database needs before it is copied, and where the copy's files go.
//!
//! What always holds: the copy begins as after a crash, and yet loses no number that its source has reserved.

use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use millpond_message::error::SqlResult;
use millpond_storage::contract::{DbId, FileId, SessionId};
use millpond_storage::database::options::DatabaseFlag;
use millpond_storage::database::plan::default_file;
use millpond_storage::file::file_header::FileKind;
use millpond_txn::cleaner;

use crate::draw;
use crate::engine::Engine;
use crate::stay;

/// Names of files that no other engine of the process has.
static FILES: AtomicU64 = AtomicU64::new(0);

/// Gives back what the source has reserved; the names of its data files, and where those of the copy lie: where new databases' do.
///
/// # Errors
/// The source's definitions cannot be read, or its numbers not be given back.
pub fn begin(engine: &Engine, source: DbId, name: &str) -> SqlResult<Vec<(String, PathBuf)>> {
    let known = engine.databases();
    let is_written =
        engine.instance().database(source).is_some_and(|source| !source.options().is_on(DatabaseFlag::ReadOnly));
    if is_written {
        known.dictionary(source).and_then(|dictionary| draw::release_in(known, &dictionary))?;
    }
    let folder = engine.instance().databases().folders().data.clone().unwrap_or_default();
    let path = |file: u16| {
        let own = if file == 1 { name.to_owned() } else { format!("{name}_{file}") };
        folder.join(default_file(&own, FileId(file), FileKind::Data))
    };
    Ok(data_files(engine, source, &path))
}

/// Does the work of a split between two commits of several databases; whether nothing was under way in the source before it and after.
pub fn at_split(engine: &Engine, own: SessionId, source: DbId, work: &mut dyn FnMut()) -> bool {
    let mut is_quiet = false;
    engine.txns().between_agreements(&mut || {
        let rest = cleaner::at_rest(engine.txns());
        let is_before = rest.is_some() && stay::is_quiet(engine, own, source);
        work();
        is_quiet = is_before && stay::is_quiet(engine, own, source);
    });
    is_quiet
}

/// The names of a database's data files, and where those of an internal snapshot lie, which has a name that no other one has.
pub fn transient_files(engine: &Engine, source: DbId, name: &str) -> Vec<(String, PathBuf)> {
    let folder = engine.instance().data_dir().map_or_else(std::env::temp_dir, PathBuf::from);
    let (process, number) = (std::process::id(), FILES.fetch_add(1, Relaxed));
    data_files(engine, source, &|file| folder.join(format!("{name}_{file}_{process}_{number}.ss")))
}

fn data_files(engine: &Engine, source: DbId, path: &dyn Fn(u16) -> PathBuf) -> Vec<(String, PathBuf)> {
    let data = engine.instance().files(source).into_iter().filter(|file| file.kind != FileKind::Log);
    data.map(|file| (file.name, path(file.file.0))).collect()
}
