#!/usr/bin/env python3
"""Spill-shaped I/O, sequential writes and reads of 64 KB, 256 KB and 1 MB, one and 32 at a time, with fio as the peer.

  benches/spill_io.py file
  benches/spill_io.py file --sizes 256 --depths 32 --seconds 5
  benches/spill_io.py stripe

`file`: a real file by `millpond probe`, which asks the device as checkpoints and spills do (many requests of one call, by
io_uring where the system has it), and fio with direct=1 and ioengine=io_uring (psync at depth 1) on a file of its own
beside it; interleaved pairs of each size, direction and depth. Both have their buffers in pages of 4 KB, as fio has them:
in huge ones, which the allocator would take, a request has fewer parts and is up to twice as fast here (--huge-pages).
Wants Debian's package fio.

`stripe`: an emulated disk and a stripe of two of them, on a frozen clock, so that one run says it all.
"""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import kit

DISK = """
[device.one]
model = "{model}"

[device.two]
model = "{model}"

[device.both]
model = "stripe"
members = ["one", "two"]
"""


def arguments():
    parser = kit.Arguments(__doc__, experiments=("file", "stripe"))
    parser.add_argument("--sizes", type=kit.numbers, default=[64, 256, 1024], help="KB (default: 64,256,1024)")
    parser.add_argument("--depths", type=kit.numbers, default=[1, 32], help="requests at a time (default: 1,32)")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each measurement (default: %(default)s)")
    parser.add_argument("--file-mb", type=int, default=512, help="of each file (default: %(default)s)")
    parser.add_argument("--huge-pages", action="store_true", help="Millpond's buffers may be in huge pages, fio's are not")
    parser.add_argument("--model", default="disk-10k-sas", help="of the striped devices (default: %(default)s)")
    return parser.parse_args()


def probe(options, target, size_kb, depth, direction, *more):
    """MB/s of one cell."""
    command = [
        options.millpond, "probe", str(target), "--sizes", str(size_kb), "--depths", str(depth), "--order", "sequential",
        "--direction", direction, "--size", str(options.file_mb), "--format", "json", *more,
    ]
    environment = os.environ | ({} if options.huge_pages else {"MIMALLOC_ALLOW_THP": "0"})
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed: {done.stderr}")
    return json.loads(done.stdout)["mb_s"]


def fio(options, path, size_kb, depth, direction):
    """MB/s of one job on a file that was written before."""
    engine = "psync" if depth == 1 else "io_uring"
    command = [
        "fio", "--name=peer", f"--filename={path}", f"--size={options.file_mb}m", "--direct=1", f"--ioengine={engine}",
        f"--iodepth={depth}", f"--bs={size_kb}k", f"--rw={direction}", "--time_based", f"--runtime={round(options.seconds * 1000)}ms",
        "--output-format=json",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed: {done.stderr}")
    # Warnings come before the object.
    job = json.loads(done.stdout[done.stdout.index("{"):])["jobs"][0]
    return job[direction]["bw_bytes"] / 1e6


@contextlib.contextmanager
def filled_file(options):
    """A file of real blocks, so that reads come from the disk and writes find their place."""
    with tempfile.NamedTemporaryFile(prefix="millpond-fio.", dir=options.disk) as file:
        block = b"\x5a" * (1 << 20)
        for _ in range(options.file_mb):
            file.write(block)
        file.flush()
        yield pathlib.Path(file.name)


def compare_files(report, options):
    if shutil.which("fio") is None:
        raise SystemExit("fio is missing: apt-get install fio")
    version = subprocess.run(["fio", "--version"], capture_output=True, text=True).stdout.strip()
    report.line(f"{version} on {options.disk}")
    report.add("fio", version)
    rows = []
    with filled_file(options) as path:
        for direction in ("write", "read"):
            for depth in options.depths:
                for size_kb in options.sizes:
                    seconds = ("--seconds", str(options.seconds))
                    found = kit.pairs(
                        options.pairs,
                        lambda: probe(options, options.disk, size_kb, depth, direction, *seconds),
                        lambda: fio(options, path, size_kb, depth, direction),
                    )
                    name = f"{direction} {size_kb} KB depth {depth}"
                    rows.append(row_of(report, name, found))
                    report.line(f"  {name}: {rows[-1][3]}")
    report.table("sequential, MB/s (medians)", ["", "Millpond", "fio", "ratio", "least", "most"], rows)


def row_of(report, name, found):
    ratio = kit.spread([ours / theirs for ours, theirs in found])
    report.add(name, {"pairs": found, "ratio": ratio})
    ours, theirs = (kit.spread(values)["median"] for values in zip(*found))
    return [name, f"{ours:,.0f}", f"{theirs:,.0f}", *(f"{ratio[key]:.2f}" for key in ("median", "min", "max"))]


def compare_stripes(report, options):
    rows = []
    with tempfile.TemporaryDirectory(prefix="millpond-stripe.") as directory:
        config = pathlib.Path(directory) / "stripe.toml"
        config.write_text(DISK.format(model=options.model))
        for direction in ("write", "read"):
            for depth in options.depths:
                for size_kb in options.sizes:
                    more = ("--clock", "frozen", "--depth-by", "calls")
                    two, one = (
                        probe(options, config, size_kb, depth, direction, *more, "--device", device)
                        for device in ("both", "one")
                    )
                    name = f"{direction} {size_kb} KB depth {depth}"
                    report.add(name, {"two": two, "one": one, "ratio": two / one})
                    rows.append([name, f"{two:,.1f}", f"{one:,.1f}", f"{two / one:.2f}"])
    title = f"sequential on emulated {options.model}, MB/s"
    report.table(title, ["", "two striped", "one", "ratio"], rows)


def main():
    options = arguments()
    report = kit.Report(options.json, f"{options.pairs} pairs, {options.seconds} s each, files of {options.file_mb} MB")
    experiments = {"file": compare_files, "stripe": compare_stripes}
    for name in options.experiments or experiments:
        experiments[name](report, options)
    report.end()


main()
