//! Sessions of extended events.

use super::name::{Ident, ObjectName};
use super::operator::BinaryOp;
use super::option::NamedOption;

/// `CREATE|ALTER|DROP EVENT SESSION name ON SERVER|DATABASE …`
#[derive(Clone, Debug)]
pub struct EventSession {
    /// Name.
    pub name: Ident,
    /// ON DATABASE
    pub on_database: bool,
    /// What is done.
    pub action: EventSessionAction,
}

/// What is done with a session.
#[derive(Clone, Debug)]
pub enum EventSessionAction {
    /// CREATE; its changes are all ADD.
    Create {
        /// ADD EVENT, ADD TARGET
        changes: Vec<EventSessionChange>,
        /// WITH
        options: Vec<NamedOption>,
    },
    /// ALTER
    Alter {
        /// ADD and DROP
        changes: Vec<EventSessionChange>,
        /// WITH
        options: Vec<NamedOption>,
    },
    /// `STATE = START|STOP`; true is START.
    State(bool),
    /// DROP
    Drop,
}

/// A part of a session that comes or goes. Names are `[module.][package.]object`.
#[derive(Clone, Debug)]
pub enum EventSessionChange {
    /// `ADD EVENT name (SET …, ACTION (…), WHERE …)`
    AddEvent(AddedEvent),
    /// `DROP EVENT name`
    DropEvent(ObjectName),
    /// `ADD TARGET name (SET …)`
    AddTarget {
        /// Name.
        name: ObjectName,
        /// SET
        settings: Vec<(Ident, EventValue)>,
    },
    /// `DROP TARGET name`
    DropTarget(ObjectName),
}

/// `ADD EVENT …`
#[derive(Clone, Debug)]
pub struct AddedEvent {
    /// Name.
    pub name: ObjectName,
    /// SET
    pub settings: Vec<(Ident, EventValue)>,
    /// ACTION
    pub actions: Vec<ObjectName>,
    /// WHERE
    pub predicate: Option<EventPredicate>,
}

/// A number or a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventValue {
    /// Digits, with a sign and a point if they are written.
    Number(String),
    /// A string.
    Text(String),
}

/// WHERE
#[derive(Clone, Debug)]
pub enum EventPredicate {
    /// `a AND b …`, two at least
    And(Vec<EventPredicate>),
    /// `a OR b …`, two at least
    Or(Vec<EventPredicate>),
    /// `NOT a`
    Not(Box<EventPredicate>),
    /// `source = value`
    Compare {
        /// A field, or a source with its package.
        source: ObjectName,
        /// `=` … `<=`
        op: BinaryOp,
        /// With what.
        value: EventValue,
    },
    /// `package.comparator(source, value)`
    Call {
        /// The comparator.
        function: ObjectName,
        /// A field, or a source with its package.
        source: ObjectName,
        /// With what.
        value: EventValue,
    },
}
