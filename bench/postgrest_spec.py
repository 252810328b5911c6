"""PostgREST's own cases against `duet serve --compat postgrest`: how many are answered alike, and why others are not.

    bench/postgrest_spec.py REPOSITORY DUET [DIFFERENCES.json]

REPOSITORY is a clone of PostgREST, bare or not. Its fixtures are loaded into a throwaway server of PostgreSQL, without
what needs extensions that are not installed. A case is a request with `shouldRespondWith` behind it, of those that run
under PostgREST's basic configuration; those that cannot be read mechanically, such as requests in loops, are counted. Each request is undone,
as in PostgREST's own run.
"""
import collections, http.client, json, pathlib, re, subprocess, sys

import cluster

SPECS = "test/spec/Feature"
FIXTURES = ["database.sql", "roles.sql", "schema.sql", "jwt.sql", "jsonschema.sql", "privileges.sql", "data.sql"]
# What is about the configuration, tokens or media types of the database.
OTHER = ["Auth/", "OpenApi/", "CorsSpec", "HttpHeaderSpec", "ObservabilitySpec", "ServerTimingSpec", "RollbackSpec", "MultipleSchemaSpec",
         "QueryLimitedSpec", "PostGISSpec", "ExtraSearchPathSpec", "PgSafeUpdateSpec", "PreparedStatementsSpec", "UnicodeSpec", "PlanSpec",
         "ConcurrentSpec", "RpcPreRequestGucsSpec", "NoSuperuserSpec", "ErrorSpec"]
VERBS = {"get": "GET", "post": "POST", "patch": "PATCH", "put": "PUT", "delete": "DELETE", "options": "OPTIONS"}
METHODS = {"methodGet": "GET", "methodPost": "POST", "methodPatch": "PATCH", "methodPut": "PUT", "methodDelete": "DELETE", "methodHead": "HEAD",
           "methodOptions": "OPTIONS"}
KNOWN = {"matchContentTypeJson": ("Content-Type", "application/json; charset=utf-8"),
         "matchContentTypeSingular": ("Content-Type", "application/vnd.pgrst.object+json; charset=utf-8"),
         "matchCTArrayStrip": ("Content-Type", "application/vnd.pgrst.array+json;nulls=stripped; charset=utf-8"),
         "matchCTSingularStrip": ("Content-Type", "application/vnd.pgrst.object+json;nulls=stripped; charset=utf-8")}
HEADERS = {"singular": ("Accept", "application/vnd.pgrst.object+json"), "planHdr": ("Accept", "application/vnd.pgrst.plan+json"),
           "hAccept": "Accept", "hContentType": "Content-Type", "hAuthorization": "Authorization"}


class Unreadable(Exception):
    """Something of a case that is no literal."""


class Cursor:
    """A text of Haskell that is read from its start."""

    def __init__(self, text):
        self.text, self.at = text, 0

    def skip(self):
        while self.at < len(self.text):
            if self.text[self.at] in " \t\n$":
                self.at += 1
            elif self.text.startswith("--", self.at):
                self.at = self.text.find("\n", self.at) if "\n" in self.text[self.at:] else len(self.text)
            else:
                return

    def eat(self, word):
        self.skip()
        if self.text.startswith(word, self.at):
            self.at += len(word)
            return True
        return False

    def name(self):
        self.skip()
        match = re.compile(r"[A-Za-z_][\w.']*").match(self.text, self.at)
        if not match:
            raise Unreadable(self.text[self.at:self.at + 30])
        self.at = match.end()
        return match.group()

    def string(self):
        """One or more literals joined by `<>`, perhaps in parentheses."""
        self.skip()
        if self.eat("("):
            text = self.string()
            if not self.eat(")"):
                raise Unreadable("a text that is computed")
            return text
        for name in ("json", "str"):
            if self.eat(f"[{name}|"):
                end = self.text.index("|]", self.at)
                text, self.at = self.text[self.at:end], end + 2
                # Lines of a text begin behind their margin; that of the last one is a part of its end.
                return as_json(text) if name == "json" else re.sub(r"\n[ \t]*(\||$)", "\n", text)
        match = re.compile(r'"((?:\\[\s\S]|[^"\\])*)"').match(self.text, self.at)
        if not match:
            raise Unreadable(self.text[self.at:self.at + 30])
        self.at = match.end()
        text = unescaped(match.group(1))
        return text + self.string() if self.eat("<>") else text

    def headers(self):
        """A list of pairs."""
        found = []
        if self.eat("mempty"):
            return found
        for word, before in (("rangeHdrsWithCount", [("Prefer", "count=exact")]), ("rangeHdrs", [])):
            if self.eat(f"({word} (") or self.eat(f"{word} ("):
                match = re.compile(r"\s*ByteRangeFrom(To)?\s+(\d+)\s*(\d*)\s*\)+").match(self.text, self.at)
                if not match:
                    raise Unreadable("a range that is computed")
                self.at = match.end()
                return [*before, ("Range-Unit", "items"), ("Range", f"{match.group(2)}-{match.group(3)}")]
        if self.eat("(acceptHdrs"):
            found.append(("Accept", self.string()))
            self.eat(")")
            return found
        if not self.eat("["):
            raise Unreadable("headers that are computed")
        while not self.eat("]"):
            if self.eat("("):
                key = self.string() if self.text[self.at:].lstrip().startswith('"') else HEADERS.get(self.name())
                self.eat(",")
                found.append((key, self.string()))
                self.eat(")")
            else:
                known = HEADERS.get(self.name())
                if not isinstance(known, tuple):
                    raise Unreadable("a header that is computed")
                found.append(known)
            self.eat(",")
        return found


