//! A directory whose files are all on one tape: a whole instance runs over it, and the power is cut at any point of what
//! it did.
//!
//! What always holds: every file has a name of its own on the tape, also one that takes the path of a file removed
//! earlier. Creations, renames and removals are not on the tape: a cut belongs to a time in which files neither come nor
//! go, and [`TapedMedia::after_cut`] gives the devices the paths that they have now.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::block::{BlockDevice, DeviceError};
use crate::file::OpenMode;
use crate::image::{Image, ImageDevice};
use crate::media::Media;
use crate::tape::Tape;

/// Name on the tape, if it is on one, and the device.
type MediaFile = (Arc<str>, Arc<dyn BlockDevice>);

/// Files in memory; new ones are on a tape, if there is one.
#[derive(Debug, Default)]
pub struct TapedMedia {
    tape: Option<Arc<Tape>>,
    files: Mutex<Files>,
}

#[derive(Debug, Default)]
struct Files {
    by_path: BTreeMap<PathBuf, MediaFile>,
    made: usize,
}

impl TapedMedia {
    /// No files; those to come are on `tape`.
    #[must_use]
    pub fn new(tape: Arc<Tape>) -> TapedMedia {
        TapedMedia { tape: Some(tape), files: Mutex::default() }
    }

    /// Names on the tape by path, now.
    #[must_use]
    pub fn names(&self) -> BTreeMap<PathBuf, Arc<str>> {
        self.files.lock().by_path.iter().map(|(path, (name, _))| (path.clone(), Arc::clone(name))).collect()
    }

    /// The directory with what a cut left of the files in `names`. What is done there is on `tape`, or on none.
    #[must_use]
    pub fn after_cut(
        names: &BTreeMap<PathBuf, Arc<str>>,
        images: &BTreeMap<Arc<str>, Image>,
        tape: Option<Arc<Tape>>,
    ) -> TapedMedia {
        let media = TapedMedia { tape, files: Mutex::default() };
        for (path, name) in names {
            if let Some(image) = images.get(name) {
                media.add(path, image.clone());
            }
        }
        media
    }

    fn add(&self, path: &Path, image: Image) -> Arc<dyn BlockDevice> {
        let files = &mut *self.files.lock();
        files.made += 1;
        let name = format!("{}:{}", files.made, path.display());
        let device: Arc<dyn BlockDevice> = match &self.tape {
            Some(tape) => tape.continue_image(&name, image),
            None => Arc::new(ImageDevice::new(&name, image)),
        };
        files.by_path.insert(path.to_path_buf(), (name.into(), Arc::clone(&device)));
        device
    }
}

fn failure(path: &Path, kind: ErrorKind) -> DeviceError {
    DeviceError::System { device: path.display().to_string().into(), doing: "open", source: kind.into() }
}

impl Media for TapedMedia {
    fn open(&self, path: &Path, mode: OpenMode) -> Result<Arc<dyn BlockDevice>, DeviceError> {
        let found = self.files.lock().by_path.get(path).map(|(_, device)| Arc::clone(device));
        match (found, mode) {
            (Some(_), OpenMode::CreateNew) => Err(failure(path, ErrorKind::AlreadyExists)),
            (Some(device), OpenMode::CreateOrTruncate) => device.set_len(0).map(|()| device),
            (Some(device), _) => Ok(device),
            (None, OpenMode::CreateNew | OpenMode::CreateOrTruncate) => Ok(self.add(path, Image::default())),
            (None, _) => Err(failure(path, ErrorKind::NotFound)),
        }
    }

    fn exists(&self, path: &Path) -> bool {
        self.files.lock().by_path.contains_key(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        !self.exists(path)
    }

    fn remove(&self, path: &Path) -> Result<(), DeviceError> {
        let removed = self.files.lock().by_path.remove(path);
        removed.map(|_| ()).ok_or_else(|| failure(path, ErrorKind::NotFound))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), DeviceError> {
        let files = &mut *self.files.lock();
        let file = files.by_path.remove(from).ok_or_else(|| failure(from, ErrorKind::NotFound))?;
        files.by_path.insert(to.to_path_buf(), file);
        Ok(())
    }

    fn sync_dir(&self, _: &Path) -> Result<(), DeviceError> {
        Ok(())
    }

    fn create_dir_all(&self, _: &Path) -> Result<(), DeviceError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::{Loss, Playback};

    #[test]
    fn a_cut_leaves_what_was_synced_at_the_paths_of_now() {
        let tape = Tape::new();
        let media = TapedMedia::new(tape.clone());
        let file = media.open(Path::new("/a"), OpenMode::CreateNew).unwrap();
        file.set_len(512).unwrap();
        file.write_at(0, &[1; 512]).unwrap();
        file.sync().unwrap();
        file.write_at(0, &[2; 512]).unwrap();
        media.rename(Path::new("/a"), Path::new("/b")).unwrap();
        let mut playback = Playback::new(&tape);
        playback.advance(tape.position());
        let after = TapedMedia::after_cut(&media.names(), &playback.cut_images(Loss::Everything, 0), None);
        assert!(!after.exists(Path::new("/a")));
        let mut bytes = [0; 512];
        after.open(Path::new("/b"), OpenMode::Existing).unwrap().read_at(0, &mut bytes).unwrap();
        assert_eq!(bytes, [1; 512]);
        assert!(after.open(Path::new("/b"), OpenMode::CreateNew).is_err());
        assert!(after.open(Path::new("/c"), OpenMode::Existing).is_err());
    }
}
