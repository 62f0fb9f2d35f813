//! The collations by name and number, and what counts in each.
//!
//! Those of Windows are ordered by the weights of the SQL collations, but for case: they put the lower case first.

use std::cmp::Ordering;

use super::weight::{LOWER, UPPER, Weight};

/// A collation. All are of code page 1252 and locale 1033.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Collation {
    /// `SQL_Latin1_General_CP1_CI_AS`: case does not count.
    #[default]
    Latin1CiAs,
    /// `SQL_Latin1_General_CP1_CS_AS`: case counts last, upper case first.
    Latin1CsAs,
    /// `Latin1_General_BIN2`: code points.
    Latin1Bin2,
    /// `SQL_Latin1_General_CP1_CI_AI`: neither case nor accents count.
    Latin1CiAi,
    /// `Latin1_General_CI_AS`
    WindowsCiAs,
    /// `Latin1_General_CS_AS`: lower case first.
    WindowsCsAs,
    /// `Latin1_General_CI_AI`
    WindowsCiAi,
    /// `Latin1_General_CS_AI`
    WindowsCsAi,
    /// `Latin1_General_100_CI_AS`
    Windows100CiAs,
    /// `Latin1_General_100_CS_AS`
    Windows100CsAs,
    /// `Latin1_General_100_CI_AI`
    Windows100CiAi,
    /// `Latin1_General_100_CS_AI`
    Windows100CsAi,
    /// `Latin1_General_100_BIN2`
    Windows100Bin2,
}

/// What the case of letters does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CaseOrder {
    Ignored,
    UpperFirst,
    LowerFirst,
}

/// What counts beside letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rules {
    pub(super) case: CaseOrder,
    pub(super) accents: bool,
}

impl CaseOrder {
    /// The order of two texts that differ in case, `upper_first` being that of the upper case before the lower.
    pub(super) fn of(self, upper_first: Ordering) -> Ordering {
        match self {
            CaseOrder::Ignored => Ordering::Equal,
            CaseOrder::UpperFirst => upper_first,
            CaseOrder::LowerFirst => upper_first.reverse(),
        }
    }

    /// A weight's case as a key has it: the least is [`UPPER`].
    pub(super) fn key(self, case: u8) -> u8 {
        if self == CaseOrder::LowerFirst { UPPER + LOWER - case } else { case }
    }
}

impl Rules {
    /// What a character counts.
    pub(super) fn weigh(self, c: char) -> Weight {
        let weight = Weight::of(c);
        if self.accents { weight } else { weight.without_accent(c) }
    }
}

impl Collation {
    /// All of them, by number.
    pub const ALL: [Collation; 13] = [
        Collation::Latin1CiAs,
        Collation::Latin1CsAs,
        Collation::Latin1Bin2,
        Collation::Latin1CiAi,
        Collation::WindowsCiAs,
        Collation::WindowsCsAs,
        Collation::WindowsCiAi,
        Collation::WindowsCsAi,
        Collation::Windows100CiAs,
        Collation::Windows100CsAs,
        Collation::Windows100CiAi,
        Collation::Windows100CsAi,
        Collation::Windows100Bin2,
    ];

    /// The collation of a name, in any case. `_BIN` is taken for `_BIN2`.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        let known = Self::ALL.into_iter().find(|collation| collation.name().eq_ignore_ascii_case(name));
        known.or_else(|| match name.to_ascii_lowercase().as_str() {
            "database_default" => Some(Self::Latin1CiAs),
            "latin1_general_bin" => Some(Self::Latin1Bin2),
            "latin1_general_100_bin" => Some(Self::Windows100Bin2),
            _ => None,
        })
    }

    /// The collation of its number, `collation as u8`, which is stored with texts of a `sql_variant`.
    #[must_use]
    pub fn by_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Latin1CiAs => "SQL_Latin1_General_CP1_CI_AS",
            Self::Latin1CsAs => "SQL_Latin1_General_CP1_CS_AS",
            Self::Latin1Bin2 => "Latin1_General_BIN2",
            Self::Latin1CiAi => "SQL_Latin1_General_CP1_CI_AI",
            Self::WindowsCiAs => "Latin1_General_CI_AS",
            Self::WindowsCsAs => "Latin1_General_CS_AS",
            Self::WindowsCiAi => "Latin1_General_CI_AI",
            Self::WindowsCsAi => "Latin1_General_CS_AI",
            Self::Windows100CiAs => "Latin1_General_100_CI_AS",
            Self::Windows100CsAs => "Latin1_General_100_CS_AS",
            Self::Windows100CiAi => "Latin1_General_100_CI_AI",
            Self::Windows100CsAi => "Latin1_General_100_CS_AI",
            Self::Windows100Bin2 => "Latin1_General_100_BIN2",
        }
    }

    /// Whether texts compare by their code points alone.
    #[must_use]
    pub fn is_binary(self) -> bool {
        matches!(self, Self::Latin1Bin2 | Self::Windows100Bin2)
    }

    /// Whether upper and lower case differ.
    #[must_use]
    pub fn is_case_sensitive(self) -> bool {
        self.rules().is_none_or(|rules| rules.case != CaseOrder::Ignored)
    }

    /// Whether letters with different accents differ.
    #[must_use]
    pub fn is_accent_sensitive(self) -> bool {
        self.rules().is_none_or(|rules| rules.accents)
    }

    /// The version of the collation's rules: 2 for those named `100`.
    #[must_use]
    pub fn version(self) -> u8 {
        match self {
            Self::Windows100CiAs
            | Self::Windows100CsAs
            | Self::Windows100CiAi
            | Self::Windows100CsAi
            | Self::Windows100Bin2 => 2,
            _ => 0,
        }
    }

    /// The number of the SQL collations' sort orders; 0 for those of Windows.
    #[must_use]
    pub fn sort_id(self) -> u8 {
        match self {
            Self::Latin1CiAs => 52,
            Self::Latin1CsAs => 51,
            Self::Latin1CiAi => 54,
            _ => 0,
        }
    }

    /// None: code points.
    pub(super) fn rules(self) -> Option<Rules> {
        let (case, accents) = match self {
            Self::Latin1Bin2 | Self::Windows100Bin2 => return None,
            Self::Latin1CiAs | Self::WindowsCiAs | Self::Windows100CiAs => (CaseOrder::Ignored, true),
            Self::Latin1CiAi | Self::WindowsCiAi | Self::Windows100CiAi => (CaseOrder::Ignored, false),
            Self::Latin1CsAs => (CaseOrder::UpperFirst, true),
            Self::WindowsCsAs | Self::Windows100CsAs => (CaseOrder::LowerFirst, true),
            Self::WindowsCsAi | Self::Windows100CsAi => (CaseOrder::LowerFirst, false),
        };
        Some(Rules { case, accents })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_lead_back() {
        for collation in Collation::ALL {
            assert_eq!(Collation::by_number(collation as u8), Some(collation));
            assert_eq!(Collation::by_name(&collation.name().to_uppercase()), Some(collation));
        }
        assert_eq!(Collation::by_number(13), None);
        assert_eq!(Collation::by_name("Latin1_General_100_CI_AS_SC_UTF8"), None);
    }
}
