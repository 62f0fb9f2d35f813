//! BULK INSERT: rows of a text file on the server's machine.
//!
//! ```text
//!   file ──fields──▶ texts ──convert──▶ values ──▶ the path of INSERT BULK (exec::bulk), batch by batch
//! ```
//!
//! What always holds: the file is read as it is needed, one row at a time. Each batch is all there or not at all, and is a
//! transaction of its own when none is open; without BATCHSIZE the file is one batch. Only members of sysadmin may load, for
//! the file is read with the server's own rights; a relative path begins at the data directory. A row with a field that
//! does not convert is reported and skipped, until there are more of them than MAXERRORS. CHECK and FOREIGN KEY are passed
//! over unless CHECK_CONSTRAINTS is said, and then are not trusted any more.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use millpond_bind::{BoundInsert, InsertColumn};
use millpond_catalog::run::Run;
use millpond_code::code::InsertCode;
use millpond_code::code_key::CodeKey;
use millpond_direct::runner::Runner;
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::bulk::{self as messages, FieldPlace};
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::Sink;
use millpond_rows::bulk_file::convert;
use millpond_rows::bulk_file::convert::Mismatch;
use millpond_rows::bulk_file::fields::{Encoding, FieldError, FieldReader};
use millpond_rows::bulk_file::options::Options;
use millpond_rows::changes::Event;
use millpond_rows::incoming::Incoming;
use millpond_tsql::ast::{BulkInsert, Statement};
use millpond_types::{CastRules, SqlType, Value};

use crate::exec::batch::account::statistics;
use crate::exec::batch::{BatchRun, COMMAND_BULK_INSERT, to_message, transaction};
use crate::exec::ddl::alter_table;
use crate::exec::dml::bulk;
use crate::exec::dml::bulk::put_defaults;
use crate::exec::routine::trigger::fire;
use crate::exec::routine::trigger::fire::Change;

/// Rows between two looks for a cancellation.
const CANCEL_ROWS: u64 = 1024;
/// What a file of UTF-16 begins with.
const WIDE_MARK: &[u8] = &[0xFF, 0xFE];
/// What a file of UTF-8 may begin with.
const UTF8_MARK: &[u8] = &[0xEF, 0xBB, 0xBF];

pub(in crate::exec) fn bulk_insert(run: &mut BatchRun<'_>, statement: &Statement, bulk: &BulkInsert) -> SqlResult<()> {
    let options = Options::of(bulk)?;
    if !run.ctx.principals().is_sysadmin() {
        return Err(messages::bulk_not_permitted());
    }
    let Options { keeps_identity, table_lock, fires_triggers, looks_after, .. } = options;
    let bind = |run: &mut BatchRun<'_>| {
        run.bound(statement, CodeKey::of(statement), |binder, ctx| {
            let bound = binder.bulk_insert(&bulk.table, keeps_identity, table_lock, fires_triggers, looks_after);
            let bound = bound.map_err(|error| error.at(bulk.span.line))?;
            let runner = Runner::new(bound.source.clone(), ctx);
            Ok(Arc::new(InsertCode { bound, runner }))
        })
    };
    let mut insert = bind(run)?;
    if !looks_after && alter_table::distrust(run, &insert.bound.into.def, &bulk.table)? {
        insert = bind(run)?;
    }
    let (file, encoded_wide) = open_bulk_file(run, &bulk.file, &options)?;
    let format = options.format(encoded_wide);
    let mut rows = FileRows {
        name: &bulk.file,
        bound: &insert.bound,
        options: &options,
        encoding: format.encoding,
        limits_bytes: insert.bound.into.def.columns.iter().map(convert::limit_bytes).collect(),
        reader: FieldReader::new(file, format),
        row: 0,
        errors: 0,
        left_in_batch: 0,
        line: statement.span.line,
        procedure: run.frame.procedure.clone(),
        rules: run.ctx.cast_rules(),
    };
    run.ctx_mut().begin_statement();
    transaction::implicit_begin(run);
    let watch = statistics::watch(run);
    let stored = match load_file(run, &mut rows) {
        Ok(Some(stored)) => stored,
        Ok(None) => return Ok(()),
        Err(error) if messages::is_of_bulk_rows(&error) => {
            run.complain(error.at(statement.span.line))?;
            run.complain(messages::bulk_provider_failed().at(statement.span.line))?;
            return Err(messages::bulk_row_not_fetched());
        }
        Err(error) => return Err(error),
    };
    statistics::send_statistics(run, watch);
    run.done_rows(stored, COMMAND_BULK_INSERT);
    Ok(())
}

