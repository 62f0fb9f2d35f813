//! What a connection's task and the thread that runs one of its requests share: the streams of packets in both directions.
//!
//! What always holds: a cancellation that is meant for a request is given under the lock under which requests begin and end, and
//! never reaches the next one. The thread waits for a client that does not read only while no other request waits for the
//! thread: then what it sends is kept here, charged to the server's memory where it is much. Where that has no more, and the
//! client takes nothing for a while, the answer ends with 701, so that those who wait have their turn. Requests that wait are
//! charged as well. It knows no sockets.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::time::{Duration, Instant};

use millpond_engine::event_session::sites;
use millpond_engine::session_shared::SessionShared;
use millpond_tds::TdsError;
use millpond_tds::packet::{Cut, HEADER_BYTES, Message, PacketType};
use millpond_tds::smp::{Flow, Header, Kind};
use millpond_types::Charge;
use parking_lot::{Condvar, Mutex, MutexGuard};
use tokio::sync::Notify;

use crate::message_input::MessageInput;
use crate::request::{Client, Framing, is_brief};
use crate::respond::{NotSent, Outlet};
use crate::shared::Shared;

/// What a stream holds for its client before the thread waits for that.
const HELD_BYTES_MAX: usize = 256 * 1024;
/// What the streams of a connection hold together before each has its share alone.
const HELD_TOGETHER_BYTES_MAX: usize = 4 << 20;
/// That share.
const SHARE_BYTES: usize = 32 * 1024;
/// How long a client may take nothing of an answer for which there is no memory, while other requests of it wait.
const PATIENCE: Duration = Duration::from_secs(5);
/// Requests of a connection that wait before short ones are charged as well.
const UNCHARGED_MESSAGES_MAX: usize = 64;
/// Messages of a stream that wait before its client is kept from sending more.
const MESSAGES_MAX: usize = 4;
/// Sessions of SMP that a connection may have.
const STREAMS_MAX: usize = 4096;
/// A thread that waits for space or for memory looks again.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// The streams of a connection.
pub struct Hub {
    streams: Mutex<Streams>,
    /// For the task: there is something to write, or to begin.
    pub wake_task: Notify,
    /// For the thread: space, a part of a load, an attention, the end.
    wake_thread: Condvar,
    /// The running request is to stop.
    pub attention: Arc<AtomicBool>,
    session: Arc<SessionShared>,
    shared: Arc<Shared>,
    framing: Framing,
    message_bytes_max: usize,
}

#[derive(Default)]
struct Streams {
    by_number: BTreeMap<u16, Stream>,
    /// Those whose requests wait, in the order in which these came.
    waiting: VecDeque<u16>,
    /// The one whose request runs.
    running: Option<u16>,
    /// The running request was cancelled.
    is_cancelled: bool,
    /// Nothing is waited for any more.
    given_up: bool,
}

struct Stream {
    flow: Flow,
    input: MessageInput,
    /// Packets that came, and that the client has no window for yet.
    unread: u32,
    messages: VecDeque<Charged>,
    /// Parts of a load are still to come from the client.
    receives_parts: bool,
    /// Parts of the running load are still to be read.
    reads_parts: bool,
    /// Packets for the client.
    output: VecDeque<Vec<u8>>,
    held_bytes: usize,
    charges: Vec<Box<dyn Charge>>,
    /// The client has ended it, and its request still runs.
    is_ending: bool,
}

/// A message, and the memory that it takes.
struct Charged {
    message: Message,
    charges: Vec<Box<dyn Charge>>,
}

/// A request that is to begin.
pub struct Begun {
    pub message: Message,
    pub client: Arc<StreamClient>,
    /// To be kept until it has ended.
    pub charges: Vec<Box<dyn Charge>>,
}

