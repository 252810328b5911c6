"""Servers of PostgreSQL with standbys, haproxy, pgbouncer and several of `duet serve`, as processes of this machine."""
import contextlib, glob, json, os, pathlib, random, shutil, signal, socket, subprocess, tempfile, threading, time
import http.client, urllib.parse

LIMIT = 60
FLEET = pathlib.Path(__file__).resolve().parent.parent / "deploy" / "fleet"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(what, is_true, limit=LIMIT, pause=0.02):
    """The seconds until something was true."""
    began = time.monotonic()
    while not is_true():
        if time.monotonic() - began > limit:
            raise SystemExit(f"{what}: not within {limit} s")
        time.sleep(pause)
    return time.monotonic() - began


def found(name):
    """A program of PostgreSQL, of haproxy or of pgbouncer: that of the path, where there is one."""
    folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True) + ["/usr/sbin", "/usr/local/sbin"]
    path = shutil.which(name, path=os.pathsep.join([os.environ["PATH"], *folders]))
    return path or raise_missing(name)


def raise_missing(name):
    raise SystemExit(f"{name} is not installed")


def unprivileged(command):
    """PostgreSQL and pgbouncer do not run as root."""
    return ["runuser", "-u", "postgres", "--", *command] if os.geteuid() == 0 else command


@contextlib.contextmanager
def servers_folder(prefix):
    """A folder that the user of the servers owns, removed at the end."""
    with tempfile.TemporaryDirectory(prefix=prefix) as name:
        folder = pathlib.Path(name)
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        folder.chmod(0o755)
        yield folder


class Place:
    """A folder of processes, which end with it."""

    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="duet-fleet-"))
        self.path.chmod(0o777)
        self.processes = []

    def start(self, name, command, own_user=False, **options):
        log = open(self.path / f"{name}.log", "ab")
        command = unprivileged(command) if own_user else command
        process = subprocess.Popen([str(part) for part in command], stdout=log, stderr=log, start_new_session=True, **options)
        self.processes.append(process)
        return process

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
        shutil.rmtree(self.path, ignore_errors=True)


class Postgres:
    """A server; with `of`, a streaming standby of another."""

    def __init__(self, place, name, of=None, **settings):
        self.place, self.name, self.port = place, name, free_port()
        self.data = place.path / name
        if of is None:
            self.run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-N")
        else:
            self.run("pg_basebackup", "-D", self.data, "-R", "-X", "stream", "-c", "fast", "-h", "127.0.0.1", "-p", of.port, "-U", "postgres",
                     "-d", f"application_name={name}")
        # What a standby has copied comes first, and the last value counts.
        settings = {"port": self.port, "listen_addresses": "127.0.0.1", "unix_socket_directories": place.path, "max_connections": 300, **settings}
        with open(self.data / "postgresql.conf", "a") as file:
            file.writelines(f"{key} = '{value}'\n" for key, value in settings.items())
        self.process = None
        self.start()

    def run(self, program, *arguments):
        command = unprivileged([found(program), *map(str, arguments)])
        done = subprocess.run(command, capture_output=True, text=True, cwd="/")
        if done.returncode:
            raise SystemExit(f"{program}: {done.stderr}")
        return done.stdout.strip()

    def start(self):
        self.run("pg_ctl", "-D", self.data, "-w", "-l", self.place.path / f"{self.name}.log", "start")

    def stop(self, mode="fast"):
        self.run("pg_ctl", "-D", self.data, "-m", mode, "-w", "stop")

    def promote(self):
        self.run("pg_ctl", "-D", self.data, "-w", "promote")

    def sql(self, text, database="postgres"):
        return self.run("psql", "-h", "127.0.0.1", "-p", self.port, "-U", "postgres", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", database, "-c", text)

    def url(self, database="shop"):
        return f"postgres://postgres@127.0.0.1:{self.port}/{database}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(unprivileged([found("pg_ctl"), "-D", str(self.data), "-m", "immediate", "stop"]), capture_output=True, cwd="/")


class Delay:
    """A proxy of a server whose answers come late, by a time that changes: at most `most` seconds."""

    def __init__(self, port):
        self.most, self.target = 0, port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(("127.0.0.1", self.target))
            threading.Thread(target=self.forward, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self.forward, args=(server, client, True), daemon=True).start()

    def forward(self, one, other, is_late):
        try:
            while data := one.recv(65536):
                if is_late and self.most:
                    time.sleep(random.random() ** 3 * self.most)
                other.sendall(data)
        except OSError:
            pass
        for end in (one, other):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


class Duet:
    """A `duet serve` at a port that it keeps when it is started again."""

    def __init__(self, place, program, number, arguments):
        self.place, self.program, self.number, self.arguments = place, program, number, arguments
        self.port = free_port()
        self.start()

    def start(self):
        command = [self.program, "serve", *self.arguments, "--listen", f"127.0.0.1:{self.port}"]
        self.process = self.place.start(f"duet-{self.number}", command)
        wait_for(f"duet {self.number} is ready", lambda: self.is_ready())

    def is_ready(self):
        return ask(self.port, "GET", "/health/ready")[0] == 200

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(LIMIT)


def ask(port, method, path, token=None, body=None, timeout=LIMIT):
    """Status, body and headers; status 0 where there is no answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    if body is not None:
        headers["Content-Type"] = "application/json"
    try:
        connection.request(method, path, body=body, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read(), dict(answer.getheaders())
    except (OSError, http.client.HTTPException) as error:
        return 0, str(error).encode(), {}
    finally:
        connection.close()


class Wire:
    """A connection that is kept, with less work for each request than http.client has."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=LIMIT)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")

    def ask(self, method, path, headers=b"", body=b""):
        """Status, headers by names in lower case, and body, all as bytes."""
        length = b"Content-Length: %d\r\n" % len(body) if body else b""
        self.socket.sendall(b"%s %s HTTP/1.1\r\nHost: x\r\n%s%s\r\n%s" % (method, path, length, headers, body))
        status, found = int(self.file.readline().split()[1]), {}
        while line := self.file.readline().rstrip():
            name, _, value = line.partition(b": ")
            found[name.lower()] = value
        return status, found, self.file.read(int(found[b"content-length"]))