/// Loads batch by batch. `None`: a trigger has ended the batch of statements.
fn load_file(run: &mut BatchRun<'_>, rows: &mut FileRows<'_>) -> SqlResult<Option<u64>> {
    let bound = rows.bound;
    let events: &[Event] = if rows.options.fires_triggers { &[Event::Insert] } else { &[] };
    rows.pass_over(&run.ctx)?;
    let mut stored = 0;
    loop {
        rows.left_in_batch = rows.options.batch_rows;
        let instead = bound.into.instead.is_some();
        let change = Change { def: &bound.into.def, events, columns: &[], output: &[], instead };
        let Some(count) = fire::with_triggers(run, &change, |run| bulk::store_incoming(run, bound, rows))? else {
            return Ok(None);
        };
        stored += count;
        if rows.left_in_batch > 0 || rows.is_over()? {
            return Ok(Some(stored));
        }
    }
}

/// The file after the mark of its encoding, and whether it is UTF-16.
fn open_bulk_file(run: &mut BatchRun<'_>, name: &str, options: &Options) -> SqlResult<(File, bool)> {
    let not_opened = |cause: io::Error| match cause.kind() {
        ErrorKind::NotFound => messages::no_bulk_file(name),
        _ => messages::bulk_file_not_opened(name, &cause),
    };
    let mut file = open(Path::new(name), run.ctx.engine.instance().data_dir()).map_err(not_opened)?;
    let mut head = Vec::new();
    (&mut file).take(3).read_to_end(&mut head).map_err(|cause| messages::bulk_file_not_read(name, &cause))?;
    let is_wide = head.starts_with(WIDE_MARK) || head.is_empty() && options.is_wide;
    if is_wide != options.is_wide {
        if is_wide {
            run.inform(4830, &[]);
        } else {
            run.inform(4831, &[]);
        }
    }
    let mark = match options.format(is_wide).encoding {
        Encoding::Utf16 => WIDE_MARK.len().min(head.len()),
        Encoding::Utf8 if head == UTF8_MARK => UTF8_MARK.len(),
        _ => 0,
    };
    let placed = file.seek(SeekFrom::Start(mark as u64));
    placed.map_err(|cause| messages::bulk_file_not_read(name, &cause))?;
    Ok((file, is_wide))
}

/// Opens a regular file: another kind may never end, or never begin.
fn open(path: &Path, data_dir: Option<&Path>) -> io::Result<File> {
    let path = match data_dir {
        _ if path.is_absolute() => path.to_path_buf(),
        Some(data_dir) => data_dir.join(path),
        None => return Err(io::Error::other("a relative path needs a data directory")),
    };
    if !std::fs::metadata(&path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    File::open(path)
}

/// The rows of a file on their way into a table.
struct FileRows<'a> {
    name: &'a str,
    bound: &'a BoundInsert,
    options: &'a Options,
    encoding: Encoding,
    /// Of a field, by column.
    limits_bytes: Vec<usize>,
    reader: FieldReader<File>,
    /// The number of the row that is read, from 1.
    row: u64,
    /// Rows that were passed over because of a field.
    errors: u64,
    left_in_batch: u64,
    /// Where the statement is, for the messages about rows.
    line: u32,
    procedure: Option<Arc<str>>,
    /// Of the session that loads.
    rules: CastRules,
}

