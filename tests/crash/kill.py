"""Clients that know what they were promised, and a server that is killed under them.

    client:   transfer between two accounts + a row of the audit + the client's counter, all in one transaction
    server:   kill -9 at a random moment ── started again, now and then killed in its recovery too ── compared

What must hold after every start, with `acked` and `asked` counted by the clients themselves:
  - each counter is at least acked and at most asked: nothing acknowledged is lost, nothing happens that nobody asked for;
  - the audit has exactly the rows 1..counter of each client: a transaction is there as a whole or not at all;
  - no money comes or goes, and each balance is what the audit says;
  - an index has as many rows as its table, and the same ones;
  - of transactions that were rolled back on purpose there is nothing.
"""

import os
import random
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import pytds

# Few accounts, so that clients wait for each other and deadlocks happen.
CLIENTS, ACCOUNTS, BALANCE = 6, 30, 1000
START_PATIENCE_S = 120
SCHEMA = [
    "create database bank",
    "use bank",
    "create table account (id int not null primary key, balance bigint not null)",
    "create table counter (client int not null primary key, n int not null)",
    "create table audit (client int not null, n int not null, from_id int not null, to_id int not null,"
    " amount bigint not null, note varchar(3000) not null, primary key (client, n))",
    "create index audit_to on audit (to_id)",
    "create table heap (client int not null, n int not null, note varchar(500) not null)",
]


class Server:
    def __init__(self, binary, directory):
        self.binary, self.directory = binary, directory
        self.password = "Kill-" + secrets.token_hex(9)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process = None

    def start(self):
        environment = {**os.environ, "MSSQL_SA_PASSWORD": self.password}
        log = open(self.directory + ".log", "a")
        command = [self.binary, "serve", "--data", self.directory, "--listen", f"127.0.0.1:{self.port}"]
        self.process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)

    def wait(self):
        """Until it lets somebody in; how long that took."""
        begun = time.monotonic()
        while time.monotonic() - begun < START_PATIENCE_S:
            if self.process.poll() is not None:
                raise AssertionError(f"the server ended with {self.process.returncode} while it started")
            try:
                self.connect(database="master").close()
                return time.monotonic() - begun
            except (OSError, pytds.Error):
                time.sleep(0.02)
        raise AssertionError(f"nobody can log in after {START_PATIENCE_S} s")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=60)
        if code != 0:
            raise AssertionError(f"SIGTERM: exit code {code}")

    def connect(self, database="bank"):
        return pytds.connect(
            dsn="127.0.0.1", port=self.port, user="sa", password=self.password, autocommit=True, database=database,
            timeout=30, login_timeout=10)


class Client(threading.Thread):
    """Works until the server is gone."""

    def __init__(self, server, number, n, seed):
        super().__init__(daemon=True)
        self.server, self.number = server, number
        self.asked = self.acked = n
        self.chance = random.Random(seed)
        self.deadlocks = 0
        self.failure = None

    def run(self):
        try:
            connection = self.server.connect()
            cursor = connection.cursor()
            while True:
                self.transfer(cursor)
        except pytds.Error as error:
            if getattr(error, "msg_no", 0):
                self.failure = f"client {self.number}: {error}"
        except OSError:
            pass
        except Exception as error:  # What a broken connection looks like inside the client is its own affair.
            if self.server.process.poll() is None:
                self.failure = f"client {self.number}: {error!r}"

    def transfer(self, cursor):
        n = self.acked + 1
        source, target = self.chance.sample(range(ACCOUNTS), 2)
        amount = self.chance.randrange(1, 50)
        note = "x" * self.chance.choice([0, 0, 10, 10, 100, 2900])
        statements = [
            "begin transaction",
            f"update account set balance = balance - {amount} where id = {source}",
            f"update account set balance = balance + {amount} where id = {target}",
            f"insert into audit values ({self.number}, {n}, {source}, {target}, {amount}, '{note}')",
            f"insert into heap values ({self.number}, {n}, '{note[:400]}')",
            f"update counter set n = {n} where client = {self.number}",
        ]
        gives_up = self.chance.random() < 0.1
        if not gives_up:
            self.asked = n
        end = "rollback" if gives_up else "commit"
        try:
            if self.chance.random() < 0.5:
                cursor.execute("; ".join([*statements, end]))
                # An error of a later statement is raised when its result is asked for, not before.
                while cursor.nextset():
                    pass
            else:
                for statement in [*statements, end]:
                    cursor.execute(statement)
        except pytds.Error as error:
            if getattr(error, "msg_no", 0) != 1205:
                raise
            self.deadlocks += 1
            cursor.execute("if @@trancount > 0 rollback")
            return
        if not gives_up:
            self.acked = n


