//! Random tables and statements of the subset that SQL Server, PostgreSQL and DuckDB answer alike.
//!
//! What always holds: text is of small letters and digits, so that collations agree; decimals are multiplied once at
//! most, so that no scale is cut; nothing divides but whole numbers; rows that a window or a page chooses among are
//! ordered by something that differs. Words of [`super::dialect`] stand where dialects differ.

use std::fmt::Write;

use millpond_device::chance::Dice;

use crate::node::{Family, Node, pattern, text};

/// A table and its rows.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Name, family and type of each column; the first is its key, `rid`.
    pub columns: Vec<(String, Family, &'static str)>,
    /// Values as they are written.
    pub rows: Vec<Vec<String>>,
    /// What T-SQL is to make beside it.
    pub index: String,
}

/// A statement that is asked and what its columns are.
#[derive(Clone, Debug)]
pub struct Query {
    /// The statement: a query, or a change after which `shown` is asked.
    pub node: Node,
    /// Families of its columns.
    pub families: Vec<Family>,
    /// The table that it changes.
    pub changes: Option<String>,
}

/// Queries inside of queries.
const LEVEL_MAX: u32 = 2;

const FAMILIES: [Family; 4] = [Family::Int, Family::Decimal, Family::Text, Family::Date];

#[derive(Clone)]
struct Name {
    reference: String,
    family: Family,
    /// Of a table: short enough to be multiplied.
    is_base: bool,
}

#[derive(Clone, Default)]
struct Scope {
    names: Vec<Name>,
    outer: Vec<Name>,
}

impl Scope {
    fn seen(&self) -> Vec<Name> {
        [self.names.clone(), self.outer.clone()].concat()
    }
}

struct From {
    node: Node,
    names: Vec<Name>,
    /// The key of its only table.
    rid: Option<String>,
}

/// The tables of a seed.
#[must_use]
pub fn tables(seed: u64) -> Vec<Table> {
    let mut dice = Dice::new(seed);
    (0..3).map(|at| table(&mut dice, &format!("t{at}"))).collect()
}

fn table(dice: &mut Dice, name: &str) -> Table {
    let mut columns = vec![("rid".to_owned(), Family::Int, "int")];
    for at in 1..4 + dice.below(3) {
        let family = FAMILIES[dice.below(4) as usize];
        let sql = match family {
            Family::Int => ["int", "smallint", "bigint"][dice.below(3) as usize],
            Family::Decimal => "decimal(9, 2)",
            Family::Text => ["varchar(10)", "varchar(30)"][dice.below(2) as usize],
            _ => "date",
        };
        columns.push((format!("c{at}"), family, sql));
    }
    let count = [0, 3, 8, 20, 60][dice.below(5) as usize];
    let rows = (1..=count)
        .map(|rid| {
            let value = |(at, (_, family, _)): (usize, &(String, Family, &str))| match at {
                0 => rid.to_string(),
                _ if dice.chance(20) => "null".into(),
                _ => constant(dice, *family),
            };
            columns.iter().enumerate().map(value).collect()
        })
        .collect();
    let column = &columns[1 + dice.below(columns.len() as u64 - 1) as usize].0;
    let index = match dice.below(4) {
        0 => format!("create index i on {name} ({column})"),
        1 => format!("create clustered index i on {name} ({column}, rid)"),
        2 => format!("create unique index i on {name} (rid); create index j on {name} ({column} desc) include (rid)"),
        _ => String::new(),
    };
    Table { name: name.to_owned(), columns, rows, index }
}

fn constant(dice: &mut Dice, family: Family) -> String {
    match family {
        Family::Int => ["0", "1", "2", "3", "5", "7", "-1", "-4", "12", "100"][dice.below(10) as usize].into(),
        Family::Decimal => ["0.00", "1.50", "2.00", "-1.25", "10.01", "99.99", "0.05"][dice.below(7) as usize].into(),
        Family::Text => {
            ["'a'", "'ab'", "'abc'", "'b'", "'ba'", "''", "'1'", "'12'", "'c3'"][dice.below(9) as usize].into()
        }
        _ => {
            let (month, day) = (1 + dice.below(3), 1 + dice.below(28));
            format!("cast('202{}-{month:02}-{day:02}' as date)", dice.below(2) * 4)
        }
    }
}

