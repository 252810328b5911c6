#!/usr/bin/env python3
"""Instructions of the server for each kind of request, counted by Valgrind's callgrind: figures that repeat where rates do not.

One connection sends requests one after the other to a server that keeps its state (prepared statements, caches) from requests
before; what it executes from then on is divided by their number. The database's own processes are not counted, SQLite is. Prints a
table, and the change from the recorded figures (bench/instructions.json). Exit status 1 when a figure is above the recorded one by more
than --most percent. `--record` writes the figures, with the build's name. Needs valgrind, and PostgreSQL's packages as ./test does.

usage: instructions.py [--program PATH/duet] [--requests 1000] [--rounds 3] [--only sqlite|postgres] [--figures REGEX] [--most 2] [--record]
"""
import argparse, http.client, json, os, pathlib, re, statistics, subprocess, sys, tempfile, urllib.parse

from sides import BIN, Duet, load, row

RECORD = pathlib.Path(__file__).with_name("instructions.json")
KEYS = 10_000
JSON = {"Content-Type": "application/json"}


def reading(path):
    return lambda number: ("GET", path.format(n=number % KEYS + 1, m=number % 100 * 25), None)


def put(number):
    n = number % (KEYS - 1000) + 1000
    drivers = [{"driverId": key, "name": f"Driver {key}", "points": number} for key in (2 * n - 1, 2 * n)]
    return "PUT", f"/team_dv/{n}", {"_id": n, "name": f"Team {n}", "points": number, "driver": drivers}


class Posts:
    """Rows whose names never repeat within a server."""

    def __init__(self, rows):
        self.rows, self.made = rows, 0

    def __call__(self, _number):
        self.made += self.rows
        rows = [{"name": f"New {self.rows} {self.made - at}", "points": at} for at in range(self.rows)]
        return "POST", "/team/", rows[0] if self.rows == 1 else rows


def kinds():
    return {
        "constant response": reading("/_/constant/265"),
        "table item": reading("/team/{n}"),
        "view item": reading("/team_dv/{n}"),
        "page of 25": reading("/team/?offset={m}"),
        "view, page of 25": reading("/team_dv/?offset={m}"),
        "page by a filter": reading("/team/?q=%7B%22team_id%22:%7B%22$gt%22:{n}%7D%7D&limit=5"),
        "PUT of a document": put,
        "POST of a row": Posts(1),
        "POST of 100 rows": Posts(100),
    }


class Counted:
    """A server under callgrind, and one connection to it."""

    def __init__(self, folder, database, program):
        self.folder = folder
        wrapper = folder / "counted"
        wrapper.write_text(f"#!/bin/sh\nexec valgrind --quiet --tool=callgrind --instr-atstart=no --callgrind-out-file={folder}/out.%p {program} \"$@\"\n")
        wrapper.chmod(0o755)
        self.duet = Duet(folder, database, "--app", "car-racing", program=wrapper)
        self.control("-i", "on")
        self.client = http.client.HTTPConnection(urllib.parse.urlsplit(self.duet.url).netloc)
        self.headers = {**JSON, "Authorization": "Bearer " + self.duet.token}

    def control(self, *arguments):
        subprocess.run(["callgrind_control", *arguments, str(self.duet.process.pid)], check=True, capture_output=True)

    def send(self, kind, numbers):
        for number in numbers:
            method, path, body = kind(number)
            self.client.request(method, self.duet.mount + path, body and json.dumps(body), self.headers)
            answer = self.client.getresponse()
            said = answer.read()
            if answer.status >= 300:
                sys.exit(f"{method} {path}: {answer.status} {said[:300]}")

    def instructions(self, kind, requests, begin):
        """Of each request, after as many that are not counted."""
        self.send(kind, range(begin, begin + requests // 2))
        self.control("-z")
        self.send(kind, range(begin + requests // 2, begin + requests // 2 + requests))
        self.control("-d")
        dumps = sorted(self.folder.glob("out.*.*"), key=lambda path: int(path.suffix[1:]))
        count = int(re.search(r"^(?:totals|summary): (\d+)", dumps[-1].read_text(errors="replace"), re.M).group(1))
        for dump in dumps:
            dump.unlink()
        return count / requests


def on_store(folder, store, database, options):
    """The figures of a store by name."""
    server, found = Counted(folder, database, options.program), {}
    try:
        for name, kind in kinds().items():
            if re.search(options.figures, name):
                rounds = [server.instructions(kind, options.requests, at * 2 * options.requests) for at in range(options.rounds)]
                found[f"{store}: {name}"] = round(statistics.median(rounds))
                shown(store, name, rounds, options)
    finally:
        server.duet.stop()
    return found


def shown(store, name, rounds, options):
    figure, known = statistics.median(rounds), recorded().get("figures", {}).get(f"{store}: {name}")
    change = f"{100 * (figure / known - 1):+.1f} %" if known else ""
    row(store, name, f"{figure:,.0f}", f"{100 * (max(rounds) / min(rounds) - 1):.2f} %", change)


def recorded():
    return json.loads(RECORD.read_text()) if RECORD.exists() else {}


def judged(found, options):
    """Writes the figures, or compares them with what is written; whether none is higher."""
    known = recorded()
    if options.record:
        build = subprocess.run([options.program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        RECORD.write_text(json.dumps({"build": build, "figures": {**known.get("figures", {}), **found}}, indent=1) + "\n")
        return True
    higher = [name for name, figure in found.items() if figure > known.get("figures", {}).get(name, figure) * (1 + options.most / 100)]
    for name in higher:
        print(f"{name}: more than {options.most} % above the record of {known['build']}")
    return not higher


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=BIN / "duet")
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=["sqlite", "postgres"])
    parser.add_argument("--figures", default="", metavar="REGEX")
    parser.add_argument("--most", type=float, default=2)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if options.inside:
            load("car-racing", os.environ["DATABASE_URL"], "--scale", str(KEYS))
            return 0 if judged(on_store(folder, "PostgreSQL", os.environ["DATABASE_URL"], options), options) else 1
        row("store", "request", "instructions", "spread", "since the record")
        row(*["---"] * 5)
        good = True
        if options.only != "postgres":
            path = str(folder / "counted.sqlite")
            load("car-racing", f"sqlite:{path}", "--scale", str(KEYS))
            good = judged(on_store(folder, "SQLite", path, options), options)
        if options.only != "sqlite":
            command = [BIN / "throwaway-postgres", "--", sys.executable, __file__, "--inside", *sys.argv[1:]]
            good &= subprocess.run(command).returncode == 0
    return 0 if good else 1


sys.exit(main())
