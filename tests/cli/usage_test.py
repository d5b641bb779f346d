"""Bad usage gives one clear line and exit code 2; help is complete."""
import sys
import unittest

from common import CommandTest


class Usage(CommandTest):
    def test_an_unknown_command_names_the_nearest(self):
        self.assertIn("'run'", self.refuse("rnu"))

    def test_an_unknown_flag_names_the_nearest(self):
        self.assertIn("'--frames'", self.refuse("run", "--fraems", "3"))

    def test_a_flag_before_the_command_is_explained(self):
        self.assertIn("comes after the command", self.refuse("--frames=3", "run"))

    def test_numbers_out_of_range_are_refused(self):
        for flags in (["--frames", "0"], ["--frames", "x"], ["--resolution", "-8"],
                      ["--threads", "0"], ["--frames", "99999999999999"]):
            with self.subTest(flags=flags):
                self.assertIn(flags[0], self.refuse("run", *flags))

    def test_missing_arguments_are_named(self):
        self.assertIn("SUITE", self.refuse("bench"))
        self.assertIn("DIR", self.refuse("render"))
        self.assertIn("SCENE", self.refuse("check"))

    def test_a_second_scene_is_refused(self):
        self.assertIn("'b'", self.refuse("run", "a", "b"))

    def test_an_unknown_suite_or_case_is_named(self):
        self.assertIn("'pressure'", self.refuse("bench", "presure"))
        self.assertIn("--table 3", self.refuse("bench", "pressure", "--table", "6.1"))
        self.assertIn("256", self.refuse("bench", "pressure", "--table", "3", "--sizes", "100"))
        self.assertIn("99z", self.refuse("validate", "99z"))

    def test_view_wants_a_scene_or_a_directory(self):
        self.assertIn("no built-in scene", self.refuse("view", "x"))

    def test_no_command_prints_the_help_and_fails(self):
        done = self.slosh()
        self.assertEqual(done.returncode, 2)
        self.assertIn("Usage: slosh", done.stderr)

    def test_help_and_version_succeed(self):
        text = self.accept("--help")
        for command in ("run", "render", "check", "scenes", "info", "bench", "validate", "lcp"):
            self.assertIn(f"  {command} ", text)
            self.assertIn("Usage: slosh " + command, self.accept(command, "--help"))
        self.assertRegex(self.accept("--version"), r"^slosh \d+\.\d+\.\d+$")

    def test_a_processor_without_avx2_is_told_so(self):
        self.assertIn("AVX2", self.refuse("--version", env={"SLOSH_ASSUME_CPU": "none"}))


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
