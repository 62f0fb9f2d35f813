//! A file of tempdb that is gone, or emptied: its pages keep their numbers, its bytes lie in extents of other files.
//!
//! ```text
//!   page 3:1234 ─▶ bytes of file 3 ─▶ Remap: extent 154 ─▶ extent 77 of file 1 ─▶ bytes of file 1 ─▶ its device
//! ```
//!
//! What always holds:
//! - R1: an extent that is mapped has one place, and that place has no other extent. A release waits for the I/Os that
//!   run, so its place can be given to others afterwards.
//! - R2: what is not mapped reads as zeroes, and what is written to it goes nowhere: it has no owner any more.
//! - R3: places lie in files that were used when this one left. So a chain of remaps goes forward in time and ends.
//!
//! It knows extents and files, not their owners (`space`), and not when a file may go (`alter_remove`).

use std::collections::{BTreeMap, VecDeque};
use std::io::{IoSlice, IoSliceMut};
use std::ops::Range;
use std::sync::Arc;

use millpond_device::meter::Meter;
use millpond_device::{BlockDevice, DeviceError};
use parking_lot::RwLock;

use crate::ask::Ask;
use crate::check;
use crate::contract::{EXTENT_PAGES, ExtentId, ExtentNo, PAGE_BYTES, WriteReason};
use crate::file::{ChargedElsewhere, StorageFile};

const EXTENT_BYTES: u64 = EXTENT_PAGES as u64 * PAGE_BYTES as u64;

/// Where an extent lies.
#[derive(Clone, Debug)]
pub(crate) struct Host {
    pub(crate) file: Arc<StorageFile>,
    pub(crate) extent: ExtentNo,
}

impl Host {
    fn id(&self) -> ExtentId {
        ExtentId { db: self.file.db(), file: self.file.id(), extent: self.extent }
    }
}

/// The extents of one file in other files.
#[derive(Debug)]
pub struct Remap {
    name: Arc<str>,
    len_bytes: u64,
    /// Held while an I/O runs (R1).
    hosts: RwLock<BTreeMap<ExtentNo, Host>>,
    /// Of nothing: requests count where they go.
    meter: Meter,
}

/// Consecutive bytes with one place; `None`: they have none.
struct Piece {
    host: Option<(Arc<StorageFile>, u64)>,
    bytes: usize,
}

impl Remap {
    /// The extents of a file of that name and length.
    pub(crate) fn new(name: &str, len_bytes: u64, hosts: BTreeMap<ExtentNo, Host>) -> Remap {
        check!(
            hosts.values().map(Host::id).collect::<std::collections::BTreeSet<_>>().len() == hosts.len(),
            "R1: a place has one extent"
        );
        check!(
            hosts.keys().all(|extent| (u64::from(extent.0) + 1) * EXTENT_BYTES <= len_bytes),
            "an extent after the end of the file is mapped"
        );
        check!(
            hosts.values().all(|host| (host.extent.0 + 1) * EXTENT_PAGES <= host.file.size_pages()),
            "R1: a place lies after the end of its file"
        );
        Remap { name: name.into(), len_bytes, hosts: RwLock::new(hosts), meter: Meter::default() }
    }

    /// The extent has no owner any more; returns its place.
    pub(crate) fn release(&self, extent: ExtentNo) -> Option<ExtentId> {
        self.hosts.write().remove(&extent).map(|host| host.id())
    }

    /// No extent has an owner any more; returns their places.
    pub(crate) fn release_all(&self) -> Vec<ExtentId> {
        std::mem::take(&mut *self.hosts.write()).values().map(Host::id).collect()
    }

    /// The places of all extents.
    pub(crate) fn places(&self) -> Vec<ExtentId> {
        self.hosts.read().values().map(Host::id).collect()
    }

    /// The bytes that have a place.
    pub(crate) fn ranges(&self) -> Vec<Range<u64>> {
        let range = |extent: &ExtentNo| u64::from(extent.0) * EXTENT_BYTES..(u64::from(extent.0) + 1) * EXTENT_BYTES;
        self.hosts.read().keys().map(range).collect()
    }

    fn check(&self, offset_bytes: u64, bytes: u64) -> Result<(), DeviceError> {
        match offset_bytes.checked_add(bytes) {
            Some(end) if end <= self.len_bytes => Ok(()),
            _ => {
                let (device, len_bytes) = (self.name.clone(), self.len_bytes);
                Err(DeviceError::BeyondEnd { device, offset_bytes, bytes, len_bytes })
            }
        }
    }
}

