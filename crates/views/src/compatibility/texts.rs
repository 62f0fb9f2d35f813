//! `syscomments`: the texts of modules, checks and defaults, as SQL Server 2000 showed them, in pieces.

use millpond_catalog::system_view::{Lead, ViewDef};
use millpond_catalog::{CatalogObject, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_engine::metadata::shown_definition;
use millpond_message::error::SqlResult;

use crate::catalog::triggers::of_database;
use crate::columns::{NVarChar, VarBinary, bytes, text};
use crate::row::{Rows, ViewRows, led_view, row};

/// All of them.
pub(crate) static ALL: &[&ViewDef] = &[&SYSCOMMENTS];

/// UTF-16 units of a piece.
const PIECE_UNITS: usize = 4000;

row! {
    /// A row of `syscomments`.
    struct Syscomments {
        id: i32,
        number: i16,
        colid: i16,
        status: i16,
        ctext: Option<VarBinary<8000>>,
        texttype: i16,
        language: i16,
        encrypted: bool,
        compressed: bool,
        text: Option<NVarChar<4000>>,
    }
}

/// `syscomments`
pub static SYSCOMMENTS: ViewDef = led_view("sys", "syscomments", &[("id", Lead::Number)], &ViewRows(comments));

/// Objects that are procedures: their pieces have the number 1.
const OF_PROCEDURES: i16 = 1;

fn comments(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Syscomments>> {
    let objects = inventory::definitions(ctx, database)?;
    let mut rows = Rows::new();
    for object in inventory::among(ctx, database, &objects) {
        let CatalogObject::Module(def) = object else { continue };
        let number = if object.code() == "P" { OF_PROCEDURES } else { 0 };
        rows.extend(pieces(def.id.0, number, shown_definition(ctx, database.database, def).as_str()));
    }
    for def in of_database(&objects, database) {
        rows.extend(pieces(def.id.0, 0, shown_definition(ctx, database.database, def).as_str()));
    }
    for table in inventory::tables(ctx, database)? {
        for check in &table.def.checks {
            rows.extend(pieces(check.id.0, 0, Some(&inventory::shown_expression(&check.text))));
        }
        for default in table.def.columns.iter().filter_map(|column| column.default.as_ref()) {
            if !default.is_bound() {
                rows.extend(pieces(default.id.0, 0, Some(&inventory::shown_expression(&default.text))));
            }
        }
    }
    Ok(rows)
}

/// A text in pieces; one that nobody may see is one piece without it.
fn pieces(id: i32, number: i16, shown: Option<&str>) -> Vec<Syscomments> {
    let units: Vec<u16> = shown.unwrap_or_default().encode_utf16().collect();
    let chunks: Vec<&[u16]> = if units.is_empty() { vec![&[]] } else { units.chunks(PIECE_UNITS).collect() };
    let piece = |(chunk, colid): (&[u16], i16)| {
        let stored: Vec<u8> = chunk.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        Syscomments {
            id,
            number,
            colid,
            status: if shown.is_some() { 2 } else { 3 },
            ctext: shown.map(|_| bytes(&stored)),
            texttype: if shown.is_some() { 2 } else { 6 },
            language: 0,
            encrypted: shown.is_none(),
            compressed: false,
            text: shown.map(|_| text(&String::from_utf16_lossy(chunk))),
        }
    };
    chunks.into_iter().zip(1..).map(piece).collect()
}
