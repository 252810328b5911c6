"""A `duet serve` under Valgrind's callgrind: what it executes is counted, and its system calls."""
import http.client, json, pathlib, re, subprocess, sys, tempfile, urllib.parse

from sides import Duet

JSON = {"Content-Type": "application/json"}


def callgrind(folder, *options):
    """The command in front of a program that is to be counted."""
    return ["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={folder}/out.%p", *options]


def cachegrind(folder):
    """The same without calls, for a program that gets signals: callgrind does not survive those that come within a signal's handler."""
    return ["valgrind", "--quiet", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={folder}/out.%p"]


def total_of(folder, dumped="out.*"):
    """The instructions of the last dump with such a name; all are removed."""
    dumps = sorted(folder.glob(dumped), key=lambda path: int(path.suffix[1:]))
    text = dumps[-1].read_text(errors="replace")
    for dump in dumps:
        dump.unlink()
    return int(re.search(r"^(?:totals|summary): (\d+)", text, re.M).group(1))


class Counted:
    """A counted server, and connections to it. Nothing is counted before `control("-i", "on")`, unless `start` is."""

    def __init__(self, folder, database, program, *more, start=False):
        self.folder, self.clients = pathlib.Path(tempfile.mkdtemp(dir=folder)), []
        wrapper = self.folder / "counted"
        options = [f"--instr-atstart={'yes' if start else 'no'}", "--trace-syscalls=yes", f"--log-file={self.folder}/log"]
        command = " ".join(map(str, [*callgrind(self.folder, *options), program]))
        wrapper.write_text(f"#!/bin/sh\nexec {command} \"$@\"\n")
        wrapper.chmod(0o755)
        self.duet = Duet(self.folder, database, *more, program=wrapper)
        self.headers = {**JSON, "Authorization": "Bearer " + self.duet.token}

    def control(self, *arguments):
        subprocess.run(["callgrind_control", *arguments, str(self.duet.process.pid)], check=True, capture_output=True)

    def dumped(self):
        """The instructions since counting began, or was set to 0 (`control("-z")`)."""
        self.control("-d")
        return total_of(self.folder, "out.*.*")

    def connections(self, count):
        while len(self.clients) < count:
            self.clients.append(http.client.HTTPConnection(urllib.parse.urlsplit(self.duet.url).netloc, timeout=600))
        return self.clients[:count]

    def ask(self, client, method, path, body, headers):
        body = body if body is None or isinstance(body, str) else json.dumps(body)
        client.request(method, self.duet.mount.rstrip("/") + path, body, {**self.headers, **headers})

    def answer(self, client, what, status=None):
        """The body of an answer, which has this status, or any of success."""
        answer = client.getresponse()
        said = answer.read()
        if answer.status >= 300 or status not in (None, answer.status):
            sys.exit(f"{what}: {answer.status} {said[:300]}")
        return said

    def system_calls(self):
        """How many there were until now; one that blocks has a second line for its end. Those for the time are none
        outside of Valgrind, and have few instructions."""
        lines = (self.folder / "log").read_bytes().split(b"\n")
        return sum(b"SYSCALL[" in line and b"... [async]" not in line and b"sys_clock_gettime" not in line for line in lines)

    def stop(self):
        self.duet.stop()
