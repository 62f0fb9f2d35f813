//! Random tables: types, collations, NULLs, indexes, rows that meet each other often.
//!
//! The first column of each table is `rid`, an int that no two of its rows share: oracles name rows by it.

use std::fmt::Write;

use millpond_device::chance::Dice;

use crate::node::{Family, Node};

/// Collations of columns, all of one code page.
pub const COLLATIONS: [&str; 5] = [
    "Latin1_General_CI_AS",
    "Latin1_General_BIN2",
    "Latin1_General_CS_AS",
    "SQL_Latin1_General_CP1_CI_AS",
    "Latin1_General_CI_AI",
];

/// A column.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type, without collation.
    pub sql: String,
    /// What its values are.
    pub family: Family,
    /// Its collation, when it is a text.
    pub collation: Option<&'static str>,
    /// Whether NULL may be there.
    pub nullable: bool,
    /// The expression that it is computed from, and whether it is persisted.
    pub computed: Option<(String, bool)>,
}

/// A table with its rows and indexes.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its columns, `rid` first, computed ones last.
    pub columns: Vec<Column>,
    /// Constants of the columns that are not computed.
    pub rows: Vec<Vec<String>>,
    /// Key of the rows, when they have one: `primary key (…)`.
    pub key: Option<String>,
    /// Other indexes: what stands before and after the table's name.
    pub indexes: Vec<(String, String)>,
}

/// A view and what it is made of.
#[derive(Clone, Debug)]
pub struct View {
    /// Its name.
    pub name: String,
    /// Its query.
    pub query: Node,
    /// Its columns.
    pub columns: Vec<Column>,
}

/// Tables and views of a round.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    /// Tables.
    pub tables: Vec<Table>,
    /// Views.
    pub views: Vec<View>,
}

/// A random type.
pub fn sql_type(dice: &mut Dice, family: Family) -> String {
    let of: &[&str] = match family {
        Family::Int => &["int", "int", "bigint", "smallint", "tinyint"],
        Family::Bit => &["bit"],
        Family::Decimal => &["decimal(9, 2)", "numeric(18, 4)", "decimal(5, 0)", "decimal(38, 6)"],
        Family::Money => &["money", "smallmoney"],
        Family::Float => &["float", "real"],
        Family::Text => {
            &["varchar(10)", "nvarchar(12)", "char(4)", "nchar(5)", "varchar(max)", "nvarchar(max)", "varchar(40)"]
        }
        Family::Date => &["date"],
        Family::Time => &["time(7)", "time(0)", "time(3)"],
        Family::Moment => &["datetime2(7)", "datetime", "smalldatetime", "datetime2(0)", "datetime2(3)"],
        Family::Offset => &["datetimeoffset(7)", "datetimeoffset(0)"],
        Family::Guid => &["uniqueidentifier"],
        Family::Binary => &["varbinary(8)", "binary(4)", "varbinary(max)"],
    };
    pick(dice, of).to_string()
}

/// One of them.
pub fn pick<'a, T>(dice: &mut Dice, of: &'a [T]) -> &'a T {
    &of[dice.below(of.len() as u64) as usize]
}

