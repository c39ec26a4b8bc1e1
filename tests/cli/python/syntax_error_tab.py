# SPDX-License-Identifier: Apache-2.0
if True:
        x = 1
	y = 2
