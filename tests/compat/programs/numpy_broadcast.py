# SPDX-License-Identifier: Apache-2.0
import numpy as np
grid = np.arange(12).reshape(3, 4)
print(grid * np.array([1, 0, 1, 0]), grid.sum(axis=1), np.where(grid % 2 == 0, grid, -1))
with np.errstate(divide="ignore"):
    print(np.array([1.0, 0.0]) / 0)
