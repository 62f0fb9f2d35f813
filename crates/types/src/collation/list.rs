//! The collations of SQL Server by their parts: designators of Windows and the collations that are older.
//!
//! What always holds: a line stays where it is, because its place is part of numbers that are stored
//! ([`super::Collation::number`]); new ones come last. Of Windows' collations every combination of their options has a
//! name, the SQL ones have the names that are listed. Names and versions are those of `fn_helpcollations()`, locales and
//! code pages those of COLLATIONPROPERTY, sort orders those that travel on the wire (MS-TDS).
//!
//! Knows no rules of comparison.

use crate::sql_type::CodePage;

/// Versions of Windows' collations: none in the name, `90`, `100`, `140`.
pub(super) const VERSIONS: [&str; 4] = ["", "_90", "_100", "_140"];
pub(super) const V80: u8 = 0;
pub(super) const V90: u8 = 1;
pub(super) const V100: u8 = 2;
pub(super) const V140: u8 = 3;

/// A family of Windows' collations: one locale, one code page.
pub(super) struct Designator {
    pub(super) name: &'static str,
    /// Whose rules order texts, as CLDR names it.
    pub(super) locale: &'static str,
    /// As COLLATIONPROPERTY and the wire have it.
    pub(super) lcid: u32,
    /// Of `varchar`; none where that is refused (459).
    pub(super) page: Option<CodePage>,
    /// A bit for each of [`VERSIONS`].
    pub(super) versions: u8,
}

const OLD: u8 = 1 << V80;
const OLD_90: u8 = OLD | NEW_90;
const OLD_100: u8 = OLD | NEW_100;
const NEW_90: u8 = 1 << V90;
const NEW_100: u8 = 1 << V100;
const NEW_90_100: u8 = NEW_90 | NEW_100;
const NEW_100_140: u8 = NEW_100 | 1 << V140;

const fn of(name: &'static str, locale: &'static str, lcid: u32, page: CodePage, versions: u8) -> Designator {
    Designator { name, locale, lcid, page: Some(page), versions }
}

/// For `nchar` and `nvarchar` alone.
const fn unicode(name: &'static str, locale: &'static str, lcid: u32, versions: u8) -> Designator {
    Designator { name, locale, lcid, page: None, versions }
}

use CodePage::{
    Cp437, Cp850, Cp874, Cp932, Cp936, Cp949, Cp950, Cp1250, Cp1251, Cp1252, Cp1253, Cp1254, Cp1255, Cp1256, Cp1257,
    Cp1258,
};

/// The place of `Latin1_General`.
pub(super) const LATIN1_GENERAL: u8 = 0;

