//! A schema and cases from a seed.

use millpond_device::chance::Dice;

use crate::dml::{Change, Target, Verb};
use crate::expr::{Maker, Scope};
use crate::lab::Tables;
use crate::node::{Family, Node, pattern, text};
use crate::oracle::{Case, Clauses, Rule};
use crate::schema::{Column, Schema, View, pick};
use crate::select;
use crate::world::Settings;

/// The schema of a seed, views included.
#[must_use]
pub fn schema(seed: u64) -> Schema {
    let mut dice = Dice::new(seed);
    let mut schema = Schema::random(&mut dice);
    for at in 0..dice.below(3) {
        let query = select::query(&mut maker(&schema, dice.roll()), &Scope::default());
        let column = |(name, family, _): (String, Family, bool)| Column {
            name,
            sql: String::new(),
            family,
            collation: None,
            nullable: true,
            computed: None,
        };
        let columns = query.columns.into_iter().map(column).collect();
        let view = View { name: format!("v{at}"), query: query.node, columns };
        schema.views.push(view);
    }
    schema
}

fn maker(schema: &Schema, seed: u64) -> Maker<'_> {
    Maker { dice: Dice::new(seed), schema, aliases: 0, level: 0 }
}

/// The case of a seed over a schema.
#[must_use]
pub fn case(schema: &Schema, seed: u64) -> Case {
    let maker = &mut maker(schema, seed);
    let settings = *maker.pick(&Settings::ALL);
    let tables = *maker.pick(&[Tables::Usual, Tables::Usual, Tables::Bare, Tables::Temporary]);
    let (rule, parts) = match maker.dice.below(20) {
        0..=6 => (Rule::Roads(None), vec![whole(maker)]),
        7 => converted_twice(maker),
        8 | 9 => {
            let (items, sources, condition) = filtered(maker);
            (Rule::Where { is_distinct: maker.dice.chance(30) }, vec![items, sources, condition])
        }
        10 => aggregated(maker),
        11 => grouped_by(maker),
        12 | 13 => {
            let (_, sources, condition) = filtered(maker);
            (Rule::Counted, vec![sources, condition])
        }
        14 | 15 => pivoted(maker),
        16 => merged(maker),
        17 => {
            let query = select::query(maker, &Scope::default());
            let change = Change { verb: Verb::Insert, ..change(maker, &text("")) };
            (Rule::Changed(change), vec![query.node])
        }
        _ => changed(maker),
    };
    let names_view = parts.iter().any(|part| schema.names_view(part));
    let tables = if names_view { Tables::Usual } else { tables };
    Case { schema: schema.clone(), parts, rule, settings, tables }
}

/// A query that stands alone: with CTEs, too.
fn whole(maker: &mut Maker<'_>) -> Node {
    match maker.dice.below(12) {
        0 => with_expression(maker),
        1 => recursive(maker),
        _ => select::query(maker, &Scope::default()).node,
    }
}

fn with_expression(maker: &mut Maker<'_>) -> Node {
    maker.level += 1;
    let query = select::query(maker, &Scope::default());
    maker.level -= 1;
    let names = query.columns.iter().map(|(name, family, is_any)| crate::expr::Name {
        reference: format!("x.{name}"),
        family: *family,
        sql: String::new(),
        is_any: *is_any,
        is_rid: false,
    });
    let scope = Scope { names: names.collect(), outer: Vec::new(), has_subqueries: true };
    let (items, _) = select::items(maker, &scope, 2);
    let condition = maker.condition(&scope, 2);
    let twice = maker.dice.chance(30);
    let parts = vec![query.node, items, condition];
    let sources = if twice { "q as x left join q as y on x.k1 is null and y.k1 is null" } else { "q as x" };
    pattern(&format!("with q as ({{}}) select {{}} from {sources} where {{}}"), parts)
}

