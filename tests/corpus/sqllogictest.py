"""SQLite's sqllogictest scripts, as far as they hold for SQL Server, against a server: `sqllogictest.py FOLDER [EVERY]`.

FOLDER is a checkout of gregrahn/sqllogictest (or any folder of `.test` scripts); of more than a few scripts in a folder every EVERYth
is run (default: all). Records marked `skipif mssql` or `onlyif` another database are left out, and so are scripts that `halt`. The
results are SQLite's, of which its authors say that SQL Server 2005 gave the same; where T-SQL is another language (a sign binds looser
than `*` in it), SQL Server differs from them too: what the script prints is to be judged by hand. Each script gets a database of its
own. MILLPOND names the server's binary. The last line is the figure; the differing records go to DIFFERENT (default: logic.out).
"""
import collections
import hashlib
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tds
from babelfish import Server

OURS = "mssql"


def records(text):
    """Of a script: (kind, words of the first line, SQL, expected lines)."""
    for block in text.replace("\r", "").split("\n\n"):
        lines = [line for line in block.strip("\n").split("\n") if not line.startswith("#")]
        skip = False
        while lines and lines[0].split()[:1] in (["skipif"], ["onlyif"]):
            word, name = lines.pop(0).split()[:2]
            skip |= (word == "skipif") == (name == OURS)
        if not lines or not lines[0].strip() or skip:
            continue
        words = lines[0].split()
        if words[0] == "halt":
            return
        body = lines[1:]
        at = body.index("----") if "----" in body else len(body)
        yield words[0], words[1:], "\n".join(body[:at]), body[at + 1:]


def render(value, kind):
    if value is None:
        return "NULL"
    if kind == "I":
        try:
            return str(int(float(value)))
        except ValueError:
            return "0"
    if kind == "R":
        try:
            return f"{float(value):.3f}"
        except ValueError:
            return value
    return "".join(char if " " <= char <= "~" else "@" for char in value) or "(empty)"


def agrees(words, answer, wanted):
    """Whether a query's rows are the expected ones."""
    rows = [item[2] for item in answer if item[0] == "rows"]
    if any(item[0] == "error" for item in answer) or not rows:
        return False
    kinds = words[0]
    values = [[render(value, kind) for value, kind in zip(row, kinds)] for row in rows[0]]
    order = words[1] if len(words) > 1 else "nosort"
    if order == "rowsort":
        values.sort()
    flat = [value for row in values for value in row]
    if order == "valuesort":
        flat.sort()
    if len(wanted) == 1 and " values hashing to " in wanted[0]:
        count, _, _, _, digest = wanted[0].split()
        return len(flat) == int(count) and hashlib.md5("".join(value + "\n" for value in flat).encode()).hexdigest() == digest
    return flat == wanted


def scripts(root, every):
    for base, folders, names in os.walk(root):
        folders.sort()
        names = sorted(name for name in names if name.endswith(".test"))
        yield from (os.path.join(base, name) for name in (names[::every] if len(names) > 3 else names))


def main():
    server = Server()
    admin = server.connect()
    counted, causes = collections.Counter(), collections.Counter()
    with open(os.environ.get("DIFFERENT", "logic.out"), "w") as different:
        for number, path in enumerate(scripts(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1)):
            admin.run(f"create database logic{number}")
            connection = server.connect(f"logic{number}")
            for kind, words, sql, wanted in records(open(path, encoding="utf-8", errors="replace").read()):
                if kind not in ("statement", "query"):
                    continue
                try:
                    answer = connection.run(sql)
                except (tds.Gone, OSError) as gone:
                    counted["lost"] += 1
                    different.write(f"=== {path}: LOST {gone}\n{sql}\n")
                    connection = server.connect(f"logic{number}")
                    continue
                failed = [item for item in answer if item[0] == "error"]
                counted["records"] += 1
                if kind == "statement" and bool(failed) == (words[0] == "error") or kind == "query" and agrees(words, answer, wanted):
                    counted["agree"] += 1
                    continue
                why = f"error {failed[0][1]}" if failed else "no error" if kind == "statement" else "rows"
                causes[why] += 1
                if causes[why] <= 200:
                    rows = [item[2][:9] for item in answer if item[0] == "rows"]
                    different.write(f"=== {path}: {why}\n{sql}\n--- there\n{wanted[:9]}\n--- here\n{failed[0][1:] if failed else rows}\n")
            connection.close()
            admin.run(f"drop database logic{number}")
            counted["scripts"] += 1
    server.stop()
    print("; ".join(f"{why} {count}" for why, count in causes.most_common(20)), f"lost: {counted['lost']}")
    print(f"sqllogictest: {counted['records']} records of {counted['scripts']} scripts, {counted['agree']} agree "
          f"({100 * counted['agree'] / max(counted['records'], 1):.2f} %)")


if __name__ == "__main__":
    main()
