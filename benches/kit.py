"""What the benchmarks share: servers that end with their benchmark, CPU time from /proc, pairs, tables.

Standard library and python-tds, which is installed into ~/.cache/millpond/venv when it is missing.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
VENV = pathlib.Path.home() / ".cache/millpond/venv"
# As in tests/tpch/run, which shares the environment.
DUCKDB = "duckdb==2.0.0"
PASSWORD = f"Bench-{secrets.token_hex(9)}"
# How long a server may take to end in order.
STOP_S = 30
# A recovery that takes longer has failed.
RECOVERY_S = 600
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def with_pytds():
    """Starts the program again inside the venv unless python-tds is there."""
    try:
        import pytds  # noqa: F401
    except ImportError:
        python = VENV / "bin/python"
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        if subprocess.run([python, "-c", "import pytds"], capture_output=True).returncode:
            subprocess.run([VENV / "bin/pip", "install", "--quiet", "python-tds"], check=True)
        os.execv(python, [python, *sys.argv])


def with_duckdb():
    """Installs the peer into the environment unless it is there."""
    try:
        import duckdb  # noqa: F401
    except ImportError:
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", DUCKDB], check=True)


def default_binary(name="millpond"):
    target = os.environ.get("CARGO_TARGET_DIR", ROOT / "target")
    return str(pathlib.Path(target) / "release" / name)


class Arguments(argparse.ArgumentParser):
    """What every comparison takes; a benchmark adds its own. `experiments` has the names that may be picked."""

    def __init__(self, doc, experiments=(), pairs=5):
        super().__init__(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
        self.experiments = experiments
        if experiments:
            self.add_argument("experiments", nargs="*", metavar="EXPERIMENT", help=", ".join(experiments))
        self.add_argument("--millpond", default=default_binary(), help="the binary (default: %(default)s)")
        self.add_argument("--pairs", type=int, default=pairs, help="pairs per comparison (default: %(default)s)")
        self.add_argument("--disk", default="/var/tmp", help="directory for data on disk (default: %(default)s)")
        self.add_argument("--json", action="store_true", help="figures as JSON on standard output")

    def add_memory(self):
        self.add_argument("--memory-mb", type=int, default=2048, help="of both servers (default: %(default)s)")

    def parse_args(self, *args, **more):
        options = super().parse_args(*args, **more)
        for name in options.experiments if self.experiments else ():
            if name not in self.experiments:
                self.error(f"no experiment {name!r}; there are {', '.join(self.experiments)}")
        return options


def numbers(text):
    """`4,10` as a list, for options."""
    return [int(word) for word in text.split(",")]


def million_numbers(column):
    """A derived table of the numbers from 1 to a million in T-SQL."""
    digits = "(values (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) as"
    sources = " cross join ".join(f"{digits} {name}(i)" for name in "efghjk")
    return (
        f"(select 1 + e.i + 10 * f.i + 100 * g.i + 1000 * h.i + 10000 * j.i + 100000 * k.i as {column} "
        f"from {sources}) as numbers"
    )


def load_facts(server, rows):
    """Database facts with a heap of so many rows, of half as many keys, and table n of the numbers below a thousand."""
    server.execute(
        "create database facts",
        "alter database facts set recovery simple",
        "use facts create table n (i int not null primary key)",
        "use facts insert n values " + ",".join(f"({number})" for number in range(1000)),
        "use facts create table fact (id int not null, k int not null, v int not null, pad char(24) not null)",
    )
    for first in range(0, rows, 1_000_000):
        server.execute(
            f"use facts insert fact with (tablock) select id, cast(cast(id as bigint) * 7919 % {rows // 2 - 1} as int), "
            f"id % 1000, cast(cast(id as bigint) * 104729 % 1000003 as char(24)) "
            f"from (select {first} + a.i * 1000 + b.i as id from n a cross join n b) x where id < {rows}"
        )


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def cpu_seconds(pid):
    """User and system time of a process, all its threads."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND


