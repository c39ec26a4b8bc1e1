# SPDX-License-Identifier: Apache-2.0
print(repr(exit), repr(quit))
exit(6)
