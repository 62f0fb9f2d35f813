#!/usr/bin/env python3
"""TPC-DS: the 99 queries on Millpond against DuckDB, interleaved, each answer compared.

  benches/tpcds.py                          scale 0.2, all queries, one pair
  benches/tpcds.py 4 35 --scale 1           these only
  benches/tpcds.py --plans 5                and the plans of the five worst
  benches/tpcds.py --check                  answers alone, no times; exit code 1 when one is wrong
  benches/tpcds.py --estimates              how far each operator's estimated rows are from those that it gave

Rows and queries come from the generator inside DuckDB's wheel 1.1.3 (later wheels have none), the queries' texts in T-SQL from sqlglot;
both live in an environment of their own below ~/.cache/millpond, which keeps what was generated. Tables are rows with primary keys and
no other indexes; statistics are those that the servers make by themselves. Both have the same memory (but DuckDB, which does not
load scale 1 with 256 MB, no less than 1 GB) and two threads.
Figures are seconds: a ratio above 1 says that DuckDB is faster.
"""

import decimal
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import kit

GENERATOR = ("duckdb==1.1.3", "sqlglot==30.30.0")
CACHE = pathlib.Path.home() / ".cache/millpond"
# A query that takes longer has failed.
QUERY_S = 300
# With less the peer does not even load scale 1.
LEAST_MB_OF_THEIRS = 1024

KEYS = {
    "call_center": "cc_call_center_sk", "catalog_page": "cp_catalog_page_sk", "catalog_returns": "cr_item_sk, cr_order_number",
    "catalog_sales": "cs_item_sk, cs_order_number", "customer": "c_customer_sk", "customer_address": "ca_address_sk",
    "customer_demographics": "cd_demo_sk", "date_dim": "d_date_sk", "household_demographics": "hd_demo_sk",
    "income_band": "ib_income_band_sk", "inventory": "inv_date_sk, inv_item_sk, inv_warehouse_sk", "item": "i_item_sk",
    "promotion": "p_promo_sk", "reason": "r_reason_sk", "ship_mode": "sm_ship_mode_sk", "store": "s_store_sk",
    "store_returns": "sr_item_sk, sr_ticket_number", "store_sales": "ss_item_sk, ss_ticket_number", "time_dim": "t_time_sk",
    "warehouse": "w_warehouse_sk", "web_page": "wp_web_page_sk", "web_returns": "wr_item_sk, wr_order_number",
    "web_sales": "ws_item_sk, ws_order_number", "web_site": "web_site_sk",
}

# Runs in the generator's environment: the tables of `wanted` (None: all) as files in `folder`, and what their columns are.
EXPORT = r"""
tables = {}
for (name,) in db.execute("select table_name from information_schema.tables order by 1").fetchall():
    if wanted is not None and name not in wanted:
        continue
    columns = db.execute(
        "select column_name, data_type from information_schema.columns where table_name = ? order by ordinal_position", [name]
    ).fetchall()
    described = []
    for column, kind in columns:
        if kind == "VARCHAR":
            length = db.execute(f'select coalesce(max(length({column})), 1) from "{name}"').fetchone()[0]
            kind = f"VARCHAR({max(1, length)})"
        described.append((column, kind.replace("DOUBLE", "FLOAT")))
    tables[name] = described
    db.execute(f"copy \"{name}\" to '{folder / name}.csv' (delimiter '|', header false, quote '', escape '')")
"""

