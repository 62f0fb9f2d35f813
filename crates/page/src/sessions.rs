//! Who is logged in: random tokens in cookies, and the watcher of each.
//!
//! What always holds: a token has 256 random bits and is told to one browser, in a cookie that no script reads; a session ends
//! after [`IDLE_MAX`] without a request or a look, and after [`AGE_MAX`] whatever is done; there are [`SESSIONS_MAX`] at most, and
//! [`OF_LOGIN_MAX`] of one login, whose oldest one goes for a new one. It does not know how logins are checked.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::watcher::Watcher;

/// Sessions at most.
pub const SESSIONS_MAX: usize = 64;
/// Sessions of one login at most.
pub const OF_LOGIN_MAX: usize = 8;
/// Without a request or a look a session ends.
pub const IDLE_MAX: Duration = Duration::from_secs(30 * 60);
/// No session is older.
pub const AGE_MAX: Duration = Duration::from_secs(12 * 3600);
/// Streams of one session at most: a browser has few connections.
pub const STREAMS_MAX: usize = 6;
/// 256 bits.
const TOKEN_BYTES: usize = 32;

/// Somebody who is logged in.
pub struct Session {
    /// The login's name, as the server has it.
    pub login: String,
    /// What a request that changes something has to say beside the cookie.
    pub guard: String,
    /// The login's session on the server.
    pub watcher: Watcher,
    made: Instant,
    seen: Mutex<Instant>,
    streams: AtomicUsize,
}

/// A stream of a session that is open.
pub struct StreamSlot(Arc<Session>);

impl Session {
    /// A place for a stream, if there is one.
    pub fn stream(self: &Arc<Session>) -> Option<StreamSlot> {
        let taken = self.streams.fetch_update(SeqCst, SeqCst, |count| (count < STREAMS_MAX).then_some(count + 1));
        taken.ok().map(|_| StreamSlot(Arc::clone(self)))
    }

    fn is_over(&self, now: Instant) -> bool {
        let is_idle = self.streams.load(SeqCst) == 0 && now.saturating_duration_since(*self.seen.lock()) > IDLE_MAX;
        is_idle || now.saturating_duration_since(self.made) > AGE_MAX || self.watcher.is_lost()
    }
}

impl StreamSlot {
    /// Whether the session is too old for its stream.
    pub fn is_over(&self) -> bool {
        self.0.is_over(Instant::now())
    }
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        *self.0.seen.lock() = Instant::now();
        self.0.streams.fetch_sub(1, SeqCst);
    }
}

/// Why there is no session for a login whose password was right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Full {
    /// All places are taken.
    #[error("{SESSIONS_MAX} sessions of this page are open; log one of them out")]
    Sessions,
    /// The system gives no random numbers.
    #[error("this machine gives no random numbers")]
    Chance,
}

/// All sessions by their tokens.
#[derive(Default)]
pub struct Sessions(Mutex<HashMap<String, Arc<Session>>>);