impl ChargedElsewhere for Remap {
    fn charge(&self, ask: &Ask<'_>, reason: WriteReason, offset_bytes: u64, bytes: u64) {
        let pieces = pieces(&self.hosts.read(), offset_bytes, bytes);
        for piece in pieces {
            if let Some((file, at)) = piece.host {
                file.charge_at(ask, reason, at, piece.bytes as u64);
            }
        }
    }
}

/// Parts a range by places; neighbours that lie side by side in one file are one piece.
fn pieces(hosts: &BTreeMap<ExtentNo, Host>, offset_bytes: u64, bytes: u64) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let (mut at, end) = (offset_bytes, offset_bytes + bytes);
    while at < end {
        let (extent, inside) = (at / EXTENT_BYTES, at % EXTENT_BYTES);
        let bytes = (EXTENT_BYTES - inside).min(end - at);
        at += bytes;
        let host = u32::try_from(extent).ok().and_then(|extent| hosts.get(&ExtentNo(extent)));
        let host = host.map(|host| (host.file.clone(), u64::from(host.extent.0) * EXTENT_BYTES + inside));
        match pieces.last_mut() {
            Some(last) if is_next(last, &host) => last.bytes += bytes as usize,
            _ => pieces.push(Piece { host, bytes: bytes as usize }),
        }
    }
    check!(
        pieces.iter().map(|piece| piece.bytes as u64).sum::<u64>() == end - offset_bytes,
        "a range is all of its pieces"
    );
    pieces
}

fn is_next(last: &Piece, host: &Option<(Arc<StorageFile>, u64)>) -> bool {
    match (&last.host, host) {
        (Some((file, offset_bytes)), Some((next, next_offset_bytes))) => {
            Arc::ptr_eq(file, next) && offset_bytes + last.bytes as u64 == *next_offset_bytes
        }
        (None, None) => true,
        _ => false,
    }
}

/// Cuts the next `bytes` off the buffers.
fn cut_mut<'b>(rest: &mut VecDeque<&'b mut [u8]>, mut bytes: usize) -> Vec<IoSliceMut<'b>> {
    let mut cut = Vec::new();
    while bytes > 0 {
        let buffer = rest.pop_front().expect("pieces are as long as their buffers");
        let (now, later) = buffer.split_at_mut(bytes.min(buffer.len()));
        bytes -= now.len();
        cut.push(IoSliceMut::new(now));
        if !later.is_empty() {
            rest.push_front(later);
        }
    }
    cut
}

/// Cuts the next `bytes` off the buffers.
fn cut<'b>(rest: &mut VecDeque<&'b [u8]>, mut bytes: usize) -> Vec<IoSlice<'b>> {
    let mut cut = Vec::new();
    while bytes > 0 {
        let buffer = rest.pop_front().expect("pieces are as long as their buffers");
        let (now, later) = buffer.split_at(bytes.min(buffer.len()));
        bytes -= now.len();
        cut.push(IoSlice::new(now));
        if !later.is_empty() {
            rest.push_front(later);
        }
    }
    cut
}

