//! Random queries: sources, groups, windows, set operators, subqueries of every kind.

use crate::expr::{Maker, Name, Scope, frozen, value};
use crate::node::{Family, Node, pattern, text};
use crate::schema::{COLLATIONS, Column, pick};

/// A query and what it gives.
pub struct Query {
    /// The query.
    pub node: Node,
    /// Its columns: name, family, whether any of several equal values is shown.
    pub columns: Vec<(String, Family, bool)>,
}

/// What stands behind FROM and what it offers.
pub struct From {
    /// The sources.
    pub node: Node,
    /// Their columns.
    pub names: Vec<Name>,
    /// Every row of it is named by the `rid` columns in it.
    pub is_base: bool,
}

/// Whether equal values of a family may look different.
fn differs(family: Family) -> bool {
    matches!(family, Family::Text | Family::Binary | Family::Offset)
}

fn default_type(family: Family) -> &'static str {
    match family {
        Family::Int => "int",
        Family::Bit => "bit",
        Family::Decimal => "decimal(9, 2)",
        Family::Money => "money",
        Family::Float => "float",
        Family::Text => "varchar(10)",
        Family::Date => "date",
        Family::Time => "time(3)",
        Family::Moment => "datetime2(3)",
        Family::Offset => "datetimeoffset(0)",
        Family::Guid => "uniqueidentifier",
        Family::Binary => "varbinary(8)",
    }
}

fn list(items: Vec<Node>) -> Node {
    Node::List { items, separator: ", ", least: 1 }
}

fn optional(node: Node) -> Node {
    Node::Optional(Box::new(node))
}

pub(crate) fn names_of(alias: &str, columns: &[Column]) -> Vec<Name> {
    let name = |column: &Column| Name {
        reference: format!("{alias}.{}", column.name),
        family: column.family,
        sql: column.sql.clone(),
        is_any: false,
        is_rid: column.name == "rid",
    };
    columns.iter().map(name).collect()
}

impl Maker<'_> {
    /// One value from a query.
    pub(crate) fn scalar_subquery(&mut self, scope: &Scope, family: Family) -> Node {
        self.level += 1;
        let seen = [scope.outer.clone(), scope.names.clone()].concat();
        let from = base(self);
        let rid = from.names[0].reference.clone();
        let own = Scope { names: from.names.clone(), outer: Vec::new(), has_subqueries: false };
        let inside = Scope { names: from.names, outer: seen, has_subqueries: true };
        let node = match (self.dice.below(3), family) {
            (0, Family::Int) => {
                let filter = filter(self, &inside);
                pattern("(select count(*) from {}{})", vec![from.node, filter])
            }
            (1, family) if !differs(family) && !matches!(family, Family::Bit | Family::Guid) => {
                let item = self.value(&own, family, 1);
                let filter = filter(self, &inside);
                pattern("(select max({}) from {}{})", vec![item, from.node, filter])
            }
            _ => {
                let item = self.value(&inside, family, 1);
                let filter = filter(self, &inside);
                pattern(&format!("(select top (1) {{}} from {{}}{{}} order by {rid})"), vec![item, from.node, filter])
            }
        };
        self.level -= 1;
        node
    }

    /// EXISTS, IN and quantified comparisons.
    pub(crate) fn subquery_condition(&mut self, scope: &Scope) -> Node {
        self.level += 1;
        let seen = [scope.outer.clone(), scope.names.clone()].concat();
        let outside = Scope { names: Vec::new(), outer: seen.clone(), has_subqueries: true };
        let node = if self.dice.chance(40) {
            let query = query(self, &outside);
            let not = *self.pick(&["", "not "]);
            pattern(&format!("{not}exists ({{}})"), vec![query.node])
        } else {
            let mut family = self.family(scope);
            if family == Family::Text {
                family = Family::Int;
            }
            let left = self.value(scope, family, 1);
            let from = from(self, &outside, 1);
            let inside = Scope { names: from.names, outer: seen, has_subqueries: self.dice.chance(30) };
            let item = self.value(&inside, family, 1);
            let filter = filter(self, &inside);
            let query = Node::Query(Box::new(pattern("select {} from {}{}", vec![item, from.node, filter])));
            let operator = *self.pick(&["in", "in", "not in", "= any", "> all", "<> all", "<= some"]);
            pattern(&format!("{{}} {operator} ({{}})"), vec![left, query])
        };
        self.level -= 1;
        node
    }
}

