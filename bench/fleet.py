#!/usr/bin/env python3
"""Several servers of one PostgreSQL database, measured and tried: what idle ones cost, restarts behind haproxy, failovers.

needs PostgreSQL's programs; `rolling` and `stack` haproxy, `stack` pgbouncer 1.21 or later."""
import argparse, json, pathlib, re, subprocess, sys, threading, time

from cluster import Delay, Duet, Load, Place, Postgres, Wire, add_client, ask, haproxy, pgbouncer, token_of, wait_for

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = "CREATE TABLE item (id bigint PRIMARY KEY)"


def made(postgres):
    postgres.sql("CREATE DATABASE shop")
    postgres.sql(TABLE, "shop")


def is_listening(duet, token):
    text = ask(duet.port, "GET", "/metrics", token)[1].decode()
    return len(re.findall(r"^duet_(?:schema|clients)_listening\{.*\} 1$", text, re.M)) == 2


def idle(options):
    """Connections and statements of servers that do nothing."""
    print("| servers | connections | statements a second | of each |\n|---|---|---|---|")
    for servers in options.servers:
        with Place() as place, Postgres(place, "primary", max_connections=400) as postgres:
            made(postgres)
            client = add_client(options.duet, postgres.url())
            duets = [Duet(place, options.duet, number, [postgres.url(), "--servers", servers]) for number in range(servers)]
            for duet in duets:
                wait_for("the database tells of changes", lambda: is_listening(duet, token_of(duet.port, client)))
            log = place.path / "primary.log"
            postgres.sql("ALTER SYSTEM SET log_statement = 'all'")
            postgres.sql("SELECT pg_reload_conf()")
            wait_for("statements are in the log", lambda: "pg_current_snapshot" in log.read_text())
            begun, before = time.monotonic(), len(log.read_text())
            time.sleep(options.seconds)
            passed, text = time.monotonic() - begun, log.read_text()[before:]
            statements = len(re.findall(r"LOG:  (?:statement|execute)", text))
            connections = postgres.sql("SELECT count(*) FROM pg_stat_activity WHERE datname = 'shop'")
            rate = statements / passed
            print(f"| {servers} | {connections} | {rate:.2f} | {rate / servers:.2f} |", flush=True)


def rolling(options):
    """Servers behind haproxy are restarted one after the other under load; after each restart a table is made."""
    with Place() as place, Postgres(place, "primary", fsync=options.fsync) as postgres:
        made(postgres)
        client = add_client(options.duet, postgres.url())
        subprocess.run([options.duet, "service", "prepare", "--database", postgres.url(), "--announce-schema"], check=True, stdout=subprocess.DEVNULL)
        arguments = [postgres.url(), "--servers", "3", "--drain-delay", "2s"]
        duets = [Duet(place, options.duet, number, arguments) for number in range(3)]
        restarts(options, place, (postgres, duets), client)


def restarts(options, place, running, client):
    postgres, duets = running
    token = token_of(duets[0].port, client)
    port = haproxy(place, duets)
    load = Load(port, token, options.clients)
    wait_for("rows", lambda: load.count() > 100)
    slowest, begun = 0.0, time.monotonic()
    for restart in range(options.restarts):
        duet = duets[restart % len(duets)]
        duet.stop()
        duet.start()
        for one in duets:
            wait_for("the database tells of changes", lambda: options.is_pooled or is_listening(one, token))
        # The balancer has it back.
        time.sleep(1)
        postgres.sql(f"CREATE TABLE new_{restart} (id integer PRIMARY KEY)", "shop")
        path = f"/api/public/new_{restart}/"
        known = lambda: all(ask(one.port, "GET", path, token)[0] == 200 for one in duets)
        slowest = max(slowest, wait_for("the new table is served", known, pause=0.005))
    while load.count() < options.requests and not load.over.is_set():
        time.sleep(0.1)
    load.end()
    passed, all_of = time.monotonic() - begun, load.count() + len(load.unanswered) + sum(load.refused.values())
    rows = int(postgres.sql("SELECT count(*) FROM item", "shop"))
    print(f"{options.restarts} restarts in {passed:.0f} s: {len(load.unanswered)} of {all_of} requests unanswered, refused {load.refused or 0}; "
          f"{load.count()} acknowledged, {rows} rows; longest request {load.longest:.2f} s; a new table everywhere after {slowest * 1000:.0f} ms at most")
    for text in sorted(set(load.unanswered)):
        print(f"  {text}")
    if load.unanswered or rows < load.count():
        sys.exit(1)