pub(super) const DESIGNATORS: &[Designator] = &[
    of("Latin1_General", "und", 1033, Cp1252, OLD_100),
    of("Albanian", "sq", 1052, Cp1250, OLD_100),
    of("Arabic", "ar", 1025, Cp1256, OLD_100),
    unicode("Assamese", "as", 1101, NEW_100),
    of("Azeri_Cyrillic", "az-Cyrl", 2092, Cp1251, NEW_100),
    of("Azeri_Latin", "az", 1068, Cp1254, NEW_100),
    of("Bashkir", "ba", 1133, Cp1251, NEW_100),
    unicode("Bengali", "bn", 1093, NEW_100),
    of("Bosnian_Cyrillic", "bs-Cyrl", 8218, Cp1251, NEW_100),
    of("Bosnian_Latin", "bs", 5146, Cp1250, NEW_100),
    of("Breton", "br", 1150, Cp1252, NEW_100),
    of("Chinese_Hong_Kong_Stroke", "zh-u-co-stroke", 3076, Cp950, NEW_90),
    of("Chinese_PRC", "zh-u-co-pinyin", 2052, Cp936, OLD_90),
    of("Chinese_PRC_Stroke", "zh-u-co-stroke", 133_124, Cp936, OLD_90),
    of("Chinese_Simplified_Pinyin", "zh-u-co-pinyin", 2052, Cp936, NEW_100),
    of("Chinese_Simplified_Stroke_Order", "zh-u-co-stroke", 133_124, Cp936, NEW_100),
    of("Chinese_Taiwan_Bopomofo", "zh-u-co-zhuyin", 197_636, Cp950, OLD_90),
    of("Chinese_Taiwan_Stroke", "zh-u-co-stroke", 1028, Cp950, OLD_90),
    of("Chinese_Traditional_Bopomofo", "zh-u-co-zhuyin", 197_636, Cp950, NEW_100),
    of("Chinese_Traditional_Pinyin", "zh-u-co-pinyin", 5124, Cp950, NEW_100),
    of("Chinese_Traditional_Stroke_Count", "zh-u-co-stroke", 1028, Cp950, NEW_100),
    of("Chinese_Traditional_Stroke_Order", "zh-u-co-stroke", 136_196, Cp950, NEW_100),
    of("Corsican", "und", 1155, Cp1252, NEW_100),
    of("Croatian", "hr", 1050, Cp1250, OLD_100),
    of("Cyrillic_General", "ru", 1049, Cp1251, OLD_100),
    of("Czech", "cs", 1029, Cp1250, OLD_100),
    of("Danish_Greenlandic", "da", 1030, Cp1252, NEW_100),
    of("Danish_Norwegian", "da", 1030, Cp1252, OLD),
    of("Dari", "fa-AF", 1164, Cp1256, NEW_100),
    unicode("Divehi", "dv", 1125, NEW_90_100),
    of("Estonian", "et", 1061, Cp1257, OLD_100),
    of("Finnish_Swedish", "fi", 1035, Cp1252, OLD_100),
    of("French", "fr-CA", 1036, Cp1252, OLD_100),
    of("Frisian", "fy", 1122, Cp1252, NEW_100),
    of("Georgian_Modern_Sort", "ka", 66_615, Cp1252, OLD_100),
    of("German_PhoneBook", "de-u-co-phonebk", 66_567, Cp1252, OLD_100),
    of("Greek", "el", 1032, Cp1253, OLD_100),
    of("Hebrew", "he", 1037, Cp1255, OLD_100),
    of("Hungarian", "hu", 1038, Cp1250, OLD_100),
    of("Hungarian_Technical", "und", 66_574, Cp1250, OLD_100),
    of("Icelandic", "is", 1039, Cp1252, OLD_100),
    unicode("Indic_General", "hi", 1081, NEW_90_100),
    of("Japanese", "ja", 1041, Cp932, OLD_90),
    of("Japanese_Bushu_Kakusu", "ja-u-co-unihan", 263_185, Cp932, NEW_100_140),
    of("Japanese_Unicode", "und", 66_577, Cp932, OLD),
    of("Japanese_XJIS", "ja", 1041, Cp932, NEW_100_140),
    of("Kazakh", "kk", 1087, Cp1251, NEW_90_100),
    unicode("Khmer", "km", 1107, NEW_100),
    of("Korean", "ko", 1042, Cp949, NEW_90_100),
    of("Korean_Wansung", "ko", 1042, Cp949, OLD),
    unicode("Lao", "lo", 1108, NEW_100),
    of("Latvian", "lv", 1062, Cp1257, OLD_100),
    of("Lithuanian", "lt", 1063, Cp1257, OLD_100),
    of("Macedonian_FYROM", "mk", 1071, Cp1251, NEW_90_100),
    unicode("Maltese", "mt", 1082, NEW_100),
    unicode("Maori", "und", 1153, NEW_100),
    of("Mapudungan", "und", 1146, Cp1252, NEW_100),
    of("Modern_Spanish", "es", 3082, Cp1252, OLD_100),
    of("Mohawk", "und", 1148, Cp1252, NEW_100),
    unicode("Nepali", "ne", 1121, NEW_100),
    of("Norwegian", "nb", 1044, Cp1252, NEW_100),
    unicode("Pashto", "ps", 1123, NEW_100),
    of("Persian", "fa", 1065, Cp1256, NEW_100),
    of("Polish", "pl", 1045, Cp1250, OLD_100),
    of("Romanian", "ro", 1048, Cp1250, OLD_100),
    of("Romansh", "und", 1047, Cp1252, NEW_100),
    of("Sami_Norway", "nb", 1083, Cp1252, NEW_100),
    of("Sami_Sweden_Finland", "sv", 2107, Cp1252, NEW_100),
    of("Serbian_Cyrillic", "sr", 3098, Cp1251, NEW_100),
    of("Serbian_Latin", "sr-Latn", 2074, Cp1250, NEW_100),
    of("Slovak", "sk", 1051, Cp1250, OLD_100),
    of("Slovenian", "sl", 1060, Cp1250, OLD_100),
    unicode("Syriac", "und", 1114, NEW_90_100),
    of("Tamazight", "und", 2143, Cp1252, NEW_100),
    of("Tatar", "tt", 1092, Cp1251, NEW_90_100),
    of("Thai", "th", 1054, Cp874, OLD_100),
    unicode("Tibetan", "bo", 1105, NEW_100),
    of("Traditional_Spanish", "es-u-co-trad", 1034, Cp1252, OLD_100),
    of("Turkish", "tr", 1055, Cp1254, OLD_100),
    of("Turkmen", "tk", 1090, Cp1250, NEW_100),
    of("Uighur", "ug", 1152, Cp1256, NEW_100),
    of("Ukrainian", "uk", 1058, Cp1251, OLD_100),
    of("Upper_Sorbian", "hsb", 1070, Cp1252, NEW_100),
    of("Urdu", "ur", 1056, Cp1256, NEW_100),
    of("Uzbek_Latin", "uz", 1091, Cp1254, NEW_90_100),
    of("Vietnamese", "vi", 1066, Cp1258, OLD_100),
    of("Welsh", "cy", 1106, Cp1252, NEW_100),
    of("Yakut", "sah", 1157, Cp1251, NEW_100),
];

