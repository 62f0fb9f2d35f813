//! `sp_help`, `sp_helpindex`, `sp_helpconstraint`, `sp_helptext`: an object in words.

use millpond_builtin::facts::system_type::{SYSTEM_TYPES, text_units, type_precision, type_scale};
use millpond_catalog::run::Run;
use millpond_catalog::run::metadata::Catalog;
use millpond_catalog::{
    CatalogObject, ColumnDef, IndexDef, ObjectId, ReferentialAction, TableDef, UserTypeForm, names_equal,
};
use millpond_engine::inventory;
use millpond_engine::metadata::{is_encrypted, shown_definition};
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{DateTime, SqlType, Value};

use super::named::{INT, SYSNAME, maybe, nvarchar, object, text_arg, varchar};

/// `sp_help [name]`
pub static SP_HELP: ProcedureDef = ProcedureDef { name: "sp_help", params: &[("@objname", nvarchar(776))], run: help };

/// `sp_helpindex name`
pub static SP_HELPINDEX: ProcedureDef =
    ProcedureDef { name: "sp_helpindex", params: &[("@objname", nvarchar(776))], run: help_index };

/// `sp_helpconstraint name, nomsg`: without the name of the table
pub static SP_HELPCONSTRAINT: ProcedureDef = ProcedureDef {
    name: "sp_helpconstraint",
    params: &[("@objname", nvarchar(776)), ("@nomsg", varchar(5))],
    run: |call| {
        call.is_uncounted = true;
        of_table(call, &SP_HELPCONSTRAINT, |call, table| {
            let says_name =
                text_arg(call, &SP_HELPCONSTRAINT, 1).is_none_or(|said| !said.eq_ignore_ascii_case("nomsg"));
            if says_name {
                call.result(&[("Object Name", nvarchar(776))], vec![vec![Value::str(&table.name)]])?;
            }
            constraints(call, table)?;
            references(call, table)
        })
    },
};

/// `sp_helptext name`
pub static SP_HELPTEXT: ProcedureDef = ProcedureDef {
    name: "sp_helptext",
    params: &[("@objname", nvarchar(776)), ("@columnname", SYSNAME)],
    run: help_text,
};

/// `user_type_id` of the types that take no NULL unless a column says so.
const TIMESTAMP_ID: i32 = 189;
const SYSNAME_ID: i32 = 256;

fn required(call: &SystemCall<'_>, def: &ProcedureDef) -> SqlResult<String> {
    text_arg(call, def, 0).ok_or_else(|| millpond_message::missing_argument(def.name, def.params[0].0))
}

/// Reports on the table that the first argument names.
pub(super) fn of_table(
    call: &mut SystemCall<'_>,
    def: &ProcedureDef,
    report: impl FnOnce(&mut SystemCall<'_>, &inventory::ListedTable) -> SqlResult<()>,
) -> SqlResult<i32> {
    let name = required(call, def)?;
    let id = object(call, &name)?;
    let table = inventory::table(call.ctx(), call.ctx().facts.database, id)?;
    let table = table.ok_or_else(|| {
        let database = &call.ctx().facts.database_name;
        SqlError::of(15009, 1, &[&name, &database])
    })?;
    report(call, &table)?;
    Ok(0)
}

/// What `sp_help` calls a type of objects.
pub(super) fn kind_words(kind: &str) -> &'static str {
    match kind {
        "U" => "user table",
        "S" => "system table",
        "V" => "view",
        "P" => "stored procedure",
        "X" => "extended stored proc",
        "FN" => "scalar function",
        "IF" => "inline function",
        "TF" => "table function",
        "TR" => "trigger",
        "SO" => "sequence object",
        "SN" => "synonym",
        "PK" => "primary key cns",
        "UQ" => "unique cns",
        "F" => "foreign key cns",
        "C" => "check cns",
        "D" => "default (maybe cns)",
        _ => "internal table",
    }
}

