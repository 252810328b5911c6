#!/usr/bin/env python3
"""Faults injected from outside, and what unrelated requests notice of them.

Serves a throwaway PostgreSQL and a SQLite file, and sends reads, pages, PATCHes and inserts at a constant rate (`duet bench run --rate`, whose
response times count from the moment at which a request was due), calm and under each fault: rows locked by psql, a slow trigger, a hung foreign
key, an open transaction, a slow write by filter, a slow bulk load, connections that other programs and another server hold, a dead and a refusing
proxy, a file locked by another program. Then servers are started through a pooler that other programs keep busy.

Prints the percentiles of the unrelated requests beside their limit (p99 at most 2 × calm + 50 ms, none fails), and how the requests that
collide with the fault ended: refused within --lock-timeout, or within the connect deadline. Exits with 1 where a limit is exceeded.

usage: trials.py [--binary target/dist/duet] [--only sqlite|postgres] [--faults REGEX] [--seconds 25] [--rate 200] [--quick]
"""
import argparse, collections, contextlib, json, os, pathlib, re, signal, subprocess, sys, tempfile, time, urllib.parse

from faults import FileLock, Pgbouncer, Proxy, Psql, Requests, Sessions, SlowLoad, Writers, exchange, query
from sides import BIN, Duet, row

LOCK_TIMEOUT, CONNECT_TIMEOUT = 2, 3
# What the client of a refused request adds, on a machine that is busy with the load: seconds.
SLACK = 0.5
# Milliseconds beside twice the calm percentile.
BESIDE = 50
ROWS, USERS = 10_000, 64

TABLES = """
CREATE TABLE {p}item (id integer NOT NULL PRIMARY KEY, n integer NOT NULL, name varchar(40));
CREATE TABLE {p}child (id integer NOT NULL PRIMARY KEY, parent_id integer NOT NULL REFERENCES parent, name varchar(40));
INSERT INTO {p}item WITH RECURSIVE r (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < {rows}) SELECT i, 0, 'name' FROM r;
"""
PARENT = """
CREATE TABLE parent (id integer NOT NULL PRIMARY KEY, name varchar(40));
INSERT INTO parent WITH RECURSIVE r (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 1000) SELECT i, 'name' FROM r;
"""
# Slow for some values only: what is sent of the others must not notice.
TRIGGERS = """
CREATE FUNCTION doze() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(2); RETURN NEW; END $$;
CREATE TRIGGER doze BEFORE UPDATE ON slow_item FOR EACH ROW WHEN (NEW.n < 0) EXECUTE FUNCTION doze();
CREATE TRIGGER doze BEFORE INSERT ON slow_child FOR EACH ROW WHEN (NEW.name = 'slow') EXECUTE FUNCTION doze();
"""
# Rows up to 100 and parents up to 100 are left to the faults.
WORKLOAD = """
[workload]
name = "trials"
[feeders]
item = {{ uniform = [101, {rows}] }}
page = {{ uniform = [0, 9000] }}
parent = {{ uniform = [101, 1000] }}
number = {{ uniform = [0, 1000000] }}
child = {{ sequence = {{ start = {first} }} }}
[[transaction]]
name = "GET"
step = [{{ request = "GET /{p}item/${{item}}", check.status = 200 }}]
[[transaction]]
name = "PAGE"
step = [{{ request = "GET /{p}item/?offset=${{page}}", check.status = 200 }}]
[[transaction]]
name = "PATCH"
step = [{{ request = "PATCH /{p}item/${{item}}", body = '{{"n": ${{number}}}}', check.status = 200 }}]
[[transaction]]
name = "POST"
step = [{{ request = "POST /{p}child/", body = '{{"id": ${{child}}, "parent_id": ${{parent}}, "name": "new"}}', check.status = 201 }}]
"""


def by_filter(path, low, high):
    return path + "/?q=" + urllib.parse.quote(json.dumps({"id": {"$between": [low, high]}}))


