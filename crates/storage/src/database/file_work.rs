//! Who works with the files of a database as a whole: backups that copy them, or a change of which there are.
//!
//! What always holds: while backups run no file comes, goes or becomes shorter, and no backup begins while one does. Files may
//! grow meanwhile. Nobody waits for the other: it is refused.

use parking_lot::Mutex;

use crate::check;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    Backups(u32),
    Change,
}

/// What is done with the files of a database now.
#[derive(Debug)]
pub struct FileWork(Mutex<Work>);

impl Default for FileWork {
    fn default() -> FileWork {
        FileWork(Mutex::new(Work::Backups(0)))
    }
}

/// Lasts as long as the work.
#[must_use = "the files are kept as long as this lives"]
#[derive(Debug)]
pub struct FileWorkGuard<'d>(&'d FileWork);

impl FileWork {
    /// A backup begins; `None` while the files change.
    pub(crate) fn begin_backup(&self) -> Option<FileWorkGuard<'_>> {
        match &mut *self.0.lock() {
            Work::Backups(count) => *count += 1,
            Work::Change => return None,
        }
        Some(FileWorkGuard(self))
    }

    /// A change begins; `None` while there is a backup, or another change.
    pub(crate) fn begin_change(&self) -> Option<FileWorkGuard<'_>> {
        let work = &mut *self.0.lock();
        if *work != Work::Backups(0) {
            return None;
        }
        *work = Work::Change;
        check!(self.0.is_locked(), "two begin to change the files of a database");
        Some(FileWorkGuard(self))
    }
}

impl Drop for FileWorkGuard<'_> {
    fn drop(&mut self) {
        let work = &mut *self.0.0.lock();
        check!(*work != Work::Backups(0), "work with files ends that has not begun");
        *work = match *work {
            Work::Backups(count) => Work::Backups(count.saturating_sub(1)),
            Work::Change => Work::Backups(0),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backups_run_beside_each_other_and_beside_no_change() {
        let work = FileWork::default();
        let (one, two) = (work.begin_backup().expect("idle"), work.begin_backup().expect("backups only"));
        assert!(work.begin_change().is_none());
        drop(one);
        assert!(work.begin_change().is_none());
        drop(two);
        let change = work.begin_change().expect("idle");
        assert!(work.begin_backup().is_none() && work.begin_change().is_none());
        drop(change);
        assert!(work.begin_backup().is_some());
    }
}