impl FileRows<'_> {
    /// Passes over the rows before FIRSTROW.
    fn pass_over(&mut self, ctx: &RunContext) -> SqlResult<()> {
        while self.row + 1 < self.options.first_row && !self.is_over()? {
            self.begin_row(ctx)?;
            let skipped = self.reader.skip_row(self.limits_bytes.len());
            skipped.map_err(|error| self.field_error(error, 0))?;
        }
        Ok(())
    }

    fn is_over(&mut self) -> SqlResult<bool> {
        if self.row >= self.options.last_row {
            return Ok(true);
        }
        let is_at_end = self.reader.is_at_end();
        is_at_end.map_err(|error| self.field_error(error, 0))
    }

    fn begin_row(&mut self, ctx: &RunContext) -> SqlResult<()> {
        self.row += 1;
        match self.row.is_multiple_of(CANCEL_ROWS) && ctx.task.is_cancelled() {
            true => Err(message::cancelled()),
            false => Ok(()),
        }
    }

    fn place(&self, column: usize) -> FieldPlace<'_> {
        FieldPlace { row: self.row, column: column + 1, name: &self.bound.into.def.columns[column].name }
    }

    fn field_error(&self, error: FieldError, column: usize) -> SqlError {
        match error {
            FieldError::Read(cause) => messages::bulk_file_not_read(self.name, &cause),
            FieldError::UnexpectedEnd => messages::bulk_file_ends(),
            FieldError::TooLong => messages::bulk_column_too_long(self.place(column)),
            FieldError::Malformed => messages::bulk_malformed(self.name, self.place(column)),
        }
    }

    /// Reads the fields of a row, NULL for empty ones and for those whose columns make their values. Says which field does
    /// not convert; the rest of such a row is read and not looked at.
    fn read_fields(&mut self, row: &mut Vec<Value>) -> SqlResult<Result<(), (usize, Mismatch)>> {
        let into = &self.bound.into;
        let last = self.limits_bytes.len() - 1;
        let mut mismatch = Ok(());
        row.clear();
        for (column, &limit_bytes) in self.limits_bytes.iter().enumerate() {
            let field = match self.reader.field(column == last, limit_bytes) {
                Ok(field) => field,
                Err(error) => return Err(self.field_error(error, column)),
            };
            let is_given = matches!(into.columns[column], InsertColumn::Source(_));
            if !is_given || mismatch.is_err() || field.bytes.is_empty() && !field.is_quoted {
                row.push(Value::Null);
                continue;
            }
            match convert::value_of(field, self.encoding, &into.def.columns[column].ty.sql, self.rules) {
                Ok(value) => row.push(value),
                Err(why) => mismatch = Err((column, why)),
            }
        }
        Ok(mismatch)
    }

    /// Reports a row that is skipped; the error that ends the load when there are too many.
    fn pass(&mut self, column: usize, why: Mismatch, sink: &mut dyn Sink) -> SqlResult<()> {
        let error = match why {
            Mismatch::Truncation => messages::bulk_truncation(self.place(column)),
            Mismatch::Type => messages::bulk_mismatch(self.place(column)),
            Mismatch::Overflow => messages::bulk_overflow(self.place(column)),
        };
        sink.message(&to_message(&error.inside(self.procedure.as_ref()), self.line));
        self.errors += 1;
        match self.errors > self.options.errors_max {
            true => Err(messages::bulk_errors_exceeded(self.options.errors_max)),
            false => Ok(()),
        }
    }

    /// A row has a value wherever its table wants one.
    fn check_nulls(&self, row: &[Value]) -> SqlResult<()> {
        let into = &self.bound.into;
        let is_missing = |(column, value): (usize, &Value)| {
            let is_given = matches!(into.columns[column], InsertColumn::Source(_));
            is_given && value.is_null() && !into.def.columns[column].ty.nullable
        };
        match row.iter().enumerate().position(is_missing) {
            Some(column) => Err(messages::bulk_null(self.place(column))),
            None => Ok(()),
        }
    }
}

impl Incoming for FileRows<'_> {
    fn types(&mut self, _: &RunContext) -> SqlResult<Vec<SqlType>> {
        Ok(self.bound.into.def.columns.iter().map(|column| column.ty.sql).collect())
    }

    fn next_row(&mut self, ctx: &RunContext, sink: &mut dyn Sink, row: &mut Vec<Value>) -> SqlResult<bool> {
        while self.left_in_batch > 0 && !self.is_over()? {
            self.begin_row(ctx)?;
            if let Err((column, why)) = self.read_fields(row)? {
                self.pass(column, why, sink)?;
                continue;
            }
            if !self.options.keeps_nulls {
                put_defaults(ctx, self.bound, row)?;
            }
            self.check_nulls(row)?;
            self.left_in_batch -= 1;
            return Ok(true);
        }
        Ok(false)
    }
}
