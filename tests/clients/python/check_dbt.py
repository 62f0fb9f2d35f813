"""dbt-sqlserver: seeds, tables, views, incremental models, snapshots, tests, and the catalog of its documentation.

`check_dbt.py DBT`: the program, which has a virtual environment of its own, because it asks for other versions than the
other tools.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

from tools import PORT, check, database, equal, finish

import pyodbc

HOST = os.environ["MILLPOND_HOST"]
PASSWORD = os.environ["MSSQL_SA_PASSWORD"]
HERE = os.path.dirname(os.path.abspath(__file__))


def dbt(project, *words):
    """What each node came to."""
    environment = {**os.environ, "DBT_PROFILES_DIR": project, "DO_NOT_TRACK": "1", "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"}
    done = subprocess.run([sys.argv[1], *words], cwd=project, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stdout[-1500:])


def results(project):
    with open(os.path.join(project, "target", "run_results.json"), encoding="utf-8") as file:
        return {node["unique_id"].split(".")[2]: node["status"] for node in json.load(file)["results"]}


def rows(text):
    where = f"DRIVER={{ODBC Driver 18 for SQL Server}};SERVER={HOST},{PORT};UID=sa;PWD={PASSWORD};Database=dbt;TrustServerCertificate=yes"
    connection = pyodbc.connect(where, autocommit=True)
    try:
        return [tuple(row) for row in connection.execute(text).fetchall()]
    finally:
        connection.close()


def built(project):
    dbt(project, "build")
    equal(sorted(set(results(project).values())), ["pass", "success"])
    equal(len(results(project)), 9)
    equal([(name, float(total), n) for name, total, n in rows("select * from pond.totals order by name")], [("a", 5.0, 2), ("b", 2.5, 1)])
    equal(rows("select count(*) from pond.large"), [(1,)])


def built_again(project):
    """A changed seed: the incremental model merges, the snapshot keeps both versions."""
    with open(os.path.join(project, "seeds", "raw.csv"), "a", encoding="utf-8") as seed:
        seed.write("4,b,9.5,2026-01-04\n")
    with open(os.path.join(project, "seeds", "raw.csv"), encoding="utf-8") as seed:
        text = seed.read().replace("1,a,1.5", "1,a,7.5")
    with open(os.path.join(project, "seeds", "raw.csv"), "w", encoding="utf-8") as seed:
        seed.write(text)
    dbt(project, "build")
    equal(rows("select count(*), min(cast(amount as float)) from pond.grown"), [(4, 1.5)])
    equal(rows("select count(*), count(dbt_valid_to) from pond.kept where id = 1"), [(2, 1)])


def documented(project):
    dbt(project, "docs", "generate")
    with open(os.path.join(project, "target", "catalog.json"), encoding="utf-8") as file:
        catalog = json.load(file)
    equal(sorted(catalog["nodes"]["model.pond.totals"]["columns"]), ["n", "name", "total"])


with tempfile.TemporaryDirectory() as folder, database("dbt"):
    project = shutil.copytree(os.path.join(HERE, "dbt"), os.path.join(folder, "dbt"))
    check("build", built, project)
    check("build again", built_again, project)
    check("docs generate", documented, project)
finish()
