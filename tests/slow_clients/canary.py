# SPDX-License-Identifier: MIT
"""Somebody else, in a process of his own: asks every few milliseconds and notes how long it took.

Between two questions he sleeps; how much longer than he asked for is what the machine, busy with
others, may have kept quipd waiting too.
"""

import multiprocessing
import socket
import time

REQUEST = b"GET / HTTP/1.1\r\nHost: canary\r\n\r\n"
PAUSE_S = 0.002


def _sing(port, stop, result):
    longest = 0.0
    overslept = 0.0
    count = 0
    connection = None
    while not stop.is_set():
        if connection is None or count % 50 == 0:  # now and then on a connection of its own
            if connection is not None:
                connection.close()
            connection = socket.create_connection(("127.0.0.1", port), timeout=10)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        begin = time.perf_counter()
        connection.sendall(REQUEST)
        answer = connection.recv(4096)
        longest = max(longest, time.perf_counter() - begin)
        if not answer.startswith(b"HTTP/1.1 200"):
            result.send((None, 0.0, count))
            return
        count += 1
        begin = time.perf_counter()
        time.sleep(PAUSE_S)
        overslept = max(overslept, time.perf_counter() - begin - PAUSE_S)
    result.send((longest, overslept, count))


class Canary:
    """Sings from __enter__ to __exit__; then longest_ms is None where one answer failed."""

    def __init__(self, port):
        self._port = port
        self.longest_ms = None
        self.overslept_ms = 0.0
        self.count = 0

    def __enter__(self):
        self._stop = multiprocessing.Event()
        self._result, theirs = multiprocessing.Pipe(duplex=False)
        self._process = multiprocessing.Process(target=_sing, args=(self._port, self._stop, theirs),
                                                daemon=True)
        self._process.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        if self._result.poll(15):
            longest, overslept, self.count = self._result.recv()
            self.overslept_ms = overslept * 1000
            self.longest_ms = None if longest is None else longest * 1000
        self._process.join(5)
        if self._process.is_alive():
            self._process.kill()
