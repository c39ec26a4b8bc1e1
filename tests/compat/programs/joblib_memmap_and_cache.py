# SPDX-License-Identifier: Apache-2.0
import numpy as np
from joblib import Memory, Parallel, delayed
memory = Memory("cache", verbose=0)
double = memory.cache(lambda n: n * 2)
big = np.ones(300_000)
print(double(4), double(4), Parallel(n_jobs=2, max_nbytes=1000)(delayed(np.sum)(big[i:]) for i in (0, 100_000)))
