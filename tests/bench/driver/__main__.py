# SPDX-License-Identifier: MIT
"""Runs the benchmarks and prints their table; scripts/bench builds first and then calls this."""
import argparse
import os
import re
import signal
import subprocess
import sys
import time

import files
import idle
import life
import machine
import measure
import report
import rows
import seeds
import servers
import tls

ROWS = {"P1": rows.p1, "P2": rows.p2, "P3": rows.p3, "P4": rows.p4, "P5": life.p5, "P6": life.p6,
        "P7": idle.p7, "P8": files.p8, "P9": rows.p9, "P10": tls.p10, "P11": life.p11,
        "seeds": seeds.seeds}
PEERS = ["floor", "nginx", "h2o", "haproxy", "lighttpd", "caddy"]
JVM = ["jetty", "tomcat"]
VERSIONS = {"nginx": ["nginx", "-v"], "h2o": ["h2o", "--version"], "haproxy": ["haproxy", "-v"],
            "lighttpd": ["lighttpd", "-v"], "caddy": ["caddy", "version"]}


def parse():
    parser = argparse.ArgumentParser(prog="scripts/bench")
    parser.add_argument("--build", required=True, help="the folder of the bench preset")
    parser.add_argument("--only", default="", help="rows, such as P1,P2,seeds")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each row (7)")
    parser.add_argument("--servers", default="", help="beside quipd, such as floor,nginx")
    parser.add_argument("--jvm", action="store_true", help="Jetty and Tomcat too")
    parser.add_argument("--quick", action="store_true", help="3 rounds of 0.3 s: a look, no figure")
    given = parser.parse_args()
    given.only = [name for name in given.only.split(",") if name] or list(ROWS)
    given.peers = [name for name in given.servers.split(",") if name] or (
        PEERS + JVM * given.jvm)
    unknown = [name for name in given.only if name not in ROWS] + [
        name for name in given.peers if name not in PEERS + JVM]
    if unknown:
        parser.error("unknown: " + ", ".join(unknown))
    if given.quick:
        given.rounds = min(given.rounds, 3)
    return given


def version(name):
    """nginx 1.22.1; the name alone where it has no version or isn't here."""
    try:
        done = subprocess.run(VERSIONS[name], capture_output=True, text=True, check=False)
    except (OSError, KeyError):
        return name
    match = re.search(r"\d+\.[\w.+~-]+", done.stdout + done.stderr)
    return f"{name} {match.group()}" if match else name


def run(given, bench):
    for name in given.only:
        try:
            ROWS[name](bench)
        except (servers.Failed, subprocess.SubprocessError, OSError) as error:
            bench.table.append(report.Row(name, "could not be measured", "", faults=1,
                                          note=" ".join(str(error).split())[:300]))


def header(given, bench):
    lines = [f"quipd's benchmarks, {time.strftime('%Y-%m-%d %H:%M')}, {machine.describe()}",
             ", ".join(version(name) for name in given.peers if name != "floor"),
             bench.loader.crowd.words()]
    if machine.cores()[0] == machine.cores()[1]:
        lines.append("ONE CORE for servers and load: rates mean nothing")
    if not bench.park.has_quipd():
        lines.append("quipd IS NOT BUILT: only its peers are here")
    if given.quick:
        lines.append("QUICK: too few and too short slices for a figure")
    for name, reason in bench.park.missing.items():
        lines.append(f"{name} is not here: {' '.join(reason.split())[:200]}")
    return "\n".join(line for line in lines if line) + "\n"


def write(given, bench, head):
    table = report.text(bench.table)
    def path(name):
        return os.path.join(given.build, name)

    with open(path("bench.txt"), "w", encoding="utf-8") as file:
        file.write(head + "\n" + table)
    report.write_csv(bench.table, path("bench.csv"))
    report.write_svg(bench.table, path("bench.svg"), time.strftime("%Y-%m-%d"))
    bench.loader.write_log(path("slices.csv"))
    print(head + "\n" + table)
    print(f"Also in {given.build}: bench.txt, bench.csv, bench.svg, slices.csv")


def main():
    given = parse()
    given.build = os.path.abspath(given.build)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    start = time.monotonic()

    def say(text):
        print(f"[{time.monotonic() - start:4.0f} s] {text}", file=sys.stderr, flush=True)

    with servers.Park(given.build) as park:
        loader = measure.Loader(park.programs, 300 if given.quick else 1000)
        bench = rows.Bench(park, loader, given.rounds, given.peers, say)
        run(given, bench)
        head = header(given, bench)
    write(given, bench, head)
    return 1 if any(row.faults for row in bench.table) or not park.has_quipd() else 0


if __name__ == "__main__":
    sys.exit(main())
