"""The rows that Entity Framework Core's queries give here, beside DuckDB's over the same tables: `efcore_rows.py FOLDER [FILES]`.

FOLDER is a checkout of dotnet/efcore, FILES a regular expression over the names of test files (default: all). Statements that read are
translated by sqlglot; what it or DuckDB refuses is counted. Rows are compared without their order, texts without case and the blanks
at their end, numbers by four digits. Not judged are statements whose rows are open (TOP and OFFSET, if the number of rows agrees) and those
that DuckDB reads otherwise (OPEN_THERE). MILLPOND names the server's binary; the python needs duckdb and sqlglot. Exit code 0: no row differs.
"""
import collections
import os
import re
import sys

import duckdb
import sqlglot

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from efcore import TESTS, Run, errors, files
from efcore_tables import Types, tables
from efcore_texts import batch, batches, statements

TYPES = {"bit": "boolean", "datetime": "timestamp", "datetime2": "timestamp", "smalldatetime": "timestamp", "datetimeoffset": "timestamptz",
         "money": "decimal(19,4)", "real": "float", "ntext": "varchar", "image": "blob", "uniqueidentifier": "uuid", "time": "time"}
# Divisions of integers and decimals, the order of ~ and %, weeks that begin on Sundays, styles of dates, JSON_QUERY of a scalar.
OPEN_THERE = re.compile(r"\) / |\] / |~|DATEDIFF\(week|CONVERT\(varchar|JSON_QUERY")
NUMBERS = ("float", "real", "money", "smallmoney", "decimal", "numeric")


def type_there(declared):
    base = declared.split("(")[0]
    return TYPES.get(base) or ("varchar" if "char" in base else "blob" if "binary" in base else declared)


def value_there(value, declared):
    if value is None:
        return None
    base = declared.split("(")[0]
    if base == "bit":
        return value == "1"
    if base in ("image", "binary", "varbinary"):
        return bytes.fromhex(value[2:])
    return value.replace(" +", "+") if base == "datetimeoffset" else value


def plain(value, is_number):
    """A value as both sides write it."""
    if value is None:
        return None
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, bytes):
        return "0x" + value.hex()
    if is_number:
        return f"{float(value):.4f}".rstrip("0").rstrip(".")
    text = str(value).rstrip().lower()
    if text[:1] in ("{", "["):
        text = re.sub(r"([,:]) ", r"\1", text)
    text = re.sub(r"(\d\d:\d\d:\d\d\.\d*?)0+$", r"\1", text).rstrip(".") if re.search(r"\d\d:\d\d:\d\d\.\d+$", text) else text
    return re.sub(r" 00:00:00$", "", text)


def load(connection):
    """A DuckDB with the tables of the database that is used."""
    there = duckdb.connect()
    there.execute("set default_collation = 'NOCASE'")
    listed = connection.run("SELECT SCHEMA_NAME(schema_id), name FROM sys.tables")[0][2]
    for schema, table in listed:
        _, columns, rows = connection.run(f"SELECT * FROM [{schema}].[{table}]")[0]
        name = f'"{table}"' if schema == "dbo" else f'"{schema}"."{table}"'
        there.execute(f'create schema if not exists "{schema}"')
        there.execute(f"create table {name} (" + ", ".join(f'"{column}" {type_there(type_)}' for column, type_, _ in columns) + ")")
        values = [[value_there(value, column[1]) for value, column in zip(row, columns)] for row in rows]
        if values:
            there.executemany(f"insert into {name} values (" + ", ".join("?" * len(columns)) + ")", values)
    return there


def translated(statement):
    """The statement for DuckDB, with its parameters as constants."""
    text = statement.text
    for parameter in sorted(statement.parameters, key=lambda one: -len(one.name)):
        typed = re.match("bit|date|time|uniqueidentifier", parameter.type)
        text = text.replace(parameter.name, f"CAST({parameter.value} AS {parameter.type.split('(')[0]})" if typed else parameter.value)
    text = sqlglot.transpile(text, read="tsql", write="duckdb")[0]
    return re.sub(r"(?<!I)LIKE", "ILIKE", re.sub(r"AS BIT\)", "AS BOOLEAN)", text))


def compare(connection, there, statement, counts):
    """Counts what came of a statement, and prints it if rows differ."""
    counts["statements"] += 1
    results = [item for item in connection.run(batch(statement), timeout=120) if item[0] in ("rows", "error")]
    if not results or results[0][0] == "error":
        counts["refused here"] += 1
        return
    try:
        theirs = there.execute(translated(statement)).fetchall()
    except (duckdb.Error, sqlglot.errors.SqlglotError, ValueError):
        counts["refused there"] += 1
        return
    _, columns, rows = results[0]
    numbers = [column[1].split("(")[0] in NUMBERS for column in columns]
    key = lambda many: sorted([str(plain(value, is_number)) for value, is_number in zip(row, numbers)] for row in many)
    ours, theirs = key(rows), key(theirs)
    if ours == theirs:
        counts["same"] += 1
    elif OPEN_THERE.search(statement.text) or re.search(r"\bTOP\(|\bOFFSET\b|ROW_NUMBER", statement.text):
        counts["open"] += 1
    else:
        counts["differ"] += 1
        print(f"=== {statement.file}:{statement.line} {statement.method}: {len(ours)} rows here, {len(theirs)} there\n{statement.text}\n"
              f"here: {[row for row in ours if row not in theirs][:3]}\nthere: {[row for row in theirs if row not in ours][:3]}")


def main():
    root, chosen = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "."
    types = Types([os.path.join(root, "test", one) for one in (
        "EFCore.SqlServer.FunctionalTests", "EFCore.Specification.Tests", "EFCore.Relational.Specification.Tests")])
    run, counts, northwind = Run(), collections.Counter(), None
    for name, path in files(root):
        if not re.search(chosen, name) or re.search("Migrations|Scaffolding", path):
            continue
        found = {one.text: one for one in statements(path, name)[0] if re.match(r"\s*(SELECT|WITH)\b", one.text)}
        if not found:
            continue
        database = None
        if name.startswith("Northwind"):
            if northwind is None:
                run.database("Northwind")
                script = open(os.path.join(root, TESTS, "Northwind.sql"), encoding="utf-16").read().replace("\r", "")
                for text in batches(script):
                    run.expect(text)
                northwind = load(run.connection)
            run.connection.run("USE Northwind")
            there = northwind
        else:
            database = run.database()
            for text in tables(statements(path, name)[0], types, [name]):
                errors(run.connection, text)
            there = load(run.connection)
        for statement in found.values():
            compare(run.connection, there, statement, counts)
        if database:
            run.drop(database)
    print(", ".join(f"{what}: {count}" for what, count in counts.items()))
    run.server.stop()
    sys.exit(1 if counts["differ"] else 0)


if __name__ == "__main__":
    main()
