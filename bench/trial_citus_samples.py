#!/usr/bin/env python3
"""What `duet check --engine citus` proposes for each sample application, run on Citus, and what it says of each resource beside
what is seen there. Arguments: the folder of PostgreSQL's programs, whose server has Citus 13 installed, and the program `duet`;
then names of samples, by default all.

Of each resource that has items one is read, written back and listed, while the coordinator notes what it sends to machines:
`document` is kept where an item is one statement at most, `page` where a page is none, `locked` where a write is not refused
(DUET-6017), `atomic` where a write of several machines ends by PREPARE TRANSACTION. Exit status 1 where a script is refused, or
something that is promised is not kept."""

import json
import re
import subprocess
import sys
from pathlib import Path

from citus import Refused, Server, WITHOUT_TRIGGERS, running

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ["car-racing", "chinook", "orders", "folio", "transactions"]
MORE = {"car-racing": ["--scale", "10"], "orders": ["--profile", "realistic"]}
PROMISES = ["atomic", "locked", "document", "page"]
SAID = re.compile(r"^-- (\S+): (.*)$")
# Statements that read rows of parts of tables on machines.
READS = re.compile(r"issuing (?:SELECT|WITH|DECLARE|COPY \(SELECT)", re.IGNORECASE)


def said_of(script):
    """The promises of each resource, as the comments have them."""
    found = {}
    for line in script.splitlines():
        it = SAID.match(line)
        if it:
            found[it[1]] = {name: name in it[2].split(".")[0].split(", ") for name in PROMISES}
    return found


class Sample:
    """A sample in a database that is spread as proposed."""

    def __init__(self, cluster, duet, work, name):
        self.cluster, self.name = cluster, name
        self.database = cluster.database(True)
        self.app = ROOT / "apps" / name
        self.log = cluster.folder / str(cluster.ports[0]) / "log"
        url = cluster.url(self.database)
        subprocess.run([duet, "load", name, "--database", url, *MORE.get(name, [])], check=True, capture_output=True, text=True)
        cluster.sql(self.database, WITHOUT_TRIGGERS, "ANALYZE")
        self.script = subprocess.run([duet, "check", name, "--engine", "citus", "--database", url], check=True, capture_output=True, text=True).stdout
        path = work / f"{name}.sql"
        path.write_text(self.script)
        cluster.sql(self.database, path)
        cluster.sql(self.database, f"ALTER DATABASE {self.database} SET citus.log_remote_commands = on; ALTER DATABASE {self.database} SET log_min_messages = notice")
        self.tables = set(cluster.sql(self.database, "SELECT relname FROM pg_class WHERE relkind = 'r'").split())
        self.server = Server(duet, name, url, work / f"{name}.log")
        if not self.server.is_up:
            raise Refused((work / f"{name}.log").read_text()[-400:])

    def ask(self, method, path, headers=None, body=""):
        """The answer, and what the coordinator has sent to machines for it."""
        before = self.log.stat().st_size
        status, found, text = self.server.ask(method, path, {"X-Okapi-Tenant": "diku"} | (headers or {}), body)
        with open(self.log, errors="replace") as file:
            file.seek(before)
            return status, found, text, file.read()


def looked_at(sample, base, name, lines):
    """Reads, writes and lists; the promises that are kept, as far as this shows it."""
    path = f"{base}/{name}/"
    status, _, text, sent = sample.ask("GET", f"{path}?limit=2")
    if status != 200:
        return lines.append(f"{path}: {status} {text[:200]}")
    kept = {"page": not READS.search(sent)}
    items = next((one for one in json.loads(text).values() if isinstance(one, list) and one and isinstance(one[0], dict)), [])
    item = next(map(lambda it: address(path, it), items), None)
    if not item:
        return kept
    sample.ask("GET", item)
    status, headers, text, sent = sample.ask("GET", item)
    if status != 200:
        kept["document"] = False
        return lines.append(f"{item}: {status} {text[:300]}") or kept
    # A row is of one moment wherever it is looked for.
    kept["document"] = len(READS.findall(sent)) <= 1 or name in sample.tables
    etag = headers.get("etag")
    status, _, text, sent = sample.ask("PUT", item, {"Content-Type": "application/json", **({"If-Match": etag} if etag else {})}, text)
    if status == 501 and "DUET-6017" in text:
        kept["locked"] = False
    elif status in (200, 201, 204):
        kept["locked"] = True
        machines = set(re.findall(r"on server \S+@(\S+)", "".join(line for line in sent.splitlines(True) if "UPDATE" in line or "COMMIT" in line)))
        kept["atomic"] = len(machines) < 2 or "PREPARE TRANSACTION" in sent or "UPDATE" not in sent
    else:
        lines.append(f"PUT {item}: {status} {text[:200]}")
    return kept


def address(path, item):
    """Where an item of a list is: by its link, or by its id."""
    own = [link["href"] for link in item.get("links", []) + item.get("_metadata", {}).get("links", []) if link["rel"] == "self"]
    return "/" + own[0].split("/", 3)[3] if own else f"{path}{item['id']}" if "id" in item else None


def trial(sample):
    failed, said = False, said_of(sample.script)
    for base in bases(sample):
        status, _, text, _ = sample.ask("GET", f"{base}/metadata-catalog/")
        if status != 200:
            print(f"{sample.name} {base}: no catalog: {status}", flush=True)
            continue
        for entry in json.loads(text)["items"]:
            # Names are in capitals; links are not.
            name, lines = next(link["href"] for link in entry["links"] if link["rel"] == "canonical").rstrip("/").split("/")[-1], []
            status, _, text, _ = sample.ask("GET", f"{base}/metadata-catalog/{name}/")
            promises = json.loads(text).get("promises") if status == 200 else None
            if not promises:
                print(f"{sample.name} {name}: nothing is promised: {status}", flush=True)
                continue
            kept = looked_at(sample, base, name, lines) or {}
            # More is kept than promised where a table has few parts, or a document few rows.
            broken = [one for one in PROMISES if promises[one] and kept.get(one) is False]
            unsaid = name in said and said[name] != promises
            unlocked = promises["locked"] is False and kept.get("locked") is True
            failed |= bool(broken) or unsaid
            shown = " ".join(f"{one}:{'yes' if promises[one] else 'no'}/{ {True: 'kept', False: 'not', None: '-'}[kept.get(one)] }" for one in PROMISES)
            marks = [*(f"BROKEN {one}" for one in broken), *(["CHECK SAYS OTHERWISE"] if unsaid else []), *(["written all the same"] if unlocked else [])]
            print(f"{sample.name} {name}: {shown} {' '.join(marks)}", *(f"    {line}" for line in lines), sep="\n", flush=True)
    return failed


def bases(sample):
    lines = re.findall(r"^mount\s*=\s*(.*)$", (sample.app / "app.toml").read_text(), re.MULTILINE)
    return sorted({one.rstrip("/") for line in lines for one in re.findall(r'"([^"]*)"', line)})


def main():
    programs, duet, *chosen = sys.argv[1:]
    duet, failed = str(Path(duet).resolve()), False
    with running(programs) as (cluster, work):
        for name in chosen or SAMPLES:
            try:
                sample = Sample(cluster, duet, work, name)
            except (Refused, subprocess.CalledProcessError) as error:
                failed = True
                print(f"{name}: {getattr(error, 'stderr', '') or error}", flush=True)
                continue
            failed |= trial(sample)
            sample.server.stop()
            cluster.drop(sample.database, True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
