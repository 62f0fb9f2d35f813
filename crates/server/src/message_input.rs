//! Messages of a client, put together from its bytes; long ones are charged to the server's memory while they are read.

use std::sync::Arc;

use millpond_engine::memory::Workspace;
use millpond_tds::TdsError;
use millpond_tds::packet::{Message, MessageReader};
use millpond_types::Charge;
use millpond_types::long::LONG_BYTES;

/// The reader of one stream of packets.
pub struct MessageInput {
    reader: MessageReader,
    /// The server's memory, of which long messages are charged; none before the login.
    memory: Option<Arc<Workspace>>,
    /// Of the message that is read, or was read last.
    charges: Vec<Box<dyn Charge>>,
    charged_bytes: usize,
}

impl MessageInput {
    /// One that reads messages of at most `bound_bytes`, and charges none.
    pub fn new(bound_bytes: usize) -> Self {
        Self { reader: MessageReader::new(bound_bytes), memory: None, charges: Vec::new(), charged_bytes: 0 }
    }

    /// From now on long messages are charged, and those of more bytes come without their payload.
    pub fn charge(&mut self, message_bytes_max: usize, memory: &Arc<Workspace>) {
        self.reader.cut_beyond(message_bytes_max);
        self.memory = Some(Arc::clone(memory));
    }

    /// Whether a part of a message has arrived.
    pub fn is_inside_message(&self) -> bool {
        self.reader.is_inside_message()
    }

    /// The charges of the message that was read last, for whoever keeps it while others are read.
    pub fn take_charges(&mut self) -> Vec<Box<dyn Charge>> {
        self.charged_bytes = 0;
        std::mem::take(&mut self.charges)
    }

    /// Packets that came since it was asked last.
    pub fn take_packets(&mut self) -> u64 {
        self.reader.take_packets()
    }

    /// Consumes from `input` until a message is whole.
    ///
    /// # Errors
    /// The frame is lost: the connection is to be closed.
    pub fn next(&mut self, input: &mut &[u8]) -> Result<Option<Message>, TdsError> {
        if !self.reader.is_inside_message() {
            self.forget_charges();
        }
        let message = self.reader.read(input);
        self.settle_memory();
        message
    }

    /// Charges what the message that is read takes beyond what it took at the last look.
    fn settle_memory(&mut self) {
        let held = self.reader.held_bytes();
        if held < LONG_BYTES || held <= self.charged_bytes {
            return;
        }
        let Some(memory) = &self.memory else { return };
        match memory.charge(held - self.charged_bytes) {
            Ok(charge) => {
                self.charges.push(charge);
                self.charged_bytes = held;
            }
            Err(_) => {
                self.reader.drop_message();
                self.forget_charges();
            }
        }
    }

    fn forget_charges(&mut self) {
        if self.charged_bytes > 0 {
            self.charges.clear();
            self.charged_bytes = 0;
        }
    }
}
