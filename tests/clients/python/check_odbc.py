"""Checks of FreeTDS' ODBC driver: pyodbc over it, and its server cursors, which pyodbc does not scroll, by ODBC itself."""

import contextlib
import os
import sys

import odbc
import pyodbc

DRIVERS = ["/usr/lib/x86_64-linux-gnu/odbc/libtdsodbc.so", "/usr/lib/aarch64-linux-gnu/odbc/libtdsodbc.so"]
DRIVER = os.environ.get("TDS_ODBC") or next((path for path in DRIVERS if os.path.exists(path)), DRIVERS[0])
WHERE = (
    f"DRIVER={DRIVER};SERVER={os.environ['MILLPOND_HOST']};PORT={os.environ['MILLPOND_PORT']};UID=sa;"
    f"PWD={os.environ['MSSQL_SA_PASSWORD']};TDS_Version=7.4;ClientCharset=UTF-8"
)
FAILED = []


def check(name):
    def wrap(body):
        try:
            body()
            print("ok", name)
        except Exception as error:  # each check is to be counted
            FAILED.append(name)
            print("FAILED", name + ":", " ".join(f"{type(error).__name__} {error}".split()))

    return wrap


def equal(found, wanted):
    if found != wanted:
        raise AssertionError(f"{found} instead of {wanted}")


@contextlib.contextmanager
def connected():
    connection = odbc.Connection(WHERE)
    try:
        connection.execute("drop table if exists odbc_rows; create table odbc_rows (id int primary key, v int, s varchar(30))")
        for number in range(1, 11):
            connection.execute(f"insert odbc_rows values ({number}, {number * 10}, 'row {number}')")
        yield connection
    finally:
        connection.close()


@check("pyodbc")
def _():
    connection = pyodbc.connect(WHERE, autocommit=True)
    cursor = connection.cursor()
    equal(tuple(cursor.execute("select ?, ?", 5, "x").fetchone()), (5, "x"))
    cursor.execute("create table #t (a int, b nvarchar(10))")
    cursor.executemany("insert #t values (?, ?)", [(1, "ä"), (2, None)])
    equal([tuple(row) for row in cursor.execute("select a, b from #t order by a")], [(1, "ä"), (2, None)])
    connection.close()


@check("pyodbc, every statement a server cursor")
def _():
    for kind in (odbc.KEYSET, odbc.DYNAMIC, odbc.STATIC):
        connection = pyodbc.connect(WHERE, autocommit=True)
        connection.execute("create table #t (a int primary key, b varchar(10))")
        connection.set_attr(odbc.ATTR_CURSOR_TYPE, kind)
        cursor = connection.cursor()
        cursor.execute("insert #t select value, 'x' from generate_series(1, 7)")
        equal([row[0] for row in cursor.execute("select a, b from #t order by a").fetchall()], list(range(1, 8)))
        equal([row[0] for row in cursor.execute("select a from #t where a > ? order by a", 5).fetchall()], [6, 7])
        connection.close()


KINDS = {"static": odbc.STATIC, "keyset": odbc.KEYSET, "dynamic": odbc.DYNAMIC}


@check("blocks in all directions")
def _():
    with connected() as connection:
        for name, kind in KINDS.items():
            statement = connection.statement(kind, odbc.READ_ONLY if kind == odbc.STATIC else odbc.ROWVER, 3)
            ids, _ = statement.bind_int(1)
            statement.execute("select id, v from odbc_rows order by id")
            equal(statement.columns(), 2)

            def block(orientation, offset=0):
                count = statement.fetch(orientation, offset)
                return list(ids[:count])

            equal((name, block(odbc.NEXT)), (name, [1, 2, 3]))
            equal((name, block(odbc.NEXT)), (name, [4, 5, 6]))
            equal((name, block(odbc.PRIOR)), (name, [1, 2, 3]))
            equal((name, block(odbc.LAST)), (name, [8, 9, 10]))
            equal((name, block(odbc.NEXT)), (name, []))
            equal((name, block(odbc.PRIOR)), (name, [8, 9, 10]))
            equal((name, block(odbc.FIRST)), (name, [1, 2, 3]))
            equal((name, block(odbc.RELATIVE, 4)), (name, [5, 6, 7]))
            equal((name, block(odbc.RELATIVE, -1)), (name, [4, 5, 6]))
            equal((name, block(odbc.RELATIVE, 5)), (name, [9, 10]))
            equal((name, block(odbc.ABSOLUTE, 8)), (name, [8, 9, 10]))
            if kind != odbc.DYNAMIC:
                equal((name, block(odbc.ABSOLUTE, -2)), (name, [9, 10]))
                equal((name, statement.get(odbc.ATTR_ROW_NUMBER)), (name, 9))
            statement.close()


