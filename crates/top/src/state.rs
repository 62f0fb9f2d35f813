//! What somebody looks at: which screen, what is selected, sorted and filtered.
//!
//! What always holds: the same interval and state are drawn alike. What keys do to it is `keys`.

use std::collections::VecDeque;

use crate::interval::Interval;

/// A screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Screen {
    /// What the server does at all
    #[default]
    Overview,
    /// Who does it
    Sessions,
    /// tempdb's files, and who fills them
    Tempdb,
    /// Files and volumes
    Io,
    /// Waits
    Waits,
    /// Operators of statements that run
    Plans,
    /// Logs of databases
    Log,
}

impl Screen {
    /// All, in the order of their keys.
    pub const ALL: [Screen; 7] =
        [Screen::Overview, Screen::Sessions, Screen::Tempdb, Screen::Io, Screen::Waits, Screen::Plans, Screen::Log];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Screen::Overview => "Overview",
            Screen::Sessions => "Sessions",
            Screen::Tempdb => "tempdb",
            Screen::Io => "I/O",
            Screen::Waits => "Waits",
            Screen::Plans => "Plans",
            Screen::Log => "Log",
        }
    }
}

/// By what sessions are sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// By the time that a request runs, the longest first
    #[default]
    Elapsed,
    /// By CPU time in a second
    Cpu,
    /// By reads
    Reads,
    /// By writes
    Writes,
    /// By pages of tempdb
    Tempdb,
    /// By memory grant
    Grant,
    /// By time of the wait
    Wait,
    /// By number, the smallest first
    Session,
    /// By login
    Login,
    /// By program
    Program,
    /// By database
    Database,
}

impl Sort {
    /// All, in the order in which a key goes through them.
    pub const ALL: [Sort; 11] = [
        Sort::Elapsed,
        Sort::Cpu,
        Sort::Reads,
        Sort::Writes,
        Sort::Tempdb,
        Sort::Grant,
        Sort::Wait,
        Sort::Session,
        Sort::Login,
        Sort::Program,
        Sort::Database,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Sort::Elapsed => "elapsed",
            Sort::Cpu => "CPU",
            Sort::Reads => "reads",
            Sort::Writes => "writes",
            Sort::Tempdb => "tempdb",
            Sort::Grant => "grant",
            Sort::Wait => "wait",
            Sort::Session => "session",
            Sort::Login => "login",
            Sort::Program => "program",
            Sort::Database => "database",
        }
    }

    /// The one after it, and the first after the last.
    pub fn next(self) -> Sort {
        let place = Sort::ALL.iter().position(|sort| *sort == self).unwrap_or_default();
        Sort::ALL[(place + 1) % Sort::ALL.len()]
    }
}

/// Where samples come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link {
    /// From a server
    Live,
    /// From a server that has not answered for so many seconds
    Silent(u64),
    /// From a server whose connection is lost, and why
    Lost(String),
    /// From a file
    Replay {
        /// Which sample, from 1.
        at: usize,
        /// Of how many.
        of: usize,
        /// Whether it goes on by itself.
        plays: bool,
        /// The first line that is damaged, and how many are.
        damaged: Option<(usize, usize)>,
    },
}

/// What short lines of history show.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// CPU, 0 to 1.
    pub cpu_share: f64,
    /// Batches in a second.
    pub batches_per_s: f64,
    /// Transactions in a second.
    pub transactions_per_s: f64,
    /// Bytes read in a second.
    pub read_bytes_per_s: f64,
    /// Bytes written in a second.
    pub write_bytes_per_s: f64,
    /// Bytes of log in a second.
    pub log_bytes_per_s: f64,
    /// Requests that wait on average.
    pub waiting: f64,
}

/// Points that are kept.
const HISTORY_MAX: usize = 240;

/// What a key wants of whoever has the connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effect {
    /// To leave
    Quit,
    /// To end a session
    Kill(i64),
    /// To take samples every so many seconds
    Every(f64),
    /// To go so many samples forth or back, in a replay
    Step(i64),
    /// To stop, or go on
    Pause,
}

/// What somebody looks at.
#[derive(Clone, Debug)]
pub struct State {
    /// The screen.
    pub screen: Screen,
    /// Nothing changes on it.
    pub frozen: bool,
    /// Where samples come from.
    pub link: Link,
    /// Seconds between samples.
    pub every_s: f64,
    /// By what sessions are sorted.
    pub sort: Sort,
    /// The other way round.
    pub reversed: bool,
    /// What rows have to contain, in any case.
    pub filter: String,
    /// The filter is being typed.
    pub types_filter: bool,
    /// The row that is selected.
    pub selected: usize,
    /// The session that is selected: it keeps its mark when rows move.
    pub selected_session: Option<i64>,
    /// A session that is shown whole, and the line that it begins with.
    pub detail: Option<(i64, u16)>,
    /// A session that is to be ended, if it is confirmed.
    pub kills: Option<i64>,
    /// The help is shown.
    pub help: bool,
    /// What was said last, as what came of ending a session.
    pub message: String,
    /// What was before, the oldest first.
    pub history: VecDeque<Point>,
    /// Colours may be used.
    pub colors: bool,
}

impl Default for State {
    fn default() -> State {
        State {
            screen: Screen::Overview,
            frozen: false,
            link: Link::Live,
            every_s: 2.0,
            sort: Sort::Elapsed,
            reversed: false,
            filter: String::new(),
            types_filter: false,
            selected: 0,
            selected_session: None,
            detail: None,
            kills: None,
            help: false,
            message: String::new(),
            history: VecDeque::new(),
            colors: true,
        }
    }
}

impl State {
    /// Keeps the figures of an interval for the short lines.
    pub fn remember(&mut self, interval: &Interval) {
        if interval.seconds <= 0.0 {
            return;
        }
        if self.history.len() >= HISTORY_MAX {
            self.history.pop_front();
        }
        self.history.push_back(Point {
            cpu_share: interval.cpu_share.unwrap_or(0.0),
            batches_per_s: interval.batches_per_s,
            transactions_per_s: interval.transactions_per_s,
            read_bytes_per_s: interval.traffic.read_bytes_per_s,
            write_bytes_per_s: interval.traffic.write_bytes_per_s,
            log_bytes_per_s: interval.log_bytes_per_s,
            waiting: interval.categories.iter().map(|it| it.waiting_average).sum(),
        });
    }
}
