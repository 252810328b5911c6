"""The matrix of hostile.py: each costly request of hostile_matrix.json, and what clients beside it notice.

The requests are sent by one client on some connections, again and again, while two others read an item every few milliseconds: one of the same
tenant, one of another. Both stores, one instance and three. The test `hostile_matrix` holds the same table by counts.
"""
import collections, http.client, json, multiprocessing, os, pathlib, re, sqlite3, subprocess, sys, tempfile, threading, time, urllib.parse, urllib.request, base64

HERE = pathlib.Path(__file__).resolve().parent
# Seconds: p99 at most twice the calm one and this; no request longer than the second.
BESIDE, LONGEST = 0.050, 0.250
STATEMENT_TIMEOUT = "1s"


def expanded(template, number):
    """Replaces <<X*N>> by N times X, and # by a number: inside of such a part, that of the repetition."""
    def repeat(found):
        part, count = found.group(1).rsplit("*", 1)
        return "".join(part.replace("#", str(at)) for at in range(int(count)))
    pieces = re.split(r"(<<.*?>>)", template)
    return "".join(re.sub(r"<<(.*)>>", repeat, piece) if piece.startswith("<<") else piece.replace("#", str(number)) for piece in pieces)


def request_of(row):
    """Method, path below the mount, headers and body."""
    each = [expanded(row["whole"], 0)] if "whole" in row else [expanded(row["each"], number) for number in range(row["count"])] if "each" in row else []
    filter = each[0] if len(each) == 1 else '{"$or":[%s]}' % ",".join(each)
    path, json_type = row.get("path", ""), {"Content-Type": "application/json"}
    if path.endswith("q="):
        path += urllib.parse.quote(filter, safe="")
    kinds = {
        "q": lambda: ("POST", "heavy/search", json_type, '{"q":%s,"limit":10%s}' % (filter, "" if row.get("groups") else ',"fields":["id"]')),
        "cql": lambda: ("GET", "heavy/?fields=id&limit=10&query=" + urllib.parse.quote(" or ".join(each), safe=""), {}, None),
        "get": lambda: ("GET", path, {}, None),
        "stream": lambda: ("GET", path, {"Accept": "application/x-ndjson"}, None),
        "delete": lambda: ("DELETE", path, {}, None),
        "post": lambda: ("POST", path, json_type, expanded(row["body"], 0)),
        "load": lambda: ("POST", "loaded/batchload?upsert=true", {"Content-Type": "application/x-ndjson"},
                         "".join('{"id":%d,"name":"%s"}\n' % (id, "x" * row["bytes"]) for id in range(row["rows"]))),
    }
    return kinds[row["kind"]]()


class Site:
    """A server with two tenants, and the tokens of its clients."""

    def __init__(self, binary, matrix, folder, database, instances):
        self.binary, app, state = binary, folder / "app", folder / "state"
        app.mkdir()
        (app / "app.toml").write_text(matrix["application"])
        (app / "tables.prepare").write_text(matrix["tables"])
        for tenant in ("acme", "globex"):
            self.say("tenant", "create", app, tenant, "--database", database)
        if database.startswith("sqlite:"):
            with sqlite3.connect(folder / "tenants" / "acme.db") as connection:
                connection.executescript(matrix["data"]["sqlite"])
            connection.close()
        else:
            script = matrix["data"]["postgres"].replace("{schema}", "acme_matrix.")
            subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", database], input=script, text=True, check=True)
        clients = [("hostile", "acme"), ("beside", "acme"), ("other", "globex")]
        added = [json.loads(self.say("client", "add", name, "--state", state, "--json", "--role", "duet.write", "--tenant", tenant)) for name, tenant in clients]
        added.append(json.loads(self.say("client", "add", "admin", "--state", state, "--json", "--role", "duet.admin")))
        ready = folder / "ready.json"
        command = [binary, "serve", database, "--config", app / "app.toml", "--state", state, "--listen", "127.0.0.1:0", "--ready-file", ready,
                   "--statement-timeout", STATEMENT_TIMEOUT, *(["--instances", str(instances)] if instances > 1 else [])]
        self.log = folder / "duet.log"
        self.server = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=open(self.log, "wb"))
        while not ready.exists():
            if self.server.poll() is not None:
                sys.exit(f"duet did not start:\n{self.log.read_text()}")
            time.sleep(0.01)
        url = json.loads(ready.read_text())["urls"][0]
        self.address = url.removeprefix("http://")
        self.hostile, self.beside, self.other, self.admin = [self.token(url, client) for client in added]

    def say(self, *arguments):
        return subprocess.run([str(self.binary), *map(str, arguments)], check=True, capture_output=True, text=True).stdout

    def token(self, url, client):
        secret = base64.b64encode(f"{client['client_id']}:{client['client_secret']}".encode()).decode()
        request = urllib.request.Request(url + "/oauth/token", b"grant_type=client_credentials", {"Authorization": "Basic " + secret})
        return {"Authorization": "Bearer " + json.load(urllib.request.urlopen(request))["access_token"]}

    def longest_turn(self):
        """The longest turn of a worker in the last minute, in seconds."""
        text = urllib.request.urlopen(urllib.request.Request(f"http://{self.address}/metrics", headers=self.admin)).read().decode()
        return max(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith("duet_worker_longest_turn_seconds{"))

    def stop(self):
        self.server.terminate()
        self.server.wait()


