#!/usr/bin/env python3
"""What a cost grows with: one thing doubles at a time, on SQLite, and instructions and memory of the server are counted.

A start is counted from the first instruction until the server is ready; a request after ten of its kind. Prints a table: the size, the
instructions, by how much a doubling multiplies them, and the server's memory as it is without Valgrind. A cost that is linear doubles, one
that is constant stays; what more than doubles (above --most) is named at the end, with exit status 1. Needs valgrind.

usage: growth.py [--program PATH/duet] [--scale 1] [--doublings 2] [--only REGEX] [--most 2.2]
"""
import argparse, dataclasses, pathlib, re, sqlite3, sys, tempfile, typing

from counted import Counted
from sides import BIN, Duet, row


# Requests of a size that are counted, after as many that are not.
ASKED = 10


@dataclasses.dataclass
class Growth:
    """What grows: its first size, what makes a database and an application of a size, and the request of that size."""

    first: int
    tables: typing.Callable
    request: typing.Callable | None = None
    application: typing.Callable = lambda _: {}
    options: tuple = ()


def plain(_):
    return "CREATE TABLE item (id INTEGER PRIMARY KEY, name VARCHAR(40), data JSON); INSERT INTO item VALUES (1, 'one', '{}');"


def many_tables(count):
    return "".join(f"CREATE TABLE t{n} (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL, amount NUMERIC(9,2));" for n in range(count))


def chain(count):
    return "".join(f"CREATE TABLE t{n} (id INTEGER PRIMARY KEY, up INTEGER REFERENCES t{max(n - 1, 0)});" for n in range(count))


def columns(count):
    return f"CREATE TABLE item (id INTEGER PRIMARY KEY, {', '.join(f'c{n} INTEGER DEFAULT {n}' for n in range(count))}); INSERT INTO item (id) VALUES (1);"


def views(count):
    """Views over ten tables, each over two of them."""
    return {f"views/v{n}.graphql": f'view v{n} as t{n % 9 + 1} @insert @update {{ _id: id  up: t{n % 9} {{ id }} }}' for n in range(count)}


def privileges(count):
    one = '[[privileges]]\nname = "p{n}"\nroles = ["r{n}"]\npatterns = ["/item/*"]\noperations = ["read"]\n'
    return {"more.toml": "".join(one.format(n=n) for n in range(count))}


def item(_):
    return "GET", "/item/1", None


def in_list(count):
    return "POST", "/item/search", {"q": {"id": {"$in": list(range(count))}}, "limit": 1}


def array(count):
    array.made = getattr(array, "made", 1) + count
    return "POST", "/item/", [{"id": array.made + n, "name": f"Item {n}"} for n in range(count)]


def document(size):
    return "PUT", "/item/1", {"id": 1, "name": "one", "data": {"text": ["0123456789abcdef" * 4] * (size // 64)}}


def deep(depth):
    value = 1
    for _ in range(depth):
        value = [value]
    return "PUT", "/item/1", {"id": 1, "name": "one", "data": value}


def rows(count):
    """So many rows that a list sends."""
    return plain(0) + f"WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) INSERT INTO item SELECT i, 'Item ' || i, NULL FROM n;"


GROWTHS = {
    "start: tables": Growth(250, many_tables),
    "start: columns of a table": Growth(200, columns),
    "start: tables in a chain of foreign keys": Growth(100, chain),
    "start: views over 10 tables": Growth(100, lambda _: chain(10), application=views),
    "start: privileges": Growth(500, plain, application=privileges),
    "item: tables beside it": Growth(250, lambda count: plain(0) + many_tables(count), item),
    "item: columns": Growth(200, columns, item),
    "item: privileges": Growth(500, plain, item, application=privileges),
    "search: values of $in": Growth(1000, plain, in_list),
    "POST: rows of an array": Growth(100, plain, array),
    "PUT: bytes of a document": Growth(1 << 18, plain, document, options=("--body-bytes", "64MiB")),
    "PUT: depth of a document": Growth(8, plain, deep),
    "list: rows": Growth(100, rows, lambda count: ("GET", f"/item/?limit={count}", None), options=("--max-page-size", "10000")),
}


def prepared(folder, growth, size):
    """A database and an application of this size."""
    folder.mkdir()
    link = sqlite3.connect(folder / "data.sqlite")
    link.executescript("BEGIN;" + growth.tables(size) + "COMMIT;")
    link.close()
    files = growth.application(size)
    app = 'name = "growth"\nmount = "/api"\ndatabase = "sqlite:data.sqlite"\ntables = "all"\n'
    app += 'views = ["views/*.graphql"]\n' if any(name.startswith("views") for name in files) else ""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    (folder / "app.toml").write_text(app + files.get("more.toml", ""))
    return folder


def measured(folder, name, growth, size, options):
    """Instructions of a start or a request, and the bytes of the server afterwards."""
    place = prepared(folder / "app", growth, size)
    # A look at the schema meanwhile would count for the requests.
    server = Counted(folder, place, options.program, "--open", "all", "--schema-poll", "1h", *growth.options, start=growth.request is None)
    try:
        if growth.request is None:
            instructions = server.dumped()
        else:
            server.control("-i", "on")
            [client] = server.connections(1)
            for _ in range(2):
                server.control("-z")
                for _ in range(ASKED):
                    server.ask(client, *growth.request(size), {})
                    server.answer(client, name)
            instructions = server.dumped() // ASKED
    finally:
        server.stop()
    duet = Duet(folder, place, "--open", "all", *growth.options, program=options.program)
    try:
        status = pathlib.Path(f"/proc/{duet.process.pid}/status").read_text()
    finally:
        duet.stop()
    return instructions, int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=BIN / "duet")
    parser.add_argument("--scale", type=float, default=1, help="of the first sizes")
    parser.add_argument("--doublings", type=int, default=2)
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--most", type=float, default=2.2)
    options = parser.parse_args()
    grown = []
    row("what grows", "size", "instructions", "a doubling", "memory after the start, MB")
    row(*["---"] * 5)
    for name, growth in GROWTHS.items():
        if not re.search(options.only, name):
            continue
        before = None
        for step in range(options.doublings + 1):
            size = int(growth.first * options.scale) << step
            with tempfile.TemporaryDirectory() as folder:
                instructions, memory = measured(pathlib.Path(folder), name, growth, size, options)
            ratio = instructions / before if before else 0
            row(name, f"{size:,}", f"{instructions:,}", f"{ratio:.2f}" if ratio else "", f"{memory / 1e6:.1f}")
            if ratio > options.most:
                grown.append(f"{name}: {ratio:.2f} from {size // 2:,} to {size:,}")
            before = instructions
    for one in grown:
        print(f"more than {options.most}: {one}")
    return 1 if grown else 0


sys.exit(main())
