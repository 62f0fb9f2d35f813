"""Statements of Entity Framework Core's migrations, test by test: what a test's earlier model made is not in its text, so it is made here.

A table that a test changes and does not create is created before, with a key unless the test adds one. What else is missing is told by
the error of a statement: it is made, and the statement is run again from the start (`mend`). A column made so has the type of the property
of its name, and texts fit an index.
"""
import re

import tds
from efcore_texts import batch, batches

NAME = r"\[(?:[^\]]|\]\])+\]"
TABLE = rf"({NAME}(?:\.{NAME})?)"
ALTERED = re.compile(rf"(?:ALTER TABLE|\bON|INSERT INTO|UPDATE|DELETE FROM|REFERENCES|\bFROM|JOIN|DROP TABLE|OBJECT_ID\(N'|CHECKIDENT\(N'|sp_rename N')\s*{TABLE}")
HISTORY = ("CREATE TABLE [__EFMigrationsHistory] ([MigrationId] nvarchar(150) NOT NULL, [ProductVersion] nvarchar(32) NOT NULL, "
           "CONSTRAINT [PK___EFMigrationsHistory] PRIMARY KEY ([MigrationId]))")
NO_TRANSACTION = re.compile(r"\bDATABASE\b|\bTRAN(?:SACTION)?\b|FULLTEXT|applock|\bCOMMIT\b", re.I)


def errors(run, text):
    return [item for item in run.connection.run(text, timeout=120) if item[0] == "error"]


def part(name):
    return re.findall(NAME, name)[-1][1:-1]


def begin(run, text):
    """Makes the schemas and tables that a test's statements change and do not create."""
    created = {part(table) for table in re.findall(rf"CREATE (?:TABLE|VIEW) {TABLE}", text)}
    created |= {table.split(".")[-1] for table in re.findall(r"(?i)CREATE (?:TABLE|VIEW) ([\w.]+)", text)}
    renamed = {new for new in re.findall(r"sp_rename N'[^']*', N'([^']*)', 'OBJECT'", text)}
    # An index may be named in sp_rename as table and index, a column as table and column.
    text_of_tables = re.sub(rf"(sp_rename N'){TABLE}\.{NAME}", r"\1\2", text)
    text_of_tables = re.sub(rf"(sp_rename N'{NAME})\.{NAME}(?=', N'[^']*', '(?:COLUMN|INDEX)')", r"\1", text_of_tables)
    tables = list(dict.fromkeys(ALTERED.findall(text_of_tables)))
    tables += [f"[{schema}].[{table}]" for schema, table in re.findall(r"'SCHEMA', N'(\w+)', 'TABLE', N'(\w+)'", text)]
    tables += [f"[{table}]" for table in re.findall(r"'SCHEMA', @\w+, 'TABLE', N'(\w+)'", text)]
    tables += re.findall(rf"TRANSFER {TABLE}", text) if "Sequence" not in text else []
    is_keyed = not re.search(r"ADD CONSTRAINT \[\w+\] PRIMARY KEY", text)
    for table in tables:
        if part(table) in created | renamed or table.startswith(("[sys]", "[c]", "[d]")):
            continue
        schema = re.match(rf"({NAME})\.", table)
        if schema:
            errors(run, f"EXEC('CREATE SCHEMA {schema.group(1)}')")
        if table == "[__EFMigrationsHistory]":
            errors(run, HISTORY)
            continue
        identity = " IDENTITY" if "CHECKIDENT" in text else ""
        identity = identity or (" DEFAULT ABS(CHECKSUM(NEWID()))" if re.search(r"INSERT INTO (?!\S+ \([^)]*\[Id\])", text) else "")
        columns = [f"[Id] int NOT NULL{identity}"] if not re.search(r"ADD \[Id\]", text) else ["[Other] int NULL"]
        if re.search(r"DROP COLUMN \[Id\]", text):
            columns.append("[Other] int NULL")
        if is_keyed and "Other" not in columns[0]:
            clustered = "NONCLUSTERED " if re.search(r"CREATE (?:UNIQUE )?CLUSTERED", text) else ""
            dropped = re.search(rf"DROP CONSTRAINT \[(PK_\w+)\]", text)
            columns.append(f"CONSTRAINT [{dropped.group(1) if dropped else 'PK_' + part(table)}] PRIMARY KEY {clustered}([Id])")
        errors(run, f"CREATE TABLE {table} ({', '.join(columns)})")


