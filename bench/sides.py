"""What the scripts of the figures share: a running server, wrk, spinners, processor time, and how sides are compared."""
import base64, json, os, pathlib, random, re, signal, statistics, subprocess, sys, time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = ROOT / "target" / "dist"
LUA = ROOT / "bench" / "random.lua"
# A table with a text key and three more indexes, on both stores.
TRANSACTIONS = """CREATE TABLE transactions (
  id varchar(100) PRIMARY KEY, transaction_type varchar(50) NOT NULL, account varchar(100) NOT NULL, amount bigint NOT NULL,
  currency varchar(10) NOT NULL, description varchar(500), status varchar(50) NOT NULL, message varchar(500), error_code varchar(50),
  error_message varchar(500), created_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP, updated_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP);
CREATE INDEX transactions_type ON transactions (transaction_type);
CREATE INDEX transactions_status ON transactions (status);
CREATE INDEX transactions_created ON transactions (created_at DESC);
"""


def build():
    subprocess.run(["cargo", "build", "--profile", "dist", "-q", "-p", "duet", "-p", "duet-testkit"], cwd=ROOT, check=True)
    subprocess.run(["cargo", "build", "--profile", "dist", "-q", "-p", "duet-http", "--example", "bare_hyper"], cwd=ROOT, check=True)


