//! Names that SQL Server has and this version does not: functions, views, table-valued functions, procedures, DBCC
//! commands, SET options, collations. Who calls one is told so by its name (40517), and not that it is unknown.
//!
//! Looked at only when nothing of that name was found, so what is built, or what a user made, is never hidden. A name goes
//! from its list when it is built; a test refuses names that are both here and there.

/// Scalar functions and aggregates, one a line.
pub const FUNCTIONS: &str = include_str!("functions.txt");
/// System procedures.
pub const PROCEDURES: &str = include_str!("procedures.txt");
/// Views and table-valued functions with their schema.
pub const VIEWS: &str = include_str!("views.txt");
/// Table-valued functions and rowset functions that stand without a schema.
const TABLE_FUNCTIONS: &str = "CHANGETABLE CONTAINSTABLE FREETEXTTABLE OPENDATASOURCE OPENJSON OPENQUERY OPENROWSET OPENXML PREDICT \
    REGEXP_MATCHES REGEXP_SPLIT_TO_TABLE SEMANTICKEYPHRASETABLE SEMANTICSIMILARITYDETAILSTABLE \
    SEMANTICSIMILARITYTABLE STRING_SPLIT VECTOR_SEARCH AI_GENERATE_CHUNKS";
/// DBCC commands.
pub const DBCC: &str = "CHECKCATALOG CHECKCONSTRAINTS CHECKFILEGROUP CLEANTABLE CLONEDATABASE \
    DBREINDEX DBREPAIR FLUSHAUTHCACHE FREESESSIONCACHE FREESYSTEMCACHE HELP INDEXDEFRAG INPUTBUFFER MEMORYSTATUS \
    OUTPUTBUFFER PINTABLE PROCCACHE SHOWCONTIG SHOWFILESTATS STACKDUMP UNPINTABLE UPDATEUSAGE";
/// SET options.
const OPTIONS: &str = "FIPS_FLAGGER NO_BROWSETABLE OFFSETS";

/// Families of Windows collations.
const WINDOWS_COLLATIONS: &str = "Albanian Arabic Assamese Azeri_Cyrillic Azeri_Latin Bashkir Bengali \
    Bosnian_Cyrillic Bosnian_Latin Breton Chinese_Hong_Kong_Stroke Chinese_PRC Chinese_PRC_Stroke \
    Chinese_Simplified_Pinyin Chinese_Simplified_Stroke_Order Chinese_Taiwan_Bopomofo Chinese_Taiwan_Stroke \
    Chinese_Traditional_Bopomofo Chinese_Traditional_Pinyin Chinese_Traditional_Stroke_Count \
    Chinese_Traditional_Stroke_Order Corsican Croatian Cyrillic_General Czech Danish_Greenlandic Danish_Norwegian Dari \
    Divehi Estonian Finnish_Swedish French Frisian Georgian_Modern_Sort German_PhoneBook Greek Hebrew Hungarian \
    Hungarian_Technical Icelandic Indic_General Japanese Japanese_Bushu_Kakusu Japanese_Unicode Japanese_XJIS Kazakh \
    Khmer Korean Korean_Wansung Lao Latin1_General Latvian Lithuanian Macedonian_FYROM Maltese Maori Mapudungan \
    Modern_Spanish Mohawk Nepali Norwegian Pashto Persian Polish Romanian Romansh Sami_Norway Sami_Sweden_Finland \
    Serbian_Cyrillic Serbian_Latin Slovak Slovenian Syriac Tamazight Tatar Thai Tibetan Traditional_Spanish Turkish \
    Turkmen Uighur Ukrainian Upper_Sorbian Urdu Uzbek_Latin Vietnamese Welsh Yakut";
/// Families of the collations that older versions had.
const SQL_COLLATIONS: &str = "SQL_1xCompat_CP850 SQL_AltDiction_CP1253 SQL_AltDiction_CP850 SQL_AltDiction_Pref_CP850 \
    SQL_AltDiction2_CP1253 SQL_Croatian_CP1250 SQL_Czech_CP1250 SQL_Danish_Pref_CP1 SQL_EBCDIC037_CP1 \
    SQL_EBCDIC1141_CP1 SQL_EBCDIC273_CP1 SQL_EBCDIC277_CP1 SQL_EBCDIC277_2_CP1 SQL_EBCDIC278_CP1 SQL_EBCDIC280_CP1 \
    SQL_EBCDIC284_CP1 SQL_EBCDIC285_CP1 SQL_EBCDIC297_CP1 SQL_Estonian_CP1257 SQL_Hungarian_CP1250 SQL_Icelandic_Pref_CP1 \
    SQL_Latin1_General_CP1 SQL_Latin1_General_CP1250 SQL_Latin1_General_CP1251 SQL_Latin1_General_CP1253 \
    SQL_Latin1_General_CP1254 SQL_Latin1_General_CP1255 SQL_Latin1_General_CP1256 SQL_Latin1_General_CP1257 \
    SQL_Latin1_General_CP437 SQL_Latin1_General_CP850 SQL_Latin1_General_Pref_CP1 SQL_Latin1_General_Pref_CP437 \
    SQL_Latin1_General_Pref_CP850 SQL_Latvian_CP1257 SQL_Lithuanian_CP1257 SQL_MixDiction_CP1253 SQL_Polish_CP1250 \
    SQL_Romanian_CP1250 SQL_Scandinavian_CP850 SQL_Scandinavian_Pref_CP850 SQL_Slovak_CP1250 SQL_Slovenian_CP1250 \
    SQL_SwedishPhone_Pref_CP1 SQL_SwedishStd_Pref_CP1 SQL_Ukrainian_CP1251";
