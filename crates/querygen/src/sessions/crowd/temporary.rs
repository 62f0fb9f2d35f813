//! The temporary table of a session of a crowd: nobody else sees it, so a model of its own says what is in it.

use super::super::model::{Kind, Model, Table};
use super::super::play::Finding;
use super::super::step::{Step, ids};
use super::{Actor, impossible, succeeded, text_of};
use crate::schema::pick;

const NAME: &str = "#u";

/// The table, and what the open transaction did to it.
#[derive(Default)]
pub(super) struct Temporary {
    committed: Model,
    own: Vec<Step>,
    saved: Option<usize>,
}

impl Temporary {
    pub(super) fn forget(&mut self) {
        self.own.clear();
        self.saved = None;
    }

    pub(super) fn save(&mut self, is_open: bool) {
        self.saved = is_open.then_some(self.own.len());
    }

    pub(super) fn back(&mut self) {
        if let Some(saved) = self.saved {
            self.own.truncate(saved);
        }
    }

    pub(super) fn take_own(&mut self) -> Vec<Step> {
        std::mem::take(&mut self.own)
    }

    /// What was done is committed.
    pub(super) fn keep(&mut self, steps: &[Step]) -> Result<(), Finding> {
        steps.iter().try_for_each(|step| self.committed.apply(step).map_err(|why| impossible(&why, step)))
    }

    fn view(&self) -> Result<Model, Finding> {
        let mut view = self.committed.clone();
        self.own.iter().try_for_each(|step| view.apply(step).map_err(|why| impossible(&why, step)))?;
        Ok(view)
    }
}

/// Changes the temporary table, or compares it with its model.
pub(super) fn use_temporary(actor: &mut Actor<'_>) -> Result<(), Finding> {
    // A lost session has no table any more.
    if actor.client.session.is_none() {
        actor.forget_session();
    }
    let view = actor.temporary.view()?;
    let Some(of) = view.tables.get(NAME) else {
        let mut table = Step::random_table(&mut actor.dice, &view);
        table.key.clear();
        return temporary_step(actor, Step::CreateTable { name: NAME.into(), table });
    };
    if actor.dice.chance(30) {
        return compare_temporary(actor, of);
    }
    let dice = &mut actor.dice;
    let table = NAME.to_owned();
    let step = match dice.below(20) {
        0..9 => Step::of_rows(dice, &view, NAME, false),
        9..14 => Step::of_indexes(dice, &view, NAME),
        14 => Step::Truncate(table),
        15 => Step::Rebuild(table),
        16 => Step::MoveIds { table, ids: ids(dice, false), by: 40 },
        17 => Step::DropTable(table),
        18 => match of.columns.iter().find(|column| !of.is_bound(&column.name) && column.kind == Kind::Int) {
            Some(column) => Step::AlterColumn { table, column: column.name.clone(), kind: Kind::Bigint },
            None => Step::Truncate(table),
        },
        _ => {
            let mut column = Step::random_column(dice, &view);
            (column.default, column.nullable) = (None, true);
            if !of.columns.is_empty() && dice.chance(50) {
                Step::DropColumn { table, column: pick(dice, &of.columns).name.clone() }
            } else {
                Step::AddColumn { table, column }
            }
        }
    };
    temporary_step(actor, step)
}

fn temporary_step(actor: &mut Actor<'_>, step: Step) -> Result<(), Finding> {
    let is_open = actor.client.is_open;
    let said = actor.run(&text_of(&step), None)?;
    if said.errors.iter().any(|(number, _)| *number == 208) {
        return Err(Finding::new("a temporary table is gone", said.said()));
    }
    let Some(step) = succeeded(step, &said, false) else { return actor.after_error() };
    if is_open {
        actor.temporary.own.push(step);
        actor.temporary.view().map(|_| ())
    } else {
        actor.temporary.keep(&[step])
    }
}

fn compare_temporary(actor: &mut Actor<'_>, of: &Table) -> Result<(), Finding> {
    let mut ids: Vec<Vec<String>> = of.rows.keys().map(|id| vec![id.to_string()]).collect();
    ids.sort();
    let shown = |(id, row): (&i64, &Vec<Option<String>>)| {
        let cells = row.iter().map(|cell| cell.clone().unwrap_or_else(|| "NULL".into()));
        std::iter::once(id.to_string()).chain(cells).collect()
    };
    let mut rows: Vec<Vec<String>> = of.rows.iter().map(shown).collect();
    rows.sort();
    let mut text = format!("select * from {NAME}");
    of.indexes.keys().for_each(|index| text.push_str(&format!(" select id from {NAME} with (index ({index}))")));
    let mut said = actor.run(&text, None)?;
    said.sets.iter_mut().for_each(|set| set.sort());
    let is_right = said.errors.is_empty()
        && said.sets.len() == 1 + of.indexes.len()
        && said.sets[0] == rows
        && said.sets[1..].iter().all(|set| *set == ids);
    if is_right || said.broken {
        return Ok(());
    }
    let words = format!("-- {}\n{text}\nanswered {:?} {}\nnot {rows:?}", actor.number, said.sets, said.said());
    Err(Finding::new("a temporary table has other rows", words))
}
