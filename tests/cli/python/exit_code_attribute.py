# SPDX-License-Identifier: Apache-2.0
e = SystemExit()
e.code = 5
raise e
