"""module_test.py [--module FOLDER] PROGRAM GOOD.gguf BROKEN.gguf [MODEL...]: tests
the Python module, by the program and, if it can be loaded, by the library.  The
two give the same reports of all models.

SPDX-License-Identifier: Apache-2.0
"""

import io
import json
import os
import sys
import tempfile
import unittest

if sys.argv[1] == "--module":
    sys.path.insert(0, sys.argv[2])
    del sys.argv[1:3]

import ggufcheck
from ggufcheck import _library, _program


class Tests:
    """The tests of one backend, `make`."""

    def setUp(self):
        ggufcheck._chosen = type(self).make()

    def test_a_good_file_passes(self):
        report = ggufcheck.check(GOOD, weights=True)
        self.assertTrue(report.ok)
        self.assertEqual(report.result, "pass")
        self.assertFalse([one for one in report.findings if one.severity == "error"])

    def test_a_finding_says_where_it_is(self):
        report = ggufcheck.check(BROKEN, select="key-unique")
        self.assertFalse(report.ok)
        (finding,) = report.findings
        self.assertEqual(finding.rule, "key-unique")
        self.assertEqual(finding.severity, "error")
        self.assertLess(finding.offset, finding.end)
        self.assertTrue(finding.subject.startswith("kv["), finding.subject)
        self.assertEqual(finding.path, BROKEN)
        self.assertEqual(json.loads(report.to_json())["profile"], "upload")

    def test_a_cause_explains_findings(self):
        report = ggufcheck.check(read(GOOD)[:4000], name="cut.gguf")
        (cause,) = report.causes
        self.assertEqual(cause.kind, "truncated")
        self.assertTrue(cause.message.startswith("The file is truncated: 4000 of "), cause.message)
        self.assertEqual(cause.path, "cut.gguf")
        explained = [one for one in report.findings if one.cause == cause.id]
        self.assertEqual(len(explained), cause.findings)
        self.assertEqual(ggufcheck.check(GOOD).causes, ())

    def test_bytes_are_the_contents_of_a_file(self):
        data = read(BROKEN)
        for source in (data, bytearray(data), memoryview(data)):
            report = ggufcheck.check(source, name="a.gguf", select=["key-unique"])
            self.assertEqual([one.path for one in report.findings], ["a.gguf"])
        for empty in (b"", bytearray()):
            self.assertEqual(ggufcheck.check(empty).result, "fail")
        self.assertTrue(ggufcheck.check(read(GOOD)).ok)

    def test_the_beginning_of_a_file_is_enough_for_its_header(self):
        report = ggufcheck.check(read(GOOD)[:20], header_only=True, size=1 << 30)
        self.assertEqual(report.result, "incomplete")
        report = ggufcheck.check(read(GOOD), header_only=True, size=len(read(GOOD)))
        self.assertEqual(report.result, "pass")

    def test_flags_are_those_of_the_program(self):
        report = ggufcheck.check(BROKEN, profile="safety", fail_on="note", limit_findings=1)
        self.assertEqual(json.loads(report.to_json())["fail_on"], "note")
        self.assertEqual(ggufcheck.check(BROKEN, limit_keys=1).result, "incomplete")
        with tempfile.TemporaryDirectory() as folder:
            config = os.path.join(folder, "ggufcheck.toml")
            with open(config, "w") as file:
                file.write('profile = "spec"\n')
            report = ggufcheck.check(GOOD, config=config)
            self.assertEqual(json.loads(report.to_json())["profile"], "spec")

    def test_what_is_wrong_with_a_call_is_a_value_error(self):
        for flags in (
            {"profile": "strict"},
            {"colour": "blue"},
            {"weights": "maybe"},
            {"format": "json"},
            {"limit_keys": "many"},
            {"select": "no-such-rule"},
            {"config": "/no/such/file"},
        ):
            with self.assertRaises(ValueError, msg=str(flags)):
                ggufcheck.check(GOOD, **flags)
        for name in _program._REFUSED:
            with self.assertRaises(ValueError, msg=name):
                ggufcheck.check(GOOD, **{name: "true"})
        for name in ("", "-", "..", "a/b.gguf"):
            with self.assertRaises(ValueError):
                ggufcheck.check(b"", name=name)

    def test_what_cannot_be_read_is_an_os_error(self):
        with self.assertRaises(FileNotFoundError):
            ggufcheck.check("/no/such/file")
        with self.assertRaises(IsADirectoryError):
            ggufcheck.check("/")
        with self.assertRaises(FileNotFoundError):
            ggufcheck.check("-")

    def test_a_header_is_read_while_it_arrives(self):
        for name in (None, "a.gguf"):
            for model, result in ((GOOD, "pass"), (BROKEN, "fail")):
                data = read(model)
                report = ggufcheck.check_header(io.BytesIO(data).read, len(data), name=name)
                self.assertEqual(report.result, result)
        # What is not needed may never arrive.
        arriving = io.BytesIO(read(BROKEN) + bytes(1 << 20))
        report = ggufcheck.check_header(arriving.read1, 1 << 40)
        self.assertEqual(report.result, "fail")

    def test_errors_of_a_reader_are_passed_on(self):
        def fail(_count):
            raise KeyError("broken")

        with self.assertRaises(KeyError):
            ggufcheck.check_header(fail, 1000)
        with self.assertRaises(ValueError):
            ggufcheck.check_header(fail, -1)
        with self.assertRaises(EOFError):
            ggufcheck.check_header(io.BytesIO(read(GOOD)[:30]).read, 1000)

    def test_the_version_is_that_of_the_reports(self):
        report = json.loads(ggufcheck.check(GOOD).to_json())
        self.assertEqual(report["tool"]["version"], ggufcheck.version())


class ProgramTest(Tests, unittest.TestCase):
    @staticmethod
    def make():
        return _program.Program(PROGRAM)


class LibraryTest(Tests, unittest.TestCase):
    make = staticmethod(_library.Library)

    @classmethod
    def setUpClass(cls):
        try:
            _library.Library()
        except OSError as error:
            raise unittest.SkipTest(str(error))

    def test_the_program_gives_the_same_reports(self):
        program = _program.Program(PROGRAM)
        library = _library.Library()
        for path in [GOOD, BROKEN, *MODELS]:
            options = [("weights", "true"), ("profile", "pedantic")]
            name = os.path.basename(path)
            data = read(path)
            self.assertEqual(
                library.check_file(path, options), program.check_file(path, options)
            )
            self.assertEqual(
                library.check_bytes(data, name, options),
                program.check_bytes(data, name, options),
            )


def read(path):
    with open(path, "rb") as file:
        return file.read()


if __name__ == "__main__":
    PROGRAM, GOOD, BROKEN = sys.argv[1:4]
    MODELS = sys.argv[4:]
    if not PROGRAM.startswith("/"):
        PROGRAM = os.path.abspath(PROGRAM)
    unittest.main(argv=sys.argv[:1], verbosity=2)
