# SPDX-License-Identifier: Apache-2.0
"""The command ``glovebox``: starts the program that this package uses."""

from __future__ import annotations

import os
import sys

from .errors import DaemonError
from .finding import find_program


def main() -> None:
    try:
        program = find_program()
    except DaemonError as error:
        sys.exit(f"glovebox: {error}")
    os.execv(program, ["glovebox", *sys.argv[1:]])


if __name__ == "__main__":
    main()
