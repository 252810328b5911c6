"""The golden cases that run on Citus: of each its application, the scripts of its database and its requests."""

import json
import re
import shutil
import tomllib
from pathlib import Path

from citus import KEYS

ROOT = Path(__file__).resolve().parent.parent
AREAS = ["read", "filter", "views", "write", "collections", "services"]
METHODS = ("GET ", "HEAD ", "POST ", "PUT ", "PATCH ", "DELETE ", "OPTIONS ", "SQL ")
# What views say where drivers are distributed by their teams: the join of results with drivers, which no key of the database has,
# and all columns of the key of drivers.
LINK = "@link(from: [driver_id], to: [driver_id])"
LINKED = [
    ("race : driver_race_map @", f"race : driver_race_map {LINK} @"),
    ("      driver @noinsert @update @nodelete @unnest {\n", f"      driver {LINK} @noinsert @update @nodelete @unnest {{\n        driverTeamId : team_id\n"),
    ("SELECT JSON { 'driverId' : d.driver_id,\n                                                    ", "SELECT JSON { 'driverId' : d.driver_id, 'driverTeamId' : d.team_id,\n                                                    "),
]


class Case:
    """A golden case: the folder of its application, its scripts and its requests."""

    def __init__(self, area, folder, work):
        self.area, self.folder, self.name = area, folder, f"{area}/{folder.name}"
        text = folder / "case.toml"
        self.settings = tomllib.loads(text.read_text()) if text.exists() else {}
        self.named = self.settings.get("app")
        self.work = work / f"{area}-{folder.name}"
        self.work.mkdir()

    def is_replayed(self):
        return self.settings.get("only") != "sqlite" and not {"compat", "require_etag"} & set(self.settings)

    def application(self, design, with_views=True):
        """The folder of the application with the keys and links that a design needs; without views where asked."""
        folder = self.work / f"{design}-{'whole' if with_views else 'tables'}"
        if not folder.exists():
            folder.mkdir()
            write = {"services": self.write_services, "collections": self.write_collections}.get(self.area)
            write(folder) if write else self.write(folder, design, with_views)
        return folder

    def write_services(self, folder):
        shutil.copy(self.folder / "app.toml", folder / "app.toml")
        shutil.copytree(self.folder / "services", folder / "services")

    def write_collections(self, folder):
        for path in self.folder.glob("*.toml"):
            shutil.copy(path.with_suffix(".json"), folder)
            (folder / path.name).write_text(f'schema = "{path.stem}.json"\n{path.read_text()}')
        profile = 'compat = "rmb"\ntenant = "diku"\n' if self.folder.name == "rmb" else ""
        text = f'name = "{self.folder.name}"\nmount = "/ords/hr"\ntables = "listed"\n{profile}collections = [COLLECTIONS]\n'
        names = ", ".join(f'"{path.name}"' for path in sorted(self.folder.glob("*.toml")))
        (folder / "app.toml").write_text(text.replace("COLLECTIONS", names))

    def base(self):
        return ROOT / "apps" / self.named if self.named else self.folder

    def declared(self):
        known = self.base() / "app.toml"
        # Tables in braces over several lines are newer than Python's reader.
        in_line = lambda it: re.sub(r",\s*}", "}", it[0].replace("\n", " "))
        return tomllib.loads(re.sub(r"{[^{}]*}", in_line, known.read_text())) if known.exists() else {}

    def scripts(self):
        table = self.declared()
        scripts = [self.base() / name for name in table.get("load", {}).get("postgres", {}).get("files", [])]
        names = {"services": ("schema.sql", "schema.postgres.sql"), "collections": ()}
        own = names.get(self.area, ("schema.postgres.sql", "schema.sql", "data.sql", "data.postgres.sql"))
        return scripts + [self.folder / name for name in own if (self.folder / name).exists()]

    def write(self, folder, design, with_views):
        base, table = self.base(), self.declared()
        patterns = self.settings.get("views") if self.named else None
        views = [path for pattern in patterns or table.get("views", []) for path in sorted(base.glob(pattern))]
        if not patterns:
            found = [path for kind in ("*.sql", "*.graphql") for path in sorted(self.folder.glob(kind))]
            is_view = lambda path: path.name.split(".")[0] not in ("schema", "data", "sqlite", "postgres")
            views = [path for path in found if is_view(path)] or views
        views = views if with_views else []
        for path in views:
            text = path.read_text()
            for before, after in LINKED if design == "C" else []:
                text = text.replace(before, after)
            (folder / path.name).write_text(text)
        resources = {name: dict(one) for name, one in table.get("resources", {}).items()}
        for name, key in KEYS.get(design, {}).items():
            resources.setdefault(name, {})["key"] = key
        lines = [f"name = {json.dumps(self.name.replace('/', '-'))}", f"mount = {json.dumps(table.get('mount', '/t'))}"]
        lines += [f"tables = {json.dumps(table.get('tables', 'all'))}", f"views = {json.dumps([p.name for p in views])}"]
        for name, resource in resources.items():
            lines.append(f"[resources.{json.dumps(name)}]")
            for key, value in resource.items():
                pairs = (f"{json.dumps(one)} = {json.dumps(other)}" for one, other in value.items()) if isinstance(value, dict) else ()
                lines.append(f"{key} = {{ {', '.join(pairs)} }}" if isinstance(value, dict) else f"{key} = {json.dumps(value)}")
        (folder / "app.toml").write_text("\n".join(lines) + "\n")

    def steps(self):
        """Requests and statements: method, target, headers, body, and the name that the etag is kept under."""
        if self.area == "collections":
            return self.collection_steps()
        lines = (self.folder / "requests").read_text().split("\n")
        steps, at = [], 0
        while at < len(lines):
            line = lines[at]
            at += 1
            if not line.startswith(METHODS) and line.strip() != "NEXT":
                continue
            if self.area == "services":
                method, target, *body = line.split(" ", 2)
                steps.append((method, target, {}, body[0] if body else "", ""))
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

    def collection_steps(self):
        """The documents of a case, then its queries."""
        headers, keys, steps = {"X-Okapi-Tenant": "diku"}, {}, []
        for line in (self.folder / "documents").read_text().splitlines():
            label, collection, text = line.split(" ", 2)
            text = f'{{"id":"{key_of(label)}",{text[1:]}'
            for known, key in keys.items():
                text = text.replace(f':"{known}"', f':"{key}"')
            keys[label] = key_of(label)
            steps.append(("POST", f"/ords/hr/{collection}", headers, text, ""))
        for line in (self.folder / "requests").read_text().splitlines():
            collection, _, query = line.partition(" ")
            if query and not line.startswith("#"):
                steps.append(("GET", f"/ords/hr/{collection}?limit=100&query={query}", headers, "", ""))
        return steps


def key_of(label):
    """The key of a document of a collection by its label, as the golden cases have it."""
    digit = label[-1]
    first = {"p": "a", "s": "b"}.get(label[0], digit)
    return f"{first * 7}{digit}-1111-4111-8111-{digit * 12}"
