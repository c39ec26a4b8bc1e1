# SPDX-License-Identifier: Apache-2.0
import unittest


class T(unittest.TestCase):
    def test_good(self):
        self.assertEqual(1, 1)

    @unittest.skip("not now")
    def test_skipped(self):
        pass


suite = unittest.defaultTestLoader.loadTestsFromTestCase(T)
result = unittest.TestResult()
suite.run(result)
print(result)
unittest.main(verbosity=0, argv=["x", "T.nothing_here"], exit=False)
unittest.main(argv=["x", "-q", "-k", "nothing_matches"])