def rows(cursor, query):
    cursor.execute(query)
    return [tuple(row) for row in cursor.fetchall()]


def expect(what, found, expected):
    if found != expected:
        raise AssertionError(f"{what}: {str(found)[:500]}, not {str(expected)[:500]}")


def check(server, acked, asked):
    """Compares; returns the counters."""
    connection = server.connect()
    cursor = connection.cursor()
    counters = dict(rows(cursor, "select client, n from counter"))
    for client in range(CLIENTS):
        if not acked[client] <= counters.get(client, -1) <= asked[client]:
            raise AssertionError(
                f"client {client}: {counters.get(client)} transactions, {acked[client]} were acknowledged and "
                f"{asked[client]} asked for")
    for table in ("audit", "heap"):
        numbers = rows(cursor, f"select client, n from {table} order by client, n")
        due = [(client, n) for client in range(CLIENTS) for n in range(1, counters[client] + 1)]
        differ = sorted(set(numbers) ^ set(due))
        expect(f"rows (client, n) that {table} has too few or too many", differ, [])
        expect(f"rows of {table} in order", numbers, due)
    balances = dict(rows(cursor, "select id, balance from account"))
    expect("all money", sum(balances.values()), ACCOUNTS * BALANCE)
    expected = dict.fromkeys(range(ACCOUNTS), BALANCE)
    audit = rows(cursor, "select from_id, to_id, amount from audit")
    for source, target, amount in audit:
        expected[source] -= amount
        expected[target] += amount
    expect("balances", balances, expected)
    by_table = {}
    for _, target, _ in audit:
        by_table[target] = by_table.get(target, 0) + 1
    for target in random.sample(range(ACCOUNTS), 10):
        found = rows(cursor, f"select count(*) from audit where to_id = {target}")
        expect(f"the index's rows of account {target}", found, [(by_table.get(target, 0),)])
    connection.close()
    return counters


def run(server, rounds, chance):
    server.start()
    server.wait()
    cursor = server.connect("master").cursor()
    for statement in SCHEMA:
        cursor.execute(statement)
    cursor.execute("insert into account values " + ", ".join(f"({n}, {BALANCE})" for n in range(ACCOUNTS)))
    cursor.execute("insert into counter values " + ", ".join(f"({client}, 0)" for client in range(CLIENTS)))
    counters = dict.fromkeys(range(CLIENTS), 0)
    kills = deadlocks = 0
    longest_s = 0.0
    for number in range(rounds):
        clients = [Client(server, n, counters[n], chance.random()) for n in range(CLIENTS)]
        for client in clients:
            client.start()
        time.sleep(chance.uniform(0.05, 1.5))
        server.kill()
        for client in clients:
            client.join(timeout=60)
            if client.failure or client.is_alive():
                raise AssertionError(client.failure or f"client {client.number} hangs")
        kills += 1
        deadlocks += sum(client.deadlocks for client in clients)
        server.start()
        while chance.random() < 0.3:
            time.sleep(chance.uniform(0, 0.4))
            server.kill()
            kills += 1
            server.start()
        longest_s = max(longest_s, server.wait())
        try:
            counters = check(server, [c.acked for c in clients], [c.asked for c in clients])
        except AssertionError as error:
            raise AssertionError(f"round {number + 1}: {error}") from error
    server.stop()
    server.start()
    server.wait()
    exact = [counters[client] for client in range(CLIENTS)]
    check(server, exact, exact)
    server.stop()
    print(f"{rounds} rounds, {kills} times killed, {sum(exact)} transactions kept, {deadlocks} deadlocks, "
          f"longest start {longest_s:.2f} s: nothing acknowledged was lost")


def main():
    binary, rounds, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    work = tempfile.mkdtemp(prefix="millpond-kill-")
    server = Server(binary, os.path.join(work, "data"))
    try:
        run(server, rounds, random.Random(seed))
    except AssertionError as error:
        print(f"FAILED (seed {seed}, data in {work}): {error}")
        return 1
    finally:
        if server.process and server.process.poll() is None:
            server.kill()
    shutil.rmtree(work)
    return 0


sys.exit(main())
