//! What makes an answer wrong without knowing the right one: a case is composed, asked, and its answers compared by its rule.

use crate::case::{Case, Clauses, Rule, Verdict, found, sound};
use crate::dml;
use crate::lab::{Lab, Road, Tables};
use crate::node::{Node, pattern};
use crate::world::{Outcome, Settings};

impl Case {
    /// Runs it.
    pub fn check(&self, lab: &mut Lab) -> Verdict {
        let done = match &self.rule {
            Rule::Roads(only) => self.roads(lab, *only),
            Rule::Where { is_distinct } => self.partition(lab, *is_distinct),
            Rule::Aggregate(function) => self.aggregate(lab, function),
            Rule::Having => self.having(lab),
            Rule::Named(clauses) => self.named(lab, *clauses),
            Rule::Counted => self.counted(lab),
            Rule::Pivot { sources, rids } => self.pivot(lab, sources, rids),
            Rule::Changed(change) => dml::check(change, self, lab),
        };
        match done {
            Err(Verdict::Found(mut finding)) if matches!(*finding.narrow, Rule::Roads(None)) => {
                // A panic or an internal error: whatever composed the statement composes it again.
                *finding.narrow = self.rule.clone();
                Verdict::Found(finding)
            }
            Ok(()) => Verdict::Good,
            Err(verdict) => verdict,
        }
    }

    fn roads(&self, lab: &mut Lab, only: Option<Road>) -> Result<(), Verdict> {
        let query = &self.parts[0];
        let first = Settings::Planned;
        let batch = query.plain();
        let expected = sound(first, &batch, lab.run(first, Tables::Usual, &batch))?;
        let named = self.schema.names_view(query);
        for road in Road::ALL.into_iter().filter(|road| only.is_none_or(|only| only == *road)) {
            if named && road.tables() != Tables::Usual {
                continue;
            }
            let again = road.batch(query, &self.schema);
            let narrowed = |verdict| match verdict {
                Verdict::Found(mut finding) => {
                    *finding.narrow = Rule::Roads(Some(road));
                    Verdict::Found(finding)
                }
                Verdict::Refused(number, _, _) if number != expected.error() => Verdict::Skipped("not loaded"),
                other => other,
            };
            let answer =
                sound(road.settings(), &again, lab.run(road.settings(), road.tables(), &again)).map_err(narrowed)?;
            let steps =
                || vec![(first, batch.clone(), expected.words()), (road.settings(), again.clone(), answer.words())];
            if answer.error() != expected.error() {
                let class = format!("error {} and {} ({road:?})", expected.error(), answer.error());
                return Err(found(class, steps(), Rule::Roads(Some(road))));
            }
            if answer.rows() != expected.rows() {
                return Err(found(format!("rows differ ({road:?})"), steps(), Rule::Roads(Some(road))));
            }
        }
        if expected.error() != 0 {
            return Err(Verdict::Refused(expected.error(), expected.said, batch));
        }
        Ok(())
    }

    /// An answer without an error.
    pub(crate) fn ask(&self, lab: &mut Lab, query: &Node) -> Result<(String, Outcome), Verdict> {
        let batch = query.write(&mut crate::lab::Renamed(self.tables));
        let outcome = sound(self.settings, &batch, lab.run(self.settings, self.tables, &batch))?;
        if outcome.error() != 0 {
            return Err(Verdict::Refused(outcome.error(), outcome.said, batch));
        }
        Ok((batch, outcome))
    }

    /// The condition, its negation, and that it is neither.
    fn thirds(condition: &Node) -> [Node; 3] {
        let one = condition.clone();
        let neither =
            pattern("case when {} then 1 when not ({}) then 0 end is null", vec![condition.clone(), condition.clone()]);
        [one, pattern("not ({})", vec![condition.clone()]), neither]
    }

    fn compare(
        &self,
        whole: (String, Outcome),
        parts: Vec<(String, Outcome)>,
        is_distinct: bool,
    ) -> Result<(), Verdict> {
        let mut rows: Vec<Vec<String>> = parts.iter().flat_map(|(_, outcome)| outcome.rows()).collect();
        let mut expected = whole.1.rows();
        rows.sort();
        if is_distinct {
            // Folding may make one of rows that a collation holds apart.
            rows.dedup();
            expected.dedup();
        }
        if rows == expected {
            return Ok(());
        }
        let steps = std::iter::once(whole).chain(parts).map(|(batch, outcome)| (self.settings, batch, outcome.words()));
        Err(found("parts differ from the whole".into(), steps.collect(), self.rule.clone()))
    }

    fn partition(&self, lab: &mut Lab, is_distinct: bool) -> Result<(), Verdict> {
        let [items, sources, condition] = &self.parts[..] else { return Err(Verdict::Skipped("parts")) };
        let word = if is_distinct { "distinct " } else { "" };
        let head = pattern(&format!("select {word}{{}} from {{}}"), vec![items.clone(), sources.clone()]);
        let whole = self.ask(lab, &head)?;
        let mut parts = Vec::new();
        for third in Case::thirds(condition) {
            parts.push(self.ask(lab, &pattern("{} where {}", vec![head.clone(), third]))?);
        }
        self.compare(whole, parts, is_distinct)
    }

