//! DBCC SHOWCONTIG: how well the leaves of tables and indexes are filled, and how much in order they lie.

use millpond_access::tree::statistics::of_tree;
use millpond_access::tree::{LevelStatistics, StatisticsMode, Tree};
use millpond_catalog::{IndexDef, IndexKind, ModuleDef, SchemaId, TableDef};
use millpond_engine::arguments::{NamedTable, index_of, named_table};
use millpond_engine::stored::place_of;
use millpond_engine::system_call::{DbccDef, DbccTakes, SystemCall};
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_storage::contract::EXTENT_PAGES;
use millpond_storage::page::header::BODY_BYTES;
use millpond_types::{MaxLen, SqlType, Value};

/// `DBCC SHOWCONTIG [(table [, index])]`
pub static SHOWCONTIG: DbccDef = DbccDef {
    name: "SHOWCONTIG",
    syntax: "[ ( { 'table_name' | table_id | 'view_name' | view_id } [ , 'index_name' | index_id ] ) ]
    [ WITH { [ ALL_INDEXES ] [ , TABLERESULTS ] [ , FAST ] [ , ALL_LEVELS ] [ , NO_INFOMSGS ] } ]",
    takes: DbccTakes { args: 0..=2, options: &["ALL_INDEXES", "TABLERESULTS", "FAST", "ALL_LEVELS", "NO_INFOMSGS"] },
    run: show,
};

/// What was found of an index.
struct Shown<'a> {
    /// Its table as it is shown: a view where the rows are a view's.
    table: (&'a str, i32),
    index: &'a IndexDef,
    /// The pages of the leaves alone were counted.
    fast: bool,
    leaf: LevelStatistics,
}

/// # Errors
/// 2501 and its kin for what is no table, 7999 for an index that is not there.
fn show(call: &mut SystemCall<'_>) -> SqlResult<()> {
    let tables = match call.positional(0) {
        Some(_) => vec![named_table(call.ctx(), call.positional(0))?],
        None => all_tables(call)?,
    };
    let is_table = call.option("TABLERESULTS");
    let mut rows = Vec::new();
    for (dictionary, def, trees) in &tables {
        let objects = dictionary.catalog().objects();
        let view = ModuleDef::of_rows(def, &objects);
        let table = view.map_or((&*def.name, def.id.0), |view| (&*view.name, view.id.0));
        let wanted = wanted(call, def)?;
        for (index, tree) in def.indexes.iter().zip(&trees.trees) {
            if index.disabled || wanted.is_some_and(|wanted| wanted != index.id) {
                continue;
            }
            // Of a heap there is no fast way.
            let fast = call.option("FAST") && index.kind != IndexKind::Heap;
            let shown = Shown { table, index, fast, leaf: leaf_of(call, def, tree, fast)? };
            match is_table {
                true => rows.push(shown.row()),
                false if call.option("NO_INFOMSGS") => {}
                false => call.inform_text(shown.text(def.database.0)),
            }
        }
    }
    if is_table { call.result(&COLUMNS, rows) } else { Ok(()) }
}

/// Tables of users and views that have rows, in the order of their numbers.
fn all_tables(call: &SystemCall<'_>) -> SqlResult<Vec<NamedTable>> {
    let dictionary = call.ctx().engine.databases().dictionary(call.ctx().facts.database)?;
    let objects = dictionary.catalog().objects();
    let stored = objects.stored().filter(|(def, _)| def.schema.id != SchemaId(4));
    let mut tables: Vec<NamedTable> =
        stored.map(|(def, trees)| (dictionary.clone(), def.clone(), trees.clone())).collect();
    tables.sort_by_key(|(_, def, _)| ModuleDef::of_rows(def, &objects).map_or(def.id, |view| view.id));
    Ok(tables)
}

/// The number of the one index that is meant; none for all.
fn wanted(call: &SystemCall<'_>, def: &TableDef) -> SqlResult<Option<u16>> {
    let found = match call.positional(1) {
        // The rows.
        None => def.indexes.first(),
        Some(wanted) => {
            let rows = || def.indexes.first().filter(|_| wanted.as_i64() == Some(0));
            Some(index_of(def, wanted).or_else(|error| rows().ok_or(error))?)
        }
    };
    Ok(found.map(|index| index.id).filter(|_| !call.option("ALL_INDEXES")))
}

fn leaf_of(call: &SystemCall<'_>, def: &TableDef, tree: &Tree, fast: bool) -> SqlResult<LevelStatistics> {
    let mode = if fast { StatisticsMode::Limited } else { StatisticsMode::Detailed };
    let found = of_tree(tree, &call.ctx().ask_other(), mode);
    let found = found.map_err(|cause| message::of_access(cause, place_of(def)))?;
    Ok(found.levels.first().copied().unwrap_or_default())
}

