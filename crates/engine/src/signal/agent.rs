//! What the Agent is asked to do: the box between the sessions that start and stop jobs and the thread that runs them.
//!
//! What always holds: requests are taken in the order in which they came, and none is taken in while no Agent runs. It does not know
//! what a job is.

use std::collections::VecDeque;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

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
}

#[derive(Debug, Default)]
struct State {
    is_running: bool,
    requests: VecDeque<AgentRequest>,
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
        self.wake.notify_all();
    }

    /// Whether an Agent runs.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.state.lock().is_running
    }

    /// Asks for something; false when no Agent runs, or too much waits.
    #[must_use]
    pub fn ask(&self, request: AgentRequest) -> bool {
        let state = &mut *self.state.lock();
        if !state.is_running || state.requests.len() >= REQUESTS_MAX {
            return false;
        }
        // One look is as good as many.
        if request != AgentRequest::Look || state.requests.back() != Some(&request) {
            state.requests.push_back(request);
        }
        self.wake.notify_all();
        true
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
        assert!(!inbox.ask(AgentRequest::Look));
        inbox.set_running(true);
        let stop = AgentRequest::Stop { job: [7; 16], by: "sa".to_owned() };
        assert!(inbox.ask(AgentRequest::Look) && inbox.ask(AgentRequest::Look) && inbox.ask(stop.clone()));
        assert_eq!(inbox.take(Duration::ZERO), Some(AgentRequest::Look));
        assert_eq!(inbox.take(Duration::ZERO), Some(stop));
        assert_eq!(inbox.take(Duration::ZERO), None);
        assert!(inbox.ask(AgentRequest::Look));
        inbox.set_running(false);
        assert_eq!(inbox.take(Duration::ZERO), None);
    }
}