impl Table {
    /// Statements that make it; with its index where T-SQL reads them.
    #[must_use]
    pub fn script(&self, indexed: bool) -> Vec<String> {
        let columns: Vec<String> = self.columns.iter().map(|(name, _, sql)| format!("{name} {sql} null")).collect();
        let mut batches = vec![format!("drop table if exists {}", self.name)];
        batches.push(format!("create table {} ({})", self.name, columns.join(", ")));
        if indexed && !self.index.is_empty() {
            batches.push(self.index.clone());
        }
        if !self.rows.is_empty() {
            let rows: Vec<String> = self.rows.iter().map(|row| format!("({})", row.join(", "))).collect();
            batches.push(format!("insert into {} values {}", self.name, rows.join(", ")));
        }
        batches
    }

    fn names(&self, alias: &str) -> Vec<Name> {
        let name = |(name, family, _): &(String, Family, &str)| Name {
            reference: format!("{alias}.{name}"),
            family: *family,
            is_base: true,
        };
        self.columns.iter().map(name).collect()
    }
}

fn list(items: Vec<Node>) -> Node {
    Node::List { items, separator: ", ", least: 1 }
}

fn optional(node: Node) -> Node {
    Node::Optional(Box::new(node))
}

fn valued(family: Family, node: Node) -> Node {
    Node::Value(family, Box::new(node))
}

fn conditional(node: Node) -> Node {
    Node::Condition(Box::new(node))
}

/// A statement of a seed over tables.
#[must_use]
pub fn query(tables: &[Table], seed: u64) -> Query {
    let mut maker = Maker { dice: Dice::new(seed), tables, aliases: 0, level: 0 };
    if maker.dice.chance(20) { maker.change() } else { maker.any_query(&Scope::default()) }
}

struct Maker<'a> {
    dice: Dice,
    tables: &'a [Table],
    aliases: u32,
    level: u32,
}

