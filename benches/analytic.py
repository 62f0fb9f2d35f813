#!/usr/bin/env python3
"""Queries larger than memory: interleaved pairs of Millpond against DuckDB, rows (id int, k int, v int, pad char(24)).

  benches/analytic.py                         all experiments
  benches/analytic.py group --rows 50000000   this only, as large as the figures in the documents
  benches/analytic.py --json > result.json    figures as JSON, the tables on standard error

  group    GROUP BY with half as many groups as rows; only their number and a sum come back
  join     the rows with half as many of another table, by key
  sort     all rows by k and pad into a temporary table
  scan     sum of a column, everything in memory where it fits
  into     SELECT INTO a temporary table of a million rows by --sessions sessions at once; rows per second
  threads  SELECT INTO of all rows by one session of Millpond, with one thread against two; --memory-mb 2048 has room for them

Both have the same memory and two processors, both keep their data in a file and spill into the same directory. DuckDB comes
from PyPI; what the system's page cache has of its file is dropped before each run, because Millpond's reads go past it.
Figures are seconds: a ratio below 1 says that Millpond is faster; but for `into` they are rows per second.
"""

import os
import pathlib
import tempfile
import time

import kit

# Rows that `into` copies.
PIECE_ROWS = 1_000_000
GROUP = "select count(*), sum(s) from (select k, sum(cast(v as bigint)) as s, max(id) as m from fact group by k) x"
JOIN = "select count(*), sum(cast(fact.v as bigint)), max(dim.pad) from fact join dim on fact.k = dim.k"
SORT_OURS = "select id, k, pad into #sorted from (select top 2147483647 id, k, pad from fact order by k, pad) x"
SORT_THEIRS = "create temp table sorted as select id, k, pad from fact order by k, pad"
INTO = "select id, k, v, pad into #t from {} option (maxdop {})"
SCAN = "select count(*), sum(cast(v as bigint)) from fact where k % 3 <> 1"


def arguments():
    parser = kit.Arguments(__doc__, EXPERIMENTS, pairs=3)
    parser.add_argument("--memory-mb", type=int, default=512, help="of both (default: %(default)s)")
    parser.add_argument("--rows", type=int, default=5_000_000, help="rows of the table (default: %(default)s)")
    parser.add_argument("--sessions", type=int, default=6, help="of `into` (default: %(default)s)")
    return parser.parse_args()


class Ours:
    def __init__(self, server, options):
        self.server, self.sessions, rows = server, options.sessions, options.rows
        kit.load_facts(server, rows)
        server.execute("use facts create table dim (k int not null, pad char(24) not null)")
        server.execute(
            "use facts insert dim with (tablock) select k, max(pad) from fact where id % 2 = 0 group by k",
            f"use facts select id, k, v, pad into piece from fact where id < {PIECE_ROWS}",
        )

    def timed(self, text):
        with self.server.connect("facts") as connection, connection.cursor() as cursor:
            before = self.server.bytes_by_reason()
            cpu = self.server.cpu_seconds()
            started = time.monotonic()
            cursor.execute(text)
            rows = cursor.fetchall() if text.startswith("select") and " into " not in text else None
            seconds = time.monotonic() - started
            cpu = self.server.cpu_seconds() - cpu
        written = {
            reason: size - before.get(reason, 0) for reason, size in self.server.bytes_by_reason().items()
        }
        return seconds, cpu, sum(written.values()) / 1e6, rows

    def copied(self, threads):
        return self.timed(INTO.format("fact", threads))

    def into(self):
        sessions = self.sessions
        connections = [self.server.connect("facts") for _ in range(sessions)]
        cursors = [connection.cursor() for connection in connections]
        text = INTO.format("piece", 0)
        cpu = self.server.cpu_seconds()
        seconds = kit.at_once(sessions, lambda index: cursors[index].execute(text))
        cpu = self.server.cpu_seconds() - cpu
        for connection in connections:
            connection.close()
        return sessions * PIECE_ROWS / seconds, cpu, 0, None


