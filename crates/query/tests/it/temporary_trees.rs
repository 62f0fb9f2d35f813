//! Definitions of temporary tables that change while trees of their indexes are kept: after each step all indexes give the
//! rows that there are.

use millpond_query::session::Session;

use crate::harness::{engine, run, session};
use crate::large_parts::number;

/// Numbers by chance, the same in each run of a seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn one<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// Rows of `#t` as they should be: id, v, length of s; and what the column v is called.
#[derive(Clone)]
struct Model {
    rows: Vec<(i64, i64, i64)>,
    v: &'static str,
}

impl Model {
    fn figures(&self) -> String {
        let sum = |of: fn(&(i64, i64, i64)) -> i64| self.rows.iter().map(of).sum::<i64>();
        format!("{} | {} | {} | {}", self.rows.len(), sum(|row| row.0), sum(|row| row.1), sum(|row| row.2))
    }

    /// What every index gives.
    fn check(&self, session: &mut Session, done: &[String]) {
        let names =
            "select index_id from tempdb.sys.indexes where object_id = object_id('tempdb..#t') and is_disabled = 0";
        let ids: Vec<String> = run(session, names).lines().skip(1).map(str::to_owned).collect();
        let sums = format!(
            "select count(*) as n, isnull(sum(cast(id as bigint)), 0) as i, isnull(sum(cast({} as bigint)), 0) as v, isnull(sum(datalength(s)), 0) as s from #t",
            self.v
        );
        let hints = ids.iter().map(|id| format!(" with (index({id}))")).chain([String::new()]);
        for hint in hints.collect::<Vec<String>>() {
            let told = run(session, &format!("{sums}{hint}"));
            let told = told.lines().nth(1).unwrap_or(&told).to_owned();
            assert_eq!(told, self.figures(), "{hint} after\n{}", done.join("\n"));
            let text = format!("select count(*) as n from #t{hint} where {} = 1 and id > 3", self.v);
            let ones = self.rows.iter().filter(|row| row.1 == 1 && row.0 > 3).count();
            assert_eq!(number(&run(session, &text)), ones as i64, "{text} after\n{}", done.join("\n"));
        }
    }
}

fn definition(chance: &mut Chance, v: &str) -> String {
    let unique = chance.one(&["", "", "unique "]);
    let key =
        chance.one(&["(v)", "(v desc)", "(v, id)", "(id)", "(id desc)", "(v desc, id)", "(w, v)"]).replace('v', v);
    let more = chance.one(&["", "", " include (s)", " include (w)"]);
    let name = chance.one(&["i", "j", "k"]);
    match chance.below(17) {
        0..=2 => format!("create {unique}index {name} on #t {key}{more}"),
        3 => format!("create {unique}index {name} on #t {key}{more} with (drop_existing = on)"),
        4 => format!("create {unique}clustered index c on #t {key}"),
        5 => format!("create {unique}clustered index c on #t {key} with (drop_existing = on)"),
        6 => format!("drop index {} on #t", chance.one(&["i", "j", "k", "c"])),
        7 | 8 => {
            let action = chance.one(&["rebuild", "rebuild", "reorganize", "disable"]);
            format!("alter index {} on #t {action}", chance.one(&["i", "j", "k", "c", "all"]))
        }
        9 => format!("alter table #t add {} int null", chance.one(&["x", "y"])),
        10 => format!("alter table #t drop column {}", chance.one(&["x", "y"])),
        11 => format!("alter table #t alter column {v} {}", chance.one(&["bigint", "int", "int not null"])),
        12 => {
            format!("alter table #t add constraint pk primary key {} (id)", chance.one(&["clustered", "nonclustered"]))
        }
        13 => {
            format!("alter table #t add constraint uq unique {} (id, {v})", chance.one(&["clustered", "nonclustered"]))
        }
        14 => format!("alter table #t drop constraint {}", chance.one(&["pk", "uq"])),
        15 => format!(
            "exec tempdb..sp_rename '#t.{}', '{}', 'INDEX'",
            chance.one(&["i", "j", "c"]),
            chance.one(&["k", "j"])
        ),
        _ => "truncate table #t".to_owned(),
    }
}

