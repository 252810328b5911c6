#!/usr/bin/env python3
"""Figures of the sample orders on PostgreSQL, each a ratio of sides that alternate in one run:

1. each of the ten lists of the published report at 16 connections, requests/s ÷ pgbench with hand-written SQL for the same rows and the
   same count, at 5,000 orders with a line each;
2. the same lists at 1,000,000 ÷ at 5,000, time of one connection (page of 10, totalRecords=auto);
3. four searches and two sorts at 100,000, the declared indexes present ÷ dropped, and each side ÷ pgbench; filters apart;
4. POST of a purchase order at 32 connections ÷ pgbench inserting the same rows with the same indexes, each committed by itself;
5. the ten lists with exact totals ÷ without totals, time of one connection, at 1,000,000 orders, counted and by `totals` that triggers keep;
   and POST with these totals ÷ without.

Before a list is measured, its page and its total are compared with those of the hand-written SQL. That SQL uses the declared indexes: their
expressions are read from the catalog. Needs wrk and pgbench, and PostgreSQL's packages as ./test does. Prints Markdown. Data of 1,000,000
orders need about 10 GB. Without indexes, a list of lines takes minutes beside 15 others: the server's limits on statements and on waiting
are those of --statement-timeout, in seconds.

usage: orders.sh [--rounds 5] [--seconds 3] [--large 1000] [--middle 100] [--only lists,size,indexes,post,totals] [--lists TEXT] [--statement-timeout 300] [--built]
"""
import argparse, json, math, os, pathlib, shutil, statistics, subprocess, sys, tempfile, time, urllib.parse

from sides import BIN, ROOT, Duet, alternate, build, interval, pgbench, row, shown, shown_ratio, with_database, wrk

LISTS, CREATE = ROOT / "bench" / "orders.lua", ROOT / "bench" / "orders_create.lua"
SCHEMA = "diku_mod_orders_storage"
CONNECTIONS, CREATORS = 16, 32
SORTED = "workflowStatus==Open AND orderFormat=Physical Resource sortBy metadata.createdDate/sort.ascending"
# The hand-written SQL counts all rows, so the lists beside it do too.
EXACT = "&totalRecords=exact"
# The ten lists: name, path, CQL.
TEN = [
    ("search purchase-orders", "purchase-orders", "poNumber=={n}"),
    ("search orders", "orders", "poNumber=={n}"),
    ("search po-lines", "po-lines", "poLineNumber=={n}-1"),
    ("search order-lines", "order-lines", "poLineNumber=={n}-1"),
    ("filter purchase-orders", "purchase-orders", "workflowStatus==Open"),
    ("filter orders", "orders", "workflowStatus==Open"),
    ("filter po-lines", "po-lines", "orderFormat==Physical Resource"),
    ("filter order-lines", "order-lines", "orderFormat==Physical Resource"),
    ("sort orders", "orders", SORTED),
    ("sort order-lines", "order-lines", SORTED),
]