def add_client(program, url, name="trial"):
    command = [program, "client", "add", name, "--role", "duet.admin", "--role", "duet.read", "--role", "duet.write", "--in-database", url, "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def token_of(port, client):
    form = urllib.parse.urlencode({"grant_type": "client_credentials", "client_id": client["client_id"], "client_secret": client["client_secret"]})
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT)
    connection.request("POST", "/oauth/token", form, {"Content-Type": "application/x-www-form-urlencoded"})
    return json.loads(connection.getresponse().read())["access_token"]


def haproxy(place, duets):
    """The balancer of deploy/fleet; its port."""
    port, text = free_port(), (FLEET / "haproxy.cfg").read_text().replace("bind :8080", "bind 127.0.0.1:PORT")
    text = text.replace("PORT", str(port))
    for duet in duets:
        text = text.replace(f"duet{duet.number + 1}:8080", f"127.0.0.1:{duet.port}")
    file = place.path / "haproxy.cfg"
    file.write_text(text)
    place.start("haproxy", [found("haproxy"), "-db", "-f", file])
    wait_for("haproxy", lambda: ask(port, "GET", "/health/live")[0] == 200)
    return port


def pgbouncer(place, postgres, pool_mode):
    """The pooler of deploy/fleet, without passwords; its port."""
    port, users, file = free_port(), place.path / "users.txt", place.path / "pgbouncer.ini"
    users.write_text('"postgres" ""\n')
    text = (FLEET / "pgbouncer.ini").read_text()
    replaced = {
        "host=db port=5432": f"host=127.0.0.1 port={postgres.port}", "listen_addr = *": "listen_addr = 127.0.0.1", "listen_port = 6432": f"listen_port = {port}",
        "scram-sha-256": "trust", "/tmp/users.txt": str(users), "pool_mode = transaction": f"pool_mode = {pool_mode}",
    }
    if pool_mode == "session":
        # Earlier versions do not know it.
        replaced["max_prepared_statements = 200\n"] = ""
    for old, new in replaced.items():
        assert old in text, old
        text = text.replace(old, new)
    file.write_text(text)
    file.chmod(0o644)
    place.start("pgbouncer", [found("pgbouncer"), file], own_user=True)
    return port


class Load:
    """Clients that add a row each, over and over, on connections that they keep while they can."""

    def __init__(self, port, token, clients, path="/api/public/item/"):
        self.port, self.token, self.path = port, token, path
        self.over, self.lock = threading.Event(), threading.Lock()
        self.acknowledged, self.unanswered, self.refused, self.longest = [], [], {}, 0.0
        self.threads = [threading.Thread(target=self.client, args=(number,), daemon=True) for number in range(clients)]
        for thread in self.threads:
            thread.start()

    def client(self, number):
        connection, row = None, number * 100_000_000
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {self.token}"} if self.token else {})}
        while not self.over.is_set():
            row += 1
            began = time.monotonic()
            try:
                connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)
                connection.request("POST", self.path, json.dumps({"id": row}), headers)
                answer = connection.getresponse()
                answer.read()
                with self.lock:
                    if answer.status == 201:
                        self.acknowledged.append(row)
                    else:
                        self.refused[answer.status] = self.refused.get(answer.status, 0) + 1
                if answer.will_close:
                    connection.close()
                    connection = None
            except (OSError, http.client.HTTPException) as error:
                with self.lock:
                    self.unanswered.append(f"{type(error).__name__}: {error}")
                connection.close()
                connection = None
            self.longest = max(self.longest, time.monotonic() - began)

    def count(self):
        return len(self.acknowledged)

    def end(self):
        self.over.set()
        for thread in self.threads:
            thread.join(LIMIT)
