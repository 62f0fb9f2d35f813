"""The SQL that Entity Framework Core's own tests expect it to send, against a server: `efcore.py FOLDER [RESULTS]`.

FOLDER is a checkout of dotnet/efcore (or EFCORE names it); nothing of it is kept here. Statements of the Northwind tests run in Northwind,
which the checkout's own script fills. Those of migrations run test by test, each in an empty database in which what a statement lacks is
made when it is missed. All others run in a database for each file, whose tables are derived from the statements (efcore_tables.py).
Each statement has a transaction that is rolled back, but for migrations. Temporal tables and spatial types are left out.

`efcore.known` lists what fails for a known reason; anything else is printed, each error once with how often it came and one statement.
The exit code is 0 when there is none. RESULTS gets a line of JSON for each failing statement. MILLPOND names the server's binary.
"""
import collections
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from babelfish import Server
from efcore_migrations import migrations
from efcore_tables import Types, tables
from efcore_texts import METHOD, batch, batches, statements, tokens

TESTS = "test/EFCore.SqlServer.FunctionalTests"
LEFT_OUT = re.compile(r"CommandConfigurationTest|Temporal|Spatial|Synapse|Baselines|HierarchyId|SqlServerGeo")
OF_NORTHWIND = re.compile(r"^(?:FromSqlQuery|SqlQuery|ToSqlQuery|FromSqlSprocQuery|SqlExecutor)")
MODULE = re.compile(r"\s*(?:IF .*\s)?CREATE\s+(?:OR\s+ALTER\s+)?(?:FUNCTION|PROC|PROCEDURE|VIEW|TRIGGER|TYPE|SEQUENCE|SCHEMA)\b", re.I)


def files(root):
    """The files of tests, each with its path."""
    for folder, _, names in sorted(os.walk(os.path.join(root, TESTS))):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.endswith(".cs") and not LEFT_OUT.search(os.path.relpath(path, root)):
                yield name, path


def errors(connection, text):
    """The errors of a batch above severity 10."""
    return [item for item in connection.run(text, timeout=120) if item[0] == "error"]


class Run:
    """A server, its connection, and what came of the statements so far."""

    def __init__(self):
        self.server = Server()
        self.connection = self.server.connect()
        self.total, self.failed, self.databases = collections.Counter(), [], 0

    def database(self, name=None):
        """Makes a database, which the connection then uses."""
        if name is None:
            self.databases += 1
            name = f"ef{self.databases}"
        self.connection.run("IF @@TRANCOUNT > 0 ROLLBACK; SET IMPLICIT_TRANSACTIONS OFF; USE master")
        self.expect(f"CREATE DATABASE [{name}]")
        self.connection.run(f"USE [{name}]")
        return name

    def drop(self, name):
        self.connection.run("IF @@TRANCOUNT > 0 ROLLBACK; SET IMPLICIT_TRANSACTIONS OFF; USE master")
        self.connection.run(f"DROP DATABASE [{name}]")

    def expect(self, text):
        for error in errors(self.connection, text):
            sys.exit(f"efcore: {text[:300]}: {error[1]} {error[5]}")

    def note(self, group, statement, text, error):
        self.failed.append({"group": group, "file": statement.file, "method": statement.method, "line": statement.line,
                            "number": error[1], "message": error[5], "text": text})

    def again(self, name, message, group, statement, text):
        """Connects anew after the connection was lost, which is a failure of its own."""
        self.note(group, statement, text, ("error", 0, 0, 0, 0, f"the connection ended: {message}", ""))
        self.connection.close()
        self.connection = self.server.connect(name)

    def one(self, group, name, statement, before=()):
        """Runs a statement in a transaction that is rolled back, after what its test makes before."""
        self.total[group] += 1
        text = batch(statement)
        try:
            self.connection.run("BEGIN TRANSACTION")
            for module in before:
                errors(self.connection, module)
            found = errors(self.connection, text)
            self.connection.run("IF @@TRANCOUNT > 0 ROLLBACK; SET IMPLICIT_TRANSACTIONS OFF; SET NOCOUNT OFF; SET XACT_ABORT OFF")
        except Exception as lost:  # also a stream of tokens that cannot be read
            return self.again(name, lost, group, statement, text)
        for error in found[:1]:
            self.note(group, statement, text, error)


def northwind(run, root, of_northwind):
    """The statements over Northwind, which is loaded before."""
    script = open(os.path.join(root, TESTS, "Northwind.sql"), encoding="utf-16").read().replace("\r", "")
    name = run.database("Northwind")
    for text in batches(script):
        run.expect(text)
    for statement in of_northwind:
        run.one("northwind", name, statement)


