"""The layer check must see what it is there to see."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from check_layers import check  # noqa: E402


class LayerCheck(unittest.TestCase):
    def complaints(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in files.items():
                path = root / "src" / "slosh" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return check(root)

    def test_including_downwards_is_fine(self):
        self.assertEqual(self.complaints({
            "base/vec.h": "#include <vector>\n",
            "grid/field.h": '#include "slosh/base/vec.h"\n'}), [])

    def test_including_upwards_is_named(self):
        found = self.complaints({
            "base/vec.h": '#include "slosh/grid/field.h"\n', "grid/field.h": ""})
        self.assertEqual(len(found), 1)
        self.assertIn("not below base", found[0])

    def test_siblings_do_not_include_each_other(self):
        found = self.complaints({
            "shape/a.h": '#include "slosh/linear/b.h"\n', "linear/b.h": ""})
        self.assertEqual(len(found), 1)

    def test_a_heavy_header_in_a_header_is_named(self):
        found = self.complaints({"cache/a.h": "#include <openvdb/openvdb.h>\n"})
        self.assertIn("a header includes openvdb/openvdb.h", found[0])

    def test_a_heavy_header_in_many_files_is_named(self):
        found = self.complaints({f"render/{i}.cpp": "#include <embree3/rtcore.h>\n"
                                 for i in range(2)})
        self.assertIn("included by 2 files", found[0])

    def test_a_file_too_long_is_named(self):
        found = self.complaints({"base/long.cpp": "\n" * 501})
        self.assertIn("501 lines", found[0])


if __name__ == "__main__":
    unittest.main()
