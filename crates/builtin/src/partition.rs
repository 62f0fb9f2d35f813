//! The partition of a value: what the binder makes of `$PARTITION`. No text names it.

use millpond_catalog::data_space::partition_by;
use millpond_types::Value;

use super::FunctionDef;
use super::define::pure;

/// The number of a partition: the constant of a partition function, and a value of its parameter's type.
pub static PARTITION: FunctionDef = pure(
    "$PARTITION",
    (2, 2),
    |_| Err(millpond_message::unknown_function("$PARTITION")),
    |_, args, _, _| {
        let Value::Binary(constant) = &args[0] else { return Ok(Value::Null) };
        Ok(partition_by(constant, &args[1]).map_or(Value::Null, Value::Int))
    },
);
