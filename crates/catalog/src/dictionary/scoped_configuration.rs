//! What ALTER DATABASE SCOPED CONFIGURATION said, as a text among those of modules, and back.
//!
//! ```text
//!   number  value  value for secondary
//! ```
//! A line each, with tabs between; `-` is what was not said. Without any there is no text.
//!
//! What always holds: one transaction at a time changes it, under a lock to its end. A rollback reads it again.

use std::fmt::Write as _;
use std::sync::Arc;

use millpond_message::error::SqlResult;
use millpond_txn::Resource;
use millpond_txn::lock::LockMode;

use super::codec::damaged;
use super::{Dictionary, Io, names};
use crate::ObjectId;
use crate::database::scoped_configuration::{ScopedConfiguration, ScopedValue};

/// The number under which the text lies among those of modules; types have others below zero.
const TEXT: ObjectId = ObjectId(i32::MIN + 10);
const NOTHING: &str = "-";

/// Changes it: the text under the transaction, what is in memory at once.
///
/// # Errors
/// 1222, 1205; what the rows' change gives.
pub fn change(
    dictionary: &Dictionary,
    io: &mut Io<'_, '_>,
    change: impl FnOnce(&mut ScopedConfiguration),
) -> SqlResult<()> {
    let resource = Resource::metadata(dictionary.database(), names::SCOPED_CONFIGURATION, 0);
    names::lock(dictionary, io, resource, "configuration", LockMode::SchM)?;
    let mut configuration = ScopedConfiguration::clone(&dictionary.catalog.objects().scoped);
    change(&mut configuration);
    dictionary.put_text(io, TEXT, super::SCOPED_CONFIGURATION_EVENT, &text_of(&configuration))?;
    dictionary.catalog.change(|objects| objects.scoped = Arc::new(configuration));
    Ok(())
}

/// Reads it anew.
pub(super) fn load(dictionary: &Dictionary, io: &mut Io<'_, '_>) -> SqlResult<()> {
    let configuration = read(&dictionary.text(io, TEXT)?)?;
    dictionary.catalog.change(|objects| objects.scoped = Arc::new(configuration));
    Ok(())
}

fn text_of(configuration: &ScopedConfiguration) -> String {
    let said = |value: &Option<String>| value.clone().unwrap_or_else(|| NOTHING.to_owned());
    configuration.0.iter().fold(String::new(), |mut out, (id, value)| {
        let _ = writeln!(out, "{id}\t{}\t{}", said(&value.value), said(&value.for_secondary));
        out
    })
}

fn read(text: &str) -> SqlResult<ScopedConfiguration> {
    let mut configuration = ScopedConfiguration::default();
    for line in text.split('\n').filter(|line| !line.is_empty()) {
        let mut fields = line.split('\t');
        let mut field = || fields.next().ok_or_else(|| damaged("a line of the scoped configuration is too short"));
        let id = field()?.parse().map_err(|_| damaged("a line of the scoped configuration has no number"))?;
        let said = |text: &str| Some(text.to_owned()).filter(|text| text != NOTHING);
        let value = ScopedValue { value: said(field()?), for_secondary: said(field()?) };
        configuration.0.insert(id, value);
    }
    Ok(configuration)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut configuration = ScopedConfiguration::default();
        let value = |value: &str, other: &str| ScopedValue {
            value: Some(value.to_owned()).filter(|value| !value.is_empty()),
            for_secondary: Some(other.to_owned()).filter(|other| !other.is_empty()),
        };
        configuration.0.insert(1, value("4", ""));
        configuration.0.insert(11, value("WHEN_SUPPORTED", "OFF"));
        configuration.0.insert(12, value("", "1"));
        assert_eq!(read(&text_of(&configuration)).unwrap(), configuration);
        assert!(read("x\t1\t2").is_err() && read("1\t2").is_err());
    }
}
