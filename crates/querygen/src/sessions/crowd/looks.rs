//! Queries and procedures of a crowd: what they answer, and when that is known to be right.
//!
//! What always holds: a query at SERIALIZABLE is right when its answer is the model's at the commit; one that reads a
//! snapshot, when it is the model's at the beginning; one that reads row versions, when it is the model's of some moment
//! between its beginning and its end. What a module or a type is, nobody keeps in place until the commit: it may be what
//! it was at any moment of the query.

use std::time::Duration;

use super::super::model::Model;
use super::super::play::Finding;
use super::super::read::{Look, Read};
use super::super::step::Step;
use super::{Actor, BROKEN_AFTER_US_MAX, Exit, locked};
use crate::schema::pick;
use crate::seat::Answer;

/// The rows of the query before the row that says that the batch came to its end.
pub(super) fn answer_of(said: &Answer) -> Option<Vec<Vec<String>>> {
    let (last, before) = said.sets.split_last()?;
    if !said.errors.is_empty() || last.first()?.first()? != "whole" {
        return None;
    }
    before.last().cloned()
}

/// The number of the newest version.
pub(super) fn version(actor: &Actor<'_>) -> usize {
    locked(&actor.round.ledger).versions.len() - 1
}

/// What the session could see at every moment from a version until now.
pub(super) fn views_since(actor: &Actor<'_>, version: usize) -> Vec<Model> {
    let versions = locked(&actor.round.ledger).versions[version..].to_vec();
    versions.into_iter().map(|version| actor.over(version)).collect()
}

/// A query in a transaction.
pub(super) fn look(actor: &mut Actor<'_>, mut look: Look) -> Result<(), Finding> {
    let level = actor.client.level;
    let is_loose =
        actor.client.is_snapshot || level == "read committed" && actor.round.has_versions && actor.dice.chance(60);
    let text = if is_loose {
        format!("{} select 'whole' as whole", look.sql())
    } else {
        format!(
            "set transaction isolation level serializable {} set transaction isolation level {level} \
                 select 'whole' as whole",
            look.sql()
        )
    };
    let begin = version(actor);
    let said = actor.run(&text, None)?;
    let views = views_since(actor, begin);
    if said.errors.is_empty() && views.iter().any(|view| view.meaning(&look.by).is_none()) {
        // It may have been a procedure that changes rows.
        return actor.leave(Exit::Rollback);
    }
    let Some(rows) = answer_of(&said) else { return actor.after_error() };
    let mut meant: Vec<Read> = Vec::new();
    for read in views.iter().filter_map(|view| view.meaning(&look.by)) {
        if !meant.contains(&read) {
            meant.push(read);
        }
    }
    if meant.iter().any(Read::is_of_types) {
        return right_at_some_moment(actor, &views, &rows, &meant, "a type", &text);
    }
    if actor.client.is_snapshot {
        let Some(snapshot) = actor.snapshot.clone() else { return Ok(()) };
        let view = actor.over(snapshot);
        return right_at_some_moment(actor, &[view], &rows, &meant, "SNAPSHOT", &text);
    }
    if is_loose {
        return right_at_some_moment(actor, &views, &rows, &meant, "row versions", &text);
    }
    (look.answer, look.meant) = (Some(rows), meant);
    actor.client.own.push(Step::Look(look));
    Ok(())
}

fn right_at_some_moment(
    actor: &Actor<'_>,
    views: &[Model],
    rows: &[Vec<String>],
    meant: &[Read],
    what: &str,
    text: &str,
) -> Result<(), Finding> {
    if views.iter().any(|view| view.is_answer(rows, meant)) {
        return Ok(());
    }
    let due: Vec<String> =
        views.iter().flat_map(|view| meant.iter().map(|read| format!("{read:?}: {:?}", view.answer(read)))).collect();
    let words = format!("-- {}\n{text}\nanswered {rows:?}\nshould be one of\n{}", actor.number, due.join("\n"));
    Err(Finding::new(format!("another answer by {what}"), words))
}

/// A procedure that changes rows: what it was is known when it was the same all the time.
pub(super) fn call(actor: &mut Actor<'_>, name: &str) -> Result<(), Finding> {
    if actor.client.is_snapshot {
        return Ok(());
    }
    let begin = version(actor);
    let after = actor.dice.chance(6).then(|| {
        (Duration::from_micros(actor.dice.below(BROKEN_AFTER_US_MAX)), *pick(&mut actor.dice, &[false, true]))
    });
    let said = actor.run(&format!("exec {name} select 'whole' as whole"), after)?;
    if said.broken {
        return actor.leave(Exit::Rollback);
    }
    let is_whole = said.sets.last().and_then(|set| set.first()?.first()).is_some_and(|cell| cell == "whole");
    if !said.errors.is_empty() || !is_whole {
        return actor.after_error();
    }
    let views = views_since(actor, begin);
    let changes: Vec<_> =
        views.iter().map(|view| view.modules.get(name).and_then(|module| module.change.clone())).collect();
    match changes.first() {
        Some(Some(change)) if changes.iter().all(|other| other.as_ref() == Some(change)) => {
            actor.client.own.push((**change).clone());
            Ok(())
        }
        _ => actor.leave(Exit::Rollback),
    }
}
