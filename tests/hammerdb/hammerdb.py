"""HammerDB's TPROC-C, unmodified, phase by phase: build, check, run, delete, against SQL Server's protocol or PostgreSQL.

What always holds: HammerDB's folder is read only; its job database, its logs and the ODBC registration live in a
directory of the caller's. HammerDB's command line ends with 0 whatever happens, so a phase is judged by what it printed:
an error line, a virtual user that FAILED, or a missing success line makes it a failure.
"""

import collections
import os
import pathlib
import re
import shutil
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent

# Where Debian and others put FreeTDS' ODBC driver.
ODBC_DRIVERS = (
    "/usr/lib/x86_64-linux-gnu/odbc/libtdsodbc.so",
    "/usr/lib/aarch64-linux-gnu/odbc/libtdsodbc.so",
    "/usr/lib64/libtdsodbc.so.0",
    "/usr/lib/libtdsodbc.so",
)

# What a phase must have said, beside nothing bad.
SUCCESS = {
    "build": r"SCHEMA COMPLETE",
    "check": r"schema has been checked successfully",
    "run": r"TEST RESULT",
    "delete": r"schema has been deleted successfully",
}
BAD_LINE = re.compile(r"^.*(Error in Virtual User|FINISHED FAILED|^Error|Error:|Procedure Error|Failed|failed).*$", re.M)
RESULT = re.compile(r"System achieved (\d+) NOPM from (\d+) .* TPM")

# What is left to the other virtual users once one has failed.
GRACE_S = 20

PROFILE = re.compile(
    r">>>>> PROC: (\w+)\nCALLS: (\d+)\tMIN: [\d.]+ms\tAVG: ([\d.]+)ms\tMAX: ([\d.]+)ms.*\n"
    r"P99: ([\d.]+)ms\tP95: ([\d.]+)ms\tP50: ([\d.]+)ms"
)

Outcome = collections.namedtuple("Outcome", "ok output errors")
Figures = collections.namedtuple("Figures", "nopm tpm")


class Missing(Exception):
    """Something that HammerDB needs is not on this machine; the text says what."""


