#!/usr/bin/env python3
"""Batches: rows per second of POST {resource}/_/batch beside psql's \\copy of the same rows into the same table with its key and three
more indexes, on PostgreSQL with fsync=on; and beside .import of the shell sqlite3. pgbench makes as many rows by one INSERT in each
transaction: where each batch is durable when it is answered, that is the limit, a load is durable once. Sides alternate in one run, each
begins with an empty table; prints the ratios with their 95 % intervals.

Needs wrk, psql, pgbench and sqlite3, and PostgreSQL's packages as ./test does. Prints Markdown.

usage: batch.sh [--rounds 8] [--seconds 5] [--clients 4] [--batch 100] [--rows 100000] [--only sqlite|postgres] [--built]
"""
import argparse, os, pathlib, subprocess, sys, tempfile, time

from sides import BIN, TRANSACTIONS, Duet, alternate, build, pgbench, row, shown, shown_ratio, wrk

LUA = pathlib.Path(__file__).resolve().parent / "batch.lua"
COLUMNS = "id, transaction_type, account, amount, currency, description, status, message"
INSERT = """\\set first random(1, 1000000000000000)
INSERT INTO transactions (%s) SELECT :first || '-' || n, 'PAYMENT', 'ACC-' || n %% 1000, n, 'EUR', 'Order ' || n, 'SUCCESS', 'created'
FROM generate_series(1, %d) n;
"""
# .import gives every column of the table.
SQLITE_REST = ",,,2025-11-01 00:00:00,2025-11-01 00:00:00"


class Postgres:
    """The store below one server, and its own tool for loading rows."""

    name, tool = "PostgreSQL", "psql \\copy"

    def __init__(self, folder):
        self.folder, self.database = folder, os.environ["DATABASE_URL"]
        self.sql(TRANSACTIONS)

    def sql(self, text):
        subprocess.run(["psql", "-Xqv", "ON_ERROR_STOP=1", self.database, "-c", text], check=True)

    def empty(self):
        self.sql("TRUNCATE transactions")
        self.sql("CHECKPOINT")

    def line(self, text):
        return text

    def loading(self, file):
        return ["psql", "-Xqv", "ON_ERROR_STOP=1", self.database, "-c", f"\\copy transactions ({COLUMNS}) FROM '{file}' CSV"]


class Sqlite:
    """The same of a SQLite file."""

    name, tool = "SQLite", "sqlite3 .import"

    def __init__(self, folder):
        self.folder, self.database = folder, str(folder / "batch.sqlite")
        self.sql("PRAGMA journal_mode = WAL")
        self.sql(TRANSACTIONS)

    def sql(self, text):
        subprocess.run(["sqlite3", "-cmd", ".timeout 10000", self.database, text], check=True, stdout=subprocess.DEVNULL)

    def empty(self):
        self.sql("DELETE FROM transactions")

    def line(self, text):
        return text + SQLITE_REST

    def loading(self, file):
        return ["sqlite3", "-cmd", ".timeout 10000", self.database, ".mode csv", f".import {file} transactions"]


def batches(store, duet, options):
    """Rows per second by _/batch."""
    def side(_seed):
        store.empty()
        os.environ["DUET_ROWS"] = str(options.batch)
        rate = wrk(duet.url, duet.mount + "/transactions/_/batch", options.seconds, options.clients, duet.token, seed=time.time_ns(), script=LUA)
        return rate * options.batch
    return side


def loads(store, clients, options):
    """Rows per second by the store's own tool, in so many processes at once."""
    def side(_seed):
        store.empty()
        start, files = time.time_ns(), []
        each = options.rows // clients
        for client in range(clients):
            file = store.folder / f"rows-{client}.csv"
            lines = (f"{start + number}-{client},PAYMENT,ACC-{number % 1000},{number},EUR,Order {number},SUCCESS,created" for number in range(each))
            file.write_text("".join(store.line(line) + "\n" for line in lines))
            files.append(file)
        began = time.monotonic()
        running = [subprocess.Popen(store.loading(file)) for file in files]
        if any([process.wait() for process in running]):
            sys.exit(f"{store.tool} failed")
        return each * clients / (time.monotonic() - began)
    return side


def inserts(store, options):
    """Rows per second by pgbench, so many in each transaction."""
    script = store.folder / "insert.sql"
    script.write_text(INSERT % (COLUMNS, options.batch))
    rate = pgbench(store.database, script, options.seconds, options.clients)
    def side(seed):
        store.empty()
        return rate(seed) * options.batch
    return side


def measure(store, options):
    duet = Duet(store.folder, store.database)
    sides = {"batch": batches(store, duet, options), "one": loads(store, 1, options)}
    if store.name == "PostgreSQL":
        sides["all"] = loads(store, options.clients, options)
        sides["pgbench"] = inserts(store, options)
    rates = alternate(sides, options.rounds, options.seconds)
    duet.stop()
    row(store.name, f"batches of {options.batch}, {options.clients} clients, rows/s", shown(rates["batch"]), "")
    row(store.name, f"{store.tool}, rows/s", shown(rates["one"]), "")
    row(store.name, f"batches ÷ {store.tool} (95 %)", shown_ratio(rates, "batch", "one"), "0.50" if store.name == "PostgreSQL" else "report")
    if "all" in rates:
        row(store.name, f"{options.clients} {store.tool} at once, rows/s", shown(rates["all"]), "")
        row(store.name, f"batches ÷ {options.clients} {store.tool} at once (95 %)", shown_ratio(rates, "batch", "all"), "report")
        row(store.name, f"pgbench, {options.batch} rows in each transaction, {options.clients} clients, rows/s", shown(rates["pgbench"]), "")
        row(store.name, "batches ÷ pgbench (95 %)", shown_ratio(rates, "batch", "pgbench"), "report")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--rows", type=int, default=100000, help="rows that the store's own tool loads")
    parser.add_argument("--only", choices=["sqlite", "postgres"])
    parser.add_argument("--built", action="store_true", help="the build exists already")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if options.inside:
            return measure(Postgres(folder), options)
        if not options.built:
            build()
        row("store", "figure", "measured", "at least")
        row("---", "---", "---", "---")
        if options.only != "postgres":
            measure(Sqlite(folder), options)
    if options.only != "sqlite":
        again = [sys.executable, __file__, "--inside", *sys.argv[1:]]
        return subprocess.run([BIN / "throwaway-postgres", "--fsync", "--", *again]).returncode
    return 0


sys.exit(main())
