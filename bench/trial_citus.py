#!/usr/bin/env python3
"""Runs the golden cases of read, filter, views and write on Citus, beside plain PostgreSQL of the same server, and counts the
requests whose answers are equal, refused with a code, or different. Arguments: the folder of PostgreSQL's programs, whose
server has Citus 13 installed, and the program `duet`; then names of designs (R, M, C, K, P) and parts of cases' names, by default
all. As root the servers run as the user postgres.

Designs: R all tables are reference tables; P as `duet check --engine citus` proposes; K each table by its own key, without
links and other unique keys; of car-racing also M (drivers with their results by driver, the others everywhere) and C (drivers by
team). Citus refuses triggers, so those of the cases go, on both sides."""

import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.parse
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
AREAS = ["read", "filter", "views", "write"]
METHODS = ("GET ", "HEAD ", "POST ", "PUT ", "PATCH ", "DELETE ", "OPTIONS ", "SQL ")
NODES = 3
# What is compared of a header's answer, as in the golden cases.
HEADERS = ["etag", "location", "content-location", "preference-applied", "allow", "retry-after"]
TABLES = """SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname NOT IN ('pg_catalog', 'information_schema')
    AND n.nspname !~ '^(pg_|citus|columnar)' ORDER BY c.oid"""
WITHOUT_TRIGGERS = """DO $$ DECLARE one record; BEGIN
  FOR one IN SELECT tgname, tgrelid::regclass AS tbl FROM pg_trigger WHERE NOT tgisinternal LOOP
    EXECUTE format('DROP TRIGGER %I ON %s', one.tgname, one.tbl); END LOOP; END $$"""
WITHOUT_LINKS = """DO $$ DECLARE one record; BEGIN
  FOR one IN SELECT conname, conrelid::regclass AS tbl FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.tbl, one.conname); END LOOP; END $$"""
WITHOUT_UNIQUE_KEYS = """DO $$ DECLARE one record; BEGIN
  FOR one IN SELECT conname, conrelid::regclass AS tbl FROM pg_constraint WHERE contype = 'u' AND connamespace = 'public'::regnamespace LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.tbl, one.conname); END LOOP;
  FOR one IN SELECT x.indexrelid::regclass AS index FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid
    WHERE x.indisunique AND NOT x.indisprimary AND c.relnamespace = 'public'::regnamespace LOOP
    EXECUTE format('DROP INDEX %s', one.index); END LOOP; END $$"""
FIRST_OF_KEY = """SELECT a.attname FROM pg_index x JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = x.indkey[0]
  WHERE x.indisprimary AND x.indrelid = '{table}'::regclass"""
M = """ALTER TABLE driver DROP CONSTRAINT driver_name_key;
ALTER TABLE driver_race_map DROP CONSTRAINT driver_race_map_pkey, ADD PRIMARY KEY (driver_race_map_id, driver_id);
SELECT create_reference_table('team'); SELECT create_reference_table('race');
SELECT create_distributed_table('driver', 'driver_id', colocate_with := 'none');
SELECT create_distributed_table('driver_race_map', 'driver_id', colocate_with := 'driver');
ALTER TABLE driver ADD CONSTRAINT driver_fk FOREIGN KEY (team_id) REFERENCES team;
ALTER TABLE driver_race_map ADD CONSTRAINT driver_race_map_fk1 FOREIGN KEY (race_id) REFERENCES race;
ALTER TABLE driver_race_map ADD CONSTRAINT driver_race_map_fk2 FOREIGN KEY (driver_id) REFERENCES driver"""
C = """ALTER TABLE driver DROP CONSTRAINT driver_pkey, DROP CONSTRAINT driver_name_key;
DELETE FROM driver_race_map WHERE driver_id IN (SELECT driver_id FROM driver WHERE team_id IS NULL);
DELETE FROM driver WHERE team_id IS NULL;
ALTER TABLE driver ADD PRIMARY KEY (driver_id, team_id); ALTER TABLE team DROP CONSTRAINT team_name_key;
SELECT create_distributed_table('team', 'team_id', colocate_with := 'none');
SELECT create_distributed_table('driver', 'team_id', colocate_with := 'team');
SELECT create_reference_table('race'); SELECT create_reference_table('driver_race_map');
ALTER TABLE driver ADD CONSTRAINT driver_fk FOREIGN KEY (team_id) REFERENCES team;
ALTER TABLE driver_race_map ADD CONSTRAINT driver_race_map_fk1 FOREIGN KEY (race_id) REFERENCES race"""
# Errors that are the design's, not the engine's refusal of a request.
NOT_STARTED = "does not start"