impl Hub {
    pub fn new(
        session: &Arc<SessionShared>,
        shared: &Arc<Shared>,
        framing: Framing,
        message_bytes_max: usize,
    ) -> Arc<Hub> {
        Arc::new(Hub {
            streams: Mutex::default(),
            wake_task: Notify::new(),
            wake_thread: Condvar::new(),
            attention: Arc::default(),
            session: Arc::clone(session),
            shared: Arc::clone(shared),
            framing,
            message_bytes_max,
        })
    }

    /// Takes a frame of the client; says how many packets it had.
    ///
    /// A client that ends a stream whose answer it has not read may still advertise windows for it until our FIN has reached it
    /// (python-tds does): there is nothing more to send, so these are passed over.
    ///
    /// # Errors
    /// What no client may send: the connection is to be closed.
    pub fn receive(&self, header: &Header, payload: &[u8]) -> Result<u64, TdsError> {
        let mut streams = self.streams.lock();
        if header.kind == Kind::Syn {
            let is_new = !streams.by_number.contains_key(&header.session) && streams.by_number.len() < STREAMS_MAX;
            if !is_new || header.number != 0 {
                return Err(TdsError::malformed("SMP session"));
            }
            let mut input = MessageInput::new(self.message_bytes_max);
            input.charge(self.message_bytes_max, self.shared.engine.workspace());
            streams.by_number.insert(header.session, Stream::new(Flow::begun(header), input));
            return Ok(0);
        }
        let is_ack = header.kind == Kind::Ack;
        let Some(stream) = streams.by_number.get_mut(&header.session) else {
            return if is_ack { Ok(0) } else { Err(TdsError::malformed("SMP session")) };
        };
        if stream.is_ending {
            return if is_ack { Ok(0) } else { Err(TdsError::malformed("SMP frame after FIN")) };
        }
        stream.flow.receive(header)?;
        match header.kind {
            Kind::Fin => self.end_stream(&mut streams, header.session),
            Kind::Data => {
                stream.unread += 1;
                let (mut rest, mut messages) = (payload, Vec::new());
                while let Some(message) = stream.input.next(&mut rest)? {
                    messages.push(Charged { message, charges: stream.input.take_charges() });
                }
                let packets = stream.input.take_packets();
                messages.into_iter().for_each(|message| self.take(&mut streams, header.session, message));
                return Ok(packets);
            }
            Kind::Ack | Kind::Syn => {}
        }
        Ok(0)
    }

    /// A message of a stream.
    fn take(&self, streams: &mut MutexGuard<'_, Streams>, number: u16, mut one: Charged) {
        let is_request = one.message.packet_type != PacketType::BulkLoad;
        if is_request && streams.waiting.len() >= UNCHARGED_MESSAGES_MAX && one.charges.is_empty() {
            match self.shared.engine.workspace().charge(one.message.payload.len()) {
                Ok(charge) => one.charges.push(charge),
                Err(_) => (one.message.payload, one.message.cut) = (Vec::new(), Some(Cut::NoMemory)),
            }
        }
        let is_running = streams.running == Some(number);
        let is_waiting = streams.waiting.contains(&number);
        let Some(stream) = streams.by_number.get_mut(&number) else { return };
        if one.message.packet_type != PacketType::Attention {
            let is_part = std::mem::replace(&mut stream.receives_parts, one.message.has_more);
            stream.messages.push_back(one);
            if is_part {
                self.wake_thread.notify_all();
            } else {
                streams.waiting.push_back(number);
            }
            return;
        }
        self.shared.engine.counters.attentions.fetch_add(1, Relaxed);
        sites::attention(&self.shared.engine, &self.session);
        stream.receives_parts = false;
        if is_running {
            // Acknowledged when it has ended.
            return self.interrupt(streams);
        }
        let mut packets = Vec::new();
        if is_waiting {
            stream.messages.clear();
            packets = self.framing.stopped_answer(&self.shared.name);
        }
        self.framing.acknowledge(&mut packets);
        stream.put(&packets);
        streams.waiting.retain(|other| *other != number);
    }

    fn interrupt(&self, streams: &mut MutexGuard<'_, Streams>) {
        self.attention.store(true, Release);
        streams.is_cancelled = true;
        self.session.cancel();
        self.wake_thread.notify_all();
    }

