//! The devices of a configuration and the files on them, checked as a whole and built.
//!
//! ```toml
//!   [device.sas1]               a profile by name; stripes and mirrors name others
//!   [[placement]]               which files lie on it; the first that matches decides
//! ```
//!
//! What always holds: a [`Hierarchy`] that passed [`Hierarchy::check`] can be built on any medium: members exist and make no
//! circle, rules name devices, and all devices take their time from one clock. Nothing is opened or changed by a check.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::clock::{Clock, SystemClock};
use crate::emulator::volume::Volume;
use crate::media::Media;
use crate::profile::{ClockKind, DeviceProfile, ProfileError};
use crate::profiled_media::{ProfiledMedia, Rule};
use crate::virtual_clock::{Between, VirtualClock};

/// Which files lie on a device: a `[[placement]]` section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placement {
    /// A file, or a directory with all below it; relative paths begin in the data directory, and without one where the
    /// process was started.
    pub path: PathBuf,
    /// Name of the device.
    pub device: String,
}

/// Devices by name, and what lies on them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hierarchy {
    /// `[device.NAME]`
    pub devices: BTreeMap<String, DeviceProfile>,
    /// `[[placement]]`, in their order.
    pub placements: Vec<Placement>,
}

/// Devices and rules that do not make a whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HierarchyError {
    /// A device is wrong.
    #[error("device '{device}', {}: {}", error.key, error.reason)]
    Device {
        /// Its name.
        device: String,
        /// Key and reason.
        error: ProfileError,
    },
    /// A rule is wrong.
    #[error("placement {}: {reason}", number + 1)]
    Placement {
        /// From 0.
        number: usize,
        /// "path" or "device".
        key: &'static str,
        /// What is wrong.
        reason: String,
    },
}

impl Hierarchy {
    /// Whether there is nothing to emulate.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.devices.is_empty() && self.placements.is_empty()
    }

    /// Refuses what is no whole.
    ///
    /// # Errors
    /// [`HierarchyError`] with the first thing that is wrong.
    pub fn check(&self) -> Result<(), HierarchyError> {
        for (name, profile) in &self.devices {
            let refused = |error| HierarchyError::Device { device: name.clone(), error };
            profile.check().map_err(refused)?;
            self.check_members(name, profile).map_err(refused)?;
            if profile.clock != self.clock_kind() {
                let reason = "all devices take their time from one clock; another device has a different one".into();
                return Err(refused(ProfileError { key: "clock".into(), reason }));
            }
        }
        for (number, placement) in self.placements.iter().enumerate() {
            let refused = |key, reason| Err(HierarchyError::Placement { number, key, reason });
            if !self.devices.contains_key(&placement.device) {
                return refused("device", format!("there is no [device.{}]", placement.device));
            }
            if placement.path.as_os_str().is_empty() {
                return refused("path", "it is empty".into());
            }
        }
        Ok(())
    }

    fn check_members(&self, name: &str, profile: &DeviceProfile) -> Result<(), ProfileError> {
        let refused = |reason| Err(ProfileError { key: "members".into(), reason });
        for (number, member) in profile.members.iter().enumerate() {
            if !self.devices.contains_key(member) {
                return refused(format!("there is no [device.{member}]"));
            }
            if profile.members[..number].contains(member) {
                return refused(format!("'{member}' is named twice"));
            }
            if self.reaches(member, name, self.devices.len()) {
                return refused(format!("'{name}' would be a part of itself"));
            }
        }
        Ok(())
    }

    /// Whether `from` is `to` or made of it, at most `steps` members away.
    fn reaches(&self, from: &str, to: &str, steps: usize) -> bool {
        let members = || self.devices.get(from).map(|profile| &profile.members).into_iter().flatten();
        from == to || steps > 0 && members().any(|member| self.reaches(member, to, steps - 1))
    }

    /// Whose time the devices take.
    #[must_use]
    pub fn clock_kind(&self) -> ClockKind {
        self.devices.values().next().map(|profile| profile.clock).unwrap_or_default()
    }

    /// A clock as the devices want it, for the whole instance.
    #[must_use]
    pub fn clock(&self) -> Arc<dyn Clock> {
        clock_of(self.clock_kind())
    }

    /// The volumes, by name.
    ///
    /// # Panics
    /// When the devices were not checked.
    #[must_use]
    pub fn volumes(&self, clock: &Arc<dyn Clock>) -> BTreeMap<String, Arc<Volume>> {
        let mut volumes = BTreeMap::new();
        for name in self.devices.keys() {
            self.build(name, clock, &mut volumes);
        }
        volumes
    }

    fn build(&self, name: &str, clock: &Arc<dyn Clock>, volumes: &mut BTreeMap<String, Arc<Volume>>) -> Arc<Volume> {
        if let Some(volume) = volumes.get(name) {
            return volume.clone();
        }
        let profile = &self.devices[name];
        let members = profile.members.iter().map(|member| self.build(member, clock, volumes)).collect();
        let volume = Arc::new(Volume::new(name, profile, members, clock.clone()));
        volumes.insert(name.into(), volume.clone());
        volume
    }

    /// The files of `inner`, on the volumes that the rules give them. `dir`: where relative paths begin.
    ///
    /// # Panics
    /// When the hierarchy was not checked.
    #[must_use]
    pub fn media(&self, inner: Arc<dyn Media>, dir: Option<&Path>, clock: &Arc<dyn Clock>) -> ProfiledMedia {
        let volumes = self.volumes(clock);
        let rule = |placement: &Placement| Rule {
            path: dir.map_or(placement.path.clone(), |dir| dir.join(&placement.path)),
            volume: volumes[&placement.device].clone(),
        };
        let rules = self.placements.iter().map(rule).collect();
        ProfiledMedia::new(inner, volumes.into_values().collect(), rules)
    }
}

