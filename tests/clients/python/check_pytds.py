"""python-tds (TDS in Python)."""

import pytds
from dbapi import CERTIFICATE, ENDLESS, HOST, PASSWORD, PORT, USER, Checks, equal, rows


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


def time_out(connection):
    """A statement over its time is cancelled by an attention; the connection is whole afterwards."""
    try:
        rows(connection, ENDLESS)
    except pytds.TimeoutError:
        pass
    else:
        raise AssertionError("an endless loop ended")
    equal(rows(connection, "select 1"), [(1,)])


TLS = {"cafile": CERTIFICATE, "validate_host": False}
checks = Checks(connect, number_of, messages_of)
select = lambda connection: equal(rows(connection, "select 1"), [(1,)])
checks.with_connection("connect, without TLS as by default", select)
checks.with_connection("connect, TLS for the session", select, **TLS)
checks.with_connection("connect, TLS for the login", select, enc_login_only=True, **TLS)
checks.with_connection("connect to tempdb", lambda c: equal(rows(c, "select db_name()"), [("tempdb",)]), database="tempdb")
checks.all()
checks.with_connection("procedure call", procedure_call)
checks.with_connection("time-out cancels", time_out, timeout=1)
checks.finish()
