# SPDX-License-Identifier: Apache-2.0
"""A module beside the program."""
import sys

VALUE = 42


class Keeper:
    def __del__(self):
        print("helper's keeper goes", VALUE)


def fail():
    raise LookupError("from the helper")


keeper = Keeper()
if __name__ == "__main__":
    sys.exit("not to be run")
