"""What `slosh validate` prints and writes; the physics is its own business."""
import json
import sys
import unittest

from common import CommandTest


class Validate(CommandTest):
    def test_rows_that_cannot_fail_are_reported_and_not_counted(self):
        text = self.accept("validate", "7", "--json", "rows.json")
        rows = json.loads((self.folder / "rows.json").read_text())["rows"]
        gates = [row for row in rows if row["gate"]]
        told = [row for row in rows if not row["gate"]]
        self.assertTrue(gates and told)
        self.assertTrue(all(row["pass"] is True for row in gates))
        self.assertTrue(all(row["pass"] is None and row["value"] > 0 for row in told))
        self.assertTrue(all(row["reference"] is None and row["error"] is None for row in told))
        self.assertIn(f"{len(gates)} of {len(gates)} pass, {len(told)} only reported", text)
        self.assertEqual(text.count(" reported\n") - 1, len(told))

    def test_a_reported_row_gives_its_reference_and_error(self):
        self.accept("validate", "2c", "--json", "rows.json", "--plot", "charts")
        rows = json.loads((self.folder / "rows.json").read_text())["rows"]
        told = [row for row in rows if not row["gate"]]
        self.assertTrue(told)
        for row in told:
            self.assertIsNone(row["pass"])
            error = abs(row["value"] - row["reference"]) / row["reference"]
            self.assertAlmostEqual(row["error"], error, places=6)
        chart = (self.folder / "charts/2c-pressure.svg").read_text()
        self.assertEqual(chart.count("<circle"), 43)  # a dot for each measured value
        self.assertIn(">without friction<", chart)

    def test_viscous_profiles_and_suction(self):
        self.accept("validate", "5a", "5b", "suction")


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
