# SPDX-License-Identifier: Apache-2.0
def f(*args):
    raise ValueError(
        "first line\nsecond line"
    )


f(
    1,
    2,
)