/// A constant that fits the type; few different ones, so that rows meet.
pub fn constant(dice: &mut Dice, sql: &str, family: Family) -> String {
    match family {
        Family::Int => int(dice, sql),
        Family::Bit => dice.below(2).to_string(),
        Family::Decimal => {
            let scale = if sql.contains(", 0)") { 0 } else { dice.below(3) };
            let number = dice.below(40) as i64 - 10;
            match scale {
                0 => number.to_string(),
                1 => format!("{number}.5"),
                _ => format!("{number}.25"),
            }
        }
        Family::Money => format!("{}.{:02}", dice.below(20) as i64 - 5, dice.below(4) * 25),
        Family::Float => format!("{}e0", (dice.below(64) as f64 - 16.0) / 8.0),
        Family::Text => {
            let texts = [
                "a", "A", "b", "B", "ab", "Ab", "aB", "é", "e", "E", "", "a ", " ", "z", "10", "-3", "2", "abc", "_",
                "%", "O''N", "ß", "ss", "c1", "1.5",
            ];
            let unicode = if sql.starts_with('n') { "N" } else { "" };
            format!("{unicode}'{}'", pick(dice, &texts))
        }
        Family::Date => format!("'{}'", date(dice)),
        Family::Time => format!("'{}'", time(dice)),
        Family::Moment if sql == "smalldatetime" => format!("'{}T{:02}:00:00'", date(dice), dice.below(24)),
        Family::Moment if sql.ends_with("(0)") => format!("'{}T{:02}:30:15'", date(dice), dice.below(24)),
        Family::Moment => format!("'{}T{}'", date(dice), moment_time(dice)),
        Family::Offset => {
            let zone = pick(dice, &["+00:00", "+02:00", "-05:30", "+14:00"]);
            format!("'{}T{:02}:30:15{zone}'", date(dice), dice.below(24))
        }
        Family::Guid => format!("'0000000{}-0000-0000-0000-00000000000{}'", dice.below(4), dice.below(4)),
        Family::Binary => {
            let bytes = ["0x01", "0x02", "0x0102", "0xFF", "0x00FF", "0x7F"];
            let more = ["0x", "0x0100", "0xFFFFFFFF"];
            (if dice.chance(80) { *pick(dice, &bytes) } else { *pick(dice, &more) }).to_owned()
        }
    }
}

fn int(dice: &mut Dice, sql: &str) -> String {
    let signed = sql != "tinyint";
    if dice.chance(2) {
        let far = match sql {
            "tinyint" => 255,
            "smallint" => -32768,
            "int" => 2_147_483_647,
            _ => 4_000_000_000_i64,
        };
        return far.to_string();
    }
    let spread = if dice.chance(80) { 10 } else { 100 };
    (dice.below(spread) as i64 - if signed { 3 } else { 0 }).to_string()
}

fn date(dice: &mut Dice) -> String {
    format!(
        "20{}-{:02}-{:02}",
        pick(dice, &["00", "19", "20", "24"]),
        pick(dice, &[1, 2, 3, 12]),
        pick(dice, &[1, 2, 28])
    )
}

fn time(dice: &mut Dice) -> String {
    format!("{:02}:{}:{}", dice.below(24), pick(dice, &["00", "30", "59"]), pick(dice, &["00", "59"]))
}

fn moment_time(dice: &mut Dice) -> String {
    format!("{}.{}", time(dice), pick(dice, &["000", "500", "250"]))
}

/// A constant with its type said, where a bare one would be of another.
#[must_use]
pub fn typed(text: &str, sql: &str, family: Family) -> String {
    match (family, sql) {
        (Family::Int, "int") if !text.contains("4000000000") => text.to_owned(),
        (Family::Text, _) if !sql.starts_with("char") && !sql.starts_with("nchar") => text.to_owned(),
        _ => format!("cast({text} as {sql})"),
    }
}

impl Schema {
    /// Tables of a round.
    pub fn random(dice: &mut Dice) -> Schema {
        let count = 2 + dice.below(3);
        let mut tables: Vec<Table> = (0..count).map(|at| Table::random(dice, &format!("t{at}"))).collect();
        // One large table at most: a join of two would take longer than it finds.
        if dice.chance(6) {
            let rows = 1000 + dice.below(1000);
            tables[0].fill(dice, rows);
        }
        Schema { tables, views: Vec::new() }
    }

    /// The table of this name.
    #[must_use]
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name == name)
    }
}

impl Table {
    fn random(dice: &mut Dice, name: &str) -> Table {
        let mut columns = vec![Column {
            name: "rid".into(),
            sql: "int".into(),
            family: Family::Int,
            collation: None,
            nullable: false,
            computed: None,
        }];
        for at in 1..=2 + dice.below(5) {
            let family = match dice.below(10) {
                0..=2 => Family::Int,
                3..=4 => Family::Text,
                _ => *pick(dice, &Family::ALL),
            };
            columns.push(Column {
                name: format!("c{at}"),
                sql: sql_type(dice, family),
                family,
                collation: (family == Family::Text).then(|| *pick(dice, &COLLATIONS)),
                nullable: dice.chance(75),
                computed: None,
            });
        }
        let mut table = Table { name: name.into(), columns, rows: Vec::new(), key: None, indexes: Vec::new() };
        let rows = match dice.below(10) {
            0 => 0,
            1..=5 => dice.below(12),
            6..=8 => dice.below(60),
            _ => dice.below(200),
        };
        table.fill(dice, rows);
        table.compute(dice);
        table.index(dice);
        table
    }

