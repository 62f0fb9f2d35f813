//! Tempdb on flash or on an array, under the queries of a warehouse (Kucera, 2016): which users does a faster device help?
//!
//! ```text
//!   warehouse  sales, customers, products; and the same tenfold       once, on a server without emulated devices
//!   place      tempdb on a flash card │ an array behind 1, 2, 4 links │ two cards, striped or a file each │ RAM
//!   users      1, 2, 4 … sessions, each runs all queries once, each begins with another one
//!   added      the card, all users in a loop; in the middle tempdb gets a file on a second card
//! ```
//!
//! What always holds: the tables lie in files of the work directory, only tempdb on an emulated device; a query has the
//! same answer in each place; devices take real time, a twenty-second of the article's bandwidth, as two processors are
//! a twenty-second of its 44.

mod added;
mod meter;
mod model;
mod report;
mod warehouse;

use super::case::Repetition;
use super::{ExperimentContext, Scale, configure};
use crate::failure::{Doing, LabError};
use crate::link::{Link, Target};
use meter::{Measured, measure};
use warehouse::Warehouse;

pub(super) use report::page;

/// The article's 44 processors by the two of ours.
const SHARE: f64 = 22.0;
/// What the article saw of its card, in MB/s: the card itself, and the bus that it sits on.
const CARD_READ_MB_S: f64 = 1_900.0;
const CARD_WRITE_MB_S: f64 = 1_600.0;
const CARD_LINK_MB_S: f64 = 4_000.0;
/// The article's array: four links of that many MB/s, and what is behind them.
const ARRAY_LINK_MB_S: f64 = 1_600.0;
const ARRAY_MB_S: f64 = 6_400.0;
/// The server's directory.
const DIR: &str = "warehouse";
/// Folders of it, a device each.
const FIRST: &str = "first";
const SECOND: &str = "second";
const FOLDERS: [&str; 2] = [FIRST, SECOND];
/// Memory of the server that loads.
const LOAD_MEMORY_MB: u64 = 512;

/// Where tempdb lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Card,
    Array { links: u32 },
    Striped,
    FileEach,
    Ram,
}

impl Place {
    fn name(self) -> String {
        match self {
            Place::Card => "card".into(),
            Place::Array { links: 1 } => "array, 1 link".into(),
            Place::Array { links } => format!("array, {links} links"),
            Place::Striped => "2 cards, striped".into(),
            Place::FileEach => "2 cards, a file each".into(),
            Place::Ram => "RAM".into(),
        }
    }

    /// What its device gives in a second, reads and writes; of RAM, which costs no time, no bound.
    fn mb_s(self) -> (f64, f64) {
        let shared = |reads: f64, writes: f64| (reads / SHARE, writes / SHARE);
        match self {
            Place::Card => shared(CARD_READ_MB_S, CARD_WRITE_MB_S),
            Place::Striped | Place::FileEach => shared(2.0 * CARD_READ_MB_S, 2.0 * CARD_WRITE_MB_S),
            Place::Array { links } => {
                let mb_s = ARRAY_MB_S.min(f64::from(links) * ARRAY_LINK_MB_S);
                shared(mb_s, mb_s)
            }
            Place::Ram => (f64::INFINITY, f64::INFINITY),
        }
    }

    /// What the server's `millpond.toml` says of tempdb's files and their devices.
    fn settings(self, file_mb: u32) -> String {
        let devices = match self {
            Place::Card | Place::FileEach => card(FIRST) + &card(SECOND),
            Place::Array { links } => array(FIRST, links) + &array(SECOND, links),
            Place::Striped => {
                let stripe =
                    format!("[device.{FIRST}]\nmodel = \"stripe\"\nmembers = [\"a\", \"b\"]\nbacking = \"ram\"\n");
                card("a") + &card("b") + &stripe + &card(SECOND)
            }
            Place::Ram => [FIRST, SECOND].map(|name| format!("[device.{name}]\nmodel = \"ram\"\n")).concat(),
        };
        let second = if self == Place::FileEach { file("temp2", SECOND, file_mb) } else { String::new() };
        let log = "[[tempdb.file]]\nname = \"templog\"\npath = \"templog\"\nlog = true\nsize = \"64MB\"\n\n";
        let placement = |name| format!("[[placement]]\npath = \"{name}\"\ndevice = \"{name}\"\n\n");
        file("temp1", FIRST, file_mb) + &second + log + &devices + &FOLDERS.map(placement).concat()
    }
}

fn file(name: &str, folder: &str, mb: u32) -> String {
    format!("[[tempdb.file]]\nname = \"{name}\"\npath = \"{folder}/{name}\"\nsize = \"{mb}MB\"\ngrowth = \"64MB\"\n\n")
}

fn card(name: &str) -> String {
    let [read, write, link] = [CARD_READ_MB_S, CARD_WRITE_MB_S, CARD_LINK_MB_S].map(|mb_s| mb_s / SHARE);
    format!(
        "[device.{name}]\nmodel = \"pcie-flash\"\nbacking = \"ram\"\nread_mb_s = {read:.1}\nwrite_mb_s = {write:.1}\n\
         link_mb_s = {link:.1}\n\n"
    )
}

