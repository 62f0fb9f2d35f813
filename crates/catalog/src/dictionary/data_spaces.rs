//! Filegroups, partition functions and schemes as a text in the system tables, and back.
//!
//! ```text
//!   G  id  name  read-only  grows-all          filegroup           D  id             the default one
//!   F  id  name  type  side  made  changed     function            V  id  bytes      a boundary of it
//!   S  id  name  function  next-used  all      scheme              P  id  filegroup  a partition of it
//!   I  table  index  space  column             what is put there   L  file  filegroup
//! ```
//! A line each, with tabs between; a database that has none of them has no text.
//!
//! What always holds: one transaction at a time changes them, under a lock of all of them to its end; whatever is put on one of
//! them holds that lock shared to its end. A rollback reads all of it again.

use std::fmt::Write as _;

use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_txn::Resource;
use millpond_txn::lock::LockMode;
use millpond_types::Value;
use millpond_types::row::RowLayout;

use super::codec::{self, damaged};
use super::{Dictionary, Io, names, properties};
use crate::ObjectId;
use crate::data_space::{DataSpaces, Filegroup, PartitionFunction, PartitionScheme, Placement};

/// The number under which the text lies among those of modules; types have others below zero.
const TEXT: ObjectId = ObjectId(i32::MIN + 1);

fn lock(dictionary: &Dictionary, io: &mut Io<'_, '_>, mode: LockMode) -> SqlResult<()> {
    let resource = Resource::metadata(dictionary.database(), names::DATA_SPACES, 0);
    names::lock(dictionary, io, resource, "data space", mode)
}

/// They stay as they are to the end of the transaction.
///
/// # Errors
/// 1222, 1205
pub fn hold(dictionary: &Dictionary, io: &mut Io<'_, '_>) -> SqlResult<()> {
    lock(dictionary, io, LockMode::SchS)
}

/// Changes them: the text under the transaction, what is in memory at once.
///
/// # Errors
/// 1222, 1205; what `change` gives, and what the rows' change gives.
pub fn change(
    dictionary: &Dictionary,
    io: &mut Io<'_, '_>,
    change: impl FnOnce(&mut DataSpaces) -> SqlResult<()>,
) -> SqlResult<()> {
    lock(dictionary, io, LockMode::SchM)?;
    let mut spaces = DataSpaces::clone(dictionary.catalog.objects().data_spaces());
    change(&mut spaces)?;
    properties::forget_spaces(dictionary, io, dictionary.catalog.objects().data_spaces(), &spaces)?;
    dictionary.put_text(io, TEXT, super::DATA_SPACES_EVENT, &text_of(&spaces)?)?;
    dictionary.catalog.change(|objects| objects.put_data_spaces(spaces));
    Ok(())
}

/// A table is gone, and with it where its indexes were.
pub(super) fn forget_object(dictionary: &Dictionary, io: &mut Io<'_, '_>, id: ObjectId) -> SqlResult<()> {
    let objects = dictionary.catalog.objects();
    if objects.data_spaces().placements.range((id, 0)..=(id, u16::MAX)).next().is_none() {
        return Ok(());
    }
    change(dictionary, io, |spaces| {
        spaces.placements.retain(|(table, _), _| *table != id);
        Ok(())
    })
}

/// Reads them anew.
pub(super) fn load(dictionary: &Dictionary, io: &mut Io<'_, '_>) -> SqlResult<()> {
    let text = dictionary.text(io, TEXT)?;
    let spaces = if text.is_empty() { DataSpaces::default() } else { read(&text)? };
    dictionary.catalog.change(|objects| objects.put_data_spaces(spaces));
    Ok(())
}

fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n")
}

fn unescaped(name: &str) -> String {
    let (mut out, mut chars) = (String::with_capacity(name.len()), name.chars());
    while let Some(c) = chars.next() {
        match (c, if c == '\\' { chars.next() } else { None }) {
            ('\\', Some('t')) => out.push('\t'),
            ('\\', Some('n')) => out.push('\n'),
            ('\\', Some(other)) => out.push(other),
            (c, _) => out.push(c),
        }
    }
    out
}

fn text_of(spaces: &DataSpaces) -> SqlResult<String> {
    let mut out = String::new();
    for group in &spaces.filegroups {
        let (id, name) = (group.id, escaped(&group.name));
        let _ = writeln!(out, "G\t{id}\t{name}\t{}\t{}", u8::from(group.is_read_only), u8::from(group.grows_all));
    }
    let _ = writeln!(out, "D\t{}", spaces.default_group);
    for function in &spaces.functions {
        let (id, name, side) = (function.id, escaped(&function.name), u8::from(function.is_right));
        let (made_us, changed_us) = function.times_us;
        let _ = writeln!(out, "F\t{id}\t{name}\t{}\t{side}\t{made_us}\t{changed_us}", function.sql);
        let layout = RowLayout::new(&[function.sql]);
        for boundary in &function.boundaries {
            let record = layout.encode(std::slice::from_ref(boundary)).map_err(message::of_row)?;
            let _ = write!(out, "V\t{id}\t");
            for byte in &record {
                let _ = write!(out, "{byte:02x}");
            }
            out.push('\n');
        }
    }
    for scheme in &spaces.schemes {
        let (id, name, next) = (scheme.id, escaped(&scheme.name), scheme.next_used.unwrap_or(0));
        let _ = writeln!(out, "S\t{id}\t{name}\t{}\t{next}\t{}", scheme.function, u8::from(scheme.is_all));
        for group in &scheme.groups {
            let _ = writeln!(out, "P\t{id}\t{group}");
        }
    }
    for ((table, index), Placement { space, column }) in &spaces.placements {
        let _ = writeln!(out, "I\t{}\t{index}\t{space}\t{column}", table.0);
    }
    for (file, group) in &spaces.files {
        let _ = writeln!(out, "L\t{file}\t{group}");
    }
    Ok(out)
}

