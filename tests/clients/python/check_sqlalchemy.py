"""SQLAlchemy's compliance suite of dialects, and the tests that it has for its dialect of SQL Server, by three drivers.
`pyodbc-freetds` runs when it is named: its failures are not explained yet.

`check_sqlalchemy.py SOURCES [DRIVER…]`: where the source distribution of the installed version is unpacked; its tests are not in
the package. What does not pass stands with its reason in sqlalchemy/explained.txt; a driver's check fails by anything
else, and by what stands there and passes. A line with the figures follows each.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

from tools import check, database, finish, run_as_sa, url

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = sys.argv[1]
NAME = "sqlalchemy"


def project(folder):
    """The suite as README.dialects.rst sets it up."""
    shutil.copytree(os.path.join(HERE, "sqlalchemy"), folder, dirs_exist_ok=True)
    shutil.copy(os.path.join(SOURCES, "test", "requirements.py"), folder)
    shutil.copytree(os.path.join(SOURCES, "test", "dialect", "mssql"), os.path.join(folder, "dialect", "mssql"))
    for data in glob.glob(os.path.join(SOURCES, "test", "*.dat")):
        shutil.copy(data, folder)


def explained(driver):
    """Tests that fail, and those whose end depends on what comes first."""
    with open(os.path.join(HERE, "sqlalchemy", "explained.txt"), encoding="utf-8") as file:
        lines = [line.split(None, 3) for line in file if not line.startswith("#")]
    lines = [line for line in lines if line[0] in ("*", driver)]
    return {line[2] for line in lines if line[1] != "race"}, {line[2] for line in lines if line[1] == "race"}


def outcomes(folder, driver, *what):
    """Each test by its class and name, and what became of it."""
    report = os.path.join(folder, f"{driver}.xml")
    words = [sys.executable, "-m", "pytest", "-q", "--dburi", url(driver, NAME), f"--junitxml={report}", *what]
    subprocess.run(words, cwd=folder, capture_output=True, check=False)
    found = {}
    for case in xml.parse(report).iter("testcase"):
        kind = case.attrib["classname"].rsplit(".", 1)[-1]
        kind = re.sub(r"_mssql\+.*", "", kind)
        ends = {child.tag for child in case}
        end = "failed" if ends & {"failure", "error"} else "skipped" if "skipped" in ends else "passed"
        key = f"{kind}::{case.attrib['name']}"
        found[key] = end if found.get(key) in (None, "passed") else found[key]
    return found


def suite(folder, driver):
    with database(NAME):
        run_as_sa(f"alter database {NAME} set allow_snapshot_isolation on", f"alter database {NAME} set read_committed_snapshot on")
        run_as_sa("create schema test_schema", database=NAME)
        run_as_sa("create schema test_schema_2", database=NAME)
        found = outcomes(folder, driver, "test_suite.py", "dialect")
    failed = {name for name, end in found.items() if end == "failed"}
    known, races = explained(driver)
    counts = {end: sum(1 for one in found.values() if one == end) for end in ("passed", "failed", "skipped")}
    print(f"# {driver}: {counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped", flush=True)
    if counts["passed"] < 2000:
        raise AssertionError(f"only {counts['passed']} tests passed")
    if failed - known - races:
        raise AssertionError(f"unexplained: {sorted(failed - known - races)}")
    passing = {name for name in known & set(found) if found[name] == "passed"}
    if passing:
        raise AssertionError(f"explained, and pass: {sorted(passing)}")


with tempfile.TemporaryDirectory() as folder:
    project(folder)
    for driver in sys.argv[2:] or ("mssqlpython", "pyodbc-microsoft", "pymssql"):
        check(driver, suite, folder, driver)
finish()
