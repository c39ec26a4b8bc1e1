# SPDX-License-Identifier: Apache-2.0
import cProfile
import io
import pstats


def f():
    return sum(range(1000))


p = cProfile.Profile()
p.runcall(f)
out = io.StringIO()
pstats.Stats(p, stream=out).print_stats()
print("function calls" in out.getvalue())
