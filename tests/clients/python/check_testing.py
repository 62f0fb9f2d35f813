"""The fixtures of examples/testing, one in each language, all at the same moment and most of them twice: green on their
templates, red when another person has come into these, and without a copy left both times.

`check_testing.py EXAMPLES WORK NODE_FOLDER`: EXAMPLES is examples/testing, WORK keeps what is compiled, NODE_FOLDER has node_modules.
A language whose tool is not there is skipped.
"""

import os
import shutil
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytds
from dbapi import HOST, PASSWORD, PORT, rows, run

EXAMPLES, WORK, NODE_FOLDER = map(Path, sys.argv[1:])
STRANGER = "Nobody"
# Where the server is, in their words; Java's machines live too shortly to be worth the second compiler.
ENVIRONMENT = os.environ | {
    "MSSQL_HOST": HOST,
    "MSSQL_PORT": str(PORT),
    "PYTHONDONTWRITEBYTECODE": "1",
    "CARGO_TARGET_DIR": str(WORK / "rust"),
    "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


class Fixture:
    """Its command, where that runs, and how often at the same moment."""

    def __init__(self, language, command, folder=None, parts=(), times=2):
        self.language, self.command, self.times, self.parts = language, command, times, parts
        self.folder = folder or EXAMPLES / language

    def is_possible(self):
        return shutil.which(self.command[0]) is not None

    def copy(self):
        """What it is made of, to a folder that it may write to."""
        for part in self.parts:
            source, target = EXAMPLES / self.language / part, self.folder / part
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.rmtree(target, ignore_errors=True)
                shutil.copytree(source, target)
            else:
                shutil.copy2(source, target)

    def tests(self):
        """Whether they pass, and what they say."""
        ended = subprocess.run(
            self.command, cwd=self.folder, env=ENVIRONMENT, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )
        return ended.returncode == 0, ended.stdout


FIXTURES = [
    Fixture("python", [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider"]),
    Fixture("go", ["go", "test", "-count=1", "./..."]),
    Fixture("rust", ["cargo", "test", "--quiet", "--locked"]),
    Fixture("node", ["npm", "test"], NODE_FOLDER / "testing", ["package.json", "pond.js", "people.test.js"]),
    # Two runs would compile into one folder.
    Fixture("java", ["mvn", "-q", "-B", "-Dstyle.color=never", "test"], WORK / "java", ["pom.xml", "src"], times=1),
]


def master():
    return pytds.connect(dsn=HOST, port=PORT, user="sa", password=PASSWORD, autocommit=True)


def databases(like):
    with master() as connection:
        return [name for (name,) in rows(connection, "select name from sys.databases where name like %s", (like,))]


def let_stranger_in():
    for template in databases("people_template%"):
        with master() as connection:
            run(connection, f"insert {template}.dbo.people (name) values (%s)", (STRANGER,))


def check(name, holds, why):
    # What a fixture says has lines that begin like this one.
    print(f"ok {name}" if holds else f"FAILED {name}: {textwrap.indent(str(why), '  ').lstrip()}", flush=True)


def phase(name, possible, times, holds):
    """All of them side by side."""
    with ThreadPoolExecutor(max_workers=16) as pool:
        runs = [(fixture, pool.submit(fixture.tests)) for fixture in possible for _ in range(min(times, fixture.times))]
    failed = {}
    for fixture, ended in runs:
        passed, said = ended.result()
        if not holds(passed, said):
            failed.setdefault(fixture.language, said)
    for fixture in possible:
        check(f"{fixture.language} {name}", fixture.language not in failed, failed.get(fixture.language))
    left = databases("test[_]%")
    check(f"{name}: no copy is left", not left, left)


def main():
    possible = [fixture for fixture in FIXTURES if fixture.is_possible()]
    for fixture in FIXTURES:
        if fixture not in possible:
            print(f"skip {fixture.language}: there is no {fixture.command[0]}")
    for fixture in possible:
        fixture.copy()
    phase("passes", possible, 2, lambda passed, _: passed)
    templates = databases("people_template%")
    check("each has a template", len(templates) == len(possible), templates)
    let_stranger_in()
    phase("fails where its template is another", possible, 1, lambda passed, said: not passed and STRANGER in said)


main()
