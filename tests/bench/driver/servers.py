# SPDX-License-Identifier: MIT
"""The servers of a benchmark. Each runs in the foreground with a folder and a port of its own, on
one core, and is stopped by its pid."""
import getpass
import glob
import os
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import time

import machine

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = os.path.join(HERE, os.pardir, "peers")
BODY = "Hello World!"
PLAIN_HEAD = b"GET / HTTP/1.1\r\nHost: localhost:8080\r\n\r\n"  # 40 bytes
# What a quipd that isn't there would send; only for a floor without it.
DEFAULT_ANSWER = (b"HTTP/1.1 200 OK\r\nServer: quipd\r\nContent-Type: text/plain; charset=utf-8\r\n"
                  b"Content-Length: 12\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n\r\nHello World!")


class Failed(Exception):
    """A server that did not start, or did not answer as it must."""


def connect(port, tls, timeout):
    plain = socket.create_connection(("127.0.0.1", port), timeout=timeout)
    if not tls:
        return plain
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with plain:  # what it holds is the client's from here
        return context.wrap_socket(plain, server_hostname="localhost")


def fetch(port, head=PLAIN_HEAD, timeout=5.0, tls=False):
    """One answer, whole: the bytes of head and body."""
    with connect(port, tls, timeout) as client:
        client.sendall(head)
        answer = b""
        while True:
            match = re.search(rb"(?is)content-length: *(\d+).*?\r\n\r\n", answer)
            if match and len(answer) >= match.end() + int(match.group(1)):
                return answer
            more = client.recv(65536)
            if not more:
                return answer
            answer += more


class Server:
    """A running server. `command` is argv, with @DIR@ and @PORT@ filled in, as in `files`: name in
    its folder -> text."""

    def __init__(self, name, command, files=None, core=None, answer=BODY, head=PLAIN_HEAD,
                 start_seconds=30, substitutions=None, warmup_ms=300, environment=None,
                 tls=False):
        self.name = name
        self.port = machine.free_port()
        self.core = machine.cores()[0] if core is None else core
        self.warmup_ms = warmup_ms
        self.tls = tls
        self.folder = tempfile.mkdtemp(prefix=f"quipd-bench-{re.sub('[^a-z0-9]', '-', name)}-")
        os.chmod(self.folder, 0o755)  # a server that drops its rights reads it too
        self._fill = dict(substitutions or {})  # first: they may hold the other marks
        self._fill.update({"@DIR@": self.folder, "@PORT@": str(self.port),
                           "@USER@": getpass.getuser()})
        for file, text in (files or {}).items():
            self.write(file, text)
        self._log = open(os.path.join(self.folder, "output"), "wb")
        self.command = [self.fill(word) for word in command]
        environment = dict(os.environ, HOME=self.folder, XDG_CONFIG_HOME=self.folder,
                           XDG_DATA_HOME=self.folder, **(environment or {}))
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log,
            cwd=self.folder, env=environment, preexec_fn=machine.before_exec(self.core))
        try:
            self._await(answer, head, start_seconds)
        except BaseException:
            self.stop()
            raise
        self.pids = machine.tree(self.process.pid)
        self.defers = machine.defers_accept(self.port)

    def fill(self, text):
        for mark, value in self._fill.items():
            text = text.replace(mark, value)
        return text

    def path(self, file):
        return os.path.join(self.folder, file)

    def write(self, file, text):
        with open(self.path(file), "w", encoding="utf-8") as out:
            out.write(self.fill(text))

    def _await(self, answer, head, seconds):
        end = time.monotonic() + seconds
        last = "no answer"
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise Failed(f"{self.name} ended with {self.process.returncode}: {self.output()}")
            try:
                got = fetch(self.port, head, tls=self.tls)
                if answer is None or got.endswith(b"\r\n\r\n" + answer.encode()):
                    return
                last = repr(got[:300])
            except OSError as error:
                last = str(error)
            time.sleep(0.02)
        raise Failed(f"{self.name} does not answer on port {self.port}: {last}: {self.output()}")

    def output(self):
        self._log.flush()
        with open(self.path("output"), encoding="utf-8", errors="replace") as file:
            return file.read()[-2000:].strip()

    def alive(self):
        return self.process.poll() is None

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def _peer_file(name):
    with open(os.path.join(PEERS, name), encoding="utf-8") as file:
        return file.read()


def _jars(*patterns):
    jars = [jar for pattern in patterns for jar in glob.glob("/usr/share/java/" + pattern)
            if not re.search(r"-\d", jar)]  # the links without a version
    if not jars:
        raise Failed("no jars in /usr/share/java for " + ", ".join(patterns))
    return ":".join(jars)


