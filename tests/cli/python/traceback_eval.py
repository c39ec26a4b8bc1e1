# SPDX-License-Identifier: Apache-2.0
exec("def g():\n    1/0\n")
g()
