#!/usr/bin/env python3
"""Throughput of one server with --tenants tenants in use beside the same server with one that has as many documents as they have together:
documents by id, a small search, and documents by id from memory.

Both sides are requests of the same server in interleaved rounds, by 32 connections: for one tenant alone, or for all the others at random.
Requests for one tenant that wait at the same time share a statement or a transaction; those for different tenants cannot, so the ratio of
reads of the store is that of reading by itself to reading together. Prints requests per second of both sides and the ratio of the rounds
with its 95 % interval, on SQLite (a file each) and PostgreSQL (a schema each). Needs wrk, and psql and PostgreSQL's packages as ./test does.

usage: tenants.py [--program PATH/duet] [--built] [--tenants 100] [--documents 500] [--rounds 8] [--seconds 4] [--only sqlite|postgres]
"""
import argparse, json, os, pathlib, subprocess, sys, tempfile, time, urllib.request

from sides import BIN, ROOT, alternate, build, shown, shown_ratio, wrk

APPLICATION = """name = "notes"
mount = "/notes"
collections = ["note.toml"]
tenants = "header"
"""
MEMORY = '[resources.note]\nrowstore = "64MB"\n'
DECLARATION = 'table = "note"\nschema = "note.json"\n[indexes]\nindex = ["number"]\n'
SCHEMA = {"type": "object", "properties": {"id": {"type": "string", "format": "uuid"}, "number": {"type": "integer"}, "text": {"type": "string"}}}
BY_ID = "/notes/note/0000000a-0000-4000-8000-{x}"
PATHS = {"by id": BY_ID, "search": "/notes/note?limit=5&query=number=={n}"}
# What a batch of new documents may have.
BATCH = 1000


def documents(first, last):
    return [{"id": f"0000000a-0000-4000-8000-{n:012x}", "number": n, "text": f"note {n} " * 10} for n in range(first, last + 1)]


def serve(folder, database, options, *more):
    """The process, and its address."""
    ready = folder / f"ready-{time.monotonic_ns()}.json"
    listen = ["--listen", "127.0.0.1:0", "--ready-file", ready]
    command = [options.program, "serve", database, "--config", folder / "app.toml", "--open", "all", *listen, *more]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=open(folder / "duet.log", "ab"))
    while not ready.exists():
        if process.poll() is not None:
            sys.exit(f"duet did not start:\n{(folder / 'duet.log').read_text()}")
        time.sleep(0.01)
    return process, json.loads(ready.read_text())["urls"][0]


def memory(process):
    """Bytes that the process has in memory."""
    pages = pathlib.Path(f"/proc/{process.pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def fill(url, tenant, numbers):
    headers = {"X-Okapi-Tenant": tenant, "Content-Type": "application/json"}
    for first in range(numbers.start, numbers.stop, BATCH):
        body = json.dumps(documents(first, min(first + BATCH, numbers.stop) - 1)).encode()
        urllib.request.urlopen(urllib.request.Request(f"{url}/notes/note/_/batch", body, headers)).read()


def compare(figure, url, path, options):
    """The tenant `t000` alone beside the others."""
    def side(first, last, keys):
        def run(seed, seconds=options.seconds):
            os.environ.update(DUET_FIRST=str(first), DUET_LAST=str(last))
            return wrk(url, path, seconds, seed=seed, keys=keys, script=ROOT / "bench" / "tenants.lua")
        return run
    one, many = side(0, 0, options.tenants * options.documents), side(1, options.tenants, options.documents)
    for warm in (one, many):
        warm(0, 3 * options.seconds)
    rates = alternate({"one": one, "many": many}, options.rounds, options.seconds)
    print(f"{figure}: one {shown(rates['one'])}, {options.tenants} {shown(rates['many'])}, ratio {shown_ratio(rates, 'many', 'one')}")


def measure(store, folder, database, options):
    (folder / "app.toml").write_text(APPLICATION)
    (folder / "note.toml").write_text(DECLARATION)
    (folder / "note.json").write_text(json.dumps(SCHEMA))
    names = [f"t{number:03}" for number in range(options.tenants + 1)]
    for name in names:
        subprocess.run([options.program, "tenant", "create", folder, name, "--database", database], check=True, stdout=subprocess.DEVNULL)
    few = range(1, options.documents + 1)
    process, url = serve(folder, database, options)
    try:
        for name in names[:2]:
            fill(url, name, few)
        before = memory(process)
        for name in names[2:]:
            fill(url, name, few)
        each = (memory(process) - before) / max(options.tenants - 1, 1)
        print(f"\n{store}: {options.tenants} tenants with {options.documents} documents each; {each / 1024:.0f} KiB of memory for each further one")
        fill(url, names[0], range(options.documents + 1, options.tenants * options.documents + 1))
        if store == "PostgreSQL":
            # Without statistics, it reads such a page in the order of the keys.
            subprocess.run(["psql", "-Xqc", "ANALYZE", database], check=True)
        for figure, path in PATHS.items():
            compare(figure, url, path, options)
    finally:
        process.terminate()
        process.wait()
    (folder / "app.toml").write_text(APPLICATION + MEMORY)
    # Otherwise items are served for a second only, and each is read again about once in that time.
    process, url = serve(folder, database, options, "--rowstore-max-age", "off")
    try:
        compare("by id, from memory", url, BY_ID, options)
    finally:
        process.terminate()
        process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(BIN / "duet"), help="the build to measure; throwaway-postgres is beside it")
    parser.add_argument("--built", action="store_true", help="the build exists already")
    parser.add_argument("--tenants", type=int, default=100)
    parser.add_argument("--documents", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--only", choices=["sqlite", "postgres"])
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.program = pathlib.Path(options.program).resolve()
    if options.inside:
        with tempfile.TemporaryDirectory() as folder:
            return measure("PostgreSQL", pathlib.Path(folder), os.environ["DATABASE_URL"], options)
    if not options.built:
        build()
    if options.only != "postgres":
        with tempfile.TemporaryDirectory() as folder:
            measure("SQLite", pathlib.Path(folder), f"sqlite:{folder}/tenants", options)
    if options.only != "sqlite":
        again = [sys.executable, __file__, "--inside", *sys.argv[1:]]
        return subprocess.run([options.program.parent / "throwaway-postgres", "--", *again]).returncode


sys.exit(main())
