//! Definitions as rows of the system tables, and back.
//!
//! What always holds: what was written is read back to the same definition. Texts of expressions are bound again when
//! they are read; one that does not bind any more is damage.

use std::sync::Arc;

use millpond_access::tree::TreeRoot;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::{DbId, FileId, PageId, PageNo};
use millpond_types::Value;

use super::tables::{SystemTable, TEXT_PART_UNITS};
use super::texts::BindText;
use crate::expr_type::ExprType;
use crate::mask::Mask;
use crate::security::PrincipalId;
use crate::{
    CheckDef, ColumnDef, Compression, ComputedDef, DefaultDef, FiringPlace, ForeignKeyDef, IndexDef, IndexKind,
    IndexOptions, KeyColumn, ModuleDef, ModuleKind, ObjectId, ReferentialAction, Schema, SequenceDef, SequenceState,
    StatisticsDef, TableDef, UserTypeDef, UserTypeForm,
};

/// A row of a system table.
pub(super) type Row = (SystemTable, Vec<Value>);

fn int(value: i32) -> Value {
    Value::Int(value)
}

fn count(value: usize) -> Value {
    Value::Int(i32::try_from(value).expect("columns and indexes are few"))
}

fn optional(text: Option<&str>) -> Value {
    text.map_or(Value::Null, Value::str)
}

/// A page's address as a number.
pub(super) fn page_number(page: PageId) -> i64 {
    i64::from(page.file.0) << 32 | i64::from(page.page.0)
}

/// The page of a number.
pub(super) fn page_of(db: DbId, number: i64) -> PageId {
    PageId { db, file: FileId((number >> 32) as u16), page: PageNo(number as u32) }
}

const PAD_INDEX: i32 = 1;
const IGNORE_DUP_KEY: i32 = 2;
const NO_RECOMPUTE: i32 = 4;
const NO_ROW_LOCKS: i32 = 8;
const NO_PAGE_LOCKS: i32 = 16;
const DISABLED: i32 = 32;
const SEQUENTIAL_KEY: i32 = 64;
const ROW_COMPRESSION: i32 = 128;
const PAGE_COMPRESSION: i32 = 256;
const XML_COMPRESSION: i32 = 512;
/// The bits above these are the version of the keys: 0 in rows of the time when there was one.
const SORT_KEYS_SHIFT: i32 = 16;
/// Where the options of a table stand in its flags, above LOCK_ESCALATION.
pub(super) const TABLE_OPTIONS_SHIFT: i32 = 2;

fn flags(index: &IndexDef) -> i32 {
    let options = &index.options;
    [
        (options.pad_index, PAD_INDEX),
        (options.ignore_dup_key, IGNORE_DUP_KEY),
        (options.no_recompute, NO_RECOMPUTE),
        (!options.allow_row_locks, NO_ROW_LOCKS),
        (!options.allow_page_locks, NO_PAGE_LOCKS),
        (index.disabled, DISABLED),
        (options.sequential_key, SEQUENTIAL_KEY),
        (options.compression == Compression::Row, ROW_COMPRESSION),
        (options.compression == Compression::Page, PAGE_COMPRESSION),
        (options.xml_compression, XML_COMPRESSION),
    ]
    .into_iter()
    .filter_map(|(on, bit)| on.then_some(bit))
    .sum::<i32>()
        | i32::from(index.sort_keys) << SORT_KEYS_SHIFT
}

fn options_of(flags: i32, fill_factor: u8) -> IndexOptions {
    IndexOptions {
        fill_factor,
        pad_index: flags & PAD_INDEX != 0,
        ignore_dup_key: flags & IGNORE_DUP_KEY != 0,
        no_recompute: flags & NO_RECOMPUTE != 0,
        allow_row_locks: flags & NO_ROW_LOCKS == 0,
        allow_page_locks: flags & NO_PAGE_LOCKS == 0,
        sequential_key: flags & SEQUENTIAL_KEY != 0,
        compression: match (flags & ROW_COMPRESSION, flags & PAGE_COMPRESSION) {
            (0, 0) => Compression::None,
            (_, 0) => Compression::Row,
            _ => Compression::Page,
        },
        xml_compression: flags & XML_COMPRESSION != 0,
        bucket_count: None,
    }
}