class Refused(Exception):
    """What psql says of a statement that fails."""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Cluster:
    """A coordinator and two workers."""

    def __init__(self, programs, folder):
        self.programs, self.folder = Path(programs), folder
        self.ports = [free_port() for _ in range(NODES)]
        self.made = 0
        for port in self.ports:
            self.start(port)

    def run(self, *words):
        command = [str(self.programs / words[0]), *words[1:]]
        if os.geteuid() == 0:
            command = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *command]
        own = os.environ | {"HOME": str(self.folder)}
        return subprocess.run(command, check=True, capture_output=True, cwd=self.folder, env=own)

    def start(self, port):
        data = self.folder / str(port)
        self.run("initdb", "-D", str(data), "-A", "trust", "-U", "postgres", "-N", "-E", "UTF8", "--locale=C.UTF-8")
        settings = {"port": port, "listen_addresses": "127.0.0.1", "unix_socket_directories": self.folder,
                    "shared_preload_libraries": "citus", "fsync": "off", "full_page_writes": "off",
                    "max_connections": 300, "max_prepared_transactions": 300, "citus.shard_count": 8,
                    "citus.node_conninfo": "sslmode=disable"}
        with open(data / "postgresql.conf", "a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        self.run("pg_ctl", "-D", str(data), "-l", str(data / "log"), "-w", "start")

    def stop(self):
        for port in self.ports:
            self.run("pg_ctl", "-D", str(self.folder / str(port)), "-m", "immediate", "stop")

    def sql(self, database, *statements, port=None):
        words = ["psql", "-h", "127.0.0.1", "-p", str(port or self.ports[0]), "-U", "postgres", "-d", database]
        words += ["-qAtX", "-v", "ON_ERROR_STOP=1"]
        for statement in statements:
            words += ["-f" if isinstance(statement, Path) else "-c", str(statement)]
        done = subprocess.run([str(self.programs / words[0]), *words[1:]], capture_output=True, text=True)
        if done.returncode:
            raise Refused(next((line for line in done.stderr.splitlines() if "ERROR" in line), done.stderr[:300]))
        return done.stdout

    def database(self, citus):
        """A new database, with Citus on all nodes or without it; its name."""
        self.made += 1
        name = f"trial_{self.made}"
        ports = self.ports if citus else self.ports[:1]
        for port in ports:
            self.sql("postgres", f"CREATE DATABASE {name}", port=port)
            if citus:
                self.sql(name, "CREATE EXTENSION citus", port=port)
        if citus:
            own, *others = self.ports
            add = [f"SELECT citus_add_node('127.0.0.1', {port})" for port in others]
            self.sql(name, f"SELECT citus_set_coordinator_host('127.0.0.1', {own})", *add)
        return name

    def drop(self, name, citus):
        for port in self.ports if citus else self.ports[:1]:
            self.sql("postgres", f"DROP DATABASE {name} WITH (FORCE)", port=port)

    def url(self, name):
        return f"postgres://postgres@127.0.0.1:{self.ports[0]}/{name}?sslmode=disable"


class Case:
    """A golden case: the folder of its application, its scripts and its requests."""

    def __init__(self, area, folder, work):
        self.area, self.folder, self.name = area, folder, f"{area}/{folder.name}"
        text = folder / "case.toml"
        self.settings = tomllib.loads(text.read_text()) if text.exists() else {}
        self.named = self.settings.get("app")
        self.application = work / f"{area}-{folder.name}"
        self.application.mkdir()
        self.scripts = self.prepare()

    def is_replayed(self):
        return self.settings.get("only") != "sqlite" and not {"compat", "require_etag"} & set(self.settings)

    def prepare(self):
        base = ROOT / "apps" / self.named if self.named else self.folder
        known = base / "app.toml"
        table = tomllib.loads(known.read_text()) if known.exists() else {}
        scripts = [base / name for name in table.get("load", {}).get("postgres", {}).get("files", [])]
        own = [self.folder / name for name in ("schema.postgres.sql", "schema.sql", "data.sql", "data.postgres.sql")]
        patterns = self.settings.get("views") if self.named else None
        views = [path for pattern in patterns or table.get("views", []) for path in sorted(base.glob(pattern))]
        if not patterns:
            found = [path for kind in ("*.sql", "*.graphql") for path in sorted(self.folder.glob(kind))]
            is_view = lambda path: path.name.split(".")[0] not in ("schema", "data", "sqlite", "postgres")
            views = [path for path in found if is_view(path)] or views
        for path in views:
            shutil.copy(path, self.application / path.name)
        kept = {key: table[key] for key in ("mount", "tables", "resources") if key in table}
        lines = [f"name = {json.dumps(self.name.replace('/', '-'))}", f"mount = {json.dumps(kept.get('mount', '/t'))}"]
        lines += [f"tables = {json.dumps(kept.get('tables', 'all'))}", f"views = {json.dumps([p.name for p in views])}"]
        for name, resource in kept.get("resources", {}).items():
            lines.append(f"[resources.{json.dumps(name)}]")
            for key, value in resource.items():
                pairs = (f"{json.dumps(one)} = {json.dumps(other)}" for one, other in value.items()) if isinstance(value, dict) else ()
                lines.append(f"{key} = {{ {', '.join(pairs)} }}" if isinstance(value, dict) else f"{key} = {json.dumps(value)}")
        (self.application / "app.toml").write_text("\n".join(lines) + "\n")
        return scripts + [path for path in own if path.exists()]

    def steps(self):
        """Requests and statements: method, target, headers, body, and the name that the etag is kept under."""
        lines = (self.folder / "requests").read_text().split("\n")
        steps, at = [], 0
        while at < len(lines):
            line = lines[at]
            at += 1
            if not line.startswith(METHODS) and line.strip() != "NEXT":
                continue
            line, _, keep = line.partition(" => ") if self.area == "write" else (line, "", "")
            method, _, target = line.strip().partition(" ")
            headers, body = {}, []
            while self.area == "write" and at < len(lines) and re.match(r"[A-Za-z0-9-]+: ", lines[at]):
                name, _, value = lines[at].partition(": ")
                headers[name], at = value, at + 1
            while self.area == "write" and at < len(lines) and lines[at] and not lines[at].startswith(METHODS):
                body.append(lines[at])
                at += 1
            steps.append((method, target, headers, "\n".join(body), keep.strip()))
        return steps


def encoded(target):
    """Filters are in braces, or behind `query=`, as they are."""
    begin = target.find("query=")
    target = target if begin < 0 else target[: begin + 6] + urllib.parse.quote(target[begin + 6 :])
    return re.sub(r"[{].*[}]|[^\x21-\x7e]", lambda it: urllib.parse.quote(it[0]), target)


def filled(text, kept):
    def one(it):
        unit, star, count = it[1].partition("*")
        return unit * int(count) if star else kept.get(it[1], it[0])
    return re.sub(r"\{\{([\w*\[\]-]+)\}\}", one, text)


def masked(body):
    body = re.sub(r'"instance":"[^"]*"', '"instance":"*"', body)
    body = re.sub(r'"asof":"[^"]*"', '"asof":"*"', body)
    return re.sub(r"127\.0\.0\.1:\d+", "host", body)


class Server:
    """`duet serve` of an application on a database."""

    def __init__(self, duet, application, url, log):
        self.port = free_port()
        words = [duet, "serve", str(application), "--database", url, "--listen", f"127.0.0.1:{self.port}", "--open", "all"]
        self.log = open(log, "w")
        self.process = subprocess.Popen(words, stdout=self.log, stderr=subprocess.STDOUT)
        self.is_up = False
        while self.process.poll() is None and not self.is_up:
            try:
                self.is_up = self.ask("GET", "/health/ready", {}, "")[0] == 200
            except OSError:
                time.sleep(0.02)

    def ask(self, method, target, headers, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request(method, target, body.encode() or None, headers)
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace")
        found = {name: answer.headers[name] for name in HEADERS if answer.headers[name]}
        connection.close()
        return answer.status, found, text

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()


def replay(server, cluster, database, steps):
    """The answers of all steps; None for statements."""
    kept, answers, last = {}, [], ""
    for method, target, headers, body, keep in steps:
        if method == "SQL":
            cluster.sql(database, target)
            answers.append(None)
            continue
        if method == "NEXT":
            links = [link["href"] for link in json.loads(last).get("links", []) if link["rel"] == "next"]
            method, target = "GET", links[0].split(str(server.port), 1)[1] if links else "/"
        headers = {name: filled(value, kept) for name, value in headers.items()}
        body = filled(body, kept)
        if body and not any(name.lower() == "content-type" for name in headers):
            headers["Content-Type"] = "application/merge-patch+json" if method == "PATCH" else "application/json"
        status, found, last = server.ask(method, encoded(filled(target, kept)), headers, body)
        if keep:
            kept[keep] = found.get("etag", "").strip('"')
        answers.append((status, masked(json.dumps(found)), masked(last)))
    return answers


def distribute(cluster, name, design, case, duet):
    tables = cluster.sql(name, TABLES).split()
    if design == "R":
        cluster.sql(name, *(f"SELECT create_reference_table('{table}')" for table in tables))
    elif design == "K":
        cluster.sql(name, WITHOUT_LINKS, WITHOUT_UNIQUE_KEYS)
        for table in tables:
            key = cluster.sql(name, FIRST_OF_KEY.format(table=table)).strip()
            by = f"SELECT create_distributed_table('{table}', '{key}', colocate_with := 'none')"
            cluster.sql(name, by if key else f"SELECT create_reference_table('{table}')")
    elif design == "P":
        words = [duet, "check", str(case.application), "--engine", "citus", "--database", cluster.url(name)]
        script = case.application / "distribution.txt"
        script.write_text(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
        cluster.sql(name, script)
    else:
        cluster.sql(name, WITHOUT_LINKS, *(M if design == "M" else C).split(";"))


def code_of(body):
    found = re.search(r'"code":"(DUET-\d+)"', body)
    return found[1] if found else "-"


def side(cluster, duet, case, design, work):
    """The answers on one database; or why there are none."""
    name = cluster.database(design is not None)
    server = None
    try:
        cluster.sql(name, *case.scripts)
        cluster.sql(name, WITHOUT_TRIGGERS)
        if design:
            distribute(cluster, name, design, case, duet)
        log = work / f"{case.area}-{case.folder.name}-{design}.log"
        server = Server(duet, case.application, cluster.url(name), log)
        if not server.is_up:
            codes = re.findall(r"DUET-\d+", log.read_text())
            return f"{NOT_STARTED}: {codes[0] if codes else log.read_text()[:160]!r}"
        return replay(server, cluster, name, case.steps())
    except (Refused, subprocess.CalledProcessError) as error:
        return f"the design cannot be made: {error}"
    finally:
        if server:
            server.stop()
        cluster.drop(name, design is not None)


def compare(case, plain, other, steps, counts, lines):
    # What a refused write has not done shows in later answers.
    is_behind = False
    if isinstance(other, str):
        counts["not tried"] += len(steps)
        lines.append(f"  {case.name}: {other[:160]}")
        return
    for step, one, two in zip(steps, plain, other):
        if one is None:
            continue
        shown = f"  {case.name}: {step[0]} {step[1][:90]}"
        if one == two:
            counts["equal"] += 1
        elif two[0] == 501 and one[0] != 501:
            counts["refused"] += 1
            is_behind = is_behind or step[0] not in ("GET", "HEAD")
            lines.append(f"{shown}: refused: {json.loads(two[2]).get('detail', '')[:150]}")
        elif two[0] == 500:
            counts["500"] += 1
            lines.append(f"{shown}: 500 {code_of(two[2])}")
        elif is_behind:
            counts["behind a refusal"] += 1
        else:
            counts["different"] += 1
            lines.append(f"{shown}: {one[0]} became {two[0]}")


def main():
    programs, duet, *chosen = sys.argv[1:]
    designs = [word for word in chosen if word in ("R", "M", "C", "K", "P")] or ["R", "M", "C", "K", "P"]
    parts = [word for word in chosen if word not in ("R", "M", "C", "K", "P")]
    with tempfile.TemporaryDirectory(prefix="trial-citus-") as folder:
        folder = Path(folder)
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        folder.chmod(0o755)
        work = folder / "cases"
        work.mkdir()
        cluster = Cluster(programs, folder)
        totals, lines = {design: Counter() for design in designs}, {design: [] for design in designs}
        try:
            for area in AREAS:
                for path in sorted((ROOT / "golden" / area).iterdir()):
                    if parts and not any(part in f"{area}/{path.name}" for part in parts):
                        continue
                    try:
                        case = Case(area, path, work)
                    except tomllib.TOMLDecodeError as error:
                        print(f"{area}/{path.name}: left out: {error}", flush=True)
                        continue
                    if not case.is_replayed():
                        continue
                    steps, plain = case.steps(), side(cluster, duet, case, None, work)
                    if isinstance(plain, str):
                        print(f"{case.name}: {plain}", flush=True)
                        continue
                    for design in designs:
                        if design in ("M", "C") and case.named != "car-racing":
                            continue
                        other = side(cluster, duet, case, design, work)
                        compare(case, plain, other, steps, totals[design], lines[design])
                    print(case.name, flush=True)
        finally:
            cluster.stop()
    kinds = ["equal", "refused", "behind a refusal", "different", "500", "not tried"]
    for design in designs:
        print(f"\n{design}:", *lines[design], sep="\n")
    print("\n| design | " + " | ".join(kinds) + " |\n|---" * 1 + "|---" * len(kinds) + "|")
    for design in designs:
        print(f"| {design} | " + " | ".join(str(totals[design][kind]) for kind in kinds) + " |")


if __name__ == "__main__":
    main()
