"""What the checks of tools share: databases of their own, the drivers by SQLAlchemy's names, a line for each check."""

import contextlib
import glob
import os
import sys
import tempfile

import mssql_python
import mssql_python_odbc

HOST = os.environ["MILLPOND_HOST"]
PORT = int(os.environ["MILLPOND_PORT"])
PASSWORD = os.environ["MSSQL_SA_PASSWORD"]

mssql_python.pooling(enabled=False)


def register_odbc_drivers():
    """FreeTDS' driver and Microsoft's, which comes with mssql-python, for this process; before pyodbc is imported."""
    odbc_lib = os.path.join(os.path.dirname(mssql_python_odbc.__file__), "libs", "linux", "debian_ubuntu", "*", "lib")
    [microsoft] = glob.glob(os.path.join(odbc_lib, "libmsodbcsql-*"))
    folder = tempfile.mkdtemp()
    with open(os.path.join(folder, "odbcinst.ini"), "w", encoding="utf-8") as drivers:
        drivers.write(f"[FreeTDS]\nDriver=libtdsodbc.so\n[ODBC Driver 18 for SQL Server]\nDriver={microsoft}\n")
    os.environ["ODBCSYSINI"] = folder


register_odbc_drivers()


def url(driver, database):
    """SQLAlchemy's address of a database by one of the drivers."""
    queries = {
        "mssqlpython": "mssql+mssqlpython://{}?Encrypt=Yes&TrustServerCertificate=Yes",
        "pymssql": "mssql+pymssql://{}",
        "pyodbc-microsoft": "mssql+pyodbc://{}?driver=ODBC+Driver+18+for+SQL+Server&TrustServerCertificate=yes",
        "pyodbc-freetds": "mssql+pyodbc://{}?driver=FreeTDS&TDS_Version=7.4",
    }
    return queries[driver].format(f"sa:{PASSWORD}@{HOST}:{PORT}/{database}")


def run_as_sa(*statements, database="master"):
    where = f"SERVER={HOST},{PORT};UID=sa;PWD={PASSWORD};Database={database};Encrypt=yes;TrustServerCertificate=yes"
    connection = mssql_python.connect(where, autocommit=True)
    for statement in statements:
        connection.cursor().execute(statement)
    connection.close()


@contextlib.contextmanager
def database(name):
    """A new database, which is gone at the end."""
    drop = f"if db_id('{name}') is not null begin alter database [{name}] set single_user with rollback immediate; drop database [{name}] end"
    run_as_sa(drop, f"create database [{name}]")
    try:
        yield name
    finally:
        run_as_sa(drop)


def equal(found, wanted):
    if found != wanted:
        raise AssertionError(f"{found!r} instead of {wanted!r}")


FAILED = []


def check(name, body, *arguments):
    try:
        body(*arguments)
        print("ok", name, flush=True)
    except Exception as error:  # Each check is to be counted.
        FAILED.append(name)
        print("FAILED", name + ":", " ".join(f"{type(error).__name__} {error}".split())[:600], flush=True)


def finish():
    sys.exit(1 if FAILED else 0)
