# SPDX-License-Identifier: MIT
"""quipd with short timeouts, plain and over TLS, on ports that the system chose."""

import os
import re
import resource
import signal
import socket
import subprocess
import tempfile

CONFIG = """
listen:
  - 127.0.0.1:0
  - {address: 127.0.0.1:0, name: secure, tls: {certificate: certificate.pem, key: key.pem}}
workers: 1
limits: {connections: 12000, inline_file: 1MiB}
timeouts: {head: 3s, idle: 6s, body: 3s, write: 3s}
log: {level: warning}
routes:
  - GET / echo: x
  - POST /post echo: posted
  - GET /big file: big.bin
  - GET /memory file: memory.txt
  - GET /files/ dir: .
"""

BIG_BYTES = 8 * 1024 * 1024
MOST_FILES = 20000


def may_open_many_files():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def make_certificate(folder):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-keyout", f"{folder}/key.pem", "-out", f"{folder}/certificate.pem", "-days", "3650",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
        check=True, capture_output=True)


class Daemon:
    """Runs from __enter__ to __exit__; its end must be a clean one."""

    def __init__(self, binary, idle="6s"):
        self._binary = os.path.abspath(binary)
        self._folder = tempfile.TemporaryDirectory(prefix="quipd-slow-")
        self._config = CONFIG.replace("idle: 6s", f"idle: {idle}")
        self.ports = []

    def __enter__(self):
        folder = self._folder.name
        make_certificate(folder)
        with open(f"{folder}/big.bin", "wb") as file:
            file.write(b"b" * BIG_BYTES)
        with open(f"{folder}/memory.txt", "wb") as file:
            file.write(b"m" * (512 * 1024))
        with open(f"{folder}/quipd.yaml", "w", encoding="utf-8") as file:
            file.write(self._config)
        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notify.bind(f"{folder}/notify")
        notify.settimeout(20)
        self._process = subprocess.Popen(
            [self._binary, "run", "-c", f"{folder}/quipd.yaml"],
            env={**os.environ, "NOTIFY_SOCKET": f"{folder}/notify"},
            preexec_fn=may_open_many_files)
        while len(self.ports) < 2:
            text = notify.recv(65536).decode()
            self.ports += [int(port) for port in re.findall(r"QUIPD_LISTENING=.*:(\d+)", text)]
        notify.close()
        return self

    def __exit__(self, *_):
        self._process.send_signal(signal.SIGTERM)
        try:
            status = self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise
        finally:
            self._folder.cleanup()
        if status != 0:
            raise RuntimeError(f"quipd ended with status {status}")

    def resident_kib(self):
        with open(f"/proc/{self._process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s+(\d+) kB", file.read())[1])

    def count_connections(self, port):
        """Established ones at that port, as quipd's side has them."""
        local = f":{port:04X}"
        with open(f"/proc/{self._process.pid}/net/tcp", encoding="ascii") as file:
            rows = [line.split() for line in file]
        return sum(1 for row in rows if row[1].endswith(local) and row[3] == "01")

    @property
    def folder(self):
        return self._folder.name
