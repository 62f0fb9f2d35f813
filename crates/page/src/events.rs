//! Server-sent events: a body that goes on, an event for each sample.
//!
//! ```text
//!   retry: 2000
//!   event: sample   id: 7   data: {"overview": …}      stopping: the server ends        lost: the session is gone, log in again
//! ```
//! What always holds: a browser that reads slowly gets the newest sample and not all that were between; a comment is sent while
//! nothing happens, so that both ends see a connection that is gone; data is one line.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame};
use tokio::sync::{mpsc, watch};

use crate::sessions::StreamSlot;
use crate::watcher::Tick;

/// While nothing happens a comment is sent so often.
const COMMENT_INTERVAL: Duration = Duration::from_secs(15);
/// How long a browser waits until it connects again.
const RETRY_MS: u32 = 2000;

struct Pieces(mpsc::Receiver<Bytes>);

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }
}

/// The stream of a session that is looked at, until it is over, the server stops or the browser goes.
pub fn stream(
    mut ticks: watch::Receiver<Tick>,
    slot: StreamSlot,
    mut stopping: watch::Receiver<bool>,
) -> BoxBody<Bytes, Infallible> {
    // One piece may wait: who reads slowly makes this wait, and the channel keeps the newest tick alone.
    let (pieces, received) = mpsc::channel(1);
    tokio::spawn(async move {
        let mut piece = Some(Bytes::from(format!("retry: {RETRY_MS}\n\n")));
        loop {
            if let Some(piece) = piece.take()
                && pieces.send(piece).await.is_err()
            {
                return;
            }
            tokio::select! {
                changed = ticks.changed() => {
                    let (event, is_last) = match changed {
                        Ok(()) => event(&ticks.borrow_and_update().clone()),
                        Err(_) => event(&Tick::Lost("the session has ended".into())),
                    };
                    piece = event;
                    if is_last {
                        let _ = pieces.send(piece.unwrap_or_default()).await;
                        return;
                    }
                }
                () = tokio::time::sleep(COMMENT_INTERVAL) => {
                    if slot.is_over() {
                        let (event, _) = event(&Tick::Lost("nobody may stay so long without a new login".into()));
                        let _ = pieces.send(event.unwrap_or_default()).await;
                        return;
                    }
                    piece = Some(Bytes::from_static(b": still here\n\n"));
                }
                () = pieces.closed() => return,
                () = stopped(&mut stopping) => {
                    let _ = pieces.send(Bytes::from_static(b"event: stopping\ndata: {}\n\n")).await;
                    return;
                }
            }
        }
    });
    Pieces(received).boxed()
}

/// Returns when the page stops.
pub async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // An error means that the page is gone altogether.
    let _ = stopping.wait_for(|stopping| *stopping).await;
}

/// The bytes of a tick, and whether it is the last one.
fn event(tick: &Tick) -> (Option<Bytes>, bool) {
    match tick {
        Tick::Nothing => (None, false),
        Tick::Sample { number, json } => {
            (Some(Bytes::from(format!("event: sample\nid: {number}\ndata: {json}\n\n"))), false)
        }
        Tick::Lost(why) => {
            let data = serde_json::json!({ "error": &**why });
            (Some(Bytes::from(format!("event: lost\ndata: {data}\n\n"))), true)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_lines() {
        let of = |tick: Tick| event(&tick).0.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert_eq!(of(Tick::Nothing), None);
        let sample = Tick::Sample { number: 3, json: "{\"a\":1}".into() };
        assert_eq!(of(sample).as_deref(), Some("event: sample\nid: 3\ndata: {\"a\":1}\n\n"));
        let lost = of(Tick::Lost("a\nb\r\"c\"".into()));
        assert_eq!(lost.as_deref(), Some("event: lost\ndata: {\"error\":\"a\\nb\\r\\\"c\\\"\"}\n\n"));
    }
}
