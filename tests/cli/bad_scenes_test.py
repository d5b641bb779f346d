"""Every scene in tests/bad_scenes is refused by the command in one line with exit code 2."""
import sys
import unittest

from common import ROOT, CommandTest


class BadScenes(CommandTest):
    def test_each_is_refused_in_one_line(self):
        files = sorted((ROOT / "tests/bad_scenes").glob("*.json"))
        self.assertGreaterEqual(len(files), 40)
        for file in files:
            with self.subTest(file.name):
                self.refuse("check", file)

    def test_run_refuses_before_it_makes_a_directory(self):
        self.refuse("run", ROOT / "tests/bad_scenes/unknown_key.json", "-o", "run")
        self.assertFalse((self.folder / "run").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
