# SPDX-License-Identifier: Apache-2.0
import io
import unittest

class Tests(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(sum([1, 2]), 3)

    def test_wrong(self):
        self.assertEqual(1, 2)

result = unittest.TextTestRunner(stream=io.StringIO()).run(unittest.defaultTestLoader.loadTestsFromTestCase(Tests))
print(result.testsRun, len(result.failures), result.wasSuccessful())
