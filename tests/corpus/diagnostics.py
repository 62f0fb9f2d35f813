"""Glenn Berry's diagnostic queries, unmodified, against a server: `diagnostics.py FILE`.

FILE is "SQL Server 2022 Diagnostic Information Queries.sql" or one of its kin. The script is cut at its lines of dashes, each piece is a
batch of its own in a database that has something to be looked at, and what fails is named with its query's heading and error. MILLPOND
names the server's binary. The last line is the figure; with ROWS in the environment each query's rows are counted too.
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from babelfish import Server
from dba import WATCHED


def main():
    text = open(sys.argv[1], encoding="cp1252").read()
    pieces = [piece for piece in re.split(r"(?m)^-{6,}\s*$", text) if re.search(r"(?m)^\s*[^-\s]", piece)]
    server = Server()
    connection = server.connect()
    for statement in WATCHED + ["USE watched"]:
        connection.run(statement)
    ran = 0
    for piece in pieces:
        # The script's own USE would leave the database that is looked at.
        piece = re.sub(r"(?im)^\s*USE \[?YourDatabaseName\]?.*$", "", piece)
        piece = re.sub(r"(?im)^\s*GO\s*$", "", piece)
        if not re.search(r"(?im)^\s*(SELECT|WITH|EXEC|DBCC|DECLARE|CREATE|IF|DROP)", piece):
            continue
        heading = re.search(r"\(Query \d+\) \([^)]*\)", piece)
        heading = heading[0] if heading else piece.strip()[:60]
        answer = connection.run(piece, timeout=120)
        errors = [item for item in answer if item[0] == "error"]
        ran += not errors
        for error in errors[:1]:
            print(f"=== {heading}: {error[1]} {error[5]}")
        if "ROWS" in os.environ:
            print(f"{heading}: {sum(len(item[2]) for item in answer if item[0] == 'rows')} rows")
    print(f"{ran} of {len(pieces)} ran")
    server.stop()


if __name__ == "__main__":
    main()
