# SPDX-License-Identifier: MIT
"""The rows of quipd's life: loading rules (P5), reloads under load (P6), start (P11)."""
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import tempfile
import threading
import time

import machine
import measure
from report import Bar, Row
from rows import BODY, plain

OTHER_BODY = "Hello again!"  # as long as BODY
RELOAD_SECONDS = 0.1
REPOSITORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 3)


def p5(bench):
    """From read() to a ready Site, on one core."""
    program = os.path.join(bench.park.programs, "bench_rules")
    if not os.access(program, os.X_OK):
        return
    runs = 5 if bench.rounds > 3 else 3
    done = subprocess.run([program, "100000", str(runs)], capture_output=True, text=True,
                          check=False, preexec_fn=machine.before_exec(machine.cores()[0]))
    if done.returncode != 0:
        bench.table.append(Row("P5", "load 100,000 rules", "quipd", faults=1,
                               note=done.stderr.strip()))
        return
    got = json.loads(done.stdout)
    resident = got["resident_kib"] * 1024 / got["rules"]
    bench.table.append(Row(
        "P5", "load 100,000 rules", "quipd",
        bars=[Bar("read() to ready", got["load_s"] + got["compile_s"], 1.0, " s"),
              Bar("memory a route", resident, 1024, " B", digits=0)],
        note=f"processor time {got['cpu_s']:.2f} s, configuration {got['load_s']:.2f} s, "
             f"compile {got['compile_s']:.2f} s, "
             f"Site {got['site_bytes'] / got['rules']:.0f} B a route, "
             f"peak {got['peak_kib'] / 1024:.0f} MiB"))


class Reloader(threading.Thread):
    """Changes the file of a quipd and sends SIGHUP every 100 ms, until stopped."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server = server
        self.count = 0
        self._end = threading.Event()
        with open(server.path("quipd.yaml"), encoding="utf-8") as file:
            self._text = file.read()

    def run(self):
        while not self._end.wait(RELOAD_SECONDS):
            self.count += 1
            self._put(OTHER_BODY if self.count % 2 else BODY)

    def _put(self, body):
        path = self.server.path("quipd.yaml")
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(self._text.replace(f"echo: {BODY}", f"echo: {body}"))
        os.replace(path + ".new", path)
        os.kill(self.server.process.pid, signal.SIGHUP)

    def stop(self):
        self._end.set()
        self.join()
        self._put(BODY)


def p6(bench):
    """Runs without reloads and with them in turn; 30 s of each in three pieces."""
    if not bench.park.has_quipd():
        return
    quipd = bench.park.run_quipd(f"routes:\n  - GET / echo: {BODY}\n", "quipd reloaded")
    seconds = 10 if bench.rounds > 3 else 2
    for title, depth in (("reloads under P1", 1), ("reloads under P2", 16)):
        work = measure.Work(title, plain("/"), [BODY, OTHER_BODY], depth=depth)
        quiet, noisy, reloads = [], [], 0
        for number in range(3):
            quiet.append(bench.loader.run(quipd, work, milliseconds=seconds * 1000))
            reloader = Reloader(quipd)
            reloader.start()
            noisy.append(bench.loader.run(quipd, work, milliseconds=seconds * 1000))
            reloader.stop()
            reloads += reloader.count
            time.sleep(0.2)
            bench.say(f"{title}: piece {number + 1} of 3")
        report_reloads(bench, title, quiet, noisy, reloads)
    bench.park.stop(quipd)


def report_reloads(bench, title, quiet, noisy, reloads):
    ratio = statistics.median(after.figures["p99_us"] / before.figures["p99_us"]
                              for before, after in zip(quiet, noisy))
    seen = sum(piece.figures["bodies"][1] for piece in noisy)
    asked = sum(piece.requests for piece in noisy)
    for name, pieces, bars in (
            ("quipd without reloads", quiet, []),
            ("quipd, one each 100 ms", noisy,
             [Bar("wrong or failed", sum(piece.faults for piece in noisy), 0, digits=0),
              Bar("p99 ratio", ratio, 1.2)])):
        note = f"p99 {statistics.median(piece.figures['p99_us'] for piece in pieces):.0f} us"
        if pieces is noisy:
            note += (f", {reloads} reloads, {seen / max(1, asked):.0%} of the answers from the "
                     "other file")
        bench.table.append(Row(
            "P6", title, name, rate=statistics.median(piece.rate for piece in pieces),
            cpu_us=statistics.median(piece.cpu_us for piece in pieces),
            size=statistics.median(piece.bytes for piece in pieces),
            busy=statistics.median(piece.busy for piece in pieces),
            faults=sum(piece.faults for piece in pieces), bars=bars, note=note))


def start_once(quipd, configuration, folder):
    """(seconds from exec to READY=1, of them on a processor, RssAnon KiB, resident KiB)."""
    path = os.path.join(folder, "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
        notify.bind(path)
        notify.settimeout(20)
        environment = dict(os.environ, NOTIFY_SOCKET=path)
        command = [quipd, "run", "-c", configuration, "--listen",
                   f"127.0.0.1:{machine.free_port()}"]
        begin = time.monotonic()
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while b"READY=1" not in notify.recv(4096):
                pass
            seconds = time.monotonic() - begin
            return (seconds, machine.cpu_ns([process.pid]) / 1e9,
                    machine.status_kib(process.pid, "RssAnon"),
                    machine.status_kib(process.pid, "VmRSS"))
        finally:
            process.terminate()
            process.wait(20)
            os.unlink(path)


def p11(bench):
    """Start with the configuration that is shipped, told by a NOTIFY_SOCKET of our own."""
    configuration = os.path.join(REPOSITORY, "config", "quipd.yaml")
    if not bench.park.has_quipd() or not os.path.exists(configuration):
        return
    folder = tempfile.mkdtemp(prefix="quipd-bench-start-")
    try:
        starts = [start_once(bench.park.quipd, configuration, folder) for _ in range(11)]
    except (OSError, subprocess.TimeoutExpired) as error:
        bench.table.append(Row("P11", "start", "quipd", faults=1, note=f"no READY=1: {error}"))
        return
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    seconds, used, anonymous, resident = (statistics.median(column) for column in zip(*starts))
    bench.table.append(Row(
        "P11", "start, shipped configuration", "quipd",
        bars=[Bar("exec to ready", seconds * 1000, 20, " ms", digits=1),
              Bar("its own (RssAnon)", anonymous / 1024, 3, " MiB"),
              Bar("resident", resident / 1024, 14, " MiB", digits=1)],
        note=f"processor time {used * 1000:.1f} ms"))
