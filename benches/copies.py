#!/usr/bin/env python3
"""A clean database per test: interleaved pairs of Millpond against PostgreSQL 15's TEMPLATE.

  benches/copies.py                        all experiments
  benches/copies.py copy --mb 1024         this only, with a template of a gigabyte
  benches/copies.py --json > result.json   figures as JSON, the tables on standard error

  copy     CREATE DATABASE … AS COPY OF and DROP DATABASE, against CREATE DATABASE … TEMPLATE and DROP DATABASE; copies per second
  many     100 copies side by side, each with a row changed: seconds, and bytes that they occupy (nothing to compare with)
  revert   RESTORE … FROM DATABASE_SNAPSHOT of the template with 1,000 rows changed, milliseconds (nothing to compare with)

Both are durable: what was made is there after a crash.
"""

import pathlib
import statistics
import time

import kit

ROWS_PER_MB = 128  # of 8,000 bytes each
CHANGED_ROWS = 1000


def arguments():
    parser = kit.Arguments(__doc__, EXPERIMENTS)
    parser.add_memory()
    parser.add_argument("--mb", type=int, default=100, help="size of the template (default: %(default)s)")
    return parser.parse_args()


class Side:
    """A server with a template: how a copy of it is made, and dropped."""

    makes, drops = "", "drop database {}"

    def __init__(self):
        self.made = 0

    def copy(self):
        """Copies per second, and milliseconds until one is there."""
        name = f"copy_{self.made}"
        self.made += 1
        started = time.monotonic()
        self.run(self.makes.format(name))
        made = time.monotonic()
        self.run(self.drops.format(name))
        return 1 / (time.monotonic() - started), (made - started) * 1000


class Ours(Side):
    makes = "create database {} as copy of template_db"

    def __init__(self, server, options):
        super().__init__()
        self.server = server
        self.cursor = server.connect().cursor()
        rows = options.mb * ROWS_PER_MB
        self.run("create database template_db", "alter database template_db set recovery simple", "use template_db")
        self.run("create table t (id int primary key, v int, pad char(7900) not null)")
        for first in range(0, rows, 10_000):
            last = min(first + 10_000, rows) - 1
            self.run(f"insert t select value, value, 'x' from generate_series({first}, {last})", "checkpoint")
        self.run("use master")

    def run(self, *texts):
        for text in texts:
            self.cursor.execute(text)


class Theirs(Side):
    makes = "create database {} template template_db"

    def __init__(self, peer, options):
        super().__init__()
        self.peer = peer
        rows = options.mb * ROWS_PER_MB
        peer.psql("create database template_db")
        # Values that it does not compress, so that both have as many bytes.
        peer.psql(
            "create table t (id int primary key, v int, pad text not null)", "alter table t alter pad set storage plain",
            f"insert into t select i, i, repeat('x', 7900) from generate_series(0, {rows - 1}) i", "checkpoint",
            database="template_db",
        )
        self.session = peer.open()

    def run(self, text):
        self.peer.expect_done(self.session, text + ";")


def copy(report, options, ours, theirs):
    found = kit.pairs(options.pairs * 3, ours.copy, theirs.copy)
    made = lambda *runs: [f"{run[1]:.1f}" for run in runs]  # noqa: E731
    report.ratios(
        "copy", f"copies made and dropped per second, template of {options.mb} MB", found, figure=lambda run: run[0],
        header=("ms to make", "PostgreSQL's"), more=made,
    )


def occupied_bytes(folder):
    return sum(path.stat().st_blocks * 512 for path in pathlib.Path(folder).rglob("many_*"))


def many(report, options, ours, _):
    times = []
    for number in range(100):
        started = time.monotonic()
        ours.run(f"create database many_{number} as copy of template_db")
        times.append((time.monotonic() - started) * 1000)
        ours.run(f"update many_{number}.dbo.t set v = -1 where id = {number}")
    ours.run("checkpoint")
    bytes_each = occupied_bytes(ours.server.directory.name) / 100
    report.table(
        "100 copies side by side", ["ms to make, median", "most", "KB occupied by each"],
        [[f"{statistics.median(times):.1f}", f"{max(times):.1f}", f"{bytes_each / 1024:.0f}"]],
    )
    report.add("many", {"ms": times, "bytes_each": bytes_each})
    for number in range(100):
        ours.run(f"drop database many_{number}")


def revert(report, options, ours, _):
    ours.run("use template_db")
    ours.cursor.execute("select physical_name from sys.database_files where file_id = 1")
    path = ours.cursor.fetchone()[0]
    ours.run("use master", f"create database before on (name = template_db, filename = '{path}.ss') as snapshot of template_db")
    times = []
    step = max(options.mb * ROWS_PER_MB // CHANGED_ROWS, 1)
    for turn in range(options.pairs):
        ours.run(f"update template_db.dbo.t set v = -{turn + 1} where id % {step} = 0")
        started = time.monotonic()
        ours.run("restore database template_db from database_snapshot = 'before'")
        times.append((time.monotonic() - started) * 1000)
        ours.cursor.execute("select count(*) from template_db.dbo.t where v < 0")
        assert ours.cursor.fetchone()[0] == 0
    ours.run("drop database before")
    report.table(f"back to a snapshot, {options.mb} MB", ["ms, median", "least", "most"], [[f"{figure:.0f}" for figure in (statistics.median(times), min(times), max(times))]])
    report.add("revert", {"ms": times})


EXPERIMENTS = {"copy": copy, "many": many, "revert": revert}


def main():
    kit.with_pytds()
    options = arguments()
    report = kit.Report(options.json, f"template of {options.mb} MB")
    report.add("parameters", {"mb": options.mb, "pairs": options.pairs})
    with kit.durable_servers(report, options) as (server, peer):
        ours, theirs = Ours(server, options), Theirs(peer, options)
        for name in options.experiments or EXPERIMENTS:
            EXPERIMENTS[name](report, options, ours, theirs)
    report.end()


if __name__ == "__main__":
    main()
