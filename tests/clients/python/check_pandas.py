"""pandas over SQLAlchemy: frames of all types there and back, row by row, by many rows in a statement and by
arrays of parameters. By four drivers; FreeTDS' ODBC driver has no arrays (it ends the process)."""

import datetime
import decimal

import numpy
import pandas
import sqlalchemy as sa
from sqlalchemy.dialects import mssql

from tools import check, database, equal, finish, url

ROWS = 500
TYPES = {"dec": sa.Numeric(12, 3), "day": sa.Date(), "hour": sa.Time(), "zoned": mssql.DATETIMEOFFSET(), "text": sa.Unicode(40), "at": mssql.DATETIME2(6), "bytes": mssql.VARBINARY(8)}


def frame():
    first = datetime.date(2026, 1, 1)
    return pandas.DataFrame(
        {
            "i": numpy.arange(ROWS),
            "big": numpy.arange(ROWS) * 10**12,
            "f": numpy.linspace(0, 1, ROWS),
            "text": [f"name {i} é日" for i in range(ROWS)],
            "at": pandas.date_range("2026-01-01 00:00:00.123456", periods=ROWS, freq="h"),
            "day": [first + datetime.timedelta(days=i) for i in range(ROWS)],
            "dec": [decimal.Decimal(i) / 8 for i in range(ROWS)],
            "gaps": [None if i % 3 else i for i in range(ROWS)],
            "flag": [i % 2 == 0 for i in range(ROWS)],
            "hour": [datetime.time(1, 2, 3)] * ROWS,
            "zoned": pandas.date_range("2026-01-01", periods=ROWS, freq="h", tz="Europe/Berlin"),
            "bytes": [bytes([i % 256]) for i in range(ROWS)],
        }
    )


def written(connection, method):
    frame().to_sql("frame", connection, if_exists="replace", index=False, method=method, chunksize=150 if method else None, dtype=TYPES)


def there_and_back(engine, method):
    with engine.begin() as connection:
        written(connection, method)
        back = pandas.read_sql("select * from frame order by i", connection, parse_dates=["day"], coerce_float=False)
    equal(len(back), ROWS)
    wanted = frame()
    for name in ("i", "big", "f", "text", "flag", "hour"):
        equal(back[name].tolist(), wanted[name].tolist())
    equal(back["dec"].tolist(), wanted["dec"].tolist())
    equal([day.date() for day in back["day"]], wanted["day"].tolist())
    # pymssql writes moments as texts of milliseconds without an offset.
    is_pymssql = engine.driver == "pymssql"
    equal(back["at"].tolist(), (wanted["at"].dt.floor("ms") if is_pymssql else wanted["at"]).tolist())
    if not is_pymssql:
        equal(pandas.to_datetime(back["zoned"], utc=True).tolist(), wanted["zoned"].dt.tz_convert("UTC").tolist())
    equal([int(value) for value in back["gaps"].dropna()], list(range(0, ROWS, 3)))
    equal(back["bytes"].tolist(), wanted["bytes"].tolist())


def readings(engine):
    with engine.begin() as connection:
        table = pandas.read_sql_table("frame", connection, columns=["i", "dec", "at"])
        equal((len(table), float(table["dec"].sum())), (ROWS, ROWS * (ROWS - 1) / 16))
        page = pandas.read_sql("select day, sum(dec) s from frame group by day order by day offset 3 rows fetch next 2 rows only", connection)
        equal(page["s"].tolist(), [0.375, 0.5])
        equal(sum(len(part) for part in pandas.read_sql("select * from frame", connection, chunksize=64)), ROWS)
        frame().to_sql("frame", connection, if_exists="append", index=False, chunksize=100, method="multi", dtype=TYPES)
        equal(connection.scalar(sa.text("select count(*) from frame")), 2 * ROWS)


DRIVERS = {"mssqlpython": {}, "pymssql": {}, "pyodbc-microsoft": {"fast_executemany": True}, "pyodbc-freetds": {"use_setinputsizes": False}}

with database("pandas"):
    for driver, options in DRIVERS.items():
        engine = sa.create_engine(url(driver, "pandas"), **options)
        check(f"executemany, {driver}", there_and_back, engine, None)
        check(f"multi, {driver}", there_and_back, engine, "multi")
        check(f"readings, {driver}", readings, engine)
        engine.dispose()
finish()