fn recursive(maker: &mut Maker<'_>) -> Node {
    let (first, next) = (select::base(maker), select::base(maker));
    let scope = Scope { names: first.names.clone(), outer: Vec::new(), has_subqueries: false };
    let condition = maker.condition(&scope, 1);
    let (rid, other) = (&first.names[0].reference, next.names[0].reference.clone());
    let number = next.names.iter().find(|name| name.family == Family::Int && !name.is_rid);
    let step = number.map_or(other.clone(), |name| name.reference.clone());
    let most = 1 + maker.dice.below(3);
    pattern(
        &format!(
            "with r as (select cast({rid} as bigint) as n, 0 as l from {{}} where {{}} and {rid} < 30 union all \
                 select cast({other} as bigint), r.l + 1 from {{}} join r on {step} = r.n where r.l < {most} and {other} < 50) \
                 select n, l, count(*) as k from r group by n, l"
        ),
        vec![first.node, condition, next.node],
    )
}

fn filtered(maker: &mut Maker<'_>) -> (Node, Node, Node) {
    let sources = 1 + maker.dice.below(3);
    let from = select::from(maker, &Scope::default(), sources);
    let scope = Scope { names: from.names, outer: Vec::new(), has_subqueries: true };
    let (items, _) = select::items(maker, &scope, 3);
    (items, from.node, maker.condition(&scope, 3))
}

fn aggregated(maker: &mut Maker<'_>) -> (Rule, Vec<Node>) {
    let from = select::from(maker, &Scope::default(), 2);
    let scope = Scope { names: from.names, outer: Vec::new(), has_subqueries: true };
    let own = Scope { has_subqueries: false, ..scope.clone() };
    let function = *maker.pick(&["sum", "count", "min", "max"]);
    let family = match function {
        "sum" => *maker.pick(&[Family::Int, Family::Decimal, Family::Money]),
        "count" => maker.family(&own),
        _ => *maker.pick(&[Family::Int, Family::Decimal, Family::Date, Family::Moment, Family::Float, Family::Time]),
    };
    let value = maker.value(&own, family, 1);
    (Rule::Aggregate(function), vec![value, from.node, maker.condition(&scope, 3)])
}

fn grouped_by(maker: &mut Maker<'_>) -> (Rule, Vec<Node>) {
    let from = select::from(maker, &Scope::default(), 2);
    let own = Scope { names: from.names, outer: Vec::new(), has_subqueries: false };
    let Some((key, _)) = select::key(maker, &own) else { return (Rule::Roads(None), vec![whole(maker)]) };
    let (aggregate, _, _) = select::aggregate(maker, &own);
    let head = pattern(
        "select {}, {} as k2 from {} group by {}",
        vec![pattern("{} as k1", vec![key.clone()]), aggregate, from.node, key],
    );
    (Rule::Having, vec![head, select::having(maker, &own)])
}

/// Two conversions of one column.
fn converted_twice(maker: &mut Maker<'_>) -> (Rule, Vec<Node>) {
    let from = select::from(maker, &Scope::default(), 1);
    let ways: &[&str] = &[
        "cast({} as date)",
        "cast({} as time(0))",
        "cast({} as datetime2(0))",
        "convert(char(7), {}, 120)",
        "convert(char(10), {}, 120)",
        "datepart(hour, {})",
    ];
    let of_numbers: &[&str] = &[
        "cast({} as varchar(2))",
        "cast({} as varchar(30))",
        "cast({} as decimal(38, 2))",
        "cast({} as float)",
        "cast({} as numeric(38, 0))",
        "-({})",
    ];
    let is_one = |name: &&crate::expr::Name| matches!(name.family, Family::Moment | Family::Int) && !name.is_any;
    let names: Vec<_> = from.names.iter().filter(is_one).collect();
    if names.is_empty() {
        return (Rule::Roads(None), vec![whole(maker)]);
    }
    let name = (*maker.pick(&names)).clone();
    let ways = if name.family == Family::Moment { ways } else { of_numbers };
    let values = [*maker.pick(ways), *maker.pick(ways)].map(|way| text(way.replace("{}", &name.reference)));
    let clauses = *maker.pick(&Clauses::ALL);
    let [one, two] = values;
    (Rule::Named(clauses), vec![one, two, from.node])
}