class Park:
    """Starts servers by name, and stops every one at the end. `programs` is where the build left
    bench_floor and bench_load, `quipd` the binary under test."""

    def __init__(self, build):
        self.build = build
        self.quipd = os.path.join(build, "quipd")
        self.programs = os.path.join(build, "tests", "bench")
        self.running = []
        self._certificate = None
        self.missing = {}  # name -> why it could not be started

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        for server in reversed(self.running):
            server.stop()
        if self._certificate:
            shutil.rmtree(os.path.dirname(self._certificate[0]), ignore_errors=True)

    def has_quipd(self):
        return os.access(self.quipd, os.X_OK)

    def add(self, name, *arguments, **options):
        server = Server(name, *arguments, **options)
        self.running.append(server)
        return server

    def stop(self, *servers):
        for server in servers:
            server.stop()
            self.running.remove(server)

    def certificate(self):
        """(certificate, key) of localhost, P-256, the same for all servers of a run."""
        if self._certificate is None:
            folder = tempfile.mkdtemp(prefix="quipd-bench-certificate-")
            os.chmod(folder, 0o755)
            made = tuple(os.path.join(folder, name) for name in ("cert.pem", "key.pem"))
            self._certificate = made
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                            "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj",
                            "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                            "-out", made[0], "-keyout", made[1]], check=True, capture_output=True)
            os.chmod(made[1], 0o644)  # a key of nothing, for servers that drop their rights
        return self._certificate

    def run_quipd(self, yaml, name="quipd", tls=False, **options):
        """quipd with that file; `listen` and one worker are added."""
        listen = "127.0.0.1:@PORT@"
        if tls:
            listen = ("{address: \"127.0.0.1:@PORT@\", "
                      "tls: {certificate: %s, key: %s}}" % self.certificate())
        text = f"listen: {listen}\nworkers: 1\nlog: {{level: warning}}\n" + yaml
        return self.add(name, [self.quipd, "run", "-c", "@DIR@/quipd.yaml"],
                        {"quipd.yaml": text}, tls=tls, **options)

    def floor(self, answer=DEFAULT_ANSWER, close=False, defer=False, name="floor"):
        path = os.path.join(tempfile.mkdtemp(prefix="quipd-bench-answer-"), "answer")
        with open(path, "wb") as file:
            file.write(answer)
        words = ["close"] * close + ["defer"] * defer
        body = answer.split(b"\r\n\r\n", 1)[1].decode()
        program = os.path.join(self.programs, "bench_floor")
        server = self.add(name, [program, "@PORT@", path] + words, answer=body)
        shutil.rmtree(os.path.dirname(path))
        return server

    def peer(self, name, defer=False):
        """One of nginx, h2o, haproxy, lighttpd, caddy, jetty, tomcat; None where it can't run."""
        try:
            return getattr(self, "_" + name)(defer)
        except (Failed, OSError, subprocess.CalledProcessError) as error:
            self.missing[name] = str(error)
            return None

    def nginx(self, defer=False, tls=False, lines="", name="nginx", **options):
        """nginx with those lines in its server block."""
        listen = " ".join(["deferred"] * defer + ["ssl"] * tls)
        if tls:
            lines += ("ssl_certificate %s; ssl_certificate_key %s; "
                      "ssl_protocols TLSv1.2 TLSv1.3; ssl_session_tickets on;" % self.certificate())
        return self.add(name, ["nginx", "-e", "@DIR@/error.log", "-p", "@DIR@", "-c",
                               "@DIR@/nginx.conf"], {"nginx.conf": _peer_file("nginx.conf")},
                        substitutions={"@LISTEN@": listen, "@SERVER@": lines}, tls=tls, **options)

    def _nginx(self, defer):
        return self.nginx(defer)

    def _h2o(self, _):
        return self.add("h2o", ["h2o", "-c", "@DIR@/h2o.yaml"],
                        {"h2o.yaml": _peer_file("h2o.yaml"), "hello.txt": BODY})

    def _haproxy(self, defer):
        text = _peer_file("haproxy.cfg")
        if defer:
            text = text.replace("backlog 4096", "backlog 4096 defer-accept")
        return self.add("haproxy", ["haproxy", "-db", "-f", "@DIR@/haproxy.cfg"],
                        {"haproxy.cfg": text})

    def _lighttpd(self, defer):
        text = _peer_file("lighttpd.conf") + ('server.defer-accept = 1\n' if defer else "")
        return self.add("lighttpd", ["lighttpd", "-D", "-f", "@DIR@/lighttpd.conf"],
                        {"lighttpd.conf": text, "hello.txt": BODY})

    def _caddy(self, _):
        return self.add("caddy", ["caddy", "run", "--adapter", "caddyfile", "--config",
                                  "@DIR@/Caddyfile"], {"Caddyfile": _peer_file("Caddyfile")},
                        warmup_ms=500)

    def _jetty(self, _):
        jars = _jars("jetty9-*.jar", "servlet-api.jar")
        return self._java("jetty", "JettyServer", jars, [])

    def _tomcat(self, _):
        jars = _jars("tomcat10-embed-*.jar", "jakarta-annotation-api.jar")
        return self._java("tomcat", "TomcatServer", jars, ["@DIR@"])

    def _java(self, name, main, classpath, arguments):
        classes = os.path.join(self.build, "java")
        os.makedirs(classes, exist_ok=True)
        subprocess.run(["javac", "-nowarn", "-cp", classpath, "-d", classes,
                        os.path.join(PEERS, main + ".java")], check=True, capture_output=True)
        return self.add(name, ["java", "-Xmx512m", "-XX:+UseSerialGC", "-cp",
                               classes + ":" + classpath, main, "@PORT@"] + arguments,
                        warmup_ms=5000)
