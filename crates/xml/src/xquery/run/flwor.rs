//! FLWOR and quantifiers: variables that run over sequences.

use std::cmp::Ordering;

use crate::xquery::ast::{Clause, Expr};
use crate::xquery::atom::Atom;
use crate::xquery::run::{Item, Run, Running, Sequence};

/// What `order by` sorts: keys and what was returned.
type Keyed = (Vec<Option<Atom>>, Sequence);

pub(super) fn flwor(run: &mut Run<'_, '_>, clauses: &[Clause], result: &Expr) -> Running<Sequence> {
    let order = clauses.iter().find_map(|clause| match clause {
        Clause::Order(keys) => Some(keys),
        _ => None,
    });
    let mut rows: Vec<Keyed> = Vec::new();
    bind(run, clauses, result, order.map_or(&[], Vec::as_slice), &mut rows)?;
    if let Some(order) = order {
        rows.sort_by(|left, right| by_keys(order, &left.0, &right.0));
    }
    Ok(rows.into_iter().flat_map(|(_, items)| items).collect())
}

fn bind(
    run: &mut Run<'_, '_>,
    clauses: &[Clause],
    result: &Expr,
    order: &[(Expr, bool)],
    rows: &mut Vec<Keyed>,
) -> Running<()> {
    run.step()?;
    match clauses.split_first() {
        Some((Clause::For { slot, over }, rest)) => {
            for item in run.eval(over)? {
                run.variables[*slot] = vec![item];
                bind(run, rest, result, order, rows)?;
            }
        }
        Some((Clause::Let { slot, value }, rest)) => {
            run.variables[*slot] = run.eval(value)?;
            bind(run, rest, result, order, rows)?;
        }
        Some((Clause::Where(condition), rest)) => {
            if run.truth(condition)? {
                bind(run, rest, result, order, rows)?;
            }
        }
        Some((Clause::Order(_), rest)) => bind(run, rest, result, order, rows)?,
        None => {
            let mut keys = Vec::with_capacity(order.len());
            for (key, _) in order {
                keys.push(run.value(key)?);
            }
            let items = run.eval(result)?;
            run.take(size_of::<Keyed>() + items.len() * size_of::<Item>())?;
            rows.push((keys, items));
        }
    }
    Ok(())
}

pub(super) fn quantified(
    run: &mut Run<'_, '_>,
    every: bool,
    over: &[(usize, Expr)],
    satisfies: &Expr,
) -> Running<bool> {
    run.step()?;
    let Some(((slot, sequence), rest)) = over.split_first() else { return run.truth(satisfies) };
    for item in run.eval(sequence)? {
        run.variables[*slot] = vec![item];
        if quantified(run, every, rest, satisfies)? != every {
            return Ok(!every);
        }
    }
    Ok(every)
}

/// The order of two rows; nothing is the least.
fn by_keys(order: &[(Expr, bool)], left: &[Option<Atom>], right: &[Option<Atom>]) -> Ordering {
    for ((_, descends), (left, right)) in order.iter().zip(left.iter().zip(right)) {
        let ordering = match (left, right) {
            (Some(left), Some(right)) => left.order(right).unwrap_or(Ordering::Equal),
            (left, right) => left.is_some().cmp(&right.is_some()),
        };
        if ordering != Ordering::Equal {
            return if *descends { ordering.reverse() } else { ordering };
        }
    }
    Ordering::Equal
}
