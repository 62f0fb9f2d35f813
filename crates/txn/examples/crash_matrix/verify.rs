//! What must be so after a cut: every session at one of the states that it may have, tables and indexes of one mind, trees
//! and maps sound, nothing leaked once space was reclaimed, and work goes on.

use std::collections::BTreeMap;
use std::sync::Arc;

use millpond_access::lob::LobPtr;
use millpond_access::tree::Tree;
use millpond_device::Media;
use millpond_storage::ask::Ask;
use millpond_storage::space::{ClaimReport, Reclaimed};
use millpond_txn::{Live, SessionWork};

use super::Failure;
use super::actor::Actor;
use super::state::{Row, Rows, State};
use super::world::{Asker, DB, Places, SESSIONS, Table, World};
use millpond_access::tree;
use millpond_txn::open_trees;
use millpond_txn::recovery;

/// What was found after a cut.
#[derive(Debug)]
pub struct Found {
    /// By session.
    pub states: Vec<State>,
    /// Whether there was anything to do again.
    pub was_clean: bool,
    /// Pages that were given back.
    pub reclaimed_pages: u64,
}

/// A world that was opened and read.
pub struct Opened {
    pub world: World,
    pub found: Found,
    /// Pages that the extension had when the databases were recovered.
    pub kept_copies: u64,
    own: Vec<(u32, Table)>,
}

fn failed<E: std::fmt::Display>(what: &str) -> impl FnOnce(E) -> Failure {
    move |cause| Failure(format!("{what}: {cause}"))
}

/// Opens what a cut left, checks all that can be checked without a model, and says what is there.
pub fn open(media: Arc<dyn Media>, places: Places) -> Result<Opened, Failure> {
    let world = World::open(media, places)?;
    let kept_copies = world.manager.instance().extension().used.into();
    let asker = Asker::new(55);
    let ask = asker.ask();
    let mut work = world.session(&asker, 55);
    let own = world.own_tables(&ask, &mut work)?;
    let was_clean = world.manager.instance().database(DB).expect("opened").was_clean();
    check_trees(&world, &ask, &own)?;
    check_claims(&world, &ask, &own, true)?;
    let (states, values) = read_all(&world, &ask, &mut work, &own)?;
    let reclaimed_pages = reclaim(&world, &ask, &own, &values)?;
    drop(work);
    Ok(Opened { found: Found { states, was_clean, reclaimed_pages }, world, kept_copies, own })
}

impl Opened {
    /// Each session goes on for some steps; afterwards everything is as it should be.
    pub fn go_on(&self, seed: u64, steps: usize) -> Result<(), Failure> {
        let world = &self.world;
        let own_of = |session| self.own.iter().find(|(of, _)| *of == session).map(|(_, table)| table.clone());
        let mut actors: Vec<_> = (0..SESSIONS)
            .map(|n| Actor::new(world, n, seed, (self.found.states[n as usize].clone(), own_of(n)), None))
            .collect();
        for step in 0..steps {
            actors[step % SESSIONS as usize].step();
        }
        actors.iter_mut().for_each(Actor::finish);
        let expected: Vec<State> = actors.iter().map(|actor| actor.state().clone()).collect();
        drop(actors);
        let asker = Asker::new(56);
        let ask = asker.ask();
        let mut work = world.session(&asker, 56);
        let own = world.own_tables(&ask, &mut work)?;
        check_trees(world, &ask, &own)?;
        check_claims(world, &ask, &own, true)?;
        let (states, _) = read_all(world, &ask, &mut work, &own)?;
        if states != expected {
            return Err(Failure("work after the recovery is not what it left".into()));
        }
        Ok(())
    }
}

fn check_trees(world: &World, ask: &Ask<'_>, own: &[(u32, Table)]) -> Result<(), Failure> {
    for (ids, place) in world.live_trees(own) {
        let report = tree::check::check_tree(&open_trees::open_tree(&world.manager, &world.ctx, ids, place), ask)
            .map_err(failed("check"))?;
        if let Some(problem) = report.problems.first() {
            return Err(Failure(format!("tree {} of object {}: {problem}", ids.index_id, ids.object_id)));
        }
    }
    Ok(())
}

/// No extent has two owners, none that is owned is free. Leaks are allowed until they were reclaimed.
fn check_claims(world: &World, ask: &Ask<'_>, own: &[(u32, Table)], may_leak: bool) -> Result<(), Failure> {
    let mut chains: Vec<_> = world.live_trees(own).iter().map(|(_, place)| place.iam).collect();
    chains.extend(world.other_chains());
    let claims = world.manager.instance().check_claims(ask, DB, &chains).map_err(failed("the maps"))?;
    let expected = if may_leak {
        ClaimReport { orphans: claims.orphans, ..ClaimReport::default() }
    } else {
        ClaimReport { orphans: Reclaimed::default(), ..ClaimReport::default() }
    };
    if claims != expected {
        return Err(Failure(format!("the maps: {claims:?}")));
    }
    Ok(())
}

