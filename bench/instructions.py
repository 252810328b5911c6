#!/usr/bin/env python3
"""Instructions and system calls of the server for each kind of request, counted by Valgrind: figures that repeat where rates do not.

One connection, or 32 whose requests are sent together, asks a server that keeps its state (prepared statements, caches) from requests
before; what it executes from then on is divided by their number. The database's own processes are not counted, SQLite is. The load
generator is counted by two runs of which one has more requests. Prints a table, and the change from the recorded figures
(bench/instructions.json). Exit status 1 when a figure is above the recorded one by more than --most percent: a change that costs more
says so by its record. `--record` writes the figures, with the build's name. Needs valgrind, and PostgreSQL's packages as ./test does.

usage: instructions.py [--program PATH/duet] [--requests 1000] [--rounds 3] [--only sqlite|postgres|bench] [--figures REGEX] [--most 2] [--record]
"""
import argparse, dataclasses, json, os, pathlib, re, statistics, subprocess, sys, tempfile, typing

from counted import Counted, cachegrind, total_of
from sides import BIN, Duet, load, row, with_database

RECORD = pathlib.Path(__file__).with_name("instructions.json")
KEYS, ORDERS = 10_000, 1000
TOGETHER = 32


@dataclasses.dataclass
class Kind:
    """Requests of one kind: `make` gives method, path and body of each by its number."""

    app: str
    make: typing.Callable
    headers: dict = dataclasses.field(default_factory=dict)
    # Of the number of requests, where each is large.
    share: float = 1
    together: bool = True
    # The status of the answers, where another one would be another request.
    status: int | None = None


def reading(path):
    return lambda number: ("GET", path.format(n=number % KEYS + 1, m=number % 100 * 25, order=10_000 + number % ORDERS), None)


def put(number):
    n = number % (KEYS - 1000) + 1000
    drivers = [{"driverId": key, "name": f"Driver {key}", "points": number} for key in (2 * n - 1, 2 * n)]
    return "PUT", f"/team_dv/{n}", {"_id": n, "name": f"Team {n}", "points": number, "driver": drivers}


class Posts:
    """Rows whose names never repeat within a server."""

    made = 0

    def __init__(self, rows, path="/team/"):
        self.rows, self.path = rows, path

    def __call__(self, _number):
        Posts.made += self.rows
        rows = [{"name": f"New {Posts.made - at}", "points": at} for at in range(self.rows)]
        return "POST", self.path, rows[0] if self.rows == 1 else rows


class Drivers:
    """Rows whose keys the client gives, as a journal wants them."""

    made = 0

    def __call__(self, _number):
        Drivers.made += 1
        return "POST", "/driver/", {"driver_id": 10_000_000 + Drivers.made, "name": f"New driver {Drivers.made}", "points": 1}


def purchase_order(number):
    Posts.made += 1
    return "POST", "/purchase-orders", {
        "poNumber": f"Z{Posts.made:012}", "orderType": "One-Time", "workflowStatus": "Pending", "approved": False, "manualPo": False,
        "reEncumber": False, "vendor": "0000000b-0000-4000-8000-000000000001", "notes": ["Load test"]}


def kinds():
    return {
        "constant response": Kind("car-racing", reading("/_/constant/265")),
        "table item": Kind("car-racing", reading("/team/{n}")),
        "view item": Kind("car-racing", reading("/team_dv/{n}")),
        "page of 25": Kind("car-racing", reading("/team/?offset={m}")),
        "first page of 25": Kind("car-racing", reading("/team/")),
        "view, page of 25": Kind("car-racing", reading("/team_dv/?offset={m}"), share=0.3),
        "list of 100": Kind("car-racing", reading("/team/?limit=100&offset={m}"), share=0.3),
        "page by a filter": Kind("car-racing", reading("/team/?q=%7B%22team_id%22:%7B%22$gt%22:{n}%7D%7D&limit=5")),
        "stream of 10,000 rows": Kind("car-racing", reading("/team/?limit=10000"), {"Accept": "application/x-ndjson"}, 0.02, False),
        "PUT of a document": Kind("car-racing", put, share=0.5),
        "POST of a row": Kind("car-racing", Posts(1)),
        "POST of a row with a key": Kind("car-racing", Posts(1), {"Idempotency-Key": "{n}"}),
        "POST of a row to the journal": Kind("car-racing", Drivers(), {"Prefer": "respond-async"}, status=202),
        "POST of 100 rows": Kind("car-racing", Posts(100), share=0.1),
        "batch of 100 rows": Kind("car-racing", Posts(100, "/team/_/batch"), share=0.1),
        "search by CQL": Kind("orders", reading("/purchase-orders?query=poNumber=={order}")),
        "POST of a collection's document": Kind("orders", purchase_order, share=0.5),
    }


def send(server, kind, numbers, connections):
    """Sends requests, one by each connection at a time, before the first answer is read."""
    numbers, clients = iter(numbers), server.connections(connections)
    while sent := [(client, number) for client, number in zip(clients, numbers)]:
        for client, number in sent:
            method, path, body = kind.make(number)
            # The number of a request's own key is that of no other one.
            headers = {name: value.format(n=f"{Posts.made}-{number}") for name, value in kind.headers.items()}
            server.ask(client, method, path, body, headers)
        for client, _ in sent:
            server.answer(client, f"{method} {path}", kind.status)


