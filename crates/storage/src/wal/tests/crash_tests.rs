//! Power cuts in the middle of random work: what was acknowledged is there, what is there is whole.
//!
//! Each step is one mini-transaction over two or three pages; one of them counts the steps. After a cut at any write and
//! recovery the count says which step was the last one, and every page must be as it was after that step. The pool is
//! smaller than the pages, so pages are written at any time; checkpoints, growth and reuse of the log happen in between.

use std::collections::BTreeMap;

use millpond_device::chance::Dice;
use millpond_device::tape::{Loss, Playback};

use crate::contract::PageKind;
use crate::file::growth::{Growth, Limits};
use crate::page::slotted;
use crate::wal::block::UNIT_BYTES;
use crate::wal::mtr::Mtr;
use crate::wal::page_op::PageOp;
use crate::wal::tests::test_world::{Shape, World, page, with_ask};

type Records = Vec<Vec<u8>>;
/// Pages by number.
type Model = BTreeMap<u32, Records>;

const COUNTER: u32 = 8;
const PAGES: u32 = 150;

/// The work of a run, and what it promised.
struct Run {
    world: World,
    dice: Dice,
    now: Model,
    /// Pages changed by each step, from the first one on.
    steps: Vec<Model>,
    start: Model,
    first_step: u32,
    /// Tape's position and the step that was durable by then.
    promises: Vec<(usize, u32)>,
}

impl Run {
    fn new(world: World, seed: u64, start: Model, first_step: u32) -> Run {
        let promises = vec![(world.tape.position(), first_step)];
        Run { world, dice: Dice::new(seed), now: start.clone(), steps: Vec::new(), start, first_step, promises }
    }

    fn work(&mut self, steps: u32) {
        for _ in 0..steps {
            self.step();
            match self.dice.below(100) {
                0..=1 => {
                    self.world.checkpoint().unwrap();
                }
                2 => {
                    self.world.checkpoint_in_fresh_part().unwrap();
                }
                3..=30 => self.promise(),
                _ => {}
            }
        }
        self.promise();
    }

    /// Works on until the log ends where its part ends, without room for one more record.
    fn fill_part(&mut self) {
        let mut sequence = self.world.log().end_lsn().sequence;
        while !is_part_full(&self.world) {
            self.step();
            self.promise();
            let now = self.world.log().end_lsn().sequence;
            if std::mem::replace(&mut sequence, now) != now {
                // A long record has left this end early; the next part is tried.
                self.world.checkpoint().unwrap();
            }
        }
    }

    fn promise(&mut self) {
        with_ask(51, |ask| self.world.log().make_durable(ask, self.world.log().end_lsn())).unwrap();
        self.promises.push((self.world.tape.position(), self.first_step + self.steps.len() as u32));
    }

    fn step(&mut self) {
        let number = self.first_step + self.steps.len() as u32 + 1;
        let (world, dice, now) = (&self.world, &mut self.dice, &mut self.now);
        let mut touched = vec![COUNTER];
        let others = 1 + dice.below(2);
        while touched.len() <= others as usize {
            let other = COUNTER + 1 + dice.below(u64::from(PAGES - COUNTER - 1)) as u32;
            if !touched.contains(&other) {
                touched.push(other);
            }
        }
        touched.sort_unstable();
        let mut changed = Model::new();
        with_ask(51, |ask| {
            let mut mtr = Mtr::begin(&world.handle, ask, 20_000).unwrap();
            for &number_of_page in &touched {
                let fresh = !now.contains_key(&number_of_page) || (number_of_page != COUNTER && dice.below(30) == 0);
                let index = if fresh {
                    now.insert(number_of_page, Records::new());
                    mtr.create(page(number_of_page), PageKind::Index, 7, 1, 0).unwrap()
                } else {
                    mtr.latch(page(number_of_page)).unwrap()
                };
                let records = now.get_mut(&number_of_page).unwrap();
                let ops = if number_of_page == COUNTER {
                    vec![(if records.is_empty() { 0 } else { 2 }, 0, number.to_le_bytes().to_vec())]
                } else {
                    random_ops(dice, records.len())
                };
                for (what, slot, bytes) in ops {
                    let slot_number = slot as u16;
                    let op = match what {
                        0 => PageOp::Insert { slot: slot_number, record: &bytes },
                        1 => PageOp::Delete { slot: slot_number },
                        2 => PageOp::Replace { slot: slot_number, record: &bytes },
                        _ => PageOp::Cut { slots: slot_number },
                    };
                    // A full page or a slot that an earlier op took: nothing happens, in the model too.
                    if mtr.apply(index, op).is_ok() {
                        match what {
                            0 => records.insert(slot, bytes),
                            1 => drop(records.remove(slot)),
                            2 => records[slot] = bytes,
                            _ => records.truncate(slot),
                        }
                    }
                }
                changed.insert(number_of_page, records.clone());
            }
            mtr.commit();
        });
        self.steps.push(changed);
    }

