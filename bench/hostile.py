#!/usr/bin/env python3
"""32 hostile clients beside one that is not: what does it notice, and how much memory does the server take?

Makes a SQLite file, serves it on a free port of 127.0.0.1, and runs 32 processes on one processor that send large wrong JSON bodies, request the
OpenAPI document, request large rows by key, in pages and as streams and read nothing, hold many connections, and guess secrets and tokens. From another processor, /health/live is
requested every few milliseconds over one connection. Prints the percentiles of its latency and the peak resident memory, each beside its limit,
and what the hostile clients were answered. Exits with 1 where a limit is exceeded. The server may use all processors.

Connections from loopback are exempt from the limit per address, so those that are held stay below --max-connections.

usage: hostile.py [--binary target/dist/duet] [--seconds 20] [--memory 128] [--every 4]
"""
import argparse, base64, collections, json, multiprocessing, os, pathlib, resource, signal, socket, sqlite3, subprocess, sys, tempfile, time

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


def resident(pid):
    """The most memory that was resident, in MiB."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=ROOT / "target" / "dist" / "duet")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--memory", type=int, default=128, help="the server's --memory, in MiB")
    parser.add_argument("--every", type=float, default=4, help="milliseconds between two probes")
    options = parser.parse_args()
    options.seconds = min(options.seconds, MOST_SECONDS - 10)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        make(folder / "hostile.db")
        ready, log = folder / "ready.json", open(folder / "duet.log", "w+b")
        command = [options.binary, "serve", f"sqlite:{folder}/hostile.db", "--open", "all", "--listen", "127.0.0.1:0", "--ready-file", ready, "--memory", f"{options.memory}MiB"]
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
            good = trial(options, server, json.loads(ready.read_text()))
        finally:
            server.kill()
            server.wait()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
