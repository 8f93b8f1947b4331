# SPDX-License-Identifier: MIT
"""Clients that send without end, or send without reading, or do nothing in great numbers."""

import select
import socket
import ssl
import time

CHUNKED = b"POST /post HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
GET = b"GET /memory HTTP/1.1\r\nHost: a\r\n\r\n"

# Name -> what begins it, what is repeated.
FLOODS = {
    "fields": (b"GET / HTTP/1.1\r\nHost: a\r\n", b"X-Flood: 0123456789\r\n"),
    "empty fields": (b"GET / HTTP/1.1\r\nHost: a\r\n", b"a:\r\n"),
    "one long field": (b"GET / HTTP/1.1\r\nHost: a\r\nX: ", b"0123456789"),
    "request line": (b"GET /", b"0123456789"),
    "chunk-size line": (CHUNKED + b"5", b"0000000000"),
    "chunk extension": (CHUNKED + b"5;", b"0123456789"),
    "giant chunk": (CHUNKED + b"fffffff\r\n", b"0123456789"),
    "trailers": (CHUNKED + b"0\r\n", b"X-Flood: 0123456789\r\n"),
    "body": (b"POST /post HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n", b"0123456789"),
    "pipelining without reading": (b"", GET),
}
MOST_BYTES = 40 * 1024 * 1024  # on one connection; the daemon closes after fewer
LEAST_S = 1.5


def _tls_context(folder):
    context = ssl.create_default_context(cafile=f"{folder}/certificate.pem")
    return context


def connect(port, folder=None, receive_buffer=0):
    """A connection, over TLS where a folder with the certificate is given."""
    plain = socket.socket()
    if receive_buffer:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    plain.settimeout(10)
    plain.connect(("127.0.0.1", port))
    if folder is None:
        return plain
    return _tls_context(folder).wrap_socket(plain, server_hostname="localhost")


def _send_without_end(name, port, folder, until):
    begin, repeated = FLOODS[name]
    part = repeated * (65536 // len(repeated))
    connection = connect(port, folder, receive_buffer=4096)
    connection.settimeout(0.5)
    sent = 0
    try:
        connection.sendall(begin)
        while sent < MOST_BYTES and time.monotonic() < until:
            sent += connection.send(part)
    except (OSError, ssl.SSLError):
        pass  # closed, or held back
    finally:
        connection.close()
    return sent


def flood(name, port, folder=None):
    """Floods for LEAST_S, on one connection after the other as they are closed; the bytes sent."""
    until = time.monotonic() + LEAST_S
    sent = 0
    while time.monotonic() < until:
        sent += _send_without_end(name, port, folder, until)
    return sent


def idle(count, port, folder=None):
    """That many connections that each asked once and then do nothing."""
    connections = []
    for _ in range(count):
        connection = connect(port, folder)
        connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        if not connection.recv(4096).startswith(b"HTTP/1.1 200"):
            raise RuntimeError("an idle connection is not served first")
        connections.append(connection)
    return connections


def count_open(connections):
    """How many of them the daemon has not closed."""
    ready = select.poll()
    for connection in connections:
        ready.register(connection, select.POLLIN | select.POLLHUP)
    return len(connections) - len(ready.poll(0))
