#!/usr/bin/env python3
"""Each kind of index of a collection on PostgreSQL: the query it exists for with that index, and with a B-tree, or without an index where
a B-tree cannot serve the query.

Time is the median of single requests to `duet serve` with different values, over one connection; before a kind is measured, both sides'
answers are compared. Size is that of the index. A ratio below 1 is for the kind. Both indexes are made by `duet collection prepare` over the
same table. Prints Markdown. Needs PostgreSQL's packages as ./test does.

usage: index_kinds.sh [--documents 300000] [--requests 200] [--only hash,brin] [--program target/debug/duet] [--built]
"""
import argparse, http.client, json, os, pathlib, random, statistics, subprocess, sys, tempfile, time, urllib.parse

from sides import BIN, Duet, build, row

SCHEMA = {
    "properties": {
        "id": {"type": "string", "format": "uuid"},
        "url": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"enum": ["Open", "Pending", "Closed"]},
        "approved": {"type": "boolean"},
        "made": {"type": "string", "format": "date-time"},
        "from": {"type": "string", "format": "date"},
        "to": {"type": "string", "format": "date"},
        "place": {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}}},
    },
}
# A document for each number, in the order of their dates; one in fifty is approved. Titles are five words of 4,000.
ROWS = """INSERT INTO public.thing (id, jsonb) SELECT id, jsonb_build_object('id', id,
    'url', 'https://example.org/collections/of/things/with/a/long/address/that/begins/alike/' || md5(n::text),
    'title', (SELECT string_agg(substr(md5((hashint4(n * 7 + word) % 4000)::text), 1, 5 + word), ' ') FROM generate_series(1, 5) word),
    'status', (ARRAY['Open', 'Pending', 'Closed'])[1 + n % 3], 'approved', n % 50 = 0,
    'made', to_char(timestamp '2020-01-01' + n * interval '10 minutes', 'YYYY-MM-DD"T"HH24:MI:SS.000+00:00'),
    'from', to_char(date '2020-01-01' + n % 2000, 'YYYY-MM-DD'), 'to', to_char(date '2020-01-01' + n % 2000 + n % 30, 'YYYY-MM-DD'),
    'place', jsonb_build_object('x', hashint4(n) % 1000000 / 1000.0, 'y', hashint4(n + {documents}) % 1000000 / 1000.0))
  FROM generate_series(1, {documents}) n, LATERAL (SELECT gen_random_uuid() AS id OFFSET n * 0) new"""


def moment(number):
    return time.strftime("%Y-%m-%dT%H:%M:%S.000+00:00", time.gmtime(1577836800 + number * 600))


def between(sample, share):
    """A range of moments with this share of the documents."""
    first = sample.number(1 - share)
    return f'made >= "{moment(first)}" and made < "{moment(first + int(share * sample.documents))}"'


def days(sample, length):
    """A range of this many days."""
    first = 1577836800 + sample.random.randrange(2000 - length) * 86400
    return [time.strftime("%Y-%m-%d", time.gmtime(at)) for at in (first, first + length * 86400)]


def both(query, other, values):
    """The query of the kind, and the one that means the same without it."""
    return query.format(*values), other.format(*values)


def place(sample):
    return [round(sample.random.uniform(-1000, 1000), 3) for _ in range(2)]


def box(sample, side):
    x, y = place(sample)
    return f'spot within "{x} {y} {x + side:.3f} {y + side:.3f}"'


# Kind, its declaration, that of a B-tree (None: it cannot serve the query), the query with values (or two that mean the same,
# where B-trees need another one), and the page.
RANGE, BOUNDS = "range = [{ name = 'period', from = 'from', to = 'to' }]", "index = ['from', 'to']"
POINT = "point = [{ name = 'spot', x = 'place.x', y = 'place.y' }]"
TOTAL, PAGE = "limit=0&totalRecords=exact", "limit=10&totalRecords=none"
KINDS = [
    ("hash", "hash = ['url']", "index = ['url']", lambda it: f'url=="{it.value("url")}"', TOTAL),
    ("brin", "brin = ['made']", "index = ['made']", lambda it: between(it, 0.01), TOTAL),
    ("sp-gist", "sp-gist = ['url']", "index = ['url']", lambda it: f'url=="{it.value("url")[:84]}*"', TOTAL),
    ("trigram", "trigram = ['title']", None, lambda it: f'title=="*{it.value("title")[8:14]}*"', TOTAL),
    ("gist, similar", "gist = ['title']", None, lambda it: f'title =/fuzzy "{it.value("title")}"', TOTAL),
    ("gist, nearest", "gist = ['title']", None, lambda it: f'cql.allRecords=1 sortBy title/similar="{it.value("title")}"', PAGE),
    ("trigram, similar", "trigram = ['title']", None, lambda it: f'title =/fuzzy "{it.value("title")}"', TOTAL),
    ("full-text", "full-text = ['title']", None, lambda it: f'title = {it.value("title").split()[1]}', TOTAL),
    ("range, overlaps", RANGE, BOUNDS, lambda it: both('period within/partial "{0} {1}"', 'from <= {1} and to >= {0}', days(it, 2)), TOTAL),
    ("range, encloses", RANGE, BOUNDS, lambda it: both('period encloses "{0} {1}"', 'from <= {0} and to >= {1}', days(it, 25)), TOTAL),
    ("range, within", RANGE, BOUNDS, lambda it: both('period within "{0} {1}"', 'from >= {0} and to <= {1}', days(it, 3)), TOTAL),
    ("point, box", POINT, None, lambda it: box(it, 20), TOTAL),
    ("point, nearest", POINT, None, lambda it: 'cql.allRecords=1 sortBy spot/nearest="{} {}"'.format(*place(it)), PAGE),
    ("index of two members", "index = [{ paths = ['status', 'made'] }]", "index = ['status']",
     lambda it: f"status=={it.value('status')} sortBy made", PAGE),
    ("partial index", "index = [{ paths = ['made'], where = 'approved==true' }]", "index = ['made']",
     lambda it: f"approved==true and {between(it, 0.1)}", TOTAL),
]


