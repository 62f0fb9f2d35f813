//! Sets of the inputs of a cluster of joins, however many they are.
//!
//! What always holds: the last word of a set is not zero, so equal sets have equal words.

/// A set of inputs by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputSet {
    /// A bit for each input, 64 to a word.
    words: Vec<u64>,
}

impl InputSet {
    /// The set of one input.
    pub fn one(input: usize) -> InputSet {
        let mut set = InputSet::default();
        set.insert(input);
        set
    }

    /// Adds one.
    pub fn insert(&mut self, input: usize) {
        let word = input / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (input % 64);
    }

    /// Takes one out.
    pub fn remove(&mut self, input: usize) {
        if let Some(word) = self.words.get_mut(input / 64) {
            *word &= !(1 << (input % 64));
        }
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }

    /// Whether it has that one.
    #[must_use]
    pub fn contains(&self, input: usize) -> bool {
        self.words.get(input / 64).is_some_and(|word| word >> (input % 64) & 1 == 1)
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How many it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The inputs of both.
    pub fn union(&self, other: &InputSet) -> InputSet {
        let (long, short) = if self.words.len() < other.words.len() { (other, self) } else { (self, other) };
        let mut words = long.words.clone();
        words.iter_mut().zip(&short.words).for_each(|(word, other)| *word |= other);
        InputSet { words }
    }

    /// Whether an input is in both.
    pub fn meets(&self, other: &InputSet) -> bool {
        self.words.iter().zip(&other.words).any(|(word, other)| word & other != 0)
    }

    /// Whether each input is in one of the others.
    pub fn is_within(&self, one: &InputSet, other: &InputSet) -> bool {
        let word_of = |set: &InputSet, index: usize| set.words.get(index).copied().unwrap_or(0);
        self.words.iter().enumerate().all(|(index, word)| word & !(word_of(one, index) | word_of(other, index)) == 0)
    }

    /// The inputs, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.words.len() * 64).filter(|input| self.contains(*input))
    }
}

#[cfg(test)]
mod tests {
    use super::InputSet;

    #[test]
    fn sets_know_their_inputs_beyond_one_word() {
        let wanted = [0usize, 1, 62, 63, 64, 65, 127, 128, 255, 256, 300];
        let mut set = InputSet::default();
        assert!(set.is_empty());
        wanted.iter().for_each(|input| set.insert(*input));
        assert_eq!(set.iter().collect::<Vec<_>>(), wanted);
        assert_eq!(set.len(), wanted.len());
        assert!(!set.contains(2) && !set.contains(1000));
    }

    #[test]
    fn unions_and_parts_are_those_of_sets() {
        let (low, high) = (InputSet::one(3), InputSet::one(200));
        let both = low.union(&high);
        assert_eq!(both, high.union(&low));
        assert!(both.meets(&high) && both.meets(&low) && !low.meets(&high));
        assert!(both.is_within(&low, &high) && both.is_within(&high, &low));
        assert!(!both.is_within(&low, &low) && !both.is_within(&high, &InputSet::default()));
        assert!(InputSet::default().is_within(&low, &low) && !InputSet::default().meets(&both));
    }
}
