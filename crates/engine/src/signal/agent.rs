//! What the Agent is asked to do: the box between the sessions that start and stop jobs and the thread that runs them.
//!
//! What always holds: requests are taken in the order in which they came, and none is taken in while no Agent runs; a job that was
//! asked for and has not ended is not asked for again. It does not know what a job does.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::error_log::LogLine;

/// Requests that wait at most: more come faster than jobs can be started.
const REQUESTS_MAX: usize = 10_000;

/// The number of a job, `job_id`.
pub type JobId = [u8; 16];

/// What a session wants of the Agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentRequest {
    /// A job is to run now, from a step on, or from its first one.
    Start {
        /// The job.
        job: JobId,
        /// The step to begin with.
        step: Option<i32>,
        /// The login that wants it.
        by: String,
    },
    /// A job that runs is to end.
    Stop {
        /// The job.
        job: JobId,
        /// The login that wants it.
        by: String,
    },
    /// Jobs or schedules are others than they were.
    Look,
    /// An error was written to the error log: alerts may be of it.
    Event(LogLine),
    /// A job has ended: another one may run.
    Ended,
}

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The Agent will do it.
    Taken,
    /// The job waits or runs already.
    Busy,
    /// No Agent runs, or too much waits.
    Refused,
}

#[derive(Debug, Default)]
struct State {
    is_running: bool,
    requests: VecDeque<AgentRequest>,
    /// Jobs that wait or run.
    busy: HashMap<JobId, Busy>,
}

/// How far a job is.
#[derive(Debug)]
enum Busy {
    /// It waits, or its steps run.
    Running,
    /// It writes its history, and may be asked for once more: that waits here.
    Ending(Option<AgentRequest>),
}

/// The box.
#[derive(Debug, Default)]
pub struct AgentBox {
    state: Mutex<State>,
    wake: Condvar,
}

impl AgentBox {
    /// The Agent begins or ends. What waits when it ends is forgotten.
    pub fn set_running(&self, is_running: bool) {
        let state = &mut *self.state.lock();
        state.is_running = is_running;
        state.requests.clear();
        state.busy.clear();
        self.wake.notify_all();
    }

    /// Whether an Agent runs.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.state.lock().is_running
    }

    /// Asks for something.
    pub fn ask(&self, request: AgentRequest) -> Asked {
        let state = &mut *self.state.lock();
        if !state.is_running || state.requests.len() >= REQUESTS_MAX {
            return Asked::Refused;
        }
        match &request {
            AgentRequest::Start { job, .. } => match state.busy.get_mut(job) {
                None => drop(state.busy.insert(*job, Busy::Running)),
                Some(Busy::Ending(next @ None)) => {
                    *next = Some(request);
                    return Asked::Taken;
                }
                Some(_) => return Asked::Busy,
            },
            // One of them is as good as many.
            AgentRequest::Look | AgentRequest::Ended if state.requests.contains(&request) => return Asked::Taken,
            _ => {}
        }
        state.requests.push_back(request);
        self.wake.notify_all();
        Asked::Taken
    }

    /// The Agent wants to run a job by itself: false where it waits or runs already.
    #[must_use]
    pub fn claim(&self, job: JobId) -> bool {
        let state = &mut *self.state.lock();
        let is_free = state.is_running && !state.busy.contains_key(&job);
        if is_free {
            state.busy.insert(job, Busy::Running);
        }
        is_free
    }

    /// The steps of a job have ended; what others read of it says so a little later.
    pub fn ending(&self, job: JobId) {
        if let Some(busy) = self.state.lock().busy.get_mut(&job) {
            *busy = Busy::Ending(None);
        }
    }

    /// A job has ended, or is not to run any more.
    pub fn release(&self, job: JobId) {
        let ended = self.state.lock().busy.remove(&job);
        if let Some(Busy::Ending(Some(next))) = ended {
            self.ask(next);
        }
        self.ask(AgentRequest::Ended);
    }

    /// The next request; none when nothing came in that time, and at once when no Agent is to run.
    #[must_use]
    pub fn take(&self, within: Duration) -> Option<AgentRequest> {
        let state = &mut self.state.lock();
        if state.requests.is_empty() && state.is_running {
            self.wake.wait_for(state, within);
        }
        state.requests.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_come_in_their_order_and_none_without_an_agent() {
        let inbox = AgentBox::default();
        assert_eq!(inbox.ask(AgentRequest::Look), Asked::Refused);
        inbox.set_running(true);
        let stop = AgentRequest::Stop { job: [7; 16], by: "sa".to_owned() };
        for request in [AgentRequest::Look, AgentRequest::Look, stop.clone()] {
            assert_eq!(inbox.ask(request), Asked::Taken);
        }
        assert_eq!(inbox.take(Duration::ZERO), Some(AgentRequest::Look));
        assert_eq!(inbox.take(Duration::ZERO), Some(stop));
        assert_eq!(inbox.take(Duration::ZERO), None);
        assert_eq!(inbox.ask(AgentRequest::Look), Asked::Taken);
        inbox.set_running(false);
        assert_eq!(inbox.take(Duration::ZERO), None);
    }

    #[test]
    fn a_job_is_asked_for_once_until_it_has_ended() {
        let inbox = AgentBox::default();
        inbox.set_running(true);
        let start = || AgentRequest::Start { job: [7; 16], step: None, by: "sa".to_owned() };
        assert_eq!([inbox.ask(start()), inbox.ask(start())], [Asked::Taken, Asked::Busy]);
        assert!(!inbox.claim([7; 16]) && inbox.claim([8; 16]));
        inbox.ending([7; 16]);
        assert_eq!([inbox.ask(start()), inbox.ask(start())], [Asked::Taken, Asked::Busy]);
        assert_eq!(inbox.take(Duration::ZERO), Some(start()));
        assert_eq!(inbox.take(Duration::ZERO), None);
        inbox.release([7; 16]);
        assert_eq!(inbox.take(Duration::ZERO), Some(start()));
        assert_eq!(inbox.ask(start()), Asked::Busy);
    }
}
