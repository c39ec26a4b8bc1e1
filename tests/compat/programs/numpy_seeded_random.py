# SPDX-License-Identifier: Apache-2.0
import numpy as np
rng = np.random.default_rng(42)
print(rng.normal(size=3).round(6), rng.integers(0, 100, 5))
np.random.seed(7)
print(np.random.rand(3).round(6))