fn help(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    call.is_uncounted = true;
    let Some(name) = text_arg(call, &SP_HELP, 0) else { return everything(call) };
    let id = match object(call, &name) {
        Err(missing) if missing.number == 15009 => return help_type(call, &name)?.ok_or(missing),
        found => found?,
    };
    let (ctx, database) = (call.ctx(), call.ctx().facts.database);
    // Another session may have dropped it meanwhile.
    let gone = || SqlError::of(15009, 1, &[&name, &ctx.facts.database_name]);
    let facts = ctx.catalog().object(id, database).ok_or_else(gone)?;
    let made = inventory::objects(ctx, database)?.into_iter().find(|object| object.id == id);
    let made = made.map_or(ctx.engine.instance().start_time().local_us(), |object| object.created_us);
    let made = DateTime::from_datetime2(millpond_catalog::clock::datetime2_of_unix_us(made));
    call.result(
        &[("Name", SYSNAME), ("Owner", SYSNAME), ("Type", nvarchar(31)), ("Created_datetime", SqlType::DateTime)],
        vec![vec![
            Value::str(&facts.name),
            Value::str("dbo"),
            Value::str(kind_words(facts.kind)),
            made.map_or(Value::Null, Value::DateTime),
        ]],
    )?;
    if let Some(shown) = ctx.columns_of(id) {
        columns(call, &shown)?;
    }
    if let Some(table) = inventory::table(ctx, database, id)? {
        table_parts(call, &table)?;
    } else if let Some(module) = ctx.module_of(id) {
        parameters(call, &millpond_names::describe::module_parameters(ctx, database, &module)?)?;
    }
    Ok(0)
}

/// The report on a type, of the server or of the user; `None` when there is none of the name.
fn help_type(call: &mut SystemCall<'_>, name: &str) -> SqlResult<Option<i32>> {
    let Some(parts) = millpond_builtin::name_parts(name) else { return Ok(None) };
    let ctx = call.ctx();
    let definitions = inventory::definitions(ctx, ctx.facts.database)?;
    let catalog = ctx.catalog();
    let own = catalog.user_type_id(&parts).and_then(|id| definitions.user_type_by_id(id));
    let shipped = || SYSTEM_TYPES.iter().find(|(known, _, _)| names_equal(known, &parts.object));
    let (shown, sql, nullable, default, rule) = match own {
        Some(own) => match &own.form {
            UserTypeForm::Alias { sql, nullable } => (own.name.clone(), Some(*sql), *nullable, own.default, own.rule),
            UserTypeForm::Table { .. } => (own.name.clone(), None, false, own.default, own.rule),
        },
        None => match shipped() {
            Some((known, id, sql)) => {
                ((*known).to_owned(), Some(*sql), !matches!(*id, TIMESTAMP_ID | SYSNAME_ID), ObjectId(0), ObjectId(0))
            }
            None => return Ok(None),
        },
    };
    let named = |id: ObjectId| match id.0 {
        0 => Some("none".to_owned()),
        _ => catalog.object(id.0, ctx.facts.database).map(|facts| facts.name),
    };
    let row = vec![
        Value::str(&shown),
        Value::str(sql.map_or("table type", |sql| sql.name())),
        sql.map_or(Value::SmallInt(-1), |sql| Value::SmallInt(inventory::max_length(&sql))),
        sql.map_or(Value::Int(0), |sql| Value::Int(type_precision(&sql))),
        sql.and_then(|sql| type_scale(&sql)).map_or(Value::Null, Value::Int),
        yes(nullable),
        maybe(named(default).as_deref()),
        maybe(named(rule).as_deref()),
        maybe(sql.filter(SqlType::is_string).map(|_| definitions.collation.name())),
    ];
    call.result(
        &[
            ("Type_name", SYSNAME),
            ("Storage_type", SYSNAME),
            ("Length", SqlType::SmallInt),
            ("Prec", INT),
            ("Scale", INT),
            ("Nullable", varchar(35)),
            ("Default_name", SYSNAME),
            ("Rule_name", SYSNAME),
            ("Collation", SYSNAME),
        ],
        vec![row],
    )?;
    Ok(Some(0))
}

fn everything(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let (ctx, database) = (call.ctx(), call.ctx().facts.database);
    let mut listed = inventory::objects(ctx, database)?;
    listed.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
    let row = |name: &str, kind: &str| vec![Value::str(name), Value::str("dbo"), Value::str(kind_words(kind))];
    let mut rows: Vec<Vec<Value>> = listed.iter().map(|object| row(&object.name, object.kind)).collect();
    rows.extend((ctx.engine.registry().system_objects)().iter().map(|object| row(object.name, object.kind)));
    call.result(&[("Name", SYSNAME), ("Owner", SYSNAME), ("Object_type", nvarchar(31))], rows)?;
    let types = inventory::definitions(ctx, database)?;
    let rows = types.user_types().map(|ty| vec![Value::str(&ty.name), Value::str(&ty.schema.name)]).collect();
    call.result(&[("User_type", SYSNAME), ("Owner", SYSNAME)], rows)?;
    Ok(0)
}

