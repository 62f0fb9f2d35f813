#!/usr/bin/env python3
"""TPC-C driven by HammerDB, unmodified: interleaved pairs of Millpond against PostgreSQL 15 with stored procedures.

  HAMMERDB_HOME=~/hammerdb benches/tpcc_hammerdb.py
  benches/tpcc_hammerdb.py --warehouses 4 --users 8 --pairs 3 --minutes 2
  benches/tpcc_hammerdb.py --json > result.json

Both have the same memory, on the same disk, and a commit is answered when it is durable (synchronous_commit = on,
fsync = on). Each number of warehouses is built once per server and used by all its runs, every other pair in the other
order; what is compared is new orders per minute as HammerDB counts them (sums of d_next_o_id, so committed orders
alone). `checkschema` must pass on both after the build. The CPU per transaction, the server's and HammerDB's, is that of
the whole run with its start: where all processors are busy it says whose work bounds the figure.
"""

import argparse
import os
import pathlib
import sys
import tempfile
import typing

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/hammerdb"))
import hammerdb  # noqa: E402
import kit  # noqa: E402


def numbers(text):
    return [int(word) for word in text.split(",")]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--millpond", default=kit.default_binary(), help="the binary (default: %(default)s)")
    parser.add_argument("--warehouses", type=numbers, default=[4, 10], metavar="N,…", help="default: 4,10")
    parser.add_argument("--users", type=numbers, default=[2, 8], metavar="N,…", help="default: 2,8")
    parser.add_argument("--pairs", type=int, default=5, help="pairs per comparison (default: %(default)s)")
    parser.add_argument("--rampup", type=int, default=1, help="minutes before the measured ones (default: %(default)s)")
    parser.add_argument("--minutes", type=int, default=2, help="measured minutes per run (default: %(default)s)")
    parser.add_argument("--memory-mb", type=int, default=2048, help="of both servers (default: %(default)s)")
    parser.add_argument("--disk", default="/var/tmp", help="directory for data on disk (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="figures as JSON on standard output")
    return parser.parse_args()


class Side:
    """One server with its schema, as HammerDB sees it."""

    def __init__(self, name, tool, database, server, warehouses, options):
        self.name, self.tool, self.database, self.server = name, tool, database, server
        self.warehouses, self.options = warehouses, options

    def phase(self, phase, users, **more):
        outcome = self.tool.phase(
            phase, self.database, self.server.port, kit.PASSWORD, warehouses=self.warehouses, users=users, **more
        )
        if not outcome.ok:
            raise SystemExit(f"{self.name}: {phase} failed: " + "; ".join(outcome.errors[:5]))
        return outcome

    def run(self, users):
        before, driver_before = self.server.cpu_seconds(), driver_cpu_seconds()
        outcome = self.phase("run", users, rampup_min=self.options.rampup, duration_min=self.options.minutes)
        cpu, driver_cpu = self.server.cpu_seconds() - before, driver_cpu_seconds() - driver_before
        found = hammerdb.figures(outcome.output)
        transactions = found.tpm * (self.options.rampup + self.options.minutes)
        return Run(found.nopm, found.tpm, round(cpu / transactions * 1e6), round(driver_cpu / transactions * 1e6))


class Run(typing.NamedTuple):
    """A timed run."""

    nopm: int
    tpm: int
    server_us: int
    driver_us: int


def driver_cpu_seconds():
    times = os.times()
    return times.children_user + times.children_system


def costs(run):
    """Transactions per minute, and microseconds of CPU per transaction."""
    return [f"{run.tpm:,}", run.server_us, run.driver_us]


def compare(report, ours, theirs, users, options):
    found = kit.pairs(options.pairs, lambda: ours.run(users), lambda: theirs.run(users))
    ratios = [mine.nopm / other.nopm for mine, other in found]
    rows = [
        [number, f"{mine.nopm:,}", f"{other.nopm:,}", f"{ratio:.2f}", *costs(mine), *costs(other)]
        for number, ((mine, other), ratio) in enumerate(zip(found, ratios), 1)
    ]
    title = f"{ours.warehouses} warehouses, {users} virtual users"
    costed = ["TPM", "server µs", "driver µs"]
    report.table(title, ["pair", f"{ours.name} NOPM", f"{theirs.name} NOPM", "ratio", *costed, *costed], rows)
    middle = kit.spread(ratios)
    report.line(f"  ratio {middle['median']:.2f} ({middle['min']:.2f} to {middle['max']:.2f})")
    report.add(f"{ours.warehouses}_warehouses_{users}_users", {
        "pairs": [{"millpond": mine._asdict(), "postgres": other._asdict()} for mine, other in found], "ratio": middle,
    })


def experiment(report, tool, warehouses, options):
    memory = f"[server]\nmax_server_memory_mb = {options.memory_mb}\n"
    durable = ("synchronous_commit=on", "fsync=on", "autovacuum=on", f"shared_buffers={options.memory_mb}MB")
    with kit.Postgres(*durable) as peer, kit.Millpond(options.millpond, options.disk, memory) as server:
        report.line("\nPostgreSQL: " + "; ".join(peer.shown))
        report.add("postgres_settings", peer.shown)
        ours = Side("Millpond", tool, "mssqls", server, warehouses, options)
        theirs = Side("PostgreSQL", tool, "pg", peer, warehouses, options)
        for side in (ours, theirs):
            side.phase("build", min(4, warehouses))
            side.phase("check", 1)
        for users in options.users:
            compare(report, ours, theirs, users, options)


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="millpond-hammerdb.") as work:
        try:
            tool = hammerdb.Hammerdb(work, needs_postgres=True)
        except hammerdb.Missing as missing:
            raise SystemExit(f"cannot run: {missing}") from None
        report = kit.Report(options.json)
        report.line(
            f"commit {report.values['commit'][:12]}, {report.values['processors']} processors, "
            f"load {report.values['load']:.1f}; {options.minutes} min measured after {options.rampup} min"
        )
        report.add("parameters", {
            "pairs": options.pairs, "minutes": options.minutes, "rampup": options.rampup, "memory_mb": options.memory_mb,
        })
        for warehouses in options.warehouses:
            experiment(report, tool, warehouses, options)
        report.end()


main()
