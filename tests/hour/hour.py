#!/usr/bin/env python3
"""Five situations of a DBA's hour, made and found.

    situation: sessions that make it ─▶ a server ◀─ SQL (documented views), millpond top --once, the page in Chromium

Each `find` gets what the three showed and says what it misses. Nothing is timed: a situation is looked at until all of it is
seen, or until it has been looked at LOOKS times.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
PASSWORD = "Pond-2026!"
LOOKS = 30


class Server:
    """A server with the database of setup.sql, and sessions that end with it."""

    def __init__(self, binary, folder):
        self.binary, self.sessions = binary, []
        (folder / "data" / "slow").mkdir(parents=True)
        self.process = subprocess.Popen(
            [binary, "serve", "--config", HERE / "millpond.toml", "--data", folder / "data",
             "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"],
            stdout=subprocess.PIPE, stderr=open(folder / "log", "w"), text=True,
            env={**os.environ, "MSSQL_SA_PASSWORD": PASSWORD, "RUST_LOG": "warn"})
        for line in self.process.stdout:
            words = line.split()
            if words[:1] == ["listen"]:
                self.address = words[1].replace(":", ",")
            if words[:1] == ["page"]:
                self.page = words[1]
            if line.startswith("connect with"):
                break
        self.sql(file=HERE / "setup.sql", database="master")

    def command(self, *more):
        return [self.binary, "sql", "-S", self.address, "-U", "sa", *more]

    def sql(self, text=None, file=None, database="pond"):
        """The rows of the last result, each a dictionary of texts."""
        what = ["-Q", "set nocount on; " + text] if text else ["-i", str(file)]
        ran = subprocess.run(self.command("-d", database, "-b", "-W", "-s", "\x1f", "-w", "65000", *what), text=True,
                             capture_output=True, env=environment())
        if ran.returncode != 0:
            raise RuntimeError(f"{text or file}: {ran.stdout}{ran.stderr}")
        lines = [line.split("\x1f") for line in ran.stdout.splitlines() if line.strip()]
        return [dict(zip(lines[0], row)) for row in lines[2:]] if text and lines else []

    def begin(self, text, database="pond"):
        """A session that runs a batch while the situation lasts."""
        # On one line, as what is read of it later is.
        self.sessions.append(subprocess.Popen(self.command("-d", database, "-Q", " ".join(text.split())), env=environment(),
                                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def top(self):
        ran = subprocess.run([self.binary, "top", "-S", self.address, "-U", "sa", "--once", "--seconds", "2", "--format", "json"],
                             text=True, capture_output=True, check=True, env=environment())
        return json.loads(ran.stdout)

    def screen(self, name, picture):
        """The text of a screen of the page, and its picture."""
        ran = subprocess.run(["node", HERE / "look.mjs"], text=True, capture_output=True, check=True,
                             env={**environment(), "PAGE": self.page, "SCREEN": name, "PICTURE": str(picture)})
        return ran.stdout

    def end(self):
        for session in self.sessions:
            session.kill()
            session.wait()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=120)


def environment():
    return {**os.environ, "SQLCMDPASSWORD": PASSWORD}


def until(seconds):
    return f"declare @until datetime2 = dateadd(second, {seconds}, sysdatetime());"


class Situation:
    """What happens, and what must be seen of it. `sql` is the statement in docs/seeing.md."""

    name, screen, sql = "", "", ""

    def make(self, server):
        raise NotImplementedError

    def missing(self, rows, top, page):
        """What the three do not show."""
        raise NotImplementedError


class RunawaySort(Situation):
    name, screen = "runaway-sort", "tempdb"
    sql = """select top (5) t.session_id, (t.internal_objects_alloc_page_count - t.internal_objects_dealloc_page_count) / 128 as internal_mb,
    g.granted_memory_kb / 1024 as granted_mb, x.text
from sys.dm_db_task_space_usage t join sys.dm_exec_requests r on r.session_id = t.session_id and r.request_id = t.request_id
    left join sys.dm_exec_query_memory_grants g on g.session_id = t.session_id
    cross apply sys.dm_exec_sql_text(r.sql_handle) x
