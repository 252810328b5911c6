#!/usr/bin/env python3
"""Durable CREATE on PostgreSQL: a POST of one row into a table with a text key and three more indexes, beside pgbench's INSERT of
the same row, each committed by itself. Sides alternate in one run; prints the ratio with its 95 % interval.

Needs wrk and pgbench, and PostgreSQL's packages as ./test does. Prints Markdown.

usage: create.sh [--rounds 8] [--seconds 5] [--clients 32] [--built]
"""
import argparse, os, pathlib, subprocess, sys, tempfile, time

from sides import BIN, TRANSACTIONS, Duet, alternate, build, pgbench, row, shown, shown_ratio, wrk

LUA = pathlib.Path(__file__).resolve().parent / "create.lua"
# Ids grow with the time on each client, as those of wrk's requests do, so that both sides insert at the end of the index.
INSERT = """\\set n random(1, 100000)
INSERT INTO transactions (id, transaction_type, account, amount, currency, description, status, message)
VALUES ((extract(epoch FROM clock_timestamp()) * 1000000)::bigint || '-' || :client_id, 'PAYMENT', 'ACC-' || (:n % 1000), :n, 'EUR', 'Order ' || :n, 'SUCCESS', 'created');
"""


def creating(duet, seconds, clients):
    def side(seed):
        # Ids are new in every run.
        return wrk(duet.url, duet.mount + "/transactions/", seconds, clients, duet.token, seed=time.time_ns() + seed, script=LUA)
    return side


def measure(folder, options):
    database = os.environ["DATABASE_URL"]
    subprocess.run(["psql", "-Xqv", "ON_ERROR_STOP=1", database, "-c", TRANSACTIONS], check=True)
    insert = folder / "insert.sql"
    insert.write_text(INSERT)
    duet = Duet(folder, database)
    sides = {"create": creating(duet, options.seconds, options.clients), "pgbench": pgbench(database, insert, options.seconds, options.clients)}
    rates = alternate(sides, options.rounds, options.seconds)
    clients = f"{options.clients} clients"
    row(f"POST of one row, {clients}, requests/s", shown(rates["create"]), "")
    row(f"pgbench: INSERT, {clients}, transactions/s", shown(rates["pgbench"]), "")
    row("POST ÷ pgbench (95 %)", shown_ratio(rates, "create", "pgbench"), "1.30" if options.clients > 1 else "report")
    duet.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--built", action="store_true", help="the build exists already")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        with tempfile.TemporaryDirectory() as folder:
            return measure(pathlib.Path(folder), options)
    if not options.built:
        build()
    row("figure", "measured", "at least")
    row("---", "---", "---")
    again = [sys.executable, __file__, "--inside", *sys.argv[1:]]
    return subprocess.run([BIN / "throwaway-postgres", "--fsync", "--", *again]).returncode


sys.exit(main())