const NAME: SqlType = SqlType::NVarChar { len: MaxLen::Limited(128) };

const COLUMNS: [(&str, SqlType); 20] = [
    ("ObjectName", NAME),
    ("ObjectId", SqlType::Int),
    ("IndexName", NAME),
    ("IndexId", SqlType::Int),
    ("Level", SqlType::Int),
    ("Pages", SqlType::BigInt),
    ("Rows", SqlType::BigInt),
    ("MinimumRecordSize", SqlType::Int),
    ("MaximumRecordSize", SqlType::Int),
    ("AverageRecordSize", SqlType::Float),
    ("ForwardedRecords", SqlType::BigInt),
    ("Extents", SqlType::BigInt),
    ("ExtentSwitches", SqlType::BigInt),
    ("AverageFreeBytes", SqlType::Float),
    ("AveragePageDensity", SqlType::Float),
    ("ScanDensity", SqlType::Float),
    ("BestCount", SqlType::BigInt),
    ("ActualCount", SqlType::BigInt),
    ("LogicalFragmentation", SqlType::Float),
    ("ExtentFragmentation", SqlType::Float),
];

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 }
}

fn average(sum: u64, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum as f64 / count as f64 }
}

impl Shown<'_> {
    /// Extents that the pages need, and changes of extent while they are read.
    fn counts(&self) -> (u64, u64) {
        (self.leaf.pages.div_ceil(u64::from(EXTENT_PAGES)), self.leaf.extent_switches + 1)
    }

    fn scan_density(&self) -> f64 {
        let (best, actual) = self.counts();
        percent(best, actual).min(100.0)
    }

    fn extent_fragmentation(&self) -> f64 {
        percent(self.leaf.out_of_order_extents, self.leaf.extent_switches)
    }

    fn free_bytes(&self) -> f64 {
        BODY_BYTES as f64 - average(self.leaf.used_bytes, self.leaf.pages_read)
    }

    fn row(&self) -> Vec<Value> {
        let (leaf, fast) = (&self.leaf, self.fast);
        let big = |number: u64| Value::BigInt(number.cast_signed());
        let read = |value: Value| if fast { Value::Null } else { value };
        let (best, actual) = self.counts();
        let index_name = if self.index.kind == IndexKind::Heap { Value::Null } else { Value::str(&self.index.name) };
        vec![
            Value::str(self.table.0),
            Value::Int(self.table.1),
            index_name,
            Value::Int(self.index.id.into()),
            Value::Int(0),
            big(leaf.pages),
            read(big(leaf.records - leaf.ghosts)),
            read(Value::Int(leaf.record_bytes_min.into())),
            read(Value::Int(leaf.record_bytes_max.into())),
            read(Value::Float(average(leaf.record_bytes, leaf.records))),
            // A row that becomes longer is not forwarded here.
            read(big(0)),
            read(big(leaf.extents)),
            big(leaf.extent_switches),
            read(Value::Float(self.free_bytes())),
            read(Value::Float(leaf.used_percent())),
            Value::Float(self.scan_density()),
            big(best),
            big(actual),
            Value::Float(leaf.fragmentation_percent()),
            read(Value::Float(self.extent_fragmentation())),
        ]
    }

    fn text(&self, database: u16) -> String {
        let (leaf, (best, actual)) = (&self.leaf, self.counts());
        let (table, id) = self.table;
        let scan = if self.index.id > 1 { "LEAF" } else { "TABLE" };
        let mut text = format!(
            "DBCC SHOWCONTIG scanning '{table}' table...\nTable: '{table}' ({id}); index ID: {}, database ID: {database}\n\
             {scan} level scan performed.",
            self.index.id
        );
        let density = format!("{:.2}% [{best}:{actual}]", self.scan_density());
        let is_heap = self.index.kind == IndexKind::Heap;
        let lines = [
            ("Pages Scanned", true, leaf.pages.to_string()),
            ("Extents Scanned", !self.fast, leaf.extents.to_string()),
            ("Extent Switches", true, leaf.extent_switches.to_string()),
            ("Avg. Pages per Extent", !self.fast, format!("{:.1}", average(leaf.pages, leaf.extents))),
            ("Scan Density [Best Count:Actual Count]", true, density),
            ("Logical Scan Fragmentation ", !is_heap, format!("{:.2}%", leaf.fragmentation_percent())),
            ("Extent Scan Fragmentation ", true, format!("{:.2}%", self.extent_fragmentation())),
            ("Avg. Bytes Free per Page", !self.fast, format!("{:.1}", self.free_bytes())),
            ("Avg. Page Density (full)", !self.fast, format!("{:.2}%", leaf.used_percent())),
        ];
        for (name, _, value) in lines.iter().filter(|(_, is_shown, _)| *is_shown) {
            text.push_str(&format!("\n- {name:.<45}: {value}"));
        }
        text
    }
}