def stack(options):
    """The processes of deploy/fleet: a primary, two standbys, pgbouncer, three servers, haproxy; restarts under load."""
    with Place() as place, Postgres(place, "primary") as primary:
        made(primary)
        with Postgres(place, "standby1", primary) as first, Postgres(place, "standby2", primary) as second:
            pooler = pgbouncer(place, primary, options.pool_mode)
            client = add_client(options.duet, primary.url())
            url = f"postgres://postgres@127.0.0.1:{pooler}/shop"
            arguments = [url, "--servers", "3", "--drain-delay", "2s", "--read-database", f"{first.url()},{second.url()}", "--read-position", "header"]
            duets = [Duet(place, options.duet, number, arguments) for number in range(3)]
            restarts(options, place, (primary, duets), client)


def failover(options):
    """The primary is killed under load and its standby promoted, over and over: what was acknowledged and is not there is lost."""
    lost_of_all, kinds = {}, {"synchronous": "*", "asynchronous": ""}
    begun = time.monotonic()
    for kind in options.kinds:
        counted = {"failovers": 0, "acknowledged": 0, "lost": 0, "longest": 0.0, "unanswered": 0}
        while counted["failovers"] < options.failovers and time.monotonic() - begun < options.seconds * (1 + options.kinds.index(kind)):
            one_failover(options, kinds[kind], counted)
        print(f"{kind}: {counted['failovers']} failovers, {counted['acknowledged']} acknowledged rows, {counted['lost']} lost; "
              f"{counted['unanswered']} requests without an answer, the longest took {counted['longest']:.1f} s", flush=True)
        lost_of_all[kind] = counted["lost"]
    if lost_of_all.get("synchronous"):
        sys.exit(1)


def one_failover(options, names, counted):
    with Place() as place, Postgres(place, "a", fsync="on") as primary:
        made(primary)
        with Postgres(place, "b", primary, fsync="on") as standby:
            if names:
                primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
                primary.sql("SELECT pg_reload_conf()")
                wait_for("commits wait", lambda: primary.sql("SELECT sync_state FROM pg_stat_replication") == "sync")
            url = f"host=127.0.0.1,127.0.0.1 port={primary.port},{standby.port} user=postgres dbname=shop target_session_attrs=read-write connect_timeout=2"
            duet = Duet(place, options.duet, 0, [url, "--open", "all"])
            load = Load(duet.port, "", options.clients)
            wait_for("rows", lambda: load.count() > options.rows)
            # As a machine that fails: nothing is said any more.
            primary.stop("immediate")
            standby.promote()
            before = load.count()
            wait_for("rows after the failover", lambda: load.count() > before + options.rows)
            load.end()
            rows = set(map(int, standby.sql("SELECT id FROM item", "shop").split()))
            counted["failovers"] += 1
            counted["acknowledged"] += load.count()
            counted["lost"] += len(set(load.acknowledged) - rows)
            counted["unanswered"] += len(load.unanswered)
            counted["longest"] = max(counted["longest"], load.longest)


