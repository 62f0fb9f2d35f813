//! Power cuts under transactions: a workload is recorded once, then its power is cut at every sync and at many other
//! writes, and what is left is opened and compared with what the sessions know.
//!
//! ```text
//!   record:  sessions ──▶ instance ──▶ tape        each session notes the position of every promise
//!   cut:     tape up to a position, unsynced sectors kept, lost or torn ──▶ recovery ──▶ verify ──▶ work goes on
//!                                                      └─▶ on a tape of its own, cut again in the middle of recovery
//! ```

#[path = "actor.rs"]
mod actor;
#[path = "state.rs"]
mod state;
#[path = "verify.rs"]
mod verify;
#[path = "world.rs"]
mod world;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use millpond_device::chance::Dice;
use millpond_device::profiled_media::Rule;
use millpond_device::{
    CacheProfile, DeviceProfile, Loss, ManualClock, Media, ModelKind, Playback, ProfiledMedia, Tape, TapedMedia, Volume,
};
use millpond_storage::contract::PAGE_BYTES;
use millpond_storage::extension::ExtensionMode;
use millpond_storage::file::file_header::FileKind;

use actor::{Actor, Counts};
use state::{History, Rows, State};
use world::{Places, SESSIONS, World};

/// Chance of a seed. The tape rolls [`Dice`] of the same seeds for what a cut keeps; these are others.
pub fn dice(seed: u64) -> Dice {
    Dice::new(seed.wrapping_mul(0x2545_F491_4F6C_DD1D))
}

/// Why a cut was not survived.
#[derive(Debug)]
pub struct Failure(pub String);

impl Covered {
    /// Adds what another recording covered.
    pub fn add(&mut self, other: &Covered) {
        self.points += other.points;
        self.at_syncs += other.at_syncs;
        self.in_recovery += other.in_recovery;
        self.redone += other.redone;
        self.reclaimed_pages += other.reclaimed_pages;
        self.unpromised += other.unpromised;
        self.kept_copies += other.kept_copies;
        self.used_copies += other.used_copies;
    }
}

impl std::fmt::Display for Covered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} power cuts survived, {} of them right after a sync; {} more in the middle of a recovery; something to do \
             again after {}, commits that were not reported after {}; {} leaked pages given back",
            self.points, self.at_syncs, self.in_recovery, self.redone, self.unpromised, self.reclaimed_pages
        )?;
        match self.used_copies {
            0 => Ok(()),
            used => write!(
                f,
                "; {used} pages came from the extension afterwards, which had kept {}, and none was stale",
                self.kept_copies
            ),
        }
    }
}

/// Cuts of a recovery that is cut at all.
const RECOVERY_CUTS: u64 = 2;

/// How a workload runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// One thread: the sessions take turns as the seed says.
    Turns,
    /// A thread for each session.
    Threads,
}

/// A run that went well.
pub struct Recording {
    seed: u64,
    tape: Arc<Tape>,
    names: BTreeMap<PathBuf, Arc<str>>,
    places: Places,
    /// Where the sessions began.
    first: usize,
    histories: Vec<History>,
    counts: Counts,
    /// Pages that the data files grew by, of the log at the start and at the end, and bytes that were logged.
    grown: (u32, u32, u32, u64),
}

/// What was covered.
#[derive(Clone, Debug, Default)]
pub struct Covered {
    /// Cuts that were verified.
    pub points: u64,
    /// Of them right after a sync.
    pub at_syncs: u64,
    /// Cuts in the middle of a recovery.
    pub in_recovery: u64,
    /// Cuts after which there was something to do again.
    pub redone: u64,
    /// Pages that were leaked and given back.
    pub reclaimed_pages: u64,
    /// Cuts after which a commit was there that no session had an answer for.
    pub unpromised: u64,
    /// Pages that extensions had kept over a cut.
    pub kept_copies: u64,
    /// Pages that were read from extensions after a cut.
    pub used_copies: u64,
    /// What the recorded sessions did.
    pub counts: String,
}

/// What lies between the instance and the tape.
#[derive(Clone, Debug, Default)]
pub struct Under {
    /// A buffer pool extension.
    pub extension: Option<ExtensionMode>,
    /// A disk behind a controller cache, which has all files.
    pub cache: Option<CacheProfile>,
}

impl Under {
    /// The tape's files, on the disk if there is one. Its clock moves when a thread waits for it, in no time.
    fn media(&self, taped: Arc<TapedMedia>) -> Arc<dyn Media> {
        let Some(cache) = &self.cache else { return taped };
        let profile = DeviceProfile { cache: Some(cache.clone()), ..DeviceProfile::of(ModelKind::Disk10kSas) };
        let disk = Arc::new(Volume::new("disk", &profile, Vec::new(), Arc::new(ManualClock::default())));
        let rules = vec![Rule { path: "/".into(), volume: disk.clone() }];
        Arc::new(ProfiledMedia::new(taped, vec![disk], rules))
    }
}

