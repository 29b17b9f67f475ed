"""https_test.py FOLDER: a program in an otherwise empty file system reads a model
over https, by a name in its /etc/hosts.

SPDX-License-Identifier: Apache-2.0
"""

import http.server
import os
import pathlib
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading

NAME = "models.example"


def main():
    folder = pathlib.Path(sys.argv[1])
    (folder / "etc").mkdir(exist_ok=True)
    (folder / "etc/hosts").write_text(f"127.0.0.1 {NAME}\n")
    with tempfile.TemporaryDirectory() as temp:
        certificate, key = os.path.join(temp, "c.pem"), os.path.join(temp, "k.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt"]
            + ["ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=test", "-days", "2"]
            + ["-addext", f"subjectAltName=DNS:{NAME}", "-keyout", key]
            + ["-out", certificate],
            check=True,
            capture_output=True,
        )
        shutil.copy(certificate, folder / "certificate.pem")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(folder))

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    run = subprocess.run(
        ["chroot", folder, "/bin/ggufcheck", "check", "--no-config"]
        + ["--cacert", "/certificate.pem"]
        + [f"https://{NAME}:{server.server_port}/good.gguf"],
        timeout=60,
    )
    return run.returncode


sys.exit(main())
