# SPDX-License-Identifier: Apache-2.0
import numpy as np
print(np.array([1.0, 2.0]) / np.array([0.0, 1.0]))