fn kind_number(kind: IndexKind) -> u8 {
    match kind {
        IndexKind::Heap => 0,
        IndexKind::Index => 1,
        IndexKind::PrimaryKey => 2,
        IndexKind::Unique => 3,
    }
}

fn kind_of(number: u8) -> Option<IndexKind> {
    [IndexKind::Heap, IndexKind::Index, IndexKind::PrimaryKey, IndexKind::Unique].get(usize::from(number)).copied()
}

fn action_number(action: ReferentialAction) -> u8 {
    match action {
        ReferentialAction::NoAction => 0,
        ReferentialAction::Cascade => 1,
        ReferentialAction::SetNull => 2,
        ReferentialAction::SetDefault => 3,
    }
}

fn action_of(number: u8) -> Option<ReferentialAction> {
    use ReferentialAction as A;
    [A::NoAction, A::Cascade, A::SetNull, A::SetDefault].get(usize::from(number)).copied()
}

/// Kind of the rows of `sysconstraints` that are rules, with the rule where a foreign key has its table.
const RULE: &str = "R";
/// Kind of the rows of `sysconstraints` that are indexed views over the table, with their rows where a foreign key has its
/// table.
const VIEW: &str = "V";
/// The kind of a row with the WHERE of statistics.
const FILTER: &str = "S";

/// The roots of an index.
pub(super) type Roots = TreeRoot;

/// The rows of a table's definition. `roots` are those of its indexes, in order.
pub(super) fn table_rows(def: &TableDef, roots: &[Roots], times_us: (i64, i64)) -> Vec<Row> {
    let flags = def.escalation as i32 | def.options.bits() << TABLE_OPTIONS_SHIFT;
    let mut rows = vec![object_row(def.id, &def.schema, &def.name, "U", flags, times_us)];
    rows.extend(def.columns.iter().enumerate().map(|(position, column)| column_row(def.id, position, column)));
    for (index, roots) in def.indexes.iter().zip(roots) {
        rows.push(index_row(def.id, index, *roots));
        rows.extend(index_column_rows(def, index));
    }
    for check in &def.checks {
        rows.push((
            SystemTable::Constraints,
            vec![
                int(def.id.0),
                int(check.id.0),
                Value::str(&check.name),
                Value::str(if check.is_constraint() { "C" } else { RULE }),
                Value::str(&check.text),
                if check.is_constraint() { Value::Null } else { int(check.rule.0) },
                Value::TinyInt(0),
                Value::TinyInt(0),
                Value::Bit(check.disabled),
                Value::Bit(check.not_trusted),
                Value::Bit(check.not_for_replication),
            ],
        ));
    }
    for key in &def.foreign_keys {
        rows.extend(foreign_key_rows(def, key));
    }
    rows.extend(def.views.iter().map(|view| view_row(def.id, *view)));
    rows.extend(def.statistics.iter().map(|made| statistics_row(def.id, made)));
    rows.extend(def.statistics.iter().filter_map(|made| filter_row(def.id, made)));
    rows
}

fn view_row(table: ObjectId, view: ObjectId) -> Row {
    part_row(table, VIEW, (view.0, Value::Null, view.0))
}

/// No constraint has a number below zero.
fn filter_row(table: ObjectId, made: &StatisticsDef) -> Option<Row> {
    let filter = Value::str(&made.filter.as_ref()?.0);
    Some(part_row(table, FILTER, (-i32::from(made.id), filter, 0)))
}

/// What stands with a table's constraints and is none.
fn part_row(table: ObjectId, kind: &str, (id, text, of): (i32, Value, i32)) -> Row {
    let row = vec![
        int(table.0),
        int(id),
        Value::str(""),
        Value::str(kind),
        text,
        int(of),
        Value::TinyInt(0),
        Value::TinyInt(0),
        Value::Bit(false),
        Value::Bit(false),
        Value::Bit(false),
    ];
    (SystemTable::Constraints, row)
}

