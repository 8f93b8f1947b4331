# SPDX-License-Identifier: MIT
"""The rows that load quipd beside the floor and its peers: P1 to P4 and P9."""
import measure
import servers
from report import Bar, Row

BODY = servers.BODY
BROWSER_FIELDS = (
    b"Host: localhost:8080\r\n"
    b"Connection: keep-alive\r\n"
    b"Cache-Control: max-age=0\r\n"
    b"Upgrade-Insecure-Requests: 1\r\n"
    b"User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    b"Chrome/126.0.0.0 Safari/537.36\r\n"
    b"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
    b"\r\n"
    b"Sec-Fetch-Site: none\r\n"
    b"Sec-Fetch-Mode: navigate\r\n"
    b"Sec-Fetch-Dest: document\r\n"
    b"Accept-Encoding: gzip, deflate, br\r\n"
    b"Accept-Language: en-GB,en;q=0.9\r\n"
    b"Cookie: session=6f1c2b9e4d8a4f0b9c3e; theme=dark; consent=all\r\n")
AB_HEAD = (b"GET / HTTP/1.0\r\nHost: localhost:8080\r\nUser-Agent: ApacheBench/2.3\r\n"
           b"Accept: */*\r\n\r\n")
ROUTES = (10, 10_000, 100_000)


def plain(path):
    return f"GET {path} HTTP/1.1\r\nHost: localhost:8080\r\n\r\n".encode()


def browser(path):
    return f"GET {path} HTTP/1.1\r\n".encode() + BROWSER_FIELDS + b"\r\n"


HEADS = (("40-byte head", plain("/")), (f"browser head ({len(browser('/'))} bytes)", browser("/")))


class Bench:
    """What all rows share: the servers, the loader, and the rows of the table so far."""

    def __init__(self, park, loader, rounds, peers, say):
        self.park, self.loader, self.rounds, self.peers, self.say = park, loader, rounds, peers, say
        self.table = []
        self.quipd = None
        self._field = None

    def start_quipd(self):
        """The quipd of P1, P2, P3, P6 and P9; None where it isn't built."""
        if self.quipd is None and self.park.has_quipd():
            self.quipd = self.park.run_quipd(
                f"routes:\n  - GET / echo: {BODY}\n"
                "  - GET /hello/{name} echo: Hello {{name}} {{query.q}}\n    template: on\n")
        return self.quipd

    def defers(self):
        return self.quipd is not None and self.quipd.defers

    def field(self):
        """Floor, quipd and the peers, all up at once."""
        if self._field is None:
            quipd = self.start_quipd()
            self.answer = servers.fetch(quipd.port) if quipd else servers.DEFAULT_ANSWER
            running = [quipd] if quipd else []
            self.floor = self.park.floor(self.answer) if "floor" in self.peers else None
            others = [self.park.peer(name, self.defers()) for name in self.peers if name != "floor"]
            self._field = running + [server for server in others if server]
        return self._field

    def with_floor(self, floor):
        return ([floor] if floor else []) + self.field()

    def report(self, row, result, bars, notes=None):
        """A row of the table for each server of a result; `bars` are quipd's."""
        for name in result.names:
            self.table.append(Row(
                row, result.work.title, name, rate=result.median(name, "rate"),
                cpu_us=result.median(name, "cpu_us"), floor=result.ratio(name, "floor"),
                nginx=result.ratio(name, "nginx"), size=result.median(name, "bytes"),
                busy=result.median(name, "busy"), faults=result.faults(name),
                bars=bars if name == "quipd" else (), note=(notes or {}).get(name, "")))


def best_peer(result):
    """quipd's worst ratio to a peer, or None without peers."""
    peers = [name for name in result.names if name not in ("floor", "quipd")]
    return max((result.ratio("quipd", name) for name in peers), default=None)


def p1(bench):
    field = bench.field()
    for title, head in HEADS:
        work = measure.Work(f"keep-alive, {title}", head, [BODY])
        result = measure.compare(bench.loader, bench.with_floor(bench.floor), work,
                                 max(bench.rounds, 7) if bench.rounds > 3 else bench.rounds,
                                 bench.say)
        bars = [Bar("/floor", result.ratio("quipd", "floor"), 1.10),
                Bar("/nginx", result.ratio("quipd", "nginx"), 0.95),
                Bar("/best peer", best_peer(result), 1.0)] if bench.quipd in field else []
        bench.report("P1", result, bars)


def p2(bench):
    field = bench.field()
    for title, head in HEADS:
        work = measure.Work(f"16 pipelined, {title}", head, [BODY], depth=16)
        result = measure.compare(bench.loader, bench.with_floor(bench.floor), work, bench.rounds,
                                 bench.say)
        bars = [Bar("/floor", result.ratio("quipd", "floor"), 1.3),
                Bar("/nginx", result.ratio("quipd", "nginx"), 0.125, digits=3),
                ] if bench.quipd in field else []
        bench.report("P2", result, bars)
    p2_changing(bench)


