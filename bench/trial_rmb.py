#!/usr/bin/env python3
"""Runs the queries of RMB's own tests of CQL that have results (CQL2PgJSONTest) against Duet, and counts those that find the
same. Arguments: a checkout of raml-module-builder, the program, and databases, such as sqlite:DIR or postgres://….
Nothing of the checkout is kept."""

import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
import uuid
from pathlib import Path

TESTS = "cql2pgjson/src/test/java/org/folio/cql2pgjson/CQL2PgJSONTest.java"
RESOURCES = "cql2pgjson/src/test/resources"
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|[A-Za-z_][\w.]*|\s+|.', re.S)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def tokens(java):
    """The tokens of a text of Java, without comments and blanks; texts are pairs."""
    found = []
    for text in TOKEN.findall(java):
        if text.startswith(("//", "/*")) or text.isspace():
            continue
        if text.startswith('"'):
            unescaped = re.sub(
                r"\\(u+([0-9a-fA-F]{4})|.)",
                lambda it: chr(int(it[2], 16)) if it[2] else ESCAPES.get(it[1], it[1]),
                text[1:-1],
            )
            found.append(("text", unescaped))
        else:
            found.append(text)
    return found


def arguments(code, at):
    """The arguments of a call whose parenthesis is at a token, and the token behind it."""
    depth, all_, one = 0, [], []
    while at < len(code):
        token = code[at]
        at += 1
        if token in ("(", "{", "["):
            depth += 1
            if depth == 1:
                continue
        elif token in (")", "}", "]"):
            depth -= 1
            if depth == 0:
                if one:
                    all_.append(one)
                return all_, at
        elif token == "," and depth == 1:
            all_.append(one)
            one = []
            continue
        one.append(token)
    return all_, at


def value(expression, names):
    """The text of an expression of texts, names and replace; None where it is another one."""
    out, at = "", 0
    while at < len(expression):
        token = expression[at]
        at += 1
        if token == "+":
            continue
        if isinstance(token, tuple):
            text = token[1]
        else:
            name, *methods = token.split(".")
            text = names.get(name)
            while text is not None and methods == ["replace"]:
                pair, at = arguments(expression, at)
                pair = [value(one, names) for one in pair]
                if None in pair:
                    return None
                text, methods = text.replace(*pair), []
                if at < len(expression) and expression[at] == ".":
                    methods, at = [expression[at + 1]], at + 2
            if text is None or methods:
                return None
        out += text
    return out


def converters(code, known):
    """The converters that a part of the tests makes: their schema file and the fields of terms alone."""
    known = dict(known)
    for at, token in enumerate(code):
        if token == "new" and code[at + 1] == "CQL2PgJSON" and code[at - 1] == "=":
            given, _ = arguments(code, at + 2)
            fields = [one[1] for one in given[1] if isinstance(one, tuple)] if len(given) > 1 else []
            table = given[0][0][1].split(".")[0] if given and isinstance(given[0][0], tuple) else None
            known[code[at - 2]] = {"schema": "schema.json", "fields": fields, "table": table}
        if isinstance(token, str) and token.endswith(".setDbSchemaPath"):
            given, _ = arguments(code, at + 1)
            if token.split(".")[0] in known and isinstance(given[0][0], tuple):
                known[token.split(".")[0]]["schema"] = Path(given[0][0][1]).name
    return known


def cases(java):
    """Each query with the names that it finds, its converter and the file of its documents."""
    code = tokens(re.sub(r"//\s*@Test", "@Ignore @Test", java))
    starts = [at for at, token in enumerate(code) if token == "@" and code[at + 1] == "Test"]
    known = converters(code[: starts[0]], {})
    for start, end in zip(starts, starts[1:] + [len(code)]):
        part = code[start:end]
        before = code[max(0, start - 12) : start]
        closed = max((at for at, token in enumerate(before) if token in ("}", ";")), default=-1)
        if "Ignore" in part[:6] or "Ignore" in before[closed + 1 :]:
            continue
        own = converters(part, known)
        parameters = [None]
        if "Parameters" in part:
            listed, _ = arguments(part, part.index("Parameters") + 1)
            listed = arguments(listed[0], 0)[0] if listed and listed[0][0] == "{" else listed
            parameters = [value(one, {}) for one in listed]
        for at, token in enumerate(part):
            if token != "select" or part[at + 1] != "(" or part[at - 1] == "void":
                continue
            given, _ = arguments(part, at + 1)
            for parameter in parameters:
                texts = [value(one, {"testcase": parameter} if parameter else {}) for one in given]
                names = [one[0] for one in given if isinstance(one[0], str)]
                converter = own.get(next((name for name in names if name in own), "cql2pgJson"))
                texts = [text for text in texts if text is not None]
                files = [text for text in texts if text.endswith(".sql") and "#" not in text]
                asked = [text for text in texts if "#" in text]
                if len(asked) == 1 and converter:
                    query, names = asked[0].split("#", 1)
                    file = files[0] if files else "jo-ka-lea.sql"
                    yield converter, file, query.strip(), names.strip()


ROW = re.compile(r"\(\s*(?:'([0-9a-f-]{36})',\s*)?'(\{(?:[^']|'')*\})'(?:,\s*'([0-9a-f-]{36})')?", re.S)


def documents(sql):
    """The documents that a file inserts into users, or into groups: those without a name."""
    for key, text, group in ROW.findall(sql):
        document = json.loads(text.replace("''", "'"))
        document["id"] = key or str(uuid.uuid4())
        if group:
            document["groupId"] = group
        yield document


