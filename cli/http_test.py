"""`ggufcheck check URL` against web servers that behave well or badly.

SPDX-License-Identifier: Apache-2.0
"""

import http.server
import json
import os
import struct
import subprocess
import sys
import threading
import time
import unittest

GGUFCHECK = os.path.abspath(sys.argv.pop(1))
GOOD = open(sys.argv.pop(1), "rb").read()
BROKEN = open(sys.argv.pop(1), "rb").read()
# Needs more than one request.
LONG = b"GGUF" + struct.pack("<IQQQ1sIQ", 3, 0, 1, 1, b"k", 8, 10**6) + bytes(10**6)


class Server(http.server.ThreadingHTTPServer):
    """A server that counts the body bytes that it sent."""

    daemon_threads = True
    sent = 0
    requests = 0


class Handler(http.server.BaseHTTPRequestHandler):
    """The first part of a path selects the behaviour, the second the file."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def body(self, name):
        bodies = {"good": GOOD, "broken": BROKEN, "long": LONG}
        return bodies.get(name.split(".")[0], b"<html>no</html>" * 99)

    def send(self, code, headers, body):
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            for begin in range(0, len(body), 1 << 16):
                part = body[begin : begin + (1 << 16)]
                self.wfile.write(part)
                self.server.sent += len(part)
        except OSError:  # They hung up, as they may.
            self.close_connection = True

    def do_GET(self):
        self.server.requests += 1
        path = self.path.split("?")[0]
        how, name = path.strip("/").split("/")
        getattr(self, how)(name)

    def range(self, size):
        begin, end = self.headers["Range"].removeprefix("bytes=").split("-")
        return int(begin), min(int(end) + 1, size)

    def ranges(self, name, size=None, etag='"1"', modified="never"):
        body = self.body(name)
        size = size or len(body)
        begin, end = self.range(size)
        self.send(
            206,
            {
                "Content-Range": f"bytes {begin}-{end - 1}/{size}",
                "Content-Length": end - begin,
                "ETag": etag,
                "Last-Modified": modified,
            },
            body[begin:end].ljust(end - begin, b"\0"),
        )

    def newetag(self, name):
        self.ranges(name, etag=f'"{self.server.requests}"')

    def newdate(self, name):
        self.ranges(name, modified=str(self.server.requests))

    def whole(self, name):
        body = self.body(name)
        self.send(200, {"Content-Length": len(body)}, body)

    def huge(self, name):  # 100 GB, of which nobody wants to read much.
        self.ranges(name, size=100_000_000_000)

    def endless(self, name):  # The same from a server that knows no ranges.
        self.send(
            200,
            {"Content-Length": 100_000_000_000},
            self.body(name).ljust(64 << 20, b"\0"),
        )
        self.close_connection = True

    def unsized(self, name):
        self.send(200, {"Connection": "close"}, self.body(name))
        self.close_connection = True

    def cut(self, name):
        body = self.body(name)
        self.send(200, {"Content-Length": len(body)}, body[: len(body) // 4])
        self.close_connection = True

    def longer(self, name):
        body = self.body(name)
        self.send(200, {"Content-Length": len(body) + 1000}, body)
        self.close_connection = True

    def nobody(self, name):
        size = len(self.body(name))
        begin, end = self.range(size)
        self.send(
            206,
            {"Content-Range": f"bytes {begin}-{end - 1}/{size}", "Content-Length": 0},
            b"",
        )

    def fewer(self, name):
        body = self.body(name)
        begin, end = self.range(len(body))
        self.send(
            206,
            {
                "Content-Range": f"bytes {begin}-{end - 1}/{len(body)}",
                "Content-Length": 100,
            },
            body[begin : begin + 100],
        )

    def shortrange(self, name):
        body = self.body(name)
        self.send(
            206,
            {"Content-Range": f"bytes 0-99/{len(body)}", "Content-Length": len(body)},
            body,
        )

    def smallrange(self, name):
        body = self.body(name)
        self.send(
            206,
            {"Content-Range": "bytes 0-9999/100", "Content-Length": len(body)},
            body,
        )

    def slow(self, name):
        body = self.body(name)
        self.send(200, {"Content-Length": len(body)}, b"")
        try:
            for byte in body:
                self.wfile.write(bytes([byte]))
                time.sleep(0.05)
        except OSError:
            self.close_connection = True

    def missing(self, name):
        self.send(404, {"Content-Length": 4}, b"GGUF")

    def forbidden(self, name):
        self.send(403, {"Content-Length": 4}, b"GGUF")

    def redirect(self, name):
        there = f"http://127.0.0.1:{HttpTest.other.server_port}/ranges/{name}"
        self.send(302, {"Location": there, "Content-Length": 0}, b"")

    def loop(self, name):
        self.send(302, {"Location": f"/loop/{name}", "Content-Length": 0}, b"")

    def tofile(self, name):
        self.send(302, {"Location": "file:///etc/passwd", "Content-Length": 0}, b"")


class HttpTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(("127.0.0.1", 0), Handler)
        cls.other = Server(("127.0.0.1", 0), Handler)
        for server in (cls.server, cls.other):
            threading.Thread(target=server.serve_forever, daemon=True).start()

    def check(self, path, *flags):
        self.server.sent = self.server.requests = 0
        url = f"http://127.0.0.1:{self.server.server_port}/{path}"
        run = subprocess.run(
            [GGUFCHECK, "check", "--no-config", "--format", "json", *flags, url],
            capture_output=True,
            timeout=60,
        )
        self.assertEqual(run.stderr, b"")
        self.file = json.loads(run.stdout)["files"][0]
        return run.returncode

    def why(self):
        return self.file.get("incomplete", "")

    def test_good(self):
        self.assertEqual(self.check("ranges/good.gguf"), 0, self.why())
        self.assertEqual(self.file["size"], len(GOOD))
        not_checked = {rule["rule"]: rule["why"] for rule in self.file["not_checked"]}
        self.assertEqual(not_checked["padding-zero"], "not requested")

    def test_broken(self):
        self.assertEqual(self.check("ranges/broken.gguf"), 1)
        rules = [finding["rule"] for finding in self.file["findings"]]
        self.assertIn("tensor-offset-aligned", rules)

    def test_bytes_that_never_came(self):
        for how, why in {
            "nobody": "the server returned 0 of ",
            "fewer": "the server returned 100 of ",
            "shortrange": "other bytes than requested",
            "smallrange": "an invalid Content-Range",
        }.items():
            self.assertEqual(self.check(f"{how}/good.gguf"), 3, how)
            self.assertIn(why, self.why())

    def test_a_file_that_changes_between_requests(self):
        self.check("ranges/long.gguf")
        self.assertEqual(self.why(), "")
        for how in ("newetag", "newdate"):
            self.assertEqual(self.check(f"{how}/long.gguf"), 3, how)
            self.assertIn("changed while it was being read", self.why())

    def test_no_model(self):
        self.assertEqual(self.check("ranges/text.gguf"), 1)

    def test_without_ranges(self):
        self.assertEqual(self.check("whole/good.gguf"), 0, self.why())

    def test_reads_only_what_it_needs(self):
        for path in ("huge/good.gguf", "endless/good.gguf"):
            self.check(path)
            self.assertEqual(self.file["size"], 100_000_000_000, self.why())
            self.assertLess(self.server.sent, 8 << 20, path)

    def test_secrets_are_not_shown(self):
        self.assertEqual(self.check("ranges/good.gguf?signature=secret"), 0)
        self.assertNotIn("secret", json.dumps(self.file))
        self.assertTrue(self.file["path"].endswith("/ranges/good.gguf"))

    def test_size_that_nobody_says(self):
        self.assertEqual(self.check("unsized/good.gguf"), 3)
        self.assertIn("--size", self.why())

    def test_what_breaks_off(self):
        self.assertEqual(self.check("cut/good.gguf"), 3)
        self.assertIn("cannot be read from the server", self.why())
        self.assertEqual(self.check("longer/good.gguf"), 3)

    def test_slow_drip(self):
        begin = time.monotonic()
        self.assertEqual(self.check("slow/good.gguf", "--limit-seconds", "1"), 3)
        self.assertLess(time.monotonic() - begin, 20)

    def test_answers_that_are_no_file(self):
        self.assertEqual(self.check("missing/good.gguf"), 3)
        self.assertIn("404", self.why())
        self.assertEqual(self.check("forbidden/good.gguf"), 3)
        self.assertIn("403", self.why())

    def test_redirects(self):
        self.assertEqual(self.check("redirect/good.gguf"), 3)
        self.assertIn("private address", self.why())
        self.assertEqual(
            self.check("redirect/good.gguf", "--allow-private-redirects"), 0, self.why()
        )
        self.assertEqual(self.check("loop/good.gguf", "--allow-private-redirects"), 3)
        self.assertLess(self.server.requests, 10)
        self.assertEqual(self.check("tofile/good.gguf", "--allow-private-redirects"), 3)

    def test_what_needs_the_data(self):
        self.assertEqual(self.check("ranges/good.gguf", "--weights"), 3)
        self.assertIn("--weights", self.why())

    def test_nobody_listens(self):
        run = subprocess.run(
            [GGUFCHECK, "check", "--no-config", "http://127.0.0.1:1/a.gguf"],
            capture_output=True,
            timeout=60,
        )
        self.assertEqual(run.returncode, 3)


if __name__ == "__main__":
    unittest.main()
