#!/usr/bin/env python3
"""Rows by key: interleaved pairs of Millpond, driven by `millpond lab run keyed`, against PostgreSQL 15 and pgbench.

  benches/keyed.py                        all experiments
  benches/keyed.py update --users 8       this only
  benches/keyed.py --json > result.json   figures as JSON, the tables on standard error

  update   one row by its key, each a durable transaction of its own, from --users connections
  select   one row by its key over the network, from 1 and from --users connections
  insert   the rows in bulk: INSERT statements of many rows over one connection, against COPY over one connection

Both drivers are compiled programs that prepare their statement once per connection. The tables have the same columns
(pgbench's accounts: three integers and 84 characters) and as many rows; memory and durability are the same.
"""

import pathlib
import re
import subprocess
import tempfile

import kit

PGBENCH = "/usr/lib/postgresql/15/bin/pgbench"
UPDATE = "\\set id random(1, {rows})\n\\set delta random(0, 5000)\nupdate keyed set balance = balance + :delta where id = :id;\n"
SELECT = "\\set id random(1, {rows})\nselect balance from keyed where id = :id;\n"
TABLE = "create table keyed ( id int primary key, branch int not null, balance int not null, filler char(84) not null )"


def arguments():
    parser = kit.Arguments(__doc__, EXPERIMENTS)
    parser.add_memory()
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the table (default: %(default)s)")
    parser.add_argument("--users", type=int, default=8, help="connections (default: %(default)s)")
    parser.add_argument("--seconds", type=int, default=10, help="measured seconds per run (default: %(default)s)")
    return parser.parse_args()


class Ours:
    def __init__(self, server, options):
        self.server, self.options = server, options

    def run(self, operation, users):
        """Calls or, for inserts, rows per second."""
        result = kit.drive(
            self.server.workload("keyed"), "--op", operation, "--rows", str(self.options.rows), "--users", str(users),
            "--seconds", str(self.options.seconds),
        )
        return result["rows/s" if operation == "insert" else "calls/s"]


class Theirs:
    def __init__(self, peer, options):
        self.peer, self.options = peer, options
        self.place = ["-h", "127.0.0.1", "-p", str(peer.port), "-U", "postgres"]
        self.folder = tempfile.TemporaryDirectory(prefix="millpond-keyed.")
        self.rows = pathlib.Path(self.folder.name) / "rows"
        with open(self.rows, "w", encoding="ascii") as out:
            out.writelines(f"{number}\t1\t0\t\n" for number in range(1, options.rows + 1))

    def load(self):
        self.peer.psql("drop table if exists keyed", TABLE)
        timed = self.peer.psql("\\timing on", f"\\copy keyed from '{self.rows}'")
        return self.options.rows * 1000 / float(re.search(r"Time: ([\d.]+) ms", timed).group(1))

    def run(self, operation, users):
        if operation == "insert":
            return self.load()
        script = pathlib.Path(self.folder.name) / f"{operation}.sql"
        script.write_text((UPDATE if operation == "update" else SELECT).format(rows=self.options.rows))
        command = [
            PGBENCH, "-n", "-M", "prepared", "-c", str(users), "-j", str(users), "-T", str(self.options.seconds),
            "-f", str(script), *self.place, "postgres",
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"pgbench failed: {done.stderr}")
        return float(re.search(r"tps = ([\d.]+)", done.stdout).group(1))


def compare(report, ours, theirs, operation, users, options):
    found = kit.pairs(options.pairs, lambda: ours.run(operation, users), lambda: theirs.run(operation, users))
    report.ratios(f"{operation}_{users}", f"{operation}, {users} connection(s), per second", found)


def update(report, ours, theirs, options):
    compare(report, ours, theirs, "update", options.users, options)


def select(report, ours, theirs, options):
    for users in sorted({1, options.users}):
        compare(report, ours, theirs, "select", users, options)


def insert(report, ours, theirs, options):
    compare(report, ours, theirs, "insert", 1, options)


EXPERIMENTS = {"insert": insert, "select": select, "update": update}


def main():
    options = arguments()
    what = f"{options.rows:,} rows, {options.seconds} s per run, {options.pairs} pairs"
    report = kit.Report(options.json, what)
    report.add("parameters", {"rows": options.rows, "seconds": options.seconds, "pairs": options.pairs})
    with kit.durable_servers(report, options) as (server, peer):
        ours, theirs = Ours(server, options), Theirs(peer, options)
        theirs.load()
        for name in options.experiments or EXPERIMENTS:
            EXPERIMENTS[name](report, ours, theirs, options)
    report.end()


main()
