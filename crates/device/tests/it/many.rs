//! Requests that are asked for together, on every medium and both ways to the system: each comes out as if it had been
//! asked for alone.

use std::io::{IoSlice, IoSliceMut};
use std::path::Path;
use std::sync::Arc;

use millpond_device::fault::Fault;
use millpond_device::hierarchy::clock_of;
use millpond_device::{
    BlockDevice, Clock, ClockKind, DeviceError, DeviceProfile, FaultDevice, FileDevice, ManualClock, Meter, ModelKind,
    OpenMode, Outcome, ProfiledDevice, RamDevice, ReadRequest, Submission, Volume, WriteRequest,
};
use proptest::prelude::*;

const LEN: u64 = 4 << 20;
/// What direct I/O wants.
const SECTOR: usize = 4096;

/// Bytes whose address is a multiple of a sector.
struct Aligned {
    memory: Vec<u8>,
    at: usize,
}

impl Aligned {
    fn new(bytes: usize) -> Aligned {
        let memory = vec![0; bytes + SECTOR];
        let at = memory.as_ptr().align_offset(SECTOR);
        Aligned { memory, at }
    }

    fn bytes(&mut self) -> &mut [u8] {
        &mut self.memory[self.at..]
    }
}

fn file(dir: &Path, submission: Submission) -> FileDevice {
    let device = FileDevice::open(&dir.join(submission.name().replace('/', "-")), OpenMode::CreateNew).unwrap();
    device.set_len(LEN).unwrap();
    device.by(submission)
}

fn profiled(model: ModelKind, inner: Arc<dyn BlockDevice>) -> ProfiledDevice {
    let volume = Volume::new("v", &DeviceProfile::of(model), Vec::new(), clock_of(ClockKind::Frozen));
    ProfiledDevice::alone(inner, Arc::new(volume)).unwrap()
}

fn ram() -> Arc<dyn BlockDevice> {
    let ram = RamDevice::new("r");
    ram.set_len(LEN).unwrap();
    Arc::new(ram)
}

/// Each medium; a file by the ring where the machine has one, by calls, and in a way that does not pass the cache.
fn on_all(test: impl Fn(&dyn BlockDevice)) {
    let dir = tempfile::tempdir().unwrap();
    test(&file(dir.path(), Submission::Calls));
    if Submission::best() == Submission::IoUring {
        test(&file(dir.path(), Submission::IoUring));
        let other = tempfile::tempdir().unwrap();
        test(&profiled(ModelKind::File, Arc::new(file(other.path(), Submission::IoUring))));
    }
    let cached = FileDevice::open_buffered(&dir.path().join("cached"), OpenMode::CreateNew).unwrap();
    cached.set_len(LEN).unwrap();
    test(&cached);
    test(&*ram());
    test(&FaultDevice::new(ram()));
    test(&profiled(ModelKind::Ssd, ram()));
}

/// A write: where, how long, with which byte.
type Write = (u64, usize, u8);

fn write_all(device: &dyn BlockDevice, depth: usize, writes: &[Write]) -> Vec<Outcome> {
    let mut memory: Vec<Aligned> = writes.iter().map(|(_, bytes, _)| Aligned::new(*bytes)).collect();
    for (memory, (_, bytes, byte)) in memory.iter_mut().zip(writes) {
        memory.bytes()[..*bytes].fill(*byte);
    }
    // In two parts, the first a sector where that goes.
    let slices: Vec<Vec<IoSlice<'_>>> = memory
        .iter_mut()
        .zip(writes)
        .map(|(memory, (_, bytes, _))| {
            let (first, second) = memory.bytes()[..*bytes].split_at(SECTOR.min(*bytes));
            vec![IoSlice::new(first), IoSlice::new(second)]
        })
        .collect();
    let requests: Vec<WriteRequest<'_>> = slices
        .iter()
        .zip(writes)
        .map(|(buffers, (offset_bytes, ..))| WriteRequest { offset_bytes: *offset_bytes, buffers })
        .collect();
    device.write_many(depth, &requests)
}

