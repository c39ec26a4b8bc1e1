# SPDX-License-Identifier: Apache-2.0
import numpy as np
a = np.array([[4.0, 1.0], [2.0, 3.0]])
values, vectors = np.linalg.eig(a)
print(np.sort(values).round(6), np.allclose(a @ vectors, vectors * values))
print(np.linalg.solve(a, [1, 2]).round(6))
