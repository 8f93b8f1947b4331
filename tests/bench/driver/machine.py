# SPDX-License-Identifier: MIT
"""The machine that a benchmark runs on: cores, ports, processes, and how busy others keep it."""
import ctypes
import os
import socket
import struct
import time


def cores():
    """(core of the servers, core of the load): two if there are two, the last and the first."""
    allowed = sorted(os.sched_getaffinity(0))
    return allowed[-1], allowed[0]


def free_port():
    """A port that nobody listens on, not even with SO_REUSEPORT: such a one would take half the
    load unseen. A plain bind() fails beside it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def before_exec(core):
    """What a child does before exec: keep to one core, and end when the benchmark ends."""
    libc = ctypes.CDLL(None)

    def prepare():
        os.sched_setaffinity(0, {core})
        libc.prctl(1, 15)  # PR_SET_PDEATHSIG, SIGTERM
    return prepare


def tree(pid):
    """A process and all below it."""
    found = [pid]
    for parent in found:
        try:
            for task in os.listdir(f"/proc/{parent}/task"):
                with open(f"/proc/{parent}/task/{task}/children", encoding="ascii") as file:
                    found += [int(child) for child in file.read().split()]
        except OSError:
            pass
    return found


def status_kib(pid, key):
    """A figure of /proc/PID/status in KiB, such as RssAnon."""
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith(key + ":"):
                return int(line.split()[1])
    return 0


def smaps_kib(pid, key):
    """A sum over a process's memory in KiB, such as Pss, where pages that are shared count by their
    part."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        for line in file:
            if line.startswith(key + ":"):
                return int(line.split()[1])
    return 0


def defers_accept(port):
    """Whether the listener holds a connection back until the client sends (TCP_DEFER_ACCEPT): the
    server's end is then still in SYN_RECV (03)."""
    with socket.create_connection(("127.0.0.1", port)) as client:
        mine = client.getsockname()[1]
        time.sleep(0.02)
        with open("/proc/net/tcp", encoding="ascii") as table:
            for line in table:
                fields = line.split()
                if fields[1].endswith(f":{port:04X}") and fields[2].endswith(f":{mine:04X}"):
                    return fields[3] == "03"
    return False


def reset(sock):
    """Closes with a reset, so that nothing lingers."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


def describe():
    """One line: processor, cores, kernel."""
    model = "unknown processor"
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    allowed = len(os.sched_getaffinity(0))
    return f"{model}, {allowed} cores, Linux {os.uname().release}"


class Crowd:
    """What others took of the servers' core while a benchmark ran: the time that a server was ready
    to run and did not, as the kernel counts it."""

    def __init__(self):
        self.load_at_start = os.getloadavg()[0]
        self.waited = 0.0
        self.measured = 0.0

    def add(self, wait_seconds, seconds):
        self.waited += wait_seconds
        self.measured += seconds

    def share(self):
        return self.waited / self.measured if self.measured else 0.0

    def words(self):
        share = self.share()
        text = f"load average {self.load_at_start:.2f} at the start"
        if self.measured:
            text += f"; the servers waited for their core {share:.1%} of the time"
        if share > 0.03 or self.load_at_start > 0.7:
            text += (" - THE MACHINE IS BUSY: rates and latencies mean nothing, ratios of CPU time "
                     "are blurred")
        return text


def cpu_ns(pids):
    """Processor time of those processes, all threads, in nanoseconds."""
    total = 0
    for pid in pids:
        try:
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as file:
                    total += int(file.read().split()[0])
        except OSError:
            pass
    return total