class Database:
    """One database of the server, with so many thousand orders, and a Duet on it."""

    def __init__(self, folder, name, scale, options):
        # The name in the environment is that of the server's own database.
        self.url = with_database(os.environ["DATABASE_URL"], name)
        self.orders = scale * 1000
        self.psql(f"CREATE DATABASE {name}", os.environ["DATABASE_URL"])
        started = time.monotonic()
        command = [options.program, "load", "orders", "--database", self.url, "--scale", str(scale)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        self.loaded = time.monotonic() - started
        self.psql("VACUUM (ANALYZE)")
        self.psql("CHECKPOINT")
        self.options, self.folder = options, folder
        self.expressions = dict(line.split("\t") for line in self.psql(INDEXES).splitlines())
        self.duet = self.serve()

    def serve(self):
        limit = f"{self.options.statement_timeout}s"
        more = ["--app", "orders", "--statement-timeout", limit, "--queue-timeout", limit]
        return Duet(self.folder, self.url, *more, program=self.options.program)

    def with_totals(self):
        """Has totals made by the values of the lists' filters. They are declared in a copy of the sample."""
        self.duet.stop()
        copy = self.folder / "with-totals"
        shutil.copytree(ROOT / "apps" / "orders", copy)
        for collection, path in (("purchase-orders", "workflowStatus"), ("po-lines", "orderFormat")):
            file = copy / "collections" / f"{collection}.toml"
            file.write_text(file.read_text() + f'totals = ["{path}"]\n')
        began = time.monotonic()
        command = [self.options.program, "collection", "prepare", str(copy), "--database", self.url]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        self.duet = self.serve()
        return time.monotonic() - began

    def psql(self, sql, url=None):
        command = ["psql", "-XqAt", "-F", "\t", "-v", "ON_ERROR_STOP=1", url or self.url, "-c", sql]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def bytes(self):
        return int(self.psql("SELECT pg_database_size(current_database())"))

    def without_indexes(self):
        """Drops the declared indexes; the expressions stay those of the indexes that were there."""
        self.duet.stop()
        command = [self.options.program, "collection", "prepare", "orders", "--no-indexes", "--database", self.url]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        self.duet = self.serve()

    def value(self, index, alias):
        """The expression of an index, as a condition on this table's alias needs it."""
        return self.expressions[index].replace("jsonb #", f"{alias}.jsonb #")

    def hand_written(self, name):
        """One statement with the page, each row with the total; a number has a single row, which is its total."""
        number = "(9999 + :n::int)::text"
        po, pl = f"{SCHEMA}.purchase_order o", f"{SCHEMA}.po_line l"
        is_open = f"{self.value('purchase_order_workflowstatus_idx', 'o')} = 'Open'"
        is_physical = f"{self.value('po_line_orderformat_idx', 'l')} = 'Physical Resource'"
        joined = f"{po} JOIN {pl} ON l.purchaseorderid = o.id"
        match name.split():
            case ["search", "purchase-orders" | "orders"]:
                return f"SELECT o.jsonb, 1 FROM {po} WHERE {self.value('purchase_order_ponumber_idx_unique', 'o')} = {number} LIMIT 10"
            case ["search", _]:
                return f"SELECT l.jsonb, 1 FROM {pl} WHERE {self.value('po_line_polinenumber_idx', 'l')} = {number} || '-1' LIMIT 10"
            case ["filter", "purchase-orders" | "orders"]:
                return page("o", po, is_open, "o.id")
            case ["filter", _]:
                return page("l", pl, is_physical, "l.id")
            case ["sort", "orders"]:
                has = f"EXISTS (SELECT 1 FROM {pl} WHERE l.purchaseorderid = o.id AND {is_physical})"
                return page("o", po, f"{is_open} AND {has}", f"{self.value('purchase_order_metadata_createddate_idx', 'o')}, o.id")
            case _:
                return page("l", joined, f"{is_open} AND {is_physical}", f"{self.value('po_line_metadata_createddate_idx', 'l')}, l.id")

    def sides(self, name, path, cql, seconds, connections):
        """Duet's list and pgbench's statement, as rates; slow ones take long enough for an answer to each client."""
        seconds = max(seconds, math.ceil(connections * self.compare(name, path, cql)))
        script = self.folder / f"{name.replace(' ', '-')}-{self.orders}.sql"
        script.write_text(f"\\set n random(1, {self.orders})\n{self.hand_written(name)};\n")
        return self.lists(path, cql, seconds, connections, EXACT), pgbench(self.url, script, seconds, connections)

    def lists(self, path, cql, seconds, connections, more=""):
        # `{n}` is for wrk's script.
        query = urllib.parse.quote(cql, safe="{}")
        target = f"{self.duet.mount}/{path}?query={query}{more}"
        limits = {"timeout": self.options.statement_timeout, "keys": self.orders, "script": LISTS}
        return lambda seed: wrk(self.duet.url, target, seconds, connections, self.duet.token, seed=seed, **limits)

    def slow_list(self, path, cql, seconds, more):
        """The rate of one connection, also of lists that take longer than these seconds: of them, one is timed."""
        rate = self.lists(path, cql, seconds, 1, more)

        def side(seed):
            found = rate(seed)
            if found:
                return found
            began = time.monotonic()
            self.duet.get(f"/{path}?query={urllib.parse.quote(cql.replace('{n}', '10006'))}{more}")
            return 1 / (time.monotonic() - began)
        return side

    def compare(self, name, path, cql):
        """Seconds of one list. Ends the run where Duet and the hand-written SQL differ."""
        began = time.monotonic()
        answer = json.loads(self.duet.get(f"/{path}?query={urllib.parse.quote(cql.replace('{n}', '10006'))}{EXACT}"))
        took = time.monotonic() - began
        documents = next(list_ for list_ in answer.values() if isinstance(list_, list))
        rows = [line.rsplit("\t", 1) for line in self.psql(self.hand_written(name).replace(":n", "7")).splitlines()]
        if [document["id"] for document in documents] != [json.loads(text)["id"] for text, _ in rows] or str(answer["totalRecords"]) != rows[0][1]:
            sys.exit(f"{name}: Duet answers {answer['totalRecords']} of {len(documents)}, the SQL {rows[0][1]} of {len(rows)}")
        return took


# The expressions of indexes that have one.
INDEXES = f"""SELECT c.relname, translate(pg_get_expr(i.indexprs, i.indrelid), E'\\n', ' ') || CASE WHEN collation_.collname = 'C' THEN ' COLLATE "C"' ELSE '' END
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid LEFT JOIN pg_collation collation_ ON collation_.oid = i.indcollation[0]
  WHERE c.relnamespace = '{SCHEMA}'::regnamespace AND i.indexprs IS NOT NULL AND c.relam = (SELECT oid FROM pg_am WHERE amname = 'btree')"""


def page(alias, tables, condition, order):
    return (f"SELECT {alias}.jsonb, (SELECT count(*) FROM {tables} WHERE {condition}) FROM {tables} "
            f"WHERE {condition} ORDER BY {order} LIMIT 10")


def geometric(ratios):
    return math.exp(statistics.mean(math.log(one) for one in ratios))


def lists(database, options):
    row(f"list at {database.orders:,} orders, {CONNECTIONS} connections", "Duet, requests/s", "pgbench, transactions/s", "Duet ÷ pgbench (95 %)", "at least")
    row(*["---"] * 5)
    for name, path, cql in TEN:
        duet, sql = database.sides(name, path, cql, options.seconds, CONNECTIONS)
        rates = alternate({"duet": duet, "pgbench": sql}, options.rounds, options.seconds)
        row(name, shown(rates["duet"]), shown(rates["pgbench"]), shown_ratio(rates, "duet", "pgbench"), "0.5")


def size(small, large, options):
    row(f"list, one connection, totalRecords=auto; {large.bytes() / 1e9:.1f} GB loaded in {large.loaded:.0f} s",
        f"ms at {small.orders:,}", f"ms at {large.orders:,}", "time ÷ time (95 %)", "at most")
    row(*["---"] * 5)
    for name, path, cql in TEN:
        sides = {size.orders: size.lists(path, cql, options.seconds, 1, "&totalRecords=auto") for size in (small, large)}
        rates = alternate(sides, options.rounds, options.seconds)
        times = [f"{1000 / statistics.median(rates[size.orders]):.2f}" for size in (small, large)]
        row(name, *times, shown_ratio(rates, small.orders, large.orders), "3")


def indexes(present, dropped, options):
    row(f"list at {present.orders:,} orders, {CONNECTIONS} connections", "with indexes, requests/s", "without, requests/s", "with ÷ without (95 %)",
        "with ÷ pgbench", "without ÷ pgbench")
    row(*["---"] * 6)
    gains = []
    for name, path, cql in sorted(TEN, key=lambda it: it[0].startswith("filter")):
        sides = {}
        for side, database in (("with", present), ("without", dropped)):
            sides[side], sides[f"{side} pgbench"] = database.sides(name, path, cql, options.seconds, CONNECTIONS)
        rates = alternate(sides, options.rounds, options.seconds)
        beside = [shown_ratio(rates, side, f"{side} pgbench") for side in ("with", "without")]
        row(name, shown(rates["with"]), shown(rates["without"]), shown_ratio(rates, "with", "without"), *beside)
        if not name.startswith("filter"):
            gains.append([one / other for one, other in zip(rates["with"], rates["without"])])
    by_round = [geometric(ratios) for ratios in zip(*gains)]
    low, high = interval(by_round)
    row("searches and sorts, geometric mean", "", "", f"**{statistics.median(by_round):.1f}** ({low:.1f} to {high:.1f})", "at least 20", "")


def totals(database, options):
    modes = ("none", "exact")

    def times():
        out = {}
        for name, path, cql in TEN:
            sides = {mode: database.slow_list(path, cql, options.seconds, f"&totalRecords={mode}") for mode in modes}
            rates = alternate(sides, options.rounds, options.seconds)
            each = [f"{1000 / statistics.median(rates[mode]):.2f}" for mode in modes]
            out[name] = (*each, shown_ratio(rates, "none", "exact"))
        return out

    creates = lambda: alternate({"post": creating(database, options)}, options.rounds, options.seconds)["post"]
    counted, before = times(), creates()
    took = database.with_totals()
    kept, after = times(), creates()
    row(f"list at {database.orders:,} orders, one connection; totals made in {took:.0f} s", "ms, no total", "ms, counted", "counted ÷ none (95 %)",
        "ms, by totals", "by totals ÷ none (95 %)", "goal")
    row(*["---"] * 7)
    for name, _, _ in TEN:
        row(name, counted[name][0], counted[name][1], counted[name][2], kept[name][1], kept[name][2], "2")
    row("POST per second, before and after", shown(before), "", "", shown(after), "", "")


def creating(database, options):
    return lambda seed: wrk(database.duet.url, database.duet.mount + "/purchase-orders", options.seconds, CREATORS, database.duet.token,
                            seed=time.time_ns() // 1_000_000 + seed, script=CREATE)


def post(database, options):
    insert = database.folder / "insert.sql"
    metadata = '{"createdDate": "2026-01-01T00:00:00.000Z", "updatedDate": "2026-01-01T00:00:00.000Z"}'
    insert.write_text(f"""\\set n random(1, 1000000000)
INSERT INTO {SCHEMA}.purchase_order (id, jsonb) SELECT id, jsonb_build_object('id', id, 'notes', '["Load test"]'::jsonb, 'vendor', '0000000b-0000-4000-8000-000000000001',
  'approved', false, 'manualPo', false, 'metadata', '{metadata}'::jsonb, 'poNumber', 'P' || to_hex((extract(epoch FROM clock_timestamp()) * 1000000)::bigint) || (:client_id + 10),
  'orderType', 'One-Time', 'reEncumber', false, 'workflowStatus', 'Pending') FROM gen_random_uuid() AS new(id);
""")
    rates = alternate({"post": creating(database, options), "pgbench": pgbench(database.url, insert, options.seconds, CREATORS)}, options.rounds, options.seconds)
    row(f"purchase orders created, {CREATORS} connections", "per second", "at least")
    row(*["---"] * 3)
    row("POST", shown(rates["post"]), "")
    row("pgbench: INSERT with the same indexes", shown(rates["pgbench"]), "")
    row("POST ÷ pgbench (95 %)", shown_ratio(rates, "post", "pgbench"), "0.8")


def measure(folder, options):
    wanted = options.only.split(",")
    small = Database(folder, "small", 5, options)
    if "lists" in wanted:
        lists(small, options)
        print()
    if {"size", "totals"} & set(wanted):
        large = Database(folder, "large", options.large, options)
        if "size" in wanted:
            size(small, large, options)
            print()
        if "totals" in wanted:
            totals(large, options)
            print()
        large.duet.stop()
    if "indexes" in wanted:
        present, dropped = (Database(folder, name, options.middle, options) for name in ("present", "dropped"))
        dropped.without_indexes()
        indexes(present, dropped, options)
        present.duet.stop()
        dropped.duet.stop()
        print()
    if "post" in wanted:
        # The last one: it leaves rows.
        post(small, options)
    small.duet.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--large", type=int, default=1000, help="thousands of orders of the large database")
    parser.add_argument("--middle", type=int, default=100, help="thousands of orders of the databases with and without indexes")
    parser.add_argument("--only", default="lists,size,indexes,post,totals", help="some of the figures")
    parser.add_argument("--lists", default="", help="only lists with this text in their name")
    parser.add_argument("--statement-timeout", type=int, default=300, help="seconds that a statement may take")
    parser.add_argument("--program", default=str(BIN / "duet"), help="the build to measure")
    parser.add_argument("--built", action="store_true", help="the build exists already")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    TEN[:] = [one for one in TEN if options.lists in one[0]]
    if options.inside:
        with tempfile.TemporaryDirectory() as folder:
            return measure(pathlib.Path(folder), options)
    if not options.built:
        build()
    again = [sys.executable, __file__, "--inside", *sys.argv[1:]]
    return subprocess.run([BIN / "throwaway-postgres", "--fsync", "--", *again]).returncode


sys.exit(main())
