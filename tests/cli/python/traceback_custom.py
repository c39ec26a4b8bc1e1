# SPDX-License-Identifier: Apache-2.0
class Odd(Exception):
    def __str__(self):
        return "odd: " + ", ".join(map(repr, self.args))


raise Odd(1, "two")