fn token() -> Result<String, Full> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(|_| Full::Chance)?;
    Ok(bytes.iter().fold(String::with_capacity(2 * TOKEN_BYTES), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

impl Sessions {
    /// Keeps a session of a login, and gives its token.
    ///
    /// # Errors
    /// [`Full`]
    pub fn open(&self, login: String, watcher: Watcher) -> Result<String, Full> {
        let (token, guard, now) = (token()?, token()?, Instant::now());
        let mut all = self.0.lock();
        all.retain(|_, session| !session.is_over(now));
        let of_it = || all.iter().filter(|(_, session)| session.login == login);
        if of_it().count() >= OF_LOGIN_MAX
            && let Some(oldest) = of_it().min_by_key(|(_, session)| session.made).map(|(token, _)| token.clone())
        {
            all.remove(&oldest);
        }
        if all.len() >= SESSIONS_MAX {
            return Err(Full::Sessions);
        }
        let session = Session { login, guard, watcher, made: now, seen: Mutex::new(now), streams: AtomicUsize::new(0) };
        all.insert(token.clone(), Arc::new(session));
        Ok(token)
    }

    /// The session of a token; it is seen now.
    pub fn find(&self, token: &str) -> Option<Arc<Session>> {
        let now = Instant::now();
        let mut all = self.0.lock();
        let session = all.get(token)?;
        if session.is_over(now) {
            all.remove(token);
            return None;
        }
        *session.seen.lock() = now;
        Some(Arc::clone(session))
    }

    /// Ends the session of a token.
    pub fn close(&self, token: &str) {
        self.0.lock().remove(token);
    }

    /// Ends those whose time is over; how many are left.
    pub fn sweep(&self) -> usize {
        let now = Instant::now();
        let mut all = self.0.lock();
        all.retain(|_, session| !session.is_over(now));
        all.len()
    }

    /// Ends all.
    pub fn clear(&self) {
        self.0.lock().clear();
    }
}

#[cfg(test)]
mod tests {
    use millpond_top::source::{Rows, Source, SourceError};

    use super::*;
    use crate::watcher::Alive;

    struct Silent;

    impl Source for Silent {
        fn run(&mut self, text: &str) -> Result<Vec<Rows>, SourceError> {
            if text == "end" { Err(SourceError::Lost("ended".into())) } else { Ok(Vec::new()) }
        }
    }

    fn watcher(alive: &Alive) -> Watcher {
        Watcher::start(Box::new(Silent), Duration::from_secs(1), 1 << 18, Arc::clone(alive)).expect("a thread")
    }

    #[test]
    fn tokens_are_long_and_differ() {
        let (sessions, alive) = (Sessions::default(), Alive::default());
        let one = sessions.open("sa".into(), watcher(&alive)).expect("a place");
        let other = sessions.open("sa".into(), watcher(&alive)).expect("a place");
        assert_eq!((one.len(), one == other), (64, false));
        let (a, b) = (sessions.find(&one).expect("open"), sessions.find(&other).expect("open"));
        assert!(a.guard != b.guard && a.guard != one);
        sessions.close(&one);
        assert!(sessions.find(&one).is_none() && sessions.find("").is_none() && sessions.find(&other).is_some());
    }

    #[test]
    fn of_one_login_the_oldest_goes_and_places_end() {
        let (sessions, alive) = (Sessions::default(), Alive::default());
        let first = sessions.open("ann".into(), watcher(&alive)).expect("a place");
        for _ in 0..OF_LOGIN_MAX {
            sessions.open("ann".into(), watcher(&alive)).expect("a place");
        }
        assert!(sessions.find(&first).is_none());
        assert_eq!(sessions.sweep(), OF_LOGIN_MAX);
        for number in OF_LOGIN_MAX..SESSIONS_MAX {
            sessions.open(format!("login {number}"), watcher(&alive)).expect("a place");
        }
        assert_eq!(sessions.open("one more".into(), watcher(&alive)), Err(Full::Sessions));
        sessions.clear();
        // Threads end by themselves.
        while Arc::strong_count(&alive) > 1 {
            std::thread::yield_now();
        }
    }

    #[tokio::test]
    async fn what_is_over_is_gone() {
        let (sessions, alive) = (Sessions::default(), Alive::default());
        let open = || sessions.open("sa".into(), watcher(&alive)).expect("a place");
        let (idle, looked_at, lost) = (open(), open(), open());
        let long_ago =
            Instant::now().checked_sub(IDLE_MAX + Duration::from_secs(1)).expect("the machine runs that long");
        for token in [&idle, &looked_at] {
            *sessions.find(token).expect("open").seen.lock() = long_ago;
        }
        let slot = sessions.0.lock()[&looked_at].stream().expect("a place");
        let session = sessions.find(&lost).expect("open");
        assert!(session.watcher.ask("end".into()).await.is_err());
        while !session.watcher.is_lost() {
            tokio::task::yield_now().await;
        }
        assert_eq!(sessions.sweep(), 1);
        assert!(sessions.find(&looked_at).is_some() && !slot.is_over());
    }

    #[test]
    fn streams_are_bounded() {
        let (sessions, alive) = (Sessions::default(), Alive::default());
        let token = sessions.open("sa".into(), watcher(&alive)).expect("a place");
        let session = sessions.find(&token).expect("open");
        let slots: Vec<StreamSlot> = (0..STREAMS_MAX).filter_map(|_| session.stream()).collect();
        assert!(slots.len() == STREAMS_MAX && session.stream().is_none());
        drop(slots);
        assert!(session.stream().is_some());
    }
}
