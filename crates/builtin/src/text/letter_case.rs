//! UPPER and LOWER: the other case of each character, one for one, by the table of the argument's collation.
//!
//! SQL Server has three tables: one for collations without a version, of version 90 and of SQL Server's own names, one for
//! version 100 and one for version 140. Here each is today's Unicode but for the letters of which it is known that they
//! differ ([`upper_char`], [`lower_char`]); others may. Turkish and Azeri collations pair `i` with `İ` and `ı` with `I`. A
//! supplementary character has no other case.

use millpond_message::error::SqlResult;
use millpond_types::collation::Collation;
use millpond_types::text::to_page;
use millpond_types::{CodePage, SqlType, Stopped, Value, Watch};

use crate::args::{strict, text, text_type};
use crate::define::{pure, watched_eval};
use crate::text::string::fit;
use crate::{FunctionDef, Signature};

/// The table of collations that are of no version, or of one before 100.
const OLDEST: u8 = 0;
/// The tables of versions 100 and 140, as `Collation::version` counts them.
const V100: u8 = 2;
const V140: u8 = 3;

/// The functions, for collations that have the oldest table.
pub(crate) static FUNCTIONS: &[FunctionDef] = &PAIR_OF_OLDEST;

static PAIR_OF_OLDEST: [FunctionDef; 2] = pair_of::<OLDEST, false>();
static TURKISH: [FunctionDef; 2] = pair_of::<OLDEST, true>();
static PAIR_OF_100: [FunctionDef; 2] = pair_of::<V100, false>();
static TURKISH_100: [FunctionDef; 2] = pair_of::<V100, true>();
static PAIR_OF_140: [FunctionDef; 2] = pair_of::<V140, false>();

/// UPPER and LOWER of a table.
const fn pair_of<const TABLE: u8, const TURKISH: bool>() -> [FunctionDef; 2] {
    [
        pure("UPPER", (1, 1), bind, watched_eval!(upper::<TABLE, TURKISH>)),
        pure("LOWER", (1, 1), bind, watched_eval!(lower::<TABLE, TURKISH>)),
    ]
}

/// The function of this name with the table of a collation, if its name is one of the two.
pub(crate) fn of_collation(name: &str, collation: Collation) -> Option<&'static FunctionDef> {
    let pair = match (collation.version(), is_turkish(collation)) {
        (V100, true) => &TURKISH_100,
        (_, true) => &TURKISH,
        (V100, false) => &PAIR_OF_100,
        (V140, false) => &PAIR_OF_140,
        _ => &PAIR_OF_OLDEST,
    };
    pair.iter().find(|def| def.name == name)
}

/// Whether the letters of a collation are those of Turkish or Azeri.
fn is_turkish(collation: Collation) -> bool {
    const TURKISH: u32 = 0x041F;
    const AZERI_LATIN: u32 = 0x042C;
    const AZERI_CYRILLIC: u32 = 0x082C;
    matches!(collation.lcid(), TURKISH | AZERI_LATIN | AZERI_CYRILLIC) || collation.page() == CodePage::Cp1254
}

fn bind(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let text = text_type(types[0]);
    strict(vec![text], text)
}

fn upper<const TABLE: u8, const TURKISH: bool>(
    watch: Watch<'_>,
    args: &[Value],
    _: &[SqlType],
    result: &SqlType,
) -> SqlResult<Value> {
    let upper = |c| within(result, c, upper_char::<TABLE, TURKISH>(c));
    let ascii = (!TURKISH).then_some(str::make_ascii_uppercase as fn(&mut str));
    Ok(fit(in_case(watch, text(&args[0]), ascii, &upper)?, result))
}

fn lower<const TABLE: u8, const TURKISH: bool>(
    watch: Watch<'_>,
    args: &[Value],
    _: &[SqlType],
    result: &SqlType,
) -> SqlResult<Value> {
    let lower = |c| within(result, c, lower_char::<TABLE, TURKISH>(c));
    let ascii = (!TURKISH).then_some(str::make_ascii_lowercase as fn(&mut str));
    Ok(fit(in_case(watch, text(&args[0]), ascii, &lower)?, result))
}

/// The text with its characters changed one by one: `ascii` changes what is ASCII alone, `of` each character.
fn in_case(
    watch: Watch<'_>,
    text: &str,
    ascii: Option<fn(&mut str)>,
    of: &dyn Fn(char) -> char,
) -> Result<String, Stopped> {
    let mut changed = String::with_capacity(text.len());
    for piece in watch.pieces(text) {
        let piece = piece?;
        match ascii.filter(|_| piece.is_ascii()) {
            Some(ascii) => {
                let from = changed.len();
                changed.push_str(piece);
                ascii(&mut changed[from..]);
            }
            None => changed.extend(piece.chars().map(of)),
        }
    }
    Ok(changed)
}

/// The capital letter in a table.
fn upper_char<const TABLE: u8, const TURKISH: bool>(c: char) -> char {
    match c {
        'i' if TURKISH => 'İ',
        'µ' if TABLE != V140 => c,
        // Latin b with stroke: its capital came with Unicode 5.
        '\u{180}' if TABLE == OLDEST => c,
        // Greek iota with dialytika and tonos loses the tonos.
        '\u{390}' if TABLE == OLDEST => '\u{3AA}',
        '\u{10000}'.. => c,
        _ => one(c.to_uppercase()).unwrap_or(c),
    }
}

/// The small letter in a table.
fn lower_char<const TABLE: u8, const TURKISH: bool>(c: char) -> char {
    match c {
        'I' if TURKISH => 'ı',
        'İ' => 'i',
        // Greek upsilon with hook.
        '\u{3D2}' if TABLE == V140 => '\u{3C5}',
        // Georgian capitals had the letters without case as small ones, before Unicode 4.1 had others.
        '\u{10A0}'..='\u{10C5}' if TABLE == OLDEST => char::from_u32(u32::from(c) + 0x30).unwrap_or(c),
        '\u{10000}'.. => c,
        _ => small_letter(c),
    }
}

/// The small letter in today's Unicode, one for one.
pub(crate) fn small_letter(c: char) -> char {
    one(c.to_lowercase()).unwrap_or(c)
}

/// The only character of several.
fn one(mut letters: impl Iterator<Item = char>) -> Option<char> {
    letters.next().filter(|_| letters.next().is_none())
}

/// The letter in its other case, if the type has it.
fn within(sql: &SqlType, c: char, other: char) -> char {
    match sql.alphabet() {
        None => other,
        // Code page 1252 has both cases of its letters but those.
        Some(CodePage::Cp1252) if matches!(c, 'µ' | 'ƒ') => c,
        Some(CodePage::Cp1252) => other,
        Some(page) if to_page(other.encode_utf8(&mut [0; 4]), page).contains(other) => other,
        Some(_) => c,
    }
}