pub(super) fn object_row(
    id: ObjectId,
    schema: &Schema,
    name: &str,
    kind: &str,
    flags: i32,
    (created_us, modified_us): (i64, i64),
) -> Row {
    (
        SystemTable::Objects,
        vec![
            int(id.0),
            int(schema.id.0),
            Value::str(name),
            Value::str(kind),
            int(flags),
            Value::BigInt(created_us),
            Value::BigInt(modified_us),
        ],
    )
}

/// After the type of a column that was made under ANSI_PADDING OFF.
const TRIMMED: &str = " trimmed";
/// After the type of a ROWGUIDCOL.
const ROW_GUID: &str = " rowguidcol";
/// After these, of a SPARSE column.
const SPARSE: &str = " sparse";
/// After these, of an IDENTITY that is NOT FOR REPLICATION.
const NOT_FOR_REPLICATION: &str = " not for replication";
/// After all of these, of a column that has a mask: its text follows to the end.
const MASKED: &str = " masked ";

fn declaration_of(column: &ColumnDef) -> String {
    let declaration = column.ty.sql.declaration();
    let declaration = match (column.trims, column.is_row_guid) {
        (true, _) => declaration + TRIMMED,
        // Of another type than those that are trimmed.
        (false, true) => declaration + ROW_GUID,
        (false, false) => declaration,
    };
    let declaration = if column.is_sparse { declaration + SPARSE } else { declaration };
    let declaration = if column.not_for_replication { declaration + NOT_FOR_REPLICATION } else { declaration };
    match &column.mask {
        Some(mask) => declaration + MASKED + &mask.text,
        None => declaration,
    }
}

fn column_row(object: ObjectId, position: usize, column: &ColumnDef) -> Row {
    let default = column.default.as_ref();
    let computed = column.computed.as_ref();
    let has_collation = column.ty.sql.is_string();
    (
        SystemTable::Columns,
        vec![
            int(object.0),
            count(position),
            int(column.id),
            Value::str(&column.name),
            Value::str(&declaration_of(column)),
            Value::Bit(column.ty.nullable),
            optional(has_collation.then(|| column.ty.collation.name())),
            column.identity.map(|(seed, _)| seed).into(),
            column.identity.map(|(_, increment)| increment).into(),
            default.map(|default| default.id.0).into(),
            optional(default.map(|default| default.name.as_str())),
            optional(default.map(|default| default.text.as_str())),
            optional(computed.map(|computed| computed.text.as_str())),
            Value::Bit(computed.is_some_and(|computed| computed.persisted)),
            optional(column.user_type.as_deref()),
        ],
    )
}

/// The row of an index.
pub(super) fn index_row(object: ObjectId, index: &IndexDef, roots: Roots) -> Row {
    (
        SystemTable::Indexes,
        vec![
            int(object.0),
            int(i32::from(index.id)),
            Value::str(&index.name),
            Value::TinyInt(kind_number(index.kind)),
            int(index.constraint.0),
            Value::Bit(index.unique),
            Value::TinyInt(index.options.fill_factor),
            int(flags(index)),
            optional(index.filter.as_ref().map(|(text, _)| text.as_str())),
            Value::BigInt(page_number(roots.root)),
            Value::BigInt(page_number(roots.iam)),
        ],
    )
}

/// Puts where a tree lies into the row of its index.
pub(super) fn set_roots(row: &mut [Value], roots: Roots) {
    row[ROOT_COLUMN] = Value::BigInt(page_number(roots.root));
    row[ROOT_COLUMN + 1] = Value::BigInt(page_number(roots.iam));
}

/// The column of an index's row that has its root; the next has its IAM page.
const ROOT_COLUMN: usize = 9;

fn index_column_rows(def: &TableDef, index: &IndexDef) -> Vec<Row> {
    let keys = index.key.iter().map(|key| (key.column, key.descending, false));
    let included = index.included.iter().map(|column| (*column, false, true));
    keys.chain(included)
        .enumerate()
        .map(|(position, (column, descending, included))| {
            (
                SystemTable::IndexColumns,
                vec![
                    int(def.id.0),
                    int(i32::from(index.id)),
                    count(position),
                    int(def.columns[column].id),
                    Value::Bit(descending),
                    Value::Bit(included),
                ],
            )
        })
        .collect()
}

