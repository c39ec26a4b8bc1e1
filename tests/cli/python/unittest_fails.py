# SPDX-License-Identifier: Apache-2.0
import unittest


class T(unittest.TestCase):
    def test_bad(self):
        self.assertEqual([1, 2], [1, 3])


if __name__ == "__main__":
    program = unittest.main(exit=False, testRunner=type("R", (), {"run": lambda s, t: t.run(unittest.TestResult())}))
    print(len(program.result.failures), program.result.failures[0][1].splitlines()[-1])
