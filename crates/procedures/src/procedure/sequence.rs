//! `sp_sequence_get_range`: many numbers of a sequence at once.

use millpond_catalog::{CatalogObject, ObjectId};
use millpond_engine::draw::draw_range;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{SqlType, Value};

use super::named::{INT, nvarchar, object, text_arg};

/// Name and size, then the outputs: the range, its turns, and the sequence's own facts.
pub static SP_SEQUENCE_GET_RANGE: ProcedureDef = ProcedureDef {
    name: "sp_sequence_get_range",
    params: &[
        ("@sequence_name", nvarchar(776)),
        ("@range_size", SqlType::BigInt),
        ("@range_first_value", SqlType::Variant),
        ("@range_last_value", SqlType::Variant),
        ("@range_cycle_count", INT),
        ("@sequence_increment", SqlType::Variant),
        ("@sequence_min_value", SqlType::Variant),
        ("@sequence_max_value", SqlType::Variant),
    ],
    run,
};

fn run(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let def = &SP_SEQUENCE_GET_RANGE;
    let name = text_arg(call, def, 0).ok_or_else(|| not_given("@sequence_name"))?;
    let size = call.arg(def, 1).and_then(whole).ok_or_else(|| not_given("@range_size"))?;
    let size = u64::try_from(size).ok().filter(|size| *size > 0).ok_or_else(|| SqlError::of(11_708, 1, &[]))?;
    let database = call.ctx().facts.database;
    let id = ObjectId(object(call, &name)?);
    let objects = call.ctx().engine.databases().dictionary(database)?.catalog().objects();
    let Some(CatalogObject::Sequence(sequence)) = objects.get(id) else {
        return Err(message::invalid_object(&name));
    };
    let range = draw_range(call.ctx().engine.databases(), database, sequence, size)?;
    let values = [range.first, range.last, range.cycles, sequence.increment, sequence.min, sequence.max];
    for (index, number) in (2..).zip(values) {
        if let Some(position) = call.position(def, index) {
            call.give(position, &Value::BigInt(number), &SqlType::BigInt)?;
        }
    }
    Ok(0)
}

fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_decimal().and_then(|decimal| i64::try_from(decimal.unscaled).ok()))
}

/// 201
fn not_given(parameter: &str) -> SqlError {
    millpond_message::missing_argument("sp_sequence_get_range", parameter)
}