@check("rows of a block are changed")
def _():
    for kind in (odbc.KEYSET, odbc.DYNAMIC, odbc.FORWARD):
        for concurrency in (odbc.LOCK, odbc.ROWVER, odbc.VALUES):
            with connected() as connection:
                statement = connection.statement(kind, concurrency, 4)
                ids, _ = statement.bind_int(1)
                values, lengths = statement.bind_int(2)
                texts, text_lengths = statement.bind_text(3)
                statement.execute("select id, v, s from odbc_rows order by id")
                equal(statement.fetch(), 4)
                equal(list(ids), [1, 2, 3, 4])
                values[1] = 222
                texts[64:72] = b"changed\0"
                text_lengths[1] = 7
                statement.set_pos(2, odbc.UPDATE)
                statement.set_pos(3, odbc.DELETE)
                equal(statement.fetch(), 4)
                equal(list(ids), [5, 6, 7, 8])
                lengths[3] = odbc.NULL_DATA
                statement.set_pos(4, odbc.UPDATE)
                statement.close()
                equal(connection.value("select concat(v, s) from odbc_rows where id = 2"), "222changed")
                equal(connection.value("select count(*) from odbc_rows where id = 3"), "0")
                equal(connection.value("select count(*) from odbc_rows where v is null"), "1")


@check("UPDATE and DELETE by the cursor's name")
def _():
    with connected() as connection:
        statement = connection.statement(odbc.KEYSET, odbc.ROWVER, 4)
        ids, _ = statement.bind_int(1)
        statement.name("by_name")
        statement.execute("select id, v from odbc_rows order by id")
        equal(statement.fetch(), 4)
        connection.execute("update odbc_rows set v = -1 where current of by_name")
        statement.set_pos(3, odbc.POSITION)
        connection.execute("delete odbc_rows where current of by_name")
        statement.close()
        equal(connection.value("select string_agg(id, ',') within group (order by id) from odbc_rows where v > 0"),
              "2,4,5,6,7,8,9,10")
        try:
            connection.execute("delete odbc_rows where current of by_name")
            raise AssertionError("the cursor is there after its end")
        except odbc.OdbcError as error:
            equal(error.number, 16916)


@check("a row that another has changed")
def _():
    with connected() as connection:
        other = odbc.Connection(WHERE)
        statement = connection.statement(odbc.KEYSET, odbc.VALUES, 2)
        statement.bind_int(1)
        values, _ = statement.bind_int(2)
        statement.execute("select id, v from odbc_rows order by id")
        statement.fetch()
        other.execute("update odbc_rows set v = 0 where id = 1; delete odbc_rows where id = 2")
        values[0] = 99
        try:
            statement.set_pos(1, odbc.UPDATE)
            raise AssertionError("it was changed")
        except odbc.OdbcError as error:
            # That, and that no row was changed.
            equal(error.number in (16934, 16947), True)
        equal(statement.fetch(odbc.FIRST), 2)
        # Row 2 is gone: a row of the keyset that is missing.
        equal(values[0], 0)
        statement.close()
        other.close()


@check("what makes no cursor")
def _():
    with connected() as connection:
        statement = connection.statement(odbc.KEYSET, odbc.ROWVER, 1)
        statement.execute("update odbc_rows set v = 1 where id < 4")
        statement.execute("select 1 as a; select 2 as b")
        equal(statement.fetch(), 1)
        equal(statement.column(1), "1")
        statement.close()
        equal(connection.value("select count(*) from odbc_rows where v = 1"), "3")


@check("fifty at a time")
def _():
    with connected() as connection:
        kinds = list(KINDS.values())
        statements = []
        for number in range(50):
            kind = kinds[number % 3]
            statement = connection.statement(kind, odbc.READ_ONLY if kind == odbc.STATIC else odbc.ROWVER, 1 + number % 4)
            statement.execute("select id from odbc_rows order by id")
            statements.append((statement, statement.bind_int(1)[0]))
        for _ in range(2):
            for statement, ids in statements:
                equal(statement.fetch(), statement.rows)
        equal(connection.value("select count(*) from sys.dm_exec_cursors(@@spid) where properties like 'API%'"), "50")
        for statement, ids in statements:
            equal(ids[0], 1 + statement.rows)
            statement.close()
        equal(connection.value("select count(*) from sys.dm_exec_cursors(@@spid)"), "0")


sys.exit(1 if FAILED else 0)
