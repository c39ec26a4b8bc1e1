# SPDX-License-Identifier: Apache-2.0
"""The version of this package, which is that of the program that it was made with."""

VERSION = "0.1.0"
