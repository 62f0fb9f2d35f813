//! `sp_addextendedproperty`, `sp_updateextendedproperty`, `sp_dropextendedproperty`.

use millpond_catalog::dictionary::{
    Io, PropertyChange, PropertyClass, PropertyOwner, change_property, schema_resource,
};
use millpond_catalog::security::{Of, PrincipalId, Securable};
use millpond_catalog::{ObjectId, SchemaId};
use millpond_engine::context::RunContext;
use millpond_engine::security;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message as message;
use millpond_message::Place;
use millpond_message::error::{SqlError, SqlResult};
use millpond_txn::lock::LockMode;
use millpond_types::{SqlType, Value, cast};

use super::named::{SYSNAME, text_arg, varchar};
use millpond_views::{Levels, Lookup, levels_of};

const KIND: SqlType = varchar(128);

/// The longest value.
const VALUE_MAX_BYTES: usize = 7500;

/// `sp_addextendedproperty`
pub static SP_ADDEXTENDEDPROPERTY: ProcedureDef = ProcedureDef {
    name: "sp_addextendedproperty",
    params: &VALUED,
    run: |call| {
        let value = value_of(call, &SP_ADDEXTENDEDPROPERTY)?;
        run(call, &SP_ADDEXTENDEDPROPERTY, 2, PropertyChange::Add(value))
    },
};

/// `sp_updateextendedproperty`
pub static SP_UPDATEEXTENDEDPROPERTY: ProcedureDef = ProcedureDef {
    name: "sp_updateextendedproperty",
    params: &VALUED,
    run: |call| {
        let value = value_of(call, &SP_UPDATEEXTENDEDPROPERTY)?;
        run(call, &SP_UPDATEEXTENDEDPROPERTY, 2, PropertyChange::Update(value))
    },
};

/// `sp_dropextendedproperty`
pub static SP_DROPEXTENDEDPROPERTY: ProcedureDef = ProcedureDef {
    name: "sp_dropextendedproperty",
    params: &[VALUED[0], VALUED[2], VALUED[3], VALUED[4], VALUED[5], VALUED[6], VALUED[7]],
    run: |call| run(call, &SP_DROPEXTENDEDPROPERTY, 1, PropertyChange::Drop),
};

const VALUED: [(&str, SqlType); 8] = [
    ("@name", SYSNAME),
    ("@value", SqlType::Variant),
    ("@level0type", KIND),
    ("@level0name", SYSNAME),
    ("@level1type", KIND),
    ("@level1name", SYSNAME),
    ("@level2type", KIND),
    ("@level2name", SYSNAME),
];

/// The value as a `sql_variant`.
///
/// # Errors
/// 15097; those of a type that none can hold.
fn value_of(call: &SystemCall<'_>, def: &ProcedureDef) -> SqlResult<Value> {
    let given = call.position(def, 1).and_then(|at| call.args.get(at));
    let Some((value, sql)) = given.and_then(|arg| Some((arg.value.as_ref()?, arg.sql))) else { return Ok(Value::Null) };
    if value.is_null() {
        return Ok(Value::Null);
    }
    let rules = call.run.cast_rules();
    let value = cast::cast(value, &sql, &SqlType::Variant, None, rules).map_err(message::of_eval)?;
    let is_long = matches!(&value, Value::Variant(held) if held.data_bytes() > VALUE_MAX_BYTES);
    if is_long { Err(SqlError::of(15_097, 1, &[])) } else { Ok(value) }
}

/// The levels are from parameter `first` on.
fn run(call: &mut SystemCall<'_>, def: &'static ProcedureDef, first: usize, change: PropertyChange) -> SqlResult<i32> {
    if call.arg(def, 0).is_none() {
        return Err(message::missing_argument(def.name, "@name"));
    }
    let wrong = || SqlError::of(15_600, 1, &[&def.name]);
    let name = text_arg(call, def, 0).filter(|name| !name.trim().is_empty()).ok_or_else(wrong)?;
    let said = |at: usize| (text_arg(call, def, at), text_arg(call, def, at + 1));
    let levels = levels_of([said(first), said(first + 2), said(first + 4)]);
    // A name without a type, a type without a name, a level without the one above it.
    let is_said: Vec<bool> = levels.iter().map(|level| level.kind.is_some()).collect();
    let is_whole = levels.iter().all(|level| level.kind.is_some() == level.name.is_some());
    if !is_whole || is_said.windows(2).any(|pair| !pair[0] && pair[1]) {
        return Err(wrong());
    }
    call.then_change(move |run, io| store(RunContext::of(run), io, def, &levels, &name, &change));
    Ok(0)
}

