#!/usr/bin/env python3
"""The page of a run of many hours: time and size of `duet bench report`.

A short run is recorded, and its measured seconds are repeated in its result until there are as many as in the long
run. Each has a histogram and observed figures, as in a result that took as long.

    bench/long_report.py --duet target/release/duet
"""

import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duet", default="target/release/duet", help="the program")
    parser.add_argument("--seconds", type=int, default=36_000, help="seconds of the long run (default: ten hours)")
    parser.add_argument("--record", default="30s", help="how long the run is that is repeated")
    parser.add_argument("--runs", type=int, default=5, help="how often the page is made")
    return parser.parse_args()


def recorded(duet, folder, record):
    """The result of a short run of several types against a server of its own."""
    run = [duet, "bench", "run", "soe-client", "--users", "8", "--duration", record, "--warmup", "1s",
           "--quiet", "--out", str(folder)]
    subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
    return json.loads((folder / "result.json").read_text())


def lengthened(result, seconds):
    """The result with its measured seconds repeated."""
    before = [second for second in result["seconds"] if second["phase"] not in ("measure", "drain")]
    measured = [second for second in result["seconds"] if second["phase"] == "measure"]
    if not measured:
        sys.exit("The run has no measured second.")
    first = before[-1]["at_s"] + 1 if before else 0
    long = [{**measured[at % len(measured)], "at_s": first + at} for at in range(seconds)]
    result["seconds"] = before + long
    result["window"]["measured_s"] = float(seconds)
    return result


def made(duet, result, page):
    """Seconds and processor seconds of one page."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.monotonic()
    subprocess.run([duet, "bench", "report", str(result), "--out", str(page)], check=True, stdout=subprocess.DEVNULL)
    took = time.monotonic() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    given = arguments()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        result = lengthened(recorded(given.duet, folder / "short", given.record), given.seconds)
        path, page = folder / "long.json", folder / "long.html"
        path.write_text(json.dumps(result))
        times = [made(given.duet, path, page) for _ in range(given.runs)]
        took, processor = (statistics.median(each[at] for each in times) for at in (0, 1))
        print(f"result: {os.path.getsize(path) / 1e6:.1f} MB of {len(result['seconds']):,} seconds")
        print(f"page: {os.path.getsize(page) / 1e6:.2f} MB")
        print(f"time: {took:.2f} s (median of {given.runs}), processor {processor:.2f} s")


if __name__ == "__main__":
    main()
