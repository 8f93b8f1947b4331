# SPDX-License-Identifier: MIT
"""Files from a `dir` rule beside nginx with sendfile: P8."""
import os
import shutil
import tempfile

import measure
import rows
from report import Bar

SIZES = (("1 KiB", 1 << 10, 64), ("100 KiB", 100 << 10, 64), ("10 MiB", 10 << 20, 4))
NGINX = """location /files/ {
      root %s;
      sendfile on;
    }"""


def file_name(size):
    return f"{size}.bin"


def make_files():
    """A folder that holds files/SIZE.bin, random bytes."""
    folder = tempfile.mkdtemp(prefix="quipd-bench-files-")
    os.chmod(folder, 0o755)
    os.mkdir(os.path.join(folder, "files"))
    for _, size, _ in SIZES:
        with open(os.path.join(folder, "files", file_name(size)), "wb") as file:
            file.write(os.urandom(size))
    return folder


def field(bench, folder):
    probe = {"answer": None, "head": rows.plain("/files/" + file_name(SIZES[0][1]))}
    running = []
    if bench.park.has_quipd():
        running.append(bench.park.run_quipd(
            f"routes:\n  - GET /files/ dir: {folder}/files\n", **probe))
    if "nginx" in bench.peers:
        running.append(bench.park.nginx(lines=NGINX % folder, **probe))
    return running


def p8(bench):
    folder = make_files()
    try:
        running = field(bench, folder)
        for title, size, connections in SIZES:
            work = measure.Work(f"a file of {title}", rows.plain("/files/" + file_name(size)),
                                connections=connections,
                                file=os.path.join(folder, "files", file_name(size)))
            result = measure.compare(bench.loader, running, work, bench.rounds, bench.say)
            bench.report("P8", result, [Bar("/nginx", result.ratio("quipd", "nginx"), 1.0)])
        bench.park.stop(*running)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