pub(crate) fn alias(maker: &mut Maker<'_>) -> String {
    maker.aliases += 1;
    format!("a{}", maker.aliases)
}

/// A table of the schema under a new alias.
pub(crate) fn base(maker: &mut Maker<'_>) -> From {
    let table = pick(&mut maker.dice, &maker.schema.tables);
    let alias = alias(maker);
    let names = names_of(&alias, &table.columns);
    let node = pattern(&format!("{{}} as {alias}"), vec![Node::Table(table.name.clone())]);
    From { node: Node::Source(Box::new(node)), names, is_base: true }
}

pub(crate) fn view(maker: &mut Maker<'_>) -> From {
    if maker.schema.views.is_empty() {
        return base(maker);
    }
    let view = pick(&mut maker.dice, &maker.schema.views);
    let alias = alias(maker);
    let mut names = names_of(&alias, &view.columns);
    names.iter_mut().for_each(|name| name.is_any = differs(name.family));
    let node = pattern(&format!("{{}} as {alias}"), vec![Node::Table(view.name.clone())]);
    From { node: Node::Source(Box::new(node)), names, is_base: false }
}

pub(crate) fn values(maker: &mut Maker<'_>, outer: &Scope) -> From {
    let alias = alias(maker);
    let (family, other) = (maker.family(outer), Family::Int);
    let scope = Scope { names: Vec::new(), outer: outer.outer.clone(), has_subqueries: false };
    let rows = (0..1 + maker.dice.below(3))
        .map(|_| {
            let first = if family == Family::Text {
                let node = maker.text(&scope, 1, Some(COLLATIONS[0]));
                pattern("{}", vec![node])
            } else {
                maker.value(&scope, family, 1)
            };
            pattern("({}, {})", vec![first, maker.value(&scope, other, 1)])
        })
        .collect();
    let node = pattern(&format!("(values {{}}) as {alias}(k1, k2)"), vec![list(rows)]);
    let name = |column: &str, family| Name {
        reference: format!("{alias}.{column}"),
        family,
        sql: default_type(family).into(),
        is_any: false,
        is_rid: false,
    };
    From { node: Node::Source(Box::new(node)), names: vec![name("k1", family), name("k2", other)], is_base: false }
}

pub(crate) fn derived(maker: &mut Maker<'_>, outer: &Scope) -> From {
    maker.level += 1;
    let query = query(maker, outer);
    maker.level -= 1;
    let alias = alias(maker);
    let names = query.columns.iter().map(|(name, family, is_any)| Name {
        reference: format!("{alias}.{name}"),
        family: *family,
        sql: default_type(*family).into(),
        is_any: *is_any,
        is_rid: false,
    });
    let names = names.collect();
    let node = pattern(&format!("({{}}) as {alias}"), vec![query.node]);
    From { node: Node::Source(Box::new(node)), names, is_base: false }
}

pub(crate) fn source(maker: &mut Maker<'_>, outer: &Scope) -> From {
    match maker.dice.below(14) {
        0 | 1 if maker.level < 2 => derived(maker, outer),
        2 => values(maker, outer),
        3 => view(maker),
        _ => base(maker),
    }
}