fn statistics_row(table: ObjectId, made: &StatisticsDef) -> Row {
    let columns: Vec<String> = made.columns.iter().map(i32::to_string).collect();
    (
        SystemTable::Statistics,
        vec![
            int(table.0),
            int(i32::from(made.id)),
            Value::str(&made.name),
            Value::str(&columns.join(",")),
            Value::Bit(made.no_recompute),
        ],
    )
}

fn foreign_key_rows(def: &TableDef, key: &ForeignKeyDef) -> Vec<Row> {
    let mut rows = vec![(
        SystemTable::Constraints,
        vec![
            int(def.id.0),
            int(key.id.0),
            Value::str(&key.name),
            Value::str("F"),
            Value::Null,
            int(key.referenced.0),
            Value::TinyInt(action_number(key.on_delete)),
            Value::TinyInt(action_number(key.on_update)),
            Value::Bit(key.disabled),
            Value::Bit(key.not_trusted),
            Value::Bit(key.not_for_replication),
        ],
    )];
    let pairs = key.columns.iter().zip(&key.referenced_columns).enumerate();
    rows.extend(pairs.map(|(position, (column, referenced))| {
        (
            SystemTable::KeyColumns,
            vec![int(def.id.0), int(key.id.0), count(position), int(def.columns[*column].id), int(*referenced)],
        )
    }));
    rows
}

/// The rows of a module.
pub(super) fn module_rows(def: &ModuleDef) -> Vec<Row> {
    let flags = [def.quoted_identifier, def.ansi_nulls, def.is_disabled, def.is_system];
    let flags = flags.iter().enumerate().map(|(bit, flag)| i32::from(*flag) << bit).sum();
    let times = (def.created_us, def.modified_us);
    let mut rows = vec![object_row(def.id, &def.schema, &def.name, def.kind.code(), flags, times)];
    let part = |number: i32, text: &str| (SystemTable::Modules, vec![int(def.id.0), int(number), Value::str(text)]);
    if def.parent.0 != 0 {
        rows.push(part(PARENT_PART, &def.parent.0.to_string()));
    }
    if !def.order.is_empty() {
        rows.push(part(ORDER_PART, &order_text(&def.order)));
    }
    if let Some(user) = def.runs_as {
        rows.push(part(CONTEXT_PART, &user.0.to_string()));
    }
    rows.extend((0..).zip(def.columns.iter()).map(|(place, name)| part(FIRST_COLUMN_PART + place, name)));
    rows.extend(text_rows(def.id, &def.text));
    rows
}

/// Before the parts of a trigger's text: the number of its table.
const PARENT_PART: i32 = -1;
/// Before that the number of the user that EXECUTE AS names.
const CONTEXT_PART: i32 = -2;
/// Before that the events that a trigger fires first or last for: `+INSERT -UPDATE`.
const ORDER_PART: i32 = -3;
/// Before that the names of columns, from this part on.
const FIRST_COLUMN_PART: i32 = i32::MIN;

/// What rows of [`SystemTable::Modules`] say of a module.
#[derive(Default)]
pub(super) struct ModuleParts {
    /// The table of a trigger; one that was made before its table was kept has none.
    pub parent: ObjectId,
    /// The user that EXECUTE AS names.
    pub runs_as: Option<PrincipalId>,
    /// The columns of a view or inline function.
    pub columns: Vec<String>,
    /// Events that a trigger fires first or last for.
    pub order: Vec<(String, FiringPlace)>,
    pub text: String,
}

/// A module from its rows.
pub(super) fn parts_of(rows: &[Vec<Value>]) -> SqlResult<ModuleParts> {
    let mut parts = ModuleParts::default();
    for row in rows {
        let row = Reading(row);
        let part = row.optional(2).unwrap_or_default();
        match row.int(1)? {
            PARENT_PART => {
                parts.parent = ObjectId(part.parse().map_err(|_| damaged("the table of a trigger is no number"))?);
            }
            CONTEXT_PART => {
                let user = part.parse().map_err(|_| damaged("the user that a module runs as is no number"))?;
                parts.runs_as = Some(PrincipalId(user));
            }
            ORDER_PART => parts.order = order_of(part)?,
            ..ORDER_PART => parts.columns.push(part.to_owned()),
            _ => parts.text.push_str(part),
        }
    }
    Ok(parts)
}

