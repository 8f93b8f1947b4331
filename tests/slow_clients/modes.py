# SPDX-License-Identifier: MIT
"""slowhttptest's four modes, judged by the table that it leaves."""

import csv
import subprocess
import time

# What each mode adds; all are bounded by -l and end as soon as no connection is left.
MODES = {
    "slow heads (-H)": ["-H", "-i", "1", "-x", "24", "-u", "/"],
    "slow bodies (-B)": ["-B", "-i", "1", "-s", "8192", "-x", "10", "-u", "/post"],
    "many ranges (-R)": ["-R", "-a", "5", "-b", "2000", "-t", "GET", "-u", "/memory"],
    "slow reads (-X)": ["-X", "-k", "3", "-w", "512", "-y", "1024", "-n", "5", "-z", "32", "-u",
                        "/big"],
    "slow reads of memory (-X)": ["-X", "-k", "8", "-w", "512", "-y", "1024", "-n", "5", "-z", "32",
                                  "-u", "/memory"],
}
LONGEST_S = 15
PER_SECOND = 50


class Outcome:
    def __init__(self, rows, peak, left):
        # The table has a line a second, none of the end.
        self.available = all(int(row["Service Available"]) > 0 for row in rows[1:])
        self.peak = peak
        self.left = left


def run(mode, base_url, connections, daemon, port):
    """Runs one mode to its end; its Outcome, with the most and the last number of connections that
    quipd had at that port: a client that reads slowly sees late that it was dropped."""
    arguments = list(MODES[mode])
    arguments[arguments.index("-u") + 1] = base_url + arguments[arguments.index("-u") + 1]
    prefix = f"{daemon.folder}/slowhttptest"
    before = daemon.count_connections(port)
    counts = []
    with subprocess.Popen(
            ["slowhttptest", *arguments, "-c", str(connections), "-r", str(PER_SECOND), "-p", "2", "-l",
             str(LONGEST_S), "-g", "-o", prefix, "-v", "0"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        until = time.monotonic() + LONGEST_S + 30
        while process.poll() is None:
            counts.append(daemon.count_connections(port) - before)
            if time.monotonic() > until:
                process.kill()
            time.sleep(0.1)
        # Of a mode that ends early the last are closed as it ends.
        left = counts[-2] if len(counts) > 10 * (LONGEST_S - 1) else 0
    with open(prefix + ".csv", encoding="ascii") as file:
        rows = list(csv.DictReader(file, skipinitialspace=True))
    return Outcome(rows, max(counts), left)