# The same: the tables, and the queries in both languages.
GENERATE = r"""
import json, pathlib, sys
import duckdb, sqlglot
scale, folder = float(sys.argv[1]), pathlib.Path(sys.argv[2])
db = duckdb.connect()
db.execute("load tpcds")
db.execute(f"call dsdgen(sf={scale})")
wanted = None
EXPORT
decimals = {column for columns in tables.values() for column, kind in columns if kind.startswith("DECIMAL")}
def in_t_sql(text):
    tree = sqlglot.parse_one(text, read="duckdb")
    for mean in tree.find_all(sqlglot.exp.Avg):
        # A mean of whole numbers is a whole number in T-SQL: they become floats.
        if not all(column.name.lower() in decimals for column in mean.find_all(sqlglot.exp.Column)):
            mean.set("this", sqlglot.exp.cast(mean.this, "double"))
    for rounded in tree.find_all(sqlglot.exp.Round):
        rounded.set("decimals", rounded.args.get("decimals") or sqlglot.exp.Literal.number(0))
    for select in tree.find_all(sqlglot.exp.Select):
        # T-SQL orders a DISTINCT by what it selects alone; sqlglot would add where NULL goes.
        if select.args.get("distinct") and select.args.get("order"):
            for ordered in select.args["order"].expressions:
                ordered.set("nulls_first", not ordered.args.get("desc"))
    for sum_ in tree.find_all(sqlglot.exp.Add):
        # A date and a number of days.
        if sum_.left.name.lower() == "d_date" and sum_.right.is_number:
            sum_.replace(sqlglot.exp.TsOrDsAdd(this=sum_.left, expression=sum_.right, unit=sqlglot.exp.var("day")))
    return tree.sql(dialect="tsql", unsupported_level=sqlglot.ErrorLevel.IGNORE).replace("STDDEV_SAMP(", "STDEV(")
queries = {
    # AT is a word of its own in the peer's parser.
    number: {"theirs": text.replace(" AT,", ' "at",'), "ours": in_t_sql(text)}
    for number, text in db.execute("select query_nr, query from tpcds_queries() order by 1").fetchall()
}
(folder / "made.json").write_text(json.dumps({"tables": tables, "queries": queries}))
"""


def generator():
    """The Python of the generator's environment, made when it is not there."""
    python = CACHE / "tpcds/bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", CACHE / "tpcds"], check=True)
    subprocess.run([CACHE / "tpcds/bin/pip", "install", "--quiet", *GENERATOR], check=True)
    return python


