# SPDX-License-Identifier: Apache-2.0
colour = 1
print(colur)
