# SPDX-License-Identifier: Apache-2.0
class Code:
    def __str__(self):
        return "an object"


raise SystemExit(Code())
