#!/usr/bin/env python3
"""Hostile clients beside one that is not: what does it notice, and how much memory does the server take?

There are three trials. The first:

Makes a SQLite file, serves it on a free port of 127.0.0.1, and runs 32 processes on one processor that send large wrong JSON bodies, request the
OpenAPI document, request large rows by key, in pages and as streams and read nothing, hold many connections, and guess secrets and tokens. From another processor, /health/live is
requested every few milliseconds over one connection. Prints the percentiles of its latency and the peak resident memory, each beside its limit,
and what the hostile clients were answered. Exits with 1 where a limit is exceeded. The server may use all processors.

Connections from loopback are exempt from the limit per address, so those that are held stay below --max-connections.

The second, `--strangers`, serves the same file locked, and opens --connections of clients without a token,
one attack after the other on a server of its own: 100 GETs on each connection of HTTP/2 whose windows are closed, all 401; 100 POSTs of 10 bytes of a body
that does not come; the same on HTTP/1; headers that never end; half of a TLS handshake; and, with --open all, pages whose windows are closed. Prints the resident
memory at its peak and ten seconds after all connections are closed, each beside its limit.

The third, `--matrix`, sends each request of hostile_matrix.json on some connections, again and again, on both stores, to one instance and to three, and
prints what two clients beside it notice: one of the same tenant, one of another. See hostile_matrix.py.

usage: hostile.py [--binary target/dist/duet] [--seconds 20] [--memory 128] [--every 4]
       hostile.py --strangers [--binary target/dist/duet] [--memory 64] [--connections 2000]
       hostile.py --matrix [--binary target/dist/duet] [--seconds 3] [--rows REGEX] [--at-once 4]
"""
import argparse, base64, collections, json, multiprocessing, os, pathlib, resource, signal, socket, sqlite3, subprocess, sys, tempfile, time

import hostile_matrix

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Seconds after which everything ends, whatever is under way.
MOST_SECONDS = 30
# Limits of the trial: seconds, and MiB beside --memory.
P99, MAX, BESIDE = 0.050, 0.250, 64
TABLES, ROWS, ROW_BYTES, BODY_BYTES = 400, 8, 8 << 20, 8 << 20
# Connections that each client holds: of those that read nothing, and of those that send nothing.
UNREAD, HELD = 16, 300


def make(path):
    """A file with many tables, and large rows in one of them."""
    database = sqlite3.connect(path)
    for number in range(TABLES):
        database.execute(f"CREATE TABLE t{number} (id integer NOT NULL PRIMARY KEY, name text NOT NULL, amount numeric(10,2), made timestamp)")
    database.execute("CREATE TABLE large (id integer NOT NULL PRIMARY KEY, body text)")
    database.executemany("INSERT INTO large VALUES (?, ?)", ((number, "x" * ROW_BYTES) for number in range(ROWS)))
    database.commit()
    database.close()


def connect(address):
    connection = socket.create_connection(address, timeout=10)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def head(method, path, *lines):
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: localhost", *lines, "", ""]).encode()


