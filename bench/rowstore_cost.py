#!/usr/bin/env python3
"""Processor time of lookups by key over HTTP, one connection, Duet and database together: rowstore beside heap.

One process reads the keys 1 to --lookups one after the other, checks each value, and ends; t1 is read from the heap, t4 from memory,
alternating, with processors kept awake (idle-priority spinners) and without. All items are in memory before the first round, and each
answer must come from there. Prints seconds of processor time of Duet, of the database and of both, the wall time, and the ratios
of the rounds with their 95 % intervals. Needs chrt, and psql and PostgreSQL's packages as ./test does.

usage: rowstore_cost.py [--binary PATH/duet] [--rounds 10] [--lookups 100000] [--only sqlite|postgres] [--transport tcp|unix]
"""
import argparse, contextlib, json, os, pathlib, statistics, subprocess, sys, tempfile

from sides import BIN, Duet, Spinners, load, postmaster, processor_time, row, shown_ratio

APPLICATION = """name = "lookup"
mount = "/lookup"
{schema}tables = "listed"
[resources.t1]
[resources.t4]
rowstore = "64MB"
"""


def lookups(duet, mount, table, options, from_memory):
    """Reads all keys in a process of its own; the seconds that it took."""
    order = {"endpoint": {"http": {"mount": mount, "authorization": "Bearer " + duet.token}}, "table": table, "keys": options.lookups, "from_memory": from_memory}
    command = [options.binary, "bench", "lookup-once"]
    said = json.loads(subprocess.run(command, input=json.dumps(order), capture_output=True, text=True, check=True).stdout)
    if "seconds" not in said:
        sys.exit(f"{table}: {said}")
    return said["seconds"]


def costs(duet, mount, servers, options, spinning):
    """Name of the figure -> side -> seconds, round by round."""
    figures = {name: {"heap": [], "rowstore": []} for name in ["Duet", "database", "both", "wall time"]}
    with Spinners(options.binary) if spinning else contextlib.nullcontext():
        for number in range(options.rounds):
            sides = [("heap", "t1"), ("rowstore", "t4")]
            for side, table in sides if number % 2 == 0 else reversed(sides):
                before = [processor_time(server) for server in servers]
                wall = lookups(duet, mount, table, options, table == "t4")
                spent = [processor_time(server) - then for server, then in zip(servers, before)]
                spent += [0.0] * (2 - len(spent))
                for name, value in zip(figures, [*spent, sum(spent), wall]):
                    figures[name][side].append(value)
    return figures


def measure(store, database, options, *more):
    """`more` are processes that work for Duet."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "app.toml").write_text(APPLICATION.format(schema='schema = "lookup"\n' if more else ""))
        listen = ["--listen", f"unix:{folder}/socket"] if options.transport == "unix" else []
        duet = Duet(folder, database, "--config", folder / "app.toml", "--rowstore-max-age", "off", "--token-lifetime", "24h", *listen, program=options.binary)
        mount = f"unix:{folder}/socket:{duet.mount}" if listen else duet.url + duet.mount
        try:
            lookups(duet, mount, "t4", options, False)
            for spinning in (True, False):
                for name, sides in costs(duet, mount, (duet.process.pid, *more), options, spinning).items():
                    if name in ("database", "both") and not more:
                        continue
                    seconds = [f"{statistics.median(sides[side]):.2f}" for side in ("heap", "rowstore")]
                    # Ticks of ten milliseconds: what is nothing on one side has no ratio.
                    ratio = shown_ratio(sides, "rowstore", "heap") if min(sides["heap"]) > 0 else ""
                    row(store, "on" if spinning else "off", name, *seconds, ratio)
        finally:
            duet.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, default=BIN / "duet")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--lookups", type=int, default=100_000)
    parser.add_argument("--only", choices=["sqlite", "postgres"])
    parser.add_argument("--transport", choices=["tcp", "unix"], default="tcp")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        database = os.environ["DATABASE_URL"]
        load("lookup", database, "--scale", str(options.lookups))
        return measure("PostgreSQL", database, options, postmaster(database))
    row("store", "spinners", f"seconds for {options.lookups:,} lookups", "heap", "rowstore", "rowstore ÷ heap (95 %)")
    row(*["---"] * 6)
    if options.only != "postgres":
        with tempfile.TemporaryDirectory() as folder:
            path = str(pathlib.Path(folder) / "lookup.sqlite")
            load("lookup", f"sqlite:{path}", "--scale", str(options.lookups))
            measure("SQLite", path, options)
    if options.only != "sqlite":
        command = [BIN / "throwaway-postgres", "--fsync", "--", sys.executable, __file__, "--inside", *sys.argv[1:]]
        return subprocess.run(command).returncode


sys.exit(main())
