//! All scalar functions by name.

use std::collections::HashMap;
use std::sync::OnceLock;

use millpond_types::collation::Collation;

use crate::coded::{gzip, letters, passphrase};
use crate::facts::app_lock;
use crate::facts::keys;
use crate::facts::metadata;
use crate::facts::principals;
use crate::facts::property;
use crate::facts::session;
use crate::facts::type_property;
use crate::json::functions as json;
use crate::regexp;
use crate::text::digits;
use crate::text::format;
use crate::text::fuzzy;
use crate::text::letter_case;
use crate::text::message_text;
use crate::text::naming;
use crate::text::search;
use crate::text::string;
use crate::text::weights;
use crate::time::offset;
use crate::time::temporal;
use crate::{FunctionDef, bits};
use crate::{conversion, math};

/// The functions, by family.
pub static FAMILIES: &[&[FunctionDef]] = &[
    string::FUNCTIONS,
    search::FUNCTIONS,
    weights::FUNCTIONS,
    letter_case::FUNCTIONS,
    naming::FUNCTIONS,
    digits::FUNCTIONS,
    format::FUNCTIONS,
    math::FUNCTIONS,
    bits::FUNCTIONS,
    message_text::FUNCTIONS,
    app_lock::FUNCTIONS,
    temporal::FUNCTIONS,
    conversion::FUNCTIONS,
    gzip::FUNCTIONS,
    letters::FUNCTIONS,
    fuzzy::FUNCTIONS,
    regexp::FUNCTIONS,
    passphrase::FUNCTIONS,
    session::FUNCTIONS,
    principals::FUNCTIONS,
    metadata::FUNCTIONS,
    property::FUNCTIONS,
    type_property::FUNCTIONS,
    keys::FUNCTIONS,
    offset::FUNCTIONS,
    json::FUNCTIONS,
];

/// The function as a collation has it: those that count do so over characters, where it is aware of supplementary ones, and
/// UPPER and LOWER have its letters.
#[must_use]
pub fn of_collation(def: &'static FunctionDef, collation: Collation) -> &'static FunctionDef {
    let counting = string::COUNTING_CHARACTERS.iter().chain(search::COUNTING_CHARACTERS);
    let mut counting = counting.filter(|_| collation.is_supplementary());
    let counting = counting.find(|other| other.name == def.name);
    counting.or_else(|| letter_case::of_collation(def.name, collation)).unwrap_or(def)
}

/// Longest name of a function in bytes; a longer one is none.
const NAME_BYTES_MAX: usize = 32;

/// The function of this name in any case; `@@ROWCOUNT` with its signs.
#[must_use]
pub fn find(name: &str) -> Option<&'static FunctionDef> {
    static BY_NAME: OnceLock<HashMap<&'static [u8], &'static FunctionDef>> = OnceLock::new();
    let mut upper = [0; NAME_BYTES_MAX];
    let upper = upper.get_mut(..name.len())?;
    upper.copy_from_slice(name.as_bytes());
    upper.make_ascii_uppercase();
    let by_name = BY_NAME.get_or_init(|| {
        FAMILIES.iter().flat_map(|family| family.iter()).map(|def| (def.name.as_bytes(), def)).collect()
    });
    by_name.get(&*upper).copied()
}
