#!/usr/bin/env python3
"""`duet bench` beside `wrk -t1` against servers that fail on purpose, sides alternating in one run:

1. a server that closes the connection instead of every 50th answer (2 %), 32 connections;
2. a server whose answers take 2 s, 9,000 connections: 4,500 answers per second are true.

Needs wrk and 20,000 file descriptors. Prints Markdown.

usage: client.sh [--rounds 5] [--seconds 4] [--built]
"""
import argparse, json, pathlib, re, resource, statistics, subprocess, sys, tempfile, time

from sides import BIN, alternate, build, row, shown, shown_ratio


class Server:
    """A faulty server of its own."""

    def __init__(self, *faults):
        self.process = subprocess.Popen([BIN / "faulty-server", *faults], stdout=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}/"

    def stop(self):
        self.process.kill()
        self.process.wait()


def by_wrk(url, connections, seconds):
    """Answers per second."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", url]
    out = subprocess.run(command, capture_output=True, text=True).stdout
    return float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1))


def by_bench(url, connections, seconds, folder):
    """The result of a closed run."""
    out = folder / f"run-{time.monotonic_ns()}"
    command = [BIN / "duet", "bench", "run", "rest", "--target", url, "--users", str(connections), "--duration", f"{seconds}s", "--warmup", "1s"]
    ran = subprocess.run([*command, "--quiet", "--out", out], capture_output=True, text=True)
    if not (out / "result.json").exists():
        sys.exit(ran.stdout + ran.stderr)
    return json.loads((out / "result.json").read_text())


def dropped(folder, options):
    server = Server("--drop", "50")
    results = []

    def bench(_seed):
        results.append(by_bench(server.url, 32, options.seconds, folder))
        return results[-1]["totals"]["tps"]
    rates = alternate({"bench": bench, "wrk": lambda _: by_wrk(server.url, 32, options.seconds)}, options.rounds, options.seconds)
    server.stop()
    failed = [it["totals"]["failed_in_window"] / (it["totals"]["failed_in_window"] + it["totals"]["completed_in_window"]) for it in results]
    row("2 % dropped: `duet bench`, answers/s", shown(rates["bench"]), "")
    row("2 % dropped: wrk, answers/s", shown(rates["wrk"]), "")
    row("2 % dropped: bench ÷ wrk (95 %)", shown_ratio(rates, "bench", "wrk"), "")
    row("2 % dropped: requests that failed, by the bench", f"{statistics.median(failed) * 100:.2f} %", "2 %")


def slow(folder, options):
    server = Server("--delay", "2000")
    results = [by_bench(server.url, 9000, 10, folder) for _ in range(2)]
    by_other = by_wrk(server.url, 9000, 20)
    server.stop()
    rates = " and ".join(f"{it['totals']['tps']:,.0f}" for it in results)
    limits = sum(it["client"]["was_the_limit"] for it in results)
    row("9,000 users, answers of 2 s: `duet bench`, answers/s", rates, "4,500 are true")
    row("9,000 users, answers of 2 s: runs that blame the client", limits, "0")
    row("9,000 users, answers of 2 s: wrk in 20 s, answers/s", f"{by_other:,.0f}", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--built", action="store_true", help="the build exists already")
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 20_000), most))
    if not options.built:
        build()
    row("figure", "measured", "expected")
    row("---", "---", "---")
    with tempfile.TemporaryDirectory() as folder:
        dropped(pathlib.Path(folder), options)
        slow(pathlib.Path(folder), options)


main()