    /// What the pages were after a step.
    fn model_at(&self, step: u32) -> Model {
        let mut model = self.start.clone();
        for changed in &self.steps[..(step - self.first_step) as usize] {
            model.extend(changed.clone());
        }
        model
    }

    fn promised_at(&self, position: usize) -> u32 {
        self.promises.iter().filter(|promise| promise.0 <= position).map(|promise| promise.1).max().unwrap_or(0)
    }
}

fn is_part_full(world: &World) -> bool {
    let (end, parts) = (world.log().end_lsn(), world.log().part_reports());
    let part = parts.iter().find(|part| part.sequence == end.sequence).unwrap();
    u64::from(end.position().block()) * UNIT_BYTES == part.size_bytes
}

fn random_ops(dice: &mut Dice, records: usize) -> Vec<(u64, usize, Vec<u8>)> {
    let count = 1 + dice.below(4);
    let mut ops = Vec::new();
    for _ in 0..count {
        let what = [0, 0, 0, 1, 2, 3][dice.below(6) as usize];
        let slot = dice.below(records as u64 + 1) as usize;
        ops.push((what, slot, vec![dice.below(256) as u8; dice.below(400) as usize]));
    }
    ops
}

/// What the recovered pages hold: the step, and all of them.
fn state_of(world: &World, pages: impl Iterator<Item = u32>) -> (u32, Model) {
    with_ask(52, |ask| {
        let records = |number: u32| -> Option<Records> {
            let page = world.handle.pool.shared(ask, page(number)).ok()?;
            slotted::check(&page).unwrap();
            Some((0..slotted::slot_count(&page)).map(|slot| slotted::record(&page, slot).unwrap().to_vec()).collect())
        };
        let step = records(COUNTER).map_or(0, |counter| u32::from_le_bytes(counter[0][..].try_into().unwrap()));
        (step, pages.filter_map(|number| Some((number, records(number)?))).collect())
    })
}

fn recover(images: &BTreeMap<std::sync::Arc<str>, Vec<u8>>, shape: Shape, threads: usize) -> World {
    let world = World::open(shape, images).expect("a log");
    let redone = world.redo(threads).expect("recovery");
    assert!(redone.losers.is_empty() && redone.damaged.is_empty(), "{redone:?}");
    world
}

/// Cuts a run at many places; returns torn pages that were repaired.
fn cut_everywhere(seed: u64, cuts: u64, shape: Shape) -> usize {
    let mut run = Run::new(World::create(shape, PAGES.into()), seed, Model::new(), 0);
    let start = run.world.tape.position();
    run.work(120);
    let mut dice = Dice::new(seed ^ 0xabcd);
    let end = run.world.tape.position();
    let mut places: Vec<usize> = (0..cuts).map(|_| start + dice.below((end - start) as u64 + 1) as usize).collect();
    places.sort_unstable();
    let mut playback = Playback::new(&run.world.tape);
    let mut repaired = 0;
    for (index, place) in places.into_iter().enumerate() {
        playback.advance(place);
        let loss = match index % 4 {
            0 => Loss::Everything,
            1 => Loss::Nothing,
            2 => Loss::Chance { kept_percent: 50 },
            _ => Loss::Chance { kept_percent: 95 },
        };
        let images = playback.cut(loss, dice.below(u64::MAX));
        let world = recover(&images, shape, 1 + index % 2);
        repaired += world.repaired;
        let promised = run.promised_at(place);
        let (step, _) = state_of(&world, std::iter::empty());
        assert!(step >= promised, "cut at {place}, {loss:?}: step {step}, promised {promised}");
        let model = run.model_at(step);
        let (_, found) = state_of(&world, model.keys().copied());
        assert!(found == model, "cut at {place}, {loss:?}: pages are as after step {step}");
        if index % 3 == 0 {
            again(world, shape, seed + index as u64, model, step);
        }
    }
    repaired
}

/// Work goes on after recovery, and is cut once more.
fn again(world: World, shape: Shape, seed: u64, model: Model, step: u32) {
    let mut run = Run::new(world, seed, model, step);
    run.work(12);
    let mut dice = Dice::new(seed);
    let (start, end) = (run.promises[0].0, run.world.tape.position());
    let place = start + dice.below((end - start) as u64 + 1) as usize;
    let mut playback = Playback::new(&run.world.tape);
    playback.advance(place);
    let world = recover(&playback.cut(Loss::Chance { kept_percent: 60 }, seed), shape, 2);
    let (step, _) = state_of(&world, std::iter::empty());
    assert!(step >= run.promised_at(place), "second cut at {place}");
    let model = run.model_at(step);
    assert!(state_of(&world, model.keys().copied()).1 == model, "second cut at {place}");
}

#[test]
fn no_cut_loses_a_promise_or_leaves_a_half() {
    let repaired: usize = (0..3).map(|seed| cut_everywhere(seed, 32, Shape::small())).sum();
    assert!(repaired > 0, "some pages were torn");
}