class Sample:
    """Documents from which the values of queries are drawn; both sides get the same."""

    def __init__(self, database, documents, seed):
        sql = "SELECT jsonb FROM public.thing TABLESAMPLE SYSTEM (100) REPEATABLE (1) ORDER BY id LIMIT 1000"
        self.stored = [json.loads(line) for line in psql(database, sql).splitlines()]
        self.documents, self.random = documents, random.Random(seed)

    def value(self, member):
        return self.random.choice(self.stored)[member]

    def number(self, share):
        return self.random.randrange(1, max(2, int(self.documents * share)))


def psql(database, sql):
    command = ["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", database, "-c", sql]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


class Side:
    """The collection with one declaration of indexes, served."""

    def __init__(self, folder, database, declared, program):
        (folder / "collections").mkdir(exist_ok=True)
        (folder / "app.toml").write_text("name = 'things'\nmount = '/things'\ncollections = ['collections/*.toml']\n")
        (folder / "thing.json").write_text(json.dumps(SCHEMA))
        (folder / "collections" / "thing.toml").write_text(f"schema = 'thing.json'\ntable = 'thing'\n[indexes]\n{declared or ''}\n")
        self.folder, self.database, self.program = folder, database, program
        self.prepare()

    def prepare(self, *more):
        command = [self.program, "collection", "prepare", self.folder, "--database", self.database, *more]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def size(self):
        """The bytes of the declared index; 0 without one."""
        sql = "SELECT coalesce(sum(pg_relation_size(indexrelid)), 0) FROM pg_index WHERE indrelid = 'public.thing'::regclass AND NOT indisprimary"
        return int(psql(self.database, sql))

    def measure(self, queries):
        """The median of the requests in ms, and the answers."""
        duet = Duet(self.folder, self.database, "--config", str(self.folder), "--statement-timeout", "300s", program=self.program)
        connection = http.client.HTTPConnection(duet.url.removeprefix("http://"), timeout=600)
        times, answers = [], []
        for target in queries:
            began = time.perf_counter()
            connection.request("GET", f"{duet.mount}/thing?{target}", headers={"Authorization": "Bearer " + duet.token})
            answer = connection.getresponse()
            body = answer.read()
            times.append((time.perf_counter() - began) * 1000)
            if answer.status != 200:
                sys.exit(f"{target}: {answer.status} {body.decode()}")
            answers.append(body)
        connection.close()
        duet.stop()
        return statistics.median(times), answers


def measure(folder, options):
    database = os.environ["DATABASE_URL"]
    Side(folder, database, None, options.program)
    psql(database, ROWS.format(documents=options.documents))
    psql(database, "VACUUM (ANALYZE) public.thing")
    row(f"kind, {options.documents:,} documents", "ms", "MB", "beside", "ms", "MB", "time ÷ time", "size ÷ size")
    row(*["---"] * 8)
    for name, declared, plain, query, page in KINDS:
        if options.only and not any(name.startswith(one) for one in options.only.split(",")):
            continue
        # What reads all documents takes long enough to need few requests.
        requests = options.requests if plain else min(options.requests, 20)
        sample = Sample(database, options.documents, 1)
        queries = [query(sample) for _ in range(requests)]
        found = []
        for at, side in enumerate((declared, plain)):
            served = Side(folder, database, side or declared, options.program)
            if side is None:
                # Declared and dropped: similar texts are only searched for where there is to be an index.
                served.prepare("--no-indexes")
            psql(database, "VACUUM (ANALYZE) public.thing")
            asked = [query if isinstance(query, str) else query[at] for query in queries]
            targets = [f"{page}&query={urllib.parse.quote(query)}" for query in asked]
            found.append((*served.measure(targets), served.size()))
            served.prepare("--no-indexes")
        (ms, answers, size), (other_ms, others, other_size) = found
        if answers != others:
            sys.exit(f"{name}: the answers differ")
        beside = "B-tree" if plain else "no index"
        sizes = f"**{size / other_size:.3f}**" if other_size else ""
        row(name, f"{ms:.2f}", f"{size / 1e6:.2f}", beside, f"{other_ms:.2f}", f"{other_size / 1e6:.2f}", f"**{ms / other_ms:.3f}**", sizes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=300_000)
    parser.add_argument("--requests", type=int, default=200, help="of each side; at most 20 where the other one has no index")
    parser.add_argument("--only", default="", help="kinds whose name begins so")
    parser.add_argument("--program", default=str(BIN / "duet"), help="the build to measure; throwaway-postgres is beside it")
    parser.add_argument("--built", action="store_true", help="the build exists already")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.program = pathlib.Path(options.program).resolve()
    if options.inside:
        with tempfile.TemporaryDirectory() as folder:
            return measure(pathlib.Path(folder), options)
    if not options.built:
        build()
    again = [sys.executable, __file__, "--inside", *sys.argv[1:]]
    return subprocess.run([options.program.parent / "throwaway-postgres", "--", *again]).returncode


sys.exit(main())
