# SPDX-License-Identifier: MIT
"""slowhttptest's four modes, judged by the table that it leaves."""

import csv
import subprocess

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
LONGEST_S = 25


class Outcome:
    def __init__(self, rows, status):
        self.available = all(int(row["Service Available"]) > 0 for row in rows[1:])
        last = rows[-1]
        self.closed = int(last["Closed"])
        self.open = int(last["Connected"]) + int(last["Pending"])
        self.seconds = int(last["Seconds"])
        self.status = status


def run(mode, base_url, connections, folder):
    """Runs one mode to its end; its Outcome."""
    arguments = list(MODES[mode])
    arguments[arguments.index("-u") + 1] = base_url + arguments[arguments.index("-u") + 1]
    prefix = f"{folder}/slowhttptest"
    subprocess.run(
        ["slowhttptest", *arguments, "-c", str(connections), "-r", str(connections), "-p", "2", "-l",
         str(LONGEST_S), "-g", "-o", prefix, "-v", "0"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=LONGEST_S + 30, check=False)
    with open(prefix + ".csv", encoding="ascii") as file:
        rows = list(csv.DictReader(file, skipinitialspace=True))
    return Outcome([{key.strip(): value for key, value in row.items() if key} for row in rows], "")
