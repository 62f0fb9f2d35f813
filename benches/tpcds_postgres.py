#!/usr/bin/env python3
"""TPC-DS: the 99 queries on Millpond against PostgreSQL 15, interleaved; what it does not end in a minute is left out.

  benches/tpcds_postgres.py                 scale 1, all queries, one pair
  benches/tpcds_postgres.py 4 35            these only

Generator, tables and our side are those of tpcds.py. PostgreSQL has the same primary keys and no other indexes, two processes for a
query, half of the memory as shared buffers and 64 MB for each sort or hash, and has analysed its tables. Rows are counted, not
compared: tpcds.py compares them. Figures are seconds: a ratio below 1 says that Millpond is faster.
"""

import json
import re
import statistics
import subprocess
import sys

import kit
import tpcds

# PostgreSQL's share is asked of the queries that it ends in this time.
PEER_S = 60
WORK_MEM_MB = 64

# Runs in the generator's environment.
TRANSLATE = r"""
import json, sys
import sqlglot
queries = json.load(sys.stdin)
def in_postgres(text):
    tree = sqlglot.parse_one(text, read="duckdb")
    for rounded in tree.find_all(sqlglot.exp.Round):
        # It rounds decimals to places, floats to whole numbers alone.
        if rounded.args.get("decimals"):
            rounded.set("this", sqlglot.exp.cast(rounded.this, "decimal"))
    return tree.sql(dialect="postgres", unsupported_level=sqlglot.ErrorLevel.IGNORE)
json.dump({number: in_postgres(query["theirs"]) for number, query in queries.items()}, sys.stdout)
"""


class Peer:
    def __init__(self, server, folder, made):
        self.server = server
        server.psql("create database tpcds")
        for name, columns in made["tables"].items():
            described = ", ".join(f"{column} {kind.replace('FLOAT', 'double precision')}" for column, kind in columns)
            server.psql(
                f"create table {name} ({described}, primary key ({tpcds.KEYS[name]}))",
                f"\\copy {name} from '{folder / name}.csv' with (delimiter '|', format csv, quote E'\\b', null '')",
                database="tpcds",
            )
        server.psql("vacuum analyze", database="tpcds")

    def timed(self, text):
        """Seconds and rows; none where it did not end."""
        place = ["-h", "127.0.0.1", "-p", str(self.server.port), "-U", "postgres", "-d", "tpcds"]
        script = f"set statement_timeout = '{PEER_S}s';\n\\timing on\n{text.rstrip().rstrip(';')};\n"
        done = subprocess.run(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", *place], input=script, capture_output=True, text=True)
        if done.returncode:
            return None, done.stderr.strip().splitlines()[0]
        *rows, _ = (line for line in done.stdout.splitlines() if line)
        return float(re.search(r"^Time: ([\d.]+) ms", done.stdout, re.M).group(1)) / 1e3, len(rows)


def main():
    kit.with_pytds()
    parser = kit.Arguments(__doc__, pairs=1)
    parser.add_argument("queries", nargs="*", type=int, metavar="QUERY", help="numbers of queries (default: all)")
    parser.add_argument("--scale", type=float, default=1, help="(default: %(default)s)")
    parser.add_argument("--memory-mb", type=int, default=2048, help="of both (default: %(default)s)")
    options = parser.parse_args()
    folder, made = tpcds.generated(options.scale)
    translated = subprocess.run(
        [tpcds.generator(), "-c", TRANSLATE], input=json.dumps(made["queries"]), check=True, capture_output=True, text=True
    )
    theirs = json.loads(translated.stdout)
    settings = (
        f"shared_buffers={options.memory_mb // 2}MB", f"effective_cache_size={options.memory_mb}MB", f"work_mem={WORK_MEM_MB}MB",
        "max_parallel_workers_per_gather=1", "max_parallel_workers=2",
    )
    lines = []
    with (
        kit.Postgres("--directory", options.disk, *settings) as postgres,
        kit.Millpond(options.millpond, options.disk, f"[server]\nmax_server_memory_mb = {options.memory_mb}\n") as server,
    ):
        ours, peer = tpcds.Ours(server, folder, made), Peer(postgres, folder, made)
        for number in options.queries or sorted(map(int, made["queries"])):
            line = {"query": number, "ours": [], "theirs": [], "failed": None}
            for _ in range(options.pairs):
                seconds, rows = peer.timed(theirs[str(number)])
                taken, answer = ours.timed(made["queries"][str(number)]["ours"])
                line["ours"].append(taken)
                if seconds is None:
                    line["failed"] = rows
                    break
                line["theirs"].append(seconds)
            lines.append(line)
            other = f"{statistics.median(line['theirs']):8.3f} s" if not line["failed"] else f"  {line['failed'][:90]}"
            print(f"q{number:<3} {statistics.median(line['ours']):8.3f} s {other}", file=sys.stderr, flush=True)
    ended = [line for line in lines if not line["failed"]]
    total = [sum(statistics.median(line[side]) for line in ended) for side in ("ours", "theirs")]
    print(
        f"scale {options.scale:g}, {options.memory_mb} MB: {len(ended)} of {len(lines)} ended in {PEER_S} s; "
        f"{total[0]:.1f} s : {total[1]:.1f} s = {total[0] / total[1]:.3f}",
        file=sys.stderr,
    )
    if options.json:
        print(json.dumps(lines))


if __name__ == "__main__":
    main()
