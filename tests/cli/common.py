"""What the tests of the command share."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SLOSH = os.environ.get("SLOSH", str(pathlib.Path(__file__).parents[2] / "build/release/slosh"))
ROOT = pathlib.Path(__file__).resolve().parents[2]


class CommandTest(unittest.TestCase):
    """Gives each test an empty directory to work in."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slosh-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def slosh(self, *arguments, env=None, timeout=120):
        return subprocess.run([SLOSH, *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, timeout=timeout,
                              env={**os.environ, **(env or {})})

    def refuse(self, *arguments, code=2, env=None):
        """Expects `code` and exactly one line on stderr; returns that line."""
        done = self.slosh(*arguments, env=env)
        self.assertEqual(done.returncode, code, done.stderr)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("slosh: "), lines[0])
        return lines[0]

    def accept(self, *arguments, env=None):
        done = self.slosh(*arguments, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout
