"""What every DB-API client must be able to do; the clients' own scripts say how each of them connects.

Each check prints `ok NAME` or `FAILED NAME: why`, which `tests/clients/run` counts. No check looks at a clock.
"""

import datetime
import decimal
import os
import re
import sys
import threading

HOST = os.environ["MILLPOND_HOST"]
PORT = int(os.environ["MILLPOND_PORT"])
USER = "sa"
PASSWORD = os.environ["MSSQL_SA_PASSWORD"]
CERTIFICATE = os.environ["MILLPOND_CERTIFICATE"]
ENDLESS = "while 1 = 1 set nocount on"

ROW = (
    -2147483648,
    9007199254740993,
    "it's plain",
    "žluťoučký 鶴 😀",
    decimal.Decimal("-12345.6789"),
    datetime.datetime(2024, 2, 29, 12, 34, 56, 790000),
    1.5,
    None,
)
TYPED = (
    "create table #typed (i int, b bigint, s varchar(100), n nvarchar(100), "
    "d decimal(18, 4), t datetime, f float, nothing int)"
)


# The columns of SHOWPLAN_ALL have two before them and five behind.
PROFILE = ["Rows", "Executes"]
PROFILE += ["StmtText", "StmtId", "NodeId", "Parent", "PhysicalOp", "LogicalOp", "Argument", "DefinedValues"]
PROFILE += ["EstimateRows", "EstimateIO", "EstimateCPU", "AvgRowSize", "TotalSubtreeCost", "OutputList", "Warnings"]
PROFILE += ["Type", "Parallel", "EstimateExecutions"]
PROFILE += ["ElapsedMs", "CpuMs", "MemoryKB", "SpilledKB", "ValuesByRow", "Verdict"]


def loop_text():
    """The first batch of the tempdb loop, with milliseconds for its seconds."""
    with open(os.environ["MILLPOND_LOOP"], encoding="utf-8") as script:
        return re.split(r"(?im)^GO\s*$", script.read())[0]


def rows(connection, text, parameters=None):
    """All rows of the first result set."""
    cursor = connection.cursor()
    cursor.execute(text, parameters) if parameters is not None else cursor.execute(text)
    found = [tuple(row) for row in cursor.fetchall()]
    cursor.close()
    return found


def results(connection, text):
    """All result sets: names of the columns, and rows."""
    cursor = connection.cursor()
    cursor.execute(text)
    found = []
    while True:
        if cursor.description:
            found.append(([column[0] for column in cursor.description], [tuple(row) for row in cursor.fetchall()]))
        if not cursor.nextset():
            break
    cursor.close()
    return found


def run(connection, text, parameters=None):
    """Executes without rows."""
    cursor = connection.cursor()
    cursor.execute(text, parameters) if parameters is not None else cursor.execute(text)
    cursor.close()


def equal(found, wanted):
    if found != wanted:
        raise AssertionError(f"{found!r} instead of {wanted!r}")