fn order_text(order: &[(String, FiringPlace)]) -> String {
    let sign = |place: &FiringPlace| if *place == FiringPlace::First { '+' } else { '-' };
    order.iter().map(|(event, place)| format!("{}{event}", sign(place))).collect::<Vec<_>>().join(" ")
}

fn order_of(text: &str) -> SqlResult<Vec<(String, FiringPlace)>> {
    let one = |word: &str| match (word.strip_prefix('+'), word.strip_prefix('-')) {
        (Some(event), _) => Ok((event.to_owned(), FiringPlace::First)),
        (_, Some(event)) => Ok((event.to_owned(), FiringPlace::Last)),
        _ => Err(damaged("the order of a trigger has no sign")),
    };
    text.split(' ').filter(|word| !word.is_empty()).map(one).collect()
}

/// The rows of a text.
pub(super) fn text_rows(object: ObjectId, text: &str) -> Vec<Row> {
    let mut parts = vec![String::new()];
    let mut units = 0;
    for c in text.chars() {
        units += c.len_utf16();
        if units > TEXT_PART_UNITS {
            parts.push(String::new());
            units = c.len_utf16();
        }
        parts.last_mut().expect("one part at least").push(c);
    }
    let row = |(part, text): (usize, String)| {
        (SystemTable::Modules, vec![int(object.0), count(part), Value::Str(text.into())])
    };
    parts.into_iter().enumerate().map(row).collect()
}

/// The rows of a sequence. What was given when they are written is where it goes on, until its counter has a mark.
pub(super) fn sequence_rows(def: &SequenceDef, times_us: (i64, i64)) -> Vec<Row> {
    let state = *def.state.lock();
    vec![
        object_row(def.id, &def.schema, &def.name, "SO", 0, times_us),
        (
            SystemTable::Sequences,
            vec![
                int(def.id.0),
                Value::str(&def.sql.declaration()),
                Value::BigInt(def.start),
                Value::BigInt(def.increment),
                Value::BigInt(def.min),
                Value::BigInt(def.max),
                Value::Bit(def.cycle),
                count(def.cache as usize),
                int(def.counter.0),
                Value::BigInt(state.last.unwrap_or(state.first)),
                Value::Bit(state.last.is_some()),
            ],
        ),
    ]
}

/// A row of `sysobjects`.
pub(super) struct ObjectRow {
    pub id: ObjectId,
    pub schema_id: i32,
    pub name: String,
    pub kind: String,
    pub flags: i32,
    pub created_us: i64,
    pub modified_us: i64,
}

/// Reads the columns of a row by position; what is not there or of another type is damage.
pub(super) struct Reading<'a>(pub &'a [Value]);

impl Reading<'_> {
    pub fn int(&self, column: usize) -> SqlResult<i32> {
        match self.0.get(column) {
            Some(Value::Int(value)) => Ok(*value),
            _ => Err(damaged("a number is missing")),
        }
    }

    pub fn long(&self, column: usize) -> SqlResult<i64> {
        match self.0.get(column) {
            Some(Value::BigInt(value)) => Ok(*value),
            _ => Err(damaged("a long number is missing")),
        }
    }

    pub fn tiny(&self, column: usize) -> SqlResult<u8> {
        match self.0.get(column) {
            Some(Value::TinyInt(value)) => Ok(*value),
            _ => Err(damaged("a small number is missing")),
        }
    }

    pub fn bit(&self, column: usize) -> SqlResult<bool> {
        match self.0.get(column) {
            Some(Value::Bit(value)) => Ok(*value),
            _ => Err(damaged("a bit is missing")),
        }
    }

    pub fn text(&self, column: usize) -> SqlResult<&str> {
        self.optional(column).ok_or_else(|| damaged("a text is missing"))
    }

    pub fn optional(&self, column: usize) -> Option<&str> {
        self.0.get(column).and_then(Value::as_str)
    }
}

/// 824-like: the system tables contradict themselves.
pub(super) fn damaged(what: &str) -> SqlError {
    SqlError::of(824, 2, &[&format_args!("the system tables are damaged: {what}")])
}

