//! Sessions of extended events.

use crate::ast::{
    AddedEvent, BinaryOp, EventPredicate, EventSession, EventSessionAction, EventSessionChange, EventValue, Ident,
};
use crate::print::{Printer, option, unicode_literal};

pub(super) fn event_session(printer: &mut Printer, session: &EventSession) {
    let verb = match session.action {
        EventSessionAction::Create { .. } => "CREATE EVENT SESSION",
        EventSessionAction::Drop => "DROP EVENT SESSION",
        EventSessionAction::Alter { .. } | EventSessionAction::State(_) => "ALTER EVENT SESSION",
    };
    printer.worded(verb, &session.name);
    printer.text(if session.on_database { " ON DATABASE" } else { " ON SERVER" });
    match &session.action {
        EventSessionAction::Create { changes, options } | EventSessionAction::Alter { changes, options } => {
            printer.text(if changes.is_empty() { "" } else { " " });
            printer.list(changes, ", ", change);
            option::with_options(printer, options);
        }
        EventSessionAction::State(true) => printer.text(" STATE = START"),
        EventSessionAction::State(false) => printer.text(" STATE = STOP"),
        EventSessionAction::Drop => {}
    }
}

fn change(printer: &mut Printer, change: &EventSessionChange) {
    match change {
        EventSessionChange::AddEvent(event) => added_event(printer, event),
        EventSessionChange::AddTarget { name, settings: said } => {
            printer.text("ADD TARGET ");
            printer.name(name);
            if !said.is_empty() {
                printer.text(" (");
                settings(printer, said);
                printer.text(")");
            }
        }
        EventSessionChange::DropEvent(name) => {
            printer.text("DROP EVENT ");
            printer.name(name);
        }
        EventSessionChange::DropTarget(name) => {
            printer.text("DROP TARGET ");
            printer.name(name);
        }
    }
}

fn added_event(printer: &mut Printer, event: &AddedEvent) {
    printer.text("ADD EVENT ");
    printer.name(&event.name);
    if event.settings.is_empty() && event.actions.is_empty() && event.predicate.is_none() {
        return;
    }
    printer.text(" (");
    let mut between = "";
    if !event.settings.is_empty() {
        settings(printer, &event.settings);
        between = " ";
    }
    if !event.actions.is_empty() {
        printer.text(between);
        printer.text("ACTION (");
        printer.list(&event.actions, ", ", Printer::name);
        printer.text(")");
        between = " ";
    }
    if let Some(predicate) = &event.predicate {
        printer.text(between);
        printer.text("WHERE ");
        self::predicate(printer, predicate);
    }
    printer.text(")");
}

fn settings(printer: &mut Printer, settings: &[(Ident, EventValue)]) {
    printer.text("SET ");
    printer.list(settings, ", ", |printer, (name, value)| {
        printer.ident(name);
        printer.text(" = ");
        event_value(printer, value);
    });
}

fn event_value(printer: &mut Printer, value: &EventValue) {
    match value {
        EventValue::Number(number) => printer.text(number),
        EventValue::Text(text) => printer.text(&unicode_literal(text)),
    }
}

/// The predicate as it is kept; parts of AND and OR in parentheses.
pub(super) fn predicate(printer: &mut Printer, predicate: &EventPredicate) {
    match predicate {
        EventPredicate::And(parts) => printer.list(parts, " AND ", enclosed),
        EventPredicate::Or(parts) => printer.list(parts, " OR ", enclosed),
        EventPredicate::Not(part) => {
            printer.text("NOT ");
            enclosed(printer, part);
        }
        EventPredicate::Compare { source, op, value } => {
            printer.name(source);
            printer.text(operator(*op));
            event_value(printer, value);
        }
        EventPredicate::Call { function, source, value } => {
            printer.name(function);
            printer.text("(");
            printer.name(source);
            printer.text(", ");
            event_value(printer, value);
            printer.text(")");
        }
    }
}

fn enclosed(printer: &mut Printer, part: &EventPredicate) {
    printer.text("(");
    predicate(printer, part);
    printer.text(")");
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::NotEq => "<>",
        BinaryOp::Lt => "<",
        BinaryOp::LtEq => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::GtEq => ">=",
        _ => "=",
    }
}