def answered(connection):
    """The status of a response, and whether the connection is still good; reads the body by its length."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return "closed", False
        data += piece
    start, _, body = data.partition(b"\r\n\r\n")
    fields = dict(line.lower().split(b": ", 1) for line in start.split(b"\r\n")[1:])
    left = int(fields.get(b"content-length", b"0")) - len(body)
    while left > 0:
        piece = connection.recv(min(left, 1 << 20))
        if not piece:
            return "cut off", False
        left -= len(piece)
    return start[9:12].decode(), fields.get(b"connection") != b"close"


def exchange(address, request):
    """Sends a request on a connection of its own; the status, or how it ended."""
    try:
        with connect(address) as connection:
            try:
                connection.sendall(request)
            except (BrokenPipeError, ConnectionResetError):
                pass  # A refusal may come before all has been sent.
            return answered(connection)[0]
    except OSError as error:
        return type(error).__name__


def bodies(address, mount, count):
    body = b'{"name":[' + b"1," * (BODY_BYTES // 2) + b"1]}"
    request = head("POST", f"{mount}/t0/", "Content-Type: application/json", f"Content-Length: {len(body)}") + body
    while True:
        count(exchange(address, request))


def descriptions(address, mount, count):
    while True:
        count(exchange(address, head("GET", f"{mount}/open-api-catalog/", "Connection: close")))


def unread(address, mount, count):
    while True:
        connections = []
        for number in range(UNREAD):
            try:
                connection = connect(address)
                row = number % ROWS
                path, accept = [(row, "json"), (f"?limit=2&offset={row}", "json"), (f"?offset={row}", "x-ndjson")][number % 3]
                connection.sendall(head("GET", f"{mount}/large/{path}", f"Accept: application/{accept}"))
                connections.append(connection)
            except OSError as error:
                count(type(error).__name__)
        time.sleep(2)
        for connection in connections:
            try:
                count(connection.recv(12)[9:].decode() or "closed")
            except OSError as error:
                count(type(error).__name__)
            connection.close()


def held(address, _, count):
    connections = []
    while True:
        while len(connections) < HELD:
            try:
                connection = connect(address)
                connection.sendall(b"GET /health/live HTTP/1.1\r\nHost:" if len(connections) % 2 else b"")
                connections.append(connection)
                count("open")
            except OSError as error:
                count(type(error).__name__)
                break
        time.sleep(0.5)
        for connection in connections[:20]:
            connection.close()
        del connections[:20]


def guesses(address, mount, count):
    number = os.getpid()
    while True:
        number += 1
        secret = base64.b64encode(f"guess:{number}".encode()).decode()
        form = b"grant_type=client_credentials"
        lines = f"Authorization: Basic {secret}", "Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(form)}"
        count(exchange(address, head("POST", "/oauth/token", *lines) + form))
        count(exchange(address, head("GET", f"{mount}/t0/", f"Authorization: Bearer {secret}")))


# HTTP/2: opening with closed windows, frames, headers without a table (RFC 7541 §6.2.2).
OPENING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0])
REQUESTS, END_STREAM, END_HEADERS = 100, 1, 4
# Seconds until memory has come back, and MiB that may be left of what the attack took beside what was there before.
BACK_AFTER, LEFT = 10, 16


def frame(kind, flags, stream, payload=b""):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def fields(*pairs):
    return b"".join(b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value for name, value in pairs)


def head_of(method, path, *more):
    return fields((b":method", method), (b":scheme", b"http"), (b":path", path), (b":authority", b"localhost"), *more)


def streams(method, path, flags, *more, body=b""):
    """A connection of HTTP/2 with many requests."""
    begun, numbers = head_of(method, path, *more), range(1, 2 * REQUESTS, 2)
    return OPENING + b"".join(frame(1, flags, number, begun) + (frame(0, 0, number, body) if body else b"") for number in numbers)


def never_ending():
    """A header in frames that do not end."""
    part = fields((b"x", b"y" * 100)) * 140
    return OPENING + frame(1, END_STREAM, 1, head_of(b"GET", b"/")) + b"".join(frame(9, 0, 1, part) for _ in range(10))


FORM = (b"content-type", b"application/x-www-form-urlencoded"), (b"content-length", b"1000")
STRANGERS = {
    "HTTP/2, 100 GETs, 401, windows closed": ("no", lambda mount: streams(b"GET", mount + b"/t0/", END_STREAM | END_HEADERS)),
    "HTTP/2, 100 POSTs of 10 bytes": ("no", lambda mount: streams(b"POST", b"/oauth/token", END_HEADERS, *FORM, body=b"grant_type")),
    "HTTP/2, headers that never end": ("no", lambda mount: never_ending()),
    "HTTP/1, 100 GETs, 401, nothing read": ("no", lambda mount: b"GET %s/t0/ HTTP/1.1\r\nHost: localhost\r\n\r\n" % mount * REQUESTS),
    "HTTP/1, 10 bytes of a body": ("no", lambda mount: head("POST", "/oauth/token", "Content-Type: application/x-www-form-urlencoded", "Content-Length: 1000") + b"grant_type"),
    "HTTP/1, half of a header": ("no", lambda mount: b"GET / HTTP/1.1\r\nX: " + b"y" * 100_000),
    "HTTP/2, 100 pages, windows closed, --open all": ("all", lambda mount: streams(b"GET", mount + b"/t0/?limit=25", END_STREAM | END_HEADERS)),
    "HTTP/2, 100 POSTs of 10 bytes, --open all": ("all", lambda mount: streams(b"POST", mount + b"/t0/", END_HEADERS, (b"content-type", b"application/json"), (b"content-length", b"1000"), body=b'{"id": 123')),
    "TLS, half of a handshake": ("tls", lambda mount: b"".join(bytes([22, 3, 1]) + len(part).to_bytes(2, "big") + part for part in [b"\1\0\xf0\0" + b"\3\3" * 7_000, b"\0" * 14_000, b"\0" * 14_000])),
}


KINDS = {"wrong bodies": (bodies, 8), "OpenAPI documents": (descriptions, 6), "unread rows": (unread, 6), "held connections": (held, 6), "guesses": (guesses, 6)}


def hostile(name, run, address, mount, core, until, results):
    """One client, which ends by a signal of its own timer."""
    os.sched_setaffinity(0, {core})
    counts = collections.Counter()

    def end(*_):
        results.put((name, counts))
        results.close()
        results.join_thread()
        os._exit(0)

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, max(until - time.monotonic(), 0.001))

    def count(status):
        counts[status] += 1

    run(address, mount, count)


def probe(address, until, pause):
    """Latencies of /health/live over one connection, and how often it had to be opened again."""
    request, connection, times, failed = head("GET", "/health/live"), connect(address), [], 0
    while time.monotonic() < until:
        begun = time.perf_counter()
        try:
            connection.sendall(request)
            status, good = answered(connection)
        except OSError:
            status, good = "", False
        times.append(time.perf_counter() - begun)
        failed += status != "200"
        if not good:
            connection.close()
            connection = connect(address)
        time.sleep(pause)
    return sorted(times), failed


def resident(pid, what="VmHWM"):
    """The most memory that was resident, or that is (VmRSS), in MiB."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(what)) / 1024