/// A condition that two sides meet by.
pub(crate) fn meeting(maker: &mut Maker<'_>, left: &[Name], right: &[Name], scope: &Scope) -> Node {
    let mut pairs = Vec::new();
    for a in left.iter().filter(|name| !name.is_any) {
        for b in right.iter().filter(|name| !name.is_any && name.family == a.family) {
            pairs.push((a, b));
        }
    }
    if pairs.is_empty() || maker.dice.chance(15) {
        return maker.condition(scope, 2);
    }
    let (a, b) = *maker.pick(&pairs);
    let collation =
        if a.family == Family::Text { format!(" collate {}", maker.pick(&COLLATIONS)) } else { String::new() };
    let node = text(format!("{}{collation} = {}{collation}", a.reference, b.reference));
    let equal = Node::Condition(Box::new(node));
    if maker.dice.chance(25) {
        let more = maker.condition(scope, 1);
        return Node::Condition(Box::new(pattern("({} and {})", vec![equal, more])));
    }
    equal
}

/// What stands behind FROM.
pub(crate) fn from(maker: &mut Maker<'_>, outer: &Scope, sources: u64) -> From {
    let mut from = source(maker, outer);
    for _ in 1..sources {
        let kind = maker.dice.below(12);
        if kind < 2 && maker.level < 2 {
            from = apply(maker, from, outer, kind == 0);
            continue;
        }
        let right = source(maker, outer);
        let names: Vec<Name> = from.names.iter().chain(&right.names).cloned().collect();
        let scope = Scope { names: names.clone(), outer: outer.outer.clone(), has_subqueries: maker.dice.chance(10) };
        let join = match kind {
            2 | 3 => "left join",
            4 => "right join",
            5 => "full join",
            6 => "cross join",
            _ => "join",
        };
        let node = if join == "cross join" {
            pattern("{} cross join {}", vec![from.node, right.node])
        } else {
            let on = meeting(maker, &from.names, &right.names, &scope);
            pattern(&format!("({{}} {join} {{}} on {{}})"), vec![from.node, right.node, on])
        };
        from = From { node: Node::Source(Box::new(node)), names, is_base: from.is_base && right.is_base };
    }
    from
}

pub(crate) fn apply(maker: &mut Maker<'_>, left: From, outer: &Scope, is_outer: bool) -> From {
    let seen = [outer.outer.clone(), left.names.clone()].concat();
    let inside = Scope { names: Vec::new(), outer: seen, has_subqueries: true };
    let right = if maker.dice.chance(40) { values(maker, &inside) } else { derived(maker, &inside) };
    let kind = if is_outer { "outer apply" } else { "cross apply" };
    let names = left.names.iter().chain(&right.names).cloned().collect();
    let node = pattern(&format!("{{}} {kind} {{}}"), vec![left.node, right.node]);
    From { node: Node::Source(Box::new(node)), names, is_base: false }
}

pub(crate) fn sources(maker: &mut Maker<'_>) -> u64 {
    let most = if maker.level > 0 { 2 } else { 3 };
    match maker.dice.below(10) {
        0..=4 => 1,
        5..=7 => 2,
        _ => most,
    }
}

/// A query of any kind, to stand alone or in brackets.
pub(crate) fn query(maker: &mut Maker<'_>, outer: &Scope) -> Query {
    let query = match maker.dice.below(12) {
        0..=2 => grouped(maker, outer),
        3 if maker.level < 2 => united(maker, outer),
        4 => windowed(maker, outer),
        5 | 6 => topped(maker, outer),
        _ => simple(maker, outer),
    };
    Query { node: Node::Query(Box::new(query.node)), columns: query.columns }
}

