//! A statement as the definition of a session: names of events, fields, actions, comparisons and targets, and values of their types.
//!
//! What always holds: what is not said has SQL Server's default. What is accepted and has no effect here says so in
//! docs/compatibility.md: MEMORY_PARTITION_MODE and TRACK_CAUSALITY.

use millpond_events::definition::{
    FILE_BYTES_DEFAULT, FILES_DEFAULT, HistogramSource, RING_BYTES_DEFAULT, RING_EVENTS_DEFAULT, SLOTS_DEFAULT,
    SessionDef, SessionEvent, SessionOptions, SessionTarget, Setting, TargetKind,
};
use millpond_events::object::{
    ActionDef, EventDef, FieldType, Named, TargetDef, TargetName, find_action, find_event, find_target,
};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{
    AddedEvent, EventSession, EventSessionAction, EventSessionChange, EventValue, Ident, NamedOption, ObjectName,
    OptionValue, whole_number,
};

use crate::event_session::named::{named, number_of, unknown};
use crate::event_session::predicate;

/// The largest MAX_MEMORY, kilobytes.
const MEMORY_KB_MAX: i64 = 2048 * 1024 - 1;
/// The least MAX_MEMORY, kilobytes: three buffers.
const MEMORY_KB_LEAST: i64 = 192;
/// The least MAX_EVENT_SIZE, kilobytes.
const EVENT_KB_LEAST: i64 = 64;
/// The largest ring buffer, kilobytes.
const RING_KB_MAX: i64 = 1 << 20;
/// Values of a histogram.
const SLOTS_MAX: usize = 1 << 14;

/// The definition that CREATE EVENT SESSION says.
///
/// # Errors
/// 25623 for a name that there is not, 25629, 25642, 25650 and 25651 for attributes, 25715, 25716 and 25636 for predicates, 25641 for
/// parameters, 25702, 25703 and 25632 to 25640 for options.
pub(super) fn session(id: i32, said: &EventSession) -> SqlResult<SessionDef> {
    let (mut events, mut targets) = (Vec::new(), Vec::new());
    let mut session_options = SessionOptions::default();
    if let EventSessionAction::Create { changes, options: said } = &said.action {
        for (number, change) in (1..).zip(changes) {
            match change {
                EventSessionChange::AddEvent(added) => events.push(event(number, added)?),
                EventSessionChange::AddTarget { name, settings } => {
                    targets.push(target(number, name, settings, &events)?);
                }
                EventSessionChange::DropEvent(_) | EventSessionChange::DropTarget(_) => {}
            }
        }
        session_options = options(said)?;
    }
    Ok(SessionDef { id, name: said.name.clone(), events, targets, options: session_options })
}

fn event(id: i32, added: &AddedEvent) -> SqlResult<SessionEvent> {
    let def = find_event(named(&added.name)).ok_or_else(|| unknown("event", &added.name))?;
    let settings = settings_of("event", &added.name, &added.settings)?;
    let mut collected = 0;
    for (at, field) in def.fields.iter().enumerate() {
        let is_on = match field.collected {
            None => true,
            Some((attribute, is_on)) => {
                let said = settings.iter().find(|(name, _)| name.eq_ignore_ascii_case(attribute));
                said.map_or(is_on, |(_, value)| *value != Setting::Number(0))
            }
        };
        collected |= u32::from(is_on) << at;
    }
    for (name, value) in &settings {
        if !def.attributes().any(|(attribute, _)| attribute.eq_ignore_ascii_case(name)) {
            return Err(SqlError::of(25_629, 1, &[&"event", &added.name.shown(), name]));
        }
        if !matches!(value, Setting::Number(0 | 1)) {
            return Err(SqlError::of(25_651, 1, &[&"event", &added.name.shown(), name, &"boolean"]));
        }
    }
    let mut actions: Vec<&'static ActionDef> = Vec::new();
    for name in &added.actions {
        let action = find_action(named(name)).ok_or_else(|| unknown("event action", name))?;
        if actions.iter().all(|known| !std::ptr::eq(*known, action)) {
            actions.push(action);
        }
    }
    let (predicate, predicate_text) = match &added.predicate {
        Some(said) => {
            let (resolved, text) = predicate::resolve(def, &added.name, said)?;
            (Some(resolved), Some(text))
        }
        None => (None, None),
    };
    Ok(SessionEvent { id, event: def, settings, collected, actions, predicate, predicate_text })
}

