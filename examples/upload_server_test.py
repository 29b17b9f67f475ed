"""upload_server_test.py [--module FOLDER PROGRAM] SERVER.py GOOD.gguf BROKEN.gguf:
sends files to the server, which has the Python module of FOLDER, or an installed
one.

SPDX-License-Identifier: Apache-2.0
"""

import http.client
import json
import os
import subprocess
import sys
import tempfile
import unittest


class UploadServerTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.server = subprocess.Popen(
            [sys.executable, SERVER, self.folder.name, "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.port = int(self.server.stdout.readline().rstrip("/\n").rpartition(":")[2])

    def tearDown(self):
        self.server.kill()
        self.server.communicate()
        self.folder.cleanup()

    def put(self, path, data, size=None):
        """Sends data of a file that may be larger; returns the answer."""
        client = http.client.HTTPConnection("localhost", self.port, timeout=30)
        client.putrequest("PUT", path)
        client.putheader("Content-Length", str(size or len(data)))
        client.endheaders()
        client.send(data)
        answer = client.getresponse()
        body = answer.read()
        client.close()
        return answer.status, body

    def files(self):
        return os.listdir(self.folder.name)

    def test_a_good_file_is_kept(self):
        status, body = self.put("/a.gguf", GOOD)
        self.assertEqual(status, 201, body)
        self.assertEqual(json.loads(body)["results"]["pass"], 1)
        with open(os.path.join(self.folder.name, "a.gguf"), "rb") as file:
            self.assertEqual(file.read(), GOOD)
        self.assertEqual(self.files(), ["a.gguf"])

    def test_a_file_is_not_replaced(self):
        self.assertEqual(self.put("/a.gguf", GOOD)[0], 201)
        self.assertEqual(self.put("/a.gguf", GOOD)[0], 409)

    def test_a_broken_file_is_refused(self):
        status, body = self.put("/a.gguf", BROKEN)
        self.assertEqual(status, 422)
        rules = [finding["rule"] for finding in json.loads(body)["files"][0]["findings"]]
        self.assertIn("key-unique", rules)
        self.assertEqual(self.files(), [])

    def test_a_broken_header_is_refused_before_the_rest(self):
        # The rest is never sent.
        status, body = self.put("/a.gguf", BROKEN + bytes(1 << 20), size=1 << 33)
        self.assertEqual(status, 422, body)
        self.assertEqual(self.files(), [])

    def test_wrong_weights_are_refused(self):
        weights = bytearray(GOOD)
        weights[-4:] = b"\0\0\xc0\x7f"  # NaN.
        status, body = self.put("/a.gguf", bytes(weights))
        self.assertEqual(status, 422)
        self.assertIn(b"weights-finite", body)

    def test_other_requests_are_refused(self):
        self.assertEqual(self.put("/../a.gguf", GOOD)[0], 400)
        self.assertEqual(self.put("/a.bin", GOOD)[0], 400)
        self.assertEqual(self.put("/a.gguf", b"", size=1 << 40)[0], 413)
        self.assertEqual(self.files(), [])


def use_module(folder, program):
    """Makes the server find a module and its program."""
    os.environ["PYTHONPATH"] = os.path.abspath(folder)
    folders = [os.path.dirname(os.path.abspath(program)), os.environ["PATH"]]
    os.environ["PATH"] = os.pathsep.join(folders)


if __name__ == "__main__":
    if sys.argv[1] == "--module":
        use_module(*sys.argv[2:4])
        del sys.argv[1:4]
    SERVER = sys.argv.pop(1)
    GOOD, BROKEN = (open(sys.argv.pop(1), "rb").read() for _ in range(2))
    unittest.main()
