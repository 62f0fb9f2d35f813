//! What a collation is: its locale, version and what it ignores, in 32 bits.
//!
//! ```text
//!  0          8                16          25         27        29
//!  ├ SQL_ (8) ┼ designator (8) ┼ flags (9) ┼ version  ┼ order   ┤
//! ```
//!
//! `SQL_` is 0 for a collation of Windows and else a place in [`SQL_COLLATIONS`], from 1; the designator is a place in
//! [`DESIGNATORS`]. The order is how texts compare, and follows from the rest.
//!
//! Two collations are equal exactly when they have one name. Numbers 0 to 21 in stored texts of a `sql_variant` are of
//! the time when there were 22 collations and stay theirs.

use super::list::{
    DESIGNATORS, Designator, LATIN1_GENERAL, RULES, SQL_COLLATIONS, SQL_LATIN1_CI_AI, SQL_LATIN1_CI_AS,
    SQL_LATIN1_CS_AS, SqlCollation, Style, V80, V90, V100, V140, place,
};
use crate::sql_type::{CodePage, SqlType};

/// A collation. Its default is `SQL_Latin1_General_CP1_CI_AS`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Collation(u32);

const DESIGNATOR_SHIFT: u32 = 8;
pub(super) const IGNORE_CASE: u32 = 1 << 16;
pub(super) const IGNORE_ACCENT: u32 = 1 << 17;
pub(super) const IGNORE_KANA: u32 = 1 << 18;
pub(super) const IGNORE_WIDTH: u32 = 1 << 19;
/// `_VSS`
pub(super) const SELECTORS: u32 = 1 << 20;
/// Functions count characters: `_SC`, and all of version 140.
pub(super) const SUPPLEMENTARY: u32 = 1 << 21;
pub(super) const UTF8: u32 = 1 << 22;
pub(super) const BIN: u32 = 1 << 23;
pub(super) const BIN2: u32 = 1 << 24;
const VERSION_SHIFT: u32 = 25;
const ORDER_SHIFT: u32 = 27;
/// A number of this layout has it, one of the 22 has not.
const NEW_NUMBER: u32 = 1 << 31;

/// How texts compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// By the weights of code page 1252.
    Weights,
    /// By the rules of a locale.
    Locale,
    /// By code points.
    CodePoints,
}

/// Those that the first version of stored texts knew, by number.
pub(super) const FIRST: [Collation; 22] = [
    Collation::LATIN1_CI_AS,
    Collation::LATIN1_CS_AS,
    Collation::LATIN1_BIN2,
    Collation::LATIN1_CI_AI,
    Collation::WINDOWS_CI_AS,
    Collation::WINDOWS_CS_AS,
    Collation::WINDOWS_CI_AI,
    Collation::WINDOWS_CS_AI,
    Collation::WINDOWS_100_CI_AS,
    Collation::WINDOWS_100_CS_AS,
    Collation::WINDOWS_100_CI_AI,
    Collation::WINDOWS_100_CS_AI,
    Collation::WINDOWS_100_BIN2,
    Collation::SC_CI_AS,
    Collation::SC_CS_AS,
    Collation::SC_CI_AI,
    Collation::SC_CS_AI,
    Collation::UTF8_CI_AS,
    Collation::UTF8_CS_AS,
    Collation::UTF8_CI_AI,
    Collation::UTF8_CS_AI,
    Collation::UTF8_BIN2,
];

const CI_AS: u32 = IGNORE_CASE;
const CS_AS: u32 = 0;
const CI_AI: u32 = IGNORE_CASE | IGNORE_ACCENT;
const CS_AI: u32 = IGNORE_ACCENT;
const SC: u32 = SUPPLEMENTARY;
const SC_UTF8: u32 = SUPPLEMENTARY | UTF8;

const fn latin1(version: u8, flags: u32) -> Collation {
    let flags = if flags & (BIN | BIN2) != 0 { flags } else { flags | IGNORE_KANA | IGNORE_WIDTH };
    Collation::windows(LATIN1_GENERAL, version, flags)
}