pub(super) fn object_of(row: &[Value]) -> SqlResult<ObjectRow> {
    let row = Reading(row);
    Ok(ObjectRow {
        id: ObjectId(row.int(0)?),
        schema_id: row.int(1)?,
        name: row.text(2)?.to_owned(),
        kind: row.text(3)?.to_owned(),
        flags: row.int(4)?,
        created_us: row.long(5)?,
        modified_us: row.long(6)?,
    })
}

/// The module of its object row and text.
pub(super) fn module_of(object: &ObjectRow, kind: ModuleKind, schema: Schema, parts: ModuleParts) -> ModuleDef {
    ModuleDef {
        id: object.id,
        schema,
        name: object.name.clone(),
        kind,
        text: parts.text.into(),
        columns: parts.columns.into(),
        parent: parts.parent,
        order: parts.order.into(),
        runs_as: parts.runs_as,
        quoted_identifier: object.flags & 1 != 0,
        ansi_nulls: object.flags & 2 != 0,
        is_disabled: object.flags & 4 != 0,
        is_system: object.flags & 8 != 0,
        created_us: object.created_us,
        modified_us: object.modified_us,
    }
}

pub(super) fn sequence_of(object: &ObjectRow, schema: Schema, row: &[Value]) -> SqlResult<SequenceDef> {
    let row = Reading(row);
    let number = row.long(9)?;
    let last = row.bit(10)?.then_some(number);
    let state = SequenceState { first: number, last, reserved: None };
    Ok(SequenceDef {
        id: object.id,
        schema,
        name: object.name.clone(),
        sql: type_of(row.text(1)?)?,
        start: row.long(2)?,
        increment: row.long(3)?,
        min: row.long(4)?,
        max: row.long(5)?,
        cycle: row.bit(6)?,
        cache: row.int(7)?.unsigned_abs(),
        counter: ObjectId(row.int(8)?),
        state: Arc::new(parking_lot::Mutex::new(state)),
    })
}

/// A type by its declaration.
pub(super) fn type_of(declaration: &str) -> SqlResult<millpond_types::SqlType> {
    let (name, args) = match declaration.split_once('(') {
        None => (declaration, ""),
        Some((name, args)) => (name, args.trim_end_matches(')')),
    };
    let args: Vec<u32> = match args {
        "" => Vec::new(),
        "max" => vec![millpond_types::MAX_ARGUMENT],
        args => args
            .split(',')
            .map(|arg| arg.trim().parse().map_err(|_| damaged("a type's argument")))
            .collect::<SqlResult<_>>()?,
    };
    millpond_types::parse_type_name(name, &args).map_err(|_| damaged(&format!("type {declaration}")))
}

/// The rows of one table in the system tables, each in key order.
#[derive(Default)]
pub(super) struct TableRows {
    pub columns: Vec<Vec<Value>>,
    pub indexes: Vec<Vec<Value>>,
    pub index_columns: Vec<Vec<Value>>,
    pub constraints: Vec<Vec<Value>>,
    pub key_columns: Vec<Vec<Value>>,
    pub statistics: Vec<Vec<Value>>,
}

impl TableRows {
    /// The parts of the definition, and the roots of its indexes.
    pub fn read(&self, db: DbId, table: &str, bind: &dyn BindText) -> SqlResult<TableParts> {
        let columns = self.read_columns(table, bind)?;
        let mut parts = TableParts { columns, ..TableParts::default() };
        for row in &self.indexes {
            let (index, roots) = self.read_index(db, row, table, &parts, bind)?;
            parts.indexes.push(index);
            parts.roots.push(roots);
        }
        parts.statistics =
            self.statistics.iter().map(|row| read_statistics(&Reading(row))).collect::<SqlResult<_>>()?;
        for row in &self.constraints {
            self.read_constraint(row, table, &mut parts, bind)?;
        }
        Ok(parts)
    }

    fn read_columns(&self, table: &str, bind: &dyn BindText) -> SqlResult<Vec<ColumnDef>> {
        let mut columns = Vec::with_capacity(self.columns.len());
        for row in &self.columns {
            columns.push(read_column(&Reading(row), bind)?);
        }
        for (position, row) in self.columns.iter().enumerate() {
            let row = Reading(row);
            if let Some(text) = row.optional(12) {
                let expr = bind.computed(text, table, &columns)?;
                columns[position].computed = Some(ComputedDef { text: text.to_owned(), expr, persisted: row.bit(13)? });
            }
        }
        Ok(columns)
    }