/// Runs a workload of so many steps.
pub fn record(seed: u64, steps: usize, pace: Pace, under: &Under) -> Recording {
    let tape = Tape::new();
    let media = Arc::new(TapedMedia::new(Arc::clone(&tape)));
    let world = World::create(under.media(media.clone()), under.extension);
    let first = tape.position();
    let before = sizes(&world);
    let actors: Vec<_> =
        (0..SESSIONS).map(|n| Actor::new(&world, n, seed, Default::default(), Some(Arc::clone(&tape)))).collect();
    let done = match pace {
        Pace::Turns => take_turns(actors, steps, &mut dice(seed)),
        Pace::Threads => side_by_side(actors, steps),
    };
    let mut counts = Counts::default();
    done.iter().for_each(|(_, of_one)| counts.add(of_one));
    let after = sizes(&world);
    let grown = (after.0 - before.0, before.1, after.1, after.2 - before.2);
    let (places, names) = (world.places, media.names());
    drop(world);
    let histories = done.into_iter().map(|(history, _)| history).collect();
    Recording { seed, tape, names, places, first, histories, counts, grown }
}

/// Pages of data files, pages of the log, bytes that were logged.
fn sizes(world: &World) -> (u32, u32, u64) {
    let files = world.manager.instance().files(world::DB);
    let data = files.iter().filter(|file| file.kind == FileKind::Data).map(|file| file.size_pages).sum();
    let log = world.ctx.handle.log.as_ref().expect("a durable database has a log").report();
    (data, (log.size_bytes / PAGE_BYTES as u64) as u32, log.appended_bytes)
}

fn result(actor: Actor<'_>) -> (History, Counts) {
    (actor.history.clone(), actor.counts)
}

fn take_turns(mut actors: Vec<Actor<'_>>, steps: usize, dice: &mut Dice) -> Vec<(History, Counts)> {
    for step in 0..steps {
        let actor = &mut actors[dice.below(u64::from(SESSIONS)) as usize];
        actor.step();
        if step % 400 == 399 {
            actor.checkpoint();
        }
    }
    actors.into_iter().map(result).collect()
}

fn side_by_side(actors: Vec<Actor<'_>>, steps: usize) -> Vec<(History, Counts)> {
    let run = |(number, mut actor): (usize, Actor<'_>)| {
        for step in 0..steps / SESSIONS as usize {
            actor.step();
            if number == 0 && step % 100 == 99 {
                actor.checkpoint();
            }
        }
        result(actor)
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = actors.into_iter().enumerate().map(|one| scope.spawn(move || run(one))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a session that works")).collect()
    })
}

/// Where two states differ, for a person.
fn difference(expected: &State, found: &State) -> String {
    let rows = |what: &str, expected: &Rows, found: &Rows| -> Vec<String> {
        let keys: std::collections::BTreeSet<_> = expected.keys().chain(found.keys()).collect();
        let differ = keys.into_iter().filter(|key| expected.get(key) != found.get(key));
        differ.map(|key| format!("{what} {key}: {:?} not {:?}", found.get(key), expected.get(key))).take(5).collect()
    };
    let mut told = rows("shared", &expected.shared, &found.shared);
    match (&expected.own, &found.own) {
        (Some(expected), Some(found)) => told.extend(rows("own", expected, found)),
        (None, None) => {}
        (expected, found) => told.push(format!("own table: {} not {}", found.is_some(), expected.is_some())),
    }
    told.join(", ")
}

/// One cut.
#[derive(Clone, Copy, Debug)]
struct Cut {
    position: usize,
    loss: Loss,
    seed: u64,
    is_sync: bool,
    /// Whether the recovery is cut too: every 16th, so that a few points have some.
    cuts_again: bool,
}

impl Recording {
    /// The positions: after every sync (or as many as there may be), and others by chance.
    fn cuts(&self, points: usize) -> Vec<Cut> {
        let mut dice = dice(self.seed ^ 0xc07);
        let last = self.tape.position();
        let mut positions: Vec<_> =
            self.tape.sync_positions().into_iter().filter(|&at| at >= self.first).map(|at| (at, true)).collect();
        while positions.len() > points {
            positions.swap_remove(dice.below(positions.len() as u64) as usize);
        }
        while positions.len() < points {
            positions.push((self.first + dice.below((last - self.first + 1) as u64) as usize, false));
        }
        positions.sort_unstable();
        let cut = |(number, (position, is_sync)): (usize, (usize, bool))| Cut {
            position,
            cuts_again: number % 16 == 0,
            loss: match dice.below(6) {
                0 => Loss::Nothing,
                1 => Loss::Everything,
                _ => Loss::Chance { kept_percent: [5, 35, 65, 95][dice.below(4) as usize] },
            },
            seed: dice.roll(),
            is_sync,
        };
        positions.into_iter().enumerate().map(cut).collect()
    }