class Load:
    """Unrelated requests at a constant rate, and what their latency was without a fault."""

    def __init__(self, options, duet, folder, prefix="", only=None):
        self.options, self.duet, self.folder, self.prefix, self.only = options, duet, folder, prefix, only
        self.first, self.calm = 1_000_000, None

    def run(self):
        """Percentiles by type, all together first: (name, p50, p99, max) in ms; and how many failed."""
        self.first += 1_000_000
        workload = self.folder / "trials.toml"
        workload.write_text(WORKLOAD.format(p=self.prefix, rows=ROWS, first=self.first))
        options = self.options
        command = [options.binary, "bench", "run", workload, "--target", self.duet.url + self.duet.mount, "--token", self.duet.token, "--rate", options.rate,
                   "--users", USERS, "--duration", f"{options.seconds}s", "--warmup", "2s", "--shared", "--json", "--quiet", "--out", tempfile.mkdtemp(prefix="run-", dir=self.folder)]
        command += ["--mix", ",".join(f"{name}=1" for name in self.only)] if self.only else []
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if not done.stdout.startswith("{"):
            sys.exit(f"the load did not run: {done.stderr}{done.stdout}")
        result = json.loads(done.stdout)
        each = [("all", result["totals"]["response"])] + [(one["name"], one["response"]) for one in result["types"] if one["completed"]]
        times = {name: tuple(value and value / 1000 for value in (it["p50_us"], it["p99_us"], it["max_us"])) for name, it in each}
        # The last arrivals may come too late to be begun.
        unsent = max(0, result["totals"]["unsent"] - options.rate // 10)
        return times, result["totals"]["failed"] + unsent, [f"{it['count']} × {it['transaction']}: {it['said']}" for it in result["failures"]]


class Report:
    """The table, and whether every limit was met."""

    def __init__(self):
        self.good = True
        row("store", "fault", "requests", "calm p50 / p99 / max, ms", "under the fault", "limit of p99, ms", "")
        row(*["---"] * 7)

    def check(self, good, text=""):
        self.good &= good
        return text if good else "**EXCEEDED**"

    def unrelated(self, store, fault, calm, run):
        times, lost, failures = run
        shown = lambda it: " / ".join("–" if value is None else f"{value:.1f}" for value in it)
        for name, (p50, p99, most) in times.items():
            before = calm[name][1]
            limit = 2 * before + BESIDE if before is not None and p99 is not None else None
            held = self.check(limit is None or p99 <= limit, "met" if limit else "")
            row(store, fault, name, shown(calm[name]), shown((p50, p99, most)), f"{limit:.1f}" if limit else "–", held)
        if lost:
            row(store, fault, "failed or not sent", "", lost, 0, self.check(False))
            print("\n".join(failures), file=sys.stderr)

    def collided(self, store, fault, answers, allowed, seconds):
        """Answers of requests that collide with a fault: only these statuses, within so long."""
        counts = collections.Counter(status for _, status, _, _ in answers)
        slowest = max((took for _, _, took, _ in answers), default=0)
        good = bool(answers) and set(counts) <= set(allowed) and slowest <= seconds + SLACK
        said = ", ".join(f"{count} × {status}" for status, count in sorted(counts.items()))
        row(store, fault, "colliding", "", f"{said}; slowest {slowest * 1000:.0f}", f"{seconds * 1000:.0f}", self.check(good, "met"))
        for status, text in {status: (status, text) for _, status, _, text in answers if status not in allowed}.values():
            print(f"{fault}: {status} {text}", file=sys.stderr)


class Trials:
    """The trials of one store."""

    def __init__(self, options, report, store, duet, folder):
        self.options, self.report, self.store, self.duet, self.folder = options, report, store, duet, folder
        self.loads = {}

    def load(self, prefix="", only=None):
        key = prefix, only
        if key not in self.loads:
            self.loads[key] = Load(self.options, self.duet, self.folder, prefix, only)
            self.loads[key].calm, lost, failures = self.loads[key].run()
            if lost:
                sys.exit(f"{self.store}: {lost} requests failed without a fault: {failures}")
        return self.loads[key]

    def trial(self, fault, load, hold, colliding=(), pace=0.5, allowed=(503,), seconds=LOCK_TIMEOUT):
        """Runs the load while `hold` gives what holds the fault, and requests collide with it."""
        if not re.search(self.options.faults, fault):
            return
        load = self.load(*load)
        with contextlib.ExitStack() as stack:
            held = hold()
            stack.callback(lambda: held and held.close())
            clients = Requests(self.duet, pace, colliding) if colliding else None
            run = load.run()
            if clients:
                clients.close()
        self.report.unrelated(self.store, fault, load.calm, run)
        if clients:
            self.report.collided(self.store, fault, clients.answers, allowed, seconds)


def on_postgres(options, report, folder):
    url = os.environ["DATABASE_URL"]
    script = PARENT + "".join(TABLES.format(p=prefix, rows=ROWS) for prefix in ("", "slow_")) + TRIGGERS
    subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", url], input=script, text=True, check=True)
    duet = Duet(folder, url, "--lock-timeout", f"{LOCK_TIMEOUT}s", program=options.binary)
    try:
        postgres_trials(Trials(options, report, "PostgreSQL", duet, folder), url)
    finally:
        duet.stop()
    if re.search(options.faults, "busy pooler"):
        behind_pooler(options, report, folder, url)
    for fault, first in [("dead proxy", 500_000_000), ("refusing proxy", 600_000_000)]:
        if re.search(options.faults, fault):
            through_proxy(options, report, folder, url, fault, first)


def postgres_trials(trials, url):
    patch = lambda table, ids, n=5: [("PATCH", f"/{table}/{id}", {"n": n}) for id in ids]
    post = lambda table, parents, name="new", first=10_000: [("POST", f"/{table}/", {"id": first + at, "parent_id": it, "name": name}) for at, it in enumerate(parents)]
    plain, slow = ("",), ("slow_",)
    trials.trial("locked row", plain, lambda: Psql(url, "SELECT FROM item WHERE id = 1 FOR UPDATE"), patch("item", [1]))
    trials.trial("hung foreign key", plain, lambda: Psql(url, "SELECT FROM parent WHERE id = 1 FOR UPDATE"), post("child", [1]))
    own = "UPDATE item SET n = 1 WHERE id <= 20; UPDATE parent SET id = id WHERE id <= 20; DELETE FROM parent WHERE id = 100; INSERT INTO child VALUES (1, 50, 'held')"
    mixed = [call for calls in zip(patch("item", range(1, 21)), post("child", [100] * 20)) for call in calls]
    mixed += [("PATCH", by_filter("/item", 1, 20), {"n": 6}), ("POST", "/child/", {"id": 1, "parent_id": 50, "name": "new"})]
    trials.trial("open transaction", plain, lambda: Psql(url, own), mixed, pace=0.1)
    doze = [call for calls in zip(patch("slow_item", range(1, 21), -1), post("slow_child", range(1, 21), "slow", 20_000)) for call in calls]
    doze = [call for turn in range(50) for call in renumbered(doze, turn)]
    trials.trial("slow trigger", slow, lambda: None, doze, allowed=(200, 201), seconds=2 + LOCK_TIMEOUT)
    filtered = [("PATCH", by_filter("/slow_item", 31, 33), {"n": -1})]
    trials.trial("slow write by filter", slow, lambda: Requests(trials.duet, 0.8, filtered), patch("slow_item", [32]), allowed=(200, 503))
    trials.trial("slow bulk load", plain, lambda: SlowLoad(trials.duet, 100), [("POST", "/child/", {"id": 100, "parent_id": 500, "name": "new"})])
    trials.trial("two servers at the limit of connections", plain, lambda: AtTheLimit(trials, url))


class AtTheLimit:
    """A second server with as much to do, where other programs leave fewer connections than both open."""

    def __init__(self, trials, url):
        self.trials, self.duet = trials, Duet(trials.folder, url, program=trials.options.binary)
        self.sessions = Sessions(url, 10)
        reads = [("GET", f"/item/?offset={at}&limit=5", None) for at in range(0, 9000, 37)]
        writes = [("PATCH", f"/item/{at}", {"n": at}) for at in range(101, 9000, 37)]
        self.clients = [Requests(self.duet, 0.01, calls) for calls in (reads, writes)]

    def close(self):
        for client in self.clients:
            client.close()
        answers = [answer for client in self.clients for answer in client.answers]
        self.trials.report.collided(self.trials.store, "the second server", answers, (200,), 5)
        self.sessions.close()
        self.duet.stop()


def behind_pooler(options, report, folder, url):
    """Servers start through a pool that other programs write through: each knows the pooler, and none of the others is disturbed."""
    parts = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
    name = urllib.parse.urlsplit(url).path.strip("/")
    pooler = Pgbouncer(folder, parts["host"], parts["port"], parts.get("user", "postgres"))
    through = pooler.url(name)
    # A pooler itself sets what its clients' drivers report (`DateStyle`, `IntervalStyle` …): what counts is the value that others find.
    settings = lambda through: set(query(through, "SELECT name || ' = ' || setting FROM pg_settings WHERE name <> 'application_name'").splitlines())
    usual = settings(url)
    try:
        for clients in (2, 8):
            writers, ended, remains = Writers(through, clients), collections.Counter(), set()
            for _ in range(2 if options.quick else 16):
                command = [options.binary, "serve", through, "--listen", "127.0.0.1:0"]
                if pooler.keeps_statements:
                    duet = Duet(folder, through, program=options.binary)
                    ended[exchange(duet, "PATCH", "/item/300", {"n": 1})[0]] += 1
                    duet.stop()
                else:
                    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60)
                    ended["refused" if "pgbouncer 1.21" in done.stderr else done.stderr] += 1
                remains |= settings(through) - usual
            writers.close()
            good = set(ended) <= {200, "refused"} and not writers.failed and not remains
            said = ", ".join(f"{count} × {how}" for how, count in ended.items())
            row("PostgreSQL", f"busy pooler, {clients} clients", "starts", "", f"{said}; {writers.written} × 50 writes of others, {len(writers.failed)} failed; left set: {', '.join(sorted(remains)) or 'nothing'}", "", report.check(good, "met"))
    finally:
        pooler.close()