class Theirs:
    def __init__(self, folder, options):
        import duckdb

        self.sessions, rows, memory_mb = options.sessions, options.rows, options.memory_mb
        self.file = folder / "facts.duckdb"
        self.connection = duckdb.connect(str(self.file))
        self.connection.execute(f"set memory_limit = '{memory_mb}MB'")
        self.connection.execute("set threads = 2")
        self.connection.execute(f"set temp_directory = '{folder / 'spill'}'")
        self.connection.execute("set preserve_insertion_order = false")
        self.connection.execute(
            f"create table fact as select cast(i as int) as id, cast(i * 7919 % {rows // 2 - 1} as int) as k, "
            f"cast(i % 1000 as int) as v, rpad(cast(i * 104729 % 1000003 as varchar), 24, ' ') as pad from range({rows}) t(i)"
        )
        self.connection.execute("create table dim as select k, max(pad) as pad from fact where id % 2 = 0 group by k")
        self.connection.execute(f"create table piece as select * from fact where id < {PIECE_ROWS}")
        self.connection.execute("checkpoint")

    def timed(self, text):
        self.forget_cache()
        started = time.monotonic()
        rows = self.connection.execute(text).fetchall()
        seconds = time.monotonic() - started
        self.connection.execute("drop table if exists sorted")
        return seconds, 0, 0, [tuple(row) for row in rows] if text.startswith("select") else None

    def forget_cache(self):
        """Its file leaves the system's page cache, which is memory beyond its limit; Millpond reads past that cache."""
        with open(self.file, "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

    def into(self):
        sessions = self.sessions
        cursors = [self.connection.cursor() for _ in range(sessions)]
        text = "create or replace temp table t as select id, k, v, pad from piece"
        seconds = kit.at_once(sessions, lambda index: cursors[index].execute(text))
        return sessions * PIECE_ROWS / seconds, 0, 0, None


PEERS = ("Millpond", "DuckDB")
# What runs, on which side; the sides.
EXPERIMENTS = {
    "scan": (lambda ours, _: ours.timed(SCAN), lambda _, theirs: theirs.timed(SCAN), PEERS),
    "group": (lambda ours, _: ours.timed(GROUP), lambda _, theirs: theirs.timed(GROUP), PEERS),
    "join": (lambda ours, _: ours.timed(JOIN), lambda _, theirs: theirs.timed(JOIN), PEERS),
    "sort": (lambda ours, _: ours.timed(SORT_OURS), lambda _, theirs: theirs.timed(SORT_THEIRS), PEERS),
    "into": (lambda ours, _: ours.into(), lambda _, theirs: theirs.into(), PEERS),
    "threads": (lambda ours, _: ours.copied(1), lambda ours, _: ours.copied(2), ("one", "two")),
}


def compare(report, name, ours, theirs, options):
    first, second, sides = EXPERIMENTS[name]
    found = kit.pairs(options.pairs, lambda: first(ours, theirs), lambda: second(ours, theirs))
    for one, other in found:
        if one[3] != other[3]:
            raise SystemExit(f"{name}: {one[3]} is not {other[3]}")
    what = "rows per second" if name == "into" else "milliseconds"
    scale = 1 if name == "into" else 1000
    report.ratios(
        name, f"{name}, {what}", found, figure=lambda run: run[0] * scale, header=("our CPU s", "our MB written"),
        more=lambda run, _: [f"{run[1]:.2f}", f"{run[2]:,.0f}"], sides=sides,
    )


def main():
    kit.with_pytds()
    kit.with_duckdb()
    options = arguments()
    report = kit.Report(options.json, f"{options.rows:,} rows, {options.memory_mb} MB, {options.pairs} pairs")
    report.add("parameters", {"rows": options.rows, "memory_mb": options.memory_mb, "pairs": options.pairs})
    config = f"[server]\nmax_server_memory_mb = {options.memory_mb}\n"
    with (
        tempfile.TemporaryDirectory(prefix="millpond-facts.", dir=options.disk) as folder,
        kit.Millpond(options.millpond, options.disk, config) as server,
    ):
        ours, theirs = Ours(server, options), Theirs(pathlib.Path(folder), options)
        for name in options.experiments or EXPERIMENTS:
            compare(report, name, ours, theirs, options)
    report.end()


if __name__ == "__main__":
    main()
