"""`ggufcheck check URL` against web servers that behave well or badly.

SPDX-License-Identifier: Apache-2.0
"""

import http.server
import json
import os
import select
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
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
    connections = 0
    headers = ()  # Of the last request.
    target = ""
    tunnels = ()  # The targets of CONNECT.

    def process_request(self, request, client_address):
        self.connections += 1
        super().process_request(request, client_address)


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
        self.server.headers = self.headers
        self.server.target = self.path
        path = self.path.split("?")[0]
        if path.startswith("http://"):  # To a proxy.
            path = path.split("/", 3)[3]
        how, name = path.strip("/").split("/", 1)
        getattr(self, how)(name)

    def do_CONNECT(self):
        self.server.tunnels += (self.path,)
        if self.headers["Proxy-Authorization"] is None:  # A proxy that forges.
            forged = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(GOOD)
            self.wfile.write(b"HTTP/1.1 200 Connected\r\n\r\n" + forged + GOOD)
            self.close_connection = True
            return
        host, port = self.path.rsplit(":", 1)
        with socket.create_connection((host.strip("[]"), port)) as there:
            self.send_response(200)
            self.end_headers()
            while True:
                for end in select.select([self.connection, there], [], [])[0]:
                    data = end.recv(1 << 16)
                    (there if end is self.connection else self.connection).sendall(data)
                    if not data:
                        self.close_connection = True
                        return

    # The part of Hugging Face's interface that lists a repository.
    def api(self, name):
        files = {"org/some": ["b.gguf", "README.md", "a/ä#.GGUF"], "org/none": ["x"]}
        for repository, names in files.items():
            if name == f"models/{repository}/revision/main":
                entries = [{"rfilename": name} for name in names]
                body = json.dumps({"siblings": entries}).encode()
                return self.send(200, {"Content-Length": len(body)}, body)
        return self.missing(name)

    def org(self, name):
        self.ranges("good")

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

    def chunked(self, name):
        self.send(200, {"Transfer-Encoding": "chunked"}, b"")
        body = self.body(name)
        for part in (body[:100], body[100:], b""):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))

    def hangup(self, name):  # Every connection is for one request.
        self.ranges(name)
        self.close_connection = True

    def interim(self, name):
        try:
            while True:
                self.wfile.write(b"HTTP/1.1 102 Processing\r\n\r\n" * 100)
        except OSError:
            self.close_connection = True

    def drip(self, name):  # Faster than the slowest that is accepted.
        self.send(200, {"Content-Length": 10**9}, GOOD[:4])
        try:
            while True:
                self.wfile.write(bytes(64))
                time.sleep(0.01)
        except OSError:
            self.close_connection = True

    def header(self, name):  # A header without an end.
        try:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
            while True:
                self.wfile.write(b"x" * 65536)
        except OSError:
            self.close_connection = True

    def silent(self, name):
        time.sleep(30)

    def torelative(self, name):
        self.send(302, {"Location": f"../ranges/{name}", "Content-Length": 0}, b"")

    def toplain(self, name):
        there = f"http://127.0.0.1:{HttpTest.server.server_port}/ranges/{name}"
        self.send(302, {"Location": there, "Content-Length": 0}, b"")

    def tofile(self, name):
        self.send(302, {"Location": "file:///etc/passwd", "Content-Length": 0}, b"")


class HttpTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(("127.0.0.1", 0), Handler)
        cls.other = Server(("127.0.0.1", 0), Handler)
        cls.secure = Server(("127.0.0.1", 0), Handler)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.certificate = os.path.join(folder.name, "certificate.pem")
        key = os.path.join(folder.name, "key.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt"]
            + ["ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=test", "-days", "2"]
            + ["-addext", "subjectAltName=IP:127.0.0.1"]
            + ["-keyout", key, "-out", cls.certificate],
            check=True,
            capture_output=True,
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cls.certificate, key)
        cls.secure.socket = context.wrap_socket(cls.secure.socket, server_side=True)
        for server in (cls.server, cls.other, cls.secure):
            threading.Thread(target=server.serve_forever, daemon=True).start()

    def run_check(self, paths, flags, variables):
        for server in (self.server, self.other, self.secure):
            server.sent = server.requests = server.connections = 0
            server.tunnels = ()
        run = subprocess.run(
            [GGUFCHECK, "check", "--no-config", "--format", "json", *flags, *paths],
            capture_output=True,
            timeout=60,
            env={"PATH": os.environ["PATH"], **variables},
        )
        self.assertEqual(run.stderr, b"")
        self.files = json.loads(run.stdout)["files"]
        self.file = self.files[0]
        return run.returncode

    def check(self, path, *flags, **variables):
        url = f"http://127.0.0.1:{self.server.server_port}/{path}"
        return self.run_check([url], flags, variables)

    def check_secure(self, path, *flags, host="127.0.0.1", **variables):
        url = f"https://{host}:{self.secure.server_port}/{path}"
        return self.run_check([url], flags, variables)

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

    def test_show(self):
        url = f"http://127.0.0.1:{self.server.server_port}/ranges/good.gguf?signature=secret"
        run = subprocess.run(
            [GGUFCHECK, "show", "--no-config", "--format", "json", url],
            capture_output=True,
            timeout=60,
        )
        self.assertEqual((run.returncode, run.stderr), (0, b""))
        self.assertNotIn(b"secret", run.stdout)
        [shown] = json.loads(run.stdout)["files"]
        self.assertEqual(shown["file"]["size"], len(GOOD))
        self.assertEqual(shown["architecture"]["name"], "llama")

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

    def test_relative_redirects_keep_the_server(self):
        self.assertEqual(self.check("torelative/good.gguf"), 0, self.why())

    def test_chunks(self):
        size = ("--header-only", "--size", str(len(GOOD)))
        self.assertEqual(self.check("chunked/good.gguf", *size), 0, self.why())
        self.check("chunked/good.gguf")
        self.assertIn("--size", self.why())

    def test_a_connection_serves_several_requests(self):
        self.check("ranges/long.gguf")
        self.assertGreater(self.server.requests, 1)
        self.assertEqual(self.server.connections, 1)
        self.check("hangup/long.gguf")
        self.assertEqual(self.why(), "")
        self.assertGreater(self.server.connections, 1)

    def test_headers_are_for_the_named_server(self):
        secret = ("--header", "X-Secret: of mine")
        self.assertEqual(self.check("ranges/good.gguf", *secret), 0, self.why())
        self.assertEqual(self.server.headers["X-Secret"], "of mine")
        allow = "--allow-private-redirects"
        self.assertEqual(self.check("redirect/good.gguf", allow, *secret), 0)
        self.assertIsNone(self.other.headers["X-Secret"])

    def test_headers_that_are_none(self):
        for text in ("secret", ": secret", "a b: secret", "a: secret\r\nb: c"):
            run = subprocess.run(
                [GGUFCHECK, "check", "--no-config", "--header", text, "http://a/b"],
                capture_output=True,
                timeout=60,
            )
            self.assertEqual(run.returncode, 2, text)
            self.assertIn(b"NAME:VALUE", run.stderr)
            self.assertNotIn(b"secret", run.stderr)

    def test_user_of_a_url(self):
        url = f"http://me:pass@127.0.0.1:{self.server.server_port}/ranges/good.gguf"
        self.assertEqual(self.run_check([url], (), {}), 0, self.why())
        self.assertEqual(self.server.headers["Authorization"], "Basic bWU6cGFzcw==")
        self.assertNotIn("pass", self.file["path"])

    def test_tls(self):
        trust = ("--cacert", self.certificate)
        self.assertEqual(self.check_secure("ranges/good.gguf", *trust), 0, self.why())
        self.check_secure("ranges/good.gguf", SSL_CERT_FILE=self.certificate)
        self.assertEqual(self.why(), "")
        self.assertEqual(self.check_secure("ranges/good.gguf"), 3)
        self.assertIn("certificate is not trusted", self.why())
        self.assertIn("--cacert", self.why())
        self.assertEqual(self.secure.requests, 0)
        # The certificate is for the address only.
        self.check_secure("ranges/good.gguf", *trust, host="localhost")
        self.assertIn("certificate is not trusted", self.why())
        self.check_secure("ranges/good.gguf", "--cacert", "/dev/null")
        self.assertIn("/dev/null", self.why())

    def test_redirects_keep_tls(self):
        flags = ("--cacert", self.certificate, "--allow-private-redirects")
        self.assertEqual(self.check_secure("toplain/good.gguf", *flags), 3)
        self.assertIn("from https to http", self.why())
        self.assertEqual(self.server.requests, 0)

    def test_proxies(self):
        proxy = f"http://me:pass@127.0.0.1:{self.other.server_port}"
        self.assertEqual(self.check("ranges/good.gguf", http_proxy=proxy), 0)
        self.assertEqual(self.server.requests, 0)
        self.assertTrue(self.other.target.startswith("http://127.0.0.1:"))
        self.assertEqual(
            self.other.headers["Proxy-Authorization"], "Basic bWU6cGFzcw=="
        )
        self.check("ranges/good.gguf", http_proxy=proxy, no_proxy="127.0.0.1")
        self.assertEqual(self.other.requests, 0)
        trust = ("--cacert", self.certificate)
        self.check_secure("ranges/good.gguf", *trust, https_proxy=proxy)
        self.assertEqual(self.why(), "")
        self.assertEqual(
            self.other.tunnels, (f"127.0.0.1:{self.secure.server_port}",)
        )
        self.check("ranges/good.gguf", http_proxy="socks5://127.0.0.1:1")
        self.assertIn("http_proxy", self.why())

    def test_a_proxy_cannot_answer_for_the_server(self):
        proxy = f"http://127.0.0.1:{self.other.server_port}"
        trust = ("--cacert", self.certificate)
        self.assertEqual(self.check_secure("ranges/good.gguf", *trust, https_proxy=proxy), 3)
        self.assertIn("before the TLS handshake", self.why())

    def test_responses_without_end(self):
        for how, why in {
            "interim": "1xx",
            "drip": "too slow",
            "header": "",
        }.items():
            begin = time.monotonic()
            self.assertEqual(self.check(f"{how}/long.gguf", "--limit-seconds", "2"), 3)
            self.assertIn(why, self.why())
            self.assertLess(time.monotonic() - begin, 10, how)

    def test_redirects_through_a_proxy(self):
        proxy = f"http://127.0.0.1:{self.server.server_port}"
        self.assertEqual(self.check("redirect/good.gguf", http_proxy=proxy), 3)
        self.assertIn("private address", self.why())

    def test_silence(self):
        begin = time.monotonic()
        self.assertEqual(self.check("silent/good.gguf", "--limit-seconds", "1"), 3)
        self.assertLess(time.monotonic() - begin, 10)

    def test_hugging_face(self):
        hub = {"HF_ENDPOINT": f"http://127.0.0.1:{self.server.server_port}"}
        self.assertEqual(self.run_check(["hf://org/some"], (), hub), 0, self.files)
        self.assertEqual(
            [file["path"] for file in self.files],
            ["hf://org/some@main/a/ä#.GGUF", "hf://org/some@main/b.gguf"],
        )
        self.assertIsNone(self.server.headers["Authorization"])
        hub["HF_TOKEN"] = "secret\n"
        self.assertEqual(self.run_check(["hf://org/some@v1/b.gguf"], (), hub), 0)
        self.assertEqual(self.server.target, "/org/some/resolve/v1/b.gguf")
        self.assertEqual(self.server.headers["Authorization"], "Bearer secret")
        bad = {**hub, "HF_TOKEN": "sec\nret"}
        self.assertEqual(self.run_check(["hf://org/some@v1/b.gguf"], (), bad), 3)
        self.assertIn("HF_TOKEN", self.why())
        self.assertNotIn("ret", self.why())
        for path, why in {
            "hf://org/none": "no GGUF files",
            "hf://org/other": "404",
            "hf://org": "hf://ORG/REPO",
        }.items():
            self.assertEqual(self.run_check([path], (), hub), 3, path)
            self.assertIn(why, self.why())

    def test_urls_that_are_none(self):
        for url in ("http://", "https://a b/", "http://a:99999/"):
            self.assertEqual(self.run_check([url], (), {}), 3, url)
            self.assertIn("not a valid URL", self.why())

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
