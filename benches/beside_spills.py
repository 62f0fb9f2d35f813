#!/usr/bin/env python3
"""Short statements beside queries that spill: how long a point SELECT takes while four sessions group more rows than fit.

  benches/beside_spills.py                       alone and beside
  benches/beside_spills.py --rows 20000000       with larger spills
  benches/beside_spills.py --json > result.json  figures as JSON, the tables on standard error

One session reads a row by its primary key, again and again with a pause of a millisecond, first while nobody else does
anything, then while --sessions sessions run GROUP BYs in a loop, each of which spills. Figures are milliseconds as the
client sees them; the aim on two processors is 5 ms at the 99th percentile.
"""

import os
import random
import threading
import time

import kit

GROUP = "select count(*), sum(s) from (select k, sum(cast(v as bigint)) as s, max(pad) as m from fact group by k) x"
# With a parameter: thousands of texts would drive the statistics of the others out of their cache.
POINT = "select balance from keyed where id = %s"
PAUSE_S = 0.001


def arguments():
    parser = kit.Arguments(__doc__)
    parser.add_argument("--memory-mb", type=int, default=256, help="of the server (default: %(default)s)")
    parser.add_argument("--rows", type=int, default=4_000_000, help="rows that are grouped (default: %(default)s)")
    parser.add_argument("--sessions", type=int, default=4, help="that group (default: %(default)s)")
    parser.add_argument("--seconds", type=int, default=15, help="of each measurement (default: %(default)s)")
    return parser.parse_args()


def load(server, rows):
    kit.load_facts(server, rows)
    server.execute(
        "use facts create table keyed (id int not null primary key, balance int not null, filler char(84) not null)",
        "use facts insert keyed select a.i * 1000 + b.i, 0, '' from n a cross join n b where a.i < 100",
    )


def points(server, seconds):
    """Milliseconds of each call."""
    found, chance = [], random.Random(1)
    with server.connect("facts") as connection, connection.cursor() as cursor:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            key = chance.randrange(100_000)
            started = time.monotonic()
            cursor.execute(POINT, (key,))
            cursor.fetchall()
            found.append((time.monotonic() - started) * 1000)
            time.sleep(PAUSE_S)
    return found


def beside(server, options):
    """As `points`, with as many sessions that group meanwhile; and how many queries they ended."""
    ended, stop, failed = [0] * options.sessions, threading.Event(), []

    def group(index):
        try:
            with server.connect("facts") as connection, connection.cursor() as cursor:
                while not stop.is_set():
                    cursor.execute(GROUP)
                    cursor.fetchall()
                    ended[index] += 1
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=group, args=(index,)) for index in range(options.sessions)]
    for thread in threads:
        thread.start()
    time.sleep(2)
    found = points(server, options.seconds)
    stop.set()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return found, sum(ended)


def figures(calls):
    calls = sorted(calls)
    at = lambda part: calls[min(int(len(calls) * part), len(calls) - 1)]
    return {"calls": len(calls), "p50": at(0.5), "p99": at(0.99), "p999": at(0.999), "max": calls[-1]}


def main():
    kit.with_pytds()
    options = arguments()
    what = f"{options.rows:,} rows, {options.memory_mb} MB, {options.sessions} sessions, {options.seconds} s"
    report = kit.Report(options.json, what)
    report.add("parameters", {key: getattr(options, key) for key in ("rows", "memory_mb", "sessions", "seconds")})
    with kit.Millpond(options.millpond, options.disk, f"[server]\nmax_server_memory_mb = {options.memory_mb}\n") as server:
        load(server, options.rows)
        os.sync()
        alone = figures(points(server, options.seconds))
        spilled = server.rows("select coalesce(sum(total_spills), 0) from sys.dm_exec_query_stats")[0][0]
        calls, queries = beside(server, options)
        spilled = (server.rows("select coalesce(sum(total_spills), 0) from sys.dm_exec_query_stats")[0][0] - spilled) / 128
        results = {"alone": alone, "beside": figures(calls) | {"queries": queries, "spilled_mb": float(spilled)}}
    rows = [
        [name, found["calls"], *(f"{found[key]:.2f}" for key in ("p50", "p99", "p999", "max"))]
        for name, found in results.items()
    ]
    report.table("point SELECT, milliseconds", ["", "calls", "p50", "p99", "p99.9", "max"], rows)
    report.line(f"  the others ended {queries} queries, which put {float(spilled):,.0f} MB aside")
    report.add("points", results)
    report.end()


if __name__ == "__main__":
    main()
