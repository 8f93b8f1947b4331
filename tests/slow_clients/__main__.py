# SPDX-License-Identifier: MIT
"""Runs all of it and says what failed; see scripts/slow-clients."""

import argparse
import sys

from canary import Canary
from daemon import Daemon, may_open_many_files
import floods
import modes

CANARY_MS = 50
# The readers of slowhttptest ask for some hundred MB at once, which takes its time whoever asks.
CANARY_BESIDE_READERS_MS = 250
ATTEMPTS = 3  # a busy machine may be late once; quipd would be each time
FLOOD_KIB = 8 * 1024


class Report:
    def __init__(self):
        self.failed = False

    def line(self, what, text, fault=""):
        self.failed = self.failed or bool(fault)
        print(f"{'FAILED' if fault else 'ok':6} {what:44} {text}{'  ' + fault if fault else ''}",
              flush=True)


def canary_fault(canary, bound_ms=CANARY_MS):
    if canary.longest_ms is None:
        return "the canary was not answered"
    late = canary.longest_ms > bound_ms + canary.overslept_ms
    return f"the canary waited above {bound_ms} ms" if late else ""


def canary_text(canary):
    return "canary -" if canary.longest_ms is None else (
        f"canary {canary.longest_ms:5.1f} ms (machine {canary.overslept_ms:.1f}) of {canary.count}")


def endpoints(daemon):
    return [("plain", f"http://127.0.0.1:{daemon.ports[0]}", daemon.ports[0], None),
            ("TLS", f"https://127.0.0.1:{daemon.ports[1]}", daemon.ports[1], daemon.folder)]


def attempt(report, what, try_once):
    """try_once() -> (text, fault), until there is no fault; the last outcome is reported."""
    for _ in range(ATTEMPTS):
        text, fault = try_once()
        if not fault:
            break
    report.line(what, text, fault)


def run_modes(daemon, connections, report):
    for kind, url, port, _ in endpoints(daemon):
        for mode in modes.MODES:
            def try_once(mode=mode, url=url, port=port):
                before = daemon.resident_kib()
                with Canary(daemon.ports[0]) as canary:
                    outcome = modes.run(mode, url, connections, daemon, port)
                fault = canary_fault(
                    canary, CANARY_BESIDE_READERS_MS if "(-X)" in mode else CANARY_MS)
                if not outcome.available:
                    fault = "the service was not available"
                elif outcome.left > 0:
                    fault = f"{outcome.left} connections were never closed"
                return (f"{outcome.peak:3} open at most, {outcome.left} at the end, "
                        f"{canary_text(canary)}, memory {daemon.resident_kib() - before:+} KiB",
                        fault)
            attempt(report, f"slowhttptest, {kind}: {mode}", try_once)


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


def run_idle(binary, counts, report):
    for index, count in enumerate(counts):
        def try_once(index=index, count=count):
            with Daemon(binary, idle="300s") as daemon:  # new, so that its memory is
                _, _, port, folder = endpoints(daemon)[index]
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
        attempt(report, f"idle connections, {('plain', 'TLS')[index]}", try_once)


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
        run_idle(options.binary, (options.idle, options.idle // 5), report)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