def report(what, value, limit, unit):
    print(f"{what:<24}{value:>10.1f} {unit}" + (f"   limit {limit:.0f} {unit}" + ("" if value <= limit else "   EXCEEDED") if limit else ""))
    return not limit or value <= limit


def trial(options, server, ready):
    host, port = ready["urls"][0].removeprefix("http://").rsplit(":", 1)
    address, mount = (host, int(port)), next(iter(ready["mounts"].values()))
    cores = sorted(os.sched_getaffinity(0))
    until = time.monotonic() + options.seconds
    results = multiprocessing.Queue()
    clients = [
        multiprocessing.Process(target=hostile, args=(name, run, address, mount, cores[0], until, results), daemon=True)
        for name, (run, clients) in KINDS.items() for _ in range(clients)
    ]
    for client in clients:
        client.start()
    os.sched_setaffinity(0, {cores[-1]})
    times, failed = probe(address, until, options.every / 1000)
    peak = resident(server.pid)
    counts = collections.defaultdict(collections.Counter)
    for _ in clients:
        name, counted = results.get(timeout=5)
        counts[name] += counted
    at = lambda part: times[min(int(part * len(times)), len(times) - 1)] * 1000
    print(f"/health/live: {len(times)} requests in {options.seconds} s, {failed} failed")
    good = [failed == 0, report("p50", at(0.5), None, "ms"), report("p99", at(0.99), P99 * 1000, "ms"), report("max", times[-1] * 1000, MAX * 1000, "ms")]
    good.append(report("peak resident memory", peak, options.memory + BESIDE, "MiB"))
    for name, (_, clients) in KINDS.items():
        print(f"{clients} × {name}: " + ", ".join(f"{count} × {status}" for status, count in counts[name].most_common()))
    return all(good)