where t.session_id <> @@spid
order by internal_mb desc"""

    def make(self, server):
        server.begin(until(600) + """declare @n bigint; while sysdatetime() < @until
            select @n = max(x.n) from (select row_number() over (order by a.pad, a.k) as n, a.pad
                from wide /* monthly report */ as a cross join generate_series(1, 12) as b) as x""")

    def missing(self, rows, top, page):
        if not rows or int(rows[0]["internal_mb"]) < 20 or "monthly report" not in rows[0]["text"]:
            yield f"SQL names no session with internal objects: {rows[:1]}"
        culprit = rows[0]["session_id"] if rows else None
        held = {str(it["session_id"]): it["internal_objects_kb"] for it in top["tempdb_sessions"]}
        if held.get(culprit, 0) < 20_000:
            yield f"top names no session with internal objects: {held}"
        if not any(it["reason"] == "spill" and it["total_bytes"] > 0 for it in top["write_reasons"]):
            yield "top does not say that spills were written"
        if "monthly report" not in page or "internal" not in page:
            yield "the page does not name the statement"


class BlockedChain(Situation):
    name, screen = "blocked-chain", "sessions"
    sql = """with chain as (
    select session_id, blocking_session_id, wait_type, wait_time, 1 as deep from sys.dm_exec_requests where blocking_session_id <> 0
    union all
    select c.session_id, r.blocking_session_id, c.wait_type, c.wait_time, c.deep + 1
    from chain c join sys.dm_exec_requests r on r.session_id = c.blocking_session_id where r.blocking_session_id <> 0)
select top (1) c.blocking_session_id as root, s.status, s.open_transaction_count, x.text,
    (select count(*) from sys.dm_exec_requests where blocking_session_id <> 0) as blocked
from chain c join sys.dm_exec_sessions s on s.session_id = c.blocking_session_id
    join sys.dm_exec_connections k on k.session_id = s.session_id
    cross apply sys.dm_exec_sql_text(k.most_recent_sql_handle) x
order by c.deep desc"""

    def make(self, server):
        server.begin("begin tran; update lily set amount = 0 where id = 1; waitfor /* went to lunch */ delay '00:10:00'")
        until_seen(lambda: server.sql("select session_id from sys.dm_exec_requests where wait_type = 'WAITFOR'"))
        for number in range(1, 4):
            server.begin(f"begin tran; update lily set amount = {number} where id = {number + 1}; "
                         f"update lily /* link {number} */ set amount = {number} where id = {number}")
            until_seen(lambda: int(server.sql("select count(*) as n from sys.dm_exec_requests where blocking_session_id <> 0")[0]["n"]) >= number)

    def missing(self, rows, top, page):
        root = rows[0] if rows else {}
        if root.get("blocked") != "3" or "went to lunch" not in root.get("text", ""):
            yield f"SQL does not lead to the first of the chain: {rows}"
        if top["overview"]["bound_by"] != "locks" or f"session {root.get('root')}" not in top["overview"]["verdict"]:
            yield f"top's verdict: {top['overview']['verdict']}"
        blocked = [it for it in top["sessions"] if it["blocked_by"]]
        if len(blocked) != 3:
            yield f"top shows {len(blocked)} blocked sessions"
        places = [page.find(word) for word in ("went to lunch", "link 1", "link 2", "link 3")]
        if -1 in places or places != sorted(places):
            yield f"the page does not show the chain in its order: {places}"


class VersionStore(Situation):
    name, screen = "version-store", "tempdb"
    sql = """select top (5) t.session_id, t.is_snapshot, t.elapsed_time_seconds, x.text,
    (select sum(reserved_page_count) / 128 from sys.dm_tran_version_store_space_usage) as versions_mb
from sys.dm_tran_active_snapshot_database_transactions t join sys.dm_exec_connections k on k.session_id = t.session_id
    cross apply sys.dm_exec_sql_text(k.most_recent_sql_handle) x
order by t.elapsed_time_seconds desc"""

    def make(self, server):
        server.begin("set transaction isolation level snapshot; begin tran; declare @n int = (select count(*) from lily); "
                     "waitfor /* forgotten window */ delay '00:10:00'")
        until_seen(lambda: server.sql("select session_id from sys.dm_exec_requests where wait_type = 'WAITFOR'"))
        server.begin(until(600) + "while sysdatetime() < @until update lily set amount += 1, note = replicate('y', amount % 100)")

    def missing(self, rows, top, page):
        if not rows or "forgotten window" not in rows[0]["text"] or int(rows[0]["versions_mb"]) < 4:
            yield f"SQL does not lead to the oldest snapshot: {rows[:1]}"
        oldest = max(top["tempdb_versions"], key=lambda it: it["elapsed_s"], default={})
        if not rows or str(oldest.get("session_id")) != rows[0]["session_id"]:
            yield f"top names another transaction: {oldest}"
        if top["overview"]["tempdb_version_store_kb"] < 4000:
            yield f"top shows versions of {top['overview'][0]['tempdb_version_store_kb']} KB"
        if not re.search(r"kept for the snapshot of session \d+.*forgotten window", page):
            yield "the page does not say for whom versions are kept"


class SlowDevice(Situation):
    name, screen = "slow-device", "io"
    sql = """select top (3) db_name(f.database_id) as name, m.physical_name, f.num_of_reads,
    f.io_stall_read_ms / nullif(f.num_of_reads, 0) as read_ms, f.io_stall_write_ms / nullif(f.num_of_writes, 0) as write_ms