impl Collation {
    /// `SQL_Latin1_General_CP1_CI_AS`: case does not count.
    pub const LATIN1_CI_AS: Self = Self::sql(SQL_LATIN1_CI_AS);
    /// `SQL_Latin1_General_CP1_CS_AS`: case counts last, upper case first.
    pub const LATIN1_CS_AS: Self = Self::sql(SQL_LATIN1_CS_AS);
    /// `SQL_Latin1_General_CP1_CI_AI`: neither case nor accents count.
    pub const LATIN1_CI_AI: Self = Self::sql(SQL_LATIN1_CI_AI);
    /// `Latin1_General_BIN2`: code points.
    pub const LATIN1_BIN2: Self = latin1(V80, BIN2);
    /// `Latin1_General_CI_AS`
    pub const WINDOWS_CI_AS: Self = latin1(V80, CI_AS);
    /// `Latin1_General_CS_AS`: lower case first.
    pub const WINDOWS_CS_AS: Self = latin1(V80, CS_AS);
    /// `Latin1_General_CI_AI`
    pub const WINDOWS_CI_AI: Self = latin1(V80, CI_AI);
    /// `Latin1_General_CS_AI`
    pub const WINDOWS_CS_AI: Self = latin1(V80, CS_AI);
    /// `Latin1_General_100_CI_AS`
    pub const WINDOWS_100_CI_AS: Self = latin1(V100, CI_AS);
    /// `Latin1_General_100_CS_AS`
    pub const WINDOWS_100_CS_AS: Self = latin1(V100, CS_AS);
    /// `Latin1_General_100_CI_AI`
    pub const WINDOWS_100_CI_AI: Self = latin1(V100, CI_AI);
    /// `Latin1_General_100_CS_AI`
    pub const WINDOWS_100_CS_AI: Self = latin1(V100, CS_AI);
    /// `Latin1_General_100_BIN2`
    pub const WINDOWS_100_BIN2: Self = latin1(V100, BIN2);
    /// `Latin1_General_100_CI_AS_SC`: functions count characters, not UTF-16 units.
    pub const SC_CI_AS: Self = latin1(V100, CI_AS | SC);
    /// `Latin1_General_100_CS_AS_SC`
    pub const SC_CS_AS: Self = latin1(V100, CS_AS | SC);
    /// `Latin1_General_100_CI_AI_SC`
    pub const SC_CI_AI: Self = latin1(V100, CI_AI | SC);
    /// `Latin1_General_100_CS_AI_SC`
    pub const SC_CS_AI: Self = latin1(V100, CS_AI | SC);
    /// `Latin1_General_100_CI_AS_SC_UTF8`
    pub const UTF8_CI_AS: Self = latin1(V100, CI_AS | SC_UTF8);
    /// `Latin1_General_100_CS_AS_SC_UTF8`
    pub const UTF8_CS_AS: Self = latin1(V100, CS_AS | SC_UTF8);
    /// `Latin1_General_100_CI_AI_SC_UTF8`
    pub const UTF8_CI_AI: Self = latin1(V100, CI_AI | SC_UTF8);
    /// `Latin1_General_100_CS_AI_SC_UTF8`
    pub const UTF8_CS_AI: Self = latin1(V100, CS_AI | SC_UTF8);
    /// `Latin1_General_100_BIN2_UTF8`
    pub const UTF8_BIN2: Self = latin1(V100, BIN2 | UTF8);

    /// One of Windows' collations by its parts, which are taken as they are.
    pub(super) const fn windows(designator: u8, version: u8, flags: u32) -> Self {
        let order = if flags & (BIN | BIN2) != 0 { Order::CodePoints } else { Order::Locale };
        let version = (version as u32) << VERSION_SHIFT;
        Self((designator as u32) << DESIGNATOR_SHIFT | flags | version | (order as u32) << ORDER_SHIFT)
    }