def renumbered(calls, turn):
    """The same calls with other ids of new rows."""
    return [(method, path, {**body, "id": body["id"] + turn * 100} if "id" in body else body) for method, path, body in calls]


def through_proxy(options, report, folder, url, fault, first):
    """A proxy before the database that answers no more: every request is refused within the connect deadline, and all is well once it is back."""
    parts = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
    proxy = Proxy(f"{parts['host']}/.s.PGSQL.{parts['port']}")
    name = urllib.parse.urlsplit(url).path.strip("/")
    through = f"postgres://postgres@127.0.0.1:{proxy.port}/{name}?sslmode=disable&connect_timeout={CONNECT_TIMEOUT}"
    duet = Duet(folder, through, program=options.binary)
    calls = [("GET", "/item/{id}", None), ("GET", "/item/?limit=5", None), ("PATCH", "/item/{id}", {"n": 1}), ("POST", "/child/", {"id": 0, "parent_id": 300, "name": "new"})]
    numbered = lambda turn: [(method, path.format(id=at), body and ({**body, "id": first + turn * 1000 + at} if "id" in body else body)) for at in range(1, 500) for method, path, body in calls]
    try:
        for call in numbered(0)[:40]:
            exchange(duet, *call)
        proxy.fall_silent() if fault == "dead proxy" else proxy.refuse()
        clients = Requests(duet, 0.05, numbered(1))
        time.sleep(2 * CONNECT_TIMEOUT + 2)
        clients.close()
        # An insert that was sent, with its commit, when the connection broke: DUET-7109.
        unknown = [answer for answer in clients.answers if answer[1] == 500 and "DUET-7109" in answer[3]]
        rest = [answer for answer in clients.answers if answer not in unknown]
        report.collided("PostgreSQL", fault, rest + [(at, 503, took, "") for at, _, took, _ in unknown], (503,), CONNECT_TIMEOUT)
        proxy.restore()
        time.sleep(1)
        clients = Requests(duet, 0.05, numbered(2))
        time.sleep(2)
        clients.close()
        report.collided("PostgreSQL", fault + ", back", clients.answers, (200, 201), CONNECT_TIMEOUT)
    finally:
        duet.stop()