    /// So many rows in place of those that are there.
    fn fill(&mut self, dice: &mut Dice, rows: u64) {
        let plain: Vec<Column> = self.stored().cloned().collect();
        let nulls = dice.below(40);
        self.rows.clear();
        for row in 0..rows {
            let mut values = vec![(row * 7 % 1009 + row / 1009 * 2000).to_string()];
            for column in &plain[1..] {
                values.push(if column.nullable && dice.chance(nulls) {
                    "NULL".into()
                } else {
                    constant(dice, &column.sql, column.family)
                });
            }
            self.rows.push(values);
        }
    }

    fn compute(&mut self, dice: &mut Dice) {
        if !dice.chance(20) {
            return;
        }
        let Some(int) = self.columns[1..].iter().find(|column| column.family == Family::Int) else { return };
        let text = pick(
            dice,
            &["{} % 3", "isnull({}, 0) % 5", "case when {} > 2 then 1 else 0 end", "cast({} as bigint) * 2"],
        );
        let column = Column {
            name: "cc".into(),
            sql: "bigint".into(),
            family: Family::Int,
            collation: None,
            nullable: true,
            computed: Some((text.replace("{}", &int.name), dice.chance(40))),
        };
        self.columns.push(column);
    }

    fn index(&mut self, dice: &mut Dice) {
        let keys: Vec<String> = self
            .columns
            .iter()
            .filter(|column| !column.sql.contains("max"))
            .map(|column| column.name.clone())
            .collect();
        let firm: Vec<String> = self
            .stored()
            .filter(|column| !column.nullable && !column.sql.contains("max"))
            .map(|column| column.name.clone())
            .collect();
        match dice.below(4) {
            0 => {}
            1 | 2 => self.key = Some(format!("primary key {}(rid)", pick(dice, &["", "", "nonclustered "]))),
            _ => self.key = Some(format!("primary key ({}, rid)", pick(dice, &firm)).replace("(rid, rid)", "(rid)")),
        }
        for at in 0..dice.below(4) {
            let first = pick(dice, &keys).clone();
            let second = pick(dice, &keys).clone();
            let way = pick(dice, &["", "", " desc"]);
            let key = if dice.chance(50) || first == second {
                format!("{first}{way}")
            } else {
                format!("{first}{way}, {second}")
            };
            let unique = dice.chance(15) && !key.contains("rid");
            let key = if unique { format!("{key}, rid") } else { key };
            let kind = if unique { "unique " } else { "" };
            let mut rest = format!(" ({key})");
            if dice.chance(25) {
                let held: Vec<&String> = keys.iter().filter(|name| !key.contains(name.as_str())).collect();
                if !held.is_empty() {
                    let _ = write!(rest, " include ({})", pick(dice, &held));
                }
            }
            let plain: Vec<&Column> = self.stored().filter(|column| !column.sql.contains("max")).collect();
            if dice.chance(25) {
                let column = pick(dice, &plain);
                let filter = if column.family == Family::Int && dice.chance(60) {
                    format!(" where {} {} {}", column.name, pick(dice, &[">", "<", "=", "<>", ">="]), dice.below(6))
                } else {
                    format!(" where {} is not null", column.name)
                };
                rest.push_str(&filter);
            }
            let clustered = if self.key.is_none()
                && at == 0
                && !rest.contains("include")
                && !rest.contains("where")
                && dice.chance(30)
            {
                "clustered "
            } else {
                ""
            };
            self.indexes.push((format!("create {kind}{clustered}index i{at} on "), rest));
        }
    }