fn change(chance: &mut Chance, model: &mut Model, next: &mut i64) -> String {
    let v = model.v;
    match chance.below(4) {
        0 => {
            let at = chance.below(4) as i64;
            model.rows.retain(|row| row.1 != at || row.0 % 3 > 0);
            format!("delete #t where {v} = {at} and id % 3 = 0")
        }
        1 => {
            model.rows.iter_mut().filter(|row| row.0 % 5 == 0).for_each(|row| row.1 = (row.1 + 1) % 4);
            format!("update #t set {v} = ({v} + 1) % 4 where id % 5 = 0")
        }
        _ => {
            let first = *next;
            *next += 12;
            model.rows.extend((first..*next).map(|id| (id, id % 4, if id % 6 == 0 { 9_000 } else { 2 })));
            format!(
                "insert #t (id, {v}, w, s) select value, value % 4, value % 3,
                 replicate(cast('x' as varchar(max)), iif(value % 6 = 0, 9000, 2)) from generate_series({first}, {})",
                *next - 1
            )
        }
    }
}

/// What one seed does.
fn walk(seed: u64, steps: usize) {
    let engine = engine();
    let mut one = session(&engine);
    run(&mut one, "set nocount on create table #t (id int not null, v int not null, w int, s varchar(max))");
    let (mut chance, mut next) = (Chance(seed), 1);
    let mut model = Model { rows: Vec::new(), v: "v" };
    let mut before: Option<Model> = None;
    let mut done: Vec<String> = Vec::new();
    let mut refused = 0;
    for _ in 0..steps {
        let mut after = model.clone();
        let text = match chance.below(10) {
            0 if before.is_none() => "begin tran".to_owned(),
            0 | 1 if before.is_some() => chance.one(&["commit", "rollback"]).to_owned(),
            2 => {
                after.v = if model.v == "v" { "vv" } else { "v" };
                format!("exec tempdb..sp_rename '#t.{}', '{}', 'COLUMN'", model.v, after.v)
            }
            3..=5 => change(&mut chance, &mut after, &mut next),
            _ => definition(&mut chance, model.v),
        };
        let text = if text.contains("sp_rename") {
            format!("use tempdb {} use master", text.replace("tempdb..", ""))
        } else {
            text
        };
        let said = run(&mut one, &text);
        let failed = said.lines().any(|line| line.starts_with("Msg ") && !line.contains("Level 10"));
        done.push(format!(
            "{text}{}",
            if failed { format!(" -- {}", said.lines().next().unwrap_or_default()) } else { String::new() }
        ));
        refused += usize::from(failed);
        if !failed {
            match text.as_str() {
                "begin tran" => before = Some(model.clone()),
                "commit" => before = None,
                "rollback" => after = before.take().expect("begun"),
                "truncate table #t" => after.rows.clear(),
                _ => {}
            }
            model = after;
        }
        if before.is_some() && number(&run(&mut one, "select @@trancount")) == 0 {
            model = before.take().expect("begun");
        }
        // Disabled as a whole it gives no rows until it is rebuilt.
        let disabled = "select count(*) from tempdb.sys.indexes where object_id = object_id('tempdb..#t') and is_disabled = 1 and index_id = 1";
        if number(&run(&mut one, disabled)) > 0 {
            done.push("alter index all on #t rebuild".to_owned());
            let said = run(&mut one, "alter index all on #t rebuild");
            assert_eq!(said, "", "after\n{}", done.join("\n"));
        }
        model.check(&mut one, &done);
    }
    assert!(refused < steps * 2 / 3, "{refused} of {steps} statements were refused:\n{}", done.join("\n"));
}

#[test]
fn all_indexes_give_all_rows_after_each_change_of_a_definition() {
    let seeds = std::env::var("MILLPOND_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(3);
    let first = std::env::var("MILLPOND_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    (first..first + seeds).for_each(|seed| walk(seed, 120));
}
