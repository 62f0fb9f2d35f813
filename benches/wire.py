#!/usr/bin/env python3
"""Rows over the wire: interleaved pairs of Millpond against PostgreSQL 15, by like clients, rows of eight columns.

  benches/wire.py                          all experiments
  benches/wire.py go_read --pairs 3        this only
  benches/wire.py --json > result.json     figures as JSON, the tables on standard error

  go_read      all rows into variables: go-mssqldb against pgx (benches/wire/main.go, which needs Go)
  go_bulk      rows into a table with a primary key, durable: go-mssqldb's INSERT BULK against pgx' COPY
  python_read  all rows as tuples: python-tds against psycopg's own Python (PSYCOPG_IMPL=python), neither with a part in C
  python_bulk  rows into the table: python-tds' copy_to against psycopg's COPY, from the same iterator

Both servers answer over loopback without TLS and have the same memory. What a client does itself is part of the time; the
table says what the server's process, and the client's, took of each row.
"""

import datetime
import json
import os
import pathlib
import subprocess
import sys
import time

import kit

# Columns with a type of each kind that rows mostly have: (name, SQL Server's, PostgreSQL's).
COLUMNS = [
    ("id", "int not null primary key", "int not null primary key"),
    ("a", "bigint not null", "bigint not null"),
    ("n", "decimal(12,2) not null", "numeric(12,2) not null"),
    ("f", "float null", "float8 null"),
    ("d", "date not null", "date not null"),
    ("t", "datetime2(3) not null", "timestamp(3) not null"),
    ("s", "varchar(40) not null", "varchar(40) not null"),
    ("u", "nvarchar(30) null", "varchar(30) null"),
]
NAMES = [name for name, _, _ in COLUMNS]
QUERY = f"select {', '.join(NAMES)} from rows8"
FIRST_DAY, FIRST_TIME = datetime.date(2020, 1, 1), datetime.datetime(2024, 1, 1)


def arguments():
    parser = kit.Arguments(__doc__, EXPERIMENTS)
    parser.add_memory()
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the table (default: %(default)s)")
    return parser.parse_args()


def row(number):
    day, at = FIRST_DAY + datetime.timedelta(number % 2000), FIRST_TIME + datetime.timedelta(seconds=number)
    text = "x" * (10 + number % 30)
    return number, number * 1_000_003, f"{number % 100000}.{number % 100:02}", number / 7, day, at, text, f"name {number % 1000}"


def definition(table, place):
    return f"create table {table} ({', '.join(f'{column[0]} {column[place]}' for column in COLUMNS)})"


def go_program():
    """The program of benches/wire, built where other downloads are."""
    place = pathlib.Path.home() / ".cache/millpond/gobin/wire"
    place.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["go", "build", "-o", place, "."], cwd=pathlib.Path(__file__).parent / "wire", check=True)
    return place


def with_psycopg():
    try:
        import psycopg  # noqa: F401
    except ImportError:
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "psycopg"], check=True)
    os.environ["PSYCOPG_IMPL"] = "python"


class Side:
    """A server, its table `rows8` to be read and `loaded8` to be filled."""

    def __init__(self, server, options):
        self.server, self.options = server, options

    def go(self, what):
        """Rows per second, and microseconds per row of the server's processors and of the client's."""
        command = [go_program(), self.driver, what, f"127.0.0.1:{self.server.port}", kit.PASSWORD, str(self.options.rows), "1"]
        return self.measured(lambda: json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)[0])

    def measured(self, work):
        before, client_before = self.server.cpu_seconds(), sum(os.times()[:4])
        seconds = work()
        cpu, client_cpu = self.server.cpu_seconds() - before, sum(os.times()[:4]) - client_before
        return self.options.rows / seconds, cpu / self.options.rows * 1e6, client_cpu / self.options.rows * 1e6

    def python(self, work):
        def timed():
            started = time.monotonic()
            rows = work()
            seconds = time.monotonic() - started
            assert rows == self.options.rows, rows
            return seconds

        return self.measured(timed)

    def go_read(self):
        return self.go("read")

    def go_bulk(self):
        return self.go("bulk")

    def python_read(self):
        return self.python(self.read)

    def python_bulk(self):
        return self.python(self.bulk)


