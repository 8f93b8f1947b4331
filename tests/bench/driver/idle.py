# SPDX-License-Identifier: MIT
"""What idle connections cost in memory, plain and TLS, beside nginx: P7."""
import json
import os
import statistics
import subprocess
import tempfile

import machine
import rows
import servers
from report import Bar, Row
from rows import BODY
from tls import CIPHER

CONNECTIONS = 10_000
QUIPD = ("limits: {connections: 12000}\n"
         "timeouts: {idle: 1h}\n"
         f"routes:\n  - GET / echo: {BODY}\n")


class Idlers:
    """bench_idle with that many connections open, each with one answer behind it."""

    def __init__(self, bench, server, count):
        with tempfile.NamedTemporaryFile() as head:
            head.write(rows.plain("/"))
            head.flush()
            command = [os.path.join(bench.park.programs, "bench_idle"), "--port", str(server.port),
                       "--head", head.name, "--body", BODY, "--connections", str(count)]
            if server.tls:
                command += ["--tls", CIPHER]
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                preexec_fn=machine.before_exec(machine.cores()[1]))
            self.opened = self._read("connections")

    def _read(self, key):
        line = self.process.stdout.readline()
        if not line:
            raise servers.Failed("bench_idle could not open its connections")
        return json.loads(line)[key]

    def end(self):
        """How many connections were closed by the server."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        closed = self._read("closed")
        self.process.communicate()
        return closed


def memory(server):
    """(Pss, anonymous memory) of a server and its children, in bytes."""
    pids = machine.tree(server.process.pid)
    return [sum(machine.smaps_kib(pid, key) for pid in pids) * 1024 for key in ("Pss", "Anonymous")]


def cost(bench, server):
    """(bytes of Pss a connection, of anonymous memory, connections that the server has closed)."""
    Idlers(bench, server, 4).end()  # what the first connections set up isn't theirs
    before = memory(server)
    idlers = Idlers(bench, server, CONNECTIONS)
    after = memory(server)
    each = [(new - old) / idlers.opened for new, old in zip(after, before)]
    return each + [idlers.end()]


def start(bench, name, tls):
    if name == "nginx":
        return bench.park.nginx(tls=tls)
    return bench.park.run_quipd(QUIPD, tls=tls)


def p7(bench):
    names = ["quipd"] * bench.park.has_quipd() + ["nginx"] * ("nginx" in bench.peers)
    runs = 3 if bench.rounds > 3 else 1
    for tls in (False, True):
        title = f"{CONNECTIONS:,} idle connections, {'TLS' if tls else 'plain'}"
        costs = {name: [] for name in names}
        for _ in range(runs):
            for name in names:
                server = start(bench, name, tls)  # anew, so that its heap is
                costs[name].append(cost(bench, server))
                bench.park.stop(server)
                bench.say(f"{title}: {name}")
        report(bench, title, tls, costs)


def report(bench, title, tls, costs):
    medians = {name: [statistics.median(column) for column in zip(*runs)]
               for name, runs in costs.items()}
    for name, (pss, anonymous, closed) in medians.items():
        bars, note = [], f"anonymous memory {anonymous:.0f} B"
        if name == "quipd" and tls:
            nginx = medians["nginx"][0] if "nginx" in medians else None
            bars = [Bar("/nginx", pss / nginx if nginx else None, 1.0)]
        elif name == "quipd":
            bars = [Bar("memory each", pss, 512, " B", digits=0)]
        if not bars or tls:
            note = f"memory each {pss:.0f} B, {note}"
        if name == "nginx":
            note += "; its table of connections is there from the start"
        bench.table.append(Row("P7", title, name, faults=int(closed), bars=bars, note=note))
