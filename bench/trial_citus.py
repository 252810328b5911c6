#!/usr/bin/env python3
"""Runs the golden cases of read, filter, views, write, collections and services on Citus, beside plain PostgreSQL of the same
server, and counts the requests whose answers are equal, refused with a code, or different. Arguments: the folder of PostgreSQL's
programs, whose server has Citus 13 installed, and the program `duet`; then names of designs (R, M, C, K, P; see citus.py) and
parts of cases' names, by default all. As root the servers run as the user postgres.

Triggers of the cases go, and the keys and links that a design drops, on both sides. Views whose links K drops are left out."""

import json
import re
import subprocess
import sys
import urllib.parse
from collections import Counter
from pathlib import Path

from citus import WITHOUT_TRIGGERS, Refused, Server, running
from citus_cases import AREAS, ROOT, Case

DESIGNS = ["R", "M", "C", "K", "P"]
KINDS = ["equal", "refused", "behind a refusal", "different", "500", "not tried"]
# Said of a refusal that does not name the tables.
UNNAMED = "NO TABLE IS NAMED"
# Errors that are the design's, not the engine's refusal of a request.
NOT_STARTED = "does not start"


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


def replay(server, cluster, database, steps):
    """The answers of all steps; None for statements, a text for those that the database refuses."""
    kept, answers, last = {}, [], ""
    for method, target, headers, body, keep in steps:
        if method == "SQL":
            try:
                cluster.sql(database, target)
                answers.append(None)
            except Refused as error:
                answers.append(str(error))
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


class Trial:
    """The two sides of a case with a design."""

    def __init__(self, cluster, duet, work):
        self.cluster, self.duet, self.work = cluster, duet, work

    def side(self, case, design, citus, with_views=True):
        """The answers on one database; or why there are none."""
        cluster, name, server = self.cluster, self.cluster.database(citus), None
        application = case.application(design, with_views)
        try:
            cluster.sql(name, *case.scripts())
            role = cluster.take_role(name, citus)
            if case.area == "collections":
                words = [self.duet, "collection", "prepare", str(application), "--database", cluster.url(name)]
                subprocess.run(words, check=True, capture_output=True, text=True)
            cluster.sql(name, WITHOUT_TRIGGERS)
            if citus:
                cluster.distribute(name, design, application, self.duet)
            else:
                cluster.alter(name, design, application, self.duet)
            cluster.give_role(name, role, citus)
            log = self.work / f"{case.area}-{case.folder.name}-{design}-{citus}.log"
            server = Server(self.duet, application, cluster.url(name), log)
            if not server.is_up:
                codes = re.findall(r"DUET-\d+", log.read_text())
                return f"{NOT_STARTED}: {codes[0] if codes else log.read_text()[:160]!r}"
            return replay(server, cluster, name, case.steps())
        except Refused as error:
            return f"the design cannot be made: {error}"
        except subprocess.CalledProcessError as error:
            return f"the design cannot be made: {error.stderr[:300]!r}"
        finally:
            if server:
                server.stop()
            cluster.drop(name, citus)

    def compare(self, case, design, plain, counts, lines):
        """Counts the answers of a design; what R has on the plain side is made once for all."""
        with_views = True
        if design != "R":
            plain = self.side(case, design, False)
            if isinstance(plain, str) and design == "K" and case.area not in ("services", "collections"):
                with_views = False
                plain = self.side(case, design, False, with_views)
        other = self.side(case, design, True, with_views)
        steps = case.steps()
        said = next((one for one in (plain, other) if isinstance(one, str)), None)
        if said:
            counts["not tried"] += len(steps)
            lines.append(f"  {case.name}: {said[:300]}")
            return
        # What a refused write, or statement, has not done shows in later answers, and a refused page has no link to the next.
        is_behind, last = False, ""
        for step, one, two in zip(steps, plain, other):
            if step[0] == "SQL":
                is_behind = is_behind or (one is None and two is not None)
                continue
            kind, said = kind_of(one, two, is_behind or (step[0] == "NEXT" and last == "refused"), with_views)
            last = kind
            is_behind = is_behind or (kind == "refused" and step[0] not in ("GET", "HEAD"))
            counts[kind] += 1
            if kind in ("refused", "different", "500"):
                lines.append(f"  {case.name}: {step[0]} {step[1][:90]}: {kind}: {said}")


def kind_of(one, two, is_behind, with_views):
    """How an answer compares with the one of plain PostgreSQL, and what is said of it."""
    if one == two:
        is_left_out = not with_views and one[0] == 404 and "DUET-1001" in one[2]
        return ("not tried" if is_left_out else "equal"), ""
    if two[0] == 501 and one[0] != 501:
        return "refused", detail(two[2])
    if two[0] == 500:
        return "500", two[2][:150]
    if is_behind:
        return "behind a refusal", ""
    return "different", f"{one[0]} became {two[0]}: {difference(one, two)}"


def detail(body):
    try:
        problem = json.loads(body)
        hints = [one["hint"] for one in problem.get("errors", []) if "hint" in one]
        return " ".join([problem.get("detail", ""), *hints, *([] if hints else [UNNAMED])])[:400]
    except ValueError:
        return body[:300]


def difference(one, two):
    if two[0] >= 400:
        return detail(two[2])
    for mine, other in ((one[2], two[2]), (one[1], two[1])):
        at = next((at for at, pair in enumerate(zip(mine, other)) if pair[0] != pair[1]), min(len(mine), len(other)))
        if mine != other:
            return f"{mine[max(0, at - 40):at + 80]!r}, {other[max(0, at - 40):at + 80]!r}"
    return ""


def cases(parts, work):
    for area in AREAS:
        for path in sorted((ROOT / "golden" / area).iterdir()):
            if parts and not any(part in f"{area}/{path.name}" for part in parts):
                continue
            case = Case(area, path, work)
            if case.is_replayed():
                yield case


def run(trial, designs, parts, totals, lines):
    for case in cases(parts, trial.work):
        plain = trial.side(case, "R", False)
        if isinstance(plain, str):
            print(f"{case.name}: {plain}", flush=True)
            continue
        for design in designs:
            if design in ("M", "C") and case.named != "car-racing":
                continue
            found = []
            trial.compare(case, design, plain, totals[design, case.area], found)
            lines[design] += found
            print(f"{case.name} {design}: {dict(totals[design, case.area])}", *found, sep="\n", flush=True)


def main():
    programs, duet, *chosen = sys.argv[1:]
    designs = [word for word in chosen if word in DESIGNS] or DESIGNS
    parts = [word for word in chosen if word not in DESIGNS]
    totals = {(design, area): Counter() for design in designs for area in AREAS}
    lines = {design: [] for design in designs}
    with running(programs) as (cluster, work):
        run(Trial(cluster, str(Path(duet).resolve()), work), designs, parts, totals, lines)
    for design in designs:
        print(f"\n{design}:", *lines[design], sep="\n")
    print("\n| design | area | " + " | ".join(KINDS) + " |\n|---|---" + "|---" * len(KINDS) + "|")
    for (design, area), counts in totals.items():
        if counts:
            print(f"| {design} | {area} | " + " | ".join(str(counts[kind]) for kind in KINDS) + " |")


if __name__ == "__main__":
    main()
