#!/usr/bin/env python3
"""What watching a server costs it.

  benches/watching.py                         costs and sessions
  benches/watching.py costs                   the tempdb loop and TPC-C with watching, against the same without
  benches/watching.py sessions                ten thousand sessions: memory, and how long questions about them take
  benches/watching.py --json > result.json    figures as JSON, the tables on standard error

Watched is: the history (a sample a second), and a monitor that reads sys.dm_millpond_activity every second and /metrics every
fifteen. Not watched: neither. What a run costs is the server's CPU time for a row of the loop and for a transaction of TPC-C, in
interleaved pairs; beside it stands what the samples themselves took by the server's own account, as part of the CPU time of the run,
which no noise of the machine covers.
"""

import contextlib
import os
import resource
import subprocess
import sys
import threading
import time
import urllib.request

import kit

LOOP = """set nocount on
declare @r int = 1, @i int
while @r <= {repeats}
begin
    create table #t (mycol char(8000) not null)
    set @i = 1
    while @i <= 12800 begin insert #t values ('abc') set @i = @i + 1 end
    drop table #t
    set @r = @r + 1
end"""
TPCC = "tpcc"
SAMPLING = "select sampling_cpu_us, samples_taken from sys.dm_millpond_history_state"
QUESTIONS = {
    "count of dm_exec_sessions": "select count(*) from sys.dm_exec_sessions",
    "count of dm_exec_connections": "select count(*) from sys.dm_exec_connections",
    "dm_millpond_activity": "select * from sys.dm_millpond_activity",
    "sp_who2": "exec sp_who2",
}
# Each opens its part of the sessions: one process may have too few descriptors for all of them.
OPENERS = 4
OPENER = """
import pytds, sys
held = [pytds.connect(dsn="127.0.0.1", port=int(sys.argv[1]), user="sa", password=sys.argv[2], autocommit=True, login_timeout=120)
        for _ in range(int(sys.argv[3]))]
print(len(held), flush=True)
sys.stdin.readline()
"""


def arguments():
    parser = kit.Arguments(__doc__, ["costs", "sessions"])
    parser.add_argument("--repeats", type=int, default=40, help="tables of the loop in a run and connection (default: %(default)s)")
    parser.add_argument("--warehouses", type=int, default=2, help="of TPC-C (default: %(default)s)")
    parser.add_argument("--users", type=int, default=4, help="terminals of TPC-C (default: %(default)s)")
    parser.add_argument("--seconds", type=int, default=20, help="of a run of TPC-C (default: %(default)s)")
    parser.add_argument("--sessions", type=int, default=10_000, help="(default: %(default)s)")
    return parser.parse_args()


class Server(kit.Millpond):
    """One that is watched, or one that is not."""

    def __init__(self, options, watched):
        self.watched = watched
        self.http = kit.free_port()
        page = f'[http]\nlisten = "127.0.0.1:{self.http}"\n'
        super().__init__(options.millpond, options.disk, page if watched else "[server]\nhistory = false\n")

    @contextlib.contextmanager
    def monitor(self):
        """Asks while the block runs."""
        if not self.watched:
            yield
            return
        is_over = threading.Event()

        def ask():
            with self.connect() as connection, connection.cursor() as cursor:
                turn = 0
                while not is_over.wait(1):
                    cursor.execute("select * from sys.dm_millpond_activity")
                    cursor.fetchall()
                    if turn % 15 == 0:
                        urllib.request.urlopen(f"http://127.0.0.1:{self.http}/metrics").read()
                    turn += 1

        thread = threading.Thread(target=ask)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()

    def measured(self, work):
        """Server's CPU time for one piece of work, and the part of it that the history's samples took."""
        sampled = (lambda: self.rows(SAMPLING)[0][0]) if self.watched else (lambda: 0)
        with self.monitor():
            before, sampled_before = self.cpu_seconds(), sampled()
            pieces = work()
            cpu, sampling_s = self.cpu_seconds() - before, (sampled() - sampled_before) / 1e6
        return {"cpu_us": cpu / pieces * 1e6, "sampling_percent": 100 * sampling_s / cpu}


def loop(server, options):
    def work():
        server.run([LOOP.format(repeats=options.repeats)] * 2)
        return 2 * options.repeats * 12_800

    return server.measured(work)