def send(site, request, until, core, results):
    """One connection of the hostile client."""
    os.sched_setaffinity(0, {core})
    method, path, headers, body = request
    counts = collections.Counter()
    while time.monotonic() < until:
        connection = http.client.HTTPConnection(site.address, timeout=30)
        try:
            connection.request(method, "/m/" + path, body, headers | site.hostile)
            answer = connection.getresponse()
            answer.read()
            counts[answer.status] += 1
        except (OSError, http.client.HTTPException) as error:
            counts[type(error).__name__] += 1
        connection.close()
    results.put(counts)


def watch(site, token, until, times, failed):
    """A client that reads an item every few milliseconds over one connection."""
    connection = http.client.HTTPConnection(site.address, timeout=30)
    while time.monotonic() < until:
        begun = time.perf_counter()
        try:
            connection.request("GET", "/m/calm/1", headers=token)
            answer = connection.getresponse()
            answer.read()
            failed[0] += answer.status != 200
        except (OSError, http.client.HTTPException):
            failed[0] += 1
            connection.close()
        times.append(time.perf_counter() - begun)
        time.sleep(0.004)


def noticed(site, seconds):
    """What both clients notice: (p99, longest) of each, and how many requests failed."""
    until, failed = time.monotonic() + seconds, [0]
    times = [[], []]
    threads = [threading.Thread(target=watch, args=(site, token, until, seen, failed)) for token, seen in zip((site.beside, site.other), times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [(sorted(seen)[int(0.99 * (len(seen) - 1))], max(seen)) for seen in times], failed[0]


def trial(options, site, store, instances, rows):
    """The rows of the matrix against one server; whether all limits were met."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[-1]})
    noticed(site, 1)
    calm, _ = noticed(site, 2 * options.seconds)
    good = True
    shown = lambda pairs: " | ".join(f"{p99 * 1000:.1f} / {most * 1000:.0f}" for p99, most in pairs)
    print(f"\n{store}, {instances} instance{'s' * (instances > 1)}; calm p99 / max of the same tenant | of another: {shown(calm)} ms")
    for row in rows:
        results, request = multiprocessing.Queue(), request_of(row)
        until = time.monotonic() + options.seconds
        clients = [multiprocessing.Process(target=send, args=(site, request, until, cores[0], results), daemon=True) for _ in range(options.at_once)]
        for client in clients:
            client.start()
        pairs, failed = noticed(site, options.seconds)
        counts = sum((results.get(timeout=60) for _ in clients), collections.Counter())
        held = all(p99 <= 2 * before + BESIDE and most <= LONGEST for (p99, most), (before, _) in zip(pairs, calm)) and not failed
        # 503: one client's requests beyond its share.
        answered = set(counts) <= {*row["answers"], 503}
        good &= held and answered
        said = ", ".join(f"{count} × {status}" for status, count in counts.most_common())
        print(f"{row['name']:<48} {shown(pairs):<34} turn {site.longest_turn() * 1000:>5.0f} ms  {said}"
              + ("" if held else f"  EXCEEDED{f', {failed} failed' if failed else ''}") + ("" if answered else "  OTHER ANSWERS"), flush=True)
    return good


def run(options):
    """All stores and numbers of instances; whether all limits were met."""
    matrix = json.loads((HERE / "hostile_matrix.json").read_text())
    rows = [row for row in matrix["rows"] if re.search(options.rows, row["name"])]
    good = True
    stores = ["postgres"] if options.inside else ["sqlite"]
    for store in stores:
        for instances in (1, 3):
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                database = f"sqlite:{folder}/tenants" if store == "sqlite" else made(instances)
                site = Site(options.binary, matrix, folder, database, instances)
                try:
                    good &= trial(options, site, store, instances, [row for row in rows if row.get("only", store) == store])
                finally:
                    site.stop()
    if not options.inside:
        command = [pathlib.Path(options.binary).parent / "throwaway-postgres", "--", sys.executable, HERE / "hostile.py", "--inside", *sys.argv[1:]]
        sys.stdout.flush()
        good &= subprocess.run(command).returncode == 0
    return good


def made(instances):
    """The URL of a new database of the throwaway server."""
    url = os.environ["DATABASE_URL"]
    name = f"matrix_{instances}"
    subprocess.run(["psql", "-X", "-q", "-d", url, "-c", f"CREATE DATABASE {name}"], check=True)
    return f"postgres:///{name}?{urllib.parse.urlsplit(url).query}"
