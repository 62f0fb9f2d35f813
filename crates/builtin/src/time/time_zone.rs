//! Time zones by the names that Windows gives them: AT TIME ZONE and `sys.time_zone_info`.
//!
//! Which zone of the IANA database a name means is the mapping of Unicode's CLDR (`windowsZones.xml`, territory 001); the
//! rules of those zones are chrono-tz's copy of the IANA database. Two names of old zones, which Windows keeps and no place uses,
//! are not there: Kamchatka Standard Time and Mid-Atlantic Standard Time.

use std::sync::OnceLock;

use chrono::{NaiveDate, NaiveDateTime, Offset, TimeDelta, TimeZone};
use chrono_tz::{OffsetComponents, Tz};
use millpond_types::{Date, DateTime2, DateTimeOffset};

/// A zone a line: its name, the zone of IANA that it means, and the places that Windows shows with it.
const ZONES: &str = include_str!("zones.txt");

/// Name, zone, places.
fn names() -> impl Iterator<Item = [&'static str; 3]> {
    static ALL: OnceLock<Vec<[&str; 3]>> = OnceLock::new();
    let fields = |line: &'static str| {
        let mut fields = line.split('\t');
        [(); 3].map(|()| fields.next().unwrap_or_default())
    };
    ALL.get_or_init(|| ZONES.lines().map(fields).collect()).iter().copied()
}

/// Two zones are the same whose clocks show the same for so many days from now on, looked at every few.
const DAYS_COMPARED: i32 = 400;
const DAYS_BETWEEN: usize = 10;

fn later(now: DateTime2, days: i32) -> DateTime2 {
    DateTime2 { date: Date { days: now.date.days + days }, ..now }
}

/// A time zone with its rules.
#[derive(Clone, Copy)]
pub struct Zone(Tz);

impl Zone {
    /// The zone of a name; `None` for one that is not known.
    pub(crate) fn named(name: &str) -> Option<Zone> {
        let [_, zone, _] = names().find(|[known, ..]| known.eq_ignore_ascii_case(name))?;
        zone.parse().ok().map(Zone)
    }

    /// All names with their zones.
    pub fn all() -> impl Iterator<Item = (&'static str, Zone)> {
        names().filter_map(|[name, zone, _]| Some((name, Zone(zone.parse().ok()?))))
    }

