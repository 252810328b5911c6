#!/usr/bin/env python3
"""Live changes: subscribers of one process who each follow a filter of their own, while rows change at a constant rate.

Subscriber n follows the rows of owner n, of which there is one. Rows are changed in turn by keep-alive connections of another process,
each at the moment when it is due, which the row has as `due`. Prints the percentiles of the time from there to the event, of that from the
moment when the change was sent, which is later where the writers cannot keep up, and of the answers to the changes; the events that are missing, repeated or another's, the memory of the server for each subscriber (with its connection), and what the server
has counted. Then, with fewer subscribers, the server is killed (SIGKILL) and started again while rows change, and the subscribers come back
with their last event; at the end each must know its row as the database has it, and no event may have come twice.

usage: live.py [--binary PATH/duet] [--subscribers 10000] [--rate 1000] [--seconds 20] [--writers 4] [--database URL] [--kills 3]
Without --database, a SQLite file. The reader in Python is a part of what is measured.
"""
import argparse, json, multiprocessing, os, pathlib, resource, selectors, signal, socket, sqlite3, subprocess, sys, tempfile, time, urllib.parse

from sides import BIN, Duet

TABLE = "CREATE TABLE item (id integer NOT NULL PRIMARY KEY, owner integer NOT NULL, due bigint NOT NULL)"