    /// The client has ended a stream: its request is stopped, and nobody reads the answer.
    fn end_stream(&self, streams: &mut MutexGuard<'_, Streams>, number: u16) {
        streams.waiting.retain(|other| *other != number);
        let is_running = streams.running == Some(number);
        if let Some(stream) = streams.by_number.get_mut(&number) {
            stream.is_ending = true;
            stream.forget_output();
        }
        if is_running {
            self.interrupt(streams);
        }
    }

    /// Adds the frames that clients take now; says how many packets they have. `most_bytes`: when there are more, the rest waits.
    pub fn frames(&self, most_bytes: usize) -> (Vec<u8>, u64) {
        let (mut out, mut packets) = (Vec::new(), 0);
        let mut streams = self.streams.lock();
        let running = streams.running;
        streams.by_number.retain(|number, stream| {
            if stream.is_ending {
                if running != Some(*number) {
                    stream.flow.finish(&mut out);
                    return false;
                }
                return true;
            }
            if stream.messages.len() < MESSAGES_MAX {
                stream.flow.open(std::mem::take(&mut stream.unread));
            }
            while out.len() < most_bytes
                && stream.flow.may_send()
                && let Some(packet) = stream.output.pop_front()
            {
                stream.held_bytes -= packet.len();
                stream.flow.send(&packet, &mut out);
                packets += 1;
            }
            if stream.output.is_empty() {
                stream.charges = Vec::new();
            }
            stream.flow.acknowledge(&mut out);
            true
        });
        if packets > 0 {
            self.wake_thread.notify_all();
        }
        (out, packets)
    }

    /// The next request, which is the running one from here on; none when none waits, or one runs.
    pub fn begin(self: &Arc<Hub>) -> Option<Begun> {
        let mut streams = self.streams.lock();
        if streams.running.is_some() {
            return None;
        }
        let number = streams.waiting.pop_front()?;
        let stream = streams.by_number.get_mut(&number)?;
        let Charged { message, charges } = stream.messages.pop_front()?;
        stream.reads_parts = message.has_more;
        (streams.running, streams.is_cancelled) = (Some(number), false);
        self.attention.store(false, Release);
        // Whatever cancels from here on means this one.
        self.session.task.clear_cancel();
        if self.session.is_killed() {
            self.session.cancel();
        }
        Some(Begun { message, client: Arc::new(StreamClient { hub: Arc::clone(self), number }), charges })
    }

    /// Of the next request whether it waits for no other; none when none waits, or one runs.
    pub fn next_is_brief(&self) -> Option<bool> {
        let streams = self.streams.lock();
        if streams.running.is_some() {
            return None;
        }
        let stream = streams.by_number.get(streams.waiting.front()?)?;
        Some(is_brief(&stream.messages.front()?.message))
    }

    /// Cancels the running request again, if it was to stop; whether it was.
    pub fn cancel_again(&self) -> bool {
        let streams = self.streams.lock();
        if streams.running.is_some() && streams.is_cancelled {
            self.session.cancel();
        }
        streams.is_cancelled
    }

    /// KILL, or the server stops, or the client is gone: the running request is to stop, and nothing is waited for.
    pub fn give_up(&self) {
        let mut streams = self.streams.lock();
        streams.given_up = true;
        if streams.running.is_some() {
            streams.is_cancelled = true;
            self.session.cancel();
        }
        self.wake_thread.notify_all();
    }
}

impl Stream {
    fn new(flow: Flow, input: MessageInput) -> Stream {
        Stream {
            flow,
            input,
            unread: 0,
            messages: VecDeque::new(),
            receives_parts: false,
            reads_parts: false,
            output: VecDeque::new(),
            held_bytes: 0,
            charges: Vec::new(),
            is_ending: false,
        }
    }