def count(server, kind, requests, begin, connections):
    """Instructions and system calls of each request, after half as many that are not counted."""
    send(server, kind, range(begin, begin + requests // 2), connections)
    server.control("-z")
    before = server.system_calls()
    send(server, kind, range(begin + requests // 2, begin + requests // 2 + requests), connections)
    calls = server.system_calls() - before
    return server.dumped() / requests, calls / requests


def on_store(folder, store, databases, options):
    """The figures of a store by name; `databases` by application."""
    found = {}
    for app, database in databases.items():
        chosen = {name: kind for name, kind in kinds().items() if kind.app == app and re.search(options.figures, name)}
        if not chosen:
            continue
        server, begin = Counted(folder, database, options.program, "--app", app, "--journal", folder / f"journal-{store}"), 0
        server.control("-i", "on")
        try:
            for name, kind in chosen.items():
                requests = max(4, int(options.requests * kind.share))
                for connections in [1, TOGETHER] if kind.together else [1]:
                    figure = f"{store}: {name}" + (f", {connections} connections" if connections > 1 else "")
                    rounds = []
                    # Idle ones have been closed by now.
                    server.clients.clear()
                    for _ in range(options.rounds):
                        each = -(-requests // connections) * connections
                        rounds.append(count(server, kind, each, begin, connections))
                        begin += 2 * each
                    found[figure] = shown(figure, rounds)
                    # At once: the run takes long, and another figure may fail.
                    if options.record:
                        record({figure: found[figure]}, options)
        finally:
            server.stop()
    return found


def of_bench(folder, options):
    """The load generator: what a request more costs."""
    path = folder / "bench.sqlite"
    load("car-racing", f"sqlite:{path}", "--scale", "10")
    duet = Duet(folder, str(path), "--app", "car-racing", "--open", "all", program=options.program)
    file = folder / "one.toml"
    file.write_text('[workload]\nname = "one"\n\n[[transaction]]\nname = "Item"\nstep = [{ request = "GET /team/1", check = { status = 200 } }]\n')
    totals = []
    try:
        for count in (options.requests, 3 * options.requests):
            command = [*cachegrind(folder), options.program, "bench", "run", file, "--target", duet.url + duet.mount, "--users", "1", "--transactions", str(count), "--quiet", "--out", folder / f"result-{count}"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            totals.append(total_of(folder))
    finally:
        duet.stop()
    return {"bench: request": shown("bench: request", [((totals[1] - totals[0]) / 2 / options.requests, 0)])}


def shown(figure, rounds):
    """Prints a row; gives the medians."""
    instructions, calls = (statistics.median(values) for values in zip(*rounds))
    known = recorded().get("figures", {}).get(figure)
    change = f"{100 * (instructions / known['instructions'] - 1):+.1f} %" if known else ""
    all_of = [one for one, _ in rounds]
    row(figure, f"{instructions:,.0f}", f"{100 * (max(all_of) / min(all_of) - 1):.2f} %", f"{calls:.2f}" if calls else "", change)
    return {"instructions": round(instructions), "system_calls": round(calls, 2)}


def recorded():
    return json.loads(RECORD.read_text()) if RECORD.exists() else {}


def record(found, options):
    """Writes figures, with the build's name and the commit that is checked out."""
    said = lambda *command: subprocess.run(command, cwd=RECORD.parent, capture_output=True, text=True, check=True).stdout.strip()
    build, commit = said(options.program, "--version"), said("git", "rev-parse", "--short=8", "HEAD")
    figures = {**recorded().get("figures", {}), **found}
    RECORD.write_text(json.dumps({"build": build, "commit": commit, "figures": figures}, indent=1) + "\n")


def judged(found, options):
    """Writes the figures, or compares them with what is written; whether none is higher."""
    if options.record:
        record(found, options)
        return True
    known = recorded()
    most = {name: figure["instructions"] * (1 + options.most / 100) for name, figure in known.get("figures", {}).items()}
    higher = [name for name, figure in found.items() if figure["instructions"] > most.get(name, figure["instructions"])]
    for name in higher:
        print(f"{name}: more than {options.most} % above the record of {known['build']}, {known['commit']}")
    return not higher


def loaded(databases):
    """Fills the databases of the applications."""
    load("car-racing", databases["car-racing"], "--scale", str(KEYS))
    for part in ("journal", "service"):
        subprocess.run([BIN / "duet", part, "prepare", "--database", databases["car-racing"]], check=True, stdout=subprocess.DEVNULL)
    load("orders", databases["orders"], "--scale", "1")


def inside(folder, options):
    """On the PostgreSQL of the environment."""
    first = os.environ["DATABASE_URL"]
    subprocess.run(["psql", "-qX", first, "-c", "CREATE DATABASE orders"], check=True)
    databases = {"car-racing": first, "orders": with_database(first, "orders")}
    loaded(databases)
    return judged(on_store(folder, "PostgreSQL", databases, options), options)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=BIN / "duet")
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=["sqlite", "postgres", "bench"])
    parser.add_argument("--figures", default="", metavar="REGEX")
    parser.add_argument("--most", type=float, default=2)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if options.inside:
            return 0 if inside(folder, options) else 1
        row("request", "instructions", "spread", "system calls", "since the record")
        row(*["---"] * 5)
        good = True
        if options.only in (None, "sqlite"):
            databases = {app: f"sqlite:{folder / app}.sqlite" for app in ("car-racing", "orders")}
            loaded(databases)
            good = judged(on_store(folder, "SQLite", databases, options), options)
        if options.only in (None, "bench"):
            good &= judged(of_bench(folder, options), options)
        if options.only in (None, "postgres"):
            command = [BIN / "throwaway-postgres", "--", sys.executable, __file__, "--inside", *sys.argv[1:]]
            good &= subprocess.run(command).returncode == 0
    return 0 if good else 1


sys.exit(main())
