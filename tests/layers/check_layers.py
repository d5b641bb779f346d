"""Keeps the source tree in order: layers, heavy headers, file sizes.

    /usr/bin/python3 tests/layers/check_layers.py [ROOT]

A folder includes only folders below it (CONTRIBUTING.md); headers that cost many seconds to
compile stay in one or two .cpp files; a file stays short enough to be read in one sitting.
"""
import pathlib
import re
import sys

# What each folder may include, besides itself.
BELOW = {"base": []}
BELOW["grid"] = ["base"]
BELOW["shape"] = BELOW["particles"] = BELOW["linear"] = ["base", "grid"]
BELOW["surface"] = ["base", "grid", "particles"]
_METHODS = ["base", "grid", "shape", "particles", "surface", "linear"]
BELOW["lcp"] = BELOW["pressure"] = BELOW["viscosity"] = BELOW["rigid"] = _METHODS
BELOW["gas"] = _METHODS  # a mode of the liquid step
_STEPS = _METHODS + ["lcp", "pressure", "viscosity", "rigid", "gas"]
BELOW["liquid"] = BELOW["tall"] = BELOW["spray"] = _STEPS
BELOW["scene"] = _STEPS + ["liquid", "tall", "spray"]
BELOW["cache"] = BELOW["scene"] + ["scene"]
BELOW["render"] = BELOW["cache"] + ["cache"]
BELOW["view"] = BELOW["cluster"] = BELOW["render"] + ["render"]
BELOW["cli"] = BELOW["view"] + ["view", "cluster"]

# Headers that cost 5 to 50 CPU-seconds a file, and how many .cpp files may include them.
HEAVY = {
    "openvdb/": 3,  # meshes to distances, surface mesher, volumes on disk
    "embree3/": 1,
    "assimp/": 1,
    "CLI/": 1,
    "nlohmann/json.hpp": 8,  # 4 s each: scene reader, caches, reports; never in a header
    "tbb/": 2,  # base/parallel_tbb.cpp, and an arena that keeps OpenVDB on one thread
    "boost/": 1,
    "btBulletCollisionCommon.h": 1,
}

MAX_LINES = 500

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def check(root):
    """Returns a list of complaints, empty if all is well."""
    complaints = []
    users = {header: [] for header in HEAVY}
    source = root / "src" / "slosh"
    for path in sorted(source.rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        name = path.relative_to(root).as_posix()
        folder = path.relative_to(source).parts[0]
        if folder not in BELOW:
            complaints.append(f"{name}: folder '{folder}' has no place in the layers")
            continue
        for included in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if included.startswith("slosh/"):
                other = included.split("/")[1]
                if other != folder and other not in BELOW[folder]:
                    complaints.append(f"{name}: includes {included}, which is not below {folder}")
                if not (root / "src" / included).exists():
                    complaints.append(f"{name}: includes {included}, which does not exist")
            for heavy in HEAVY:
                if included.startswith(heavy):
                    if path.suffix == ".h":
                        complaints.append(f"{name}: a header includes {included}")
                    users[heavy].append(name)

    for heavy, limit in HEAVY.items():
        files = sorted(set(users[heavy]))
        if len(files) > limit:
            complaints.append(f"<{heavy}> is included by {len(files)} files, at most {limit} may: "
                              + ", ".join(files))

    for top in ("src", "tests", "python", "bench", "cmake"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".cpp", ".py", ".cmake", ".sh"):
                lines = path.read_text(encoding="utf-8").count("\n")
                if lines > MAX_LINES:
                    complaints.append(f"{path.relative_to(root).as_posix()}: {lines} lines; over "
                                      f"{MAX_LINES} it surely holds two subjects")
    return complaints


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    if root.is_file():
        root = root.parents[2]
    complaints = check(root)
    for complaint in complaints:
        print(complaint)
    print(f"{len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