def lag(options):
    """Clients read what they have written from standbys that a proxy holds up, by process and by position: nothing stale."""
    with Place() as place, Postgres(place, "primary", fsync=options.fsync) as primary:
        made(primary)
        primary.sql("ALTER TABLE item ADD COLUMN note text", "shop")
        primary.sql("INSERT INTO item SELECT * FROM generate_series(1, 100)", "shop")
        late = [Delay(primary.port) for _ in range(2)]
        with Postgres(place, "standby1", late[0]) as first, Postgres(place, "standby2", late[1]) as second:
            arguments = [primary.url(), "--open", "all", "--read-database", f"{first.url()},{second.url()}", "--server-timing"]
            duets = {kind: Duet(place, options.duet, number, [*arguments, "--read-position", kind]) for number, kind in enumerate(["auto", "header"])}
            for duet in duets.values():
                wait_for("reads go to both standbys", lambda: ask(duet.port, "GET", "/health/ready")[1].count(b'"up"') >= 2)
            for one in late:
                one.most = options.most
            begun = time.monotonic()
            # With `auto` a client without a token is its address.
            kinds = ["auto", *["header"] * (options.clients - 1)]
            readers = [Reader(duets[kind].port, kind, number + 1, options) for number, kind in enumerate(kinds)]
            for reader in readers:
                reader.thread.join()
            reads, stale = sum(one.reads for one in readers), sum(one.stale for one in readers)
            nodes = {node: sum(one.nodes.get(node, 0) for one in readers) for node in sorted({node for one in readers for node in one.nodes})}
            print(f"{reads} reads after {sum(one.writes for one in readers)} own writes in {time.monotonic() - begun:.0f} s: {stale} stale; "
                  f"answered by {nodes}; {sum(one.failed for one in readers)} without 200")
            if stale:
                sys.exit(1)


class Reader:
    """A client that writes a row and then reads it, over and over."""

    def __init__(self, port, kind, row, options):
        self.port, self.kind, self.row, self.options = port, kind, row, options
        self.reads = self.writes = self.stale = self.failed = 0
        self.nodes = {}
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        wire, path = Wire(self.port), b"/api/public/item/%d" % self.row
        end, wanted = time.monotonic() + self.options.seconds, self.options.reads // self.options.clients
        while self.reads < wanted and time.monotonic() < end:
            self.writes += 1
            note = f"{self.row}-{self.writes}"
            status, found, text = wire.ask(b"PATCH", path, b"Content-Type: application/merge-patch+json\r\n", json.dumps({"note": note}).encode())
            assert status == 200, text
            headers = b"Duet-Position: %s\r\n" % found[b"duet-position"] if self.kind == "header" else b""
            for _ in range(self.options.each):
                status, found, text = wire.ask(b"GET", path, headers)
                self.reads += 1
                if status != 200:
                    self.failed += 1
                    continue
                self.stale += json.loads(text)["note"] != note
                node = re.search(rb'node;desc="(.*?)"', found.get(b"server-timing", b""))
                node = node and node[1].decode()
                self.nodes[node] = self.nodes.get(node, 0) + 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--duet", default=ROOT / "target" / "release" / "duet", help="the program")
    parts = parser.add_subparsers(dest="part", required=True)
    part = parts.add_parser("idle")
    part.add_argument("--servers", type=int, nargs="*", default=[1, 3, 20])
    part.add_argument("--seconds", type=int, default=60)
    for name in ["rolling", "stack"]:
        part = parts.add_parser(name)
        part.add_argument("--restarts", type=int, default=20)
        part.add_argument("--requests", type=int, default=100_000, help="go on until so many rows are acknowledged")
        part.add_argument("--clients", type=int, default=8)
        part.add_argument("--fsync", default="off")
        part.add_argument("--pool-mode", default="transaction")
    part = parts.add_parser("failover")
    part.add_argument("--failovers", type=int, default=100)
    part.add_argument("--seconds", type=float, default=1e9, help="of each kind, at most")
    part.add_argument("--kinds", nargs="*", default=["synchronous", "asynchronous"])
    part.add_argument("--clients", type=int, default=8)
    part.add_argument("--rows", type=int, default=200)
    part = parts.add_parser("lag")
    part.add_argument("--reads", type=int, default=1_000_000)
    part.add_argument("--each", type=int, default=10, help="reads after each write")
    part.add_argument("--most", type=float, default=0.2, help="seconds by which the stream of a standby is late, at most")
    part.add_argument("--seconds", type=float, default=1e9, help="at most")
    part.add_argument("--clients", type=int, default=4)
    part.add_argument("--fsync", default="off")
    options = parser.parse_args()
    options.is_pooled = options.part == "stack"
    {"idle": idle, "rolling": rolling, "stack": stack, "failover": failover, "lag": lag}[options.part](options)


if __name__ == "__main__":
    main()
