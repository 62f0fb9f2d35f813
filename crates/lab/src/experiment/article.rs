//! What an experiment repeats: an article, and what of its numbers stands beside ours.
//!
//! What always holds: a ratio is formed of effects alone (this is so many times as fast as that), never of times or rates of
//! different machines; where the article has no number the table says so.

use crate::spread::Spread;

/// Where an experiment comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Article {
    /// Who wrote it.
    pub(crate) author: &'static str,
    /// Its title, or what it is where the title is not known.
    pub(crate) title: &'static str,
    /// When: a year, or what is known of it.
    pub(crate) year: &'static str,
    /// Where it is read, if that is known for certain.
    pub(crate) address: Option<&'static str>,
}

/// Tempdb on a RAM drive, and the question of several files, which its author leaves to a later one.
pub(crate) const ROGERSON: Article = Article {
    author: "Tony Rogerson",
    title: "Put TEMPDB on a RAM DRIVE; Short lived # tables - do they get written to disk?",
    year: "2006",
    address: None,
};

/// What the article says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Theirs {
    /// A number that was measured.
    Number(f64),
    /// Words.
    Words(&'static str),
    /// Nothing that can be read: why.
    Unreadable(&'static str),
}

/// What is here instead.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ours {
    /// Measured; `None` where it could not be.
    Number(Option<Spread>),
    /// Words.
    Words(String),
}

/// A row of the first table of a page.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    /// What is compared.
    what: String,
    /// Unit of both; empty for a number of times.
    unit: &'static str,
    theirs: Theirs,
    ours: Ours,
    /// Whether the quotient means something.
    is_effect: bool,
}

impl Comparison {
    /// An effect, a number of times: what the article saw, and ours.
    pub(crate) fn effect(what: impl Into<String>, theirs: f64, ours: Option<Spread>) -> Comparison {
        let (theirs, ours) = (Theirs::Number(theirs), Ours::Number(ours));
        Comparison { what: what.into(), unit: "×", theirs, ours, is_effect: true }
    }

    /// A time, rate or size of the article's machine beside ours: without a ratio.
    pub(crate) fn absolute(
        what: impl Into<String>,
        unit: &'static str,
        theirs: f64,
        ours: Option<Spread>,
    ) -> Comparison {
        let (theirs, ours) = (Theirs::Number(theirs), Ours::Number(ours));
        Comparison { what: what.into(), unit, theirs, ours, is_effect: false }
    }

    /// Something that the article says without a number, or in a chart.
    pub(crate) fn unnumbered(
        what: impl Into<String>,
        theirs: Theirs,
        unit: &'static str,
        ours: Option<Spread>,
    ) -> Comparison {
        Comparison { what: what.into(), unit, theirs, ours: Ours::Number(ours), is_effect: false }
    }

    /// Words beside words.
    pub(crate) fn words(what: impl Into<String>, theirs: Theirs, ours: impl Into<String>) -> Comparison {
        Comparison { what: what.into(), unit: "", theirs, ours: Ours::Words(ours.into()), is_effect: false }
    }

    /// Its four cells: what, article, ours, ours : article.
    pub(crate) fn cells(&self) -> [String; 4] {
        let with_unit = |text: String| match self.unit {
            "" => text,
            // Not broken between two lines.
            unit => format!("{text}\u{a0}{unit}"),
        };
        let theirs = match self.theirs {
            Theirs::Number(value) => with_unit(crate::plot::short(value)),
            Theirs::Words(words) => words.to_owned(),
            Theirs::Unreadable(why) => format!("no number: {why}"),
        };
        let ours = match &self.ours {
            Ours::Number(Some(spread)) => with_unit(spread.to_string()),
            Ours::Number(None) => "not measured".into(),
            Ours::Words(words) => words.clone(),
        };
        [self.what.clone(), theirs, ours, self.ratio().map_or_else(|| "–".into(), |ratio| ratio.to_string())]
    }

    /// Ours by the article's, of effects that both have.
    pub(crate) fn ratio(&self) -> Option<Spread> {
        match (self.theirs, &self.ours) {
            (Theirs::Number(theirs), Ours::Number(Some(ours))) if self.is_effect && theirs != 0.0 => {
                Some(ours.times(1.0 / theirs))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_effects_have_a_ratio() {
        let ours = Spread::of([20.0, 24.0, 26.0]);
        assert_eq!(
            Comparison::effect("RAM : disk", 12.0, ours).cells(),
            ["RAM : disk", "12\u{a0}×", "24 (20..26)\u{a0}×", "2 (1.67..2.17)"]
        );
        assert_eq!(
            Comparison::absolute("a read", "ms", 275.0, ours).cells(),
            ["a read", "275\u{a0}ms", "24 (20..26)\u{a0}ms", "–"]
        );
        assert_eq!(Comparison::effect("RAM : disk", 12.0, None).cells()[2..], ["not measured", "–"]);
        let unread = Comparison::unnumbered("writes", Theirs::Unreadable("a chart"), "×", ours);
        assert_eq!(unread.cells(), ["writes", "no number: a chart", "24 (20..26)\u{a0}×", "–"]);
        assert_eq!(
            Comparison::words("I/O", Theirs::Words("just about disappears"), "0 MB").cells()[1..3],
            ["just about disappears", "0 MB"]
        );
    }
}