def tpcc(server, options, seed):
    command = [*server.workload("tpcc"), "--database", TPCC]

    def work():
        again = ["--no-load", "--users", str(options.users), "--rampup", "0", "--seconds", str(options.seconds), "--seed", str(seed)]
        return sum(kind["done"] for kind in kit.drive(command, *again)["kinds"])

    return server.measured(work)


def costs(report, options):
    header = ["samples, % of CPU"]
    sides = ("watched", "not")
    more = lambda first, _: [f"{first['sampling_percent']:.3f}"]  # noqa: E731
    with Server(options, True) as watched, Server(options, False) as other:
        found = kit.pairs(options.pairs, lambda: loop(watched, options), lambda: loop(other, options))
        nanoseconds = lambda run: run["cpu_us"] * 1000  # noqa: E731
        report.ratios("loop", "the loop from two connections, ns of CPU for a row", found, nanoseconds, header, more, sides)
        for server in (watched, other):
            load = ["--load", "--warehouses", str(options.warehouses), "--seconds", "0"]
            kit.drive([*server.workload("tpcc"), "--database", TPCC], *load)
        seeds = iter(range(1, 10_000))
        found = kit.pairs(
            options.pairs, lambda: tpcc(watched, options, next(seeds)), lambda: tpcc(other, options, next(seeds))
        )
        cpu = lambda run: run["cpu_us"]  # noqa: E731
        report.ratios("tpcc", f"TPC-C from {options.users} terminals, µs of CPU for a transaction", found, cpu, header, more, sides)


def sessions(report, options):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = options.sessions + 500
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise SystemExit(f"{options.sessions} sessions want {wanted} descriptors, and the limit is {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    with Server(options, True) as server:
        alone_mb = kit.resident_mb(server.pid)
        before = time.monotonic()
        share = options.sessions // OPENERS
        command = [sys.executable, "-c", OPENER, str(server.port), kit.PASSWORD, str(share)]
        openers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(OPENERS)]
        try:
            opened = sum(int(opener.stdout.readline() or 0) for opener in openers)
            opened_s = time.monotonic() - before
            with server.connect() as connection, connection.cursor() as cursor:
                rows = []
                for name, text in QUESTIONS.items():
                    times = []
                    for _ in range(options.pairs):
                        begun = time.monotonic()
                        cursor.execute(text)
                        cursor.fetchall()
                        times.append((time.monotonic() - begun) * 1000)
                    rows.append([name, *(f"{figure:.1f}" for figure in kit.spread(times).values())])
                    report.add(name, times)
                for path in ("healthz", "metrics"):
                    begun = time.monotonic()
                    urllib.request.urlopen(f"http://127.0.0.1:{server.http}/{path}").read()
                    rows.append([f"/{path}", f"{(time.monotonic() - begun) * 1000:.1f}", "", ""])
            all_mb = kit.resident_mb(server.pid)
            top = [options.millpond, "top", "-S", f"127.0.0.1,{server.port}", "-U", "sa", "-C", "--once", "--seconds", "2"]
            begun = time.monotonic()
            environment = {**os.environ, "SQLCMDPASSWORD": kit.PASSWORD}
            subprocess.run(top, check=True, capture_output=True, env=environment)
            rows.append(["millpond top --once --seconds 2", f"{(time.monotonic() - begun) * 1000:.0f}", "", ""])
        finally:
            for opener in openers:
                opener.communicate("\n")
        report.table(f"with {opened:,} sessions, ms", ["", "median", "least", "most"], rows)
        report.line(f"  opened in {opened_s:.1f} s; the server has {all_mb:.0f} MB, {alone_mb:.0f} MB before: "
                    f"{(all_mb - alone_mb) * 1024 / max(opened, 1):.1f} KB for a session")
        report.add("sessions", {"opened": opened, "seconds": opened_s, "resident_mb": all_mb, "alone_mb": alone_mb})


def main():
    kit.with_pytds()
    options = arguments()
    report = kit.Report(options.json, f"{options.repeats * 25_600:,} rows of the loop, {options.seconds} s of TPC-C")
    wanted = options.experiments or ["costs", "sessions"]
    if "costs" in wanted:
        costs(report, options)
    if "sessions" in wanted:
        sessions(report, options)
    report.end()


if __name__ == "__main__":
    main()
