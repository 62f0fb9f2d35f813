#!/usr/bin/env python3
"""An open SNAPSHOT transaction beside updates by key: interleaved pairs with it and without it.

  benches/version_store.py                                     pairs of half a minute
  benches/version_store.py --seconds 3600 --pairs 1            a reader that stays for an hour

`millpond lab run keyed --op update` changes rows by their keys from --users connections, each change a durable
transaction. In one run of each pair a session holds a SNAPSHOT transaction from the start to the end and reads
--read-rows rows every --read-every seconds; what it reads must not change. The database allows snapshots in both runs, so
row versions are made in both; with the reader they have to be kept.

The version store is what sys.dm_tran_version_store_space_usage says: the most while the reader was there, and how long
after its end all of it was returned.
"""

import pathlib
import threading
import time

import kit

DATABASE = "keyed"
SPACE = "select coalesce(sum(reserved_space_kb), 0) * 1024 from sys.dm_tran_version_store_space_usage"
# Until the space must be back: the cleaner's rounds take seconds.
RETURN_S_MAX = 300


def arguments():
    parser = kit.Arguments(__doc__, pairs=3)
    parser.add_memory()
    parser.add_argument("--rows", type=int, default=100_000, help="rows of the table (default: %(default)s)")
    parser.add_argument("--users", type=int, default=8, help="connections that update (default: %(default)s)")
    parser.add_argument("--seconds", type=int, default=30, help="measured seconds per run (default: %(default)s)")
    parser.add_argument("--rampup", type=int, default=2, help="seconds before the measured ones (default: %(default)s)")
    parser.add_argument("--read-every", type=float, default=1.0, metavar="S", help="pause of the reader (default: %(default)s)")
    parser.add_argument("--read-rows", type=int, default=100, help="rows of a read (default: %(default)s)")
    return parser.parse_args()


class Reader:
    """A session with an open SNAPSHOT transaction that looks at the same rows again and again, in a thread of its own."""

    def __init__(self, server, options):
        self.server, self.options = server, options
        self.is_over, self.failure = threading.Event(), None
        self.reads_ms, self.space_bytes = [], []

    def __enter__(self):
        step = max(self.options.rows // self.options.read_rows, 1)
        keys = ",".join(str(number) for number in range(step, self.options.rows + 1, step))
        self.text = f"select count(*), sum(cast(balance as bigint)) from dbo.keyed where id in ({keys})"
        self.connection = self.server.connect(DATABASE)
        self.cursor = self.connection.cursor()
        self.cursor.execute("set transaction isolation level snapshot")
        self.cursor.execute("begin transaction")
        self.first = self.read()
        self.thread = threading.Thread(target=self.look)
        self.thread.start()
        return self

    def read(self):
        started = time.monotonic()
        self.cursor.execute(self.text)
        found = tuple(self.cursor.fetchall()[0])
        self.reads_ms.append((time.monotonic() - started) * 1000)
        return found

    def look(self):
        try:
            while not self.is_over.wait(self.options.read_every):
                found = self.read()
                if found != self.first:
                    raise RuntimeError(f"the snapshot moved from {self.first} to {found}")
                self.space_bytes.append(self.server.rows(SPACE)[0][0])
        except Exception as error:
            self.failure = error

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()
        if self.failure:
            raise self.failure
        self.space_bytes.append(self.server.rows(SPACE)[0][0])
        self.cursor.execute("commit transaction")
        self.connection.close()


def updates_per_second(server, options):
    result = kit.drive(
        server.workload("keyed"), "--op", "update", "--database", DATABASE, "--rows", str(options.rows), "--users",
        str(options.users), "--seconds", str(options.seconds), "--rampup", str(options.rampup),
    )
    return result["calls/s"]


def seconds_until_returned(server, level_bytes):
    """From now until the version store is down to a level, or `None` when that takes too long."""
    started = time.monotonic()
    while (passed := time.monotonic() - started) < RETURN_S_MAX:
        if server.rows(SPACE)[0][0] <= level_bytes:
            return passed
        time.sleep(0.1)
    return None


def with_reader(server, options):
    level_bytes = server.rows(SPACE)[0][0]
    with Reader(server, options) as reader:
        updates = updates_per_second(server, options)
    returned_s = seconds_until_returned(server, level_bytes)
    return {
        "updates_per_second": updates, "version_store_bytes_before": level_bytes,
        "version_store_bytes_max": max(reader.space_bytes), "version_store_bytes_after": server.rows(SPACE)[0][0],
        "returned_s": returned_s, "read_ms": kit.spread(reader.reads_ms), "reads": len(reader.reads_ms),
    }


def without_reader(server, options):
    return {"updates_per_second": updates_per_second(server, options)}


def settle(server):
    """The versions of the load and of the run before are gone: every run begins with an empty store."""
    seconds_until_returned(server, 0)


def run_after(run, server, options):
    settle(server)
    return run(server, options)


def told_seconds(seconds):
    return f"not in {RETURN_S_MAX} s" if seconds is None else f"{seconds:.1f}"


def compare(report, server, options):
    found = kit.pairs(
        options.pairs, lambda: run_after(with_reader, server, options), lambda: run_after(without_reader, server, options)
    )
    mb = 1 << 20
    report.ratios(
        "version_store", f"updates per second from {options.users} connections", found, lambda run: run["updates_per_second"],
        ["versions MB", "after MB", "returned in s", "read ms", "max"],
        lambda held, _: [
            f"{held['version_store_bytes_max'] / mb:,.1f}", f"{held['version_store_bytes_after'] / mb:,.1f}",
            told_seconds(held["returned_s"]), f"{held['read_ms']['median']:.1f}", f"{held['read_ms']['max']:.1f}",
        ],
        sides=("with reader", "without"),
    )


def main():
    kit.with_pytds()
    options = arguments()
    what = f"{options.rows:,} rows, {options.seconds} s per run, {options.pairs} pairs"
    report = kit.Report(options.json, what)
    report.add("parameters", {
        "rows": options.rows, "users": options.users, "seconds": options.seconds, "pairs": options.pairs,
        "read_every": options.read_every, "read_rows": options.read_rows,
    })
    config = f"[server]\nmax_server_memory_mb = {options.memory_mb}\n"
    with kit.Millpond(options.millpond, pathlib.Path(options.disk), config) as server:
        kit.drive(server.workload("keyed"), "--op", "insert", "--database", DATABASE, "--rows", str(options.rows))
        server.execute(f"alter database {DATABASE} set allow_snapshot_isolation on")
        compare(report, server, options)
    report.end()


main()
