#!/usr/bin/env python3
"""The figures of writing in bench/log/: sides alternating in one run, median of the rounds,
ratios with their 95 % interval.

Needs wrk, perf and pgbench, and PostgreSQL's packages as ./test does. Prints Markdown.

usage: writes.py [--rounds 5] [--seconds 10] [--only sqlite|postgres] [--built]
"""
import argparse, os, pathlib, signal, statistics, subprocess, sys, tempfile, time

from sides import BIN, ROOT, Duet, alternate, build, load, pgbench, row, shown, shown_ratio, wrk

LUA = ROOT / "bench" / "writes.lua"
UPDATES = """\\set n random(1000, 100000)
\\set points random(1, 1000000)
BEGIN;
UPDATE team SET points = :points WHERE team_id = :n;
UPDATE driver SET points = :points WHERE driver_id = 2 * :n - 1;
UPDATE driver SET points = :points WHERE driver_id = 2 * :n;
COMMIT;
"""
INSERT = """\\set n random(1, 9000000000000000)
INSERT INTO team (name, points) VALUES ('Bench ' || :n, 1);
"""


def writing(duet, kind, path, seconds, connections):
    def side(seed):
        os.environ["DUET_KIND"] = kind
        # Names are new in every run.
        return wrk(duet.url, duet.mount + path, seconds, connections, duet.token, seed=time.time_ns() % 10**15 + seed, script=LUA)
    return side


def on_postgres(folder, options):
    database = os.environ["DATABASE_URL"]
    load("car-racing", database, "--scale", "10000")
    updates, insert = folder / "updates.sql", folder / "insert.sql"
    updates.write_text(UPDATES)
    insert.write_text(INSERT)
    duet = Duet(folder, database, "--app", "car-racing")
    sides = {"put": writing(duet, "put", "/team_dv/", options.seconds, 16), "pgbench": pgbench(database, updates, options.seconds, 16)}
    rates = alternate(sides, options.rounds, options.seconds)
    row("PostgreSQL", "PUT of a view document with three changed rows, 16 clients, requests/s", shown(rates["put"]), "")
    row("PostgreSQL", "pgbench: BEGIN, three UPDATEs, COMMIT, 16 clients, transactions/s", shown(rates["pgbench"]), "")
    row("PostgreSQL", "PUT ÷ pgbench", shown_ratio(rates, "put", "pgbench"), "0.80")
    sides = {"post": writing(duet, "post", "/team/", options.seconds, 32), "pgbench": pgbench(database, insert, options.seconds, 32)}
    rates = alternate(sides, options.rounds, options.seconds)
    row("PostgreSQL", "POST of one row, 32 clients, requests/s", shown(rates["post"]), "")
    row("PostgreSQL", "pgbench: INSERT, 32 clients, transactions/s", shown(rates["pgbench"]), "")
    row("PostgreSQL", "POST ÷ pgbench", shown_ratio(rates, "post", "pgbench"), "0.80")
    duet.stop()


def syncs(process, work):
    """How often a process syncs a file while something is done, and what that gives. Counted by tracepoints: a tracer that stops
    system calls would slow the server down, and so change what waits."""
    events = "syscalls:sys_enter_fdatasync,syscalls:sys_enter_fsync"
    count = subprocess.Popen(["perf", "stat", "-x,", "-e", events, "-p", str(process.pid)], stderr=subprocess.PIPE, text=True)
    time.sleep(0.5)
    done = work()
    count.send_signal(signal.SIGINT)
    lines = count.communicate(timeout=30)[1].splitlines()
    counts = [int(line.split(",")[0]) for line in lines if line[:1].isdigit()]
    if not counts:
        sys.exit("perf counts no system calls: install linux-perf, mount tracefs, and run as root\n" + "\n".join(lines))
    return sum(counts), done


def on_sqlite(folder, options):
    path = str(folder / "writes.sqlite")
    load("car-racing", f"sqlite:{path}", "--scale", "10000")
    duet = Duet(folder, path, "--app", "car-racing")
    post = writing(duet, "post", "/team/", options.seconds, 16)
    rates, per_sync = [], {16: [], 32: []}
    for number in range(options.rounds):
        rates.append(post(number))
        for clients in (16, 32):
            calls, rate = syncs(duet.process, lambda: writing(duet, "post", "/team/", options.seconds, clients)(number))
            per_sync[clients].append(rate * options.seconds / max(calls, 1))
    row("SQLite", "POST of one row, synchronous=FULL, 16 clients, requests/s", shown(rates), "")
    for clients, measured in per_sync.items():
        # Without a timer, half of the clients wait while the rows of the others are synced.
        row("SQLite", f"rows per fdatasync, {clients} clients", f"**{statistics.median(measured):.1f}**", f"{0.9 * clients / 2:.1f} of {clients // 2}")
    put = [writing(duet, "put", "/team_dv/", options.seconds, 16)(number) for number in range(options.rounds)]
    row("SQLite", "PUT of a view document with three changed rows, 16 clients, requests/s", shown(put), "report")
    duet.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--only", choices=["sqlite", "postgres"])
    parser.add_argument("--built", action="store_true", help="the release build exists already")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if options.inside:
            return on_postgres(folder, options)
        if not options.built:
            build()
        row("store", "figure", "measured", "at least")
        row("---", "---", "---", "---")
        if options.only != "postgres":
            on_sqlite(folder, options)
        if options.only != "sqlite":
            again = [sys.executable, __file__, "--inside", *[a for a in sys.argv[1:]]]
            subprocess.run([BIN / "throwaway-postgres", "--fsync", "--", *again], check=True)


main()