def flood(options, server, ready, attack):
    """One attack of clients without a token: whether memory stayed within its limit, and came back."""
    host, port = ready["urls"][0].split("//")[1].rsplit(":", 1)
    before, sent = resident(server.pid, "VmRSS"), attack(next(iter(ready["mounts"].values())).encode())
    held, refused = [], 0
    for _ in range(options.connections):
        try:
            connection = socket.create_connection((host, int(port)), timeout=5)
            connection.setblocking(False)
            connection.send(sent)
            held.append(connection)
        except OSError:
            refused += 1
    time.sleep(2)
    print(f"{len(held)} connections, {refused} refused at once")
    good = [report("peak resident memory", resident(server.pid), options.memory + BESIDE, "MiB")]
    for connection in held:
        connection.close()
    time.sleep(BACK_AFTER)
    good.append(report(f"{BACK_AFTER} s after closing", resident(server.pid, "VmRSS"), before + LEFT, "MiB"))
    return all(good)


def certificate(folder):
    """The options of a server with a certificate for a moment."""
    files = folder / "server.crt", folder / "server.key"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=localhost", "-days", "1", "-out", files[0], "-keyout", files[1]]
    subprocess.run(made, check=True, capture_output=True)
    return ["--tls-cert", files[0], "--tls-key", files[1]]


def strangers(options, folder):
    """Each attack on a server of its own."""
    good = []
    for name, (how, attack) in STRANGERS.items():
        print(f"{name}:")
        extra = {"no": [], "all": ["--open", "all"], "tls": certificate(folder) if how == "tls" else []}[how]
        good.append(with_server(options, folder, extra, lambda server, ready, attack=attack: flood(options, server, ready, attack)))
    return all(good)


def with_server(options, folder, extra, run):
    """Runs something with a server, which ends with it."""
    ready, log = folder / "ready.json", open(folder / "duet.log", "w+b")
    ready.unlink(missing_ok=True)
    command = [options.binary, "serve", f"sqlite:{folder}/hostile.db", *extra, "--listen", "127.0.0.1:0", "--ready-file", ready, "--memory", f"{options.memory}MiB"]
    server = subprocess.Popen(command, stdout=log, stderr=log)
    # Whatever hangs, nothing is left running.
    signal.signal(signal.SIGALRM, lambda *_: (server.kill(), os._exit(2)))
    signal.alarm(MOST_SECONDS)
    try:
        while not ready.exists():
            if server.poll() is not None:
                log.seek(0)
                sys.exit(f"duet did not start:\n{log.read().decode()}")
            time.sleep(0.01)
        return run(server, json.loads(ready.read_text()))
    finally:
        signal.alarm(0)
        server.kill()
        server.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=ROOT / "target" / "dist" / "duet")
    parser.add_argument("--seconds", type=int, help="of the first trial (20), or of each request of the matrix (3)")
    parser.add_argument("--memory", type=int, help="the server's --memory, in MiB")
    parser.add_argument("--strangers", action="store_true", help="the trial of clients without a token")
    parser.add_argument("--connections", type=int, default=2000, help="of each attack of that trial")
    parser.add_argument("--every", type=float, default=4, help="milliseconds between two probes")
    parser.add_argument("--matrix", action="store_true", help="the trial of requests that cost much")
    parser.add_argument("--rows", default="", metavar="REGEX", help="only these of that trial")
    parser.add_argument("--at-once", type=int, default=4, help="connections of the hostile client in that trial")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.matrix:
        options.seconds = options.seconds or 3
        sys.exit(0 if hostile_matrix.run(options) else 1)
    options.seconds = min(options.seconds or 20, MOST_SECONDS - 10)
    options.memory = options.memory or (64 if options.strangers else 128)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        make(folder / "hostile.db")
        if options.strangers:
            good = strangers(options, folder)
        else:
            good = with_server(options, folder, ["--open", "all"], lambda server, ready: trial(options, server, ready))
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