/// SET, each attribute once.
fn settings_of(kind: &str, of: &ObjectName, said: &[(Ident, EventValue)]) -> SqlResult<Vec<(String, Setting)>> {
    let mut settings: Vec<(String, Setting)> = Vec::new();
    for (name, value) in said {
        if settings.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
            return Err(SqlError::of(25_650, 1, &[&kind, &of.shown(), name]));
        }
        let setting = match value {
            EventValue::Text(text) => Setting::Text(text.clone()),
            EventValue::Number(digits) => {
                let number = number_of(digits).and_then(|number| i64::try_from(number).ok());
                Setting::Number(number.ok_or_else(|| SqlError::of(25_651, 1, &[&kind, &of.shown(), name, &"int64"]))?)
            }
        };
        settings.push((name.clone(), setting));
    }
    Ok(settings)
}

fn target(
    id: i32,
    name: &ObjectName,
    said: &[(Ident, EventValue)],
    events: &[SessionEvent],
) -> SqlResult<SessionTarget> {
    let def = find_target(named(name)).ok_or_else(|| unknown("target", name))?;
    let settings = settings_of("target", name, said)?;
    for (attribute, value) in &settings {
        let parameter = def.parameter(attribute);
        let parameter = parameter.ok_or_else(|| SqlError::of(25_629, 1, &[&"target", &name.shown(), attribute]))?;
        let is_text = matches!(parameter.ty, FieldType::Text);
        if is_text != matches!(value, Setting::Text(_)) {
            let wanted = parameter.ty.name();
            return Err(SqlError::of(25_651, 1, &[&"target", &name.shown(), attribute, &wanted]));
        }
        if matches!(value, Setting::Number(number) if *number < 0) {
            return Err(wrong(name, attribute, "It cannot be less than 0."));
        }
    }
    let is_said = |wanted: &str| settings.iter().any(|(known, _)| known.eq_ignore_ascii_case(wanted));
    if def.parameters.iter().any(|parameter| parameter.is_mandatory && !is_said(parameter.name)) {
        return Err(SqlError::of(25_642, 1, &[&"target", &name.shown()]));
    }
    let kind = kind_of(def, name, &settings, events)?;
    Ok(SessionTarget { id, target: def, settings, kind })
}

fn wrong(name: &ObjectName, parameter: &str, why: &str) -> SqlError {
    SqlError::of(25_641, 1, &[&"target", &name.shown(), &parameter, &why])
}

fn kind_of(
    def: &TargetDef,
    name: &ObjectName,
    settings: &[(String, Setting)],
    events: &[SessionEvent],
) -> SqlResult<TargetKind> {
    let said = |wanted: &str| settings.iter().find(|(known, _)| known.eq_ignore_ascii_case(wanted)).map(|(_, v)| v);
    let number = |wanted: &str| match said(wanted) {
        Some(Setting::Number(number)) => Some(*number),
        _ => None,
    };
    let text = |wanted: &str| match said(wanted) {
        Some(Setting::Text(text)) => Some(text.as_str()),
        _ => None,
    };
    let size = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
    Ok(match def.target {
        TargetName::RingBuffer => {
            let bytes_max = match number("max_memory") {
                None | Some(0) => RING_BYTES_DEFAULT,
                Some(kb) if kb > RING_KB_MAX => return Err(wrong(name, "max_memory", "It is too large.")),
                Some(kb) => size(kb) << 10,
            };
            let events_max = match number("max_events_limit") {
                None => Some(RING_EVENTS_DEFAULT),
                Some(0) => None,
                Some(count) => Some(size(count)),
            };
            TargetKind::Ring { bytes_max, events_max }
        }
        TargetName::EventFile => {
            let filename = text("filename").unwrap_or_default().to_owned();
            if filename.trim().is_empty() || filename.contains(['*', '?', '\0']) {
                return Err(wrong(name, "filename", "It is no name of a file."));
            }
            let bytes_max = match number("max_file_size") {
                None => Some(FILE_BYTES_DEFAULT),
                Some(0) => None,
                Some(mb) => Some(u64::try_from(mb).unwrap_or(0).saturating_mul(1 << 20)),
            };
            let files_max = match number("max_rollover_files") {
                None => Some(FILES_DEFAULT),
                Some(0) => None,
                Some(count) => Some(size(count)),
            };
            TargetKind::File { filename, bytes_max, files_max }
        }
        TargetName::EventCounter => TargetKind::Counter,
        TargetName::Histogram => {
            let slots = number("slots").map_or(SLOTS_DEFAULT, size);
            let slots_max = slots.clamp(1, SLOTS_MAX).next_power_of_two();
            let only = text("filtering_event_name").map(|said| event_of(said, name)).transpose()?;
            let of = histogram_source(name, text("source").unwrap_or_default(), number("source_type"), only, events)?;
            TargetKind::Histogram { source: of, slots_max, only }
        }
    })
}

fn event_of(said: &str, target: &ObjectName) -> SqlResult<&'static EventDef> {
    let event = find_event(parts_of(said));
    event.ok_or_else(|| wrong(target, "filtering_event_name", "There is no such event."))
}