/// Gives back what leaked; nothing is left to be given back then.
fn reclaim(world: &World, ask: &Ask<'_>, own: &[(u32, Table)], values: &[LobPtr]) -> Result<u64, Failure> {
    let trees = world.live_trees(own);
    let database = world.manager.instance().database(DB).expect("opened");
    let live = Live { trees: &trees, chains: &world.other_chains() };
    let all = || -> Result<u64, Failure> {
        let space =
            recovery::reclaim::reclaim_database(&world.manager, ask, &database, live).map_err(failed("reclaim"))?;
        let large = world.large.reclaim(ask, &mut values.iter().copied()).map_err(failed("reclaim of large values"))?;
        Ok(space.extents * 8 + space.single_pages + space.tree_pages + large)
    };
    let given_back = all()?;
    check_claims(world, ask, own, false)?;
    for &(ids, place) in &trees {
        let report = tree::check::check_tree(&open_trees::open_tree(&world.manager, &world.ctx, ids, place), ask)
            .map_err(failed("check"))?;
        if report.leaked_pages > 0 || report.problem_count > 0 {
            return Err(Failure(format!(
                "after reclaim tree {} of object {}: {report:?}",
                ids.index_id, ids.object_id
            )));
        }
    }
    match all()? {
        0 => Ok(given_back),
        again => Err(Failure(format!("{again} pages were there to be reclaimed a second time"))),
    }
}

type ReadTables = (Vec<State>, Vec<LobPtr>);

/// The states of all sessions, and the large values that rows name.
fn read_all(world: &World, ask: &Ask<'_>, work: &mut SessionWork, own: &[(u32, Table)]) -> Result<ReadTables, Failure> {
    let mut states = vec![State::default(); SESSIONS as usize];
    let mut values = Vec::new();
    for (key, row) in read_table(world, ask, work, &world.shared, &mut values)? {
        states[(key % SESSIONS) as usize].shared.insert(key, row);
    }
    for (session, table) in own {
        let rows = read_table(world, ask, work, table, &mut values)?;
        if let Some((key, _)) = rows.iter().find(|(key, _)| *key % SESSIONS != *session) {
            return Err(Failure(format!("row {key} is in the table of session {session}")));
        }
        states[*session as usize].own = Some(rows);
    }
    Ok((states, values))
}

/// The rows of a table, which agree with its index and with their large values.
fn read_table(
    world: &World,
    ask: &Ask<'_>,
    work: &mut SessionWork,
    table: &Table,
    values: &mut Vec<LobPtr>,
) -> Result<Rows, Failure> {
    let mut rows = Rows::new();
    for (key, payload) in world.rows_of(ask, work, &table.clustered)? {
        let key = u32::from_be_bytes(key.try_into().map_err(|_| Failure("a key of another length".into()))?);
        let (row, pointer) = Row::parse(&payload).ok_or_else(|| Failure(format!("row {key} is no row")))?;
        check_value(world, ask, &row, pointer, values)?;
        rows.insert(key, row);
    }
    let entries = world.rows_of(ask, work, &table.index)?;
    let found: BTreeMap<_, _> = entries.into_iter().collect();
    let expected: BTreeMap<_, _> = rows.iter().map(|(key, row)| (row.index_key(*key).to_vec(), Vec::new())).collect();
    if found != expected {
        return Err(Failure(format!("the index of {} does not agree with its table", place_of(&table.clustered))));
    }
    Ok(rows)
}

fn place_of(tree: &Tree) -> String {
    format!("object {}", tree.ids().object_id)
}

fn check_value(
    world: &World,
    ask: &Ask<'_>,
    row: &Row,
    pointer: [u8; 16],
    values: &mut Vec<LobPtr>,
) -> Result<(), Failure> {
    let pointer = LobPtr::from_bytes(pointer).ok_or_else(|| Failure("a pointer that is none".into()))?;
    let expected = row.large_value();
    if pointer.len != expected.len() as u64 {
        return Err(Failure("a large value of another length".into()));
    }
    if pointer.len > 0 {
        let value = world.large.read_all(ask, pointer).map_err(failed("a large value"))?;
        if value != expected {
            return Err(Failure("a large value with other bytes".into()));
        }
        values.push(pointer);
    }
    Ok(())
}