/// Per designator the first one of its locale: those have the same rules.
pub(super) const RULES: [u8; DESIGNATORS.len()] = {
    let mut rules = [0; DESIGNATORS.len()];
    let mut at = 0;
    while at < rules.len() {
        while !same(DESIGNATORS[rules[at] as usize].locale, DESIGNATORS[at].locale) {
            rules[at] += 1;
        }
        at += 1;
    }
    rules
};

/// What a collation's name says of case and accents, or that there are neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    CiAs,
    CsAs,
    CiAi,
    Bin,
    Bin2,
}

/// A collation that is older than those of Windows: `SQL_…`.
pub(super) struct SqlCollation {
    pub(super) name: &'static str,
    /// Its number on the wire.
    pub(super) sort_id: u8,
    /// The place in [`DESIGNATORS`] of the rules that Unicode texts have.
    pub(super) designator: u8,
    pub(super) page: CodePage,
    pub(super) style: Style,
}

const fn sql(name: &'static str, sort_id: u8, designator: &str, page: CodePage, style: Style) -> SqlCollation {
    SqlCollation { name, sort_id, designator: place(designator), page, style }
}

/// The place of a designator.
pub(super) const fn place(name: &str) -> u8 {
    let mut at = 0;
    while !same(DESIGNATORS[at].name, name) {
        at += 1;
    }
    at as u8
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// The place of `SQL_Latin1_General_CP1_CI_AS`.
pub(super) const SQL_LATIN1_CI_AS: u8 = 0;
pub(super) const SQL_LATIN1_CS_AS: u8 = 1;
pub(super) const SQL_LATIN1_CI_AI: u8 = 2;

pub(super) const SQL_COLLATIONS: &[SqlCollation] = {
    use Style::{Bin, Bin2, CiAi, CiAs, CsAs};
    &[
        sql("SQL_Latin1_General_CP1_CI_AS", 52, "Latin1_General", Cp1252, CiAs),
        sql("SQL_Latin1_General_CP1_CS_AS", 51, "Latin1_General", Cp1252, CsAs),
        sql("SQL_Latin1_General_CP1_CI_AI", 54, "Latin1_General", Cp1252, CiAi),
        sql("SQL_Latin1_General_Pref_CP1_CI_AS", 53, "Latin1_General", Cp1252, CiAs),
        sql("SQL_Latin1_General_CP437_BIN", 30, "Latin1_General", Cp437, Bin),
        sql("SQL_Latin1_General_CP437_BIN2", 30, "Latin1_General", Cp437, Bin2),
        sql("SQL_Latin1_General_CP437_CS_AS", 31, "Latin1_General", Cp437, CsAs),
        sql("SQL_Latin1_General_CP437_CI_AS", 32, "Latin1_General", Cp437, CiAs),
        sql("SQL_Latin1_General_Pref_CP437_CI_AS", 33, "Latin1_General", Cp437, CiAs),
        sql("SQL_Latin1_General_CP437_CI_AI", 34, "Latin1_General", Cp437, CiAi),
        sql("SQL_Latin1_General_CP850_BIN", 40, "Latin1_General", Cp850, Bin),
        sql("SQL_Latin1_General_CP850_BIN2", 40, "Latin1_General", Cp850, Bin2),
        sql("SQL_Latin1_General_CP850_CS_AS", 41, "Latin1_General", Cp850, CsAs),
        sql("SQL_Latin1_General_CP850_CI_AS", 42, "Latin1_General", Cp850, CiAs),
        sql("SQL_Latin1_General_Pref_CP850_CI_AS", 43, "Latin1_General", Cp850, CiAs),
        sql("SQL_Latin1_General_CP850_CI_AI", 44, "Latin1_General", Cp850, CiAi),
        sql("SQL_Latin1_General_CP1250_CS_AS", 81, "Latin1_General", Cp1250, CsAs),
        sql("SQL_Latin1_General_CP1250_CI_AS", 82, "Latin1_General", Cp1250, CiAs),
        sql("SQL_Czech_CP1250_CS_AS", 83, "Czech", Cp1250, CsAs),
        sql("SQL_Czech_CP1250_CI_AS", 84, "Czech", Cp1250, CiAs),
        sql("SQL_Hungarian_CP1250_CS_AS", 85, "Hungarian", Cp1250, CsAs),
        sql("SQL_Hungarian_CP1250_CI_AS", 86, "Hungarian", Cp1250, CiAs),
        sql("SQL_Polish_CP1250_CS_AS", 87, "Polish", Cp1250, CsAs),
        sql("SQL_Polish_CP1250_CI_AS", 88, "Polish", Cp1250, CiAs),
        sql("SQL_Romanian_CP1250_CS_AS", 89, "Romanian", Cp1250, CsAs),
        sql("SQL_Romanian_CP1250_CI_AS", 90, "Romanian", Cp1250, CiAs),
        sql("SQL_Croatian_CP1250_CS_AS", 91, "Croatian", Cp1250, CsAs),
        sql("SQL_Croatian_CP1250_CI_AS", 92, "Croatian", Cp1250, CiAs),
        sql("SQL_Slovak_CP1250_CS_AS", 93, "Slovak", Cp1250, CsAs),
        sql("SQL_Slovak_CP1250_CI_AS", 94, "Slovak", Cp1250, CiAs),
        sql("SQL_Slovenian_CP1250_CS_AS", 95, "Slovenian", Cp1250, CsAs),
        sql("SQL_Slovenian_CP1250_CI_AS", 96, "Slovenian", Cp1250, CiAs),
        sql("SQL_Latin1_General_CP1251_CS_AS", 105, "Cyrillic_General", Cp1251, CsAs),
        sql("SQL_Latin1_General_CP1251_CI_AS", 106, "Cyrillic_General", Cp1251, CiAs),
        sql("SQL_Ukrainian_CP1251_CS_AS", 107, "Ukrainian", Cp1251, CsAs),
        sql("SQL_Ukrainian_CP1251_CI_AS", 108, "Ukrainian", Cp1251, CiAs),
        sql("SQL_Latin1_General_CP1253_CS_AS", 113, "Greek", Cp1253, CsAs),
        sql("SQL_Latin1_General_CP1253_CI_AS", 114, "Greek", Cp1253, CiAs),
        sql("SQL_Latin1_General_CP1253_CI_AI", 124, "Greek", Cp1253, CiAi),
        sql("SQL_Latin1_General_CP1254_CS_AS", 129, "Turkish", Cp1254, CsAs),
        sql("SQL_Latin1_General_CP1254_CI_AS", 130, "Turkish", Cp1254, CiAs),
        sql("SQL_Latin1_General_CP1255_CS_AS", 137, "Hebrew", Cp1255, CsAs),
        sql("SQL_Latin1_General_CP1255_CI_AS", 138, "Hebrew", Cp1255, CiAs),
        sql("SQL_Latin1_General_CP1256_CS_AS", 145, "Arabic", Cp1256, CsAs),
        sql("SQL_Latin1_General_CP1256_CI_AS", 146, "Arabic", Cp1256, CiAs),
        sql("SQL_Latin1_General_CP1257_CS_AS", 153, "Latin1_General", Cp1257, CsAs),
        sql("SQL_Latin1_General_CP1257_CI_AS", 154, "Latin1_General", Cp1257, CiAs),
        sql("SQL_Estonian_CP1257_CS_AS", 155, "Estonian", Cp1257, CsAs),
        sql("SQL_Estonian_CP1257_CI_AS", 156, "Estonian", Cp1257, CiAs),
        sql("SQL_Latvian_CP1257_CS_AS", 157, "Latvian", Cp1257, CsAs),
        sql("SQL_Latvian_CP1257_CI_AS", 158, "Latvian", Cp1257, CiAs),
        sql("SQL_Lithuanian_CP1257_CS_AS", 159, "Lithuanian", Cp1257, CsAs),
        sql("SQL_Lithuanian_CP1257_CI_AS", 160, "Lithuanian", Cp1257, CiAs),
        sql("SQL_Danish_Pref_CP1_CI_AS", 183, "Danish_Norwegian", Cp1252, CiAs),
        sql("SQL_SwedishPhone_Pref_CP1_CI_AS", 184, "Finnish_Swedish", Cp1252, CiAs),
        sql("SQL_SwedishStd_Pref_CP1_CI_AS", 185, "Finnish_Swedish", Cp1252, CiAs),
        sql("SQL_Icelandic_Pref_CP1_CI_AS", 186, "Icelandic", Cp1252, CiAs),
    ]
};

/// Collations of SQL Server that are refused by name: their `varchar` is ordered by tables of their own.
pub(super) const REFUSED: [&str; 21] = [
    "SQL_1xCompat_CP850_CI_AS",
    "SQL_AltDiction_CP850_CI_AI",
    "SQL_AltDiction_CP850_CI_AS",
    "SQL_AltDiction_CP850_CS_AS",
    "SQL_AltDiction_Pref_CP850_CI_AS",
    "SQL_AltDiction_CP1253_CS_AS",
    "SQL_AltDiction2_CP1253_CS_AS",
    "SQL_MixDiction_CP1253_CS_AS",
    "SQL_Scandinavian_CP850_CI_AS",
    "SQL_Scandinavian_CP850_CS_AS",
    "SQL_Scandinavian_Pref_CP850_CI_AS",
    "SQL_EBCDIC037_CP1_CS_AS",
    "SQL_EBCDIC1141_CP1_CS_AS",
    "SQL_EBCDIC273_CP1_CS_AS",
    "SQL_EBCDIC277_2_CP1_CS_AS",
    "SQL_EBCDIC277_CP1_CS_AS",
    "SQL_EBCDIC278_CP1_CS_AS",
    "SQL_EBCDIC280_CP1_CS_AS",
    "SQL_EBCDIC284_CP1_CS_AS",
    "SQL_EBCDIC285_CP1_CS_AS",
    "SQL_EBCDIC297_CP1_CS_AS",
];
