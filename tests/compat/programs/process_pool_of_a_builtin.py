# SPDX-License-Identifier: Apache-2.0
from concurrent.futures import ProcessPoolExecutor
from math import factorial
if __name__ == "__main__":
    with ProcessPoolExecutor(2) as pool:
        print(list(pool.map(factorial, range(8))))