fn read_all(device: &dyn BlockDevice, depth: usize, ranges: &[(u64, usize)]) -> (Vec<Outcome>, Vec<Vec<u8>>) {
    let mut memory: Vec<Aligned> = ranges.iter().map(|(_, bytes)| Aligned::new(*bytes)).collect();
    let mut slices: Vec<Vec<IoSliceMut<'_>>> = memory
        .iter_mut()
        .zip(ranges)
        .map(|(memory, (_, bytes))| {
            let (first, second) = memory.bytes()[..*bytes].split_at_mut(SECTOR.min(*bytes));
            vec![IoSliceMut::new(first), IoSliceMut::new(second)]
        })
        .collect();
    let mut requests: Vec<ReadRequest<'_, '_>> = slices
        .iter_mut()
        .zip(ranges)
        .map(|(buffers, (offset_bytes, _))| ReadRequest { offset_bytes: *offset_bytes, buffers })
        .collect();
    let outcomes = device.read_many(depth, &mut requests);
    let bytes = memory.iter_mut().zip(ranges).map(|(memory, (_, bytes))| memory.bytes()[..*bytes].to_vec()).collect();
    (outcomes, bytes)
}

fn all_good(outcomes: &[Outcome]) -> bool {
    outcomes.iter().all(|outcome| outcome.result.is_ok())
}

/// More requests than the depth, and than the ring has places; some of them lie so that they must be copied.
#[test]
fn bytes_come_back_in_whatever_number_they_are_asked_for() {
    on_all(|device| {
        for depth in [1, 2, 32, 1000] {
            let writes: Vec<Write> = (0..200_u64)
                .map(|n| (n * 16_384 + if n % 7 == 0 { 13 } else { 0 }, if n % 5 == 0 { 777 } else { 8192 }, n as u8))
                .collect();
            assert!(all_good(&write_all(device, depth, &writes)));
            let ranges: Vec<_> = writes.iter().map(|(offset, bytes, _)| (*offset, *bytes)).collect();
            let (outcomes, found) = read_all(device, depth, &ranges);
            assert!(all_good(&outcomes));
            for (found, (offset, _, byte)) in found.iter().zip(&writes) {
                assert!(found.iter().all(|b| b == byte), "{} at {offset}, depth {depth}", device.name());
            }
            write_all(device, depth, &[(0, LEN as usize, 0xee)]);
        }
    });
}

#[test]
fn each_request_counts_once_with_its_bytes() {
    on_all(|device| {
        let before = device.meter().reading();
        write_all(device, 8, &[(0, 8192, 1), (8192, 8192, 2), (100, 10, 3)]);
        read_all(device, 8, &[(0, 8192), (65_536, 4096)]);
        let after = device.meter().reading();
        assert_eq!((after.writes - before.writes, after.write_bytes - before.write_bytes), (3, 16_394));
        assert_eq!((after.reads - before.reads, after.read_bytes - before.read_bytes), (2, 12_288));
    });
}

