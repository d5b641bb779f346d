"""Checks (or with --fix, mends) the layout of all C++ sources with clang-format 14.

    /usr/bin/python3 tests/layers/check_format.py [--fix]

Other versions lay out a few constructs differently, so only version 14 is asked. Exit code 77:
not installed, which ctest counts as skipped.
"""
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    program = shutil.which("clang-format-14")
    if not program:
        print("clang-format-14 is not installed")
        return SKIPPED
    files = [str(p) for top in ("src", "tests", "python", "bench", "examples")
             for p in sorted((root / top).rglob("*")) if p.suffix in (".h", ".cpp")]
    mode = ["-i"] if "--fix" in sys.argv else ["--dry-run", "-Werror"]
    done = subprocess.run([program, *mode, *files], capture_output=True, text=True)
    if done.returncode != 0:
        wrong = sorted({line.split(":")[0] for line in done.stderr.splitlines()
                        if ": error:" in line and line.startswith("/")})
        print("\n".join(wrong))
        print(f"{len(wrong)} files; mend with: {__file__} --fix")
    return 1 if done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
