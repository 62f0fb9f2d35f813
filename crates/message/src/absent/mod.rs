//! Names that SQL Server has and this version does not: functions, views, table-valued functions, procedures, DBCC
//! commands, SET options. A call of one gets 40517 with its name, and not the error of an unknown name.
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
const TABLE_FUNCTIONS: &str = "CHANGETABLE CONTAINSTABLE FREETEXTTABLE OPENDATASOURCE OPENQUERY OPENROWSET OPENXML PREDICT \
    SEMANTICKEYPHRASETABLE SEMANTICSIMILARITYDETAILSTABLE \
    SEMANTICSIMILARITYTABLE VECTOR_SEARCH AI_GENERATE_CHUNKS";
/// DBCC commands.
pub const DBCC: &str = "DBREPAIR OUTPUTBUFFER PINTABLE SHOWFILESTATS STACKDUMP UNPINTABLE";
/// SET options.
const OPTIONS: &str = "FIPS_FLAGGER OFFSETS";

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
