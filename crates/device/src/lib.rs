//! Everything that is not deterministic: media, time, chance, the machine's memory and disks, and faults on purpose.
//!
//! ```text
//!   block (the trait, its errors)   meter (its counters), latency (the time of requests by ranges)
//!     ├── file    a file of the operating system, past its cache where it can be passed; ring: many requests at once
//!     ├── ram     memory of this process
//!     ├── fault   any of them, failing when a test says so
//!     ├── image   memory that is copied in no time
//!     └── tape    memory that remembers every write, for power cuts at any point
//!   media    files by path: the system's, or in memory       taped_media: all of them on one tape
//!   hierarchy     the devices of a configuration and the files on them
//!     ├── profile         what a device is
//!     ├── emulator        what its requests cost
//!     └── profiled_media  files on such devices
//!   probe    what a device can do, found out by asking it     void: a device without bytes
//!   clock · virtual_clock · chance · machine · disk     basics: hook, wakeup, guid, number_map
//! ```
//!
//! What always holds: code that needs time or a medium takes it as a parameter of these traits, so the same program
//! runs on a clock turned by hand and on a device that fails on the third write. It knows no pages, no logs, no
//! databases.
#![deny(unsafe_code)]

pub mod basics;
pub mod block;
pub mod chance;
pub mod clock;
pub mod disk;
pub mod emulator;
pub mod fault;
pub mod file;
pub mod health;
pub mod hierarchy;
pub mod host;
pub mod image;
pub mod latency;
pub mod machine;
pub mod media;
pub mod meter;
pub mod probe;
pub mod profile;
pub mod profiled_media;
pub mod ram;
#[cfg_attr(not(target_os = "linux"), path = "no_ring.rs")]
mod ring;
pub mod tape;
pub mod taped_media;
pub mod virtual_clock;
pub mod void;

pub use basics::{guid, hook, number_map, wakeup};
pub use block::{BlockDevice, DeviceError, Outcome, ReadRequest, WriteRequest};
pub use clock::{Blocked, Clock, ManualClock, Participation, SystemClock, WallTime};
pub use emulator::cache::CacheReport;
pub use emulator::volume::{Volume, VolumeReport};
pub use fault::FaultDevice;
pub use file::{FileDevice, OpenMode, Submission};
pub use hierarchy::{Hierarchy, HierarchyError, Placement};
pub use image::{Image, ImageDevice};
pub use media::{FileIdentity, FileSystem, Media, RamMedia};
pub use meter::{Meter, MeterReading};
pub use profile::{Backing, CacheProfile, ClockKind, DeviceProfile, ModelKind, ProfileError};
pub use profiled_media::{ProfiledDevice, ProfiledMedia};
pub use ram::RamDevice;
pub use tape::{Loss, Playback, Tape, TapedDevice};
pub use taped_media::TapedMedia;
pub use virtual_clock::{Between, VirtualClock};
pub use void::VoidDevice;