    fn read_index(
        &self,
        db: DbId,
        row: &[Value],
        table: &str,
        parts: &TableParts,
        bind: &dyn BindText,
    ) -> SqlResult<(IndexDef, Roots)> {
        let row = Reading(row);
        let columns = &parts.columns;
        let id = row.int(1)?;
        let kind = kind_of(row.tiny(3)?).ok_or_else(|| damaged("the kind of an index"))?;
        let (mut key, mut included) = (Vec::new(), Vec::new());
        for row in self.index_columns.iter().map(|row| Reading(row)) {
            if row.int(1)? != id {
                continue;
            }
            let wanted = row.int(3)?;
            let column = columns.iter().position(|column| column.id == wanted);
            let column = column.ok_or_else(|| damaged("an index has a column that is not there"))?;
            if row.bit(5)? {
                included.push(column);
            } else {
                key.push(KeyColumn { column, descending: row.bit(4)? });
            }
        }
        let id = u16::try_from(id).map_err(|_| damaged("the number of an index"))?;
        let name = row.text(2)?.to_owned();
        let mut index = IndexDef::new(id, name, kind, row.bit(5)?, key, columns);
        if !index.holds_rows() {
            let clustered = parts.indexes.first().map_or(&[][..], |rows| &rows.key);
            index = index.beside_rows(included, clustered, columns);
        }
        index.constraint = ObjectId(row.int(4)?);
        index.options = options_of(row.int(7)?, row.tiny(6)?);
        index.disabled = row.int(7)? & DISABLED != 0;
        if index.has_keys_of_locale(columns) {
            index.sort_keys = (row.int(7)? >> SORT_KEYS_SHIFT) as u16;
        }
        if let Some(text) = row.optional(8) {
            index.filter = Some((text.to_owned(), bind.condition(text, table, columns)?));
        }
        let roots = TreeRoot { root: page_of(db, row.long(9)?), iam: page_of(db, row.long(10)?) };
        Ok((index, roots))
    }

    fn read_constraint(
        &self,
        row: &[Value],
        table: &str,
        parts: &mut TableParts,
        bind: &dyn BindText,
    ) -> SqlResult<()> {
        let row = Reading(row);
        let (id, name) = (ObjectId(row.int(1)?), row.text(2)?.to_owned());
        let (disabled, not_trusted) = (row.bit(8)?, row.bit(9)?);
        // Rows of earlier programs do not say it.
        let not_for_replication = row.0.get(10) == Some(&Value::Bit(true));
        let kind = row.text(3)?.trim_end();
        if kind == "C" || kind == RULE {
            let text = row.text(4)?.to_owned();
            let expr = bind.condition(&text, table, &parts.columns)?;
            let rule = ObjectId(if kind == RULE { row.int(5)? } else { 0 });
            parts.checks.push(CheckDef { id, rule, name, text, expr, disabled, not_trusted, not_for_replication });
            return Ok(());
        }
        if kind == VIEW {
            parts.views.push(id);
            return Ok(());
        }
        if kind == FILTER {
            let made = parts.statistics.iter_mut().find(|made| i32::from(made.id) == -id.0);
            let made = made.ok_or_else(|| damaged("a filter of statistics that are not there"))?;
            let text = row.text(4)?.to_owned();
            let filter = bind.condition(&text, table, &parts.columns)?;
            made.filter = Some(Arc::new((text, filter)));
            return Ok(());
        }
        let (mut columns, mut referenced_columns) = (Vec::new(), Vec::new());
        for pair in self.key_columns.iter().map(|row| Reading(row)) {
            if pair.int(1)? != id.0 {
                continue;
            }
            let wanted = pair.int(3)?;
            let column = parts.columns.iter().position(|column| column.id == wanted);
            columns.push(column.ok_or_else(|| damaged("a foreign key has a column that is not there"))?);
            referenced_columns.push(pair.int(4)?);
        }
        let action = |number| action_of(number).ok_or_else(|| damaged("the action of a foreign key"));
        parts.foreign_keys.push(ForeignKeyDef {
            id,
            name,
            columns,
            referenced: ObjectId(row.int(5)?),
            referenced_columns,
            on_delete: action(row.tiny(6)?)?,
            on_update: action(row.tiny(7)?)?,
            disabled,
            not_trusted,
            not_for_replication,
        });
        Ok(())
    }
}

