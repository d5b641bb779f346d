"""`slosh run`: what it writes, that threads do not change it, and when it refuses."""
import json
import sys
import unittest

from common import SMALL_2D, SMALL_3D, CommandTest


class Run(CommandTest):
    def test_threads_do_not_change_a_byte(self):
        for name, scene in (("2d", SMALL_2D), ("3d", SMALL_3D)):
            with self.subTest(name):
                file = self.scene(scene, name + ".json")
                for threads in (1, 2):
                    self.accept("run", file, "-o", f"{name}-{threads}", "--threads", threads,
                                "--no-video")
                self.assert_same_frames(name + "-1", name + "-2")

    def test_a_run_leaves_the_promised_files(self):
        text = self.accept("run", self.scene(SMALL_3D, frames=3), "-o", "run")
        self.assertIn("run/preview.mp4", text)
        run = self.folder / "run"
        for name in ("scene.json", "manifest.json", "stats.jsonl", "slosh.pvd", "preview.mp4"):
            self.assertTrue((run / name).is_file(), name)
        for frame in (1, 2, 3):
            for name in (f"surface/surface.{frame:04}.ply", f"particles/particles.{frame:04}.ply",
                         f"volumes/volumes.{frame:04}.vdb"):
                self.assertTrue((run / name).is_file(), name)
        self.assertEqual(list(run.rglob("*.slosh-tmp")), [])
        self.assertFalse((run / "slosh.lock").exists())
        for line in (run / "stats.jsonl").read_text().splitlines():
            row = json.loads(line)
            for key in ("time", "dt", "iterations", "residual", "volume", "particles", "bytes",
                        "seconds"):
                self.assertIn(key, row)

    def test_a_run_without_surfaces_ends_well_and_without_a_video(self):
        text = self.accept("run", self.scene(SMALL_2D, frames=2), "-o", "run", "--set",
                           "output.surface=false")
        self.assertIn("no video", text)
        self.assertFalse((self.folder / "run/preview.mp4").exists())
        self.assertFalse((self.folder / "run/surface").exists())

    def test_lines_are_printed_when_not_on_a_terminal(self):
        text = self.accept("run", self.scene(SMALL_2D, frames=3), "-o", "run", "--no-video")
        for frame in (1, 2, 3):
            self.assertIn(f"frame {frame}/3", text)
        self.assertNotIn("\r", text)

    def test_quiet_prints_nothing(self):
        self.assertEqual(self.accept("run", self.scene(SMALL_2D, frames=2), "--quiet"), "")

    def test_the_default_directory_is_named_after_the_scene(self):
        self.accept("run", self.scene(SMALL_2D, "puddle.json", frames=2), "--no-video")
        self.assertTrue((self.folder / "out/puddle/manifest.json").is_file())

    def test_a_directory_in_use_is_refused_with_the_way_out(self):
        file = self.scene(SMALL_2D, frames=2)
        self.accept("run", file, "-o", "run", "--no-video")
        self.assertIn("--resume", self.refuse("run", file, "-o", "run"))

    def test_a_changed_scene_is_refused_on_resume(self):
        file = self.scene(SMALL_2D, frames=2)
        self.accept("run", file, "-o", "run", "--no-video")
        before = sorted(p.stat().st_mtime_ns for p in (self.folder / "run").rglob("*"))
        self.refuse("run", file, "-o", "run", "--resume", "--set", "gravity=[0,-1]")
        self.refuse("run", file, "-o", "run", "--resume", "--resolution", 24)
        after = sorted(p.stat().st_mtime_ns for p in (self.folder / "run").rglob("*.*"))
        self.assertLessEqual(set(after), set(before))

    def test_a_later_last_frame_extends_a_finished_run(self):
        file = self.scene(SMALL_3D)
        self.accept("run", file, "-o", "whole", "--frames", 6, "--no-video")
        self.accept("run", file, "-o", "parts", "--frames", 3, "--no-video")
        self.accept("run", file, "-o", "parts", "--frames", 6, "--no-video", "--resume")
        whole, parts = self.folder / "whole", self.folder / "parts"
        for path in whole.rglob("*.0*.*"):
            if "checkpoint" not in path.name:
                self.assertEqual(path.read_bytes(), (parts / path.relative_to(whole)).read_bytes())

    def test_a_scene_that_is_not_there_is_named(self):
        self.assertIn("sphere", self.refuse("run", "shpere"))
        self.assertIn("nowhere.json", self.refuse("run", "nowhere.json"))

    def test_a_directory_that_cannot_be_written_is_named(self):
        (self.folder / "file").write_text("")
        self.assertIn("file", self.refuse("run", self.scene(SMALL_2D), "-o", "file/run"))


class Others(CommandTest):
    def test_check_tells_the_cost(self):
        text = self.accept("check", self.scene(SMALL_3D))
        for word in ("grid", "particles", "memory", "disk", "time"):
            self.assertIn(word, text)

    def test_scenes_are_listed_and_printed(self):
        self.assertIn("sphere", self.accept("scenes"))
        self.assertIn('"version"', self.accept("scenes", "sphere"))
        self.assertIn("sphere", self.refuse("scenes", "shpere"))

    def test_render_makes_a_picture_and_info_describes_it_all(self):
        for name, scene in (("2d", SMALL_2D), ("3d", SMALL_3D)):
            with self.subTest(name):
                file = self.scene(scene, name + ".json", frames=2)
                self.accept("run", file, "-o", name, "--no-video")
                for flags in ([], ["--particles"]):
                    self.accept("render", name, "--frame", 2, "-o", "a.png", "--width", 40, *flags)
                    data = (self.folder / "a.png").read_bytes()
                    self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
                    self.assertEqual(int.from_bytes(data[16:20], "big"), 40)
                self.assertIn("2", self.accept("info", name))
                self.accept("info", f"{name}/surface/surface.0002.ply")

    def test_render_and_info_refuse_what_is_no_run(self):
        self.refuse("render", "nowhere")
        self.refuse("info", "nowhere")
        self.accept("run", self.scene(SMALL_2D, frames=2), "-o", "run", "--no-video")
        self.assertIn("1 to 2", self.refuse("render", "run", "--frame", 3))
        self.assertIn(".png", self.refuse("render", "run", "-o", "a.gif"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
