# SPDX-License-Identifier: MIT
"""Runs all of it and says what failed; see scripts/slow-clients."""

import argparse
import sys

from canary import Canary
from daemon import Daemon, may_open_many_files
import floods
import modes

CANARY_MS = 50
ATTEMPTS = 3  # a busy machine may be late once; quipd would be each time
FLOOD_KIB = 8 * 1024


class Report:
    def __init__(self):
        self.failed = False

    def line(self, what, text, fault=""):
        self.failed = self.failed or bool(fault)
        print(f"{'FAILED' if fault else 'ok':6} {what:44} {text}{'  ' + fault if fault else ''}",
              flush=True)


def canary_fault(canary):
    if canary.longest_ms is None:
        return "the canary was not answered"
    return f"the canary waited above {CANARY_MS} ms" if canary.longest_ms > CANARY_MS else ""


def canary_text(canary):
    return "canary -" if canary.longest_ms is None else (
        f"canary {canary.longest_ms:5.1f} ms of {canary.count}")


def endpoints(daemon):
    return [("plain", f"http://127.0.0.1:{daemon.ports[0]}", daemon.ports[0], None),
            ("TLS", f"https://127.0.0.1:{daemon.ports[1]}", daemon.ports[1], daemon.folder)]


def run_modes(daemon, connections, report):
    for kind, url, _, _ in endpoints(daemon):
        for mode in modes.MODES:
            before = daemon.resident_kib()
            with Canary(daemon.ports[0]) as canary:
                outcome = modes.run(mode, url, connections, daemon.folder)
            fault = "" if outcome.available else "the service was not available"
            if outcome.open > 0:
                fault = fault or f"{outcome.open} connections are still open"
            report.line(f"slowhttptest, {kind}: {mode}",
                        f"{outcome.closed:4} closed after {outcome.seconds:2} s, "
                        f"{canary_text(canary)}, memory {daemon.resident_kib() - before:+} KiB",
                        fault or ("" if canary.longest_ms is not None else canary_fault(canary)))


def attempt(report, what, try_once):
    """try_once() -> (text, fault), until there is no fault; the last outcome is reported."""
    for _ in range(ATTEMPTS):
        text, fault = try_once()
        if not fault:
            break
    report.line(what, text, fault)


def run_floods(daemon, report):
    for kind, _, port, folder in endpoints(daemon):
        for name in floods.FLOODS:
            def try_once(name=name, port=port, folder=folder):
                before = daemon.resident_kib()
                with Canary(daemon.ports[0]) as canary:
                    sent = floods.flood(name, port, folder)
                    grown = daemon.resident_kib() - before
                fault = canary_fault(canary) or ("memory grew" if grown > FLOOD_KIB else "")
                return (f"{sent / 1e6:5.1f} MB sent, {canary_text(canary)}, memory {grown:+} KiB",
                        fault)
            attempt(report, f"flood, {kind}: {name}", try_once)


def run_idle(daemon, counts, report):
    for (kind, _, port, folder), count in zip(endpoints(daemon), counts):
        def try_once(port=port, folder=folder, count=count):
            before = daemon.resident_kib()
            with Canary(daemon.ports[0]) as canary:
                connections = floods.idle(count, port, folder)
                grown = daemon.resident_kib() - before
            still_open = floods.count_open(connections)
            for connection in connections:
                connection.close()
            fault = canary_fault(canary) if still_open == count else "some were closed"
            return (f"{count} open, {canary_text(canary)}, memory {grown:+} KiB, "
                    f"{grown * 1024 / count:.0f} B each", fault)
        attempt(report, f"idle connections, {kind}", try_once)


def main():
    parser = argparse.ArgumentParser(prog="scripts/slow-clients")
    parser.add_argument("binary")
    parser.add_argument("--connections", type=int, default=200, help="of slowhttptest")
    parser.add_argument("--idle", type=int, default=10000, help="connections; a fifth of it over TLS")
    parser.add_argument("--only", choices=["slowhttptest", "floods", "idle"])
    options = parser.parse_args()
    may_open_many_files()
    report = Report()
    if options.only in (None, "floods"):
        with Daemon(options.binary) as daemon:
            run_floods(daemon, report)
    if options.only in (None, "slowhttptest"):
        with Daemon(options.binary) as daemon:
            run_modes(daemon, options.connections, report)
    if options.only in (None, "idle"):
        with Daemon(options.binary, idle="300s") as daemon:
            run_idle(daemon, (options.idle, options.idle // 5), report)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