    /// The collation at a place of [`SQL_COLLATIONS`].
    pub(super) const fn sql(at: u8) -> Self {
        let row = &SQL_COLLATIONS[at as usize];
        let flags = match row.style {
            Style::CiAs => CI_AS | IGNORE_KANA | IGNORE_WIDTH,
            Style::CsAs => CS_AS | IGNORE_KANA | IGNORE_WIDTH,
            Style::CiAi => CI_AI | IGNORE_KANA | IGNORE_WIDTH,
            Style::Bin => BIN,
            Style::Bin2 => BIN2,
        };
        let order = match row.style {
            Style::Bin | Style::Bin2 => Order::CodePoints,
            _ if row.designator == LATIN1_GENERAL && matches!(row.page, CodePage::Cp1252) => Order::Weights,
            _ => Order::Locale,
        };
        let designator = (row.designator as u32) << DESIGNATOR_SHIFT;
        Self((at as u32 + 1) | designator | flags | (order as u32) << ORDER_SHIFT)
    }

    /// The collation of its [`Collation::number`].
    #[must_use]
    pub fn by_number(number: u32) -> Option<Self> {
        if let Some(first) = FIRST.get(number as usize) {
            return Some(*first);
        }
        let collation = Self(number & !NEW_NUMBER);
        (number & NEW_NUMBER != 0 && collation.is_one()).then_some(collation)
    }

    /// Whether the bits are those of a collation that has a name.
    fn is_one(self) -> bool {
        match self.0 as u8 {
            0 => {
                let of = usize::from(self.designator_place());
                let Some(designator) = DESIGNATORS.get(of) else { return false };
                let flags = self.0 & (VSS_AND_BELOW | SUPPLEMENTARY | UTF8 | BIN | BIN2);
                self == Self::windows(of as u8, self.version(), flags) && has_name(designator, self.version(), flags)
            }
            at => usize::from(at) <= SQL_COLLATIONS.len() && self == Self::sql(at - 1),
        }
    }

    /// Its number in stored texts of a `sql_variant`, and among arguments of functions.
    #[must_use]
    pub fn number(self) -> u32 {
        let first = FIRST.iter().position(|first| *first == self);
        first.map_or(self.0 | NEW_NUMBER, |first| first as u32)
    }

    pub(super) fn designator_place(self) -> u8 {
        (self.0 >> DESIGNATOR_SHIFT) as u8
    }

