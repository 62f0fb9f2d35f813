//! What the checks of DBCC say: messages, or, WITH TABLERESULTS, the rows of one result.

use std::fmt::Display;

use millpond_access::tree::{TreeIds, TreeProblem};
use millpond_catalog::TableDef;
use millpond_engine::system_call::closed;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{Column, Done, DoneKind};
use millpond_storage::contract::{DbId, PageId};
use millpond_types::{MaxLen, SqlType, Value};

use crate::exec::batch::{BatchRun, COMMAND_SELECT, to_message};

/// How a check reports.
pub(in crate::exec) struct Report {
    /// NO_INFOMSGS was not said.
    informs: bool,
    /// TABLERESULTS was said.
    as_rows: bool,
    /// The statement's line.
    line: u32,
    /// Rows sent so far.
    rows: u64,
}

/// What a line is about.
#[derive(Clone, Copy)]
pub(in crate::exec) struct About {
    database: DbId,
    object: i32,
    index: i32,
    partition: i64,
    page: Option<PageId>,
    slot: u16,
}

impl About {
    /// A database as a whole.
    pub(in crate::exec) fn database(database: DbId) -> About {
        About { database, object: 0, index: 0, partition: 0, page: None, slot: 0 }
    }

    /// A table.
    pub(in crate::exec) fn table(def: &TableDef) -> About {
        About { object: def.id.0, ..About::database(def.database) }
    }

    /// An index of a table.
    pub(in crate::exec) fn index(database: DbId, ids: TreeIds) -> About {
        let (object, index) = (ids.object_id.cast_signed(), ids.index_id.into());
        About { object, index, partition: ids.hobt.cast_signed(), ..About::database(database) }
    }

    /// The page of a problem of that index.
    pub(in crate::exec) fn at(self, problem: &TreeProblem) -> About {
        let (page, slot) = problem.place();
        About { page: Some(page), slot, ..self }
    }
}

impl Report {
    pub(in crate::exec) fn new(line: u32, options: &[String]) -> Report {
        let has = |word: &str| options.iter().any(|option| option == word);
        Report { informs: !has("NO_INFOMSGS"), as_rows: has("TABLERESULTS"), line, rows: 0 }
    }

    pub(in crate::exec) fn informs(&self) -> bool {
        self.informs
    }

    /// Information, unless it was not to come.
    ///
    /// # Errors
    /// The cancellation, when the receiver is gone.
    pub(in crate::exec) fn inform(
        &mut self,
        run: &mut BatchRun<'_>,
        about: About,
        number: i32,
        args: &[&dyn Display],
    ) -> SqlResult<()> {
        if self.informs { self.say(run, about, number, args) } else { Ok(()) }
    }

    /// Information that comes in any case.
    ///
    /// # Errors
    /// The cancellation, when the receiver is gone.
    pub(in crate::exec) fn say(
        &mut self,
        run: &mut BatchRun<'_>,
        about: About,
        number: i32,
        args: &[&dyn Display],
    ) -> SqlResult<()> {
        if self.as_rows {
            return self.row(run, about, &SqlError::of(number, 1, args));
        }
        run.inform(number, args);
        Ok(())
    }

    /// An error that is reported and does not end the check.
    ///
    /// # Errors
    /// The cancellation, when the receiver is gone.
    pub(in crate::exec) fn complain(
        &mut self,
        run: &mut BatchRun<'_>,
        about: About,
        number: i32,
        args: &[&dyn Display],
    ) -> SqlResult<()> {
        let error = SqlError::of(number, 1, args);
        if self.as_rows {
            return self.row(run, about, &error);
        }
        run.sink.message(&to_message(&error, self.line));
        run.ctx_mut().facts.error = number;
        Ok(())
    }

    /// Ends the result, where there is one.
    pub(in crate::exec) fn end(&self, run: &mut BatchRun<'_>) {
        if self.rows > 0 {
            let row_count = (!run.ctx.facts.settings.nocount).then_some(self.rows);
            run.sink.done(Done { kind: DoneKind::InProcedure, row_count, error: false, command: COMMAND_SELECT });
        }
    }

    fn row(&mut self, run: &mut BatchRun<'_>, about: About, error: &SqlError) -> SqlResult<()> {
        if self.rows == 0 {
            run.sink.columns(&columns()).map_err(closed)?;
        }
        self.rows += 1;
        let small = |number: u16| Value::SmallInt(number.cast_signed());
        let (file, page) = about.page.map_or((0, 0), |page| (page.file.0, page.page.0));
        let of_page = small(if about.page.is_some() { about.database.0 } else { 0 });
        let row = [
            Value::Int(error.number),
            Value::Int(error.severity.into()),
            Value::Int(error.state.into()),
            Value::str(&error.text),
            Value::Null,
            Value::Int(0),
            Value::Int(about.database.0.into()),
            Value::Int(1),
            Value::Int(about.object),
            Value::Int(about.index),
            // An index is one partition of one allocation unit.
            Value::BigInt(about.partition),
            Value::BigInt(about.partition),
            of_page.clone(),
            small(0),
            small(file),
            Value::Int(page.cast_signed()),
            Value::Int(about.slot.into()),
            of_page,
            small(0),
            small(0),
            Value::Int(0),
            Value::Int(0),
            small(1),
        ];
        run.sink.row(&row).map_err(closed)
    }
}

fn columns() -> [Column; 23] {
    use SqlType::{BigInt, Int, SmallInt};
    let text = |units: u16| SqlType::NVarChar { len: MaxLen::Limited(units) };
    [
        ("Error", Int),
        ("Level", Int),
        ("State", Int),
        ("MessageText", text(2048)),
        ("RepairLevel", text(22)),
        ("Status", Int),
        ("DbId", Int),
        ("DbFragId", Int),
        ("ObjectId", Int),
        ("IndexId", Int),
        ("PartitionId", BigInt),
        ("AllocUnitId", BigInt),
        ("RidDbId", SmallInt),
        ("RidPruId", SmallInt),
        ("File", SmallInt),
        ("Page", Int),
        ("Slot", Int),
        ("RefDbId", SmallInt),
        ("RefPruId", SmallInt),
        ("RefFile", SmallInt),
        ("RefPage", Int),
        ("RefSlot", Int),
        ("Allocation", SmallInt),
    ]
    .map(|(name, sql)| Column::new(name, sql))
}
