//! What a request has said so far, put together from its events.

use std::future::poll_fn;
use std::sync::Arc;

use millpond_message::sink::Message;
use millpond_types::{SqlType, Value};

use crate::error::{Error, ServerError};
use crate::events::{End, Event, Events};
use crate::row::{Columns, FromSql, Row};
use crate::worker::Worker;

/// An OUTPUT parameter at the end of its request.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its name, with its `@`.
    pub name: String,
    /// Its type.
    pub sql_type: SqlType,
    /// Its value.
    pub value: Value,
}

/// The answer of a request while it is read. Where it is dropped before its end, the request is cancelled.
pub struct Reading {
    worker: Arc<Worker>,
    events: Arc<Events>,
    /// A procedure was called, so its return status is wanted.
    is_call: bool,
    outcome: Outcome,
    /// The result set whose rows come now.
    columns: Option<Arc<Columns>>,
    /// Rows of it that came and were not taken.
    rows: std::vec::IntoIter<Row>,
    /// A result set that has begun and was not asked for.
    begun: Option<Arc<Columns>>,
    has_ended: bool,
}

impl Reading {
    pub fn new(worker: &Arc<Worker>, events: Arc<Events>, is_call: bool) -> Reading {
        Reading {
            worker: Arc::clone(worker),
            events,
            is_call,
            outcome: Outcome::default(),
            columns: None,
            rows: Vec::new().into_iter(),
            begun: None,
            has_ended: false,
        }
    }

    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    async fn step(&mut self) -> Step {
        let events = Arc::clone(&self.events);
        let event = poll_fn(move |context| events.poll_next(context)).await;
        let step = self.outcome.note(event);
        match &step {
            Step::End(_) => self.has_ended = true,
            Step::Set(_) | Step::Done => self.columns = None,
            _ => {}
        }
        step
    }

    /// Goes on to the next result set; rows of the one before are passed over.
    pub async fn next_set(&mut self) -> Result<Option<Arc<Columns>>, Error> {
        self.rows = Vec::new().into_iter();
        let mut begun = self.begun.take();
        while begun.is_none() {
            if self.has_ended {
                return Ok(None);
            }
            match self.step().await {
                Step::Set(columns) => begun = Some(columns),
                Step::Rows(_) | Step::Done | Step::Noted => {}
                Step::Failed(error) => return Err(error.into()),
                Step::End(result) => result?,
            }
        }
        self.columns.clone_from(&begun);
        Ok(begun)
    }

    /// The next row of the result set.
    pub async fn next_row(&mut self) -> Result<Option<Row>, Error> {
        loop {
            if let Some(row) = self.rows.next() {
                return Ok(Some(row));
            }
            match self.next_piece().await? {
                Some(rows) => self.rows = rows.into_iter(),
                None => return Ok(None),
            }
        }
    }

    /// The next rows of the result set, as many as came together and were not taken.
    pub async fn next_rows(&mut self) -> Result<Option<Vec<Row>>, Error> {
        if self.rows.len() > 0 {
            return Ok(Some(std::mem::take(&mut self.rows).collect()));
        }
        self.next_piece().await
    }

    async fn next_piece(&mut self) -> Result<Option<Vec<Row>>, Error> {
        while self.columns.is_some() && !self.has_ended {
            match self.step().await {
                Step::Rows(rows) => return Ok(Some(rows)),
                Step::Set(columns) => self.begun = Some(columns),
                Step::Done | Step::Noted => {}
                Step::Failed(error) => return Err(error.into()),
                Step::End(result) => result?,
            }
        }
        Ok(None)
    }

    /// Reads to the end; the first error, with those that came after it.
    pub async fn finish(&mut self) -> Result<Outcome, Error> {
        let mut failed: Option<Box<ServerError>> = None;
        let mut note = |error: Box<ServerError>| match &mut failed {
            Some(first) => first.also.push(*error),
            None => failed = Some(error),
        };
        while !self.has_ended {
            match self.step().await {
                Step::Failed(error) => note(Box::new(error)),
                Step::End(Err(Error::Server(error))) => note(error),
                Step::End(Err(other)) => return Err(other),
                _ => {}
            }
        }
        match failed {
            Some(error) => Err(Error::Server(error)),
            None => {
                let mut outcome = std::mem::take(&mut self.outcome);
                outcome.return_status.take_if(|_| !self.is_call);
                Ok(outcome)
            }
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        if !self.has_ended {
            self.worker.cancel(&self.events);
        }
    }
}

/// What a request has said beside its rows.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Rows that its statements inserted, updated, deleted or merged, all together; those under SET NOCOUNT ON do not count.
    pub rows_affected: u64,
    /// What PRINT, RAISERROR up to severity 10 and the server's own information said, in order.
    pub messages: Vec<Message>,
    /// The return status of the procedure that was called; of a text `None`.
    pub return_status: Option<i32>,
    /// OUTPUT parameters, in order.
    pub outputs: Vec<Output>,
}

impl Outcome {
    /// The value of an OUTPUT parameter, by its name with its `@`, without regard to case.
    ///
    /// # Errors
    /// [`Error::NoColumn`] where there is none of that name; otherwise as of [`Row::get`].
    pub fn output<T: FromSql>(&self, name: &str) -> Result<T, Error> {
        let found = self.outputs.iter().find(|output| output.name.eq_ignore_ascii_case(name));
        let output = found.ok_or_else(|| Error::NoColumn(format!("'{name}'")))?;
        T::from_sql(&output.value).ok_or_else(|| match output.value {
            Value::Null => Error::Null { column: name.to_owned() },
            _ => Error::Type { column: name.to_owned(), found: output.sql_type, wanted: std::any::type_name::<T>() },
        })
    }
}

/// What an event was.
#[derive(Debug)]
pub enum Step {
    /// A result set begins.
    Set(Arc<Columns>),
    /// Rows of it.
    Rows(Vec<Row>),
    /// A statement ended, and its result set if it had one.
    Done,
    /// Something that is noted.
    Noted,
    /// A statement failed; more may come.
    Failed(ServerError),
    /// The last.
    End(Result<(), Error>),
}

impl Outcome {
    /// Notes an event.
    pub(crate) fn note(&mut self, event: Result<Event, End>) -> Step {
        match event {
            Ok(Event::Columns(columns)) => return Step::Set(columns),
            Ok(Event::Rows(rows)) => return Step::Rows(rows),
            Ok(Event::Error(error)) => return Step::Failed(error),
            Ok(Event::Message(message)) => self.messages.push(message),
            Ok(Event::Done { changed_rows }) => {
                self.rows_affected += changed_rows;
                return Step::Done;
            }
            Ok(Event::Status(status)) => self.return_status = Some(status),
            Ok(Event::Output { name, sql_type, value }) => self.outputs.push(Output { name, sql_type, value }),
            Err(End::Whole) => return Step::End(Ok(())),
            Err(End::Failed(error)) => return Step::End(Err(error)),
        }
        Step::Noted
    }
}
