"""mssql-python (Microsoft's driver for Python, over its ODBC Driver 18)."""

import datetime
import decimal
import uuid

import mssql_python
from dbapi import HOST, PASSWORD, PORT, USER, Checks, equal, rows, run

# What the script opens it closes, so that the server's end waits for nothing.
mssql_python.pooling(enabled=False)


class Cursor:
    """Parameters are written as the other clients write them."""

    def __init__(self, cursor):
        self.cursor = cursor

    def execute(self, text, parameters=None):
        if parameters is None:
            return self.cursor.execute(text)
        return self.cursor.execute(text.replace("%s", "?"), parameters)

    def __getattr__(self, name):
        return getattr(self.cursor, name)


class Connection:
    def __init__(self, connection):
        self.connection = connection

    def cursor(self):
        return Cursor(self.connection.cursor())

    def __getattr__(self, name):
        return getattr(self.connection, name)


def connect(autocommit=True, database="master", encrypt="yes"):
    text = f"SERVER={HOST},{PORT};UID={USER};PWD={PASSWORD};Database={database};Encrypt={encrypt};TrustServerCertificate=yes"
    return Connection(mssql_python.connect(text, autocommit=autocommit))


def number_of(error):
    """The driver hands on the text of an error, not its number."""
    return 208 if "Invalid object name" in str(error) else None


def messages_of(connection, text):
    """What the batch prints."""
    cursor = connection.cursor()
    cursor.execute(text)
    printed = list(cursor.messages)
    while cursor.nextset():
        printed += cursor.messages
    cursor.close()
    return " ".join(message[1] for message in printed)


TYPES = (
    ("tinyint", 255),
    ("smallint", -32768),
    ("bigint", -(2**63)),
    ("bit", True),
    ("decimal(38, 10)", decimal.Decimal("-1234567890123456789012345678.0123456789")),
    ("money", decimal.Decimal("922337203685477.5807")),
    ("float", 1.7976931348623157e308),
    ("real", 0.5),
    ("date", datetime.date(1753, 1, 1)),
    ("time(6)", datetime.time(23, 59, 59, 999999)),
    ("datetime2(6)", datetime.datetime(9999, 12, 31, 23, 59, 59, 999999)),
    ("smalldatetime", datetime.datetime(2026, 11, 30, 12, 34)),
    ("datetimeoffset(6)", datetime.datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=datetime.timezone(datetime.timedelta(hours=5, minutes=30)))),
    ("uniqueidentifier", uuid.UUID(int=2**127 + 1)),
    ("varbinary(max)", bytes(range(256)) * 400),
    ("varchar(8000)", "x" * 8000),
    ("nvarchar(max)", "žx鶴" * 30000),
    ("xml", "<a b=\"1\"/>"),
)


def types(connection):
    columns = ", ".join(f"c{number} {name}" for number, (name, _) in enumerate(TYPES))
    values = tuple(value for _, value in TYPES)
    run(connection, f"create table #types ({columns})")
    places = ", ".join(["%s"] * len(TYPES))
    run(connection, f"insert #types values ({places})", values)
    run(connection, f"insert #types values ({places})", (None,) * len(TYPES))
    whole, nothing = rows(connection, "select * from #types")
    for (name, wanted), found in zip(TYPES, whole):
        equal((name, found), (name, wanted))
    equal(set(nothing), {None})


def unknown_types(connection):
    """NULL for each column, whose types the driver asks for: some of them no text converts to."""
    run(connection, "create table dbo.asked (id int identity, blob varbinary(max), short binary(4), at datetime, share float, name nvarchar(9))")
    try:
        found = rows(connection, "set nocount on insert dbo.asked (blob, short, at, share, name) values (%s, %s, %s, %s, %s); "
                     "select cast(scope_identity() as bigint)", (None,) * 5)
        equal(found, [(1,)])
        equal(rows(connection, "select * from dbo.asked"), [(1, None, None, None, None, None)])
    finally:
        run(connection, "drop table dbo.asked")


def many(connection):
    """Arrays of parameters."""
    run(connection, "create table #many (i int, n nvarchar(20), d decimal(9, 2), t datetime2(3))")
    wanted = [(i, f"žx {i}", decimal.Decimal(i) / 4, datetime.datetime(2026, 1, 1) + datetime.timedelta(seconds=i)) for i in range(2000)]
    cursor = connection.cursor()
    cursor.executemany("insert #many values (?, ?, ?, ?)", wanted)
    cursor.close()
    equal(rows(connection, "select * from #many order by i"), wanted)


def collations(_):
    """A database of another collation is entered, at the login and later."""
    admin = connect()
    run(admin, "create database nordic collate Danish_Norwegian_CI_AS")
    try:
        nordic = connect(database="nordic")
        equal(rows(nordic, "select databasepropertyex(db_name(), 'Collation'), cast('Å' as varchar(3))"), [("Danish_Norwegian_CI_AS", "Å")])
        run(nordic, "use master")
        equal(rows(nordic, "select db_name()"), [("master",)])
        run(nordic, "use nordic")
        equal(rows(nordic, "select db_name()"), [("nordic",)])
        run(nordic, "use master")
        nordic.close()
    finally:
        run(admin, "drop database nordic")
        admin.close()


def infinity(connection):
    for value in (float("inf"), float("nan")):
        try:
            rows(connection, "select %s", (value,))
        except mssql_python.Error as error:
            if "not a valid instance of data type float" not in str(error):
                raise
        else:
            raise AssertionError("no error")
    equal(rows(connection, "select 1"), [(1,)])


checks = Checks(connect, number_of, messages_of)
checks.all()
checks.with_connection("without TLS", lambda c: equal(rows(c, "select encrypt_option from sys.dm_exec_connections where session_id = @@spid"), [("FALSE",)]), encrypt="no")
checks.with_connection("types", types)
checks.with_connection("NULL of unknown types", unknown_types)
checks.with_connection("executemany", many)
checks.with_connection("databases of other collations", collations)
checks.with_connection("infinity is refused", infinity)
checks.finish()
