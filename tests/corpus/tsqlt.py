"""tSQLt.Edge's own tests, which its authors run on SQL Server, against a server: `tsqlt.py FOLDER`.

FOLDER is a checkout of cagrin/tSQLt-edge. Its framework (plain T-SQL, one object a file) is installed into a database in as many rounds
as the dependencies of the files need, then its tests, then tSQLt.RunAll runs them; a file that cannot be installed is named with its
error, and so is each test that does not succeed. MILLPOND names the server's binary. The last line is the figure.
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from babelfish import Server


def install(connection, paths):
    """Runs the files until no more of them succeed; what is left, with its errors."""
    while True:
        left = {}
        for path in paths:
            text = open(path, encoding="utf-8-sig").read()
            for batch in re.split(r"(?im)^\s*go\s*;?\s*$", text):
                errors = [item for item in connection.run(batch) if item[0] == "error" and item[1] != 2714] if batch.strip() else []
                if errors:
                    left[path] = errors[0]
        if not left or len(left) == len(paths):
            return left
        paths = list(left)


def files(root, *parts):
    for base, folders, names in os.walk(os.path.join(root, *parts)):
        folders.sort()
        yield from (os.path.join(base, name) for name in sorted(names) if name.endswith(".sql"))


def main():
    root = os.path.join(sys.argv[1], "latest")
    server = Server()
    server.connect().run("create database edge")
    connection = server.connect("edge")
    for folder in ("tSQLt.Edge", "tSQLt.Edge.Tests"):
        for path, error in install(connection, list(files(root, folder))).items():
            print(f"not installed: {os.path.relpath(path, root)}: {error[1]} {error[5]}")
    connection.run("exec tSQLt.RunAll", timeout=600)
    rows = [item[2] for item in connection.run("select Class, TestCase, Result, Msg from tSQLt.TestResult") if item[0] == "rows"][0]
    for kind, name, result, message in rows:
        if result != "Success":
            print(f"=== {kind}.{name}: {result} {message}")
    good = sum(row[2] == "Success" for row in rows)
    print(f"tsqlt: {len(rows)} tests, {good} succeed ({100 * good / max(len(rows), 1):.1f} %)")
    server.stop()


if __name__ == "__main__":
    main()
