# SPDX-License-Identifier: Apache-2.0
from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(3)
print(sum(pool.map(lambda x: x * x, range(10))))
future = pool.submit(lambda: 1 / 0)
print(type(future.exception()).__name__)
