"""npm_module_test.py COMMAND PROGRAM GOOD BAD: the npm package without a program.

Compares the command, which runs the WebAssembly module, with the program.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

LIKE_THE_MODULE = ("--no-config", "--header-only")


class NpmModuleTest(unittest.TestCase):
    def both(self, *arguments):
        """Runs both with the same arguments, and compares their exit codes."""
        runs = [subprocess.run([command, "check", *arguments], capture_output=True, check=False)
                for command in (COMMAND, PROGRAM)]
        self.assertEqual(runs[0].returncode, runs[1].returncode, runs[0].stderr)
        return runs[0].stdout, runs[1].stdout

    def run_command(self, *arguments):
        return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=False)

    def test_text_is_that_of_the_program(self):
        for files in ([GOOD], [BAD], [GOOD, BAD]):
            actual, expected = self.both(*LIKE_THE_MODULE, *files)
            self.assertEqual(actual, expected)

    def test_json_is_that_of_the_program(self):
        for profile in ("upload", "spec", "llama.cpp", "safety"):
            actual, expected = (json.loads(text) for text in self.both(
                *LIKE_THE_MODULE, "--format", "json", "--profile", profile, GOOD, BAD))
            # The module does not compute the digest of the paths.
            self.assertEqual(actual["inputs"].pop("digest"), "")
            expected["inputs"].pop("digest")
            self.assertEqual(actual, expected)

    def test_a_file_that_cannot_be_read_is_incomplete(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in (os.path.join(folder, "none.gguf"), folder):
                run = self.run_command("check", "--format", "json", GOOD, path)
                self.assertEqual(run.returncode, 3)
                report = json.loads(run.stdout)
                self.assertFalse(report["complete"])
                self.assertEqual([file["result"] for file in report["files"]], ["pass", "incomplete"])

    def test_findings_can_be_ignored_in_the_exit_code(self):
        self.both(*LIKE_THE_MODULE, "--exit-zero", BAD)

    def test_says_what_is_left_out(self):
        self.assertIn("weights, digests, SARIF and configurations are left out",
                      self.run_command("check", GOOD).stderr)
        for arguments in (["check", "--weights", GOOD], ["check", "--format", "sarif", GOOD],
                          ["check", "--profile", "none", GOOD], ["check"], ["explain"], []):
            run = self.run_command(*arguments)
            self.assertEqual(run.returncode, 2, arguments)
            self.assertIn("left out", run.stderr)
            self.assertEqual(run.stdout, "")

    def test_a_path_in_place_of_a_command_is_checked(self):
        self.assertEqual(self.run_command(GOOD).stdout, self.run_command("check", GOOD).stdout)
        self.assertIn("could not finish", self.run_command("C:\\none\\model.gguf").stdout)

    def test_show_says_what_the_program_says(self):
        run = self.run_command("show", GOOD)
        self.assertEqual(run.returncode, 0, run.stderr)
        expected = json.loads(subprocess.run([PROGRAM, "show", "--format", "json", GOOD],
                                             capture_output=True, check=True).stdout)
        for fact in expected["files"][0]["shown"]:
            self.assertIn(fact["label"].ljust(13) + fact["text"].split("\n")[0], run.stdout)

    def test_version(self):
        self.assertRegex(self.run_command("--version").stdout, r"^ggufcheck \d+\.\d+\.\d+\S* \(WebAssembly\)\n$")


if __name__ == "__main__":
    COMMAND, PROGRAM, GOOD, BAD = map(os.path.abspath, sys.argv[1:5])
    del sys.argv[1:]
    unittest.main()
