//! Waiting for a future on this thread.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Duration;

/// Waits for a future on this thread. Unlike an executor's, it may be called inside itself: an inner query runs while
/// its outer one is polled.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    block_on_unless(future, || false).expect("this wait never gives up")
}

/// Wakes a thread that waits in [`block_on`].
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// The same, but none when `gives_up` says so, which is asked now and then.
pub(crate) fn block_on_unless<F: Future>(future: F, gives_up: impl Fn() -> bool) -> Option<F::Output> {
    let mut future: Pin<&mut F> = pin!(future);
    if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        return Some(output);
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
        if gives_up() {
            return None;
        }
        std::thread::park_timeout(LOOK);
    }
}

/// How often a thread that waits for workers looks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(10);
