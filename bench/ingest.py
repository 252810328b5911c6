#!/usr/bin/env python3
r"""Writes that are answered early, on PostgreSQL with fsync=on.

Ingest: `duet bench run ingest` sends batches of rows, acknowledged after the journal's sync, and checks at the end that the table has
each acknowledged row once; beside it as many psql load rows by \copy into the same table with its key and three more indexes. Sides
alternate in one run, each begins with an empty table. "Applied" are the rows that got from the journal into the table per second while
the load ran. Prints the ratios with their 95 % intervals.
Classes: CREATE with commit=async beside commit=group, by 1 and by 32 clients.
Loss: CREATE by 8 clients until every process of PostgreSQL is killed (SIGKILL) at a random moment; after its recovery the acknowledged
rows that are missing are counted, and how long before the kill the oldest of them was acknowledged. With group there must be none.

The journal is in a temporary folder: set TMPDIR to the disk that is to be measured, which is PostgreSQL's too.
Needs psql, and PostgreSQL's packages as ./test does. Prints Markdown.

usage: ingest.sh [--rounds 8] [--seconds 10] [--clients 4] [--batch 1000] [--rows 400000] [--kills 50] [--only ingest|classes|loss] [--built]
"""
import argparse, http.client, json, os, pathlib, random, shlex, signal, subprocess, sys, tempfile, threading, time, urllib.parse

import sides
from sides import BIN, Duet, alternate, build, postmaster, row, shown, shown_ratio

COLUMNS = "id, transaction_type, account, amount, currency, description"
APPLICATION = """name = "txn"
mount = "/txn"
schema = "txn"
tables = "listed"
[resources.transactions]
commit_allowed = ["ingest", "async", "memory"]
"""
# Rows of the data before the first run; each side of ingest begins with none of them.
SCALE = 100
CLIENTS_OF_LOSS = 8


def sql(database, text):
    subprocess.run(["psql", "-Xqv", "ON_ERROR_STOP=1", database, "-c", text], check=True)


def empty(database):
    sql(database, "TRUNCATE txn.transactions")
    sql(database, "CHECKPOINT")


def run(folder, database, workload, options, *more):
    """A result of `duet bench run` with a server of its own: its figures by name. Checks that fail end the script."""
    out = folder / f"run-{time.monotonic_ns()}"
    command = [BIN / "duet", "bench", "run", workload, "--target", database, "--warmup", "2s", "--duration", f"{options.seconds}s", "--quiet", "--out", out, *more]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {ran.returncode}\n{ran.stdout}{ran.stderr}")
    figures = json.loads((out / "result.json").read_text())["figures"]
    return {figure["name"]: figure["value"] for figure in figures}


def loads(folder, database, options):
    r"""Rows per second by \copy, in so many processes at once."""
    def side(_seed):
        empty(database)
        start, files, each = time.time_ns(), [], options.rows // options.clients
        for client in range(options.clients):
            file = folder / f"rows-{client}.csv"
            lines = (f"{start}-{client}-{number},sale,ACC{number % 1000:06},{number % 100000 + 1},EUR,Load test\n" for number in range(each))
            file.write_text("".join(lines))
            files.append(file)
        began = time.monotonic()
        running = [subprocess.Popen(["psql", "-Xqv", "ON_ERROR_STOP=1", database, "-c", f"\\copy txn.transactions ({COLUMNS}) FROM '{file}' CSV"]) for file in files]
        if any([process.wait() for process in running]):
            sys.exit("\\copy failed")
        return each * options.clients / (time.monotonic() - began)
    return side


def ingest(folder, database, options):
    applied, lags, drains = [], [], []

    def side(_seed):
        empty(database)
        figures = run(folder, database, "ingest", options, "--users", str(options.clients), "--ingest-rows", str(options.batch))
        applied.append(figures["Rows applied, with the load running"])
        lags.append(figures["Lag, the most"])
        drains.append(figures["Drain after the load"])
        return figures["Rows acknowledged"]

    rates = alternate({"acknowledged": side, "copy": loads(folder, database, options)}, options.rounds, options.seconds)
    # Of the same runs, in the same order.
    rates["applied"] = applied
    clients = f"{options.clients} clients"
    row(f"batches of {options.batch}, {clients}: acknowledged, rows/s", shown(rates["acknowledged"]), "", "")
    row("applied meanwhile, rows/s", shown(applied), "", "")
    row(f"\\copy, {clients}, rows/s", shown(rates["copy"]), "", "")
    row("acknowledged ÷ \\copy (95 %)", shown_ratio(rates, "acknowledged", "copy"), "0.80", "1.50")
    row("applied ÷ \\copy (95 %)", shown_ratio(rates, "applied", "copy"), "0.50", "0.80")
    row("rows that waited, the most", shown(lags), "report", "")
    row("drain after the load, s: the longest", f"{max(drains):.1f}", "report", "")


def classes(folder, database, options):
    for clients in (1, 32):
        def side(name):
            return lambda _seed: run(folder, database, "txn", options, "--mix", "CREATE=1", "--users", str(clients), "--commit", name)["Rows created"]
        rates = alternate({name: side(name) for name in ("async", "group")}, options.rounds, options.seconds)
        who = "1 client" if clients == 1 else f"{clients} clients"
        row(f"CREATE async, {who}, rows/s", shown(rates["async"]), "", "")
        row(f"CREATE group, {who}, rows/s", shown(rates["group"]), "", "")
        row(f"async ÷ group, {who} (95 %)", shown_ratio(rates, "async", "group"), "report", "")