    /// Cuts the power at so many points and verifies what is left, on several threads.
    ///
    /// # Errors
    /// The first cut that was not survived.
    pub fn cut_all(&self, points: usize, threads: usize) -> Result<Covered, Failure> {
        let cuts = self.cuts(points);
        let covered = Mutex::new(Covered::default());
        let failure = Mutex::new(None);
        let has_failed = AtomicBool::new(false);
        let run = |share: &[Cut]| {
            let mut playback = Playback::new(&self.tape);
            for cut in share {
                if has_failed.load(Relaxed) {
                    return;
                }
                playback.advance(cut.position);
                if let Err(Failure(cause)) = self.survive(&playback, cut, &covered) {
                    has_failed.store(true, Relaxed);
                    let told = Failure(format!("seed {}, {cut:?} of {}: {cause}", self.seed, self.tape.position()));
                    failure.lock().expect("no panic").get_or_insert(told);
                }
            }
        };
        std::thread::scope(|scope| {
            for share in cuts.chunks(cuts.len().div_ceil(threads).max(1)) {
                scope.spawn(move || run(share));
            }
        });
        match failure.into_inner().expect("no panic") {
            Some(failure) => Err(failure),
            None => Ok(Covered { counts: self.described(), ..covered.into_inner().expect("no panic") }),
        }
    }

    fn described(&self) -> String {
        let commits: usize = self.histories.iter().map(History::len).sum();
        format!(
            "seed {}: {} events, {commits} commits, data grew by {} pages, the log from {} to {}; {} KB were logged; {:?}",
            self.seed,
            self.tape.position() - self.first,
            self.grown.0,
            self.grown.1,
            self.grown.2,
            self.grown.3 >> 10,
            self.counts
        )
    }

    /// A panic is a failure like others.
    fn survive(&self, playback: &Playback, cut: &Cut, covered: &Mutex<Covered>) -> Result<(), Failure> {
        let verified = catch_unwind(AssertUnwindSafe(|| self.verify(playback, cut, covered)));
        verified.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Err(Failure(format!("panic: {}", text.unwrap_or_default())))
        })
    }

    fn verify(&self, playback: &Playback, cut: &Cut, covered: &Mutex<Covered>) -> Result<(), Failure> {
        let mut dice = dice(cut.seed);
        let images = playback.cut_images(cut.loss, cut.seed);
        let cuts_again = cut.cuts_again;
        let tape = cuts_again.then(Tape::new);
        let media = Arc::new(TapedMedia::after_cut(&self.names, &images, tape.clone()));
        let opened = verify::open(media.clone(), self.places)?;
        let extension = opened.world.manager.instance().extension();
        let recovered_at = tape.as_ref().map_or(0, |tape| tape.position());
        let unpromised = self.compare(cut.position, &opened.found.states)?;
        if dice.chance(25) {
            opened.go_on(cut.seed | 1, 24)?;
        }
        let (found, opened_with) = (opened.found, opened.kept_copies);
        drop(opened.world);
        if let Some(tape) = tape {
            let names = media.names();
            for _ in 0..RECOVERY_CUTS {
                let mut playback = Playback::new(&tape);
                playback.advance(dice.below(recovered_at as u64 + 1) as usize);
                let images = playback.cut_images(Loss::Chance { kept_percent: 50 }, dice.roll());
                let again = verify::open(Arc::new(TapedMedia::after_cut(&names, &images, None)), self.places)
                    .map_err(|Failure(cause)| Failure(format!("after a second cut, in recovery: {cause}")))?;
                if again.found.states != found.states {
                    return Err(Failure("a cut in the middle of recovery changes what is there".into()));
                }
            }
        }
        let covered = &mut *covered.lock().expect("no panic");
        covered.points += 1;
        covered.at_syncs += u64::from(cut.is_sync);
        covered.in_recovery += if cuts_again { RECOVERY_CUTS } else { 0 };
        covered.redone += u64::from(!found.was_clean);
        covered.reclaimed_pages += found.reclaimed_pages;
        covered.unpromised += u64::from(unpromised);
        covered.kept_copies += opened_with;
        covered.used_copies += extension.pages_read;
        Ok(())
    }

    /// Every session is at a state that it may have; says whether any of them has more than was promised.
    fn compare(&self, position: usize, found: &[State]) -> Result<bool, Failure> {
        let mut has_more = false;
        for (session, (history, state)) in self.histories.iter().zip(found).enumerate() {
            let allowed = history.allowed(position);
            let Some(number) = history.find(position, state) else {
                let difference = difference(history.state(*allowed.end()), state);
                return Err(Failure(match history.number_of(state) {
                    Some(number) => format!("session {session} is at state {number}, not at one of {allowed:?}"),
                    None => format!("session {session} is at no state, {allowed:?} are allowed: {difference}"),
                }));
            };
            has_more |= number > *allowed.start();
        }
        Ok(has_more)
    }
}
