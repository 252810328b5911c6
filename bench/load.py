#!/usr/bin/env python3
"""Bulk loads: `POST {table}/batchload` beside `psql \\copy` and `sqlite3 .import`, sides alternating, median of the rounds.

Each side loads the same CSV into an empty table of its own with a primary key: all rows right, 1 % of the rows with a word
where a number belongs, and 1 % with a key that exists already. The other programs only load the first: `\\copy` stops at a
bad row. Every load is counted. Needs curl, sqlite3, psql and PostgreSQL's packages as ./test does. Prints Markdown.

usage: load.py [--rounds 5] [--rows 1000000] [--only sqlite|postgres] [--built]
"""
import argparse, os, pathlib, random, statistics, subprocess, sys, tempfile, time

from sides import BIN, ROOT, Duet, build, row, shown

KINDS = {"clean": "all rows right", "words": "1 % with a word for a number", "keys": "1 % with a key that is there"}
TABLE = "CREATE TABLE load_it (id integer NOT NULL PRIMARY KEY, amount integer NOT NULL, label varchar(20))"


def write_csv(path, rows, kind):
    numbers = random.Random(7)
    with open(path, "w") as out:
        out.write("id,amount,label\n")
        for id in range(1, rows + 1):
            bad = kind != "clean" and id % 100 == 50
            key = id - 1 if bad and kind == "keys" else id
            amount = "many" if bad and kind == "words" else numbers.randrange(1_000_000)
            out.write(f"{key},{amount},label {numbers.randrange(10_000)}\n")


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr or done.stdout}")
    return done.stdout


def timed(work):
    begun = time.perf_counter()
    said = work()
    return time.perf_counter() - begun, said


class Side:
    """One database: makes tables, counts rows, loads by Duet and by the other program."""

    def __init__(self, name, execute, count, other, duet):
        self.name, self.execute, self.count, self.other, self.duet = name, execute, count, other, duet

    def rate(self, kind, path, rows, by_duet):
        self.execute("DROP TABLE IF EXISTS load_it; " + TABLE)
        if by_duet:
            self.await_table()
            seconds, said = timed(lambda: self.by_duet(path))
            if "Number of rows processed: %s\n" % f"{rows:,}" not in said:
                sys.exit(said[-500:])
        else:
            seconds, _ = timed(lambda: self.other(path))
        expected = rows if kind == "clean" else rows - rows // 100
        if self.count() != expected:
            sys.exit(f"{self.name} {kind}: {self.count()} rows instead of {expected}")
        return rows / seconds

    def await_table(self):
        for _ in range(500):
            try:
                return self.duet.get("/load_it/")
            except OSError:
                time.sleep(0.02)
        sys.exit("the table is not served")

    def by_duet(self, path):
        url = f"{self.duet.url}{self.duet.mount}/load_it/batchload?errors=UNLIMITED"
        headers = ["-H", "Authorization: Bearer " + self.duet.token, "-H", "Content-Type: text/csv", "-H", "Expect:"]
        return run(["curl", "-sS", "-T", path, "-X", "POST", *headers, url])

    def measure(self, folder, rows, rounds):
        files = {}
        for kind in KINDS:
            files[kind] = folder / f"{kind}.csv"
            write_csv(files[kind], rows, kind)
        rates = {kind: [] for kind in ["other", *KINDS]}
        for number in range(rounds):
            order = list(rates) if number % 2 == 0 else list(reversed(rates))
            for kind in order:
                of = "clean" if kind == "other" else kind
                rates[kind].append(self.rate(of, files[of], rows, kind != "other"))
        program = {"SQLite": "`sqlite3 .import`", "PostgreSQL": "`psql \\copy`"}[self.name]
        row(self.name, f"{program}, {rows:,} narrow rows, rows/s", shown(rates["other"]), "")
        for kind, what in KINDS.items():
            ratio = statistics.median(a / b for a, b in zip(rates[kind], rates["other"]))
            row(self.name, f"batchload, {what}, rows/s", shown(rates[kind]), "")
            row(self.name, f"batchload, {what} ÷ {program} of right rows", f"**{ratio:.2f}**", "0.70" if kind == "clean" else "")


def on_sqlite(folder, options):
    file = folder / "load.db"
    sql = lambda text: run(["sqlite3", file, "PRAGMA busy_timeout = 5000; " + text])
    sql("PRAGMA journal_mode = wal; " + TABLE)
    duet = Duet(folder, str(file))
    number = lambda: int(sql("SELECT count(*) FROM load_it").split()[-1])
    other = lambda path: run(["sqlite3", file, f".import --csv --skip 1 {path} load_it"])
    Side("SQLite", sql, number, other, duet).measure(folder, options.rows, options.rounds)
    duet.stop()


def on_postgres(folder, options):
    database = os.environ["DATABASE_URL"]
    sql = lambda text: run(["psql", "-qAt", "-v", "ON_ERROR_STOP=1", database, "-c", text])
    sql(TABLE)
    duet = Duet(folder, database)
    number = lambda: int(sql("SELECT count(*) FROM load_it"))
    other = lambda path: run(["psql", "-q", "-v", "ON_ERROR_STOP=1", database, "-c", f"\\copy load_it FROM '{path}' CSV HEADER"])
    Side("PostgreSQL", sql, number, other, duet).measure(folder, options.rows, options.rounds)
    duet.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--only", choices=["sqlite", "postgres"])
    parser.add_argument("--built", action="store_true", help="what is to be measured has been built")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if os.environ.get("DATABASE_URL"):
            return on_postgres(pathlib.Path(folder), options)
        if not options.built:
            build()
        row("store", "figure", "measured", "goal")
        row("---", "---", "---", "---")
        if options.only != "postgres":
            on_sqlite(pathlib.Path(folder), options)
        if options.only != "sqlite":
            again = [sys.executable, __file__, "--rounds", str(options.rounds), "--rows", str(options.rows)]
            subprocess.run([BIN / "throwaway-postgres", "--fsync", "--", *again], check=True)


if __name__ == "__main__":
    main()
