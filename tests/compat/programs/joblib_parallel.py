# SPDX-License-Identifier: Apache-2.0
from joblib import Parallel, delayed
print(Parallel(n_jobs=2)(delayed(pow)(i, 2) for i in range(6)))
print(Parallel(n_jobs=2, prefer="threads")(delayed(str.upper)(c) for c in "abc"))
