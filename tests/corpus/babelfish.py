"""Batches of Babelfish's test suite, which people wrote from SQL Server's behaviour, against a server: `babelfish.py FOLDER [DIFFERENT]`.

FOLDER is a checkout of babelfish-for-postgresql/babelfish_extensions. Each `.sql` file of its JDBC tests has an `.out` beside it with
what each batch printed; a batch agrees when it ends as it did there: in the same rows, or in an error where there was one (Babelfish's
numbers are PostgreSQL's, so an error is compared with an error alone). Files that belong together (prepare, verify, cleanup) get a
server of their own. Files of older versions are left out. MILLPOND names the server's binary.

Three kinds of batch count neither way. "Left out": what speaks of Babelfish's or PostgreSQL's own things (names of indexes that it
makes up, plans, errors that say "not supported") and the test driver's commands. "Babelfish's own": what SQL Server refuses for certain
and Babelfish takes (types such as int4, functions such as chr, a user's function called without its schema, CAST to a user's type, DROP
FUNCTION f(), views with unnamed columns, short passwords). "Follow-ups": a differing batch that names an object whose making or filling
differed before or was left out. The last line is the figure; what differs is written into DIFFERENT (default: corpus.out), follow-ups
into DIFFERENT.later.
"""
import atexit
import collections
import decimal
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tds

PASSWORD = "Bars-2026!"
OWN = re.compile(r"babelfish|\bpg_|\bpsql|postgres|set_config|current_setting|sys\.sp_tables_view|enable_pg_hint|"
                 r"escape_hatch|sys_database_principals|bbf_|\bpltsql|explain |babelfishpg|server_version|jdbc_user|\bctid\b|"
                 r"typname|information_schema_tsql|sys\.\w+_internal|aurora|\bsysdatabases_db|#!#|inject_fault|^Query Text:|"
                 r"[^_](?<![0-9a-f])[0-9a-f]{32}\b|\w_(pkey|fkey\d*|check\d*|excl)\b", re.I | re.M)
UNBUILT = re.compile(r"not (yet |currently )?(supported|implemented)|unsupported", re.I)  # in an error there
NOT_TSQL = set("""int2 int4 int8 float4 float8 bool bytea bpchar fixeddecimal chr nextval setval currval lastval make_interval to_char
                  to_date to_number to_timestamp now age date_trunc string_to_array regexp_replace length substr
                  strpos random gen_random_uuid ceil trunc initcap lpad rpad btrim decode bit_length char_length octet_length mod
                  div repeat date smalldatetime datetime string_split get_tds_id array_agg bool_and bool_or clock_timestamp to_hex
                  split_part date_part""".split())
NAME = r"""((?:(?:\[[^\]]*\]|"[^"]*"|[\w@#$]+)?\s*\.\s*)*(?:\[[^\]]*\]|"[^"]*"|[\w@#$]+))"""
TARGET = re.compile(
    r"\b(?:(?:create|alter|drop)(?:\s+or\s+alter)?\s+(?:view|table|procedure|proc|function|type|schema|database|login|user|role|trigger|"
    r"sequence|synonym|server\s+role|(?:unique\s+)?(?:clustered\s+|nonclustered\s+)?index\s+\S+\s+on)(?:\s+if\s+exists)?|insert\s+into|"
    r"insert|into|update|delete\s+from|delete|truncate\s+table|merge|sp_rename|sp_addrole|sp_addtype)\b[\s'N]*?" + NAME, re.I)
MAKES = re.compile(r"\bcreate(?:\s+or\s+alter)?\s+(view|table|proc|procedure|function|trigger|type)\s+" + NAME, re.I)
WORD = re.compile(r"[\w@#$]+")


