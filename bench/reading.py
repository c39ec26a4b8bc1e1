# SPDX-License-Identifier: Apache-2.0
"""Reading programs: the standard library, and what the guard takes of a run."""

import common
import parse


def reading():
    print("\nReading Python (of the processor's time)", flush=True)
    times, guard = parse.main(common.program("bench/parse"), common.ROUNDS // 20 + 1)
    common.budget("parsing", "8 x ast.parse", "%.1f x" % times, times >= 8, "ast.parse of CPython")
    if guard:
        common.budget("guard on 1 000 lines", "1 ms", "%.2f ms" % guard, guard <= 1)