    fn aggregate(&self, lab: &mut Lab, function: &str) -> Result<(), Verdict> {
        let [value, sources, condition] = &self.parts[..] else { return Err(Verdict::Skipped("parts")) };
        let head = |function: &str, filter: Node| {
            let parts = vec![value.clone(), sources.clone(), filter];
            pattern(&format!("select {function}({{}}) as k1 from {{}}{{}}"), parts)
        };
        let whole = self.ask(lab, &head(function, crate::lab::nothing()))?;
        let [one, two, three] = Case::thirds(condition).map(|third| head(function, pattern(" where {}", vec![third])));
        let outer = if function == "count" { "sum" } else { function };
        let united = pattern(
            &format!("select {outer}(x.k1) as k1 from ({{}} union all {{}} union all {{}}) as x"),
            vec![one, two, three],
        );
        let parts = vec![self.ask(lab, &united)?];
        self.compare(whole, parts, false)
    }

    fn having(&self, lab: &mut Lab) -> Result<(), Verdict> {
        let [head, condition] = &self.parts[..] else { return Err(Verdict::Skipped("parts")) };
        let whole = self.ask(lab, head)?;
        let mut parts = Vec::new();
        for third in Case::thirds(condition) {
            parts.push(self.ask(lab, &pattern("{} having {}", vec![head.clone(), third]))?);
        }
        self.compare(whole, parts, false)
    }

    /// The binder distinguishes expressions of a query by what they say, columns of a derived table by their places.
    fn named(&self, lab: &mut Lab, clauses: Clauses) -> Result<(), Verdict> {
        let [one, two, sources] = &self.parts[..] else { return Err(Verdict::Skipped("parts")) };
        let inner =
            pattern("(select {} as k1, {} as k2 from {}) as x", vec![one.clone(), two.clone(), sources.clone()]);
        let names = ["x.k1", "x.k2"].map(|name| pattern(name, Vec::new()));
        let named = self.ask(lab, &clauses.over(&names[0], &names[1], &inner))?;
        let written = self.ask(lab, &clauses.over(one, two, sources))?;
        self.compare(named, vec![written], false)
    }

    fn counted(&self, lab: &mut Lab) -> Result<(), Verdict> {
        let [sources, condition] = &self.parts[..] else { return Err(Verdict::Skipped("parts")) };
        let filtered =
            self.ask(lab, &pattern("select count(*) as n from {} where {}", vec![sources.clone(), condition.clone()]))?;
        let looked = pattern(
            "select isnull(sum(x.k), 0) as n from (select case when {} then 1 else 0 end as k from {}) as x",
            vec![condition.clone(), sources.clone()],
        );
        let looked = self.ask(lab, &looked)?;
        self.compare(looked, vec![filtered], false)
    }

    fn pivot(&self, lab: &mut Lab, sources: &[(String, String)], rids: &[i64]) -> Result<(), Verdict> {
        let [items, condition] = &self.parts[..] else { return Err(Verdict::Skipped("parts")) };
        let named = |alone: bool| {
            let mut text = Vec::new();
            let mut tables = Vec::new();
            for ((alias, table), rid) in sources.iter().zip(rids) {
                tables.push(Node::Table(table.clone()));
                text.push(if alone {
                    format!("(select top (1) x.* from {{}} as x where x.rid = {rid}) as {alias}")
                } else {
                    format!("{{}} as {alias}")
                });
            }
            pattern(&text.join(" cross join "), tables)
        };
        let condition = vec![condition.clone(), condition.clone(), named(true)];
        let truth = pattern("select case when {} then 1 when not ({}) then 0 end as k from {}", condition.clone());
        let (said, truth) = self.ask(lab, &truth)?;
        let filter = match truth.rows().first().and_then(|row| row.first()).map(String::as_str) {
            Some("1") => pattern("{}", vec![condition[0].clone()]),
            Some("0") => pattern("not ({})", vec![condition[0].clone()]),
            Some(_) => Case::thirds(&condition[0])[2].clone(),
            None => return Err(Verdict::Skipped("no pivot")),
        };
        let (alone, row) = self.ask(lab, &pattern("select {} from {}", vec![items.clone(), named(true)]))?;
        let all = pattern("select {} from {} where {}", vec![items.clone(), named(false), filter]);
        let (batch, answer) = self.ask(lab, &all)?;
        let Some(row) = row.rows().first().cloned() else { return Err(Verdict::Skipped("no pivot")) };
        if answer.rows().contains(&row) {
            return Ok(());
        }
        let steps = vec![
            (self.settings, said, truth.words()),
            (self.settings, alone, row.join(" | ")),
            (self.settings, batch, answer.words()),
        ];
        Err(found("the pivot's row is missing".into(), steps, self.rule.clone()))
    }
}