fn yes(holds: bool) -> Value {
    Value::str(if holds { "yes" } else { "no" })
}

fn columns(call: &mut SystemCall<'_>, columns: &[ColumnDef]) -> SqlResult<()> {
    let row = |column: &ColumnDef| {
        let sql = &column.ty.sql;
        let (digits, scale) = sql.precision_scale();
        let is_number = sql.is_exact_numeric() || sql.is_temporal();
        let word = |number: u8| Value::str(&if is_number { format!("{number:<5}") } else { " ".repeat(5) });
        let is_text = sql.is_string() || sql.is_binary();
        let own = column.user_type.as_deref().and_then(|name| name.rsplit('.').next());
        vec![
            Value::str(&column.name),
            Value::str(own.unwrap_or(sql.name())),
            yes(column.computed.is_some()),
            Value::Int(i32::from(inventory::column_length(column))),
            word(digits),
            word(scale),
            yes(column.ty.nullable),
            if is_text { Value::str("no") } else { Value::str("(n/a)") },
            if is_text { yes(column.ty.nullable) } else { Value::str("(n/a)") },
            maybe(sql.is_string().then(|| column.ty.collation.name())),
        ]
    };
    call.result(
        &[
            ("Column_name", SYSNAME),
            ("Type", SYSNAME),
            ("Computed", varchar(35)),
            ("Length", INT),
            ("Prec", SqlType::char(5)),
            ("Scale", SqlType::char(5)),
            ("Nullable", varchar(35)),
            ("TrimTrailingBlanks", varchar(35)),
            ("FixedLenNullInSource", varchar(35)),
            ("Collation", SYSNAME),
        ],
        columns.iter().map(row).collect(),
    )
}

fn parameters(call: &mut SystemCall<'_>, parameters: &[millpond_names::describe::ShownParameter]) -> SqlResult<()> {
    let collation = call.ctx().facts.collation;
    let rows = parameters.iter().zip(1..).map(|(parameter, order)| {
        let sql = parameter.sql.as_ref();
        let digits = sql.map(|sql| {
            let (digits, scale) = sql.precision_scale();
            let shown = text_units(sql).unwrap_or(i32::from(digits));
            (shown, sql.is_numeric().then_some(i32::from(scale)))
        });
        vec![
            Value::str(&parameter.name),
            Value::str(sql.map_or("table type", |sql| sql.name())),
            sql.map_or(Value::Null, |sql| Value::SmallInt(inventory::max_length(sql))),
            digits.map_or(Value::Null, |(digits, _)| Value::Int(digits)),
            digits.and_then(|(_, scale)| scale).map_or(Value::Null, Value::Int),
            Value::Int(order),
            maybe(sql.filter(|sql| sql.is_string()).map(|_| collation.name())),
        ]
    });
    let rows: Vec<Vec<Value>> = rows.collect();
    if rows.is_empty() {
        return Ok(());
    }
    call.result(
        &[
            ("Parameter_name", SYSNAME),
            ("Type", SYSNAME),
            ("Length", SqlType::SmallInt),
            ("Prec", INT),
            ("Scale", INT),
            ("Param_order", INT),
            ("Collation", SYSNAME),
        ],
        rows,
    )
}

fn table_parts(call: &mut SystemCall<'_>, table: &inventory::ListedTable) -> SqlResult<()> {
    let number = |value: i64| Value::Decimal(millpond_types::Decimal::from(value));
    let numeric = SqlType::numeric(38, 0);
    let identity = table.def.columns.iter().find_map(|column| Some((column, column.identity?)));
    let row = match identity {
        Some((column, (seed, increment))) => {
            vec![Value::str(&column.name), number(seed), number(increment), Value::Int(0)]
        }
        None => vec![Value::str("No identity column defined."), Value::Null, Value::Null, Value::Null],
    };
    call.result(
        &[("Identity", SYSNAME), ("Seed", numeric), ("Increment", numeric), ("Not For Replication", INT)],
        vec![row],
    )?;
    let row_guid = table.def.columns.iter().find(|column| column.is_row_guid);
    let row_guid = row_guid.map_or("No rowguidcol column defined.", |column| column.name.as_str());
    call.result(&[("RowGuidCol", SYSNAME)], vec![vec![Value::str(row_guid)]])?;
    call.result(&[("Data_located_on_filegroup", SYSNAME)], vec![vec![Value::str("PRIMARY")]])?;
    indexes(call, table)?;
    constraints(call, table)?;
    references(call, table)
}

