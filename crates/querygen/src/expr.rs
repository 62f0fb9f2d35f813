//! Random values and conditions, each of the family that is asked for.
//!
//! What an expression says must not depend on the road by which it is evaluated: texts that are compared have one
//! collation, divisors are never 0, and a column that may show any of several equal texts is only looked at for NULL.

use millpond_device::chance::Dice;

use crate::node::{Family, Node, Plain, pattern, text};
use crate::schema::{COLLATIONS, Schema, constant, pick, sql_type, typed};

/// A column that an expression may name.
#[derive(Clone, Debug)]
pub struct Name {
    /// `alias.column`.
    pub reference: String,
    /// What its values are.
    pub family: Family,
    /// Its type, or one of the family where it is an expression's.
    pub sql: String,
    /// It shows any of several values that are equal: by a collation, of an instant, of trailing zeros.
    pub is_any: bool,
    /// It names a row of a table.
    pub is_rid: bool,
}

/// What an expression may see.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Columns of the query itself.
    pub names: Vec<Name>,
    /// Columns of the queries around it.
    pub outer: Vec<Name>,
    /// Whether subqueries may stand there (not in an aggregate, not in GROUP BY).
    pub has_subqueries: bool,
}

/// Makes statements from a seed.
pub struct Maker<'a> {
    /// Chance.
    pub dice: Dice,
    /// Tables that there are.
    pub schema: &'a Schema,
    /// Aliases given so far.
    pub aliases: u32,
    /// How deep queries are in each other.
    pub level: u32,
}