    /// The columns that are not computed.
    pub fn stored(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| column.computed.is_none())
    }

    /// The columns' definitions, as CREATE TABLE and DECLARE have them.
    #[must_use]
    pub fn definition(&self, indexed: bool) -> String {
        let mut parts: Vec<String> = self
            .columns
            .iter()
            .map(|column| match &column.computed {
                Some((text, persisted)) => {
                    format!("{} as ({text}){}", column.name, if *persisted { " persisted" } else { "" })
                }
                None => {
                    let collation = column.collation.map(|name| format!(" collate {name}")).unwrap_or_default();
                    let null = if column.nullable { "null" } else { "not null" };
                    format!("{} {}{collation} {null}", column.name, column.sql)
                }
            })
            .collect();
        if let Some(key) = self.key.as_ref().filter(|_| indexed) {
            parts.push(key.clone());
        }
        parts.join(", ")
    }

    /// Batches that make it under this name and fill it.
    #[must_use]
    pub fn batches(&self, name: &str, indexed: bool) -> Vec<String> {
        let mut batches = vec![format!("create table {name} ({})", self.definition(indexed))];
        let names: Vec<&str> = self.stored().map(|column| column.name.as_str()).collect();
        for rows in self.rows.chunks(250) {
            let rows: Vec<String> = rows.iter().map(|row| format!("({})", row.join(", "))).collect();
            batches.push(format!("insert {name} ({}) values {}", names.join(", "), rows.join(", ")));
        }
        if indexed {
            batches.extend(self.indexes.iter().map(|(before, after)| format!("{before}{name}{after}")));
        }
        batches
    }

    /// The table without one of its columns and what names it.
    fn without(&self, at: usize) -> Table {
        let mut table = self.clone();
        let gone = table.columns.remove(at);
        if gone.computed.is_none() {
            table.rows.iter_mut().for_each(|row| drop(row.remove(at)));
        }
        let names = |text: &str| text.split(|c: char| !c.is_alphanumeric()).any(|word| word == gone.name);
        table.columns.retain(|column| !column.computed.as_ref().is_some_and(|(text, _)| names(text)));
        table.indexes.retain(|(_, after)| !names(after));
        if table.key.as_ref().is_some_and(|key| names(key)) {
            table.key = None;
        }
        table
    }
}

impl Schema {
    /// Schemas that are one step smaller, those that lose most first.
    #[must_use]
    pub fn smaller(&self) -> Vec<Schema> {
        let mut found = Vec::new();
        for at in 0..self.tables.len() {
            let mut schema = self.clone();
            schema.tables.remove(at);
            found.push(schema);
        }
        for at in 0..self.views.len() {
            let mut schema = self.clone();
            schema.views.remove(at);
            found.push(schema);
        }
        for (at, table) in self.tables.iter().enumerate() {
            for new in table.smaller() {
                let mut schema = self.clone();
                schema.tables[at] = new;
                found.push(schema);
            }
        }
        for (at, view) in self.views.iter().enumerate() {
            for query in view.query.smaller() {
                let mut schema = self.clone();
                schema.views[at].query = query;
                found.push(schema);
            }
        }
        found
    }
}

impl Table {
    fn smaller(&self) -> Vec<Table> {
        let mut found = Vec::new();
        let mut piece = self.rows.len();
        while piece > 0 {
            for from in (0..self.rows.len()).step_by(piece) {
                let mut table = self.clone();
                table.rows.drain(from..(from + piece).min(self.rows.len()));
                found.push(table);
            }
            piece /= 2;
        }
        for at in 0..self.indexes.len() {
            let mut table = self.clone();
            table.indexes.remove(at);
            found.push(table);
        }
        if self.key.is_some() {
            found.push(Table { key: None, ..self.clone() });
        }
        found.extend((1..self.columns.len()).rev().map(|at| self.without(at)));
        for (at, row) in self.rows.iter().enumerate() {
            for (place, column) in self.stored().enumerate().skip(1) {
                if column.nullable && row[place] != "NULL" {
                    let mut table = self.clone();
                    table.rows[at][place] = "NULL".into();
                    found.push(table);
                }
            }
        }
        found
    }
}
