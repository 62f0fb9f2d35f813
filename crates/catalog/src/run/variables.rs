//! The values of a run's variables, and where the characters of long texts among them are, once a function has asked.
//!
//! V1: what is known of a text goes when its variable may get another value: every change goes through
//! [`IndexMut`].

use std::ops::{Deref, Index, IndexMut};
use std::sync::OnceLock;

use millpond_types::{Stopped, Value, Watch};

use super::Places;

/// By slot.
#[derive(Debug, Default)]
pub struct VariableValues {
    values: Vec<Value>,
    /// By slot too; made when it is first asked for.
    places: OnceLock<Box<[OnceLock<Option<Places>>]>>,
}

impl VariableValues {
    /// The places of a variable's value; none where that is no long text.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn places(&self, slot: usize, watch: Watch<'_>) -> Result<Option<&Places>, Stopped> {
        let Some(Value::Str(text)) = self.values.get(slot) else { return Ok(None) };
        if !Places::is_long(text) {
            return Ok(None);
        }
        let places = self.places.get_or_init(|| self.values.iter().map(|_| OnceLock::new()).collect());
        if let Some(known) = places[slot].get() {
            return Ok(known.as_ref());
        }
        let made = Places::of(watch, &self.values[slot])?;
        Ok(places[slot].get_or_init(|| made).as_ref())
    }

    /// The values.
    #[must_use]
    pub fn as_slice(&self) -> &[Value] {
        &self.values
    }
}

impl From<Vec<Value>> for VariableValues {
    fn from(values: Vec<Value>) -> VariableValues {
        VariableValues { values, places: OnceLock::new() }
    }
}

/// What is known of the texts is not copied.
impl Clone for VariableValues {
    fn clone(&self) -> VariableValues {
        self.values.clone().into()
    }
}

impl Deref for VariableValues {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.values
    }
}

impl Index<usize> for VariableValues {
    type Output = Value;

    #[inline]
    fn index(&self, slot: usize) -> &Value {
        &self.values[slot]
    }
}

impl IndexMut<usize> for VariableValues {
    #[inline]
    fn index_mut(&mut self, slot: usize) -> &mut Value {
        if let Some(places) = self.places.get_mut() {
            places[slot].take();
        }
        &mut self.values[slot]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_go_with_the_value() {
        let long = |text: &str| Value::str(&text.repeat(5_000));
        let mut values = VariableValues::from(vec![long("é"), Value::str("short"), Value::Null]);
        let is_known =
            |values: &VariableValues, slot| values.places(slot, Watch::NONE).expect("nothing cancels it").is_some();
        assert!(is_known(&values, 0) && !is_known(&values, 1) && !is_known(&values, 2) && !is_known(&values, 9));
        values[0] = Value::str("short");
        assert!(!is_known(&values, 0));
        values[1] = long("ab");
        assert!(is_known(&values, 1) && !is_known(&values, 2));
        assert!(is_known(&values.clone(), 1));
    }
}