/// The one thing that levels name.
///
/// # Errors
/// 15600 for a type that is none, 15135 for what is not there.
fn find(ctx: &RunContext, def: &ProcedureDef, levels: &Levels) -> SqlResult<PropertyOwner> {
    let lookup = Lookup::of(ctx)?;
    let mut upto = Levels::default();
    let mut found = None;
    for at in 0..=levels.iter().rposition(|level| level.kind.is_some()).unwrap_or(0) {
        upto[at] = levels[at].clone();
        let targets = lookup.find(&upto)?.map_err(|_| SqlError::of(15_600, 1, &[&def.name]))?;
        let target = targets.into_iter().next();
        found = Some(target.ok_or_else(|| SqlError::of(15_135, 1, &[&label(&upto)]))?.owner);
    }
    found.ok_or_else(|| SqlError::of(15_135, 1, &[&label(levels)]))
}

/// What messages call it.
fn label(levels: &Levels) -> String {
    let names: Vec<&str> = levels.iter().filter_map(|level| level.name.as_deref()).collect();
    if names.is_empty() { "object specified".to_owned() } else { names.join(".") }
}

fn store(
    ctx: &RunContext,
    io: &mut Io<'_, '_>,
    def: &ProcedureDef,
    levels: &Levels,
    name: &str,
    change: &PropertyChange,
) -> SqlResult<()> {
    let dictionary = ctx.engine.databases().dictionary(ctx.facts.database)?;
    let mut owner = find(ctx, def, levels)?;
    loop {
        check(ctx, owner, levels)?;
        hold(ctx, io, owner)?;
        // Another may have dropped it while this one waited.
        let now = find(ctx, def, levels)?;
        if now == owner {
            break;
        }
        owner = now;
    }
    if change_property(&dictionary, io, owner, name, change)? {
        return Ok(());
    }
    let label = label(levels);
    match change {
        PropertyChange::Add(_) => Err(SqlError::of(15_233, 1, &[&name, &label])),
        _ => Err(SqlError::of(15_217, 1, &[&name, &label])),
    }
}

/// What has the property stays to the end of the transaction.
fn hold(ctx: &RunContext, io: &mut Io<'_, '_>, owner: PropertyOwner) -> SqlResult<()> {
    let database = ctx.facts.database;
    let place = Place { schema: "", object: "extended properties", database: &ctx.facts.database_name };
    let held = match owner.class {
        PropertyClass::Object | PropertyClass::Parameter | PropertyClass::Index => {
            let object = object_of(ctx, owner.major)?;
            io.work.lock_object(io.ask, database, object.cast_unsigned(), LockMode::SchM)
        }
        PropertyClass::Schema => {
            io.work.lock_metadata(io.ask, schema_resource(database, SchemaId(owner.major)), LockMode::SchS)
        }
        // Who drops one of the others has the lock of its properties.
        _ => Ok(()),
    };
    held.map_err(|error| message::of_txn(error, place))
}

/// The object itself, or the table of a constraint.
fn object_of(ctx: &RunContext, number: i32) -> SqlResult<i32> {
    let objects = ctx.engine.databases().dictionary(ctx.facts.database)?.catalog().objects();
    Ok(objects.owner(ObjectId(number)).map_or(number, |table| table.0))
}

/// Whoever may alter a thing may change its properties.
///
/// # Errors
/// 1088
fn check(ctx: &RunContext, owner: PropertyOwner, levels: &Levels) -> SqlResult<()> {
    if ctx.facts.security.is_sa() {
        return Ok(());
    }
    let database = ctx.facts.database;
    let whole = |permission: &'static str| security::may(ctx, database, permission, Securable::DATABASE);
    let allowed = match owner.class {
        PropertyClass::Object if levels[0].kind.as_deref() == Some("TRIGGER") => {
            whole("ALTER ANY DATABASE DDL TRIGGER")?
        }
        PropertyClass::Object | PropertyClass::Parameter | PropertyClass::Index => {
            security::may(ctx, database, "ALTER", Securable::object(object_of(ctx, owner.major)?))?
        }
        PropertyClass::Schema => security::may(ctx, database, "ALTER", Securable::new(Of::Schema, owner.major))?,
        PropertyClass::Type | PropertyClass::TypeColumn => {
            security::may(ctx, database, "CONTROL", Securable::new(Of::Type, owner.major))?
        }
        PropertyClass::Principal => {
            let objects = ctx.engine.databases().dictionary(database)?.catalog().objects();
            let found = objects.security().principal(PrincipalId(owner.major)).map(|found| found.kind.class());
            match found {
                Some(class) => security::may(ctx, database, "ALTER", Securable::new(class, owner.major))?,
                None => false,
            }
        }
        PropertyClass::DataSpace | PropertyClass::PartitionFunction => whole("ALTER ANY DATASPACE")?,
        PropertyClass::Database | PropertyClass::File => whole("ALTER")?,
    };
    if allowed { Ok(()) } else { Err(SqlError::of(1088, 1, &[&label(levels)])) }
}
