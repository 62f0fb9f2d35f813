#!/usr/bin/env python3
"""Three public sets of warehouse queries on Millpond against DuckDB, interleaved, each answer compared.

  benches/warehouse.py                      all three
  benches/warehouse.py tpch --scale 10      TPC-H's 22 queries, by DuckDB's generator
  benches/warehouse.py ssb                  the Star Schema Benchmark's 13 queries, its tables derived from TPC-H's as its paper has it
  benches/warehouse.py groups joins --rows 1000000
                                            H2O's group-by and join tasks, whose results go into a table on both sides

Generator, environment, servers and comparison are those of tpcds.py: rows with primary keys (H2O's tables have none) and no other indexes,
statistics that the servers make by themselves, the same memory and two threads on both sides.
Figures are seconds: a ratio above 1 says that DuckDB is faster.
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

import kit
import tpcds

KEYS = {
    "tpch": {
        "customer": "c_custkey", "lineitem": "l_orderkey, l_linenumber", "nation": "n_nationkey", "orders": "o_orderkey",
        "part": "p_partkey", "partsupp": "ps_partkey, ps_suppkey", "region": "r_regionkey", "supplier": "s_suppkey",
    },
    "ssb": {"customer": "c_custkey", "date": "d_datekey", "lineorder": "lo_orderkey, lo_linenumber", "part": "p_partkey", "supplier": "s_suppkey"},
}

# What the three make in the generator's environment; `made` names the tables that count and the queries.
PREPARED = {
    "tpch": """
db.execute("load tpch")
db.execute(f"call dbgen(sf={scale})")
queries = {str(number): text for number, text in db.execute("select query_nr, query from tpch_queries() order by 1").fetchall()}
wanted = None
""",
    "ssb": """
