//! Versions of rows: `sys.dm_tran_version_store` shows each, `sys.dm_tran_top_version_generators` what they take together.
//!
//! What always holds: the store knows of a version its database and the transaction that has replaced it, not the table or index that it
//! is of: `rowset_id` is NULL, and what versions take is added up by database. A version lies on one page, whole; what a row of it must
//! have at least is not kept with it. The images are charged to the statement that asks.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use millpond_catalog::Within;
use millpond_catalog::run::Run;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_txn::each_version;
use millpond_types::{Bytes, Value};

use crate::columns::{OfBytes, VarBinary, big, int, small};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.dm_tran_version_store`.
    struct DmTranVersionStore {
        transaction_sequence_num: Option<i64>,
        version_sequence_num: Option<i64>,
        database_id: Option<i32>,
        rowset_id: Option<i64>,
        status: Option<u8>,
        min_length_in_bytes: Option<i16>,
        record_length_first_part_in_bytes: Option<i16>,
        record_image_first_part: Option<VarBinary<8000>>,
        record_length_second_part_in_bytes: Option<i16>,
        record_image_second_part: Option<VarBinary<8000>>,
    }
}

/// `sys.dm_tran_version_store`
pub static DM_TRAN_VERSION_STORE: ViewDef = view("sys", "dm_tran_version_store", &ViewRows(versions));

row! {
    /// A row of `sys.dm_tran_top_version_generators`.
    struct DmTranTopVersionGenerators {
        database_id: Option<i32>,
        rowset_id: Option<i64>,
        aggregated_record_length_in_bytes: Option<i32>,
    }
}

/// `sys.dm_tran_top_version_generators`
pub static DM_TRAN_TOP_VERSION_GENERATORS: ViewDef =
    view("sys", "dm_tran_top_version_generators", &ViewRows(generators));

fn versions(ctx: &RunContext, _: Within<'_>) -> SqlResult<Rows<DmTranVersionStore>> {
    let mut rows = Rows::new();
    let mut refused = None;
    // Of each transaction how many there were.
    let mut counts: HashMap<u64, i64> = HashMap::new();
    let read = each_version(ctx.engine.txns(), &ctx.ask_other(), &mut |version| {
        let image: Bytes = version.payload[..version.payload.len().min(8000)].into();
        if let Err(error) = ctx.charge(&Value::Binary(image.clone())) {
            refused = Some(error);
            return ControlFlow::Break(());
        }
        let count = counts.entry(version.by.0).or_default();
        *count += 1;
        rows.push(DmTranVersionStore {
            transaction_sequence_num: Some(big(version.by.0)),
            version_sequence_num: Some(*count),
            database_id: Some(int(version.db.0)),
            rowset_id: None,
            status: Some(0),
            min_length_in_bytes: None,
            record_length_first_part_in_bytes: Some(small(version.payload.len())),
            record_image_first_part: Some(VarBinary::of(image)),
            record_length_second_part_in_bytes: Some(0),
            record_image_second_part: None,
        });
        ControlFlow::Continue(())
    });
    read.map_err(|error| message::of_pool(&error))?;
    refused.map_or(Ok(rows), Err)
}

fn generators(ctx: &RunContext, _: Within<'_>) -> SqlResult<Rows<DmTranTopVersionGenerators>> {
    let mut bytes: BTreeMap<u16, u64> = BTreeMap::new();
    let read = each_version(ctx.engine.txns(), &ctx.ask_other(), &mut |version| {
        *bytes.entry(version.db.0).or_default() += version.payload.len() as u64;
        ControlFlow::Continue(())
    });
    read.map_err(|error| message::of_pool(&error))?;
    let row = |(db, bytes): (u16, u64)| DmTranTopVersionGenerators {
        database_id: Some(int(db)),
        rowset_id: None,
        aggregated_record_length_in_bytes: Some(int(bytes)),
    };
    Ok(bytes.into_iter().map(row).collect())
}
