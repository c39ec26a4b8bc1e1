# SPDX-License-Identifier: Apache-2.0
import contextlib


@contextlib.contextmanager
def managed():
    print("enter")
    yield
    print("never")


m = managed()
m.__enter__()
print("end")
