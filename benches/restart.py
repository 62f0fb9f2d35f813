#!/usr/bin/env python3
"""Restart after a crash: kill -9 with so many megabytes of log to redo, then the time to the first answer.

  benches/restart.py                          1,024 MB without checkpoints, then the default recovery target
  benches/restart.py redo --log-mb 256        this only
  benches/restart.py target

  redo     TARGET_RECOVERY_TIME is a day and the log large, so no checkpoint is taken: all of --log-mb is redone
  target   the database has its default target; the same changes are made, checkpoints are taken as they are due

Rows of some 130 bytes are changed in ranges of 10,000, each range a durable transaction; one more is open at the crash, so
that there is something to undo. `log_recovery_size_mb` of sys.dm_db_log_stats just before the kill is what is to be
redone. The first answer is that of a query in the database; the seconds run from the start of the process. A start after
an orderly end, of the same server with the same database, is subtracted for the rate of the redo. The table's sum must
be that of the committed changes.
"""

import time

import kit

RANGE_ROWS = 10_000
DAY_S = 86_400
CHANGE = "update dbo.t set a = a + 1, filler = replicate(char(65 + {turn} % 26), 100) where id between {first} and {last}"
RECOVERY = "select log_recovery_size_mb from sys.dm_db_log_stats(db_id('d'))"
SUM = "select sum(cast(a as bigint)) from dbo.t"


def arguments():
    parser = kit.Arguments(__doc__, EXPERIMENTS, pairs=3)
    parser.add_memory()
    parser.add_argument("--log-mb", type=int, default=1024, help="log to redo (default: %(default)s)")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the table (default: %(default)s)")
    return parser.parse_args()


class World:
    """A server with a table, and what its rows must come to."""

    def __init__(self, server, options):
        self.server, self.options = server, options
        self.sum, self.turn = 0, 0

    def make(self, recovery_s):
        """The database and its table, all of it in the data files. `recovery_s` of `None` leaves the default target."""
        options = self.options
        # As large as the log can become: it is not cut before it is 70 % full.
        log_mb = 2 * options.log_mb + 64
        self.server.execute(
            f"create database d on (name = d, filename = 'd.mdf') log on (name = d_log, filename = 'd.ldf', size = {log_mb}MB)"
            if recovery_s else "create database d"
        )
        if recovery_s:
            self.server.execute(f"alter database d set target_recovery_time = {recovery_s} seconds")
        with self.server.connect("d") as connection, connection.cursor() as cursor:
            cursor.execute("create table dbo.t (id int not null primary key, a int not null, filler char(100) not null)")
            cursor.execute(
                f"insert dbo.t select top ({options.rows}) n, 0, 'x' from {kit.million_numbers('n')} order by n"
            )
            cursor.execute("checkpoint")
            cursor.execute("select count(*) from dbo.t")
            found = cursor.fetchall()[0][0]
            if found != options.rows:
                raise SystemExit(f"{found} rows instead of {options.rows}: at most a million")

    def ranges(self):
        """First and last ids in turn, for ever."""
        while True:
            for first in range(1, self.options.rows + 1, RANGE_ROWS):
                self.turn += 1
                yield first, min(first + RANGE_ROWS - 1, self.options.rows)

    def crash(self, is_enough):
        """Changes rows until `is_enough(log MB to redo, changed MB)`, begins one more and kills the server; MB to redo."""
        with self.server.connect("d") as connection, connection.cursor() as cursor:
            ranges = self.ranges()
            changed_rows, to_redo_mb = 0, 0.0
            while not is_enough(to_redo_mb, changed_rows):
                first, last = next(ranges)
                cursor.execute(CHANGE.format(turn=self.turn, first=first, last=last))
                changed_rows += last - first + 1
                cursor.execute(RECOVERY)
                to_redo_mb = cursor.fetchall()[0][0]
            self.sum += changed_rows
            cursor.execute("begin transaction")
            cursor.execute(CHANGE.format(turn=self.turn, first=1, last=RANGE_ROWS // 10))
            self.server.kill()
        return to_redo_mb, changed_rows

    def first_answer_s(self):
        """Starts the server; seconds until it accepts, and until a query in the database is answered."""
        started = time.monotonic()
        self.server.start()
        self.server.wait_until_open("d", "select top (1) a from dbo.t")
        return time.monotonic() - started

    def expect_sum(self):
        with self.server.connect("d") as connection, connection.cursor() as cursor:
            cursor.execute(SUM)
            found = cursor.fetchall()[0][0]
        if found != self.sum:
            raise SystemExit(f"the rows come to {found} instead of {self.sum}: the crash lost or kept too much")


def rounds(report, options, name, title, recovery_s, is_enough):
    config = f"[server]\nmax_server_memory_mb = {options.memory_mb}\n"
    found = []
    with kit.Millpond(options.millpond, options.disk, config) as server:
        world = World(server, options)
        world.make(recovery_s)
        for _ in range(options.pairs):
            to_redo_mb, changed_rows = world.crash(is_enough)
            crash_s = world.first_answer_s()
            world.expect_sum()
            server.stop()
            clean_s = world.first_answer_s()
            found.append({
                "to_redo_mb": to_redo_mb, "changed_rows": changed_rows, "first_answer_s": crash_s,
                "first_answer_after_clean_end_s": clean_s, "redo_mb_per_s": to_redo_mb / max(crash_s - clean_s, 0.001),
            })
    report.table(title, ["round", "rows changed", "MB to redo", "first answer s", "after a clean end s", "redo MB/s"], [
        [number, f"{one['changed_rows']:,}", f"{one['to_redo_mb']:,.0f}", f"{one['first_answer_s']:.2f}",
         f"{one['first_answer_after_clean_end_s']:.2f}", f"{one['redo_mb_per_s']:,.0f}"]
        for number, one in enumerate(found, 1)
    ])
    rate, answer = (kit.spread([one[figure] for one in found]) for figure in ("redo_mb_per_s", "first_answer_s"))
    report.line(f"  redo {rate['median']:,.0f} MB/s ({rate['min']:,.0f} to {rate['max']:,.0f}); "
                f"first answer {answer['median']:.2f} s ({answer['min']:.2f} to {answer['max']:.2f})")
    report.add(name, {"rounds": found, "redo_mb_per_s": rate, "first_answer_s": answer})
    return found


def redo(report, options):
    title = f"{options.log_mb:,} MB of log without a checkpoint"
    found = rounds(report, options, "redo", title, DAY_S, lambda mb, _: mb >= options.log_mb)
    # What the same log comes to under the default target.
    options.target_rows = max(one["changed_rows"] for one in found)


def target(report, options):
    rows = getattr(options, "target_rows", options.log_mb * 4000)
    title = f"{rows:,} rows changed under the default recovery target"
    rounds(report, options, "target", title, None, lambda _, changed: changed >= rows)


EXPERIMENTS = {"redo": redo, "target": target}


def main():
    kit.with_pytds()
    options = arguments()
    report = kit.Report(options.json, f"{options.rows:,} rows, {options.pairs} rounds")
    report.add("parameters", {"rows": options.rows, "log_mb": options.log_mb, "rounds": options.pairs})
    for name in options.experiments or EXPERIMENTS:
        EXPERIMENTS[name](report, options)
    report.end()


main()
