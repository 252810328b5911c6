#!/usr/bin/env python3
"""Compares two builds of Duet: every figure is measured in pairs, old and new alternating, on the same data.

For each figure prints the median of the ratios new ÷ old and its 95 % confidence interval (bootstrap over the pairs, fixed seed).
Exit status 1 when an interval lies wholly below --floor. Needs wrk, and PostgreSQL's packages as ./test does.

usage: pairs.py --old PATH/duet [--new PATH/duet] [--pairs 10] [--seconds 2] [--only sqlite|postgres] [--figures REGEX] [--floor 0.97]
"""
import argparse, os, pathlib, re, statistics, subprocess, sys, tempfile, time

from sides import BIN, ROOT, Duet, interval, load, row, wrk

WRITES = ROOT / "bench" / "writes.lua"
CONNECTIONS = 32


def reading(path, connections=CONNECTIONS):
    return lambda duet, seconds, seed: wrk(duet.url, duet.mount + path, seconds, connections, duet.token, seed)


def writing(kind, path, connections):
    def rate(duet, seconds, seed):
        os.environ["DUET_KIND"] = kind
        # The names of new rows must never repeat, in no pair and on no side.
        return wrk(duet.url, duet.mount + path, seconds, connections, duet.token, time.time_ns() % 10**15 + seed, script=WRITES)
    return rate


FIGURES = {
    "constant response": reading("/_/constant/265"),
    "table item": reading("/team/{n}"),
    "view item": reading("/team_dv/{n}"),
    "table item, 1 connection": reading("/team/{n}", 1),
    "table item, 256 connections": reading("/team/{n}", 256),
    "page of 25": reading("/team/?offset={m}"),
    "view, page of 25": reading("/team_dv/?offset={m}"),
    "page by a filter": reading("/team/?q=%7B%22team_id%22:%7B%22$gt%22:{n}%7D%7D&limit=5"),
    "PUT of a document, 16 connections": writing("put", "/team_dv/", 16),
    "POST of a row, 32 connections": writing("post", "/team/", 32),
    "POST of a row, 1 connection": writing("post", "/team/", 1),
}


def compare(store, started, options):
    failed = False
    for name, rate in FIGURES.items():
        if not re.search(options.figures, name):
            continue
        rates = {"old": [], "new": []}
        for pair in range(options.pairs):
            sides = ("old", "new") if pair % 2 == 0 else ("new", "old")
            servers = {side: started(side) for side in sides}
            try:
                for side in sides:
                    # What a first second does, such as connecting, is no part of the figure.
                    rate(servers[side], 1, options.pairs + pair + 1)
                    rates[side].append(rate(servers[side], options.seconds, pair + 1))
            finally:
                for duet in servers.values():
                    duet.stop()
        ratios = [new / old for old, new in zip(rates["old"], rates["new"])]
        low, high = interval(ratios)
        failed |= high < options.floor
        old, new = (statistics.median(rates[side]) for side in ("old", "new"))
        row(store, name, f"{old:,.0f}", f"{new:,.0f}", f"**{statistics.median(ratios):.2f}** ({low:.2f} to {high:.2f})", "lower" if high < options.floor else "")
    return failed


def on_store(folder, store, database, options):
    """Reads share one database; writes make it grow for both sides alike.

    Each pair has servers of its own: a process keeps what chance gave it at its start, such as how many connections it
    opens and where its memory lies, and pairs of two processes alone measure that too.
    """
    def started(side):
        return Duet(folder, database, "--app", "car-racing", program=getattr(options, side))

    return compare(store, started, options)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", required=True, type=pathlib.Path)
    parser.add_argument("--new", type=pathlib.Path, default=BIN / "duet")
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--only", choices=["sqlite", "postgres"])
    parser.add_argument("--figures", default="", metavar="REGEX")
    parser.add_argument("--floor", type=float, default=0.97)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if options.inside:
            database = os.environ["DATABASE_URL"]
            load("car-racing", database, "--scale", "10000")
            return on_store(folder, "PostgreSQL", database, options)
        row("store", "figure", "old, requests/s", "new, requests/s", "new ÷ old (95 %)", "")
        row(*["---"] * 6)
        failed = False
        if options.only != "postgres":
            path = str(folder / "pairs.sqlite")
            load("car-racing", f"sqlite:{path}", "--scale", "10000")
            failed |= on_store(folder, "SQLite", path, options)
        if options.only != "sqlite":
            command = [BIN / "throwaway-postgres", "--fsync", "--", sys.executable, __file__, "--inside", *sys.argv[1:]]
            failed |= subprocess.run(command).returncode != 0
    return failed


sys.exit(main())