class Hammerdb:
    """HammerDB's folder, the Tcl that runs it, and a directory for what it writes."""

    def __init__(self, work, needs_odbc=True, needs_postgres=False):
        self.work = pathlib.Path(work)
        self.home = self.find_home()
        self.tclsh = self.find_tclsh()
        self.environment = os.environ | {"TMP": str(self.work), "TCLLIBPATH": self.library_path()}
        if needs_odbc:
            self.register_odbc()
        self.check_packages(["tdbc::odbc"] * needs_odbc + ["Pgtcl"] * needs_postgres)

    @staticmethod
    def find_home():
        home = os.environ.get("HAMMERDB_HOME")
        if not home:
            raise Missing("HAMMERDB_HOME does not name HammerDB's folder")
        home = pathlib.Path(home)
        if not (home / "hammerdbcli").exists():
            raise Missing(f"there is no hammerdbcli in {home} (HAMMERDB_HOME)")
        return home

    def find_tclsh(self):
        """HammerDB's own, when its folder is a release; the system's when it is a checkout."""
        own = self.home / "bin/tclsh8.6"
        found = str(own) if own.exists() else shutil.which("tclsh8.6")
        if not found:
            raise Missing("there is no tclsh8.6; install tcl8.6")
        return found

    @staticmethod
    def library_path():
        return " ".join(filter(None, (str(HERE / "tcl"), os.environ.get("TCLLIBPATH"))))

    def register_odbc(self):
        driver = os.environ.get("TDSODBC") or next((path for path in ODBC_DRIVERS if os.path.exists(path)), None)
        if not driver:
            raise Missing("FreeTDS' ODBC driver is not installed; install tdsodbc, or name libtdsodbc.so in TDSODBC")
        folder = self.work / "odbc"
        folder.mkdir(exist_ok=True)
        (folder / "odbcinst.ini").write_text(f"[FreeTDS]\nDescription = FreeTDS\nDriver = {driver}\n")
        (folder / "odbc.ini").write_text("")
        (folder / "freetds.conf").write_text("[global]\ntds version = 7.4\nclient charset = UTF-8\ntext size = 64512\n")
        self.environment |= {
            "ODBCSYSINI": str(folder), "ODBCINSTINI": "odbcinst.ini", "ODBCINI": str(folder / "odbc.ini"),
            "FREETDSCONF": str(folder / "freetds.conf"),
        }

    def check_packages(self, drivers):
        packages = ["Thread", "sqlite3", "ticklecharts", *drivers]
        if "Pgtcl" in drivers and self.package_version("Pgtcl") == "2.7.7":
            raise Missing("Debian's Pgtcl 2.7.7 mixes up the sessions of its threads; see tests/hammerdb/README.md")
        script = f"tcl::tm::path add {{{self.home}/modules}}; " + "".join(
            f"if {{[catch {{package require {name}}}]}} {{puts {name}}}\n" for name in packages
        )
        done = subprocess.run([self.tclsh], input=script, capture_output=True, text=True, env=self.environment)
        missing = done.stdout.split()
        if missing:
            raise Missing(
                f"Tcl lacks {', '.join(missing)}; tests/hammerdb/README.md says where they come from"
            )

    def package_version(self, name):
        script = f"catch {{puts [package require {name}]}}"
        return subprocess.run([self.tclsh], input=script, capture_output=True, text=True, env=self.environment).stdout.strip()

    def phase(self, phase, database, port, password, *, warehouses, users, rampup_min=1, duration_min=1,
              raise_error=True, timeout_s=None):
        """Runs one phase to its end; an `Outcome` with what is wrong in `errors`."""
        told = {
            "PHASE": phase, "DATABASE": database, "PORT": port, "PASSWORD": password, "WAREHOUSES": warehouses,
            "USERS": users, "RAMPUP_MIN": rampup_min, "DURATION_MIN": duration_min,
            "RAISEERROR": str(raise_error).lower(),
        }
        environment = self.environment | {f"HDB_{name}": str(value) for name, value in told.items()}
        command = [self.tclsh, "hammerdbcli", "tcl", "auto", str(HERE / "phase.tcl")]
        log = self.work / f"{database}_{phase}.log"
        late = run_to_end(command, self.home, environment, log, timeout_s)
        output = log.read_text(errors="replace")
        errors = late + [match.group(0).strip() for match in BAD_LINE.finditer(output)]
        if not errors and not re.search(SUCCESS[phase], output, re.I):
            errors = ["it ended without saying that it succeeded"]
        return Outcome(not errors, output, errors)


def run_to_end(command, folder, environment, log, timeout_s):
    """Runs it into the log and says why it was ended before its time. When a loader has failed, the one that watches
    the loaders waits for it for ever, so HammerDB is ended a while after the first failure."""
    started, failed_at = time.monotonic(), None
    with open(log, "wb") as out:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
        )
    try:
        while process.poll() is None:
            time.sleep(0.2)
            now = time.monotonic()
            if failed_at is None and "FINISHED FAILED" in log.read_text(errors="replace"):
                failed_at = now
            if failed_at is not None and now > failed_at + GRACE_S:
                return ["it was ended because a virtual user had failed"]
            if timeout_s is not None and now > started + timeout_s:
                return [f"it was not done after {timeout_s} s"]
        return [f"HammerDB ended with exit code {process.returncode}"] if process.returncode else []
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def figures(output):
    """NOPM and TPM of a timed run, or `None`."""
    match = RESULT.search(output)
    return Figures(int(match.group(1)), int(match.group(2))) if match else None


def timings(work):
    """Per procedure of the last timed run, of all its virtual users: calls and milliseconds by HammerDB's time profile.
    Empty without one."""
    log = pathlib.Path(work) / "hdbxtprofile.log"
    if not log.exists():
        return {}
    summary = log.read_text(errors="replace").rpartition(">>>>> SUMMARY OF ")[2]
    return {
        name: {"calls": int(calls), "avg_ms": float(avg), "max_ms": float(most), "p99_ms": float(p99),
               "p95_ms": float(p95), "p50_ms": float(p50)}
        for name, calls, avg, most, p99, p95, p50 in PROFILE.findall(summary)
    }