def as_json(text):
    """A quotation of JSON, whose keys need no quotes."""
    text = text.strip()
    try:
        json.loads(text)
        return text
    except ValueError:
        return re.sub(r"([{,]\s*)([A-Za-z_]\w*)\s*:", r'\1"\2":', text)


def unescaped(text):
    text = re.sub(r"\\\s+\\", "", text)
    plain = re.sub(r"\\x([0-9a-fA-F]+)|\\(\d+)|\\([\"\\nrt&/])", lambda m: chr(int(m.group(1), 16)) if m.group(1) else chr(int(m.group(2))) if m.group(2)
                   else {"n": "\n", "r": "\r", "t": "\t", "&": ""}.get(m.group(3), m.group(3)), text)
    return plain


def request_of(text):
    """Method, path, headers and body of the request that a text begins with."""
    cursor = Cursor(text)
    verb = cursor.name()
    if verb == "request":
        method = METHODS.get(cursor.name())
        if method is None:
            raise Unreadable("a method that is computed")
        path, headers = cursor.string(), cursor.headers()
        body = "" if cursor.eat("mempty") else cursor.string()
        return method, path, headers, body
    path = cursor.string()
    body = cursor.string() if verb in ("post", "patch", "put") else ""
    headers = [("Content-Type", "application/json")] if body else []
    return VERBS[verb], path, headers, body


def answer_of(text):
    """Status, headers and body that a case wants; None is any."""
    cursor = Cursor(text)
    cursor.skip()
    match = re.compile(r"\d{3}\b").match(text, cursor.at)
    if match:
        return int(match.group()), [], None
    body, status, headers = cursor.string(), 200, []
    if cursor.eat("{"):
        end = closing(text, cursor.at)
        record = text[cursor.at:end]
        found = re.search(r"matchStatus\s*=\s*(\d+)", record)
        status = int(found.group(1)) if found else 200
        for name, value in re.findall(r'"([\w-]+)"\s*<:>\s*"((?:\\.|[^"\\])*)"', record):
            headers.append((name, unescaped(value)))
        headers += [KNOWN[name] for name in re.findall(r"matchC\w+", record) if name in KNOWN]
    return status, headers, body


def closing(text, at):
    depth, quoted = 1, False
    while at < len(text) and depth:
        char = text[at]
        if char == "\\" and quoted:
            at += 1
        elif char == '"':
            quoted = not quoted
        elif not quoted:
            depth += {"{": 1, "}": -1}.get(char, 0)
        at += 1
    return at - 1


START = re.compile(r"(?<![\w.`\"'/])(get|post|patch|put|delete|options|request)\s+(?=[\"(m])")


def cases(text):
    """The requests of a file with what they want; what cannot be read is a text."""
    marks = [match.start() for match in re.finditer("`shouldRespondWith`", text)]
    for before, mark in zip([0, *marks], marks):
        starts = [match.start() for match in START.finditer(text, before, mark)]
        line = text.count("\n", 0, mark) + 1
        if not starts:
            yield line, "no request before it"
            continue
        try:
            yield line, (request_of(text[starts[-1]:mark]), answer_of(text[mark + len("`shouldRespondWith`"):]))
        except (Unreadable, ValueError) as error:
            yield line, f"not a literal: {error}"


def same_body(wanted, found, headers):
    if wanted is None:
        return True
    try:
        return json.loads(wanted) == json.loads(found)
    except ValueError:
        return wanted == found


def unordered(text):
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return sorted(json.dumps(one, sort_keys=True) for one in value) if isinstance(value, list) else value


def ask(port, method, path, headers, body):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    path = "/" + path.lstrip("/")
    path = "".join(char if 32 < ord(char) < 127 else "".join(f"%{byte:02X}" for byte in char.encode()) for char in path)
    connection.putrequest(method, path, skip_accept_encoding=True)
    given = [name.lower() for name, _ in headers]
    undone = method not in ("GET", "HEAD", "OPTIONS") and not any("tx=" in value for _, value in headers)
    if undone:
        headers = [*headers, ("Prefer", "tx=rollback")]
    data = body.encode()
    if data and "content-type" not in given:
        headers = [*headers, ("Content-Type", "application/json")]
    for name, value in headers:
        connection.putheader(name, value.encode())
    if data or method in ("POST", "PATCH", "PUT"):
        connection.putheader("Content-Length", str(len(data)))
    connection.endheaders(data)
    answer = connection.getresponse()
    # A header may be repeated.
    found = collections.defaultdict(list)
    for name, value in answer.getheaders():
        found[name.lower()].append(value)
    return answer.status, found, answer.read().decode(errors="replace")


