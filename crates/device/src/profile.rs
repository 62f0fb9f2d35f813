//! What a device of the configuration is: its model, the model's numbers, the controller cache in front of it.
//!
//! What always holds: a [`DeviceProfile`] that passed [`DeviceProfile::check`] can be built, and each of its numbers lies
//! within bounds that the message of a refusal names. A key that the model does not have is refused, not ignored. The
//! keys are those of a `[device.NAME]` section, each with its unit last. It knows nothing of how a model works.

use serde::{Deserialize, Serialize};

/// What a device is made of, as its model's name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelKind {
    /// The file itself, at its own speed; it has counters and may have a cache.
    File,
    /// Memory: no time at all.
    Ram,
    /// A disk of 10,000 turns a minute with SATA.
    #[serde(rename = "disk-10k-sata")]
    Disk10kSata,
    /// A disk of 10,000 turns a minute with SAS.
    #[serde(rename = "disk-10k-sas")]
    Disk10kSas,
    /// A solid state disk behind SATA.
    Ssd,
    /// A flash card on the bus.
    PcieFlash,
    /// A flash array behind several links.
    Array,
    /// A table of what was measured.
    Measured,
    /// Several devices, block by block in turn.
    Stripe,
    /// Several devices with the same contents.
    Mirror,
}

impl ModelKind {
    /// All models.
    pub const ALL: [ModelKind; 10] = [
        ModelKind::File,
        ModelKind::Ram,
        ModelKind::Disk10kSata,
        ModelKind::Disk10kSas,
        ModelKind::Ssd,
        ModelKind::PcieFlash,
        ModelKind::Array,
        ModelKind::Measured,
        ModelKind::Stripe,
        ModelKind::Mirror,
    ];

    /// Its name in a configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ModelKind::File => "file",
            ModelKind::Ram => "ram",
            ModelKind::Disk10kSata => "disk-10k-sata",
            ModelKind::Disk10kSas => "disk-10k-sas",
            ModelKind::Ssd => "ssd",
            ModelKind::PcieFlash => "pcie-flash",
            ModelKind::Array => "array",
            ModelKind::Measured => "measured",
            ModelKind::Stripe => "stripe",
            ModelKind::Mirror => "mirror",
        }
    }

    /// The model of that name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<ModelKind> {
        ModelKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it is a disk with an arm.
    #[must_use]
    pub const fn is_disk(self) -> bool {
        matches!(self, ModelKind::Disk10kSata | ModelKind::Disk10kSas)
    }

    /// Whether it is flash in one of its forms.
    #[must_use]
    pub const fn is_flash(self) -> bool {
        matches!(self, ModelKind::Ssd | ModelKind::PcieFlash | ModelKind::Array)
    }

    /// Whether it is made of other devices.
    #[must_use]
    pub const fn is_composed(self) -> bool {
        matches!(self, ModelKind::Stripe | ModelKind::Mirror)
    }
}

/// Where the bytes of a device are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Backing {
    /// In the files themselves.
    #[default]
    File,
    /// In memory; gone with the process.
    Ram,
}

/// Whose time a device takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClockKind {
    /// A request really takes its time.
    #[default]
    Real,
    /// Waits are skipped; work of the processor counts as it really is.
    Virtual,
    /// Waits are skipped and nothing else counts: two runs see the same times.
    Frozen,
}

