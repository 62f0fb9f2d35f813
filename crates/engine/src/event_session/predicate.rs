//! WHERE of an event: sources, comparisons and values by their names and types.
//!
//! What always holds: what is compared has the type that the comparison takes. A name without a package is a field of the event, if it has
//! one of that name, else a source of all events.

use millpond_events::object::{Comparator, EventDef, FieldType, Operands, Operation, find_comparator, find_source};
use millpond_events::predicate::{Leaf, Operand, Predicate, Source};
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{BinaryOp, EventPredicate, EventValue, ObjectName};
use millpond_tsql::print;

use crate::event_session::named::{named, number_of, unknown};

/// Characters of a predicate.
const PREDICATE_CHARS_MAX: usize = 3000;

/// The predicate of an event, and as views show it.
///
/// # Errors
/// 25623, 25636, 25713, 25715, 25716
pub(super) fn resolve(
    def: &'static EventDef,
    name: &ObjectName,
    said: &EventPredicate,
) -> SqlResult<(Predicate, String)> {
    let text = format!("({})", print::event_predicate(said));
    if text.chars().count() > PREDICATE_CHARS_MAX {
        return Err(SqlError::of(25_716, 1, &[&name.shown(), &PREDICATE_CHARS_MAX]));
    }
    Ok((predicate(def, said)?, text))
}

fn predicate(def: &'static EventDef, said: &EventPredicate) -> SqlResult<Predicate> {
    let all = |parts: &[EventPredicate]| parts.iter().map(|part| predicate(def, part)).collect::<SqlResult<Vec<_>>>();
    Ok(match said {
        EventPredicate::And(parts) => Predicate::And(all(parts)?),
        EventPredicate::Or(parts) => Predicate::Or(all(parts)?),
        EventPredicate::Not(part) => Predicate::Not(Box::new(predicate(def, part)?)),
        EventPredicate::Compare { source, op, value } => {
            let (found, ty) = source_of(def, source)?;
            let operation = operation(*op);
            let operands = operands_of(def, source, ty, print_op(*op))?;
            // As SQL Server's operators compare texts: without regard to case.
            let comparator = Comparator { operation, operands, ignores_case: true };
            leaf(def, (found, source), comparator, value)?
        }
        EventPredicate::Call { function, source, value } => {
            let (found, ty) = source_of(def, source)?;
            let comparator = find_comparator(named(function)).ok_or_else(|| unknown("predicate compare", function))?;
            if operands_of(def, source, ty, function.last())? != comparator.operands {
                return Err(SqlError::of(25_636, 1, &[]));
            }
            leaf(def, (found, source), comparator, value)?
        }
    })
}

/// A field of the event by its name alone, or a source of all events.
fn source_of(def: &'static EventDef, name: &ObjectName) -> SqlResult<(Source, FieldType)> {
    let wanted = named(name);
    if wanted.package.is_none()
        && let Some(at) = def.field(wanted.object)
    {
        return Ok((Source::Field(at), def.fields[at].ty));
    }
    match find_source(wanted) {
        Some(source) => Ok((Source::Global(source.global), source.ty)),
        None => Err(unknown("event attribute or predicate source", name)),
    }
}

fn operands_of(def: &EventDef, source: &ObjectName, ty: FieldType, op: &str) -> SqlResult<Operands> {
    let undefined = || SqlError::of(25_715, 1, &[&def.name, &op, &ty.name(), &"attribute", &source.shown()]);
    ty.operands().ok_or_else(undefined)
}

fn leaf(
    def: &EventDef,
    (source, name): (Source, &ObjectName),
    comparator: Comparator,
    value: &EventValue,
) -> SqlResult<Predicate> {
    let invalid = || SqlError::of(25_713, 1, &[&"event", &def.name, &"predicate source", &name.shown()]);
    let operand = match (comparator.operands, value) {
        (Operands::Numbers, EventValue::Number(digits)) => Operand::Number(number_of(digits).ok_or_else(invalid)?),
        (Operands::Texts, EventValue::Text(text)) => Operand::Text(text.clone()),
        _ => return Err(invalid()),
    };
    Ok(Predicate::Leaf(Leaf::new(source, comparator, operand)))
}

fn operation(op: BinaryOp) -> Operation {
    match op {
        BinaryOp::NotEq => Operation::NotEqual,
        BinaryOp::Lt => Operation::Less,
        BinaryOp::LtEq => Operation::LessEqual,
        BinaryOp::Gt => Operation::Greater,
        BinaryOp::GtEq => Operation::GreaterEqual,
        _ => Operation::Equal,
    }
}

fn print_op(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::NotEq => "<>",
        BinaryOp::Lt => "<",
        BinaryOp::LtEq => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::GtEq => ">=",
        _ => "=",
    }
}
