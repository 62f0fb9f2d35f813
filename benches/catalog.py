#!/usr/bin/env python3
"""What looks into the catalog cost: one object among many tables, and a poll of the requests among many sessions.

  benches/catalog.py                      points and polls
  benches/catalog.py points               these only
  benches/catalog.py --json > result.json figures as JSON, the tables on standard error

Each text runs in a loop of the server's own, with another name each time; the time of the same loop without it is taken off. The
aims are 100 µs for a point with 10,000 tables, and 2 ms for a poll with 1,000 sessions.
"""

import contextlib
import statistics

import kit

POINTS = {
    "sys.objects by name": "select @id = object_id from sys.objects where name = @name",
    "sys.objects by id": "select @id = schema_id from sys.objects where object_id = @own",
    "sys.columns by id": "select @id = count(*) from sys.columns where object_id = @own",
    "OBJECT_ID": "set @id = object_id(@name)",
    "OBJECT_NAME": "set @found = object_name(@own)",
}
POLLS = {
    "dm_exec_requests": "select @id = count(*) from sys.dm_exec_requests",
    "dm_exec_requests, all columns": "select @id = max(checksum(*)) from (select r.session_id, r.status, r.command, r.wait_type, "
                                     "r.wait_time, r.blocking_session_id, r.cpu_time, r.reads, r.writes from sys.dm_exec_requests as r) as x",
    "dm_exec_sessions": "select @id = count(*) from sys.dm_exec_sessions",
}
LOOP = """
set nocount on
declare @i int = 0, @id int, @found sysname, @name sysname, @own int, @from datetime2 = sysdatetime(), @idle bigint
while @i < {turns} begin set @name = concat({prefix}, 1 + @i * 7919 % {tables}); set @own = {own}; set @i += 1 end
set @idle = datediff_big(nanosecond, @from, sysdatetime())
select @i = 0, @from = sysdatetime()
while @i < {turns} begin set @name = concat({prefix}, 1 + @i * 7919 % {tables}); set @own = {own}; {text}; set @i += 1 end
select (datediff_big(nanosecond, @from, sysdatetime()) - @idle) / 1000.0 / {turns}
"""


def arguments():
    parser = kit.Arguments(__doc__, ["points", "polls"])
    parser.add_argument("--tables", type=int, default=10_000, help="tables of the database (default: %(default)s)")
    parser.add_argument("--sessions", type=int, default=1000, help="sessions beside the one that looks (default: %(default)s)")
    parser.add_argument("--turns", type=int, default=2000, help="looks in a run (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each (default: %(default)s)")
    return parser.parse_args()


def measured(cursor, options, text, turns):
    """Microseconds of the text, in each run."""
    prefix = "'dbo.t'" if "object_id(@name)" in text else "'t'"
    own = "object_id(concat('dbo.', @name))" if "@own" in text else "0"
    loop = LOOP.format(turns=turns, tables=options.tables, text=text, prefix=prefix, own=own)
    found = []
    for _ in range(options.runs):
        cursor.execute(loop)
        found.append(float(cursor.fetchone()[0]))
    return found


def rows_of(report, cursor, options, texts, turns):
    rows = []
    for name, text in texts.items():
        found = measured(cursor, options, text, turns)
        report.add(name, found)
        rows.append([name, f"{statistics.median(found):.1f}", f"{min(found):.1f}", f"{max(found):.1f}"])
    return rows


def main():
    kit.with_pytds()
    options = arguments()
    report = kit.Report(options.json, f"{options.tables:,} tables, {options.sessions:,} sessions")
    wanted = options.experiments or ["points", "polls"]
    header = ["", "median", "least", "most"]
    with kit.Millpond(options.millpond, options.disk) as server, contextlib.ExitStack() as open_ones:
        connection = open_ones.enter_context(server.connect())
        cursor = open_ones.enter_context(connection.cursor())
        cursor.execute("create database many")
        cursor.execute("use many")
        if "points" in wanted:
            cursor.execute(
                f"declare @i int = 1, @make nvarchar(200) while @i <= {options.tables} begin "
                "set @make = concat('create table dbo.t', @i, ' (id int primary key, a int, b varchar(20))') "
                "exec (@make) set @i += 1 end"
            )
            rows = rows_of(report, cursor, options, POINTS, options.turns)
            report.table(f"a look at one of {options.tables:,} tables, microseconds", header, rows)
        if "polls" in wanted:
            for _ in range(options.sessions):
                open_ones.enter_context(server.connect())
            rows = rows_of(report, cursor, options, POLLS, max(options.turns // 20, 1))
            report.table(f"a poll with {options.sessions:,} sessions, microseconds", header, rows)
    report.end()


if __name__ == "__main__":
    main()