/// `package.object` in a text.
fn parts_of(said: &str) -> Named<'_> {
    match said.rsplit_once('.') {
        Some((package, object)) => Named { package: Some(package.trim()), object: object.trim() },
        None => Named { package: None, object: said.trim() },
    }
}

fn histogram_source(
    target: &ObjectName,
    said: &str,
    source_type: Option<i64>,
    only: Option<&'static EventDef>,
    events: &[SessionEvent],
) -> SqlResult<HistogramSource> {
    match source_type.unwrap_or(1) {
        0 => {
            let of = only.or_else(|| events.first().filter(|_| events.len() == 1).map(|event| event.event));
            let of = of.ok_or_else(|| wrong(target, "filtering_event_name", "A field is of one event."))?;
            let field = of.field(said.trim()).ok_or_else(|| wrong(target, "source", "The event has no such field."))?;
            Ok(HistogramSource::Field(of.id, field))
        }
        1 => {
            let action =
                find_action(parts_of(said)).ok_or_else(|| wrong(target, "source", "There is no such action."))?;
            Ok(HistogramSource::Action(action.package, action.name))
        }
        _ => Err(wrong(target, "source_type", "It is 0 or 1.")),
    }
}

/// WITH, each option once.
fn options(said: &[NamedOption]) -> SqlResult<SessionOptions> {
    let mut options = SessionOptions::default();
    for (at, option) in said.iter().enumerate() {
        let name = &option.name;
        if said[..at].iter().any(|known| known.name == *name) {
            return Err(SqlError::of(25_702, 1, &[name]));
        }
        let invalid = || SqlError::of(25_703, 1, &[name]);
        match name.as_str() {
            "MAX_MEMORY" => {
                let kb = kilobytes(option).ok_or_else(invalid)?;
                if kb < MEMORY_KB_LEAST {
                    return Err(SqlError::of(25_632, 1, &[]));
                }
                if kb > MEMORY_KB_MAX {
                    return Err(SqlError::of(25_633, 1, &[]));
                }
                options.memory_max_bytes = usize::try_from(kb << 10).unwrap_or(usize::MAX);
            }
            "MAX_EVENT_SIZE" => {
                let kb = kilobytes(option).ok_or_else(invalid)?;
                if kb != 0 && kb < EVENT_KB_LEAST {
                    return Err(SqlError::of(25_632, 1, &[]));
                }
                options.event_max_bytes = usize::try_from(kb << 10).unwrap_or(usize::MAX);
            }
            "EVENT_RETENTION_MODE" => {
                if option.is("NO_EVENT_LOSS") {
                    return Err(message::missing(
                        "EVENT_RETENTION_MODE = NO_EVENT_LOSS (no statement waits for an event)",
                    ));
                }
                options.loses_many = option.is("ALLOW_MULTIPLE_EVENT_LOSS");
                if !options.loses_many && !option.is("ALLOW_SINGLE_EVENT_LOSS") {
                    return Err(invalid());
                }
            }
            "MAX_DISPATCH_LATENCY" => options.latency_s = latency_s(option).ok_or_else(invalid)?,
            "MEMORY_PARTITION_MODE" => {
                let modes = [("NONE", 'G'), ("PER_NODE", 'N'), ("PER_CPU", 'C')];
                options.partition =
                    modes.iter().find(|(word, _)| option.is(word)).map(|(_, mode)| *mode).ok_or_else(invalid)?;
            }
            "TRACK_CAUSALITY" => options.tracks_causality = switch(option).ok_or_else(invalid)?,
            "STARTUP_STATE" => options.starts_at_start = switch(option).ok_or_else(invalid)?,
            other => return Err(message::syntax_near(other)),
        }
    }
    if options.event_max_bytes != 0 && options.event_max_bytes < options.memory_max_bytes {
        return Err(SqlError::of(25_640, 1, &[]));
    }
    Ok(options)
}

fn switch(option: &NamedOption) -> Option<bool> {
    match option.value {
        OptionValue::On => Some(true),
        OptionValue::Off => Some(false),
        _ => None,
    }
}

/// A size: a bare number counts megabytes.
fn kilobytes(option: &NamedOption) -> Option<i64> {
    let (amount, unit) = match &option.value {
        OptionValue::Quantity { amount, unit } => (amount, unit.as_str()),
        OptionValue::Constant(amount) => (amount, "MB"),
        _ => return None,
    };
    let number = whole_number(amount)?;
    match unit {
        "KB" => Some(number),
        "MB" => number.checked_mul(1024),
        _ => None,
    }
}

/// Seconds; 0 is INFINITE.
fn latency_s(option: &NamedOption) -> Option<u32> {
    match &option.value {
        OptionValue::Quantity { amount, unit } if unit == "SECONDS" => u32::try_from(whole_number(amount)?).ok(),
        _ if option.is("INFINITE") => Some(0),
        _ => None,
    }
}
