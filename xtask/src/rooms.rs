//! The rooms of a crate that is to become several: which modules belong to which, the lowest room first, and the arrows
//! that lead up.
//!
//! A file belongs to the room whose list has the longest beginning of its path. It does not know whether a room could be
//! compiled alone: types that are reached without being named are no arrow.

use std::collections::BTreeSet;

use crate::circles::Arrows;
use crate::source::Names;

/// A room: its name, and the modules in it, with all below them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// The crate that it becomes.
    pub name: String,
    /// Paths of modules, from the crate's root.
    pub modules: Vec<Names>,
}

/// An arrow that leads to a higher room.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Upward {
    /// The two rooms.
    pub rooms: (String, String),
    /// The two files.
    pub files: (String, String),
}

/// What the rooms say of a crate's arrows.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Arrows that lead up, by rooms.
    pub upward: BTreeSet<Upward>,
    /// Files of no room.
    pub homeless: BTreeSet<String>,
}

/// The arrows of a crate against its rooms.
#[must_use]
pub fn report(arrows: &Arrows, rooms: &[Room]) -> Report {
    let mut report = Report::default();
    // The root only says which modules there are.
    for (from, targets) in arrows.iter().filter(|(from, _)| !from.is_empty()) {
        let Some(room) = room_of(from, rooms) else {
            report.homeless.insert(from.join("::"));
            continue;
        };
        for to in targets.keys() {
            if let Some(other) = room_of(to, rooms).filter(|other| *other > room) {
                report.upward.insert(Upward {
                    rooms: (rooms[room].name.clone(), rooms[other].name.clone()),
                    files: (from.join("::"), to.join("::")),
                });
            }
        }
    }
    report
}

fn room_of(file: &Names, rooms: &[Room]) -> Option<usize> {
    let len_in = |room: &Room| room.modules.iter().filter(|module| file.starts_with(module)).map(Vec::len).max();
    let found = rooms.iter().enumerate().filter_map(|(at, room)| len_in(room).map(|len| (len, at)));
    found.max().map(|(_, at)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str) -> Names {
        path.split("::").map(str::to_owned).collect()
    }

    fn room(name: &str, modules: &[&str]) -> Room {
        Room { name: name.to_owned(), modules: modules.iter().map(|path| names(path)).collect() }
    }

    #[test]
    fn an_arrow_up_and_a_file_of_no_room_are_found() {
        let rooms = [room("low", &["a", "b::x"]), room("high", &["b"])];
        let to = |files: &[&str]| files.iter().map(|file| (names(file), BTreeSet::new())).collect();
        let arrows = Arrows::from([
            (names("a"), to(&["b::x", "b::y"])),
            (names("b::y"), to(&["a", "c"])),
            (names("c"), to(&[])),
        ]);
        let report = report(&arrows, &rooms);
        let rooms = ("low".to_owned(), "high".to_owned());
        assert_eq!(report.upward, [Upward { rooms, files: ("a".to_owned(), "b::y".to_owned()) }].into());
        assert_eq!(report.homeless, ["c".to_owned()].into());
    }
}