class Duet:
    """A `duet serve` of one database, with a token; `program` is the build to run."""

    def __init__(self, folder, database, *more, program=BIN / "duet"):
        self.ready = folder / f"ready-{time.monotonic_ns()}.json"
        command = [program, "serve", database, "--listen", "127.0.0.1:0", "--ready-file", self.ready, "--trial-endpoints", *more]
        self.started = time.monotonic()
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=open(folder / "duet.log", "ab"))
        while not self.ready.exists():
            if self.process.poll() is not None:
                sys.exit(f"duet did not start:\n{(folder / 'duet.log').read_text()}")
            time.sleep(0.002)
        ready = json.loads(self.ready.read_text())
        self.url = ready["urls"][0]
        self.mount = next(iter(ready["mounts"].values()))
        secret = base64.b64encode(f"{ready['client_id']}:{ready['client_secret']}".encode()).decode()
        request = urllib.request.Request(self.url + "/oauth/token", b"grant_type=client_credentials", {"Authorization": "Basic " + secret})
        self.token = json.load(urllib.request.urlopen(request))["access_token"]

    def get(self, path):
        return urllib.request.urlopen(urllib.request.Request(self.url + self.mount + path, headers={"Authorization": "Bearer " + self.token})).read()

    def ask(self, path):
        """What a path of the operator's answers."""
        request = urllib.request.Request(self.url + path, headers={"Authorization": "Bearer " + self.token})
        return urllib.request.urlopen(request).read()

    def populate(self, name):
        """Brings all items of a resource into memory."""
        url = f"{self.url}/admin/rowstore?resource={self.mount}/{name}&populate"
        urllib.request.urlopen(urllib.request.Request(url, b"", {"Authorization": "Bearer " + self.token})).read()
        while self.rowstore(name)["populate"]["state"] != "done":
            time.sleep(0.05)

    def remember(self, *names):
        """Gives resources room for all their items in memory."""
        for name in names:
            url = f"{self.url}/admin/rowstore?resource={self.mount}/{name}&bytes={64 << 20}"
            request = urllib.request.Request(url, b"", {"Authorization": "Bearer " + self.token})
            urllib.request.urlopen(request).read()

    def rowstore(self, name):
        """The counts of a resource's rowstore."""
        request = urllib.request.Request(self.url + "/admin/rowstore", headers={"Authorization": "Bearer " + self.token})
        rowstores = json.load(urllib.request.urlopen(request))["rowstores"]
        return next(it for it in rowstores if it["resource"] == f"{self.mount}/{name}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


class Spinners:
    """Processes of idle priority that keep every processor awake: those of `duet bench run --spinners`."""

    def __init__(self, program=BIN / "duet"):
        command = ["chrt", "-i", "0", program, "bench", "spin"]
        start = lambda processor: subprocess.Popen([*command, str(processor)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.all = [start(processor) for processor in sorted(os.sched_getaffinity(0))]
        for spinner in self.all:
            if spinner.stdout.readline() != "idle priority\n":
                sys.exit("spinners need chrt (Debian: apt-get install util-linux), and the policy SCHED_IDLE")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for spinner in self.all:
            spinner.kill()
            spinner.wait()


def processor_time(*processes):
    """Seconds of processor time of these processes until now, their children included."""
    def fields(process):
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    ticks, wanted = 0, set(processes)
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            parts = fields(entry.name)
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(entry.name) in wanted:
            # Children that have ended count too: nothing may be lost between two looks.
            ticks += sum(int(part) for part in parts[11:15])
        elif int(parts[1]) in wanted:
            ticks += int(parts[11]) + int(parts[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def postmaster(database):
    """The first process of a PostgreSQL server on this machine."""
    sql = ["psql", "-XqAt", database, "-c", "SHOW data_directory"]
    folder = subprocess.run(sql, check=True, capture_output=True, text=True).stdout.strip()
    return int(pathlib.Path(folder, "postmaster.pid").read_text().split("\n")[0])


def wrk(url, path, seconds, connections=32, token="", seed=1, keys=100000, script=LUA, timeout=2):
    """Requests per second; fails on any answer that is not 2xx. wrk reports answers that take longer than `timeout` seconds."""
    environment = dict(os.environ, DUET_PATH=path, DUET_TOKEN=token, DUET_SEED=str(seed), DUET_KEYS=str(keys))
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", f"{timeout}s", "-s", str(script), url]
    out = subprocess.run(command, env=environment, capture_output=True, text=True).stdout
    if "Non-2xx" in out or "Requests/sec" not in out:
        sys.exit(f"{path}: {out}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1))


def pgbench(database, script, seconds, clients):
    """The rate of a script of pgbench's."""
    def side(_seed):
        command = ["pgbench", "-n", "-M", "prepared", "-c", str(clients), "-j", "1", "-T", str(seconds), "-f", str(script), database]
        out = subprocess.run(command, capture_output=True, text=True)
        if out.returncode:
            sys.exit(out.stderr)
        return float(re.search(r"tps = ([\d.]+)", out.stdout).group(1))
    return side


def alternate(sides, rounds, seconds):
    """sides: name -> function(seed) giving a rate. Returns name -> rates, round by round."""
    rates = {name: [] for name in sides}
    for number in range(rounds):
        order = list(sides) if number % 2 == 0 else list(reversed(list(sides)))
        for name in order:
            rates[name].append(sides[name](number + 1))
    return rates


def ratio(rates, a, b):
    return statistics.median(x / y for x, y in zip(rates[a], rates[b]))


def interval(ratios, rounds=2000):
    """The median's 95 % bootstrap interval, with a fixed seed."""
    draw = random.Random(1)
    medians = sorted(statistics.median(draw.choices(ratios, k=len(ratios))) for _ in range(rounds))
    return medians[rounds * 25 // 1000], medians[rounds * 975 // 1000]


def shown_ratio(rates, a, b):
    """The median of the rounds' ratios and its interval."""
    low, high = interval([x / y for x, y in zip(rates[a], rates[b])])
    return f"**{ratio(rates, a, b):.2f}** ({low:.2f} to {high:.2f})"


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def shown(rates):
    digits = 0 if min(rates) >= 10 else 2
    return f"{statistics.median(rates):,.{digits}f} ({min(rates):,.{digits}f} to {max(rates):,.{digits}f})"


def with_database(url, name):
    """The URL of another database of the same server; the authority of a URL by socket is empty."""
    before, _, query = url.partition("?")
    return f"{before.rsplit('/', 1)[0]}/{name}?{query}"


def load(application, database, *more):
    subprocess.run([BIN / "duet", "load", application, "--database", database, *more], check=True, stdout=subprocess.DEVNULL)