def schema_of(values):
    """A JSON Schema that these values have."""
    kinds = {type(one) for one in values if one is not None}
    if kinds == {dict}:
        names = {name for one in values if one for name in one}
        properties = {
            name: schema_of([one[name] for one in values if one and name in one]) for name in names
        }
        return {"type": "object", "properties": properties}
    if kinds == {list}:
        return {"type": "array", "items": schema_of([each for one in values if one for each in one])}
    for kind, name in [({bool}, "boolean"), ({int}, "number"), ({int, float}, "number"), ({float}, "number")]:
        if kinds == kind:
            return {"type": name}
    return {"type": "string"} if kinds <= {str} else {}


def application(folder, checkout, converter, known, schema):
    """An application of the tables of a schema file that the tests query."""
    rmb = json.loads((checkout / RESOURCES / "templates/db_scripts" / converter["schema"]).read_text())
    tables = [converter["table"] or "users"]
    of = {table["tableName"]: table for table in rmb["tables"]}
    tables += [key["targetTable"] for key in of.get(tables[0], {}).get("foreignKeys", [])]
    (folder / "schema.json").write_text(json.dumps(rmb))
    for table in dict.fromkeys(tables):
        own = schema_of(known) if table == tables[0] else {"type": "object"}
        own.setdefault("properties", {})["id"] = {"type": "string"}
        (folder / f"{table}-item.json").write_text(json.dumps(own))
        lines = [f'rmb = "schema.json"\ntable = "{table}"\nschema = "{table}-item.json"']
        if table == tables[0] and converter["fields"]:
            lines.append(f"server-choice = {json.dumps(converter['fields'])}")
        (folder / f"{table}.toml").write_text("\n".join(lines) + "\n")
    files = [f"{table}.toml" for table in dict.fromkeys(tables)]
    (folder / "app.toml").write_text(
        f'compat = "rmb"\ntenant = "diku"\nname = "trial"\nmount = "/trial"\ntables = "listed"\n{schema}'
        f"collections = {json.dumps(files)}\n"
    )
    return tables


def ask(url, method="GET", body=None):
    headers = {"X-Okapi-Tenant": "diku", "Content-Type": "application/json"}
    request = urllib.request.Request(url, body, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()


def served(duet, folder, database):
    """A running server, and its address."""
    prepared = subprocess.run(
        [duet, "collection", "prepare", folder, "--database", database], capture_output=True, text=True
    )
    if prepared.returncode:
        raise SystemExit(f"{folder}: {prepared.stderr}")
    ready = folder / "ready.json"
    command = [duet, "serve", str(folder), "--database", database, "--open", "all"]
    server = subprocess.Popen(
        [*command, "--listen", "127.0.0.1:0", "--ready-file", str(ready)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    for line in server.stdout:
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        if found:
            return server, found[0]
    raise SystemExit(f"{folder}: the server ended")


def found(url, query):
    query = query if " sortBy " in query else f"{query} sortBy name"
    parameters = urllib.parse.urlencode({"query": query, "limit": 100})
    status, body = ask(f"{url}?{parameters}")
    if status != 200:
        return f"!{body.strip()}"
    listed = next(one for one in json.loads(body).values() if isinstance(one, list))
    return "; ".join(document["name"].replace('"', "") for document in listed)


def main():
    checkout, duet, *databases = sys.argv[1:]
    checkout = Path(checkout)
    groups = {}
    for converter, file, query, names in cases((checkout / TESTS).read_text()):
        if not (checkout / RESOURCES / file).exists():
            print(f"left out, as {file} is missing: {query}")
            continue
        key = (json.dumps(converter, sort_keys=True), file)
        groups.setdefault(key, []).append((query, names))
    files = {file for _, file in groups}
    known = [one for file in sorted(files) for one in documents((checkout / RESOURCES / file).read_text())]
    known = [one for one in known if "name" in one]
    for database in databases:
        passed, failed = 0, []
        for number, ((converter, file), queries) in enumerate(sorted(groups.items())):
            converter = json.loads(converter)
            with tempfile.TemporaryDirectory() as folder:
                folder = Path(folder)
                stored = list(documents((checkout / RESOURCES / file).read_text()))
                is_sqlite = database.startswith("sqlite")
                schema = "" if is_sqlite else f'schema = "trial_{number}"\n'
                tables = application(folder, checkout, converter, known, schema)
                table = tables[0]
                own = f"sqlite:{folder}/trial.sqlite" if is_sqlite else database
                server, url = served(duet, folder, own)
                try:
                    changes = []
                    for document in stored:
                        into = table if "name" in document else "groups"
                        if into not in tables:
                            continue
                        status, body = ask(f"{url}/trial/{into}", "POST", json.dumps(document).encode())
                        if status >= 300:
                            raise SystemExit(f"{file}: {status} {body}")
                        text = json.dumps(document).replace("'", "''")
                        changes.append(f"UPDATE trial_{number}.{into} SET jsonb = '{text}' WHERE id = '{document['id']}';")
                    if not is_sqlite:
                        # As RMB's tests store them: a POST begins arrays empty.
                        script = "SET default_transaction_read_only = off; " + "".join(changes)
                        subprocess.run(["psql", "-qX", "-v", "ON_ERROR_STOP=1", own], input=script, text=True, check=True)
                    for query, expected in queries:
                        seen = found(f"{url}/trial/{table}", query)
                        if seen == expected or (expected.startswith("!") and seen.startswith("!")):
                            passed += 1
                        else:
                            failed.append((converter["schema"], file, query, expected, seen))
                finally:
                    server.terminate()
                    server.wait()
        for schema, file, query, expected, seen in failed:
            print(f"{schema} {file}\n  {query[:160]}\n  expected {expected}\n  found    {seen[:160]}")
        total = passed + len(failed)
        print(f"{database.split(':')[0]}: {passed} of {total} queries find what RMB's tests expect")


if __name__ == "__main__":
    main()
