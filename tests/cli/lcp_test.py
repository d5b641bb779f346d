"""`slosh lcp`: solves a user's own system, and refuses in one line what is not one."""
import json
import sys
import unittest

from common import CommandTest

HEAD = "%%MatrixMarket matrix coordinate real symmetric\n"
ARRAY = "%%MatrixMarket matrix array real general\n"
# Four cells in a row, air beyond the first. The last one pulls away from its wall.
A = HEAD + "% lower half\n4 4 7\n1 1 2\n2 1 -1\n2 2 2\n3 2 -1\n3 3 2\n4 3 -1\n4 4 1\n"
B = ARRAY + "4 1\n-3\n0\n-1\n2\n"
SET = "0\n1\n0\n1\n"
# With p4 = 0: 2 p1 - p2 = 3, -p1 + 2 p2 - p3 = 0, -p2 + 2 p3 = 1 gives p = (2.5, 2, 1.5, 0), and
# the last row's surplus w = -1.5 + 2 is positive: it is the solution.
P = [2.5, 2, 1.5, 0]
SOLVERS = ("pgs", "policy-pcg", "penalty-pcg", "newton", "mprgp")


class Lcp(CommandTest):
    def write(self, **files):
        folder = self.folder / "problem"
        folder.mkdir(exist_ok=True)
        for name in ("A.mtx", "b.mtx", "set.txt", "cells.txt", "p.mtx"):
            (folder / name).unlink(missing_ok=True)
        texts = {"A.mtx": A, "b.mtx": B, "set.txt": SET, **files}
        for name, text in texts.items():
            if text is not None:
                (folder / name).write_text(text)
        return "problem"

    def solution(self):
        lines = (self.folder / "problem/p.mtx").read_text().splitlines()
        self.assertEqual(lines[0], ARRAY.strip())
        numbers = [line for line in lines if not line.startswith("%")]
        self.assertEqual(numbers[0], "4 1")
        return [float(x) for x in numbers[1:]]

    def check_solution(self, tolerance=1e-5):
        p = self.solution()
        self.assertEqual(len(p), 4)
        for got, expected in zip(p, P):
            self.assertAlmostEqual(got, expected, delta=tolerance)

    def refuse_files(self, file, line, word, **files):
        message = self.refuse("lcp", self.write(**files))
        where = f"problem/{file}" + (f":{line}:" if line else "")
        self.assertIn(where, message)
        self.assertIn(word, message)
        self.assertFalse((self.folder / "problem/p.mtx").exists())

    def test_every_solver_finds_the_solution(self):
        for solver in SOLVERS:
            with self.subTest(solver):
                text = self.accept("lcp", self.write(), "--solver", solver, "--tol", "1e-9")
                self.assertIn("4 rows, 2 in S, 1 active", text)
                self.assertIn("problem/p.mtx", text)
                self.check_solution(1e-7)

    def test_solvers_of_the_help_all_work_with_cells(self):
        words = [line.split()[0] for line in
                 self.accept("lcp", "--help").split("Solvers:\n")[1].splitlines() if line.strip()]
        self.assertTrue(set(SOLVERS) <= set(words))
        for cells in ("0 0\n1 0\n2 0\n3 0\n", "# i j k\n0 0 7\n1 0 7\n2 0 7\n3 0 7\n"):
            for solver in words:
                with self.subTest(solver):
                    self.accept("lcp", self.write(**{"cells.txt": cells}), "--solver", solver)
                    self.check_solution()

    def test_other_spellings_of_the_same_files(self):
        general = ("%%matrixmarket Matrix Coordinate Integer General\r\n4 4 10\r\n1 1 2\r\n1 2 -1\r\n"
                   "2 1 -1\r\n2 2 2\r\n2 3 -1\r\n3 2 -1\r\n3 3 2\r\n3 4 -1\r\n4 3 -1\r\n4 4 1\r\n")
        dense = ARRAY + "4 4\n" + "2\n-1\n0\n0\n-1\n2\n-1\n0\n0\n-1\n2\n-1\n0\n0\n-1\n1\n"
        half = ARRAY.replace("general", "symmetric") + "4 4\n2\n-1\n0\n0\n2\n-1\n0\n2\n-1\n+1.0e0\n"
        sparse_b = "%%MatrixMarket matrix coordinate real general\n\n4 1 3\n4 1 2\n1 1 -3\n3 1 -1\n"
        for files in ({"A.mtx": general}, {"A.mtx": dense}, {"A.mtx": half}, {"b.mtx": sparse_b},
                      {"set.txt": "# in S\n0\n1\n\n0\n 1"}):
            with self.subTest(files):
                self.accept("lcp", self.write(**files))
                self.check_solution()

    def test_the_report_as_json(self):
        self.accept("lcp", self.write(), "--json", "report.json", "--solver", "policy-pcg")
        report = json.loads((self.folder / "report.json").read_text())
        self.assertIn("machine", report)
        row, = report["rows"]
        self.assertEqual(row["solver"], "policy-pcg")
        self.assertEqual((row["unknowns"], row["constrained"], row["active"]), (4, 2, 1))
        self.assertTrue(row["converged"])
        self.assertLessEqual(row["residual"], 3e-6)  # 1e-6 max|b|
        for key in ("iterations", "outer", "seconds", "cpu_seconds", "bytes", "threads"):
            self.assertIn(key, row)

    def test_the_tolerance_is_the_natural_residual_itself(self):
        for tol in (1e-2, 1e-5, 1e-9):
            with self.subTest(tol):
                self.accept("lcp", self.write(), "--solver", "pgs", "--tol", tol, "--json", "r.json")
                row, = json.loads((self.folder / "r.json").read_text())["rows"]
                self.assertLessEqual(row["residual"], tol)
                self.assertGreater(row["residual"], tol / 1000)

    def test_a_closed_pocket_is_named(self):
        pocket = HEAD + "4 4 7\n1 1 1\n2 1 -1\n2 2 2\n3 2 -1\n3 3 2\n4 3 -1\n4 4 1\n"
        self.assertIn("1 closed pocket", self.accept("lcp", self.write(**{"A.mtx": pocket})))

    def test_a_solve_that_fails_gives_exit_code_3_and_no_pressure(self):
        indefinite = {"A.mtx": A.replace("2 1 -1", "2 1 -5"), "set.txt": "0\n0\n0\n1\n"}
        for solver in SOLVERS:
            with self.subTest(solver):
                line = self.refuse("lcp", self.write(**indefinite), "--solver", solver, "--tol",
                                   "1e-9", "--json", "report.json", code=3)
                self.assertIn("p.mtx is not written", line)
                self.assertFalse((self.folder / "problem/p.mtx").exists())
                row, = json.loads((self.folder / "report.json").read_text())["rows"]
                self.assertFalse(row["converged"])

    def test_bad_flags_are_refused(self):
        self.assertIn("'mprgp'", self.refuse("lcp", self.write(), "--solver", "mprg"))
        for tol in ("0", "-1", "nan", "inf", "x"):
            self.assertIn("--tol", self.refuse("lcp", self.write(), "--tol", tol))
        self.assertIn("DIR", self.refuse("lcp"))
        self.assertIn("not a directory", self.refuse("lcp", "nowhere"))

    def test_missing_files_are_named(self):
        for file in ("A.mtx", "b.mtx", "set.txt"):
            with self.subTest(file):
                self.refuse_files(file, None, "cannot read", **{file: None})

    def test_bad_headers_are_refused(self):
        for head in ("", "4 4 7\n", "%%MatrixMarket vector coordinate real symmetric\n",
                     "%%MatrixMarket matrix coordinate real\n",
                     "%%MatrixMarket matrix elemental real symmetric\n",
                     "%%MatrixMarket matrix coordinate complex symmetric\n",
                     "%%MatrixMarket matrix coordinate pattern symmetric\n",
                     "%%MatrixMarket matrix coordinate real skew-symmetric\n"):
            with self.subTest(head):
                text = A.replace(HEAD, head) if head else ""
                self.refuse_files("A.mtx", 1, "%%MatrixMarket", **{"A.mtx": text})

    def test_bad_matrices_are_refused(self):
        general = HEAD.replace("symmetric", "general")
        for text, line, word in (
                (HEAD, 1, "sizes"),
                (HEAD + "4 4\n", 2, "sizes"),
                (HEAD + "4 5 0\n", 2, "square"),
                (general + "4 5 0\n", 2, "square"),
                (HEAD + "4 4 -1\n", 2, "'-1'"),
                (HEAD + "4 4 9999999999999999999\n", 2, "whole number"),
                (HEAD + "99999999999 99999999999 0\n", 2, "whole number"),
                (A.replace("4 4 7", "4 4 8"), 10, "7 of 8"),
                (A.replace("4 4 7", "4 4 6"), 10, "more entries"),
                (A.replace("3 3 2", "3 3 nan"), 8, "'nan'"),
                (A.replace("3 3 2", "3 3 inf"), 8, "'inf'"),
                (A.replace("3 3 2", "3 3 1e999"), 8, "'1e999'"),
                (A.replace("3 3 2", "3 3 2x"), 8, "'2x'"),
                (A.replace("3 3 2", "3 3"), 8, "row column value"),
                (A.replace("3 3 2", "3 3 2 1"), 8, "row column value"),
                (A.replace("3 3 2", "3.0 3 2"), 8, "'3.0'"),
                (A.replace("3 3 2", "0 3 2"), 8, "'0'"),
                (A.replace("3 3 2", "5 3 2"), 8, "'5'"),
                (A.replace("3 3 2", "2 3 2"), 8, "lower half"),
                (A.replace("3 3 2", "2 2 2"), 8, "line 6 before"),
                (A.replace("3 3 2", "3 3 -2"), 8, "negative diagonal"),
                (A.replace("3 3 2", "3 3 0"), 7, "no diagonal"),
                (general + "4 4 2\n1 1 1\n2 1 -1\n", 4, "symmetric"),
                (general + "4 4 3\n1 1 1\n1 2 -1\n2 1 -1.001\n", 4, "symmetric"),
                (ARRAY + "4 4\n1\n", 3, "ends before row 2"),
                (ARRAY + "1 1\n1 2\n", 3, "one number"),
        ):
            with self.subTest(text):
                self.refuse_files("A.mtx", line, word, **{"A.mtx": text})

    def test_bad_right_sides_are_refused(self):
        for text, line, word in (
                (ARRAY + "3 1\n1\n2\n3\n", 2, "4 by 1"),
                (ARRAY + "4 2\n" + 8 * "1\n", 2, "4 by 1"),
                (ARRAY + "4 1\n1\n2\n3\n", 5, "ends before row 4"),
                (B + "5\n", 7, "more entries"),
                (B.replace("-3", "-nan"), 3, "'-nan'")):
            with self.subTest(text):
                self.refuse_files("b.mtx", line, word, **{"b.mtx": text})

    def test_bad_sets_and_cells_are_refused(self):
        for text, line, word in (("", 1, "0 of 4"), ("0\n1\n", 2, "2 of 4"), (SET + "1\n", 5, "more"),
                                 ("0\n2\n0\n1\n", 2, "0 or 1"), ("0 1 0 1\n", 1, "0 or 1")):
            with self.subTest(text):
                self.refuse_files("set.txt", line, word, **{"set.txt": text})
        for text, line, word in (("0 0\n1 0\n2 0\n", 3, "3 of 4"),
                                 ("0 0\n1 0\n2 0\n3 0\n4 0\n", 5, "more"),
                                 ("0 0\n1 0\n2 0\n1 0\n", 4, "line 2 before"),
                                 ("0 0\n1 0\n2 0 0 0\n3 0\n", 3, "i j k"),
                                 ("0 0\n1 0\n2 0.5\n3 0\n", 3, "'0.5'"),
                                 ("0 0\n1 0\n2 9000000\n3 0\n", 3, "'9000000'")):
            with self.subTest(text):
                self.refuse_files("cells.txt", line, word, **{"cells.txt": text})

    def test_a_directory_in_place_of_a_file_is_refused(self):
        self.write(**{"b.mtx": None})
        (self.folder / "problem/b.mtx").mkdir()
        self.assertIn("b.mtx", self.refuse("lcp", "problem"))
        (self.folder / "problem/b.mtx").rmdir()


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
