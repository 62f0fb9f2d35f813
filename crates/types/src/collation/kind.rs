//! The collations by name and number, and what counts in each.
//!
//! Those of Windows are ordered by the weights of the SQL collations, but for case: they put the lower case first.

use std::cmp::Ordering;

use super::weight::{LOWER, UPPER, Weight};
use crate::sql_type::CodePage;

/// A collation. All are of locale 1033; `varchar` is in code page 1252, or in UTF-8 in those named so.
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
    /// `Latin1_General_100_CI_AS_SC`: functions count characters, not UTF-16 units.
    ScCiAs,
    /// `Latin1_General_100_CS_AS_SC`
    ScCsAs,
    /// `Latin1_General_100_CI_AI_SC`
    ScCiAi,
    /// `Latin1_General_100_CS_AI_SC`
    ScCsAi,
    /// `Latin1_General_100_CI_AS_SC_UTF8`
    Utf8CiAs,
    /// `Latin1_General_100_CS_AS_SC_UTF8`
    Utf8CsAs,
    /// `Latin1_General_100_CI_AI_SC_UTF8`
    Utf8CiAi,
    /// `Latin1_General_100_CS_AI_SC_UTF8`
    Utf8CsAi,
    /// `Latin1_General_100_BIN2_UTF8`
    Utf8Bin2,
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
    pub const ALL: [Collation; 22] = [
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
        Collation::ScCiAs,
        Collation::ScCsAs,
        Collation::ScCiAi,
        Collation::ScCsAi,
        Collation::Utf8CiAs,
        Collation::Utf8CsAs,
        Collation::Utf8CiAi,
        Collation::Utf8CsAi,
        Collation::Utf8Bin2,
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
            Self::ScCiAs => "Latin1_General_100_CI_AS_SC",
            Self::ScCsAs => "Latin1_General_100_CS_AS_SC",
            Self::ScCiAi => "Latin1_General_100_CI_AI_SC",
            Self::ScCsAi => "Latin1_General_100_CS_AI_SC",
            Self::Utf8CiAs => "Latin1_General_100_CI_AS_SC_UTF8",
            Self::Utf8CsAs => "Latin1_General_100_CS_AS_SC_UTF8",
            Self::Utf8CiAi => "Latin1_General_100_CI_AI_SC_UTF8",
            Self::Utf8CsAi => "Latin1_General_100_CS_AI_SC_UTF8",
            Self::Utf8Bin2 => "Latin1_General_100_BIN2_UTF8",
        }
    }

    /// Whether texts compare by their code points alone.
    #[must_use]
    pub fn is_binary(self) -> bool {
        matches!(self, Self::Latin1Bin2 | Self::Windows100Bin2 | Self::Utf8Bin2)
    }

    /// The code page of `char` and `varchar`.
    #[must_use]
    pub fn page(self) -> CodePage {
        match self {
            Self::Utf8CiAs | Self::Utf8CsAs | Self::Utf8CiAi | Self::Utf8CsAi | Self::Utf8Bin2 => CodePage::Utf8,
            _ => CodePage::Cp1252,
        }
    }

    /// Whether functions count characters instead of UTF-16 units: those named `SC` or `UTF8`.
    #[must_use]
    pub fn is_supplementary(self) -> bool {
        matches!(self, Self::ScCiAs | Self::ScCsAs | Self::ScCiAi | Self::ScCsAi) || self.page() == CodePage::Utf8
    }

    /// The collation itself if it is of the code page, else the one of that code page that compares most like it.
    #[must_use]
    pub fn in_page(self, page: CodePage) -> Self {
        let (case, accents) = (self.is_case_sensitive(), self.is_accent_sensitive());
        match (page, self.page()) {
            (CodePage::Cp1252, CodePage::Cp1252) | (CodePage::Utf8, CodePage::Utf8) => self,
            (CodePage::Utf8, _) if self.is_binary() => Self::Utf8Bin2,
            (CodePage::Cp1252, _) if self.is_binary() => Self::Windows100Bin2,
            (CodePage::Utf8, _) => match (case, accents) {
                (false, true) => Self::Utf8CiAs,
                (true, true) => Self::Utf8CsAs,
                (false, false) => Self::Utf8CiAi,
                (true, false) => Self::Utf8CsAi,
            },
            (CodePage::Cp1252, _) => match (case, accents) {
                (false, true) => Self::ScCiAs,
                (true, true) => Self::ScCsAs,
                (false, false) => Self::ScCiAi,
                (true, false) => Self::ScCsAi,
            },
        }
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
            Self::Latin1CiAs
            | Self::Latin1CsAs
            | Self::Latin1Bin2
            | Self::Latin1CiAi
            | Self::WindowsCiAs
            | Self::WindowsCsAs
            | Self::WindowsCiAi
            | Self::WindowsCsAi => 0,
            _ => 2,
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

    /// Its number: locale in the lowest 20 bits, flags, version in the highest 4. `_SC` is not told.
    #[must_use]
    pub fn info(self) -> u32 {
        const LOCALE: u32 = 0x0409;
        const IGNORE_CASE: u32 = 1 << 20;
        const IGNORE_ACCENT: u32 = 1 << 21;
        const IGNORE_KANA_AND_WIDTH: u32 = 3 << 22;
        const BINARY_BY_CODE_POINT: u32 = 1 << 25;
        const UTF8: u32 = 1 << 26;
        const VERSION_SHIFT: u32 = 28;
        let flag = |is_set, bit| if is_set { bit } else { 0 };
        LOCALE
            | u32::from(self.version()) << VERSION_SHIFT
            | flag(self.page() == CodePage::Utf8, UTF8)
            | flag(self.is_binary(), BINARY_BY_CODE_POINT)
            | flag(!self.is_binary(), IGNORE_KANA_AND_WIDTH)
            | flag(!self.is_case_sensitive(), IGNORE_CASE)
            | flag(!self.is_accent_sensitive(), IGNORE_ACCENT)
    }

    /// None: code points.
    pub(super) fn rules(self) -> Option<Rules> {
        let (case, accents) = match self {
            Self::Latin1Bin2 | Self::Windows100Bin2 | Self::Utf8Bin2 => return None,
            Self::Latin1CiAs | Self::WindowsCiAs | Self::Windows100CiAs | Self::ScCiAs | Self::Utf8CiAs => {
                (CaseOrder::Ignored, true)
            }
            Self::Latin1CiAi | Self::WindowsCiAi | Self::Windows100CiAi | Self::ScCiAi | Self::Utf8CiAi => {
                (CaseOrder::Ignored, false)
            }
            Self::Latin1CsAs => (CaseOrder::UpperFirst, true),
            Self::WindowsCsAs | Self::Windows100CsAs | Self::ScCsAs | Self::Utf8CsAs => (CaseOrder::LowerFirst, true),
            Self::WindowsCsAi | Self::Windows100CsAi | Self::ScCsAi | Self::Utf8CsAi => (CaseOrder::LowerFirst, false),
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
        assert_eq!(Collation::by_number(22), None);
        assert_eq!(Collation::by_name("Latin1_General_CI_AS_UTF8"), None);
    }

    #[test]
    fn names_tell_the_code_page_and_what_is_counted() {
        for collation in Collation::ALL {
            let name = collation.name();
            assert_eq!(collation.page() == CodePage::Utf8, name.ends_with("_UTF8"), "{name}");
            assert_eq!(collation.is_supplementary(), name.contains("_SC") || name.ends_with("_UTF8"), "{name}");
            assert_eq!(collation.version() == 2, name.contains("_100_"), "{name}");
            for page in [CodePage::Cp1252, CodePage::Utf8] {
                let other = collation.in_page(page);
                assert_eq!(other.page(), page, "{name}");
                assert_eq!(other.is_binary(), collation.is_binary(), "{name}");
                assert_eq!(other.is_case_sensitive(), collation.is_case_sensitive(), "{name}");
                assert_eq!(other.is_accent_sensitive(), collation.is_accent_sensitive(), "{name}");
            }
        }
    }
}