/// Items of a select list: `value as k1`.
pub(crate) fn items(maker: &mut Maker<'_>, scope: &Scope, count: u64) -> (Node, Vec<(String, Family, bool)>) {
    let (mut items, mut columns) = (Vec::new(), Vec::new());
    for at in 1..=count {
        let any: Vec<&Name> = scope.names.iter().filter(|name| name.is_any).collect();
        let (node, family, is_any) = if !any.is_empty() && maker.dice.chance(20) {
            let name = maker.pick(&any);
            (value(name.family, text(name.reference.clone())), name.family, true)
        } else {
            let family = maker.family(scope);
            let depth = maker.dice.below(3) as u32;
            (maker.value(scope, family, depth), family, false)
        };
        items.push(pattern(&format!("{{}} as k{at}"), vec![node]));
        columns.push((format!("k{at}"), family, is_any));
    }
    (list(items), columns)
}

pub(crate) fn filter(maker: &mut Maker<'_>, scope: &Scope) -> Node {
    if maker.dice.chance(70) {
        return optional(pattern(" where {}", vec![maker.condition(scope, 3)]));
    }
    text("")
}

pub(crate) fn simple(maker: &mut Maker<'_>, outer: &Scope) -> Query {
    let sources = sources(maker);
    let from = from(maker, outer, sources);
    let scope = Scope { names: from.names, outer: outer.outer.clone(), has_subqueries: true };
    let count = 1 + maker.dice.below(4);
    let (items, mut columns) = items(maker, &scope, count);
    let filter = filter(maker, &scope);
    let distinct = maker.dice.chance(20);
    let word = if distinct { optional(text("distinct ")) } else { text("") };
    columns.iter_mut().for_each(|(_, family, is_any)| *is_any |= distinct && differs(*family));
    Query { node: pattern("select {}{} from {}{}", vec![word, items, from.node, filter]), columns }
}

/// TOP or OFFSET over an order in which rows that are equal are the same.
fn topped(maker: &mut Maker<'_>, outer: &Scope) -> Query {
    let from = from(maker, outer, 1);
    let scope = Scope { names: from.names, outer: outer.outer.clone(), has_subqueries: true };
    let (items, mut columns) = items(maker, &scope, 2);
    columns.iter_mut().for_each(|(_, family, is_any)| *is_any |= differs(*family));
    let filter = filter(maker, &scope);
    let mut order = [1, 2];
    if maker.dice.chance(50) {
        order.swap(0, 1);
    }
    let ways = [*maker.pick(&["", " desc"]), *maker.pick(&["", " desc"])];
    let order = format!(" order by {}{}, {}{}", order[0], ways[0], order[1], ways[1]);
    let number = maker.dice.below(8);
    let node = if maker.dice.chance(60) {
        let ties = *maker.pick(&["", "", " with ties", " percent"]);
        let number = if ties == " percent" { number * 10 } else { number };
        pattern(&format!("select top ({number}){ties} {{}} from {{}}{{}}{order}"), vec![items, from.node, filter])
    } else {
        let fetch = if maker.dice.chance(70) { format!(" fetch next {} rows only", number + 1) } else { String::new() };
        let page = format!("{order} offset {} rows{fetch}", maker.dice.below(5));
        pattern(&format!("select {{}} from {{}}{{}}{page}"), vec![items, from.node, filter])
    };
    Query { node, columns }
}

/// An aggregate of the scope's own columns.
pub(crate) fn aggregate(maker: &mut Maker<'_>, scope: &Scope) -> (Node, Family, bool) {
    let own = Scope { names: scope.names.clone(), outer: Vec::new(), has_subqueries: false };
    match maker.dice.below(8) {
        0 => (text("count(*)"), Family::Int, false),
        1 | 2 => {
            let family = maker.family(&own);
            let distinct = *maker.pick(&["", "distinct "]);
            (pattern(&format!("count({distinct}{{}})"), vec![maker.value(&own, family, 1)]), Family::Int, false)
        }
        3 | 4 => {
            let family = *maker.pick(&[Family::Int, Family::Decimal, Family::Money, Family::Float]);
            let function = *maker.pick(&["sum({})", "sum({})", "avg({})", "sum(distinct {})"]);
            // Sums of floats depend on the order of the rows unless they are exact.
            let depth = if family == Family::Float { 0 } else { 1 };
            (pattern(function, vec![maker.value(&own, family, depth)]), family, false)
        }
        _ => {
            let mut family = maker.family(&own);
            if family == Family::Bit {
                family = Family::Int;
            }
            let function = *maker.pick(&["min({})", "max({})"]);
            (pattern(function, vec![maker.value(&own, family, 1)]), family, differs(family))
        }
    }
}