class Ours(Side):
    driver = "ms"

    def __init__(self, server, options):
        super().__init__(server, options)
        server.execute("create database wire")
        self.connection = server.connect("wire")
        with self.connection.cursor() as cursor:
            for table in ("rows8", "loaded8"):
                cursor.execute(definition(table, 1))
        self.load("rows8")

    def load(self, table):
        import pytds

        with self.connection.cursor() as cursor:
            types = {"int not null primary key": "int not null"}
            columns = [pytds.Column(name, type=type_of(types.get(kind, kind))) for name, kind, _ in COLUMNS]
            cursor.copy_to(data=map(row, range(self.options.rows)), table_or_view=table, columns=columns, tablock=True)
            cursor.execute(f"select count(*) from {table}")
            return cursor.fetchone()[0]

    def read(self):
        with self.connection.cursor() as cursor:
            cursor.execute(QUERY)
            return sum(1 for _ in iter(cursor.fetchone, None))

    def bulk(self):
        with self.connection.cursor() as cursor:
            cursor.execute("truncate table loaded8")
        return self.load("loaded8")


def type_of(kind):
    """python-tds' name of a column's type."""
    from pytds import tds_types as types

    word = kind.split(" ")[0]
    made = {
        "int": types.IntType, "bigint": types.BigIntType, "float": types.FloatType, "date": types.DateType,
        "decimal(12,2)": lambda: types.DecimalType(12, 2), "datetime2(3)": lambda: types.DateTime2Type(3),
        "varchar(40)": lambda: types.VarCharType(40), "nvarchar(30)": lambda: types.NVarCharType(30),
    }
    return made[word]()


class Theirs(Side):
    driver = "pg"

    def __init__(self, peer, options):
        super().__init__(peer, options)
        import psycopg

        self.connection = psycopg.connect(host="127.0.0.1", port=peer.port, user="postgres", dbname="postgres", autocommit=True)
        for table in ("rows8", "loaded8"):
            self.connection.execute(definition(table, 2))
        self.load("rows8")
        peer.psql("vacuum analyze rows8", "checkpoint")

    def load(self, table):
        with self.connection.transaction(), self.connection.cursor() as cursor:
            cursor.execute(f"truncate table {table}")
            with cursor.copy(f"copy {table} from stdin") as copy:
                for one in map(row, range(self.options.rows)):
                    copy.write_row(one)
        return self.connection.execute(f"select count(*) from {table}").fetchone()[0]

    def read(self):
        with self.connection.cursor() as cursor:
            cursor.execute(QUERY)
            return sum(1 for _ in iter(cursor.fetchone, None))

    def bulk(self):
        return self.load("loaded8")


EXPERIMENTS = ["go_read", "go_bulk", "python_read", "python_bulk"]


def main():
    kit.with_pytds()
    with_psycopg()
    options = arguments()
    report = kit.Report(options.json, f"{options.rows:,} rows of {len(COLUMNS)} columns, {options.pairs} pairs")
    report.add("parameters", {"rows": options.rows, "pairs": options.pairs})
    with kit.durable_servers(report, options) as (server, peer):
        ours, theirs = Ours(server, options), Theirs(peer, options)
        for name in options.experiments or EXPERIMENTS:
            found = kit.pairs(options.pairs, getattr(ours, name), getattr(theirs, name))
            cpu = lambda *runs: [f"{run[place]:.2f}" for place in (1, 2) for run in runs]  # noqa: E731
            report.ratios(
                name, f"{name}, rows per second", found, figure=lambda run: run[0],
                header=("server, us per row", "PostgreSQL's", "client, us per row", "PostgreSQL's"), more=cpu,
            )
    report.end()


if __name__ == "__main__":
    main()
