"""A database of its own for each test: copies of a template that is made once.

The template's name has a hash of what it is made by, so another schema is another template. Its last table says that it is
whole: one whose making was killed is made anew.
"""

import hashlib
import os
import uuid
from contextlib import ExitStack, contextmanager

import pytds
import pytest

SCHEMA = [
    "create table people (id int identity primary key, name nvarchar(40) not null unique)",
    "insert people (name) values (N'Ada'), (N'Grace')",
]
TEMPLATE = "people_template_" + hashlib.sha256("\n".join(SCHEMA).encode()).hexdigest()[:8]


def connect(database):
    return pytds.connect(
        dsn=os.environ.get("MSSQL_HOST", "127.0.0.1"), port=int(os.environ.get("MSSQL_PORT", "1433")), user="sa",
        password=os.environ["MSSQL_SA_PASSWORD"], database=database, autocommit=True,
    )


def run(connection, *statements):
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


@pytest.fixture(scope="session")
def template():
    """The template's name. The first worker that comes makes it: a lock of the server's lets one at a time look."""
    with connect("master") as master, master.cursor() as cursor:
        # The lock goes with the connection.
        cursor.execute("exec sp_getapplock @Resource = 'people_template', @LockMode = 'Exclusive', @LockOwner = 'Session'")
        cursor.execute("select object_id(%s)", (f"{TEMPLATE}.dbo.finished",))
        if cursor.fetchone()[0] is None:
            run(master, f"drop database if exists {TEMPLATE}", f"create database {TEMPLATE}")
            with connect(TEMPLATE) as unfinished:
                run(unfinished, *SCHEMA, "create table finished (at datetime2 not null default sysutcdatetime())")
    return TEMPLATE


@contextmanager
def copy_of(template):
    name = f"test_{uuid.uuid4().hex}"
    with connect("master") as master:
        run(master, f"create database {name} as copy of {template}")
        try:
            with connect(name) as connection:
                yield connection
        finally:
            # Whatever a failed test has left open is ended.
            run(master, f"alter database {name} set single_user with rollback immediate", f"drop database {name}")


@pytest.fixture
def new_database(template):
    """Makes copies, each a connection to it, for a test that wants several."""
    with ExitStack() as copies:
        yield lambda: copies.enter_context(copy_of(template))


@pytest.fixture
def database(new_database):
    """A connection to a copy that is this test's alone."""
    return new_database()