fn pivoted(maker: &mut Maker<'_>) -> (Rule, Vec<Node>) {
    let (mut sources, mut names, mut rids) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..1 + maker.dice.below(2) {
        let table = pick(&mut maker.dice, &maker.schema.tables);
        let alias = select::alias(maker);
        names.extend(crate::select::names_of(&alias, &table.columns));
        sources.push((alias, table.name.clone()));
        let row = if table.rows.is_empty() { None } else { Some(pick(&mut maker.dice, &table.rows)) };
        rids.push(row.and_then(|row| row[0].parse().ok()).unwrap_or(-1));
    }
    let scope = Scope { names, outer: Vec::new(), has_subqueries: true };
    let (items, _) = select::items(maker, &scope, 3);
    (Rule::Pivot { sources, rids }, vec![items, maker.condition(&scope, 4)])
}

/// A change of the table that a source names first.
pub(crate) fn change(maker: &mut Maker<'_>, source: &Node) -> Change {
    let mut tables = Vec::new();
    source.tables(&mut tables);
    let table = tables.first().cloned().unwrap_or_else(|| "t0".into());
    let written = source.plain();
    let alias = written.rsplit(' ').next().unwrap_or_default().to_owned();
    let columns: Vec<Column> =
        maker.schema.table(&table).map(|table| table.stored().skip(1).cloned().collect()).unwrap_or_default();
    let column = pick(&mut maker.dice, &columns).clone();
    let target = [Target::Alias, Target::Alias, Target::Table, Target::Qualified, Target::Subquery, Target::Expression];
    Change {
        verb: if maker.dice.chance(50) { Verb::Delete } else { Verb::Update },
        table,
        alias,
        target: *maker.pick(&target),
        column: column.name,
        sql: column.sql,
        in_procedure: maker.dice.chance(20),
    }
}

fn family_of(maker: &Maker<'_>, change: &Change) -> Family {
    let table = maker.schema.table(&change.table);
    let column = table.and_then(|table| table.columns.iter().find(|column| column.name == change.column));
    column.map_or(Family::Int, |column| column.family)
}

fn changed(maker: &mut Maker<'_>) -> (Rule, Vec<Node>) {
    let first = select::base(maker);
    let mut change = change(maker, &first.node);
    let count = maker.dice.below(3);
    let mut names = first.names.clone();
    let mut node = first.node;
    if count > 0 {
        let right = select::from(maker, &Scope::default(), count);
        names.extend(right.names);
        let scope = Scope { names: names.clone(), outer: Vec::new(), has_subqueries: false };
        let join = *maker.pick(&["join", "left join", "right join", "join"]);
        let on = maker.condition(&scope, 1);
        node = pattern(&format!("{{}} {join} {{}} on {{}}"), vec![node, right.node, on]);
    }
    let mut tables = Vec::new();
    node.tables(&mut tables);
    let occurrences = tables.iter().filter(|name| **name == change.table).count();
    // Of two occurrences the table's name says neither; a value of another row cannot be said without FROM.
    if occurrences > 1 && change.target != Target::Subquery {
        change.target = Target::Alias;
    }
    let scope = Scope { names, outer: Vec::new(), has_subqueries: true };
    let own = match (change.verb, change.target) {
        (Verb::Update, Target::Subquery) => Scope { names: Vec::new(), ..scope.clone() },
        _ => scope.clone(),
    };
    let family = family_of(maker, &change);
    let value = maker.value(&own, family, 2);
    let condition = maker.condition(&scope, 3);
    (Rule::Changed(change), vec![node, condition, value])
}

fn merged(maker: &mut Maker<'_>) -> (Rule, Vec<Node>) {
    let (target, source) = (select::base(maker), select::base(maker));
    let change = Change { verb: Verb::Merge, ..change(maker, &target.node) };
    let (own, other) = (&target.names[0].reference, &source.names[0].reference);
    let on = text(format!("{own} = {other}"));
    let names = [target.names.clone(), source.names].concat();
    let both = Scope { names, outer: Vec::new(), has_subqueries: true };
    let alone = Scope { names: target.names, outer: Vec::new(), has_subqueries: true };
    let on = if maker.dice.chance(40) {
        let more = maker.condition(&Scope { has_subqueries: false, ..both.clone() }, 1);
        pattern("{} and {}", vec![on, more])
    } else {
        on
    };
    let family = family_of(maker, &change);
    let value = maker.value(&both, family, 1);
    let (matched, rest) = (maker.condition(&both, 2), maker.condition(&alone, 2));
    (Rule::Changed(change), vec![source.node, on, value, matched, rest])
}
