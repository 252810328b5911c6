#!/usr/bin/env python3
"""The figures of bench/log/: every ratio from one run, sides alternating, median of the rounds.

Needs wrk, and PostgreSQL's packages as ./test does. Prints Markdown.

usage: figures.py [--rounds 5] [--seconds 10] [--only sqlite|postgres] [--quick] [--beside]
"""
import argparse, json, os, pathlib, platform, re, socket, sqlite3, statistics, subprocess, sys, tempfile, time, urllib.parse

from sides import BIN, ROOT, Duet, alternate, build, load, pgbench, ratio, row, shown, shown_ratio, wrk
from statements import script_of


def main_figures(duet, store, rounds, seconds, bare):
    side = lambda path: lambda seed: wrk(duet.url, duet.mount + path, seconds, token=duet.token, seed=seed)
    size = len(duet.get("/team/77777"))
    sides = {"constant": side(f"/_/constant/{size}"), "table": side("/team/{n}"), "view": side("/team_dv/{n}")}
    if bare:
        sides["bare"] = lambda seed: wrk(bare, "/x", seconds, seed=seed)
    rates = alternate(sides, rounds, seconds)
    for name, values in rates.items():
        row(store, f"{name}, requests/s", shown(values), "")
    row(store, "table ÷ constant", f"**{ratio(rates, 'table', 'constant'):.2f}**", "0.50")
    row(store, "view ÷ table", f"**{ratio(rates, 'view', 'table'):.2f}**", "0.80" if store == "SQLite" else "0.67")
    if bare:
        row(store, "constant ÷ bare hyper", f"**{ratio(rates, 'constant', 'bare'):.2f}**", "0.85")


def connections(folder, database, store, seconds):
    servers = [Duet(folder, database, "--app", "car-racing", "--workers", str(workers)) for workers in (1, 2)]
    for count in (1, 8, 32, 256):
        rates = [wrk(duet.url, duet.mount + path, seconds, count, duet.token) for duet in servers for path in ("/team/{n}", "/team_dv/{n}")]
        cell = "{:,.0f}, {:,.0f}; {:,.0f}, {:,.0f}".format(*rates)
        row(store, f"{count} connections: table, view with one worker; with two, requests/s", cell, "report")
    for duet in servers:
        duet.stop()


def others(duet, store, seconds):
    kinds = {
        "integer key": "/team/{n}", "text key": "/key_text/key-{6}", "uuid key": "/key_uuid/00000000-0000-4000-8000-{x}",
        "composite key": "/key_pair/{n},{m}", "40 columns": "/wide/{n}", "page of 25": "/team/?offset={m}", "view page of 25": "/team_dv/?offset={m}",
    }
    for name, path in kinds.items():
        row(store, f"{name}, requests/s", f"{wrk(duet.url, duet.mount + path, seconds, token=duet.token):,.0f}", "report")


def beside_pgbench(folder, database, rounds, seconds):
    """Reads beside pgbench with the statements that they run: prepared, on the same rows, with the number of clients that it does best with."""
    kinds = [("item", "/team/{n}", ""), ("page of 25", "/team/?offset={m}", "0.70"), ("list of 100", "/team/?limit=100&offset={m}", "0.70"),
             ("view, item", "/team_dv/{n}", ""), ("view, page of 25", "/team_dv/?offset={m}", ""), ("page of 25 by a filter", '/team/?q={"points":{"$lt":250}}&offset={m}', "")]
    duet = Duet(folder, database, "--app", "car-racing")
    for name, path, least in kinds:
        path = urllib.parse.quote(path, safe="/?&={}")
        script, statements = script_of(folder, database, path, "--app", "car-racing")
        sides = {"duet": lambda seed: wrk(duet.url, duet.mount + path, seconds, token=duet.token, seed=seed)}
        sides |= {f"pgbench {clients}": pgbench(database, script, seconds, clients) for clients in (4, 8)}
        rates = alternate(sides, rounds, seconds)
        best = max((side for side in rates if side != "duet"), key=lambda side: statistics.median(rates[side]))
        row("PostgreSQL", f"{name}: Duet, requests/s; {best} clients, the same {len(statements)} statements", f"{shown(rates['duet'])}; {shown(rates[best])}", "")
        row("PostgreSQL", f"{name} ÷ pgbench", shown_ratio(rates, "duet", best), least)
    duet.stop()


def pages(duet, store):
    """Key-set page after 90,000 rows ÷ first page, by time, in turn."""
    def timed(path):
        begun = time.perf_counter()
        duet.get(path)
        return time.perf_counter() - begun
    last = json.loads(duet.get("/team/?after=&limit=10000&fields=team_id"))
    for _ in range(8):
        following = next(link["href"] for link in last["links"] if link["rel"] == "next")
        last = json.loads(duet.get(following.split(duet.mount, 1)[1]))
    deep = next(link["href"] for link in last["links"] if link["rel"] == "next").split(duet.mount, 1)[1]
    deep = "/team/?" + "&".join(part for part in deep.split("?", 1)[1].split("&") if part.startswith("after="))
    for _ in range(50):
        timed("/team/?after="), timed(deep)
    pairs = [(timed(deep), timed("/team/?after=")) for _ in range(400)]
    late, first = statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)
    row(store, "page of 25 by key-set after 90,000 rows ÷ first page, time", f"**{late / first:.2f}** ({late * 1e3:.2f} ms, {first * 1e3:.2f} ms)", "≤ 1.25")


def start(folder):
    """Chinook: time from exec to the first answer, and memory at rest."""
    times, memory = [], []
    for _ in range(7):
        duet = Duet(folder, str(ROOT / "apps" / "chinook" / "chinook.sqlite"), "--app", "chinook", "--open", "read")
        times.append(time.monotonic() - duet.started)
        duet.get("/artist/1")
        status = pathlib.Path(f"/proc/{duet.process.pid}/status").read_text()
        memory.append(int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024)
        duet.stop()
    row("SQLite", "Chinook: exec to ready file and token, ms", f"**{statistics.median(times) * 1e3:.0f}**", "≤ 50")
    row("SQLite", "Chinook: resident memory after one request, MB", f"**{statistics.median(memory):.1f}**", "< 20")


def chinook(folder, database, store, seconds):
    duet = Duet(folder, database, "--app", "chinook")
    rate = wrk(duet.url, duet.mount + "/customer_dv/{n}", seconds, token=duet.token, keys=59)
    row(store, "Chinook's customer view of depth 5, requests/s", f"{rate:,.0f} ({len(duet.get('/customer_dv/1')):,} bytes each)", "report")
    duet.stop()


def sqlite_keys(path):
    link = sqlite3.connect(path)
    link.executescript("CREATE TABLE key_text (id text PRIMARY KEY NOT NULL, name text NOT NULL, points integer NOT NULL);"
                       "CREATE TABLE key_uuid (id uuid PRIMARY KEY NOT NULL, name text NOT NULL, points integer NOT NULL);"
                       "CREATE TABLE key_pair (a integer NOT NULL, b integer NOT NULL, name text NOT NULL, points integer NOT NULL, PRIMARY KEY (a, b));")
    kinds = ["integer", "text", "numeric(10,2)"]
    link.execute("CREATE TABLE wide (id integer PRIMARY KEY, " + ", ".join(f"c{c} {kinds[c % 3]}" for c in range(2, 41)) + ")")
    numbers = range(1, 100001)
    link.executemany("INSERT INTO key_text VALUES (?, ?, ?)", ((f"key-{i:06}", f"Name {i}", i % 500) for i in numbers))
    link.executemany("INSERT INTO key_uuid VALUES (?, ?, ?)", ((f"00000000-0000-4000-8000-{i:012x}", f"Name {i}", i % 500) for i in numbers))
    link.executemany("INSERT INTO key_pair VALUES (?, ?, ?, ?)", ((i, i % 10, f"Name {i}", i % 500) for i in numbers))
    value = lambda i, c: [i + c, f"value {i}", i / 100][c % 3]
    link.executemany("INSERT INTO wide VALUES (" + ",".join("?" * 40) + ")", ([i] + [value(i, c) for c in range(2, 41)] for i in numbers))
    link.commit()


def on_sqlite(folder, options, bare):
    path = str(folder / "figures.sqlite")
    load("car-racing", f"sqlite:{path}", "--scale", "10000")
    sqlite_keys(path)
    measure(folder, path, "SQLite", options, bare)
    if not options.quick:
        chinook(folder, str(ROOT / "apps" / "chinook" / "chinook.sqlite"), "SQLite", options.short)
        start(folder)


def on_postgres(folder, options):
    database = os.environ["DATABASE_URL"]
    load("car-racing", database, "--scale", "10000")
    if options.beside:
        return beside_pgbench(folder, database, options.rounds, options.seconds)
    subprocess.run(["psql", "-q", database, "-f", ROOT / "bench" / "keys.postgres.sql"], check=True, stdout=subprocess.DEVNULL)
    measure(folder, database, "PostgreSQL", options, None)
    if not options.quick:
        subprocess.run(["psql", "-q", database, "-c", "CREATE DATABASE chinook"], check=True)
        other = re.sub(r"///\w*", "///chinook", database)
        load("chinook", other)
        chinook(folder, other, "PostgreSQL", options.short)


def measure(folder, database, store, options, bare):
    duet = Duet(folder, database, "--app", "car-racing")
    if not options.rest:
        main_figures(duet, store, options.rounds, options.seconds, bare)
    if not options.quick:
        pages(duet, store)
        others(duet, store, options.short)
    duet.stop()
    if not options.quick:
        connections(folder, database, store, options.short)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--short", type=int, default=4, help="seconds of the figures that are only reported")
    parser.add_argument("--only", choices=["sqlite", "postgres"])
    parser.add_argument("--quick", action="store_true", help="the ratios alone")
    parser.add_argument("--rest", action="store_true", help="all but the ratios")
    parser.add_argument("--beside", action="store_true", help="reads beside pgbench with the same statements, alone")
    parser.add_argument("--built", action="store_true", help="the release build exists already")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if options.inside:
            return on_postgres(folder, options)
        if not options.built:
            build()
        cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text()).group(1)
        print(f"Host: {os.cpu_count()} cores ({cpu}), {platform.system()} {platform.release()}; wrk -t1 -c32 on the same machine; "
              f"{options.rounds} rounds of {options.seconds} s, sides alternating, median (range).\n")
        row("store", "figure", "measured", "at least")
        row("---", "---", "---", "---")
        if options.only != "postgres" and not options.beside:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                address = "%s:%d" % free.getsockname()
            bare = subprocess.Popen([BIN / "examples" / "bare_hyper", address, "265", "1"])
            try:
                on_sqlite(folder, options, f"http://{address}")
            finally:
                bare.kill()
        if options.only != "sqlite":
            again = [sys.executable, __file__, "--inside", *[a for a in sys.argv[1:]]]
            subprocess.run([BIN / "throwaway-postgres", "--fsync", "--", *again], check=True)


main()