def on_sqlite(options, report, folder):
    path = folder / "trials.sqlite"
    subprocess.run(["sqlite3", path], input="PRAGMA journal_mode = wal;" + PARENT + TABLES.format(p="", rows=ROWS), text=True, check=True, stdout=subprocess.DEVNULL)
    duet = Duet(folder, path, "--lock-timeout", f"{LOCK_TIMEOUT}s", program=options.binary)
    trials = Trials(options, report, "SQLite", duet, folder)
    try:
        writes = [("PATCH", "/item/1", {"n": 1}), ("POST", "/child/", {"id": 1, "parent_id": 1, "name": "new"})]
        trials.trial("file locked by another program", ("", ("GET", "PAGE")), lambda: FileLock(path), writes)
        trials.trial("slow bulk load", ("",), lambda: SlowLoad(duet, 100))
    finally:
        duet.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, default=BIN / "duet")
    parser.add_argument("--only", choices=["sqlite", "postgres"])
    parser.add_argument("--faults", default="", metavar="REGEX", help="only these")
    parser.add_argument("--seconds", type=int, default=25, help="of measuring, calm and under each fault")
    parser.add_argument("--rate", type=int, default=200, help="unrelated requests per second")
    parser.add_argument("--quick", action="store_true", help="6 seconds each; percentiles of all requests together")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.binary = options.binary.resolve()
    options.seconds = 6 if options.quick else options.seconds
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if options.inside:
            on_postgres(options, report, folder)
            return not report.good
        if options.only != "postgres":
            on_sqlite(options, report, folder)
        sys.stdout.flush()
        if options.only != "sqlite":
            command = [options.binary.parent / "throwaway-postgres", "--", sys.executable, __file__, "--inside", *sys.argv[1:]]
            report.good &= subprocess.run(command).returncode == 0
    return not report.good


if __name__ == "__main__":
    sys.exit(main())
