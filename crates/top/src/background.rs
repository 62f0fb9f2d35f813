//! Who asks the server: a thread of its own, so that keys work while the server takes its time or is gone.
//!
//! What always holds: a connection that is lost is tried again, at each interval, until nobody listens any more; one that never
//! was is not. Each sample is written to the record before it is shown.

use std::io::Write;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use crate::app::Feed;
use crate::collect::collect;
use crate::record;
use crate::source::{Source, SourceError};

/// Makes a connection; called in the thread that uses it.
pub type Connect = Box<dyn FnMut() -> Result<Box<dyn Source>, String> + Send>;

/// Where samples are written to.
pub type Record = Box<dyn Write + Send>;

/// What the thread is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    /// To take samples at another interval.
    Every(Duration),
    /// To end a session.
    Kill(i64),
}

/// The thread, seen from outside; it ends when this is dropped and its statement has an answer.
#[derive(Debug)]
pub struct Background {
    /// What comes from it.
    pub feed: Receiver<Feed>,
    /// What it is asked for.
    pub orders: Sender<Order>,
}

/// A server that is gone is not asked more often than this.
const AGAIN_MIN: Duration = Duration::from_secs(1);

/// Starts to ask.
///
/// # Errors
/// There is no thread for it.
pub fn start(connect: Connect, every: Duration, record: Option<Record>) -> std::io::Result<Background> {
    let (to_screen, feed) = channel();
    let (orders, for_us) = channel();
    // Made where it lives: a connection need not be one that goes from thread to thread.
    let ask = move || Asker { connect, every, record, to_screen, orders: for_us, source: None }.run();
    std::thread::Builder::new().name("top".into()).spawn(ask)?;
    Ok(Background { feed, orders })
}

struct Asker {
    connect: Connect,
    every: Duration,
    record: Option<Record>,
    to_screen: Sender<Feed>,
    orders: Receiver<Order>,
    source: Option<Box<dyn Source>>,
}

/// The screen has ended: there is no receiver any more.
struct ScreenGone;

impl Asker {
    fn run(mut self) {
        match (self.connect)() {
            Ok(source) => self.source = Some(source),
            Err(why) => {
                // Without a receiver there is nothing to report to.
                let _ = self.to_screen.send(Feed::Refused(why));
                return;
            }
        }
        if self.say(Feed::Connected).is_ok() {
            while self.round().is_ok() {}
        }
    }

    fn say(&self, feed: Feed) -> Result<(), ScreenGone> {
        self.to_screen.send(feed).map_err(|_| ScreenGone)
    }

    fn round(&mut self) -> Result<(), ScreenGone> {
        let began = Instant::now();
        if self.source.is_none() {
            match (self.connect)() {
                Ok(source) => {
                    self.source = Some(source);
                    self.say(Feed::Connected)?;
                }
                Err(why) => self.say(Feed::Lost(why))?,
            }
        }
        if let Some(source) = &mut self.source {
            match collect(source.as_mut()) {
                Ok(sample) => {
                    self.write(&sample)?;
                    self.say(Feed::Sample(Box::new(sample)))?;
                }
                Err(why) => self.lose(why)?,
            }
        }
        self.wait(began)
    }

    fn lose(&mut self, why: String) -> Result<(), ScreenGone> {
        self.source = None;
        self.say(Feed::Lost(why))
    }

    fn write(&mut self, sample: &crate::sample::Sample) -> Result<(), ScreenGone> {
        let Some(to) = &mut self.record else { return Ok(()) };
        let Err(why) = record::write(sample, to.as_mut()) else { return Ok(()) };
        self.record = None;
        self.say(Feed::Said(format!("nothing is recorded any more: {why}")))
    }

    /// Until the next sample is due.
    fn wait(&mut self, began: Instant) -> Result<(), ScreenGone> {
        loop {
            let pause = if self.source.is_none() { self.every.max(AGAIN_MIN) } else { self.every };
            match self.orders.recv_timeout(pause.saturating_sub(began.elapsed())) {
                Ok(Order::Every(every)) => self.every = every,
                Ok(Order::Kill(session)) => return self.kill(session),
                Err(RecvTimeoutError::Timeout) => return Ok(()),
                Err(RecvTimeoutError::Disconnected) => return Err(ScreenGone),
            }
        }
    }

