//! Files outside of databases that are read or written as a whole: backups.
//!
//! What always holds: who writes a file has it alone, others read it together; a file is known by what it is, not by the path
//! that leads to it. Nobody waits for one.

use std::collections::BTreeMap;
use std::sync::Arc;

use millpond_device::FileIdentity;
use parking_lot::Mutex;

use crate::check;

/// How many read it; 0: it is written.
type Readers = u32;

/// The files that are claimed.
#[derive(Debug, Default)]
pub struct ClaimedFiles(Mutex<BTreeMap<FileIdentity, Readers>>);

/// A claim of a file, until it is dropped.
#[derive(Debug)]
pub struct ClaimedFile {
    files: Arc<ClaimedFiles>,
    identity: FileIdentity,
}

impl ClaimedFiles {
    /// Claims a file that nobody has.
    pub(crate) fn to_write(self: &Arc<Self>, identity: FileIdentity) -> Option<ClaimedFile> {
        let mut held = self.0.lock();
        if held.contains_key(&identity) {
            return None;
        }
        held.insert(identity.clone(), 0);
        Some(ClaimedFile { files: self.clone(), identity })
    }

    /// Claims a file that nobody writes.
    pub(crate) fn to_read(self: &Arc<Self>, identity: FileIdentity) -> Option<ClaimedFile> {
        let mut held = self.0.lock();
        match held.get_mut(&identity) {
            Some(0) => return None,
            Some(readers) => *readers += 1,
            None => _ = held.insert(identity.clone(), 1),
        }
        Some(ClaimedFile { files: self.clone(), identity })
    }
}

impl Drop for ClaimedFile {
    fn drop(&mut self) {
        let mut held = self.files.0.lock();
        check!(held.contains_key(&self.identity), "a claimed file is not listed");
        match held.get_mut(&self.identity) {
            Some(readers) if *readers > 1 => *readers -= 1,
            _ => drop(held.remove(&self.identity)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_writes_or_several_read() {
        let files = Arc::new(ClaimedFiles::default());
        let a = || FileIdentity::Path("a".into());
        let writer = files.to_write(a()).expect("nobody has it");
        assert!(files.to_write(a()).is_none() && files.to_read(a()).is_none());
        assert!(files.to_write(FileIdentity::Path("b".into())).is_some());
        drop(writer);
        let (one, two) = (files.to_read(a()).expect("nobody has it"), files.to_read(a()).expect("it is read"));
        drop(one);
        assert!(files.to_write(a()).is_none());
        drop(two);
        assert!(files.to_write(a()).is_some() && files.0.lock().is_empty());
    }
}
