# SPDX-License-Identifier: Apache-2.0
"""Commands instead of cells: the verbs on which frameworks build their own sandbox interfaces."""

from .box import AsyncBox, Box
from .results import CommandError, CommandResult, Entry

__all__ = ["AsyncBox", "Box", "CommandError", "CommandResult", "Entry"]
