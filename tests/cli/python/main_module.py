# SPDX-License-Identifier: Apache-2.0
import sys

import __main__

print(sys.modules["__main__"] is __main__)
__main__.late = 1
print(late, __main__.__dict__ is globals())
print(repr(__main__))
