//! A second session of the same login, which is asked beside what the first one runs: names for completion, how far a statement is.
//!
//! What always holds: it is opened by the first question, on a thread of its own; an answer that takes longer than its limit is none,
//! and what takes so long is cancelled. Without a second session nothing is answered, and nothing else is lost.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::gathered::{Gathered, Table};
use super::target::{Canceller, Opener, Target};

/// Set once: what is asked waits for no locks.
const BEGIN: &str = "set lock_timeout 200; set deadlock_priority low";
/// The end waits so long for what is cancelled.
const END_LIMIT: Duration = Duration::from_secs(2);

struct Question {
    text: String,
    answer: Sender<Option<Vec<Table>>>,
}

/// The second session.
pub struct Observer {
    questions: Mutex<Option<Sender<Question>>>,
    cancel: Arc<Mutex<Option<Canceller>>>,
    ended: Mutex<Receiver<()>>,
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Observer {
    /// Opens nothing yet.
    pub fn new(open: Opener) -> Observer {
        let (questions, asked) = channel::<Question>();
        let (end, ended) = channel();
        let cancel: Arc<Mutex<Option<Canceller>>> = Arc::default();
        let canceller = Arc::clone(&cancel);
        let thread = std::thread::Builder::new().stack_size(millpond_query::STACK_BYTES);
        // Without a thread each question is answered with nothing: the channel is closed.
        let _ = thread.spawn(move || {
            let _end = end;
            let mut session: Option<Option<Box<dyn Target>>> = None;
            for Question { text, answer } in asked {
                let session = session.get_or_insert_with(|| {
                    let mut session = open().ok()?;
                    *held(&canceller) = Some(session.canceller());
                    Gathered::of(session.as_mut(), BEGIN).ok()?;
                    Some(session)
                });
                let said = session.as_mut().and_then(|session| Gathered::of(session.as_mut(), &text).ok());
                // Who asked has gone on: that is fine.
                let _ = answer.send(said);
            }
        });
        Observer { questions: Mutex::new(Some(questions)), cancel, ended: Mutex::new(ended) }
    }

    /// The results of a batch, if they come within the limit.
    pub fn ask(&self, text: &str, limit: Duration) -> Option<Vec<Table>> {
        let (answer, answers) = channel();
        held(&self.questions).as_ref()?.send(Question { text: text.to_owned(), answer }).ok()?;
        answers.recv_timeout(limit).unwrap_or_else(|_| {
            self.give_up();
            None
        })
    }

    fn give_up(&self) {
        if let Some(cancel) = held(&self.cancel).as_ref() {
            cancel();
        }
    }

    /// Ends the session; an engine in this process is to be closed by nobody else.
    pub fn close(&self) {
        if held(&self.questions).take().is_some() {
            self.give_up();
            // The sender is dropped by the thread's end.
            let _ = held(&self.ended).recv_timeout(END_LIMIT);
        }
    }
}

impl Drop for Observer {
    fn drop(&mut self) {
        self.close();
    }
}
