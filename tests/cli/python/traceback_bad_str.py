# SPDX-License-Identifier: Apache-2.0
class Bad(Exception):
    def __str__(self):
        raise RuntimeError("cannot say")


raise Bad
