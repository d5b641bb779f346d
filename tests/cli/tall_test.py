"""`slosh run` of tall-cell water: the same files as any run, from any number of threads."""
import unittest

from common import CommandTest

SMALL_TALL = {
    "version": 1, "size": [4, 2, 2], "resolution": 32, "frames": 10,
    "tall": {"rows": 16, "terrain": [{"position": [4, 0.7, 1], "slope_x": 0.3}],
             "wave_makers": [{"side": "x-", "speed": 0.5, "period": 0.5}]},
    "initial": [{"shape": {"type": "box", "lower": [-1, -1, -1], "upper": [2, 0.9, 3]}}],
    "inflows": [{"shape": {"type": "sphere", "position": [1, 1.2, 1], "radius": 0.2},
                 "velocity": [0, -1, 0]}],
    "output": {"checkpoint_every": 2}, "render": {"size": [64, 48]},
}


class RunTall(CommandTest):
    def test_threads_do_not_change_a_byte(self):
        file = self.scene(SMALL_TALL)
        for threads in (1, 2):
            self.accept("run", file, "-o", f"run-{threads}", "--threads", threads, "--no-video")
        self.assert_same_frames("run-1", "run-2")

    def test_a_run_goes_on_where_it_ended(self):
        file = self.scene(SMALL_TALL)
        self.accept("run", file, "-o", "whole", "--no-video")
        self.accept("run", file, "-o", "parts", "--no-video", "--frames", 3)
        self.accept("run", file, "-o", "parts", "--no-video", "--resume")
        # The scene says how many frames were asked for last, so it is the same too.
        self.assert_same_frames("whole", "parts")

    def test_a_run_is_filmed_with_its_ground(self):
        text = self.accept("run", self.scene(SMALL_TALL, frames=2), "-o", "run")
        self.assertIn("run/preview.mp4", text)
        for name in ("surface/surface.0002.ply", "paraview/surface.0002.vtp", "preview.mp4"):
            self.assertTrue((self.folder / "run" / name).is_file(), name)
        with_ground = self.picture("run")
        self.accept("run", self.scene(SMALL_TALL, "flat.json", frames=2), "-o", "flat",
                    "--no-video", "--set", "tall.terrain=[]")
        self.assertNotEqual(with_ground, self.picture("flat"))

    def picture(self, run):
        self.accept("render", run, "--frame", 1, "-o", run + ".png")
        return (self.folder / (run + ".png")).read_bytes()

    def test_check_knows_that_there_are_no_particles(self):
        text = self.accept("check", self.scene(SMALL_TALL))
        self.assertRegex(text, r"particles +0\n")


if __name__ == "__main__":
    unittest.main()