def reason(wanted, found):
    """Why an answer differs, in a word for the table; None where it does not."""
    (status, headers, body), (got, got_headers, got_body) = wanted, found
    code = None
    try:
        code = json.loads(got_body).get("code") if got >= 300 else None
        message = json.loads(got_body).get("message", "") if got >= 300 else ""
    except (ValueError, AttributeError):
        message = ""
    if got != status:
        if code == "PGRST127":
            return "refused: " + re.sub(r"^Not taken: | Given: .*$", "", message.split("\n")[0]).split(". Given")[0]
        return f"status {status}, answered {got} {code or ''}".strip()
    if not same_body(body, got_body, got_headers):
        if unordered(body) == unordered(got_body):
            return None if "order" not in body else "order of rows"
        return "text of an error" if got >= 300 else "body"
    for name, value in headers:
        if name.lower() in ("content-length", "preference-applied"):
            continue
        if value not in got_headers.get(name.lower(), []):
            return f"header {name}"
    return None


def main():
    repository, program = sys.argv[1:3]
    git = lambda *words: subprocess.run(["git", "-C", repository, *words], check=True, capture_output=True, text=True).stdout
    with cluster.Place() as place, cluster.Postgres(place, "spec", fsync="off") as server:
        server.sql("CREATE DATABASE spec")
        # As PostgREST sets it for each request.
        server.sql("ALTER DATABASE spec SET search_path = test")
        for name in FIXTURES:
            path = place.path / name
            path.write_text(git("show", f"HEAD:test/spec/fixtures/{name}"))
            path.chmod(0o644)
            subprocess.run(cluster.unprivileged([cluster.found("psql"), "-h", "127.0.0.1", "-p", str(server.port), "-U", "postgres", "-Xq", "-d", "spec",
                           "-v", "PGUSER=postgres", "-f", str(path)]), capture_output=True, cwd="/")
        # As PostgREST's own run does: cases of planned counts expect it.
        server.sql("VACUUM ANALYZE", "spec")
        folder = place.path / "application"
        folder.mkdir()
        functions = server.sql("SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = 'test'::regnamespace AND prosecdef AND prorettype <> 'trigger'::regtype", "spec")
        named = json.dumps([name for name in functions.split() if re.fullmatch(r"\w+", name)])
        (folder / "app.toml").write_text(f'name = "spec"\nmount = "/"\nschema = "test"\ncompat = "postgrest"\nroutines = {named}\n'
                                         'raised_messages = true\nrequest_settings = true\n')
        computing = place.path / "computing"
        computing.mkdir()
        (computing / "app.toml").write_text((folder / "app.toml").read_text() + "aggregates = true\n")
        arguments = ["--database", server.url("spec"), "--open", "all", "--anonymous-db-role", "postgrest_test_anonymous",
                     "--expand-relations", "16"]
        duet = cluster.Duet(place, program, 1, [str(folder), *arguments])
        with_aggregates = cluster.Duet(place, program, 2, [str(computing), *arguments])
        counts, reasons, differences = collections.Counter(), collections.Counter(), []
        for path in git("ls-tree", "-r", "--name-only", "HEAD", SPECS).split():
            short = path.removeprefix(SPECS + "/").removesuffix(".hs")
            text = git("show", f"HEAD:{path}")
            # Those before this line need the setting that switches aggregates on.
            computed = text.count("\n", 0, text.index("disallowed ::")) if "AggregateFunctionsSpec" in path else 0
            for line, case in cases(text):
                port = with_aggregates.port if line <= computed else duet.port
                if any(part in path for part in OTHER):
                    counts["of configuration"] += 1
                elif isinstance(case, str):
                    counts["not read"] += 1
                else:
                    request, wanted = case
                    try:
                        found = ask(port, *request)
                    except (OSError, http.client.HTTPException) as error:
                        found = (0, {}, str(error))
                    why = reason(wanted, found)
                    counts["same" if why is None else "different"] += 1
                    if why:
                        reasons[why] += 1
                        differences.append({"at": f"{short}:{line}", "why": why, "request": request, "wanted": wanted, "found": [found[0], found[2][:2000]]})
        total = counts["same"] + counts["different"]
        print(f"commit {git('rev-parse', 'HEAD').strip()}")
        print(f"{total} cases run: {counts['same']} same ({100 * counts['same'] / max(total, 1):.1f} %), {counts['different']} different; "
              f"{counts['of configuration']} of configuration left out, {counts['not read']} not read")
        for why, number in reasons.most_common():
            print(f"{number:5} {why}")
        if len(sys.argv) > 3:
            pathlib.Path(sys.argv[3]).write_text("\n".join(json.dumps(one) for one in differences))


if __name__ == "__main__":
    main()
