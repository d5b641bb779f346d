"""However a run ends, --resume gives the bytes of a run that was never stopped."""
import random
import resource
import shutil
import signal
import sys
import time
import unittest

from common import SANITIZED, SMALL_3D, CommandTest


class Interrupt(CommandTest):
    def setUp(self):
        super().setUp()
        self.file = self.scene(SMALL_3D)
        started = time.monotonic()
        self.accept("run", self.file, "-o", "whole", "--no-video")
        self.seconds = time.monotonic() - started

    def go_on(self):
        self.accept("run", self.file, "-o", "run", "--resume", "--no-video")
        self.assert_same_frames("whole", "run")

    def run_until_frame(self, frame):
        process = self.start("run", self.file, "-o", "run", "--no-video")
        target = self.folder / f"run/surface/surface.{frame:04}.ply"
        while not target.exists() and process.poll() is None:
            time.sleep(0.002)
        return process

    def test_kill_9_at_ten_random_moments_does_not_change_a_byte(self):
        draw = random.Random(20261)
        killed = 0
        while killed < 10:
            process = self.start("run", self.file, "-o", "run", "--resume", "--no-video")
            # About a fifth of the run at most, so that ten kills seldom reach its end.
            time.sleep(draw.uniform(0, 0.2) * self.seconds)
            process.kill()
            process.communicate()
            if process.returncode == -signal.SIGKILL:
                killed += 1
            else:  # it was done before: start over, so that every kill hits a live run
                self.assertEqual(process.returncode, 0)
                shutil.rmtree(self.folder / "run")
        self.go_on()

    def test_ctrl_c_finishes_the_frame_and_says_how_to_go_on(self):
        for stop in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(stop.name):
                process = self.run_until_frame(2)
                process.send_signal(stop)
                _, stderr = process.communicate()
                self.assertEqual(process.returncode, 130, stderr)
                self.assertIn("--resume", self.one_line(stderr))
                self.go_on()
                shutil.rmtree(self.folder / "run")

    def test_a_second_ctrl_c_stops_at_once(self):
        process = self.run_until_frame(2)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)  # another signal: two of a kind may arrive as one
        process.communicate()
        self.assertEqual(process.returncode, 130)
        self.go_on()

    def test_a_full_disk_gives_exit_code_4_and_can_be_resumed(self):
        def small_files_only():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, resource.RLIM_INFINITY))

        self.refuse("run", self.file, "-o", "run", "--no-video", code=4,
                    preexec_fn=small_files_only)
        self.go_on()

    @unittest.skipIf(SANITIZED, "sanitizers need more address space than there is")
    def test_too_little_memory_gives_exit_code_4(self):
        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))

        line = self.refuse("run", self.file, "-o", "big", "--resolution", 256, "--threads", 1,
                           "--no-video", code=4, preexec_fn=little_memory)
        self.assertIn("memory", line)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