from sys.dm_io_virtual_file_stats(null, null) f join sys.master_files m on m.database_id = f.database_id and m.file_id = f.file_id
order by f.io_stall_read_ms desc"""

    def make(self, server):
        server.begin(until(600) + """declare @n int; while sysdatetime() < @until
            begin
                dbcc dropcleanbuffers with no_infomsgs
                select @n = count(*) from old /* archive */ where pad like '%z%' option (maxdop 1)
                select @n = count(*) from old where k in (17, 1100, 2300, 3500, 4700, 5900, 7100, 8300, 9500, 10700, 11900)
            end""", database="archive")

    def missing(self, rows, top, page):
        if not rows or rows[0]["name"] != "archive" or int(rows[0]["read_ms"] or 0) < 2:
            yield f"SQL names another file: {rows[:1]}"
        files = sorted(top["io"], key=lambda it: it["reads_per_s"] * it["average_read_ms"], reverse=True)
        if files[0]["database"] != "archive":
            yield f"top's slowest file: {files[0]}"
        if top["overview"]["bound_by"] != "reads" or "archive" not in top["overview"]["verdict"]:
            yield f"top's verdict: {top['overview']['verdict']}"
        if not any(it["volume"] == "slow" and it["average_read_ms"] >= 2 for it in top["volumes"]):
            yield f"top's volumes: {top['volumes']}"
        if "archive" not in page or "disk-10k-sata" not in page:
            yield "the page does not name file and device"


class OneTempdbFile(Situation):
    name, screen = "one-tempdb-file", "tempdb"
    sql = """select (select count(*) from tempdb.sys.database_files where type = 0) as files, i.cpu_count,
    f.size / 128 as size_mb, f.growth / 128 as growth_mb, v.size_on_disk_bytes / 1048576 as now_mb
from sys.dm_os_sys_info i cross join sys.master_files f join sys.dm_io_virtual_file_stats(2, 1) v on v.file_id = f.file_id
where f.database_id = 2 and f.type = 0"""

    def make(self, server):
        for number in range(2):
            server.begin(until(600) + f"""while sysdatetime() < @until
                begin
                    select top (60000) k, pad into #t from pond.dbo.wide order by k /* temp tables {number} */ option (maxdop 1)
                    drop table #t
                end""")

    def missing(self, rows, top, page):
        if not rows or rows[0]["files"] != "1" or int(rows[0]["now_mb"]) <= 8 or rows[0]["growth_mb"] != "1":
            yield f"SQL does not show one file that grows: {rows}"
        files = [it for it in top["tempdb"]]
        if len(files) != 1 or files[0]["size_kb"] <= 8192 or files[0]["growth_kb"] != 1024:
            yield f"top does not show one file that grows: {files}"
        if "tempdev" not in page or "temp tables" not in page:
            yield "the page shows neither the file nor who fills it"


def until_seen(seen):
    for _ in range(LOOKS):
        if seen():
            return
        time.sleep(1)
    raise RuntimeError("it has not begun")


def main(binary, work, pictures, *wanted):
    work, pictures = Path(work), Path(pictures)
    pictures.mkdir(parents=True, exist_ok=True)
    failed = False
    for situation in (RunawaySort(), BlockedChain(), VersionStore(), SlowDevice(), OneTempdbFile()):
        if wanted and situation.name not in wanted:
            continue
        folder = work / situation.name
        folder.mkdir()
        server = Server(binary, folder)
        try:
            situation.make(server)
            for _ in range(LOOKS):
                rows, top = server.sql(situation.sql, database="master"), server.top()
                missing = list(situation.missing(rows, top, ""))
                # The page is looked at once the others have found it: a browser takes time from the server.
                if all("the page" in it for it in missing):
                    page = server.screen(situation.screen, pictures / f"hour-{situation.name}.png")
                    missing = list(situation.missing(rows, top, page))
                if not missing:
                    break
            print(f"{situation.name}: {'found' if not missing else 'NOT FOUND'}", *missing, sep="\n  ", flush=True)
            if not missing:
                print(f"  {top['overview']['verdict']}", json.dumps(rows[0]), sep="\n  ", flush=True)
            failed |= bool(missing)
        finally:
            server.end()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
