#!/usr/bin/env python3
"""How long a cancelled query goes on: from the attention of the client to the server's acknowledgement.

  benches/cancel.py                       every kind of query
  benches/cancel.py sort join             these only
  benches/cancel.py --json > result.json  figures as JSON, the tables on standard error

Each query is cancelled --turns times, each time at another moment between 0.1 s and --latest seconds after its start. The
figures are milliseconds; the aim is 50 ms.
"""

import select
import statistics
import time

import kit

QUERIES = {
    "scan": "select count(*), sum(cast(v as bigint)) from fact a where k % 7 = v % 7 and pad like '%77%12%3'",
    "group": "select count(*), sum(s) from (select k, pad, sum(cast(v as bigint)) as s from fact group by k, pad) x",
    "sort": "select max(n) from (select row_number() over (order by pad, k, id) as n from fact) x",
    "join": "select count(*), max(a.pad) from fact a join fact b on a.k = b.k and a.pad = b.pad where a.id <> b.id",
    "pairs": "select count(*) from fact a join n b on a.v < b.i where a.id % 3 = b.i % 3",
    "into": "select * into #into from fact",
    "stored": "select * into stored from fact",
    "index": "create index i on fact (pad, k)",
}


def arguments():
    parser = kit.Arguments(__doc__, QUERIES)
    parser.add_argument("--memory-mb", type=int, default=256, help="of the server (default: %(default)s)")
    parser.add_argument("--rows", type=int, default=4_000_000, help="rows of the table (default: %(default)s)")
    parser.add_argument("--turns", type=int, default=15, help="cancellations of each query (default: %(default)s)")
    parser.add_argument("--latest", type=float, default=1.5, help="seconds before the last (default: %(default)s)")
    return parser.parse_args()


def cancelled(server, text, after_s):
    """Milliseconds until the server said that it had stopped; `None` when the query was over before."""
    with server.connect("facts") as connection, connection.cursor() as cursor:
        cursor.execute("drop table if exists stored; drop index if exists i on fact")
        session = cursor._session
        session.submit_plain_query(text)
        if select.select([connection._tds_socket.sock], [], [], after_s)[0]:
            return None
        started = time.monotonic()
        session.cancel_if_pending()
        return (time.monotonic() - started) * 1000


def main():
    kit.with_pytds()
    options = arguments()
    report = kit.Report(options.json, f"{options.rows:,} rows, {options.memory_mb} MB, {options.turns} turns")
    report.add("parameters", {key: getattr(options, key) for key in ("rows", "memory_mb", "turns", "latest")})
    rows = []
    with kit.Millpond(options.millpond, options.disk, f"[server]\nmax_server_memory_mb = {options.memory_mb}\n") as server:
        kit.load_facts(server, options.rows)
        for name in options.experiments or QUERIES:
            step = (options.latest - 0.1) / max(options.turns - 1, 1)
            found = [cancelled(server, QUERIES[name], 0.1 + turn * step) for turn in range(options.turns)]
            times = [took for took in found if took is not None]
            figures = [f"{statistics.median(times):.1f}", f"{max(times):.1f}"] if times else ["-", "-"]
            rows.append([name, len(times), *figures])
            report.add(name, found)
    report.table("from attention to acknowledgement, milliseconds", ["", "cancelled", "median", "max"], rows)
    report.end()


if __name__ == "__main__":
    main()
