//! Events of definitions: what fires triggers of a database or the server, with the groups that they are in.
//!
//! ```text
//!   DDL_EVENTS ─┬─ DDL_SERVER_LEVEL_EVENTS ── DDL_DATABASE_EVENTS ── CREATE_DATABASE
//!               └─ DDL_DATABASE_LEVEL_EVENTS ── DDL_TABLE_VIEW_EVENTS ── DDL_TABLE_EVENTS ── CREATE_TABLE
//! ```
//! The numbers and names are those of `sys.trigger_event_types`, and stand in `event_types.txt` beside it: number, name, number
//! of the group or 0. LOGON is none of them there, and is the last one here.

use std::sync::LazyLock;

/// An event, or a group of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventType {
    /// `type`: below 10000 of an event, above of a group.
    pub number: i32,
    /// `type_name`
    pub name: &'static str,
    /// The group that it is in; none of the uppermost.
    pub group: Option<i32>,
}

/// What fires triggers of a login.
pub static LOGON: EventType = EventType { number: 147, name: "LOGON", group: None };

/// The group of events inside of a database.
const DATABASE_LEVEL: i32 = 10_016;
/// Numbers from here on are groups'.
const FIRST_GROUP: i32 = 10_000;

static ALL: LazyLock<Vec<EventType>> = LazyLock::new(|| {
    let lines = include_str!("event_types.txt").lines();
    lines
        .filter_map(|line| {
            let mut words = line.split(' ');
            let (number, name, group) = (words.next()?, words.next()?, words.next()?);
            let group: i32 = group.parse().ok()?;
            Some(EventType { number: number.parse().ok()?, name, group: (group != 0).then_some(group) })
        })
        .collect()
});

/// All events and groups of `sys.trigger_event_types`, in the order of their numbers.
#[must_use]
pub fn event_types() -> &'static [EventType] {
    &ALL
}

/// The event or group of a name in upper case; LOGON too.
#[must_use]
pub fn event_type(name: &str) -> Option<&'static EventType> {
    if name == LOGON.name { Some(&LOGON) } else { ALL.iter().find(|known| known.name == name) }
}

/// The event or group of a number.
fn numbered(number: i32) -> Option<&'static EventType> {
    let at = ALL.binary_search_by_key(&number, |known| known.number).ok()?;
    Some(&ALL[at])
}

impl EventType {
    /// Whether it is a group.
    #[must_use]
    pub fn is_group(&self) -> bool {
        self.number >= FIRST_GROUP
    }

    /// Whether it is this event or group, or in this group.
    #[must_use]
    pub fn is_in(&self, other: i32) -> bool {
        let mut at = Some(self);
        while let Some(known) = at {
            if known.number == other {
                return true;
            }
            at = known.group.and_then(numbered);
        }
        false
    }

    /// Whether a trigger of a database may be for it.
    #[must_use]
    pub fn is_of_database(&self) -> bool {
        self.is_in(DATABASE_LEVEL)
    }

    /// The events that it stands for: those of the group, or itself.
    pub fn events(&self) -> impl Iterator<Item = &'static EventType> + '_ {
        let own = (self.number == LOGON.number).then_some(&LOGON);
        own.into_iter().chain(ALL.iter().filter(|known| !known.is_group() && known.is_in(self.number)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_their_events() {
        let names = |group: &str| event_type(group).map(|group| group.events().map(|one| one.name).collect::<Vec<_>>());
        assert_eq!(names("DDL_TABLE_EVENTS"), Some(vec!["CREATE_TABLE", "ALTER_TABLE", "DROP_TABLE"]));
        assert_eq!(names("CREATE_TABLE"), Some(vec!["CREATE_TABLE"]));
        assert_eq!(names("LOGON"), Some(vec!["LOGON"]));
        assert_eq!(names("NOTHING"), None);
    }

    #[test]
    fn each_has_a_number_of_its_own_and_a_group_that_is_there() {
        for (place, one) in event_types().iter().enumerate() {
            assert!(event_types()[..place].iter().all(|other| other.number < one.number && other.name != one.name));
            assert!(one.group.is_none_or(|group| event_types().iter().any(|other| other.number == group)));
        }
    }

    #[test]
    fn events_are_of_the_database_or_the_server() {
        let is_of_database = |name: &str| event_type(name).is_some_and(EventType::is_of_database);
        assert!(is_of_database("CREATE_TABLE") && is_of_database("DDL_DATABASE_LEVEL_EVENTS"));
        assert!(!is_of_database("CREATE_LOGIN") && !is_of_database("DDL_EVENTS") && !is_of_database("LOGON"));
    }
}
