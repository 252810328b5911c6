"""The faults of trials.py: other programs that hold locks or connections, clients that collide with them or are slow, a proxy that dies, a pooler."""
import http.client, itertools, json, os, pathlib, pwd, re, select, shutil, socket, sqlite3, subprocess, threading, time


class Psql:
    """A session of another program with an open transaction, until it is closed."""

    def __init__(self, url, sql):
        command = ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-o", "/dev/null", "-d", url]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write(f"BEGIN;\n{sql};\n\\echo held\n")
        self.process.stdin.flush()
        if self.process.stdout.readline() != "held\n":
            raise SystemExit(f"psql could not run: {sql}")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Sessions:
    """Sessions of another program that do nothing but hold connections: all that the server allows but so many."""

    def __init__(self, url, left):
        allowed = int(query(url, "SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int"))
        used = int(query(url, "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"))
        self.sessions = [Psql(url, "SELECT 1") for _ in range(allowed - used - left)]

    def close(self):
        for session in self.sessions:
            session.close()


def query(url, sql):
    return subprocess.run(["psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", sql], check=True, capture_output=True, text=True).stdout.strip()


class Pgbouncer:
    """A pgbouncer that lends its connections for a transaction each, until it is closed."""

    def __init__(self, folder, socket_folder, port, user):
        self.folder = pathlib.Path(folder) / "pgbouncer"
        self.folder.mkdir()
        self.program = shutil.which("pgbouncer", path=os.environ["PATH"] + ":/usr/sbin")
        numbers = re.findall(r"\d+", subprocess.run([self.program, "--version"], capture_output=True, text=True).stdout)
        self.keeps_statements = (int(numbers[0]), int(numbers[1])) >= (1, 21)
        statements = "max_prepared_statements = 200\n" if self.keeps_statements else ""
        (self.folder / "users").write_text(f'"{user}" ""\n')
        (self.folder / "ini").write_text(
            f"[databases]\n* = host={socket_folder} port={port} user={user}\n[pgbouncer]\nlisten_addr =\nlisten_port = 6432\nunix_socket_dir = {self.folder}\n"
            f"unix_socket_mode = 0777\nauth_type = trust\nauth_file = {self.folder}/users\nlogfile = {self.folder}/log\npool_mode = transaction\n"
            f"default_pool_size = 40\n{statements}")
        command = [self.program, "-q", self.folder / "ini"]
        if os.getuid() == 0:
            owner = pwd.getpwuid(os.stat(socket_folder).st_uid).pw_name
            for path in (self.folder, *self.folder.iterdir()):
                shutil.chown(path, owner)
            for parent in self.folder.parents:
                if parent.stat().st_uid == 0 and str(parent).startswith("/tmp/"):
                    parent.chmod(0o755)
            command[1:1] = ["-u", owner]
        self.process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not (self.folder / ".s.PGSQL.6432").exists():
            if self.process.poll() is not None:
                raise SystemExit(f"pgbouncer did not start: {(self.folder / 'log').read_text() if (self.folder / 'log').exists() else ''}")
            time.sleep(0.01)
        self.user = user

    def url(self, database):
        return f"postgres:///{database}?host={self.folder}&port=6432&user={self.user}"

    def close(self):
        self.process.terminate()
        self.process.wait()


class Writers:
    """Another program that writes through a pool, on so many connections, until it is closed; counts what fails."""

    def __init__(self, url, clients):
        self.stopped, self.written, self.failed = threading.Event(), 0, []
        self.threads = [threading.Thread(target=self.write, args=(url, number)) for number in range(1, clients + 1)]
        for thread in self.threads:
            thread.start()

    def write(self, url, number):
        while not self.stopped.is_set():
            done = subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", url], input=f"UPDATE item SET n = n + 1 WHERE id = {number};\n" * 50, capture_output=True, text=True)
            self.written += 1
            if done.returncode:
                self.failed.append(done.stderr.strip().splitlines()[-1])

    def close(self):
        self.stopped.set()
        for thread in self.threads:
            thread.join()


class FileLock:
    """A program that holds the write lock of a SQLite file, until it is closed."""

    def __init__(self, path):
        self.connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self.connection.execute("BEGIN IMMEDIATE")

    def close(self):
        self.connection.execute("ROLLBACK")
        self.connection.close()


