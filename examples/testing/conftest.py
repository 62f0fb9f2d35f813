"""A database of its own for each test: copies of a template that is made once in a run."""

import os
import uuid

import pytds
import pytest

TEMPLATE = "people_template"


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
    """The template, made by the first worker that comes: a lock of the server's lets one at a time look."""
    with connect("master") as master:
        run(master, "exec sp_getapplock @Resource = 'people_template', @LockMode = 'Exclusive', @LockOwner = 'Session'")
        with master.cursor() as cursor:
            cursor.execute("select db_id(%s)", (TEMPLATE,))
            is_there = cursor.fetchone()[0] is not None
        if not is_there:
            run(master, f"create database {TEMPLATE}")
            with connect(TEMPLATE) as filled:
                run(
                    filled,
                    "create table people (id int identity primary key, name nvarchar(40) not null unique)",
                    "insert people (name) values (N'Ada'), (N'Grace')",
                )
        run(master, "exec sp_releaseapplock @Resource = 'people_template', @LockOwner = 'Session'")
    return TEMPLATE


@pytest.fixture
def database(template):
    """A connection to a copy that is this test's alone."""
    name = f"test_{uuid.uuid4().hex}"
    with connect("master") as master:
        run(master, f"create database {name} as copy of {template}")
        try:
            with connect(name) as connection:
                yield connection
        finally:
            run(master, f"alter database {name} set single_user with rollback immediate", f"drop database {name}")
