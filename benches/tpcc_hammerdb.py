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

import pathlib
import sys
import tempfile
import typing

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/hammerdb"))
import hammerdb  # noqa: E402
import kit  # noqa: E402


def arguments():
    parser = kit.Arguments(__doc__)
    parser.add_memory()
    parser.add_argument("--warehouses", type=kit.numbers, default=[4, 10], metavar="N,…", help="default: 4,10")
    parser.add_argument("--users", type=kit.numbers, default=[2, 8], metavar="N,…", help="default: 2,8")
    parser.add_argument("--rampup", type=int, default=1, help="minutes before the measured ones (default: %(default)s)")
    parser.add_argument("--minutes", type=int, default=2, help="measured minutes per run (default: %(default)s)")
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
        before, driver_before = self.server.cpu_seconds(), kit.driver_cpu_seconds()
        outcome = self.phase("run", users, rampup_min=self.options.rampup, duration_min=self.options.minutes)
        cpu, driver_cpu = self.server.cpu_seconds() - before, kit.driver_cpu_seconds() - driver_before
        found = hammerdb.figures(outcome.output)
        transactions = found.tpm * (self.options.rampup + self.options.minutes)
        return Run(found.nopm, found.tpm, round(cpu / transactions * 1e6), round(driver_cpu / transactions * 1e6))


class Run(typing.NamedTuple):
    """A timed run."""

    nopm: int
    tpm: int
    server_us: int
    driver_us: int


def costs(run):
    """Transactions per minute, and microseconds of CPU per transaction."""
    return [f"{run['tpm']:,}", run["server_us"], run["driver_us"]]


def compare(report, ours, theirs, users, options):
    found = kit.pairs(options.pairs, lambda: ours.run(users), lambda: theirs.run(users))
    as_dicts = [(mine._asdict(), other._asdict()) for mine, other in found]
    costed = ["TPM", "server µs", "driver µs"]
    report.ratios(
        f"{ours.warehouses}_warehouses_{users}_users", f"{ours.warehouses} warehouses, {users} virtual users: NOPM",
        as_dicts, lambda run: run["nopm"], [*costed, *costed], lambda mine, other: [*costs(mine), *costs(other)],
    )


def experiment(report, tool, warehouses, options):
    with kit.durable_servers(report, options) as (server, peer):
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
        report = kit.Report(options.json, f"{options.minutes} min measured after {options.rampup} min")
        report.add("parameters", {
            "pairs": options.pairs, "minutes": options.minutes, "rampup": options.rampup, "memory_mb": options.memory_mb,
        })
        for warehouses in options.warehouses:
            experiment(report, tool, warehouses, options)
        report.end()


main()
