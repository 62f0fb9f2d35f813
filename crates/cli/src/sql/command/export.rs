//! A result into a file.
//!
//! What always holds: the file is there when all of it is there: it is written beside its place and renamed, and an error leaves what
//! was there before. The first result of a statement is written; one without a result is an error.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use millpond_message::INFORMATION_MAX;
use millpond_message::sink::{Column, Message, SinkClosed};
use millpond_types::Value;

use super::super::interrupt::Interrupts;
use super::super::screen::Kept;
use super::super::target::{Listener, Target};
use super::formats::{FileFormat, FormatWriter};

/// Writes a result that is kept; how many rows.
///
/// # Errors
/// What is wrong with the name or the file.
pub fn kept(path: &Path, kept: &Kept) -> Result<u64, String> {
    let mut export = Export::begin(path)?;
    export.columns(&kept.columns).and_then(|()| kept.rows.iter().try_for_each(|row| export.row(row))).ok();
    export.end()
}

/// Writes what a statement gives; how many rows.
///
/// # Errors
/// What is wrong with the name, the file or the statement; or that it was cancelled, as `interrupts` knows.
pub fn statement(
    path: &Path,
    target: &mut dyn Target,
    statement: &str,
    interrupts: &Interrupts,
) -> Result<u64, String> {
    let mut export = Export::begin(path)?;
    interrupts.begin();
    let ran = target.run(statement, &mut export);
    let is_cancelled = interrupts.end();
    ran.map_err(|error| error.to_string())?;
    if is_cancelled { Err("the statement was cancelled: nothing is written".to_owned()) } else { export.end() }
}

struct Export {
    format: FileFormat,
    path: PathBuf,
    beside: PathBuf,
    out: Option<BufWriter<File>>,
    writer: Option<FormatWriter<BufWriter<File>>>,
    result_count: usize,
    failure: Option<String>,
}

impl Export {
    fn begin(path: &Path) -> Result<Export, String> {
        let format = FileFormat::of(&path.display().to_string())?;
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}", std::process::id()));
        let beside = path.with_file_name(name);
        let out = File::create_new(&beside).map_err(|error| format!("cannot write '{}': {error}", path.display()))?;
        Ok(Export {
            format,
            path: path.to_owned(),
            beside,
            out: Some(BufWriter::new(out)),
            writer: None,
            result_count: 0,
            failure: None,
        })
    }

    fn end(mut self) -> Result<u64, String> {
        let failed = |error: io::Error| format!("cannot write '{}': {error}", self.path.display());
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let writer = self.writer.take().ok_or("there is no result to be written")?;
        let (row_count, _) = writer.end().map_err(failed)?;
        std::fs::rename(&self.beside, &self.path).map_err(failed)?;
        Ok(row_count)
    }

    fn noted(&mut self, result: io::Result<()>) -> Result<(), SinkClosed> {
        result.map_err(|error| {
            self.failure.get_or_insert(format!("cannot write '{}': {error}", self.path.display()));
            SinkClosed
        })
    }
}

impl Drop for Export {
    fn drop(&mut self) {
        // It has been renamed, unless something failed.
        let _ = std::fs::remove_file(&self.beside);
    }
}

impl Listener for Export {
    fn columns(&mut self, columns: &[Column]) -> Result<(), SinkClosed> {
        self.result_count += 1;
        let Some(out) = self.out.take() else { return Ok(()) };
        let begun = FormatWriter::begin(self.format, out, columns).map(|writer| self.writer = Some(writer));
        self.noted(begun)
    }

    fn row(&mut self, values: &[Value]) -> Result<(), SinkClosed> {
        if self.result_count > 1 {
            return Ok(());
        }
        let written = self.writer.as_mut().map_or(Ok(()), |writer| writer.row(values));
        self.noted(written)
    }

    fn message(&mut self, message: &Message, _: &str) {
        if message.severity > INFORMATION_MAX {
            self.failure.get_or_insert(format!("Msg {}, Level {}: {}", message.number, message.severity, message.text));
        }
    }

    fn done(&mut self, _: Option<u64>) {}
}