def p2_changing(bench):
    """No head is as the one before, in its last field: for information. (The heads of P2 are all
    the same, which a parser may make use of.)"""
    head = browser("/").replace(b"session=6f1c2b", b"session=NNNNNN")
    running = bench.with_floor(bench.floor)
    work = measure.Work("16 pipelined, browser heads with a Cookie each", head, [BODY], depth=16,
                        numbers={server.name: 1_000_000 for server in running})
    result = measure.compare(bench.loader, running, work, bench.rounds, bench.say)
    notes = {"quipd": f"/nginx {result.ratio('quipd', 'nginx'):.3f}"} if {
        "quipd", "nginx"} <= set(result.names) else {}
    bench.report("P2", result, [], notes)


def p3(bench):
    field = bench.field()
    floor = None
    if bench.floor:
        answer = servers.fetch(bench.quipd.port, AB_HEAD) if bench.quipd else bench.answer
        floor = bench.park.floor(answer, close=True, defer=bench.defers())
    work = measure.Work("a connection each, ab's head", AB_HEAD, [BODY], connections=16, close=True)
    running = bench.with_floor(floor)
    result = measure.compare(bench.loader, running, work, bench.rounds, bench.say)
    bars = []
    if bench.quipd in field:
        bars = [Bar("/nginx", result.ratio("quipd", "nginx"), 1.0)]
    notes = {server.name: "deferred accept" for server in running if server.defers}
    bench.report("P3", result, bars, notes)
    if floor:
        bench.park.stop(floor)


def exact_routes(count):
    return "routes:\n" + "".join(f"  - GET /r/{i:06} echo: Hello {i:06}\n" for i in range(count))


def parameter_routes(count):
    rules = (f"  - GET /p/{i:06}/{{id}} echo: {BODY}\n"
             f"  - GET /q/{i:06}/{{a}}/x/{{b}}/y/{{c}} echo: {BODY}\n" for i in range(count // 2))
    return "routes:\n" + "".join(rules)


def route_servers(bench, make, kind):
    """A quipd for each count of routes."""
    return [bench.park.run_quipd(make(count), f"quipd {kind} {count}", answer=None,
                                 head=plain("/none"), start_seconds=60) for count in ROUTES]


def p4_compare(bench, running, work, limits):
    """Every count of routes against the smallest; `limits`: count -> what must hold."""
    result = measure.compare(bench.loader, running, work, bench.rounds, bench.say)
    base = running[0].name
    for count, server in zip(ROUTES, running):
        name = server.name
        bars = []
        if count in limits:
            bars = [Bar("/10 routes", result.ratio(name, base), limits[count])]
        note = "" if bars or server is running[0] else (
            f"/10 routes {result.ratio(name, base):.2f}")
        bench.table.append(Row(
            "P4", work.title, f"quipd {count:,} routes", rate=result.median(name, "rate"),
            cpu_us=result.median(name, "cpu_us"), size=result.median(name, "bytes"),
            busy=result.median(name, "busy"), faults=result.faults(name), bars=bars, note=note))


def p4(bench):
    if not bench.park.has_quipd():
        return
    running = route_servers(bench, exact_routes, "exact")
    numbers = {server.name: count for server, count in zip(running, ROUTES)}
    hot, spread = plain("/r/000007"), plain("/r/NNNNNN")
    both = {10_000: 1.05, 100_000: 1.05}
    p4_compare(bench, running, measure.Work("hot exact route", hot, ["Hello 000007"]), both)
    p4_compare(bench, running, measure.Work(
        "random exact routes", spread, ["Hello NNNNNN"], numbers=numbers), {100_000: 1.10})
    p4_compare(bench, running, measure.Work(
        "random exact routes, 16 pipelined", spread, ["Hello NNNNNN"], depth=16, numbers=numbers),
        {10_000: 1.15, 100_000: 1.35})
    bench.park.stop(*running)
    running = route_servers(bench, parameter_routes, "parameter")
    for title, path in (("parameter route of 3 segments", "/p/000003/ada"),
                        ("parameter route of 7 segments", "/q/000003/ada/x/2/y/c")):
        p4_compare(bench, running, measure.Work(title, plain(path), [BODY]), both)
    bench.park.stop(*running)


def p9(bench):
    """A template against the finished answer of P1, both by one quipd. (That one has an ETag too,
    which no template has.)"""
    quipd = bench.start_quipd()
    if quipd is None:
        return
    fixed = measure.Work("a template", plain("/"), [BODY])
    filled = measure.Work("a template", plain("/hello/Ada?q=42"), ["Hello Ada 42"])
    rounds = []
    for _ in range(bench.rounds):
        rounds.append({"fixed": bench.loader.run(quipd, fixed),
                       "template": bench.loader.run(quipd, filled)})
        bench.say(f"a template: round {len(rounds)} of {bench.rounds}")
    result = measure.Result(filled, [], rounds)
    result.names = ["fixed", "template"]
    for name in result.names:
        bars = [Bar("/P1", result.ratio("template", "fixed"), 1.15)] if name == "template" else []
        bench.table.append(Row(
            "P9", filled.title, f"quipd {name}", rate=result.median(name, "rate"),
            cpu_us=result.median(name, "cpu_us"), size=result.median(name, "bytes"),
            busy=result.median(name, "busy"), faults=result.faults(name), bars=bars))
