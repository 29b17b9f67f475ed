"""upload_server.py FOLDER [PORT]: accepts models by PUT /NAME.gguf, and judges
each while it arrives: the header first, so that a bad file is refused before the
rest is sent, and the weights at the end.  Accepted files are in FOLDER.

    curl -T model.gguf http://localhost:8000/

SPDX-License-Identifier: Apache-2.0
"""

import contextlib
import http.server
import os
import re
import socket
import sys
import tempfile

import ggufcheck

LARGEST = 100 << 30  # Bytes.
SECONDS = 600  # For one check, and without a byte from the client.
NAME = re.compile(r"/([A-Za-z0-9][A-Za-z0-9._-]{0,199}\.gguf)")
PIECE = 1 << 20


class Uploads(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = SECONDS
    folder = "."

    def do_PUT(self):
        self.close_connection = True  # What a refused client still sends is no request.
        name = NAME.fullmatch(self.path)
        size = self.headers.get("Content-Length", "")
        if not name:
            return self.answer(400, b"the path must be /NAME.gguf\n")
        if not re.fullmatch("[0-9]{1,15}", size):
            return self.answer(411, b"the size of the file is missing\n")
        if int(size) > LARGEST:
            return self.answer(413, b"the file is too large\n")
        with tempfile.NamedTemporaryFile(dir=self.folder, prefix=".") as file:
            try:
                report = self.receive(file, int(size))
            except (EOFError, OSError) as error:
                return self.answer(400, f"{error}\n".encode())
            try:
                if report.ok:
                    os.chmod(file.name, 0o644)
                    os.link(file.name, os.path.join(self.folder, name[1]))
            except FileExistsError:
                return self.answer(409, b"there is a file of this name\n")
        self.answer(201 if report.ok else 422, report.to_json().encode(), "application/json")

    def receive(self, file, size):
        """Keeps the file as far as it is good, and returns the last report."""
        left = size

        def read(count):
            nonlocal left
            data = self.rfile.read1(min(count, left))
            left -= len(data)
            file.write(data)
            return data

        report = ggufcheck.check_header(read, size, limit_seconds=SECONDS)
        while report.ok and left > 0:
            if not read(PIECE):
                raise EOFError("the upload ended early")
        if not report.ok:
            return report
        file.flush()
        return ggufcheck.check(file.name, weights=True, limit_seconds=SECONDS)

    def answer(self, code, body, kind="text/plain"):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        # Unread bytes at the end of a connection would discard the answer.
        self.connection.shutdown(socket.SHUT_WR)
        self.connection.settimeout(1)
        with contextlib.suppress(OSError):
            for _ in range(16):
                if not self.rfile.read(PIECE):
                    break


def main():
    Uploads.folder = sys.argv[1]
    port = int(sys.argv[2]) if len(sys.argv) > 2 else 8000
    server = http.server.ThreadingHTTPServer(("localhost", port), Uploads)
    print(f"http://localhost:{server.server_address[1]}/", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
