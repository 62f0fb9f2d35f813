"""The scripts that DBAs carry in their pockets, unmodified, against a server: `dba.py FOLDER`.

FOLDER holds checkouts of BrentOzarULTD/SQL-Server-First-Responder-Kit, amachanic/sp_whoisactive and
olahallengren/sql-server-maintenance-solution, each under its last name. Each file is installed batch by batch, then its procedures are
called as their authors show. MILLPOND names the server's binary. A line names each batch that failed with its error; the last lines
are the figures: batches installed and failed of each file, errors of each call.
"""
import os
import re
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from babelfish import Server

KIT, ACTIVE, OLA = "SQL-Server-First-Responder-Kit", "sp_whoisactive", "sql-server-maintenance-solution"

FILES = [
    (ACTIVE, "sp_WhoIsActive.sql"),
    *((KIT, f"{name}.sql") for name in (
        "sp_BlitzWho", "sp_BlitzFirst", "sp_Blitz", "sp_BlitzCache", "sp_BlitzIndex", "sp_BlitzLock", "sp_BlitzBackups",
        "sp_DatabaseRestore", "sp_ineachdb",
    )),
    (OLA, "MaintenanceSolution.sql"),
]

CALLS = [
    "EXEC sp_WhoIsActive",
    "EXEC sp_WhoIsActive @get_full_inner_text = 1, @get_plans = 1, @get_outer_command = 1, @get_transaction_info = 1, "
    "@get_task_info = 2, @get_locks = 1, @get_avg_time = 1, @get_additional_info = 1, @get_memory_info = 1, "
    "@find_block_leaders = 1, @show_sleeping_spids = 2, @show_own_spid = 1, @show_system_spids = 1",
    "EXEC sp_BlitzWho",
    "EXEC sp_BlitzWho @ExpertMode = 1",
    "EXEC sp_BlitzFirst @Seconds = 2",
    "EXEC sp_BlitzFirst @Seconds = 2, @ExpertMode = 1",
    "EXEC sp_BlitzFirst @SinceStartup = 1",
    "EXEC sp_Blitz",
    "EXEC sp_Blitz @CheckUserDatabaseObjects = 1, @CheckServerInfo = 1",
    "EXEC sp_BlitzCache",
    "EXEC sp_BlitzCache @SortOrder = 'reads', @ExpertMode = 1",
    "EXEC sp_BlitzIndex @GetAllDatabases = 1",
    "EXEC sp_BlitzIndex @Mode = 2",
    "EXEC sp_BlitzIndex @Mode = 4",
    "EXEC sp_BlitzIndex @DatabaseName = 'watched', @SchemaName = 'dbo', @TableName = 'orders'",
    "EXEC sp_BlitzLock",
    "EXEC sp_BlitzBackups",
    "EXEC sp_ineachdb 'SELECT DB_NAME()'",
    "EXECUTE dbo.DatabaseIntegrityCheck @Databases = 'ALL_DATABASES', @LogToTable = 'Y'",
    "EXECUTE dbo.IndexOptimize @Databases = 'USER_DATABASES', @UpdateStatistics = 'ALL', @LogToTable = 'Y'",
    "EXECUTE dbo.DatabaseBackup @Databases = 'ALL_DATABASES', @Directory = '{folder}', @BackupType = 'FULL', @Verify = 'Y', "
    "@CheckSum = 'Y', @LogToTable = 'Y'",
    "EXECUTE dbo.DatabaseBackup @Databases = 'USER_DATABASES', @Directory = '{folder}', @BackupType = 'LOG', @LogToTable = 'Y'",
]

# Something to be watched.
WATCHED = [
    "CREATE DATABASE watched",
    "ALTER DATABASE watched SET RECOVERY FULL",
    "CREATE TABLE watched.dbo.orders (id int IDENTITY PRIMARY KEY, customer int, ordered datetime, note varchar(100), INDEX c (customer))",
    "INSERT watched.dbo.orders (customer, ordered, note) SELECT value % 100, '2026-01-01', 'note' FROM GENERATE_SERIES(1, 5000)",
    "SELECT COUNT(*) FROM watched.dbo.orders WHERE customer = 5",
]


def errors(connection, text, timeout=300):
    """The errors of a batch above severity 10."""
    return [item for item in connection.run(text, timeout=timeout) if item[0] == "error"]


# Temporary tables larger than the memory that the server may have here.
FILLING = (
    "USE tempdb; CREATE TABLE #t (mycol char(8000) NOT NULL); SET NOCOUNT ON; DECLARE @i int = 0; "
    "WHILE @i < 20000 BEGIN INSERT #t VALUES ('x'); SET @i += 1 END; DROP TABLE #t"
)


def seen_writer(server):
    """What sp_BlitzFirst says of tempdb's files while four sessions fill temporary tables that do not fit into memory."""
    watcher = server.connect()
    for text in ("EXEC sp_configure 'show advanced options', 1", "RECONFIGURE",
                 "EXEC sp_configure 'max server memory (MB)', 128", "RECONFIGURE"):
        watcher.run(text)
    over = threading.Event()

    def fill():
        connection = server.connect()
        while not over.is_set():
            connection.run(FILLING, timeout=300)

    sessions = [threading.Thread(target=fill) for _ in range(4)]
    for session in sessions:
        session.start()
    try:
        items = watcher.run("EXEC sp_BlitzFirst @ExpertMode = 1, @Seconds = 30", timeout=300)
    finally:
        over.set()
        for session in sessions:
            session.join()
    return [item for item in items if "PHYSICAL WRITES" in repr(item) and "tempdb" in repr(item)]


def main():
    root = sys.argv[1]
    server = Server()
    connection = server.connect()
    for text in WATCHED:
        for error in errors(connection, text):
            sys.exit(f"dba: {text}: {error[1]} {error[5]}")
    figures = []
    for folder, name in FILES:
        text = open(os.path.join(root, folder, name), encoding="utf-8-sig").read()
        batches = [batch for batch in re.split(r"(?im)^\s*go\s*;?\s*$", text) if batch.strip()]
        failed = 0
        for batch in batches:
            found = errors(connection, batch)
            failed += bool(found)
            for error in found:
                print(f"=== {name}: {error[1]} {error[5]}")
        figures.append(f"{name}: {len(batches)} batches, {failed} failed")
    with tempfile.TemporaryDirectory() as backups:
        for call in CALLS:
            found = errors(connection, call.format(folder=backups))
            for error in found:
                print(f"=== {call[:60]}: {error[1]} {error[5]}")
            figures.append(f"{call[:60]}: {len(found)} errors")
    seen = seen_writer(server)
    figures.append(f"sp_BlitzFirst, 30 s beside four sessions that fill temporary tables: {len(seen)} rows name the writes to tempdb's files")
    print("\n".join(figures))
    server.stop()
    sys.exit(0 if seen else "dba: sp_BlitzFirst did not name tempdb")


if __name__ == "__main__":
    main()