    /// Ends a session; the next sample, which shows it, comes at once.
    fn kill(&mut self, session: i64) -> Result<(), ScreenGone> {
        let Some(source) = &mut self.source else {
            return self.say(Feed::Said(format!("session {session} is not ended: there is no connection")));
        };
        match source.run(&format!("KILL {session}")) {
            Ok(_) => self.say(Feed::Said(format!("session {session} is being ended"))),
            Err(SourceError::Lost(why)) => self.lose(why),
            Err(refused) => self.say(Feed::Said(format!("session {session} is not ended: {refused}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Rows;

    /// Answers nothing to so many texts, and is gone then; refuses to end sessions.
    struct Short(usize);

    impl Source for Short {
        fn run(&mut self, text: &str) -> Result<Vec<Rows>, SourceError> {
            if text.starts_with("KILL") {
                return Err(SourceError::Refused {
                    number: 6106,
                    text: "Process ID 7 is not an active process ID.".into(),
                });
            }
            self.0 = self.0.checked_sub(1).ok_or_else(|| SourceError::Lost("gone".into()))?;
            Ok(Vec::new())
        }
    }

    fn next(background: &Background) -> String {
        let feed = background.feed.recv_timeout(Duration::from_secs(60)).expect("something comes");
        match feed {
            Feed::Sample(_) => "sample".into(),
            Feed::Connected => "connected".into(),
            Feed::Refused(why) => format!("refused {why}"),
            Feed::Lost(why) => format!("lost {why}"),
            Feed::Said(text) => text,
        }
    }

    #[test]
    fn a_lost_connection_is_made_again() {
        let mut texts = [30, 0, 30].into_iter();
        let connect = move || texts.next().map(|texts| Box::new(Short(texts)) as _).ok_or("closed".to_owned());
        let background = start(Box::new(connect), Duration::from_millis(1), None).expect("a thread");
        let said: Vec<String> = (0..9).map(|_| next(&background)).collect();
        assert_eq!(
            said,
            [
                "connected",
                "sample",
                "lost gone",
                "connected",
                "lost gone",
                "connected",
                "sample",
                "lost gone",
                "lost closed"
            ]
        );
    }

    #[test]
    fn a_connection_that_never_was_is_not_tried_again() {
        let connect = || Err("Login failed for user 'sa'.".to_owned());
        let background = start(Box::new(connect), Duration::from_millis(1), None).expect("a thread");
        assert_eq!(next(&background), "refused Login failed for user 'sa'.");
        assert_eq!(background.feed.recv_timeout(Duration::from_secs(60)).err(), Some(RecvTimeoutError::Disconnected));
    }

    #[test]
    fn what_comes_of_a_kill_is_said() {
        let connect = || Ok(Box::new(Short(1_000_000)) as Box<dyn Source>);
        let background = start(Box::new(connect), Duration::from_secs(3600), None).expect("a thread");
        assert_eq!((next(&background), next(&background)), ("connected".into(), "sample".into()));
        background.orders.send(Order::Kill(7)).expect("it listens");
        assert_eq!(next(&background), "session 7 is not ended: Msg 6106: Process ID 7 is not an active process ID.");
        assert_eq!(next(&background), "sample");
    }

    #[test]
    fn a_full_disk_ends_the_record_alone() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(std::io::Error::other("no space left"))
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let connect = || Ok(Box::new(Short(1_000_000)) as Box<dyn Source>);
        let background = start(Box::new(connect), Duration::from_millis(1), Some(Box::new(Full))).expect("a thread");
        let said: Vec<String> = (0..4).map(|_| next(&background)).collect();
        assert_eq!(said, ["connected", "nothing is recorded any more: no space left", "sample", "sample"]);
    }
}
