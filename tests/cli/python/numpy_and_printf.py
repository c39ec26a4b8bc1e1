# SPDX-License-Identifier: Apache-2.0
import numpy

numpy.ctypeslib.ctypes.CDLL(None).printf(b"from a library of a package\n")
print(numpy.ones(3))
