# SPDX-License-Identifier: Apache-2.0
import numpy as np

a = np.arange(6).reshape(2, 3)
print(a @ a.T, a.mean(), np.linalg.det(np.eye(3)))
print(np.random.default_rng(1).integers(0, 10, 5))
np.save("a.npy", a)
print(np.load("a.npy").sum())