class Requests:
    """Sends requests one after the other at a steady pace, each on a connection of its own, whatever becomes of those before."""

    def __init__(self, duet, pace, requests):
        self.duet, self.pace, self.requests = duet, pace, itertools.cycle(requests)
        self.answers, self.threads, self.stopped = [], [], threading.Event()
        self.thread = threading.Thread(target=self.send_all)
        self.thread.start()

    def send_all(self):
        while not self.stopped.wait(self.pace):
            thread = threading.Thread(target=self.send, args=next(self.requests))
            thread.start()
            self.threads.append(thread)

    def send(self, method, path, body):
        begun = time.monotonic()
        try:
            status, text = exchange(self.duet, method, path, body)
        except OSError as error:
            status, text = 0, f"{method} {path}: {type(error).__name__}"
        self.answers.append((begun, status, time.monotonic() - begun, text))

    def close(self):
        self.stopped.set()
        for thread in [self.thread, *self.threads]:
            thread.join()


class SlowLoad:
    """A bulk load in one transaction whose client sends a row every few seconds."""

    def __init__(self, duet, first, pause=3):
        self.duet, self.ids, self.pause = duet, itertools.count(first), pause
        self.connection = http.client.HTTPConnection(duet.url.removeprefix("http://"), timeout=120)
        self.connection.putrequest("POST", duet.mount + "/child/batchload?batchesPerCommit=0&batchRows=1&responseFormat=JSON")
        for name, value in [("Content-Type", "text/csv"), ("Transfer-Encoding", "chunked"), ("Authorization", "Bearer " + duet.token)]:
            self.connection.putheader(name, value)
        self.connection.endheaders()
        self.chunk("id,parent_id,name\n")
        self.chunk(f"{next(self.ids)},500,loaded\n")
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.send_rows)
        self.thread.start()

    def chunk(self, text):
        self.connection.send(f"{len(text):x}\r\n{text}\r\n".encode())

    def send_rows(self):
        while not self.stopped.wait(self.pause):
            self.chunk(f"{next(self.ids)},500,loaded\n")

    def close(self):
        """Ends the body; the load must have succeeded."""
        self.stopped.set()
        self.thread.join()
        self.chunk("")
        said = self.connection.getresponse().read().decode()
        self.connection.close()
        if json.loads(said).get("outcome") != "success":
            raise SystemExit(f"the slow load failed: {said}")


class Proxy:
    """A TCP proxy before a socket of PostgreSQL: it passes bytes on, falls silent, or refuses connections."""

    def __init__(self, to):
        self.to, self.mode, self.pairs = to, "pass", []
        self.listener = self.listen(0)
        self.port = self.listener.getsockname()[1]

    def listen(self, port):
        listener = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self.accept, args=(listener,), daemon=True).start()
        return listener

    def accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.to)
            self.pairs.append((client, server))
            threading.Thread(target=self.copy, args=(client, server), daemon=True).start()

    def copy(self, client, server):
        other = {client: server, server: client}
        try:
            while True:
                for readable in select.select([client, server], [], [])[0]:
                    data = readable.recv(65536)
                    if not data:
                        return
                    while self.mode == "silent":
                        time.sleep(0.05)
                    other[readable].sendall(data)
        except (OSError, ValueError):
            pass
        finally:
            client.close()
            server.close()

    def fall_silent(self):
        self.mode = "silent"

    def refuse(self):
        """Closes the listener and every connection."""
        self.mode = "refuse"
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.cut()

    def cut(self):
        for pair in self.pairs:
            for end in pair:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        self.pairs.clear()

    def restore(self):
        """Passes bytes on again, over new connections: those of before are lost."""
        if self.mode == "refuse":
            self.listener = self.listen(self.port)
        self.cut()
        self.mode = "pass"


def exchange(duet, method, path, body=None):
    """The status and the text of a response."""
    connection = http.client.HTTPConnection(duet.url.removeprefix("http://"), timeout=40)
    headers = {"Authorization": "Bearer " + duet.token, "Content-Type": "application/json"}
    try:
        connection.request(method, duet.mount + path, None if body is None else json.dumps(body), headers)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()