fn read_statistics(row: &Reading<'_>) -> SqlResult<StatisticsDef> {
    let column = |id: &str| id.parse().map_err(|_| damaged("a column of statistics"));
    Ok(StatisticsDef {
        id: u16::try_from(row.int(1)?).map_err(|_| damaged("the number of statistics"))?,
        name: row.text(2)?.to_owned(),
        columns: row.text(3)?.split(',').map(column).collect::<SqlResult<_>>()?,
        no_recompute: row.bit(4)?,
        filter: None,
    })
}

/// A declaration without a word at its end, and whether it had the word.
fn without<'t>(declaration: &'t str, word: &str) -> (&'t str, bool) {
    declaration.strip_suffix(word).map_or((declaration, false), |plain| (plain, true))
}

fn read_column(row: &Reading<'_>, bind: &dyn BindText) -> SqlResult<ColumnDef> {
    let collation = match row.optional(6) {
        None => Default::default(),
        Some(name) => millpond_types::Collation::by_name(name).ok_or_else(|| damaged(&format!("collation {name}")))?,
    };
    let (declaration, mask) = match row.text(4)?.split_once(MASKED) {
        Some((declaration, mask)) => (declaration, Some(mask)),
        None => (row.text(4)?, None),
    };
    let (declaration, not_for_replication) = without(declaration, NOT_FOR_REPLICATION);
    let (declaration, is_sparse) = without(declaration, SPARSE);
    let (declaration, trims) = without(declaration, TRIMMED);
    let (declaration, is_row_guid) = without(declaration, ROW_GUID);
    let ty = ExprType::declared(type_of(declaration)?, row.bit(5)?, collation);
    let mut column = ColumnDef::new(row.int(2)?, row.text(3)?, ty);
    (column.trims, column.is_row_guid, column.is_sparse) = (trims, is_row_guid, is_sparse);
    column.not_for_replication = not_for_replication;
    column.mask = mask.map(|text| Mask::read(text, &column.name)).transpose()?;
    if let (Ok(seed), Ok(increment)) = (row.long(7), row.long(8)) {
        column.identity = Some((seed, increment));
    }
    if let Some(text) = row.optional(11) {
        column.default = Some(DefaultDef {
            id: ObjectId(row.int(9)?),
            name: row.text(10)?.to_owned(),
            text: text.to_owned(),
            expr: bind.default(text, ty)?,
        });
    }
    column.user_type = row.optional(14).map(str::to_owned);
    Ok(column)
}

/// The parts of a table's definition.
#[derive(Default)]
pub(super) struct TableParts {
    pub columns: Vec<ColumnDef>,
    pub checks: Vec<CheckDef>,
    pub foreign_keys: Vec<ForeignKeyDef>,
    pub indexes: Vec<IndexDef>,
    pub roots: Vec<Roots>,
    pub statistics: Vec<StatisticsDef>,
    pub views: Vec<ObjectId>,
}

/// The row of a schema.
pub(super) fn schema_row(schema: &Schema) -> Row {
    (SystemTable::Schemas, vec![int(schema.id.0), Value::str(&schema.name)])
}

/// The row of a user type.
pub(super) fn type_row(def: &UserTypeDef) -> Row {
    let (base, nullable) = match &def.form {
        UserTypeForm::Alias { sql, nullable } => (Value::str(&sql.declaration()), *nullable),
        UserTypeForm::Table { .. } => (Value::Null, false),
    };
    let row = vec![
        int(def.id),
        int(def.schema.id.0),
        Value::str(&def.name),
        base,
        Value::Bit(nullable),
        int(def.default.0),
        int(def.rule.0),
    ];
    (SystemTable::Types, row)
}

/// The row of an identity column's high-water mark.
pub(super) fn identity_row(table: ObjectId, reserved: i64) -> Row {
    (SystemTable::Identities, vec![int(table.0), Value::BigInt(reserved)])
}
