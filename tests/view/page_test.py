"""The live page in a headless browser (web/tests/page_test.mjs)."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from node import WEB, modules  # noqa: E402

modules()
slosh = str(pathlib.Path(os.environ.get("SLOSH", "build/release/slosh")).resolve())
sys.exit(subprocess.run(["node", "tests/page_test.mjs"], cwd=WEB, check=False,
                        env={**os.environ, "SLOSH": slosh}).returncode)
