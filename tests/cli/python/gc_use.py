# SPDX-License-Identifier: Apache-2.0
import gc

gc.collect()
print(gc.isenabled(), gc.get_threshold(), gc.get_freeze_count())


class A:
    pass


a = A()
a.self = a
del a
print(gc.collect(), gc.garbage)
