#!/usr/bin/env python3
"""A document of two tables that a writer changes through Duet 100 times a second, while readers ask for it and for others.

Readers arrive at random, --rate times a second: all of them for the document that changes ("hot"), or one of ten for it and
the others for documents at random ("mixed"). Each is measured with the writer and without, alternating. Prints the share of GETs that
were answered from memory (hits ÷ (hits + misses) of /admin/rowstore), the times of the GETs from their intended start (median of the
rounds), and the median of the rounds' ratios of p99 with its 95 % interval. Needs PostgreSQL's packages as ./test does.

usage: rowstore_writes.py [--binary PATH/duet] [--rounds 8] [--seconds 10] [--rate 2000] [--changes 100] [--only sqlite|postgres]
"""
import argparse, http.client, json, os, pathlib, statistics, subprocess, sys, tempfile, threading, time, urllib.parse

from sides import BIN, Duet, load, row, shown_ratio

KEYS = 10_000
HOT = 300
WORKLOAD = """[workload]
name = "changing"
target = "{target}"

[feeders]
other = {{ uniform = [1, {keys}] }}

[[transaction]]
name = "The document that changes"
short = "HOT"
weight = 1
step = [{{ request = "GET /team_dv/{hot}", check = {{ status = 200, json."/_id" = {hot} }} }}]

[[transaction]]
name = "Others"
short = "OTHER"
weight = 9
step = [{{ request = "GET /team_dv/${{other}}", check = {{ status = 200, json."/_id" = "${{other}}" }} }}]
"""
MIXES = {"hot": "HOT=1", "mixed": "HOT=1,OTHER=9"}


class Writer(threading.Thread):
    """Changes the document so many times a second until it is stopped."""

    def __init__(self, duet, changes):
        super().__init__()
        self.duet, self.changes, self.done, self.over, self.error = duet, changes, 0, threading.Event(), None

    def run(self):
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(self.duet.url).netloc)
        headers = {"Authorization": "Bearer " + self.duet.token, "Content-Type": "application/merge-patch+json", "Prefer": "return=minimal"}
        begun = time.monotonic()
        while not self.over.wait(max(0.0, begun + self.done / self.changes - time.monotonic())):
            connection.request("PATCH", f"{self.duet.mount}/team_dv/{HOT}", json.dumps({"points": self.done}), headers)
            response = connection.getresponse()
            body = response.read()
            if response.status >= 300:
                self.error = f"{response.status}: {body.decode()}"
                return
            self.done += 1
        self.rate = self.done / (time.monotonic() - begun)

    def stop(self):
        self.over.set()
        self.join()
        if self.error:
            sys.exit(f"the document cannot be changed: {self.error}")
        return self.rate


def reads(duet, folder, mix, seed, options, writing):
    """One run: the hit rate in percent, p50 and p99 in milliseconds by type, changes per second."""
    out = folder / f"run-{time.monotonic_ns()}"
    before = duet.rowstore("team_dv")
    writer = Writer(duet, options.changes) if writing else None
    if writer:
        writer.start()
    command = [options.binary, "bench", "run", folder / "changing.toml", "--rate", str(options.rate), "--duration", f"{options.seconds}s", "--warmup", "1s"]
    command += ["--mix", MIXES[mix], "--seed", str(seed), "--quiet", "--out", out]
    ran = subprocess.run(command, env=dict(os.environ, DUET_BENCH_TOKEN=duet.token), capture_output=True, text=True)
    changes = writer.stop() if writer else 0.0
    if not (out / "result.json").exists():
        sys.exit(ran.stdout + ran.stderr)
    after = duet.rowstore("team_dv")
    hits, misses = (after[name] - before[name] for name in ("hits", "misses"))
    result = json.loads((out / "result.json").read_text())
    if result["totals"]["failed"]:
        sys.exit(f"{result['totals']['failed']} GETs failed: {ran.stdout}")
    times = {it["short"]: it["response"] for it in result["types"] if it["completed"]}
    return 100 * hits / max(1, hits + misses), times, changes


def measure(store, database, options):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        duet = Duet(folder, database, "--app", "car-racing", "--rowstore-max-age", "off", program=options.binary)
        (folder / "changing.toml").write_text(WORKLOAD.format(target=duet.url + duet.mount, keys=KEYS, hot=HOT))
        duet.remember("team_dv")
        try:
            for key in range(1, KEYS + 1):
                duet.get(f"/team_dv/{key}")
            for mix in MIXES:
                runs = {"calm": [], "changing": []}
                for number in range(options.rounds):
                    for side in list(runs) if number % 2 == 0 else reversed(list(runs)):
                        runs[side].append(reads(duet, folder, mix, number + 1, options, side == "changing"))
                report(store, mix, runs)
        finally:
            duet.stop()


def report(store, mix, runs):
    for short in runs["calm"][0][1]:
        # A percentile with too few samples beyond it is absent: such runs are too short.
        p99 = {side: [times[short]["p99_us"] for _, times, _ in them] for side, them in runs.items()}
        is_known = None not in p99["calm"] + p99["changing"]
        for side, them in runs.items():
            hits = f"{statistics.median(it[0] for it in them):.1f} %"
            changes = f"{statistics.median(it[2] for it in them):.0f}"
            p50 = f"{statistics.median(it[1][short]['p50_us'] for it in them) / 1e3:.3f}"
            shown = f"{statistics.median(p99[side]) / 1e3:.3f}" if is_known else "too few"
            ratio = shown_ratio(p99, "changing", "calm") if is_known and side == "changing" else ""
            row(store, mix, short, changes, hits, p50, shown, ratio)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, default=BIN / "duet")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rate", type=int, default=2000)
    parser.add_argument("--changes", type=int, default=100)
    parser.add_argument("--only", choices=["sqlite", "postgres"])
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        database = os.environ["DATABASE_URL"]
        load("car-racing", database, "--scale", "10000")
        return measure("PostgreSQL", database, options)
    row("store", "readers", "documents", "changes/s", "from memory, all GETs", "p50, ms", "p99, ms", "p99 changing ÷ calm (95 %)")
    row(*["---"] * 8)
    if options.only != "postgres":
        with tempfile.TemporaryDirectory() as folder:
            path = str(pathlib.Path(folder) / "racing.sqlite")
            load("car-racing", f"sqlite:{path}", "--scale", "10000")
            measure("SQLite", path, options)
    if options.only != "sqlite":
        command = [BIN / "throwaway-postgres", "--fsync", "--", sys.executable, __file__, "--inside", *sys.argv[1:]]
        return subprocess.run(command).returncode


sys.exit(main())