fn array(name: &str, links: u32) -> String {
    let [link, all] = [ARRAY_LINK_MB_S, ARRAY_MB_S].map(|mb_s| mb_s / SHARE);
    format!(
        "[device.{name}]\nmodel = \"array\"\nbacking = \"ram\"\nread_mb_s = {all:.1}\nwrite_mb_s = {all:.1}\n\
         links = {links}\nlink_mb_s = {link:.1}\n\n"
    )
}

/// Sizes of a run.
#[derive(Clone, Copy, Debug)]
struct Size {
    /// Rows of the smaller warehouse's sales.
    rows: u32,
    memory_mb: u64,
    /// Of each file of tempdb: what all users spill fits.
    file_mb: u32,
    places: &'static [Place],
    /// Sessions at once.
    users: &'static [usize],
    /// How long sessions loop while a device is added, milliseconds: half before, half after.
    added_ms: u64,
}

impl Size {
    fn at(scale: Scale) -> Size {
        scale.pick(Size::test(), Size::quick(), Size::full())
    }

    fn test() -> Size {
        const PLACES: [Place; 2] = [Place::Card, Place::Array { links: 4 }];
        Size { rows: 14_000, memory_mb: 4, file_mb: 64, places: &PLACES, users: &[1], added_ms: 400 }
    }

    fn quick() -> Size {
        const PLACES: [Place; 4] = [Place::Card, Place::Array { links: 4 }, Place::Striped, Place::Ram];
        Size { rows: 40_000, memory_mb: 32, file_mb: 256, places: &PLACES, users: &[1, 4], added_ms: 12_000 }
    }

    fn full() -> Size {
        const PLACES: [Place; 7] = [
            Place::Card,
            Place::Array { links: 1 },
            Place::Array { links: 2 },
            Place::Array { links: 4 },
            Place::Striped,
            Place::FileEach,
            Place::Ram,
        ];
        Size { rows: 200_000, memory_mb: 128, file_mb: 2_048, places: &PLACES, users: &[1, 2, 4, 8], added_ms: 60_000 }
    }

    fn warehouses(self) -> [Warehouse; 2] {
        [Warehouse::small(self.rows), Warehouse::tenfold(self.rows)]
    }
}

/// One measured case.
struct Run {
    place: Place,
    warehouse: Warehouse,
    users: usize,
    measured: Measured,
}

pub(super) fn run(context: &ExperimentContext<'_>) -> Result<Repetition, LabError> {
    let size = Size::at(context.scale);
    context.expect(2 + size.places.len() * 2 * size.users.len());
    context.case("load", || load(context, size))?;
    let mut runs = Vec::new();
    for &place in size.places {
        context.on_server(DIR, &FOLDERS, size.memory_mb, place.settings(size.file_mb), |target| {
            measure_place(context, size, place, target, &mut runs)
        })?;
    }
    let added = context.on_server(DIR, &FOLDERS, size.memory_mb, Place::Card.settings(size.file_mb), |target| {
        let path = context.dir.path().join(DIR).join(SECOND).join("temp2");
        context.case("a card is added", || added::measure(target, &size, &path.display().to_string()))
    })?;
    Ok(report::repetition(size, &runs, &added))
}

/// Loads both warehouses, on a server that is nothing but fast.
fn load(context: &ExperimentContext<'_>, size: Size) -> Result<(), LabError> {
    context.on_server(DIR, &FOLDERS, LOAD_MEMORY_MB, String::new(), |target| {
        size.warehouses().iter().try_for_each(|warehouse| warehouse.load(target))
    })
}

fn measure_place(
    context: &ExperimentContext<'_>,
    size: Size,
    place: Place,
    target: &Target,
    runs: &mut Vec<Run>,
) -> Result<(), LabError> {
    let mut watcher = open(target)?;
    for warehouse in size.warehouses() {
        warehouse.prepare(target)?;
        for &users in size.users {
            let work = || measure(&mut watcher, target, warehouse, users);
            let measured = context.case(&case_name(place, warehouse, users), work)?;
            let known = runs.iter().find(|run: &&Run| run.warehouse == warehouse).map(|run| &run.measured);
            warehouse::check(known.unwrap_or(&measured).answers(), measured.answers())?;
            runs.push(Run { place, warehouse, users, measured });
        }
    }
    Ok(())
}

/// Users as a sentence counts them.
fn said_users(users: usize) -> String {
    if users == 1 { "one user".into() } else { format!("{users} users") }
}

/// A watcher of a server whose queries have a thread each.
fn open(target: &Target) -> Result<Link, LabError> {
    let mut link = Link::open(target, "").doing("login")?;
    configure(&mut link, "max degree of parallelism", 1)?;
    Ok(link)
}

fn case_name(place: Place, warehouse: Warehouse, users: usize) -> String {
    format!("{}, {}, {users}", place.name(), warehouse.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_its_devices_and_one_file_but_for_a_file_each() {
        for place in Size::full().places {
            let settings = place.settings(64);
            let files = if *place == Place::FileEach { 3 } else { 2 };
            assert_eq!(settings.matches("[[tempdb.file]]").count(), files, "{settings}");
            assert!(settings.contains("[device.first]") && settings.contains("[device.second]"), "{settings}");
        }
        assert!(Place::Array { links: 4 }.settings(64).contains("links = 4\nlink_mb_s = 72.7"));
        assert!(Place::Card.settings(64).contains("read_mb_s = 86.4\nwrite_mb_s = 72.7"));
    }
}
