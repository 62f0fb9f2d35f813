"""python-tds (TDS in Python)."""

import pytds
from dbapi import CERTIFICATE, ENDLESS, HOST, PASSWORD, PORT, USER, Checks, equal, rows, run


def connect(autocommit=True, **options):
    return pytds.connect(dsn=HOST, port=PORT, user=USER, password=PASSWORD, autocommit=autocommit, **options)


def number_of(error):
    return error.msg_no


def messages_of(connection, text):
    """What the batch prints."""
    cursor = connection.cursor()
    cursor.execute(text)
    printed = " ".join(str(message) for _, message in cursor.messages or [])
    while cursor.nextset():
        printed += " ".join(str(message) for _, message in cursor.messages or [])
    cursor.close()
    return printed


def procedure_call(connection):
    cursor = connection.cursor()
    cursor.callproc("sp_executesql", ("select @a + 1", "@a int", 41))
    equal([tuple(row) for row in cursor.fetchall()], [(42,)])
    cursor.close()


def large_values(connection):
    """Megabytes there and back, as parameters. `Binary`, because bytes alone would be taken for characters."""
    text, data = "žx" * 1000000, bytes(range(256)) * 16000
    run(connection, "create table #large (t nvarchar(max), b varbinary(max))")
    run(connection, "insert #large values (%s, %s)", (text, pytds.Binary(data)))
    equal(rows(connection, "select len(t), datalength(b) from #large"), [(len(text), len(data))])
    found = rows(connection, "select t, b from #large")
    equal((found[0][0] == text, bytes(found[0][1]) == data), (True, True))
    run(connection, "drop table #large")


def time_out(connection):
    """A statement over its time is cancelled by an attention; the connection is whole afterwards."""
    try:
        rows(connection, ENDLESS)
    except pytds.TimeoutError:
        pass
    else:
        raise AssertionError("an endless loop ended")
    equal(rows(connection, "select 1"), [(1,)])


def bulk_copy(connection):
    """INSERT BULK with its rows: more than a part of the message, and one that the table refuses."""
    cursor = connection.cursor()
    cursor.execute("create table #bulk (a int not null primary key, b varchar(100), c float)")
    columns = [pytds.tds_base.Column(name, type=kind) for name, kind in COPIED]
    data = ((number, f"row {number} {'x' * 40}", number / 4) for number in range(20000))
    cursor.copy_to(data=data, table_or_view="#bulk", columns=columns, rows_per_batch=20000)
    equal(rows(connection, "select count(*), sum(a), max(b), max(c) from #bulk"), [(20000, 199990000, "row 9999 " + "x" * 40, 4999.75)])
    try:
        connection.cursor().copy_to(data=[(50000, "a", 1.0), (7, "b", 2.0)], table_or_view="#bulk", columns=columns)
    except pytds.Error as error:
        equal(number_of(error), 2627)
    else:
        raise AssertionError("a key came twice")
    equal(rows(connection, "select count(*) from #bulk"), [(20000,)])
    cursor.close()


def several_readers(connection):
    """MARS: each cursor has a session of its own, and a result that is open keeps no other request waiting."""
    run(connection, "create table #mars (a int)")
    readers = [connection.cursor() for _ in range(5)]
    for number, reader in enumerate(readers):
        reader.execute(f"select top (50000) {number}, row_number() over (order by (select 1)), replicate('x', 50) from sys.all_columns a, sys.all_columns b")
        equal(tuple(reader.fetchone())[:2], (number, 1))
    writer = connection.cursor()
    for number, reader in enumerate(readers):
        for row in (reader.fetchone() for _ in range(100)):
            writer.execute("insert #mars values (%s)", (row[1],))
    equal(rows(connection, "select count(*), min(a), max(a) from #mars"), [(500, 2, 101)])
    for reader in readers:
        equal(sum(1 for _ in reader.fetchall()), 50000 - 101)
        reader.close()


def mars_transaction(connection):
    """A transaction of the connection is that of all its cursors; one that a batch begins ends with it."""
    one, other = connection.cursor(), connection.cursor()
    one.execute("create table ##mars (a int)")
    connection.commit()
    one.execute("insert ##mars values (1)")
    other.execute("select count(*) from ##mars")
    equal([tuple(row) for row in other.fetchall()], [(1,)])
    connection.rollback()
    other.execute("select count(*) from ##mars")
    equal([tuple(row) for row in other.fetchall()], [(0,)])
    connection.commit()


COPIED = [("a", pytds.tds_types.IntType()), ("b", pytds.tds_types.VarCharType(size=100)), ("c", pytds.tds_types.FloatType())]
TLS = {"cafile": CERTIFICATE, "validate_host": False}
checks = Checks(connect, number_of, messages_of)
select = lambda connection: equal(rows(connection, "select 1"), [(1,)])
checks.with_connection("connect, without TLS as by default", select)
checks.with_connection("connect, TLS for the session", select, **TLS)
checks.with_connection("connect, TLS for the login", select, enc_login_only=True, **TLS)
checks.with_connection("connect to tempdb", lambda c: equal(rows(c, "select db_name()"), [("tempdb",)]), database="tempdb")
checks.all()
checks.with_connection("procedure call", procedure_call)
checks.with_connection("values of megabytes", large_values)
checks.with_connection("bulk copy", bulk_copy)
checks.with_connection("time-out cancels", time_out, timeout=1)
for name, tls in (("", {}), (", under TLS", TLS)):
    checks.with_connection("several readers (MARS)" + name, several_readers, use_mars=True, **tls)
checks.with_connection("a transaction of several cursors (MARS)", mars_transaction, use_mars=True, autocommit=False)
checks.with_connection("bulk copy (MARS)", bulk_copy, use_mars=True)
checks.with_connection("time-out cancels (MARS)", time_out, timeout=1, use_mars=True)
checks.finish()
