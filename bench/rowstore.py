#!/usr/bin/env python3
"""Items from memory beside a constant answer of the same size and beside the store, measured alternately on one database.

Prints, for a table's item and a document of two tables, the rates (median, least and most of the rounds) and the ratios of the
rounds with their 95 % intervals. No other program writes, so items stay until they change (--rowstore-max-age off). Needs wrk, and PostgreSQL's packages
as ./test does.

usage: rowstore.py [--binary PATH/duet] [--rounds 8] [--seconds 2] [--only sqlite|postgres]
"""
import argparse, os, pathlib, subprocess, sys, tempfile

from sides import BIN, Duet, alternate, load, row, shown, shown_ratio, wrk

KEYS = 10_000
CONNECTIONS = 32


def measure(store, database, options):
    with tempfile.TemporaryDirectory() as folder:
        start = lambda *more: Duet(pathlib.Path(folder), database, "--app", "car-racing", *more, program=options.binary)
        kept, plain = start("--rowstore-max-age", "off"), start()
        kept.remember("team", "team_dv")
        try:
            for name, path in [("table", "/team/{n}"), ("document", "/team_dv/{n}")]:
                size = len(kept.get(path.replace("{n}", "300")))
                rate = lambda duet, path: lambda seed: wrk(duet.url, duet.mount + path, options.seconds, CONNECTIONS, duet.token, seed, KEYS)
                for key in range(1, KEYS + 1):
                    kept.get(path.replace("{n}", str(key)))
                sides = {"constant": rate(kept, f"/_/constant/{size}"), "memory": rate(kept, path), "store": rate(plain, path)}
                rates = alternate(sides, options.rounds, options.seconds)
                row(store, f"{name}, {size} bytes", *(shown(rates[side]) for side in sides),
                    shown_ratio(rates, "memory", "constant"), shown_ratio(rates, "memory", "store"))
        finally:
            kept.stop()
            plain.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, default=BIN / "duet")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--only", choices=["sqlite", "postgres"])
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        database = os.environ["DATABASE_URL"]
        load("car-racing", database, "--scale", "10000")
        return measure("PostgreSQL", database, options)
    row("store", "item", "constant/s", "memory/s", "store/s", "memory ÷ constant (95 %)", "memory ÷ store (95 %)")
    row(*["---"] * 7)
    if options.only != "postgres":
        with tempfile.TemporaryDirectory() as folder:
            path = str(pathlib.Path(folder) / "racing.sqlite")
            load("car-racing", f"sqlite:{path}", "--scale", "10000")
            measure("SQLite", path, options)
    if options.only != "sqlite":
        command = [BIN / "throwaway-postgres", "--fsync", "--", sys.executable, __file__, "--inside", *sys.argv[1:]]
        return subprocess.run(command).returncode


sys.exit(main())
