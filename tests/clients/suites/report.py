"""What a driver's own suite said, as the lines that tests/clients/run counts.

`report.py go-mssqldb RESULTS` reads the events of `go test -json`, `report.py tedious RESULTS` those of mocha's reporter of
JSON. Each test becomes `ok NAME`, `skip NAME` or `FAILED NAME: why`. One that is in the list of known failures beside this
file (`NAME<tab>why`) becomes `known NAME: why` while it fails, and `FAILED` when it passes: then its line is to go, unless
the network of the machine decides.
"""

import json
import pathlib
import sys


def of_go(lines):
    """Only tests that are no part of another one: (name, outcome, what was said last)."""
    ended, said = {}, {}
    for line in lines:
        event = json.loads(line) if line.startswith("{") else {}
        name = event.get("Test", "")
        if event.get("Action") == "output":
            said.setdefault(name.split("/")[0], []).append(event["Output"].strip())
        elif event.get("Action") in ("pass", "fail", "skip") and name and "/" not in name:
            ended[name] = event["Action"]
    for name, outcome in ended.items():
        # Lines of the driver's log are not what a test says of itself.
        own = [line for line in said.get(name, []) if "_test.go:" in line and "session.go:" not in line]
        yield name, outcome, " ".join(own[-2:])


def of_mocha(lines):
    report = json.loads("".join(lines))
    for outcome, part in (("pass", "passes"), ("fail", "failures"), ("skip", "pending")):
        for test in report[part]:
            yield test["fullTitle"], outcome, test["err"].get("message", "")


def main():
    suite, results = sys.argv[1:]
    known = {}
    for line in pathlib.Path(__file__).with_name(f"{suite}.known").read_text(encoding="utf-8").splitlines():
        name, _, why = line.partition("\t")
        known[name] = why
    with open(results, encoding="utf-8") as lines:
        for name, outcome, said in {"go-mssqldb": of_go, "tedious": of_mocha}[suite](lines):
            if outcome == "skip":
                print(f"skip {name}")
            elif name in known and outcome == "fail":
                print(f"known {name}: {known[name]}")
            elif name in known and not known[name].startswith("network: "):
                print(f"FAILED {name}: it passes, and is known to fail")
            elif outcome == "fail":
                print(f"FAILED {name}: {' '.join(said.split())[:300]}")
            else:
                print(f"ok {name}")


main()
