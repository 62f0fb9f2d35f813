//! Notifications from a layer to a listener above it.
//!
//! What always holds: while no topic is subscribed, a notification costs one relaxed load and builds no value. The first listener stays; it
//! is called on the notifying thread, under the locks and latches that this holds, so it must not wait for any that such a thread may hold.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Notifies of values of `E`, by topics that are bits.
pub struct Hook<E> {
    topics: AtomicU32,
    listener: OnceLock<Box<dyn Fn(E) + Send + Sync>>,
}

impl<E> Default for Hook<E> {
    fn default() -> Hook<E> {
        Hook { topics: AtomicU32::new(0), listener: OnceLock::new() }
    }
}

impl<E> std::fmt::Debug for Hook<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hook").field("topics", &self.topics).finish_non_exhaustive()
    }
}

impl<E> Hook<E> {
    /// Sets the listener, which is called for subscribed topics.
    pub fn listen(&self, listener: impl Fn(E) + Send + Sync + 'static) {
        let _ = self.listener.set(Box::new(listener));
    }

    /// Subscribes to these topics, and to no others.
    pub fn want(&self, topics: u32) {
        self.topics.store(topics, Relaxed);
    }

    /// Notifies the listener, if the topic is subscribed.
    #[inline]
    pub fn tell(&self, topic: u32, happened: impl FnOnce() -> E) {
        if self.topics.load(Relaxed) & topic != 0
            && let Some(listener) = self.listener.get()
        {
            listener(happened());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn only_what_is_wanted_is_made_and_told() {
        let (hook, heard) = (Hook::default(), Arc::new(Mutex::new(Vec::new())));
        hook.tell(1, || -> u32 { panic!("nothing is wanted") });
        let hears = Arc::clone(&heard);
        hook.listen(move |number| hears.lock().unwrap().push(number));
        hook.want(2);
        hook.tell(1, || panic!("another topic is wanted"));
        hook.tell(2, || 7);
        assert_eq!(*heard.lock().unwrap(), [7]);
    }
}
