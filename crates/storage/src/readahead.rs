//! Read-ahead: pages that a scan will ask for soon come in large reads, on threads of their own.
//!
//! What always holds: a page that is read ahead is installed, latched exclusively, before the read begins, so a scan that
//! arrives early waits for this read and starts none. Read-ahead takes frames only while the pool has plenty, and gives
//! up silently: whoever asks for the page reads it and gets the error. Threads start with the first request.

use std::collections::VecDeque;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;

use parking_lot::{Condvar, Mutex};

use crate::ask::Ask;
use crate::contract::{PageBytes, PageId, PageNo, SessionId};
use crate::header;
use crate::latch::ExclusiveHold;
use crate::pool::Pool;
use crate::pool_free::ShardNo;
use crate::pool_report::add;

/// Pages of one read: 512 KB.
const READ_PAGES_MAX: usize = 64;
/// Threads; each has one read under way.
const WORKERS: usize = 2;
/// Requests that wait at most; more are dropped, the scan reads by itself then.
const QUEUE_MAX: usize = 64;

#[derive(Clone, Copy, Debug)]
struct Request {
    first: PageId,
    count: u32,
}

#[derive(Debug, Default)]
struct Queue {
    requests: VecDeque<Request>,
    stopping: bool,
}

#[derive(Debug, Default)]
struct Desk {
    queue: Mutex<Queue>,
    bell: Condvar,
}

/// The read-ahead as the pool sees it.
#[derive(Debug, Default)]
pub(crate) struct ReadAhead {
    desk: Arc<Desk>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl ReadAhead {
    /// Hands a request in; false when too many wait.
    fn hand_in(&self, pool: &Weak<Pool>, request: Request) -> bool {
        self.start(pool);
        let mut queue = self.desk.queue.lock();
        if queue.requests.len() >= QUEUE_MAX {
            return false;
        }
        queue.requests.push_back(request);
        self.desk.bell.notify_one();
        true
    }

    fn start(&self, pool: &Weak<Pool>) {
        let mut threads = self.threads.lock();
        if !threads.is_empty() {
            return;
        }
        for _ in 0..WORKERS {
            let (desk, pool) = (self.desk.clone(), pool.clone());
            let worker = std::thread::Builder::new().name("read-ahead".to_owned());
            threads.extend(worker.spawn(move || run(&desk, &pool)).ok());
        }
    }

    /// Ends the threads and waits for them, except the one that asks.
    pub(crate) fn stop(&self) {
        self.desk.queue.lock().stopping = true;
        self.desk.bell.notify_all();
        for thread in self.threads.lock().drain(..) {
            if thread.thread().id() != std::thread::current().id() {
                let _ = thread.join();
            }
        }
    }
}

fn run(desk: &Desk, pool: &Weak<Pool>) {
    while let Some(request) = desk.next() {
        let Some(pool) = pool.upgrade() else { return };
        Pool::as_server(|ask| pool.read_range(ask, request.first, request.count));
    }
}

impl Desk {
    fn next(&self) -> Option<Request> {
        let mut queue = self.queue.lock();
        while queue.requests.is_empty() && !queue.stopping {
            self.bell.wait(&mut queue);
        }
        if queue.stopping { None } else { queue.requests.pop_front() }
    }
}

impl Pool {
    pub(crate) fn begin_read_ahead(&self, ask: &Ask<'_>, first: PageId, count: u32) {
        let Some(file) = self.files.attached(first.db, first.file) else { return };
        let count = count.min(u32::MAX - first.page.0);
        let present = |page: u32| file.word(PageNo(page)).is_some_and(|word| word.frame().is_some());
        let absent = (first.page.0..first.page.0 + count).filter(|&page| !present(page)).count() as u64;
        if absent > 0 && self.reader.hand_in(&self.me, Request { first, count }) {
            ask.count_physical_reads(absent, true);
        }
    }

    /// Reads the absent pages of a range, in runs as long as they are.
    fn read_range(&self, ask: &Ask<'_>, first: PageId, count: u32) {
        let mut run: Vec<ExclusiveHold<'_>> = Vec::new();
        let mut run_first = first;
        for number in 0..count {
            let id = PageId { page: PageNo(first.page.0 + number), ..first };
            match self.prepare_read(ask, id) {
                Some(hold) => {
                    if run.is_empty() {
                        run_first = id;
                    }
                    run.push(hold);
                }
                None => self.read_run(ask, run_first, &mut run),
            }
            if run.len() >= READ_PAGES_MAX {
                self.read_run(ask, run_first, &mut run);
            }
        }
        self.read_run(ask, run_first, &mut run);
    }

    /// Installs an empty frame for a page that is not in memory.
    fn prepare_read<'a>(&'a self, ask: &Ask<'_>, id: PageId) -> Option<ExclusiveHold<'a>> {
        let word = self.files.attached(id.db, id.file)?.word_or_map(id.page)?;
        if word.frame().is_some() || !self.has_plenty() {
            return None;
        }
        let shard = ShardNo::of(SessionId(0));
        let hold = self.frames.exclusive_of_free(self.find_free(shard)?);
        self.install(ask, word, hold, id, true)
    }

    fn read_run(&self, ask: &Ask<'_>, first: PageId, run: &mut Vec<ExclusiveHold<'_>>) {
        if run.is_empty() {
            return;
        }
        let start_us = self.clock.now_us();
        let mut bytes: Vec<&mut PageBytes> = run.iter_mut().map(|hold| &mut **hold).collect();
        let result = self.io.read_run(ask, first, &mut bytes);
        let took_us = (self.clock.now_us() - start_us).min(u32::MAX.into()) as u32;
        for (index, hold) in run.drain(..).enumerate() {
            let id = PageId { page: PageNo(first.page.0 + index as u32), ..first };
            if result.is_ok() && header::verify(&hold, id).is_ok() {
                hold.state().read_us.store(took_us, Relaxed);
                hold.state().io.store(false, Relaxed);
                add(&self.tallies.read_ahead, 1);
            } else {
                self.give_up(self.word_of(id), hold);
            }
        }
    }
}
