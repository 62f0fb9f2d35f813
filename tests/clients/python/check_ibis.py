"""ibis' backend for SQL Server (pyodbc over Microsoft's ODBC driver): expressions as T-SQL, tables, views, inserts."""

from tools import HOST, PASSWORD, PORT, check, database, equal, finish

import ibis
import pandas

ibis.options.interactive = False
FRAME = pandas.DataFrame(
    {"k": ["a", "b", "a", "c"], "v": [1, 2, 3, 4], "d": pandas.to_datetime(["2026-01-01", "2026-01-02", "2026-02-03", "2026-02-04"])}
)


def connected():
    return ibis.mssql.connect(
        host=HOST, port=PORT, user="sa", password=PASSWORD, database="ibis", driver="ODBC Driver 18 for SQL Server", TrustServerCertificate="yes"
    )


def tables():
    connection = connected()
    table = connection.create_table("t", FRAME)
    equal([(name, str(kind).split("(")[0]) for name, kind in table.schema().items()], [("k", "string"), ("v", "int64"), ("d", "timestamp")])
    equal("t" in connection.list_tables(), True)
    equal("dbo" in connection.list_databases(), True)
    view = connection.create_view("large", table.filter(table.v > 1))
    equal(view.count().execute(), 3)
    connection.insert("t", FRAME)
    equal(table.count().execute(), 8)
    connection.drop_view("large")
    connection.drop_table("t")
    equal("t" in connection.list_tables(), False)
    connection.disconnect()


def expressions():
    connection = connected()
    t = connection.create_table("e", FRAME)
    found = t.group_by("k").agg(s=t.v.sum(), n=t.count(), m=t.v.mean()).order_by("k").execute()
    equal(found.values.tolist(), [["a", 4, 2, 2.0], ["b", 2, 1, 2.0], ["c", 4, 1, 4.0]])
    ranked = t.mutate(r=ibis.row_number().over(order_by=t.v.desc(), group_by=t.k), y=t.d.year(), mo=t.d.truncate("M")).order_by("v").execute()
    equal(ranked["r"].tolist(), [1, 0, 0, 0])
    equal((ranked["y"].tolist(), [str(m.date()) for m in ranked["mo"]]), ([2026] * 4, ["2026-01-01"] * 2 + ["2026-02-01"] * 2))
    equal(t.join(t.view(), "k").count().execute(), 6)
    equal(t.filter(t.v.isin([1, 4])).k.upper().execute().tolist(), ["A", "C"])
    equal((t.k.nunique().execute(), t.k.group_concat(",").execute()), (3, "a,b,a,c"))
    equal(connection.sql("select k, max(v) m from e group by k").order_by("k").execute()["m"].tolist(), [3, 2, 4])
    equal(t.v.cast("string").execute().tolist(), ["1", "2", "3", "4"])
    equal(t.order_by("v").limit(2, offset=1).execute()["v"].tolist(), [2, 3])
    equal(t.mutate(x=ibis.cases((t.v > 2, "big"), else_="small")).x.value_counts().order_by("x").execute().values.tolist(), [["big", 2], ["small", 2]])
    connection.drop_table("e")
    connection.disconnect()


with database("ibis"):
    check("tables", tables)
    check("expressions", expressions)
finish()
