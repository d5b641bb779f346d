"""web/dist/index.html is what its sources make: by their hash, and by building it."""
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from node import WEB, modules  # noqa: E402


def sources_hash():
    """As web/build.mjs computes it."""
    files = ["build.mjs", "package-lock.json"]
    for folder in ("src", "thumbs"):
        files += [f"{folder}/{path.name}" for path in (WEB / folder).iterdir()]
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(name.encode() + b"\0" + (WEB / name).read_bytes() + b"\0")
    return digest.hexdigest()


def main():
    page = (WEB / "dist/index.html").read_text(encoding="utf-8")
    found = re.search(r'name="slosh-sources" content="([0-9a-f]+)"', page)
    assert found and found[1] == sources_hash(), \
        "web/dist/index.html is older than its sources; web/README.md says how to build it"
    assert not re.search(r'(?:src|href)="https?://', page), "the page loads something from the net"

    modules()
    with tempfile.TemporaryDirectory() as directory:
        copy = pathlib.Path(directory) / "web"
        copy.mkdir()
        for name in ("build.mjs", "package.json", "package-lock.json", "tsconfig.json"):
            shutil.copy(WEB / name, copy / name)
        for folder in ("src", "thumbs"):
            shutil.copytree(WEB / folder, copy / folder)
        (copy / "node_modules").symlink_to(WEB / "node_modules")
        subprocess.run(["node", "node_modules/typescript/bin/tsc", "--noEmit"], cwd=copy, check=True)
        subprocess.run(["node", "build.mjs"], cwd=copy, check=True)
        built = (copy / "dist/index.html").read_text(encoding="utf-8")
    assert built == page, "web/dist/index.html is not what its sources make"


if __name__ == "__main__":
    main()
