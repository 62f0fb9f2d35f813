//! Things of a block that are identified by what they say, each once: the aggregates of a query, its calls over windows.

use std::collections::HashMap;
use std::fmt::Debug;
use std::ops::Deref;

/// In the order in which they came first.
#[derive(Clone, Debug)]
pub struct Numbered<T> {
    all: Vec<T>,
    /// By what they say: one of thousands is found without a look at the others.
    numbers: HashMap<String, usize>,
}

impl<T: Debug> Numbered<T> {
    /// The number of a thing, which is added if it is a new one.
    pub fn number(&mut self, one: T) -> usize {
        let next = self.all.len();
        let number = *self.numbers.entry(format!("{one:?}")).or_insert(next);
        if number == next {
            self.all.push(one);
        }
        number
    }

    pub fn into_vec(self) -> Vec<T> {
        self.all
    }
}

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered { all: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T> Deref for Numbered<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.all
    }
}
