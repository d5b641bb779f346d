"""The page's tools: node, and the packages of web/package-lock.json."""
import fcntl
import pathlib
import shutil
import subprocess

WEB = pathlib.Path(__file__).resolve().parents[2] / "web"


def modules():
    """Installs the packages unless they are there as the lock file says."""
    if not shutil.which("node") or not shutil.which("npm"):
        raise SystemExit("node and npm are missing; apt-get install nodejs npm")
    stamp = WEB / "node_modules/.slosh-lock"
    wanted = (WEB / "package-lock.json").read_text(encoding="utf-8")
    with open(WEB / ".npm-lock", "w", encoding="ascii") as lock:  # two tests may come here at once
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
            subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=WEB,
                           check=True)
            stamp.write_text(wanted, encoding="utf-8")