class Server:
    """A server on a free port, with nothing in it."""

    def __init__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(
            [os.environ["MILLPOND"], "serve", "--data", self.folder.name, "--listen", f"127.0.0.1:{self.port}"],
            env=dict(os.environ, MSSQL_SA_PASSWORD=PASSWORD), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        atexit.register(self.process.kill)
        for _ in range(200):
            try:
                self.connect().close()
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit("the server did not start")

    def connect(self, database="master"):
        return tds.Conn(self.port, password=PASSWORD, db=database)

    def stop(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.folder.cleanup()


def batches(text):
    """Of an `.out`: each batch, the rows that it printed (with their order of result sets), and the error's text."""
    lines = text.replace("\r", "").split("\n")
    at, sql = 0, []
    while at < len(lines):
        if not re.match(r"^\s*go\s*;?\s*$", lines[at], re.I):
            sql.append(lines[at])
            at += 1
            continue
        at += 1
        rows, error = [], ""
        while at < len(lines):
            line = lines[at]
            if line.startswith("~~START~~"):
                at += 1
                types = lines[at].split("#!#")
                at += 1
                found = []
                while not lines[at].startswith("~~END~~"):
                    if lines[at].startswith("~~ERROR"):
                        error = lines[at]
                        break
                    found.append(lines[at])
                    at += 1
                rows.append((types, found))
                at += 1
            elif line.startswith("~~"):
                start = at
                while at < len(lines) and not lines[at].rstrip().endswith("~~"):
                    at += 1
                at += 1
                if line.startswith("~~ERROR"):
                    error += " ".join(lines[start:at])
            elif not line.strip():
                at += 1
            else:
                break
        yield "\n".join(sql), rows, error
        sql = []


def last(name):
    """Of a name of several parts: the last, bare."""
    return re.split(r"\.(?![^\[]*\])", name)[-1].strip(' []"').lower()


def targets(sql):
    """What a batch makes, changes, fills or drops."""
    return {last(found) for found in TARGET.findall(sql)} - {"as", "select", "values", "top", "from"}


def words(text):
    return {word.lower() for word in WORD.findall(text)}


def own(sql, error, functions):
    """Whether an error here is one that SQL Server gives for certain, where Babelfish goes its own way."""
    number, text = error[1], error[5]
    named = words(text)
    if number in (195, 243, 2715, 10740) and named & (NOT_TSQL | functions):
        return True
    if number == 208:  # FROM sys.col_length(…)
        found = re.search(r"'(sys\.(?!fn_|dm_)\w+)'", text)
        return bool(found) and re.search(re.escape(found[1]) + r"\s*\(", sql, re.I) is not None
    if number == 4121:  # sys.isdate(…)
        return bool(re.search(r"sys\.(?!fn_)\w+", text))
    if number == 102:  # DROP FUNCTION f()
        return bool(re.search(r"\bdrop\s+(function|proc|procedure)\s+(if\s+exists\s+)?[\w.\[\]\"]+\s*\(", sql, re.I))
    return number in (4511, 15116, 15118)


def cell(text, decl=""):
    """A value as both sides write it."""
    text = text.strip()
    if decl.startswith(("binary", "varbinary", "image", "sql_variant")):
        text = re.sub(r"^0x([0-9A-Fa-f]*)$", lambda found: found[1].lower(), text)
        if decl[0] != "s":
            return text.lower()
    if decl in ("real", "float"):
        try:
            return f"{float(text):.6g}" if decl == "real" else f"{float(text):.12g}"
        except ValueError:
            pass
    if re.fullmatch(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", text):
        return text.lower()
    if text in ("<NULL>", "NULL"):
        return "NULL"
    if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text):
        try:
            number = decimal.Decimal(text)
            return f"{float(number):.12g}" if ("e" in text.lower() or "." in text) else str(number)
        except decimal.InvalidOperation:
            return text
    if re.fullmatch(r"(0x)?[0-9A-Fa-f]{8,}", text):
        return text.lower().removeprefix("0x")
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)?[ T]?(\d\d:\d\d(:\d\d)?)(\.\d+)?( ?[+-]\d\d:\d\d)?", text)
    if found:
        date, clock, _, fraction, zone = found.groups()
        clock = clock if clock.count(":") == 2 else clock + ":00"
        fraction = (fraction or "").rstrip("0").rstrip(".")
        return f"{date or ''} {clock}{fraction}{(zone or '').strip()}".strip()
    return re.sub(r"\s+", " ", text)


def same_rows(wanted, got, sql):
    """Whether result sets are the same; the order of rows counts no more than that of a server that was not asked for one."""
    if len(wanted) != len(got):
        return False
    # Babelfish keeps names in small letters.
    catalog = re.search(r"\bsys\.|information_schema|\bsp_|\bsys[a-z]+\b|_name\s*\(|objectproperty|has_", sql, re.I)
    for (_, lines), (_, columns, values) in zip(wanted, got):
        decls = [column[1] for column in columns]
        mine = sorted("#!#".join(cell("<NULL>" if value is None else value, decl) for value, decl in zip(row, decls)) for row in values)
        theirs = []
        for line in lines:
            parts = line.split("#!#")
            theirs.append("#!#".join(cell(part, decls[at] if len(parts) == len(decls) else "") for at, part in enumerate(parts)))
        theirs.sort()
        if mine == theirs:
            continue
        if catalog and sorted(line.lower() for line in mine) == sorted(line.lower() for line in theirs):
            continue
        # A text with line ends is several lines there.
        if re.sub(r"\s+", "", "".join(mine)) != re.sub(r"\s+", "", "".join(theirs)):
            return False
    return True


def groups(folder):
    """Files that belong together, in the order in which they run."""
    names = sorted(name[:-4] for name in os.listdir(folder) if name.endswith(".sql"))
    order = {"prepare": 0, "verify": 1, "cleanup": 2}
    found = collections.OrderedDict()
    for name in names:
        if "before-" in name or "upgrade" in name.lower():
            continue
        match = re.match(r"(.*)-vu-(prepare|verify|cleanup)$", name)
        found.setdefault(match[1] if match else name, []).append((order[match[2]] if match else 1, name))
    return [[name for _, name in sorted(files)] for files in found.values()]


def run(files, root, counted, causes, different, later):
    """A group of files on a server of its own."""
    server = Server()
    connection = server.connect()
    spoilt, functions, astray = set(), set(), False
    for name in files:
        expected = os.path.join(root, "expected", name + ".out")
        if not os.path.exists(expected):
            continue
        for sql, rows, error in batches(open(expected, encoding="utf-8", errors="replace").read()):
            sql = re.sub(r"\A(\s*#[^\n]*\n)+", "", sql)  # the test driver's comments
            if not sql.strip():
                continue
            there = "\n".join([error] + [line.replace("#!#", " ") for _, lines in rows for line in lines])
            if OWN.search(sql):
                counted["left out"] += 1
                spoilt |= targets(sql)
                continue
            functions |= {last(found[1]) for found in MAKES.findall(sql) if found[0].lower() in ("function", "type")}
            try:
                answer = connection.run(sql)
            except (tds.Gone, OSError) as gone:
                counted["lost"] += 1
                different.write(f"=== {name}: LOST {gone}\n{sql}\n")
                if server.process.poll() is not None:
                    raise SystemExit(f"the server ended in {name}: {sql}")
                connection = server.connect()
                continue
            if OWN.search(there) or UNBUILT.search(error):
                counted["left out"] += 1
                spoilt |= targets(sql)
                continue
            failed = [item for item in answer if item[0] == "error"]
            got = [item for item in answer if item[0] == "rows"]
            if bool(failed) == bool(error) and (error or same_rows(rows, got, sql)):
                counted["agree"] += 1
                if re.search(r"^\s*use\s", sql, re.I | re.M) and not error:
                    astray = False
                for _, made in MAKES.findall(sql):
                    made = last(made)
                    if not error and not (words(sql) - {made}) & spoilt:
                        spoilt.discard(made)
                    elif (words(sql) - {made}) & spoilt:
                        spoilt.add(made)
                continue
            if failed and not error:
                why = f"error {failed[0][1]}"
            elif error and not failed:
                why = "no error"
            else:
                why = "rows"
            text = (f"=== {name}: {why}\n{sql}\n--- there\n{rows[:3]!r} {'ERROR' if error else ''}\n--- here\n"
                    f"{[item[:3] + item[5:6] if item[0] == 'error' else item for item in answer][:6]!r}\n")
            if failed and not error and own(sql, failed[0], functions):
                counted["own"] += 1
            elif astray or spoilt & words(sql + (failed[0][5] if failed else "")):
                counted["later"] += 1
                later.write(text)
            else:
                counted["differ"] += 1
                causes[why] += 1
                different.write(text)
            spoilt |= targets(sql)
            if re.search(r"^\s*use\s", sql, re.I | re.M):
                astray = True
    connection.close()
    server.stop()


def main():
    root = os.path.join(sys.argv[1], "test", "JDBC")
    path = sys.argv[2] if len(sys.argv) > 2 else "corpus.out"
    counted, causes = collections.Counter(), collections.Counter()
    with open(path, "w") as different, open(path + ".later", "w") as later:
        for files in groups(os.path.join(root, "input")):
            run(files, root, counted, causes, different, later)
    print("; ".join(f"{why} {count}" for why, count in causes.most_common(20)))
    print(f"left out: {counted['left out']}, Babelfish's own: {counted['own']}, follow-ups: {counted['later']}, lost: {counted['lost']}")
    total = counted["agree"] + counted["differ"]
    print(f"babelfish: {total} batches, {counted['agree']} agree ({100 * counted['agree'] / total:.1f} %)")


if __name__ == "__main__":
    main()
