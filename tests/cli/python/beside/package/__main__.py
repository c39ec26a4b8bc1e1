# SPDX-License-Identifier: Apache-2.0
from . import answer

print("package run:", answer(), __name__, __package__)
