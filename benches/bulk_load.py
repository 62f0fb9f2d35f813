#!/usr/bin/env python3
"""Loads: interleaved pairs of Millpond against PostgreSQL 15, rows (id int primary key, a int, b varchar(100)).

  benches/bulk_load.py                        all experiments
  benches/bulk_load.py bulk --pairs 3         this only
  benches/bulk_load.py --json > result.json   figures as JSON, the tables on standard error

  bulk     INSERT BULK by FreeTDS' freebcp from a file of text, against psql's \\copy of the same file
  file     BULK INSERT of a file of text, against COPY … FROM the same file, both read by the server
  select   INSERT … SELECT of a cross join into an empty table, against COPY (the peer's fastest way in)
  peer     the same INSERT … SELECT on both, generate_series for the peer
  into     SELECT … INTO of a cross join, against COPY
  values   INSERT … VALUES of 1,000 rows each, one text after the other over one connection, in one transaction; against
           the same texts in PostgreSQL

Memory and durability are the same: each load is one durable transaction. A table is dropped before the next load.
"""

import pathlib
import subprocess
import tempfile
import time

import kit

TABLE = "create table loaded ( id int not null primary key, a int not null, b varchar(100) not null )"
FILL = "x"
VALUES_ROWS = 1000


def arguments():
    parser = kit.Arguments(__doc__, EXPERIMENTS)
    parser.add_memory()
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the table (default: %(default)s)")
    return parser.parse_args()


def row(number):
    return number, number % 1000, FILL * (50 + number % 50)


def texts_of(options):
    """The VALUES statements."""
    for first in range(0, options.rows, VALUES_ROWS):
        rows = (row(number) for number in range(first, min(first + VALUES_ROWS, options.rows)))
        yield "insert into loaded values " + ",".join(f"({number},{a},'{b}')" for number, a, b in rows)


class Ours:
    def __init__(self, server, options, rows):
        self.server, self.options, self.rows = server, options, rows
        self.connection = server.connect()
        self.cursor = self.connection.cursor()
        self.cursor.execute("create database loads")
        self.cursor.execute("use loads")
        self.cursor.execute("create table n (i int not null primary key)")
        self.cursor.execute("insert n values " + ",".join(f"({number})" for number in range(1000)))

    def fresh(self, definition=TABLE):
        self.cursor.execute("if object_id('loaded') is not null drop table loaded")
        if definition:
            self.cursor.execute(definition)

    def timed(self, work):
        """Rows per second; all of them are there afterwards."""
        started = time.monotonic()
        work()
        seconds = time.monotonic() - started
        self.cursor.execute("select count(*) from loaded")
        assert self.cursor.fetchall()[0][0] == self.options.rows
        return self.options.rows / seconds

    def source(self):
        return (
            f"select x.i * 1000 + y.i as id, y.i as a, replicate('{FILL}', 50 + y.i % 50) as b "
            f"from n x cross join n y where x.i < {self.options.rows // 1000}"
        )

    def bulk(self):
        self.fresh()
        # A packet size as COPY's buffers.
        command = [
            "freebcp", "loads.dbo.loaded", "in", self.rows, "-c", "-b", str(self.options.rows), "-A", "32767",
            "-S", f"127.0.0.1:{self.server.port}", "-U", "sa", "-P", kit.PASSWORD,
        ]

        def work():
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise SystemExit(f"freebcp failed: {done.stderr or done.stdout}")

        return self.timed(work)

    def file(self):
        self.fresh()
        return self.timed(lambda: self.cursor.execute(f"bulk insert loaded from '{self.rows}' with (tablock)"))

    def select(self):
        self.fresh()
        return self.timed(lambda: self.cursor.execute(f"insert loaded {self.source()}"))

    def into(self):
        self.fresh(None)
        return self.timed(lambda: self.cursor.execute(f"select * into loaded from ({self.source()}) s"))

    def values(self):
        self.fresh()
        texts = list(texts_of(self.options))

        def work():
            self.cursor.execute("begin tran")
            for text in texts:
                self.cursor.execute(text)
            self.cursor.execute("commit")

        return self.timed(work)


class Theirs:
    def __init__(self, peer, options, rows):
        self.peer, self.options, self.rows = peer, options, rows
        self.values_file = pathlib.Path(rows).with_suffix(".sql")

    def timed(self, *commands):
        words = [word for command in commands for word in ("-c", command)]
        return self.run(words)

    def run(self, words):
        place = ["-h", "127.0.0.1", "-p", str(self.peer.port), "-U", "postgres", "postgres"]
        base = ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", *place]
        subprocess.run([*base, "-c", "drop table if exists loaded", "-c", TABLE, "-c", "checkpoint"], check=True, capture_output=True)
        started = time.monotonic()
        done = subprocess.run([*base, *words], capture_output=True, text=True)
        seconds = time.monotonic() - started
        if done.returncode:
            raise SystemExit(f"psql failed: {done.stderr}")
        return self.options.rows / seconds

    def copy(self):
        return self.timed(f"\\copy loaded from '{self.rows}'")

    def file(self):
        return self.timed(f"copy loaded from '{self.rows}'")

    def insert(self):
        return self.timed(
            f"insert into loaded select i, i % 1000, repeat('{FILL}', 50 + i % 50) from generate_series(0, {self.options.rows - 1}) i"
        )

    def values(self):
        if not self.values_file.exists():
            with open(self.values_file, "w", encoding="ascii") as out:
                out.write("begin;\n")
                out.writelines(text + ";\n" for text in texts_of(self.options))
                out.write("commit;\n")
        return self.run(["-f", str(self.values_file)])


EXPERIMENTS = {
    "bulk": (Ours.bulk, Theirs.copy),
    "file": (Ours.file, Theirs.file),
    "select": (Ours.select, Theirs.copy),
    "peer": (Ours.select, Theirs.insert),
    "into": (Ours.into, Theirs.copy),
    "values": (Ours.values, Theirs.values),
}


def compare(report, name, ours, theirs, options):
    mine, other = EXPERIMENTS[name]
    found = kit.pairs(options.pairs, lambda: mine(ours), lambda: other(theirs))
    report.ratios(name, f"{name}, rows per second", found)


def main():
    kit.with_pytds()
    options = arguments()
    report = kit.Report(options.json, f"{options.rows:,} rows, {options.pairs} pairs")
    report.add("parameters", {"rows": options.rows, "pairs": options.pairs})
    with (
        tempfile.TemporaryDirectory(prefix="millpond-loads.") as folder,
        kit.durable_servers(report, options) as (server, peer),
    ):
        # The peer's server reads it as another user.
        pathlib.Path(folder).chmod(0o755)
        rows = pathlib.Path(folder) / "rows"
        with open(rows, "w", encoding="ascii") as out:
            out.writelines("\t".join(map(str, row(number))) + "\n" for number in range(options.rows))
        ours, theirs = Ours(server, options, rows), Theirs(peer, options, rows)
        for name in options.experiments or EXPERIMENTS:
            compare(report, name, ours, theirs, options)
    report.end()


if __name__ == "__main__":
    main()