def mend(run, error, text, types, names):
    """Makes what a statement misses; False where that cannot be told."""
    number, message = error[1], error[5]
    words = [single or double for single, double in re.findall(r"'([^']*)'|\"([^\"]*)\"", message)]
    tables = list(dict.fromkeys(ALTERED.findall(text)))
    made = lambda statement: not errors(run, statement)
    add = lambda table, column, more="": made(f"ALTER TABLE {table} ADD [{column}] " + (
        more or types.column(names, part(table), column).replace("(max)", "(450)") + " NULL"))
    renamed = re.search(r"sp_rename N'([^']*)', N'[^']*', '(COLUMN|INDEX|OBJECT)'", text)
    if number == 15248 and renamed:
        path = re.findall(NAME, renamed.group(1))
        table = ".".join(path[:-1])
        if renamed.group(2) == "COLUMN":
            return add(table, path[-1][1:-1])
        if renamed.group(2) == "INDEX":
            return made(f"CREATE INDEX {path[-1]} ON {table} ([Id])")
        return made(f"CREATE SEQUENCE {renamed.group(1)} START WITH 1")
    if number in (3701, 7999) and "index" in message and words:
        index = words[0].split(".")[-1]
        column = index.split("_")[-1] if index.startswith("IX_") else "Id"
        add(tables[0], column)
        return made(f"CREATE INDEX [{index}] ON {tables[0]} ([{column}])")
    if number in (3701, 15151, 208) and ("equence" in message or "Sequence" in text):
        sequence = (re.findall(rf"(?:SEQUENCE|TRANSFER|VALUE FOR) {TABLE}", text) or [f"[{words[0]}]"])[0]
        return made(f"CREATE SEQUENCE {sequence} START WITH 1")
    if number == 15151 and re.search(r"ALTER SCHEMA", text):
        return made(f"EXEC('CREATE SCHEMA [{words[0]}]')")
    if number == 15135:
        path = re.search(r"'SCHEMA', (?:N'(\w+)'|@\w+), 'TABLE', N'(\w+)'(?:, 'COLUMN', N'(\w+)')?", text)
        return bool(path and path.group(3)) and add(f"[{path.group(1) or 'dbo'}].[{path.group(2)}]", path.group(3))
    if number == 2760:
        return made(f"EXEC('CREATE SCHEMA [{words[0]}]')")
    if number == 2715 and "TestTypeAlias" in text:
        return made("CREATE TYPE [dbo].[TestTypeAlias] FROM int")
    if number == 15217:
        path = re.search(r"sp_(?:drop|update)extendedproperty 'MS_Description',(?: @\w+,)? ('SCHEMA', (?:N'\w+'|@\w+), 'TABLE', N'\w+'(?:, 'COLUMN', N'\w+')?)", text)
        return bool(path) and made("EXEC sp_addextendedproperty 'MS_Description', N'before', " + re.sub(r"@\w+", "'dbo'", path.group(1)))
    if number == 8111:
        column = re.search(r"PRIMARY KEY \w*\s*\(\[(\w+)\]", text)
        return bool(column) and made(f"ALTER TABLE {tables[0]} ALTER COLUMN [{column.group(1)}] int NOT NULL")
    if number in (3728, 3727) and words:
        name, table = words[0], tables[0]
        return made(f"ALTER TABLE {table} ADD CONSTRAINT [{name}] " + (
            "PRIMARY KEY ([Id])" if name.startswith("PK") else "UNIQUE ([Id])" if name.startswith("AK")
            else f"FOREIGN KEY ([Id]) REFERENCES {table} ([Id])" if name.startswith("FK") else "CHECK ([Id] > 0)"))
    if number in (207, 1911, 4924, 1769, 4925, 1770, 4917, 1752, 3733):
        missing = [word for word in words if word in text and f"[{word}]" not in tables]
        for column in missing[:1]:
            named = [table for table in tables if table.strip("[]") in words] + tables
            more = "int NOT NULL DEFAULT 0" if re.search(rf"(?:PRIMARY KEY|UNIQUE) \([^)]*\[{column}\]", text) else ""
            return any(add(table, column, more) for table in dict.fromkeys(named) if not table.startswith(("[sys]", "[c]", "[d]")))
    return False


def attempt(run, text, types, names):
    """The errors of a text, once what it missed was made."""
    is_whole = not NO_TRANSACTION.search(text)
    found = []
    for _ in range(15):
        if is_whole:
            errors(run, "BEGIN TRANSACTION")
        found = errors(run, text)
        if is_whole:
            errors(run, "IF @@TRANCOUNT > 0 " + ("ROLLBACK" if found else "COMMIT"))
        if not found or not mend(run, found[0], text, types, names):
            break
    return found


def commands(log):
    """The commands of a log: an empty line is after each, and may be within BEGIN and END."""
    command = ""
    for piece in log.split("\n\n"):
        command += piece + "\n\n"
        if len(re.findall(r"\bBEGIN\b(?! TRAN)", command)) == len(re.findall(r"\bEND\b", command)):
            yield command
            command = ""


def migrations(run, types, name, statements):
    """The statements of each test in a database of its own."""
    tests = {}
    for statement in statements:
        tests.setdefault(statement.method, []).append(statement)
    names = [name, "MigrationsTestBase.cs", "MigrationSqlGeneratorTestBase.cs", "MigrationsSqlServerTest.cs"]
    for method, of_test in tests.items():
        database = run.database()
        begin(run, "\n".join(statement.text for statement in of_test))
        for statement in of_test:
            run.total["migrations"] += 1
            for text in batches(batch(statement)):
                # The log of several commands: each is followed by an empty line.
                is_log = text.count("DECLARE @result int;") > 1
                for one in commands(text) if is_log else [text]:
                    try:
                        found = attempt(run, one, types, names)
                    except (tds.Gone, OSError) as lost:
                        run.again(database, lost, "migrations", statement, one)
                        continue
                    for error in found[:1]:
                        run.note("migrations", statement, one, error)
        run.drop(database)
