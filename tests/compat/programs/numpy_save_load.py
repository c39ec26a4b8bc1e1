# SPDX-License-Identifier: Apache-2.0
import numpy as np
np.savez("data.npz", a=np.arange(5), b=np.eye(2))
with np.load("data.npz") as data:
    print(sorted(data.files), data["a"].sum(), data["b"].trace())
