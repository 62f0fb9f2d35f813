"""The work of the experiment `peers` on DuckDB: parameters as JSON on standard input, figures as JSON on standard output."""

import json
import sys
import time

import duckdb

given = json.load(sys.stdin)
session = duckdb.connect(given["file"])
session.execute(f"set memory_limit = '{given['memory_mb']}MB'")
session.execute(f"set temp_directory = '{given['folder']}/spilled'")
session.execute("set threads = 2")
# It would be drawn on standard output.
session.execute("set enable_progress_bar = false")
session.execute(
    "create table rows as select cast(i as integer) as id, cast(i % 1000 as integer) as k, "
    "rpad(cast(i * 104729 % 1000003 as varchar), 60, ' ') as note from range(?) as r(i)",
    [given["rows"]],
)
session.execute("checkpoint")


def seconds(work):
    begun = time.perf_counter()
    answer = work()
    return time.perf_counter() - begun, answer


def fill():
    for _ in range(given["loop_tables"]):
        session.execute("begin")
        session.execute("create temp table t (mycol varchar not null)")
        for _ in range(given["loop_rows"]):
            session.execute("insert into t values (rpad('abc', 8000, ' '))")
        session.execute("drop table t")
        session.execute("commit")


def copy():
    session.execute("create temp table copied as select id, k, note from rows")
    session.execute("drop table copied")


SORT = (
    "select count(*), cast(sum(cast(id as bigint)) as bigint) from "
    "(select id, row_number() over (order by note, id) as place from rows) as ordered where place % 100 = 0"
)


def sort():
    return [int(value) for value in session.execute(SORT).fetchone()]


copy()
sort()
loop_s, _ = seconds(fill)
select_into_s, _ = seconds(copy)
sort_s, answer = seconds(sort)
print(json.dumps({
    "version": duckdb.__version__, "loop_s": loop_s, "select_into_s": select_into_s, "sort_s": sort_s, "answer": answer,
}))
