"""What the scripts of the figures share: a running server, wrk, and how sides are compared."""
import base64, json, os, pathlib, re, signal, statistics, subprocess, sys, time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = ROOT / "target" / "dist"
LUA = ROOT / "bench" / "random.lua"


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

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


def wrk(url, path, seconds, connections=32, token="", seed=1, keys=100000, script=LUA):
    """Requests per second; fails on any answer that is not 2xx."""
    environment = dict(os.environ, DUET_PATH=path, DUET_TOKEN=token, DUET_SEED=str(seed), DUET_KEYS=str(keys))
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(script), url]
    out = subprocess.run(command, env=environment, capture_output=True, text=True).stdout
    if "Non-2xx" in out or "Requests/sec" not in out:
        sys.exit(f"{path}: {out}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1))


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


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def shown(rates):
    return f"{statistics.median(rates):,.0f} ({min(rates):,.0f} to {max(rates):,.0f})"


def load(application, database, *more):
    subprocess.run([BIN / "duet", "load", application, "--database", database, *more], check=True, stdout=subprocess.DEVNULL)
