# SPDX-License-Identifier: Apache-2.0
from .inner import answer

__all__ = ["answer"]