/// A device: a `[device.NAME]` section. What is absent has the model's default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceProfile {
    /// What it is.
    pub model: ModelKind,
    /// Where its bytes are.
    #[serde(default, skip_serializing_if = "is_default")]
    pub backing: Backing,
    /// Whose time it takes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub clock: ClockKind,
    /// Its size. Absent: it grows with its files; the arm of a disk then travels over all of it, as on a full disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity_mb: Option<u64>,
    /// Disk: turns per minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rpm: Option<f64>,
    /// Disk: mean way of the arm between two places chosen by chance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seek_ms: Option<f64>,
    /// Disk: way of the arm to the next track.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub track_seek_ms: Option<f64>,
    /// Disk: what passes under the head.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfer_mb_s: Option<f64>,
    /// Disk: time of a command beside all movement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command_us: Option<f64>,
    /// Disk: commands that it sorts by itself; 1: first come, first served.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_depth: Option<u32>,
    /// Flash: time until the first byte of a read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_latency_us: Option<f64>,
    /// Flash: the same of a write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_latency_us: Option<f64>,
    /// Flash: what the medium reads in a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_mb_s: Option<f64>,
    /// Flash: what it writes in a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_mb_s: Option<f64>,
    /// Flash: requests that it works on at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels: Option<u32>,
    /// Flash: links to the machine; a request takes the one that is free first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<u32>,
    /// Flash: what one link carries in a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_mb_s: Option<f64>,
    /// Stripe and mirror: names of the devices it is made of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<String>,
    /// Stripe: bytes on one member before the next one follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stripe_kb: Option<u32>,
    /// A controller cache in front of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheProfile>,
    /// Measured: the table.
    #[serde(default, rename = "point", skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<MeasuredPoint>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A controller cache: a `[device.NAME.cache]` section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheProfile {
    /// Its memory.
    pub size_mb: u64,
    /// Share for reads; the rest holds writes until they are on the device.
    #[serde(default = "CacheProfile::default_read_percent")]
    pub read_percent: u32,
    /// What it holds survives a power cut, so a sync need not wait for the device.
    #[serde(default)]
    pub battery: bool,
    /// Without a battery, it acknowledges syncs all the same: a power cut then loses what was promised.
    #[serde(default)]
    pub ignores_sync: bool,
    /// Time of a request that it answers by itself.
    #[serde(default = "CacheProfile::default_latency_us")]
    pub latency_us: f64,
    /// What passes between it and the machine in a second.
    #[serde(default = "CacheProfile::default_bus_mb_s")]
    pub bus_mb_s: f64,
    /// Read ahead of a sequential stream; 0: none.
    #[serde(default = "CacheProfile::default_read_ahead_kb")]
    pub read_ahead_kb: u32,
    /// Share of the write part above which it writes to the device also while others want it.
    #[serde(default = "CacheProfile::default_destage_percent")]
    pub destage_percent: u32,
}

impl CacheProfile {
    fn default_read_percent() -> u32 {
        25
    }

    fn default_latency_us() -> f64 {
        100.0
    }

    fn default_bus_mb_s() -> f64 {
        400.0
    }

    fn default_read_ahead_kb() -> u32 {
        256
    }

    fn default_destage_percent() -> u32 {
        50
    }

    /// A cache of that size; the rest is the default.
    #[must_use]
    pub fn of_mb(size_mb: u64) -> CacheProfile {
        CacheProfile {
            size_mb,
            read_percent: CacheProfile::default_read_percent(),
            battery: false,
            ignores_sync: false,
            latency_us: CacheProfile::default_latency_us(),
            bus_mb_s: CacheProfile::default_bus_mb_s(),
            read_ahead_kb: CacheProfile::default_read_ahead_kb(),
            destage_percent: CacheProfile::default_destage_percent(),
        }
    }

    fn check(&self) -> Result<(), ProfileError> {
        within("cache.size_mb", self.size_mb as f64, 1.0, 1_048_576.0)?;
        within("cache.read_percent", self.read_percent.into(), 0.0, 100.0)?;
        within("cache.latency_us", self.latency_us, 0.0, 1_000_000.0)?;
        within("cache.bus_mb_s", self.bus_mb_s, 0.1, 1_000_000.0)?;
        within("cache.read_ahead_kb", self.read_ahead_kb.into(), 0.0, 65_536.0)?;
        within("cache.destage_percent", self.destage_percent.into(), 1.0, 95.0)?;
        if self.battery && self.ignores_sync {
            return refuse("cache.ignores_sync", "with a battery every sync is kept; it is for caches without one");
        }
        Ok(())
    }
}

/// How requests follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// At places chosen by chance.
    Random,
    /// One after the other.
    Sequential,
}

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// From the device.
    Read,
    /// To it.
    Write,
}

/// A line of a measured device's table: a `[[device.NAME.point]]` section.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredPoint {
    /// Which way.
    pub direction: Direction,
    /// In which order.
    pub order: Order,
    /// Bytes of a request.
    pub size_kb: f64,
    /// Requests at a time.
    pub depth: u32,
    /// Mean time of a request.
    pub latency_us: f64,
}

