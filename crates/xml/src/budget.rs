//! What work over documents may cost: its owner counts steps and bytes, and may stop it.

/// Why work was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The answer is not wanted any more.
    Stopped,
    /// There is no memory for it.
    Memory,
}

/// The owner of some work.
pub trait Budget {
    /// A step more: a piece of markup, a node that is looked at, a value that is made.
    ///
    /// # Errors
    /// The work is to end.
    fn step(&mut self) -> Result<(), Halt>;

    /// So many bytes more are held up to the end of the work.
    ///
    /// # Errors
    /// The work is to end.
    fn take(&mut self, bytes: usize) -> Result<(), Halt>;
}

/// No bound: for short texts and tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unbounded;

impl Budget for Unbounded {
    fn step(&mut self) -> Result<(), Halt> {
        Ok(())
    }

    fn take(&mut self, _: usize) -> Result<(), Halt> {
        Ok(())
    }
}
