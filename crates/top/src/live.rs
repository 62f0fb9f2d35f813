//! The terminal: it is taken over, drawn on and given back as it was.
//!
//! What always holds: however this ends (a key, an error, a signal, a panic), the terminal is as it was before. It waits for keys a
//! twentieth of a second at most, so a signal and a sample are seen soon.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::TryRecvError;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{self, Event};

use crate::app::App;
use crate::background::{Background, Order};
use crate::state::Effect;

/// How long it waits for a key.
const KEY_WAIT: Duration = Duration::from_millis(50);

/// Gives the terminal back.
struct Restored;

impl Drop for Restored {
    fn drop(&mut self) {
        // It says on stderr what it cannot do, as nothing else can be done.
        ratatui::restore();
    }
}

/// Shows it until somebody leaves, or `stop` is set. Without a background it is a replay.
///
/// # Errors
/// What the terminal says.
pub fn run(mut app: App, background: Option<&Background>, stop: &AtomicBool) -> io::Result<()> {
    let began = Instant::now();
    // With a hook that gives the terminal back before a panic is reported.
    let mut terminal = ratatui::try_init()?;
    let _restored = Restored;
    let mut is_new = true;
    while !stop.load(Relaxed) {
        if let Some(background) = background {
            loop {
                match background.feed.try_recv() {
                    Ok(feed) => {
                        app.feed(feed, began.elapsed());
                        is_new = true;
                    }
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => return Err(io::Error::other("samples have come to an end")),
                }
            }
        }
        if app.tick(began.elapsed()) || is_new {
            terminal.draw(|frame| app.draw(frame))?;
            is_new = false;
        }
        while event::poll(if is_new { Duration::ZERO } else { KEY_WAIT })? {
            let effect = match event::read()? {
                Event::Key(key) => app.key(key),
                _ => None,
            };
            is_new = true;
            let order = match effect {
                Some(Effect::Quit) => return Ok(()),
                Some(Effect::Kill(session)) => Order::Kill(session),
                Some(Effect::Every(seconds)) => Order::Every(Duration::from_secs_f64(seconds)),
                _ => continue,
            };
            if let Some(background) = background {
                // Who has ended is noticed above.
                let _ = background.orders.send(order);
            }
        }
    }
    Ok(())
}