    pub(super) fn designator(self) -> &'static Designator {
        &DESIGNATORS[usize::from(self.designator_place())]
    }

    /// The locale whose rules order its texts.
    pub(super) fn locale(self) -> &'static str {
        self.designator().locale
    }

    /// The same for all collations of one locale.
    #[inline]
    pub(super) fn rules_place(self) -> u8 {
        RULES[usize::from(self.designator_place())]
    }

    /// What is listed of it, if it is no collation of Windows.
    pub(super) fn older(self) -> Option<&'static SqlCollation> {
        usize::from(self.0 as u8).checked_sub(1).map(|at| &SQL_COLLATIONS[at])
    }

    #[inline]
    pub(super) const fn has(self, flags: u32) -> bool {
        self.0 & flags != 0
    }

    #[inline]
    pub(super) const fn order(self) -> Order {
        match self.0 >> ORDER_SHIFT {
            0 => Order::Weights,
            1 => Order::Locale,
            _ => Order::CodePoints,
        }
    }

    /// Whether texts compare by weights and without case, as the default collation has it.
    #[inline]
    pub(super) const fn folds_by_weight(self) -> bool {
        self.0 & (3 << ORDER_SHIFT | IGNORE_CASE) == IGNORE_CASE
    }

    /// Whether texts compare by their code points alone: `_BIN` and `_BIN2`.
    #[must_use]
    pub fn is_binary(self) -> bool {
        self.has(BIN | BIN2)
    }

    /// Whether texts compare by the rules of a locale, so that keys of them are of those rules' version
    /// ([`super::SORT_KEYS`]).
    #[must_use]
    pub fn is_of_locale(self) -> bool {
        self.order() == Order::Locale
    }

    /// Whether it is of `nchar` and `nvarchar` alone (459).
    #[must_use]
    pub fn is_unicode_only(self) -> bool {
        self.older().is_none() && self.designator().page.is_none() && !self.has(UTF8)
    }

    /// The code page of `char` and `varchar`; of a collation of Unicode texts alone the default one.
    #[must_use]
    pub fn page(self) -> CodePage {
        if self.has(UTF8) {
            return CodePage::Utf8;
        }
        match self.older() {
            Some(older) => older.page,
            None => self.designator().page.unwrap_or_default(),
        }
    }

    /// The code page as COLLATIONPROPERTY shows it: 0 for none.
    #[must_use]
    pub fn page_number(self) -> i32 {
        if self.is_unicode_only() { 0 } else { self.page().number() }
    }

    /// Whether functions count characters instead of UTF-16 units: those named `SC` or `UTF8`, and version 140.
    #[must_use]
    pub fn is_supplementary(self) -> bool {
        self.has(SUPPLEMENTARY | UTF8)
    }

    /// Whether upper and lower case differ.
    #[must_use]
    pub fn is_case_sensitive(self) -> bool {
        !self.has(IGNORE_CASE)
    }

    /// Whether letters with different accents differ.
    #[must_use]
    pub fn is_accent_sensitive(self) -> bool {
        !self.has(IGNORE_ACCENT)
    }

    /// Whether Hiragana and Katakana differ.
    #[must_use]
    pub fn is_kana_sensitive(self) -> bool {
        !self.has(IGNORE_KANA)
    }

    /// Whether the half and the full width of a character differ.
    #[must_use]
    pub fn is_width_sensitive(self) -> bool {
        !self.has(IGNORE_WIDTH)
    }

    /// The version of the collation's rules: 0 to 3 for names without one, `90`, `100` and `140`.
    #[must_use]
    pub fn version(self) -> u8 {
        (self.0 >> VERSION_SHIFT) as u8 & 3
    }

    /// The number of the SQL collations' sort orders; 0 for those of Windows.
    #[must_use]
    pub fn sort_id(self) -> u8 {
        self.older().map_or(0, |older| older.sort_id)
    }

    /// The locale's number.
    #[must_use]
    pub fn lcid(self) -> u32 {
        self.designator().lcid
    }

    /// Its number on the wire: locale in the lowest 20 bits, flags, version in the highest 4. `_SC` and `_VSS` have no
    /// flag.
    #[must_use]
    pub fn info(self) -> u32 {
        let flag = |is_set, bit: u32| if is_set { 1 << bit } else { 0 };
        self.lcid()
            | flag(self.has(IGNORE_CASE), 20)
            | flag(self.has(IGNORE_ACCENT), 21)
            | flag(self.has(IGNORE_KANA), 22)
            | flag(self.has(IGNORE_WIDTH), 23)
            | flag(self.has(BIN), 24)
            | flag(self.has(BIN2), 25)
            | flag(self.has(UTF8), 26)
            | u32::from(self.version()) << 28
    }

    /// As texts of a type have it: the one like it of their code page; the default one where the type has no texts.
    #[must_use]
    pub fn of_type(self, sql: &SqlType) -> Self {
        match *sql {
            SqlType::Char { page, .. } | SqlType::VarChar { page, .. } => self.in_page(page),
            _ if sql.is_string() => self,
            _ => Self::default(),
        }
    }

    /// The collation itself if it is of the code page, else the one of that code page that compares most like it.
    #[must_use]
    pub fn in_page(self, page: CodePage) -> Self {
        if self.page() == page {
            return self;
        }
        let flags = self.0 & VSS_AND_BELOW;
        if page == CodePage::Utf8 {
            return self.in_utf8(flags);
        }
        if matches!(page, CodePage::Cp437 | CodePage::Cp850) {
            return Self::older_in(page, self);
        }
        let (of, version) = match self.designator().page {
            Some(own) if own == page && self.older().is_none() => (self.designator_place(), self.version()),
            _ => (first_of(page), if page == CodePage::Cp1252 { V100 } else { V80 }),
        };
        if self.is_binary() {
            return Self::windows(of, version, self.0 & (BIN | BIN2));
        }
        let supplementary = if version == V80 { 0 } else { self.0 & SUPPLEMENTARY };
        let flags = if version == V140 { flags } else { flags & !SELECTORS };
        Self::windows(of, version, flags | supplementary)
    }

    fn in_utf8(self, flags: u32) -> Self {
        if self.is_binary() {
            return Self::UTF8_BIN2;
        }
        let versions = self.designator().versions;
        let is_there = |version: u8| version >= V90 && versions & 1 << version != 0;
        let version = [self.version(), V100, V90, V140].into_iter().find(|version| is_there(*version));
        let (of, version) = version.map_or((LATIN1_GENERAL, V100), |version| (self.designator_place(), version));
        let flags = if version == V140 { flags } else { flags & !SELECTORS };
        Self::windows(of, version, flags | SC_UTF8)
    }

    /// Of the code pages that no collation of Windows has.
    fn older_in(page: CodePage, like: Self) -> Self {
        let style = match (like.is_case_sensitive(), like.is_accent_sensitive()) {
            _ if like.has(BIN) => Style::Bin,
            _ if like.has(BIN2) => Style::Bin2,
            (true, _) => Style::CsAs,
            (false, true) => Style::CiAs,
            (false, false) => Style::CiAi,
        };
        let at = SQL_COLLATIONS.iter().position(|row| row.page == page && row.style == style);
        at.map_or(Self::LATIN1_CI_AS, |at| Self::sql(at as u8))
    }
}