/// What may stand behind the family, in this order.
const COLLATION_PARTS: [&[&str]; 9] = [
    &["90", "100", "140", "160"],
    &["BIN", "BIN2"],
    &["CI", "CS"],
    &["AI", "AS"],
    &["KS"],
    &["WS"],
    &["SC"],
    &["VSS"],
    &["UTF8"],
];

/// Languages of cultures that FORMAT and PARSE take.
const LANGUAGES: &str = "af am ar arn as az ba be bg bn bo br bs ca co cs cy da de dsb dv el en es et eu fa fi fil fo fr \
    fy ga gd gl gsw gu ha he hi hr hsb hu hy id ig ii is it iu ja ka kk kl km kn ko kok ky lb lo lt lv mi mk ml mn moh mr \
    ms mt nb ne nl nn no nso oc or pa pl prs ps pt qut quz rm ro ru rw sa sah se si sk sl sma smj smn sms sq sr sv sw syr \
    ta te tg th tk tn tr tt tzm ug uk ur uz vi wo xh yo zh zu";

/// Whether it is the name of a culture: a language, perhaps a script, perhaps a region.
pub fn culture(name: &str) -> bool {
    let mut parts = name.trim_end_matches(' ').split('-');
    parts.next().is_some_and(|language| lists(LANGUAGES, language))
        && parts.all(|part| matches!(part.len(), 2 | 4) && part.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

fn lists(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether it is a function or `@@` value.
pub(crate) fn function(name: &str) -> bool {
    lists(FUNCTIONS, name)
}

/// Whether it is a system procedure; schema and database are not looked at.
pub(crate) fn procedure(name: &str) -> bool {
    lists(PROCEDURES, name)
}

/// Whether it is a view or a table-valued function of the server, by `schema.name`, or by a name that stands alone.
pub(crate) fn relation(name: &str) -> bool {
    let mut parts = name.rsplit('.');
    let (last, schema) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    // The tables of msdb are listed under its name, whatever the schema.
    let schema = if parts.next().is_some_and(|of| of.eq_ignore_ascii_case("msdb")) { "msdb" } else { schema };
    match schema {
        "" => lists(TABLE_FUNCTIONS, last),
        schema => VIEWS.split_ascii_whitespace().any(|view| {
            let (of, known) = view.split_once('.').unwrap_or_default();
            known.eq_ignore_ascii_case(last) && of.eq_ignore_ascii_case(schema)
        }),
    }
}

/// Whether it is a DBCC command.
pub(crate) fn dbcc(command: &str) -> bool {
    lists(DBCC, command)
}

/// Whether it is a SET option.
pub(crate) fn option(name: &str) -> bool {
    lists(OPTIONS, name)
}

/// Whether it is the name of a collation: a family, then sensitivities in their order.
pub(crate) fn collation(name: &str) -> bool {
    let families = WINDOWS_COLLATIONS.split_ascii_whitespace().chain(SQL_COLLATIONS.split_ascii_whitespace());
    families.into_iter().any(|family| {
        let rest = name.get(..family.len()).filter(|start| start.eq_ignore_ascii_case(family));
        rest.is_some_and(|_| {
            let rest = &name[family.len()..];
            rest.starts_with('_') && are_parts(&rest[1..])
        })
    })
}

fn are_parts(rest: &str) -> bool {
    // The last three came with version 90 and are of no collation without a version.
    let is_versioned = rest.starts_with(|digit: char| digit.is_ascii_digit());
    if !is_versioned
        && ["SC", "VSS", "UTF8"].iter().any(|new| rest.split('_').any(|part| part.eq_ignore_ascii_case(new)))
    {
        return false;
    }
    let mut groups = COLLATION_PARTS.iter();
    rest.split('_').all(|part| groups.any(|group| group.iter().any(|known| known.eq_ignore_ascii_case(part))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collations_are_known_by_their_parts() {
        for name in ["French_CI_AI", "latin1_general_100_bin2", "Japanese_XJIS_140_CI_AS_KS_WS_VSS_UTF8"] {
            assert!(collation(name), "{name}");
        }
        for name in [
            "French",
            "French_",
            "French_AI_CI",
            "Klingon_CI_AS",
            "French_CI_AS_x",
            "Frénch_CI_AS",
            "French_CI_AS_SC_UTF8",
        ] {
            assert!(!collation(name), "{name}");
        }
    }
}
