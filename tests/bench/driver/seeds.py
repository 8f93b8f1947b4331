# SPDX-License-Identifier: MIT
"""The programs that quipd replaces: each by its example under config/examples/, with the command
that its figures were published from. Published figures are of other machines."""
import os
import re
import statistics
import subprocess
import time

import machine
import servers
from life import REPOSITORY
from report import Row
from rows import plain

WRK = "wrk"
AB = "ab"


class Seed:
    """A row: the example, what is asked, the load's options, what was published."""

    def __init__(self, title, example, path, body, tool, options, published, java=None,
                 java_path=None):
        self.title, self.example, self.path, self.body = title, example, path, body
        self.tool, self.options, self.published = tool, options, published
        self.java, self.java_path = java, java_path


AB_TEN = ["-n", "10000", "-c", "10"]
SEEDS = (
    Seed("ActFramework GET /", "actframework", "/", "Hello World!", WRK, [],
         "1,430,632/s, 101 bytes"),
    Seed("ActFramework GET /txt", "actframework", "/txt", "Hello World!", WRK, [],
         "256,795/s, 247 bytes (with a session)"),
    Seed("BlueEyes GET /hello", "blueeyes", "/hello", '["Hello","World"]', AB, AB_TEN,
         "3,514/s, 88 bytes"),
    Seed("Servlet on Tomcat", "servlet", "/testservlet/Test", '["Hello","World!"]', AB, AB_TEN,
         "8,954/s, 191 bytes", java="tomcat", java_path="/testservlet/Test"),
    Seed("Play! 1 (prod)", "play", "/", '["Hello","World!"]', AB, AB_TEN, "8,376/s, 372 bytes"),
    Seed("Jetty 7 noop", "jetty", "/any/path", "noop", AB, ["-n", "10000", "-c", "20", "-k"],
         "78,841/s, 98 bytes", java="jetty", java_path="/noop"),
)


def number(pattern, text):
    match = re.search(pattern, text)
    return float(match.group(1)) if match else 0.0


def run_tool(bench, seed, server, path, seconds):
    """(rate, bytes a response, CPU us a request, busy, faults, note) of one run of wrk or ab."""
    url = f"http://127.0.0.1:{server.port}"
    if seed.tool == WRK:
        command = ["wrk", "-t4", "-c128", f"-d{seconds}s", "--latency", "-s",
                   os.path.join(servers.PEERS, "pipeline.lua"), url + path, "--", path, "16"]
    else:
        command = ["ab", "-q"] + seed.options + [url + path]
    cpu, start = machine.cpu_ns(server.pids), time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120,
                          preexec_fn=machine.before_exec(machine.cores()[1]))
    used, passed = machine.cpu_ns(server.pids) - cpu, time.monotonic() - start
    read = read_wrk if seed.tool == WRK else read_ab
    requests, rate, size, faults, note = read(done.stdout)
    if requests == 0:
        faults, note = 1, (done.stderr or done.stdout).strip()[-200:]
    return rate, size, used / 1000 / max(1, requests), used / 1e9 / passed, faults, note


def read_wrk(text):
    requests = number(r"(\d+) requests in", text)
    size, unit = re.search(r"([\d.]+)([KMG]?B) read", text).groups() if requests else ("0", "B")
    size = float(size) * {"B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30}[unit]
    faults = number(r"Non-2xx or 3xx responses: (\d+)", text) + sum(
        int(count) for line in re.findall(r"Socket errors:.*", text)
        for count in re.findall(r"\d+", line))
    latency = dict(re.findall(r"(?m)^ +(50|99)% +(\S+)$", text))
    note = f"p50 {latency['50']}, p99 {latency['99']} a batch" if len(latency) == 2 else ""
    rate = number(r"Requests/sec:\s+([\d.]+)", text)
    return requests, rate, size / max(1, requests), faults, note


def read_ab(text):
    requests = number(r"Complete requests:\s+(\d+)", text)
    size = number(r"Total transferred:\s+(\d+)", text) / max(1, requests)
    faults = number(r"Failed requests:\s+(\d+)", text) + number(r"Non-2xx responses:\s+(\d+)", text)
    return requests, number(r"Requests per second:\s+([\d.]+)", text), size, faults, ""


def load(bench, seed, server, name, path):
    rounds, seconds = (3, 15) if bench.rounds > 3 else (1, 2)
    if seed.tool == WRK:
        rounds = 1
    runs = [run_tool(bench, seed, server, path, seconds) for _ in range(rounds)]
    rate, size, cpu_us, busy, faults = (statistics.median(run[i] for run in runs) for i in range(5))
    note = runs[0][5]
    if name == "quipd":
        note += ("; " if note else "") + f"published elsewhere: {seed.published}"
    bench.table.append(Row("seed", seed.title, name, rate=rate, cpu_us=cpu_us, size=size, busy=busy,
                           faults=int(faults), note=note))
    bench.say(f"{seed.title}: {name}")


def seeds(bench):
    """quipd by the example, its original where it can run here, and nginx."""
    field = {server.name: server for server in bench.field()}
    for seed in SEEDS:
        example = os.path.join(REPOSITORY, "config", "examples", seed.example + ".yaml")
        if bench.park.has_quipd() and os.path.exists(example):
            quipd = bench.park.add(
                "quipd " + seed.example,
                [bench.park.quipd, "run", "-c", example, "--listen", "127.0.0.1:@PORT@"],
                answer=seed.body, head=plain(seed.path))
            load(bench, seed, quipd, "quipd", seed.path)
            bench.park.stop(quipd)
        if seed.java in field:
            load(bench, seed, field[seed.java], seed.java, seed.java_path)
        if "nginx" in field:
            load(bench, seed, field["nginx"], "nginx", seed.path)
