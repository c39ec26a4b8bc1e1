# SPDX-License-Identifier: Apache-2.0
class Code:
    def __str__(self):
        raise ValueError("no text")


raise SystemExit(Code())