    /// The zone of the machine, as Windows names it: the one that means the same zone of IANA, else the first whose clocks show
    /// the same all year, UTC where none does.
    pub(crate) fn of_machine(now: DateTime2) -> &'static str {
        let zone = iana_time_zone::get_timezone().ok();
        let zone = zone.and_then(|zone| Some((zone.parse().ok()?, zone)));
        zone.map_or("UTC", |(rules, zone)| Zone::name_of(Zone(rules), &zone, now))
    }

    fn name_of(zone: Zone, iana: &str, now: DateTime2) -> &'static str {
        // `UTC` is another name of `Etc/UTC`.
        let is_it = |known: &&str| {
            known.eq_ignore_ascii_case(iana) || known.strip_prefix("Etc/").is_some_and(|known| known == iana)
        };
        if let Some([name, ..]) = names().find(|[_, known, _]| is_it(known)) {
            return name;
        }
        let days = (0..DAYS_COMPARED).step_by(DAYS_BETWEEN);
        let shown = |zone: Zone| days.clone().map(move |day| zone.at(later(now, day)).map(|(minutes, _)| minutes));
        let continent = iana.split('/').next().unwrap_or_default();
        let same = || Zone::all().zip(names()).filter(|((_, other), _)| shown(*other).eq(shown(zone)));
        let near = same().find(|(_, [_, known, _])| known.starts_with(continent));
        near.or_else(|| same().next()).map_or("UTC", |((name, _), _)| name)
    }

    /// A zone as Windows shows it: its standard time and its places.
    pub(crate) fn shown(name: &str) -> Option<String> {
        let [_, zone, places] = names().find(|[known, ..]| *known == name)?;
        let zone = Zone(zone.parse().ok()?);
        let any = zone.0.offset_from_utc_datetime(&NaiveDate::from_ymd_opt(2024, 1, 1)?.and_hms_opt(0, 0, 0)?);
        let minutes = any.base_utc_offset().num_minutes();
        let (sign, away) = (if minutes < 0 { '-' } else { '+' }, minutes.unsigned_abs());
        Some(match minutes {
            0 if name == "UTC" => format!("(UTC) {places}"),
            _ => format!("(UTC{sign}{:02}:{:02}) {places}", away / 60, away % 60),
        })
    }

    /// Minutes that the zone's clocks show beyond UTC at an instant, and whether they show summer time.
    pub fn at(self, utc: DateTime2) -> Option<(i16, bool)> {
        let offset = self.0.offset_from_utc_datetime(&naive(utc)?);
        Some((minutes(&offset)?, !offset.dst_offset().is_zero()))
    }

    /// What a clock of the zone shows, as an instant. A time that the clocks passed over is as much later as they were
    /// put forward; of one that they show twice the first is meant.
    pub(crate) fn of_local(self, local: DateTime2) -> Option<DateTimeOffset> {
        let shown = naive(local)?;
        if let Some(offset) = self.0.offset_from_local_datetime(&shown).earliest() {
            return DateTimeOffset::from_local(local, minutes(&offset)?);
        }
        let before = self.0.offset_from_local_datetime(&(shown - TimeDelta::days(1))).earliest()?;
        let instant = DateTimeOffset::from_local(local, minutes(&before)?)?;
        instant.switch_offset(self.at(instant.utc())?.0)
    }
}

/// Whole minutes, as `datetimeoffset` has them; local mean times of the 19th century lose their seconds.
fn minutes(offset: &impl Offset) -> Option<i16> {
    i16::try_from(offset.fix().local_minus_utc() / 60).ok()
}

fn naive(at: DateTime2) -> Option<NaiveDateTime> {
    let (year, month, day) = at.date.civil();
    let (hour, minute, second, nanosecond) = at.time.hms();
    NaiveDate::from_ymd_opt(year, month, day)?.and_hms_nano_opt(hour, minute, second, nanosecond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_zone() {
        assert_eq!(Zone::all().count(), names().count());
        assert!(names().all(|[.., places]| !places.is_empty()));
        assert!(Zone::named("central european standard time").is_some());
        assert!(Zone::named("Europe/Berlin").is_none());
        assert_eq!(
            Zone::shown("W. Europe Standard Time").as_deref(),
            Some("(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna")
        );
        assert_eq!(Zone::shown("Nepal Standard Time").as_deref(), Some("(UTC+05:45) Kathmandu"));
        assert_eq!(Zone::shown("UTC").as_deref(), Some("(UTC) Coordinated Universal Time"));
    }

    #[test]
    fn a_zone_of_iana_has_the_name_whose_clocks_show_the_same() {
        let now = DateTime2 { date: Date::from_civil(2024, 6, 15).expect("a date"), ..DateTime2::default() };
        for (iana, expected) in [
            ("Europe/Berlin", "W. Europe Standard Time"),
            ("America/New_York", "Eastern Standard Time"),
            ("Etc/UTC", "UTC"),
            ("UTC", "UTC"),
            ("Asia/Kolkata", "India Standard Time"),
            ("America/Detroit", "Eastern Standard Time"),
        ] {
            let zone = Zone(iana.parse().expect("a zone of IANA"));
            let name = Zone::name_of(zone, iana, now);
            let known = Zone::named(name).expect("a name");
            assert_eq!(known.at(now), zone.at(now), "{iana}: {name}");
            if iana != "America/Detroit" {
                assert_eq!(name, expected, "{iana}");
            }
        }
    }
}