/// `clustered, unique, primary key located on PRIMARY`
fn describe(index: &IndexDef) -> String {
    let mut words = vec![if index.is_clustered() { "clustered" } else { "nonclustered" }];
    if index.options.ignore_dup_key {
        words.push("ignore duplicate keys");
    }
    if index.unique {
        words.push("unique");
    }
    if index.constraint.0 != 0 {
        words.push(if inventory::key_code(index) == "PK" { "primary key" } else { "unique key" });
    }
    format!("{} located on PRIMARY", words.join(", "))
}

fn key_list(def: &TableDef, columns: impl Iterator<Item = (usize, bool)>) -> String {
    let names = columns
        .map(|(column, descending)| format!("{}{}", def.columns[column].name, if descending { "(-)" } else { "" }));
    names.collect::<Vec<String>>().join(", ")
}

fn index_keys(def: &TableDef, index: &IndexDef) -> String {
    key_list(def, index.key.iter().map(|key| (key.column, key.descending)))
}

/// What can have no indexes has none, whatever it is.
fn help_index(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    call.is_uncounted = true;
    let name = required(call, &SP_HELPINDEX)?;
    let id = object(call, &name)?;
    match inventory::table(call.ctx(), call.ctx().facts.database, id)? {
        Some(table) => indexes(call, &table)?,
        None => call.inform(15472, &[&name]),
    }
    Ok(0)
}

fn indexes(call: &mut SystemCall<'_>, table: &inventory::ListedTable) -> SqlResult<()> {
    let mut shown: Vec<&IndexDef> = table.def.indexes.iter().filter(|index| index.id != 0).collect();
    if shown.is_empty() {
        call.inform(15472, &[&table.name]);
        return Ok(());
    }
    shown.sort_by(|a, b| a.name.cmp(&b.name));
    let row = |index: &&IndexDef| {
        vec![Value::str(&index.name), Value::str(&describe(index)), Value::str(&index_keys(&table.def, index))]
    };
    call.result(
        &[("index_name", SYSNAME), ("index_description", varchar(210)), ("index_keys", nvarchar(2126))],
        shown.iter().map(row).collect(),
    )
}

fn action(action: ReferentialAction) -> Value {
    Value::str(match action {
        ReferentialAction::NoAction => "No Action",
        ReferentialAction::Cascade => "Cascade",
        ReferentialAction::SetNull => "Set Null",
        ReferentialAction::SetDefault => "Set Default",
    })
}

fn enabled(disabled: bool) -> Value {
    Value::str(if disabled { "Disabled" } else { "Enabled" })
}