    /// Whole packets for the client.
    fn put(&mut self, mut packets: &[u8]) {
        if self.is_ending {
            return;
        }
        while let Some(header) = packets.first_chunk::<HEADER_BYTES>() {
            let length = usize::from(u16::from_be_bytes([header[2], header[3]]));
            let (packet, rest) = packets.split_at(length.clamp(HEADER_BYTES, packets.len()));
            self.held_bytes += packet.len();
            self.output.push_back(packet.to_vec());
            packets = rest;
        }
    }

    fn forget_output(&mut self) {
        (self.output, self.held_bytes, self.charges) = (VecDeque::new(), 0, Vec::new());
    }
}

/// The client of a request, by the stream that it came in.
pub struct StreamClient {
    hub: Arc<Hub>,
    number: u16,
}

impl StreamClient {
    /// The request has ended: what is left of its answer goes, and an attention that came meanwhile is acknowledged.
    pub fn end(&self, tail: &[u8]) {
        // The rows of a load that failed are still read to their end.
        while self.next_part().is_some() {}
        let mut streams = self.hub.streams.lock();
        let has_attention = self.hub.attention.load(Acquire);
        if let Some(stream) = streams.by_number.get_mut(&self.number) {
            stream.put(tail);
            if has_attention {
                let mut packets = Vec::new();
                self.hub.framing.acknowledge(&mut packets);
                stream.put(&packets);
            }
        }
        (streams.running, streams.is_cancelled) = (None, false);
        drop(streams);
        self.hub.wake_task.notify_one();
    }
}

impl Outlet for StreamClient {
    fn send(&self, packets: Vec<u8>, ends_row: bool) -> Result<(), NotSent> {
        let memory = self.hub.shared.engine.workspace();
        let mut streams = self.hub.streams.lock();
        // What the stream held when its client took something last, and when that was.
        let mut taken = (usize::MAX, Instant::now());
        loop {
            let (given_up, others_wait) = (streams.given_up, !streams.waiting.is_empty());
            let is_full = streams.is_full(self.number) && !self.hub.attention.load(Acquire);
            let stream = streams.by_number.get_mut(&self.number).filter(|stream| !stream.is_ending && !given_up);
            let Some(stream) = stream else { return Err(NotSent::Closed) };
            let charge = if is_full && others_wait { memory.charge(packets.len()).ok() } else { None };
            if !is_full || charge.is_some() {
                stream.charges.extend(charge);
                stream.put(&packets);
                self.hub.wake_task.notify_one();
                return Ok(());
            }
            if !others_wait || stream.held_bytes != taken.0 {
                taken = (stream.held_bytes, Instant::now());
            } else if ends_row && taken.1.elapsed() >= PATIENCE {
                stream.put(&packets);
                return Err(NotSent::NoMemory);
            }
            self.hub.wake_thread.wait_for(&mut streams, LOOK_AGAIN);
        }
    }
}

impl Streams {
    /// Whether a stream is to wait until its client takes some of what it holds.
    fn is_full(&self, number: u16) -> bool {
        let held = |stream: &Stream| stream.held_bytes;
        let own = self.by_number.get(&number).map_or(0, held);
        own >= HELD_BYTES_MAX
            || own >= SHARE_BYTES && self.by_number.values().map(held).sum::<usize>() >= HELD_TOGETHER_BYTES_MAX
    }
}

impl Client for StreamClient {
    fn next_part(&self) -> Option<Message> {
        let mut streams = self.hub.streams.lock();
        loop {
            let given_up = streams.given_up;
            let stream = streams.by_number.get_mut(&self.number).filter(|stream| stream.reads_parts)?;
            if let Some(Charged { message: part, .. }) = stream.messages.pop_front() {
                stream.reads_parts = part.has_more;
                self.hub.wake_task.notify_one();
                return Some(part);
            }
            if given_up || stream.is_ending || self.hub.attention.load(Acquire) {
                stream.reads_parts = false;
                return None;
            }
            self.hub.wake_thread.wait_for(&mut streams, LOOK_AGAIN);
        }
    }
}