def memory(process):
    """Bytes that a process has in memory."""
    text = pathlib.Path(f"/proc/{process}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0]) * 1024


def address(url):
    host, port = url.removeprefix("http://").split(":")
    return host, int(port)


def write(server, mount, token, numbers, rate, seconds, begin, counts, sent, answers):
    """Changes rows in turn, each when it is due; a change that fails is tried again until the server is back."""
    connection, done, failed = None, 0, 0
    for step in range(int(rate * seconds)):
        due = begin + step / rate
        time.sleep(max(0, due - time.time()))
        number = numbers[step % len(numbers)]
        body = json.dumps({"id": number, "owner": number, "due": int(due * 1e6)}).encode()
        while True:
            # Another server has another token.
            head = f"PUT {mount}/item/{number} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token.value.decode()}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            try:
                connection = connection or socket.create_connection(server)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                sent[number] = time.time()
                connection.sendall(head.encode() + body)
                answer = b""
                while b"\r\n\r\n" not in answer:
                    part = connection.recv(65536)
                    if not part:
                        raise OSError("closed")
                    answer += part
                length = int(answer.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                rest = length - len(answer.split(b"\r\n\r\n", 1)[1])
                while rest > 0:
                    rest -= len(connection.recv(rest))
                if answer[9:12] != b"200":
                    raise OSError(answer[:300])
                break
            except OSError as error:
                failed += 1
                connection = None
                time.sleep(0.05)
        answers.append(time.time() - sent[number])
        done += 1
    answers.sort()
    with counts.get_lock():
        counts[2] = max(counts[2], int(1e6 * answers[int(len(answers) * 0.99)]))
        counts[0] += done
        counts[1] += failed


class Subscriber:
    """One that follows the rows of an owner, over lost connections."""

    def __init__(self, number):
        self.number, self.last, self.known, self.text = number, None, None, b""
        self.complete, self.events, self.states, self.resumed, self.repeated, self.foreign, self.socket = False, 0, 0, 0, 0, 0, None

    def connect(self, duet):
        self.socket, self.text, self.complete = socket.create_connection(address(duet.url)), b"", False
        filter = urllib.parse.quote(json.dumps({"owner": self.number}))
        last = f"Last-Event-ID: {self.last}\r\n" if self.last else ""
        self.socket.sendall(f"GET {duet.mount}/item/?q={filter} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer {duet.token}\r\n{last}\r\n".encode())
        self.socket.setblocking(False)

    def read(self):
        """The moments at which the rows of the events were due that have arrived; None at the end."""
        try:
            part = self.socket.recv(1 << 16)
        except BlockingIOError:
            return []
        except OSError:
            return None
        if not part:
            return None
        self.text += part
        dues, blocks = [], self.text.split(b"\n\n")
        # Sizes of chunks stand between events, on lines of their own.
        self.text = blocks.pop()
        for block in blocks:
            fields = [line.split(b": ", 1) for line in block.split(b"\n")]
            fields = {field[0].strip(): field[1].strip() for field in fields if len(field) == 2}
            event, data = fields.get(b"event"), fields.get(b"data")
            if b"id" in fields:
                self.last = fields[b"id"].decode()
            if event == b"begin":
                self.resumed += b'"resumed":true' in data
                self.complete = b'"resumed":true' in data
                if not self.complete:
                    self.last = None
            elif event == b"complete":
                self.complete, self.states = True, self.states + 1
            elif event in (b"document", b"entered", b"changed"):
                document = json.loads(data)["document"]
                self.foreign += document["owner"] != self.number
                if event != b"document":
                    self.events += 1
                    self.repeated += self.known == document["due"]
                    dues.append(document["due"])
                self.known = document["due"]
            elif event == b"end":
                return None
        return dues


def follow(selector, until, late, on_end, sent=None):
    """Reads all subscribers until a condition holds."""
    while not until():
        for key, _ in selector.select(0.1):
            dues = key.data.read()
            if dues is None:
                selector.unregister(key.data.socket)
                key.data.socket.close()
                on_end(key.data)
            else:
                now = time.time()
                late.extend((now * 1e3 - due / 1e3, (now - sent[key.data.number]) * 1e3 if sent else 0) for due in dues)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=BIN / "duet")
    parser.add_argument("--subscribers", type=int, default=10_000)
    parser.add_argument("--rate", type=float, default=1_000)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--database")
    parser.add_argument("--kills", type=int, default=3)
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        rows = ", ".join(f"({n}, {n}, 0)" for n in range(1, options.subscribers + 1))
        if options.database:
            database = options.database
            subprocess.run(["psql", "-Xq", database, "-c", "DROP TABLE IF EXISTS item", "-c", TABLE, "-c", f"INSERT INTO item VALUES {rows}"], check=True)
        else:
            database = folder / "live.sqlite"
            connection = sqlite3.connect(database)
            connection.executescript(f"PRAGMA journal_mode = wal; {TABLE}; INSERT INTO item VALUES {rows};")
            connection.close()
        port = socket.create_server(("127.0.0.1", 0))
        listen = f"127.0.0.1:{port.getsockname()[1]}"
        port.close()
        more = ["--listen", listen, "--live-subscriptions", str(options.subscribers + 10), "--live-client-subscriptions", str(options.subscribers + 10),
                "--max-connections", str(options.subscribers + 100), "--memory", "1GiB", "--token-lifetime", "24h"]

        def start():
            duet = Duet(folder, database, *more, program=options.binary)
            duet.url = f"http://{listen}"
            return duet

        idle = idle_connection(options, start())
        ok = trial(options, start(), idle)
        if options.kills:
            ok &= kills(options, start)
    sys.exit(0 if ok else 1)


def start_writers(options, duet, numbers, rate, seconds):
    counts, token = multiprocessing.Array("q", 3), multiprocessing.Array("c", duet.token.encode() + b"\0" * 400)
    begin, sent = time.time() + 1, multiprocessing.Array("d", options.subscribers + 1, lock=False)
    shares = [numbers[n :: options.writers] for n in range(options.writers)]
    run = lambda share: multiprocessing.Process(target=write, args=(address(duet.url), duet.mount, token, share, rate / options.writers, seconds, begin, counts, sent, []))
    writers = [run(share) for share in shares]
    for writer in writers:
        writer.start()
    return writers, counts, token, sent


def connect_all(duet, subscribers, selector):
    begun = time.monotonic()
    for batch in range(0, len(subscribers), 200):
        for subscriber in subscribers[batch : batch + 200]:
            subscriber.connect(duet)
            selector.register(subscriber.socket, selectors.EVENT_READ, subscriber)
        ended = []
        some = subscribers[batch : batch + 200]
        follow(selector, lambda: ended or all(it.complete for it in some), [], ended.append)
        if ended:
            sys.exit(f"a subscriber was refused: {ended[0].text[:300]}")
    return time.monotonic() - begun


def idle_connection(options, duet):
    """Bytes of the server for a connection that has had one request and waits."""
    before, all = memory(duet.process.pid), []
    for number in range(1, options.subscribers + 1):
        all.append(socket.create_connection(address(duet.url)))
        all[-1].sendall(f"GET {duet.mount}/item/{number} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {duet.token}\r\n\r\n".encode())
        all[-1].recv(1 << 16)
    each = (memory(duet.process.pid) - before) / len(all)
    for connection in all:
        connection.close()
    duet.stop()
    return each


def trial(options, duet, idle):
    subscribers = [Subscriber(number) for number in range(1, options.subscribers + 1)]
    before, selector = memory(duet.process.pid), selectors.DefaultSelector()
    connected = connect_all(duet, subscribers, selector)
    each = (memory(duet.process.pid) - before) / len(subscribers)
    writers, counts, _, sent = start_writers(options, duet, [it.number for it in subscribers], options.rate, options.seconds)
    late, ended, quiet = [], [], [None]

    def is_over():
        if any(writer.is_alive() for writer in writers):
            return False
        quiet[0] = quiet[0] or time.monotonic()
        return len(late) >= counts[0] or time.monotonic() - quiet[0] > 10

    follow(selector, is_over, late, ended.append, sent)
    after = (memory(duet.process.pid) - before) / len(subscribers)
    counted = [line for line in duet.ask("/metrics").decode().splitlines() if line.startswith("duet_live_")]
    duet.stop()
    percentile = lambda values, share: values[min(len(values) - 1, int(len(values) * share))] if values else float("nan")
    of_due, of_sent = (sorted(both[at] for both in late) for at in (0, 1))
    shown = lambda values: ", ".join(f"{name} {percentile(values, share):.1f}" for name, share in [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("most", 1)])
    foreign, repeated = sum(it.foreign for it in subscribers), sum(it.repeated for it in subscribers)
    print(f"{len(subscribers)} subscribers connected in {connected:.1f} s; {each / 1e3:.1f} kB each, {after / 1e3:.1f} kB each after the changes; an idle connection alone has {idle / 1e3:.1f} kB")
    print(f"{counts[0]} changes ({options.rate:g}/s), {len(late)} events, {foreign} of others, {repeated} repeated, {len(ended)} connections ended")
    print(f"ms from when a change was due to its event: {shown(of_due)}")
    print(f"ms from when it was sent: {shown(of_sent)}; the changes themselves were answered within {counts[2] / 1e3:.1f} at p99")
    print("\n".join(f"  {line}" for line in counted))
    # Two changes of a row that come close together are one event.
    return not foreign and not repeated and not ended and all(it.known for it in subscribers[: counts[0]])


def kills(options, start):
    duet = start()
    subscribers = [Subscriber(number) for number in range(1, min(options.subscribers, 200) + 1)]
    selector, late = selectors.DefaultSelector(), []
    connect_all(duet, subscribers, selector)
    seconds = 3 * (options.kills + 1)
    writers, counts, token, _ = start_writers(options, duet, [it.number for it in subscribers], min(options.rate, 200), seconds)
    servers, waiting, due = [duet], [], [time.monotonic() + 3]

    def come_back():
        # Those whose connection has ended connect again, once there is a server.
        while waiting:
            subscriber = waiting.pop()
            try:
                subscriber.connect(servers[-1])
            except OSError:
                return waiting.append(subscriber)
            selector.register(subscriber.socket, selectors.EVENT_READ, subscriber)

    def is_over():
        if len(servers) <= options.kills and time.monotonic() > due[0]:
            servers[-1].process.send_signal(signal.SIGKILL)
            servers[-1].process.wait()
            servers.append(start())
            token.value = servers[-1].token.encode()
            due[0] = time.monotonic() + 3
        come_back()
        return len(servers) > options.kills and not waiting and not any(writer.is_alive() for writer in writers)

    follow(selector, is_over, late, waiting.append)
    rows = {}
    for offset in range(0, len(subscribers), 100):
        page = json.loads(servers[-1].get(f"/item/?limit=100&offset={offset}"))
        rows.update({item["id"]: item["due"] for item in page["items"]})
    wrong = lambda: [it.number for it in subscribers if it.known != rows[it.number]]
    deadline = time.monotonic() + 10
    follow(selector, lambda: not wrong() and not waiting or come_back() or time.monotonic() > deadline, late, waiting.append)
    servers[-1].stop()
    resumed, repeated = sum(it.resumed for it in subscribers), sum(it.repeated for it in subscribers)
    states = sum(it.states for it in subscribers) - len(subscribers)
    print(f"{options.kills} kills (SIGKILL) under {counts[0]} changes, {counts[1]} tried again: {states} states anew, {resumed} resumed, {repeated} events repeated, {len(wrong())} of {len(subscribers)} know another row than the database")
    return not wrong() and not repeated


main()