/// A profile that cannot be a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct ProfileError {
    /// The key within the device's section, `cache.size_mb` for one of its cache.
    pub key: String,
    /// What is wrong with it.
    pub reason: String,
}

fn refuse<T>(key: &str, reason: impl Into<String>) -> Result<T, ProfileError> {
    Err(ProfileError { key: key.into(), reason: reason.into() })
}

/// Refuses what does not lie between the bounds; a value that is no number lies nowhere.
fn within(key: &str, value: f64, min: f64, max: f64) -> Result<(), ProfileError> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    refuse(key, format!("{value} is not between {min} and {max}"))
}

/// A key of a model: name, value, bounds.
type Bounded = (&'static str, Option<f64>, f64, f64);

impl DeviceProfile {
    /// A device of that model with its defaults.
    #[must_use]
    pub fn of(model: ModelKind) -> DeviceProfile {
        DeviceProfile {
            model,
            backing: Backing::default(),
            clock: ClockKind::default(),
            capacity_mb: None,
            rpm: None,
            seek_ms: None,
            track_seek_ms: None,
            transfer_mb_s: None,
            command_us: None,
            queue_depth: None,
            read_latency_us: None,
            write_latency_us: None,
            read_mb_s: None,
            write_mb_s: None,
            channels: None,
            links: None,
            link_mb_s: None,
            members: Vec::new(),
            stripe_kb: None,
            cache: None,
            points: Vec::new(),
        }
    }

    fn disk_keys(&self) -> [Bounded; 6] {
        [
            ("rpm", self.rpm, 100.0, 100_000.0),
            ("seek_ms", self.seek_ms, 0.0, 1_000.0),
            ("track_seek_ms", self.track_seek_ms, 0.0, 1_000.0),
            ("transfer_mb_s", self.transfer_mb_s, 0.1, 100_000.0),
            ("command_us", self.command_us, 0.0, 1_000_000.0),
            ("queue_depth", self.queue_depth.map(f64::from), 1.0, 1_024.0),
        ]
    }

    fn flash_keys(&self) -> [Bounded; 7] {
        [
            ("read_latency_us", self.read_latency_us, 0.0, 10_000_000.0),
            ("write_latency_us", self.write_latency_us, 0.0, 10_000_000.0),
            ("read_mb_s", self.read_mb_s, 0.1, 1_000_000.0),
            ("write_mb_s", self.write_mb_s, 0.1, 1_000_000.0),
            ("channels", self.channels.map(f64::from), 1.0, 4_096.0),
            ("links", self.links.map(f64::from), 1.0, 64.0),
            ("link_mb_s", self.link_mb_s, 0.1, 1_000_000.0),
        ]
    }

    /// Refuses what cannot be a device; whether its members exist is seen when it is built.
    ///
    /// # Errors
    /// [`ProfileError`] with the first key that is wrong.
    pub fn check(&self) -> Result<(), ProfileError> {
        if let Some(capacity_mb) = self.capacity_mb {
            within("capacity_mb", capacity_mb as f64, 1.0, 33_554_432.0)?;
        }
        self.check_keys(&self.disk_keys(), self.model.is_disk())?;
        self.check_keys(&self.flash_keys(), self.model.is_flash())?;
        if let (Some(near), Some(mean)) = (self.track_seek_ms, self.seek_ms)
            && near > mean
        {
            return refuse("track_seek_ms", format!("{near} is more than the mean way, seek_ms = {mean}"));
        }
        self.check_members()?;
        self.check_points()?;
        match &self.cache {
            Some(_) if self.model == ModelKind::File => {
                refuse("cache", "the model 'file' takes its own time; a cache needs an emulated device")
            }
            cache => cache.as_ref().map_or(Ok(()), CacheProfile::check),
        }
    }

    fn check_keys(&self, keys: &[Bounded], has_them: bool) -> Result<(), ProfileError> {
        for &(key, value, min, max) in keys {
            match value {
                Some(_) if !has_them => return self.refuse_key(key),
                Some(value) => within(key, value, min, max)?,
                None => {}
            }
        }
        Ok(())
    }

    fn refuse_key<T>(&self, key: &str) -> Result<T, ProfileError> {
        refuse(key, format!("the model '{}' has no such key", self.model.name()))
    }

    fn check_members(&self) -> Result<(), ProfileError> {
        match (self.model, self.members.len()) {
            (ModelKind::Stripe | ModelKind::Mirror, 0 | 1) => refuse(
                "members",
                format!("a {} needs two devices or more, as in members = [\"a\", \"b\"]", self.model.name()),
            ),
            (model, 1..) if !model.is_composed() => self.refuse_key("members"),
            _ => match self.stripe_kb {
                Some(_) if self.model != ModelKind::Stripe => self.refuse_key("stripe_kb"),
                Some(kb) if kb % 4 != 0 => refuse("stripe_kb", format!("{kb} is no multiple of 4")),
                Some(kb) => within("stripe_kb", kb.into(), 4.0, 65_536.0),
                None => Ok(()),
            },
        }
    }

    fn check_points(&self) -> Result<(), ProfileError> {
        if self.model != ModelKind::Measured {
            return if self.points.is_empty() { Ok(()) } else { self.refuse_key("point") };
        }
        for point in &self.points {
            within("point.size_kb", point.size_kb, 0.5, 1_048_576.0)?;
            within("point.depth", point.depth.into(), 1.0, 4_096.0)?;
            within("point.latency_us", point.latency_us, 0.001, 1e10)?;
        }
        for direction in [Direction::Read, Direction::Write] {
            if !self.points.iter().any(|point| point.direction == direction) {
                let missing = if direction == Direction::Read { "read" } else { "write" };
                return refuse("point", format!("the table has no point with direction = \"{missing}\""));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(change: impl FnOnce(&mut DeviceProfile)) -> (String, String) {
        let mut profile = DeviceProfile::of(ModelKind::Disk10kSas);
        change(&mut profile);
        let error = profile.check().unwrap_err();
        (error.key, error.reason)
    }

    #[test]
    fn all_models_with_their_defaults_are_devices_or_say_what_they_miss() {
        for kind in ModelKind::ALL {
            assert_eq!(ModelKind::of_name(kind.name()), Some(kind));
            let result = DeviceProfile::of(kind).check();
            match kind {
                ModelKind::Stripe | ModelKind::Mirror => assert_eq!(result.unwrap_err().key, "members"),
                ModelKind::Measured => assert_eq!(result.unwrap_err().key, "point"),
                _ => assert_eq!(result, Ok(())),
            }
        }
    }

    #[test]
    fn nonsense_is_refused_with_its_key_and_bounds() {
        let (key, reason) = refusal(|p| p.seek_ms = Some(-1.0));
        assert_eq!((key.as_str(), reason.as_str()), ("seek_ms", "-1 is not between 0 and 1000"));
        assert_eq!(refusal(|p| p.rpm = Some(f64::NAN)).0, "rpm");
        assert_eq!(refusal(|p| p.queue_depth = Some(0)).0, "queue_depth");
        assert_eq!(refusal(|p| p.capacity_mb = Some(0)).0, "capacity_mb");
        let (key, reason) = refusal(|p| p.links = Some(2));
        assert_eq!((key.as_str(), reason.as_str()), ("links", "the model 'disk-10k-sas' has no such key"));
        assert_eq!(refusal(|p| p.members = vec!["a".into()]).0, "members");
        assert_eq!(refusal(|p| p.stripe_kb = Some(64)).0, "stripe_kb");
        assert_eq!(refusal(|p| (p.seek_ms, p.track_seek_ms) = (Some(1.0), Some(2.0))).0, "track_seek_ms");
        assert_eq!(
            refusal(|p| p.cache = Some(CacheProfile { read_percent: 101, ..CacheProfile::of_mb(1) })).0,
            "cache.read_percent"
        );
        assert_eq!(refusal(|p| p.cache = Some(CacheProfile::of_mb(0))).0, "cache.size_mb");
        let liar = CacheProfile { battery: true, ignores_sync: true, ..CacheProfile::of_mb(1) };
        assert_eq!(refusal(|p| p.cache = Some(liar)).0, "cache.ignores_sync");
    }
}