class Postgres:
    """The server of a database: killed, and started again on the same data."""

    def __init__(self, database):
        self.database = database
        shown = subprocess.run(["psql", "-XqAt", database, "-c", "SHOW data_directory"], check=True, capture_output=True, text=True)
        self.data = pathlib.Path(shown.stdout.strip())
        self.first = postmaster(database)
        self.process = None

    def kill(self):
        """Kills all its processes; the moment before the first."""
        leader = self.process.pid if self.process else self.first
        children = [int(child) for child in pathlib.Path(f"/proc/{leader}/task/{leader}/children").read_text().split()]
        moment = time.monotonic()
        for process in [leader, *children]:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if self.process:
            self.process.wait()
        while any(alive(process) for process in [leader, *children]):
            time.sleep(0.005)
        # All are dead; one whose parent has not waited for it yet would still count as running.
        for lock in [self.data / "postmaster.pid", *self.data.parent.glob(".s.PGSQL.*.lock")]:
            lock.unlink()
        return moment

    def start(self):
        """With the command line of its first start; waits until it answers."""
        owner = self.data.stat()
        command = shlex.split((self.data / "postmaster.opts").read_text())
        as_owner = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []} if os.geteuid() == 0 else {}
        path = self.data.parent / "restarted.log"
        log = open(path, "ab")
        self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.data, **as_owner)
        while subprocess.run(["psql", "-XqAt", self.database, "-c", "SELECT 1"], capture_output=True).returncode:
            if self.process.poll() is not None:
                sys.exit(f"PostgreSQL did not start again: {' '.join(command)}\n{path.read_text()}")
            time.sleep(0.05)


def alive(process):
    """Whether a process runs; one that has ended and is not waited for does not."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Creator(threading.Thread):
    """Creates rows one after the other, and notes when each was acknowledged."""

    def __init__(self, duet, name, number):
        super().__init__()
        self.duet, self.prefix, self.acknowledged, self.over = duet, f"LOSS-{time.time_ns()}-{number}", [], False
        self.headers = {"Authorization": "Bearer " + duet.token, "Content-Type": "application/json", "Prefer": f"commit={name}, return=minimal"}

    def run(self):
        connection, number = http.client.HTTPConnection(urllib.parse.urlsplit(self.duet.url).netloc), 0
        while not self.over:
            number += 1
            name = f"{self.prefix}-{number}"
            body = json.dumps({"id": name, "transaction_type": "sale", "account": "ACC000001", "amount": 1, "currency": "EUR"})
            try:
                connection.request("POST", self.duet.mount + "/transactions/", body, self.headers)
                response = connection.getresponse()
                response.read()
            except OSError:
                return
            if response.status != 201:
                return
            self.acknowledged.append((name, time.monotonic()))


def lost(folder, server, name, draw):
    """Kills the server under load: the ages in ms of the acknowledged rows that are missing, and how many were acknowledged."""
    definition = folder / "app.toml"
    definition.write_text(APPLICATION)
    duet = Duet(folder, server.database, "--config", definition)
    creators = [Creator(duet, name, number) for number in range(CLIENTS_OF_LOSS)]
    for creator in creators:
        creator.start()
    time.sleep(draw.uniform(1.0, 2.0))
    moment = server.kill()
    for creator in creators:
        creator.over = True
    for creator in creators:
        creator.join()
    duet.process.kill()
    duet.process.wait()
    server.start()
    found = subprocess.run(["psql", "-XqAt", server.database, "-c", "SELECT id FROM txn.transactions WHERE id LIKE 'LOSS-%'"], check=True, capture_output=True, text=True)
    there = set(found.stdout.split())
    rows = [row for creator in creators for row in creator.acknowledged]
    return [(moment - at) * 1000 for name, at in rows if name not in there], len(rows)


def loss(folder, database, options):
    draw = random.Random(1)
    server = Postgres(database)
    try:
        for name, kills in (("async", options.kills), ("group", max(1, options.kills // 5))):
            counts, ages, acknowledged = [], [], 0
            for _ in range(kills):
                sql(database, "DELETE FROM txn.transactions")
                missing, sent = lost(folder, server, name, draw)
                acknowledged += sent
                counts.append(len(missing))
                ages.append(max(missing, default=0.0))
            if acknowledged == 0 or (name == "group" and sum(counts)):
                sys.exit(f"{name}: {sum(counts)} of {acknowledged} acknowledged rows are missing after {kills} kills")
            row(f"{name}, PostgreSQL killed {kills} times: rows acknowledged, lost", f"{acknowledged:,}, {sum(counts):,}", "0 lost" if name == "group" else "report", "")
            if name == "async":
                ages.sort()
                row("the oldest lost row was acknowledged before the kill, ms: median, the most", f"{ages[len(ages) // 2]:.0f}, **{ages[-1]:.0f}**", "600", "")
    finally:
        if server.process:
            server.process.send_signal(signal.SIGINT)
            server.process.wait(60)


def measure(folder, options):
    database = os.environ["DATABASE_URL"]
    sides.load("txn", database, "--scale", str(SCALE))
    for name, part in (("ingest", ingest), ("classes", classes), ("loss", loss)):
        if options.only in (None, name):
            part(folder, database, options)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=400000, help="rows that \\copy loads, by all clients together")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--only", choices=["ingest", "classes", "loss"])
    parser.add_argument("--built", action="store_true", help="the build exists already")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        with tempfile.TemporaryDirectory() as folder:
            return measure(pathlib.Path(folder), options)
    if not options.built:
        build()
    row("figure", "measured", "at least", "goal")
    row("---", "---", "---", "---")
    again = [sys.executable, __file__, "--inside", *sys.argv[1:]]
    return subprocess.run([BIN / "throwaway-postgres", "--fsync", "--", *again]).returncode


sys.exit(main())
