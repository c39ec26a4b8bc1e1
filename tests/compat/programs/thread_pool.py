# SPDX-License-Identifier: Apache-2.0
from concurrent.futures import ThreadPoolExecutor, as_completed
with ThreadPoolExecutor(4) as pool:
    futures = {pool.submit(pow, i, 2): i for i in range(5)}
    print(sorted((futures[f], f.result()) for f in as_completed(futures)))
