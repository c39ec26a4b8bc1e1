# SPDX-License-Identifier: Apache-2.0
import warnings

warnings.warn("a user warning")
warnings.warn("deprecated", DeprecationWarning)


def old():
    warnings.warn("of the caller", DeprecationWarning, stacklevel=2)


old()
for _ in range(2):
    warnings.warn("once")
warnings.simplefilter("error")
warnings.warn("raised")