fn constraints(call: &mut SystemCall<'_>, table: &inventory::ListedTable) -> SqlResult<()> {
    let def = &table.def;
    let absent = || Value::str("(n/a)");
    let mut rows: Vec<(String, Vec<Value>)> = Vec::new();
    let mut add = |kind: String, name: &str, facts: [Value; 4], keys: String| {
        let mut row = vec![Value::str(&kind), Value::str(name)];
        row.extend(facts);
        row.push(Value::str(&keys));
        rows.push((name.to_lowercase(), row));
    };
    let objects = inventory::definitions(call.ctx(), def.database)?;
    let bound = |id: ObjectId| match objects.get(id) {
        Some(CatalogObject::Module(object)) => (object.name.clone(), object.text.to_string()),
        _ => (String::new(), String::new()),
    };
    for rule in def.checks.iter().filter(|check| !check.is_constraint()) {
        let column = rule.column().map_or("", |column| def.columns[column].name.as_str());
        let (name, text) = bound(rule.rule);
        let kind = format!("RULE on column {column} (bound with sp_bindrule)");
        add(kind, &name, [absent(), absent(), absent(), absent()], text);
    }
    for check in def.checks.iter().filter(|check| check.id.0 != 0 && check.is_constraint()) {
        let facts = [absent(), absent(), enabled(check.disabled), Value::str("Is_For_Replication")];
        let of = check.column().map(|column| format!("CHECK on column {}", def.columns[column].name));
        let kind = of.unwrap_or_else(|| "CHECK Table Level".to_owned());
        add(kind, &check.name, facts, inventory::shown_expression(&check.text));
    }
    for column in &def.columns {
        let Some(default) = column.default.as_ref().filter(|default| default.id.0 != 0) else { continue };
        if default.is_bound() {
            let (name, text) = bound(default.id);
            let kind = format!("DEFAULT on column {} (bound with sp_bindefault)", column.name);
            add(kind, &name, [absent(), absent(), absent(), absent()], text);
            continue;
        }
        let kind = format!("DEFAULT on column {}", column.name);
        add(kind, &default.name, [absent(), absent(), absent(), absent()], inventory::shown_expression(&default.text));
    }
    for index in def.indexes.iter().filter(|index| index.constraint.0 != 0) {
        let kind = if inventory::key_code(index) == "PK" { "PRIMARY KEY" } else { "UNIQUE" };
        let kind = format!("{kind} ({})", if index.is_clustered() { "clustered" } else { "non-clustered" });
        add(kind, &index.name, [absent(), absent(), absent(), absent()], index_keys(def, index));
    }
    let mut targets = Vec::new();
    for key in &def.foreign_keys {
        let facts =
            [action(key.on_delete), action(key.on_update), enabled(key.disabled), Value::str("Is_For_Replication")];
        let keys = key_list(def, key.columns.iter().map(|column| (*column, false)));
        add("FOREIGN KEY".to_owned(), &key.name, facts, keys);
        if let Some((target, _)) = objects.table(key.referenced) {
            let columns = key.referenced_columns.iter().filter_map(|id| target.column_by_id(*id));
            let keys = key_list(target, columns.map(|column| (column, false)));
            targets.push((key.name.to_lowercase(), format!("REFERENCES {} ({keys})", target.full_name())));
        }
    }
    if rows.is_empty() {
        call.inform(15469, &[&table.name]);
        return Ok(());
    }
    for (name, target) in targets {
        let blank = || Value::str(" ");
        rows.push((name, vec![blank(), blank(), blank(), blank(), blank(), blank(), Value::str(&target)]));
    }
    // The line with the columns that a foreign key refers to follows the key's: the sort is stable.
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    call.result(
        &[
            ("constraint_type", nvarchar(146)),
            ("constraint_name", SYSNAME),
            ("delete_action", nvarchar(11)),
            ("update_action", nvarchar(11)),
            ("status_enabled", varchar(8)),
            ("status_for_replication", varchar(19)),
            ("constraint_keys", nvarchar(2126)),
        ],
        rows.into_iter().map(|(_, row)| row).collect(),
    )
}

fn references(call: &mut SystemCall<'_>, table: &inventory::ListedTable) -> SqlResult<()> {
    let objects = inventory::definitions(call.ctx(), table.def.database)?;
    let mut rows = Vec::new();
    for def in objects.referring_to(ObjectId(table.id)) {
        for key in def.foreign_keys.iter().filter(|key| key.referenced.0 == table.id) {
            rows.push(vec![Value::str(&format!("{}: {}", def.full_name(), key.name))]);
        }
    }
    if rows.is_empty() {
        let name = &table.name;
        call.inform(15470, &[&name]);
        return Ok(());
    }
    call.result(&[("Table is referenced by foreign key", nvarchar(516))], rows)
}

/// Characters of a line of `sp_helptext`.
const LINE_UNITS: usize = 255;

fn help_text(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    call.is_uncounted = true;
    let name = required(call, &SP_HELPTEXT)?;
    let id = object(call, &name)?;
    let objects = inventory::definitions(call.ctx(), call.ctx().facts.database)?;
    let Some(CatalogObject::Module(def)) = objects.get(ObjectId(id)) else {
        return Err(SqlError::of(15197, 1, &[&name]));
    };
    if is_encrypted(&call.ctx().engine, def) {
        call.inform(15471, &[&name]);
        return Ok(0);
    }
    if shown_definition(call.ctx(), call.ctx().facts.database, def).as_str().is_none() {
        return Err(SqlError::of(15197, 1, &[&name]));
    }
    let mut rows = Vec::new();
    for line in def.text.split_inclusive('\n') {
        let characters: Vec<char> = line.chars().collect();
        rows.extend(characters.chunks(LINE_UNITS).map(|part| vec![Value::from(part.iter().collect::<String>())]));
    }
    call.result(&[("Text", nvarchar(255))], rows)?;
    Ok(0)
}
