//! What the name of a Windows collation says of it: COLLATIONPROPERTY knows also those that no column can have here.
//!
//! ```text
//! name    = designator [ "_" version ] "_" ( "BIN" | "BIN2" | case "_" accent { "_" option } )
//! version = "80" | "90" | "100" | "140"
//! case    = "CI" | "CS"      accent = "AI" | "AS"      option = "KS" | "WS" | "VSS" | "SC" | "UTF8"
//! ```

/// Designator, locale, code page.
const DESIGNATORS: [(&str, i32, i32); 35] = [
    ("albanian", 1052, 1250),
    ("arabic", 1025, 1256),
    ("chinese_prc", 2052, 936),
    ("chinese_prc_stroke", 133_124, 936),
    ("chinese_taiwan_bopomofo", 197_636, 950),
    ("chinese_taiwan_stroke", 1028, 950),
    ("croatian", 1050, 1250),
    ("cyrillic_general", 1049, 1251),
    ("czech", 1029, 1250),
    ("danish_norwegian", 1030, 1252),
    ("estonian", 1061, 1257),
    ("finnish_swedish", 1035, 1252),
    ("french", 1036, 1252),
    ("german_phonebook", 66_567, 1252),
    ("greek", 1032, 1253),
    ("hebrew", 1037, 1255),
    ("hungarian", 1038, 1250),
    ("hungarian_technical", 66_574, 1250),
    ("icelandic", 1039, 1252),
    ("japanese", 1041, 932),
    ("korean_wansung", 1042, 949),
    ("latin1_general", 1033, 1252),
    ("latvian", 1062, 1257),
    ("lithuanian", 1063, 1257),
    ("macedonian_fyrom", 1071, 1251),
    ("modern_spanish", 3082, 1252),
    ("polish", 1045, 1250),
    ("romanian", 1048, 1250),
    ("slovak", 1051, 1250),
    ("slovenian", 1060, 1250),
    ("thai", 1054, 874),
    ("traditional_spanish", 1034, 1252),
    ("turkish", 1055, 1254),
    ("ukrainian", 1058, 1251),
    ("vietnamese", 1066, 1258),
];
const UTF8_PAGE: i32 = 65_001;

/// Bits of ComparisonStyle.
pub(crate) const IGNORES_CASE: i32 = 1;
pub(crate) const IGNORES_ACCENTS: i32 = 2;
pub(crate) const IGNORES_KANA: i32 = 65_536;
pub(crate) const IGNORES_WIDTH: i32 = 131_072;

/// The properties of a collation by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NamedCollation {
    pub code_page: i32,
    pub lcid: i32,
    pub style: i32,
    /// 0 to 3, for 80, 90, 100, 140.
    pub version: i32,
}

impl NamedCollation {
    /// What a name says, in any case; `None` when it is no name of a Windows collation.
    pub fn of(name: &str) -> Option<NamedCollation> {
        let name = name.to_ascii_lowercase();
        let longest = DESIGNATORS
            .iter()
            .filter(|(designator, ..)| name.strip_prefix(designator).is_some_and(|rest| rest.starts_with('_')));
        let (designator, lcid, code_page) = longest.max_by_key(|(designator, ..)| designator.len())?;
        let mut words = name[designator.len() + 1..].split('_').peekable();
        let versions = [("80", 0), ("90", 1), ("100", 2), ("140", 3)];
        let version = words.peek().and_then(|word| versions.iter().find(|(known, _)| known == word));
        if version.is_some() {
            words.next();
        }
        let mut collation = NamedCollation {
            code_page: *code_page,
            lcid: *lcid,
            style: 0,
            version: version.map_or(0, |known| known.1),
        };
        let case = words.next()?;
        if !matches!(case, "bin" | "bin2") {
            collation.style = style(case, words.next()?)?;
        }
        for option in words {
            match option {
                "ks" => collation.style &= !IGNORES_KANA,
                "ws" => collation.style &= !IGNORES_WIDTH,
                "utf8" => collation.code_page = UTF8_PAGE,
                "vss" | "sc" => {}
                _ => return None,
            }
        }
        Some(collation)
    }
}

fn style(case: &str, accent: &str) -> Option<i32> {
    let case = match case {
        "ci" => IGNORES_CASE,
        "cs" => 0,
        _ => return None,
    };
    let accent = match accent {
        "ai" => IGNORES_ACCENTS,
        "as" => 0,
        _ => return None,
    };
    Some(case | accent | IGNORES_KANA | IGNORES_WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_a_collation_is() {
        let of = |name| NamedCollation::of(name).map(|c| (c.code_page, c.lcid, c.style, c.version));
        assert_eq!(of("Traditional_Spanish_CS_AS_KS_WS"), Some((1252, 1034, 0, 0)));
        assert_eq!(of("chinese_prc_stroke_90_ci_ai"), Some((936, 133_124, 196_611, 1)));
        assert_eq!(of("Japanese_140_BIN2"), Some((932, 1041, 0, 3)));
        assert_eq!(of("Latin1_General_100_CI_AS_KS_SC_UTF8"), Some((65_001, 1033, 131_073, 2)));
        for no_name in
            ["Klingon_CI_AS", "Latin1_General", "Latin1_General_CI", "Latin1_General_CI_AS_XX", "Thai_CI_AS_"]
        {
            assert_eq!(of(no_name), None, "{no_name}");
        }
    }
}
