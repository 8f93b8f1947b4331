# SPDX-License-Identifier: MIT
"""Loads servers in turn, in short slices, and compares them round by round."""
import csv
import json
import os
import statistics
import subprocess
import tempfile

import machine


class Work:
    """What one row of the table does to each server. `numbers`: name of a server -> how many
    numbers there are to put in the place of NNNNNN. `file`: the path of the body, instead of
    `bodies`. `cipher`: of TLS 1.3; `resume`: with `close`, each handshake is a resumed one."""

    def __init__(self, title, head, bodies=(), depth=1, connections=64, close=False, numbers=None,
                 status=200, file=None, cipher=None, resume=False):
        self.title = title
        self.head = head
        self.bodies = bodies
        self.depth = depth
        self.connections = connections
        self.close = close
        self.numbers = numbers or {}
        self.status = status
        self.file = file
        self.cipher = cipher
        self.resume = resume


class Slice:
    """What a load of a second or so gave."""

    def __init__(self, figures):
        self.figures = figures
        self.requests = figures["requests"]
        self.rate = figures["requests"] / figures["seconds"]
        self.cpu_us = figures["cpu_ns"] / 1000 / max(1, figures["requests"])
        self.busy = figures["cpu_ns"] / 1e9 / figures["seconds"]
        self.bytes = figures["bytes"] / max(1, figures["requests"])
        self.faults = figures["wrong"] + figures["failed"]


class Loader:
    """Runs bench_load on the load's core. Keeps what every slice gave, for slices.csv."""

    def __init__(self, programs, milliseconds):
        self.program = os.path.join(programs, "bench_load")
        self.milliseconds = milliseconds
        self.core = machine.cores()[1]
        self.crowd = machine.Crowd()
        self.log = []

    def command(self, server, work, milliseconds, warmup_ms, seed, head_file):
        command = [self.program, "--port", str(server.port), "--head", head_file, "--connections",
                   str(work.connections), "--depth", str(work.depth), "--status", str(work.status),
                   "--numbers", str(work.numbers.get(server.name, 0)), "--seed", str(seed),
                   "--warmup", str(warmup_ms), "--time", str(milliseconds),
                   "--pids", ",".join(map(str, server.pids))]
        for body in work.bodies:
            command += ["--body", body]
        if work.file:
            command += ["--file", work.file]
        if work.cipher:
            command += ["--tls", work.cipher]
        return command + ["--close"] * work.close + ["--resume"] * work.resume

    def run(self, server, work, milliseconds=None, warmup_ms=50, seed=1):
        with tempfile.NamedTemporaryFile() as head:
            head.write(work.head)
            head.flush()
            command = self.command(server, work, milliseconds or self.milliseconds, warmup_ms, seed,
                                   head.name)
            done = subprocess.run(command, capture_output=True, check=True,
                                  preexec_fn=machine.before_exec(self.core))
        figures = json.loads(done.stdout)
        # Servers of several threads keep one another waiting; that is not others' doing.
        if server.name.split()[0] in ("floor", "quipd", "nginx"):
            self.crowd.add(figures["wait_ns"] / 1e9, figures["seconds"])
        self.log.append((work.title, server.name, figures))
        return Slice(figures)

    def write_log(self, path):
        with open(path, "w", newline="", encoding="ascii") as file:
            out = csv.writer(file)
            keys = ["requests", "wrong", "failed", "reconnects", "bytes", "seconds", "cpu_ns",
                    "wait_ns", "p50_us", "p90_us", "p99_us", "p999_us", "max_us"]
            out.writerow(["work", "server"] + keys)
            for title, name, figures in self.log:
                out.writerow([title, name] + [figures[key] for key in keys])


class Result:
    """The slices of several servers under one work, paired by round."""

    def __init__(self, work, servers, rounds):
        self.work = work
        self.names = [server.name for server in servers]
        self.rounds = rounds  # a list of {name: Slice}

    def median(self, name, figure):
        return statistics.median(getattr(row[name], figure) for row in self.rounds)

    def ratio(self, name, other):
        """The median of the rounds' ratios of CPU time; None where one wasn't there."""
        if name not in self.names or other not in self.names:
            return None
        return statistics.median(
            row[name].cpu_us / row[other].cpu_us if row[other].cpu_us else 0 for row in self.rounds)

    def faults(self, name):
        return sum(row[name].faults for row in self.rounds)


def compare(loader, servers, work, rounds, say=lambda text: None):
    """One round after the other, each in another order."""
    for server in servers:
        loader.run(server, work, milliseconds=50, warmup_ms=server.warmup_ms)
    done = []
    for number in range(rounds):
        turn = number % len(servers)
        order = servers[turn:] + servers[:turn]
        if number // len(servers) % 2:
            order.reverse()  # so that the neighbours change too
        row = {server.name: loader.run(server, work, seed=number + 1) for server in order}
        done.append(row)
        say(f"{work.title}: round {number + 1} of {rounds}")
    return Result(work, servers, done)