def family_cpu_seconds(pid):
    """User and system time of a process, of the children that it has waited for, and of those that live."""
    seconds = 0.0
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            own, fields = stat.parent.name, stat.read_text().rsplit(")", 1)[1].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if own == str(pid) or fields[1] == str(pid):
            seconds += sum(map(int, fields[11:15])) / TICKS_PER_SECOND
    return seconds


def resident_mb(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) / 1024


def at_once(count, body):
    """Runs `body(index)` in `count` threads; the seconds from their common start to the last one's end."""
    barrier, errors, ends = threading.Barrier(count + 1), [], []

    def one(index):
        barrier.wait()
        try:
            body(index)
        except Exception as error:
            errors.append(error)
        ends.append(time.monotonic())

    threads = [threading.Thread(target=one, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    barrier.wait()
    start = time.monotonic()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return max(ends) - start


def driver_cpu_seconds():
    """Of all programs that this one has run and that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def drive(command, *arguments):
    """Runs a driver of the lab; what it printed as JSON, `None` when that is nothing. It fails when its work failed."""
    done = subprocess.run([*command, *arguments, "--format", "json"], capture_output=True, text=True)
    result = json.loads(done.stdout) if done.stdout else None
    if done.returncode:
        why = done.stderr + "".join(f"\n{one['count']} times: {one['first']}" for one in (result or {}).get("failures", ()))
        raise SystemExit(f"{' '.join([*map(str, command[:4]), *arguments])} failed: {why}")
    return result


class Millpond:
    """`millpond serve` on a loopback port of its own, ended with the `with` block."""

    def __init__(self, binary, parent="/var/tmp", config=None):
        self.binary, self.parent, self.config = binary, parent, config

    def __enter__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="millpond-bench.", dir=self.parent)
        self.log = open(pathlib.Path(self.directory.name) / "log", "wb")
        self.start()
        return self

    def start(self):
        """Starts it on what an earlier start has left, if there was one."""
        place = pathlib.Path(self.directory.name)
        self.port = free_port()
        command = [self.binary, "serve", "--data", place / "data", "--listen", f"127.0.0.1:{self.port}"]
        if self.config is not None:
            (place / "millpond.toml").write_text(self.config)
            command += ["--config", place / "millpond.toml"]
        environment = os.environ | {"MSSQL_SA_PASSWORD": PASSWORD}
        started = time.monotonic()
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, env=environment)
        self.pid = self.process.pid
        self.wait_until_accepting(place / "log")
        self.start_ms = (time.monotonic() - started) * 1000

    def wait_until_accepting(self, log):
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except ConnectionRefusedError:
                if self.process.poll() is not None:
                    raise SystemExit(f"{self.binary} serve ended: {log.read_text(errors='replace')}")
                time.sleep(0.0002)

    def wait_until_open(self, database, question="select 1"):
        """Returns when a question in the database is answered: its recovery is over."""
        started = time.monotonic()
        while time.monotonic() - started < RECOVERY_S:
            try:
                with self.connect(database) as connection, connection.cursor() as cursor:
                    cursor.execute(question)
                    cursor.fetchall()
                return
            except Exception:
                if self.process.poll() is not None:
                    raise SystemExit("the server ended while it recovered") from None
                time.sleep(0.002)
        raise SystemExit(f"no answer in {RECOVERY_S} s")

    def stop(self):
        """Ends it in order."""
        self.process.terminate()
        try:
            self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self):
        """Ends it as a crash of the process does: kill -9."""
        self.process.kill()
        self.process.wait()

    def __exit__(self, *_):
        self.stop()
        self.log.close()
        self.directory.cleanup()

    def cpu_seconds(self):
        return cpu_seconds(self.pid)

    def connect(self, database="master", timeout_s=None):
        import pytds

        return pytds.connect(
            dsn="127.0.0.1", port=self.port, user="sa", password=PASSWORD, autocommit=True, database=database,
            timeout=timeout_s,
        )

    def workload(self, name):
        """The command that drives a workload of the lab against this server."""
        place = ["--server", f"127.0.0.1:{self.port}", "--password", PASSWORD]
        return [self.binary, "lab", "run", name, *place]

    def rows(self, text):
        with self.connect() as connection, connection.cursor() as cursor:
            cursor.execute(text)
            return [tuple(row) for row in cursor.fetchall()]

    def execute(self, *texts):
        with self.connect() as connection, connection.cursor() as cursor:
            for text in texts:
                cursor.execute(text)

    def configure(self, **options):
        """Sets options by their names, with blanks for the underscores' places."""
        self.execute("exec sp_configure 'show advanced options', 1", "reconfigure")
        for name, value in options.items():
            self.execute(f"exec sp_configure '{OPTION_NAMES[name]}', {value}", "reconfigure")

    def run(self, texts):
        """Runs each text on a connection of its own, all at once; seconds and CPU seconds of the server."""
        connections = [self.connect() for _ in texts]
        cursors = [connection.cursor() for connection in connections]
        before = cpu_seconds(self.pid)
        seconds = at_once(len(texts), lambda index: cursors[index].execute(texts[index]))
        cpu = cpu_seconds(self.pid) - before
        for connection in connections:
            connection.close()
        return seconds, cpu

    def bytes_written(self):
        """To the data files of tempdb since the start. File 2 is the log."""
        return self.rows(
            "select sum(num_of_bytes_written) from sys.dm_io_virtual_file_stats(2, null) where file_id <> 2"
        )[0][0]

    def bytes_by_reason(self):
        found = self.rows(
            "select reason, sum(bytes_written) from sys.dm_millpond_file_writes "
            "where database_id = 2 and file_id <> 2 group by reason"
        )
        return {reason: size for reason, size in found if size}

    def page_latch_waits(self):
        """Waits for page latches of any mode, and their milliseconds."""
        return self.rows(
            "select sum(waiting_tasks_count), sum(wait_time_ms) from sys.dm_os_wait_stats "
            "where wait_type like 'PAGELATCH%'"
        )[0]


OPTION_NAMES = {
    "max_memory_mb": "max server memory (MB)",
    "forward_only": "tempdb forward-only extent search",
    "eager_writes": "tempdb eager writes",
}


class Embedded:
    """`millpond sql` with the engine in its own process: the seconds are the script's own, the CPU the process's."""

    TIMER = (
        "declare @started datetime2 = sysdatetime()\n{}\n"
        "print 'took ' + cast(datediff(microsecond, @started, sysdatetime()) as varchar(20))"
    )

    def __init__(self, binary):
        self.binary = binary

    def run(self, texts):
        (text,) = texts
        idle_cpu = self.child_cpu("print 'took 0'")[0]
        cpu, output = self.child_cpu(self.TIMER.format(text))
        return int(re.search(r"took (\d+)", output).group(1)) / 1e6, max(cpu - idle_cpu, 0.0)

    def child_cpu(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
            script.write(text)
            script.flush()
            before = os.times()
            done = subprocess.run(
                [self.binary, "sql", "-b", "-i", script.name], check=True, capture_output=True, text=True
            )
            after = os.times()
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        return cpu, done.stdout


class Postgres:
    """PostgreSQL 15 of peers/start-postgres; each connection is a psql that waits for its text."""

    def __init__(self, *settings):
        self.settings = settings

    def __enter__(self):
        self.starter = subprocess.Popen(
            [ROOT / "benches/peers/start-postgres", *self.settings],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        first = self.starter.stdout.readline()
        if not first.startswith("ready "):
            raise SystemExit("PostgreSQL does not start")
        self.port = int(re.search(r"port=(\d+)", first).group(1))
        self.shown = []
        while (line := self.starter.stdout.readline().strip()) != "settings end":
            self.shown.append(line)
        psql = self.open()
        backend = self.ask(psql, "select pg_backend_pid();")
        self.pid = int(pathlib.Path(f"/proc/{backend}/stat").read_text().rsplit(")", 1)[1].split()[1])
        psql.communicate()
        return self

    def cpu_seconds(self):
        """Of all its processes, also of those that have ended."""
        return family_cpu_seconds(self.pid)

    def __exit__(self, *_):
        self.starter.stdin.close()
        self.starter.wait(60)

    def psql(self, *texts, database="postgres"):
        """Runs statements, each a transaction of its own; what they print."""
        place = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-d", database]
        commands = [word for text in texts for word in ("-c", text)]
        done = subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", *place, *commands], capture_output=True, text=True
        )
        if done.returncode:
            raise SystemExit(f"psql failed: {done.stderr}")
        return done.stdout

    def open(self):
        command = ["psql", "-X", "-q", "-A", "-t", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres"]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    @staticmethod
    def ask(psql, text):
        psql.stdin.write(text + "\n")
        psql.stdin.flush()
        return psql.stdout.readline().strip()

    def run(self, texts):
        """As `Millpond.run`; the CPU is the backends'."""
        sessions = [self.open() for _ in texts]
        backends = [int(self.ask(session, "select pg_backend_pid();")) for session in sessions]
        before = sum(map(cpu_seconds, backends))
        seconds = at_once(len(texts), lambda index: self.expect_done(sessions[index], texts[index]))
        cpu = sum(map(cpu_seconds, backends)) - before
        for session in sessions:
            session.communicate()
        return seconds, cpu

    def expect_done(self, session, text):
        if self.ask(session, f"{text}\nselect 'done';") != "done":
            raise RuntimeError(f"PostgreSQL did not do it: {text}")


@contextlib.contextmanager
def durable_servers(report, options):
    """Millpond and its peer with the same memory on the same disk; both answer a commit when it is on disk."""
    config = f"[server]\nmax_server_memory_mb = {options.memory_mb}\n"
    settings = ("synchronous_commit=on", "fsync=on", "autovacuum=on", f"shared_buffers={options.memory_mb}MB")
    with (
        Postgres("--directory", options.disk, *settings) as peer,
        Millpond(options.millpond, options.disk, config) as server,
    ):
        report.line("\nPostgreSQL: " + "; ".join(peer.shown))
        report.add("postgres_settings", peer.shown)
        yield server, peer


# --- figures ---------------------------------------------------------------------------------------------------------


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def pairs(count, first, second):
    """Runs two functions `count` times each, interleaved, every other pair in the other order."""
    found = []
    for turn in range(count):
        if turn % 2 == 0:
            one = first()
            other = second()
        else:
            other = second()
            one = first()
        found.append((one, other))
    return found


class Report:
    """Lines for people on one stream, the same figures as JSON on the other. `what` says what one run is."""

    def __init__(self, as_json, what):
        self.as_json = as_json
        self.stream = sys.stderr if as_json else sys.stdout
        commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True)
        self.values = {"commit": commit.stdout.strip(), "load": os.getloadavg()[0], "processors": os.cpu_count()}
        self.line(
            f"commit {self.values['commit'][:12]}, {self.values['processors']} processors, "
            f"load {self.values['load']:.1f}; {what}"
        )

    def line(self, text=""):
        print(text, file=self.stream, flush=True)

    def table(self, title, header, rows):
        self.line(f"\n{title}")
        cells = [header] + [[str(cell) for cell in row] for row in rows]
        widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
        for number, row in enumerate(cells):
            self.line("  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths)))
            if number == 0:
                self.line("  " + "  ".join("-" * width for width in widths))

    def ratios(
        self, name, title, found, figure=lambda run: run, header=(), more=lambda first, second: [],
        sides=("Millpond", "PostgreSQL"),
    ):
        """A table of pairs: a figure of each run, the first's by the second's, and what else of a pair is shown."""
        ratios = [figure(first) / figure(second) for first, second in found]
        rows = [
            [number, f"{figure(first):,.0f}", f"{figure(second):,.0f}", f"{ratio:.2f}", *more(first, second)]
            for number, ((first, second), ratio) in enumerate(zip(found, ratios), 1)
        ]
        self.table(title, ["pair", *sides, "ratio", *header], rows)
        middle = spread(ratios)
        self.line(f"  ratio {middle['median']:.2f} ({middle['min']:.2f} to {middle['max']:.2f})")
        self.add(name, {"pairs": found, "ratio": middle})

    def add(self, name, values):
        self.values[name] = values

    def end(self):
        if self.as_json:
            json.dump(self.values, sys.stdout, indent=2)
            print()
