#!/usr/bin/env python3
"""TPC-C driven by the lab: interleaved pairs of Millpond over TDS against PostgreSQL 15 with plpgsql functions.

  cargo build --release && cargo build --release -p millpond-lab --example tpcc_peer
  benches/tpcc_lab.py
  benches/tpcc_lab.py --warehouses 4 --users 2,8 --pairs 3 --seconds 30
  benches/tpcc_lab.py --json > result.json

`millpond lab run tpcc` and its peer `tpcc_peer` have loader, terminals, mix, chance and conditions in common; what
differs is the wire and the language of the five procedures. Both have the same memory, on the same disk, and a commit
is answered when it is durable (synchronous_commit = on, fsync = on).

Each number of warehouses is loaded once per server. Before each run the database is restored as it was after the load,
then the terminals run for --rampup seconds, then for --seconds with everything measured; after it all twelve conditions
are checked, on both. CPU is that of all processes of a server in the measured part, per transaction of any kind, and that
of the driver.
"""

import pathlib
import tempfile

import kit

DATABASE = "tpcc"
LOADED = "loaded"
# Seeds of ramp-ups, apart from those of the measured runs.
RAMPUP_SEEDS = 1_000_000


def arguments():
    parser = kit.Arguments(__doc__, pairs=3)
    parser.add_memory()
    parser.add_argument("--peer", default=kit.default_binary("examples/tpcc_peer"), help="the peer's driver (default: %(default)s)")
    parser.add_argument("--warehouses", type=kit.numbers, default=[4], metavar="N,…", help="default: 4")
    parser.add_argument("--users", type=kit.numbers, default=[2, 8], metavar="N,…", help="default: 2,8")
    parser.add_argument("--rampup", type=int, default=10, help="seconds before the measured ones (default: %(default)s)")
    parser.add_argument("--seconds", type=int, default=30, help="measured seconds per run (default: %(default)s)")
    parser.add_argument("--call", choices=["rpc", "prepared"], default="rpc", help="calls over TDS (default: %(default)s)")
    parser.add_argument("--think", action="store_true", help="terminals key and think as the standard has it")
    return parser.parse_args()


class Side:
    """A server, its driver and its database; a subclass says how the loaded database is kept and restored."""

    def __init__(self, server, command, options):
        self.server, self.command, self.options, self.runs = server, command, options, 0

    def check(self):
        kit.drive(self.command, "--no-load", "--seconds", "0", "--check")

    def run(self, users):
        options = self.options
        self.runs += 1
        self.restore()
        again = ["--no-load", "--users", str(users), "--rampup", "0", *(["--think"] if options.think else [])]
        if options.rampup:
            kit.drive(self.command, *again, "--seconds", str(options.rampup), "--seed", str(RAMPUP_SEEDS + self.runs))
        before, driver_before = self.server.cpu_seconds(), kit.driver_cpu_seconds()
        result = kit.drive(self.command, *again, "--seconds", str(options.seconds), "--seed", str(self.runs))
        cpu, driver_cpu = self.server.cpu_seconds() - before, kit.driver_cpu_seconds() - driver_before
        self.check()
        return figures(result, cpu, driver_cpu)


def figures(result, cpu, driver_cpu):
    transactions = sum(kind["done"] for kind in result["kinds"])
    return {
        "new_orders_per_minute": result["new_orders/min"],
        "transactions_per_minute": result["transactions/min"],
        "retries": sum(kind["retries"] for kind in result["kinds"]),
        "new_order_p95_ms": result["kinds"][0]["p95_ms"],
        "cpu_us_per_transaction": cpu * 1e6 / max(transactions, 1),
        "driver_cpu_us_per_transaction": driver_cpu * 1e6 / max(transactions, 1),
    }


class Ours(Side):
    def __init__(self, server, options, folder):
        super().__init__(server, [*server.workload("tpcc"), "--database", DATABASE, "--call", options.call], options)
        self.backup = pathlib.Path(folder) / "tpcc.bak"

    def load(self, warehouses):
        kit.drive(self.command, "--load", "--warehouses", str(warehouses), "--seconds", "0", "--check")
        self.server.execute(f"backup database {DATABASE} to disk = N'{self.backup}' with init")

    def restore(self):
        self.server.execute(f"restore database {DATABASE} from disk = N'{self.backup}' with replace")


class Theirs(Side):
    def __init__(self, peer, options):
        super().__init__(peer, [options.peer, "--server", f"127.0.0.1:{peer.port}", "--database", DATABASE], options)

    def load(self, warehouses):
        self.server.psql(f"drop database if exists {LOADED}")
        kit.drive(self.command, "--load", "--warehouses", str(warehouses), "--seconds", "0", "--check")
        # What autovacuum would do in the midst of the first runs.
        self.server.psql("vacuum (freeze, analyze)", database=DATABASE)
        self.server.psql(f"alter database {DATABASE} rename to {LOADED}")

    def restore(self):
        # File by file between two checkpoints, not page by page through the log.
        self.server.psql(
            f"drop database if exists {DATABASE}",
            f"create database {DATABASE} template {LOADED} strategy file_copy",
        )


def compare(report, ours, theirs, warehouses, users, options):
    found = kit.pairs(options.pairs, lambda: ours.run(users), lambda: theirs.run(users))
    shown = [("cpu_us_per_transaction", "{:,.0f}"), ("driver_cpu_us_per_transaction", "{:,.0f}"), ("new_order_p95_ms", "{:.1f}")]
    report.ratios(
        f"{warehouses}_warehouses_{users}_users", f"{warehouses} warehouses, {users} users: new orders per minute",
        found, lambda run: run["new_orders_per_minute"],
        ["CPU µs/tx", "", "driver µs/tx", "", "p95 ms", ""],
        lambda mine, other: [form.format(run[name]) for name, form in shown for run in (mine, other)],
    )
    cpu = [kit.spread([pair[side]["cpu_us_per_transaction"] for pair in found])["median"] for side in (0, 1)]
    report.line(f"  server CPU {cpu[0]:,.0f} against {cpu[1]:,.0f} µs per transaction")


def main():
    kit.with_pytds()
    options = arguments()
    if not pathlib.Path(options.peer).exists():
        raise SystemExit(f"no {options.peer}: cargo build --release -p millpond-lab --example tpcc_peer")
    report = kit.Report(options.json, f"{options.seconds} s measured after {options.rampup} s, {options.pairs} pairs")
    report.add("parameters", {
        "pairs": options.pairs, "seconds": options.seconds, "rampup": options.rampup, "memory_mb": options.memory_mb,
        "call": options.call, "think": options.think,
    })
    with (
        tempfile.TemporaryDirectory(prefix="millpond-tpcc.", dir=options.disk) as folder,
        kit.durable_servers(report, options) as (server, peer),
    ):
        ours, theirs = Ours(server, options, folder), Theirs(peer, options)
        for warehouses in options.warehouses:
            for side in (ours, theirs):
                side.load(warehouses)
            for users in options.users:
                compare(report, ours, theirs, warehouses, users, options)
    report.end()


main()
