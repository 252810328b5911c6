#!/usr/bin/env python3
"""Documents and pages of car-racing on Citus while transactions write them, its journal, and rates beside plain PostgreSQL of the
same server. Arguments: the folder of PostgreSQL's programs, whose server has Citus 13 installed, and the program `duet`; then
names of designs (R, M, K, C; see citus.py) and of parts (torn, journal, rates), by default all. `rates` needs wrk.

Exit status 1 where a document or page is torn that its resource promises to read in one snapshot, or the journal does not drain."""

import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from citus import WITHOUT_TRIGGERS, Server, running
from citus_cases import Case

ROOT = Path(__file__).resolve().parent.parent
DESIGNS, PARTS = ["R", "M", "K", "C"], ["torn", "journal", "rates"]
SCALE, SECONDS, ROUNDS = 100, float(os.environ.get("DUET_TRIAL_SECONDS", "6")), 3
# What a transaction sets to one number, and where documents of it have that number.
WRITES = {
    "driver_dv": ("UPDATE driver SET points = {n} WHERE driver_id = {id}", "UPDATE driver_race_map SET position = {n} WHERE driver_id = {id}"),
    "team_dv": ("UPDATE team SET points = {n} WHERE team_id = {id}", "UPDATE driver SET points = {n} WHERE team_id = {id}"),
    "race_dv": ("UPDATE race SET laps = {n} WHERE race_id = {id}", "UPDATE driver_race_map SET position = {n} WHERE race_id = {id}"),
}
NUMBERS = {
    "driver_dv": lambda it: [it["points"], *(one["finalPosition"] for one in it["race"])],
    "team_dv": lambda it: [it["points"], *(one["points"] for one in it["driver"])],
    "race_dv": lambda it: [it["laps"], *(one["position"] for one in it["result"])],
}
FIND = {
    "driver_dv": "SELECT driver_id FROM driver_race_map GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1",
    "team_dv": "SELECT team_id FROM driver WHERE team_id IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1",
    "race_dv": "SELECT race_id FROM driver_race_map GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1",
}


class Side:
    """A served database of the sample, by a design or plain."""

    def __init__(self, cluster, duet, work, design):
        self.cluster, self.design = cluster, design
        self.name = cluster.database(design is not None)
        case = Case("views", ROOT / "golden" / "views" / "season", Path(tempfile.mkdtemp(dir=work)))
        application = case.application(design or "R")
        subprocess.run([duet, "load", "car-racing", "--replace", "--scale", str(SCALE), "--database", cluster.url(self.name)], check=True, capture_output=True)
        cluster.sql(self.name, WITHOUT_TRIGGERS)
        if design:
            cluster.distribute(self.name, design, application, duet)
        subprocess.run([duet, "journal", "prepare", "--database", cluster.url(self.name)], check=True, capture_output=True)
        log = work / f"{design}.log"
        self.server = Server(duet, application, cluster.url(self.name), log, "--journal", str(work / f"journal-{design}"))
        if not self.server.is_up:
            raise SystemExit(log.read_text())

    def get(self, path):
        status, _, text = self.server.ask("GET", f"/ords/hr/{path}", {}, "")
        return status, json.loads(text)

    def address(self, name, key):
        """Of a document; its key has all columns of that of the table."""
        wider = self.design == "C" and name == "driver_dv"
        return f"{name}/{key}" + ("," + self.cluster.sql(self.name, f"SELECT team_id FROM driver WHERE driver_id = {key}").strip() if wider else "")

    def promises(self, name):
        return self.get(f"metadata-catalog/{name}/")[1].get("promises") or {"document": True, "page": True}


