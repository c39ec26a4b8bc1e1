# SPDX-License-Identifier: Apache-2.0
try:
    int("x")
except ValueError:
    raise RuntimeError("alone") from None