pub(crate) fn grouped(maker: &mut Maker<'_>, outer: &Scope) -> Query {
    let sources = sources(maker);
    let from = from(maker, outer, sources);
    let scope = Scope { names: from.names, outer: outer.outer.clone(), has_subqueries: true };
    let own = Scope { names: scope.names.clone(), outer: Vec::new(), has_subqueries: false };
    let filter = filter(maker, &scope);
    let keys: Vec<(Node, Family)> = (0..maker.dice.below(3)).filter_map(|_| key(maker, &own)).collect();
    let (mut items, mut columns) = (Vec::new(), Vec::new());
    for (key, family) in &keys {
        items.push(key.clone());
        columns.push((*family, differs(*family)));
    }
    for _ in 0..1 + maker.dice.below(2) {
        let (node, family, is_any) = aggregate(maker, &own);
        items.push(value(family, node));
        columns.push((family, is_any));
    }
    let written: Vec<String> = keys.iter().map(|(key, _)| key.plain()).collect();
    let group = match (written.len(), maker.dice.below(6)) {
        (0, _) => String::new(),
        (2, 0) => format!(" group by rollup({})", written.join(", ")),
        (2, 1) => format!(" group by cube({})", written.join(", ")),
        (2, 2) => format!(" group by grouping sets(({}), ({}), ())", written[0], written[1]),
        (1, 0) => format!(" group by grouping sets(({}), ())", written[0]),
        _ => format!(" group by {}", written.join(", ")),
    };
    if group.contains('(') && group.contains("rollup(") {
        items.push(text(format!("grouping({})", written[0])));
        columns.push((Family::Int, false));
    }
    let having =
        if maker.dice.chance(30) { optional(pattern(" having {}", vec![having(maker, &own)])) } else { text("") };
    let items = items.into_iter().zip(1..).map(|(item, at)| pattern(&format!("{{}} as k{at}"), vec![item])).collect();
    let columns = columns.into_iter().zip(1..).map(|((family, any), at)| (format!("k{at}"), family, any)).collect();
    let group = optional(text(group));
    Query { node: pattern("select {} from {}{}{}{}", vec![list(items), from.node, filter, group, having]), columns }
}

/// A condition over aggregates.
pub(crate) fn having(maker: &mut Maker<'_>, own: &Scope) -> Node {
    let number = maker.dice.below(4);
    let node = match maker.dice.below(3) {
        0 => text(format!("count(*) > {number}")),
        1 => pattern(&format!("sum({{}}) > {number}"), vec![maker.value(own, Family::Int, 1)]),
        _ => pattern("min({}) < max({})", vec![maker.value(own, Family::Int, 1), maker.value(own, Family::Int, 1)]),
    };
    Node::Condition(Box::new(node))
}

/// Something that names a column, to group by.
pub(crate) fn key(maker: &mut Maker<'_>, own: &Scope) -> Option<(Node, Family)> {
    let names: Vec<&Name> = own.names.iter().collect();
    if names.is_empty() {
        return None;
    }
    let name = (*maker.pick(&names)).clone();
    if name.family == Family::Int && maker.dice.chance(30) {
        return Some((text(format!("{} % 3", name.reference)), name.family));
    }
    if name.family == Family::Text && !name.is_any && maker.dice.chance(20) {
        return Some((text(format!("upper({})", name.reference)), name.family));
    }
    Some((frozen(text(name.reference)), name.family))
}

