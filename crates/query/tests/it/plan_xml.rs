//! Plans as XML keep the rules of SQL Server's schema for them: what each operator's element must have and may hold. The rules stand
//! here as a table of our own; the statements are of all kinds that have plans.

use millpond_query::session::Session;

use crate::harness::{engine, run, session};

/// Attributes that each `RelOp` must have.
const OF_OPERATORS: [&str; 10] = [
    "AvgRowSize",
    "EstimateCPU",
    "EstimateIO",
    "EstimateRebinds",
    "EstimateRewinds",
    "EstimateRows",
    "EstimatedTotalSubtreeCost",
    "LogicalOp",
    "Parallel",
    "PhysicalOp",
];

/// Any number of inputs.
const MANY: usize = usize::MAX;

/// The elements of operators: attributes that must be there, how many inputs, and elements that must be there.
type Rule = (&'static str, &'static [&'static str], (usize, usize), &'static [&'static str]);

const RULES: [Rule; 21] = [
    ("ComputeScalar", &[], (1, 1), &[]),
    ("Concat", &[], (2, MANY), &[]),
    ("ConstantScan", &[], (0, 0), &[]),
    ("Extension", &["UDXName"], (0, 1), &[]),
    ("Filter", &["StartupExpression"], (1, 1), &["Predicate"]),
    ("Generic", &[], (0, MANY), &[]),
    ("Hash", &[], (1, 2), &[]),
    ("IndexScan", &["Ordered"], (0, 0), &["Object"]),
    ("NestedLoops", &["Optimized"], (2, 2), &[]),
    ("Parallelism", &[], (1, 1), &[]),
    ("ScalarInsert", &[], (0, 0), &["Object"]),
    ("SimpleUpdate", &[], (0, 0), &["Object"]),
    ("Sort", &["Distinct"], (1, 1), &["OrderBy"]),
    ("Spool", &[], (0, 1), &[]),
    ("StreamAggregate", &[], (1, 1), &[]),
    ("TableScan", &["Ordered"], (0, 0), &["Object"]),
    ("TableValuedFunction", &[], (0, 1), &[]),
    ("Top", &[], (1, 1), &[]),
    ("TopSort", &["Distinct", "Rows"], (1, 1), &["OrderBy"]),
    ("Update", &[], (1, 1), &["Object"]),
    ("WindowAggregate", &[], (0, 1), &[]),
];

/// What stands in a `RelOp` beside its operator's element.
const BESIDE: [&str; 3] = ["OutputList", "Warnings", "RunTimeInformation"];

/// An element.
#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    inside: Vec<Element>,
}

impl Element {
    /// Reads one from the start of a text; gives what follows it. Elements have no text of their own.
    fn read(text: &str) -> (Element, &str) {
        let (tag, mut rest) = text.strip_prefix('<').and_then(|text| text.split_once('>')).expect("an element");
        let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, mut written) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut element = Element { name: name.to_owned(), ..Element::default() };
        while let Some((name, value)) = written.split_once("=\"") {
            let (value, others) = value.split_once('"').expect("a value in quotes");
            element.attributes.push((name.trim().to_owned(), value.to_owned()));
            written = others;
        }
        if is_empty {
            return (element, rest);
        }
        let end = format!("</{name}>");
        loop {
            if let Some(rest) = rest.strip_prefix(end.as_str()) {
                return (element, rest);
            }
            let (inner, after) = Element::read(rest);
            element.inside.push(inner);
            rest = after;
        }
    }

    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn named<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Element> {
        self.inside.iter().filter(move |element| element.name == name)
    }

    fn visit(&self, see: &mut impl FnMut(&Element)) {
        see(self);
        self.inside.iter().for_each(|element| element.visit(see));
    }

    fn check(&self) {
        match self.name.as_str() {
            "RelOp" => self.check_operator(),
            // Exactly one element says what it is.
            "ScalarOperator" => assert_eq!(self.inside.len(), 1, "{self:?}"),
            "ColumnReference" => assert!(self.attribute("Column").is_some(), "{self:?}"),
            "SeekKeys" | "OrderBy" | "Assign" => assert!(!self.inside.is_empty(), "{self:?}"),
            _ => {}
        }
    }

    fn check_operator(&self) {
        for name in OF_OPERATORS {
            assert!(self.attribute(name).is_some(), "{name} of {:?}", self.attributes);
        }
        assert_eq!(self.inside.first().map(|first| first.name.as_str()), Some("OutputList"));
        let own: Vec<&Element> =
            self.inside.iter().filter(|element| !BESIDE.contains(&element.name.as_str())).collect();
        let [own] = own[..] else { panic!("one element of its own: {own:?}") };
        let rule = RULES.iter().find(|rule| rule.0 == own.name);
        let (_, attributes, (least, most), elements) = rule.unwrap_or_else(|| panic!("no operator: {}", own.name));
        for name in *attributes {
            assert!(own.attribute(name).is_some(), "{name} of {}", own.name);
        }
        for name in *elements {
            assert!(own.named(name).next().is_some(), "{name} in {}", own.name);
        }
        let inputs = own.named("RelOp").count();
        assert!((*least..=*most).contains(&inputs), "{inputs} inputs of {}", own.name);
    }
}

/// The documents in what was sent.
fn documents(sent: &str) -> Vec<Element> {
    sent.match_indices("<ShowPlanXML").map(|(at, _)| Element::read(&sent[at..]).0).collect()
}

fn make_tables(session: &mut Session) {
    run(
        session,
        "create table customer (id int not null primary key, name varchar(20) not null, city varchar(20), credit money)
         create index ix_city on customer (city)
         create table orders (id int not null, customer int not null, amount decimal(10, 2), primary key (customer, id))
         create table note (id int, txt varchar(50))
         insert customer values (1, 'Ann', 'Bern', 5), (2, 'Bob', 'Basel', 6), (3, 'Cid', 'Bern', null)
         insert orders values (1, 1, 5), (2, 1, 7), (1, 2, 9)
         insert note values (1, 'a'), (2, 'b')",
    );
}

/// Statements with plans, and an element that the plan of each must have somewhere.
const STATEMENTS: [(&str, &str); 44] = [
    ("select 1", "ConstantScan"),
    ("select * from note where id = 1", "TableScan"),
    ("select name, credit * 2 from customer where id = 2", "SeekPredicates"),
    ("select name, credit from customer where city = 'Bern' and credit > 1", "OuterReferences"),
    ("select * from customer where id in (1, 3)", "RelOp"),
    ("select c.name, o.id from customer c join orders o on o.customer = c.id", "RelOp"),
    ("select c.name, n.txt from customer c left join note n on n.id = c.id", "Hash"),
    ("select c.name, n.txt from customer c full join note n on n.id > c.id", "NestedLoops"),
    ("select c.name from customer c where exists (select * from note n where n.id = c.id)", "RelOp"),
    ("select name, (select count(*) from orders o where o.customer = c.id) from customer c", "RelOp"),
    (
        "select c.name, x.id from customer c cross apply (select top 1 id from orders o where o.customer = c.id) x",
        "Top",
    ),
    ("select city, count(*), sum(credit), count(distinct name) from customer group by city", "Aggregate"),
    ("select city, name, count(*) from customer group by rollup (city, name)", "Generic"),
    ("select count(*) from customer", "StreamAggregate"),
    ("select distinct city from customer", "RelOp"),
    ("select top 2 with ties * from customer order by city", "RelOp"),
    ("select * from customer order by name, city desc", "OrderByColumn"),
    ("select * from customer order by id offset 1 rows fetch next 2 rows only", "Top"),
    ("select name, row_number() over (partition by city order by name) from customer", "WindowAggregate"),
    ("select name from customer union all select txt from note", "Concat"),
    ("select id from customer except select customer from orders", "RelOp"),
    ("with r as (select 1 n union all select n + 1 from r where n < 10) select * from r", "Spool"),
    ("select case when id > 1 then 'x' when id = 0 then 'y' end from customer", "IF"),
    ("select convert(varchar(9), id), -id, upper(name), id & 1 from customer", "Convert"),
    ("select * from sys.objects where name = 'customer'", "TableValuedFunction"),
    ("select * from string_split('a,b', ',')", "TableValuedFunction"),
    ("select * from (values (1, 'a'), (2, 'b')) v (a, b)", "Row"),
    ("select * from customer for xml path('c')", "StmtSimple"),
    ("select * into copied from customer", "Update"),
    ("insert customer (id, name) values (9, 'Zed <&> \"')", "ScalarInsert"),
    ("insert note select id, name from customer where id > 1", "Update"),
    ("update customer set credit = credit + 1, city = 'x' where id = 1", "SetPredicate"),
    ("update c set credit = o.amount from customer c join orders o on o.customer = c.id", "Update"),
    ("delete customer where id = 5", "SimpleUpdate"),
    ("delete note", "Update"),
    (
        "merge customer t using note s on s.id = t.id when matched then update set name = s.txt
         when not matched then insert (id, name) values (s.id, s.txt) when not matched by source then delete;",
        "Update",
    ),
    ("declare @t table (a int primary key); insert @t values (1); select * from @t where a = 1", "StmtSimple"),
    ("declare @n int = (select max(id) from note)", "StmtSimple"),
    ("if exists (select * from note) select 1 else begin select 2; select 3 end", "Else"),
    ("declare @i int = 0; while @i < 3 set @i += 1", "StmtCond"),
    ("declare c cursor for select id from customer; open c; fetch next from c; close c; deallocate c", "CursorPlan"),
    ("use tempdb", "StmtUseDb"),
    ("exec ('select 1')", "StmtSimple"),
    ("begin try select 1 / 0 end try begin catch print 'a' end catch", "StmtSimple"),
];

#[test]
fn each_plan_as_xml_has_what_the_schema_asks_for() {
    let engine = engine();
    let mut session = session(&engine);
    make_tables(&mut session);
    for (statement, expected) in STATEMENTS {
        run(&mut session, "set showplan_xml on");
        let sent = run(&mut session, statement);
        run(&mut session, "set showplan_xml off use master");
        let documents = documents(&sent);
        assert_eq!(documents.len(), 1, "{statement}: {sent}");
        let mut has_expected = false;
        documents[0].visit(&mut |element| {
            element.check();
            has_expected |= element.name == expected;
        });
        assert!(has_expected, "{expected} in {sent}");
    }
}

#[test]
fn what_ran_is_shown_with_its_rows() {
    let engine = engine();
    let mut session = session(&engine);
    make_tables(&mut session);
    run(&mut session, "set statistics xml on");
    for (statement, rows) in [("select name from customer where id < 3", "2"), ("update note set txt = 'z'", "2")] {
        let documents = documents(&run(&mut session, statement));
        assert_eq!(documents.len(), 1, "{statement}");
        let mut figures = Vec::new();
        documents[0].visit(&mut |element| {
            element.check();
            if element.name == "RunTimeCountersPerThread" {
                figures.extend(element.attribute("ActualRows").map(str::to_owned));
            }
        });
        assert_eq!(figures.first().map(String::as_str), Some(rows), "{statement}");
    }
}

/// How many statements another session finds whose plans have such a text; the pattern must not match itself.
fn plans_like(session: &mut Session, pattern: &str) -> String {
    let text = format!(
        "select 'found', count(*) from sys.dm_exec_query_stats s
         cross apply sys.dm_exec_text_query_plan(s.plan_handle, s.statement_start_offset, s.statement_end_offset) p
         where p.query_plan like '%{pattern}%'"
    );
    let sent = run(session, &text);
    let row = sent.lines().find(|line| line.starts_with("found"));
    row.unwrap_or_else(|| panic!("{sent}")).to_owned()
}

#[test]
fn a_plan_is_seen_after_its_session_until_the_cache_is_freed_and_never_where_a_password_is_written() {
    let engine = engine();
    let (mut owner, mut other) = (session(&engine), session(&engine));
    make_tables(&mut owner);
    run(&mut owner, "select name from customer where pwdcompare('secret of ann', 0x01) = 1");
    run(&mut owner, "select city from customer where name = 'asked by the owner'");
    let none = plans_like(&mut other, "secret of an[n]");
    let one = plans_like(&mut other, "asked by the owne[r]");
    assert_ne!(none, one, "the plan of another session is seen");
    drop(owner);
    assert_eq!(plans_like(&mut other, "asked by the owne[r]"), one, "it is left by its session");
    assert_eq!(plans_like(&mut other, "secret of an[n]"), none);
    run(&mut other, "use master");
    assert_eq!(plans_like(&mut other, "asked by the owne[r]"), one, "from any database");
    run(&mut other, "dbcc freeproccache");
    assert_eq!(plans_like(&mut other, "asked by the owne[r]"), none);
}