def transactions(side, name, key, over):
    """Transactions one after the other by one connection of psql."""
    process = subprocess.Popen(side.cluster.psql(side.name), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    number = 0
    while not over.is_set():
        number += 1
        writes = ";".join(WRITES[name]).format(n=number, id=key)
        # As many as the pipe takes ahead.
        process.stdin.write(f"BEGIN; {writes}; COMMIT;\n")
        process.stdin.flush()
        time.sleep(0.001)
    process.stdin.close()
    process.wait()


def torn(side, duet):
    """Documents of several numbers, and pages of documents that one statement each has written."""
    failed = False
    for name in WRITES:
        key = side.cluster.sql(side.name, FIND[name]).strip()
        over, counts = threading.Event(), {"read": 0, "torn": 0}
        side.cluster.sql(side.name, *(one.format(n=0, id=key) for one in WRITES[name]))
        writer = threading.Thread(target=transactions, args=(side, name, key, over))
        writer.start()
        place = side.address(name, key)
        status, document = side.get(place)
        if status != 200:
            over.set()
            writer.join()
            print(f"| {side.design} | {name} | {document['errors'][0]['code']} | not read |", flush=True)
            failed |= document["errors"][0]["code"] != "DUET-6017"
            continue
        def read():
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                status, document = side.get(place)
                assert status == 200, document
                counts["read"] += 1
                counts["torn"] += len(set(NUMBERS[name](document))) > 1
        readers = [threading.Thread(target=read) for _ in range(2)]
        for one in readers:
            one.start()
        for one in readers:
            one.join()
        over.set()
        writer.join()
        promised = side.promises(name)["document"]
        print(f"| {side.design or 'plain'} | {name} | {'one snapshot' if promised else 'may be torn'} | {counts['torn']} of {counts['read']} |", flush=True)
        failed |= promised and counts["torn"] > 0
    return failed | torn_pages(side)


def torn_pages(side):
    over, counts = threading.Event(), {"read": 0, "torn": 0}
    def write():
        process = subprocess.Popen(side.cluster.psql(side.name), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        number = 0
        while not over.is_set():
            number += 1
            process.stdin.write(f"UPDATE driver SET points = {number};\n")
            process.stdin.flush()
            time.sleep(0.01)
        process.stdin.close()
        process.wait()
    side.cluster.sql(side.name, "UPDATE driver SET points = 0")
    writer = threading.Thread(target=write)
    writer.start()
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        page = side.get("driver/?limit=25")[1]
        counts["read"] += 1
        counts["torn"] += len({one["points"] for one in page["items"]}) > 1
    over.set()
    writer.join()
    promised = side.promises("driver")["page"]
    print(f"| {side.design or 'plain'} | pages of driver | {'one snapshot' if promised else 'may be torn'} | {counts['torn']} of {counts['read']} |", flush=True)
    return promised and counts["torn"] > 0


def journal(side, duet):
    """20 requests of 500 rows each are acknowledged, and then in the database."""
    first, begun, last = 10_000_000, time.monotonic(), None
    team = side.cluster.sql(side.name, "SELECT min(team_id) FROM team").strip()
    for request in range(20):
        rows = [{"driver_id": first + 500 * request + at, "name": f"Row {request} {at}", "points": 1, "team_id": int(team)} for at in range(500)]
        status, _, text = side.server.ask("POST", "/ords/hr/driver/", {"Prefer": "respond-async", "Content-Type": "application/json"}, json.dumps(rows))
        assert status == 202, (status, text)
        last = json.loads(text)
    acknowledged = time.monotonic() - begun
    path = "/" + last["status"].split("/", 3)[3]
    status, _, text = side.server.ask("GET", f"{path}?wait=60", {}, "")
    drained = time.monotonic() - begun
    rows = side.cluster.sql(side.name, f"SELECT count(*) FROM driver WHERE driver_id >= {first}").strip()
    print(f"| {side.design or 'plain'} | journal: 10,000 rows | acknowledged after {acknowledged:.1f} s | {json.loads(text).get('status')}, {rows} rows after {drained:.1f} s |", flush=True)
    return rows != "10000"


def wrk(side, path, script, kind=""):
    own = {"DUET_PATH": f"/ords/hr/{path}", "DUET_KIND": kind, "DUET_KEYS": "1000", "DUET_SEED": str(random.randrange(10**9))}
    words = ["wrk", "-t1", "-c16", f"-d{SECONDS / 2:.0f}s", "--timeout", "10s", "-s", str(ROOT / "bench" / script), f"http://127.0.0.1:{side.server.port}"]
    out = subprocess.run(words, env=os.environ | own, capture_output=True, text=True).stdout
    errors = next((line.strip() for line in out.splitlines() if "Non-2xx" in line), "")
    if errors:
        print(f"{side.design or 'plain'}, {path}: {errors}", flush=True)
        return 0.0
    return next((float(line.split()[1]) for line in out.splitlines() if "Requests/sec" in line), 0.0)


def batchload(side, _path, _script, _kind=""):
    first = random.randrange(20_000_000, 2_000_000_000)
    team = side.cluster.sql(side.name, "SELECT min(team_id) FROM team").strip()
    rows = "".join(f"{first + at},Loaded {first} {at},1,{team}\n" for at in range(20_000))
    connection = http.client.HTTPConnection("127.0.0.1", side.server.port, timeout=300)
    begun = time.monotonic()
    connection.request("POST", "/ords/hr/driver/batchload", "driver_id,name,points,team_id\n" + rows, {"Content-Type": "text/csv"})
    answer = connection.getresponse()
    text = answer.read()
    return 20_000 / (time.monotonic() - begun) if answer.status == 200 else print(text[:200]) or 0.0


# Of a design: the table whose items are measured, and the view of it with rows of one machine below.
SUBJECTS = {"C": ("team", "team_dv"), "K": ("driver", None)}
FIGURES = {
    "item": lambda table, view: (wrk, f"{table}/{{n}}", "random.lua"),
    "document": lambda table, view: view and (wrk, f"{view}/{{n}}", "random.lua"),
    "page of 25": lambda table, view: (wrk, f"{table}/?limit=25", "random.lua"),
    "PATCH": lambda table, view: (wrk, f"{table}/", "citus.lua", "patch"),
    "POST": lambda table, view: (wrk, "driver/", "citus.lua", "post"),
    "batchload, rows": lambda table, view: (batchload, "", ""),
}


def rates(plain, side):
    """Each figure of both sides, alternating; the median of the ratios, and the range."""
    for name, figure in FIGURES.items():
        measured, found = figure(*SUBJECTS.get(side.design, ("driver", "driver_dv"))), {"plain": [], "citus": []}
        if not measured:
            continue
        for number in range(ROUNDS):
            order = [("plain", plain), ("citus", side)]
            for which, one in order if number % 2 == 0 else reversed(order):
                measure, *rest = measured
                found[which].append(measure(one, *rest))
        ratios = sorted(mine / other for other, mine in zip(found["plain"], found["citus"]) if other)
        ratio = f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})" if ratios else "none"
        shown = {which: f"{statistics.median(all_of):,.0f}" for which, all_of in found.items()}
        print(f"| {side.design} | {name} | {measured[1]} | {shown['plain']} | {shown['citus']} | {ratio} |", flush=True)


def main():
    programs, duet, *chosen = sys.argv[1:]
    designs = [word for word in chosen if word in DESIGNS] or DESIGNS
    parts = [word for word in chosen if word in PARTS] or PARTS
    failed, duet = False, str(Path(duet).resolve())
    with running(programs) as (cluster, work):
        plain = Side(cluster, duet, work, None)
        for part in ("torn", "journal"):
            if part in parts:
                failed |= {"torn": torn, "journal": journal}[part](plain, duet)
        for design in designs:
            side = Side(cluster, duet, work, design)
            failed |= "torn" in parts and torn(side, duet)
            failed |= "journal" in parts and journal(side, duet)
            if "rates" in parts:
                rates(plain, side)
            side.server.stop()
        plain.server.stop()
    sys.exit(failed)


if __name__ == "__main__":
    main()