impl BlockDevice for Remap {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn read_vectored_at(&self, offset_bytes: u64, buffers: &mut [IoSliceMut<'_>]) -> Result<(), DeviceError> {
        let bytes = buffers.iter().map(|buffer| buffer.len() as u64).sum();
        self.check(offset_bytes, bytes)?;
        let hosts = self.hosts.read();
        let mut rest: VecDeque<&mut [u8]> = buffers.iter_mut().map(|buffer| &mut **buffer).collect();
        for piece in pieces(&hosts, offset_bytes, bytes) {
            let mut buffers = cut_mut(&mut rest, piece.bytes);
            match piece.host {
                Some((file, at)) => {
                    file.device().read_again(at, &mut |device| {
                        let mut buffers: Vec<_> = buffers.iter_mut().map(|buffer| IoSliceMut::new(buffer)).collect();
                        device.read_vectored_at(at, &mut buffers)
                    })?;
                }
                None => buffers.iter_mut().for_each(|buffer| buffer.fill(0)),
            }
        }
        assert!(rest.is_empty(), "{} buffers were not read into", rest.len());
        Ok(())
    }

    fn write_vectored_at(&self, offset_bytes: u64, buffers: &[IoSlice<'_>]) -> Result<(), DeviceError> {
        let bytes = buffers.iter().map(|buffer| buffer.len() as u64).sum();
        self.check(offset_bytes, bytes)?;
        let hosts = self.hosts.read();
        let mut rest: VecDeque<&[u8]> = buffers.iter().map(|buffer| &**buffer).collect();
        for piece in pieces(&hosts, offset_bytes, bytes) {
            let buffers = cut(&mut rest, piece.bytes);
            if let Some((file, at)) = piece.host {
                file.device().write_vectored_at(at, &buffers)?;
            }
        }
        assert!(rest.is_empty(), "{} buffers were not written", rest.len());
        Ok(())
    }

    /// Nothing of tempdb outlives the process.
    fn sync(&self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn len_bytes(&self) -> u64 {
        self.len_bytes
    }

    /// A file that is gone neither grows nor shrinks.
    fn set_len(&self, bytes: u64) -> Result<(), DeviceError> {
        match bytes <= self.len_bytes {
            true => Ok(()),
            false => Err(DeviceError::NoSpace { device: self.name.clone(), wanted_bytes: bytes }),
        }
    }

    /// Its bytes count where they lie.
    fn occupied_bytes(&self) -> u64 {
        0
    }

    fn meter(&self) -> &Meter {
        &self.meter
    }
}

#[cfg(test)]
mod tests {
    use millpond_device::fault::Fault;
    use millpond_device::{FaultDevice, RamDevice};

    use super::*;
    use crate::contract::{DbId, FileId};
    use crate::file::Medium;
    use crate::file::file_header::{FileHeader, FileKind};
    use crate::file::growth::{Growth, Limits};
    use crate::file::tier::Tier;

    fn file(number: u16) -> (Arc<FaultDevice>, Arc<StorageFile>) {
        let device = Arc::new(FaultDevice::new(Arc::new(RamDevice::new("t"))));
        device.set_len(16 * EXTENT_BYTES).unwrap();
        let header = FileHeader {
            db: DbId::TEMPDB,
            file: FileId(number),
            file_guid: [0; 16],
            server_guid: [0; 16],
            database_guid: [0; 16],
            size_pages: 128,
            configured_pages: 128,
            limits: Limits { max_pages: None, growth: Growth::Pages(0) },
            kind: FileKind::Data,
            tier: Tier::FIRST,
            name: "t".into(),
        };
        (device.clone(), Arc::new(StorageFile::new(header, Medium::Ram, device)))
    }

    #[test]
    fn bytes_go_where_their_extents_lie_in_as_few_requests_as_possible() {
        let ((first_device, first), (second_device, second)) = (file(1), file(3));
        let host = |file: &Arc<StorageFile>, extent| Host { file: file.clone(), extent: ExtentNo(extent) };
        // Extents 2 and 3 lie side by side, 4 elsewhere, 5 nowhere.
        let hosts = [(2, host(&first, 7)), (3, host(&first, 8)), (4, host(&second, 0))];
        let remap = Remap::new("gone", 8 * EXTENT_BYTES, hosts.map(|(extent, host)| (ExtentNo(extent), host)).into());
        let bytes: Vec<u8> = (0..4 * EXTENT_BYTES).map(|at| (at / 8192 + 1) as u8).collect();
        let (head, tail) = bytes.split_at(100_000);
        remap.write_vectored_at(2 * EXTENT_BYTES, &[IoSlice::new(head), IoSlice::new(tail)]).unwrap();
        let writes = |device: &FaultDevice| (device.meter().reading().writes, device.meter().reading().write_bytes);
        assert_eq!(writes(&first_device), (1, 2 * EXTENT_BYTES));
        assert_eq!(writes(&second_device), (1, EXTENT_BYTES));
        let mut back = vec![9; bytes.len()];
        let (left, right) = back.split_at_mut(8192 * 5);
        remap.read_vectored_at(2 * EXTENT_BYTES, &mut [IoSliceMut::new(left), IoSliceMut::new(right)]).unwrap();
        let mapped = 3 * EXTENT_BYTES as usize;
        assert_eq!(back[..mapped], bytes[..mapped]);
        assert!(back[mapped..].iter().all(|byte| *byte == 0), "R2");

        let place = remap.release(ExtentNo(3)).unwrap();
        assert_eq!((place.file, place.extent), (FileId(1), ExtentNo(8)));
        assert_eq!(remap.release(ExtentNo(3)), None);
        remap.write_at(3 * EXTENT_BYTES, &[1; 8192]).unwrap();
        let mut there = [0; 8192];
        first.device().read_at(8 * EXTENT_BYTES, &mut there).unwrap();
        assert_eq!(there[0], bytes[EXTENT_BYTES as usize], "what has no owner is not written");
        assert!(matches!(remap.read_at(8 * EXTENT_BYTES, &mut [0; 1]), Err(DeviceError::BeyondEnd { .. })));
        first_device.order(Fault::WriteError, 0);
        assert!(remap.write_at(2 * EXTENT_BYTES, &[1; 8192]).is_err());
        assert_eq!(remap.release_all().len(), 2);
        assert_eq!(remap.places(), []);
    }
}
