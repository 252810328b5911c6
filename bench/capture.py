#!/usr/bin/env python3
"""Changes by other programs on PostgreSQL with fsync=on, by the change stream and by the change table.

Seen: psql changes a row whose item is in memory; the time from its commit until GET answers with the new value, asked without a
pause on one connection. Each change is of another row, and its item is in memory before.
Cost: pgbench changes rows --rate times a second, while Duet captures them and nobody reads; the processor time of Duet ÷ that of
PostgreSQL, and how far behind the capture was (from /admin/rowstore, four times a second). For comparison: the processor time of the
same server at the same rate without Duet.

usage: capture.sh [--changes 1000] [--seconds 20] [--rate 5000] [--built]
"""
import argparse, http.client, json, os, pathlib, subprocess, sys, tempfile, time, urllib.parse

from sides import BIN, Duet, build, load, postmaster, processor_time, row

KEYS = 10_000
CHANGE = """\\set id random(1, {keys})
UPDATE team SET points = points + 1 WHERE team_id = :id;
"""


class Psql:
    """A session that runs a statement at a time."""

    def __init__(self, database):
        command = ["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", database]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, statement):
        """Runs it, and waits for its one row."""
        self.process.stdin.write(statement + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()


class Reader:
    """Items by one connection."""

    def __init__(self, duet):
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(duet.url).netloc)
        self.path, self.headers = duet.mount + "/team/", {"Authorization": "Bearer " + duet.token}

    def get(self, key):
        """The points of a team, and whether they came from memory."""
        self.connection.request("GET", self.path + str(key), headers=self.headers)
        response = self.connection.getresponse()
        body = json.loads(response.read())
        if response.status != 200:
            sys.exit(f"GET {self.path}{key}: {response.status} {body}")
        return body["points"], response.getheader("x-cache") == "hit"


def seen(duet, database, changes):
    """Milliseconds from each commit until it is seen."""
    psql, reader, times = Psql(database), Reader(duet), []
    for number in range(changes):
        key = number % KEYS + 1
        before, kept = reader.get(key)
        while not kept:
            before, kept = reader.get(key)
        wanted = float(psql.run(f"UPDATE team SET points = {number + 1} WHERE team_id = {key} RETURNING points;"))
        begun = time.monotonic()
        while float(reader.get(key)[0]) != wanted:
            pass
        times.append((time.monotonic() - begun) * 1000)
    return sorted(times)


def lag(duet):
    captures = json.loads(duet.ask("/admin/rowstore"))["captures"]
    return captures[0]["lagSeconds"] * 1000


def cost(duet, folder, database, options):
    """Processor seconds of PostgreSQL, of Duet, changes per second, and the lags in milliseconds."""
    script = folder / "change.pgbench"
    script.write_text(CHANGE.format(keys=KEYS))
    server, lags = postmaster(database), []
    before = processor_time(server), processor_time(duet.process.pid) if duet else 0.0
    command = ["pgbench", "-n", "-M", "prepared", "-c", "8", "-j", "1", "-R", str(options.rate), "-T", str(options.seconds), "-f", script, database]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while running.poll() is None:
        time.sleep(0.25)
        if duet:
            lags.append(lag(duet))
    out = running.communicate()[0]
    if running.returncode:
        sys.exit(out)
    rate = next(float(line.split("=")[1].split()[0]) for line in out.splitlines() if line.startswith("tps"))
    of_duet = processor_time(duet.process.pid) - before[1] if duet else 0.0
    return processor_time(server) - before[0], of_duet, rate, sorted(lags)


def part(values, share):
    return values[min(len(values) - 1, int(len(values) * share))]


def measure(means, folder, database, options):
    load("car-racing", database, "--scale", str(KEYS // 10))
    alone, _, _, _ = cost(None, folder, database, options)
    subprocess.run([BIN / "duet", "rowstore", "prepare", "--database", database, "--means", means], check=True, stdout=subprocess.DEVNULL)
    duet = Duet(folder, database)
    duet.remember("team")
    duet.populate("team")
    times = seen(duet, database, options.changes)
    row(means, "a foreign change is seen after, ms: p50", f"{part(times, 0.5):.1f}", "50 (goal 10)")
    row(means, "p99", f"{part(times, 0.99):.1f}", "250 (goal 50)")
    row(means, "the longest", f"{times[-1]:.1f}", "report")
    server, own, rate, lags = cost(duet, folder, database, options)
    row(means, "changes per second while the cost is measured", f"{rate:,.0f}", "")
    row(means, "processor time of Duet ÷ PostgreSQL", f"**{own / server:.2f}**", "0.2 (goal 0.1)")
    row(means, "processor time of PostgreSQL with the capture ÷ without", f"{server / alone:.2f}", "report")
    row(means, "lag, ms: p50, p99, longest", f"{part(lags, 0.5):.0f}, {part(lags, 0.99):.0f}, {lags[-1]:.0f}", "report")
    duet.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--changes", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rate", type=int, default=5000)
    parser.add_argument("--built", action="store_true", help="the build exists already")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        with tempfile.TemporaryDirectory() as folder:
            return measure(options.inside, pathlib.Path(folder), os.environ["DATABASE_URL"], options)
    if not options.built:
        build()
    row("means", "figure", "measured", "at most")
    row("---", "---", "---", "---")
    for means, level in (("stream", "logical"), ("table", "replica")):
        again = [sys.executable, __file__, *sys.argv[1:], "--inside", means]
        ran = subprocess.run([BIN / "throwaway-postgres", "--fsync", "--setting", f"wal_level={level}", "--", *again])
        if ran.returncode:
            return ran.returncode
    return 0


sys.exit(main())
