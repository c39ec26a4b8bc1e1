# SPDX-License-Identifier: Apache-2.0
exec("x = = 1")
