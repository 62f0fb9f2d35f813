//! Cases of an experiment with their figures, of one repetition and of all.
//!
//! ```text
//!   Case         name ─▶ figures by name: a number, a text, or nothing
//!   Repetition   cases, plots, effects: numbers that compare cases of the same repetition
//!   Samples      all repetitions: of each figure and effect the values, their median and spread
//! ```
//!
//! What always holds: units stand in the names of figures (`seconds`, `read_mb`); an effect is computed within a repetition,
//! so that what drifts between repetitions does not touch it. Knows nothing of what figures mean.

use serde_json::Value;

use crate::plot::Chart;
use crate::spread::Spread;

/// A case: figures under names.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    figures: Vec<(&'static str, Value)>,
}

impl Case {
    pub(crate) fn new(name: impl Into<String>) -> Case {
        Case { name: name.into(), figures: Vec::new() }
    }

    /// The same with a figure more.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<Value>) -> Case {
        self.figures.push((name, value.into()));
        self
    }

    fn figure(&self, name: &str) -> Option<&Value> {
        self.figures.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}

/// What one repetition came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repetition {
    /// In their order, which is the same in each repetition.
    pub(crate) cases: Vec<Case>,
    /// Likewise.
    pub(crate) charts: Vec<Chart>,
    /// Ratios and differences of cases, under names.
    pub(crate) effects: Vec<(&'static str, f64)>,
}

/// All repetitions of an experiment; at least one.
#[derive(Clone, Debug)]
pub(crate) struct Samples {
    repetitions: Vec<Repetition>,
}

/// A cell of the table of figures.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    /// Not measured in this case.
    Nothing,
    /// Of the first repetition.
    Text(String),
    /// Of all of them.
    Number(Spread),
}

impl Samples {
    pub(crate) fn new(repetitions: Vec<Repetition>) -> Samples {
        assert!(!repetitions.is_empty(), "an experiment is done at least once");
        Samples { repetitions }
    }

    /// How often it was done.
    pub(crate) fn count(&self) -> usize {
        self.repetitions.len()
    }

    /// Names of the cases.
    pub(crate) fn cases(&self) -> Vec<&str> {
        self.repetitions[0].cases.iter().map(|case| case.name.as_str()).collect()
    }

    /// Names of figures, in the order in which cases bring them.
    pub(crate) fn figures(&self) -> Vec<&'static str> {
        let mut names: Vec<&'static str> = Vec::new();
        for (name, _) in self.repetitions.iter().flat_map(|one| &one.cases).flat_map(|case| &case.figures) {
            if !names.contains(name) {
                names.push(name);
            }
        }
        names
    }

    /// A figure of a case in each repetition: JSON's null where there is none.
    pub(crate) fn values(&self, case: &str, figure: &str) -> Vec<Value> {
        let one = |repetition: &Repetition| {
            let case = repetition.cases.iter().find(|known| known.name == case);
            case.and_then(|case| case.figure(figure)).cloned().unwrap_or(Value::Null)
        };
        self.repetitions.iter().map(one).collect()
    }

    /// The same as a cell.
    pub(crate) fn cell(&self, case: &str, figure: &str) -> Cell {
        let values = self.values(case, figure);
        if let Some(spread) = Spread::of(values.iter().filter_map(Value::as_f64)) {
            return Cell::Number(spread);
        }
        let text = values.iter().find_map(Value::as_str);
        text.map_or(Cell::Nothing, |text| Cell::Text(text.to_owned()))
    }

    /// The same, if it is a number.
    pub(crate) fn spread(&self, case: &str, figure: &str) -> Option<Spread> {
        match self.cell(case, figure) {
            Cell::Number(spread) => Some(spread),
            Cell::Nothing | Cell::Text(_) => None,
        }
    }

    /// Names of the effects.
    pub(crate) fn effects(&self) -> Vec<&'static str> {
        self.repetitions[0].effects.iter().map(|(name, _)| *name).collect()
    }

    /// An effect in each repetition; what is no number is left out.
    pub(crate) fn effect_values(&self, name: &str) -> Vec<f64> {
        let all = self.repetitions.iter().flat_map(|one| &one.effects);
        all.filter(|(known, value)| *known == name && value.is_finite()).map(|(_, value)| *value).collect()
    }

    /// An effect; `None` when no repetition has it.
    pub(crate) fn effect(&self, name: &str) -> Option<Spread> {
        Spread::of(self.effect_values(name))
    }

    /// An effect as sentences have it: `2.1 (2..2.2)`, or that there is none.
    pub(crate) fn said(&self, name: &str) -> String {
        self.effect(name).map_or_else(|| "(not measured)".to_owned(), |spread| spread.to_string())
    }

    /// The plots of all repetitions as one each.
    pub(crate) fn charts(&self) -> Vec<Chart> {
        let at = |number: usize| {
            let all: Vec<Chart> = self.repetitions.iter().filter_map(|one| one.charts.get(number)).cloned().collect();
            Chart::merged(&all)
        };
        (0..self.repetitions[0].charts.len()).filter_map(at).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repetition(seconds: f64, effect: f64) -> Repetition {
        let cases =
            vec![Case::new("disk").with("seconds", seconds).with("note", "slow"), Case::new("ram").with("mb", 1)];
        Repetition { cases, charts: Vec::new(), effects: vec![("ratio", effect)] }
    }

    #[test]
    fn figures_of_all_repetitions_are_one_cell() {
        let samples = Samples::new(vec![repetition(3.0, 2.0), repetition(1.0, f64::NAN), repetition(2.0, 4.0)]);
        assert_eq!((samples.cases(), samples.figures()), (vec!["disk", "ram"], vec!["seconds", "note", "mb"]));
        assert_eq!(samples.cell("disk", "seconds"), Cell::Number(Spread { median: 2.0, low: 1.0, high: 3.0 }));
        assert_eq!(samples.cell("disk", "note"), Cell::Text("slow".into()));
        assert_eq!(samples.cell("ram", "seconds"), Cell::Nothing);
        assert_eq!(samples.values("disk", "seconds"), [3.0, 1.0, 2.0].map(Value::from));
        assert_eq!(samples.effect_values("ratio"), [2.0, 4.0]);
        assert_eq!((samples.said("ratio").as_str(), samples.said("other").as_str()), ("3 (2..4)", "(not measured)"));
    }
}
