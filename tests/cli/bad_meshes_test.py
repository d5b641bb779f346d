"""Every mesh in tests/bad_meshes is refused by the command in one line with exit code 2."""
import sys
import unittest

from common import ROOT, SMALL_3D, CommandTest


class BadMeshes(CommandTest):
    def test_each_is_refused_in_one_line(self):
        # The .bin files are the buffers that glTF files ask for.
        files = sorted(f for f in (ROOT / "tests/bad_meshes").iterdir() if f.suffix != ".bin")
        self.assertGreaterEqual(len(files), 40)
        for file in files:
            with self.subTest(file.name):
                scene = self.scene(SMALL_3D, solids=[{"shape": {"type": "mesh", "file": str(file)}}])
                self.assertIn(file.name, self.refuse("run", scene, "-o", "run"))
                self.assertFalse((self.folder / "run").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
