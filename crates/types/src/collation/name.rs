//! Names of collations, and the descriptions that `fn_helpcollations` returns.
//!
//! ```text
//! name    = designator [ "_" version ] "_" ( "BIN" | "BIN2" [ "_UTF8" ] | case "_" accent { "_" option } )
//! version = "90" | "100" | "140"      case = "CI" | "CS"      accent = "AI" | "AS"
//! option  = "KS" "WS" "VSS" "SC" "UTF8", in this order; VSS of version 140 alone, which has no SC
//! ```
//!
//! All names are made once by this rule, so a name leads to its collation and back, whatever its case.

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use super::kind::{
    BIN, BIN2, Collation, IGNORE_ACCENT, IGNORE_CASE, IGNORE_KANA, IGNORE_WIDTH, SELECTORS, SUPPLEMENTARY, UTF8,
    has_name,
};
use super::list::{DESIGNATORS, REFUSED, SQL_COLLATIONS, V140, VERSIONS};

struct Names {
    /// By name.
    all: Vec<Collation>,
    names: HashMap<Collation, String>,
    /// By the name in lower case.
    collations: HashMap<String, Collation>,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let mut names: HashMap<Collation, String> = HashMap::new();
    for (at, sql) in SQL_COLLATIONS.iter().enumerate() {
        names.insert(Collation::sql(at as u8), sql.name.to_owned());
    }
    for (at, designator) in DESIGNATORS.iter().enumerate() {
        for version in 0..VERSIONS.len() as u8 {
            let possible = FLAGS.into_iter().flat_map(|first| OPTIONS.into_iter().map(move |second| first | second));
            for flags in possible.filter(|flags| has_name(designator, version, *flags)) {
                let name = format!("{}{}{}", designator.name, VERSIONS[usize::from(version)], suffix(version, flags));
                names.insert(Collation::windows(at as u8, version, flags), name);
            }
        }
    }
    let mut all: Vec<Collation> = names.keys().copied().collect();
    all.sort_unstable_by(|a, b| names[a].cmp(&names[b]));
    let collations = names.iter().map(|(collation, name)| (name.to_ascii_lowercase(), *collation)).collect();
    Names { all, names, collations }
});

/// What a name says first, and what may follow.
const FLAGS: [u32; 6] = [IGNORE_CASE | IGNORE_ACCENT, IGNORE_CASE, IGNORE_ACCENT, 0, BIN, BIN2];
const OPTIONS: [u32; 32] = {
    let each = [IGNORE_KANA, IGNORE_WIDTH, SELECTORS, SUPPLEMENTARY, UTF8];
    let mut all = [0; 32];
    let mut at = 0;
    while at < all.len() {
        let mut bit = 0;
        while bit < each.len() {
            if at >> bit & 1 != 0 {
                all[at] |= each[bit];
            }
            bit += 1;
        }
        at += 1;
    }
    all
};

fn suffix(version: u8, flags: u32) -> String {
    let utf8 = if flags & UTF8 != 0 { "_UTF8" } else { "" };
    match flags & (BIN | BIN2) {
        BIN => return "_BIN".to_owned(),
        BIN2 => return format!("_BIN2{utf8}"),
        _ => {}
    }
    let pick = |flag, ignored, counts| if flags & flag != 0 { ignored } else { counts };
    [
        pick(IGNORE_CASE, "_CI", "_CS"),
        pick(IGNORE_ACCENT, "_AI", "_AS"),
        pick(IGNORE_KANA, "", "_KS"),
        pick(IGNORE_WIDTH, "", "_WS"),
        pick(SELECTORS, "_VSS", ""),
        if version == V140 { "" } else { pick(SUPPLEMENTARY, "_SC", "") },
        utf8,
    ]
    .concat()
}

/// Whether SQL Server has a collation of the name and this version has not.
#[must_use]
pub fn is_refused(name: &str) -> bool {
    REFUSED.iter().any(|refused| refused.eq_ignore_ascii_case(name))
}

impl Collation {
    /// All of them, by name.
    #[must_use]
    pub fn all() -> &'static [Collation] {
        &NAMES.all
    }

    /// The collation of a name, in any case.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        if name.eq_ignore_ascii_case("database_default") {
            return Some(Self::default());
        }
        NAMES.collations.get(&name.to_ascii_lowercase()).copied()
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        // Only numbers that have a name make collations (`Collation::by_number`).
        NAMES.names.get(&self).map_or("", |name| name)
    }

    /// What `fn_helpcollations()` says of it.
    #[must_use]
    pub fn description(self) -> String {
        let version = VERSIONS[usize::from(self.version())];
        let family = [self.designator().name, version].concat().replace('_', "-");
        let utf8 = if self.has(UTF8) { ", UTF8" } else { "" };
        let sort = self.older().map_or(String::new(), |older| {
            let page = older.page.number();
            format!(
                " for Unicode Data, SQL Server Sort Order {} on Code Page {page} for non-Unicode Data",
                older.sort_id
            )
        });
        if self.has(BIN) {
            return format!("{family}, binary sort{sort}");
        }
        if self.has(BIN2) {
            return format!("{family}, binary code point comparison sort{utf8}{sort}");
        }
        let counts = |what: &str, does: bool| format!(", {what}-{}", if does { "sensitive" } else { "insensitive" });
        let selectors = match self.version() {
            V140 => counts("variation selector", self.has(SELECTORS)).replace("selector-", "selector "),
            _ => String::new(),
        };
        [
            family.as_str(),
            &counts("case", self.is_case_sensitive()),
            &counts("accent", self.is_accent_sensitive()),
            &counts("kanatype", self.is_kana_sensitive()),
            &counts("width", self.is_width_sensitive()),
            if self.has(SUPPLEMENTARY) { ", supplementary characters" } else { "" },
            &selectors,
            utf8,
            &sort,
        ]
        .concat()
    }
}

impl fmt::Debug for Collation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql_type::CodePage;

    #[test]
    fn numbers_and_names_lead_back() {
        for &collation in NAMES.names.keys() {
            assert_eq!(Collation::by_number(collation.number()), Some(collation));
            assert_eq!(Collation::by_name(&collation.name().to_uppercase()), Some(collation));
        }
        assert!((0..22).all(|number| Collation::by_number(number).is_some_and(|first| first.number() == number)));
        assert_eq!([22, u32::MAX, 1 << 31 | 0xFF00].map(Collation::by_number), [None; 3]);
    }

    /// What was stored when there were 22 collations.
    #[test]
    fn the_first_numbers_keep_their_meaning() {
        for (number, name) in [
            (0, "SQL_Latin1_General_CP1_CI_AS"),
            (1, "SQL_Latin1_General_CP1_CS_AS"),
            (2, "Latin1_General_BIN2"),
            (3, "SQL_Latin1_General_CP1_CI_AI"),
            (4, "Latin1_General_CI_AS"),
            (7, "Latin1_General_CS_AI"),
            (8, "Latin1_General_100_CI_AS"),
            (12, "Latin1_General_100_BIN2"),
            (13, "Latin1_General_100_CI_AS_SC"),
            (17, "Latin1_General_100_CI_AS_SC_UTF8"),
            (20, "Latin1_General_100_CS_AI_SC_UTF8"),
            (21, "Latin1_General_100_BIN2_UTF8"),
        ] {
            assert_eq!(Collation::by_number(number).map(Collation::name), Some(name));
        }
    }

    #[test]
    fn names_are_those_of_sql_server_and_no_others() {
        for name in [
            "Traditional_Spanish_CS_AS_KS_WS",
            "Chinese_PRC_Stroke_90_CI_AI_SC_UTF8",
            "Japanese_140_BIN2",
            "Japanese_XJIS_140_CI_AS_KS_WS_VSS_UTF8",
            "Japanese_Bushu_Kakusu_140_CI_AS",
            "SQL_Latin1_General_CP850_BIN2",
            "Latin1_General_BIN",
        ] {
            let is_known = name != "Japanese_140_BIN2";
            assert_eq!(Collation::by_name(name).is_some(), is_known, "{name}");
        }
        for no_name in [
            "Klingon_CI_AS",
            "Latin1_General",
            "Latin1_General_CI",
            "Latin1_General_CI_AS_XX",
            "Thai_CI_AS_",
            "Latin1_General_CI_AS_UTF8",
            "Latin1_General_CI_AS_SC",
            "Latin1_General_100_CI_AS_UTF8",
            "Latin1_General_100_CI_AS_WS_KS",
            "Latin1_General_100_BIN_UTF8",
            "Czech_100_BIN2_UTF8",
            "Latin1_General_90_CI_AS",
            "Japanese_XJIS_140_CI_AS_SC",
            "Japanese_XJIS_100_CI_AS_VSS",
        ] {
            assert_eq!(Collation::by_name(no_name), None, "{no_name}");
        }
        assert!(is_refused("sql_ebcdic037_cp1_cs_as") && !is_refused("Klingon_CI_AS"));
    }

    #[test]
    fn names_tell_the_code_page_and_what_is_counted() {
        for &collation in NAMES.names.keys() {
            let name = collation.name();
            assert_eq!(collation.page() == CodePage::Utf8, name.ends_with("_UTF8"), "{name}");
            let is_supplementary = name.contains("_SC") && !name.starts_with("SQL_")
                || name.ends_with("_UTF8")
                || name.contains("_140_") && !collation.is_binary();
            assert_eq!(collation.is_supplementary(), is_supplementary, "{name}");
            assert_eq!(collation.version() == 2, name.contains("_100_"), "{name}");
            assert_eq!(collation.is_case_sensitive(), !name.contains("_CI_"), "{name}");
            assert_eq!(collation.is_kana_sensitive(), name.contains("_KS") || collation.is_binary(), "{name}");
            assert_eq!(collation.is_width_sensitive(), name.contains("_WS") || collation.is_binary(), "{name}");
        }
    }

    #[test]
    fn each_has_a_like_one_of_each_code_page() {
        for &collation in NAMES.names.keys() {
            for page in CodePage::ALL {
                let other = collation.in_page(page);
                assert_eq!(other.page(), page, "{collation:?}");
                assert_ne!(other.name(), "", "{collation:?} in {page:?}");
                assert_eq!(other.is_binary(), collation.is_binary(), "{collation:?} in {page:?}: {other:?}");
                assert_eq!(other.is_case_sensitive(), collation.is_case_sensitive(), "{collation:?} in {page:?}");
            }
        }
    }

    /// Those of the product's own list.
    #[test]
    fn collations_describe_themselves() {
        for (name, description) in [
            (
                "SQL_Latin1_General_CP1_CI_AS",
                "Latin1-General, case-insensitive, accent-sensitive, kanatype-insensitive, width-insensitive for Unicode Data, \
                 SQL Server Sort Order 52 on Code Page 1252 for non-Unicode Data",
            ),
            ("Albanian_BIN", "Albanian, binary sort"),
            ("Latin1_General_100_BIN2_UTF8", "Latin1-General-100, binary code point comparison sort, UTF8"),
            (
                "Japanese_90_CS_AI_KS_WS_SC",
                "Japanese-90, case-sensitive, accent-insensitive, kanatype-sensitive, width-sensitive, \
                 supplementary characters",
            ),
        ] {
            assert_eq!(Collation::by_name(name).expect("a name").description(), description);
        }
    }
}
