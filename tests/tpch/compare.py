#!/usr/bin/env python3
"""Compares answers to TPC-H's queries with those of DuckDB over the same rows.

    compare.py TABLES ANSWERS SCALE [QUERY ...]

TABLES has dbgen's files, ANSWERS a file N.tbl for each query. Rows are compared in the order that ORDER BY gives; rows that
it leaves equal may change places. Numbers with a point may differ by one in the last digit that the answer shows (T-SQL's
rules cut quotients and averages there) and by 1e-9 of their size; everything else must be the same.
Prints `ok qN` or `FAILED qN: why`; the exit code is the number of failures.
"""
import re
import sys
from decimal import Decimal
from pathlib import Path

import duckdb

TABLES = {
    "region": "r_regionkey int, r_name varchar, r_comment varchar",
    "nation": "n_nationkey int, n_name varchar, n_regionkey int, n_comment varchar",
    "supplier": "s_suppkey int, s_name varchar, s_address varchar, s_nationkey int, s_phone varchar, "
    "s_acctbal decimal(12, 2), s_comment varchar",
    "part": "p_partkey int, p_name varchar, p_mfgr varchar, p_brand varchar, p_type varchar, p_size int, "
    "p_container varchar, p_retailprice decimal(12, 2), p_comment varchar",
    "customer": "c_custkey int, c_name varchar, c_address varchar, c_nationkey int, c_phone varchar, "
    "c_acctbal decimal(12, 2), c_mktsegment varchar, c_comment varchar",
    "partsupp": "ps_partkey int, ps_suppkey int, ps_availqty int, ps_supplycost decimal(12, 2), ps_comment varchar",
    "orders": "o_orderkey bigint, o_custkey int, o_orderstatus varchar, o_totalprice decimal(12, 2), o_orderdate date, "
    "o_orderpriority varchar, o_clerk varchar, o_shippriority int, o_comment varchar",
    "lineitem": "l_orderkey bigint, l_partkey int, l_suppkey int, l_linenumber int, l_quantity decimal(12, 2), "
    "l_extendedprice decimal(12, 2), l_discount decimal(12, 2), l_tax decimal(12, 2), l_returnflag varchar, "
    "l_linestatus varchar, l_shipdate date, l_commitdate date, l_receiptdate date, l_shipinstruct varchar, "
    "l_shipmode varchar, l_comment varchar",
}


def load(tables: Path) -> duckdb.DuckDBPyConnection:
    """A database in memory with the rows of dbgen's files."""
    peer = duckdb.connect()
    for name, columns in TABLES.items():
        peer.execute(f"create table {name} ({columns})")
        # Each line ends with the separator: a field more, which is empty.
        fields = ", ".join(f"'{c.split()[0]}': '{c.split(' ', 1)[1]}'" for c in re.split(r", (?=\w_|ps_)", columns))
        wanted = ", ".join(c.split()[0] for c in re.split(r", (?=\w_|ps_)", columns))
        peer.execute(
            f"insert into {name} select {wanted} from read_csv('{tables / (name + '.tbl')}', delim='|', header=false, "
            f"quote='', escape='', columns={{{fields}, 'nothing': 'varchar'}})"
        )
    return peer


def queries(scale: float) -> dict[int, str]:
    """The standard's texts by number."""
    text = (Path(__file__).parent / "standard.sql").read_text().replace("$fraction", f"{0.0001 / scale:.10f}")
    parts = re.split(r"^-- Q(\d+)\n", text, flags=re.M)
    return {int(parts[at]): parts[at + 1].strip().rstrip(";") for at in range(1, len(parts), 2)}


def is_same(ours: str, theirs: object) -> bool:
    """Whether a field is that value."""
    if theirs is None:
        return ours == ""
    if isinstance(theirs, (float, Decimal)):
        try:
            one = Decimal(ours)
        except ArithmeticError:
            return False
        other = Decimal(theirs) if isinstance(theirs, Decimal) else Decimal(repr(theirs))
        last = Decimal(1).scaleb(min(0, one.as_tuple().exponent)) if "." in ours else Decimal(0)
        if isinstance(theirs, Decimal) and one.as_tuple().exponent <= other.as_tuple().exponent:
            last = Decimal(0)
        return abs(one - other) <= max(last, abs(other) * Decimal("1e-9") if isinstance(theirs, float) else Decimal(0))
    return ours == str(theirs).rstrip()


def is_same_row(ours: list[str], theirs: tuple) -> bool:
    return len(ours) == len(theirs) and all(map(is_same, ours, theirs))


def order_columns(query: str, names: list[str]) -> list[int]:
    """Positions of the columns that the last ORDER BY names."""
    found = re.findall(r"order by\s+([^()]*)$", re.sub(r"\s+limit \d+$", "", query), flags=re.I)
    if not found:
        return []
    return [names.index(item.split()[0]) for item in found[-1].split(",")]


def difference(ours: list[list[str]], theirs: list[tuple], keys: list[int]) -> str | None:
    """What differs, where rows of equal keys stand in any order."""
    if len(ours) != len(theirs):
        return f"{len(ours)} rows instead of {len(theirs)}"
    start = 0
    while start < len(theirs):
        end = start + 1
        while end < len(theirs) and all(theirs[end][key] == theirs[start][key] for key in keys):
            end += 1
        rest = list(ours[start:end])
        for row in theirs[start:end]:
            at = next((i for i, one in enumerate(rest) if is_same_row(one, row)), None)
            if at is None:
                return f"row {row} is not among {rest[:3]}"
            rest.pop(at)
        start = end
    return None


def main() -> int:
    tables, answers, scale = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])
    only = {int(number) for number in sys.argv[4:]}
    peer, failed = load(tables), 0
    for number, query in queries(scale).items():
        if only and number not in only:
            continue
        cursor = peer.execute(query)
        names = [column[0] for column in cursor.description]
        theirs = cursor.fetchall()
        path = answers / f"{number}.tbl"
        ours = [line.split("|")[:-1] for line in path.read_text().splitlines()] if path.exists() else []
        wrong = difference(ours, theirs, order_columns(query, names)) if path.exists() else "no answer"
        failed += wrong is not None
        print(f"ok q{number}" if wrong is None else f"FAILED q{number}: {wrong}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