impl Maker<'_> {
    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.dice.below(of.len() as u64) as usize].clone()
    }

    fn alias(&mut self) -> String {
        self.aliases += 1;
        format!("a{}", self.aliases)
    }

    fn leaf(&mut self, scope: &Scope, family: Family, base_only: bool) -> Node {
        let fits = |name: &Name| name.family == family && (name.is_base || !base_only);
        let names: Vec<Name> = scope.seen().into_iter().filter(fits).collect();
        if !names.is_empty() && self.dice.chance(80) {
            let name = self.pick(&names);
            return valued(family, text(name.reference));
        }
        let sql = match family {
            Family::Int => "int",
            Family::Decimal => "decimal(9, 2)",
            Family::Text => "varchar(10)",
            _ => "date",
        };
        let written =
            if self.dice.chance(8) { format!("cast(null as {sql})") } else { constant(&mut self.dice, family) };
        valued(family, text(written))
    }

    fn value(&mut self, scope: &Scope, family: Family, depth: u32) -> Node {
        if depth == 0 || self.dice.chance(30) {
            return self.leaf(scope, family, false);
        }
        let below = depth - 1;
        let node = match self.dice.below(10) {
            0 => {
                let condition = self.condition(scope, below);
                let (a, b) = (self.value(scope, family, below), self.value(scope, family, below));
                pattern("case when {} then {} else {} end", vec![condition, a, b])
            }
            1 => pattern("coalesce({}, {})", vec![self.value(scope, family, below), self.leaf(scope, family, false)]),
            2 => pattern("nullif({}, {})", vec![self.leaf(scope, family, false), self.value(scope, family, below)]),
            3 if self.level < LEVEL_MAX => return self.scalar_query(scope, family),
            _ => self.operation(scope, family, below),
        };
        valued(family, node)
    }

    fn operation(&mut self, scope: &Scope, family: Family, below: u32) -> Node {
        let way = self.dice.below(7);
        match family {
            Family::Int => match way {
                0 => pattern("(«days(»{}«days,»{}«days)»)", self.two(scope, Family::Date, below)),
                1 => pattern("«len»({})", vec![self.value(scope, Family::Text, below)]),
                2 => pattern("«year(»{}«year)»", vec![self.value(scope, Family::Date, below)]),
                3 => pattern("({} «/» nullif({}, 0))", self.two(scope, Family::Int, below)),
                4 => pattern("({} % nullif({}, 0))", self.two(scope, Family::Int, below)),
                5 => pattern("abs({})", vec![self.value(scope, Family::Int, below)]),
                _ => {
                    let operator = self.pick(&["({} + {})", "({} - {})"]);
                    pattern(operator, self.two(scope, Family::Int, below))
                }
            },
            Family::Decimal => match way {
                0 | 1 => {
                    let leaves = vec![self.leaf(scope, Family::Decimal, true), self.leaf(scope, Family::Decimal, true)];
                    pattern("({} * {})", leaves)
                }
                2 => pattern("cast({} as decimal(12, 2))", vec![self.value(scope, Family::Int, below)]),
                3 => pattern("round({}, 1)", vec![self.value(scope, Family::Decimal, below)]),
                _ => {
                    let operator = self.pick(&["({} + {})", "({} - {})"]);
                    pattern(operator, self.two(scope, Family::Decimal, below))
                }
            },
            Family::Text => match way {
                0 | 1 => pattern("({} «+» {})", self.two(scope, Family::Text, below)),
                2 => {
                    let (from, count) = (1 + self.dice.below(3), self.dice.below(4));
                    let pieces = format!("substring({{}}, {from}, {count})");
                    pattern(&pieces, vec![self.value(scope, Family::Text, below)])
                }
                3 => pattern("replace({}, 'a', 'bb')", vec![self.value(scope, Family::Text, below)]),
                4 => pattern("cast({} as varchar(20))", vec![self.value(scope, Family::Int, below)]),
                5 => pattern("concat({}, {})", self.two(scope, Family::Text, below)),
                _ => {
                    let function = self.pick(&["left({}, 2)", "right({}, 2)", "reverse({})", "trim({})"]);
                    pattern(function, vec![self.value(scope, Family::Text, below)])
                }
            },
            _ => {
                let days = self.dice.below(60);
                pattern(&format!("«later(»{days}«later,»{{}}«later)»"), vec![self.value(scope, Family::Date, below)])
            }
        }
    }

    fn two(&mut self, scope: &Scope, family: Family, depth: u32) -> Vec<Node> {
        vec![self.value(scope, family, depth), self.value(scope, family, depth)]
    }

    /// `(select min(…) from …)`, which has one row.
    fn scalar_query(&mut self, scope: &Scope, family: Family) -> Node {
        self.level += 1;
        let outside = Scope { names: Vec::new(), outer: scope.seen() };
        let from = self.from(&outside, 1);
        let inside = Scope { names: from.names.clone(), outer: outside.outer };
        let own = Scope { names: from.names, outer: Vec::new() };
        let function = if family == Family::Int && self.dice.chance(50) {
            text("count(*)")
        } else {
            let function = self.pick(&["min({})", "max({})"]);
            pattern(function, vec![self.value(&own, family, 0)])
        };
        let filter = self.filter(&inside);
        self.level -= 1;
        valued(family, pattern("(select {} from {}{})", vec![function, from.node, filter]))
    }

    fn condition(&mut self, scope: &Scope, depth: u32) -> Node {
        if depth > 0 && self.dice.chance(35) {
            let (a, b) = (self.condition(scope, depth - 1), self.condition(scope, depth - 1));
            let node = match self.dice.below(3) {
                0 => pattern("({} and {})", vec![a, b]),
                1 => pattern("({} or {})", vec![a, b]),
                _ => pattern("not ({})", vec![a]),
            };
            return conditional(node);
        }
        let family = self.pick(&FAMILIES);
        let below = depth.min(1);
        let node = match self.dice.below(9) {
            0 => pattern("{} is null", vec![self.value(scope, family, below)]),
            1 => pattern("{} is not null", vec![self.value(scope, family, below)]),
            2 => {
                let mut parts = vec![self.value(scope, family, below)];
                parts.extend(self.two(scope, family, 0));
                pattern("{} between {} and {}", parts)
            }
            3 => {
                let operator = self.pick(&["in", "not in"]);
                let value = self.value(scope, family, below);
                let items = (0..1 + self.dice.below(4)).map(|_| self.leaf(scope, family, false)).collect();
                pattern(&format!("{{}} {operator} ({{}})"), vec![value, list(items)])
            }
            4 => {
                let mask = self.pick(&["a%", "%b", "%a%", "_b%", "", "1_", "%"]);
                let not = self.pick(&["", "", "not "]);
                pattern(&format!("{{}} {not}like '{mask}'"), vec![self.value(scope, Family::Text, below)])
            }
            5 | 6 if self.level < LEVEL_MAX => self.subquery_condition(scope),
            _ => {
                let operator = self.pick(&["=", "=", "<>", "<", "<=", ">", ">="]);
                pattern(&format!("{{}} {operator} {{}}"), self.two(scope, family, below))
            }
        };
        conditional(node)
    }

    fn subquery_condition(&mut self, scope: &Scope) -> Node {
        self.level += 1;
        let outside = Scope { names: Vec::new(), outer: scope.seen() };
        let node = if self.dice.chance(45) {
            let query = self.any_query(&outside);
            let not = self.pick(&["", "not "]);
            pattern(&format!("{not}exists ({{}})"), vec![query.node])
        } else {
            let family = self.pick(&FAMILIES);
            let left = self.value(scope, family, 1);
            let sources = 1 + self.dice.below(2);
            let from = self.from(&outside, sources);
            let inside = Scope { names: from.names, outer: outside.outer };
            let (item, filter) = (self.value(&inside, family, 1), self.filter(&inside));
            let query = Node::Query(Box::new(pattern("select {} from {}{}", vec![item, from.node, filter])));
            let operator = self.pick(&["in", "in", "not in", "= any", "> all", "<> all", "<= any", "< all"]);
            pattern(&format!("{{}} {operator} ({{}})"), vec![left, query])
        };
        self.level -= 1;
        node
    }

    fn filter(&mut self, scope: &Scope) -> Node {
        if self.dice.chance(65) { optional(pattern(" where {}", vec![self.condition(scope, 2)])) } else { text("") }
    }

    fn base(&mut self) -> From {
        let table = self.pick(self.tables);
        self.base_of(&table)
    }

    /// A table that is not this one: in T-SQL it would be the target itself.
    fn other_than(&mut self, table: &Table) -> From {
        let others: Vec<Table> = self.tables.iter().filter(|other| other.name != table.name).cloned().collect();
        let other = self.pick(&others);
        self.base_of(&other)
    }

    fn base_of(&mut self, table: &Table) -> From {
        let alias = self.alias();
        let node = Node::Source(Box::new(text(format!("{} as {alias}", table.name))));
        From { node, names: table.names(&alias), rid: Some(format!("{alias}.rid")) }
    }

    fn derived(&mut self, outer: &Scope) -> From {
        self.level += 1;
        let query = self.any_query(outer);
        self.level -= 1;
        let alias = self.alias();
        let names = query.families.iter().enumerate().map(|(at, family)| Name {
            reference: format!("{alias}.k{}", at + 1),
            family: *family,
            is_base: false,
        });
        let names = names.filter(|name| name.family != Family::Float).collect();
        let node = pattern(&format!("({{}}) as {alias}"), vec![query.node]);
        From { node: Node::Source(Box::new(node)), names, rid: None }
    }

    fn values(&mut self, outer: &Scope) -> From {
        let alias = self.alias();
        let family = self.pick(&FAMILIES);
        let scope = Scope { names: Vec::new(), outer: outer.outer.clone() };
        let rows = (0..1 + self.dice.below(3))
            .map(|_| pattern("({}, {})", vec![self.value(&scope, family, 1), self.value(&scope, Family::Int, 0)]))
            .collect();
        let node = pattern(&format!("(values {{}}) as {alias}(k1, k2)"), vec![list(rows)]);
        let name = |column: &str, family| Name { reference: format!("{alias}.{column}"), family, is_base: false };
        From { node: Node::Source(Box::new(node)), names: vec![name("k1", family), name("k2", Family::Int)], rid: None }
    }

    fn source(&mut self, outer: &Scope) -> From {
        match self.dice.below(10) {
            0 | 1 if self.level < LEVEL_MAX => self.derived(outer),
            2 => self.values(outer),
            _ => self.base(),
        }
    }

    fn from(&mut self, outer: &Scope, sources: u64) -> From {
        let mut from = self.source(outer);
        for _ in 1..sources {
            let kind = self.dice.below(10);
            if kind < 2 && self.level < LEVEL_MAX {
                from = self.apply(from, outer, kind == 0);
                continue;
            }
            let right = self.source(outer);
            let names = [from.names.clone(), right.names.clone()].concat();
            let scope = Scope { names: names.clone(), outer: outer.outer.clone() };
            let join = self.pick(&["join", "join", "left join", "right join", "full join", "cross join"]);
            let node = if join == "cross join" {
                pattern("({} cross join {})", vec![from.node, right.node])
            } else {
                let on = self.meeting(&from.names, &right.names, &scope, join == "full join");
                pattern(&format!("({{}} {join} {{}} on {{}})"), vec![from.node, right.node, on])
            };
            from = From { node: Node::Source(Box::new(node)), names, rid: None };
        }
        from
    }

    fn meeting(&mut self, left: &[Name], right: &[Name], scope: &Scope, is_plain: bool) -> Node {
        let mut pairs = Vec::new();
        for a in left {
            for b in right.iter().filter(|b| b.family == a.family) {
                pairs.push(format!("{} = {}", a.reference, b.reference));
            }
        }
        if pairs.is_empty() || (!is_plain && self.dice.chance(20)) {
            return self.condition(scope, 1);
        }
        let equal = conditional(text(self.pick(&pairs)));
        if self.dice.chance(25) {
            let more = self.condition(scope, 1);
            return conditional(pattern("({} and {})", vec![equal, more]));
        }
        equal
    }

    fn apply(&mut self, left: From, outer: &Scope, is_outer: bool) -> From {
        let inside = Scope { names: Vec::new(), outer: [outer.outer.clone(), left.names.clone()].concat() };
        let right = if self.dice.chance(40) { self.values(&inside) } else { self.derived(&inside) };
        let form = if is_outer { "({} «outer apply» {}«on»)" } else { "({} «cross apply» {})" };
        let names = [left.names, right.names].concat();
        From { node: Node::Source(Box::new(pattern(form, vec![left.node, right.node]))), names, rid: None }
    }

    fn any_query(&mut self, outer: &Scope) -> Query {
        let query = match self.dice.below(12) {
            0..=2 => self.grouped(outer),
            3 if self.level < LEVEL_MAX => self.united(outer),
            4 | 5 => self.windowed(outer),
            6 => self.paged(outer),
            7 if self.level == 0 => self.named(outer),
            _ => self.simple(outer),
        };
        Query { node: Node::Query(Box::new(query.node)), ..query }
    }

    fn items(&mut self, scope: &Scope, families: &[Family]) -> Node {
        let items = families.iter().enumerate().map(|(at, family)| {
            let depth = self.dice.below(3) as u32;
            pattern(&format!("{{}} as k{}", at + 1), vec![self.value(scope, *family, depth)])
        });
        list(items.collect())
    }

    fn families(&mut self) -> Vec<Family> {
        (0..1 + self.dice.below(3)).map(|_| self.pick(&FAMILIES)).collect()
    }

    fn sources(&mut self) -> u64 {
        if self.level > 1 { 1 } else { self.pick(&[1, 1, 1, 2, 2, 3]) }
    }

    fn simple(&mut self, outer: &Scope) -> Query {
        let families = self.families();
        self.simple_of(outer, families)
    }

    fn simple_of(&mut self, outer: &Scope, families: Vec<Family>) -> Query {
        let sources = self.sources();
        let from = self.from(outer, sources);
        let scope = Scope { names: from.names, outer: outer.outer.clone() };
        let (items, filter) = (self.items(&scope, &families), self.filter(&scope));
        let word = if self.dice.chance(25) { optional(text("distinct ")) } else { text("") };
        let node = pattern("select {}{} from {}{}", vec![word, items, from.node, filter]);
        Query { node, families, changes: None }
    }

    /// A value without a query inside: T-SQL has none in an aggregate.
    fn plain(&mut self, scope: &Scope, family: Family, depth: u32) -> Node {
        let level = std::mem::replace(&mut self.level, LEVEL_MAX);
        let node = self.value(scope, family, depth);
        self.level = level;
        node
    }

    fn aggregate(&mut self, own: &Scope, rid: Option<&str>) -> (Node, Family) {
        let family = self.pick(&FAMILIES);
        match self.dice.below(8) {
            0 => (text("count(*)"), Family::Int),
            1 => (pattern("count({})", vec![self.plain(own, family, 1)]), Family::Int),
            2 => (pattern("count(distinct {})", vec![self.plain(own, family, 1)]), Family::Int),
            3 => (pattern("sum({})", vec![self.plain(own, Family::Int, 1)]), Family::Int),
            4 => {
                let function = self.pick(&["sum({})", "sum(distinct {})"]);
                (pattern(function, vec![self.plain(own, Family::Decimal, 1)]), Family::Decimal)
            }
            5 => (pattern("avg(cast({} as «float»))", vec![self.plain(own, Family::Decimal, 0)]), Family::Float),
            6 if rid.is_some() => {
                let form = format!("string_agg({{}}, '-'«within»order by {})", rid.unwrap_or_default());
                (pattern(&form, vec![self.plain(own, Family::Text, 0)]), Family::Text)
            }
            _ => {
                let function = self.pick(&["min({})", "max({})"]);
                (pattern(function, vec![self.plain(own, family, 1)]), family)
            }
        }
    }

    fn grouped(&mut self, outer: &Scope) -> Query {
        let sources = self.sources();
        let from = self.from(outer, sources);
        let scope = Scope { names: from.names.clone(), outer: outer.outer.clone() };
        let own = Scope { names: from.names.clone(), outer: Vec::new() };
        let filter = self.filter(&scope);
        let mut keys: Vec<Name> = Vec::new();
        // An average is no key: a source of averages alone has none.
        let keys_max = if from.names.is_empty() { 0 } else { self.dice.below(3) };
        for _ in 0..keys_max {
            let name = self.pick(&from.names);
            if keys.iter().all(|key| key.reference != name.reference) {
                keys.push(name);
            }
        }
        let mut items: Vec<Node> = Vec::new();
        let mut families: Vec<Family> = Vec::new();
        for key in &keys {
            items.push(text(key.reference.clone()));
            families.push(key.family);
        }
        for _ in 0..1 + self.dice.below(2) {
            let (node, family) = self.aggregate(&own, from.rid.as_deref());
            items.push(valued(family, node));
            families.push(family);
        }
        let items = items.into_iter().enumerate();
        let items = items.map(|(at, item)| pattern(&format!("{{}} as k{}", at + 1), vec![item])).collect();
        let written: Vec<&str> = keys.iter().map(|key| key.reference.as_str()).collect();
        let group = match (&written[..], self.dice.below(6)) {
            ([], _) => String::new(),
            ([a, b], 0) => format!(" group by rollup({a}, {b})"),
            ([a, b], 1) => format!(" group by cube({a}, {b})"),
            ([a, b], 2) => format!(" group by grouping sets(({a}), ({b}), ())"),
            ([a], 0) => format!(" group by grouping sets(({a}), ())"),
            _ => format!(" group by {}", written.join(", ")),
        };
        let having = if self.dice.chance(25) {
            let operator = self.pick(&[">", "<=", "<>"]);
            let bound = self.dice.below(4);
            let function = self.pick(&["count(*)", "count({})", "min({})", "max({})"]);
            let parts = if function == "count(*)" { vec![] } else { vec![self.plain(&own, Family::Int, 1)] };
            let condition = conditional(pattern(&format!("{function} {operator} {bound}"), parts));
            optional(pattern(" having {}", vec![condition]))
        } else {
            text("")
        };
        let node = pattern("select {} from {}{}{}{}", vec![list(items), from.node, filter, text(group), having]);
        Query { node, families, changes: None }
    }

    fn united(&mut self, outer: &Scope) -> Query {
        self.level += 1;
        let families = self.families();
        let (left, right) = (self.simple_of(outer, families.clone()), self.simple_of(outer, families.clone()));
        let operator = self.pick(&["union", "union all", "intersect", "except"]);
        let node = pattern(&format!("{{}} {operator} {{}}"), vec![left.node, right.node]);
        self.level -= 1;
        Query { node, families, changes: None }
    }

    /// Windows over one table in the order of its keys.
    fn windowed(&mut self, outer: &Scope) -> Query {
        let from = self.base();
        let rid = from.rid.clone().unwrap_or_default();
        let own = Scope { names: from.names.clone(), outer: Vec::new() };
        let scope = Scope { names: from.names, outer: outer.outer.clone() };
        let (mut items, mut families) = (vec![text(rid.clone())], vec![Family::Int]);
        for _ in 0..1 + self.dice.below(3) {
            let family = self.pick(&FAMILIES);
            let partition = if self.dice.chance(60) {
                let key = self.value(&own, family, 0);
                optional(pattern("partition by {} ", vec![key]))
            } else {
                text("")
            };
            let way = self.pick(&["«asc»", "«desc»"]);
            let first = text(self.pick(&own.names).reference);
            let order = pattern(&format!("order by {{}}{way}, {rid}«desc»"), vec![first]);
            let frame = self.pick(&[
                "",
                " rows between 1 preceding and 2 following",
                " rows unbounded preceding",
                " rows between 3 preceding and 1 preceding",
                " rows between 1 following and unbounded following",
                " range between unbounded preceding and current row",
                " range between current row and unbounded following",
            ]);
            let value = self.plain(&own, family, 1);
            let (function, parts, of, framed) = match self.dice.below(10) {
                0 => ("row_number()", vec![], Family::Int, false),
                1 => ("rank()", vec![], Family::Int, false),
                2 => ("dense_rank()", vec![], Family::Int, false),
                3 => ("ntile(3)", vec![], Family::Int, false),
                4 => ("lag({}, 2)", vec![value], family, false),
                5 => ("lead({})", vec![value], family, false),
                6 => ("first_value({})", vec![value], family, true),
                7 => ("last_value({})", vec![value], family, true),
                8 => ("count({})", vec![value], Family::Int, true),
                _ if family == Family::Int => ("sum({})", vec![value], family, true),
                _ => ("max({})", vec![value], family, true),
            };
            // Ranks are of interest where rows are equal: by the first key alone.
            let order = if matches!(function, "rank()" | "dense_rank()") && self.dice.chance(70) {
                let first = text(self.pick(&own.names).reference);
                pattern(&format!("order by {{}}{way}"), vec![first])
            } else {
                order
            };
            let frame = if framed { frame } else { "" };
            let call = pattern(function, parts);
            items.push(pattern(&format!("{{}} over ({{}}{{}}{frame})"), vec![call, partition, order]));
            families.push(of);
        }
        let items = items.into_iter().enumerate();
        let items = items.map(|(at, item)| pattern(&format!("{{}} as k{}", at + 1), vec![item])).collect();
        let filter = self.filter(&scope);
        Query { node: pattern("select {} from {}{}", vec![list(items), from.node, filter]), families, changes: None }
    }

    /// OFFSET over an order of all columns.
    fn paged(&mut self, outer: &Scope) -> Query {
        let from = self.from(outer, 1);
        let scope = Scope { names: from.names, outer: outer.outer.clone() };
        let families = self.families();
        let items = self.items(&scope, &families);
        let filter = self.filter(&scope);
        let keys: Vec<String> =
            (1..=families.len()).map(|at| format!("{at}{}", self.pick(&["«asc»", "«desc»"]))).collect();
        let page = format!(
            " order by {} offset {} rows fetch next {} rows only",
            keys.join(", "),
            self.dice.below(4),
            1 + self.dice.below(6)
        );
        Query {
            node: pattern(&format!("select {{}} from {{}}{{}}{page}"), vec![items, from.node, filter]),
            families,
            changes: None,
        }
    }

    /// A query with a name, also one that reads itself.
    fn named(&mut self, outer: &Scope) -> Query {
        self.level += 1;
        let query = if self.dice.chance(40) {
            let most = 2 + self.dice.below(6);
            let step = self.value(&Scope::default(), Family::Int, 0);
            let form = format!(
                "with «recursive»w(k1, k2) as (select 1, cast(0 as int) union all select w.k1 + 1, w.k2 + coalesce({{}}, 1) from w where w.k1 < {most}) "
            );
            (pattern(&form, vec![step]), vec![Family::Int, Family::Int])
        } else {
            let inner = self.any_query(outer);
            let names: Vec<String> = (1..=inner.families.len()).map(|at| format!("k{at}")).collect();
            (pattern(&format!("with w({}) as ({{}}) ", names.join(", ")), vec![inner.node]), inner.families)
        };
        self.level -= 1;
        let (alias, other) = (self.alias(), self.base());
        let names = query.1.iter().enumerate().map(|(at, family)| Name {
            reference: format!("{alias}.k{}", at + 1),
            family: *family,
            is_base: false,
        });
        let names: Vec<Name> = names.filter(|name| name.family != Family::Float).collect();
        let scope = Scope { names: [names.clone(), other.names.clone()].concat(), outer: Vec::new() };
        let on = self.meeting(&names, &other.names, &scope, false);
        let families = self.families();
        let items = self.items(&scope, &families);
        let join = self.pick(&["join", "left join"]);
        let form = format!("{{}}select {{}} from w as {alias} {join} {{}} on {{}}");
        Query { node: pattern(&form, vec![query.0, items, other.node, on]), families, changes: None }
    }

    /// INSERT, UPDATE or DELETE of a table.
    fn change(&mut self) -> Query {
        let table = self.pick(self.tables);
        let families = table.columns.iter().map(|(_, family, _)| *family).collect();
        let name = table.name.clone();
        let own = table.names(&name);
        let scope = Scope { names: own, outer: Vec::new() };
        let node = match self.dice.below(6) {
            0 | 1 => {
                let sets = self.assignments(&table, &scope);
                pattern(&format!("update {name} set {{}}{{}}"), vec![sets, self.filter(&scope)])
            }
            2 => {
                let other = self.other_than(&table);
                let rid = other.rid.clone().unwrap_or_default();
                let both = Scope { names: [scope.names, other.names].concat(), outer: Vec::new() };
                let sets = self.assignments(&table, &both);
                let more = self.condition(&both, 1);
                let form = format!("update {name} set {{}} from {{}} where {rid} = {name}.rid and {{}}");
                pattern(&form, vec![sets, other.node, more])
            }
            3 => {
                let other = self.other_than(&table);
                let both = Scope { names: [scope.names, other.names].concat(), outer: Vec::new() };
                let condition = self.condition(&both, 2);
                pattern(&format!("delete from {name} «using» {{}} where {{}}"), vec![other.node, condition])
            }
            4 => pattern(&format!("delete from {name}{{}}"), vec![self.filter(&scope)]),
            _ => {
                let from = self.from(&Scope::default(), 1);
                let inside = Scope { names: from.names, outer: Vec::new() };
                let columns: Vec<&str> = table.columns.iter().map(|(name, _, _)| name.as_str()).collect();
                let items: Vec<Node> =
                    table.columns.iter().map(|(_, family, _)| self.value(&inside, *family, 1)).collect();
                let filter = self.filter(&inside);
                let mut form = format!("insert into {name} ({}) select ", columns.join(", "));
                let _ = write!(form, "{}", vec!["{}"; items.len()].join(", "));
                form.push_str(" from {}{}");
                let mut parts = items;
                parts.extend([from.node, filter]);
                pattern(&form, parts)
            }
        };
        Query { node, families, changes: Some(name) }
    }

    fn assignments(&mut self, table: &Table, scope: &Scope) -> Node {
        let mut items = Vec::new();
        for (name, family, _) in table.columns.iter().skip(1) {
            if items.is_empty() || self.dice.chance(30) {
                items.push(pattern(&format!("{name} = {{}}"), vec![self.value(scope, *family, 1)]));
            }
        }
        list(items)
    }
}