const VSS_AND_BELOW: u32 = IGNORE_CASE | IGNORE_ACCENT | IGNORE_KANA | IGNORE_WIDTH | SELECTORS;

/// Whether a collation of Windows has such flags.
pub(super) fn has_name(designator: &Designator, version: u8, flags: u32) -> bool {
    if designator.versions & 1 << version == 0 {
        return false;
    }
    match flags & (BIN | BIN2) {
        0 if version == V140 => flags & SUPPLEMENTARY != 0,
        0 if version == V80 => flags & (SELECTORS | SUPPLEMENTARY | UTF8) == 0,
        0 => flags & SELECTORS == 0 && (flags & UTF8 == 0 || flags & SUPPLEMENTARY != 0),
        BIN | BIN2 if flags & UTF8 == 0 => flags & !(BIN | BIN2) == 0,
        BIN2 => flags == BIN2 | UTF8 && designator.lcid == DESIGNATORS[0].lcid && version == V100,
        _ => false,
    }
}

/// The designator that stands for a code page.
fn first_of(page: CodePage) -> u8 {
    const POLISH: u8 = place("Polish");
    const CYRILLIC: u8 = place("Cyrillic_General");
    const GREEK: u8 = place("Greek");
    const TURKISH: u8 = place("Turkish");
    const HEBREW: u8 = place("Hebrew");
    const ARABIC: u8 = place("Arabic");
    const LATVIAN: u8 = place("Latvian");
    const VIETNAMESE: u8 = place("Vietnamese");
    const THAI: u8 = place("Thai");
    const JAPANESE: u8 = place("Japanese");
    const CHINESE: u8 = place("Chinese_PRC");
    const KOREAN: u8 = place("Korean_Wansung");
    const TAIWAN: u8 = place("Chinese_Taiwan_Stroke");
    match page {
        CodePage::Cp1252 | CodePage::Utf8 | CodePage::Cp437 | CodePage::Cp850 => LATIN1_GENERAL,
        CodePage::Cp1250 => POLISH,
        CodePage::Cp1251 => CYRILLIC,
        CodePage::Cp1253 => GREEK,
        CodePage::Cp1254 => TURKISH,
        CodePage::Cp1255 => HEBREW,
        CodePage::Cp1256 => ARABIC,
        CodePage::Cp1257 => LATVIAN,
        CodePage::Cp1258 => VIETNAMESE,
        CodePage::Cp874 => THAI,
        CodePage::Cp932 => JAPANESE,
        CodePage::Cp936 => CHINESE,
        CodePage::Cp949 => KOREAN,
        CodePage::Cp950 => TAIWAN,
    }
}

impl Default for Collation {
    fn default() -> Self {
        Self::LATIN1_CI_AS
    }
}
