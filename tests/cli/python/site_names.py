# SPDX-License-Identifier: Apache-2.0
import sys

print(copyright.__class__.__name__, license.__class__.__name__)
print("site" in sys.modules, any(p.endswith("dist-packages") for p in sys.path))