/// A pattern and its parts.
type Parts = (&'static str, Vec<Node>);

pub(crate) fn value(family: Family, node: Node) -> Node {
    Node::Value(family, Box::new(node))
}

/// The tree with its constants as text, so that they are never variables.
#[must_use]
pub fn frozen(node: Node) -> Node {
    match node {
        Node::Constant { text, .. } => Node::Text(text),
        Node::Seq(parts) => Node::Seq(parts.into_iter().map(frozen).collect()),
        Node::Value(family, body) => Node::Value(family, Box::new(frozen(*body))),
        Node::Condition(body) => Node::Condition(Box::new(frozen(*body))),
        other => other,
    }
}

impl Maker<'_> {
    /// One of them.
    pub fn pick<'b, T>(&mut self, of: &'b [T]) -> &'b T {
        pick(&mut self.dice, of)
    }

    /// A constant of the family.
    pub fn constant(&mut self, family: Family, sql: &str) -> Node {
        if self.dice.chance(3) {
            return value(family, text(format!("cast(null as {sql})")));
        }
        let plain = constant(&mut self.dice, sql, family);
        let mut of = sql.to_owned();
        if family == Family::Text && (!sql.contains("char(") || sql.starts_with("var") || sql.starts_with("nvar")) {
            let length = plain.trim_start_matches('N').trim_matches('\'').replace("''", "'").chars().count().max(1);
            of = format!("{}varchar({length})", if plain.starts_with('N') { "n" } else { "" });
        }
        value(family, Node::Constant { text: typed(&plain, sql, family), sql: of })
    }

    /// A column of the family that can be compared and calculated with.
    fn column(&mut self, scope: &Scope, family: Family) -> Option<Node> {
        let fits = |name: &&Name| name.family == family && !name.is_any;
        let inner: Vec<&Name> = scope.names.iter().filter(fits).collect();
        let outer: Vec<&Name> = scope.outer.iter().filter(fits).collect();
        let from = if !outer.is_empty() && (inner.is_empty() || self.dice.chance(35)) { outer } else { inner };
        if from.is_empty() {
            return None;
        }
        Some(value(family, text(self.pick(&from).reference.clone())))
    }

    fn leaf(&mut self, scope: &Scope, family: Family) -> Node {
        if self.dice.chance(75)
            && let Some(column) = self.column(scope, family)
        {
            return column;
        }
        let sql = sql_type(&mut self.dice, family);
        self.constant(family, &sql)
    }

    /// A value of the family.
    pub fn value(&mut self, scope: &Scope, family: Family, depth: u32) -> Node {
        if family == Family::Text {
            let collation = if self.dice.chance(50) { Some(*self.pick(&COLLATIONS)) } else { None };
            return self.text(scope, depth, collation);
        }
        if depth == 0 || self.dice.chance(35) {
            return self.leaf(scope, family);
        }
        let node = match self.dice.below(10) {
            0 | 1 => self.choice(scope, family, depth),
            2 if scope.has_subqueries && self.level < 3 => self.scalar_subquery(scope, family),
            _ => self.operation(scope, family, depth - 1),
        };
        value(family, node)
    }

    /// CASE and its kin.
    fn choice(&mut self, scope: &Scope, family: Family, depth: u32) -> Node {
        let condition = self.condition(scope, depth - 1);
        let (a, b) = (self.value(scope, family, depth - 1), self.value(scope, family, depth - 1));
        match self.dice.below(6) {
            0 => pattern("case when {} then {} else {} end", vec![condition, a, b]),
            1 => pattern("case when {} then {} end", vec![condition, a]),
            2 => pattern("coalesce({}, {})", vec![a, b]),
            3 => pattern("nullif({}, {})", vec![a, b]),
            4 => pattern("isnull({}, {})", vec![a, b]),
            _ => pattern("iif({}, {}, {})", vec![condition, a, b]),
        }
    }

    fn operation(&mut self, scope: &Scope, family: Family, depth: u32) -> Node {
        let (pattern_text, parts) = match family {
            Family::Int => self.int(scope, depth),
            Family::Bit => {
                if self.dice.chance(60) {
                    ("cast(case when {} then 1 else 0 end as bit)", vec![self.condition(scope, depth)])
                } else {
                    ("cast({} as bit)", vec![self.value(scope, Family::Int, depth)])
                }
            }
            Family::Decimal => self.decimal(scope, depth),
            Family::Money => {
                let (a, b) = (self.value(scope, family, depth), self.value(scope, family, depth));
                match self.dice.below(4) {
                    0 => ("({} + {})", vec![a, b]),
                    1 => ("(-{})", vec![a]),
                    2 => ("cast({} as money)", vec![self.value(scope, Family::Int, depth)]),
                    _ => ("({} - {})", vec![a, b]),
                }
            }
            Family::Float => self.float(scope, depth),
            Family::Date | Family::Time | Family::Moment | Family::Offset => self.temporal(scope, family, depth),
            Family::Binary => {
                let a = self.value(scope, family, depth);
                match self.dice.below(3) {
                    0 => ("substring({}, 1, 2)", vec![a]),
                    1 => ("cast({} as binary(4))", vec![self.value(scope, Family::Int, depth)]),
                    _ => ("({} + {})", vec![a, self.value(scope, family, depth)]),
                }
            }
            Family::Guid => ("cast({} as uniqueidentifier)", vec![self.value(scope, Family::Guid, depth)]),
            Family::Text => unreachable!("texts have a way of their own"),
        };
        pattern(pattern_text, parts)
    }

    fn int(&mut self, scope: &Scope, depth: u32) -> Parts {
        let a = self.value(scope, Family::Int, depth);
        match self.dice.below(18) {
            0 | 1 => ("({} + {})", vec![a, self.value(scope, Family::Int, depth)]),
            2 => ("({} - {})", vec![a, self.value(scope, Family::Int, depth)]),
            3 => ("({} * {})", vec![a, self.value(scope, Family::Int, 0)]),
            4 => ("({} / nullif({}, 0))", vec![a, self.value(scope, Family::Int, depth)]),
            5 => ("({} % nullif({}, 0))", vec![a, self.value(scope, Family::Int, depth)]),
            6 => ("abs({})", vec![a]),
            7 => ("(-cast({} as bigint))", vec![a]),
            8 => ("len({})", vec![self.value(scope, Family::Text, depth)]),
            9 => {
                let collation = Some(*self.pick(&COLLATIONS));
                let (a, b) = (self.text(scope, 0, collation), self.text(scope, depth, collation));
                ("charindex({}, {})", vec![a, b])
            }
            10 => {
                let family = *self.pick(&[Family::Date, Family::Moment]);
                ("datediff(day, {}, {})", vec![self.value(scope, family, depth), self.value(scope, family, depth)])
            }
            11 => ("datepart(month, {})", vec![self.value(scope, Family::Date, depth)]),
            12 => ("cast({} as int)", vec![self.value(scope, Family::Bit, depth)]),
            13 => ("try_cast({} as int)", vec![self.value(scope, Family::Text, depth)]),
            14 => ("sign({})", vec![a]),
            15 => ("({} & {})", vec![a, self.value(scope, Family::Int, depth)]),
            16 => ("({} | 4)", vec![a]),
            _ => ("cast({} as int)", vec![self.value(scope, Family::Decimal, depth)]),
        }
    }

    fn decimal(&mut self, scope: &Scope, depth: u32) -> Parts {
        let a = self.value(scope, Family::Decimal, depth);
        match self.dice.below(9) {
            0 | 1 => ("({} + {})", vec![a, self.value(scope, Family::Decimal, depth)]),
            2 => ("({} - {})", vec![a, self.value(scope, Family::Int, depth)]),
            3 => ("({} * {})", vec![a, self.value(scope, Family::Decimal, 0)]),
            4 => ("({} / nullif({}, 0))", vec![a, self.value(scope, Family::Decimal, 0)]),
            5 => ("round({}, 1)", vec![a]),
            6 => ("ceiling({})", vec![a]),
            7 => ("cast({} as decimal(12, 3))", vec![self.value(scope, Family::Int, depth)]),
            _ => ("cast({} as decimal(19, 4))", vec![self.value(scope, Family::Money, depth)]),
        }
    }

    fn float(&mut self, scope: &Scope, depth: u32) -> Parts {
        let a = self.value(scope, Family::Float, depth);
        match self.dice.below(6) {
            0 | 1 => ("({} + {})", vec![a, self.value(scope, Family::Float, depth)]),
            2 => ("({} * {})", vec![a, self.value(scope, Family::Float, 0)]),
            3 => ("sqrt(abs({}))", vec![a]),
            4 => ("({} / nullif({}, 0))", vec![a, self.value(scope, Family::Float, 0)]),
            _ => ("cast({} as float)", vec![self.value(scope, Family::Int, depth)]),
        }
    }

    fn temporal(&mut self, scope: &Scope, family: Family, depth: u32) -> Parts {
        let a = self.value(scope, family, depth);
        let number = self.value(scope, Family::Int, 0);
        match (family, self.dice.below(3)) {
            (Family::Date, 0) => ("dateadd(day, {} % 1000, {})", vec![number, a]),
            (Family::Date, 1) => ("eomonth({})", vec![a]),
            (Family::Date, _) => ("cast({} as date)", vec![self.value(scope, Family::Moment, depth)]),
            (Family::Time, 0) => ("dateadd(minute, {} % 1000, {})", vec![number, a]),
            (Family::Time, _) => ("cast({} as time(3))", vec![self.value(scope, Family::Moment, depth)]),
            (Family::Offset, 0) => ("switchoffset({}, '-05:00')", vec![a]),
            (Family::Offset, 1) => ("dateadd(hour, {} % 1000, {})", vec![number, a]),
            (Family::Offset, _) => ("todatetimeoffset({}, '+02:00')", vec![self.value(scope, Family::Moment, depth)]),
            (_, 0) => ("dateadd(month, {} % 1000, {})", vec![number, a]),
            (_, 1) => ("dateadd(hour, {} % 1000, {})", vec![number, a]),
            _ => ("cast({} as datetime2(3))", vec![self.value(scope, Family::Date, depth)]),
        }
    }

    /// A text; each column in it is of the collation that is asked for, or there is one column at most.
    pub fn text(&mut self, scope: &Scope, depth: u32, collation: Option<&str>) -> Node {
        let leaf = |maker: &mut Self| {
            let leaf = maker.leaf(scope, Family::Text);
            match collation {
                Some(name) => value(Family::Text, pattern(&format!("({{}} collate {name})"), vec![leaf])),
                None => leaf,
            }
        };
        if depth == 0 || self.dice.chance(35) {
            return leaf(self);
        }
        let a = self.text(scope, depth - 1, collation);
        // Without a collation of its own the second part is a constant.
        let b = match collation {
            Some(_) => self.text(scope, depth - 1, collation),
            None => self.constant(Family::Text, "varchar(10)"),
        };
        let node = match self.dice.below(18) {
            0 => pattern("concat({}, {})", vec![a, b]),
            1 => pattern("({} + {})", vec![a, b]),
            2 => pattern("upper({})", vec![a]),
            3 => pattern("lower({})", vec![a]),
            4 => pattern("substring({}, 1, 2)", vec![a]),
            5 => pattern("left({}, 2)", vec![a]),
            6 => pattern("right({}, 1)", vec![a]),
            7 => pattern("ltrim(rtrim({}))", vec![a]),
            8 => pattern("replace({}, 'a', {})", vec![a, b]),
            9 => pattern("reverse({})", vec![a]),
            10 => pattern("isnull({}, {})", vec![a, b]),
            11 => pattern("coalesce({}, {})", vec![a, b]),
            12 => pattern("nullif({}, {})", vec![a, b]),
            13 => pattern("case when {} then {} else {} end", vec![self.condition(scope, depth - 1), a, b]),
            14 => pattern("stuff({}, 1, 1, {})", vec![a, b]),
            15 => pattern("replicate({}, 2)", vec![a]),
            16 => pattern("cast({} as nvarchar(20))", vec![a]),
            _ => {
                let number = self.value(scope, Family::Int, depth - 1);
                let cast = pattern("cast({} as varchar(20))", vec![number]);
                match collation {
                    Some(name) => pattern(&format!("({{}} collate {name})"), vec![cast]),
                    None => cast,
                }
            }
        };
        value(Family::Text, node)
    }

    /// A family that the scope has columns of.
    pub fn family(&mut self, scope: &Scope) -> Family {
        let names: Vec<Family> =
            scope.names.iter().chain(&scope.outer).filter(|name| !name.is_any).map(|name| name.family).collect();
        if names.is_empty() || self.dice.chance(10) { *self.pick(&Family::ALL) } else { *self.pick(&names) }
    }

    /// Two values that can be compared.
    fn pair(&mut self, scope: &Scope, depth: u32) -> (Node, Node) {
        let family = self.family(scope);
        if family == Family::Text && self.dice.chance(60) {
            let collation = Some(*self.pick(&COLLATIONS));
            return (self.text(scope, depth, collation), self.text(scope, depth, collation));
        }
        if family == Family::Text {
            return (self.text(scope, depth, None), self.constant(family, "varchar(10)"));
        }
        (self.value(scope, family, depth), self.value(scope, family, depth))
    }

    /// A condition.
    pub fn condition(&mut self, scope: &Scope, depth: u32) -> Node {
        let below = depth.saturating_sub(1);
        let node = match self.dice.below(if depth == 0 { 7 } else { 16 }) {
            0..=3 => {
                let (a, b) = self.pair(scope, below);
                let operator = *self.pick(&["=", "=", "=", "<>", "<", "<=", ">", ">="]);
                pattern(&format!("{{}} {operator} {{}}"), vec![a, b])
            }
            4 => self.null_test(scope, below),
            5 => {
                let (a, b) = self.pair(scope, below);
                let not = *self.pick(&["", "", "not "]);
                // A subquery alone in the parentheses is the list itself, of any number of rows.
                let items = if b.write(&mut Plain).starts_with("(select") { vec![b, text("null")] } else { vec![b] };
                let items = Node::List { least: items.len(), items, separator: ", " };
                pattern(&format!("{{}} {not}in ({{}})"), vec![a, items])
            }
            6 => {
                let (a, b) = self.pair(scope, below);
                pattern("{} between {} and {}", vec![a, b.clone(), b])
            }
            7 | 8 => pattern("({} and {})", vec![self.condition(scope, below), self.condition(scope, below)]),
            9 | 10 => pattern("({} or {})", vec![self.condition(scope, below), self.condition(scope, below)]),
            11 => pattern("not ({})", vec![self.condition(scope, below)]),
            12 => {
                let like = *self.pick(&["'a%'", "'%b'", "'_'", "'[a-c]%'", "'%[^a]%'", "N'%é%'", "'a'"]);
                let not = *self.pick(&["", "", "not "]);
                pattern(&format!("{{}} {not}like {like}"), vec![self.value(scope, Family::Text, below)])
            }
            _ if scope.has_subqueries && self.level < 3 => self.subquery_condition(scope),
            _ => self.null_test(scope, below),
        };
        Node::Condition(Box::new(node))
    }

    fn null_test(&mut self, scope: &Scope, depth: u32) -> Node {
        let any: Vec<&Name> = scope.names.iter().collect();
        let a = if !any.is_empty() && self.dice.chance(60) {
            let name = self.pick(&any);
            value(name.family, text(name.reference.clone()))
        } else {
            let family = self.family(scope);
            self.value(scope, family, depth)
        };
        let not = *self.pick(&["", "not "]);
        pattern(&format!("{{}} is {not}null"), vec![a])
    }
}
