#!/usr/bin/env python3
"""Joins of many small tables, planned and run: chains, stars and cliques of tables of ten rows, in shuffled orders of the text.

  benches/join_order.py                     5, 10, 15, 20, 40 and 64 tables
  benches/join_order.py 30 --orders 10      so many tables, in so many orders

Each text is new, so it is parsed, bound, planned and run. Every answer is ten rows, which is checked. Figures are milliseconds.
"""

import random
import statistics
import sys
import time

import kit

ROWS = 10


def conditions(kind, count):
    """The equalities of a join of so many tables."""
    if kind == "chain":
        return [f"t{one}.a = t{one + 1}.b" for one in range(count - 1)]
    if kind == "star":
        return [f"t0.a = t{one}.a" for one in range(1, count)]
    if kind == "one column":
        return [f"t{one}.c = t{one + 1}.c" for one in range(count - 1)]
    return [f"t{one}.a = t{other}.a" for one in range(count) for other in range(one)]


def main():
    kit.with_pytds()
    parser = kit.Arguments(__doc__, pairs=1)
    parser.add_argument("counts", nargs="*", type=int, metavar="TABLES", help="(default: 5 10 15 20 40 64)")
    parser.add_argument("--orders", type=int, default=5, help="orders of each text (default: %(default)s)")
    options = parser.parse_args()
    counts = options.counts or [5, 10, 15, 20, 40, 64]
    is_right = True
    with kit.Millpond(options.millpond, options.disk) as server:
        server.execute("create database joins")
        for table in range(max(counts)):
            server.execute(
                f"use joins create table t{table} (a int not null primary key, b int not null, c int not null) "
                f"insert t{table} select value, (value * 7 + {table}) % {ROWS}, value from generate_series(0, {ROWS - 1})"
            )
        with server.connect("joins") as connection, connection.cursor() as cursor:
            for count in counts:
                for kind in ("chain", "star", "one column", "clique"):
                    took = []
                    for order in range(options.orders):
                        shuffled = random.Random(order)
                        tables, asked = [f"t{one}" for one in range(count)], conditions(kind, count)
                        shuffled.shuffle(tables)
                        shuffled.shuffle(asked)
                        text = f"select count(*) from {', '.join(tables)} where {' and '.join(asked)} -- {order}"
                        started = time.monotonic()
                        cursor.execute(text)
                        is_right &= cursor.fetchone()[0] == ROWS
                        took.append(1000 * (time.monotonic() - started))
                    print(f"{count:3} {kind:10} {statistics.median(took):7.1f} ms ({min(took):.1f} to {max(took):.1f})", flush=True)
    sys.exit(0 if is_right else 1)


if __name__ == "__main__":
    main()
