//! Who writes the file: one writer at a time, which holds the data directory.
//!
//! What always holds: a number is given once per resolution, over restarts too, as far as slots can be read. After an error the same
//! sample may be written again.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::reader::{Scan, read_all};
use super::slot::{Found, encode};
use super::texts::{self, Set};
use super::{
    FILE_BYTES, HEAD_BYTES, RingError, SET_BYTES, TEXT_BYTES, TIERS, check_head, head, opened, set_offset, slot_offset,
};
use crate::sample::{Sample, TextId};

/// How old the time of a text's last use may be in the file.
const USED_EACH_US: i64 = 3_600_000_000;

/// The writer.
#[derive(Debug)]
pub struct Writer {
    file: File,
    /// The next number of each resolution.
    next: [u64; TIERS.len()],
    /// Texts that are in the file, with the time of the last use that it has.
    known: HashMap<TextId, i64>,
}

impl Writer {
    /// Opens the file, or makes it; one that was cut has its size again.
    ///
    /// # Errors
    /// [`RingError`]: of the system, where there is no space for all of it too; a head that is damaged, or of another format. Then
    /// nothing was changed.
    pub fn open(path: &Path) -> Result<Writer, RingError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        // It has texts of statements: the rights of data files.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o640);
        let mut file = opened(path, &mut options)?;
        let length = file.metadata()?.len();
        let mut found = [0; HEAD_BYTES];
        read_all(&mut file, 0, &mut found)?;
        // A head of zeros: it was being made when the process ended. Whatever else is short is somebody's.
        let is_new = found.iter().all(|byte| *byte == 0);
        if !is_new {
            check_head(&found)?;
        }
        if length < FILE_BYTES {
            allocate(&file)?;
        }
        if is_new {
            // Last, so that a file with a head has its size.
            write_at(&mut file, 0, &head())?;
        }
        Writer::over(file)
    }

    fn over(mut file: File) -> Result<Writer, RingError> {
        let mut next = [0; TIERS.len()];
        let mut scan = Scan::new();
        for (tier, next) in next.iter_mut().enumerate() {
            scan.each(&mut file, tier, |found| {
                if let Found::Slot(slot) = found {
                    *next = (*next).max(slot.number().saturating_add(1));
                }
            })?;
        }
        Ok(Writer { file, next, known: HashMap::new() })
    }

    /// Writes a sample of a resolution, and before it the texts that it names.
    ///
    /// # Errors
    /// Those of the system.
    pub fn put<'t>(
        &mut self,
        tier: usize,
        sample: &Sample,
        texts: impl IntoIterator<Item = &'t str>,
    ) -> io::Result<()> {
        for text in texts {
            self.keep(text, sample.end_us)?;
        }
        let number = self.next[tier];
        let place = number % TIERS[tier].slots;
        write_at(&mut self.file, slot_offset(tier, place), &encode(tier, number, sample))?;
        self.next[tier] = number.saturating_add(1);
        Ok(())
    }

    /// Sees to it that the text is in the file.
    fn keep(&mut self, text: &str, now_us: i64) -> io::Result<()> {
        let id = TextId::of(text);
        if self.known.get(&id).is_some_and(|used_us| now_us.saturating_sub(*used_us) < USED_EACH_US) {
            return Ok(());
        }
        let set_at = set_offset(texts::set_of(id));
        let mut set: Set = [0; SET_BYTES];
        read_at(&mut self.file, set_at, &mut set)?;
        let place = texts::place(&set, id);
        if let Some(gone) = place.gone {
            self.known.remove(&gone);
        }
        let used_us = match place.used_us {
            Some(used_us) if now_us.saturating_sub(used_us) < USED_EACH_US => used_us,
            _ => {
                let at = set_at + (place.way * TEXT_BYTES) as u64;
                write_at(&mut self.file, at, &texts::encode(text, now_us))?;
                now_us
            }
        };
        self.known.insert(id, used_us);
        Ok(())
    }
}

/// Space for all of it, so that a disk that fills later takes none away. A file system that cannot promise it gives it as it comes.
fn allocate(file: &File) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::io::Errno;
        match rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, FILE_BYTES) {
            Ok(()) => return Ok(()),
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => {}
            Err(error) => return Err(error.into()),
        }
    }
    file.set_len(FILE_BYTES)
}

pub(super) fn write_at(file: &mut File, at: u64, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)
}

pub(super) fn read_at(file: &mut File, at: u64, bytes: &mut [u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(bytes)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::figure::Figures;

    #[test]
    fn a_disk_that_is_full_is_an_error_and_no_number_is_used_up() {
        let full = OpenOptions::new().read(true).write(true).open("/dev/full").expect("the device is there");
        let mut writer = Writer { file: full, next: [7; TIERS.len()], known: HashMap::new() };
        let sample = Sample {
            run_us: 1,
            end_us: 2,
            uptime_us: 1,
            span_us: 1,
            is_first: true,
            is_last: false,
            figures: Figures::default(),
            statements: vec![],
            waits: vec![],
            files: vec![],
        };
        let error = writer.put(0, &sample, []).expect_err("it is full");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(writer.next[0], 7);
    }
}