def modules(path):
    """The functions, procedures and their like that the tests of a file make: by the name of the method."""
    code, method, found = open(path, encoding="utf-8-sig").read().replace("\r", ""), "", collections.defaultdict(list)
    for kind, _, _, value in tokens(code):
        if kind == "code":
            method = ([method] + METHOD.findall(value))[-1]
        elif value and MODULE.match(value):
            found[method] += batches(value)
    return found


def models(run, types, name, path, found):
    """Statements of a file over tables that are derived from them."""
    database = run.database()
    related = [name] + [one for one in types.by_file if one.replace("TestBase", "") in (
        name.replace("SqlServerTest", ""), name.replace("SqlServerTest", "Relational"), name.replace("SqlServer", ""))]
    made = modules(path)
    texts = [found[0]._replace(text=text, parameters=[]) for of_method in made.values() for text in of_method]
    for text in tables(found + texts, types, related):
        for error in errors(run.connection, text):
            print(f"efcore: {name}: {text[:200]}: {error[1]} {error[5]}", file=sys.stderr)
    of_tests = {statement.method for statement in found}
    for method, texts in made.items():
        for text in texts if method not in of_tests else ():
            errors(run.connection, text)
    for statement in found:
        run.one("models", database, statement, made.get(statement.method, ()))
    run.drop(database)


def known(path):
    """Rules of `efcore.known`: class, number, pattern of the message, pattern of the file and text; and the reason."""
    for line in open(path, encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            kind, number, message, text, reason = (part.strip() for part in line.split(" | "))
            yield kind, number, re.compile(message), re.compile(text, re.S), reason


def main():
    arguments = sys.argv[1:]
    root = arguments[0] if arguments else os.environ["EFCORE"]
    only = os.environ.get("EFCORE_ONLY")
    types = Types([os.path.join(root, "test", one) for one in ("EFCore.SqlServer.FunctionalTests", "EFCore.Specification.Tests", "EFCore.Relational.Specification.Tests")])
    run, of_northwind, interpolated = Run(), [], 0
    for name, path in files(root):
        if only and not re.search(only, path):
            continue
        found, skipped = statements(path, name)
        found = [one for one in found if not re.search(r"FOR SYSTEM_TIME|SYSTEM_VERSIONING|\bgeo(?:graphy|metry)\b|hierarchyid", one.text)]
        interpolated += skipped
        if not found:
            continue
        if (OF_NORTHWIND.match(name) or "Northwind" in open(path, encoding="utf-8-sig").read()) and "Migrations" not in path:
            of_northwind += found
        elif os.path.basename(os.path.dirname(path)) in ("Migrations", "Scaffolding"):
            migrations(run, types, name, found)
        else:
            models(run, types, name, path, found)
    if of_northwind:
        northwind(run, root, of_northwind)
    report(run, interpolated, arguments[1:])


def report(run, interpolated, results):
    """Prints what came of the statements and ends with the exit code."""
    rules, counts, rest = list(known(os.path.join(HERE, "efcore.known"))), collections.Counter(), {}
    reasons = collections.Counter()
    for failure in run.failed:
        for kind, number, message, text, reason in rules:
            if re.fullmatch(number, str(failure["number"])) and message.search(failure["message"]) and text.search(failure["file"] + " " + failure["method"] + "\n" + failure["text"]):
                counts[kind] += 1
                reasons[f"{kind}: {reason}"] += 1
                failure["known"] = kind
                break
        else:
            counts["new"] += 1
            key = (failure["number"], re.sub(r"'[^']*'|\"[^\"]*\"|\d+", "…", failure["message"]))
            rest.setdefault(key, []).append(failure)
    if results:
        with open(results[0], "w", encoding="utf-8") as out:
            out.writelines(json.dumps(failure) + "\n" for failure in run.failed)
    for (number, _), failures in sorted(rest.items(), key=lambda item: -len(item[1])):
        one = min(failures, key=lambda failure: len(failure["text"]))
        print(f"=== {len(failures)} times {number} {one['message']}\n    {one['file']}:{one['line']} {one['method']}\n{one['text']}")
    for reason, count in reasons.most_common():
        print(f"{count:6} {reason}")
    print(", ".join(f"{group}: {count}" for group, count in run.total.items()) + f" statements, {interpolated} interpolated ones left out; "
          f"failed: {sum(counts.values())} (" + ", ".join(f"{kind} {count}" for kind, count in counts.items()) + ")")
    run.server.stop()
    sys.exit(1 if rest else 0)


if __name__ == "__main__":
    main()