/// The fields of a line.
struct Line<'t>(Vec<&'t str>);

impl Line<'_> {
    fn text(&self, at: usize) -> SqlResult<&str> {
        self.0.get(at).copied().ok_or_else(|| damaged("a line of the data spaces is too short"))
    }

    fn number<N: std::str::FromStr>(&self, at: usize) -> SqlResult<N> {
        self.text(at)?.parse().map_err(|_| damaged("a line of the data spaces has no number where one belongs"))
    }

    fn bit(&self, at: usize) -> SqlResult<bool> {
        Ok(self.number::<u8>(at)? != 0)
    }

    fn bytes(&self, at: usize) -> SqlResult<Vec<u8>> {
        let digit = |c: u8| (c as char).to_digit(16).map(|digit| digit as u8);
        let pair = |pair: &[u8]| match pair {
            [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
            _ => None,
        };
        let bytes = self.text(at)?.as_bytes().chunks(2).map(pair).collect::<Option<Vec<u8>>>();
        bytes.ok_or_else(|| damaged("a boundary of a partition function is no bytes"))
    }
}

fn read(text: &str) -> SqlResult<DataSpaces> {
    let lost = || damaged("a part of a data space stands without it");
    let mut spaces = DataSpaces { filegroups: Vec::new(), ..DataSpaces::default() };
    for line in text.lines() {
        let line = Line(line.split('\t').collect());
        match line.text(0)? {
            "G" => spaces.filegroups.push(Filegroup {
                id: line.number(1)?,
                name: unescaped(line.text(2)?),
                is_read_only: line.bit(3)?,
                grows_all: line.bit(4)?,
            }),
            "D" => spaces.default_group = line.number(1)?,
            "F" => spaces.functions.push(PartitionFunction {
                id: line.number(1)?,
                name: unescaped(line.text(2)?),
                sql: codec::type_of(line.text(3)?)?,
                is_right: line.bit(4)?,
                boundaries: Vec::new(),
                times_us: (line.number(5)?, line.number(6)?),
            }),
            "V" => {
                let function = spaces.functions.last_mut().ok_or_else(lost)?;
                let mut row: Vec<Value> = Vec::new();
                let layout = RowLayout::new(&[function.sql]);
                layout.decode(&line.bytes(2)?, &mut row).map_err(message::of_row)?;
                function.boundaries.extend(row);
            }
            "S" => spaces.schemes.push(PartitionScheme {
                id: line.number(1)?,
                name: unescaped(line.text(2)?),
                function: line.number(3)?,
                groups: Vec::new(),
                next_used: Some(line.number(4)?).filter(|next| *next != 0),
                is_all: line.bit(5)?,
            }),
            "P" => spaces.schemes.last_mut().ok_or_else(lost)?.groups.push(line.number(2)?),
            "I" => {
                let placement = Placement { space: line.number(3)?, column: line.number(4)? };
                spaces.placements.insert((ObjectId(line.number(1)?), line.number(2)?), placement);
            }
            "L" => {
                spaces.files.insert(line.number(1)?, line.number(2)?);
            }
            _ => return Err(damaged("a line of the data spaces is of no kind")),
        }
    }
    match spaces.group(spaces.default_group) {
        Some(_) => Ok(spaces),
        None => Err(damaged("the default filegroup is not there")),
    }
}

#[cfg(test)]
mod tests {
    use millpond_types::SqlType;

    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut spaces = DataSpaces::default();
        spaces.filegroups.push(Filegroup { id: 2, name: "a\tb\\n\n".to_owned(), is_read_only: true, grows_all: true });
        spaces.default_group = 2;
        let sql = SqlType::varchar(20);
        let boundaries = vec![Value::Null, Value::str(""), Value::str("tab\t")];
        let function =
            PartitionFunction { id: 65_536, name: "f".into(), sql, is_right: true, boundaries, times_us: (1, 2) };
        spaces.functions.push(function);
        let groups = vec![1, 2, 1, 1];
        let scheme = PartitionScheme {
            id: 65_601,
            name: "s".into(),
            function: 65_536,
            groups,
            next_used: Some(2),
            is_all: false,
        };
        spaces.schemes.push(scheme);
        spaces.placements.insert((ObjectId(1000), 1), Placement { space: 65_601, column: 3 });
        spaces.files.insert(3, 2);
        assert_eq!(read(&text_of(&spaces).unwrap()).unwrap(), spaces);
    }

    #[test]
    fn damage_is_an_error() {
        for text in ["x", "G\t1", "G\ta\tb\t0\t0", "V\t1\t00", "P\t1\t1", "D\t7", "I\t1\t2\t3"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
