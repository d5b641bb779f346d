"""What the tests of the command share."""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SLOSH = os.environ.get("SLOSH", str(pathlib.Path(__file__).parents[2] / "build/release/slosh"))
SANITIZED = os.environ.get("SLOSH_SANITIZE", "")
SECONDS = 1200 if SANITIZED else 200  # that one command may take
ROOT = pathlib.Path(__file__).resolve().parents[2]

# A block of water that falls in a box with a ball in it: a second or less in all.
SMALL_3D = {
    "version": 1, "dim": 3, "size": [1, 1, 1], "resolution": 16, "frames": 10,
    "initial": [{"shape": {"type": "box", "lower": [0, 0, 0], "upper": [0.4, 0.8, 1]}}],
    "solids": [{"shape": {"type": "sphere", "position": [0.7, 0.2, 0.5], "radius": 0.15}}],
    "output": {"surface": True, "particles": "ply", "volumes": True, "checkpoint_every": 2},
    "render": {"size": [64, 48]},
}
SMALL_2D = {
    "version": 1, "dim": 2, "size": [1, 1], "resolution": 32, "frames": 12,
    "initial": [{"shape": {"type": "box", "lower": [0, 0], "upper": [0.4, 0.8]}}],
    "solids": [{"shape": {"type": "sphere", "position": [0.7, 0.2], "radius": 0.15}}],
    "output": {"surface": True, "particles": "ply", "volumes": True, "checkpoint_every": 2},
    "render": {"size": [64, 64]},
}


def frame_hashes(directory):
    """Every file that a frame leaves, with a hash of its bytes. The statistics are compared without
    what a clock or the machine puts into them; checkpoints are not part of the result."""
    hashes = {}
    for path in sorted(pathlib.Path(directory).rglob("*")):
        name = path.relative_to(directory).as_posix()
        if path.is_dir() or name.startswith("checkpoints/") or name == "preview.mp4":
            continue
        data = path.read_bytes()
        if name == "stats.jsonl":
            rows = [json.loads(line) for line in data.splitlines()]
            for row in rows:
                row.pop("seconds", None)
                row.pop("bytes", None)
            data = json.dumps(rows).encode()
        hashes[name] = hashlib.sha256(data).hexdigest()
    return hashes


class CommandTest(unittest.TestCase):
    """Gives each test an empty directory to work in."""
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slosh-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def scene(self, scene, name="scene.json", **changes):
        (self.folder / name).write_text(json.dumps({**scene, **changes}))
        return name

    def start(self, *arguments, **options):
        return subprocess.Popen([SLOSH, *map(str, arguments)], cwd=self.folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def slosh(self, *arguments, env=None, timeout=SECONDS, **options):
        return subprocess.run([SLOSH, *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, timeout=timeout,
                              env={**os.environ, **(env or {})}, **options)

    def one_line(self, stderr):
        lines = stderr.splitlines()
        self.assertEqual(len(lines), 1, stderr)
        self.assertTrue(lines[0].startswith("slosh: "), lines[0])
        return lines[0]

    def refuse(self, *arguments, code=2, **options):
        """Expects `code` and exactly one line on stderr; returns that line."""
        done = self.slosh(*arguments, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        return self.one_line(done.stderr)

    def accept(self, *arguments, **options):
        done = self.slosh(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def assert_same_frames(self, a, b):
        expected = frame_hashes(self.folder / a)
        self.assertIn("surface/surface.0010.ply", expected)  # what is compared is really there
        self.assertEqual(expected, frame_hashes(self.folder / b))
