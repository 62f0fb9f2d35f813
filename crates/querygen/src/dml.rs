//! Twins: a SELECT says which rows a DELETE, UPDATE or MERGE hits and what it writes; then exactly that must have
//! happened, OUTPUT must say so, and a rollback must bring everything back.

use std::collections::{BTreeMap, BTreeSet};

use crate::case::{Case, Rule, Verdict, found, sound};
use crate::change::{Change, Target, Verb};
use crate::lab::{Lab, Renamed, Tables};
use crate::node::{Node, pattern, text};
use crate::world::{Outcome, Settings};

type Rows = BTreeMap<String, Vec<String>>;

/// A table by its first column; `None` when that is not unique.
fn by_rid(outcome: &Outcome) -> Option<Rows> {
    let rows = outcome.rows();
    let count = rows.len();
    let map: Rows = rows.into_iter().map(|row| (row[0].clone(), row)).collect();
    (map.len() == count).then_some(map)
}

struct Steps<'a> {
    case: &'a Case,
    change: &'a Change,
    asked: Vec<(Settings, String, String)>,
}

impl Steps<'_> {
    fn ask(&mut self, lab: &mut Lab, node: &Node) -> Result<Outcome, Verdict> {
        let batch = node.write(&mut Renamed(self.case.tables));
        self.say(lab, batch)
    }

    fn say(&mut self, lab: &mut Lab, batch: String) -> Result<Outcome, Verdict> {
        let case = self.case;
        let outcome = sound(case.settings, &batch, lab.run(case.settings, case.tables, &batch))?;
        self.asked.push((case.settings, batch.clone(), outcome.words()));
        if outcome.error() != 0 {
            return Err(Verdict::Refused(outcome.error(), outcome.said, batch));
        }
        Ok(outcome)
    }

    fn wrong(&self, class: &str) -> Verdict {
        let class = format!("{:?}: {class}", self.change.verb);
        found(class, self.asked.clone(), Rule::Changed(self.change.clone()))
    }
}

/// Runs the statement between a look before and looks after it and after its rollback.
pub(crate) fn check(change: &Change, case: &Case, lab: &mut Lab) -> Result<(), Verdict> {
    let mut steps = Steps { case, change, asked: Vec::new() };
    if change.verb == Verb::Insert {
        return inserted(change, &mut steps, lab);
    }
    let table = text(format!("select * from {}", case.tables.name(&change.table)));
    let before = by_rid(&steps.ask(lab, &table)?).ok_or(Verdict::Skipped("rid twice"))?;
    let (written, gone) = expected(change, &mut steps, lab)?;
    if change.in_procedure {
        let dml = statement(change, case).write(&mut Renamed(case.tables));
        steps.say(lab, format!("create or alter procedure pdml as {dml}"))?;
    }
    steps.say(lab, "begin transaction".into())?;
    let done = if change.in_procedure {
        steps.say(lab, "exec pdml".into())
    } else {
        let statement = statement(change, case);
        steps.ask(lab, &statement)
    };
    let after = steps.ask(lab, &table);
    steps.say(lab, "if @@trancount > 0 rollback".into())?;
    let restored = steps.ask(lab, &table)?;
    if by_rid(&restored).as_ref() != Some(&before) {
        return Err(steps.wrong("the rollback does not restore the table"));
    }
    let done = done?;
    let after = by_rid(&after?).ok_or_else(|| steps.wrong("a row is there twice"))?;
    compare(change, &steps, &before, &after, &written, &gone, &done)
}

fn compare(
    change: &Change,
    steps: &Steps<'_>,
    before: &Rows,
    after: &Rows,
    written: &BTreeMap<String, BTreeSet<String>>,
    gone: &BTreeSet<String>,
    done: &Outcome,
) -> Result<(), Verdict> {
    let schema = &steps.case.schema;
    let place = schema
        .table(&change.table)
        .and_then(|table| table.columns.iter().position(|column| column.name == change.column));
    for (rid, row) in before {
        let Some(now) = after.get(rid) else {
            if !gone.contains(rid) {
                return Err(steps.wrong("a row is gone that should stay"));
            }
            continue;
        };
        if gone.contains(rid) {
            return Err(steps.wrong("a row stayed that should go"));
        }
        let computed =
            |at: usize| schema.table(&change.table).is_some_and(|table| table.columns[at].computed.is_some());
        for (at, (old, new)) in row.iter().zip(now).enumerate() {
            let may = written.get(rid).filter(|_| Some(at) == place);
            let right = may.map_or(old == new, |values| values.contains(new));
            if !right && !computed(at) {
                return Err(steps.wrong("a value is not the one that SELECT says"));
            }
        }
    }
    if after.len() + gone.len() != before.len() {
        return Err(steps.wrong("rows came from nowhere"));
    }
    let hit: BTreeSet<String> = written.keys().chain(gone).cloned().collect();
    let output: Vec<String> = done.rows().into_iter().map(|row| row[0].clone()).collect();
    if output.len() != hit.len() || output.iter().cloned().collect::<BTreeSet<_>>() != hit {
        return Err(steps.wrong("OUTPUT names other rows"));
    }
    if done.counts.last().is_some_and(|count| *count != hit.len() as u64) {
        return Err(steps.wrong("the count is not that of the rows"));
    }
    Ok(())
}

/// What SELECT says: the values that a row may get, and the rows that go.
#[expect(clippy::type_complexity, reason = "two sets by row")]
fn expected(
    change: &Change,
    steps: &mut Steps<'_>,
    lab: &mut Lab,
) -> Result<(BTreeMap<String, BTreeSet<String>>, BTreeSet<String>), Verdict> {
    let parts = steps.case.parts.clone();
    let (alias, sql) = (&change.alias, &change.sql);
    let mut written: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut gone = BTreeSet::new();
    let target = pattern(&format!("{{}} as {alias}"), vec![Node::Table(change.table.clone())]);
    let named = |condition: Node| pattern(&format!("{{}} and {alias}.rid is not null"), vec![condition]);
    let query = match change.verb {
        Verb::Merge => {
            let both = pattern("{} join {} on {}", vec![target.clone(), parts[0].clone(), parts[1].clone()]);
            pattern(
                &format!(
                    "select {alias}.rid, cast({{}} as {sql}) as v, case when {{}} then 1 else 0 end as k from {{}}"
                ),
                vec![parts[2].clone(), parts[3].clone(), both],
            )
        }
        _ => pattern(
            &format!(
                "select {alias}.rid, cast({{}} as {sql}) as v, {} as k from {{}} where {{}}",
                i32::from(change.verb == Verb::Update)
            ),
            vec![parts[2].clone(), parts[0].clone(), named(parts[1].clone())],
        ),
    };
    for row in steps.ask(lab, &query)?.rows() {
        if row[2] == "1" {
            written.entry(row[0].clone()).or_default().insert(row[1].clone());
        } else {
            gone.insert(row[0].clone());
        }
    }
    if change.verb == Verb::Merge {
        let rest = pattern(
            &format!("select {alias}.rid from {{}} where not exists (select 1 from {{}} where {{}}) and {{}}"),
            vec![target, parts[0].clone(), parts[1].clone(), parts[4].clone()],
        );
        gone.extend(steps.ask(lab, &rest)?.rows().into_iter().map(|row| row[0].clone()));
    }
    Ok((written, gone))
}

fn statement(change: &Change, case: &Case) -> Node {
    let parts = &case.parts;
    let (alias, column) = (&change.alias, &change.column);
    let table = Node::Table(change.table.clone());
    let value = pattern(&format!("cast({{}} as {})", change.sql), vec![parts.get(2).cloned().unwrap_or(text("null"))]);
    if change.verb == Verb::Merge {
        return pattern(
            &format!(
                "merge {{}} as {alias} using {{}} on {{}} when matched and {{}} then update set {column} = {{}} \
                 when matched then delete when not matched by source and {{}} then delete output deleted.rid;"
            ),
            vec![table, parts[0].clone(), parts[1].clone(), parts[3].clone(), value, parts[4].clone()],
        );
    }
    let (before, sources) = match change.target {
        Target::Expression => {
            let from = parts[0].replaced(&table, &text("c"));
            (pattern("with c as (select x.* from {} as x) ", vec![table.clone()]), from)
        }
        _ => (text(""), parts[0].clone()),
    };
    let target = match change.target {
        Target::Alias | Target::Expression => text(alias.clone()),
        Target::Qualified if case.tables == Tables::Usual => pattern("dbo.{}", vec![table.clone()]),
        Target::Table | Target::Qualified | Target::Subquery => table,
    };
    let filter = parts[1].clone();
    let (from, filter) = if change.target == Target::Subquery {
        let rids = pattern(&format!("rid in (select {alias}.rid from {{}} where {{}})"), vec![sources, filter]);
        (text(""), rids)
    } else {
        (pattern(" from {}", vec![sources]), filter)
    };
    match change.verb {
        Verb::Update => pattern(
            &format!("{{}}update {{}} set {column} = {{}} output deleted.rid{{}} where {{}}"),
            vec![before, target, value, from, filter],
        ),
        _ => pattern("{}delete {} output deleted.rid{} where {}", vec![before, target, from, filter]),
    }
}

/// SELECT INTO, and INSERT of the same rows, beside the query itself.
fn inserted(change: &Change, steps: &mut Steps<'_>, lab: &mut Lab) -> Result<(), Verdict> {
    let query = steps.case.parts[0].clone();
    let expected = steps.ask(lab, &query)?;
    let name = if change.target == Target::Alias { "#made" } else { "made" };
    steps.say(lab, format!("drop table if exists {name}"))?;
    steps.ask(lab, &pattern(&format!("select y.* into {name} from ({{}}) as y"), vec![query.clone()]))?;
    let look = text(format!("select * from {name}"));
    if steps.ask(lab, &look)?.rows() != expected.rows() {
        return Err(steps.wrong("SELECT INTO keeps other rows"));
    }
    steps.say(lab, format!("delete {name}"))?;
    steps.ask(lab, &pattern(&format!("insert {name} {{}}"), vec![query]))?;
    if steps.ask(lab, &look)?.rows() != expected.rows() {
        return Err(steps.wrong("INSERT keeps other rows"));
    }
    Ok(())
}