class Checks:
    """The checks of one client. `connect(**options)` opens a connection, `number_of(error)` gives its number."""

    def __init__(self, connect, number_of, messages_of):
        self.connect = connect
        self.number_of = number_of
        self.messages_of = messages_of
        self.failed = False

    def check(self, name, body):
        try:
            body()
            print(f"ok {name}")
        except Exception as error:  # Whatever a driver raises is this check's failure, not the script's.
            self.failed = True
            print(f"FAILED {name}: {type(error).__name__}: {error}".replace("\n", " ")[:500])

    def with_connection(self, name, body, **options):
        def opened():
            connection = self.connect(**options)
            try:
                body(connection)
            finally:
                connection.close()

        self.check(name, opened)

    def all(self):
        self.with_connection("select 1", lambda c: equal(rows(c, "select 1"), [(1,)]))
        self.with_connection("parameters", self.parameters)
        self.with_connection("one value of each parameter", self.single_parameters)
        self.with_connection("columns of UTF-8", self.utf8)
        self.with_connection("temp table", self.temp_table)
        self.with_connection("error 208", self.error)
        self.with_connection("commit and rollback", self.transactions, autocommit=False)
        self.with_connection("many rows", self.many_rows)
        self.with_connection("rows left unread", self.unread)
        self.with_connection("profile of a statement", self.profile)
        self.check("tempdb loop, 1 connection", lambda: self.loops(1))
        self.check("tempdb loop, 10 connections", lambda: self.loops(10))

    def parameters(self, connection):
        run(connection, TYPED)
        run(connection, "insert #typed values (%s, %s, %s, %s, %s, %s, %s, %s)", ROW)
        equal(rows(connection, "select * from #typed"), [ROW])
        equal(rows(connection, "select i from #typed where s = %s and d < %s", (ROW[2], ROW[4] + 1)), [(ROW[0],)])

    def single_parameters(self, connection):
        for value in (0, 1, 255, 32768, "", "x" * 5000, "鶴" * 3000, decimal.Decimal("0.10"), None):
            equal(rows(connection, "select %s", (value,)), [(value,)])

    def utf8(self, connection):
        text = "Žluťoučký 😀 日本"
        collated = "varchar(40) collate Latin1_General_100_CI_AS_SC_UTF8"
        run(connection, f"create table #u (v {collated}, m {collated.replace('40', 'max')}, c char(8) collate Latin1_General_100_BIN2_UTF8, "
            "w varchar(9) collate Latin1_General_CS_AS, b varchar(9) collate Latin1_General_BIN2)")
        run(connection, "insert #u values (%s, %s, %s, %s, %s)", (text, text * 1000, "日本", "Ö", "é"))
        equal(rows(connection, "select v, m, c, w, b, n = 1 from #u"), [(text, text * 1000, "日本  ", "Ö", "é", 1)])
        equal(rows(connection, "select len(v), datalength(v) from #u where v = %s", (text.upper(),)), [(14, 25)])

    def temp_table(self, connection):
        run(connection, "create table #t (id int not null, name varchar(20) null)")
        for number in range(10):
            run(connection, "insert #t values (%s, %s)", (number, f"name {number}"))
        run(connection, "update #t set name = null where id >= 8")
        run(connection, "delete #t where id = 0")
        equal(rows(connection, "select count(*), count(name), min(id), max(name) from #t"), [(9, 7, 1, "name 7")])
        run(connection, "drop table #t")
        equal(rows(connection, "select object_id('tempdb..#t')"), [(None,)])

    def error(self, connection):
        try:
            rows(connection, "select * from no_such_table")
        except Exception as error:
            equal(self.number_of(error), 208)
        else:
            raise AssertionError("no error")
        equal(rows(connection, "select 1"), [(1,)])

    def transactions(self, connection):
        run(connection, "create table #t (id int)")
        connection.commit()
        run(connection, "insert #t values (1)")
        connection.rollback()
        equal(rows(connection, "select count(*) from #t"), [(0,)])
        run(connection, "insert #t values (2)")
        connection.commit()
        run(connection, "delete #t")
        connection.rollback()
        equal(rows(connection, "select id, @@trancount from #t"), [(2, 1)])

    def many_rows(self, connection):
        run(connection, "create table #t (id int, filler char(100))")
        run(connection, "insert #t values (0, 'x')")
        for power in range(13):
            run(connection, f"insert #t select id + {2 ** power}, filler from #t")
        found = rows(connection, "select id, filler from #t")
        equal(sorted(row[0] for row in found), list(range(8192)))
        equal({row[1] for row in found}, {"x".ljust(100)})

    def unread(self, connection):
        run(connection, "create table #t (id int, filler char(4000))")
        run(connection, "insert #t values (0, 'x')")
        for _ in range(10):
            run(connection, "insert #t select id, filler from #t")
        cursor = connection.cursor()
        cursor.execute("select * from #t")
        equal(cursor.fetchone()[0], 0)
        cursor.close()
        equal(rows(connection, "select count(*) from #t"), [(1024,)])

    def profile(self, connection):
        """SET STATISTICS PROFILE: the rows, then a result of its own with what each operator did; none when it is off."""
        text = "select g, n = count(*) from #t group by g order by g"
        run(connection, "select value as id, value % 3 as g into #t from generate_series(1, 3000)")
        run(connection, "set statistics profile on")
        (_, groups), (names, profile) = results(connection, text)
        equal(groups, [(0, 1000), (1, 1000), (2, 1000)])
        equal(names, PROFILE)
        column = lambda name: [row[PROFILE.index(name)] for row in profile]
        equal(column("Rows")[0], 3)
        equal((column("StmtText")[0], column("Type")[0], column("Parent")[0]), (text, "SELECT", 0))
        equal({count for count in column("Executes")}, {1})
        scan = next(row for row in profile if row[PROFILE.index("PhysicalOp")] == "Table Scan")
        equal(scan[0], 3000)
        equal([type(column(name)[0]) for name in ("ElapsedMs", "MemoryKB", "Verdict")], [decimal.Decimal, int, str])
        equal([verdict is None for verdict in column("Verdict")], [False] + [True] * (len(profile) - 1))
        run(connection, "set statistics profile off")
        equal(results(connection, text), [(["g", "n"], groups)])

    def loops(self, connection_count):
        """Each connection runs the loop and prints how often it turned."""
        text, printed, errors = loop_text(), [], []

        def one():
            try:
                connection = self.connect()
                printed.append(self.messages_of(connection, text))
                connection.close()
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=one) for _ in range(connection_count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]
        equal(len(printed), connection_count)
        for message in printed:
            turns = re.search(r"iterations (\d+)", message)
            if not turns or int(turns.group(1)) < 2:
                raise AssertionError(f"printed {message!r}")

    def finish(self):
        sys.exit(1 if self.failed else 0)
