# SPDX-License-Identifier: MIT
"""TLS 1.3 beside nginx, the same key, certificate and cipher suite: P10."""
import measure
import rows
from report import Bar
from rows import AB_HEAD, BODY

CIPHER = "TLS_AES_256_GCM_SHA384"  # what OpenSSL prefers


def field(bench):
    running = []
    if bench.park.has_quipd():
        running.append(bench.park.run_quipd(f"routes:\n  - GET / echo: {BODY}\n", tls=True))
    defer = bool(running) and running[0].defers
    if "nginx" in bench.peers:
        running.append(bench.park.nginx(defer, tls=True))
    return running


def p10(bench):
    running = field(bench)
    handshake = {"connections": 16, "close": True, "cipher": CIPHER}
    works = [measure.Work(f"TLS keep-alive, {title}", head, [BODY], cipher=CIPHER)
             for title, head in rows.HEADS]
    works += [measure.Work("TLS, a resumed handshake each", AB_HEAD, [BODY], resume=True,
                           **handshake),
              measure.Work("TLS, a full handshake each", AB_HEAD, [BODY], **handshake)]
    for work in works:
        result = measure.compare(bench.loader, running, work, bench.rounds, bench.say)
        notes = {name: result.rounds[0][name].figures["protocol"] for name in result.names}
        bench.report("P10", result, [Bar("/nginx", result.ratio("quipd", "nginx"), 1.0)], notes)
    bench.park.stop(*running)
