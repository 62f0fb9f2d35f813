"""pymssql (FreeTDS' db-lib under Python)."""

import pymssql
from dbapi import ENDLESS, HOST, PASSWORD, PORT, USER, Checks, equal, rows


def connect(autocommit=True, **options):
    return pymssql.connect(
        server=HOST, port=str(PORT), user=USER, password=PASSWORD, autocommit=autocommit, charset="UTF-8", **options
    )


def number_of(error):
    return error.args[0] if isinstance(error.args[0], int) else error.args[0][0]


def messages_of(connection, text):
    """What the batch prints."""
    printed = []
    connection._conn.set_msghandler(
        lambda state, severity, server, procedure, line, message: printed.append(message.decode())
    )
    cursor = connection.cursor()
    cursor.execute(text)
    while cursor.nextset():
        pass
    cursor.close()
    return " ".join(printed)


def procedure_call(connection):
    """db-lib's own RPC."""
    cursor = connection.cursor()
    cursor.callproc("sp_executesql", ("select 41 + 1",))
    found = [tuple(row) for row in cursor.fetchall()]
    cursor.close()
    equal(found, [(42,)])


def bulk_copy(connection):
    """Columns that the server fills itself are left out by what the answer says of them."""
    cursor = connection.cursor()
    cursor.execute("create table #copied (id int identity primary key, a int, b as a + 1)")
    connection.bulk_copy("#copied", [(5,), (6,)], column_ids=[2])
    equal(rows(connection, "select id, a, b from #copied order by id"), [(1, 5, 6), (2, 6, 7)])
    cursor.close()


def status_of_exec(connection):
    """EXEC in a batch ends as a call does."""
    cursor = connection.cursor()
    cursor.execute("create or alter procedure dbo.check_status @i int as begin select @i as i; return @i + 1 end")
    cursor.execute("exec dbo.check_status 45 select 2 as two")
    equal([tuple(row) for row in cursor.fetchall()], [(45,)])
    equal(cursor.nextset() and [tuple(row) for row in cursor.fetchall()], [(2,)])
    cursor.execute("drop procedure dbo.check_status")
    cursor.close()


def time_out(connection):
    """A statement over its time is cancelled; pymssql gives the connection up, so the server must do with a new one."""
    try:
        rows(connection, ENDLESS)
    except pymssql.Error:
        pass
    else:
        raise AssertionError("an endless loop ended")
    again = connect()
    equal(rows(again, "select 1"), [(1,)])
    again.close()


checks = Checks(connect, number_of, messages_of)
select = lambda connection: equal(rows(connection, "select 1"), [(1,)])
checks.with_connection("connect, TLS as by default", select)
checks.with_connection("connect without TLS", select, encryption="off")
checks.with_connection("connect, TLS required", select, encryption="require")
checks.with_connection("connect to tempdb", lambda c: equal(rows(c, "select db_name()"), [("tempdb",)]), database="tempdb")
checks.all()
checks.with_connection("procedure call", procedure_call)
checks.with_connection("bulk copy beside an identity column", bulk_copy)
checks.with_connection("status of EXEC in a batch", status_of_exec)
checks.with_connection("time-out cancels", time_out, timeout=1)
checks.finish()