#[test]
fn no_request_at_all_is_fine() {
    on_all(|device| {
        assert!(device.write_many(32, &[]).is_empty());
        assert!(device.read_many(32, &mut []).is_empty());
        let nothing: [IoSlice<'_>; 0] = [];
        let request = WriteRequest { offset_bytes: 0, buffers: &nothing };
        assert!(all_good(&device.write_many(32, &[request, request])));
    });
}

#[test]
fn one_that_lies_beyond_the_end_fails_and_the_others_do_not() {
    on_all(|device| {
        let outcomes = write_all(device, 8, &[(0, 8192, 1), (LEN - 4096, 8192, 2), (16_384, 8192, 3)]);
        assert!(matches!(outcomes[1].result, Err(DeviceError::BeyondEnd { .. })));
        assert!(outcomes[0].result.is_ok() && outcomes[2].result.is_ok());
        let (outcomes, found) = read_all(device, 8, &[(u64::MAX - 5, 4096), (16_384, 8192), (LEN - 4096, 4096)]);
        assert!(matches!(outcomes[0].result, Err(DeviceError::BeyondEnd { .. })));
        assert_eq!((found[1][0], found[2][0]), (3, 0), "the last sector is as it was");
    });
}

/// The file ends where the device does not know of it: a read that comes short is not taken for a whole one.
#[test]
fn a_short_read_is_an_error_and_not_half_of_a_page() {
    let dir = tempfile::tempdir().unwrap();
    for submission in [Submission::Calls, Submission::IoUring] {
        let device = file(dir.path(), submission);
        write_all(&device, 8, &[(0, 65_536, 7)]);
        std::fs::OpenOptions::new().write(true).open(device.path()).unwrap().set_len(12_288).unwrap();
        let (outcomes, found) = read_all(&device, 8, &[(0, 8192), (8192, 8192), (16_384, 8192), (4096, 8192)]);
        let kinds = outcomes.iter().map(|outcome| match &outcome.result {
            Ok(()) => None,
            Err(DeviceError::System { source, .. }) => Some(source.kind()),
            Err(other) => panic!("{other}"),
        });
        let eof = Some(std::io::ErrorKind::UnexpectedEof);
        assert_eq!(kinds.collect::<Vec<_>>(), [None, eof, eof, None], "{submission:?}");
        assert!(found[0].iter().chain(&found[3]).all(|byte| *byte == 7));
    }
}

/// The system refuses: each request has its own error.
#[test]
fn a_file_that_may_not_be_written_says_so_of_each_write() {
    let dir = tempfile::tempdir().unwrap();
    for submission in [Submission::Calls, Submission::IoUring] {
        let path = file(dir.path(), submission).path().to_path_buf();
        let device = FileDevice::open(&path, OpenMode::ReadOnly).unwrap().by(submission);
        let outcomes = write_all(&device, 8, &[(0, 8192, 1), (8192, 8192, 2), (16_384, 4096, 3)]);
        assert!(outcomes.iter().all(|outcome| matches!(outcome.result, Err(DeviceError::System { .. }))));
        assert!(all_good(&read_all(&device, 8, &[(0, 8192), (8192, 8192)]).0));
    }
}

#[test]
fn a_fault_strikes_the_request_that_it_was_ordered_for() {
    let device = FaultDevice::new(ram());
    device.order(Fault::WriteError, 1);
    device.order(Fault::TornWrite { bytes: 10 }, 3);
    let outcomes = write_all(&device, 8, &[(0, 4096, 1), (4096, 4096, 2), (8192, 4096, 3), (12_288, 4096, 4)]);
    let good: Vec<bool> = outcomes.iter().map(|outcome| outcome.result.is_ok()).collect();
    assert_eq!((good, device.pending()), (vec![true, false, true, true], 1));
    write_all(&device, 8, &[(0, 4096, 9)]);
    let mut found = [0; 11];
    device.read_at(0, &mut found).unwrap();
    assert_eq!((found[9], found[10]), (9, 1), "the torn one is the fourth that passed");
}

/// Emulated devices take the requests of one call together: four that miss each other take as long as one.
#[test]
fn an_emulated_device_works_on_many_at_a_time() {
    let device = profiled(ModelKind::PcieFlash, ram());
    let alone = read_all(&device, 1, &[(0, 4096)]).0[0].stall_us;
    let together = read_all(&device, 8, &[(0, 4096), (8192, 4096), (16_384, 4096), (32_768, 4096)]).0;
    let one_by_one = read_all(&device, 1, &[(0, 4096), (8192, 4096), (16_384, 4096), (32_768, 4096)]).0;
    assert!(together.iter().all(|outcome| outcome.stall_us < alone * 3 / 2), "{together:?} against {alone}");
    assert_eq!(one_by_one[3].stall_us, alone, "from its own begin");
}

/// Threads share the rings; none sees another one's bytes.
#[test]
fn threads_use_rings_side_by_side() {
    let dir = tempfile::tempdir().unwrap();
    let device = &file(dir.path(), Submission::best());
    std::thread::scope(|scope| {
        for thread in 0..12_u64 {
            scope.spawn(move || {
                let base = thread * 262_144;
                for round in 0..20_u8 {
                    let byte = round.wrapping_mul(13).wrapping_add(thread as u8);
                    let writes: Vec<Write> = (0..16).map(|n| (base + n * 16_384, 16_384, byte)).collect();
                    assert!(all_good(&write_all(device, 8, &writes)));
                    let ranges: Vec<_> = writes.iter().rev().map(|(offset, bytes, _)| (*offset, *bytes)).collect();
                    let (outcomes, found) = read_all(device, 8, &ranges);
                    assert!(all_good(&outcomes));
                    assert!(found.iter().flatten().all(|found| *found == byte));
                }
            });
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Batches of writes that do not overlap leave what one write after the other leaves.
    #[test]
    fn batches_leave_what_single_writes_leave(
        depth in 1..40_usize,
        sizes in prop::collection::vec((0..9000_usize, 0..9000_u64, any::<u8>(), any::<bool>()), 1..60),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let device = file(dir.path(), Submission::best());
        let mut at = 0;
        let mut writes: Vec<Write> = Vec::new();
        for (bytes, gap, byte, is_aligned) in sizes {
            let (bytes, place) = match is_aligned {
                true => (bytes.next_multiple_of(SECTOR), (at + gap).next_multiple_of(SECTOR as u64)),
                false => (bytes, at + gap),
            };
            writes.push((place, bytes, byte));
            at = place + bytes as u64;
        }
        prop_assert!(all_good(&write_all(&device, depth, &writes)));
        let mut expected = vec![0; LEN as usize];
        for (offset, bytes, byte) in &writes {
            expected[*offset as usize..*offset as usize + bytes].fill(*byte);
        }
        let mut found = vec![1; LEN as usize];
        device.read_at(0, &mut found).unwrap();
        prop_assert!(found == expected);
    }
}

/// Memory that takes its time on a clock.
#[derive(Debug)]
struct Slow {
    ram: RamDevice,
    clock: Arc<ManualClock>,
    takes_us: u64,
}

impl BlockDevice for Slow {
    fn name(&self) -> &Arc<str> {
        self.ram.name()
    }

    fn read_vectored_at(&self, offset_bytes: u64, buffers: &mut [IoSliceMut<'_>]) -> Result<(), DeviceError> {
        self.clock.advance_us(self.takes_us);
        self.ram.read_vectored_at(offset_bytes, buffers)
    }

    fn write_vectored_at(&self, offset_bytes: u64, buffers: &[IoSlice<'_>]) -> Result<(), DeviceError> {
        self.clock.advance_us(self.takes_us);
        self.ram.write_vectored_at(offset_bytes, buffers)
    }

    fn sync(&self) -> Result<(), DeviceError> {
        self.ram.sync()
    }

    fn len_bytes(&self) -> u64 {
        self.ram.len_bytes()
    }

    fn set_len(&self, bytes: u64) -> Result<(), DeviceError> {
        self.ram.set_len(bytes)
    }

    fn meter(&self) -> &Meter {
        self.ram.meter()
    }
}

/// What a real file takes is part of the time that an emulated device takes, not on top of it.
#[test]
fn moving_the_bytes_is_part_of_a_requests_time() {
    for (takes_us, expected_us) in [(0, 150), (100, 150), (400, 400)] {
        let clock = Arc::new(ManualClock::default());
        let slow = Slow { ram: RamDevice::new("r"), clock: clock.clone(), takes_us };
        slow.set_len(LEN).unwrap();
        let profile = DeviceProfile {
            read_latency_us: Some(150.0),
            write_latency_us: Some(150.0),
            read_mb_s: Some(1e6),
            write_mb_s: Some(1e6),
            link_mb_s: Some(1e6),
            ..DeviceProfile::of(ModelKind::Ssd)
        };
        let volume = Arc::new(Volume::new("v", &profile, Vec::new(), clock.clone()));
        let device = ProfiledDevice::alone(Arc::new(slow), volume).unwrap();
        device.write_at(0, &[1; 4096]).unwrap();
        assert_eq!(clock.now_us(), expected_us);
        device.read_at(0, &mut [0; 4096]).unwrap();
        assert_eq!(clock.now_us(), 2 * expected_us);
        let outcomes = read_all(&device, 2, &[(0, 4096), (4096, 4096)]).0;
        assert_eq!(clock.now_us() - 2 * expected_us, (2 * takes_us).max(150), "both moved, then both are waited for");
        assert!(all_good(&outcomes));
    }
}