def generated(scale):
    """The folder of a scale, made when it is not there."""
    folder = CACHE / f"tpcds-{scale:g}"
    if not (folder / "made.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([generator(), "-c", GENERATE.replace("EXPORT", EXPORT), str(scale), folder], check=True)
    return folder, json.loads((folder / "made.json").read_text())


def arguments():
    parser = kit.Arguments(__doc__, pairs=1)
    parser.add_argument("queries", nargs="*", type=int, metavar="QUERY", help="numbers of queries (default: all)")
    parser.add_argument("--scale", type=float, default=0.2, help="(default: %(default)s)")
    parser.add_argument("--memory-mb", type=int, default=2048, help="of both, DuckDB's at least 1024 (default: %(default)s)")
    parser.add_argument("--plans", type=int, default=0, metavar="N", help="shows the plans of the N worst")
    parser.add_argument("--check", action="store_true", help="answers alone, no times")
    parser.add_argument("--estimates", action="store_true", help="q-errors of all operators, no times")
    return parser.parse_args()


class Ours:
    def __init__(self, server, folder, made, primary_keys=KEYS):
        self.server = server
        server.execute("create database tpcds", "alter database tpcds set recovery simple")
        for name, columns in made["tables"].items():
            key = primary_keys.get(name, "")
            keys = [column.strip() for column in key.split(",")]
            described = ", ".join(
                f"[{column}] {kind.replace('INTEGER', 'INT')}{' not null' if column in keys else ''}" for column, kind in columns
            )
            server.execute(
                f"use tpcds create table [{name}] ({described}{f', primary key ({key})' if key else ''})",
                f"use tpcds bulk insert [{name}] from '{folder / name}.csv' with "
                "(fieldterminator = '|', rowterminator = '0x0a', codepage = '65001', tablock)",
            )

    def timed(self, text):
        with self.server.connect("tpcds", QUERY_S) as connection, connection.cursor() as cursor:
            started = time.monotonic()
            cursor.execute(text)
            rows = [tuple(row) for row in cursor.fetchall()] if cursor.description else []
            return time.monotonic() - started, rows

    def plan(self, text):
        """The plan with what each operator did, indented."""
        with self.server.connect("tpcds", QUERY_S) as connection, connection.cursor() as cursor:
            cursor.execute("set statistics profile on")
            cursor.execute(text)
            cursor.fetchall()
            cursor.nextset()
            names = [column[0] for column in cursor.description]
            rows = [dict(zip(names, row)) for row in cursor.fetchall()]
        return [f"{row['Rows'] or 0:>12} {row['EstimateRows'] or 0:>14,.0f} {row['StmtText']}" for row in rows]


    def estimates(self, text):
        """Of each operator: what it is, the rows that were expected of all its executions (None: nothing was), those that came."""
        with self.server.connect("tpcds", timeout_s=QUERY_S) as connection, connection.cursor() as cursor:
            cursor.execute("set statistics profile on")
            cursor.execute(text)
            cursor.fetchall()
            cursor.nextset()
            names = [column[0] for column in cursor.description]
            operators = [dict(zip(names, row)) for row in cursor.fetchall()][1:]
        for operator in operators:
            # A bitmap drops rows of a scan that a join was expected to drop; threads have groups of their own.
            is_cut = "PROBE" in operator["StmtText"] or operator["LogicalOp"] == "Partial Aggregate"
            if operator["Executes"] and not is_cut:
                # Threads share the rows of one execution; an inner side is expected anew for each.
                times = 1 if operator["Parallel"] else operator["Executes"]
                yield operator["StmtText"].strip(" |-"), (operator["EstimateRows"] or 0) * times or None, operator["Rows"]


class Theirs:
    def __init__(self, folder, made, memory_mb, place, primary_keys=KEYS):
        import duckdb

        self.connection = duckdb.connect(str(place / "tpcds.duckdb"))
        for setting in (f"memory_limit = '{memory_mb}MB'", "threads = 2", f"temp_directory = '{place / 'spill'}'"):
            self.connection.execute(f"set {setting}")
        for name, columns in made["tables"].items():
            described = ", ".join(f"{column} {kind}" for column, kind in columns)
            key = f", primary key ({primary_keys[name]})" if name in primary_keys else ""
            self.connection.execute(f'create table "{name}" ({described}{key})')
            self.connection.execute(f"copy \"{name}\" from '{folder / name}.csv' (delimiter '|', header false, quote '', escape '')")
        self.connection.execute("checkpoint")

    def timed(self, text):
        started = time.monotonic()
        rows = self.connection.execute(text).fetchall()
        return time.monotonic() - started, rows


def plain(value):
    """A value as both have it: numbers as floats, texts without the blanks at their end."""
    if isinstance(value, (bool, int, float, decimal.Decimal)):
        return float(value)
    return str(value).rstrip() if value is not None else None


def is_same(one, other):
    if isinstance(one, float) and isinstance(other, float):
        # T-SQL cuts quotients and averages of decimals after six digits or more.
        return math.isclose(one, other, rel_tol=1e-5, abs_tol=2e-2)
    return one == other


def missing(rows, among):
    """Those of the rows that are not among the others, each of which stands for one."""
    found, left = [], {}
    for other in among:
        left.setdefault(coarse(other), []).append(other)
    for row in rows:
        same = next((other for other in left.get(coarse(row), ()) if all(map(is_same, row, other))), None)
        if same is None:
            found.append(row)
        else:
            left[coarse(same)].remove(same)
    return found


def coarse(row):
    """What rows that are the same share but for their numbers."""
    return tuple(value for value in row if not isinstance(value, float))


def difference(ours, theirs, whole):
    """What differs between two answers, rows in any order; `whole` gives theirs without its limit, which may cut others of equal
    rows."""
    ours, theirs = ([tuple(map(plain, row)) for row in rows] for rows in (ours, theirs))
    if len(ours) != len(theirs):
        return f"{len(ours)} rows instead of {len(theirs)}"
    others = missing(ours, theirs)
    if others and whole:
        others = missing(others, [tuple(map(plain, row)) for row in whole()])
    return f"{len(others)} rows, {others[0]} is not among {theirs[:2]}" if others else None


def measured(number, query, ours, theirs, options):
    """One query's line."""
    line = {"query": number, "ours": [], "theirs": [], "wrong": None}
    for _ in range(1 if options.check else options.pairs):
        seconds, rows = theirs.timed(query["theirs"])
        line["theirs"].append(seconds)
        try:
            taken, answer = ours.timed(query["ours"])
        except Exception as error:
            line["wrong"] = f"{type(error).__name__}: {error}"
            return line
        line["ours"].append(taken)
        whole = re.sub(r"\blimit\s+\d+\s*;?\s*$", "", query["theirs"].strip(), flags=re.I)
        line["wrong"] = difference(answer, rows, whole != query["theirs"].strip() and (lambda: theirs.timed(whole)[1]))
    return line


def median(figures):
    return statistics.median(figures) if figures else math.nan


def q_error(expected, came):
    """By how much one is larger than the other; less than a row is none."""
    expected, came = max(expected, 1), max(came, 1)
    return max(expected / came, came / expected)


def show_estimates(ours, made, wanted):
    """The q-errors of all operators that anything was expected of, by what they are, and the worst."""
    errors, kinds, unknown = [], {}, 0
    for number in wanted:
        for text, expected, came in ours.estimates(made["queries"][str(number)]["ours"]):
            if expected is None:
                unknown += 1
                continue
            error = q_error(expected, came)
            errors.append((error, number, expected, came, text))
            kinds.setdefault(text.split("(OBJECT")[0].split(", HASH")[0].split(", OUTER")[0][:40], []).append(error)
    errors.sort(key=lambda one: one[0])
    at = lambda sorted_errors, part: sorted_errors[min(int(len(sorted_errors) * part), len(sorted_errors) - 1)]
    for kind, of_kind in sorted(kinds.items(), key=lambda pair: -len(pair[1])):
        of_kind.sort()
        if len(of_kind) >= 10:
            print(f"{len(of_kind):6}  median {at(of_kind, 0.5):8.2f}  95 % {at(of_kind, 0.95):10.1f}  {kind}", file=sys.stderr)
    for error, number, expected, came, text in errors[-20:]:
        print(f"{error:10.0f}  q{number:<3} expected {expected:10.0f}, came {came:9}  {text[:100]}", file=sys.stderr)
    all_errors = [one[0] for one in errors]
    print(
        f"{len(errors)} operators, {unknown} of which nothing was expected: q-error median {at(all_errors, 0.5):.2f}, "
        f"90 % {at(all_errors, 0.9):.1f}, 95 % {at(all_errors, 0.95):.1f}, worst {all_errors[-1]:.0f}",
        file=sys.stderr,
    )


def main():
    kit.with_pytds()
    kit.with_duckdb()
    options = arguments()
    folder, made = generated(options.scale)
    wanted = options.queries or sorted(map(int, made["queries"]))
    config = f"[server]\nmax_server_memory_mb = {options.memory_mb}\n"
    lines = []
    with (
        tempfile.TemporaryDirectory(prefix="millpond-tpcds.", dir=options.disk) as place,
        kit.Millpond(options.millpond, options.disk, config) as server,
    ):
        if options.estimates:
            return show_estimates(Ours(server, folder, made), made, wanted)
        ours, theirs = Ours(server, folder, made), Theirs(folder, made, max(options.memory_mb, LEAST_MB_OF_THEIRS), pathlib.Path(place))
        for number in wanted:
            line = measured(number, made["queries"][str(number)], ours, theirs, options)
            lines.append(line)
            if options.check:
                print(f"ok q{number}" if line["wrong"] is None else f"FAILED q{number}: {line['wrong']}", flush=True)
            else:
                one, other = median(line["ours"]), median(line["theirs"])
                wrong = line["wrong"] or ""
                print(f"q{number:<3} {one:8.3f} s {other:8.3f} s {one / other:7.1f} x  {wrong[:150]}", file=sys.stderr, flush=True)
        done = [line for line in lines if line["ours"]]
        worst = sorted(done, key=lambda line: median(line["theirs"]) / median(line["ours"]))
        for line in worst[: options.plans]:
            print(f"\nq{line['query']}", file=sys.stderr)
            print("\n".join(ours.plan(made["queries"][str(line["query"])]["ours"])), file=sys.stderr)
    wrong = [line for line in lines if line["wrong"]]
    if not options.check:
        ratios = [median(line["ours"]) / median(line["theirs"]) for line in done]
        total = [sum(median(line[side]) for line in done) for side in ("ours", "theirs")]
        print(
            f"scale {options.scale:g}, {options.memory_mb} MB: {len(lines) - len(wrong)} of {len(lines)} right; "
            f"{total[0]:.1f} s : {total[1]:.1f} s = {total[0] / total[1]:.2f}; geometric mean "
            f"{math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}, worst {max(ratios):.1f}",
            file=sys.stderr,
        )
    if options.json:
        print(json.dumps(lines))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
