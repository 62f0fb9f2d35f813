//! What work over a document may cost: steps see the cancellation of the statement, and bytes are of the server's memory.

use millpond_catalog::run::Run;
use millpond_message as message;
use millpond_message::error::SqlError;
use millpond_types::{Charge, Stopped};
use millpond_xml::{Budget, Halt};

/// Bytes that are charged at once; less than that is not charged at all.
const BLOCK_BYTES: usize = 1 << 20;
/// Steps between two looks at the cancellation.
const STEPS: u32 = 4096;

/// The budget of a running statement.
pub struct StatementBudget<'r> {
    run: &'r dyn Run,
    steps: u32,
    /// Bytes that were taken since the last charge.
    open_bytes: usize,
    charges: Vec<Box<dyn Charge>>,
}

impl<'r> StatementBudget<'r> {
    /// The budget of a run.
    #[must_use]
    pub fn new(run: &'r dyn Run) -> StatementBudget<'r> {
        StatementBudget { run, steps: 0, open_bytes: 0, charges: Vec::new() }
    }

    /// What was charged, to be held as long as what was made.
    #[must_use]
    pub fn into_charges(self) -> Vec<Box<dyn Charge>> {
        self.charges
    }

    /// The error of work that was given up.
    #[must_use]
    pub fn error(halt: Halt) -> SqlError {
        match halt {
            Halt::Stopped => Stopped.into(),
            Halt::Memory => message::out_of_memory(),
        }
    }
}

impl Budget for StatementBudget<'_> {
    fn step(&mut self) -> Result<(), Halt> {
        self.steps += 1;
        if self.steps < STEPS {
            return Ok(());
        }
        self.steps = 0;
        self.run.watch().check().map_err(|Stopped| Halt::Stopped)
    }

    fn take(&mut self, bytes: usize) -> Result<(), Halt> {
        self.open_bytes += bytes;
        if self.open_bytes < BLOCK_BYTES {
            return Ok(());
        }
        let bytes = std::mem::take(&mut self.open_bytes);
        self.charges.push(self.run.take_bytes(bytes).map_err(|_| Halt::Memory)?);
        Ok(())
    }
}
