#!/usr/bin/env python3
"""GETs of items from memory, with token and checks, beside GETs of Redis: values of the same size, the same connections, no pipeline.

wrk asks Duet and redis-benchmark asks Redis, each with one thread, for random keys of which all are there. Redis keeps nothing on a disk. Prints, for a
table's item and a document of two tables, the rates (median, least and most of the rounds) and the median of the rounds' ratios with its
95 % interval. Needs wrk, redis-server and redis-benchmark (Debian: apt-get install redis-server redis-tools).

usage: rowstore_redis.py [--binary PATH/duet] [--rounds 10] [--seconds 2] [--connections 1,32,256]
"""
import argparse, pathlib, re, shutil, socket, subprocess, sys, tempfile, time

from sides import BIN, Duet, alternate, load, row, shown, shown_ratio, wrk

KEYS = 10_000
PACKAGES = {"redis-server": "redis-server", "redis-benchmark": "redis-tools", "wrk": "wrk"}


class Redis:
    """A Redis on a free port that keeps its values in memory alone."""

    def __init__(self, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while True:
            try:
                self.connection = socket.create_connection(("127.0.0.1", self.port))
                return
            except ConnectionRefusedError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    sys.exit("redis-server did not start")
                time.sleep(0.01)

    def fill(self, size):
        """A value of this size for each of the keys that redis-benchmark draws."""
        value = b"x" * size
        set_of = lambda key: b"*3\r\n$3\r\nSET\r\n$16\r\nkey:%012d\r\n$%d\r\n%s\r\n" % (key, size, value)
        answers = self.connection.makefile("rb")
        for key in range(KEYS):
            self.connection.sendall(set_of(key))
            if answers.readline() != b"+OK\r\n":
                sys.exit("Redis does not keep a value")

    def gets(self, requests, connections):
        """Requests per second of so many requests."""
        command = ["redis-benchmark", "-h", "127.0.0.1", "-p", str(self.port), "-t", "get", "-n", str(requests), "-r", str(KEYS), "-c", str(connections), "-P", "1", "-q"]
        out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        rates = re.findall(r"GET: ([\d.]+) requests per second", out)
        if not rates:
            sys.exit(f"redis-benchmark: {out}")
        return float(rates[-1])

    def stop(self):
        self.connection.close()
        self.process.terminate()
        self.process.wait(30)


def measure(duet, redis, options):
    for name, path in [("table", "/team/{n}"), ("document", "/team_dv/{n}")]:
        size = len(duet.get(path.replace("{n}", "300")))
        redis.fill(size)
        for key in range(1, KEYS + 1):
            duet.get(path.replace("{n}", str(key)))
        for connections in options.connections:
            # redis-benchmark takes a number of requests: as many as it answers in the time that wrk has.
            requests = int(redis.gets(20_000, connections) * options.seconds)
            ours = lambda seed: wrk(duet.url, duet.mount + path, options.seconds, connections, duet.token, seed, KEYS)
            before = duet.rowstore(path.split("/")[1])
            rates = alternate({"Duet": ours, "Redis": lambda _: redis.gets(requests, connections)}, options.rounds, options.seconds)
            after = duet.rowstore(path.split("/")[1])
            if after["misses"] != before["misses"]:
                sys.exit(f"{path}: items were not in memory: {after}")
            row(f"{name}, {size} bytes", connections, shown(rates["Duet"]), shown(rates["Redis"]), shown_ratio(rates, "Duet", "Redis"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, default=BIN / "duet")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--connections", type=lambda text: [int(part) for part in text.split(",")], default=[1, 32, 256])
    options = parser.parse_args()
    absent = sorted({package for program, package in PACKAGES.items() if not shutil.which(program)})
    if absent:
        sys.exit(f"needs packages that are not installed: apt-get install {' '.join(absent)}")
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "racing.sqlite")
        load("car-racing", f"sqlite:{path}", "--scale", "10000")
        redis = Redis(folder)
        try:
            duet = Duet(pathlib.Path(folder), path, "--app", "car-racing", "--rowstore-max-age", "off", program=options.binary)
            try:
                duet.remember("team", "team_dv")
                row("item", "connections", "Duet, GETs/s", "Redis, GETs/s", "Duet ÷ Redis (95 %)")
                row(*["---"] * 5)
                measure(duet, redis, options)
            finally:
                duet.stop()
        finally:
            redis.stop()


sys.exit(main())
