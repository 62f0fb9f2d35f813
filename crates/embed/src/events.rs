//! What a request says, on its way from the thread that runs it to who reads it.
//!
//! What always holds: no more than [`PIECES_MAX`] pieces wait, so who does not read stops who runs; the end is always taken and
//! comes last; after [`Events::cancel`] nothing waits for a reader any more. It knows no session.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use millpond_message::sink::Message;
use millpond_types::{SqlType, Value};
use parking_lot::{Condvar, Mutex};

use crate::error::{Error, ServerError};
use crate::row::{Columns, Row};

/// Pieces that wait at most; each is an event or some rows.
const PIECES_MAX: usize = 4;

/// A part of an answer.
#[derive(Debug)]
pub enum Event {
    /// A result set begins.
    Columns(Arc<Columns>),
    /// Rows of it.
    Rows(Vec<Row>),
    /// PRINT and its kin.
    Message(Message),
    /// An error of a statement.
    Error(ServerError),
    /// A statement ended, and its result set if it had one; rows that it changed.
    Done { changed_rows: u64 },
    /// The return status of a procedure.
    Status(i32),
    /// An OUTPUT parameter.
    Output { name: String, sql_type: SqlType, value: Value },
}

/// How a request ended.
#[derive(Debug)]
pub enum End {
    /// To its end, whatever its statements said.
    Whole,
    /// It did not.
    Failed(Error),
}

/// The reader wants no more.
#[derive(Clone, Copy, Debug)]
pub struct Unwanted;

#[derive(Debug, Default)]
struct State {
    pieces: VecDeque<Event>,
    end: Option<End>,
    has_ended: bool,
    is_cancelled: bool,
    waker: Option<Waker>,
}

/// The events of one request.
#[derive(Debug, Default)]
pub struct Events {
    state: Mutex<State>,
    has_room: Condvar,
}

impl Events {
    /// Puts an event behind the others; waits for room.
    pub fn push(&self, event: Event) -> Result<(), Unwanted> {
        let mut state = self.state.lock();
        while state.pieces.len() >= PIECES_MAX && !state.is_cancelled {
            self.has_room.wait(&mut state);
        }
        if state.is_cancelled {
            return Err(Unwanted);
        }
        state.pieces.push_back(event);
        wake(state);
        Ok(())
    }

    /// Nothing comes any more; the first end that is said counts.
    pub fn end(&self, end: End) {
        let mut state = self.state.lock();
        if std::mem::replace(&mut state.has_ended, true) {
            return;
        }
        state.end = Some(end);
        wake(state);
    }

    /// Whether the end was said.
    pub fn has_ended(&self) -> bool {
        self.state.lock().has_ended
    }

    /// Whoever runs the request is to stop; what waits already can still be read.
    pub fn cancel(&self) {
        self.state.lock().is_cancelled = true;
        self.has_room.notify_all();
    }

    /// Whether the request is to stop.
    pub fn is_cancelled(&self) -> bool {
        self.state.lock().is_cancelled
    }

    /// The next event, or the end, which comes once.
    pub fn poll_next(&self, context: &mut Context<'_>) -> Poll<Result<Event, End>> {
        let mut state = self.state.lock();
        if let Some(event) = state.pieces.pop_front() {
            self.has_room.notify_one();
            return Poll::Ready(Ok(event));
        }
        if let Some(end) = state.end.take() {
            return Poll::Ready(Err(end));
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

/// Wakes the reader when the lock is free.
fn wake(mut state: parking_lot::MutexGuard<'_, State>) {
    let waker = state.waker.take();
    drop(state);
    if let Some(waker) = waker {
        waker.wake();
    }
}