db.execute("load tpch")
db.execute(f"call dbgen(sf={scale})")
db.execute(\"\"\"
alter table customer rename to h_customer; alter table supplier rename to h_supplier; alter table part rename to h_part;
create table customer as select c_custkey, c_name, c_address, rpad(n_name, 9, ' ') || (c_custkey % 10)::varchar as c_city, n_name as c_nation,
    r_name as c_region, c_phone, c_mktsegment from h_customer join nation on c_nationkey = n_nationkey join region on n_regionkey = r_regionkey;
create table supplier as select s_suppkey, s_name, s_address, rpad(n_name, 9, ' ') || (s_suppkey % 10)::varchar as s_city, n_name as s_nation,
    r_name as s_region, s_phone from h_supplier join nation on s_nationkey = n_nationkey join region on n_regionkey = r_regionkey;
create table part as select p_partkey, split_part(p_name, ' ', 1) as p_name, 'MFGR#' || m as p_mfgr, 'MFGR#' || m || c as p_category,
    'MFGR#' || m || c || b as p_brand1, split_part(p_name, ' ', 2) as p_color, p_type, p_size, p_container
    from (select *, (hash(p_partkey) % 5 + 1)::varchar as m, (hash(p_partkey * 7) % 5 + 1)::varchar as c, (hash(p_partkey * 11) % 40 + 1)::varchar as b from h_part);
create table "date" as select strftime(d, '%Y%m%d')::int as d_datekey, strftime(d, '%B %d, %Y') as d_date, dayname(d) as d_dayofweek, monthname(d) as d_month,
    year(d)::int as d_year, (year(d) * 100 + month(d))::int as d_yearmonthnum, strftime(d, '%b%Y') as d_yearmonth, dayofweek(d)::int as d_daynuminweek,
    day(d)::int as d_daynuminmonth, dayofyear(d)::int as d_daynuminyear, month(d)::int as d_monthnuminyear, ((dayofyear(d) - 1) // 7 + 1)::int as d_weeknuminyear
    from (select unnest(generate_series(date '1992-01-01', date '1998-12-31', interval 1 day)) as d);
create table lineorder as select l_orderkey as lo_orderkey, l_linenumber::int as lo_linenumber, o_custkey as lo_custkey, l_partkey as lo_partkey, l_suppkey as lo_suppkey,
    strftime(o_orderdate, '%Y%m%d')::int as lo_orderdate, o_orderpriority as lo_orderpriority, o_shippriority::varchar as lo_shippriority, l_quantity::int as lo_quantity,
    (l_extendedprice * 100)::int as lo_extendedprice, (o_totalprice * 100)::int as lo_ordtotalprice, (l_discount * 100)::int as lo_discount,
    (l_extendedprice * (100 - l_discount * 100))::int as lo_revenue, (p_retailprice * 60)::int as lo_supplycost, (l_tax * 100)::int as lo_tax,
    strftime(l_commitdate, '%Y%m%d')::int as lo_commitdate, l_shipmode as lo_shipmode
    from lineitem join orders on l_orderkey = o_orderkey join h_part on l_partkey = p_partkey;
\"\"\")
sums = "sum(cast(lo_revenue as bigint))"
gain = "sum(cast(lo_revenue - lo_supplycost as bigint))"
by_brand = f'select {sums} as revenue, d_year, p_brand1 from lineorder, "date", part, supplier where lo_orderdate = d_datekey and lo_partkey = p_partkey and lo_suppkey = s_suppkey and %s group by d_year, p_brand1 order by d_year, p_brand1'
by_place = f'select c_%s, s_%s, d_year, {sums} as revenue from customer, lineorder, supplier, "date" where lo_custkey = c_custkey and lo_suppkey = s_suppkey and lo_orderdate = d_datekey and %s group by c_%s, s_%s, d_year order by d_year asc, revenue desc'
discount = 'select sum(cast(lo_extendedprice as bigint) * lo_discount) as revenue from lineorder, "date" where lo_orderdate = d_datekey and '
profit = f'select %s, {gain} as profit from "date", customer, supplier, part, lineorder where lo_custkey = c_custkey and lo_suppkey = s_suppkey and lo_partkey = p_partkey and lo_orderdate = d_datekey and %s group by %s order by %s'
cities = "(c_city = 'UNITED KI1' or c_city = 'UNITED KI5') and (s_city = 'UNITED KI1' or s_city = 'UNITED KI5')"
place = lambda what, condition: by_place % (what, what, condition, what, what)
gained = lambda what, condition: profit % (what, condition, what, what)
queries = {
    "1.1": discount + "d_year = 1993 and lo_discount between 1 and 3 and lo_quantity < 25",
    "1.2": discount + "d_yearmonthnum = 199401 and lo_discount between 4 and 6 and lo_quantity between 26 and 35",
    "1.3": discount + "d_weeknuminyear = 6 and d_year = 1994 and lo_discount between 5 and 7 and lo_quantity between 26 and 35",
    "2.1": by_brand % "p_category = 'MFGR#12' and s_region = 'AMERICA'",
    "2.2": by_brand % "p_brand1 between 'MFGR#2221' and 'MFGR#2228' and s_region = 'ASIA'",
    "2.3": by_brand % "p_brand1 = 'MFGR#2221' and s_region = 'EUROPE'",
    "3.1": place("nation", "c_region = 'ASIA' and s_region = 'ASIA' and d_year >= 1992 and d_year <= 1997"),
    "3.2": place("city", "c_nation = 'UNITED STATES' and s_nation = 'UNITED STATES' and d_year >= 1992 and d_year <= 1997"),
    "3.3": place("city", cities + " and d_year >= 1992 and d_year <= 1997"),
    "3.4": place("city", cities + " and d_yearmonth = 'Dec1997'"),
    "4.1": gained("d_year, c_nation", "c_region = 'AMERICA' and s_region = 'AMERICA' and (p_mfgr = 'MFGR#1' or p_mfgr = 'MFGR#2')"),
    "4.2": gained("d_year, s_nation, p_category", "c_region = 'AMERICA' and s_region = 'AMERICA' and (d_year = 1997 or d_year = 1998) and (p_mfgr = 'MFGR#1' or p_mfgr = 'MFGR#2')"),
    "4.3": gained("d_year, s_city, p_brand1", "s_nation = 'UNITED STATES' and (d_year = 1997 or d_year = 1998) and p_category = 'MFGR#14'"),
}
wanted = {"customer", "date", "lineorder", "part", "supplier"}
""",
    "groups": """
db.execute("select setseed(0.42)")
number = lambda most: f"(1 + floor(random() * {most}))::int"
text = lambda digits, most: f"'id' || lpad({number(most)}::varchar, {digits}, '0')"
db.execute(f"create table x as select {text(3, 100)} as id1, {text(3, 100)} as id2, {text(10, rows // 100)} as id3, {number(100)} as id4, {number(100)} as id5, "
    f"{number(rows // 100)} as id6, {number(5)} as v1, {number(15)} as v2, round(random() * 100, 6) as v3 from range({rows})")
mean = "avg(cast({0} as float(53)))"
n, a, b = "count(*)", "cast(v1 as float(53))", "cast(v2 as float(53))"
queries = {
    "1": "select id1, sum(v1) as v1 INTO from x group by id1",
    "2": "select id1, id2, sum(v1) as v1 INTO from x group by id1, id2",
    "3": "select id3, sum(v1) as v1, avg(v3) as v3 INTO from x group by id3",
    "4": f"select id4, {mean.format('v1')} as v1, {mean.format('v2')} as v2, avg(v3) as v3 INTO from x group by id4",
    "5": "select id6, sum(v1) as v1, sum(v2) as v2, sum(v3) as v3 INTO from x group by id6",
    "6": ("select id4, id5, median(v3) as m, stddev(v3) as s INTO from x group by id4, id5",
        "select y.id4, y.id5, m, s INTO from (select distinct id4, id5, percentile_cont(0.5) within group (order by v3) over (partition by id4, id5) as m from x) y "
        "join (select id4, id5, stdev(v3) as s from x group by id4, id5) z on y.id4 = z.id4 and y.id5 = z.id5"),
    "7": "select id3, max(v1) - min(v2) as range_v1_v2 INTO from x group by id3",
    "8": "select id6, v3 as largest2_v3 INTO from (select id6, v3, row_number() over (partition by id6 order by v3 desc) as place from x) y where place <= 2",
    "9": f"select id2, id4, power(({n} * sum({a} * {b}) - sum({a}) * sum({b})), 2) / nullif(({n} * sum({a} * {a}) - sum({a}) * sum({a})) * ({n} * sum({b} * {b}) - sum({b}) * sum({b})), 0) as r2 "
        "INTO from x group by id2, id4",
    "10": "select id1, id2, id3, id4, id5, id6, sum(v3) as v3, count(*) as n INTO from x group by id1, id2, id3, id4, id5, id6",
}
wanted = None
""",
    "joins": """
db.execute("select setseed(0.42)")
small, medium = max(rows // 1000000, 10), rows // 1000
number = lambda most: f"(1 + floor(random() * {most}))::int"
named = "'id' || id1 as id4, 'id' || id2 as id5, 'id' || id3 as id6"
db.execute(f"create table x as select *, {named} from (select {number(small * 11 // 10)} as id1, {number(medium * 11 // 10)} as id2, {number(rows * 11 // 10)} as id3, round(random() * 100, 6) as v1 from range({rows}))")
db.execute(f"create table small as select id1, 'id' || id1 as id4, round(random() * 100, 6) as v2 from (select range::int + 1 as id1 from range({small}))")
db.execute(f"create table medium as select id1, id2, 'id' || id1 as id4, 'id' || id2 as id5, round(random() * 100, 6) as v2 from (select {number(small)} as id1, range::int + 1 as id2 from range({medium}))")
db.execute(f"create table big as select *, {named} from (select {number(small)} as id1, {number(medium)} as id2, range::int + 1 as id3, round(random() * 100, 6) as v2 from range({rows}))")
queries = {
    "1": "select x.id1, x.id2, x.id3, x.id4, x.id5, x.id6, v1, v2 INTO from x join small y on x.id1 = y.id1",
    "2": "select x.id1, x.id2, x.id3, x.id4, x.id5, x.id6, v1, v2, y.id1 as y1 INTO from x join medium y on x.id2 = y.id2",
    "3": "select x.id1, x.id2, x.id3, x.id4, x.id5, x.id6, v1, v2, y.id1 as y1 INTO from x left join medium y on x.id2 = y.id2",
    "4": "select x.id1, x.id2, x.id3, x.id4, x.id5, x.id6, v1, v2, y.id1 as y1 INTO from x join medium y on x.id5 = y.id5",
    "5": "select x.id1, x.id2, x.id3, x.id4, x.id5, x.id6, v1, v2, y.id1 as y1, y.id2 as y2 INTO from x join big y on x.id3 = y.id3",
}
wanted = None
""",
}

GENERATE = r'''
import json, pathlib, re, sys
import duckdb, sqlglot
scale, rows, folder = float(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])
db = duckdb.connect()
PREPARED
EXPORT
def in_t_sql(text):
    if "INTO" in text:
        return text
    # T-SQL groups by no alias.
    text = re.sub(r"GROUP BY\s+supplier_no", "GROUP BY l_suppkey", text)
    return sqlglot.parse_one(text, read="duckdb").sql(dialect="tsql", unsupported_level=sqlglot.ErrorLevel.IGNORE)
both = {number: text if isinstance(text, tuple) else (text, in_t_sql(text)) for number, text in queries.items()}
made = {number: {"theirs": theirs, "ours": ours} for number, (theirs, ours) in both.items()}
(folder / "made.json").write_text(json.dumps({"tables": tables, "queries": made}))
'''


def generated(name, scale, rows):
    """The folder of a set, made when it is not there."""
    size = f"{scale:g}" if name in KEYS else rows
    folder = tpcds.CACHE / f"{name}-{size}"
    if not (folder / "made.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        program = GENERATE.replace("PREPARED", PREPARED[name]).replace("EXPORT", tpcds.EXPORT)
        subprocess.run([tpcds.generator(), "-c", program, str(scale), str(rows), folder], check=True)
    return folder, json.loads((folder / "made.json").read_text())


def timed(side, text, columns):
    """A query; where its result is a table, what is known of that instead of its rows: how many, and sums of its numbers."""
    if " INTO " not in text:
        return side.timed(text)
    side.timed("drop table if exists ans")
    if isinstance(side, tpcds.Ours):
        seconds, _ = side.timed(text.replace(" INTO ", " into ans "))
    else:
        seconds, _ = side.timed("create table ans as " + text.replace(" INTO ", " "))
        described = side.timed("select column_name from information_schema.columns where table_name = 'ans' and data_type <> 'VARCHAR'")
        columns[:] = sorted(name for (name,) in described[1])
    sums = "".join(f", sum(cast({name} as float(53)))" for name in columns)
    return seconds, side.timed(f"select count(*){sums} from ans")[1]


def measured(number, query, ours, theirs, options):
    """One query's line."""
    line = {"query": number, "ours": [], "theirs": [], "wrong": None}
    columns = []
    for _ in range(options.pairs):
        seconds, rows = timed(theirs, query["theirs"], columns)
        line["theirs"].append(seconds)
        try:
            taken, answer = timed(ours, query["ours"], columns)
        except Exception as error:
            line["wrong"] = f"{type(error).__name__}: {error}"
            return line
        line["ours"].append(taken)
        line["wrong"] = tpcds.difference(answer, rows, None)
    return line


def run(name, options):
    folder, made = generated(name, options.scale, options.rows)
    keys = KEYS.get(name, {})
    config = f"[server]\nmax_server_memory_mb = {options.memory_mb}\n"
    lines = []
    with (
        tempfile.TemporaryDirectory(prefix=f"millpond-{name}.", dir=options.disk) as place,
        kit.Millpond(options.millpond, options.disk, config) as server,
    ):
        ours = tpcds.Ours(server, folder, made, keys)
        theirs = tpcds.Theirs(folder, made, max(options.memory_mb, tpcds.LEAST_MB_OF_THEIRS), pathlib.Path(place), keys)
        for number, query in made["queries"].items():
            line = measured(number, query, ours, theirs, options)
            lines.append(line)
            one, other = tpcds.median(line["ours"]), tpcds.median(line["theirs"])
            wrong = (line["wrong"] or "")[:150]
            print(f"{name} {number:<4} {one:8.3f} s {other:8.3f} s {one / other:7.1f} x  {wrong}", file=sys.stderr, flush=True)
    done = [line for line in lines if line["ours"]]
    ratios = [tpcds.median(line["ours"]) / tpcds.median(line["theirs"]) for line in done]
    total = [sum(tpcds.median(line[side]) for line in done) for side in ("ours", "theirs")]
    right = sum(line["wrong"] is None for line in lines)
    print(
        f"{name}: {right} of {len(lines)} right; {total[0]:.1f} s : {total[1]:.1f} s = {total[0] / total[1]:.2f}; "
        f"geometric mean {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}, worst {max(ratios):.1f}",
        file=sys.stderr,
    )
    return {name: lines}, right == len(lines)


def main():
    kit.with_pytds()
    kit.with_duckdb()
    parser = kit.Arguments(__doc__, pairs=1, experiments=list(PREPARED))
    parser.add_argument("--scale", type=float, default=1, help="of TPC-H and the Star Schema Benchmark (default: %(default)s)")
    parser.add_argument("--rows", type=int, default=10_000_000, help="of H2O's tables (default: %(default)s)")
    parser.add_argument("--memory-mb", type=int, default=1024, help="of both (default: %(default)s)")
    options = parser.parse_args()
    outcomes = [run(name, options) for name in options.experiments or PREPARED]
    if options.json:
        print(json.dumps({name: lines for found, _ in outcomes for name, lines in found.items()}))
    sys.exit(0 if all(is_right for _, is_right in outcomes) else 1)


if __name__ == "__main__":
    main()