/// Every turn a checkpoint comes where a part is full: its own record goes to the next part, and recovery has to begin
/// there and not at the place that was the end. Cuts right after such checkpoints and anywhere else.
#[test]
fn neither_does_one_while_the_log_goes_round() {
    let fixed = Limits { max_pages: None, growth: Growth::Pages(0) };
    let shape = Shape { log_bytes: 900 << 10, log_limits: fixed, ..Shape::small() };
    let mut run = Run::new(World::create(shape, PAGES.into()), 99, Model::new(), 0);
    let mut places = Vec::new();
    for _ in 0..8 {
        run.work(20);
        run.fill_part();
        let end = run.world.log().end_lsn();
        let redo = run.world.checkpoint().unwrap();
        assert!(redo.sequence > end.sequence, "{redo} lies in the part after {end}");
        let after = run.world.tape.position();
        places.extend([after - 2, after - 1, after]);
    }
    run.work(10);
    let report = run.world.log().report();
    assert!(report.end.sequence as usize > report.parts, "a second lap: {report:?}");
    let end = run.world.tape.position();
    let mut playback = Playback::new(&run.world.tape);
    let mut dice = Dice::new(5);
    places.extend((0..20).map(|_| end - dice.below(end as u64 * 2 / 3) as usize));
    places.sort_unstable();
    for place in places {
        playback.advance(place);
        let world = recover(&playback.cut(Loss::Chance { kept_percent: 50 }, place as u64), shape, 2);
        let (step, _) = state_of(&world, std::iter::empty());
        let promised = run.promised_at(place);
        assert!(step >= promised, "cut at {place}: step {step}, promised {promised}");
        let model = run.model_at(step);
        assert!(state_of(&world, model.keys().copied()).1 == model, "cut at {place}");
    }
}

/// Four sessions and a checkpointer at once. Session *s* writes step *n* to its own page and, in the same
/// mini-transaction, to one of four others in turns.
#[test]
fn neither_does_one_among_busy_sessions_and_checkpoints() {
    use parking_lot::Mutex;
    let world = World::create(Shape::small(), 200);
    let start = world.tape.position();
    let promises = Mutex::new(Vec::new());
    let pages = |session: u32| 8 + session * 5;
    std::thread::scope(|scope| {
        for session in 0..4 {
            let (world, promises) = (&world, &promises);
            scope.spawn(move || {
                with_ask(51 + session as u16, |ask| {
                    for step in 1..=150_u32 {
                        let mut mtr = Mtr::begin(&world.handle, ask, 600).unwrap();
                        let first = pages(session);
                        for number in [first, first + 1 + step % 4] {
                            let is_new = if number == first { step == 1 } else { step <= 4 };
                            if is_new {
                                let index = mtr.create(page(number), PageKind::Data, 7, 1, 0).unwrap();
                                mtr.apply(index, PageOp::Insert { slot: 0, record: &step.to_le_bytes() }).unwrap();
                            } else {
                                let index = mtr.latch(page(number)).unwrap();
                                mtr.apply(index, PageOp::Replace { slot: 0, record: &step.to_le_bytes() }).unwrap();
                            }
                        }
                        let lsn = mtr.commit();
                        if step % 3 == 0 {
                            world.log().make_durable(ask, lsn).unwrap();
                            promises.lock().push((world.tape.position(), session, step));
                        }
                    }
                });
            });
        }
        scope.spawn(|| (0..40).for_each(|_| assert!(world.checkpoint().is_ok())));
    });
    let end = world.tape.position();
    let mut dice = Dice::new(7);
    let mut places: Vec<usize> = (0..40).map(|_| start + dice.below((end - start) as u64 + 1) as usize).collect();
    places.sort_unstable();
    let mut playback = Playback::new(&world.tape);
    for place in places {
        playback.advance(place);
        let world = recover(&playback.cut(Loss::Chance { kept_percent: 40 }, place as u64), Shape::small(), 2);
        for session in 0..4 {
            let first = pages(session);
            let step = step_of(&world, first);
            let of_session = |p: &&(usize, u32, u32)| p.0 <= place && p.1 == session;
            let promised = promises.lock().iter().filter(of_session).map(|p| p.2).max().unwrap_or(0);
            assert!(step >= promised, "session {session} at {place}: {step}, promised {promised}");
            for other in 1..=4 {
                let last = (1..=step).rev().find(|n| n % 4 + 1 == other).unwrap_or(0);
                assert_eq!(step_of(&world, first + other), last, "session {session}, step {step}, cut at {place}");
            }
        }
    }
}

/// The number in the first record of a page; 0 without the page.
fn step_of(world: &World, number: u32) -> u32 {
    with_ask(52, |ask| match world.handle.pool.shared(ask, page(number)) {
        Ok(page) => u32::from_le_bytes(slotted::record(&page, 0).unwrap().try_into().unwrap()),
        Err(_) => 0,
    })
}
