"""How fast a scene runs with a viewer attached: `SLOSH=./slosh python3 tests/view/pace.py manip [--resolution N] ...`.

The viewer takes every frame and shows nothing. Prints the real-time factor over the first three and over ten seconds of
the scene's time (simulated seconds over wall seconds; a run is never faster than life, so 1 is the most), the same if it
did not wait for the clock, the frames that came, their bytes, and the CPU time of slosh."""
import os
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
from client import Binary, Server, Viewer  # noqa: E402

FIRST, SECONDS = 3.0, 10.0


def main(args):
    with Server(*args) as server:
        viewer = Viewer(server)

        walls = {}  # seconds that each frame took, without waiting

        def is_frame(message):
            if isinstance(message, Binary):
                return message.header["kind"] == "frame"
            if message["type"] == "stats":
                for side in message["sides"]:
                    walls[side["frame"]] = side["wall"]
            return False

        def next_frame():
            return viewer.until(is_frame)

        def cpu():
            with open(f"/proc/{server.process.pid}/stat", encoding="ascii") as stat:
                fields = stat.read().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

        first = frame = next_frame()
        started, used, sizes = time.monotonic(), cpu(), []
        early = 0
        while frame.header["time"] < first.header["time"] + SECONDS:
            frame = next_frame()
            sizes.append(frame.bytes)
            passed = frame.header["time"] - first.header["time"]
            if not early and passed >= FIRST:
                early = passed / (time.monotonic() - started)
        wall = time.monotonic() - started
        simulated = frame.header["time"] - first.header["time"]
        frames = frame.header["frame"] - first.header["frame"]
        taken = [w for f, w in walls.items() if first.header["frame"] < f <= frame.header["frame"]]
        free = simulated / frames * len(taken) / sum(taken)
        print(f"{' '.join(args)}: real-time factor {early:.2f} over {FIRST:.0f} s, {simulated / wall:.3f} over {SECONDS:.0f} s ({free:.2f} without waiting), {len(sizes)} of {frames} frames came, "
              f"mean {sum(sizes) / len(sizes) / 1e3:.0f} kB, largest {max(sizes) / 1e3:.0f} kB, "
              f"{1e3 * (cpu() - used) / frames:.0f} ms of CPU a frame")


main(sys.argv[1:])