pub(crate) fn windowed(maker: &mut Maker<'_>, outer: &Scope) -> Query {
    let sources = 1 + maker.dice.below(2);
    let from = from(maker, outer, sources);
    let is_base = from.is_base;
    let scope = Scope { names: from.names, outer: outer.outer.clone(), has_subqueries: true };
    let own = Scope { names: scope.names.clone(), outer: Vec::new(), has_subqueries: false };
    let (items, columns) = items(maker, &scope, 2);
    let filter = filter(maker, &scope);
    let partition = match key(maker, &own) {
        Some((key, _)) if maker.dice.chance(50) => format!("partition by {} ", key.plain()),
        _ => String::new(),
    };
    let rids: Vec<&str> = own.names.iter().filter(|name| name.is_rid).map(|name| name.reference.as_str()).collect();
    let rids = rids.join(", ");
    let loose = key(maker, &own).map_or("rid".into(), |(key, _)| key.plain());
    let way = *maker.pick(&["", " desc"]);
    let total = format!("{partition}order by {loose}{way}, {rids}");
    let number = maker.value(&own, Family::Int, 1);
    let (call, family) = match maker.dice.below(if is_base && !rids.contains(&loose) { 9 } else { 4 }) {
        0 => (text(format!("rank() over ({partition}order by {loose}{way})")), Family::Int),
        1 => (text(format!("dense_rank() over ({partition}order by {loose}{way})")), Family::Int),
        2 => (pattern(&format!("sum({{}}) over ({partition}order by {loose}{way})"), vec![number]), Family::Int),
        3 => (pattern(&format!("count({{}}) over ({partition})"), vec![number]), Family::Int),
        4 => (text(format!("row_number() over ({total})")), Family::Int),
        5 => (pattern(&format!("lag({{}}, 2) over ({total})"), vec![number]), Family::Int),
        6 => {
            let frame = *maker.pick(&[
                "rows between 1 preceding and 1 following",
                "rows unbounded preceding",
                "rows between current row and unbounded following",
            ]);
            (pattern(&format!("sum({{}}) over ({total} {frame})"), vec![number]), Family::Int)
        }
        7 => (pattern(&format!("first_value({{}}) over ({total})"), vec![number]), Family::Int),
        _ => (text(format!("ntile(3) over ({total})")), Family::Int),
    };
    let mut columns = columns;
    columns.push(("k3".into(), family, false));
    let call = pattern("{} as k3", vec![value(family, call)]);
    Query { node: pattern("select {}, {} from {}{}", vec![items, call, from.node, filter]), columns }
}

pub(crate) fn united(maker: &mut Maker<'_>, outer: &Scope) -> Query {
    let families: Vec<Family> = (0..1 + maker.dice.below(3)).map(|_| *maker.pick(&Family::ALL)).collect();
    let collation = *maker.pick(&COLLATIONS);
    let mut side = || {
        let from = from(maker, outer, 1);
        let scope = Scope { names: from.names, outer: outer.outer.clone(), has_subqueries: false };
        let mut items = Vec::new();
        for (family, at) in families.iter().zip(1..) {
            let item = match family {
                Family::Text => {
                    let item = maker.text(&scope, 1, Some(collation));
                    pattern(&format!("{{}} collate {collation}"), vec![item])
                }
                _ => maker.value(&scope, *family, 1),
            };
            items.push(pattern(&format!("{{}} as k{at}"), vec![item]));
        }
        let filter = filter(maker, &scope);
        let parts = vec![list(items), from.node, filter];
        Node::Query(Box::new(pattern("select {} from {}{}", parts)))
    };
    let (left, right) = (side(), side());
    let operator = *maker.pick(&["union", "union all", "except", "intersect", "union all"]);
    let any = operator != "union all";
    let columns = families.iter().zip(1..).map(|(family, at)| (format!("k{at}"), *family, any && differs(*family)));
    Query { node: pattern(&format!("{{}} {operator} {{}}"), vec![left, right]), columns: columns.collect() }
}
