//! Everything that is not deterministic: media, time, chance, the machine's memory and disks, and faults on purpose.
//!
//! ```text
//!   block (the trait, its errors)   meter (its counters)
//!     ├── file    a file of the operating system, past its cache where it can be passed
//!     ├── ram     memory of this process
//!     ├── fault   any of them, failing when a test says so
//!     ├── image   memory that is copied in no time
//!     └── tape    memory that remembers every write, for power cuts at any moment
//!   media    files by path: the system's, or in memory       taped_media: all of them on one tape
//!   clock · chance · machine · disk
//! ```
//!
//! What always holds: whoever needs time or a medium takes it as a parameter of these traits, so the same program runs
//! on a clock turned by hand and on a device that fails on the third write. It knows no pages, no logs, no databases.
#![deny(unsafe_code)]

pub mod block;
pub mod chance;
pub mod clock;
pub mod disk;
pub mod fault;
pub mod file;
pub mod image;
pub mod machine;
pub mod media;
pub mod meter;
pub mod ram;
pub mod tape;
pub mod taped_media;

pub use block::{BlockDevice, DeviceError};
pub use clock::{Clock, ManualClock, SystemClock, WallTime};
pub use fault::FaultDevice;
pub use file::{FileDevice, OpenMode};
pub use image::{Image, ImageDevice};
pub use media::{FileSystem, Media, RamMedia};
pub use meter::{Meter, MeterReading};
pub use ram::RamDevice;
pub use tape::{Loss, Playback, Tape, TapedDevice};
pub use taped_media::TapedMedia;