/// A clock of that kind.
#[must_use]
pub fn clock_of(kind: ClockKind) -> Arc<dyn Clock> {
    match kind {
        ClockKind::Real => Arc::new(SystemClock::new()),
        ClockKind::Virtual => Arc::new(VirtualClock::new(Between::RealTime)),
        ClockKind::Frozen => Arc::new(VirtualClock::new(Between::Nothing)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::ModelKind;

    fn hierarchy(devices: &[(&str, ModelKind, &[&str])]) -> Hierarchy {
        let device = |(name, model, members): &(&str, ModelKind, &[&str])| {
            let members = members.iter().map(|&member| member.into()).collect();
            ((*name).into(), DeviceProfile { members, ..DeviceProfile::of(*model) })
        };
        Hierarchy { devices: devices.iter().map(device).collect(), placements: Vec::new() }
    }

    fn refusal(hierarchy: &Hierarchy) -> String {
        hierarchy.check().unwrap_err().to_string()
    }

    #[test]
    fn members_exist_and_make_no_circle() {
        use ModelKind::{Mirror, Ssd, Stripe};
        let fine =
            hierarchy(&[("a", Ssd, &[]), ("b", Ssd, &[]), ("m", Mirror, &["a", "b"]), ("s", Stripe, &["m", "a"])]);
        assert_eq!(fine.check(), Ok(()));
        assert_eq!(fine.volumes(&fine.clock()).len(), 4);
        let missing = hierarchy(&[("s", Stripe, &["a", "b"])]);
        assert_eq!(refusal(&missing), "device 's', members: there is no [device.a]");
        let twice = hierarchy(&[("a", Ssd, &[]), ("s", Stripe, &["a", "a"])]);
        assert_eq!(refusal(&twice), "device 's', members: 'a' is named twice");
        let circle = hierarchy(&[("a", Ssd, &[]), ("s", Stripe, &["a", "t"]), ("t", Stripe, &["a", "s"])]);
        assert_eq!(refusal(&circle), "device 's', members: 's' would be a part of itself");
    }

    #[test]
    fn rules_name_devices_and_one_clock_serves_all() {
        let mut hierarchy = hierarchy(&[("a", ModelKind::Ssd, &[]), ("b", ModelKind::Ram, &[])]);
        hierarchy.devices.get_mut("b").unwrap().clock = ClockKind::Frozen;
        assert!(refusal(&hierarchy).starts_with("device 'b', clock: all devices"));
        hierarchy.devices.get_mut("b").unwrap().clock = ClockKind::Real;
        let place = |path: &str, device: &str| vec![Placement { path: path.into(), device: device.into() }];
        hierarchy.placements = place("/x", "c");
        assert_eq!(refusal(&hierarchy), "placement 1: there is no [device.c]");
        hierarchy.placements = place("", "a");
        assert_eq!(refusal(&hierarchy), "placement 1: it is empty");
        hierarchy.placements = place("x", "a");
        assert_eq!(hierarchy.check(), Ok(()));
    }
}
